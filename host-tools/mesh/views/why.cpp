#include "why.hpp"

#include "core/base/bits.hpp"
#include "core/schedules/timetable.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "layout.hpp"

#include <fmt/format.h>

#include <iterator>

namespace mesh::host {

namespace {

std::string ports_text(std::uint32_t ports) {
    std::string text;
    for (PortSequence left = PortSequence::ascending(ports); !left.empty();)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", index(left.pop()));
    return text.empty() ? "none" : text;
}

std::string bits(std::uint32_t value, unsigned dim) { return fmt::format("{:0{}b}", value, dim); }

std::string relative_text(Network network, NodeId root, NodeId node) {
    const std::uint32_t relative = index(node) ^ index(root);
    return fmt::format("Relative address: {} xor {} = {}.", bits(index(node), network.dim),
                       bits(index(root), network.dim), bits(relative, network.dim));
}

/// The zeroes above the highest one.
std::string zeroes_text(std::uint32_t address, unsigned dim) {
    const std::uint32_t zeroes = bits_above(address) & low_bits(dim);
    return address == 0 ? std::string("It is 0: every bit is a leading zero.")
                        : fmt::format("Its highest one is bit {}: leading zeroes at {}.",
                                      highest_bit(address), ports_text(zeroes));
}

std::string binomial(Network network, std::uint32_t relative) {
    return fmt::format(" {} A child for each leading zero; the parent is across the highest one.",
                       zeroes_text(relative, network.dim));
}

/// f(child) = the packet time in which the link is used first, n later for the next round.
std::string labels(Network network, unsigned subtree, NodeId root, NodeId node) {
    const Hypercube cube{network.dim};
    std::string text;
    for (PortSequence ports = children(network, Rule::msbt, subtree, root, node); !ports.empty();) {
        const Port port = ports.pop();
        const std::uint32_t label =
            msbt_start(cube, PortModel::duplex, relative_address(node, root), port, subtree, 1);
        fmt::format_to(std::back_inserter(text), "{}f = {} on port {}", text.empty() ? "" : ", ",
                       label, index(port));
    }
    return text.empty() ? text : fmt::format(" Labels: {}.", text);
}

std::string many_binomial(Network network, unsigned subtree, NodeId root, NodeId node,
                          std::uint32_t relative) {
    const std::uint32_t turned = rotate_right(relative, subtree, network.dim);
    std::string text = fmt::format(" Subtree {}: rotated right by {} it is {}.", subtree, subtree,
                                   bits(turned, network.dim));
    if (relative == 0)
        text += fmt::format(" The root sends this subtree's packets by port {}.", subtree);
    else if ((turned & 1u) == 0)
        text += " Bit 0 is clear: a leaf, whose parent is across that bit.";
    else
        text += fmt::format(" Bit 0 is set: an inner node. {} A child for each, and the leaf "
                            "across bit 0; rotated back by {}.",
                            zeroes_text(turned, network.dim), subtree);
    return text + labels(network, subtree, root, node);
}

/// The necklace: of all rotations the least one begins with the base.
std::string balanced(Network network, NodeId root, NodeId node, std::uint32_t relative) {
    if (relative == 0)
        return " The root: a child across every dimension, each with a share of all necklaces.";
    unsigned base = 0;
    for (unsigned count = 1; count < network.dim; ++count)
        if (rotate_right(relative, count, network.dim) < rotate_right(relative, base, network.dim))
            base = count;
    const Port up = parent(network, Rule::sbnt_minr, 0, root, node);
    return fmt::format(" Its least rotation is {}, by {} to the right: its base, and the subtree "
                       "of the root in which it hangs. The parent is across bit {}, the first one "
                       "to the right of the base.",
                       bits(rotate_right(relative, base, network.dim), network.dim), base,
                       index(up));
}

std::string of_cube(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    const std::uint32_t relative = index(node) ^ index(root);
    std::string text = relative_text(network, root, node);
    if (rule == Rule::sbt || rule == Rule::bs)
        return text + binomial(network, relative);
    if (rule == Rule::msbt)
        return text + many_binomial(network, subtree, root, node, relative);
    if (rule == Rule::sbnt_minr)
        return text + balanced(network, root, node, relative);
    if (rule == Rule::hp)
        return text + (odd_weight(relative)
                           ? " Its weight is odd: the bit left of the lowest one changes."
                           : " Its weight is even: bit 0 changes.");
    return text;
}

std::string of_uhc(Network network, NodeId node) {
    const bool odd = odd_weight(index(node));
    return fmt::format("Address {}: its weight is {}, so it sends by the {} dimensions ({}) and "
                       "hears by the others.",
                       bits(index(node), network.dim), odd ? "odd" : "even", odd ? "odd" : "even",
                       ports_text(out_ports(network, node)));
}

std::string of_star(Network network, NodeId root, NodeId node) {
    const StarGraph star{network.dim};
    const unsigned links = star.distance(root, node);
    return fmt::format("Permutation {}, {} from the root's {}. Port d swaps the symbols at the "
                       "places 1 and d+2.",
                       label_of(network, node),
                       links == 1 ? "1 swap" : fmt::format("{} swaps", links),
                       label_of(network, root));
}

} // namespace

std::string why(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    switch (network.topology) {
    case Topology::cube: return of_cube(network, rule, subtree, root, node);
    case Topology::uhc: return of_uhc(network, node);
    case Topology::star: return of_star(network, root, node);
    }
    return {};
}

} // namespace mesh::host
