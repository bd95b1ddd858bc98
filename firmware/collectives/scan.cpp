// Running totals by the numbers of the nodes, on networks without dimensions to double over.
#include "collectives/await.hpp"
#include "collectives/reduction.hpp"
#include "kernel/api/message.hpp"

#include <algorithm>
#include <bit>

namespace mesh {

namespace {

/// Sends `piece` to the node whose number is greater by `distance`, takes that of the node whose
/// number is less by as much into `theirs`; where these nodes are. Of each pair one sends first.
Task<Status> pass_up(Kernel& kernel, CallLabel label, std::uint32_t distance, Status so_far,
                     std::span<const std::byte> piece, std::span<std::byte> theirs) {
    const std::uint32_t self = index(kernel.id());
    const bool sends_first = (self & distance) == 0;
    for (const bool sends : {sends_first, !sends_first}) {
        Status status = Status::ok;
        if (sends && self + distance < kernel.nodes()) {
            const SendOptions options{
                .tag = label.tag, .is_void = so_far != Status::ok, .call = label.call};
            status = co_await send(kernel, node_at(self + distance), options, piece);
        } else if (!sends && self >= distance) {
            const Received got = co_await receive(kernel, theirs, label, node_at(self - distance));
            const bool whole = got.bytes == theirs.size();
            status = got.status == Status::ok && !whole ? Status::bad_argument : got.status;
        }
        so_far = worse(so_far, status);
    }
    co_return so_far;
}

} // namespace

// After the round of distance d a node has what those of the 2d numbers up to its own make.
Task<Status> scan_numbers(Kernel& kernel, ScanPlan plan, Cutting pieces,
                          std::span<std::byte> buffer, Status status) {
    const CallLabel label = kernel.calls().label(plan.tag);
    const std::uint32_t self = index(kernel.id());
    OutgoingPacket room = co_await kernel.allocate(Rule::unicast);
    for (std::uint32_t number = 0; number < pieces.packets(); ++number) {
        const auto piece = buffer.subspan(number * pieces.packet_bytes, pieces.bytes_of(number));
        const auto theirs = room.resize(piece.size());
        const unsigned rounds = static_cast<unsigned>(std::bit_width(kernel.nodes() - 1));
        for (unsigned round = 0; round < rounds + (plan.exclusive ? 1 : 0); ++round) {
            const bool shifts = round == rounds; // what each node has, to the next one
            const std::uint32_t distance = shifts ? 1 : 1u << round;
            status = co_await pass_up(kernel, label, distance, status, piece, theirs);
            if (status != Status::ok || self < distance)
                continue;
            if (shifts)
                std::copy(theirs.begin(), theirs.end(), piece.begin());
            else
                plan.combiner(theirs, piece, piece);
        }
    }
    co_return status;
}

} // namespace mesh
