// A rule of one's own in a page is a function of JavaScript, children(node, source, n), which the
// script that starts this module has put there as Module.rule. It gives the nodes to which a node
// sends, and is asked, walked and checked like a file of C++.
#include "host-tools/mesh/rig/own_rule.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/rule_walk.hpp"

#include <emscripten.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

constexpr int kNoList = -2; // the function has thrown, or gives no list: words_of_script() says so
constexpr std::size_t kWordsMax = 200;

// The bodies are JavaScript, which clang-format would take for C++.
// clang-format off
// Fills `out` with up to `most` nodes; how many there were, or kNoList.
EM_JS(int, ask_script, (int node, int source, int dim, int* out, int most), {
  try {
    const list = Module["rule"](node, source, dim);
    if (!Array.isArray(list)) throw new Error("does not return a list");
    list.slice(0, most).forEach((one, at) => {
      HEAP32[(out >> 2) + at] = Number.isInteger(one) && one >= 0 ? one : -1;
    });
    return list.length;
  } catch (error) {
    Module["ruleError"] = String(error.message || error);
    return -2;
  }
});
EM_JS(void, words_of_script, (char* out, int bytes), {
  stringToUTF8(Module["ruleError"], out, bytes);
});
// clang-format on

/// The first answer that is no list of neighbours, of the walk that is under way.
std::string first_fault;

std::string bare(Network network, NodeId node) {
    return fmt::format("node {} ({})", index(node), label_of(network, node));
}

/// The port to a node; kNoPort: it is no neighbour.
Port port_to(Network network, NodeId self, int node) {
    for (PortSequence ports = PortSequence::ascending(out_ports(network, self)); !ports.empty();) {
        const Port port = ports.pop();
        if (static_cast<int>(index(neighbor(network, self, port))) == node)
            return port;
    }
    return kNoPort;
}

void note_fault(std::string words) {
    if (first_fault.empty())
        first_fault = std::move(words);
}

std::string wrong_child(Network network, NodeId self, int node, bool again) {
    if (node < 0 || static_cast<std::uint32_t>(node) >= node_count(network))
        return fmt::format("{} sends to something that is no node", bare(network, self));
    const std::string other = bare(network, node_at(static_cast<std::uint32_t>(node)));
    return again
               ? fmt::format("{} sends to {} twice", bare(network, self), other)
               : fmt::format("{} sends to {}, to which it has no link", bare(network, self), other);
}

/// The ports in the order of the list: a node serves them upward or downward, from any one on.
PortSequence in_order(Network network, NodeId self, const std::vector<Port>& order,
                      std::uint32_t set) {
    const unsigned first = order.empty() ? 0 : index(order.front());
    for (const PortSequence ports :
         {PortSequence::descending(set, first), PortSequence::ascending(set, first)}) {
        PortSequence left = ports;
        if (std::ranges::all_of(order, [&](Port port) { return left.pop() == port; }))
            return ports;
    }
    note_fault(fmt::format("{} sends in an order that goes neither upward nor downward through its "
                           "ports",
                           bare(network, self)));
    return {};
}

PortSequence children_by_script(Network network, const Hop& hop) {
    // One more than there are ports: a node that is named twice is still seen to be.
    std::array<int, kPortsMax + 1> nodes{};
    const int count =
        ask_script(static_cast<int>(index(hop.self)), static_cast<int>(index(hop.root)),
                   network.dim, nodes.data(), static_cast<int>(nodes.size()));
    if (count == kNoList) {
        std::array<char, kWordsMax> words{};
        words_of_script(words.data(), static_cast<int>(words.size()));
        note_fault(fmt::format("children({}, {}, {}): {}", index(hop.self), index(hop.root),
                               network.dim, words.data()));
        return {};
    }
    std::vector<Port> order;
    std::uint32_t named = 0;
    for (const int node : std::span(nodes).first(
             static_cast<std::size_t>(std::min(count, static_cast<int>(nodes.size()))))) {
        const Port port = port_to(network, hop.self, node);
        if (port == kNoPort || ((named >> index(port)) & 1u) != 0) {
            note_fault(wrong_child(network, hop.self, node, port != kNoPort));
            return {};
        }
        named |= 1u << index(port);
        order.push_back(port);
    }
    return in_order(network, hop.self, order, named);
}

} // namespace

/// For all roots: the page asks for the next one without a word.
Rule load_own_rule(Network network, const std::string& file, NodeId root, RootsAsked /*asked*/) {
    if (is_own_rule(network, file, root))
        return Rule::own;
    OwnRule rule;
    rule.children = children_by_script;
    Question question{};
    const std::vector<NodeId> roots = roots_of(network, root, RootsAsked::all);
    for (const NodeId from : roots) {
        first_fault.clear();
        RuleWalk walk(network, rule, from, question);
        const std::string fault = walk.fault(file);
        if (!first_fault.empty())
            refuse("{}: {}{}", RuleWalk::place_of(file, "children"),
                   index(from) == 0 ? "" : fmt::format("the tree of root {}: ", index(from)),
                   first_fault);
        if (!fault.empty())
            refuse("{}", fault);
    }
    use_own_rule(network, rule, file, roots);
    return Rule::own;
}

std::filesystem::path own_rule_image(const std::string& /*board*/) {
    refuse("a page makes no images: `mesh run` outside of it does");
}

} // namespace mesh::host
