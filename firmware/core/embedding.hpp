// Guests in the cube whose every edge is one link: full binary trees and rectangular grids.
//
// A full binary tree of k levels is what hangs below the source's child in the two-rooted tree of
// k+1 dimensions, so that a node finds its parent and children by the rule of tcbt. A grid counts
// each coordinate in Gray code, in bits of its own. Neither keeps a table.
// (brandenburg-scott, 2 and 3)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/cube/hypercube.hpp"
#include "core/cube/tcbt.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh {

/// Full binary tree; vertices in heap order: 0 the root, 2v+1 and 2v+2 the children of v.
/// Example (binary tree, 3 levels): the root, vertex 0, is 0100 of the 4-cube, whose children in
/// tcbt lie across 1 and 3. Vertex 4: 4 + 1 = 101, and the digits after the first one are 0 (left)
/// and 1 (right). Left of 0100 is 0110, across 1. Its children lie across 0 and 2. Right is 0010,
/// across 2.
struct BinaryTreeGuest {
    unsigned levels = 1; // 1 .. kDimMax-1

    constexpr bool valid() const { return levels >= 1 && levels < kDimMax; }
    constexpr std::uint32_t vertex_count() const { return low_bits(levels); }
    /// Dimensions of the least cube that holds it.
    constexpr unsigned dimension() const { return levels <= 2 ? levels : levels + 1; }

    /// Node of a vertex. O(levels * dimension^2): for the host, and for a node once at start.
    constexpr NodeId node_of(std::uint32_t vertex) const;
    /// Vertex of a node, none if it holds no vertex. O(levels * dimension^2).
    constexpr std::optional<std::uint32_t> vertex_of(NodeId node) const;
    /// Ports to left and right child, from the left; empty at a leaf. Of a node that holds a
    /// vertex; those of another one mean nothing.
    constexpr PortSequence children(NodeId node) const;
    /// Port to the parent; kNoPort at the root. Of a node that holds a vertex, as children().
    constexpr Port parent(NodeId node) const;

private:
    constexpr Hypercube cube() const { return {static_cast<std::uint8_t>(dimension())}; }
    constexpr NodeId root() const {
        return levels <= 2 ? node_at(0) : node_at(1u << (dimension() - 2));
    }
};

constexpr PortSequence BinaryTreeGuest::children(NodeId node) const {
    if (levels <= 2)
        return PortSequence::ascending(node == root() && levels == 2 ? 3u : 0u);
    return PortSequence::ascending(tcbt_children(cube(), Relative{index(node)}));
}

constexpr Port BinaryTreeGuest::parent(NodeId node) const {
    if (node == root())
        return kNoPort;
    if (levels <= 2)
        return port_at(lowest_bit(index(node)));
    return tcbt_parent(cube(), Relative{index(node)});
}

constexpr NodeId BinaryTreeGuest::node_of(std::uint32_t vertex) const {
    // The binary digits of vertex+1 below the first say left (0) or right (1) at each level.
    const std::uint32_t path = vertex + 1;
    NodeId node = root();
    for (unsigned level = highest_bit(path); level-- > 0;) {
        PortSequence down = children(node);
        const Port left = down.pop();
        const Port taken = ((path >> level) & 1u) == 0 ? left : down.pop();
        node = cube().neighbor(node, taken);
    }
    return node;
}

constexpr std::optional<std::uint32_t> BinaryTreeGuest::vertex_of(NodeId node) const {
    std::uint32_t path = 0;
    std::uint32_t end = 1;
    for (unsigned level = 0; level < levels && index(node) < cube().node_count(); ++level) {
        if (node == root())
            return (path | end) - 1;
        if (levels > 2 && index(node) == 0)
            return std::nullopt; // beside the tree: the source of tcbt
        const Port up = parent(node);
        node = cube().neighbor(node, up);
        PortSequence down = children(node);
        if (!down.contains(up))
            return std::nullopt;
        path |= down.pop() == up ? 0u : end;
        end <<= 1;
    }
    return std::nullopt;
}

