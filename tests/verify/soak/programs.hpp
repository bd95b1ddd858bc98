// The common parts of the programs of all kinds of work: gates between their steps, choices that a
// seed makes, and the bytes of messages.
#pragma once

#include "dice.hpp"
#include "story.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mesh::soak {

inline constexpr unsigned kPacketBytes = 24;
inline constexpr unsigned kNumberBytes = sizeof(std::uint32_t);

/// `co_await pass(node, process)`: until the schedule lets this process of the node go on.
inline auto pass(Kernel& node, unsigned process) {
    const Gate& gate = story->world().close_gate(node.id(), process);
    return node.wait_until([&gate] { return gate.open; });
}

/// The choices of a process at its step `step`: the same in every schedule of this seed.
Dice choices(const Kernel& node, unsigned process, unsigned step);

void compute_now_and_then(Kernel& node, Dice& dice);

constexpr std::byte byte_of(std::uint32_t number, std::uint32_t position) {
    return position < kNumberBytes ? static_cast<std::byte>(number >> 8 * position)
                                   : static_cast<std::byte>(number * 29 + position * 7 + 3);
}

/// Of a message: `context` is its Sent.
void fill(const void* context, std::uint32_t position, std::span<std::byte> out);

/// The packets of a message, as they come.
class MessageParts {
public:
    void add(std::span<const std::byte> payload);
    /// All have come.
    void end(NodeId by) const;
    /// Of the message; the first packet has it.
    std::uint32_t number() const { return number_; }

private:
    std::uint32_t number_ = 0, position_ = 0;
    bool right_ = true;
};

// The programs of a node, by the kind of work; each expects its processes of the story.
Process start_storm(Kernel& node);
Process start_ends(Kernel& node);
Process start_sequence(Kernel& node);
Process start_flaps(Kernel& node);
Process start_parts(Kernel& node);

/// The names of the parts of such work.
std::string parts_of(const Work& work);

} // namespace mesh::soak
