#include "node_session.hpp"

#include "boards/host/stop.hpp"
#include "hal/check.hpp"
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/engines/fault_words.hpp"
#include "kernel/base/status.hpp"
#include "kernel/processes/process_watch.hpp"
#include "wire/app_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mesh::host {

namespace {

constexpr auto kStatusLast = static_cast<std::uint32_t>(Status::in_doubt);

constexpr std::string_view kHintOfLoop =
    "; what another process or node does is seen behind a wait only: in a loop that looks for it, "
    "co_await node.yield()";

/// Numbers of lives come round after twice as many (wire/identity.hpp), and the first session
/// numbers of lives, 16 apart in 16 bits (kernel/links/link.hpp), after as many.
constexpr std::uint32_t kLivesMax = wire::Identity::kStarts / 2;

bool possible(wire::ModelTime time) { return time <= bounds::kModelTimeMax; }

} // namespace

std::string describe_computing(const NodeResult& node) {
    return fmt::format("has computed for {:.0f} s without waiting", node.computing().count());
}

std::string NodeSession::hear(std::span<const std::byte> frame) {
    const auto message = read_host_frame(frame);
    return message ? take(*message) : refuse_frame();
}

std::string NodeSession::take(const HostMessage& message) {
    switch (message.tag) {
    case wire::HostTag::ready: return on_ready(message);
    case wire::HostTag::accepted: on_accepted(); return {};
    case wire::HostTag::pull: return on_pull(message);
    case wire::HostTag::push: return on_push(message);
    case wire::HostTag::console: on_console(message); return {};
    case wire::HostTag::report: return on_report(message);
    case wire::HostTag::fault: return on_fault(message);
    case wire::HostTag::abort: on_abort(message); return {};
    case wire::HostTag::trace: return on_trace(message);
    case wire::HostTag::began_anew: return on_began_anew(message);
    case wire::HostTag::may_begin_again: may_begin_again_ = true; return {};
    case wire::HostTag::job:
    case wire::HostTag::start:
    case wire::HostTag::chunk:
    case wire::HostTag::poll:
    case wire::HostTag::hang:
    case wire::HostTag::no_carrier:
    case wire::HostTag::resets: break;
    }
    return refuse_frame();
}

/// Counts a frame that is refused, and goes on.
std::string NodeSession::refuse_frame() {
    ++refusals_.host_frames;
    return {};
}

void NodeCounts::add(const wire::NodeReport& before, const wire::NodeReport& now) {
    const auto extend = [](auto& sums, const auto& last, const auto& next) {
        for (std::size_t at = 0; at < sums.size(); ++at)
            sums[at] += static_cast<std::uint32_t>(next[at] - last[at]); // modulo 2^32
    };
    extend(counters, before.counters, now.counters);
    extend(link_packets, before.link_packets, now.link_packets);
    extend(dma_transfers, before.dma_transfers, now.dma_transfers);
}

std::string NodeSession::on_ready(const HostMessage& message) {
    const auto ready = payload_as<wire::Ready>(message);
    const Network network = context_->network;
    if (!ready || (ready->ports_miswired != 0 && ready->miswired_port >= port_count(network)))
        return refuse_frame();
    if (ready->ports_miswired != 0) {
        const Port port = port_at(ready->miswired_port);
        throw RunError(fmt::format("node {} port {}: the cable leads to node {} port {}, not to "
                                   "node {} port {}",
                                   index(node_), index(port), ready->found_node, ready->found_port,
                                   index(neighbor(network, node_, port)), index(port)));
    }
    if ((result_.ready && result_.accepted) || (ready->start == 0 && resets_ != 0))
        on_lost_power();
    met_ = result_.ready = true;
    return {};
}

/// A node says once in a life that it is ready, and of a life that it has counted it tells before
/// that. So this one, which is ready twice or counts from 0 again, lost its count with its power.
/// It is told the count, and is reset: then it comes back like any node that was reset.
void NodeSession::on_lost_power() {
    handler_->answer(node_, wire::HostTag::resets, wire::bytes_of(resets_));
}

void NodeSession::on_accepted() {
    result_.accepted = true;
    if (!begins_anew_)
        return;
    handler_->begin_anew(node_);
    begins_anew_ = false;
    if (asked_)
        ask(false);
}

void NodeSession::end_run(std::string why) {
    if (context_->ended != nullptr && context_->ended->empty())
        *context_->ended = std::move(why);
}

/// A peer that has heard nothing of a node for kLivesMax of its lives could take new frames for
/// copies of old ones.
void NodeSession::count_starts(std::uint32_t more) {
    starts_ += more;
    if (starts_ >= kLivesMax)
        end_run(fmt::format("node {} began anew {} times, {} of them by itself; no run tells more "
                            "than {} lives of a node apart",
                            index(node_), starts_, result_.began_anew, kLivesMax));
}

