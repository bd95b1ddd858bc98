// Collectives one after the other: each of a kind, a tree, a root and a size that the seed draws,
// all under one tag; and collectives while cables flap, and after that.
#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "programs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mesh::soak {

namespace {

enum class What : std::uint8_t {
    barrier,
    broadcast,
    reduce,
    allreduce,
    scan,
    scatter,
    gather,
    allgather,
    alltoall,
    kCount
};
constexpr std::array<std::string_view, static_cast<std::size_t>(What::kCount)> kNames{
    "barrier", "broadcast", "reduce",    "allreduce", "scan",
    "scatter", "gather",    "allgather", "alltoall"};

struct Call {
    What what;
    unsigned number; // in its sequence
    Tag tag;
    NodeId root;
    Rule tree;
    Schedule schedule;
    std::uint32_t bytes; // of a message, or of a block
    std::uint16_t packet_bytes;
};

template <std::size_t N>
Rule one_of(Dice& dice, const std::array<Rule, N>& rules) {
    return rules[dice.below(N)];
}

Rule drawn_tree(Dice& dice, Network network) {
    switch (network.topology) {
    case Topology::cube:
        return one_of(dice, std::array{Rule::sbt, Rule::bs, Rule::hp, Rule::tcbt, Rule::msbt,
                                       Rule::sbnt_minr, Rule::sbnt_maxl, Rule::alt});
    case Topology::uhc:
        if (network.dim % 2 != 0) // adst is of even ones
            return one_of(dice, std::array{Rule::bts, Rule::bt1, Rule::bt2, Rule::ist});
        return one_of(dice, std::array{Rule::bts, Rule::bt1, Rule::bt2, Rule::adst, Rule::ist});
    case Topology::star: break;
    }
    return one_of(dice, std::array{Rule::spt, Rule::edt});
}

/// A tree and a schedule that move blocks: on the cube by single packets or in cycles.
void draw_exchange(Dice& dice, Topology topology, Call& call) {
    if (topology != Topology::cube) {
        const bool scattered = call.what == What::scatter || call.what == What::gather;
        call.tree =
            topology == Topology::star ? Rule::edt : one_of(dice, std::array{Rule::ist, Rule::bts});
        call.schedule = scattered ? Schedule::rbf : Schedule::queue;
        return;
    }
    call.tree = one_of(dice, std::array{Rule::sbt, Rule::sbnt_minr});
    const bool packets = call.what != What::allgather && call.what != What::alltoall;
    if (packets && dice.one_in(2))
        call.schedule = dice.one_in(2) ? Schedule::postorder : Schedule::rbf;
    else
        call.schedule = dice.one_in(2) ? Schedule::level : Schedule::subtree;
}

/// The same at all nodes.
Call drawn_call(const Kernel& node, unsigned number) {
    constexpr Tag kTag = 10;
    const Work& work = story->work();
    Dice dice = dice_of(work.seed, (std::uint64_t{1} << 40) + number);
    Call call{};
    call.number = number;
    call.tag = static_cast<Tag>(work.one_tag ? kTag : kTag + 32 * number);
    call.root = node_at(dice.below(node.nodes()));
    call.what = static_cast<What>(dice.below(static_cast<unsigned>(What::kCount)));
    call.tree = drawn_tree(dice, node.network());
    call.bytes = 4 * (1 + dice.below(dice.one_in(3) ? 30 : 6));
    call.packet_bytes = static_cast<std::uint16_t>(4 * (2 + dice.below(9)));
    if (call.what >= What::scatter) {
        draw_exchange(dice, node.network().topology, call);
        call.packet_bytes =
            static_cast<std::uint16_t>(std::max<std::uint32_t>(call.packet_bytes, call.bytes / 2));
    }
    return call;
}

/// Byte `at` of the data that node `from` has for node `to`.
std::byte byte_at(const Call& call, unsigned from, unsigned to, std::size_t at) {
    return static_cast<std::byte>(call.number * 53 + from * 17 + to * 5 + at * 3 + 1);
}

bool is_block(const Call& call, std::span<const std::byte> block, unsigned from, unsigned to) {
    for (std::size_t at = 0; at < block.size(); ++at)
        if (block[at] != byte_at(call, from, to, at))
            return false;
    return true;
}
void make_block(const Call& call, std::span<std::byte> block, unsigned from, unsigned to) {
    for (std::size_t at = 0; at < block.size(); ++at)
        block[at] = byte_at(call, from, to, at);
}

void judge(const Kernel& node, const Call& call, Status status, bool right) {
    if (status == Status::ok && !right)
        story->note_wrong(fmt::format("node {} has wrong data of call {}, a {}", index(node.id()),
                                      call.number, kNames[static_cast<std::size_t>(call.what)]));
}

Task<Status> meets_all(Kernel& node, const Call& call) {
    const Status status = co_await barrier(node, call.tag);
    judge(node, call, status, story->all_entered(call.number));
    co_return status;
}

Task<Status> broadcasts_drawn(Kernel& node, const Call& call) {
    const auto buffer = story->room(call.bytes);
    if (node.id() == call.root)
        make_block(call, buffer, index(call.root), 0);
    const Status status = co_await broadcast(node,
                                             {.tree = call.tree,
                                              .root = call.root,
                                              .total_bytes = call.bytes,
                                              .packet_bytes = call.packet_bytes,
                                              .tag = call.tag},
                                             buffer);
    judge(node, call, status, is_block(call, buffer, index(call.root), 0));
    co_return status;
}

// Sums and prefixes: word w of node i is its number, plus the call's and w.
std::uint32_t word_of(const Call& call, unsigned node, std::size_t at) {
    return node + 100 * call.number + static_cast<std::uint32_t>(at);
}
bool is_sum(const Call& call, std::span<const std::byte> buffer, unsigned nodes) {
    for (std::size_t at = 0; 4 * at < buffer.size(); ++at) {
        std::uint32_t sum = 0;
        for (unsigned node = 0; node < nodes; ++node)
            sum += word_of(call, node, at);
        if (wire::load<std::uint32_t>(buffer, 4 * at) != sum)
            return false;
    }
    return true;
}

Task<Status> adds(Kernel& node, const Call& call) {
    const auto buffer = story->room(call.bytes);
    for (std::size_t at = 0; 4 * at < buffer.size(); ++at)
        wire::store(buffer, 4 * at, word_of(call, index(node.id()), at));
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    const ReducePlan plan{.tree = call.tree,
                          .root = call.root,
                          .total_bytes = call.bytes,
                          .packet_bytes = call.packet_bytes,
                          .tag = call.tag,
                          .combiner = sum};
    Status status = Status::ok;
    if (call.what == What::scan) {
        status = co_await scan(node,
                               {.total_bytes = call.bytes,
                                .packet_bytes = call.packet_bytes,
                                .tag = call.tag,
                                .combiner = sum},
                               buffer);
        judge(node, call, status, is_sum(call, buffer, index(node.id()) + 1));
    } else if (call.what == What::reduce) {
        status = co_await reduce(node, plan, buffer);
        judge(node, call, status, node.id() != call.root || is_sum(call, buffer, node.nodes()));
    } else {
        status = co_await allreduce(node, plan, buffer);
        judge(node, call, status, is_sum(call, buffer, node.nodes()));
    }
    co_return status;
}

// Blocks ------------------------------------------------------------------------------------------

/// Blocks as exchange() numbers them: block c is that of node c, on the cube by relative addresses.
class Blocks {
public:
    Blocks(const Kernel& node, const Call& call)
        : call_(call),
          self_(index(node.id())),
          nodes_(node.nodes()),
          memory_(story->room(exchange_bytes(nodes_, call.bytes))) {
        const bool rooted = call.what == What::scatter || call.what == What::gather;
        if (node.network().topology == Topology::cube && in_cycles(call.schedule))
            mask_ = rooted ? index(call.root) : self_;
    }

