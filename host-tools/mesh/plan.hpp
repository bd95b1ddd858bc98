// A run, checked and complete: what `mesh run` was asked for, with every default and every name
// resolved. Made once, before anything is started.
#pragma once

#include "core/cube/cycles.hpp"
#include "core/formulas.hpp"
#include "core/network.hpp"
#include "engine.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The command line as it was typed; plan_run() makes sense of it.
struct RunArguments {
    std::string engine = "qemu";
    std::string board = "mps2-an505";
    std::string topology = "cube";
    std::int64_t dim = 0;
    std::string op;
    std::string app;
    std::vector<std::string> words; // after --
    std::string tree;               // "": the topology's, or what copies and avoid ask for
    std::string avoid;              // NODE/PORT
    std::string schedule;           // "": the best that the tree has
    std::string element = "i32";
    std::string reduction = "sum";
    bool exclusive = false;
    std::string route = "ecube";
    std::int64_t root = 0;
    std::string target = "random";
    std::int64_t messages = 1;
    std::optional<std::int64_t> bytes;
    std::string packet; // a number, auto, or nothing: as the op likes it
    std::string ports = "all";
    double tau = 1;
    double tc = 0;
    std::int64_t copies = 1;
    std::string input;
    std::string output;
    std::string faults;
    std::uint64_t seed = 1;
    bool lockstep = false;
    bool free = false;
    std::string report;
    double timeout_s = 20;
    std::optional<std::int64_t> gdb;
    std::string image;
    std::string qemu = "qemu-system-arm";
    std::vector<std::string> miswire; // two of NODE/PORT
};

/// What the host knows of a board.
struct BoardFacts {
    std::string_view name;
    unsigned ports;      // DMA channels to the link hardware
    unsigned node_mbyte; // memory that one QEMU of it takes for itself, rounded up
};

struct RunPlan {
    std::string engine;
    RigPlan rig;
    wire::Op op = wire::Op::none;
    std::string op_name; // "bcast", or the app
    Rule rule = Rule::unicast;
    Schedule schedule = Schedule::postorder;
    ElementType element = ElementType::i32;
    Operator reduction = Operator::sum;
    bool exclusive = false;
    Rule route = Rule::unicast;
    NodeId root{0};
    std::uint32_t target = wire::kRandomTarget;
    std::uint32_t messages = 1;
    std::uint32_t bytes = 0;
    std::uint32_t packet_bytes = 1024; // of an external packet; 0: unbounded
    PortModel ports = PortModel::all;
    std::string ports_name;
    double tau = 1;
    double tc = 0;
    std::uint32_t copies = 1;
    std::optional<Bytes> input;
    std::string output;
    std::uint64_t seed = 1;
    std::string report;
    double timeout_s = 20;
    std::vector<std::byte> words; // of an app, NUL-terminated
    std::uint64_t records = 0;    // ascend, descend, sort, fft: in all parts
    bool lines = false;           // sort: of text, not numbers
    std::string command;          // that repeats the run

    Network network() const { return rig.network; }
    std::uint32_t nodes() const { return node_count(rig.network); }
    /// Packets of one message; an empty one takes a packet too.
    std::uint32_t packets() const {
        const std::uint32_t most = message_bytes();
        return most == 0 || packet_bytes == 0 ? 1 : (most - 1) / packet_bytes + 1;
    }
    /// What kind of op it is.
    bool tree() const;         // uses a spanning tree
    bool personalised() const; // scatter, gather, allgather, alltoall
    bool translated() const;   // allgather, alltoall: every node is a root
    bool reduces() const;      // reduce, allreduce, scan
    /// scatter, gather, allgather, alltoall by single packets over disjoint trees: UHC and star.
    bool by_packets() const { return personalised() && network().topology != Topology::cube; }
    bool ascends() const; // ascend, descend, sort, fft: a part of the input for each node
    /// Bytes of the largest message.
    std::uint32_t message_bytes() const;
    bool one_port() const { return ports != PortModel::all; }
    /// Bytes that all nodes together contribute.
    std::uint64_t input_bytes() const;
    CyclePlan cycles() const {
        return {Hypercube{network().dim}, rule, schedule, one_port(), op == wire::Op::allgather};
    }
};

/// The trees that are used if none are named: the shallowest, and with copies those that share no
/// link.
Rule usual_tree(Topology topology, bool copies);
/// How many trees of a network share no link.
std::uint32_t copies_max(Network network);
/// The tree: the one that was asked for, or one that avoids a cable. UsageError.
Rule plan_tree(const RunPlan& plan, const RunArguments& arguments);
/// Schedule, size of packets and blocks, reduction: what collectives need beyond a tree.
/// UsageError.
void plan_collective(RunPlan& plan, const RunArguments& arguments);

// Personalised communication on the UHC and the star (plan_personal.cpp).
/// The tree. UsageError.
Rule plan_paths(const RunPlan& plan, const RunArguments& arguments);
/// Whether op and tree can use this schedule, and the fastest of those.
bool fits_packets(const RunPlan& plan, Schedule schedule);
Schedule best_packet_schedule(const RunPlan& plan);
/// Packets over links, roughly.
std::uint64_t expected_path_packets(const RunPlan& plan);
/// What the steps are compared with.
std::optional<Formula> path_formula(const RunPlan& plan);

/// Checks everything, reads the input and finds the programs. UsageError.
RunPlan plan_run(const RunArguments& arguments, const std::string& command);

/// The network of a topology's name and a dimension. UsageError.
Network network_of(std::string_view topology, std::int64_t dim);
/// The tree with this name. UsageError.
Rule tree_of(Network network, std::string_view name);
/// "NODE/PORT", a port that sends. UsageError.
Far cable_end(Network network, const std::string& text, std::string_view option);
/// The node with this number; `option` is what to complain about. UsageError.
NodeId node_of(Network network, std::int64_t number, std::string_view option);

/// The apps that are built in, by name.
std::vector<std::string_view> app_names();

/// Packets that an undisturbed run delivers over links, roughly where it depends on the seed.
std::uint64_t expected_packets(const RunPlan& plan);

} // namespace mesh::host
