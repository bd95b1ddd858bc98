// A small mesh for kernel tests: nodes over boards/host, cables that can lose, damage, double and
// swap frames, and a clock that the test moves. No host tool: the test is the host.
#pragma once

#include "boards/host/board.hpp"
#include "kernel/node/node.hpp"
#include "tests/kernel/audit.hpp"
#include "tests/kernel/heap_memory.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

namespace mesh::test {

/// Chances per frame, 0..1.
struct Noise {
    double drop = 0, corrupt = 0, twice = 0, swap = 0;
};

class Rig {
public:
    struct HostFrame {
        NodeId from;
        wire::HostTag tag;
        std::vector<std::byte> payload;
    };

    Rig(Network network, Program program, std::size_t buffers = 320, unsigned seed = 1,
        std::size_t arena_bytes = 32 * 1024)
        : network_(network),
          program_(program),
          buffers_(buffers),
          arena_bytes_(arena_bytes),
          random_(seed) {
        for (std::uint32_t id = 0; id < node_count(network); ++id)
            nodes_.push_back(
                std::make_unique<RigNode>(*this, wire::Identity{network, node_at(id)}));
    }

    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;
    Noise noise;
    bool shuffle = false; // cables deliver in random order, each its own frames in order
    std::uint64_t dropped = 0, corrupted = 0, doubled = 0;
    std::function<bool(NodeId, Port)> is_cut = [](NodeId, Port) { return false; };
    /// Frames that stay in their cable until bring_late().
    std::function<bool(NodeId, Port, const wire::LinkHeader&)> is_late =
        [](NodeId, Port, const wire::LinkHeader&) { return false; };
    bool started = false; // run() has booted the nodes
    std::vector<HostFrame> to_host;
    std::vector<std::pair<NodeId, wire::LinkHeader>> idle; // idle reports of nodes in lockstep
    std::uint64_t carried = 0;                             // frames put on cables
    std::uint64_t limit_us = 120'000'000;                  // of finish()
    std::uint64_t pause_at = ~std::uint64_t{0};            // that many: settle() stops

    Kernel& kernel(std::uint32_t id) { return nodes_[id]->node.kernel(); }
    board::HostBoard& board(std::uint32_t id) { return nodes_[id]->board; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

    void boot() {
        for (auto& node : nodes_)
            node->node.boot();
        settle();
    }

    /// Boots, gives every node `job`, starts it and runs until nothing happens.
    void run(wire::Job job) {
        job.op = job.op == wire::Op::none ? wire::Op::app : job.op;
        boot();
        for (std::uint32_t id = 0; id < size(); ++id)
            tell(id, wire::HostTag::job, wire::bytes_of(job));
        settle();
        started = true;
        for (std::uint32_t id = 0; id < size(); ++id)
            tell(id, wire::HostTag::start, {});
        finish();
    }

    void tell(std::uint32_t id, wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> frame(wire::kHeadBytes + wire::kPacketHeaderBytes + payload.size());
        const HostMessage message =
            host_message(std::span{frame}.subspan(wire::kHeadBytes), tag, payload);
        wire::write_head(message.link, {}, std::span{frame}.first<wire::kHeadBytes>());
        nodes_[id]->board.deliver(frame);
    }

    /// Resets a node: another life in new memory, on the same cables. It gets `job`, and `start` if
    /// it is to run its program.
    void restart(std::uint32_t id, const wire::Job& job = {}, bool runs = false) {
        wire::Identity identity = nodes_[id]->board.identity();
        ++identity.start;
        begin_anew(id, identity, job, runs);
    }
    /// It remembers nothing, also not how often it was started.
    void cut_power(std::uint32_t id, std::uint16_t birth, const wire::Job& job) {
        wire::Identity identity = nodes_[id]->board.identity();
        identity.birth = birth;
        begin_anew(id, identity, job, true);
    }
    void begin_anew(std::uint32_t id, const wire::Identity& identity, const wire::Job& job,
                    bool runs) {
        const std::uint64_t now = nodes_[id]->board.now_us();
        nodes_[id] = std::make_unique<RigNode>(*this, identity);
        nodes_[id]->board.set_time(now);
        nodes_[id]->node.boot();
        tell(id, wire::HostTag::job, wire::bytes_of(job));
        if (runs)
            tell(id, wire::HostTag::start, {});
    }
    void bring_late() {
        std::move(late_.begin(), late_.end(), std::back_inserter(cables_));
        late_.clear();
    }
    std::size_t late() const { return late_.size(); }

    /// Moves frames until none is left.
    void settle() {
        bool moved = true;
        while (moved && carried < pause_at) {
            moved = false;
            for (auto& node : nodes_) {
                while (node->node.poll())
                    moved = true;
                node->expect_order();
            }
            for (std::size_t most = shuffle ? 1 + random_() % 8 : cables_.size();
                 most != 0 && !cables_.empty() && carried < pause_at; --most) {
                moved = true;
                const Flying flying = take_next();
                nodes_[index(flying.to)]->board.deliver(flying.frame);
            }
        }
    }

    /// Settles, and lets time pass to the next alarm, until no node waits for anything or limit_us
    /// have passed.
    void finish() { finish(limit_us); }
    void finish(std::uint64_t until_us) {
        for (;;) {
            settle();
            std::uint64_t next = wire::kNever;
            for (auto& node : nodes_)
                next = std::min(next, node->board.alarm_us());
            if (next == wire::kNever || next > until_us)
                return;
            for (auto& node : nodes_)
                node->board.set_time(std::max(next, node->board.now_us()));
        }
    }

    wire::NodeReport report(std::uint32_t id) {
        wire::NodeReport report;
        nodes_[id]->node.inside().fill_report(report);
        return report;
    }
    std::uint64_t total(Counter counter) {
        std::uint64_t sum = 0;
        for (std::uint32_t id = 0; id < size(); ++id)
            sum += kernel(id).counters()[counter];
        return sum;
    }

private:
    struct Flying {
        NodeId to;
        std::vector<std::byte> frame;
    };
    struct RigNode {
        RigNode(Rig& rig, const wire::Identity& identity)
            : memory({.ports = port_count(rig.network_),
                      .buffers = rig.buffers_,
                      .processes = limits::kProcessesMax,
                      .nodes = node_count(rig.network_),
                      .arena_bytes = rig.arena_bytes_,
                      .workspace_bytes = 4096}),
              board(identity, [&rig, id = identity.node](
                                  std::span<std::byte> frame) { rig.carry(id, frame); }),
              node(board, memory, rig.program_) {}

        /// Expects that lists, references and windows of the node, which rests, are right.
        void expect_order() {
            const PacketMemory packets{memory.buffers, memory.slots,
                                       static_cast<unsigned>(memory.links.size())};
            const char* const wrong = audit(node.kernel(), packets, memory.links);
            if (wrong != nullptr)
                ADD_FAILURE() << "node " << index(node.kernel().id()) << ": " << wrong;
        }

        HeapMemory memory;
        board::HostBoard board;
        Node<board::HostBoard> node;
    };

    // The oldest frame, or in a shuffle the oldest of a random cable.
    Flying take_next() {
        auto at = cables_.begin();
        if (shuffle) {
            const auto& any = cables_[random_() % cables_.size()];
            const auto same_cable = [&](const Flying& other) {
                return other.to == any.to &&
                       other.frame[wire::offset::kCablePort] == any.frame[wire::offset::kCablePort];
            };
            at = std::find_if(cables_.begin(), cables_.end(), same_cable);
        }
        Flying flying = std::move(*at);
        cables_.erase(at);
        return flying;
    }

    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>{}(random_) < p; }

