#include "run.hpp"

#include "errors.hpp"
#include "hal/check.hpp"
#include "host_frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPatience{20};
/// Free running: no packet for this long, and the nodes are asked whether anything is under way.
constexpr std::chrono::milliseconds kQuiet{100};
/// Free running, all done: time between two questions.
constexpr std::chrono::milliseconds kPollPeriod{5};
/// Free running, packets all the time: the nodes are asked this often in a --timeout how many came.
constexpr unsigned kRoundsPerTimeout = 4;
constexpr std::size_t kNamedMax = 16;
/// Largest --output of an app, as its --input: a broken node cannot take all memory.
constexpr std::size_t kAppOutputBytesMax = std::size_t{1} << 30;
constexpr std::uint32_t kProcessorFault = 0xF000'0000;

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

std::string describe(const wire::FaultRecord& record) {
    if (record.cause == static_cast<std::uint32_t>(CheckId::network_not_linked))
        return "the image does not have this network: `make NETWORKS='cube uhc star'`";
    const bool processor = record.cause >= kProcessorFault;
    return fmt::format("firmware stopped: {} {}, pc {:#010x}, lr {:#010x}, cfsr {:#010x}, "
                       "address {:#010x}",
                       processor ? "exception" : "CHECK",
                       processor ? record.cause - kProcessorFault : record.cause, record.pc,
                       record.lr, record.cfsr, record.address);
}

} // namespace

std::string name_nodes(const std::vector<std::uint32_t>& nodes) {
    const std::size_t named = std::min(nodes.size(), kNamedMax);
    const std::string list = fmt::format(
        "{} {}", nodes.size() == 1 ? "node" : "nodes",
        fmt::join(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), " "));
    return named == nodes.size() ? list : fmt::format("{} and {} more", list, nodes.size() - named);
}

Run::Run(Engine& engine, const Operation& op, Progress& progress)
    : engine_(engine),
      op_(op),
      plan_(op.run()),
      progress_(progress),
      lines_(plan_.nodes()),
      asked_(plan_.nodes()) {
    result_.nodes.resize(plan_.nodes());
    if (op.output_node() != kNoNode)
        result_.output.resize(op.output_bytes());
}

RunResult Run::execute() {
    boot();
    load();
    start();
    serve();
    settle();
    flush_consoles();
    return std::move(result_);
}

// --- the passes ---

void Run::boot() {
    const auto begin = Clock::now();
    last_movement_ = begin;
    engine_.boot(*this);
    await(&NodeResult::ready, "ready");
    result_.boot_s = seconds(Clock::now() - begin);
}

void Run::load() {
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        send(node_at(node), wire::HostTag::job, op_.job_for(node_at(node)));
    await(&NodeResult::accepted, "prepared");
    if (plan_.rig.lockstep)
        engine_.loom().begin_lockstep();
}

/// Lockstep: lets everything that belongs to the start of the nodes end.
void Run::come_to_rest() {
    while (engine_.loom().in_lockstep() && !engine_.loom().quiescent()) {
        const bool moved = step();
        if (!moved && stalled(last_movement_))
            throw RunError(fmt::format("lockstep: {}: not at rest before the work begins",
                                       name_nodes(those_who(&Run::owes_idle))));
    }
}

/// Faults begin with the work: what boots and checks itself is the healthy mesh.
void Run::start() {
    come_to_rest();
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        result_.nodes[node].frames_before = engine_.loom().delivered(node_at(node));
    started_ = last_done_ = last_packet_ = asked_at_ = last_delivery_ = Clock::now();
    engine_.loom().arm_faults();
    note_killed();
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        send(node_at(node), wire::HostTag::start);
}

void Run::serve() {
    for (;;) {
        const bool moved = step();
        if (!engine_.loom().in_lockstep()) {
            if (settled())
                return;
        } else if (engine_.loom().quiescent()) {
            return;
        } else if (!moved && stalled(last_movement_)) {
            if (give_up(&Run::owes_idle) == 0)
                throw RunError("lockstep: nobody is awaited, yet nothing moves (a bug)");
        }
    }
}

