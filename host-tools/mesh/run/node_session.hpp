// The messages of one node to the host tool: read, checked, answered, and kept within bounds.
//
// A session trusts nothing that its node says. It never asks for more than bounds.hpp allows, and
// the text that it hands on is clean: a node cannot write in another's name.
#pragma once

#include "deadlines.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/lockstep.hpp"
#include "line_cutter.hpp"
#include "output.hpp"
#include "source_lines.hpp"
#include "wire/host_messages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mesh::host {

/// How a node came out of the run.
enum class Fate : std::uint8_t {
    live,   // works, or has done its job
    killed, // by the fault plan
    ended,  // its process or firmware stopped of itself, or it was ended for what it did
    hung,   // does not answer
};

/// The sums of a node's counters since it was started. Its own counters are modulo 2^32, some
/// twenty hours of a rig; they count less than that between two reports.
struct NodeCounts {
    std::array<std::uint64_t, kCounterCount> counters{};
    std::array<std::uint64_t, kPortsMax> link_packets{};
    std::array<std::uint64_t, kPortsMax> dma_transfers{};

    std::uint64_t of(Counter counter) const { return counters[static_cast<std::size_t>(counter)]; }
    /// `now` follows on `before`, or is the first.
    void add(const wire::NodeReport& before, const wire::NodeReport& now);
};

struct NodeResult {
    /// One of the flags below: the one that a phase of the run wants of all nodes.
    using Mark = bool NodeResult::*;

    Fate fate = Fate::live;
    bool ready = false;
    bool accepted = false;
    bool done = false;
    bool restarted = false;          // by the fault plan: works, but has no part in the job
    std::uint32_t began_anew = 0;    // so often it was reset, and not by the fault plan
    bool anew_at_work = false;       // once at least when the work had begun
    wire::NodeReport report{};       // the last one
    NodeCounts counts;               // of all of them
    std::uint32_t frames_before = 0; // that it got before the work began, and `counts` has
    std::string note;                // what was seen of its end

    /// Its program had computed without waiting for so long when it last reported.
    Deadlines::Seconds computing() const { return std::chrono::milliseconds(report.computing_ms); }
    /// True if the node lives, and computing() is long enough to be worth telling.
    bool computes() const { return fate == Fate::live && computing() >= Deadlines::Seconds(1); }
};

/// `has computed for 4 s without waiting`.
std::string describe_computing(const NodeResult& node);

/// The run that a session belongs to, as the session uses it.
class SessionHandler {
public:
    virtual ~SessionHandler() = default;
    virtual void answer(NodeId to, wire::HostTag tag, std::span<const std::byte> payload) = 0;
    /// An app's node that was restarted is prepared: its program begins anew.
    virtual void begin_anew(NodeId node) = 0;
    /// The node was reset, so many times since this was last said, and not by the fault plan. It is
    /// to have its job again.
    virtual void came_back(NodeId node, std::uint32_t resets) = 0;
    /// A line that the node's program has printed, fit to be shown.
    virtual void console_line(NodeId from, std::string_view line) = 0;
    /// A trace event of a process of the node; `object`: the bytes, in the node's memory, of the
    /// object that the process waits for.
    virtual void traced(NodeId from, const wire::ProcessTrace& trace,
                        std::span<const std::byte> object) = 0;
    /// A line of the node's emulator, clean.
    virtual void error_line(NodeId from, std::string_view line) = 0;
    /// The node's firmware has stopped, and says why.
    virtual void stopped(NodeId node, std::string_view why) = 0;
};

/// The data and settings of a run, which its sessions share.
struct SessionContext {
    Network network;
    const std::optional<Bytes>* input;
    const Bytes* files; // from wire::kFilesAt on
    Output* output;
    bool app = false; // its program decides who writes where: too much is a mistake to be told
    bool raw = false; // console text as it is
    bool was_there = false;       // the mesh is older than the run
    SourceLines* lines = nullptr; // of its image, if that is known
    std::string* ended = nullptr; // gets what the node says that ends the whole run
};

