#include "rule_walk.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "naming.hpp"
#include "own_rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <utility>

namespace mesh::host {

namespace {

/// The loaded rule; `rule` is what loaded_rule points to.
struct Loaded {
    Network network;
    NodeId root{0};
    OwnRule rule;
    OwnRuleFacts facts;
    std::vector<Port> fed_by; // by node, for that root
};
Loaded loaded;

/// The parent in a tree by arrival that does not know it, for the root that was asked for.
Port walked_parent(Network, NodeId self, NodeId root) {
    return root == loaded.root ? loaded.fed_by[index(self)] : kNoPort;
}

bool has(std::uint32_t ports, Port port) {
    return index(port) < kPortsMax * 2 && ((ports >> index(port)) & 1u) != 0;
}

std::string list(std::uint32_t ports) {
    std::vector<unsigned> numbers;
    for (PortSequence left = PortSequence::ascending(ports); !left.empty();)
        numbers.push_back(index(left.pop()));
    return fmt::format("{}", fmt::join(numbers, ", "));
}

} // namespace

void RuleWalk::ask(NodeId node, bool of_parent) {
    question_.self = node;
    question_.root = root_;
    question_.of_parent = of_parent;
}

std::string RuleWalk::bare(NodeId node) const {
    return fmt::format("{} ({})", index(node), label_of(network_, node));
}

std::string RuleWalk::fault(const std::string& file) {
    std::string words = reach_all();
    std::string_view function = "children";
    if (words.empty() && rule_.parent != nullptr) {
        words = compare_parents();
        function = "parent";
    }
    if (words.empty())
        return {};
    const std::string tree =
        index(root_) == 0 ? "" : fmt::format("the tree of root {}: ", bare(root_));
    return fmt::format("{}: {}{}", place_of(file, function), tree, words);
}

std::string RuleWalk::place_of(const std::string& file, std::string_view function) {
    std::ifstream lines(file);
    unsigned number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::size_t comment = line.find("//");
        const std::size_t at = line.find(fmt::format("{}(", function));
        if (at < comment && at != std::string::npos)
            return fmt::format("{}:{}", file, number);
    }
    return file;
}

std::string RuleWalk::reach_all() {
    std::vector<NodeId> order{root_};
    for (std::size_t at = 0; at < order.size(); ++at) {
        const NodeId node = order[at];
        ask(node, false);
        PortSequence ports = rule_.children(
            network_, {node, root_, fed_by_[index(node)], 0,
                       static_cast<std::uint8_t>(std::min(level_[index(node)], 0xFFu))});
        while (!ports.empty()) {
            const Port port = ports.pop();
            if (!has(out_ports(network_, node), port))
                return fmt::format("{} sends by port {}; its out-ports are {}", named(node),
                                   index(port), list(out_ports(network_, node)));
            const NodeId child = neighbor(network_, node, port);
            if (child == root_)
                return fmt::format("the root, {}, is fed by {}", named(child), named(node));
            Port& fed = fed_by_[index(child)];
            if (fed != kNoPort)
                return fmt::format("{} is fed by {} and by {}", named(child),
                                   named(neighbor(network_, child, fed)), named(node));
            fed = port;
            level_[index(child)] = level_[index(node)] + 1;
            order.push_back(child);
        }
    }
    if (order.size() != fed_by_.size())
        return describe_unreached(fed_by_.size() - order.size());
    if (rule_.by_arrival && height() > kCountedLinksMax)
        return fmt::format("{} is {} links from the root; a packet counts {} of them",
                           named(order.back()), height(), kCountedLinksMax);
    return {};
}

std::string RuleWalk::describe_unreached(std::size_t count) const {
    std::uint32_t first = 0;
    while (node_at(first) == root_ || fed_by_[first] != kNoPort)
        ++first;
    return fmt::format("{} is never fed{}", named(node_at(first)),
                       count > 2    ? fmt::format(", nor are {} others", count - 1)
                       : count == 2 ? ", nor is 1 other"
                                    : "");
}

std::string RuleWalk::compare_parents() {
    for (std::uint32_t number = 0; number < fed_by_.size(); ++number) {
        const NodeId node = node_at(number);
        if (node == root_)
            continue;
        ask(node, true);
        const Port port = rule_.parent(network_, node, root_);
        const Port fed = fed_by_[number];
        if (port == fed)
            continue;
        const std::string said =
            has(in_ports(network_, node), port)
                ? fmt::format("{}, to {}", index(port), named(neighbor(network_, node, port)))
                : fmt::format("{}, by which nothing comes in", index(port));
        return fmt::format("parent() of {} is port {}, but {} has it as a child, over port {}",
                           named(node), said, named(neighbor(network_, node, fed)), index(fed));
    }
    return {};
}

std::vector<NodeId> roots_of(Network network, NodeId first, RootsAsked asked) {
    std::vector<NodeId> roots{first};
    if (const std::uint32_t nodes = node_count(network);
        asked == RootsAsked::all && nodes <= kAllRootsNodesMax)
        for (std::uint32_t number = 0; number < nodes; ++number)
            if (node_at(number) != first)
                roots.push_back(node_at(number));
    return roots;
}

bool is_own_rule(Network network, const std::string& file, NodeId root) {
    return loaded_rule != nullptr && loaded.facts.file == file && loaded.network == network &&
           loaded.root == root;
}

void use_own_rule(Network network, const OwnRule& rule, const std::string& file,
                  std::span<const NodeId> roots) {
    const NodeId root = roots.front();
    loaded_rule = nullptr;
    Loaded next;
    next.network = network;
    next.root = root;
    next.rule = rule;
    next.facts.file = file;
    next.facts.climbs = !rule.by_arrival || rule.parent != nullptr;
    Question question{};
    for (const NodeId from : roots) {
        RuleWalk walk(network, rule, from, question);
        if (const std::string fault = walk.fault(file); !fault.empty())
            refuse("{}", fault);
        next.rule.height = std::max(next.rule.height, walk.height());
        if (from == root) {
            next.facts.root_height = walk.height();
            next.fed_by = walk.fed_by();
        }
    }
    if (!next.facts.climbs)
        next.rule.parent = walked_parent;
    loaded = std::move(next);
    loaded_rule = &loaded.rule;
}

bool is_rule_file(std::string_view word) {
    return word.find_first_of("./") != std::string_view::npos;
}

const OwnRuleFacts& own_rule_facts() {
    promise(loaded_rule != nullptr, "a rule is loaded");
    return loaded.facts;
}

std::string tree_words(Rule rule) {
    return rule == Rule::own ? fmt::format("own ({})", own_rule_facts().file)
                             : std::string(name(rule));
}

} // namespace mesh::host