/// The node was reset, and has said so first of all. What it was told before may be lost, and what
/// it was asked has no answer.
std::string NodeSession::on_began_anew(const HostMessage& message) {
    const auto told = payload_as<wire::BeganAnew>(message);
    if (!told || !live() || told->resets <= resets_)
        return refuse_frame();
    const std::uint32_t more = told->resets - std::exchange(resets_, told->resets);
    if (!std::exchange(met_, true) && context_->was_there) { // before this run
        said_before_ = told->may_begin_again != 0;
        return {};
    }
    may_begin_again_ = may_begin_again_ || (told->may_begin_again != 0 && !said_before_);
    forget();
    result_.began_anew += more;
    result_.anew_at_work = result_.anew_at_work || works_;
    begins_anew_ = works_;
    handler_->came_back(node_, more);
    count_starts(more);
    if (works_ && !(context_->app && may_begin_again_))
        end_run(fmt::format("node {} began anew, and its program {}", index(node_),
                            context_->app ? "has not said yet that it may (may_begin_again() of "
                                            "meshputer.hpp)"
                                          : "is an op, which no node takes up again"));
    return {};
}

/// The node has a new life, in which it has told nothing yet. What was seen of its lives before
/// stays.
void NodeSession::forget() {
    console_.flush([&](std::string_view line) { handler_->console_line(node_, line); });
    asked_ = stopped_ = false;
    report_bytes_ = 0;
    NodeResult before = std::exchange(result_, {});
    result_.began_anew = before.began_anew;
    result_.anew_at_work = before.anew_at_work;
    result_.note = std::move(before.note);
    result_.report.unacknowledged = 1;
}

std::string NodeSession::on_pull(const HostMessage& message) {
    const auto pull = payload_as<wire::Pull>(message);
    if (!pull || pull->bytes > wire::kHostChunkBytesMax)
        return refuse_frame();
    const auto& input = *context_->input;
    const bool of_files = pull->position >= wire::kFilesAt;
    const std::span<const std::byte> all = of_files ? std::span(*context_->files)
                                           : input  ? std::span(*input)
                                                    : std::span<const std::byte>{};
    const std::uint32_t position = pull->position - (of_files ? wire::kFilesAt : 0);
    if (position > all.size() || pull->bytes > all.size() - position)
        return refuse_frame();
    const auto data = all.subspan(position, pull->bytes);
    const wire::Chunk chunk{pull->position, pull->bytes};
    handler_->answer(node_, wire::HostTag::chunk, joined(wire::bytes_of(chunk), data));
    return {};
}

std::string NodeSession::on_push(const HostMessage& message) {
    const auto chunk = payload_as<wire::Chunk>(message);
    if (!chunk || chunk->bytes > message.payload.size() - sizeof(wire::Chunk))
        return refuse_frame();
    const auto data = message.payload.subspan(sizeof(wire::Chunk), chunk->bytes);
    if (context_->output->put(node_, chunk->position, data))
        return {};
    if (context_->app)
        return fmt::format("writes up to byte {} of the output; at most {} are allowed",
                           std::uint64_t{chunk->position} + chunk->bytes,
                           bounds::kAppOutputBytesMax);
    ++refusals_.pushes;
    return refuse_frame();
}

void NodeSession::on_console(const HostMessage& message) {
    console_.feed(text_of(message.payload),
                  [&](std::string_view line) { handler_->console_line(node_, line); });
}

std::string NodeSession::on_trace(const HostMessage& message) {
    const auto trace = payload_as<wire::ProcessTrace>(message);
    if (!trace || trace->event > static_cast<std::uint8_t>(ProcessEvent::ended) ||
        !possible(trace->clock))
        return refuse_frame();
    handler_->traced(node_, *trace, message.payload.subspan(sizeof *trace));
    return {};
}

/// Puts this part of a report behind those before. False: it is none, or does not belong there.
bool NodeSession::gather_report(const HostMessage& message) {
    if (message.position == 0)
        report_bytes_ = 0;
    if (message.total_bytes != report_room_.size() || message.payload.empty() ||
        message.position != report_bytes_ ||
        message.payload.size() > report_room_.size() - report_bytes_)
        return false;
    std::ranges::copy(message.payload,
                      report_room_.begin() + static_cast<std::ptrdiff_t>(report_bytes_));
    report_bytes_ += message.payload.size();
    return true;
}

/// A report comes whole, or in parts where it is larger than a packet of the board.
std::string NodeSession::on_report(const HostMessage& message) {
    if (stopped_)
        return refuse_frame();
    if (message.position == 0)
        if (const auto whole = payload_as<wire::NodeReport>(message))
            return take_report(*whole);
    if (!gather_report(message))
        return refuse_frame();
    return report_bytes_ < report_room_.size()
               ? std::string{}
               : take_report(wire::load<wire::NodeReport>(report_room_, 0));
}

