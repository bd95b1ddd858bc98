// The loaders of a whole mesh in one process with the host tool's end of the load: the tree that
// the host tool makes, and what loaders do with it, with trees of nobody, and with lost messages.
#include "boards/loader/loader.hpp"
#include "core/network.hpp"
#include "hal/flash.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/image_load.hpp"
#include "host-tools/mesh/cables/load_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace mesh::host {
namespace loader_test {

using wire::LoadHeader;
using wire::LoadTag;
using Bytes = std::vector<std::byte>;

constexpr unsigned kPorts = 11;
constexpr std::uint32_t kTurnUs = 10'000;
constexpr std::size_t kImageRoom = 12'000;

Bytes some_bytes(std::size_t count, unsigned seed) {
    std::minstd_rand draw(seed);
    Bytes bytes(count);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(draw() >> 8);
    return bytes;
}

/// The ends of a node's cables, the host's last: a message in and a message out at each. A message
/// may also come by a port that there is not.
struct Ends {
    std::array<std::optional<Bytes>, kPorts + 2> in;
    std::array<std::optional<Bytes>, kPorts + 1> out;

    static unsigned end_of(Port port) { return port == kHostPort ? kPorts : index(port); }
};

class TestPorts {
public:
    static constexpr unsigned kPorts = loader_test::kPorts;

    TestPorts(Ends& ends, const std::uint32_t& now_us) : ends_(ends), now_us_(now_us) {}
    bool receive(Port& port, std::span<const std::byte>& message) {
        for (unsigned end = 0; end < ends_.in.size(); ++end) {
            if (!ends_.in[end])
                continue;
            taken_ = *std::exchange(ends_.in[end], std::nullopt);
            message = taken_;
            port = end == kPorts ? kHostPort : end > kPorts ? port_at(200) : port_at(end);
            return true;
        }
        return false;
    }
    bool ready(Port port) const { return !ends_.out.at(Ends::end_of(port)); }
    void send(Port port, const LoadHeader& header, std::span<const std::byte> block) {
        ends_.out.at(Ends::end_of(port)) = joined(wire::bytes_of(header), block);
    }
    std::uint32_t now_us() const { return now_us_; }
    void wait() {}

private:
    Ends& ends_;
    const std::uint32_t& now_us_;
    Bytes taken_;
};

/// A node from its reset to the start of its image.
struct Node {
    explicit Node(const std::uint32_t& now_us)
        : room(wire::kLoadNodesMax + kImageRoom, std::byte{0xA5}),
          loader(room, ends, now_us) {}

    std::span<const std::byte> image(std::size_t bytes) const {
        return std::span(room).subspan(wire::kLoadNodesMax, bytes);
    }

    Bytes room;
    Ends ends;
    board::Loader<TestPorts, hal::NullFlash> loader;
    bool started = false;
};

class Mesh {
public:
    Mesh(Network network, Bytes image, double loss = 0)
        : network_(network),
          image_(std::move(image)),
          loss_(loss),
          load_(load_tree(network), image_, kNeverUs) {
        for (std::uint32_t node = 0; node < node_count(network); ++node)
            nodes_.push_back(std::make_unique<Node>(now_us_));
    }

    void reset(std::uint32_t node) { nodes_[node] = std::make_unique<Node>(now_us_); }
    /// Until all nodes start the image: true if they have it. `each`: called before each turn.
    bool run(const std::function<void(unsigned turn)>& each = {}) {
        constexpr unsigned kTurnsMax = 3000;
        for (unsigned turn = 0; turn < kTurnsMax; ++turn) {
            if (each)
                each(turn);
            if (std::ranges::all_of(nodes_, &Node::started))
                return load_.done() && std::ranges::all_of(nodes_, [&](const auto& node) {
                           return std::ranges::equal(node->image(image_.size()), image_);
                       });
            now_us_ += kTurnUs;
            for (const auto& node : nodes_)
                node->started = node->started || node->loader.look();
            carry();
        }
        return false;
    }
    ImageLoad::Summary summary() const { return load_.summary(); }
    /// The load is broken off, and another one begins at the host cable of this node, which counts
    /// as node 0 from then on: the networks look the same from each node.
    void load_at(std::uint32_t node, Bytes image) {
        first_ = node;
        image_ = std::move(image);
        load_ = ImageLoad(load_tree(network_), image_, kNeverUs);
    }
    /// Nodes that run an image are reset before the next load.
    void reset_started() {
        for (std::uint32_t node = 0; node < nodes_.size(); ++node)
            if (nodes_[node]->started)
                reset(node);
    }

private:
    static constexpr std::uint64_t kNeverUs = 1'000'000'000;

