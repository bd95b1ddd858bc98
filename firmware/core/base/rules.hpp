// The shape that all three networks share: a topology, and rules that say where a packet goes.
//
// A topology is a small value (Hypercube, UniHypercube, StarGraph) that knows its nodes and ports.
// A tree is a struct of static functions on a topology and one Hop: children and parent, computed
// from the hop alone. network.hpp holds one list of trees per topology; a new tree is one more name
// there.
#pragma once

#include "core/base/types.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>

namespace mesh {

enum class Topology : std::uint8_t { cube, uhc, star };

/// Routing rules; the number travels in every packet, so new ones go to the end. Trees carry their
/// --tree name. The trees in trees_of() (network.hpp) are those that a topology has.
enum class Rule : std::uint8_t {
    unicast, // shortest path: e-cube on the cube
    // cube (ho-johnsson-1986 and 1988, brandenburg-scott)
    sbt,       // spanning binomial tree
    bs,        // the same tree from the arrival port alone
    hp,        // Gray-code Hamiltonian path
    tcbt,      // two-rooted complete binary tree
    msbt,      // n edge-disjoint trees at once
    sbnt_minr, // spanning balanced tree, also called bst
    sbnt_maxl, // its three variants
    sbnt_minbl,
    sbnt_maxbr,
    sbg, // balanced graph: a cyclic node has a parent in several subtrees
    alt, // edge-disjoint from sbnt_minr below level 1
    // uhc (huang-yang-tseng-2001)
    bt1,
    bt2,
    bt3,
    adst, // arc-disjoint trees, one per out-port of the root
    bts,
    bt4,
    ist,
    // star (fragopoulou-akl-1993)
    spt, // shortest path tree
    edt, // edge-disjoint trees, one per dimension 2..dim
    // variants
    bt1_counted, // bt1 without the source in the header
    edt_v2,      // edt, shallower for dim 4
    msbt_rot,    // msbt whose last packets take rotated binomial trees
    disjoint,    // one of the node-disjoint paths between two nodes; Envelope::subtree says which
    own,         // the tree of a user's file (core/own_rule.hpp)
    kCount
};

/// A network of 2^dim (cube, uhc) or dim! (star) nodes. A word, so that it goes in a register.
struct alignas(4) Network {
    Topology topology = Topology::cube;
    std::uint8_t dim = 1;

    constexpr bool operator==(const Network&) const = default;
};

/// The tree that is taken if none is named: the shallowest; for copies, those that share no link.
constexpr Rule usual_tree(Topology topology, bool copies = false) {
    switch (topology) {
    case Topology::uhc: return copies ? Rule::ist : Rule::bts;
    case Topology::star: return copies ? Rule::edt : Rule::spt;
    case Topology::cube: break;
    }
    return copies ? Rule::msbt : Rule::sbt;
}
/// Of a plan: the usual tree of the network.
inline constexpr Rule kUsualTree = Rule::kCount;
constexpr Rule named_tree(Network network, Rule tree) {
    return tree == kUsualTree ? usual_tree(network.topology) : tree;
}

/// A network has up to 16 disjoint paths between two nodes; the other bits of the number are free.
inline constexpr std::uint8_t kPathMask = 0x0F;

/// The facts of a packet from which a node decides. A rule reads only those that it needs: `bs`
/// none of source, destination and subtree; a rule of one tree no subtree.
struct Envelope {
    Rule rule = Rule::unicast;
    std::uint8_t subtree = 0;     // of `disjoint`: the path, in the bits of kPathMask
    NodeId source = kNoNode;      // root of a tree
    NodeId destination = kNoNode; // of a unicast; of a packet for one node of a tree
    std::uint8_t tag = 0;         // what the last node said, see Tags; 0 at the source
    bool inward = false;          // on a tree: to its root, which is the destination
};

/// The tags that some rules give the next node. They change at every hop, so they travel beside the
/// packet and not in it. One tag for all ports but one.
struct Tags {
    std::uint8_t others = 0;
    std::uint8_t straight = 0;
    Port straight_port = kNoPort;

    constexpr std::uint8_t at(Port port) const { return port == straight_port ? straight : others; }
};

/// Where a packet goes from here: out of `ports`, in their order, and to this node if `deliver`.
struct Route {
    PortSequence ports;
    bool deliver = false;
    Tags tags; // zero for rules that use none

    /// True for the answer to an envelope that this network cannot route.
    constexpr bool nowhere() const { return ports.empty() && !deliver; }
};

/// All that a tree rule may look at. parent() never reads `arrival`; children() may.
struct Hop {
    NodeId self;
    NodeId root;
    Port arrival; // kNoPort at the root
    std::uint8_t subtree;
    std::uint8_t tag = 0;
};

/// The questions that a topology answers. Nodes and ports given to it are in range; valid() takes
/// any value.
template <class N>
concept TopologyType = requires(const N net, NodeId node, NodeId other, Port port) {
    { net.valid() } -> std::same_as<bool>;
    { net.node_count() } -> std::same_as<std::uint32_t>;
    { net.port_count() } -> std::same_as<unsigned>;
    /// Ports by which a packet can leave (enter) the node, as bits.
    { net.out_ports(node) } -> std::same_as<std::uint32_t>;
    { net.in_ports(node) } -> std::same_as<std::uint32_t>;
    /// The node at the other end of a port.
    { net.neighbor(node, port) } -> std::same_as<NodeId>;
    /// Links on a shortest path, and the greatest of these numbers.
    { net.distance(node, other) } -> std::same_as<unsigned>;
    { net.diameter() } -> std::same_as<unsigned>;
    /// First port of the shortest path to `other`, which is not `node`.
    { net.next_hop(node, other) } -> std::same_as<Port>;
};

/// The questions that a tree answers. Root and self are in range, and so is a subtree that it
/// reads.
template <class T, class N>
concept TreeOn = TopologyType<N> && requires(const N net, const Hop& hop) {
    { T::kRule } -> std::convertible_to<Rule>;
    { T::kName } -> std::convertible_to<std::string_view>;
    /// False: children() works with the root blanked.
    { T::kReadsRoot } -> std::convertible_to<bool>;
    /// False: there is one tree, and Hop::subtree may have any value.
    { T::kReadsSubtree } -> std::convertible_to<bool>;
    /// Subtrees are numbered first_subtree() .. first_subtree() + subtree_count() - 1.
    { T::subtree_count(net) } -> std::same_as<unsigned>;
    { T::first_subtree() } -> std::same_as<unsigned>;
    /// Out-ports in the order in which the node sends.
    { T::children(net, hop) } -> std::same_as<PortSequence>;
    /// In-port that the tree feeds this node by; kNoPort at the root and outside the subtree.
    { T::parent(net, hop) } -> std::same_as<Port>;
    /// Most links from the root to any node.
    { T::height(net) } -> std::same_as<unsigned>;
};

/// The answers that most trees share: one tree, numbered 0, that needs to know its root.
struct SingleTree {
    static constexpr bool kReadsRoot = true;
    static constexpr bool kReadsSubtree = false;
    static constexpr unsigned subtree_count(auto) { return 1; }
    static constexpr unsigned first_subtree() { return 0; }
};

template <class... Trees>
struct TreeList {};

} // namespace mesh
