// The mailbox of a node: packets that have arrived for it and wait for a process to take them.
//
// Matching is MPI's: by tag and source, each exact or any, first come first taken. Packets stay in
// their pool buffers; taking one copies nothing.
#pragma once

#include "core/types.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/base/service.hpp"

#include <cstdint>

namespace mesh {

inline constexpr Tag kAnyTag = 0xFFFF;
inline constexpr NodeId kAnySource = kNoNode;
inline constexpr std::uint32_t kAnyMessage = 0xFFFF'FFFF;

/// What a process waits for.
struct Match {
    Service service = Service::packet;
    Tag tag = kAnyTag;
    NodeId source = kAnySource;
    std::uint32_t message = kAnyMessage;

    bool operator()(const wire::PacketHeader& header) const {
        return header.service == static_cast<std::uint8_t>(service) &&
               (tag == kAnyTag || tag == header.tag) &&
               (source == kAnySource || source == header.source) &&
               (message == kAnyMessage || message == header.message);
    }
};

class Mailbox {
public:
    void put(PacketBuffer* buffer);
    /// The first of all, and by `next` the others; nullptr if there is none.
    const PacketBuffer* first() const { return first_; }
    /// The first packet that matches, left where it is; nullptr if there is none.
    PacketBuffer* find(const Match& match) const;
    /// Takes `buffer`, which find() gave, out. The caller has its reference then.
    void remove(PacketBuffer* buffer);

    /// Packets in it.
    unsigned size() const {
        unsigned packets = 0;
        for (const PacketBuffer* at = first_; at != nullptr; at = at->next)
            ++packets;
        return packets;
    }

private:
    PacketBuffer* first_ = nullptr;
    PacketBuffer* last_ = nullptr;
};

} // namespace mesh
