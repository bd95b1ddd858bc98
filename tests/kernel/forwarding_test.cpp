// Forwarding at full load: pools as small as the proof allows, and nothing is stuck, lost, doubled
// or out of order.
#include "ops/parameters.hpp"
#include "ops/traffic.hpp"
#include "rig.hpp"
#include "tests/exhaustive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

mesh::Process app_main_job(mesh::Kernel& kernel);

namespace mesh::test {
namespace forwarding_test {

constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};
constexpr Tag kStormTag = 77;

/// The properties of packet `number` of `source`, on which both ends must agree.
struct Shot {
    Rule rule;
    std::uint8_t subtree;
    NodeId to; // of a unicast
    std::uint16_t bytes;
};

/// A program's orders and its log. One storm at a time; the programs find it here.
struct Storm {
    Network network;
    std::vector<Rule> rules; // drawn from, per packet
    unsigned seed = 1;
    std::uint32_t shots = 100;         // packets that every node starts
    std::vector<std::uint32_t> wanted; // packets that every node must get
    std::vector<std::string> faults;

    std::uint32_t draw(NodeId source, std::uint32_t number, std::uint32_t what) const {
        return mix32(seed + mix32(index(source) + mix32(4 * number + what)));
    }
    Shot shot(NodeId source, std::uint32_t number) const {
        const Rule rule = rules[draw(source, number, 0) % rules.size()];
        const unsigned subtrees = std::max(1u, subtree_count(network, rule));
        return {rule,
                static_cast<std::uint8_t>(first_subtree(network, rule) +
                                          draw(source, number, 1) % subtrees),
                traffic_target(node_count(network), seed, source, number),
                static_cast<std::uint16_t>(draw(source, number, 2) % 100)};
    }
    /// How many copies of it `node` gets.
    unsigned copies(const Shot& shot, NodeId source, NodeId node) const {
        if (shot.rule == Rule::unicast)
            return node == shot.to ? 1 : 0;
        const std::uint32_t ports = parents(network, shot.rule, shot.subtree, source, node);
        return static_cast<unsigned>(std::popcount(ports));
    }
    void count_wanted() {
        wanted.assign(node_count(network), 0);
        for (std::uint32_t source = 0; source < wanted.size(); ++source)
            for (std::uint32_t number = 0; number < shots; ++number)
                for (std::uint32_t node = 0; node < wanted.size(); ++node)
                    wanted[node] +=
                        copies(shot(node_at(source), number), node_at(source), node_at(node));
    }
};

Storm storm;

Process shoot(Kernel& node) {
    for (std::uint32_t number = 0; number < storm.shots; ++number) {
        const Shot shot = storm.shot(node.id(), number);
        OutgoingPacket packet = co_await node.allocate(shot.rule);
        packet.header().subtree = shot.subtree;
        packet.header().destination = shot.rule == Rule::unicast ? shot.to : kNoNode;
        packet.header().tag = kStormTag;
        packet.header().position = number;
        const auto payload = packet.resize(shot.bytes);
        const std::uint32_t stream = traffic_stream(storm.seed, node.id(), number);
        for (std::uint32_t at = 0; at < payload.size(); ++at)
            payload[at] = static_cast<std::byte>(traffic_byte(stream, at));
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

// Checks one packet; the order is kept among packets that take the same way.
class Inspector {
public:
    explicit Inspector(NodeId self) : self_(self) {}
    void look_at(Packet& packet) {
        const wire::PacketHeader& header = packet.header();
        const Shot shot = storm.shot(header.source, header.position);
        expect(header.position < storm.shots, header, "never sent");
        expect(header.rule == shot.rule && header.subtree == shot.subtree, header, "another rule");
        const unsigned copies = storm.copies(shot, header.source, self_);
        expect(++seen_[{header.source, header.position}] <= copies, header, "too many copies");
        std::uint32_t& next = next_[{header.source, header.rule, header.subtree}];
        expect(copies > 1 || header.position >= next, header, "out of order");
        next = header.position + 1;
        const std::uint32_t stream = traffic_stream(storm.seed, header.source, header.position);
        bool same = packet.payload().size() == shot.bytes;
        for (std::uint32_t at = 0; same && at < shot.bytes; ++at)
            same = packet.payload()[at] == static_cast<std::byte>(traffic_byte(stream, at));
        expect(same, header, "wrong bytes");
        const unsigned links = distance(storm.network, header.source, self_);
        expect(shot.rule != Rule::unicast || packet.links_crossed() == links, header,
               "another count of links");
        expect(shot.rule == Rule::sbg || packet.arrival() == last_port(shot, header.source), header,
               "another port");
    }

private:
    /// The port by which a packet of `source` comes to this node.
    Port last_port(const Shot& shot, NodeId source) const {
        if (shot.rule != Rule::unicast)
            return parent(storm.network, shot.rule, shot.subtree, source, self_);
        Port port = kNoPort;
        for (NodeId at = source; at != self_; at = neighbor(storm.network, at, port))
            port = route(storm.network, at, port, {Rule::unicast, 0, source, self_}).ports.pop();
        return port;
    }
    void expect(bool right, const wire::PacketHeader& header, const char* what) {
        if (!right)
            storm.faults.push_back("node " + std::to_string(index(self_)) + ": packet " +
                                   std::to_string(header.position) + " of node " +
                                   std::to_string(index(header.source)) + ": " + what);
    }
    NodeId self_;
    std::map<std::pair<NodeId, std::uint32_t>, unsigned> seen_;
    std::map<std::tuple<NodeId, Rule, std::uint8_t>, std::uint32_t> next_;
};

Process storm_program(Kernel& node) {
    ProcessId shooter;
    if (!node.spawn(shoot(node), shooter))
        co_return Status::no_memory;
    Inspector inspector{node.id()};
    for (std::uint32_t got = 0; got < storm.wanted[index(node.id())]; ++got) {
        Packet packet = co_await node.receive({.tag = kStormTag});
        inspector.look_at(packet);
    }
    co_return co_await node.join(shooter);
}

/// Smallest pool of the proof for single packets: longest path + 1, the two of the node itself, and
/// the reserve.
std::size_t smallest_pool(Network network, const std::vector<Rule>& rules) {
    unsigned longest = 0;
    for (const Rule rule : rules)
        longest = std::max(longest, rules_of(network.topology).longest(network, rule));
    return limits::pool_buffers_min(longest, 0, 0);
}

struct Load {
    std::uint64_t refused = 0, no_buffer = 0;
};

// Runs the storm that `storm` describes and checks everything about it.
Load run_storm(std::size_t buffers, const Noise& noise = {}) {
    storm.faults.clear();
    storm.count_wanted();
    Rig rig{storm.network, storm_program, buffers, storm.seed};
    rig.noise = noise;
    rig.shuffle = storm.seed % 2 != 0;
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const wire::NodeReport report = rig.report(id);
        EXPECT_EQ(report.done, 1u) << "node " << id << " is stuck, seed " << storm.seed;
        EXPECT_EQ(report.unacknowledged, 0u) << "node " << id << ", seed " << storm.seed;
        EXPECT_EQ(rig.kernel(id).counters()[Counter::packets_delivered], storm.wanted[id]);
        EXPECT_EQ(rig.kernel(id).pool().used(), 2u) << "node " << id << ", seed " << storm.seed;
    }
    EXPECT_TRUE(storm.faults.empty())
        << storm.faults.size() << " faults, first: " << storm.faults.front() << ", seed "
        << storm.seed;
    EXPECT_EQ(rig.total(Counter::links_dead), 0u);
    return {rig.total(Counter::refusals), rig.total(Counter::drop_no_buffer)};
}

TEST(Forwarding, PacketsFromAllToAllAreNeverStuckInTheSmallestPool) {
    for (std::uint8_t dim = 1; dim <= exhaustive(4, 5); ++dim) {
        Load load;
        for (unsigned seed = 1; seed <= 8; ++seed) {
            storm = {.network = {Topology::cube, dim},
                     .rules = {Rule::unicast},
                     .seed = seed,
                     .shots = 60,
                     .wanted = {},
                     .faults = {}};
            const Load one = run_storm(smallest_pool(storm.network, storm.rules));
            load.refused += one.refused;
            load.no_buffer += one.no_buffer;
            if (HasFailure())
                return;
        }
        if (dim >= 3) {
            EXPECT_GT(load.refused, 500u) << "not saturated, n = " << int{dim};
            EXPECT_GE(load.no_buffer, load.refused);
        }
    }
}

TEST(Forwarding, PacketsFromAllToAllAreNeverStuckInAnySmallPool) {
    for (std::size_t more = 1; more <= 12; ++more) {
        storm = {.network = {Topology::cube, 3},
                 .rules = {Rule::unicast},
                 .seed = static_cast<unsigned>(100 + more),
                 .shots = 150,
                 .wanted = {},
                 .faults = {}};
        static_cast<void>(run_storm(smallest_pool(storm.network, storm.rules) + more));
    }
}

TEST(Forwarding, IsNeverStuckOnNoisyCablesEither) {
    for (std::uint8_t dim = 2; dim <= 4; ++dim)
        for (unsigned seed = 1; seed <= 4; ++seed) {
            storm = {.network = {Topology::cube, dim},
                     .rules = {Rule::unicast},
                     .seed = seed,
                     .shots = 30,
                     .wanted = {},
                     .faults = {}};
            static_cast<void>(run_storm(smallest_pool(storm.network, storm.rules), kLoud));
            if (HasFailure())
                return;
        }
}

/// Unicast and every tree that the kernel routes on `network`.
std::vector<Rule> kernel_rules(Network network) {
    std::vector<Rule> rules;
    for (unsigned number = 0; number < static_cast<unsigned>(Rule::kCount); ++number)
        if (const Rule rule = static_cast<Rule>(number);
            rule == Rule::unicast || subtree_count(network, rule) != 0)
            rules.push_back(static_cast<Rule>(number));
    return rules;
}

TEST(Forwarding, BroadcastsFromAllRootsOverAllTreesMixedWithPacketsAreNeverStuck) {
    for (std::uint8_t dim = 2; dim <= exhaustive(4, 5); ++dim) {
        std::uint64_t refused = 0;
        for (unsigned seed = 1; seed <= 6; ++seed) {
            const Network network{Topology::cube, dim};
            storm = {.network = network,
                     .rules = kernel_rules(network),
                     .seed = seed,
                     .shots = 100u >> (dim / 2),
                     .wanted = {},
                     .faults = {}};
            ASSERT_GE(storm.rules.size(), 4u);
            refused += run_storm(smallest_pool(storm.network, storm.rules)).refused;
            if (HasFailure())
                return;
        }
        EXPECT_GT(refused, 100u) << "not saturated, n = " << int{dim};
    }
}

TEST(Forwarding, MixedRulesOnNoisyCablesAreNeverStuck) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Network network{Topology::cube, 3};
        storm = {.network = network,
                 .rules = kernel_rules(network),
                 .seed = seed,
                 .shots = 25,
                 .wanted = {},
                 .faults = {}};
        static_cast<void>(run_storm(smallest_pool(storm.network, storm.rules), kLoud));
    }
}