/// Lockstep: everything has come to rest; asks for the final counters.
void Run::settle() {
    result_.wall_s = seconds(last_done_ - started_);
    if (!engine_.loom().in_lockstep())
        return;
    poll_live_nodes();
    while (answers_missing_ != 0) {
        const bool moved = step();
        if (!moved && stalled(last_movement_))
            give_up(&Run::owes_answer);
    }
}

/// Waits until `mark` is set for every node. Before the work begins nobody may be missing.
void Run::await(bool NodeResult::*mark, std::string_view what) {
    for (;;) {
        std::vector<std::uint32_t> missing;
        for (std::uint32_t node = 0; node < plan_.nodes(); ++node) {
            if (result_.nodes[node].fate != Fate::live)
                throw RunError(fmt::format("node {}: ended before it was {}: {}", node, what,
                                           result_.nodes[node].note));
            if (!(result_.nodes[node].*mark))
                missing.push_back(node);
        }
        if (missing.empty())
            return;
        if (progress_.due())
            progress_.show(fmt::format("{}: {}/{} nodes", what, plan_.nodes() - missing.size(),
                                       plan_.nodes()));
        const bool moved = step();
        if (!moved && stalled(last_movement_))
            throw RunError(fmt::format("{}: not {} and silent", name_nodes(missing), what));
    }
}

/// Lets the engine work for a moment. True if anything moved.
bool Run::step() {
    const bool moved = engine_.advance(kPatience, *this);
    const auto now = Clock::now();
    if (moved)
        last_movement_ = now;
    const std::uint64_t packets = engine_.loom().counts().packets;
    if (packets != packets_seen_)
        last_packet_ = now;
    packets_seen_ = packets;
    note_killed();
    if (packets != 0 && progress_.due())
        show_progress();
    return moved;
}

/// True if waiting since `since` is long enough to give up. A simulation that does not move never
/// will again.
bool Run::stalled(Clock::time_point since) const {
    if (plan_.rig.gdb)
        return false;
    return !engine_.real_time() || seconds(Clock::now() - since) > plan_.timeout_s;
}

/// Free running: true once all live nodes have answered that nothing is under way at them, and no
/// packet has crossed the loom since they were asked; or once what is under way never ends.
bool Run::settled() {
    const auto now = Clock::now();
    if (answers_missing_ != 0) {
        if (stalled(asked_at_))
            give_up(&Run::owes_answer);
        return false;
    }
    if (std::exchange(round_open_, false) &&
        ((all_settled_ && packets_seen_ == packets_at_poll_) || wedged()))
        return true;
    const bool all_done = done_ == count_live();
    if (now - asked_at_ >= (all_done ? kPollPeriod : kQuiet) &&
        (all_done || quiet() || seconds(now - asked_at_) > plan_.timeout_s / kRoundsPerTimeout))
        poll_live_nodes();
    return false;
}

/// When all have answered: true if packets have crossed the loom for the whole --timeout, and not
/// one was delivered. Then nodes are full of packets that wait for one that a dead link has lost,
/// refuse all others, and are asked again for ever.
bool Run::wedged() {
    std::uint64_t delivered = 0;
    for (const NodeResult& node : result_.nodes)
        delivered += node.report.counters[static_cast<std::size_t>(Counter::packets_delivered)];
    if (std::exchange(delivered_, delivered) == delivered)
        return packets_seen_ != packets_at_delivery_ && stalled(last_delivery_);
    packets_at_delivery_ = packets_seen_;
    last_delivery_ = Clock::now();
    return false;
}

/// True if it looks as if the run had come to rest. An app may sleep, which nobody outside can tell
/// from waiting for ever: it is asked only when it has been silent for the whole --timeout.
bool Run::quiet() const {
    const auto now = Clock::now();
    if (op_.is_app())
        return stalled(last_movement_);
    return now - last_packet_ >= kQuiet;
}

void Run::poll_live_nodes() {
    round_open_ = true;
    all_settled_ = true;
    packets_at_poll_ = engine_.loom().counts().packets;
    asked_at_ = Clock::now();
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node) {
        if (result_.nodes[node].fate != Fate::live)
            continue;
        asked_[node] = true;
        ++answers_missing_;
    }
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        if (asked_[node])
            send(node_at(node), wire::HostTag::poll);
}

