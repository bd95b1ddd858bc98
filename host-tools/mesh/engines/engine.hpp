// An engine makes nodes run. There are three: qemu_engine (one QEMU a node), simulation (all nodes
// in this process) and serial_engine (nodes that are there already, behind a serial line). The
// driver of a run (run.hpp) and the loom are shared.
//
// An engine owns its loom, calls Loom::frame_from() for each frame of a node, and implements
// Cables. Frames from host ports reach the driver through Events::host_frame(), synchronously and
// in the order in which the node sent them: in lockstep the answer must be on its way before the
// node's idle report is looked at.
#pragma once

#include "calls_apart.hpp"
#include "host-tools/mesh/cables/image_load.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/rig/rig_plan.hpp"
#include "node_waits.hpp"
#include "wire/host_messages.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The events that an engine reports to the driver of a run.
class Events {
public:
    virtual ~Events() = default;
    /// A whole frame from the host port of a node; any bytes. May call Loom::send().
    virtual void host_frame(NodeId from, std::span<const std::byte> frame) = 0;
    /// The standard error of the node's emulator, in parts; any bytes.
    virtual void words(NodeId node, std::string_view text) = 0;
    /// All nodes have the image that they were given by their loaders, and start it.
    virtual void loaded(const ImageLoad::Summary& summary) = 0;
    /// The node is no more and Loom::gone() has been called: its process has ended, or it was ended
    /// for an offence. `how` says how it ended ("exit 1", "signal 9", "floods node 3").
    virtual void ended(NodeId node, std::string_view how) = 0;
};

/// How the processes of nodes come to life.
struct StartedBy {
    bool fork = false;     // of an emulator that has made the machine; else each by itself
    std::string why_not{}; // in words, if they were to be forked and could not
};

class Engine {
public:
    virtual ~Engine() = default;
    /// Brings all nodes out of reset. UsageError, RunError.
    virtual void boot(Events& events) = 0;
    /// Lets nodes work and frames move, and reports what happened, until there is nothing to do or
    /// `timeout` has passed (real time; the simulation returns when no node can do anything
    /// without the host). Returns true if anything moved.
    virtual bool advance(std::chrono::milliseconds timeout, Events& events) = 0;
    /// Ends a node at once. Loom::gone() is called, Events::ended() is not.
    virtual void kill(NodeId node) = 0;
    /// Ends all of them. Of the engine there may be asked no more than its loom.
    virtual void end_nodes() {}
    virtual Loom& loom() = 0;
    /// The waits of a node's processes; none if the node is gone.
    virtual std::vector<WaitsFor> waiting(NodeId node) = 0;
    /// The place in the program where the node's processor is (pc, and lr); nothing if that cannot
    /// be seen.
    virtual std::optional<wire::CrashRecord> running(NodeId /*node*/) { return std::nullopt; }
    /// The most that the node's program ever had on its stack, in bytes; nothing if that cannot be
    /// seen.
    virtual std::optional<std::uint32_t> stack_used(NodeId /*node*/) { return std::nullopt; }
    /// Calls of collectives that not all nodes have made alike, as far as the engine sees them.
    virtual std::vector<CallsApart> calls_apart() const { return {}; }
    /// Programs whose calls are seen name places by `place_of` while they run.
    virtual void name_places_by(const PlaceOf& /*place_of*/) {}
    /// The last call of MPI that the node's program has made, if that is seen.
    virtual LastCall last_call(NodeId /*node*/) const { return {}; }
    /// The first message that the node's program waited for in vain, in words; "" if there was none
    /// or it is not seen.
    virtual std::string waited_in_vain(NodeId /*node*/) const { return {}; }
    /// How many messages the node's program gave up with an outbox; 0 also if that is not seen.
    virtual unsigned given_up(NodeId /*node*/) const { return 0; }
    /// Frames that nodes had no room for on their way between host tool and nodes, if one cable
    /// leads to all.
    virtual std::uint64_t relay_drops() const { return 0; }
    /// Bytes on the cables between nodes, as the cables count them: Ethernet frames without what
    /// the interface adds, every byte of a serial line. 0: the engine cannot count them.
    virtual std::uint64_t cable_bytes() const { return 0; }
    /// How the emulators of its nodes are started; nothing if it starts none.
    virtual std::optional<StartedBy> started_by() const { return std::nullopt; }
    /// False if real time means nothing to its nodes (simulation).
    virtual bool real_time() const = 0;
};

/// One QEMU for each node (qemu_engine.cpp).
std::unique_ptr<Engine> make_qemu_engine(const RigPlan& plan);
/// A rank other than 0 (RigPlan::uplink): has its part of the nodes, as rank 0 orders, until the
/// end of the run. RunError: rank 0 is gone, or this rank cannot go on.
void serve_rank(const RigPlan& plan);
/// Nodes that are there already, behind a serial line (serial_engine.cpp).
std::unique_ptr<Engine> make_serial_engine(const RigPlan& plan);
/// All nodes in this process (simulation.cpp).
std::unique_ptr<Engine> make_simulation(const RigPlan& plan);

} // namespace mesh::host
