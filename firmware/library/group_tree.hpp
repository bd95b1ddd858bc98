// The binomial tree along which the values of a group go, from one member to all and back.
//
// The members have places in it: the root has place 0, and a member whose place has the lowest one
// at bit d is the child of the one without that bit. In any group the place is the rank, counted
// from that of the root on, and round the end. In a group whose members are a subcube of the cube,
// in an order in which each aligned block of 2^d ranks is a subcube as well, bit d of a place is
// the dimension by which the two halves of such a block differ, counted from the root. So each
// message crosses one link, and a broadcast takes the steps of the tree of Ho and Johnsson (1986,
// 3.1) inside the subcube: one for each dimension. Rows and columns of a grid that is embedded by
// the Gray code (core/embedding.hpp) are such groups; so is any subcube in the order of addresses.
//
// Example: a ring of eight places on the 3-cube has the members 0 1 3 2 6 7 5 4. By ranks, 0 would
// send to rank 4, which is node 6, over two links. Ranks 0 to 3 are the nodes 0 1 3 2, and 4 to 7
// the nodes 6 7 5 4: dimension 2 parts them. So place 4 is the node 0 ^ 4 = 4, whose rank is 7.
// At each place the values of one block are combined before those of another, so they are combined
// in the order of ranks: ranks 0 to 3 meet in node 0, 4 to 7 in node 4, and node 0 knows that its
// block is the first.
//
// Groups in the order of a ring, on the simulated cube of 256 nodes (tests/mesh/apps/rings.cpp):
// packets on links, and steps, of one broadcast or one reduction of a value, along the tree of
// ranks and along this one.
//
//   members | packets, by ranks | here | steps, by ranks | here
//         4 |                 4 |    3 |               3 |    2
//        16 |                22 |   15 |               7 |    4
//        64 |                94 |   63 |              11 |    6
//       256 |               382 |  255 |              15 |    8
#pragma once

#include "core/base/types.hpp"
#include "kernel/node/kernel.hpp"

#include <bit>
#include <cstdint>
#include <span>

namespace mesh::detail {

class GroupTree {
public:
    /// `members`: of the group, in the order of their ranks; `rank`: of this node; `root`: that of
    /// the member at place 0.
    constexpr GroupTree(Topology topology, std::span<const NodeId> members, std::uint32_t rank,
                        std::uint32_t root = 0)
        : members_(members),
          place_((rank + size() - root) % size()),
          rank_(rank),
          root_(root) {
        in_cube_ = topology == Topology::cube && find_dimensions();
        if (in_cube_)
            place_ = place_of(index(members[rank]));
    }

    /// The members are a subcube, in such an order: each message crosses one link.
    constexpr bool in_cube() const { return in_cube_; }
    constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
    /// Of this node.
    constexpr std::uint32_t place() const { return place_; }
    /// The member at a place.
    constexpr NodeId at(std::uint32_t place) const {
        if (!in_cube_)
            return members_[(place + root_) % size()];
        std::uint32_t node = index(members_[root_]);
        for (unsigned bit = 0; place >> bit != 0; ++bit)
            node ^= (place >> bit & 1u) << dimension(bit);
        return node_at(node);
    }
    /// Of two blocks of ranks that differ in `bit`, that of this node is the first.
    constexpr bool is_first(std::uint32_t bit) const { return (rank_ & bit) == 0; }

private:
    constexpr unsigned dimension(unsigned bit) const {
        return static_cast<unsigned>(dimensions_ >> 4 * bit & 15u);
    }
    constexpr std::uint32_t place_of(std::uint32_t node) const {
        std::uint32_t place = 0;
        for (unsigned bit = 0; members_.size() >> bit > 1; ++bit)
            place |= ((node ^ index(members_[root_])) >> dimension(bit) & 1u) << bit;
        return place;
    }
    /// False if the members are no subcube in such an order. The first member of each block of 2^d
    /// ranks and the one before it differ in dimensions of the block of 2^(d+1) only, which has one
    /// dimension more than its halves: the lowest one in which those two differ and its halves do
    /// not.
    constexpr bool find_dimensions() {
        if (!std::has_single_bit(members_.size()))
            return false;
        std::uint32_t seen = 0;
        for (std::uint32_t rank = 1; rank < members_.size(); ++rank) {
            const std::uint32_t crossed = index(members_[rank]) ^ index(members_[rank - 1]);
            if (std::has_single_bit(rank)) {
                const std::uint32_t added = crossed & ~seen;
                if (added == 0)
                    return false;
                const auto bit = static_cast<unsigned>(std::countr_zero(rank));
                dimensions_ |= std::uint64_t(std::countr_zero(added)) << 4 * bit;
                seen |= added;
            }
            const std::uint64_t inside = dimensions_of(std::countr_zero(rank) + 1);
            if ((crossed & ~inside) != 0 || crossed == 0)
                return false;
        }
        return true;
    }
    /// The dimensions of a block of 2^count ranks, as a set of bits.
    constexpr std::uint32_t dimensions_of(int count) const {
        std::uint32_t set = 0;
        for (int bit = 0; bit < count; ++bit)
            set |= 1u << dimension(static_cast<unsigned>(bit));
        return set;
    }

    std::uint64_t dimensions_ = 0; // four bits for each bit of a place
    std::span<const NodeId> members_;
    std::uint32_t place_;
    std::uint32_t rank_;
    std::uint32_t root_;
    bool in_cube_ = false;
};

} // namespace mesh::detail