std::string NodeSession::take_report(const wire::NodeReport& report) {
    if (begins_anew_) // of the time before its program begins
        return {};
    if (!possible(report.finish_time) || !possible(report.copies_time))
        return "reports a model time that cannot be";
    if (report.done > 1 || report.status > kStatusLast)
        return fmt::format("reports a verdict that there is not ({}, {})", report.done,
                           report.status);
    const bool first = report.done != 0 && !result_.done && live();
    result_.counts.add(result_.report, report);
    result_.report = report;
    // How many frames the self-check took depends on the host's speed; the work's do not.
    std::uint64_t& frames =
        result_.counts.counters[static_cast<std::size_t>(Counter::frames_received)];
    frames -= std::min<std::uint64_t>(frames, std::exchange(result_.frames_before, 0));
    result_.done = result_.done || first;
    // This report came of itself and may have crossed the question, so the question is repeated.
    if (first && asked_)
        handler_->answer(node_, wire::HostTag::poll, {});
    asked_ = first && asked_;
    return {};
}

std::string NodeSession::on_fault(const HostMessage& message) {
    const auto record = payload_as<wire::CrashRecord>(message);
    if (!record || stopped_)
        return refuse_frame();
    stopped_ = true;
    const std::string place =
        context_->lines != nullptr ? context_->lines->place_of(node_, *record) : "";
    const bool endless = record->cause == static_cast<std::uint32_t>(ProgramEnd::program_endless);
    result_.note = fmt::format("firmware stopped: {}{}{}{}", fault_words(*record),
                               place.empty() ? "" : ", ", place, endless ? kHintOfLoop : "");
    handler_->stopped(node_, fmt::format("{} (pc {:#010x}, lr {:#010x}, status {:#010x})",
                                         result_.note, record->pc, record->lr, record->status));
    return {};
}

/// The program wants the whole run to end. Who says it first knows why; others follow. A simulated
/// one says behind a 0 where it is.
void NodeSession::on_abort(const HostMessage& message) {
    if (context_->ended == nullptr || !context_->ended->empty())
        return;
    const std::string_view text = text_of(message.payload);
    const std::string_view why = text.substr(0, text.find('\0'));
    std::uintptr_t after = 0;
    std::string place;
    if (text.size() == why.size() + 1 + sizeof after) {
        text.copy(reinterpret_cast<char*>(&after), sizeof after, why.size() + 1);
        wire::CrashRecord record{};
        record.pc = board::code_offset(after) - 1;
        if (context_->lines != nullptr && board::in_loaded_code(after))
            place = ", " + context_->lines->place_of(node_, record);
    }
    *context_->ended =
        fmt::format("node {} has ended the run: {}{}", index(node_), cleaned(why), place);
}

void NodeSession::hear_errors(std::string_view text) {
    errors_.feed(text, [&](std::string_view line) { on_error_line(line); });
}

void NodeSession::on_error_line(std::string_view line) {
    last_line_ = line.substr(0, bounds::kLastLineBytesMax);
    handler_->error_line(node_, line);
}

void NodeSession::flush() {
    console_.flush([&](std::string_view line) { handler_->console_line(node_, line); });
    errors_.flush([&](std::string_view line) { on_error_line(line); });
}

/// Messages keep their order: a question behind `start` is answered by a program that has begun.
void NodeSession::ask(bool again) {
    constexpr std::array<std::byte, 1> kAgain{};
    asked_ = true;
    if (!begins_anew_)
        handler_->answer(node_, wire::HostTag::poll, std::span{kAgain}.first(again ? 1 : 0));
}

void NodeSession::restart() {
    if (result_.fate != Fate::live && result_.fate != Fate::killed)
        return;
    forget();
    result_.note.clear(); // that the plan has killed it
    resets_ = 0;
    begins_anew_ = context_->app;
    result_.done = result_.restarted = !context_->app;
    count_starts(1);
}

void NodeSession::end(std::string_view how) {
    errors_.flush([&](std::string_view line) { on_error_line(line); });
    leave(Fate::ended, last_line_.empty() ? how : fmt::format("{}, {}", how, last_line_));
}

void NodeSession::leave(Fate fate, std::string_view note) {
    if (!live())
        return;
    result_.fate = fate;
    result_.note += result_.note.empty() ? std::string(note) : fmt::format(" ({})", note);
    asked_ = false;
}

void NodeSession::look(bool owes, bool sign, Deadlines::Seconds now) {
    if (!owes || sign)
        quiet_since_ = now;
}

} // namespace mesh::host
