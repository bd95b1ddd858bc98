// The program of `mesh run --op ...`: does what the host asks and tells what it got.
#include "hal/check.hpp"
#include "meshputer.hpp"
#include "ops/room.hpp"
#include "ops/traffic.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>

namespace mesh {
namespace {

// Fills `out` from the payload stream; `context` is the stream's first word.
void fill_traffic(const void* context, std::uint32_t position, std::span<std::byte> out) {
    const std::uint32_t stream = *static_cast<const std::uint32_t*>(context);
    for (; position % 4 == 0 && out.size() >= 4; position += 4, out = out.subspan(4))
        wire::store(out, 0, traffic_word(stream, position / 4));
    for (std::byte& byte : out)
        byte = static_cast<std::byte>(traffic_byte(stream, position++));
}

// Gives what this node got on to the host, if it is the one that should.
void put_out(Kernel& node, std::uint32_t position, std::span<const std::byte> data) {
    if (node.job().output_node == index(node.id()))
        write_output(node, position, data);
}

void count_packet(Kernel& node, std::span<const std::byte> payload) {
    ++node.result().received_packets;
    node.result().received_bytes += static_cast<std::uint32_t>(payload.size());
}

// The root's packet, for which it has no data if that cannot be read.
Task<Status> fill_packet(Kernel& node, std::uint32_t position, std::span<std::byte> out) {
    const wire::Job& job = node.job();
    if (job.has_input != 0)
        co_return co_await read_input(node, position, out);
    const std::uint32_t stream = traffic_stream(job.seed, node.id(), 0);
    fill_traffic(&stream, position, out);
    co_return Status::ok;
}

// Accounts for a packet of a broadcast.
void account_packet(Kernel& node, std::uint32_t position, std::span<const std::byte> payload) {
    node.result().crc = wire::crc32(payload, node.result().crc);
    count_packet(node, payload);
    put_out(node, position, payload);
}

Task<Status> stream_broadcast(Kernel& node) {
    const wire::Job& job = node.job();
    const BroadcastPlan plan{job.rule, node_at(job.root), job.message_bytes, job.packet_bytes, 1};
    Broadcast broadcast{node, plan};
    while (!broadcast.finished()) {
        const std::uint32_t position = broadcast.position();
        if (node.id() != plan.root) {
            const Awaited next = co_await packet_that_came(node, broadcast);
            if (next.status == Status::no_memory)
                co_return Status::no_memory;
            if (next.packet)
                account_packet(node, position, next.packet.payload());
            continue;
        }
        OutgoingPacket packet = co_await packet_to_fill(node, broadcast);
        if (!packet)
            co_return Status::no_memory;
        broadcast.fail(co_await fill_packet(node, position, packet.payload()));
        account_packet(node, position, packet.payload());
        node.inject(std::move(packet));
    }
    node.result().received_messages = broadcast.status() == Status::ok ? 1 : 0;
    co_return broadcast.status();
}

// What the copies say by now.
void account_copies(Kernel& node, const CopyReport& copies, std::span<const std::byte> message) {
    node.result().crc = wire::crc32(message);
    node.result().received_copies = copies.copies;
    node.result().disputed_packets = copies.disputed;
    node.result().copies_time = copies.last;
}

// Copies may go on coming, and a vote may turn.
Process watch_copies(Kernel& node, const CopyReport& copies, std::span<const std::byte> message) {
    for (;;) {
        account_copies(node, copies, message);
        const std::uint32_t seen = copies.copies;
        co_await node.wait_until([&copies, seen] { return copies.copies != seen; });
    }
}

Process run_broadcast(Kernel& node) {
    const Status status = co_await as_call(node, 1, stream_broadcast(node));
    co_return status;
}

Process run_copies(Kernel& node) {
    const wire::Job& job = node.job();
    const BroadcastPlan plan{job.rule, node_at(job.root), job.message_bytes, job.packet_bytes, 1};
    const auto message = node.workspace().first(plan.total_bytes);
    const auto votes = node.workspace().subspan(plan.total_bytes, vote_bytes(plan));
    const bool is_root = node.id() == plan.root;
    CopyReport* const copies = node.make<CopyReport>();
    if (copies == nullptr)
        co_return Status::no_memory;
    Status status = Status::ok;
    if (is_root && job.has_input != 0)
        status = co_await read_input(node, 0, message);
    else if (is_root) {
        const std::uint32_t stream = traffic_stream(job.seed, plan.root, 0);
        fill_traffic(&stream, 0, message);
    }
    if (status == Status::ok)
        status = co_await broadcast_copies(node, plan, job.copies, message, votes, *copies);
    if (status != Status::ok)
        co_return status;
    node.result().received_packets = plan.packets();
    node.result().received_bytes = plan.total_bytes;
    node.result().received_messages = 1;
    put_out(node, 0, message);
    account_copies(node, *copies, message);
    if (!is_root && !node.spawn(watch_copies(node, *copies, message)))
        co_return Status::no_memory;
    co_return Status::ok;
}

// Sends this node's messages, one after the other.
Process send_traffic(Kernel& node) {
    const wire::Job& job = node.job();
    const SendOptions options{.tag = 1,
                              .packet_bytes = static_cast<std::uint16_t>(job.packet_bytes),
                              .route = job.route,
                              .synchronous = false}; // the mesh is what is loaded
    Status worst = Status::ok;
    for (std::uint32_t k = 0; k < job.messages; ++k) {
        const NodeId to = job.target == wire::kRandomTarget
                              ? traffic_target(node.nodes(), job.seed, node.id(), k)
                              : node_at(job.target);
        Status status = Status::ok;
        if (job.has_input != 0) {
            const auto data = node.workspace().first(job.message_bytes);
            if (k == 0)
                status = co_await read_input(node, 0, data);
            if (status == Status::ok)
                status = co_await send(node, to, options, data);
        } else {
            const std::uint32_t stream = traffic_stream(job.seed, node.id(), k);
            status = co_await send(node, to, options, job.message_bytes, {fill_traffic, &stream});
        }
        if (status != Status::ok)
            worst = status;
    }
    co_return worst;
}

// Accounts for one message. unreachable: its sender is gone, or has given it up.
Process take_message(Kernel& node, Message& message) {
    std::uint32_t crc = 0;
    std::uint32_t position = 0;
    do {
        Packet packet = co_await next(node, message);
        if (!packet)
            co_return message.status();
        crc = wire::crc32(packet.payload(), crc);
        count_packet(node, packet.payload());
        put_out(node, position, packet.payload());
        position += static_cast<std::uint32_t>(packet.payload().size());
    } while (!message.finished());
    node.result().crc += crc;
    ++node.result().received_messages;
    co_return Status::ok;
}

// Also beside a sender that is gone: it takes what the others send.
Process run_send(Kernel& node) {
    const wire::Job& job = node.job();
    ProcessId sender;
    if (!node.spawn(send_traffic(node), sender))
        co_return Status::no_memory;
    Status status = Status::ok;
    for (std::uint32_t got = 0; got < job.expected; ++got) {
        Message message = co_await receive_message(node);
        status = worse(status, co_await take_message(node, message));
    }
    co_return worse(status, co_await node.join(sender));
}

// Personalised and all-to-all communication
// --------------------------------------------------------

// Puts the block that `from` has for `to` into `out`: from the host, where block `number` of the
// input begins at number * block size, or from the seed.
Task<Status> make_block(Kernel& node, NodeId from, NodeId to, std::uint32_t number,
                        std::span<std::byte> out) {
    const wire::Job& job = node.job();
    if (job.has_input != 0)
        co_return co_await read_input(node, number * job.message_bytes, out);
    const std::uint32_t stream = block_stream(job.seed, from, to);
    fill_traffic(&stream, 0, out);
    co_return Status::ok;
}

// The result: one block or all, in the order of the nodes; block c of `blocks` belongs to node
// c xor `mask`. They are whole, of job().message_bytes each (checked); none at all is fine.
void account(Kernel& node, std::span<const std::byte> blocks, std::uint32_t mask) {
    const std::size_t size = node.job().message_bytes;
    const auto count = static_cast<std::uint32_t>(size == 0 ? 0 : blocks.size() / size);
    MESH_CHECK(count * size == blocks.size(), blocks_cut_short);
    for (std::uint32_t number = 0; number < count; ++number) {
        const auto block = blocks.subspan((number ^ mask) * size, size);
        node.result().crc = wire::crc32(block, node.result().crc);
        count_packet(node, block);
        put_out(node, static_cast<std::uint32_t>(number * size), block);
    }
    node.result().received_messages = 1;
}

PersonalPlan personal_plan(const Kernel& node) {
    const wire::Job& job = node.job();
    return {job.rule,          job.schedule,     job.ports, node_at(job.root),
            job.message_bytes, job.packet_bytes, 1,         job.copies};
}

void copy_block(const void* blocks, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(blocks) + position, out.size(), out.begin());
}

// All blocks of a scatter, by node; block c at c * size, for node c xor `mask`.
Task<Status> make_all_blocks(Kernel& node, NodeId from, std::uint32_t mask, bool each_its_own) {
    const std::size_t size = node.job().message_bytes;
    for (std::uint32_t c = 0; c < node.nodes(); ++c) {
        const NodeId to = node_at(c ^ mask);
        const auto out = node.workspace().subspan(c * size, size);
        const std::uint32_t number =
            each_its_own ? index(from) * node.nodes() + index(to) : index(to);
        const NodeId stream_from = each_its_own ? from : to;
        const Status status =
            co_await make_block(node, stream_from, each_its_own ? to : NodeId{0}, number, out);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

Process run_scatter(Kernel& node) {
    const PersonalPlan plan = personal_plan(node);
    const bool is_root = node.id() == plan.root;
    const std::size_t size = plan.block_bytes;
    const bool cycles = in_cycles(plan.schedule);
    const std::uint32_t mask = cycles ? index(plan.root) : 0;
    Status status = Status::ok;
    if (is_root)
        status = co_await make_all_blocks(node, plan.root, mask, false);
    if (status == Status::ok && cycles)
        status = co_await exchange(node, plan, Exchange::scatter, node.workspace());
    else if (status == Status::ok && is_root)
        status = co_await scatter_packets(node, plan, {copy_block, node.workspace().data()});
    if (status != Status::ok)
        co_return status;
    const std::size_t own = (index(node.id()) ^ mask) * size;
    if (!cycles && !is_root)
        status = co_await take_scattered(node, plan, node.workspace().subspan(own, size));
    if (status != Status::ok)
        co_return status;
    account(node, node.workspace().subspan(own, size), 0);
    co_return Status::ok;
}

Process run_gather(Kernel& node) {
    const PersonalPlan plan = personal_plan(node);
    const bool is_root = node.id() == plan.root;
    const std::size_t size = plan.block_bytes;
    const bool cycles = in_cycles(plan.schedule);
    const std::uint32_t mask = cycles ? index(plan.root) : 0;
    const auto own = node.workspace().subspan((index(node.id()) ^ mask) * size, size);
    Status status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), own);
    if (status == Status::ok && cycles)
        status = co_await exchange(node, plan, Exchange::gather, node.workspace());
    else if (status == Status::ok && !is_root)
        status = co_await gather_packets(node, plan, {copy_block, node.workspace().data()});
    if (status != Status::ok)
        co_return status;
    if (!is_root) {
        node.result().received_messages = 1;
        co_return Status::ok;
    }
    const auto blocks = node.workspace().first(node.nodes() * size);
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    if (!cycles)
        status = co_await take_gathered(
            node, plan, blocks,
            node.workspace().subspan(blocks.size(), node.nodes() * segmentation.packets()));
    if (status != Status::ok)
        co_return status;
    account(node, blocks, mask);
    co_return Status::ok;
}

Process run_all_to_all(Kernel& node, Exchange what) {
    const PersonalPlan plan = personal_plan(node);
    const auto blocks = node.workspace().first(std::size_t{node.nodes()} * plan.block_bytes);
    Status status = Status::ok;
    if (what == Exchange::alltoall)
        status = co_await make_all_blocks(node, node.id(), index(node.id()), true);
    else
        status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()),
                                     blocks.first(plan.block_bytes));
    if (status == Status::ok)
        status = co_await exchange(node, plan, what, node.workspace());
    if (status == Status::ok)
        account(node, blocks, index(node.id()));
    co_return status;
}

