#include "plan.hpp"

#include "ascend_ops.hpp"
#include "errors.hpp"
#include "kernel/limits.hpp"
#include "qemu_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::array<BoardFacts, 1> kBoards{{{"mps2-an505", 8, 22}}};
constexpr unsigned kSimulatedPortsMax = kPortsMax;
/// Of one simulated node: what it touches of its memory in a common run, rounded up.
constexpr unsigned kSimulatedKbyte = 128;
constexpr std::int64_t kBroadcastBytesMax = std::int64_t{1} << 30;
constexpr std::uint32_t kDefaultBytes = 4096;
constexpr double kUnitsMax = 4000; // of tau and tc: ticks fit 32 bits
constexpr unsigned kQemuMajor = 7;
constexpr unsigned kQemuMinor = 2;

constexpr std::array<std::pair<std::string_view, wire::Op>, 14> kOps{
    {{"bcast", wire::Op::bcast},
     {"scatter", wire::Op::scatter},
     {"gather", wire::Op::gather},
     {"reduce", wire::Op::reduce},
     {"allreduce", wire::Op::allreduce},
     {"scan", wire::Op::scan},
     {"allgather", wire::Op::allgather},
     {"alltoall", wire::Op::alltoall},
     {"send", wire::Op::send},
     {"barrier", wire::Op::barrier},
     {"ascend", wire::Op::ascend},
     {"descend", wire::Op::descend},
     {"sort", wire::Op::sort},
     {"fft", wire::Op::fft}}};
constexpr std::array<std::pair<std::string_view, Rule>, 6> kRoutes{
    {{"ecube", Rule::unicast},
     {"sbt", Rule::sbt},
     {"sbnt", Rule::sbnt_minr},
     {"sbnt-maxl", Rule::sbnt_maxl},
     {"sbnt-minbl", Rule::sbnt_minbl},
     {"sbnt-maxbr", Rule::sbnt_maxbr}}};
constexpr std::array<std::pair<std::string_view, PortModel>, 3> kPortModels{
    {{"all", PortModel::all}, {"duplex", PortModel::duplex}, {"half", PortModel::half}}};
constexpr std::array<std::pair<std::string_view, Topology>, 3> kTopologies{
    {{"cube", Topology::cube}, {"uhc", Topology::uhc}, {"star", Topology::star}}};

template <class Table>
std::string names_of(const Table& table) {
    std::vector<std::string_view> names;
    names.reserve(std::size(table));
    for (const auto& entry : table)
        names.push_back(entry.first);
    return fmt::format("{}", fmt::join(names, ", "));
}

template <class Table>
auto look_up(const Table& table, std::string_view name, std::string_view option) {
    for (const auto& [known, value] : table)
        if (known == name)
            return value;
    refuse("{} '{}': allowed: {}", option, name, names_of(table));
}

std::uint32_t in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                       std::string_view option) {
    if (value < low || value > high)
        refuse("{} {}: allowed: {} to {}", option, value, low, high);
    return static_cast<std::uint32_t>(value);
}

std::vector<std::string_view> tree_names(Network network) {
    std::vector<std::string_view> names;
    for (unsigned rule = 1; rule < static_cast<unsigned>(Rule::kCount); ++rule)
        if (subtree_count(network, static_cast<Rule>(rule)) != 0)
            names.push_back(name(static_cast<Rule>(rule)));
    return names;
}

const BoardFacts& board_of(std::string_view name) {
    for (const BoardFacts& board : kBoards)
        if (board.name == name)
            return board;
    std::vector<std::string_view> names;
    names.reserve(kBoards.size());
    for (const BoardFacts& board : kBoards)
        names.push_back(board.name);
    refuse("--board '{}': allowed: {}", name, fmt::join(names, ", "));
}

/// Memory that can be used without swapping.
std::uint64_t available_kbyte() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view kKey = "MemAvailable:";
        std::istringstream words(line.substr(std::min(kKey.size(), line.size())));
        std::uint64_t kbyte = 0;
        if (line.starts_with(kKey) && words >> kbyte)
            return kbyte;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

