#include "dry_run.hpp"
#include "host-tools/mesh/common/shell_words.hpp"

#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/engines/qemu_engine.hpp"
#include "host-tools/mesh/reports/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

namespace {

constexpr NodeId kShownNode{0};

/// The port whose frames arrive at this one. Looked for at all nodes: cables can be mis-plugged.
std::optional<Far> sender_to(const RunPlan& run, NodeId node, Port port) {
    for (std::uint32_t at = 0; at < run.nodes(); ++at)
        for (PortSequence ports = PortSequence::ascending(out_ports(run.network(), node_at(at)));
             !ports.empty();) {
            const Port out = ports.pop();
            const auto far = run.rig.wiring(node_at(at), out);
            if (far && far->node == node && far->port == port)
                return Far{node_at(at), out};
        }
    return std::nullopt;
}

/// Where each port of a node is plugged, as "port 1 to node 2 port 1"; data comes "from" it where
/// links carry data one way.
std::vector<std::string> cables_of(const RunPlan& run, NodeId node) {
    std::vector<std::string> cables;
    const std::uint32_t out = out_ports(run.network(), node);
    const std::uint32_t all = (1u << port_count(run.network())) - 1;
    for (PortSequence ports = PortSequence::ascending(all); !ports.empty();) {
        const Port port = ports.pop();
        const bool sends = ((out >> index(port)) & 1u) != 0;
        if (const auto far = sends ? run.rig.wiring(node, port) : sender_to(run, node, port))
            cables.push_back(fmt::format("port {} {} node {} port {}", index(port),
                                         sends ? "to" : "from", index(far->node),
                                         index(far->port)));
    }
    return cables;
}

/// Every cable joins two ports.
std::uint64_t count_cables(const RunPlan& run) {
    return std::uint64_t{run.nodes()} * port_count(run.network()) / 2;
}

std::string command_of(const RunPlan& run, NodeId node) {
    if (run.rig.simulated())
        return fmt::format("simulated by mesh itself, program {}", run.rig.program(node).name);
    return shell_line(qemu_words(run.rig, node));
}

std::string steps_of(const Operation& op) {
    const auto formula = op.formula();
    return formula ? fmt::format("formula {} = {}", formula->text, formula->steps)
                   : std::string("no formula");
}

std::string traffic_of(const Operation& op) {
    return op.knows_packets() ? counted(op.expected_packets(), "packet") + " over links"
                              : std::string("not known beforehand");
}

} // namespace

void dry_run(const Operation& op) {
    const RunPlan& run = op.run();
    fmt::print("{}", head_of_table(op));
    fmt::print("steps     {}\n", steps_of(op));
    fmt::print("traffic   {}\n", traffic_of(op));
    fmt::print("wiring    {} cables; node {}: {}\n", count_cables(run), index(kShownNode),
               fmt::join(cables_of(run, kShownNode), ", "));
    fmt::print("memory    {} MB needed, {} MB available\n", (run.rig.memory_kbyte + 1023) / 1024,
               run.rig.memory_available_kbyte / 1024);
    fmt::print("node {}    {}\n", index(kShownNode), command_of(run, kShownNode));
}

} // namespace mesh::host