// On the UHC and the star. While blocks are missing the result says which there are: how many, and
// the sum of their checksums, each with its node's number in front.
void account_block(void* context, NodeId from, std::span<const std::byte> block) {
    auto& result = *static_cast<wire::Result*>(context);
    const std::uint32_t number = index(from);
    const std::uint32_t head = wire::crc32(std::as_bytes(std::span{&number, 1}));
    result.crc += wire::crc32(block, head);
    result.received_bytes += static_cast<std::uint32_t>(block.size());
    ++result.received_messages;
}

Task<Status> make_blocks_for(Kernel& node, const PersonalPlan& plan, Exchange what) {
    const std::size_t own = std::size_t{index(node.id())} * plan.block_bytes;
    const auto block = node.workspace().subspan(own, plan.block_bytes);
    Status status = Status::ok;
    if (what == Exchange::alltoall)
        status = co_await make_all_blocks(node, node.id(), 0, true);
    else if (what != Exchange::scatter)
        status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), block);
    else if (node.id() == plan.root)
        status = co_await make_all_blocks(node, plan.root, 0, false);
    co_return status;
}

// Copies come while blocks are missing, and after.
Process watch_packets(Kernel& node, const Arrivals& arrivals) {
    wire::Result& result = node.result();
    for (;;) {
        result.received_copies = arrivals.copies;
        result.disputed_packets = arrivals.disputed;
        result.copies_time = arrivals.last_at;
        const std::uint32_t seen = arrivals.copies;
        co_await node.wait_until([&arrivals, seen] { return arrivals.copies != seen; });
    }
}

