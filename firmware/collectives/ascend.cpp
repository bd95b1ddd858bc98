#include "collectives/ascend.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "kernel/api/message.hpp"

#include <algorithm>

namespace mesh {

namespace {

Process send_value(Kernel& kernel, AscendPlan plan, NodeId to, std::span<const std::byte> value,
                   bool nothing) {
    const auto whole = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(value.size()));
    const SendOptions options{.tag = plan.tag,
                              .unit_bytes = plan.packet_bytes == 0 ? whole : plan.packet_bytes,
                              .synchronous = false, // the steps count what moves
                              .is_poisoned = nothing,
                              .call = kernel.calls().label(plan.tag).call};
    return send(kernel, to, options, value.first(nothing ? 0 : value.size()));
}

Task<Status> receive_value(Kernel& kernel, const AscendPlan& plan, AscendBlock& block, Place place,
                           Port port) {
    const std::uint32_t bit = 1u << index(port);
    if ((block.absent() & bit) != 0)
        co_return Status::unreachable;
    const NodeId from = kernel.neighbor(port);
    const Received received =
        co_await receive(kernel, block.whole(place), from, kernel.calls().label(plan.tag));
    block.set_bytes(place, received.bytes);
    if (received.source == kNoNode)
        block.absent() |= bit; // not even a poisoned value came
    co_return received.status;
}

/// The messages of one step: two processes where there are two at once. A value that this node
/// could not make is poisoned.
Task<Status> move_values(Kernel& kernel, const AscendPlan& plan, AscendBlock& block,
                         const AscendStep& step, const AscendPorts& ports) {
    const bool nothing = block.status() != Status::ok;
    if (step.send == Place::none)
        co_return co_await receive_value(kernel, plan, block, step.receive, ports.in);
    const NodeId to = kernel.neighbor(ports.out);
    if (step.receive == Place::none)
        co_return co_await send_value(kernel, plan, to, block.at(step.send), nothing);
    ProcessId sender;
    if (!kernel.spawn(send_value(kernel, plan, to, block.at(step.send), nothing), sender))
        co_return Status::no_memory;
    const Status received = co_await receive_value(kernel, plan, block, step.receive, ports.in);
    const Status sent = co_await end_of(kernel, sender);
    co_return received != Status::ok ? received : sent;
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
    const AscendPorts ports = ascend_ports(kernel.network(), round, program);
    for (unsigned number = 0; number < program.steps; ++number) {
        const AscendStep& step = program.step[number];
        block.fail(co_await move_values(kernel, plan, block, step, ports));
        for (const AscendOperation& operation : step.then)
            if (block.status() == Status::ok)
                operate(kernel, plan, block, round, operation);
    }
    if (block.status() == Status::ok)
        block.take(program.result);
    co_return block.status();
}

Task<Status> do_pass(Kernel& kernel, AscendPlan plan, AscendBlock& block, bool down) {
    const Network network = kernel.network();
    if (!can_ascend(network) || plan.oper.operate == nullptr)
        co_return Status::bad_argument;
    const AscendPass pass{std::min<unsigned>(plan.dims, network.dim), down};
    for (unsigned number = 0; number < ascend_rounds(network, pass); ++number)
        block.fail(co_await do_round(kernel, plan, block, ascend_round(network, pass, number)));
    co_return block.status();
}

} // namespace

Task<Status> ascend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block) {
    return as_call(detail::noted(kernel, {"ascend"}), plan.tag,
                   do_pass(kernel, plan, block, false));
}

Task<Status> descend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block) {
    return as_call(detail::noted(kernel, {"descend"}), plan.tag,
                   do_pass(kernel, plan, block, true));
}

} // namespace mesh