TEST(Forwarding, TheOtherNetworksAreNeverStuckEither) {
    constexpr std::array kNetworks{
        Network{Topology::uhc, 2}, Network{Topology::uhc, 3},  Network{Topology::uhc, 4},
        Network{Topology::uhc, 5}, Network{Topology::star, 3}, Network{Topology::star, 4},
    };
    for (const Network network : kNetworks)
        for (unsigned seed = 1; seed <= exhaustive(1u, 4u); ++seed)
            for (const Noise& noise : {Noise{}, kLoud}) {
                storm = {.network = network,
                         .rules = kernel_rules(network),
                         .seed = seed,
                         .shots = 12,
                         .wanted = {},
                         .faults = {}};
                ASSERT_GE(storm.rules.size(), 4u);
                static_cast<void>(run_storm(smallest_pool(network, storm.rules), noise));
                ASSERT_FALSE(HasFailure()) << name(network.topology) << ' ' << int{network.dim};
            }
}

// Messages: the job program's `send` between random nodes
// ------------------------------------------

void expect_messages_arrive(std::uint8_t dim, std::size_t buffers, unsigned seed,
                            std::uint32_t message_bytes, std::uint32_t messages,
                            const Noise& noise = {}) {
    const Network network{Topology::cube, dim};
    const std::uint32_t nodes = node_count(network);
    Rig rig{network, app_main_job, buffers, seed};
    rig.noise = noise;
    rig.shuffle = seed % 2 != 0;
    wire::Job job{
        .op = wire::Op::send, .message_bytes = message_bytes, .packet_bytes = 256, .seed = seed};
    std::vector<std::uint32_t> expected(nodes, 0);
    std::uint32_t packets = 0;
    for (std::uint32_t id = 0; id < nodes; ++id)
        for (std::uint32_t k = 0; k < messages; ++k)
            ++expected[index(traffic_target(nodes, seed, node_at(id), k))];
    rig.boot();
    for (std::uint32_t id = 0; id < nodes; ++id) {
        set_parameters(job, SendParameters{kRandomTarget, messages, expected[id]});
        rig.tell(id, wire::HostTag::job, wire::bytes_of(job));
    }
    rig.settle();
    for (std::uint32_t id = 0; id < nodes; ++id)
        rig.tell(id, wire::HostTag::start, {});
    rig.finish();
    for (std::uint32_t id = 0; id < nodes; ++id) {
        const wire::NodeReport report = rig.report(id);
        EXPECT_EQ(report.done, 1u) << "node " << id << " is stuck, seed " << seed << ", pool "
                                   << buffers << ", n = " << int{dim};
        EXPECT_EQ(report.status, 0u) << "node " << id << ", seed " << seed;
        packets += rig.kernel(id).counters()[Counter::packets_delivered];
    }
    const std::uint32_t each = std::max(1u, (message_bytes + 255) / 256);
    EXPECT_EQ(packets, nodes * messages * each) << "seed " << seed;
}

TEST(Forwarding, MessagesFromAllToAllAreNeverStuckInThePoolThatTheLimitsDerive) {
    for (std::uint8_t dim = 1; dim <= exhaustive(4, 5); ++dim)
        for (unsigned seed = 1; seed <= 4; ++seed) {
            expect_messages_arrive(dim, limits::pool_buffers_min(dim, dim + 1, 1), seed, 3000, 12);
            expect_messages_arrive(dim, limits::pool_buffers_min(dim, dim + 1, 1), seed, 0, 40);
            if (HasFailure())
                return;
        }
}

TEST(Forwarding, MessagesOnNoisyCablesAreNeverStuckInThePoolThatTheLimitsDerive) {
    for (std::uint8_t dim = 2; dim <= 3; ++dim)
        for (unsigned seed = 1; seed <= 3; ++seed)
            expect_messages_arrive(dim, limits::pool_buffers_min(dim, dim + 1, 1), seed, 3000, 5,
                                   kLoud);
}

} // namespace forwarding_test
} // namespace mesh::test