/// Largest dimension of this topology whose nodes fit; 0 if none does.
unsigned largest_dim(Topology topology, std::uint64_t nodes_max, unsigned ports_max) {
    unsigned best = 0;
    for (unsigned dim = 1; dim <= kDimMax; ++dim) {
        const Network network{topology, static_cast<std::uint8_t>(dim)};
        if (valid(network) && node_count(network) <= nodes_max && port_count(network) <= ports_max)
            best = dim;
    }
    return best;
}

void check_size(Network network, unsigned ports_max, std::uint64_t node_kbyte,
                std::string_view where) {
    if (port_count(network) > ports_max)
        refuse("--dim {}: needs {} ports a node; {} has {}: --dim up to {}", network.dim,
               port_count(network), where, ports_max,
               largest_dim(network.topology, std::numeric_limits<std::uint64_t>::max(), ports_max));
    const std::uint64_t available = available_kbyte();
    if (node_count(network) * node_kbyte > available)
        refuse("--dim {}: {} nodes need {} MB of memory, {} MB are available: --dim up to {}",
               network.dim, node_count(network), node_count(network) * node_kbyte / 1024,
               available / 1024, largest_dim(network.topology, available / node_kbyte, ports_max));
}

std::filesystem::path folder_of_images(std::string_view board) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return self.parent_path().parent_path() / board;
}

void check_image(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    if (!file.read(magic.data(), magic.size()) || std::string_view(magic.data(), 4) != "\177ELF")
        refuse("image '{}': not there or not an ELF file; `make` builds those of firmware/apps",
               path);
}

/// QEMU's path, after a look at its version.
std::string find_qemu(const std::string& name) {
    std::string path = find_program(name);
    if (path.empty())
        refuse("{} not found: install QEMU {}.{} or newer (`make deps`), or use --engine sim", name,
               kQemuMajor, kQemuMinor);
    const std::string line = first_line_of({path, "--version"});
    constexpr std::string_view kKey = "QEMU emulator version ";
    std::istringstream words(line.substr(std::min(kKey.size(), line.size())));
    unsigned major = 0;
    unsigned minor = 0;
    char dot = 0;
    if (!line.starts_with(kKey) || !(words >> major >> dot >> minor) || dot != '.')
        refuse("{} does not say its version; QEMU {}.{} or newer is needed", path, kQemuMajor,
               kQemuMinor);
    if (std::pair(major, minor) < std::pair(kQemuMajor, kQemuMinor))
        refuse("{} is version {}.{}; {}.{} or newer is needed", path, major, minor, kQemuMajor,
               kQemuMinor);
    return path;
}

/// A QEMU that can confine itself is linked with the library that it does so with. Looking is
/// cheaper than starting one.
bool has_sandbox(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string program{std::istreambuf_iterator<char>(file), {}};
    return program.find("libseccomp.so") != std::string::npos;
}

bool is_image(std::string_view app) {
    return app.find('/') != std::string_view::npos || app.ends_with(".elf");
}

