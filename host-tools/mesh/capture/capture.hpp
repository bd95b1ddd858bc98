// A capture: every frame on every cable as pcapng, for Wireshark, `mesh view` and the HTML report.
//
// One interface for each end of a cable; a frame is there twice, outbound where it goes in and
// inbound where it comes out, both with one packet id; its comments name the faults that struck it.
// The section's head has the command that repeats the run and, as JSON, the head of the report; its
// last block has the results. Times are model time in lockstep (a tick is a microsecond), so that
// behind the head the same seed gives the same bytes on every engine; else times of the host.
#pragma once

#include "block_buffer.hpp"
#include "core/network.hpp"
#include "file_writer.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/cables/tap.hpp"
#include "note.hpp"
#include "packet_blocks.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Headers of a link and of a packet: the part of a frame that views need.
inline constexpr std::size_t kCaptureBytesMin = wire::kHeadBytes + wire::kPacketHeaderBytes;

class Capture final : public Tap {
public:
    struct Setting {
        Network network;
        Wiring wiring;
        std::string command;    // that repeats the run
        std::string plan;       // JSON: the head of the report
        std::size_t bytes_max;  // to keep of a frame
        bool at_once;           // every frame is written when it is seen
        bool trace_events;      // of processes, too
        std::uint64_t epoch_us; // to be added to times; 0 for model time
        FileWriter::Clock::time_point until = FileWriter::Clock::time_point::max(); // to be written
    };

    /// Writes to `file`, which the caller opens and closes.
    Capture(int file, const Setting& setting);

    std::uint64_t sent(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                       const FrameFaults& faults, bool nobody) override;
    void arrived(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                 const Transit& transit) override;
    bool wants_trace_events() const override { return trace_events_; }
    void done(NodeId node, std::uint64_t time, const TraceEvent& event) override;

    /// Writes the last block: the results of the run, as JSON.
    void finish(std::string_view results);
    /// Why the capture ends before the run, "" if it does not: the rest could not be written.
    const std::string& failure() const { return failure_; }

private:
    /// A trace event until its round is over.
    struct KeptTraceEvent {
        NodeId node;
        std::uint64_t time;
        TraceEvent::What what;
        std::uint8_t process;
        std::string text;
    };

    void keep(NodeId node, std::uint64_t time, const TraceEvent& event);
    void write_kept();
    void write(NodeId node, std::uint64_t time, const TraceEvent& event);
    void write_section(const Setting& setting);
    void write_interfaces(const Setting& setting);
    void add(std::span<const std::byte> frame);
    void add_with(std::span<const std::byte> kept);
    void pass_on_blocks();
    void write_out();
    void note_error();

    unsigned ports_;
    std::size_t wires_;
    std::size_t bytes_max_;
    bool at_once_;
    bool trace_events_;
    std::uint64_t epoch_us_;
    std::uint64_t frames_ = 0; // numbered from 1
    std::uint64_t last_time_ = 0;
    std::vector<KeptTraceEvent> kept_;
    std::size_t kept_bytes_ = 0;
    BlockBuffer blocks_;           // of other things than frames
    Note note_;                    // the last one
    std::size_t place_ = 0;        // of it
    std::vector<std::byte> notes_; // as large as it ever was
    std::size_t used_ = 0;         // of it
    PacketBlocks packets_;         // the writer's
    FileWriter writer_;
    std::string failure_;
};

} // namespace mesh::host