Process run_packets(Kernel& node, Exchange what) {
    const PersonalPlan plan = personal_plan(node);
    auto* const arrivals = node.make<Arrivals>();
    if (arrivals == nullptr)
        co_return Status::no_memory;
    arrivals->on_block = account_block;
    arrivals->context = &node.result();
    if (!node.spawn(watch_packets(node, *arrivals)))
        co_return Status::no_memory;
    Status status = co_await make_blocks_for(node, plan, what);
    if (status == Status::ok)
        status = co_await exchange(node, plan, what, node.workspace(), arrivals);
    if (status != Status::ok)
        co_return status;
    node.result().crc = 0;
    node.result().received_bytes = 0;
    const std::size_t own = std::size_t{index(node.id())} * plan.block_bytes;
    const std::size_t all = std::size_t{node.nodes()} * plan.block_bytes;
    if (what == Exchange::scatter)
        account(node, node.workspace().subspan(own, plan.block_bytes), 0);
    else
        account(node, node.workspace().first(arrivals->blocks_due == 0 ? 0 : all), 0);
    co_return Status::ok;
}

Process run_personal(Kernel& node, Exchange what) {
    if (node.network().topology != Topology::cube)
        return run_packets(node, what);
    switch (what) {
    case Exchange::scatter: return run_scatter(node);
    case Exchange::gather: return run_gather(node);
    case Exchange::allgather:
    case Exchange::alltoall: break;
    }
    return run_all_to_all(node, what);
}

