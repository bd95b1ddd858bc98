// Drives one run on any engine: boot, self-check, load, start, serve, settle, collect.
#pragma once

#include "engine.hpp"
#include "host_frame.hpp"
#include "ops/operation.hpp"
#include "progress.hpp"
#include "wire/host_messages.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// How a node came out of the run.
enum class Fate : std::uint8_t {
    live,   // works, or has done its job
    killed, // by the fault plan
    ended,  // its process or firmware stopped of itself
    hung,   // does not answer
};

struct NodeResult {
    Fate fate = Fate::live;
    bool ready = false;
    bool accepted = false;
    bool done = false;
    wire::NodeReport report{};       // the last one
    std::uint32_t frames_before = 0; // that the node got before the work began
    std::string note;                // what was seen of its end
};

struct RunResult {
    std::vector<NodeResult> nodes;
    Bytes output;
    double boot_s = 0;
    double wall_s = 0;
    std::uint64_t bad_host_frames = 0;
};

/// "node 5", "nodes 1 2 3 and 40 more".
std::string name_nodes(const std::vector<std::uint32_t>& nodes);

class Run final : private Events {
public:
    Run(Engine& engine, const Operation& op, Progress& progress);

    /// The whole run. RunError if it could not begin; how it went is in the result.
    RunResult execute();

private:
    using Clock = std::chrono::steady_clock;

    // Events
    void host_frame(NodeId from, std::span<const std::byte> frame) override;
    void ended(NodeId node, std::string_view how) override;

    // What nodes say
    void on_ready(NodeId node, const HostMessage& message);
    void on_pull(NodeId node, const HostMessage& message);
    void on_push(NodeId node, const HostMessage& message);
    void make_room(NodeId node, const wire::Piece& piece);
    void on_console(NodeId node, const HostMessage& message);
    void on_report(NodeId node, const HostMessage& message);
    void on_fault(NodeId node, const HostMessage& message);
    void say(NodeId node);

    // The passes
    void boot();
    void load();
    void start();
    void serve();
    void settle();
    void flush_consoles();

    void await(bool NodeResult::*mark, std::string_view what);
    bool step();
    bool stalled(Clock::time_point since) const;
    void come_to_rest();
    bool settled();
    bool wedged();
    bool quiet() const;
    void poll_live_nodes();
    void answered(NodeId node);
    std::vector<std::uint32_t> those_who(bool (Run::*owes)(NodeId) const) const;
    std::size_t give_up(bool (Run::*owes)(NodeId) const);
    bool owes_answer(NodeId node) const { return asked_[index(node)]; }
    bool owes_idle(NodeId node) const { return engine_.loom().awaited(node); }
    void leave(NodeId node, Fate fate, std::string_view note);
    void note_killed();
    std::uint32_t count_live() const;
    void send(NodeId node, wire::HostTag tag, std::span<const std::byte> payload = {});
    void show_progress();

    static constexpr std::size_t kLineMax = 4096;

    Engine& engine_;
    const Operation& op_;
    const RunPlan& plan_;
    Progress& progress_;
    RunResult result_;
    std::uint32_t done_ = 0;         // live nodes that have done their job
    std::size_t incidents_seen_ = 0; // of the fault plan
    std::vector<std::string> lines_; // of consoles, not ended yet

    std::vector<bool> asked_; // polled, no answer yet
    std::uint32_t answers_missing_ = 0;
    bool round_open_ = false;
    bool all_settled_ = false; // every answer of this round had nothing under way
    std::uint64_t packets_at_poll_ = 0;
    std::uint64_t packets_seen_ = 0;
    std::uint64_t delivered_ = 0; // packets, by all nodes, when they were last asked
    std::uint64_t packets_at_delivery_ = 0;

    Clock::time_point started_;
    Clock::time_point last_movement_;
    Clock::time_point last_packet_;
    Clock::time_point last_delivery_;
    Clock::time_point last_done_;
    Clock::time_point asked_at_;
};

} // namespace mesh::host
