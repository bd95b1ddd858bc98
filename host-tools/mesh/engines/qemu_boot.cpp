// Boots the nodes of a rig, starts anew those that were reset, and has those of a rank.
//
// A node that is up says hello to its neighbours four times a second, until they are up, too. A
// thousand of them take two cores for themselves, and no other node comes up. So, where many nodes
// share a core, each is stopped by its monitor once it has spoken, and all go on when the last one
// is up. A node that is stopped costs nothing, and its clock stands still. From then on the host
// tool goes before its nodes: a frame that waits for it is sent again by a node that has had its
// turn meanwhile.
#include "host-tools/mesh/common/cores.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "qemu_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

constexpr unsigned kStartingPerCore = 2;
constexpr std::chrono::milliseconds kStartTimeout{5};
constexpr std::uint64_t kStartUsMax = 500'000;
/// Nodes for each core that boot as fast without being held.
constexpr unsigned kHeldPerCore = 32;
/// The nice value of more nodes than that, above the host tool's own.
constexpr int kNodeNice = 5;
constexpr int kNiceMax = 19;
constexpr std::chrono::milliseconds kServeTimeout = 200ms;
/// How long a rank that a signal is to end lives on: a launcher sends it to all, and rank 0 still
/// looks into the nodes.
constexpr std::uint64_t kSignalUs = 3'000'000;

void tell(const Fd& monitor, std::string_view command) {
    static_cast<void>(send(monitor.get(), command.data(), command.size(), MSG_NOSIGNAL));
}

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

void QemuEngine::boot(Events& events) {
    prepare();
    if (load_)
        loom_.arm_faults();
    // Ranks of one machine share its cores: one alone must hold no nodes back.
    const bool crowded =
        nodes_.size() > std::size_t{kHeldPerCore} * cores() && ranks_.uplink() == nullptr;
    // A loader, or the host at the one cable, works while nodes come up.
    holds_ = crowded && plan_.gdb.empty() && !one_cable_ && !load_;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
        spawn(node_at(node), 0);
        wait_for_room(node + 1, events);
    }
    let_go(events);
    goes_first_ = crowded; // from here on also of nodes that are reset
    for (std::uint32_t node = 0; node < nodes_.size(); ++node)
        go_before(node_at(node));
    tell_debuggers();
}

/// The preparations before the first node of this process.
void QemuEngine::prepare() {
    allow_descriptors(
        descriptors_for(nodes_.size(), plan_.board.sockets(port_count(plan_.network))));
    work_in_batches();
    std::vector<NodeId> debugged = plan_.gdb;
    std::erase_if(debugged, [this](NodeId node) { return ranks_.is_far(node); });
    stubs_.open(debugged);
}

/// Where a debugger finds the nodes of this process that wait for one.
void QemuEngine::tell_debuggers() const {
    const std::string where =
        ranks_.uplink() == nullptr
            ? ""
            : fmt::format(" on host {}", ranks_.uplink()->facts(ranks_.uplink()->rank()).host);
    for (const NodeId node : plan_.gdb)
        if (stubs_.descriptor(node) >= 0)
            say("node {} waits at reset{}; attach with: {}\n", index(node), where,
                shell_line({"gdb-multiarch", plan_.program(node).image, "-ex",
                            "target remote " + stubs_.path(node)}));
}

/// A few QEMUs that start at a time come up sooner than all of them at once. One that does not come
/// up holds the others for a moment only.
void QemuEngine::wait_for_room(std::uint32_t spawned, Events& events) {
    static const unsigned at_once =
        kStartingPerCore * (ranks_.uplink() != nullptr ? ranks_.uplink()->cores() : cores());
    const std::uint64_t until_us = ends_.now_us() + kStartUsMax;
    advance(std::chrono::milliseconds(0), events);
    while (spawned - loom_.started() >= at_once && ends_.now_us() < until_us)
        advance(kStartTimeout, events);
}

/// Stops a node that has spoken, if nodes are held.
void QemuEngine::hold(NodeId node) {
    if (!holds_ || std::exchange(nodes_[index(node)].held, true))
        return;
    held_.push_back(index(node));
    tell(nodes_[index(node)].monitor, "stop\n");
}

/// All nodes that are held go on. Their frames are passed on meanwhile.
void QemuEngine::let_go(Events& events) {
    holds_ = false;
    for (const std::uint32_t node : std::exchange(held_, {})) {
        tell(nodes_[node].monitor, "cont\n");
        advance(std::chrono::milliseconds(0), events);
    }
}

/// An emulator is a process group of its own, and the nice value that of all its threads.
void QemuEngine::go_before(NodeId node) const {
    if (goes_first_ && nodes_[index(node)].process.pid() > 0)
        setpriority(PRIO_PGRP, static_cast<id_t>(nodes_[index(node)].process.pid()),
                    std::min(getpriority(PRIO_PROCESS, 0) + kNodeNice, kNiceMax));
}

/// A reset node is a new process on the same cables. Unread bytes of the last process are lost.
void QemuEngine::reset_nodes() {
    for (const auto& [node, starts] : std::exchange(resets_, {})) {
        NodeLine& line = nodes_[index(node)];
        std::erase_if(closing_, [at = index(node)](const auto& other) { return other.node == at; });
        const bool dirty = line.dirty;
        line = NodeLine{};
        line.dirty = dirty;
        if (one_cable_)
            one_cable_->began_anew(node);
        spawn(node, starts);
        line.reset = ranks_.is_far(node); // until its rank says that it has started
        if (!line.reset)
            started(node);
    }
}

void QemuEngine::serve() {
    Reporter reporter(*ranks_.uplink());
    prepare();
    tell_debuggers();
    std::optional<Interrupted> signal;
    std::uint64_t until_us = 0;
    while (!ranks_.over()) {
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

} // namespace mesh::host