/// Engine, board, memory, image and emulator.
void plan_rig(RunPlan& plan, const RunArguments& arguments) {
    RigPlan& rig = plan.rig;
    plan.engine = arguments.engine;
    if (plan.engine != "qemu" && plan.engine != "sim")
        refuse("--engine '{}': allowed: qemu, sim", plan.engine);
    rig.board = arguments.board;
    const BoardFacts& board = board_of(rig.board);
    rig.app = plan.op == wire::Op::app ? arguments.app : program_of(plan.op);
    const auto apps = app_names();
    const bool image = is_image(rig.app);
    if (!arguments.app.empty() && !image &&
        std::find(apps.begin(), apps.end(), rig.app) == apps.end())
        refuse("--app '{}': allowed: {}, or a path of an image (.elf)", rig.app,
               fmt::join(apps, ", "));
    if (plan.engine == "sim") {
        if (image || !arguments.image.empty())
            refuse("'{}': --engine sim runs apps by name only: {}", image ? rig.app : "--image",
                   fmt::join(apps, ", "));
        if (!arguments.gdb.empty())
            refuse("--gdb goes with --engine qemu only");
        check_size(rig.network, kSimulatedPortsMax, kSimulatedKbyte, "the simulation");
        return;
    }
    check_size(rig.network, board.ports, std::uint64_t{board.node_mbyte} * 1024, board.name);
    rig.image = image ? rig.app : (folder_of_images(rig.board) / (rig.app + ".elf")).string();
    if (!arguments.image.empty())
        rig.image = arguments.image;
    check_image(rig.image);
    rig.qemu = find_qemu(arguments.qemu);
    rig.sandbox = has_sandbox(rig.qemu);
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

void plan_wiring(RunPlan& plan, const RunArguments& arguments) {
    plan.rig.wiring = wiring_of(plan.network());
    if (arguments.miswire.empty())
        return;
    plan.rig.wiring =
        swapped(plan.network(), cable_end(plan.network(), arguments.miswire.at(0), "--miswire"),
                cable_end(plan.network(), arguments.miswire.at(1), "--miswire"));
}

Bytes read_input(const std::string& path, std::int64_t most) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        refuse("--input '{}': no such file (or not a regular one)", path);
    std::ifstream file(path, std::ios::binary);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
    if (!file || error)
        refuse("--input '{}': cannot be read", path);
    if (size > most)
        refuse("--input '{}': {} bytes; at most {} are allowed", path, size, most);
    Bytes bytes(static_cast<std::size_t>(size));
    file.read(reinterpret_cast<char*>(bytes.data()), size);
    return bytes;
}

void plan_message(RunPlan& plan, const RunArguments& arguments) {
    const std::int64_t most =
        plan.op == wire::Op::send ? std::int64_t{limits::kMessageBytesMax} : kBroadcastBytesMax;
    plan.route = look_up(kRoutes, arguments.route, "--route");
    if (height(plan.network(), plan.route) == 0)
        refuse("--route '{}': on a {} messages take shortest paths; allowed: ecube",
               arguments.route, name(plan.network().topology));
    plan.messages = in_range(arguments.messages, 1, 1'000'000, "--messages");
    plan.bytes = kDefaultBytes;
    if (arguments.bytes)
        plan.bytes = in_range(*arguments.bytes, 0, most, "--bytes");
    if (arguments.input.empty())
        return;
    plan.input = read_input(arguments.input, most);
    if (plan.personalised() || plan.reduces() || plan.ascends())
        return; // one block for each node: see plan_collective()
    if (arguments.bytes && plan.bytes > plan.input->size())
        refuse("--bytes {}: '{}' has {}", plan.bytes, arguments.input, plan.input->size());
    if (!arguments.bytes)
        plan.bytes = static_cast<std::uint32_t>(plan.input->size());
    plan.input->resize(plan.bytes);
}

void plan_target(RunPlan& plan, const std::string& target) {
    if (target == "random") {
        if (plan.nodes() < 2)
            refuse("--target random: needs two nodes");
        return;
    }
    std::uint32_t node = 0;
    const char* const end = target.data() + target.size();
    const auto [last, error] = std::from_chars(target.data(), end, node);
    if (error != std::errc{} || last != end || node >= plan.nodes())
        refuse("--target '{}': allowed: random, or a node from 0 to {}", target, plan.nodes() - 1);
    plan.target = node;
}

