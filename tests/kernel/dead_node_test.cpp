// Collectives while a cable dies, or all of a node's: every node ends, with ok and the right data
// or with unreachable. Every node and every cable of small networks, before the collective and in
// the middle of it; and every cable that comes back when its links have died, and has lost packets.
#include "collectives/ascend.hpp"
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "collectives/sort.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace mesh::test {
namespace dead_node_test {

constexpr Network kCube{Topology::cube, 3};
constexpr Network kUhc{Topology::uhc, 4};
constexpr Network kStar{Topology::star, 3};

struct Job {
    Rule tree = Rule::sbt;
    Schedule schedule = Schedule::level;
    Exchange what = Exchange::alltoall;
    NodeId root{0};
    std::size_t bytes = 1200;
};
Job job;

struct Verdict {
    bool ended = false, right = false;
    Status status = Status::failed;
};
std::array<Verdict, 32> verdicts;

Status judge(const Kernel& node, Status status, bool right) {
    verdicts[index(node.id())] = {true, right, status};
    return status;
}

constexpr std::byte byte_of(std::size_t at, std::uint32_t from) {
    return static_cast<std::byte>(at * 7 + from * 31 + 1);
}
bool is_of(std::span<const std::byte> bytes, std::uint32_t from) {
    for (std::size_t at = 0; at < bytes.size(); ++at)
        if (bytes[at] != byte_of(at, from))
            return false;
    return true;
}
void fill(std::span<std::byte> bytes, std::uint32_t from) {
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes[at] = byte_of(at, from);
}

// The programs ------------------------------------------------------------------------------------

Process broadcasts(Kernel& node) {
    const auto buffer = node.workspace().first(job.bytes);
    if (node.id() == job.root)
        fill(buffer, 0);
    const BroadcastPlan plan{.tree = job.tree,
                             .root = job.root,
                             .total_bytes = static_cast<std::uint32_t>(job.bytes),
                             .packet_bytes = 40,
                             .tag = 3};
    const Status status = co_await broadcast(node, plan, buffer);
    co_return judge(node, status, is_of(buffer, 0));
}

Process meets(Kernel& node) {
    const Status status = co_await barrier(node);
    co_return judge(node, status, true);
}

/// Word w of node i is i + w.
std::vector<std::uint32_t> words_of(const Kernel& node) {
    std::vector<std::uint32_t> words(job.bytes / 4);
    std::iota(words.begin(), words.end(), index(node.id()));
    return words;
}
bool are_sums(std::span<const std::uint32_t> words, std::uint32_t nodes) {
    for (std::uint32_t at = 0; at < words.size(); ++at)
        if (words[at] != nodes * at + nodes * (nodes - 1) / 2)
            return false;
    return true;
}

template <bool ToAll>
Process reduces(Kernel& node) {
    std::vector<std::uint32_t> words = words_of(node);
    const auto buffer = std::as_writable_bytes(std::span{words});
    const ReducePlan plan{job.tree, job.root, static_cast<std::uint32_t>(job.bytes),
                          40,       3,        *combiner(Operator::sum, ElementType::u32)};
    Status status = Status::ok;
    if (ToAll)
        status = co_await allreduce(node, plan, buffer);
    else
        status = co_await reduce(node, plan, buffer);
    const bool has_all = ToAll || node.id() == job.root;
    co_return judge(node, status, !has_all || are_sums(words, node.nodes()));
}

Process scans(Kernel& node) {
    std::vector<std::uint32_t> words = words_of(node);
    const ScanPlan plan{static_cast<std::uint32_t>(job.bytes), 40, 3,
                        *combiner(Operator::sum, ElementType::u32), false};
    const Status status = co_await scan(node, plan, std::as_writable_bytes(std::span{words}));
    co_return judge(node, status, are_sums(words, index(node.id()) + 1));
}

constexpr std::uint32_t kBlock = 40;

/// Where the block of, or for, a node lies: relative to `self` on the cube, see exchange().
std::span<std::byte> place(const Kernel& node, NodeId self, std::uint32_t other) {
    const bool cube = node.network().topology == Topology::cube;
    const std::uint32_t number = cube ? other ^ index(self) : other;
    return const_cast<Kernel&>(node).workspace().subspan(number * kBlock, kBlock);
}

Process exchanges(Kernel& node) {
    const bool rooted = job.what == Exchange::scatter || job.what == Exchange::gather;
    const NodeId origin = rooted ? job.root : node.id();
    const std::uint32_t self = index(node.id());
    for (std::uint32_t to = 0; to < node.nodes(); ++to)
        if (job.what == Exchange::alltoall || job.what == Exchange::scatter)
            fill(place(node, origin, to), index(origin) * 100 + to);
    if (job.what == Exchange::gather || job.what == Exchange::allgather)
        fill(place(node, origin, self), self);
    const PersonalPlan plan{.tree = job.tree,
                            .schedule = job.schedule,
                            .root = job.root,
                            .block_bytes = kBlock,
                            .tag = 3};
    const Status status = co_await exchange(node, plan, job.what, node.workspace());
    bool right = true;
    for (std::uint32_t from = 0; from < node.nodes(); ++from) {
        if (job.what == Exchange::scatter && from == self)
            right = right && is_of(place(node, origin, self), index(origin) * 100 + self);
        if (job.what == Exchange::gather && node.id() == job.root)
            right = right && is_of(place(node, origin, from), from);
        if (job.what == Exchange::allgather)
            right = right && is_of(place(node, origin, from), from);
        if (job.what == Exchange::alltoall)
            right = right && is_of(place(node, origin, from), from * 100 + self);
    }
    co_return judge(node, status, right);
}

void copy_block(const void* blocks, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(blocks) + position, out.size(), out.begin());
}