    bool lost() { return std::uniform_real_distribution<>()(draw_) < loss_; }
    void carry() {
        for (std::uint32_t from = 0; from < nodes_.size(); ++from) {
            for (unsigned port = 0; port < kPorts; ++port) {
                const auto message = std::exchange(nodes_[from]->ends.out[port], std::nullopt);
                if (message && port < port_count(network_) && !lost())
                    nodes_[index(neighbor(network_, node_at(from), port_at(port)))]->ends.in[port] =
                        message;
            }
        }
        Ends& first = nodes_[first_]->ends;
        if (const auto message = std::exchange(first.out[kPorts], std::nullopt); message && !lost())
            load_.heard(make_load_frame(*message), now_us_);
        if (load_.done())
            return;
        if (const auto frame = load_.next_frame(now_us_); frame && !lost())
            first.in[kPorts] = Bytes(frame->begin() + wire::kHeadBytes, frame->end());
    }

    Network network_;
    Bytes image_;
    double loss_;
    std::minstd_rand draw_{7};
    std::uint32_t now_us_ = 0;
    ImageLoad load_;
    std::uint32_t first_ = 0; // the node with the host cable
    std::vector<std::unique_ptr<Node>> nodes_;
};

TEST(LoadTree, ReachesEachNodeOnceFromItsParent) {
    for (const Topology topology : {Topology::cube, Topology::star})
        for (std::uint8_t dim = 1; dim <= 12; ++dim) {
            const Network network{topology, dim};
            if (!valid(network) || node_count(network) > wire::kLoadNodesMax)
                continue;
            const LoadTree tree = load_tree(network);
            ASSERT_EQ(tree.nodes.size(), node_count(network));
            ASSERT_EQ(tree.branches.size(), tree.nodes.size());
            ASSERT_EQ(std::set(tree.nodes.begin(), tree.nodes.end()).size(), tree.nodes.size());
            ASSERT_EQ(tree.nodes.front(), NodeId{0});
            std::vector<NodeId> way{NodeId{0}};
            std::size_t deepest = 0;
            for (std::size_t place = 1; place < tree.nodes.size(); ++place) {
                const unsigned depth = wire::load_depth(tree.branches[place]);
                ASSERT_GE(depth, 1u);
                ASSERT_LE(depth, way.size());
                way.resize(depth);
                ASSERT_EQ(
                    neighbor(network, way.back(), port_at(wire::load_port(tree.branches[place]))),
                    tree.nodes[place]);
                way.push_back(tree.nodes[place]);
                deepest = std::max<std::size_t>(deepest, depth);
            }
            EXPECT_EQ(deepest, height(network, usual_tree(topology)));
        }
}

TEST(Loaders, BringALoadToAllNodesInStepsOfBlocksAndLinks) {
    for (const Network network :
         {Network{Topology::cube, 1}, Network{Topology::cube, 4}, Network{Topology::star, 3},
          Network{Topology::star, 4}, Network{Topology::star, 5}}) {
        Mesh mesh(network, some_bytes(2500, 1));
        ASSERT_TRUE(mesh.run()) << name(network.topology) << ' ' << unsigned{network.dim};
        EXPECT_EQ(mesh.summary().blocks, 1u + 3u);
        EXPECT_EQ(mesh.summary().steps,
                  mesh.summary().blocks + height(network, usual_tree(network.topology)) - 1);
    }
}

/// Each of the 10 nodes on the way to the last one has both blocks of the tree before it begins.
TEST(Loaders, WaitForATreeOfTwoBlocks) {
    Mesh mesh({Topology::cube, 11}, some_bytes(100, 1));
    ASSERT_TRUE(mesh.run());
    EXPECT_EQ(mesh.summary().blocks, 2u + 1u);
    EXPECT_EQ(mesh.summary().steps, 3u + 10u * 2u);
}

TEST(Loaders, NeedOnlySomeMessagesToCome) {
    for (const Topology topology : {Topology::cube, Topology::star}) {
        Mesh mesh({topology, 4}, some_bytes(5000, 2), 0.2);
        EXPECT_TRUE(mesh.run());
    }
}

/// A node and, at the same moment, its neighbour: nobody gets the load from its own child.
TEST(Loaders, LoadANodeAgainThatIsResetWhileTheLoadComes) {
    const Network star{Topology::star, 4};
    for (std::uint32_t node = 0; node < node_count(star); ++node)
        for (const unsigned when : {4u, 9u, 14u, 19u}) {
            Mesh mesh(star, some_bytes(9000, 3));
            const bool whole = mesh.run([&](unsigned turn) {
                if (turn != when)
                    return;
                mesh.reset(node);
                mesh.reset(index(neighbor(star, node_at(node), port_at(when % 3))));
            });
            ASSERT_TRUE(whole) << "node " << node << " reset in turn " << when;
        }
}

/// All its nodes have a parent that is alive, and could wait for it for ever.
TEST(Loaders, TakeAnotherLoadAtAnotherNodeIfTheFirstIsBrokenOff) {
    for (const Network network : {Network{Topology::cube, 3}, Network{Topology::star, 4}})
        for (const std::uint32_t other : {1u, node_count(network) - 1})
            for (const unsigned when : {6u, 15u}) {
                Mesh mesh(network, some_bytes(9000, 4));
                EXPECT_TRUE(mesh.run([&](unsigned turn) {
                    if (turn == when)
                        mesh.load_at(other, some_bytes(9000, 5));
                })) << name(network.topology)
                    << " node " << other << " in turn " << when;
            }
}

/// A node that is reset once the word to start goes round has lost its image, and its load fails.
TEST(Loaders, TakeASecondLoadWheneverANodeWasResetInTheFirst) {
    const Network star{Topology::star, 3};
    unsigned failed = 0;
    for (const std::uint32_t node : {0u, 1u, 5u})
        for (unsigned when = 1; when < 120; when += 3) {
            Mesh mesh(star, some_bytes(3000, 6));
            if (mesh.run([&](unsigned turn) {
                    if (turn == when)
                        mesh.reset(node);
                }))
                continue;
            ++failed;
            mesh.reset_started();
            mesh.load_at(0, some_bytes(3000, 7));
            EXPECT_TRUE(mesh.run()) << "node " << node << " reset in turn " << when;
        }
    EXPECT_GT(failed, 0u);
}

/// A node by itself, and a script in the place of its neighbours.
struct Lone {
    Bytes message(LoadHeader header, std::span<const std::byte> block = {}) const {
        header.load = load;
        header.checksum = wire::load_checksum(header, block);
        return joined(wire::bytes_of(header), block);
    }
    void hears(unsigned port, Bytes what) {
        node.ends.in[port] = std::move(what);
        now_us += kTurnUs;
        (void)node.loader.look();
    }
    /// What it has said by this port.
    std::optional<LoadHeader> says(unsigned port) {
        const auto said = std::exchange(node.ends.out[port], std::nullopt);
        return said ? std::optional(wire::load<LoadHeader>(*said, 0)) : std::nullopt;
    }
    void forget_words() { node.ends.out = {}; }
    void loads(const Bytes& tree, const Bytes& image) {
        load = {.crc = wire::crc32(image, wire::crc32(tree)),
                .image_crc = wire::crc32(image),
                .image_bytes = static_cast<std::uint32_t>(image.size()),
                .nodes = static_cast<std::uint16_t>(tree.size())};
    }