/// Counts of messages from nodes that were refused.
struct Refusals {
    std::uint64_t host_frames = 0; // not whole, not right, or out of place
    std::uint64_t pushes = 0;      // of these, data beyond what the node may write
};

class NodeSession {
public:
    NodeSession(NodeId node, const SessionContext& context, SessionHandler& handler)
        : node_(node),
          context_(&context),
          handler_(&handler),
          console_(context.raw) {}

    /// A frame from the node's host port; any bytes. Returns the offence of the node, in words, if
    /// it has done what no node may; else "". RunError if its cables are in the wrong ports.
    [[nodiscard]] std::string hear(std::span<const std::byte> frame);
    /// Text from the standard error of its emulator; any bytes.
    void hear_errors(std::string_view text);
    /// Hands on the last lines, which have no end yet.
    void flush();

    /// The work begins: the frames that the node has got so far do not count.
    void begin_work(std::uint32_t frames) {
        works_ = true;
        result_.frames_before = frames;
    }
    /// Asks the node for a report. `again`: its processes that wait for other nodes shall ask again
    /// whether those are there, and the report counts them as pending until they have an answer.
    void ask(bool again);
    /// The fault plan has restarted the node, if it was not lost otherwise: the program of an app
    /// begins anew; in any other job the node has no part any more.
    void restart();
    /// The node has ended of itself: `how`, and the last line of its emulator.
    void end(std::string_view how);
    /// The node leaves the run and owes nothing any more.
    void leave(Fate fate, std::string_view note);

    bool live() const { return result_.fate == Fate::live; }
    bool asked() const { return asked_; }
    /// By its last report; never while its program is to begin anew.
    bool settled() const { return !begins_anew_ && result_.report.unacknowledged == 0; }
    const NodeResult& result() const { return result_; }
    /// So often it was started in this run, the first time not counted.
    std::uint32_t starts() const { return starts_; }
    const Refusals& refusals() const { return refusals_; }

    /// Looks at the time: a node is quiet from when it began to owe something, or gave a sign of
    /// life, whichever is later.
    void look(bool owes, bool sign, Deadlines::Seconds now);
    /// A phase begins: it has all its time again.
    void begin_phase(Deadlines::Seconds now) { quiet_since_ = now; }
    Deadlines::Seconds quiet_since() const { return quiet_since_; }

private:
    void on_error_line(std::string_view line);
    std::string take(const HostMessage& message);
    std::string on_ready(const HostMessage& message);
    void on_lost_power();
    void on_accepted();
    std::string on_began_anew(const HostMessage& message);
    void forget();
    void end_run(std::string why);
    void count_starts(std::uint32_t more);
    std::string on_pull(const HostMessage& message);
    std::string on_push(const HostMessage& message);
    bool gather_report(const HostMessage& message);
    std::string on_report(const HostMessage& message);
    std::string take_report(const wire::NodeReport& report);
    void on_abort(const HostMessage& message);
    std::string on_fault(const HostMessage& message);
    void on_console(const HostMessage& message);
    std::string on_trace(const HostMessage& message);
    std::string refuse_frame();

    NodeId node_;
    const SessionContext* context_;
    SessionHandler* handler_;
    NodeResult result_;
    Refusals refusals_;
    LineCutter console_;
    LineCutter errors_;
    std::string last_line_;                                         // of its emulator
    std::array<std::byte, sizeof(wire::NodeReport)> report_room_{}; // that comes in several packets
    std::size_t report_bytes_ = 0;                                  // of it that have come
    bool asked_ = false;           // for a report that has not come
    bool works_ = false;           // the work has begun
    bool met_ = false;             // it has spoken in this run
    bool may_begin_again_ = false; // its program has said so
    bool said_before_ = false;     // it said so in another run, and the node still keeps that
    bool begins_anew_ = false;     // its program is to begin again, and was not told so yet
    std::uint32_t resets_ = 0;     // that it has told of, since it was last started
    std::uint32_t starts_ = 0;     // of any kind, behind the first
    bool stopped_ = false;         // its firmware has said so: it has no more to report
    Deadlines::Seconds quiet_since_{0};
};

} // namespace mesh::host