Process scatters_packets(Kernel& node) {
    const PersonalPlan plan{.root = job.root, .block_bytes = kBlock, .packet_bytes = 16, .tag = 3};
    for (std::uint32_t to = 0; to < node.nodes(); ++to)
        fill(node.workspace().subspan(to * kBlock, kBlock), to);
    if (node.id() == plan.root) {
        const Status sent =
            co_await scatter_packets(node, plan, {copy_block, node.workspace().data()});
        co_return judge(node, sent, true);
    }
    std::array<std::byte, kBlock> got{};
    const Status status = co_await take_scattered(node, plan, got);
    co_return judge(node, status, is_of(got, index(node.id())));
}

Process gathers_packets(Kernel& node) {
    const PersonalPlan plan{.root = job.root, .block_bytes = kBlock, .packet_bytes = 16, .tag = 3};
    const auto blocks = node.workspace().first(node.nodes() * kBlock);
    fill(blocks.subspan(index(node.id()) * kBlock, kBlock), index(node.id()));
    Status status = Status::ok;
    bool right = true;
    if (node.id() == plan.root) {
        status = co_await take_gathered(node, plan, blocks, node.workspace().subspan(1024, 100));
        for (std::uint32_t from = 0; from < node.nodes(); ++from)
            right = right && is_of(blocks.subspan(from * kBlock, kBlock), from);
    } else {
        status = co_await gather_packets(node, plan, {copy_block, blocks.data()});
    }
    co_return judge(node, status, right);
}

/// Sums over the pairs: in the end every value is the sum of all.
std::size_t add(const void*, const AscendOperands& pair, std::span<std::byte> result) {
    const auto sum =
        wire::load<std::uint32_t>(pair.lower, 0) + wire::load<std::uint32_t>(pair.upper, 0);
    wire::store(result, 0, sum);
    return 4;
}

template <bool Down>
Process passes(Kernel& node) {
    AscendBlock block{node.network(), node.workspace()};
    wire::store(block.resize(4), 0, index(node.id()));
    const AscendPlan plan{.oper = {add}, .tag = 3};
    Status status = Status::ok;
    if (Down)
        status = co_await descend(node, plan, block);
    else
        status = co_await ascend(node, plan, block);
    const std::uint32_t sum = node.nodes() * (node.nodes() - 1) / 2;
    co_return judge(node, status,
                    block.value().size() == 4 &&
                        wire::load<std::uint32_t>(block.value(), 0) == sum);
}

Process sorts(Kernel& node) {
    AscendBlock block{node.network(), node.workspace()};
    wire::store(block.resize(4), 0, node.nodes() - 1 - index(node.id()));
    const SortPlan plan{.block_records = 1, .tag = 3};
    const Status status = co_await bitonic_sort(node, plan, block);
    co_return judge(node, status,
                    block.value().size() == 4 &&
                        wire::load<std::uint32_t>(block.value(), 0) == index(node.id()));
}

// The faults --------------------------------------------------------------------------------------

struct Fault {
    std::uint32_t node;
    Port port = kNoPort;     // of a cable; kNoPort: the node
    std::uint64_t after = 0; // frames on the cables of the running mesh
    bool mended = false;     // once the links are dead

    std::string words() const {
        return (port == kNoPort
                    ? "kill:" + std::to_string(node)
                    : "cut:" + std::to_string(node) + "/" + std::to_string(index(port))) +
               "@" + std::to_string(after) + (mended ? ", mended" : "");
    }
    bool hits(Network network, NodeId from, Port by) const {
        const NodeId to = neighbor(network, from, by);
        if (port == kNoPort)
            return index(from) == node || index(to) == node;
        return by == port && (index(from) == node || index(to) == node);
    }
};