    std::span<std::byte> memory() const { return memory_; }
    std::span<std::byte> of(unsigned node) const {
        return memory_.subspan(std::size_t{node ^ mask_} * call_.bytes, call_.bytes);
    }
    void make() const {
        for (unsigned node = 0; node < nodes_; ++node) {
            if (call_.what == What::alltoall || is_root_of(What::scatter))
                make_block(call_, of(node), self_, node);
            else if (call_.what != What::scatter && node == self_)
                make_block(call_, of(node), self_, 0);
        }
    }
    bool right() const {
        if (call_.what == What::scatter)
            return is_block(call_, of(self_), index(call_.root), self_);
        if (call_.what == What::gather && !is_root_of(What::gather))
            return true;
        for (unsigned node = 0; node < nodes_; ++node)
            if (!is_block(call_, of(node), node, call_.what == What::alltoall ? self_ : 0))
                return false;
        return true;
    }
    bool is_root_of(What what) const { return call_.what == what && self_ == index(call_.root); }

private:
    const Call& call_;
    unsigned self_, nodes_, mask_ = 0;
    std::span<std::byte> memory_;
};

PersonalPlan plan_of(const Call& call) {
    return {.tree = call.tree,
            .schedule = call.schedule,
            .root = call.root,
            .block_bytes = call.bytes,
            .packet_bytes = call.packet_bytes,
            .tag = call.tag};
}

Task<Status> single_packets(Kernel& node, const Call& call, const Blocks& blocks) {
    const auto copy = [](const void* from, std::uint32_t position, std::span<std::byte> out) {
        std::copy_n(static_cast<const std::byte*>(from) + position, out.size(), out.begin());
    };
    const PersonalPlan plan = plan_of(call);
    const ByteSource source{copy, blocks.memory().data()};
    Status status = Status::ok;
    if (call.what == What::scatter && node.id() == call.root) {
        status = co_await scatter_packets(node, plan, source);
    } else if (call.what == What::scatter) {
        status = co_await take_scattered(node, plan, blocks.of(index(node.id())));
    } else if (node.id() == call.root) {
        const std::size_t packets = (call.bytes + call.packet_bytes - 1) / call.packet_bytes;
        status = co_await take_gathered(
            node, plan, blocks.memory().first(std::size_t{node.nodes()} * call.bytes),
            story->room(node.nodes() * packets));
    } else {
        status = co_await gather_packets(node, plan, source);
    }
    co_return status;
}

Task<Status> moves_blocks(Kernel& node, const Call& call) {
    const Blocks blocks(node, call);
    blocks.make();
    const auto what = static_cast<Exchange>(static_cast<unsigned>(call.what) -
                                            static_cast<unsigned>(What::scatter));
    Status status = Status::ok;
    if (node.network().topology == Topology::cube && !in_cycles(call.schedule))
        status = co_await single_packets(node, call, blocks);
    else
        status = co_await exchange(node, plan_of(call), what, blocks.memory());
    judge(node, call, status, blocks.right());
    co_return status;
}

// Not kept while a process waits: the frame of one whose node dies is never destroyed.
std::string name_of(const Kernel& node, const Call& call) {
    return fmt::format("node {}: call {}, a {}", index(node.id()), call.number,
                       kNames[static_cast<std::size_t>(call.what)]);
}

Task<Status> does(Kernel& node, const Call& call) {
    story->tell(name_of(node, call) + ", begins");
    story->note_entered(call.number);
    Status status = Status::ok;
    if (call.what == What::barrier)
        status = co_await meets_all(node, call);
    else if (call.what == What::broadcast)
        status = co_await broadcasts_drawn(node, call);
    else if (call.what < What::scatter)
        status = co_await adds(node, call);
    else
        status = co_await moves_blocks(node, call);
    story->tell(
        fmt::format("{}, ends with status {}", name_of(node, call), static_cast<int>(status)));
    co_return status;
}

/// Makes the calls `first` .. `end` - 1; returns the worst of their statuses.
Task<Status> goes_through(Kernel& node, unsigned first, unsigned end) {
    Status worst = Status::ok;
    for (unsigned number = first; number < end; ++number) {
        Dice dice = choices(node, 0, number);
        co_await pass(node, 0);
        compute_now_and_then(node, dice);
        const Call call = drawn_call(node, number);
        const Status status = co_await does(node, call);
        if (status != Status::ok && status != Status::unreachable)
            story->note_wrong(
                fmt::format("node {}: call {}, a {}, ends with status {}", index(node.id()), number,
                            kNames[static_cast<std::size_t>(call.what)], static_cast<int>(status)));
        worst = worst == Status::ok ? status : worst;
    }
    co_return worst;
}

} // namespace

Process start_sequence(Kernel& node) {
    story->expect(node.id(), 1);
    const Status status = co_await goes_through(node, 0, story->work().messages);
    story->note_end(node.id(), status);
    co_return Status::ok;
}

// The result of the first part depends on the faults; in the second part all cables are whole.
Process start_flaps(Kernel& node) {
    constexpr unsigned kAfter = 3;
    story->expect(node.id(), 1);
    const unsigned calls = story->work().messages;
    [[maybe_unused]] const Status before = co_await goes_through(node, 0, calls);
    story->note_waiting();
    co_await node.wait_until([] { return story->second_part; });
    const Status status = co_await goes_through(node, calls, calls + kAfter);
    if (status != Status::ok)
        story->note_wrong(fmt::format("node {}: a call after all flaps ends with status {}",
                                      index(node.id()), static_cast<int>(status)));
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

} // namespace mesh::soak
