#include "operation.hpp"

#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "kernel/base/limits.hpp"
#include "ops/room.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace mesh::host {

namespace {

/// The turn of one of the QEMUs that share a core. A QEMU has two threads, and the scheduler gives
/// each a slice of 1.5 ms.
constexpr std::uint32_t kTurnUs = 3000;

std::uint32_t ticks(double units) {
    return static_cast<std::uint32_t>(std::llround(units * double{wire::kTicksPerUnit}));
}

/// The time that an emulator works for one intake of a serial receiver, a byte or a FIFO of them.
constexpr std::uint64_t kSerialTurnUs = 20;

/// The least retransmission timeout of a rig: an answer comes after all frames that are under way
/// to the nodes of the same core. 0 for nodes that are no emulators: nothing is known of their
/// speed.
std::uint16_t rto_min_ms(const RigPlan& rig) {
    if (rig.serial())
        return 0;
    const std::uint32_t per_core =
        node_count(rig.network) / std::max(1u, std::thread::hardware_concurrency());
    std::uint64_t node_us = kTurnUs;
    if (rig.board.serial())
        node_us +=
            kSerialTurnUs * rig.board.window_bytes(port_count(rig.network)) / rig.board.serial_fill;
    return static_cast<std::uint16_t>(
        std::min<std::uint64_t>(per_core * node_us, limits::kRtoMaxUs) / 1000);
}

} // namespace

std::uint32_t check_crc32(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

Expectation expectation_of(std::span<const std::byte> bytes) {
    return {check_crc32(bytes), static_cast<std::uint32_t>(bytes.size()), 1};
}

std::uint32_t Operation::packets() const {
    const std::uint32_t most = message_bytes();
    const std::uint32_t packet = run().packet_bytes;
    return most == 0 || packet == 0 ? 1 : (most - 1) / packet + 1;
}

wire::Job Operation::job(NodeId node) const {
    wire::Job job;
    job.op = kind().op;
    job.rule = Rule::unicast;
    job.ports = run().ports;
    job.lockstep = run().rig.lockstep ? 1 : 0;
    job.rto_min_ms = rto_min_ms(run().rig);
    job.root = index(run().root);
    job.message_bytes = run().bytes;
    job.packet_bytes = run().packet_bytes;
    job.tau_ticks = ticks(run().model.tau);
    job.tc_ticks = ticks(run().model.tc);
    job.seed = run().model.seed;
    job.has_input = run().input ? 1 : 0;
    job.input_bytes = static_cast<std::uint32_t>(run().input ? run().input->size() : 0);
    job.output_node = index(output_node());
    fill(job, node);
    return job;
}

std::vector<std::byte> Operation::job_for(NodeId node) const {
    return joined(wire::bytes_of(job(node)), words(node));
}

std::uint32_t Operation::most_bytes(std::uint64_t most) const {
    wire::Job asked = job(run().root);
    const auto needed = [&](std::uint64_t bytes) {
        asked.message_bytes = static_cast<std::uint32_t>(bytes);
        return workspace_needed(run().network(), asked);
    };
    if (needed(0) > run().workspace_bytes)
        refuse(kCombination, "--dim {}: {} needs {} bytes of {} for its tables; it has {}",
               run().network().dim, kind().name, needed(0), run().a_node(), run().workspace_bytes);
    std::uint64_t fits = 0;
    for (std::uint64_t beyond = most + 1; beyond - fits > 1;) { // it fits, and beyond does not
        const std::uint64_t middle = fits + (beyond - fits) / 2;
        (needed(middle) <= run().workspace_bytes ? fits : beyond) = middle;
    }
    return static_cast<std::uint32_t>(fits);
}

NodeId Operation::output_node() const {
    return run().data.output.empty() || all_push() ? kNoNode : source_of_output();
}

NodeId Operation::source_of_output() const {
    const std::uint32_t last = run().nodes() - 1;
    return node_at(index(run().root) == last ? 0 : last);
}

std::size_t Operation::output_bytes() const {
    const NodeId node = output_node();
    return node == kNoNode ? 0 : expected(node).bytes;
}

const Expectation& Operation::expected(NodeId node) const {
    if (answers_.empty())
        answers_ = answers();
    return answers_.at(index(node));
}

bool Operation::matches(NodeId node, const wire::NodeReport& report) const {
    const Expectation& expectation = expected(node);
    return report.crc == expectation.crc && report.received_bytes == expectation.bytes &&
           report.received_messages == expectation.messages;
}

bool Operation::right(NodeId node, const Outcome& outcome) const {
    const wire::NodeReport& report = outcome.reports[index(node)];
    return report.done != 0 && report.status == 0 && matches(node, report);
}

Verdict Operation::judge(const Outcome& outcome) const {
    Verdict verdict;
    for (std::uint32_t node = 0; node < run().nodes(); ++node)
        verdict.right.push_back(right(node_at(node), outcome));
    if (const auto usual = usual_formula()) {
        const std::string_view tree = name(usual_tree(run().network().topology));
        verdict.note = fmt::format("beside    {}: {} = {} steps", tree, usual->text, usual->steps);
        verdict.figures = {{"usual_tree", tree}, {"usual_steps", usual->steps}};
    }
    // The bytes that a node has pushed count, not its report of them.
    if (const NodeId node = output_node(); node != kNoNode)
        verdict.right[index(node)] =
            verdict.right[index(node)] && check_crc32(outcome.pushed) == expected(node).crc;
    return verdict;
}

std::string Operation::describe_size(std::string_view each) const {
    const std::uint32_t count = packets();
    return fmt::format("{}{}, {}{}", counted(run().bytes, "byte"), each, counted(count, "packet"),
                       run().packet_bytes == 0
                           ? std::string(" of any size")
                           : fmt::format(" of at most {} bytes", run().packet_bytes));
}

std::string Operation::subject() const { return describe_size(""); }

void Operation::describe(Figures& head) const {
    head.push_back({"bytes", run().bytes});
    head.push_back({"packets", packets()});
}

} // namespace mesh::host
