// The tap, which the loom tells of every frame on its cables: when it goes in, what happens to it
// there, and when it comes out. It is also told the trace events of processes. A tap may keep the
// bytes, and changes nothing.
#pragma once

#include "core/base/types.hpp"
#include "faults.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mesh::host {

/// One frame on its way through one cable.
struct Transit {
    std::uint64_t id = 0;    // 0: nobody listens
    std::uint16_t bytes = 0; // that went in
    bool second = false;     // the copy of a doubled frame
    FrameFaults faults;

    /// The copy that follows: as the frame went in, so that each fault shows once at the receiver.
    Transit copy() const {
        Transit transit = *this;
        transit.second = true;
        transit.faults.flip = 0;
        transit.faults.bytes = 0;
        return transit;
    }
};

/// An event in the life of a process of a node.
struct TraceEvent {
    enum class What : std::uint8_t { spawned, blocked, woken, ended, printed };
    What what{};
    std::uint8_t process = 0;
    std::string_view text; // blocked: what it waits for; printed: the line, of any process
};

class Tap {
public:
    virtual ~Tap() = default;
    /// A frame goes into the cable at its end `wire` (node * ports + port). `nobody`: the node at
    /// the other end is gone. `time` is model time in lockstep, else of Cables::now_us(). Returns
    /// the id of its transit, not 0.
    virtual std::uint64_t sent(std::uint32_t wire, std::uint64_t time,
                               std::span<const std::byte> frame, const FrameFaults& faults,
                               bool nobody) = 0;
    /// The frame comes out at the end `wire`; `frame` has the bytes that faults have left.
    virtual void arrived(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                         const Transit& transit) = 0;
    /// True if done() is to be called. Tracing costs time, so a tap has to ask for it.
    virtual bool wants_trace_events() const = 0;
    virtual void done(NodeId node, std::uint64_t time, const TraceEvent& event) = 0;
};

} // namespace mesh::host