// Reductions ------------------------------------------------------------------------------------

Task<Status> make_elements(Kernel& node, std::span<std::byte> out) {
    const Status status = co_await make_block(node, node.id(), NodeId{0}, index(node.id()), out);
    if (node.job().has_input == 0)
        for (std::size_t at = 0; at + 4 <= out.size(); at += 4)
            wire::store(out, at,
                        traffic_element(node.job().element, wire::load<std::uint32_t>(out, at)));
    co_return status;
}

Process run_reduction(Kernel& node) {
    const wire::Job& job = node.job();
    const auto buffer = node.workspace().first(job.message_bytes);
    const auto operation = combiner(job.reduction, job.element);
    if (!operation)
        co_return Status::bad_argument;
    Status status = co_await make_elements(node, buffer);
    const auto packet_bytes = static_cast<std::uint16_t>(job.packet_bytes);
    if (status == Status::ok && job.op == wire::Op::scan) {
        const ScanPlan plan{job.message_bytes, packet_bytes, 1, *operation, job.exclusive != 0};
        status = co_await scan(node, plan, buffer);
    } else if (status == Status::ok) {
        const ReducePlan plan{job.rule, node_at(job.root), job.message_bytes, packet_bytes,
                              1,        *operation};
        if (job.op == wire::Op::reduce)
            status = co_await reduce(node, plan, buffer);
        else
            status = co_await allreduce(node, plan, buffer);
    }
    if (status != Status::ok)
        co_return status;
    if (job.op != wire::Op::reduce || index(node.id()) == job.root)
        account(node, buffer, 0);
    node.result().received_messages = 1;
    co_return Status::ok;
}

Process end_with(Kernel&, Status status) { co_return status; }

} // namespace
} // namespace mesh

mesh::Process app_main(mesh::Kernel& node) {
    if (node.workspace().size() < mesh::workspace_needed(node.network(), node.job()))
        return mesh::end_with(node, mesh::Status::no_memory);
    switch (node.job().op) {
    case mesh::wire::Op::bcast:
        return node.job().copies > 1 ? mesh::run_copies(node) : mesh::run_broadcast(node);
    case mesh::wire::Op::send: return mesh::run_send(node);
    case mesh::wire::Op::barrier: return mesh::barrier(node);
    case mesh::wire::Op::scatter: return mesh::run_personal(node, mesh::Exchange::scatter);
    case mesh::wire::Op::gather: return mesh::run_personal(node, mesh::Exchange::gather);
    case mesh::wire::Op::allgather: return mesh::run_personal(node, mesh::Exchange::allgather);
    case mesh::wire::Op::alltoall: return mesh::run_personal(node, mesh::Exchange::alltoall);
    case mesh::wire::Op::reduce:
    case mesh::wire::Op::allreduce:
    case mesh::wire::Op::scan: return mesh::run_reduction(node);
    case mesh::wire::Op::ascend: // programs of their own
    case mesh::wire::Op::descend:
    case mesh::wire::Op::sort:
    case mesh::wire::Op::fft:
    case mesh::wire::Op::none:
    case mesh::wire::Op::app: break;
    }
    return mesh::end_with(node, mesh::Status::bad_argument);
}
