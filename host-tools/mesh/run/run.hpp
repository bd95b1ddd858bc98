// Drives one run on any engine: boot, self-check, load, start, serve, settle, collect.
//
// Messages of nodes are the business of their sessions (node_session.hpp), late nodes that of one
// table (deadlines.hpp), and the end of the run that of termination.hpp.
#pragma once

#include "call_words.hpp"
#include "console_order.hpp"
#include "deadlines.hpp"
#include "endless.hpp"
#include "host-tools/mesh/common/console_text.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "live.hpp"
#include "node_session.hpp"
#include "node_table.hpp"
#include "output.hpp"
#include "process_traces.hpp"
#include "progress.hpp"
#include "run_log.hpp"
#include "waits.hpp"
#include "wire/host_messages.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Seconds of this machine that the parts of a run took, each from the end of the one before.
struct RunClock {
    double found_s = 0;    // the command is understood, what it names is found or built
    double boot_s = 0;     // nodes say that they are ready
    double prepared_s = 0; // they have their work, and have come to rest
    double wall_s = 0;     // the work: all that nodes count and move comes in it
    double ended_s = 0;    // nodes have answered, and have gone

    double whole_s() const { return found_s + boot_s + prepared_s + wall_s + ended_s; }
};

struct RunResult {
    std::vector<NodeResult> nodes;
    Output output;
    ConsoleText console; // only if it is expected to be something
    RunClock clock;
    Refusals refusals;
    std::vector<Wait> waits;          // of programs that have not ended
    bool moving = false;              // packets still went when these were read
    std::vector<std::string> in_vain; // what each node's program waited for, "" if it got all
    std::vector<unsigned> given_up;   // messages that went with an outbox of each node's program
    CallWords calls;                  // what nodes did not call alike, if that is seen
    std::string only_line;            // all that programs printed, if that was a line of node 0
    std::string cut_short;            // why it was ended before its end; "" if it was not
    int signal = 0;                   // that ended it; 0: none
    std::uint64_t expelled = 0;       // nodes ended for what they did
    std::uint64_t relay_drops = 0;    // frames lost between host tool and nodes with one cable
    std::vector<std::optional<std::uint32_t>> stack_used; // of each node, for a report
    std::uint64_t cable_bytes = 0;                        // Engine::cable_bytes() of the work
    std::optional<ImageLoad::Summary> load;               // of the image, by loaders
    std::optional<StartedBy> started_by;                  // Engine::started_by()
    std::optional<OrderTaken> order;                      // the choices of an order of its own

    /// The processes that wait, and for what (waits.hpp).
    std::string who_waits() const;
};

class Run final : private Events, private SessionHandler {
public:
    Run(Engine& engine, const Operation& op, Progress& progress);

    /// The whole run; how it went is in the result, also if the work could not begin. UsageError.
    RunResult execute();

private:
    using Clock = std::chrono::steady_clock;

    void look_at_stacks();
    void look_at_notes();
    std::string place_of(std::uint32_t node, std::uint32_t pc);

    // Events
    void host_frame(NodeId from, std::span<const std::byte> frame) override;
    void words(NodeId node, std::string_view text) override;
    void loaded(const ImageLoad::Summary& summary) override;
    void ended(NodeId node, std::string_view how) override;

    // SessionHandler
    void answer(NodeId to, wire::HostTag tag, std::span<const std::byte> payload) override;
    void begin_anew(NodeId node) override;
    void came_back(NodeId node, std::uint32_t resets) override;
    void console_line(NodeId from, std::string_view line) override;
    void traced(NodeId from, const wire::ProcessTrace& trace,
                std::span<const std::byte> object) override;
    void error_line(NodeId from, std::string_view line) override;
    void stopped(NodeId node, std::string_view why) override;

    // The passes
    void boot();
    void load();
    void start();
    void serve();
    void settle();
    void cut_short(std::string why);
    void interrupt(int signal);
    RunResult collect();
    std::vector<Wait> waits();

    void begin_phase(NodeResult::Mark mark, std::string_view what);
    void await_all();
    void come_to_rest();
    bool step();
    void check_limit() const;
    std::string unfinished(std::string_view when) const;
    void note_incidents();
    void restart(NodeId node);
    std::string_view who_waits(std::uint64_t packets);
    void show_progress();
    void show_live(const std::string& progress);
    void print(NodeId from, std::string_view line);

    Engine& engine_;
    const Operation& op_;
    const RunPlan& plan_;
    Progress& progress_;
    RunLog log_;
    Deadlines deadlines_;
    RunResult result_;
    SourceLines lines_;
    ProcessTraces traces_;
    ConsoleOrder console_{[this](NodeId from, std::string_view line) { print(from, line); }};
    std::string ended_;  // by a program: why
    std::string broken_; // the first node whose program broke, and how
    std::uint64_t lines_said_ = 0;
    std::string line_of_node_0_; // if it was the first line of all
    SessionContext context_;
    NodeTable node_table_;
    EndlessLook endless_;
    NodeResult::Mark mark_ = &NodeResult::ready; // what this phase wants of all nodes
    std::string_view what_ = "ready";
    std::uint32_t done_ = 0;
    std::size_t incidents_seen_ = 0; // of the fault plan
    LiveRun shown_;                  // of --live
    std::uint64_t packets_shown_ = 0;
    std::uint64_t packets_seen_ = 0;
    Clock::time_point moved_;                // when there were more of these
    Deadlines::Seconds quiet_since_{0};      // the packets that were shown
    std::optional<std::string> waits_shown_; // since then
    Clock::time_point booted_ = Clock::now();
    Clock::time_point started_ = Clock::now();
    Clock::time_point last_done_;
    std::uint64_t cable_bytes_before_ = 0; // the work
};

} // namespace mesh::host
