#include "list_command.hpp"

#include "host-tools/mesh/common/list_format.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/plan/fault_plan.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

using Rows = std::vector<std::vector<std::string>>; // each a name and a phrase

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

Rows rows_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
    Rows rows;
    for (const auto& [name, phrase] : pairs)
        rows.push_back({name, phrase});
    return rows;
}

std::vector<std::string> row(std::string_view name, std::string_view phrase) {
    return {std::string(name), std::string(phrase)};
}

Rows ops() {
    Rows rows;
    for (const OpKind& kind : op_kinds())
        rows.push_back(row(kind.name, kind.phrase));
    return rows;
}

Rows trees() {
    Rows rows;
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        for (const std::string_view tree : tree_names(topology))
            rows.push_back(row(tree, fmt::format("{}: {}", name(topology),
                                                 phrase_of(*rule_by_name(topology, tree)))));
    return rows;
}

Rows schedules() {
    Rows rows;
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        rows.push_back(
            row(name(static_cast<Schedule>(number)), phrase_of(static_cast<Schedule>(number))));
    return rows;
}

Rows topologies() {
    Rows rows;
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        rows.push_back(row(name(topology), phrase_of(topology)));
    return rows;
}

Rows all_apps() {
    Rows rows;
    for (const OpKind& kind : op_kinds())
        if (kind.program == kind.name)
            rows.push_back(row(kind.name, kind.phrase));
    std::ranges::copy(rows_of(apps()), std::back_inserter(rows));
    return rows;
}

Rows all_boards() { return rows_of(boards()); }

Rows faults() {
    Rows rows;
    for (const FaultKind* kind : fault_kinds())
        for (const FaultForm& fault : kind->forms())
            rows.push_back(row(fault.form, fault.phrase));
    return rows;
}

constexpr std::array<std::pair<std::string_view, Rows (*)()>, 7> kLists{{{"ops", ops},
                                                                         {"trees", trees},
                                                                         {"schedules", schedules},
                                                                         {"topologies", topologies},
                                                                         {"apps", all_apps},
                                                                         {"boards", all_boards},
                                                                         {"faults", faults}}};

} // namespace

std::vector<std::string_view> list_names() { return names_of(kLists); }

std::vector<std::string> names_in(std::string_view what) {
    std::vector<std::string> names;
    for (const auto& one : look_up(kLists, what, "mesh list")())
        names.push_back(one.front());
    return names;
}

void list_command(const ListArguments& arguments) {
    const bool json = is_json(arguments.format);
    const Rows rows = look_up(kLists, arguments.what, "mesh list")();
    if (json)
        return print_json(std::array<std::string_view, 2>{"name", "phrase"}, rows);
    for (const std::vector<std::string>& one : rows)
        print_row(one.at(0), one.at(1));
}

} // namespace mesh::host
