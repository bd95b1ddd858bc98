// A node of a rig as the host tool has it: the process of its emulator, and the near ends of its
// cables, of its monitor and of its standard error.
#pragma once

#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/rig/rig_plan.hpp"
#include "wire/identity.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace mesh::host {

/// Bytes that the pipe of a node's standard error holds.
inline constexpr int kErrorPipeBytes = 4096;

/// A socket: the only one of a node, or one of its serial lines, of which the host's is first.
struct NodeCable {
    Fd socket;
    FrameReader reader;
    SendQueue queue;
    bool blocked = false; // waits for room in the socket

    /// Sends what the socket takes. True if `blocked` has changed.
    bool send_waiting();
};

struct NodeLine {
    std::vector<NodeCable> cables;
    Fd errors; // the standard error of its emulator
    Fd monitor;
    ChildProcess process;
    wire::Mac mac{};
    std::string reason;   // why it was ended, if that was done here
    bool dirty = false;   // frames wait to be sent
    bool crowded = false; // so much waits that frames were dropped
    bool reset = false;   // its life is over
    bool ending = false;  // its process is watched for its end
    bool held = false;    // it was stopped once while nodes boot

    bool open() const { return !cables.empty(); }
    bool empty() const {
        return std::ranges::all_of(cables, [](const NodeCable& one) { return one.queue.empty(); });
    }
    /// The port of most of the bytes that wait for the node.
    unsigned busiest_port() const;
};

/// The ends that an emulator is given.
struct FarEnds {
    std::vector<Fd> given; // cables, then the monitor
    Fd errors;
};

/// Makes the cables of a node, its monitor and the pipe of its errors. RunError.
FarEnds connect_line(NodeLine& line, const RigPlan& plan);

} // namespace mesh::host
