#include "plan_rig.hpp"

#include "boards/host/board.hpp"
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

constexpr std::array<std::string_view, 2> kBoots{"fork", "exec"};
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
void plan_size(RunPlan& run, const RunArguments& arguments, unsigned ports_max, NodesMemory memory,
               std::string_view where) {
    const Network network = run.network();
    if (port_count(network) > ports_max)
        refuse("--dim {}: needs {} ports a node; {} has {}: --dim up to {}", network.dim,
               port_count(network), where, ports_max,
               largest_dim(network.topology, std::numeric_limits<std::uint64_t>::max(), ports_max));
    const std::uint64_t available =
        arguments.memory ? std::uint64_t{*arguments.memory} * 1024 : available_kbyte();
    const std::uint64_t nodes = nodes_of_machine(run.rig, network);
    run.memory_kbyte = memory.kbyte(nodes);
    run.memory_available_kbyte = available;
    if (run.memory_kbyte > available)
        refuse("--dim {}: {} nodes need {} MB of memory, {} MB are available: --dim up to {}",
               network.dim, nodes, run.memory_kbyte / 1024, available / 1024,
               largest_dim(network.topology, [&](Network one) {
                   return nodes_of_machine(run.rig, one) <= memory.nodes_in(available) &&
                          port_count(one) <= ports_max;
               }));
}

/// Memory of the emulators of a rig that has so many programs.
NodesMemory memory_of_emulators(const RigPlan& rig, std::size_t programs) {
    return {rig.board.node_kbyte(rig.fork), rig.fork ? kTemplateKbyte * programs : 0};
}

/// Checks that this machine lets the tool open files, and start processes, for all emulators.
void plan_processes(const RunPlan& run) {
    const Network network = run.network();
    const auto files_for = [&](Network one) {
        return descriptors_for(nodes_of_process(run.rig, one),
                               run.rig.board.sockets(port_count(one)));
    };
    const auto threads_for = [&](Network one) {
        return nodes_of_machine(run.rig, one) * kEmulatorThreads;
    };
    if (const std::size_t most = descriptors_max(); files_for(network) > most)
        refuse("--dim {}: {} nodes need {} open files, {} are allowed (ulimit -Hn): --dim up to {}",
               network.dim, nodes_of_process(run.rig, network), files_for(network), most,
               largest_dim(network.topology, [&](Network one) { return files_for(one) <= most; }));
    if (const auto left = available_threads(UserLimit::own()); threads_for(network) > left)
        refuse(
            "--dim {}: {} nodes need {} processes and threads, {} may still be started "
            "(ulimit -u, or pids.max of the control group): --dim up to {}",
            network.dim, nodes_of_machine(run.rig, network), threads_for(network), left,
            largest_dim(network.topology, [&](Network one) { return threads_for(one) <= left; }));
}

/// Checks that simulated nodes have the buffers for the tree that was asked for: a packet moves on
/// to a node that has more free buffers than the packet may still cross links.
void plan_buffers(const RunPlan& run, const RunArguments& arguments) {
    constexpr unsigned kNodesOwn = Admission::nodes_own(board::HostBoard::capabilities().receivers);
    if (arguments.tree.empty())
        return;
    const Rule tree = tree_of(run.network(), arguments.tree, run.root);
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
        refuse("--tree {}: has paths of {} links, a node can keep {} packets: --dim up to {}",
               arguments.tree, height(run.network(), tree), buffers(run.network()), dim);
}

/// The loader's image. UsageError: the board has none.
std::string loader_of(const BoardFacts& board) {
    const auto has_loader = [](const std::string& name) {
        return std::filesystem::exists(image_of("loader", name + "/loader"));
    };
    std::vector<std::string> others;
    std::ranges::copy_if(board_names(), std::back_inserter(others), has_loader);
    if (!has_loader(board.name))
        refuse("--board {}: has no loader; those that have: {}", board.name,
               fmt::join(others, ", "));
    return image_of("loader", board.loader_folder()).string();
}

