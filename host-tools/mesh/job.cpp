#include "job.hpp"

#include "apps/traffic.hpp"
#include "host_frame.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mesh::host {

namespace {

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

bool sends(const RunPlan& plan, NodeId node) {
    return plan.op == wire::Op::send && (plan.target == wire::kRandomTarget || node == plan.root);
}

NodeId target_of(const RunPlan& plan, NodeId from, std::uint32_t k) {
    if (plan.target != wire::kRandomTarget || plan.nodes() < 2)
        return node_at(plan.target);
    return traffic_target(plan.nodes(), static_cast<std::uint32_t>(plan.seed), from, k);
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
    if (plan_.output.empty() || plan_.op == wire::Op::app)
        return kNoNode;
    if (plan_.op == wire::Op::send)
        return node_at(plan_.target);
    const std::uint32_t last = plan_.nodes() - 1;
    return node_at(index(plan_.root) == last ? 0 : last);
}

std::vector<std::byte> JobBook::job_for(NodeId node) const {
    wire::Job job;
    job.op = plan_.op;
    job.rule = plan_.rule;
    job.ports = plan_.ports;
    job.lockstep = plan_.rig.lockstep ? 1 : 0;
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
    job.output_node = index(output_node());
    return joined(wire::bytes_of(job), plan_.words);
}

bool JobBook::right(NodeId node, const wire::NodeReport& report) const {
    const Expectation& expectation = expected(node);
    if (report.done == 0 || report.status != 0)
        return false;
    if (plan_.op != wire::Op::bcast && plan_.op != wire::Op::send)
        return true;
    return report.crc == expectation.crc && report.received_bytes == expectation.bytes &&
           report.received_messages == expectation.messages;
}

} // namespace mesh::host
