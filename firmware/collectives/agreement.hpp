// What must be the same before a collective begins: at one node that nobody else uses its tag, and
// between neighbours that they have the same plan.
//
// Neighbours tell each other a word made of their plans. If all that are neighbours agree, so do
// all nodes, and then nobody waits for one that has other ideas of the tree. Cables keep the order,
// so each collective takes exactly the words that belong to it, and what came before a word was
// left behind by one that failed: it is dropped. Words take no model time.
#pragma once

#include "kernel/api/await.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace mesh {

/// Runs `collective` unless another one with its tag is under way on this node: tag_in_use then,
/// and nothing is done.
Task<Status> alone(Kernel& kernel, Tag tag, Task<Status> collective);

/// The word of a plan, made of all its numbers.
constexpr std::uint32_t plan_word(std::initializer_list<std::uint32_t> numbers) {
    std::uint32_t word = 2166136261u; // FNV-1a, by words
    for (const std::uint32_t number : numbers)
        word = (word ^ number) * 16777619u;
    return word;
}

/// `Status s = co_await agreement`: when all neighbours have said what they are about to do. ok;
/// bad_argument: another plan; unreachable: a neighbour cannot do its own. Neighbours that are dead
/// or gone say nothing, which is no failure yet.
class Agreement : public Waiting {
public:
    /// `so_far`: why this node cannot do what its plan says; then its word is void.
    Agreement(Kernel& kernel, Tag tag, std::uint32_t word, Status so_far = Status::ok);
    Status await_resume() const { return status_; }
    /// Ports of neighbours that are not there or do not agree.
    std::uint32_t absent() const { return absent_; }

private:
    bool go_on();
    bool tell();
    bool hear();
    bool judge(const Packet& word);

    Kernel& kernel_;
    wire::PacketHeader header_;
    Status status_;
    unsigned told_ = 0; // neighbours
    unsigned heard_ = 0;
    std::uint32_t absent_ = 0;
    std::optional<SourceWait> wait_;
};

} // namespace mesh
