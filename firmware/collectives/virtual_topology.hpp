// Virtual topologies: the cube seen as a grid or a torus of any shape, or as a full binary tree.
// Every edge of such a topology is one link of the cube, so that a message to a neighbour never
// shares a link with another. No tables: each question is answered from addresses
// (core/embedding.hpp; brandenburg-scott, 2 and 3).
//
// The grid has the words of MPI's Cartesian topologies: MPI_Dims_create, MPI_Cart_coords,
// MPI_Cart_rank (here node_of), MPI_Cart_shift. Where MPI gives MPI_PROC_NULL, there is no value.
// All functions are pure; each costs a few dozen instructions an axis or level.
#pragma once

#include "core/base/order.hpp"
#include "core/embedding.hpp"
#include "hal/check.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh {

/// A neighbour of a node in a virtual topology, and the port that leads there.
struct Neighbor {
    NodeId node;
    Port port;
    constexpr bool operator==(const Neighbor&) const = default;
};

/// The two ends of an axis: open, or joined, which makes it a ring.
enum class Ends : std::uint8_t { open, joined };

/// A grid as one node sees it. Begins without axes (one place); add_axis() gives it its shape.
/// Nodes that hold no place are not members(): they have neither coordinates nor neighbours.
class Grid {
public:
    /// The coordinates of a place.
    using Coords = GridGuest::Place; // one per axis; the rest is 0

    /// The grid as node `self` of `network` sees it, without axes.
    constexpr Grid(Network network, NodeId self) : network_(network), self_(self) {}
    /// The same for the node of `kernel`.
    explicit Grid(const Kernel& kernel) : Grid(kernel.network(), kernel.id()) {}

    /// Adds an axis of `side` places, faster than those before. Its ends can be joined where `side`
    /// is a power of two. False, and nothing added, if it cannot be: side 0, other ends, more
    /// than GridGuest::kAxesMax axes, more than the network holds, or a network that is no cube.
    [[nodiscard]] constexpr bool add_axis(std::uint32_t side, Ends ends = Ends::open) {
        GridGuest larger = guest_;
        if (network_.topology != Topology::cube || !larger.add_axis(side) ||
            larger.dimension() > network_.dim ||
            (ends == Ends::joined && !std::has_single_bit(side)))
            return false;
        joined_ |= (ends == Ends::joined ? 1u : 0u) << guest_.axes();
        guest_ = larger;
        return true;
    }

    /// Number of axes, 0 to GridGuest::kAxesMax.
    constexpr unsigned axes() const { return guest_.axes(); }
    /// Places along an axis, 0 to axes() - 1.
    constexpr std::uint32_t side(unsigned axis) const { return guest_.side(axis); }
    /// Places of the grid: the product of its sides, 1 without axes.
    constexpr std::uint32_t places() const { return guest_.vertex_count(); }
    /// True if this node holds a place.
    constexpr bool member() const { return coords().has_value(); }

    /// Where a node is; none if it holds no place.
    constexpr std::optional<Coords> coords(NodeId node) const { return guest_.place_of(node); }
    /// The place of this node; none if it holds none.
    constexpr std::optional<Coords> coords() const { return coords(self_); }
    /// The node at a place. Precondition: each coordinate is less than its side.
    constexpr NodeId node_of(const Coords& place) const {
        for (unsigned axis = 0; axis < axes(); ++axis)
            MESH_CHECK(place[axis] < side(axis), no_such_place);
        return guest_.node_of(place);
    }

    /// The neighbour one place on (`step` +1) or back (-1) along an axis. None at an open end, on
    /// an axis of one place, and if this node is not a member.
    constexpr std::optional<Neighbor> shift(unsigned axis, int step) const {
        const auto place = coords();
        if (!place || axis >= axes())
            return std::nullopt;
        const bool forward = step > 0;
        const bool at_end = (*place)[axis] == (forward ? side(axis) - 1 : 0);
        const Port port = guest_.shift(self_, axis, forward);
        if (port == kNoPort || (at_end && ((joined_ >> axis) & 1u) == 0))
            return std::nullopt;
        return Neighbor{node_at(index(self_) ^ (1u << index(port))), port};
    }

private:
    Network network_;
    NodeId self_;
    GridGuest guest_;
    std::uint32_t joined_ = 0; // bit set of axes
};

/// Sides of a grid of `axes` (1 .. GridGuest::kAxesMax) that uses every node of the cube, as equal
/// as they can be, the longer ones first.
constexpr Grid::Coords dims_create(Network network, unsigned axes) {
    Grid::Coords sides{};
    for (unsigned axis = 0; axis < axes; ++axis)
        sides[axis] = 1u << (network.dim / axes + (axis < network.dim % axes ? 1 : 0));
    return sides;
}

/// A full binary tree as one node sees it. Vertices are numbered in heap order: 0 the root, 2v+1
/// and 2v+2 the children of v. Nodes that hold no vertex have no relatives.
class BinaryTree {
public:
    /// Levels of the largest one that a network holds; 0 if it is no cube.
    static constexpr unsigned levels_max(Network network) {
        if (network.topology != Topology::cube)
            return 0;
        return network.dim <= 2 ? network.dim : network.dim - 1u;
    }

    /// `levels` is cut to what the network holds.
    constexpr BinaryTree(Network network, NodeId self, unsigned levels = kDimMax)
        : guest_{least(levels, levels_max(network))},
          self_(self),
          vertex_(guest_.valid() ? guest_.vertex_of(self) : std::nullopt) {}
    /// The same for the node of `kernel`.
    explicit BinaryTree(const Kernel& kernel, unsigned levels = kDimMax)
        : BinaryTree(kernel.network(), kernel.id(), levels) {}

    /// Levels, 0 where the network holds no tree.
    constexpr unsigned levels() const { return guest_.levels; }
    /// Vertices: 2^levels() - 1.
    constexpr std::uint32_t vertices() const { return guest_.vertex_count(); }
    /// Number of this node's vertex; none if it holds none.
    constexpr std::optional<std::uint32_t> vertex() const { return vertex_; }
    /// The node of a vertex. Precondition: less than vertices().
    constexpr NodeId node_of(std::uint32_t vertex) const {
        MESH_CHECK(vertex < vertices(), no_such_place);
        return guest_.node_of(vertex);
    }

    /// The node of the parent vertex; none at the root and where this node holds no vertex.
    constexpr std::optional<Neighbor> parent() const {
        return vertex_ ? by(guest_.parent(self_)) : std::nullopt;
    }
    /// The node of child 2v+1; none at a leaf and where this node holds no vertex.
    constexpr std::optional<Neighbor> left() const { return child(0); }
    /// The node of child 2v+2; none at a leaf and where this node holds no vertex.
    constexpr std::optional<Neighbor> right() const { return child(1); }

private:
    constexpr std::optional<Neighbor> child(unsigned number) const {
        PortSequence down = vertex_ ? guest_.children(self_) : PortSequence{};
        if (down.empty())
            return std::nullopt;
        const Port left = down.pop();
        return by(number == 0 ? left : down.pop());
    }
    constexpr std::optional<Neighbor> by(Port port) const {
        if (port == kNoPort)
            return std::nullopt;
        return Neighbor{node_at(index(self_) ^ (1u << index(port))), port};
    }

    BinaryTreeGuest guest_;
    NodeId self_;
    std::optional<std::uint32_t> vertex_;
};

} // namespace mesh
