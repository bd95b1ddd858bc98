// Several things at a time: occam's PAR, MPI's exchanges, its probe, and receives for a time.
//
// What runs beside its caller is made of spawn() and join(), so it is one of the node's processes
// (limits::kProcessesMax), and costs the arena its frame until it has been waited for.
#pragma once

#include "collectives/await.hpp"
#include "kernel/api/alt.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

namespace mesh {

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

/// Sends `data` to `to` and receives from `from` at the same time, so that a ring of such calls
/// ends. Gives the result of receive(); if that is ok, with the status of the send. `label`: of a
/// call of a collective, of which it is a part.
inline Task<Received> sendrecv(Kernel& kernel, NodeId to, std::span<const std::byte> data,
                               NodeId from, std::span<std::byte> buffer, CallLabel label) {
    ProcessId sending{};
    const SendOptions options{.tag = label.tag, .call = label.call};
    if (!kernel.spawn(send(kernel, to, options, data), sending))
        co_return Received{.status = Status::no_memory};
    Received received = co_await receive(kernel, buffer, label, from);
    const Status sent = co_await kernel.join(sending);
    received.status = first_failure(received.status, sent);
    co_return received;
}

/// The same under a tag of the program's own, 0 to 0xFFFE.
inline Task<Received> sendrecv(Kernel& kernel, NodeId to, std::span<const std::byte> data,
                               NodeId from, std::span<std::byte> buffer, Tag tag = 0) {
    return sendrecv(kernel, to, data, from, buffer, CallLabel{tag});
}

/// Matches the messages that a receive() with these would take.
inline Match message_match(Tag tag = kAnyTag, NodeId source = kAnySource) {
    return {.service = Service::message, .tag = tag, .source = source};
}

/// For alt(): ready when such a message has come.
inline MailGuard on_message(Tag tag = kAnyTag, NodeId source = kAnySource) {
    return on(message_match(tag, source));
}

/// True if a message that receive() would take has come: MPI's probe.
inline bool probe(const Kernel& kernel, Tag tag = kAnyTag, NodeId source = kAnySource) {
    return kernel.has(message_match(tag, source));
}

/// receive() for `ticks` of model time: timed_out if no message has begun to come by then; one that
/// has begun is received, however long that takes. Else the statuses of receive().
inline Task<Received> receive_within(Kernel& kernel, wire::ModelTime ticks,
                                     std::span<std::byte> buffer, Tag tag = kAnyTag,
                                     NodeId source = kAnySource) {
    const std::uint32_t which = co_await alt(kernel, on_message(tag, source), after(kernel, ticks));
    if (which != 0)
        co_return Received{.status = Status::timed_out};
    const Received received = co_await receive(kernel, buffer, tag, source);
    co_return received;
}

} // namespace mesh
