// Services: which part of its destination a packet is for, and the questions and answers about
// messages.
#pragma once

#include "core/base/rules.hpp"
#include "core/base/types.hpp"

#include <cstdint>

namespace mesh {

/// A program's name for a kind of message or a collective: 0 to kProgramTagMax are its own.
using Tag = std::uint16_t;

/// The part of the destination that a packet is for. The predicates below go by the order of these.
enum class Service : std::uint8_t {
    packet, // one packet that stands for itself: trees, collectives
    // Packets with an answer, which takes their buffer.
    message,  // first packet of a message: offers it; or says that the sender holds one (kHint)
    fragment, // further packet of a message
    ask,      // from the sender of a message: what has become of it? `position`: number of the
              // question, which the answer has as its `message`
    probe,    // is it there, and is its message number `position` under way (if not 0)?
    call,     // to a node that holds messages: `message` was the last one that came; offer one that
              // is in the list of Want in the payload, if there is a list
    look,     // is it there? `position`: the way of the packets waited for (Path::word()),
              // `total_bytes`: of which call (CallLabel::word())
    // Answers about the messages and waits that a node has under way.
    taken,   // to the sender of a message: the receiver has consumed `position` bytes
    nothing, // to a node that has called: no such message is held
    lost,    // to the sender of a message: next hop of one of its packets is behind a dead link
    alive,   // the answer to an ask or a probe: go on waiting; `position` bytes have arrived
    unknown, // an answer to both: nobody knows of that message (any more)
    here,    // the answer to a look; `position`: the node that looks; `total_bytes`: as in the look
    gone,    // the same where no process is left, the call is over or a packet of it was lost:
             // nothing more will come
    kCount
};

/// A packet of this service carries data of processes.
constexpr bool is_carried(Service service) { return service <= Service::fragment; }
/// A packet of this service is answered: in its own buffer, so its bound counts the way back.
constexpr bool is_answered(Service service) {
    return service > Service::packet && service < Service::taken;
}
/// It asks a kernel, which answers whatever its processes do.
constexpr bool is_question(Service service) {
    return service >= Service::ask && service < Service::taken;
}
/// It answers a packet, or stands for such an answer.
constexpr bool is_answer(Service service) {
    return service >= Service::taken && service < Service::kCount;
}
/// It answers a look, and so goes the way of the packets that are looked for.
constexpr bool answers_look(Service service) { return service >= Service::here; }
static_assert(answers_look(Service::here) && answers_look(Service::gone));
static_assert(!answers_look(Service::unknown) && is_answer(Service::gone));
static_assert(is_answered(Service::message) && is_answered(Service::look));
static_assert(!is_answered(Service::packet) && !is_answered(Service::taken));
static_assert(!is_question(Service::fragment) && is_question(Service::ask));

/// The way of packets from their source to here: by a rule and, where it has several, a tree. A
/// word, so that it goes in a register.
struct alignas(4) Path {
    Rule rule = Rule::unicast;
    std::uint8_t subtree = 0;
    bool inward = false; // up the tree, to its root
    bool to_all = false; // down all of the tree, to every node

    /// As a word, for a question about packets that come by this way.
    constexpr std::uint32_t word() const {
        return static_cast<std::uint32_t>(rule) | (std::uint32_t{subtree} << 8) |
               (inward ? 1u << 16 : 0u) | (to_all ? 1u << 17 : 0u);
    }
    /// The path of which word() has made `word`.
    static constexpr Path of_word(std::uint32_t word) {
        return {static_cast<Rule>(word & 0xFFu), static_cast<std::uint8_t>(word >> 8),
                (word >> 16 & 1u) != 0, (word >> 17 & 1u) != 0};
    }
};

} // namespace mesh
