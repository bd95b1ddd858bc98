// What this node knows of the messages that others send it, so that each is taken once and those of
// one sender in order, by whatever path their packets come.
//
// A sender numbers its messages, and a node takes in those of one sender in the order of their
// numbers: so the last number taken in says of each message whether it has been here. That is
// remembered for as many senders as there are places; senders that share a place push each other
// out, and then what is not known is not claimed: the sender of a message that nobody remembers
// hears `unknown`.
#pragma once

#include "kernel/base/limits.hpp"
#include "kernel/packets/mailbox.hpp"
#include "wire/counters.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// The last message taken in of one sender.
struct Sender {
    static constexpr std::uint32_t kNobody = 0x7FFF'FFFF;
    std::uint32_t node : 31;
    std::uint32_t shared : 1; // there was another one before, of whom nothing is known
    std::uint32_t last;
};
/// So many of them have their place in `bytes` of a node's memory, whose rest is the arena.
constexpr std::size_t senders_in(std::size_t bytes) {
    return bytes / limits::kSendersShare / sizeof(Sender);
}

/// The receiver's side of a message that a process is taking; lives in its Message.
struct Incoming {
    NodeId source = kNoNode;
    std::uint32_t message = 0;
    std::uint32_t arrived = 0;  // bytes, all that came before included
    std::uint32_t consumed = 0; // bytes that the process has taken
    bool detour = false;        // its sender has lost a way: answers go by all paths
    Incoming* next = nullptr;
};

class Intake {
public:
    /// What has become of a message of somebody else's, as far as is known: the word for it in the
    /// answer to Service::ask.
    enum class Fate : std::uint8_t {
        never_came = static_cast<std::uint8_t>(Service::later),
        waits = static_cast<std::uint8_t>(Service::alive),
        taken = static_cast<std::uint8_t>(Service::taken),
        unknown = static_cast<std::uint8_t>(Service::unknown),
        being_taken = static_cast<std::uint8_t>(Service::kCount) // alive, and how far
    };

    /// `senders`: the caller's; one at least, what is in them does not matter.
    /// `begun_anew`: this node had a life before this one, of whose messages it knows nothing.
    Intake(std::span<Sender> senders, const Mailbox& mailbox, bool begun_anew);

    Fate fate(NodeId source, std::uint32_t message) const;
    /// The last message taken in of `source` is remembered: one before it comes too late.
    bool knows(NodeId source) const { return place(source).node == index(source); }
    /// The message before it is still to come: it must wait for that one.
    bool is_early(const wire::PacketHeader& offer) const;
    /// The offer goes to the mailbox.
    void accept(NodeId source, std::uint32_t message);
    /// The rest of a fragment's message has come up to here; false if it is not what comes next.
    bool accept_fragment(const wire::PacketHeader& fragment, Counters& counters);

    void begin(Incoming& incoming);
    /// The process has taken all of it, or leaves it: then nobody knows what has become of it.
    void end(Incoming& incoming, bool taken);
    /// A message of it that was taken in is given up: nobody knows what has become of it.
    void forget(NodeId source);
    Incoming* find(NodeId source, std::uint32_t message) const;

private:
    enum class Memory : std::uint8_t { never, had, unsure };
    [[gnu::noinline]] Sender& place(NodeId source) const {
        return senders_[index(source) % senders_.size()];
    }
    Memory remember(NodeId source, std::uint32_t message) const;
    bool waits(NodeId source, std::uint32_t message) const;

    std::span<Sender> senders_;
    const Mailbox& mailbox_;
    const bool begun_anew_;
    Incoming* first_ = nullptr;
};

} // namespace mesh