    std::uint32_t now_us = 0;
    Node node{now_us};
    wire::Load load;
};

/// A node with one child, at port 0, and the load of that.
struct Parent : Lone {
    Parent() {
        loads(tree, image);
        forget_words();
        hears(kPorts, message({.tag = LoadTag::block, .place = 0}, tree));
    }
    /// The child says that it has so much, and that its part waits for this node.
    void child_has(std::uint32_t position, std::uint16_t place) {
        hears(0, message({.tag = LoadTag::have, .place = place, .position = position}));
    }

    const Bytes tree{wire::load_branch(0, 0), wire::load_branch(1, 0)};
    const Bytes image = some_bytes(500, 1);
    const std::uint32_t total = 502;
};

TEST(Loader, AnswersEachNewsOfAChildOnce) {
    Parent lone;
    const auto first = lone.says(0);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->tag, LoadTag::block);
    EXPECT_EQ(first->place, 1);
    lone.child_has(0, 1);
    EXPECT_FALSE(lone.says(0)) << "that it has nothing was known";
    lone.child_has(2, 1);
    EXPECT_FALSE(lone.says(0)) << "there is no more";
    lone.hears(kPorts,
               lone.message({.tag = LoadTag::block, .place = 0, .position = 2}, lone.image));
    EXPECT_EQ(lone.says(0)->position, 2u);
}

