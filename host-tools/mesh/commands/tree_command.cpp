#include "tree_command.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/explain/why.hpp"
#include "host-tools/mesh/ops/families.hpp"
#include "host-tools/mesh/ops/trees.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"
#include "host-tools/mesh/views/network_svg.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

/// One spanning structure as lists, taken node by node from the rules.
struct Subtree {
    unsigned number = 0;
    std::vector<std::int64_t> parent;                // -1: root, or outside
    std::vector<std::vector<std::uint32_t>> parents; // of the graph sbg: all parents of each node
    std::vector<std::vector<std::uint32_t>> children;
};

struct Picture {
    Network network;
    Rule rule;
    NodeId root;
    std::vector<Subtree> subtrees;
};

std::vector<std::uint32_t> neighbors(Network network, NodeId node, std::uint32_t ports) {
    std::vector<std::uint32_t> nodes;
    for (PortSequence left = PortSequence::ascending(ports); !left.empty();)
        nodes.push_back(index(neighbor(network, node, left.pop())));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

Subtree subtree_of(const Picture& picture, unsigned number) {
    Subtree subtree;
    subtree.number = number;
    for (std::uint32_t at = 0; at < node_count(picture.network); ++at) {
        const NodeId node = node_at(at);
        const Port up = parent(picture.network, picture.rule, number, picture.root, node);
        subtree.parent.push_back(
            up == kNoPort ? -1 : std::int64_t{index(neighbor(picture.network, node, up))});
        subtree.parents.push_back(
            neighbors(picture.network, node,
                      parents(picture.network, picture.rule, number, picture.root, node)));
        std::vector<std::uint32_t>& below = subtree.children.emplace_back();
        for (PortSequence ports =
                 children(picture.network, picture.rule, number, picture.root, node);
             !ports.empty();)
            below.push_back(index(neighbor(picture.network, node, ports.pop())));
    }
    return subtree;
}

Picture picture_of(const TreeArguments& arguments) {
    Picture picture;
    picture.network = network_of(arguments.topology, arguments.dim);
    picture.root = node_of(picture.network, arguments.root, "--root");
    picture.rule = arguments.tree.empty() ? usual_tree(picture.network.topology, false)
                                          : tree_of(picture.network, arguments.tree, picture.root);
    const unsigned first = first_subtree(picture.network, picture.rule);
    const unsigned count = subtree_count(picture.network, picture.rule);
    for (unsigned number = first; number < first + count; ++number)
        picture.subtrees.push_back(subtree_of(picture, number));
    return picture;
}

void print_json(const Picture& picture) {
    Json subtrees = Json::array();
    for (const Subtree& subtree : picture.subtrees) {
        Json one{{"index", subtree.number}};
        if (picture.rule == Rule::sbg)
            one["parents"] = subtree.parents;
        else
            one["parent"] = subtree.parent;
        one["children"] = subtree.children;
        subtrees.push_back(one);
    }
    Json whole{{"topology", name(picture.network.topology)},
               {"dim", picture.network.dim},
               {"tree", name(picture.rule)},
               {"root", index(picture.root)},
               {"nodes", node_count(picture.network)},
               {"height", height(picture.network, picture.rule)},
               {"subtrees", subtrees}};
    if (picture.rule == Rule::own)
        whole["rule"] = own_rule_facts().file;
    fmt::print("{}\n", whole.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string dot_of(const Picture& picture, bool by_level) {
    constexpr const char* kColors[] = {"black", "red3", "blue3", "green4", "orange3", "purple3"};
    std::string text = fmt::format("digraph \"{}\" {{\n  node [shape=circle];\n  {} "
                                   "[shape=doublecircle];\n",
                                   tree_words(picture.rule), index(picture.root));
    if (by_level)
        text += "  ordering=out;\n"; // children from left to right; dot has levels of itself
    for (std::uint32_t node = 0; by_level && node < node_count(picture.network); ++node)
        text +=
            fmt::format("  {} [label=\"{}\"];\n", node, label_of(picture.network, node_at(node)));
    for (std::size_t at = 0; at < picture.subtrees.size(); ++at)
        for (std::uint32_t node = 0; node < picture.subtrees[at].children.size(); ++node)
            for (const std::uint32_t child : picture.subtrees[at].children[node])
                text += fmt::format("  {} -> {} [color={}];\n", node, child,
                                    kColors[at % std::size(kColors)]);
    return text + "}\n";
}

/// How far each node is from the root; -1 for those that are not in the subtree.
std::vector<int> levels_of(const Picture& picture, const Subtree& subtree) {
    std::vector<int> level(subtree.children.size(), -1);
    std::vector<std::uint32_t> order{index(picture.root)};
    level[order.front()] = 0;
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const std::uint32_t child : subtree.children[order[at]])
            if (level[child] < 0) {
                level[child] = level[order[at]] + 1;
                order.push_back(child);
            }
    return level;
}

/// In which of the root's subtrees each node is, by the order of sending; -1: in none.
std::vector<int> branches_of(const Picture& picture, const Subtree& subtree) {
    std::vector<int> branch(subtree.children.size(), -1);
    std::vector<std::uint32_t> order = subtree.children[index(picture.root)];
    for (std::size_t at = 0; at < order.size(); ++at)
        branch[order[at]] = static_cast<int>(at);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const std::uint32_t child : subtree.children[order[at]])
            if (branch[child] < 0) {
                branch[child] = branch[order[at]];
                order.push_back(child);
            }
    return branch;
}

void print_svg(const Picture& picture, bool by_level) {
    std::vector<Drawing> drawings;
    for (const Subtree& subtree : picture.subtrees) {
        Drawing& drawing = drawings.emplace_back();
        drawing.title = tree_words(picture.rule);
        if (picture.subtrees.size() > 1)
            drawing.title += fmt::format(", subtree {}", subtree.number);
        drawing.level = levels_of(picture, subtree);
        for (std::uint32_t node = 0; node < subtree.children.size(); ++node)
            for (const std::uint32_t child : subtree.children[node])
                drawing.edges.push_back({node, child});
        if (!by_level)
            continue;
        drawing.places = places_by_level(index(picture.root), subtree.children);
        drawing.branch = branches_of(picture, subtree);
    }
    fmt::print("{}", network_svg(picture.network, drawings));
}

/// One line a node, depth first, indented by level.
void print_text(const Picture& picture) {
    struct Place {
        std::uint32_t node;
        unsigned level;
    };
    for (const Subtree& subtree : picture.subtrees) {
        if (picture.subtrees.size() > 1)
            fmt::print("subtree {}\n", subtree.number);
        std::vector<Place> stack{{index(picture.root), 0}};
        while (!stack.empty()) {
            const Place place = stack.back();
            stack.pop_back();
            fmt::print("{:{}}{}\n", "", 2 * place.level, place.node);
            const auto& below = subtree.children[place.node];
            for (auto child = below.rbegin(); child != below.rend(); ++child)
                stack.push_back({*child, place.level + 1});
        }
    }
}

void print_why(const Picture& picture, NodeId node) {
    const Network network = picture.network;
    fmt::print("{} from root {} (node {}), at {} (node {})\n", tree_words(picture.rule),
               label_of(network, picture.root), index(picture.root), label_of(network, node),
               index(node));
    for (const Subtree& subtree : picture.subtrees) {
        if (picture.subtrees.size() > 1)
            fmt::print("subtree {}\n", subtree.number);
        for (const std::string& step :
             why_lines(network, picture.rule, subtree.number, picture.root, node))
            fmt::print("  {}\n", step);
    }
}

/// Beyond, rounds are too many to be read, and some of them need a look at all nodes.
constexpr std::uint32_t kNodesInRoundsMax = 8 * 5040; // of the star of 8

/// The way of a message of send.
void add_messages(ExchangePlan& plan, const TreeArguments& arguments) {
    const bool sends = plan.op == "send";
    if (!sends && (arguments.target || arguments.route != "ecube"))
        refuse("--target and --route: go with --op send");
    if (!sends)
        return;
    if (!arguments.target)
        refuse("--op send: needs --target NODE; nodes that a seed draws are told on the page of a "
               "run");
    plan.route = route_of(plan.network, arguments.route);
    plan.root = node_of(plan.network, arguments.root, "--root");
    plan.target = node_of(plan.network, *arguments.target, "--target");
}

ExchangePlan exchanges_of(const TreeArguments& arguments) {
    ExchangePlan plan{arguments.op, network_of(arguments.topology, arguments.dim),
                      port_model_of(arguments.ports)};
    const bool on_cube = plan.network.topology == Topology::cube;
    if (!on_cube)
        plan.tree = usual_paths(plan.network, plan.op == "alltoall");
    if (!arguments.tree.empty())
        plan.tree = tree_of(plan.network, arguments.tree, NodeId{0});
    if (!on_cube)
        plan.schedule = Schedule::queue;
    else if (plan.ports != PortModel::all || plan.tree == Rule::tcbt)
        plan.schedule = Schedule::subtree;
    constexpr std::array kCycles{std::pair{name(Schedule::level), Schedule::level},
                                 std::pair{name(Schedule::subtree), Schedule::subtree}};
    constexpr std::array kPackets{std::pair{name(Schedule::queue), Schedule::queue},
                                  std::pair{name(Schedule::necklace), Schedule::necklace}};
    if (!arguments.schedule.empty())
        plan.schedule = look_up(on_cube ? kCycles : kPackets, arguments.schedule, "--schedule");
    if ((!arguments.tree.empty() || !arguments.schedule.empty()) && !plan.moves_blocks())
        refuse("--op {}: has no tree and no schedule", arguments.op);
    if (plan.moves_blocks() && !has_exchange_words(plan))
        refuse("--tree {} --schedule {} --ports {}: not for {}", name(plan.tree),
               name(plan.schedule), arguments.ports, arguments.op);
    if (plan.schedule == Schedule::necklace && node_count(plan.network) > kNodesInRoundsMax)
        refuse("--schedule necklace: rounds are told of up to {} nodes, and there are {}; without "
               "--schedule an alltoall of any size is told",
               kNodesInRoundsMax, node_count(plan.network));
    add_messages(plan, arguments);
    if (!has_exchange_words(plan))
        refuse(
            "--op '{}': allowed: barrier, scan, send; ascend, descend, sort, fft with --topology "
            "cube and uhc; allgather, alltoall",
            arguments.op);
    return plan;
}

void print_exchanges(const TreeArguments& arguments) {
    const ExchangePlan plan = exchanges_of(arguments);
    if (!arguments.why)
        refuse("--op {}: goes with --why NODE", arguments.op);
    const NodeId node = node_of(plan.network, *arguments.why, "--why");
    fmt::print("{} at {} (node {})\n", arguments.op, label_of(plan.network, node), index(node));
    for (const std::string& step : why_exchange(plan, node))
        fmt::print("  {}\n", step);
}

} // namespace

void tree_command(const TreeArguments& arguments) {
    if (!arguments.op.empty()) {
        print_exchanges(arguments);
        return;
    }
    if (arguments.ports != "all" || !arguments.schedule.empty() || arguments.target ||
        arguments.route != "ecube")
        refuse("--ports, --schedule, --target and --route: go with --op");
    const Picture picture = picture_of(arguments);
    if (arguments.why) {
        print_why(picture, node_of(picture.network, *arguments.why, "--why"));
        return;
    }
    if (arguments.layout != "network" && arguments.layout != "levels")
        refuse_name("--layout", arguments.layout, std::array{"network", "levels"});
    const bool by_level = arguments.layout == "levels";
    if (by_level && arguments.format != "svg" && arguments.format != "dot")
        refuse("--layout levels: goes with --format svg and dot");
    if (arguments.format == "json")
        print_json(picture);
    else if (arguments.format == "dot")
        fmt::print("{}", dot_of(picture, by_level));
    else if (arguments.format == "svg")
        print_svg(picture, by_level);
    else if (arguments.format == "text")
        print_text(picture);
    else
        refuse_name("--format", arguments.format, std::array{"json", "dot", "svg", "text"});
}

} // namespace mesh::host
