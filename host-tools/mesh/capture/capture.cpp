#include "capture.hpp"

#include "host-tools/mesh/cables/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 17; // stays in a cache
constexpr std::size_t kNoteBytesMax = sizeof(Note) + (std::size_t{1} << 16);
constexpr std::uint8_t kMicroseconds = 6;

/// "node 5 port 2 -> node 1 port 2", as frames go.
std::string description_of(Far here, std::string_view arrow, Far there) {
    return fmt::format("node {} port {} {} node {} port {}", index(here.node), index(here.port),
                       arrow, index(there.node), index(there.port));
}

} // namespace

Capture::Capture(int file, const Setting& setting)
    : ports_(port_count(setting.network)),
      wires_(std::size_t{node_count(setting.network)} * ports_),
      bytes_max_(setting.bytes_max),
      at_once_(setting.at_once),
      trace_events_(setting.trace_events),
      epoch_us_(setting.epoch_us),
      packets_(wires_, ports_),
      writer_(
          file, [this](std::span<const std::byte> notes) { return packets_.of(notes); },
          setting.until) {
    notes_.resize(kBufferBytes + kNoteBytesMax);
    write_section(setting);
    write_interfaces(setting);
    pass_on_blocks();
    write_out();
}

void Capture::write_section(const Setting& setting) {
    blocks_.begin_block(pcapng::block::kSection);
    blocks_.put_word(pcapng::kByteOrder);
    blocks_.put_word(std::uint32_t{1});  // version 1.0
    blocks_.put_word(~std::uint64_t{0}); // as long as it gets
    blocks_.put_option(pcapng::option::kComment, setting.plan);
    blocks_.put_option(pcapng::option::kApplication, setting.command);
    blocks_.put_word(std::uint32_t{pcapng::option::kEnd});
    blocks_.end_block();
}

void Capture::write_interfaces(const Setting& setting) {
    std::vector<Far> into(wires_); // whose frames come out at this end
    for (std::uint32_t wire = 0; wire < wires_; ++wire) {
        const Far here{node_at(wire / ports_), port_at(wire % ports_)};
        if (const auto far = setting.wiring(here.node, here.port))
            into[index(far->node) * ports_ + index(far->port)] = here;
    }
    for (std::uint32_t wire = 0; wire < wires_; ++wire) {
        const Far here{node_at(wire / ports_), port_at(wire % ports_)};
        const auto far = setting.wiring(here.node, here.port);
        blocks_.begin_block(pcapng::block::kInterface);
        blocks_.put_word(std::uint32_t{pcapng::kEthernet});
        blocks_.put_word(std::uint32_t{0}); // whole frames, or as --capture-bytes says
        blocks_.put_option(pcapng::option::kName,
                           fmt::format("{}/{}", index(here.node), index(here.port)));
        blocks_.put_option(pcapng::option::kDescription,
                           far ? description_of(here, "->", *far)
                               : description_of(here, "<-", into[wire]));
        blocks_.put_option(pcapng::option::kTimeResolution,
                           std::string_view(reinterpret_cast<const char*>(&kMicroseconds), 1));
        blocks_.put_option(pcapng::option::kChecksumLength, std::string_view("\0", 1));
        blocks_.put_word(std::uint32_t{pcapng::option::kEnd});
        blocks_.end_block();
    }
}

std::uint64_t Capture::sent(std::uint32_t wire, std::uint64_t time,
                            std::span<const std::byte> frame, const FrameFaults& faults,
                            bool nobody) {
    const std::uint64_t id = ++frames_;
    if (!failure_.empty())
        return id;
    if (!kept_.empty())
        write_kept();
    note_ = {};
    note_.what = Note::What::went_in;
    note_.id = id;
    note_.in_time = last_time_ = time + epoch_us_;
    note_.in_wire = wire;
    note_.faults = faults;
    note_.nobody = nobody;
    add(frame);
    return id;
}

void Capture::arrived(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                      const Transit& transit) {
    if (!failure_.empty())
        return;
    if (!kept_.empty())
        write_kept();
    const bool same = !transit.second && !transit.faults.changes();
    const bool through =
        same && used_ != 0 && note_.what == Note::What::went_in && note_.id == transit.id;
    if (!through) {
        note_ = {};
        note_.what = Note::What::came_out;
        note_.id = transit.id;
        note_.faults = transit.faults;
        note_.second = transit.second;
    }
    note_.out_time = last_time_ = time + epoch_us_;
    note_.out_wire = wire;
    if (through) {
        note_.what = Note::What::through;
        wire::store(notes_, place_, note_);
    } else {
        add(frame.first(std::min<std::size_t>(frame.size(), transit.bytes)));
    }
}

