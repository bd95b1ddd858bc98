// Agreement on the plan, which must be the same at all nodes before a collective begins.
//
// Neighbours tell each other a word made of their plans. If all that are neighbours agree, so do
// all nodes, and no node waits for one that has another idea of the tree. Words take no model time.
#pragma once

#include "kernel/api/await.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace mesh {

/// The word of a plan, made of all its numbers.
constexpr std::uint32_t plan_word(std::initializer_list<std::uint32_t> numbers) {
    std::uint32_t word = 2166136261u; // FNV-1a, by words
    for (const std::uint32_t number : numbers)
        word = (word ^ number) * 16777619u;
    return word;
}

/// `Status s = co_await agreement`: waits until all neighbours have said their plans. ok;
/// bad_argument: another plan; unreachable: a neighbour cannot do its own plan. Neighbours that are
/// dead or gone say nothing, which is no failure yet.
class Agreement : public Waiting {
public:
    /// `so_far`: why this node cannot do what its plan says; then its word is poisoned.
    [[gnu::noinline]] Agreement(Kernel& kernel, CallLabel label, std::uint32_t word,
                                Status so_far = Status::ok);
    Status await_resume() const { return status_; }
    /// Ports of neighbours that are not there or do not agree.
    std::uint32_t absent() const { return absent_; }

private:
    friend struct AgreementPlaces;
    static bool ask(Waiting& self) { return static_cast<Agreement&>(self).go_on(); }

    bool go_on();
    bool tell();
    bool hear();
    void judge(const Packet& word);

    Kernel& kernel_;
    wire::PacketHeader header_;
    Status status_;
    unsigned told_ = 0; // neighbours
    unsigned heard_ = 0;
    std::uint32_t absent_ = 0;
    std::optional<SourceWait> wait_;
};

} // namespace mesh