std::vector<std::uint32_t> Run::those_who(bool (Run::*owes)(NodeId) const) const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        if (result_.nodes[node].fate == Fate::live && (this->*owes)(node_at(node)))
            nodes.push_back(node);
    return nodes;
}

/// Takes nodes that owe something out of the run. Returns how many.
std::size_t Run::give_up(bool (Run::*owes)(NodeId) const) {
    const std::vector<std::uint32_t> hung = those_who(owes);
    for (const std::uint32_t node : hung) {
        leave(node_at(node), Fate::hung, "does not answer");
        engine_.kill(node_at(node));
    }
    last_movement_ = Clock::now();
    return hung.size();
}

/// A node leaves the run; it owes nothing any more.
void Run::leave(NodeId node, Fate fate, std::string_view note) {
    NodeResult& result = result_.nodes[index(node)];
    if (result.fate != Fate::live)
        return;
    result.fate = fate;
    if (result.note.empty())
        result.note = note;
    else
        result.note += fmt::format(" ({})", note);
    if (result.done)
        --done_;
    answered(node);
}

void Run::answered(NodeId node) {
    if (!asked_[index(node)])
        return;
    asked_[index(node)] = false;
    --answers_missing_;
}

/// Notes the nodes that the fault plan has killed since the last look.
void Run::note_killed() {
    const auto& happened = engine_.loom().counts().happened;
    for (; incidents_seen_ < happened.size(); ++incidents_seen_)
        if (happened[incidents_seen_].kind == FaultKind::kill)
            leave(happened[incidents_seen_].node, Fate::killed, "killed by the fault plan");
}

std::uint32_t Run::count_live() const {
    return static_cast<std::uint32_t>(
        std::count_if(result_.nodes.begin(), result_.nodes.end(),
                      [](const NodeResult& node) { return node.fate == Fate::live; }));
}

void Run::send(NodeId node, wire::HostTag tag, std::span<const std::byte> payload) {
    engine_.loom().send(node, make_host_frame(node, tag, payload));
}

void Run::show_progress() {
    const std::uint64_t expected = op_.expected_packets();
    const std::uint64_t percent = std::min<std::uint64_t>(99, 100 * packets_seen_ / expected);
    progress_.show(
        fmt::format("running: {} packets{}, {}/{} nodes done", packets_seen_,
                    op_.knows_packets() ? fmt::format(" of {} ({} %)", expected, percent) : "",
                    done_, count_live()));
}

// --- what nodes say ---

void Run::host_frame(NodeId from, std::span<const std::byte> frame) {
    const auto message = read_host_frame(frame);
    if (!message) {
        ++result_.bad_host_frames;
        return;
    }
    switch (message->tag) {
    case wire::HostTag::ready: on_ready(from, *message); break;
    case wire::HostTag::accepted: result_.nodes[index(from)].accepted = true; break;
    case wire::HostTag::pull: on_pull(from, *message); break;
    case wire::HostTag::push: on_push(from, *message); break;
    case wire::HostTag::console: on_console(from, *message); break;
    case wire::HostTag::report: on_report(from, *message); break;
    case wire::HostTag::fault: on_fault(from, *message); break;
    case wire::HostTag::job:
    case wire::HostTag::start:
    case wire::HostTag::piece:
    case wire::HostTag::poll:
    case wire::HostTag::hang: ++result_.bad_host_frames; break;
    }
}

void Run::ended(NodeId node, std::string_view how) {
    note_killed(); // the plan may be why
    leave(node, Fate::ended, how);
}

void Run::on_ready(NodeId node, const HostMessage& message) {
    const auto ready = payload_as<wire::Ready>(message);
    if (!ready ||
        (ready->ports_miswired != 0 && ready->miswired_port >= port_count(plan_.network()))) {
        ++result_.bad_host_frames;
        return;
    }
    if (ready->ports_miswired != 0) {
        const Port port = port_at(ready->miswired_port);
        throw RunError(fmt::format("node {} port {}: the cable leads to node {} port {}, not to "
                                   "node {} port {}",
                                   index(node), index(port), ready->found_node, ready->found_port,
                                   index(neighbor(plan_.network(), node, port)), index(port)));
    }
    result_.nodes[index(node)].ready = true;
}

