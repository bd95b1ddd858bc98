// The binomial tree along which the messages of a collective go, from one rank to all and back. If
// the ranks are a subcube of the cube, as a row of a grid is, each message crosses one link, and
// 2^n ranks have heard after n steps (library/group_tree.hpp says in which orders of the ranks).
#pragma once

#include "fiber/fiber.hpp"
#include "library/group_tree.hpp"
#include "mpi/objects/objects.hpp"

#include <bit>
#include <cstdint>

namespace mesh::mpi {

/// The tree of one collective, as this rank sees it.
class RankTree {
public:
    /// The tree of a group that this rank is in, which stays for as long as the tree is used.
    /// `root` is a rank of it.
    RankTree(const Group& group, Rank root)
        : group_(group),
          tree_(fiber::node().network().topology, group_.all(),
                static_cast<std::uint32_t>(group.own), static_cast<std::uint32_t>(root)) {}
    /// The tree of a communicator of one group.
    RankTree(const Comm& comm, Rank root) : RankTree(*comm.group, root) {}

    /// A tree up which values are combined in the order of the ranks. Its root is `root` in a
    /// subcube, elsewhere rank 0.
    static RankTree in_order(const Comm& comm, Rank root) {
        const RankTree tree(comm, root);
        return root == 0 || tree.in_subcube() ? tree : RankTree(comm, 0);
    }

    /// The ranks are a subcube, in an order in which each edge is one link.
    bool in_subcube() const { return tree_.in_cube(); }
    /// The rank at the top.
    Rank root() const { return at(0); }
    /// The rank above this one; MPI_PROC_NULL: this one is the root.
    Rank parent() const {
        const std::uint32_t place = tree_.place();
        return place == 0 ? MPI_PROC_NULL : at(place & (place - 1));
    }
    /// Calls `act(child, is_first)`, from the child with the fewest ranks behind it on. `is_first`:
    /// the values of this rank come before those of the child.
    template <class Act>
    void each_child(Act act) const {
        for (std::uint32_t bit = 1; bit < reach(); bit <<= 1)
            if (tree_.place() + bit < tree_.size())
                act(at(tree_.place() + bit), tree_.is_first(bit));
    }
    /// Calls `act(child)`, from the child with the most ranks behind it on.
    template <class Act>
    void each_child_down(Act act) const {
        for (std::uint32_t bit = reach() >> 1; bit != 0; bit >>= 1)
            if (tree_.place() + bit < tree_.size())
                act(at(tree_.place() + bit));
    }
    /// The node with this address in the subcube, counted from the root.
    NodeId node_in_cube(std::uint32_t address) const { return tree_.at(address); }
    /// The rank across dimension number `bit` (a power of two) of a subcube.
    Rank across(std::uint32_t bit) const { return at(tree_.place() ^ bit); }

private:
    Rank at(std::uint32_t place) const { return group_.rank_of(tree_.at(place)); }
    /// A bound: children have places that are less than this above their parent's.
    std::uint32_t reach() const {
        const std::uint32_t place = tree_.place();
        return place == 0 ? std::bit_ceil(tree_.size()) : place & (0 - place);
    }

    const Group& group_;
    detail::GroupTree tree_;
};

} // namespace mesh::mpi
