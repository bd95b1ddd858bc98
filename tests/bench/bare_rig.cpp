// bare_rig IMAGE DIM PAYLOAD_BYTES SECONDS: frames run in circles through a cube of bare forwarders
// (bare_forwarder/); prints how many a second they pass on, all nodes together.
//
// Same engine, loom and board driver as a real run; what differs is that nobody checks, counts
// credit or acknowledges. So nothing may be lost, neither a frame nor a question of the host's: a
// node that has no turn for a while finds all that come by it in its receive FIFO. As many frames
// circulate as have room in one.
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "host-tools/mesh/plan/plan_rig.hpp"
#include "tests/bench/bare_forwarder/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace {

using namespace mesh;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kAdvanceTimeout = milliseconds{20};
constexpr auto kBootLimit = std::chrono::seconds{30};
constexpr std::uint32_t kFifoWords = 2636; // of a node's receive FIFO
constexpr std::uint32_t kHostWords = 64;   // of it, for what the host sends
constexpr std::uint32_t kInCircleMax = 32; // frames: more are not faster

/// What nodes start; only half of them start any if a circle has one frame.
struct Traffic {
    bare::Start rule;
    bool by_all;
};

class Rig : public host::Events {
public:
    Rig(host::RigPlan plan, std::uint32_t nodes)
        : plan_(std::move(plan)),
          reports_(nodes),
          answered_(nodes, false) {
        engine_ = host::make_qemu_engine(plan_);
        engine_->boot(*this);
    }

    void host_frame(NodeId from, std::span<const std::byte> frame) override {
        const auto message = host::read_host_frame(frame);
        if (!message || message->tag != wire::HostTag::report)
            return;
        if (const auto report = host::payload_as<bare::Report>(*message)) {
            reports_[index(from)] = *report;
            answered_[index(from)] = true;
        }
    }
    void words(NodeId node, std::string_view text) override {
        fmt::print(stderr, "node {}: {}", index(node), text);
    }
    void loaded(const host::ImageLoad::Summary& /*summary*/) override {} // by nobody here
    void ended(NodeId node, std::string_view how) override {
        throw std::runtime_error(fmt::format("node {}: {}", index(node), how));
    }

    /// The forwarder says nothing of itself, so the loom hears a first frame in its name; then
    /// every node is asked until it answers.
    void wait_until_up() {
        std::vector<std::byte> nothing(wire::kHeadBytes);
        nothing[wire::offset::kCablePort] = std::byte{0x7F};
        for (std::uint32_t node = 0; node < reports_.size(); ++node)
            engine_->loom().frame_from(node_at(node), nothing);
        const auto limit = Clock::now() + kBootLimit;
        while (!poll(milliseconds{200}))
            if (Clock::now() > limit)
                throw std::runtime_error("not all nodes answer");
    }

    void start(const Traffic& traffic) {
        const auto nodes = static_cast<std::uint32_t>(reports_.size());
        bare::Start rule = traffic.rule;
        rule.start_ports = 0;
        tell(rule, nodes);
        static_cast<void>(
            forwarded()); // whoever answers has the rule, by which no frame goes astray
        tell(traffic.rule, traffic.by_all ? nodes : nodes / 2);
        run_for(milliseconds{300});
    }

    void run_for(milliseconds duration) {
        for (const auto limit = Clock::now() + duration; Clock::now() < limit;)
            engine_->advance(kAdvanceTimeout, *this);
    }

    /// Asks every node that has not answered; true when all have within `timeout`.
    bool poll(milliseconds timeout) {
        for (std::uint32_t node = 0; node < reports_.size(); ++node)
            if (!answered_[node])
                engine_->loom().send(node_at(node),
                                     host::make_host_frame(node_at(node), wire::HostTag::poll));
        const auto all = [this] { return std::ranges::find(answered_, false) == answered_.end(); };
        for (const auto limit = Clock::now() + timeout; !all() && Clock::now() < limit;)
            engine_->advance(kAdvanceTimeout, *this);
        return all();
    }

    /// Frames that all nodes have passed on so far.
    std::uint64_t forwarded() {
        answered_.assign(answered_.size(), false);
        if (!poll(std::chrono::seconds{5}))
            throw std::runtime_error(
                fmt::format("node {} does not answer any more",
                            std::ranges::find(answered_, false) - answered_.begin()));
        std::uint64_t sum = 0;
        for (const bare::Report& report : reports_)
            sum += report.forwarded;
        return sum;
    }

private:
    /// To the first `nodes` nodes.
    void tell(const bare::Start& rule, std::uint32_t nodes) {
        for (std::uint32_t node = 0; node < nodes; ++node)
            engine_->loom().send(
                node_at(node),
                host::make_host_frame(node_at(node), wire::HostTag::start, wire::bytes_of(rule)));
    }

    host::RigPlan plan_;
    std::unique_ptr<host::Engine> engine_;
    std::vector<bare::Report> reports_;
    std::vector<bool> answered_;
};

/// A frame that came by port p goes on by port p + 1: a circle goes twice through all dimensions,
/// by port 0 from two nodes that differ in every bit. As many circles as there are ports meet at
/// each node, where all of their frames may wait.
Traffic traffic(unsigned ports, std::uint32_t payload_bytes) {
    const auto packet_bytes = static_cast<std::uint32_t>(wire::kPacketHeaderBytes) + payload_bytes;
    const std::uint32_t frame_words =
        (static_cast<std::uint32_t>(wire::kHeadBytes) + packet_bytes + 4 + 3) / 4; // with its CRC
    const std::uint32_t in_circle =
        std::min(kInCircleMax, (kFifoWords - kHostWords) / frame_words / ports);
    if (in_circle == 0)
        throw std::runtime_error("frames of this size have no room in a FIFO");
    const std::uint32_t by_node = std::max(1u, in_circle / 2);
    const std::uint32_t busy_ports = std::min(ports, by_node);
    return {.rule = {.ports = ports,
                     .step = ports > 1 ? 1u : 0u,
                     .start_ports = (1u << busy_ports) - 1u,
                     .frames = by_node / busy_ports,
                     .packet_bytes = packet_bytes},
            .by_all = in_circle > 1};
}

double frames_per_second(const char* image, unsigned dim, std::uint32_t payload_bytes,
                         milliseconds duration) {
    const Network cube{Topology::cube, static_cast<std::uint8_t>(dim)};
    host::RigPlan plan;
    plan.network = cube;
    plan.board = host::read_board(std::filesystem::path(image).parent_path());
    plan.programs = {{"bare_forwarder", image}};
    host::plan_emulator(plan, "exec");
    plan.wiring = host::wiring_of(cube);
    Rig rig(std::move(plan), node_count(cube));
    rig.wait_until_up();
    rig.start(traffic(dim, payload_bytes));
    const std::uint64_t before = rig.forwarded();
    const auto begin = Clock::now();
    rig.run_for(duration);
    const std::uint64_t after = rig.forwarded();
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    return static_cast<double>(after - before) / elapsed.count();
}

} // namespace

int main(int count, char** words) {
    if (count != 5) {
        fmt::print(stderr, "use: bare_rig IMAGE DIM PAYLOAD_BYTES SECONDS\n");
        return 2;
    }
    try {
        fmt::print("{:.0f}\n",
                   frames_per_second(words[1], static_cast<unsigned>(std::atoi(words[2])),
                                     static_cast<std::uint32_t>(std::atoi(words[3])),
                                     milliseconds{1000 * std::atoi(words[4])}));
        return 0;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "bare_rig: {}\n", failure.what());
        return 1;
    }
}