void plan_times(RunPlan& plan, const RunArguments& arguments) {
    plan.ports = look_up(kPortModels, arguments.ports, "--ports");
    plan.ports_name = arguments.ports;
    plan.tau = arguments.tau;
    plan.tc = arguments.tc;
    if (!(plan.tau >= 0 && plan.tau <= kUnitsMax))
        refuse("--tau {}: allowed: 0 to {}", plan.tau, kUnitsMax);
    if (!(plan.tc >= 0 && plan.tc <= kUnitsMax))
        refuse("--tc {}: allowed: 0 to {}", plan.tc, kUnitsMax);
    plan.timeout_s = arguments.timeout_s;
    if (!(plan.timeout_s > 0 && plan.timeout_s <= 1e6))
        refuse("--timeout {}: allowed: seconds above 0", plan.timeout_s);
    plan.limit_s = arguments.limit_s;
    if (!(plan.limit_s >= 0 && plan.limit_s <= 1e9))
        refuse("--limit {}: allowed: seconds, or 0 for no limit", plan.limit_s);
}

/// Whether packets of different flows can want one port, so that their order would matter.
bool can_contend(const RunPlan& plan) {
    return plan.op == wire::Op::send || plan.personalised() || plan.reduces() ||
           plan.rule == Rule::msbt_rot ||
           (plan.op != wire::Op::app && plan.ports != PortModel::all);
}

void plan_lockstep(RunPlan& plan, const RunArguments& arguments) {
    if (arguments.lockstep && arguments.free)
        refuse("--lockstep and --free exclude each other");
    if (arguments.free && plan.engine == "sim")
        refuse("--free goes with --engine qemu only; the simulation is always in lockstep");
    plan.rig.lockstep =
        plan.engine == "sim" || arguments.lockstep || (!arguments.free && can_contend(plan));
}

void plan_words(RunPlan& plan, const RunArguments& arguments) {
    if (!arguments.words.empty() && plan.op != wire::Op::app)
        refuse("'{}': words are for --app only, after --", arguments.words.front());
    if (arguments.words.size() > limits::kArgumentsMax)
        refuse("{} words for the app: at most {} are allowed", arguments.words.size(),
               limits::kArgumentsMax);
    for (const std::string& word : arguments.words) {
        const auto bytes = std::as_bytes(std::span(word.c_str(), word.size() + 1));
        plan.words.insert(plan.words.end(), bytes.begin(), bytes.end());
    }
    if (plan.words.size() > limits::kArgumentBytesMax)
        refuse("the app's words take {} bytes: at most {} are allowed", plan.words.size(),
               limits::kArgumentBytesMax);
}

void check_output(const RunPlan& plan) {
    if (plan.output.empty())
        return;
    const bool one_message = plan.target != wire::kRandomTarget && plan.messages == 1;
    if (plan.op == wire::Op::barrier || (plan.op == wire::Op::send && !one_message))
        refuse("--output goes with --app, the collectives that move data, or --op send of one "
               "message to one --target");
    if (!std::ofstream(plan.output, std::ios::binary | std::ios::app))
        refuse("--output '{}': cannot be written", plan.output);
}

} // namespace

Network network_of(std::string_view topology, std::int64_t dim) {
    const Topology which = look_up(kTopologies, topology, "--topology");
    const Network network{which, static_cast<std::uint8_t>(std::clamp<std::int64_t>(dim, 0, 255))};
    if (valid(network))
        return network;
    unsigned low = 0;
    unsigned high = 0;
    for (unsigned candidate = 1; candidate <= kDimMax; ++candidate)
        if (valid({which, static_cast<std::uint8_t>(candidate)})) {
            low = low == 0 ? candidate : low;
            high = candidate;
        }
    refuse("--dim {}: a {} has dimension {} to {}", dim, topology, low, high);
}

Rule tree_of(Network network, std::string_view tree) {
    const auto rule = rule_by_name(network.topology, tree);
    if (!rule || subtree_count(network, *rule) == 0)
        refuse("--tree '{}': {}allowed: {}", tree, rule ? "needs an even --dim; " : "",
               fmt::join(tree_names(network), ", "));
    return *rule;
}

