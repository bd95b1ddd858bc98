// The arithmetic of allgather and alltoall on the UHC and the star, where single packets go over
// disjoint trees: through which of them a node sends each block, and why, and what it passes on for
// others. The choice is that of core/schedules/path_choice.hpp.
#include "collectives/paths.hpp"
#include "core/schedules/path_choice.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "why.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace mesh::host {

namespace {

using Choice = PathChoice<NetworkPaths>;

/// PathChoice::trees_to() of one target after the other: what the trees have to carry so far is
/// kept, so that no target needs a look at all those before it.
class InTurn {
public:
    explicit InTurn(const Choice& choice) : choice_(choice) {}

    /// The trees to the next relative address; the first one is 1.
    std::uint32_t next() {
        PathLook look = choice_.paths().look(++relative_);
        if (!look.repeats)
            return choice_.trees_to(relative_, look);
        look.turned = carried_; // which decides between such trees
        look.repeats = false;
        const std::uint32_t trees = choice_.trees_to(relative_, look);
        for (std::uint32_t left = trees; left != 0; left &= left - 1)
            ++carried_[static_cast<unsigned>(std::countr_zero(left))];
        return trees;
    }

private:
    Choice choice_;
    std::uint32_t relative_ = 0;
    std::array<std::uint32_t, kPathsMax> carried_{};
};

class Sending {
public:
    Sending(const ExchangePlan& plan, NodeId node)
        : plan_(plan),
          net_(plan.network),
          node_(node),
          first_(first_subtree(net_, plan.tree)) {}

    void add_allgather(Reason& reason) const;
    void add_alltoall(Reason& reason) const;
    void add_rounds(Reason& reason) const;

private:
    Choice choice(NodeId source) const {
        return {NetworkPaths{net_, plan_.tree, source}, plan_.copies};
    }
    std::string label(NodeId node) const { return label_of(net_, node); }
    /// Trees by the rule's own numbers: "tree 2", "trees 2 and 4".
    std::string trees_text(std::uint32_t trees) const { return many("tree", trees << first_); }
    bool names_blocks() const { return node_count(net_) <= kNamedNodesMax; }

    /// "0010 across 1, 0111 across 0": the children of the node in a tree from `source`.
    std::string children_text(NodeId source, unsigned tree) const;
    /// The port by which the packet for `target` leaves `source`, and what its way is to the others
    /// on it: f(node, port) for each link.
    template <class F>
    Port walk(NodeId source, unsigned tree, NodeId target, F f) const;
    Port first_port(NodeId source, unsigned tree, NodeId target) const {
        return walk(source, tree, target, [](NodeId, Port) {});
    }
    std::string why_trees(const Choice& choice, std::uint32_t relative, std::uint32_t trees) const;
    std::string target_text(std::uint32_t relative, std::uint32_t trees) const;
    void add_passed_on(Reason& reason) const;

