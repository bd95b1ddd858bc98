// Several processes at a time: occam's PAR and PRI PAR.
//
// It is made of spawn() and join(), so each of them is one of the node's processes
// (limits::kProcessesMax), and costs the arena its frame until it has ended.
#pragma once

#include "collectives/await.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

namespace mesh {

namespace detail {
template <class Range>
concept RangeOfProcesses =
    std::ranges::input_range<Range> && std::same_as<std::ranges::range_value_t<Range>, Process>;
} // namespace detail

/// `Status s = co_await par(node, one(node), two(node, x), ...)`: runs them beside each other and
/// continues when all have ended. ok, or the verdict of the first in this row that is not;
/// no_memory: there was no room for one of them, which has not run.
template <std::same_as<Process>... Processes>
Task<Status> par(Kernel& kernel, Processes... processes) {
    struct Branch {
        ProcessId id{};
        bool runs = false;
    };
    std::array<Branch, sizeof...(Processes)> branches{};
    std::size_t at = 0;
    ((branches[at].runs = kernel.spawn(std::move(processes), branches[at].id), ++at), ...);
    Status all = Status::ok;
    for (const Branch& branch : branches) {
        Status verdict = Status::no_memory;
        if (branch.runs)
            verdict = co_await kernel.join(branch.id);
        all = first_failure(all, verdict);
    }
    co_return all;
}

/// The same for a range of them, of any number: `par(node, std::views::iota(0u, count) |
/// std::views::transform([&](unsigned number) { return work(node, number); }))`. They begin in the
/// order of the range.
template <detail::RangeOfProcesses Range>
Task<Status> par(Kernel& kernel, Range processes) {
    std::array<ProcessId, limits::kProcessesMax> ids{};
    std::size_t count = 0;
    Status begun = Status::ok;
    for (auto&& process : processes)
        if (count < ids.size() && kernel.spawn(std::move(process), ids[count]))
            ++count;
        else
            begun = Status::no_memory;
    Status all = Status::ok;
    for (std::size_t number = 0; number < count; ++number) {
        const Status verdict = co_await kernel.join(ids[number]);
        all = first_failure(all, verdict);
    }
    co_return first_failure(all, begun);
}

/// par() of which the first process is high: occam's PRI PAR. Between any two waits of the others
/// it has its turn if it can run, and so have those that it spawns. `pri_par(node, par(node,
/// a(node), b(node)), c(node))` has two of them.
template <std::same_as<Process>... Processes>
Task<Status> pri_par(Kernel& kernel, Process high, Processes... others) {
    ProcessId id;
    const bool runs = kernel.spawn(std::move(high), id);
    kernel.set_priority(id, Priority::high);
    const Status rest = co_await par(kernel, std::move(others)...);
    Status first = Status::no_memory;
    if (runs)
        first = co_await kernel.join(id);
    co_return first_failure(first, rest);
}

} // namespace mesh