std::vector<Fault> faults_of(Network network) {
    std::vector<Fault> faults;
    for (const std::uint64_t after : {0u, 15u, 60u})
        for (std::uint32_t node = 0; node < node_count(network); ++node) {
            faults.push_back({node, kNoPort, after});
            for (unsigned port = 0; port < port_count(network); ++port)
                if (node < index(neighbor(network, node_at(node), port_at(port)))) {
                    faults.push_back({node, port_at(port), after});
                    if (after == 15)
                        faults.push_back({node, port_at(port), after, true});
                }
        }
    return faults;
}

constexpr std::uint64_t kBoundUs = 900'000'000; // of the mesh's own time
constexpr std::uint64_t kMendedUs = 4'000'000;  // of the same: before all have given up

/// Every node ends, one without any cable too, and says ok only with the right data. Returns how
/// many missed something.
unsigned expect_all_end(Network network, Program program, const Fault& fault) {
    verdicts = {};
    Rig rig{network, program, 48};
    std::uint64_t before = 0;
    rig.is_cut = [&](NodeId from, Port by) {
        before = rig.started ? before : rig.carried;
        return rig.started && rig.carried - before > fault.after && fault.hits(network, from, by) &&
               !(fault.mended && rig.board(0).now_us() > kMendedUs);
    };
    const auto all_ended = [&] {
        return std::ranges::all_of(std::span(verdicts).first(rig.size()), &Verdict::ended);
    };
    rig.limit_us = 0;
    rig.run({});
    for (std::uint64_t until_us = 0; until_us < kBoundUs && !all_ended();
         until_us += kBoundUs / 100)
        rig.finish(until_us);
    unsigned missed = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const Verdict& verdict = verdicts[id];
        const std::string who = fault.words() + ", node " + std::to_string(id);
        EXPECT_TRUE(verdict.ended) << who;
        if (!verdict.ended)
            continue;
        EXPECT_TRUE(verdict.status == Status::ok || verdict.status == Status::unreachable)
            << who << ", status " << static_cast<unsigned>(verdict.status);
        EXPECT_TRUE(verdict.status != Status::ok || verdict.right) << who;
        missed += verdict.status == Status::ok ? 0 : 1;
    }
    return missed;
}

void expect_ends(Network network, Program program) {
    unsigned missed = 0;
    for (const Fault& fault : faults_of(network)) {
        missed += expect_all_end(network, program, fault);
        if (testing::Test::HasFailure())
            return;
    }
    EXPECT_NE(missed, 0u); // or the faults were none
}

TEST(BesideTheDead, EveryBroadcastEnds) {
    for (const Rule tree : {Rule::sbt, Rule::msbt, Rule::hp, Rule::tcbt}) {
        job = {.tree = tree, .root = node_at(5)};
        expect_ends(kCube, broadcasts);
    }
    for (const Rule tree : {Rule::bt1, Rule::bt2, Rule::ist}) {
        job = {.tree = tree, .root = node_at(5)};
        expect_ends(kUhc, broadcasts);
    }
    for (const Rule tree : {Rule::spt, Rule::edt}) {
        job = {.tree = tree, .root = node_at(5)};
        expect_ends(kStar, broadcasts);
    }
}

TEST(BesideTheDead, EveryBarrierEnds) {
    for (const Network network : {kCube, kUhc, kStar, Network{Topology::star, 4}})
        expect_ends(network, meets);
}

TEST(BesideTheDead, EveryReductionEnds) {
    struct Case {
        Network network;
        Rule tree;
    };
    for (const Case& one : {Case{kCube, Rule::sbt}, Case{kCube, Rule::msbt}, Case{kUhc, Rule::ist},
                            Case{kUhc, Rule::bts}, Case{kStar, Rule::spt}}) {
        job = {.tree = one.tree, .root = node_at(1), .bytes = 400};
        expect_ends(one.network, reduces<false>);
        expect_ends(one.network, reduces<true>);
    }
    job = {.bytes = 400};
    expect_ends(kCube, scans);
}

TEST(BesideTheDead, EveryExchangeEnds) {
    for (const Exchange what :
         {Exchange::scatter, Exchange::gather, Exchange::allgather, Exchange::alltoall}) {
        job = {.what = what, .root = node_at(1)};
        expect_ends(kCube, exchanges);
        const bool rooted = what == Exchange::scatter || what == Exchange::gather;
        job.schedule = rooted ? Schedule::rbf : Schedule::queue;
        job.tree = Rule::ist;
        expect_ends(kUhc, exchanges);
        job.tree = Rule::edt;
        expect_ends(kStar, exchanges);
    }
    expect_ends(kCube, scatters_packets);
    expect_ends(kCube, gathers_packets);
}

TEST(BesideTheDead, EveryPassEnds) {
    for (const Network network : {kCube, kUhc}) {
        expect_ends(network, passes<false>);
        expect_ends(network, passes<true>);
        expect_ends(network, sorts);
    }
}

} // namespace dead_node_test
} // namespace mesh::test