    const ExchangePlan& plan_;
    Network net_;
    NodeId node_;
    unsigned first_;
};

std::string Sending::children_text(NodeId source, unsigned tree) const {
    std::string text;
    for (PortSequence ports = children(net_, plan_.tree, first_ + tree, source, node_);
         !ports.empty();) {
        const Port port = ports.pop();
        text += fmt::format("{}{} across {}", text.empty() ? "" : ", ",
                            label(neighbor(net_, node_, port)), index(port));
    }
    return text;
}

template <class F>
Port Sending::walk(NodeId source, unsigned tree, NodeId target, F f) const {
    Port port = kNoPort;
    for (NodeId at = target; at != source;) {
        port = parent(net_, plan_.tree, first_ + tree, source, at);
        at = neighbor(net_, at, port);
        f(at, port);
    }
    return port;
}

void Sending::add_allgather(Reason& reason) const {
    const unsigned trees = choice(node_).paths().trees();
    const unsigned begin = choice(node_).paths().first_tree(node_);
    const std::string begins =
        net_.topology == Topology::star
            ? fmt::format("This is node {}", begin)
            : fmt::format("{} has {} one{}", label(node_), begin, begin == 1 ? "" : "s");
    if (trees == 1)
        reason.add("There is one tree, and every packet goes through it.");
    else
        reason.add("{}, and there are {} trees: the first packet of its block begins with the tree "
                   "in place {} modulo {}, {}; each further {} takes the next one.",
                   begins, trees, begin, trees, trees_text(1u << begin % trees),
                   plan_.copies == 1 ? "packet" : "copy, and then packet,");
    // With a copy through each tree all packets of a block go alike; else each takes other trees.
    const std::string which = trees == plan_.copies ? "" : "the first packet of ";
    PortCounts come{}, go{};
    for (std::uint32_t other = 0; other < node_count(net_); ++other)
        for (unsigned copy = 0; copy < plan_.copies; ++copy) {
            const NodeId source = node_at(other);
            const unsigned tree = spread_tree(choice(source), source, 0, copy);
            const std::string on = children_text(source, tree);
            if (source == node_) {
                reason.add("Gives {}its own block through {} to {}.", which, trees_text(1u << tree),
                           on);
                continue;
            }
            const Port up = parent(net_, plan_.tree, first_ + tree, source, node_);
            ++come[index(up)];
            for (PortSequence ports = children(net_, plan_.tree, first_ + tree, source, node_);
                 !ports.empty();)
                ++go[index(ports.pop())];
            if (names_blocks())
                reason.add("Gets {}the block of {} through {} from {} across {}{}.", which,
                           label(source), trees_text(1u << tree), label(neighbor(net_, node_, up)),
                           index(up),
                           on.empty() ? ", and is a leaf" : ", and passes it on to " + on);
        }
    if (!names_blocks())
        reason.add("Of {}the blocks of others come: {}; it passes on: {}.",
                   which.empty() ? "" : "the first packets of ", counts_text(come),
                   counts_text(go));
}

/// Why these trees: how far the node is in each, and what decides where that is the same.
std::string Sending::why_trees(const Choice& choice, std::uint32_t relative,
                               std::uint32_t trees) const {
    const unsigned count = choice.paths().trees();
    if (count == 1)
        return "the only tree";
    if (plan_.copies == count)
        return "a copy through each";
    const PathLook look = choice.paths().look(relative);
    std::string links;
    unsigned most = 0;
    for (unsigned tree = 0; tree < count; ++tree) {
        links += fmt::format("{}{}",
                             tree == 0           ? ""
                             : tree + 1 == count ? " and "
                                                 : ", ",
                             look.links[tree]);
        most = (trees >> tree & 1u) != 0 ? std::max<unsigned>(most, look.links[tree]) : most;
    }
    std::string text =
        fmt::format("{} links in {}", links, trees_text((1u << count) - 1)); // in their order
    std::uint32_t equal = 0;
    for (unsigned tree = 0; tree < count; ++tree)
        equal |= look.links[tree] == most ? 1u << tree : 0u;
    if ((equal & ~trees) == 0)
        return text + ", the nearest";
    text += fmt::format("; {} are equally near, and ", trees_text(equal));
    if (net_.topology == Topology::uhc && net_.dim % 2 != 0) // where no tree is another one turned
        return text + fmt::format("the number of ones of the relative address, {}, decides",
                                  std::popcount(relative));
    if (look.repeats)
        return text + "several trees have the node at the same place: the fewest such nodes so far "
                      "decide";
    return text + "the smaller of the turned addresses decides";
}

/// "0110, relative 0011: 6 links in tree 0 .. : tree 1, first across 2".
std::string Sending::target_text(std::uint32_t relative, std::uint32_t trees) const {
    const Choice own = choice(node_);
    const NodeId target = own.paths().place(node_, relative);
    std::string across;
    for (std::uint32_t left = trees; left != 0; left &= left - 1)
        across += fmt::format(
            "{}{}", across.empty() ? "" : " and ",
            index(first_port(node_, static_cast<unsigned>(std::countr_zero(left)), target)));
    return fmt::format("{}, relative {}: {}: through {}, first across {}", label(target),
                       label(node_at(relative)), why_trees(own, relative, trees), trees_text(trees),
                       across);
}

/// The blocks between others that cross this node.
void Sending::add_passed_on(Reason& reason) const {
    PortCounts counts{};
    for (std::uint32_t from = 0; from < node_count(net_); ++from) {
        const NodeId source = node_at(from);
        const Choice theirs = choice(source);
        InTurn in_turn{theirs};
        for (std::uint32_t relative = 1; source != node_ && relative < node_count(net_);
             ++relative) {
            const NodeId target = theirs.paths().place(source, relative);
            for (std::uint32_t left = in_turn.next(); left != 0; left &= left - 1)
                walk(source, static_cast<unsigned>(std::countr_zero(left)), target,
                     [&](NodeId at, Port port) { counts[index(port)] += at == node_ ? 1 : 0; });
        }
    }
    reason.add("Passes on for others, as they come: {}.", counts_text(counts));
}

void Sending::add_alltoall(Reason& reason) const {
    const Choice own = choice(node_);
    InTurn in_turn{own};
    reason.add("All blocks are sent at once, in the order of their targets as this node sees them; "
               "what wants the same link waits there.");
    PortCounts counts{};
    for (std::uint32_t relative = 1; relative < node_count(net_); ++relative) {
        const std::uint32_t trees = in_turn.next();
        if (names_blocks())
            reason.add("To {}.", target_text(relative, trees));
        for (std::uint32_t left = trees; left != 0; left &= left - 1)
            ++counts[index(first_port(node_, static_cast<unsigned>(std::countr_zero(left)),
                                      own.paths().place(node_, relative)))];
    }
    if (names_blocks())
        add_passed_on(reason);
    else
        reason.add("Its own blocks leave: {}.", counts_text(counts));
}

void Sending::add_rounds(Reason& reason) const {
    const Choice own = choice(node_);
    Rounds<NetworkPaths> rounds(own);
    unsigned number = 0;
    for (auto round = rounds.next(); round.links != 0; round = rounds.next()) {
        std::string text;
        for (std::uint32_t left = round.trees; left != 0; left &= left - 1) {
            const auto tree = static_cast<unsigned>(std::countr_zero(left));
            const NodeId target = own.paths().place(node_, round.nodes[tree]);
            text += fmt::format("{}to {} through {}, first across {}", text.empty() ? "" : "; ",
                                label(target), trees_text(1u << tree),
                                index(first_port(node_, tree, target)));
        }
        ++number;
        if (names_blocks())
            reason.add("Round {}, {} link{} each: {}.", number, round.links,
                       round.links == 1 ? "" : "s", text);
        else
            reason.add("Round {}: {} blocks, over {} link{} each.", number,
                       std::popcount(round.trees), round.links, round.links == 1 ? "" : "s");
    }
    reason.add("The targets of a round are one node, turned as the trees are: no two packets of "
               "all nodes want the same link.");
    if (names_blocks())
        add_passed_on(reason);
}

} // namespace

bool has_path_words(const ExchangePlan& plan) {
    if (!plan.moves_blocks() || plan.network.topology == Topology::cube ||
        plan.ports != PortModel::all || !has_paths(plan.network.topology, plan.tree) ||
        plan.copies == 0 || plan.copies > subtree_count(plan.network, plan.tree))
        return false;
    return plan.schedule == Schedule::queue ||
           (plan.schedule == Schedule::necklace && plan.op == "alltoall" &&
            plan.network.topology == Topology::star);
}

Reason why_paths(const ExchangePlan& plan, NodeId node) {
    Reason reason;
    const Sending sending{plan, node};
    if (plan.op == "allgather")
        sending.add_allgather(reason);
    else if (plan.schedule == Schedule::necklace)
        sending.add_rounds(reason);
    else
        sending.add_alltoall(reason);
    return reason;
}

} // namespace mesh::host
