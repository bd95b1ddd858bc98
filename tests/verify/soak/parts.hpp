// The parts of the library that a schedule of the kind `parts` runs at a time under each node. What
// each of them does follows from the seed.
#pragma once

#include "programs.hpp"

#include <array>
#include <cstdint>

namespace mesh::soak {

enum class Part : std::uint8_t {
    flood,
    collectives,
    window,
    channels,
    multicasts,
    agreements,
    time_outs,
    kCount
};
/// The part of that number.
Part part_of(const Work& work, unsigned part);
/// All parts but the first begin with a broadcast of up to a window of packets.
bool floods_by_broadcasts(const Work& work);

/// A process of a part.
struct At {
    Kernel& node;
    unsigned part;
    std::uint64_t seed = story->work().seed;
    unsigned rounds = story->work().messages;
    bool may_miss = story->work().may_miss; // faults may cost something

    Part what() const { return part_of(story->work(), part); }
    /// Numbers that all nodes draw alike for step `step` of this part.
    Dice shared(unsigned step) const {
        return dice_of(seed, 0x7000'0000u + part * 0x1'0000u + step);
    }
    /// Numbers that node `of` draws there, which the others know.
    Dice drawn(unsigned step, unsigned of) const { return dice_of(shared(step).next(), of); }
    Dice drawn(unsigned step) const { return drawn(step, index(node.id())); }
    /// The first of its tags. Of parts that begin late, the lowest tags are for collectives.
    Tag tag() const {
        const unsigned base = story->work().choice == Work::Choice::late ? 100 : 0;
        return static_cast<Tag>(base + 20 * part + (part % 2 == 0 ? 0 : 1000));
    }
    /// The parts that have ended here before this one begins, a bit for each. They have lower
    /// numbers, so no two parts wait for each other.
    unsigned first() const;

    /// Nothing was hit at this node, and its program does all rounds.
    bool is_first_life() const { return story->world().life(index(node.id())) == 0; }
    bool ends_early() const { return story->ledger.ends_early(node.id()); }

    void expect(bool right, const char* what) const;
    /// What was told of a message to `other`, or an operation there. False: it was lost.
    bool told(Status status, NodeId other, const char* what) const;
    /// A collective has ended so. False: the part does no more.
    bool goes_on(Status status, const char* what) const;
};

// Processes of a node may take messages as long as others of it do something (`busy`), and as long
// as nobody who lives may send one.
Task<Status> floods(Kernel& node, At at);
Process takes_letters(Kernel& node, At at, const unsigned& busy);
Task<Status> communicates(Kernel& node, At at);
Process takes_values(Kernel& node, At at, const unsigned& busy);

Task<Status> collects(Kernel& node, At at);
Task<Status> accesses(Kernel& node, At at);
Task<Status> multicasts(Kernel& node, At at);
Task<Status> agrees(Kernel& node, At at);
Task<Status> times_out(Kernel& node, At at);

} // namespace mesh::soak
