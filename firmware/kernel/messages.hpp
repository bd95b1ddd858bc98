// The messages that this node has under way: what their receivers, and the nodes on the way, have
// said of them. Whoever sends one waits until it has ended here (kernel/message.hpp).
#pragma once

#include "kernel/forwarder.hpp"

#include <cstdint>

namespace mesh {

class Messages;

/// The sender's side of a message under way, or somebody's who waits for a node: what has come back
/// of it. Lives in the frame of who waits, and is in the kernel's table for as long.
struct Outgoing {
    Outgoing(Messages& messages, NodeId to, Rule route);
    Outgoing(const Outgoing&) = delete;
    Outgoing& operator=(const Outgoing&) = delete;
    ~Outgoing();

    Messages& messages;
    const NodeId to;
    const Rule route;
    std::uint32_t message = 0; // number() gives it
    std::uint32_t taken_bytes = 0;
    bool taken = false; // at least its first packet
    bool later = false;
    bool lost = false;
    bool alive = false;                  // who it goes to, when that one was last asked
    std::uint64_t ask_at = wire::kNever; // see Timebase::now()
    Outgoing* next = nullptr;
};

class Messages {
public:
    explicit Messages(Counters& counters) : counters_(counters) {}

    /// Gives it a number, by which answers name it.
    void number(Outgoing& outgoing) { outgoing.message = ++numbers_; }

    /// News came: if it is of a message, that message hears it.
    void hear(const News& news);
    /// Links have died, and with them the messages that would go over them, also those that are
    /// waiting for an answer only.
    void on_dead_links(const Forwarder& forwarder);
    /// When the first of them wants to ask whether its receiver is there, or kNever.
    std::uint64_t next_ask() const;
    /// How many wait for a node that has not shown yet that it is there.
    unsigned pending() const;

private:
    friend struct Outgoing;

    Outgoing* find(std::uint32_t message) const;

    Counters& counters_;
    Outgoing* first_ = nullptr;
    std::uint32_t numbers_ = 0;
};

} // namespace mesh