    void carry(NodeId from, std::span<std::byte> frame) {
        const auto port = static_cast<Port>(frame[wire::offset::kCablePort]);
        if (port == kHostPort) {
            to_host_frame(from, frame);
            return;
        }
        ++carried;
        if (is_cut(from, port)) {
            ++dropped;
            return;
        }
        if (chance(noise.drop)) {
            ++dropped;
            return;
        }
        Flying flying{neighbor(network_, from, port), {frame.begin(), frame.end()}};
        wire::LinkHeader header;
        if (wire::read_head(frame, frame.size(), header) == wire::Parse::ok &&
            is_late(from, port, header)) {
            late_.push_back(std::move(flying));
            return;
        }
        if (chance(noise.twice)) {
            ++doubled;
            cables_.push_back(flying);
        }
        if (chance(noise.corrupt)) {
            ++corrupted;
            const std::size_t range = frame.size() - wire::kCableBytes;
            flying.frame[wire::kCableBytes + random_() % range] ^=
                static_cast<std::byte>(1u << (random_() % 8));
        }
        const bool swap = chance(noise.swap) && !cables_.empty();
        cables_.insert(swap ? cables_.end() - 1 : cables_.end(), std::move(flying));
    }

    void to_host_frame(NodeId from, std::span<const std::byte> frame) {
        wire::LinkHeader link;
        if (wire::read_head(frame.first(wire::kHeadBytes), frame.size(), link) != wire::Parse::ok)
            return;
        if (link.kind == wire::Kind::idle)
            idle.emplace_back(from, link);
        wire::PacketHeader header;
        if (frame.size() == wire::kHeadBytes ||
            wire::read_packet(frame.subspan(wire::kHeadBytes), header) != wire::Parse::ok)
            return;
        const auto payload = frame.subspan(wire::kHeadBytes + wire::kPacketHeaderBytes);
        to_host.push_back(
            {from, static_cast<wire::HostTag>(header.tag), {payload.begin(), payload.end()}});
    }

    Network network_;
    Program program_;
    std::size_t buffers_;
    std::size_t arena_bytes_;
    std::mt19937 random_;
    std::deque<Flying> cables_;
    std::vector<Flying> late_;
    std::vector<std::unique_ptr<RigNode>> nodes_;
};

} // namespace mesh::test