/// Rectangular grid; vertices in row-major order, the last coordinate fastest.
/// Example (grid, 3 x 4): two bits for each axis. Vertex 9 is in row 9 / 4 = 2, column 1. In Gray
/// code 2 is 11 and 1 is 01: node 1101. Column 2 is 11, node 1111, across port 1. The axis of four
/// goes round: columns 3 (10) and 0 (00) differ in bit 1. The axis of three does not.
class GridGuest {
public:
    static constexpr unsigned kAxesMax = 8;
    using Place = std::array<std::uint32_t, kAxesMax>;

    /// Adds an axis of `side` places (1 or more), faster than those before. False if it does not
    /// fit: too many axes, or more than kDimMax dimensions.
    constexpr bool add_axis(std::uint32_t side) {
        if (side == 0 || side > (1u << kDimMax) || axes_ == kAxesMax ||
            dimension() + bits_for(side) > kDimMax)
            return false;
        sides_[axes_++] = side;
        return true;
    }

    constexpr unsigned axes() const { return axes_; }
    constexpr std::uint32_t side(unsigned axis) const { return sides_[axis]; }
    constexpr std::uint32_t vertex_count() const {
        std::uint32_t count = 1;
        for (unsigned axis = 0; axis < axes_; ++axis)
            count *= sides_[axis];
        return count;
    }
    /// Dimensions of the least cube that holds it.
    constexpr unsigned dimension() const { return axes_ == 0 ? 0 : first_bit(0) + bits(0); }

    constexpr NodeId node_of(const Place& place) const {
        std::uint32_t node = 0;
        for (unsigned axis = 0; axis < axes_; ++axis)
            node = (node << bits(axis)) | gray(place[axis]);
        return node_at(node);
    }
    constexpr NodeId node_of(std::uint32_t vertex) const {
        Place place{};
        for (unsigned axis = axes_; axis-- > 0; vertex /= sides_[axis])
            place[axis] = vertex % sides_[axis];
        return node_of(place);
    }
    /// Where a node is in the grid, none if it holds no vertex.
    constexpr std::optional<Place> place_of(NodeId node) const {
        if (index(node) >= (1u << dimension()))
            return std::nullopt;
        Place place{};
        for (unsigned axis = 0; axis < axes_; ++axis) {
            place[axis] = coordinate(node, axis);
            if (place[axis] >= sides_[axis])
                return std::nullopt;
        }
        return place;
    }

    /// Port towards the next (or previous) place of an axis; kNoPort at the edge. An axis whose
    /// side is a power of two goes round. Precondition: the node holds a vertex.
    constexpr Port shift(NodeId node, unsigned axis, bool forward) const {
        MESH_EXPECT(place_of(node).has_value());
        const std::uint32_t side = sides_[axis];
        const std::uint32_t from = coordinate(node, axis);
        if (side == 1)
            return kNoPort;
        if (from == (forward ? side - 1 : 0) && (side & (side - 1)) != 0)
            return kNoPort;
        const std::uint32_t to = (forward ? from + 1 : from + side - 1) % side;
        return port_at(first_bit(axis) + lowest_bit(gray(from) ^ gray(to)));
    }

private:
    static constexpr unsigned bits_for(std::uint32_t side) {
        return static_cast<unsigned>(std::bit_width(side - 1));
    }
    constexpr unsigned bits(unsigned axis) const { return bits_for(sides_[axis]); }
    constexpr unsigned first_bit(unsigned axis) const {
        unsigned bit = 0;
        for (unsigned faster = axis + 1; faster < axes_; ++faster)
            bit += bits(faster);
        return bit;
    }
    constexpr std::uint32_t coordinate(NodeId node, unsigned axis) const {
        return gray_position((index(node) >> first_bit(axis)) & low_bits(bits(axis)));
    }

    Place sides_{};
    unsigned axes_ = 0;
};

} // namespace mesh