TEST(Loader, WaitsAgainForAChildThatBeginsAnew) {
    Parent lone;
    lone.forget_words();
    lone.hears(kPorts,
               lone.message({.tag = LoadTag::block, .place = 0, .position = 2}, lone.image));
    EXPECT_EQ(lone.says(kPorts)->place, 1);
    lone.child_has(lone.total, wire::kNoPlace);
    EXPECT_EQ(lone.says(kPorts)->place, wire::kNoPlace);
    lone.load = {};
    lone.child_has(0, wire::kNoPlace);
    EXPECT_EQ(lone.says(kPorts)->place, 1);
}

/// The last byte of each is written.
TEST(Loader, TakesWhatHasRoomAndNoMore) {
    for (const std::uint32_t more : {0u, 1u})
        for (const std::uint32_t image_more : {0u, 1u}) {
            Lone lone;
            const Bytes tree(wire::kLoadNodesMax + more, wire::load_branch(0, 0));
            const Bytes image = some_bytes(kImageRoom + image_more, 1);
            const Bytes bytes = joined(tree, image);
            lone.loads(tree, image);
            lone.forget_words();
            std::uint32_t has = 0;
            for (std::size_t at = 0; at < bytes.size(); at += wire::kLoadBlockBytes) {
                const auto block = std::span(bytes).subspan(
                    at, std::min(bytes.size() - at, wire::kLoadBlockBytes));
                lone.hears(kPorts, lone.message({.tag = LoadTag::block,
                                                 .place = 0,
                                                 .position = static_cast<std::uint32_t>(at)},
                                                block));
                if (const auto said = lone.says(kPorts))
                    has = said->position;
            }
            EXPECT_EQ(has, more + image_more == 0 ? bytes.size() : 0);
        }
}

TEST(Loader, BeginsAnewWithALoadOfOtherSizesOrAtAnotherPlace) {
    for (const std::uint16_t place : {std::uint16_t{0}, std::uint16_t{1}}) {
        Parent lone;
        EXPECT_EQ(lone.says(kPorts)->position, 2u);
        lone.load.image_bytes += place == 0 ? 1 : 0;
        lone.hears(kPorts, lone.message({.tag = LoadTag::block, .place = place}));
        EXPECT_EQ(lone.says(kPorts)->position, 0u);
    }
}

TEST(Loader, BeginsAnewIfAllIsThereAndIsNotWhatWasSaid) {
    Parent lone;
    lone.load.crc += 1;
    lone.hears(kPorts, lone.message({.tag = LoadTag::block, .place = 0}, lone.tree));
    lone.forget_words();
    lone.hears(kPorts,
               lone.message({.tag = LoadTag::block, .place = 0, .position = 2}, lone.image));
    EXPECT_EQ(lone.says(kPorts)->position, 0u);
}

TEST(Loader, HearsNothingByAPortThatThereIsNot) {
    Parent other;
    Lone lone;
    lone.load = other.load;
    lone.forget_words();
    lone.hears(kPorts + 1, lone.message({.tag = LoadTag::block, .place = 0}, other.tree));
    lone.hears(kPorts, lone.message({.tag = LoadTag::block, .place = 0}));
    EXPECT_EQ(lone.says(kPorts)->position, 0u);
}