/// Adds the note of a frame.
void Capture::add(std::span<const std::byte> frame) {
    note_.bytes = static_cast<std::uint32_t>(frame.size());
    add_with(frame.first(std::min(frame.size(), bytes_max_)));
}

/// Adds the note with the bytes that are to be kept: the whole cost of a capture to the loom.
void Capture::add_with(std::span<const std::byte> kept) {
    note_.kept = static_cast<std::uint32_t>(kept.size());
    if (used_ >= kBufferBytes)
        write_out();
    if (notes_.size() - used_ < sizeof note_ + kept.size())
        notes_.resize(used_ + sizeof note_ + kept.size());
    place_ = used_;
    std::memcpy(notes_.data() + used_, &note_, sizeof note_);
    std::memcpy(notes_.data() + used_ + sizeof note_, kept.data(), kept.size());
    used_ += sizeof note_ + kept.size();
    if (at_once_)
        write_out();
}

/// Adds the blocks that have been made.
void Capture::pass_on_blocks() {
    note_ = {};
    add_with(blocks_.bytes());
    blocks_.clear();
}

void Capture::done(NodeId node, std::uint64_t time, const TraceEvent& event) {
    if (!failure_.empty())
        return;
    if (epoch_us_ == 0)
        keep(node, time, event);
    else
        write(node, time, event);
}

/// Keeps a trace event until its round is over: emulators run side by side, so events between two
/// rounds of the loom come in any order.
void Capture::keep(NodeId node, std::uint64_t time, const TraceEvent& event) {
    kept_.push_back({node, time, event.what, event.process, std::string(event.text)});
    kept_bytes_ += sizeof kept_.back() + event.text.size();
    if (kept_bytes_ > bounds::kRoundBytesMax)
        write_kept();
}

void Capture::write_kept() {
    std::ranges::stable_sort(kept_, {}, [](const KeptTraceEvent& one) { return index(one.node); });
    for (const KeptTraceEvent& one : kept_)
        write(one.node, one.time, {one.what, one.process, one.text});
    kept_.clear();
    kept_bytes_ = 0;
}

void Capture::write(NodeId node, std::uint64_t time, const TraceEvent& event) {
    blocks_.begin_block(pcapng::block::kCustom);
    blocks_.put_word(pcapng::kOurNumber);
    blocks_.put_word(time + epoch_us_);
    blocks_.put_word(index(node));
    blocks_.put_word(static_cast<std::uint32_t>(event.what) | std::uint32_t{event.process} << 8);
    const std::string_view text = event.text.substr(0, kOptionBytesMax);
    blocks_.put_word(static_cast<std::uint32_t>(text.size()));
    blocks_.put(std::as_bytes(std::span(text)));
    blocks_.end_block();
    pass_on_blocks();
}

void Capture::finish(std::string_view results) {
    if (!failure_.empty())
        return;
    write_kept();
    blocks_.begin_block(pcapng::block::kStatistics);
    blocks_.put_word(std::uint32_t{0}); // of the first interface, as a block must be of one
    blocks_.put_word(static_cast<std::uint32_t>(last_time_ >> 32));
    blocks_.put_word(static_cast<std::uint32_t>(last_time_));
    blocks_.put_option(pcapng::option::kComment, results);
    blocks_.put_word(std::uint32_t{pcapng::option::kEnd});
    blocks_.end_block();
    pass_on_blocks();
    write_out();
    note_error();
}

/// Nothing more is written after the first error: a file with a hole would be no capture.
void Capture::write_out() {
    writer_.hand_over(notes_, std::exchange(used_, 0));
    if (at_once_ || writer_.error() != 0)
        note_error();
}

void Capture::note_error() {
    writer_.wait();
    if (failure_.empty() && writer_.error() != 0)
        failure_ =
            fmt::format("{}: it is cut off at frame {}", std::strerror(writer_.error()), frames_);
}

} // namespace mesh::host
