#include "job.hpp"

#include "apps/traffic.hpp"
#include "ascend_ops.hpp"
#include "host_frame.hpp"
#include "kernel/limits.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <thread>
#include <type_traits>

namespace mesh::host {

namespace {

/// More dead nodes than this are not told apart: all sets of them are tried.
constexpr std::size_t kDeadMax = 12;
/// QEMUs take turns on the cores: this long for each that waits for the same one.
constexpr std::uint32_t kTurnUs = 1000;
constexpr std::uint32_t kPolynomial = 0xEDB8'8320u;

constexpr std::array<std::uint32_t, 16> kNibbles = [] {
    std::array<std::uint32_t, 16> table{};
    for (std::uint32_t nibble = 0; nibble < 16; ++nibble) {
        std::uint32_t value = nibble;
        for (int bit = 0; bit < 4; ++bit)
            value = (value & 1u) != 0 ? (value >> 1) ^ kPolynomial : value >> 1;
        table[nibble] = value;
    }
    return table;
}();

std::uint32_t ticks(double units) {
    return static_cast<std::uint32_t>(std::llround(units * double{wire::kTicksPerUnit}));
}

std::uint16_t patience_ms(std::uint32_t nodes) {
    const std::uint32_t per_core = nodes / std::max(1u, std::thread::hardware_concurrency());
    return static_cast<std::uint16_t>(std::min(per_core * kTurnUs, limits::kPatienceMaxUs) / 1000);
}

bool sends(const RunPlan& plan, NodeId node) {
    return plan.op == wire::Op::send && (plan.target == wire::kRandomTarget || node == plan.root);
}

NodeId target_of(const RunPlan& plan, NodeId from, std::uint32_t k) {
    if (plan.target != wire::kRandomTarget || plan.nodes() < 2)
        return node_at(plan.target);
    return traffic_target(plan.nodes(), static_cast<std::uint32_t>(plan.seed), from, k);
}

/// One element of the answer, computed apart from the nodes' code.
using Combine = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;

template <class T>
Combine arithmetic(Operator operation) {
    return [operation](std::uint32_t a, std::uint32_t b) {
        const T left = std::bit_cast<T>(a);
        const T right = std::bit_cast<T>(b);
        if (operation == Operator::min)
            return std::is_lt(std::strong_order(right, left)) ? b : a;
        if (operation == Operator::max)
            return std::is_lt(std::strong_order(left, right)) ? b : a;
        if constexpr (std::is_floating_point_v<T>)
            return std::bit_cast<std::uint32_t>(left + right);
        else
            return a + b;
    };
}

Combine combine_of(Operator operation, ElementType type) {
    switch (operation) {
    case Operator::band: return std::bit_and<std::uint32_t>{};
    case Operator::bor: return std::bit_or<std::uint32_t>{};
    case Operator::bxor: return std::bit_xor<std::uint32_t>{};
    case Operator::sum:
    case Operator::min:
    case Operator::max: break;
    }
    if (type == ElementType::f32)
        return arithmetic<float>(operation);
    return type == ElementType::i32 ? arithmetic<std::int32_t>(operation)
                                    : arithmetic<std::uint32_t>(operation);
}

Bytes combined(const Bytes& left, const Bytes& right, const Combine& combine) {
    Bytes result(left.size());
    for (std::size_t at = 0; at + 4 <= left.size(); at += 4)
        wire::store(std::span(result), at,
                    combine(wire::load<std::uint32_t>(std::span(left), at),
                            wire::load<std::uint32_t>(std::span(right), at)));
    return result;
}

} // namespace

std::uint32_t check_crc32(std::span<const std::byte> bytes) {
    std::uint32_t value = 0xFFFF'FFFFu;
    for (const std::byte byte : bytes) {
        value ^= std::to_integer<std::uint32_t>(byte);
        value = (value >> 4) ^ kNibbles[value & 15u];
        value = (value >> 4) ^ kNibbles[value & 15u];
    }
    return ~value;
}

JobBook::JobBook(const RunPlan& plan) : plan_(plan), expected_(plan.nodes()) {
    if (plan.op == wire::Op::bcast)
        expect_broadcast();
    else if (plan.op == wire::Op::send)
        expect_messages();
    else if (plan.personalised())
        expect_blocks();
    else if (plan.reduces())
        expect_reduction();
    else if (plan.ascends())
        expected_ = expect_ascend(plan);
}

/// The block that one node has for another (alltoall), or a node's only one.
Bytes JobBook::block(NodeId from, NodeId to) const {
    const bool pairs = plan_.op == wire::Op::alltoall;
    if (plan_.input) {
        const std::size_t number =
            pairs ? std::size_t{index(from)} * plan_.nodes() + index(to) : index(from);
        const auto data = std::span(*plan_.input).subspan(number * plan_.bytes, plan_.bytes);
        return {data.begin(), data.end()};
    }
    Bytes bytes(plan_.bytes);
    const std::uint32_t stream =
        block_stream(static_cast<std::uint32_t>(plan_.seed), from, pairs ? to : NodeId{0});
    for (std::uint32_t at = 0; at < plan_.bytes; ++at)
        bytes[at] = static_cast<std::byte>(traffic_byte(stream, at));
    return bytes;
}

Bytes JobBook::all_blocks(NodeId to) const {
    Bytes all;
    for (std::uint32_t from = 0; from < plan_.nodes(); ++from) {
        const Bytes one = block(node_at(from), to);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

/// scatter: a block each; gather: all at the root; all-to-all: all at every node.
void JobBook::expect_blocks() {
    const auto of = [](const Bytes& bytes) {
        return Expectation{check_crc32(bytes), static_cast<std::uint32_t>(bytes.size()), 1};
    };
    const bool alike = plan_.op == wire::Op::gather || plan_.op == wire::Op::allgather;
    const Expectation all = alike ? of(all_blocks(plan_.root)) : Expectation{};
    for (std::uint32_t number = 0; number < plan_.nodes(); ++number) {
        const NodeId node = node_at(number);
        Expectation& at = expected_[number];
        if (plan_.op == wire::Op::scatter)
            at = of(block(node, node));
        else if (plan_.op == wire::Op::alltoall)
            at = of(all_blocks(node));
        else if (plan_.op == wire::Op::allgather || node == plan_.root)
            at = all;
        else
            at = {0, 0, 1};
    }
}

/// In the order of the nodes; integers and the small whole numbers of the seed do not mind.
void JobBook::expect_reduction() {
    const auto elements = [this](NodeId node) {
        Bytes bytes = block(node, NodeId{0});
        for (std::size_t at = 0; !plan_.input && at + 4 <= bytes.size(); at += 4)
            wire::store(
                std::span(bytes), at,
                traffic_element(plan_.element, wire::load<std::uint32_t>(std::span(bytes), at)));
        return bytes;
    };
    const auto is = [](const Bytes& bytes) {
        return Expectation{check_crc32(bytes), static_cast<std::uint32_t>(bytes.size()), 1};
    };
    const Combine combine = combine_of(plan_.reduction, plan_.element);
    Bytes total;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node) {
        const Bytes own = elements(node_at(node));
        if (plan_.op == wire::Op::scan && plan_.exclusive)
            expected_[node] = is(node == 0 ? own : total);
        total = node == 0 ? own : combined(total, own, combine);
        if (plan_.op == wire::Op::scan && !plan_.exclusive)
            expected_[node] = is(total);
    }
    if (plan_.op == wire::Op::allreduce)
        std::fill(expected_.begin(), expected_.end(), is(total));
    if (plan_.op == wire::Op::reduce) {
        std::fill(expected_.begin(), expected_.end(), Expectation{0, 0, 1});
        expected_[index(plan_.root)] = is(total);
    }
}

/// The bytes of message `k` of a node.
Bytes JobBook::message(NodeId from, std::uint32_t k) const {
    if (plan_.input)
        return *plan_.input;
    Bytes bytes(plan_.bytes);
    const std::uint32_t stream = traffic_stream(static_cast<std::uint32_t>(plan_.seed), from, k);
    for (std::uint32_t at = 0; at < plan_.bytes; ++at)
        bytes[at] = static_cast<std::byte>(traffic_byte(stream, at));
    return bytes;
}

/// Every node, the root too, accounts for the whole message.
void JobBook::expect_broadcast() {
    const std::uint32_t crc = check_crc32(message(plan_.root, 0));
    std::fill(expected_.begin(), expected_.end(), Expectation{crc, plan_.bytes, 1});
}

void JobBook::expect_messages() {
    const bool same = plan_.input.has_value();
    const std::uint32_t common = same ? check_crc32(*plan_.input) : 0;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node) {
        if (!sends(plan_, node_at(node)))
            continue;
        for (std::uint32_t k = 0; k < plan_.messages; ++k) {
            Expectation& at = expected_[index(target_of(plan_, node_at(node), k))];
            at.crc += same ? common : check_crc32(message(node_at(node), k));
            at.bytes += plan_.bytes;
            ++at.messages;
        }
    }
}

NodeId JobBook::output_node() const {
    if (plan_.output.empty() || plan_.op == wire::Op::app || plan_.ascends())
        return kNoNode;
    if (plan_.op == wire::Op::send)
        return node_at(plan_.target);
    if (plan_.op == wire::Op::gather || plan_.op == wire::Op::reduce)
        return plan_.root;
    const std::uint32_t last = plan_.nodes() - 1;
    return node_at(index(plan_.root) == last ? 0 : last);
}

std::size_t JobBook::output_bytes() const {
    const NodeId node = output_node();
    if (node == kNoNode)
        return 0;
    return plan_.op == wire::Op::bcast || plan_.op == wire::Op::send ? plan_.bytes
                                                                     : expected(node).bytes;
}

std::vector<std::byte> JobBook::job_for(NodeId node) const {
    wire::Job job;
    job.op = plan_.op;
    job.rule = plan_.rule;
    job.ports = plan_.ports;
    job.lockstep = plan_.rig.lockstep ? 1 : 0;
    job.schedule = plan_.schedule;
    job.element = plan_.element;
    job.reduction = plan_.reduction;
    job.exclusive = plan_.exclusive ? 1 : 0;
    job.route = plan_.route;
    job.copies = static_cast<std::uint8_t>(plan_.copies);
    job.patience_ms = patience_ms(plan_.nodes());
    job.root = index(plan_.root);
    job.target = plan_.target;
    job.message_bytes = plan_.bytes;
    job.packet_bytes = plan_.packet_bytes;
    job.messages = sends(plan_, node) ? plan_.messages : 0;
    job.expected = expected_[index(node)].messages;
    job.tau_ticks = ticks(plan_.tau);
    job.tc_ticks = ticks(plan_.tc);
    job.seed = static_cast<std::uint32_t>(plan_.seed);
    job.has_input = plan_.input ? 1 : 0;
    job.input_bytes = static_cast<std::uint32_t>(plan_.input ? plan_.input->size() : 0);
    const bool each = plan_.ascends() && (plan_.op == wire::Op::fft || !plan_.output.empty());
    job.output_node = index(each ? node : output_node());
    return joined(wire::bytes_of(job), plan_.words);
}

bool JobBook::right(NodeId node, const wire::NodeReport& report, const Deaths& deaths) const {
    const Expectation& expectation = expected(node);
    const bool survives = plan_.by_packets() && deaths.any_fault;
    if ((report.done == 0 && !survives) || report.status != 0)
        return false;
    if (plan_.op == wire::Op::barrier || plan_.op == wire::Op::app)
        return true;
    const bool same = report.crc == expectation.crc || plan_.op == wire::Op::fft;
    if (same && report.received_bytes == expectation.bytes &&
        report.received_messages == expectation.messages)
        return true;
    return survives && report.done == 0 && has_living_blocks(node, report, deaths);
}

bool JobBook::gathers(NodeId node) const {
    return plan_.translated() || (plan_.op == wire::Op::gather && node == plan_.root);
}

std::uint32_t JobBook::missing_blocks(NodeId node, const wire::NodeReport& report,
                                      const Deaths& deaths) const {
    if (right(node, report, deaths))
        return 0;
    const auto dead = static_cast<std::uint32_t>(deaths.killed.size());
    const std::uint32_t due = gathers(node) ? plan_.nodes() - 1 - dead : 1;
    return std::max(1u, due - std::min(due, report.received_messages));
}

/// A node that still waits reports how many blocks it has and the sum of their checksums, the
/// sender's number in front of each. Right is: all blocks of the living, and with them those of
/// some of the dead, who may have sent before they died.
bool JobBook::has_living_blocks(NodeId node, const wire::NodeReport& report,
                                const Deaths& deaths) const {
    if (!gathers(node) || deaths.killed.size() > kDeadMax ||
        report.received_bytes != report.received_messages * plan_.bytes)
        return false;
    std::vector<std::uint32_t> dead; // checksums
    std::uint32_t living = 0;
    std::uint32_t sum = 0;
    for (std::uint32_t from = 0; from < plan_.nodes(); ++from) {
        if (from == index(node))
            continue;
        const std::uint32_t one =
            check_crc32(joined(wire::bytes_of(from), block(node_at(from), node)));
        const auto& killed = deaths.killed;
        if (std::find(killed.begin(), killed.end(), node_at(from)) != killed.end()) {
            dead.push_back(one);
            continue;
        }
        ++living;
        sum += one;
    }
    for (std::uint32_t set = 0; set < 1u << dead.size(); ++set) {
        std::uint32_t with = sum;
        for (std::uint32_t left = set; left != 0; left &= left - 1)
            with += dead[static_cast<unsigned>(std::countr_zero(left))];
        if (with == report.crc &&
            living + static_cast<unsigned>(std::popcount(set)) == report.received_messages)
            return true;
    }
    return false;
}

} // namespace mesh::host
