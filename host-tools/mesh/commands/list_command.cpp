#include "list_command.hpp"

#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/plan/fault_plan.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"

#include <array>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

/// Prints a line; on a terminal it is wrapped between words.
void print_row(std::string_view name, std::string_view phrase) {
    constexpr std::size_t kIndent = 18;
    const std::string row = fmt::format("{:<{}}{}\n", name, kIndent, phrase);
    fmt::print("{}", isatty(STDOUT_FILENO) != 0 ? wrapped(row, kTextColumns, kIndent) : row);
}

constexpr std::string_view phrase_of(Rule rule) {
    switch (rule) {
    case Rule::sbt: return "binomial tree: complement leading zeroes";
    case Rule::bs: return "the binomial tree by the arrival port alone";
    case Rule::hp: return "Hamiltonian path by the Gray code";
    case Rule::tcbt: return "two-rooted complete binary tree";
    case Rule::msbt: return "edge-disjoint binomial trees, one a dimension";
    case Rule::sbnt_minr: return "balanced tree: least rotation; also called bst";
    case Rule::sbnt_maxl: return "balanced tree: longest block of zeroes to the left";
    case Rule::sbnt_minbl: return "balanced tree: the variant minbl";
    case Rule::sbnt_maxbr: return "balanced tree: the variant maxbr";
    case Rule::sbg: return "balanced graph: cyclic nodes have several parents; for blocks only";
    case Rule::alt: return "balanced tree that shares no edge with sbnt-minr below level 1";
    case Rule::bt1: return "broadcast tree 1";
    case Rule::bt2: return "broadcast tree 2: by a tag in the header";
    case Rule::bt3: return "broadcast tree 3: by tables of six dimensions";
    case Rule::adst: return "arc-disjoint trees, one an out-port of the root";
    case Rule::bts: return "shortest paths, the shallowest tree";
    case Rule::bt4: return "broadcast tree 4: by tables of eight dimensions";
    case Rule::ist: return "independent trees, one an out-port of the root";
    case Rule::spt: return "shortest path tree";
    case Rule::edt: return "edge-disjoint trees, one a dimension";
    case Rule::bt1_counted: return "broadcast tree 1 without the source in the header";
    case Rule::edt_v2: return "edge-disjoint trees, shallower for dimension 4";
    case Rule::msbt_rot: return "msbt whose last packets take rotated binomial trees";
    case Rule::own: return "the tree of a file";
    case Rule::unicast:
    case Rule::disjoint:
    case Rule::kCount: break;
    }
    return "";
}

constexpr std::string_view phrase_of(Schedule schedule) {
    switch (schedule) {
    case Schedule::gray: return "destinations in the order of the Gray code's ports";
    case Schedule::port: return "one port after the other";
    case Schedule::postorder: return "every port has its own list, in postorder";
    case Schedule::rbf: return "every port has its own list, farthest first";
    case Schedule::roundrobin: return "the ports in turn, each list in postorder";
    case Schedule::level: return "bundles, the farthest level first, all ports at once";
    case Schedule::subtree: return "bundles, each for a whole subtree";
    case Schedule::queue: return "uhc, star: everything at once; what shares a link queues";
    case Schedule::necklace: return "star: rounds of rotated packets that never meet";
    case Schedule::dfs_ack: return "star, allgather: depth first, each child acknowledges";
    case Schedule::kCount: break;
    }
    return "";
}

constexpr std::string_view phrase_of(Topology topology) {
    switch (topology) {
    case Topology::cube: return "hypercube: 2^N nodes, N cables each";
    case Topology::uhc: return "uni-directional hypercube: 2^N nodes, each cable one way";
    case Topology::star: return "star graph: N! nodes, N-1 cables each";
    }
    return "";
}

void list_ops() {
    for (const OpKind& kind : op_kinds())
        print_row(kind.name, kind.phrase);
}

void list_trees() {
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        for (const std::string_view tree : tree_names(topology))
            print_row(tree, fmt::format("{}: {}", name(topology),
                                        phrase_of(rule_by_name(topology, tree).value())));
}

void list_schedules() {
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        print_row(name(static_cast<Schedule>(number)), phrase_of(static_cast<Schedule>(number)));
}

void list_topologies() {
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        print_row(name(topology), phrase_of(topology));
}

void list_apps() {
    for (const OpKind& kind : op_kinds())
        if (kind.program == kind.name)
            print_row(kind.name, kind.phrase);
    for (const auto& [name, phrase] : apps())
        print_row(name, phrase);
}

void list_boards() {
    for (const auto& [name, phrase] : boards())
        print_row(name, phrase);
}

void list_faults() {
    for (const FaultKind* kind : fault_kinds())
        for (const FaultForm& fault : kind->forms())
            print_row(fault.form, fault.phrase);
}

constexpr std::array<std::pair<std::string_view, void (*)()>, 7> kLists{
    {{"ops", list_ops},
     {"trees", list_trees},
     {"schedules", list_schedules},
     {"topologies", list_topologies},
     {"apps", list_apps},
     {"boards", list_boards},
     {"faults", list_faults}}};

} // namespace

std::vector<std::string_view> list_names() { return names_of(kLists); }

void list_command(const ListArguments& arguments) {
    look_up(kLists, arguments.what, "mesh list")();
}

} // namespace mesh::host
