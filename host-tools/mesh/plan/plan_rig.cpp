#include "plan_rig.hpp"

#include "boards/host/board.hpp"
#include "fault_plan.hpp"
#include "find_qemu.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/memory.hpp"
#include "host-tools/mesh/engines/simulation.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/ranks/uplink.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "kernel/base/admission.hpp"
#include "plan_programs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

namespace mesh::host {

namespace {

constexpr unsigned kSimulatedPortsMax = kPortsMax;
/// The memory that one simulated node touches in a common run, rounded up.
constexpr unsigned kSimulatedKbyte = 128;
/// Threads of an emulator, and the memory of a template with what only it has.
constexpr unsigned kEmulatorThreads = 3;
constexpr std::uint64_t kTemplateKbyte = 40 * 1024;

/// Largest dimension of this topology whose network fits; 0 if none does.
template <class Fits>
unsigned largest_dim(Topology topology, Fits fits) {
    unsigned best = 0;
    for (unsigned dim = 1; dim <= kDimMax; ++dim) {
        const Network network{topology, static_cast<std::uint8_t>(dim)};
        if (valid(network) && fits(network))
            best = dim;
    }
    return best;
}

unsigned largest_dim(Topology topology, std::uint64_t nodes_max, unsigned ports_max) {
    return largest_dim(topology, [=](Network network) {
        return node_count(network) <= nodes_max && port_count(network) <= ports_max;
    });
}

/// Nodes of such a network that one process has, or one machine, where ranks share them.
std::uint64_t nodes_of_process(const RigPlan& rig, Network network) {
    const unsigned ranks = rig.uplink != nullptr ? rig.uplink->ranks() : 1;
    return (std::uint64_t{node_count(network)} + ranks - 1) / ranks;
}
std::uint64_t nodes_of_machine(const RigPlan& rig, Network network) {
    const unsigned here = rig.uplink != nullptr ? rig.uplink->ranks_here() : 1;
    return std::min<std::uint64_t>(node_count(network), nodes_of_process(rig, network) * here);
}

/// The memory that the nodes of a rig take.
struct NodesMemory {
    std::uint64_t node_kbyte = 0;
    std::uint64_t shared_kbyte = 0; // by all of them

