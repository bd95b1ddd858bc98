// The arithmetic of ASCEND, DESCEND and a scan: for each step the partner, and what the node makes
// of the two values. Steps, ports and pairs are those of core/schedules/ascend_steps.hpp.
#include "core/schedules/ascend_steps.hpp"
#include "core/schedules/cycles.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "why.hpp"

namespace mesh::host {

namespace {

struct Telling {
    Network network;
    PortModel ports;
    std::string_view op;
    NodeId node;

    std::string across(Port port) const {
        return fmt::format("{} across {}", label_of(network, neighbor(network, node, port)),
                           index(port));
    }

    /// The text about the new sums up to a node, and the new total of its subcube.
    std::string scan_text(const AscendPair& pair) const {
        const unsigned dim = index(pair.dim);
        const NodeId other = neighbor(network, pair.node, pair.dim);
        const std::string theirs = subcube_text(network, other, dim);
        const std::string both = subcube_text(network, pair.node, dim + 1);
        return pair.is_upper()
                   ? fmt::format("the total of {} goes before its sums and before its total, "
                                 "which is that of {} then",
                                 theirs, both)
                   : fmt::format("its sums stay, the total of {} goes behind its total, which is "
                                 "that of {} then",
                                 theirs, both);
    }

    /// The text about the new value of `pair.node`, computed from the two values of the pair.
    std::string rule_text(const AscendPair& pair, unsigned stage) const {
        const std::string label = label_of(network, pair.node);
        const unsigned dim = index(pair.dim);
        const auto bit = [&](unsigned at) { return index(pair.node) >> at & 1u; };
        if (op == "sort")
            return fmt::format(
                "bits {} and {} of {} are {} and {}, {}: it keeps the {} values", dim, stage + 1,
                label, bit(dim), bit(stage + 1), bit(dim) == bit(stage + 1) ? "alike" : "not alike",
                bitonic_keeps_smaller(pair.node, stage, pair.dim) ? "smaller" : "larger");
        if (op == "fft")
            return fmt::format("bit {} of {} is {}: it keeps {}", dim, label, bit(dim),
                               pair.is_upper()
                                   ? "the lower value less the upper one, times a root of unity"
                                   : "the sum of both");
        if (op == "scan")
            return fmt::format("bit {} of {} is {}: {}", dim, label, bit(dim), scan_text(pair));
        return fmt::format("bit {} of {} is {}: {}", dim, label, bit(dim),
                           pair.is_upper()
                               ? "the lower node's total is added to its sums, and to its total"
                               : "its sums stay, the upper node's total is added to its total");
    }

    std::string step_text(const AscendRound& round, const AscendProgram& program,
                          const AscendStep& step, unsigned stage) const {
        const AscendPorts ends = ascend_ports(network, round, program);
        const bool sends = step.send != Place::none;
        const bool hears = step.receive != Place::none;
        std::string text = sends && hears && ends.out == ends.in
                               ? fmt::format("exchange with {}", across(ends.out))
                           : sends && hears ? fmt::format("send to {}, receive from {}",
                                                          across(ends.out), across(ends.in))
                           : sends          ? fmt::format("send to {}", across(ends.out))
                                            : fmt::format("receive from {}", across(ends.in));
        for (const AscendOperation& operation : step.then)
            if (operation.result != Place::none) {
                const AscendPair pair = ascend_pair(round, operation, node);
                text += "; " + rule_text(pair, stage);
            }
        return text;
    }

    void add_pass(Reason& reason, AscendPass pass, unsigned stage) const {
        for (unsigned number = 0; number < ascend_rounds(network, pass); ++number) {
            const AscendRound round = ascend_round(network, pass, number);
            const AscendProgram& program = ascend_program(network, ports, round, node);
            const std::string head = fmt::format(
                "{}{}", op == "sort" ? fmt::format("Stage {}, ", stage) : "",
                round.second == kNoPort || !round.operates_second
                    ? fmt::format("dimension {}", index(round.first))
                    : fmt::format("dimensions {} and {}", index(round.first), index(round.second)));
            for (unsigned at = 0; at < program.steps; ++at)
                reason.add("{}{}: {}.", head,
                           program.steps == 1 ? "" : fmt::format(", step {}", at + 1),
                           step_text(round, program, program.step[at], stage));
        }
    }
};

} // namespace

bool has_exchange_words(const ExchangePlan& plan) {
    const std::string_view op = plan.op;
    const bool one_port = plan.ports != PortModel::all;
    if (plan.moves_blocks() && plan.network.topology == Topology::cube)
        return in_cycles(plan.schedule) && has_schedule(plan.tree, plan.schedule, one_port) &&
               !(one_port && plan.tree == Rule::tcbt); // whose nodes serve their children in turn
    if (plan.moves_blocks())
        return has_path_words(plan);
    if (op == "send")
        return has_send_words(plan);
    if (op == "ascend" || op == "descend" || op == "sort" || op == "fft")
        return can_ascend(plan.network);
    return op == "barrier" || op == "scan";
}

std::vector<std::string> why_exchange(const ExchangePlan& plan, NodeId node) {
    if (plan.op == "barrier")
        return why_barrier(plan.network, node).steps;
    if (plan.op == "send")
        return why_send(plan, node).steps;
    if (plan.op == "scan" && plan.network.topology != Topology::cube)
        return why_scan_by_messages(plan.network, node).steps;
    if (plan.moves_blocks() && plan.network.topology != Topology::cube)
        return why_paths(plan, node).steps;
    if (plan.moves_blocks())
        return why_blocks(plan, node).steps;
    Reason reason;
    const PortModel ports = plan.ports == PortModel::half ? PortModel::half : PortModel::all;
    // The two nodes of a pair of a scan give their totals at once, whatever the ports.
    const Telling telling{plan.network, plan.op == "scan" ? PortModel::all : ports, plan.op, node};
    const unsigned dims = plan.network.dim;
    if (plan.op == "sort")
        for (unsigned stage = 0; stage < dims; ++stage)
            telling.add_pass(reason, {stage + 1, true}, stage);
    else
        telling.add_pass(reason, {dims, plan.op == "descend" || plan.op == "fft"}, 0);
    for (std::string& step : reason.steps)
        step[0] = static_cast<char>(step[0] == 'd' ? 'D' : step[0]);
    return reason.steps;
}

} // namespace mesh::host
