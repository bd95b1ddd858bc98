// The messages that this node has under way: what their receivers, and the nodes on the way, have
// said of them. Whoever sends one waits until it has ended here (kernel/message.hpp).
#pragma once

#include "kernel/forwarder.hpp"

#include <cstdint>

namespace mesh {

/// The sender's side of a message under way; lives in the frame of send().
struct Outgoing {
    NodeId to = kNoNode;
    Rule route = Rule::unicast;
    std::uint32_t message = 0;
    std::uint32_t taken_bytes = 0;
    bool taken = false; // at least its first packet
    bool later = false;
    bool lost = false;
    bool alive = false;                  // its receiver, when it was last asked
    std::uint64_t ask_at = wire::kNever; // see Timebase::now()
    Outgoing* next = nullptr;
};

class Messages {
public:
    explicit Messages(Counters& counters) : counters_(counters) {}

    /// Gives the message its number; it stays in the table until remove().
    void add(Outgoing& outgoing);
    void remove(Outgoing& outgoing);

    /// News came: if it is of a message, that message hears it.
    void hear(const News& news);
    /// Links have died, and with them the messages that would go over them, also those that are
    /// waiting for an answer only.
    void on_dead_links(const Forwarder& forwarder);
    /// When the first of them wants to ask whether its receiver is there, or kNever.
    std::uint64_t next_ask() const;

private:
    Outgoing* find(std::uint32_t message) const;

    Counters& counters_;
    Outgoing* first_ = nullptr;
    std::uint32_t numbers_ = 0;
};

} // namespace mesh
