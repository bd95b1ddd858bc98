// A capture, read back: the head and the results of the report, and every frame joined from the two
// ends of its cable. No loom, no nodes: all is in the file. Any bytes are safe.
//
// A file that ends early (a full disk, a run that was ended) is read as far as it goes.
#pragma once

#include "host-tools/mesh/cables/tap.hpp"
#include "wire/frame.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

/// A frame's way through a cable.
struct Passage {
    std::uint64_t id = 0;
    std::uint64_t sent_us = 0; // model time in lockstep, else of the host
    NodeId from = kNoNode;
    NodeId to = kNoNode; // the node at the other end, whether the frame came there or not
    Port out = kNoPort;
    Port in = kNoPort;
    bool arrived = false; // undamaged
    bool is_link = false; // the link header could be read
    bool has_packet = false;
    wire::LinkHeader link;
    wire::PacketHeader packet;
    std::string comment; // of both ends
};

/// A trace event of a process of a node.
struct RecordedTraceEvent {
    std::uint64_t time_us = 0; // as of passages
    /// On the clock of the pictures. In lockstep that is `time_us`; a node that runs free gets the
    /// time at which the last packet came to it or left it before the event.
    wire::ModelTime model_time = 0;
    NodeId node = kNoNode;
    std::uint8_t process = 0;
    TraceEvent::What what{};
    std::string text;
    std::size_t passages_before = 0; // how many were sent before it was written
};

struct Recording {
    Recording() noexcept(false) = default;
    Recording(const Recording&) = delete; // passages are pointed at
    Recording& operator=(const Recording&) = delete;

    nlohmann::ordered_json plan;    // the report's head
    nlohmann::ordered_json results; // the rest of it; null if the capture has no end
    std::string command;
    Network network;
    std::vector<Passage> passages;                // as they were sent
    std::vector<RecordedTraceEvent> trace_events; // as written: those of one process in their order
    std::uint64_t frames = 0;                     // in the file, both ends
    bool cut_short = false;

    double tau() const { return plan.value("tau", 1.0); }
    double tc() const { return plan.value("tc", 0.0); }
    std::uint32_t nodes() const { return node_count(network); }
};

/// Reads into an empty recording. UsageError, which names `name`, if this is no capture of a mesh.
void read_recording(std::span<const std::byte> file, const std::string& name, Recording& out);

} // namespace mesh::host