void Run::on_pull(NodeId node, const HostMessage& message) {
    const auto pull = payload_as<wire::Pull>(message);
    const std::size_t size = plan_.input ? plan_.input->size() : 0;
    if (!pull || !plan_.input || pull->bytes > wire::kHostPieceBytesMax || pull->position > size ||
        pull->bytes > size - pull->position) {
        ++result_.bad_host_frames;
        return;
    }
    const auto data = std::span(*plan_.input).subspan(pull->position, pull->bytes);
    const wire::Piece piece{pull->position, pull->bytes};
    send(node, wire::HostTag::piece, joined(wire::bytes_of(piece), data));
}

/// Any node of an app writes, and the output is as long as it gets.
void Run::make_room(NodeId node, const wire::Piece& piece) {
    const std::size_t end = std::size_t{piece.position} + piece.bytes;
    if (end > kAppOutputBytesMax)
        throw RunError(fmt::format("node {}: writes up to byte {} of the output; at most {} are "
                                   "allowed",
                                   index(node), end, kAppOutputBytesMax));
    result_.output.resize(std::max(result_.output.size(), end));
}

void Run::on_push(NodeId node, const HostMessage& message) {
    const auto piece = payload_as<wire::Piece>(message);
    const bool whole = piece && piece->bytes <= message.payload.size() - sizeof(wire::Piece);
    if (whole && op_.all_push())
        make_room(node, *piece);
    const std::size_t size = result_.output.size();
    if (!whole || !(op_.all_push() || node == op_.output_node()) || piece->position > size ||
        piece->bytes > size - piece->position) {
        ++result_.bad_host_frames;
        return;
    }
    const auto data = message.payload.subspan(sizeof(wire::Piece), piece->bytes);
    std::copy(data.begin(), data.end(),
              result_.output.begin() + static_cast<std::ptrdiff_t>(piece->position));
}

void Run::on_console(NodeId node, const HostMessage& message) {
    std::string& line = lines_[index(node)];
    for (const std::byte byte : message.payload) {
        const char character = static_cast<char>(byte);
        if (character == '\n')
            say(node);
        else
            line.push_back(character);
    }
    if (line.size() > kLineMax)
        say(node);
}

/// Prints the line that a node has begun.
void Run::say(NodeId node) {
    progress_.clear();
    fmt::print("[{}] {}\n", index(node), lines_[index(node)]);
    std::fflush(stdout);
    lines_[index(node)].clear();
}

void Run::flush_consoles() {
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        if (!lines_[node].empty())
            say(node_at(node));
}

void Run::on_report(NodeId node, const HostMessage& message) {
    const auto report = payload_as<wire::NodeReport>(message);
    NodeResult& result = result_.nodes[index(node)];
    if (!report) {
        ++result_.bad_host_frames;
        return;
    }
    result.report = *report;
    // How many frames the self-check took depends on the host's speed; the work's do not.
    result.report.counters[static_cast<std::size_t>(Counter::frames_received)] -=
        result.frames_before;
    if (report->done != 0 && !result.done && result.fate == Fate::live) {
        result.done = true;
        ++done_;
        last_done_ = Clock::now();
        // This one came of itself; it may have crossed the question, so that is asked again.
        if (asked_[index(node)])
            send(node, wire::HostTag::poll);
        return;
    }
    all_settled_ = all_settled_ && report->unacknowledged == 0;
    answered(node);
}

void Run::on_fault(NodeId node, const HostMessage& message) {
    const auto record = payload_as<wire::FaultRecord>(message);
    if (!record) {
        ++result_.bad_host_frames;
        return;
    }
    result_.nodes[index(node)].note = describe(*record);
    progress_.clear();
    fmt::print(stderr, "node {}: {}\n", index(node), describe(*record));
}

} // namespace mesh::host