TEST(Loader, TakesAnotherLoadByAnotherPortOnceItsParentIsSilent) {
    Lone lone;
    const Bytes tree{wire::load_branch(0, 0), wire::load_branch(1, 2)};
    const LoadHeader first{.tag = LoadTag::block, .place = 1};
    lone.loads(tree, some_bytes(3000, 1));
    lone.forget_words();
    lone.hears(2, lone.message(first, tree));
    EXPECT_EQ(lone.says(2)->position, 2u);
    lone.loads(tree, some_bytes(3000, 2));
    lone.hears(1, lone.message(first, tree));
    EXPECT_FALSE(lone.says(1)) << "its parent has just said a word";
    lone.now_us += wire::kLoadOrphanUs;
    lone.hears(1, lone.message(first));
    const auto said = lone.says(1);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->position, 0u);
    EXPECT_EQ(said->load, lone.load);
}

TEST(Loader, TakesNoTreeWithAChildAtAPortThatThereIsNot) {
    for (const unsigned port : {kPorts - 1, kPorts}) {
        Lone lone;
        const Bytes tree{wire::load_branch(0, 0), wire::load_branch(1, 0),
                         wire::load_branch(1, port)};
        lone.loads(tree, some_bytes(1000, 1));
        lone.forget_words();
        lone.hears(kPorts, lone.message({.tag = LoadTag::block, .place = 0}, tree));
        EXPECT_EQ(lone.says(kPorts)->position, port < kPorts ? 3u : 0u);
        lone.now_us += wire::kLoadAgainUs;
        lone.hears(kPorts, lone.message({.tag = LoadTag::block, .place = 0}));
        EXPECT_EQ(lone.says(0).has_value(), port < kPorts) << "to its other child";
        EXPECT_EQ(lone.says(kPorts)->place, 0) << "it is waited for";
    }
}

/// Right checksums, and behind them anything. Its room ends where its memory does.
TEST(Loader, KeepsToItsRoomWhateverComes) {
    std::minstd_rand draw(11);
    const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
        return values.begin()[draw() % values.size()];
    };
    Lone lone;
    std::uint32_t place = 0;
    std::uint32_t has = 0;
    unsigned passed_on = 0;
    for (unsigned count = 0; count < 60'000; ++count) {
        const bool other = draw() % 200 == 0;
        if (other || draw() % 200 == 0)
            place = one_of({0, 0, 1, 6, lone.load.nodes - 1u, lone.load.nodes});
        if (other) {
            const std::uint32_t image_bytes =
                one_of({0, 1, 1024, 5000, kImageRoom, kImageRoom + 1, ~0u - 7, ~0u});
            const std::uint32_t nodes =
                one_of({0, 1, 7, 1024, 2000, wire::kLoadNodesMax, wire::kLoadNodesMax + 1, 0xFFFF});
            lone.load = {.crc = one_of({1, 2}),
                         .image_bytes = image_bytes,
                         .version = one_of({0, 0, 0, 5}),
                         .nodes = static_cast<std::uint16_t>(nodes)};
        }
        if (const auto said = lone.says(kPorts); said && said->tag == LoadTag::have)
            has = said->position;
        const std::uint32_t total = lone.load.nodes + lone.load.image_bytes;
        Bytes block = some_bytes(one_of({0, 1, 7, 1000, 1024}), count);
        if (draw() % 4 != 0) // for a tree that it takes
            for (std::byte& branch : block)
                branch = wire::load_branch(one_of({1, 1, 2}), draw() % kPorts);
        if (!block.empty() && has == 0)
            block.front() = wire::load_branch(0, 0);
        lone.now_us += draw() % 50 == 0 ? wire::kLoadOrphanUs : 0;
        lone.hears(one_of({kPorts, kPorts, kPorts, kPorts, 0, kPorts - 1, kPorts + 1}),
                   lone.message({.tag = static_cast<LoadTag>(one_of({1, 1, 1, 1, 2, 3, 4, 5})),
                                 .depth = static_cast<std::uint8_t>(draw()),
                                 .place = static_cast<std::uint16_t>(place),
                                 .position = one_of({has, has, has, has, 0, lone.load.nodes,
                                                     total - 1, total + 1})},
                                block));
        for (unsigned port = 0; port < kPorts; ++port)
            if (const auto said = lone.says(port))
                passed_on += said->tag == LoadTag::block ? 1 : 0;
    }
    EXPECT_GT(passed_on, 50u) << "it took trees";
}

} // namespace loader_test
} // namespace mesh::host
