#include "why.hpp"

#include "host-tools/mesh/rig/naming.hpp"

namespace mesh::host {

namespace {

/// "0010 (node 2) by port 3".
std::string end_text(Network network, NodeId node, Port port) {
    const NodeId other = neighbor(network, node, port);
    return fmt::format("{} (node {}) by port {}", label_of(network, other), index(other),
                       index(port));
}

template <class Ends>
std::string ends_text(Network network, NodeId node, Ends ports) {
    std::string text;
    for (; !ports.empty();)
        text += (text.empty() ? "" : ", ") + end_text(network, node, ports.pop());
    return text.empty() ? "none" : text;
}

} // namespace

std::string listed(std::uint32_t set) {
    std::string text;
    for (PortSequence left = PortSequence::ascending(set); !left.empty();) {
        const unsigned number = index(left.pop());
        text += fmt::format("{}{}", text.empty() ? "" : left.empty() ? " and " : ", ", number);
    }
    return text.empty() ? "none" : text;
}

std::string counts_text(const PortCounts& counts) {
    std::string text;
    for (std::size_t port = 0; port < counts.size(); ++port)
        if (counts[port] != 0)
            text += fmt::format("{}{} across {}", text.empty() ? "" : ", ", counts[port], port);
    return text.empty() ? "none" : text;
}

std::string many(std::string_view word, std::uint32_t set) {
    if (set == 0)
        return fmt::format("no {}", word);
    return fmt::format("{}{} {}", word, (set & (set - 1)) == 0 ? "" : "s", listed(set));
}

std::string subcube_text(Network network, NodeId node, unsigned low) {
    std::string text = label_of(network, node);
    return text.replace(text.size() - low, low, low, '*');
}

void add_relative(Reason& reason, NodeId root, NodeId node, unsigned dim) {
    reason.add("Relative address: {} xor {} = {}.", bits_text(index(node), dim),
               bits_text(index(root), dim), bits_text(index(node) ^ index(root), dim));
}

Reason why(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    Reason reason;
    if (network.topology == Topology::uhc && uhc::has(UniHypercube{network.dim}, rule))
        reason = why_on_uhc(UniHypercube{network.dim}, rule, subtree, root, node);
    else if (network.topology == Topology::star && star::has(rule))
        reason = why_on_star(StarGraph{network.dim}, rule, subtree, root, node);
    else if (network.topology == Topology::cube && is_balanced(rule))
        reason = why_balanced(Hypercube{network.dim}, rule, root, node);
    else if (network.topology == Topology::cube)
        reason = why_on_cube(Hypercube{network.dim}, rule, subtree, root, node);
    if (!reason.steps.empty())
        return reason;
    const Port up = parent(network, rule, subtree, root, node);
    reason.parents = up == kNoPort ? 0u : 1u << index(up);
    for (PortSequence ports = children(network, rule, subtree, root, node); !ports.empty();)
        reason.children |= 1u << index(ports.pop());
    return reason;
}

std::vector<std::string> why_lines(Network network, Rule rule, unsigned subtree, NodeId root,
                                   NodeId node) {
    Reason reason = why(network, rule, subtree, root, node);
    const PortSequence below = children(network, rule, subtree, root, node);
    const std::uint32_t above =
        rule == Rule::sbg ? parents(network, rule, subtree, root, node) : reason.parents;
    reason.add("{}: {}.", (above & (above - 1)) == 0 ? "Parent" : "Parents",
               above == 0 && node == root
                   ? "none, this is the root"
                   : ends_text(network, node, PortSequence::ascending(above)));
    reason.add("Children, in the order of sending: {}.", ends_text(network, node, below));
    return reason.steps;
}

} // namespace mesh::host
