// A rule of one's own asked node by node, from the root on: whether its answers are a tree. Where
// the answers come from is the caller's business: own_rule.cpp loads a file that was compiled.
#pragma once

#include "core/network.hpp"
#include "own_rule.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The question that is being put to the file, for those who find it unanswered.
struct Question {
    NodeId self;
    NodeId root;
    bool of_parent;
    wire::CrashRecord end; // if the file's code has ended in a way that a program is told of
};

/// One tree of a rule: how each node is reached, or what is wrong.
class RuleWalk {
public:
    RuleWalk(Network network, const OwnRule& rule, NodeId root, Question& question)
        : network_(network),
          rule_(rule),
          root_(root),
          question_(question),
          fed_by_(node_count(network), kNoPort),
          level_(node_count(network), 0) {}

    /// The fault of the rule, behind FILE:LINE; empty: it is a tree. To be called once.
    std::string fault(const std::string& file);
    const std::vector<Port>& fed_by() const { return fed_by_; }
    unsigned height() const { return *std::ranges::max_element(level_); }

    /// FILE:LINE of the first line that has the function.
    static std::string place_of(const std::string& file, std::string_view function);

private:
    void ask(NodeId node, bool of_parent);
    std::string bare(NodeId node) const;
    std::string named(NodeId node) const { return "node " + bare(node); }
    std::string reach_all();
    std::string describe_unreached(std::size_t count) const;
    std::string compare_parents();

    Network network_;
    const OwnRule& rule_;
    NodeId root_;
    Question& question_;
    std::vector<Port> fed_by_; // by node; kNoPort: not reached, or the root
    std::vector<unsigned> level_;
};

/// The roots whose trees are looked at, `first` before the others.
std::vector<NodeId> roots_of(Network network, NodeId first, RootsAsked asked);

/// True if this is the rule that Rule::own is.
bool is_own_rule(Network network, const std::string& file, NodeId root);
/// Makes Rule::own this rule, loaded for the first of `roots`, if it is a tree from each of them.
/// UsageError: it is none.
void use_own_rule(Network network, const OwnRule& rule, const std::string& file,
                  std::span<const NodeId> roots);

} // namespace mesh::host
