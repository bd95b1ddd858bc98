// Agreement after failures: the members of a group that are left learn the same answer about who
// is left, as ULFM's MPIX_Comm_agree and MPIX_Comm_shrink do.
//
// agree() floods, in rounds. In each round every member sends all that it knows to every member
// that it takes for living, and hears from each of them: which members are left, and the and of the
// flags. A member from which nothing can come is left out, and so is one that another member has
// left out. A member that learns in some round of no other failure has the answer: all that it
// heard from had heard the same. It says so in one round more, and who hears that takes over its
// answer. So all have it after as many rounds as members fail meanwhile, and two.
//
// Example: members 0 to 3, and 2 dies when it has sent the first round to 0 only. Round 1: 0 hears
// from all; 1 and 3 miss 2, so they leave it out and do not have the answer. 0 knows of no failure:
// its answer is that 2 is left, with the flags of 2. Round 2: 0 says that this is the answer; 1 and
// 3 take it over. The next agree() finds 2 missing at all three. (Source: early stopping of the
// FloodSet algorithm: Lynch, Distributed Algorithms, 6.2; Dolev, Reischuk and Strong, 1990.)
#pragma once

#include "collectives/call.hpp"
#include "library/group.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// The nodes of the largest mesh in which groups can agree.
inline constexpr std::uint32_t kAgreeNodesMax = 512;

/// The agreement of the members of a group that are left.
struct [[nodiscard]] Agreed {
    /// ok; unreachable: the others have left this node out; bad_argument: this node is no member,
    /// the mesh has more than kAgreeNodesMax nodes, or `room` is too short; tag_in_use: another
    /// collective of a group has its tag at this node; no_memory.
    Status status = Status::ok;
    std::uint32_t flags = ~std::uint32_t{0}; // the and of those of all members that took part
    std::uint32_t greatest = 0;              // of their numbers
    std::span<const NodeId> left{};          // the members that are left, in order of rank
};

namespace detail {

/// The knowledge of a member.
struct Known {
    std::array<std::uint32_t, kAgreeNodesMax / 32> living{}; // a bit for each rank
    std::uint32_t flags = 0;
    std::uint32_t greatest = 0;
    std::uint32_t is_answer = 0;

    bool lives(std::uint32_t rank) const { return (living[rank / 32] >> rank % 32 & 1u) != 0; }
    // An answer does not change any more.
    void leave_out(std::uint32_t rank) {
        if (is_answer == 0)
            living[rank / 32] &= ~(1u << rank % 32);
    }
    void hear(const Known& other) {
        if (is_answer != 0)
            return;
        if (other.is_answer != 0) {
            *this = other;
            return;
        }
        for (std::size_t word = 0; word < living.size(); ++word)
            living[word] &= other.living[word];
        flags &= other.flags;
        greatest = other.greatest > greatest ? other.greatest : greatest;
    }
};

/// One round: tells `said` to all members that live, and hears what they say.
inline Task<Status> agree_round(Kernel& kernel, Group group, CallLabel label, const Known& said,
                                Known& known) {
    const SendOptions options{.tag = label.tag, .call = label.call};
    for (std::uint32_t step = 1; step < group.size(); ++step) {
        const std::uint32_t to = (group.rank() + step) % group.size();
        const std::uint32_t from = (group.rank() + group.size() - step) % group.size();
        const bool sends = said.lives(to), hears = said.lives(from);
        ProcessId sending{};
        if (sends && !kernel.spawn(send(kernel, group[to], options, bytes_from(said)), sending))
            co_return Status::no_memory;
        Known heard;
        Status status = Status::ok;
        if (hears)
            status = whole(co_await receive(kernel, bytes_into(heard), group[from], label),
                           bytes_from(heard));
        if (hears && status == Status::ok)
            known.hear(heard);
        else if (hears)
            known.leave_out(from);
        Status sent = Status::ok;
        if (sends)
            sent = co_await kernel.join(sending);
        if (sent != Status::ok)
            known.leave_out(to);
    }
    co_return Status::ok;
}

inline Task<Agreed> agree_in_call(Kernel& kernel, Group group, CallLabel label, std::uint32_t flags,
                                  std::span<NodeId> room, std::uint32_t number) {
    Known known{.flags = flags, .greatest = number};
    for (std::uint32_t rank = 0; rank < group.size(); ++rank)
        known.living[rank / 32] |= 1u << rank % 32;
    Known said;
    while (said.is_answer == 0 && known.lives(group.rank())) {
        said = known;
        const Status status = co_await agree_round(kernel, group, label, said, known);
        if (status != Status::ok)
            co_return Agreed{.status = status};
        if (known.living == said.living)
            known.is_answer = 1;
    }
    Agreed agreed{.flags = known.flags, .greatest = known.greatest};
    std::size_t left = 0;
    for (std::uint32_t rank = 0; rank < group.size(); ++rank)
        if (known.lives(rank))
            room[left++] = group[rank];
    agreed.left = room.first(left);
    if (!known.lives(group.rank()))
        agreed.status = Status::unreachable;
    co_return agreed;
}

} // namespace detail

/// `Agreed a = co_await agree(node, group, flags, room)`: all members call it, dead ones left out;
/// all that are left get the same `flags`, the same `greatest` of the numbers that they give, and
/// the same members in `room` (group.size() or more), which make the next group:
/// `Group{node, a.left, tag}`. Members may come from a collective that
/// has failed at some of them and not at others.
///
/// A member that gives it up (kernel/api/within.hpp) is left out by the others, or has taken part.
///
/// Where links are dead so that two parts of a group do not reach each other, each part agrees on
/// itself. Costs two rounds of size * (size - 1) messages if nobody fails meanwhile; the first to
/// miss a member waits as long as await_packet() says.
inline Task<Agreed> agree(Kernel& kernel, Group group, std::uint32_t flags, std::span<NodeId> room,
                          std::uint32_t number = 0) {
    if (!group.member() || kernel.nodes() > kAgreeNodesMax || room.size() < group.size() ||
        group.tag() > kProgramTagMax)
        co_return Agreed{.status = Status::bad_argument};
    std::array<std::uint32_t, kAgreeNodesMax / 32> parted{};
    const Call call{kernel, group.tag(), true, parted.data()};
    if (call.status() != Status::ok)
        co_return Agreed{.status = call.status()};
    const Agreed agreed =
        co_await detail::agree_in_call(kernel, group, call.label(), flags, room, number);
    co_return agreed;
}

} // namespace mesh
