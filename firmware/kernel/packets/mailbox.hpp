// The mailbox of a node: packets that have arrived for it and wait for a process to take them.
//
// Matching is MPI's: by tag and source, each exact or any, first come first taken. Packets stay in
// their pool buffers; taking one copies nothing.
#pragma once

#include "core/base/types.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/base/service.hpp"

#include <bit>
#include <cstdint>

namespace mesh {

inline constexpr Tag kAnyTag = 0xFFFF;
/// Programs have the tags 0 to this for their messages. Those above are the library's: for
/// windows, blocks, barriers and channels.
inline constexpr Tag kProgramTagMax = 0x7BFF;
inline constexpr NodeId kAnySource = kNoNode;
inline constexpr std::uint32_t kAnyMessage = 0xFFFF'FFFF;

/// The packets that a process waits for. Any tag means any of a program's own: packets of the
/// library say a call or, in messages of channels, what no call says.
struct Match {
    Service service = Service::packet;
    Tag tag = kAnyTag;
    NodeId source = kAnySource;
    std::uint32_t message = kAnyMessage;
    std::uint16_t call = 0; // of a collective; 0: of none. Not asked where a message has its number

    /// True if a packet with this header is one of those.
    bool operator()(const wire::PacketHeader& header) const {
        return header.service == static_cast<std::uint8_t>(service) &&
               (call == header.call || (service != Service::packet && message != kAnyMessage)) &&
               (tag == kAnyTag || tag == header.tag) &&
               (source == kAnySource || source == header.source) &&
               (message == kAnyMessage || message == header.message);
    }
};

/// The label of all packets and messages of one call of a collective: its tag, and its number
/// (kernel/packets/calls.hpp). In a register.
struct alignas(4) CallLabel {
    Tag tag = 0;
    std::uint16_t call : wire::kCallBits = 0;

    /// The label of `call`, of which the bits above kCallMax are cut off.
    static constexpr CallLabel of(Tag tag, std::uint32_t call) {
        return {tag, static_cast<std::uint16_t>(call & wire::kCallMax)};
    }
    /// The label of packets that run beside those of the call and must not be taken for one of
    /// them.
    constexpr CallLabel beside() const { return of(tag, call | 1u); }
    /// As a word of a header; in memory a label is that word already.
    std::uint32_t word() const { return std::bit_cast<std::uint32_t>(*this) & kWordMask; }
    /// The label of which word() has made `word`.
    static CallLabel of_word(std::uint32_t word) {
        return std::bit_cast<CallLabel>(word & kWordMask);
    }
    static constexpr std::uint32_t kWordMask = wire::kCallMax << 16 | 0xFFFF;
    /// Matches packets of the call.
    constexpr Match match(std::uint32_t message = kAnyMessage, NodeId source = kAnySource) const {
        return {.tag = tag, .source = source, .message = message, .call = call};
    }
};

/// A queue of packets, each with one reference, which the mailbox has while the packet is in it.
class Mailbox {
public:
    /// Puts `buffer` behind all others; takes over its reference. O(1).
    void put(PacketBuffer* buffer);
    /// The first of all, and by `next` the others; nullptr if there is none.
    const PacketBuffer* first() const { return first_; }
    /// The same, to be changed.
    PacketBuffer* first() { return first_; }
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
