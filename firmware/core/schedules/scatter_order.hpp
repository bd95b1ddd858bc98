// The order in which the source of a scatter sends its packets, one destination after the other,
// each computed from the last. Nothing is listed.
//
// The subtree of each port is walked in postorder (children in send order, the node itself last):
// the next one after a node is the deepest first descendant of its next sibling, or its parent. Or
// farthest first: level by level, looking for the nodes whose path begins with the port.
// (ho-johnsson-1986, 5.2; ho-johnsson-1988, 6)
#pragma once

#include "core/schedules/cycles.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// Example (orders of a scatter, n = 3): sbt. Below port 0 hang 001, its children 011 and 101, and
/// 111 below 011: postorder 111 011 101 001. Port 1 has 110 010, port 2 has 100. `port` sends one
/// list after the other; `postorder` takes one of each in turn: 111 110 100 011 010 101 001. `gray`
/// counts down: 111 110 101 100 011 010 001.
/// Example (farthest first, n = 4): sbt. In postorder the list of port 0 is 1111 0111 1011 0011
/// 1101 0101 1001 0001. `rbf` sends its three nodes of level 3 before those of level 2: 1111 0111
/// 1011 1101 0011 0101 1001 0001.
template <class Rules = AllRules>
class ScatterOrder {
public:
    /// `schedule`: one that is not in cycles.
    constexpr ScatterOrder(Hypercube cube, Rule tree, Schedule schedule)
        : plan_{cube, tree, schedule},
          levels_(height<Rules>(plan_.network(), tree)) {
        for (unsigned port = 0; port < cube.dim; ++port)
            next_[port] = first_of(port);
    }

    /// The next destination, relative to the source; 0 at the end.
    constexpr std::uint32_t next() {
        if (plan_.schedule == Schedule::gray)
            return descending_ > 1 ? --descending_ : 0;
        for (unsigned tried = 0; tried < plan_.cube.dim; ++tried) {
            const unsigned taken = in_turn(turn_);
            const std::uint32_t found = next_[taken];
            if (found == 0 || plan_.schedule != Schedule::port)
                turn_ = turn_ + 1 < plan_.cube.dim ? turn_ + 1 : 0;
            if (found != 0) {
                next_[taken] = after(taken, found);
                return found;
            }
        }
        return 0;
    }

private:
    /// Upward, or downward in the two trees that are seen in the mirror: so a node that got a
    /// packet has passed it on before its next one comes, also with one transceiver.
    constexpr unsigned in_turn(unsigned turn) const {
        return detail::is_mirrored(plan_.tree) ? plan_.cube.dim - 1 - turn : turn;
    }
    constexpr PortSequence children_of(std::uint32_t node) const {
        return children<Rules>(plan_.network(), plan_.tree, 0, NodeId{0}, node_at(node));
    }
    /// Distance from the source and first port of the path.
    struct Place {
        unsigned level;
        unsigned port;
    };
    constexpr Place place_of(std::uint32_t node) const {
        const TreePath path = path_to<Rules>(plan_, node, 0);
        return {path.links, path.ports[0]};
    }

    constexpr std::uint32_t deepest_first(std::uint32_t node) const {
        for (unsigned level = 0; level < levels_; ++level) {
            PortSequence below = children_of(node);
            if (below.empty())
                break;
            node ^= 1u << index(below.pop());
        }
        return node;
    }

    constexpr std::uint32_t first_of(unsigned port) const {
        if (plan_.schedule == Schedule::rbf)
            return farthest(port, levels_, 0);
        return children_of(0).contains(port_at(port)) ? deepest_first(1u << port) : 0;
    }

    constexpr std::uint32_t after(unsigned port, std::uint32_t node) const {
        if (plan_.schedule == Schedule::rbf)
            return farthest(port, place_of(node).level, node);
        const Port up = parent<Rules>(plan_.network(), plan_.tree, 0, NodeId{0}, node_at(node));
        const std::uint32_t above = node ^ (1u << (index(up) & 31u));
        if (above == 0)
            return 0;
        PortSequence siblings = children_of(above);
        while (!siblings.empty() && siblings.pop() != up) {
        }
        return siblings.empty() ? above : deepest_first(above ^ (1u << index(siblings.pop())));
    }

    /// The first node after `node` on this level, else on the levels nearer to the source.
    constexpr std::uint32_t farthest(unsigned port, unsigned level, std::uint32_t node) const {
        for (; level != 0; --level, node = 0) {
            while (++node < plan_.cube.node_count()) {
                const Place place = place_of(node);
                if (place.level == level && place.port == port)
                    return node;
            }
        }
        return 0;
    }

    CyclePlan plan_;
    unsigned levels_;
    std::array<std::uint32_t, kDimMax> next_{}; // of each port; 0: exhausted
    std::uint32_t descending_ = plan_.cube.node_count();
    unsigned turn_ = 0;
};

} // namespace mesh
