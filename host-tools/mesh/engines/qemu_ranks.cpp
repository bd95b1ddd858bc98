// The rig when several ranks share its nodes. Rank 0 has the loom; a frame of a node that another
// rank has comes from there, and goes there, instead of by a socket of the node's emulator.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "qemu_engine.hpp"
#include "wait_bytes.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kServeTimeout = 200ms;
/// How long a rank that a signal is to end lives on: a launcher sends it to all, and rank 0 still
/// looks into the nodes.
constexpr std::uint64_t kSignalUs = 3'000'000;
/// How long rank 0 waits for a look into a node, which takes two seconds at most there.
constexpr std::chrono::milliseconds kLookTimeout = 5s;

Bytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

/// The words of another rank's nodes, told to rank 0.
class Reporter final : public Events {
public:
    explicit Reporter(Uplink& uplink) : uplink_(uplink) {}
    void host_frame(NodeId, std::span<const std::byte>) override {} // they go the way of all frames
    void words(NodeId node, std::string_view text) override {
        uplink_.send(0, What::words, node, std::as_bytes(std::span(text)));
    }
    void loaded(const ImageLoad::Summary&) override {} // rank 0 loads
    void ended(NodeId node, std::string_view how) override {
        uplink_.send(0, What::ended, node, std::as_bytes(std::span(how)));
    }

private:
    Uplink& uplink_;
};

} // namespace

void QemuEngine::serve() {
    Reporter reporter(*uplink_);
    prepare();
    tell_debuggers();
    std::optional<Interrupted> signal;
    std::uint64_t until_us = 0;
    while (!over_) {
        try {
            advance(kServeTimeout, reporter);
        } catch (const Interrupted& interrupted) { // rank 0 has it, too, and ends the run
            signal = interrupted;
            until_us = ends_.now_us() + kSignalUs;
        }
        if (signal && ends_.now_us() > until_us)
            throw RunError(fmt::format("ended by signal {}", signal->signal));
    }
}

std::uint64_t QemuEngine::cable_bytes() const {
    std::uint64_t all = cable_bytes_;
    for (const auto& [rank, bytes] : far_cables_)
        all += bytes;
    return all;
}

/// To the rank that has the node.
void QemuEngine::order(NodeId node, What what, std::uint8_t detail,
                       std::span<const std::byte> bytes) {
    uplink_->send(part_of(plan_.network, node, uplink_->ranks()), what, node, bytes, detail);
}

/// To rank 0.
void QemuEngine::report(NodeId node, What what, std::span<const std::byte> bytes,
                        std::uint8_t detail) {
    uplink_->send(0, what, node, bytes, detail);
}

/// Too much waits for the node, most of it from this port.
void QemuEngine::crowded(NodeId node, unsigned port) {
    if (serves())
        report(node, What::crowded, {}, static_cast<std::uint8_t>(port));
    else
        loom_.too_much_for(node, port);
}

/// A node that was reset is there again.
void QemuEngine::started(NodeId node) {
    loom_.restarted(node);
    if (serves())
        report(node, What::started);
}

void QemuEngine::flush_ranks() {
    if (serves() && std::exchange(cables_told_, cable_bytes_) != cable_bytes_)
        report(NodeId{0}, What::cables, wire::bytes_of(cable_bytes_));
    uplink_->flush();
}

/// The end of the run, for all ranks. Those that do not hear of it see that rank 0 is gone.
void QemuEngine::end_ranks() {
    if (uplink_ == nullptr || serves())
        return;
    try {
        for (unsigned rank = 1; rank < uplink_->ranks(); ++rank)
            uplink_->send(rank, What::end);
        uplink_->flush();
    } catch (const RunError& gone) {
        std::ignore = gone; // it has been told
    }
}

/// Takes all that has come from other ranks. RunError: one is gone.
void QemuEngine::hear_ranks() {
    if (uplink_ == nullptr)
        return;
    for (Kept& kept : std::exchange(kept_, {}))
        hear(kept.from, {kept.what, kept.detail, kept.node, kept.bytes});
    unsigned from = 0;
    while (const auto message = uplink_->next(from))
        hear(from, *message);
}

