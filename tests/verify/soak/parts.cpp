// Several parts of the library at a time under one node: floods of messages that are taken late,
// windows, channels, collectives under tags of their own, multicasts, agreements, time-outs. Which
// parts there are, and what each does, follows from the seed, and the parts of a schedule are told
// by their names. Of a node that may do something else, nothing is lost and nobody waits for ever.
//
// Where faults may cost something, each part knows what (ledger.hpp). A node that begins anew with
// its program takes part in messages and windows again, and does nothing where there are
// collectives; so does one whose program ends early, or it does fewer rounds than the others.
#include "parts.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>

namespace mesh::soak {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Part::kCount)> kNames{
    "flood", "collectives", "window", "channels", "multicasts", "agreements", "time-outs"};

bool takes(Part part) { return part == Part::flood || part == Part::channels; }
bool is_of_calls(Part part) {
    return part == Part::collectives || part == Part::multicasts || part == Part::agreements;
}

Task<Status> play(Kernel& node, At at) {
    switch (at.what()) {
    case Part::flood: return floods(node, at);
    case Part::collectives: return collects(node, at);
    case Part::window: return accesses(node, at);
    case Part::channels: return communicates(node, at);
    case Part::multicasts: return multicasts(node, at);
    case Part::agreements: return agrees(node, at);
    case Part::time_outs:
    case Part::kCount: break;
    }
    return times_out(node, at);
}

Process plays(Kernel& node, At at, unsigned& busy) {
    co_await node.wait_until([&] { return (busy & at.first()) == 0; });
    const Status status = co_await play(node, at);
    story->tell(fmt::format("node {}, part {} ({}), ends with status {}", index(node.id()), at.part,
                            kNames[unsigned(at.what())], static_cast<int>(status)));
    busy &= ~(1u << at.part);
    story->ledger.end_sending(at.part, at.node.id());
    if (at.may_miss)
        story->world().wake_all();
    story->note_end(at.node.id(), at.may_miss ? Status::ok : status);
    co_return status;
}

/// The rounds of a part at this node. A node that took part in some parts and not in the calls of
/// others would be sent packets that nobody takes, for as long as its program goes on.
unsigned rounds_of(const At& at) {
    bool calls = false;
    for (unsigned part = 0; part < story->work().senders; ++part)
        calls = calls || is_of_calls(part_of(story->work(), part));
    if (calls && (!at.is_first_life() || at.ends_early()))
        return 0;
    return at.ends_early() ? at.drawn(0xFFFE).below(at.rounds) : at.rounds;
}

} // namespace

void At::expect(bool right, const char* what) const {
    if (!right)
        story->note_wrong(fmt::format("node {}, part {} ({}): {}", index(node.id()), part,
                                      kNames[unsigned(this->what())], what));
}

bool At::told(Status status, NodeId other, const char* what) const {
    expect(status == Status::ok || (may_miss && status == Status::unreachable &&
                                    story->ledger.parted(node.id(), other)),
           what);
    return status == Status::ok;
}

bool At::goes_on(Status status, const char* what) const {
    if (status == Status::ok || !may_miss)
        return status == Status::ok;
    expect(status == Status::unreachable && story->ledger.disturbed(), what);
    return true;
}

unsigned At::first() const {
    enum How : unsigned { kAtOnce, kBehindFirst, kBehindAny, kHows };
    if (story->work().choice != Work::Choice::late || part == 0)
        return 0;
    switch (dice_of(dice_of(seed, 0x6FFF'0001u).next(), index(node.id())).below(kHows)) {
    case kAtOnce: return 0;
    case kBehindFirst: return 1;
    default: return 1u << drawn(0xFFFD).below(part);
    }
}

namespace {

Part drawn_part(const Work& work, unsigned part, Dice& dice) {
    constexpr std::array kLate{Part::collectives, Part::collectives, Part::collectives,
                               Part::flood,       Part::flood,       Part::multicasts,
                               Part::window,      Part::channels};
    constexpr std::array kAgain{Part::flood, Part::channels};
    switch (work.choice) {
    case Work::Choice::any: break;
    case Work::Choice::late:
        return part != 0 && floods_by_broadcasts(work) ? Part::collectives
                                                       : kLate[dice.below(kLate.size())];
    case Work::Choice::again: return part == 0 ? Part::window : kAgain[dice.below(kAgain.size())];
    }
    return static_cast<Part>(dice.below(unsigned(Part::kCount)));
}

} // namespace

// A window ends with a barrier of all nodes, so there is one at most.
Part part_of(const Work& work, unsigned part) {
    Dice dice = dice_of(work.seed, 0x7000'0000u + part * 0x1'0000u + 0xFFFF);
    const Part drawn = drawn_part(work, part, dice);
    bool again = false;
    for (unsigned before = 0; before < part && drawn == Part::window; ++before)
        again = again || part_of(work, before) == Part::window;
    return again ? Part::flood : drawn;
}

bool floods_by_broadcasts(const Work& work) {
    return work.choice == Work::Choice::late && dice_of(work.seed, 0x6FFF'0000u).one_in(2);
}

std::string parts_of(const Work& work) {
    std::string names;
    for (unsigned part = 0; part < work.senders; ++part)
        if ((work.left_out >> part & 1u) == 0)
            names += fmt::format("{}{}", names.empty() ? "" : ", ",
                                 kNames[unsigned(part_of(work, part))]);
    return names;
}

Process start_parts(Kernel& node) {
    const Work& work = story->work();
    const unsigned all = ((1u << work.senders) - 1) & ~work.left_out;
    unsigned takers = 0;
    for (unsigned part = 0; part < work.senders; ++part)
        takers += work.may_miss && (all >> part & 1u) != 0 && takes(part_of(work, part)) ? 1u : 0u;
    story->expect(node.id(), unsigned(std::popcount(all)) + takers);
    unsigned& busy = story->counter(all); // a bit for each part that has not ended
    bool room = true;
    for (unsigned part = 0; part < work.senders; ++part) {
        if ((all >> part & 1u) == 0)
            continue;
        At at{.node = node, .part = part};
        at.rounds = rounds_of(at);
        story->ledger.begin_sending(part, node.id());
        if (at.may_miss && takes(at.what()))
            room = node.spawn(at.what() == Part::flood ? takes_letters(node, at, busy)
                                                       : takes_values(node, at, busy)) &&
                   room;
        room = node.spawn(plays(node, at, busy)) && room;
    }
    co_return room ? Status::ok : Status::no_memory;
}

} // namespace mesh::soak
