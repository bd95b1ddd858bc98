// Resets of a processor that keeps its power, counted in RAM.
#pragma once

#include "wire/identity.hpp"

#include <cstdint>

namespace mesh::board {

/// How often the processor was reset since it has power, or since forget_resets(), modulo 2^32.
std::uint32_t resets();
/// 1 if a program called keep_may_begin_again() in a life that resets() counts; else 0. After
/// resets().
std::uint32_t kept_may_begin_again();
/// The next life counts from 0 again. For resets of a whole mesh: nobody remembers any node.
void forget_resets();
/// This processor has just got power, and the host has counted its resets before: the count goes on
/// from `resets`, and the processor is reset. So its next life has a number that none before had.
/// Nothing if it has counted a reset: then the host says it twice.
void count_on_from(std::uint32_t resets);
/// Resets the processor.
[[noreturn]] void reset_processor();

/// A board whose node counts its resets as starts. Whoever starts a node says its number of starts;
/// nobody does for a reset, and neighbours would take its frames for those of its life before.
template <class B>
class CountedBoard : public B {
public:
    using B::B;

    wire::Identity identity() const {
        const wire::Identity given = B::identity();
        wire::Identity counted{given.network, given.node, given.start + resets()};
        counted.birth = given.birth;
        return counted;
    }
    /// For Node, when the host says so.
    static void count_on_from(std::uint32_t resets) { board::count_on_from(resets); }
};

} // namespace mesh::board