    std::uint64_t kbyte(std::uint64_t nodes) const { return nodes * node_kbyte + shared_kbyte; }
    std::uint64_t nodes_in(std::uint64_t kbyte) const {
        return kbyte < shared_kbyte ? 0 : (kbyte - shared_kbyte) / node_kbyte;
    }
};

/// Checks that ports and memory suffice; --memory says how much memory there is, in place of the
/// machine.
void plan_size(RigPlan& rig, unsigned ports_max, NodesMemory memory, std::string_view where) {
    const Network network = rig.network;
    if (port_count(network) > ports_max)
        refuse(kCombination, "--dim {}: needs {} ports a node; {} has {}: --dim up to {}",
               network.dim, port_count(network), where, ports_max,
               largest_dim(network.topology, std::numeric_limits<std::uint64_t>::max(), ports_max));
    const auto& asked = rig.options.memory;
    const std::uint64_t available = asked ? std::uint64_t{*asked} * 1024 : available_kbyte();
    const std::uint64_t nodes = nodes_of_machine(rig, network);
    rig.memory_kbyte = memory.kbyte(nodes);
    rig.memory_available_kbyte = available;
    if (rig.memory_kbyte > available)
        refuse("--dim {}: {} nodes need {} MB of memory, {} MB are available: --dim up to {}",
               network.dim, nodes, rig.memory_kbyte / 1024, available / 1024,
               largest_dim(network.topology, [&](Network one) {
                   return nodes_of_machine(rig, one) <= memory.nodes_in(available) &&
                          port_count(one) <= ports_max;
               }));
}

/// Memory of the emulators of a rig that has so many programs.
NodesMemory memory_of_emulators(const RigPlan& rig, std::size_t programs) {
    return {rig.board.node_kbyte(rig.fork), rig.fork ? kTemplateKbyte * programs : 0};
}

/// Checks that this machine lets the tool open files, and start processes, for all emulators.
void check_processes(const RigPlan& rig) {
    const Network network = rig.network;
    const auto files_for = [&](Network one) {
        return descriptors_for(nodes_of_process(rig, one), rig.board.sockets(port_count(one)));
    };
    const auto threads_for = [&](Network one) {
        return nodes_of_machine(rig, one) * kEmulatorThreads;
    };
    if (const std::size_t most = descriptors_max(); files_for(network) > most)
        refuse("--dim {}: {} nodes need {} open files, {} are allowed (ulimit -Hn): --dim up to {}",
               network.dim, nodes_of_process(rig, network), files_for(network), most,
               largest_dim(network.topology, [&](Network one) { return files_for(one) <= most; }));
    if (const auto left = available_threads(UserLimit::own()); threads_for(network) > left)
        refuse(
            "--dim {}: {} nodes need {} processes and threads, {} may still be started "
            "(ulimit -u, or pids.max of the control group): --dim up to {}",
            network.dim, nodes_of_machine(rig, network), threads_for(network), left,
            largest_dim(network.topology, [&](Network one) { return threads_for(one) <= left; }));
}

/// Checks that simulated nodes have the buffers for the tree that was asked for: a packet moves on
/// to a node that has more free buffers than the packet may still cross links.
void check_buffers(const RunPlan& run) {
    constexpr unsigned kNodesOwn = Admission::nodes_own(board::HostBoard::capabilities().receivers);
    if (run.work.tree.empty())
        return;
    const Rule tree = tree_of(run.network(), run.work.tree, run.root);
    const auto buffers = [&](Network network) {
        return simulated_buffers(network, run.rig.board.buffers);
    };
    const auto fits = [&](unsigned dim) {
        const Network network{run.network().topology, static_cast<std::uint8_t>(dim)};
        return height(network, tree) + kNodesOwn < buffers(network);
    };
    unsigned dim = run.network().dim;
    while (dim != 0 && !fits(dim))
        --dim;
    if (dim != run.network().dim)
        refuse(kCombination,
               "--tree {}: has paths of {} links, a node can keep {} packets: --dim up to {}",
               run.work.tree, height(run.network(), tree), buffers(run.network()), dim);
}

/// The loader's image. UsageError: the board has none.
std::string loader_of(const BoardFacts& board) {
    const auto has_loader = [](const std::string& name) {
        return std::filesystem::exists(image_of("loader", name + "/loader"));
    };
    std::vector<std::string> others;
    std::ranges::copy_if(board_names(), std::back_inserter(others), has_loader);
    if (!has_loader(board.name))
        refuse(kCombination, "--board {}: has no loader; those that have: {}", board.name,
               fmt::join(others, ", "));
    return image_of("loader", board.loader_folder()).string();
}

/// Memory, loader and emulator.
void plan_engine(const RunPlan& run, RigPlan& rig) {
    const RigOptions& options = rig.options;
    const bool emulated = !rig.serial();
    if (rig.uplink != nullptr && (!emulated || rig.simulated()))
        refuse(
            "{}: all nodes are in one process, and {} of mesh were started to share a run; start "
            "one, or run each by itself: MESH_RANKS=apart",
            emulated ? "--engine sim" : "--serial", rig.uplink->ranks());
    if (rig.uplink != nullptr && rig.uplink->ranks() > run.nodes())
        refuse("--dim {}: {} nodes for {} ranks; allowed: as many ranks as nodes",
               run.network().dim, run.nodes(), rig.uplink->ranks());
    if (!options.load.empty())
        rig.loader = loader_of(rig.board);
    if (rig.simulated()) {
        if (run.gives("--boot"))
            refuse(kCombination,
                   "--boot goes with --engine qemu only: a simulation starts no emulators");
        if (!options.gdb.empty())
            refuse(kCombination, "--gdb goes with --engine qemu only");
        if (run.payload_bytes() < wire::kPayloadBytesMost && run.nodes() > rig.board.nodes)
            refuse(kCombination,
                   "--dim {}: {} nodes; one of {} has memory, and room in its packets, for {}: "
                   "--dim up to {}",
                   run.network().dim, run.nodes(), rig.board.name, rig.board.nodes,
                   largest_dim(run.network().topology, rig.board.nodes, kSimulatedPortsMax));
        check_buffers(run);
        plan_size(rig, kSimulatedPortsMax, {kSimulatedKbyte}, "the simulation");
        return;
    }
    if (options.keep && options.boot == "fork")
        refuse(kCombination,
               "--boot fork: an emulator with flash is started for each node: --boot exec");
    if (emulated)
        plan_emulator(rig, options.keep ? "exec" : options.boot);
    plan_size(rig, rig.board.ports(),
              emulated ? memory_of_emulators(rig, std::max<std::size_t>(1, run.work.app.size()))
                       : NodesMemory{},
              rig.board.name);
    if (run.nodes() > rig.board.nodes)
        refuse(kCombination, "--dim {}: {} nodes; one of {} has memory to know {}: --dim up to {}",
               run.network().dim, run.nodes(), rig.board.name, rig.board.nodes,
               largest_dim(run.network().topology, rig.board.nodes, rig.board.ports()));
    if (!emulated)
        return;
    check_processes(rig);
    rig.exec_fits =
        !rig.fork || rig.board.node_kbyte(false) * nodes_of_machine(rig, run.network()) <=
                         rig.memory_available_kbyte;
}

/// The wiring of the network, but the far ends of two cables swapped.
Wiring swapped(Network network, Far one, Far other) {
    const Wiring right = wiring_of(network);
    const Far one_far = right(one.node, one.port).value();
    const Far other_far = right(other.node, other.port).value();
    const auto same = [](Far a, Far b) { return a.node == b.node && a.port == b.port; };
    return [=](NodeId node, Port port) -> std::optional<Far> {
        const Far here{node, port};
        if (same(here, one))
            return other_far;
        if (same(here, other))
            return one_far;
        if (same(here, one_far))
            return other;
        if (same(here, other_far))
            return one;
        return right(node, port);
    };
}

Wiring wiring_for(const RunPlan& run) {
    const std::vector<std::string>& ends = run.rig.options.miswire;
    if (ends.empty())
        return wiring_of(run.network());
    return swapped(run.network(), cable_end(run.network(), ends.at(0), "--miswire"),
                   cable_end(run.network(), ends.at(1), "--miswire"));
}

std::optional<OrderPlan> plan_order(const RigPlan& rig, const ModelOptions& model) {
    if (model.order.empty())
        return std::nullopt;
    if (!rig.simulated())
        refuse(kCombination,
               "--order: goes with --engine sim; cables of an emulator have the order that comes");
    std::optional<OrderPlan> order = order_of(model.order);
    if (!order)
        refuse("--order '{}': allowed: the numbers of choices in ascending order, as 12,40; none; "
               "drawn:N; each also behind turns:",
               model.order);
    order->seed = model.seed;
    return order;
}

bool plan_lockstep(const Operation& op) {
    const RunPlan& run = op.run();
    if (run.model.free && run.rig.simulated())
        refuse(kCombination,
               "--free goes with --engine qemu only; the simulation is always in lockstep");
    return run.rig.simulated() || run.model.lockstep ||
           (!run.model.free && !run.rig.one_cable && op.contends());
}

} // namespace

BoardFacts plan_board(const RigPlan& rig) {
    const RigOptions& options = rig.options;
    if (!rig.serial() && options.engine != "qemu" && options.engine != "sim")
        refuse_name("--engine", options.engine, kEngines);
    place_of(board_names(), options.board, "--board");
    return read_board(toolkit_folder() / options.board);
}

void check_dimension(const RigPlan& rig) {
    const std::string& topology = rig.options.topology;
    const Network least = least_network(topology, 1);
    const std::int64_t dim = rig.options.dim.value_or(least.dim);
    const unsigned ports = rig.simulated() ? kSimulatedPortsMax : rig.board.ports();
    if (dim < 1 || dim > kDimMax)
        refuse("--dim {}: a {} of such nodes has dimension {} to {}", dim, topology, least.dim,
               largest_dim(least.topology, std::numeric_limits<std::uint64_t>::max(), ports));
}

void plan_emulator(RigPlan& rig, const std::string& boot) {
    const Qemu qemu = find_qemu(rig.options.qemu);
    rig.qemu = qemu.path;
    rig.board.take_lines_of(qemu.version);
    rig.sandbox = has_sandbox(rig.qemu);
    if (boot.empty())
        rig.why_not_fork = why_not_forked(qemu);
    rig.fork = boot.empty() ? rig.why_not_fork.empty() : place_of(kBoots, boot, "--boot") == 0;
}

RigPlan plan_rig(const Operation& op) {
    const RunPlan& run = op.run();
    RigPlan rig = run.rig;
    for (const std::int64_t node : rig.options.gdb)
        rig.gdb.push_back(node_of(rig.network, node, "--gdb"));
    rig.faults = plan_faults(parse_faults(run.results.faults, rig.network), rig.network, run.root,
                             op.expected_packets(), run.model.seed);
    rig.order = plan_order(rig, run.model);
    rig.wiring = wiring_for(run);
    plan_engine(run, rig);
    plan_programs(op, rig);
    rig.lockstep = plan_lockstep(op);
    return rig;
}

} // namespace mesh::host