Far cable_end(Network network, const std::string& text, std::string_view option) {
    std::uint32_t node = 0;
    unsigned port = 0;
    char slash = 0;
    std::istringstream words(text);
    if (!(words >> node >> slash >> port) || slash != '/' || !words.eof() ||
        node >= node_count(network) || port >= port_count(network) ||
        ((out_ports(network, node_at(node)) >> port) & 1u) == 0)
        refuse("{} '{}': give NODE/PORT: nodes 0 to {}, ports 0 to {}", option, text,
               node_count(network) - 1, port_count(network) - 1);
    return {node_at(node), port_at(port)};
}

NodeId node_of(Network network, std::int64_t number, std::string_view option) {
    return node_at(in_range(number, 0, node_count(network) - 1, option));
}

std::vector<std::string_view> app_names() {
    std::vector<std::string_view> names;
#define MESH_APP(app)                                                                              \
    if (std::string_view(#app) != "job")                                                           \
        names.push_back(#app);
#include "apps.inc"
#undef MESH_APP
    return names;
}

std::uint64_t expected_packets(const RunPlan& plan) {
    const std::uint64_t nodes = plan.nodes();
    const std::uint64_t packets = std::uint64_t{plan.packets()} * plan.messages;
    if (plan.by_packets())
        return expected_path_packets(plan);
    switch (plan.op) {
    case wire::Op::bcast: return std::uint64_t{plan.packets()} * plan.copies * (nodes - 1);
    case wire::Op::send:
        if (plan.target != wire::kRandomTarget)
            return packets * distance(plan.network(), plan.root, node_at(plan.target));
        return packets * nodes * std::max(1u, height(plan.network(), Rule::unicast) / 2);
    case wire::Op::barrier: return nodes * port_count(plan.network());
    case wire::Op::scatter:
    case wire::Op::gather:
    case wire::Op::reduce: return packets * nodes;
    case wire::Op::allreduce: return 2 * packets * nodes;
    case wire::Op::scan:
    case wire::Op::allgather:
    case wire::Op::alltoall: return packets * nodes * port_count(plan.network());
    case wire::Op::ascend:
    case wire::Op::descend:
    case wire::Op::sort:
    case wire::Op::fft: return ascend_packets(plan);
    case wire::Op::none:
    case wire::Op::app: break;
    }
    return nodes;
}

RunPlan plan_run(const RunArguments& arguments, const std::string& command) {
    RunPlan plan;
    plan.command = command;
    plan.rig.network = network_of(arguments.topology, arguments.dim);
    if (arguments.op.empty() == arguments.app.empty())
        refuse("give one of --op ({}) and --app ({}, or IMAGE.elf)", names_of(kOps),
               fmt::join(app_names(), ", "));
    plan.op = arguments.op.empty() ? op_of_app(arguments.app) : look_up(kOps, arguments.op, "--op");
    plan.op_name = arguments.op.empty() ? arguments.app : arguments.op;
    plan.root = node_of(plan.network(), arguments.root, "--root");
    plan.copies =
        in_range(arguments.copies, 1,
                 plan.op == wire::Op::bcast || plan.by_packets() ? copies_max(plan.network()) : 1,
                 "--copies");
    plan.rule = plan_tree(plan, arguments);
    plan.seed = arguments.seed;
    plan.output = arguments.output;
    plan.report = arguments.report;
    plan.log = arguments.log;
    plan.raw = arguments.raw;
    plan_times(plan, arguments);
    plan_message(plan, arguments);
    plan_collective(plan, arguments);
    plan_target(plan, arguments.target);
    plan_words(plan, arguments);
    check_output(plan);
    for (const std::int64_t node : arguments.gdb)
        plan.rig.gdb.push_back(node_of(plan.network(), node, "--gdb"));
    plan.rig.faults = plan_faults(parse_faults(arguments.faults, plan.network()), plan.network(),
                                  plan.root, expected_packets(plan), plan.seed);
    plan_wiring(plan, arguments);
    plan_rig(plan, arguments);
    plan_lockstep(plan, arguments);
    return plan;
}

} // namespace mesh::host