/// Memory, loader and emulator.
void plan_engine(RunPlan& run, const RunArguments& arguments) {
    RigPlan& rig = run.rig;
    const bool emulated = rig.serial.empty();
    if (rig.uplink != nullptr && (!emulated || run.engine == "sim"))
        refuse(
            "{}: all nodes are in one process, and {} of mesh were started to share a run; start "
            "one, or run each by itself: MESH_RANKS=apart",
            emulated ? "--engine sim" : "--serial", rig.uplink->ranks());
    if (rig.uplink != nullptr && rig.uplink->ranks() > run.nodes())
        refuse("--dim {}: {} nodes for {} ranks; allowed: as many ranks as nodes",
               run.network().dim, run.nodes(), rig.uplink->ranks());
    if (!arguments.load.empty())
        rig.loader = loader_of(rig.board);
    rig.timeout_s = run.timeout_s;
    rig.limit_s = run.limit_s;
    if (run.engine == "sim") {
        if (arguments.gives("--boot"))
            refuse("--boot goes with --engine qemu only: a simulation starts no emulators");
        if (!arguments.gdb.empty())
            refuse("--gdb goes with --engine qemu only");
        if (run.payload_bytes() < wire::kPayloadBytesMost && run.nodes() > rig.board.nodes)
            refuse("--dim {}: {} nodes; one of {} has memory, and room in its packets, for {}: "
                   "--dim up to {}",
                   run.network().dim, run.nodes(), rig.board.name, rig.board.nodes,
                   largest_dim(run.network().topology, rig.board.nodes, kSimulatedPortsMax));
        plan_buffers(run, arguments);
        plan_size(run, arguments, kSimulatedPortsMax, {kSimulatedKbyte}, "the simulation");
        return;
    }
    if (arguments.keep && arguments.boot == "fork")
        refuse("--boot fork: an emulator with flash is started for each node: --boot exec");
    if (emulated)
        plan_emulator(rig, arguments.qemu, arguments.keep ? "exec" : arguments.boot);
    plan_size(run, arguments, rig.board.ports(),
              emulated ? memory_of_emulators(rig, std::max<std::size_t>(1, arguments.app.size()))
                       : NodesMemory{},
              rig.board.name);
    if (run.nodes() > rig.board.nodes)
        refuse("--dim {}: {} nodes; one of {} has memory to know {}: --dim up to {}",
               run.network().dim, run.nodes(), rig.board.name, rig.board.nodes,
               largest_dim(run.network().topology, rig.board.nodes, rig.board.ports()));
    if (!emulated)
        return;
    plan_processes(run);
    rig.exec_fits =
        !rig.fork || rig.board.node_kbyte(false) * nodes_of_machine(rig, run.network()) <=
                         run.memory_available_kbyte;
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

void plan_wiring(RunPlan& run, const RunArguments& arguments) {
    run.rig.wiring = wiring_of(run.network());
    if (arguments.miswire.empty())
        return;
    run.rig.wiring =
        swapped(run.network(), cable_end(run.network(), arguments.miswire.at(0), "--miswire"),
                cable_end(run.network(), arguments.miswire.at(1), "--miswire"));
}

} // namespace

void plan_board(RunPlan& run, const RunArguments& arguments) {
    if (run.rig.serial.empty() && run.engine != "qemu" && run.engine != "sim")
        refuse("--engine '{}': allowed: qemu, sim", run.engine);
    place_of(board_names(), arguments.board, "--board");
    run.rig.board = read_board(toolkit_folder() / arguments.board);
}

void plan_emulator(RigPlan& rig, const std::string& name, const std::string& boot) {
    const Qemu qemu = find_qemu(name);
    rig.qemu = qemu.path;
    rig.board.take_lines_of(qemu.version);
    rig.sandbox = has_sandbox(rig.qemu);
    if (boot.empty())
        rig.why_not_fork = why_not_forked(qemu);
    rig.fork = boot.empty() ? rig.why_not_fork.empty() : place_of(kBoots, boot, "--boot") == 0;
}

void plan_rig(Operation& op, const RunArguments& arguments) {
    plan_wiring(op.run(), arguments);
    plan_engine(op.run(), arguments);
    plan_programs(op, arguments);
}

} // namespace mesh::host