void QemuEngine::hear(unsigned from, const Message& message) {
    if (message.what == What::failed)
        throw RunError(fmt::format("{}: {}", uplink_->name(from), text_of(message.bytes)));
    if (message.what == What::end)
        over_ = true;
    if (message.what == What::cables && message.bytes.size() == sizeof(std::uint64_t))
        far_cables_[from] = wire::load<std::uint64_t>(message.bytes, 0);
    if (index(message.node) >= nodes_.size())
        throw RunError(
            fmt::format("{} speaks of a node that the mesh does not have", uplink_->name(from)));
    if (serves())
        obey(message);
    else if (is_far(message.node))
        hear_of(message);
}

/// Rank 0: the state of a node. While the node is down, that of its last life.
void QemuEngine::hear_of(const Message& message) {
    const NodeId node = message.node;
    NodeLine& line = nodes_[index(node)];
    if (message.what == What::started && std::exchange(line.reset, false))
        started(node);
    if (line.reset)
        return;
    if (message.what == What::frame)
        take_frame(node, message.bytes);
    else if (message.what == What::words)
        events_->words(node, text_of(message.bytes));
    else if (message.what == What::crowded)
        crowded(node, message.detail);
    else if (message.what == What::gone)
        gone(node);
    else if (message.what == What::ended)
        events_->ended(node, line.reason.empty() ? text_of(message.bytes) : line.reason);
}

/// Another rank: does what rank 0 orders.
void QemuEngine::obey(const Message& message) {
    const NodeId node = message.node;
    if (message.what == What::frame && message.bytes.size() >= wire::kHeadBytes)
        ends_.deliver(node, message.bytes);
    else if (message.what == What::kill)
        ends_.kill(node);
    else if (message.what == What::start && message.bytes.size() == sizeof(unsigned))
        ends_.restart(node, wire::load<unsigned>(message.bytes, 0));
    else if (message.what == What::look)
        report(node, What::seen, seen(node, static_cast<Look>(message.detail)), message.detail);
}

/// This rank's node, as rank 0 gets it by look().
Bytes QemuEngine::seen(NodeId node, Look what) {
    Bytes bytes;
    if (what == Look::waits)
        bytes = bytes_of_waits(waiting(node));
    else if (const auto place = what == Look::place ? running(node) : std::nullopt)
        bytes = copy_of(wire::bytes_of(*place));
    else if (const auto stack = what == Look::stack ? stack_used(node) : std::nullopt)
        bytes = copy_of(wire::bytes_of(*stack));
    return bytes;
}

/// Looks into a node that another rank has. Nothing if there is nothing to be seen, or the rank
/// does not answer; then no rank is asked any more.
Bytes QemuEngine::look(NodeId node, Look what) {
    const auto detail = static_cast<std::uint8_t>(what);
    const auto until = std::chrono::steady_clock::now() + kLookTimeout;
    try {
        if (!mute_)
            order(node, What::look, detail);
        uplink_->flush();
        while (!mute_) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                until - std::chrono::steady_clock::now());
            const auto told = wait_for(*uplink_, left);
            if (!told)
                break;
            const Message& message = told->message;
            if (message.what == What::seen && message.node == node && message.detail == detail)
                return copy_of(message.bytes);
            kept_.push_back(
                {told->from, message.what, message.detail, message.node, copy_of(message.bytes)});
        }
    } catch (const RunError& gone) {
        std::ignore = gone; // the run, if it goes on, hears it again
    }
    mute_ = true;
    return {};
}

std::unique_ptr<Engine> make_qemu_engine(const RigPlan& plan) {
    return std::make_unique<QemuEngine>(plan);
}

void serve_rank(const RigPlan& plan) { QemuEngine(plan).serve(); }

} // namespace mesh::host
