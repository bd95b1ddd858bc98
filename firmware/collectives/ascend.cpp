#include "collectives/ascend.hpp"

#include "kernel/message.hpp"

#include <algorithm>

namespace mesh {

namespace {

/// The ends of a node's messages in a round.
struct Peers {
    NodeId to, from;
};

Peers peers_of(const Kernel& kernel, AscendPorts ports) {
    return {kernel.neighbor(ports.out), kernel.neighbor(ports.in)};
}

Process send_value(Kernel& kernel, const AscendPlan& plan, NodeId to,
                   std::span<const std::byte> value) {
    const auto whole = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(value.size()));
    const SendOptions options{.tag = plan.tag,
                              .unit_bytes = plan.packet_bytes == 0 ? whole : plan.packet_bytes,
                              .synchronous = false}; // the steps count what moves
    return send(kernel, to, options, value);
}

Task<Status> receive_value(Kernel& kernel, const AscendPlan& plan, AscendBlock& block, Place place,
                           NodeId from) {
    const Received received = co_await receive(kernel, block.whole(place), plan.tag, from);
    block.set_bytes(place, received.bytes);
    co_return received.status;
}

/// The messages of one step: two processes where there are two at once.
Task<Status> move_values(Kernel& kernel, const AscendPlan& plan, AscendBlock& block,
                         const AscendStep& step, const Peers& peers) {
    if (step.send == Place::none)
        co_return co_await receive_value(kernel, plan, block, step.receive, peers.from);
    if (step.receive == Place::none)
        co_return co_await send_value(kernel, plan, peers.to, block.at(step.send));
    ProcessId sender;
    if (!kernel.spawn(send_value(kernel, plan, peers.to, block.at(step.send)), sender))
        co_return Status::no_memory;
    const Status received = co_await receive_value(kernel, plan, block, step.receive, peers.from);
    const Status sent = co_await kernel.join(sender);
    co_return std::max(received, sent);
}

void operate(const Kernel& kernel, const AscendPlan& plan, AscendBlock& block, AscendRound round,
             const AscendOperation& operation) {
    if (operation.result == Place::none)
        return;
    AscendOperands operands{ascend_pair(round, operation, kernel.id()), block.at(operation.mine),
                            block.at(operation.partners)};
    if (operands.is_upper())
        std::swap(operands.lower, operands.upper);
    const std::size_t bytes =
        plan.oper.operate(plan.oper.context, operands, block.whole(operation.result));
    block.set_bytes(operation.result, bytes);
}

Task<Status> do_round(Kernel& kernel, const AscendPlan& plan, AscendBlock& block,
                      AscendRound round) {
    const AscendProgram& program =
        ascend_program(kernel.network(), kernel.job().ports, round, kernel.id());
    const Peers peers = peers_of(kernel, ascend_ports(kernel.network(), round, program));
    for (unsigned number = 0; number < program.steps; ++number) {
        const AscendStep& step = program.step[number];
        const Status status = co_await move_values(kernel, plan, block, step, peers);
        if (status != Status::ok)
            co_return status;
        for (const AscendOperation& operation : step.then)
            operate(kernel, plan, block, round, operation);
    }
    block.take(program.result);
    co_return Status::ok;
}

Task<Status> do_pass(Kernel& kernel, const AscendPlan& plan, AscendBlock& block, bool down) {
    const Network network = kernel.network();
    if (!can_ascend(network) || plan.oper.operate == nullptr)
        co_return Status::bad_argument;
    const AscendPass pass{std::min<unsigned>(plan.dims, network.dim), down};
    for (unsigned number = 0; number < ascend_rounds(network, pass); ++number) {
        const AscendRound round = ascend_round(network, pass, number);
        const Status status = co_await do_round(kernel, plan, block, round);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

} // namespace

Task<Status> ascend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block) {
    return do_pass(kernel, plan, block, false);
}

Task<Status> descend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block) {
    return do_pass(kernel, plan, block, true);
}

} // namespace mesh
