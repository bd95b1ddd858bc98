// The loom: cables and what can go wrong on them. Nothing else.
//
// It knows which port is wired to which, loses or damages frames where the fault plan says so, and
// in lockstep holds frames until their model time. It never reads where a packet is going: of a
// frame it looks at the port byte of the cable header, the kind, and (lockstep) the model time of
// the link header, and it writes the port byte. An engine moves the bytes; simulation and QEMU
// share this.
#pragma once

#include "cable_faults.hpp"
#include "core/network.hpp"
#include "faults.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "lockstep.hpp"
#include "order.hpp"
#include "ordered_frames.hpp"
#include "tap.hpp"
#include "turns.hpp"
#include "wire/frame.hpp"
#include "wiring.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// The calls by which the loom uses its engine.
class Cables {
public:
    virtual ~Cables() = default;
    /// Hands a whole frame to a node. Frames handed over before the next return to the engine's own
    /// loop must reach the node as one batch. False if it was lost, as too much waits for the node.
    /// Must not call the loom.
    virtual bool deliver(NodeId to, std::span<const std::byte> frame) = 0;
    /// A frame from a node's host port to the host tool. May call Loom::send().
    virtual void to_host(NodeId from, std::span<const std::byte> frame) = 0;
    /// The fault plan kills this node: no call may reach it any more. Must not call the loom.
    virtual void kill(NodeId node) = 0;
    /// The fault plan resets this node, which may have been killed before: nothing that it has sent
    /// since its last frame counts. The engine brings it up again with as many `starts` behind it,
    /// and says so by Loom::restarted(). Must not call the loom.
    virtual void restart(NodeId node, unsigned starts) = 0;
    /// The loom has cut this node off; `why` says for what behaviour. Must not call the loom.
    virtual void expel(NodeId node, std::string_view why) = 0;
    /// Real time, for faults that take time outside lockstep (microseconds, monotonic).
    virtual std::uint64_t now_us() const = 0;
};

/// Counts of the frames that crossed the loom, and of the faults that struck them. A fault strikes
/// each packet of a train as a frame of its own.
struct LoomCounts {
    std::uint64_t frames = 0; // that came from nodes, all kinds; a train is one
    /// Delivered to nodes in data frames, each packet of a train; and frames of loaders.
    std::uint64_t packets = 0;
    /// Too short, from a port that the network does not have, or damaged within a train that was
    /// taken apart.
    std::uint64_t malformed = 0;
    std::uint64_t against = 0; // against the direction of a link: the firmware is wrong
    std::optional<Far> first_against;
    std::uint64_t repeated = 0; // already waiting for a node that is not up yet
    std::uint64_t overflow = 0; // lost, as too much waited for a node that does not read
    std::uint64_t expelled = 0; // nodes cut off for what they did
    /// Frames that each kind of fault struck, by its number.
    std::array<std::uint64_t, kFaultKindsMax> struck{};
    std::vector<Incident> happened;

    std::uint64_t struck_by(const FaultKind& kind) const { return struck[number_of(kind)]; }
    /// "drop 3, dup 1": the kinds that struck frames, and how many; "none".
    std::string struck_words() const;
};

class Loom : private FaultyMesh {
public:
    Loom(std::uint32_t nodes, unsigned ports, const Wiring& wiring, FaultPlan plan, Cables& cables);

    // --- for the engine ---

    /// A frame that `from` sent, whole; the loom may write into it. Any bytes are safe.
    void frame_from(NodeId from, std::span<std::byte> frame);
    /// `node` is gone (its process ended, or it is given up): it gets and owes nothing any more.
    void gone(NodeId node);
    /// A node that the fault plan has reset is there again, and may speak.
    void restarted(NodeId node) { state_of(node).down = false; }
    /// A node has counted so many starts by itself: the next one of the fault plan is later.
    void count_starts(NodeId node, unsigned starts) { state_of(node).starts += starts; }
    /// The node resets itself, at this model time: as a restart of the fault plan.
    void reset_itself(NodeId node) { restart(node); }
    /// Too much waits for `to`, most of it from `port`: cuts off the neighbour there, or `to`
    /// itself if that is the host's port.
    void too_much_for(NodeId to, unsigned port);
    /// True if a whole frame has come from the node since the last call.
    bool take_sign(NodeId node) { return std::exchange(state_of(node).heard, false); }
    /// Frees frames that delay and reorder hold back until now. Outside lockstep only.
    void tick();
    /// Time of the next tick() that does something; none if nothing is held back.
    std::optional<std::uint64_t> next_tick_us() const;

    // --- for the driver of the run ---

    /// A frame of the host tool to a node. Never subject to faults.
    void send(NodeId to, std::span<const std::byte> frame);
    /// From now on nodes report when they are idle and frames go out by model time.
    void begin_lockstep();
    /// See Lockstep.
    void send_one_at_a_time() { lockstep_.send_one_at_a_time(); }
    bool in_lockstep() const { return lockstep_.on(); }
    /// Lockstep: the run has an order of its own, from arm_faults() on. Called before any frame is
    /// held; `order` outlives the loom.
    void follow(Order& order);
    /// The same, for an order by turns.
    void follow(Order& order, Turns& turns);
    /// Lockstep: `node` looks once more at what it can do.
    void remind(NodeId node) { lockstep_.remind(node); }
    /// That order; nullptr: that of lockstep.
    const Order* order() const { return order_; }
    /// Groups of frames that have gone out in lockstep so far.
    std::uint64_t rounds() const { return lockstep_.rounds(); }
    std::uint64_t moves() const { return lockstep_.moves(); }
    bool has_turn(NodeId node) const { return lockstep_.has_turn(node); }
    /// The fault plan begins; its incidents for zero packets happen now.
    void arm_faults();
    /// From arm_faults() on, `tap` hears of every frame on a cable. It outlives the loom.
    void listen(Tap* tap) { tap_ = tap; }
    bool wants_trace_events() const { return tap_ != nullptr && tap_->wants_trace_events(); }
    /// Tells the listening tap what a process does, at `time`, or else now.
    void tell(NodeId node, const TraceEvent& event,
              std::optional<std::uint64_t> time = std::nullopt) {
        if (wants_trace_events() && armed_)
            tap_->done(node, time ? *time : this->time(), event);
    }
    /// Lockstep: nothing will ever happen again of itself.
    bool quiescent() const { return lockstep_.on() && lockstep_.quiescent(); }
    /// Lockstep: `node` has not said yet that it is idle.
    bool awaited(NodeId node) const { return lockstep_.on() && lockstep_.awaited(node); }
    /// Nodes that have spoken or are gone: they have come to the end of their start.
    std::uint32_t started() const { return started_; }
    /// Lockstep: the model time that the run has come to.
    wire::ModelTime model_time() const { return lockstep_.now(); }
    /// Frames delivered to `node` since its reset.
    std::uint32_t delivered(NodeId node) const { return lockstep_.delivered(node); }
    bool gone(NodeId node) const { return state_of(node).gone; }
    /// True if the cable at this port has been cut in this direction.
    bool cut(NodeId node, Port port) const {
        promise(index(node) < state_.size() && index(port) < ports_, kNoSuchPort);
        return has_fault(wires_[number(node, port)], number_of(faults::cut));
    }
    const LoomCounts& counts() const { return counts_; }

private:
    /// Kept small: there are many wires, and each frame needs another one.
    struct Wire {
        Far far;
        std::unique_ptr<CableFaults> faults; // nothing: it never had one
    };
    struct NodeState {
        bool awake = false; // it has sent something, so its network interface is on
        bool gone = false;
        bool killed = false;         // by the fault plan
        bool down = false;           // between its reset and its next start
        bool heard = false;          // see take_sign()
        unsigned starts = 0;         // after the first
        std::uint32_t greeted = 0;   // ports by which it said hello since, before it had its job
        std::size_t early_bytes = 0; // it has sent to nodes that were not awake
        std::size_t held_bytes = 0;  // it has sent and that are on their way
        std::vector<Bytes> waiting;  // until it is awake
    };
    struct Delayed {
        std::uint64_t due_us;
        std::uint64_t order;
        std::uint32_t wire;
        Transit transit;
        Bytes frame;
        static bool later(const Delayed& a, const Delayed& b) {
            return a.due_us != b.due_us ? a.due_us > b.due_us : a.order > b.order;
        }
    };

    static constexpr const char* kNoSuchPort = "the loom has no such port";

    /// The loom's nodes are 0 to nodes - 1; its callers know them (promise).
    NodeState& state_of(NodeId node) {
        promise(index(node) < state_.size(), "the loom has no such node");
        return state_[index(node)];
    }
    const NodeState& state_of(NodeId node) const {
        promise(index(node) < state_.size(), "the loom has no such node");
        return state_[index(node)];
    }
    std::uint64_t time() const { return lockstep_.on() ? lockstep_.now() : cables_.now_us(); }
    std::uint32_t number(NodeId node, Port port) const {
        return index(node) * ports_ + index(port);
    }
    bool leads_on(NodeId from, Port port) const {
        return index(port) < ports_ && wires_[number(from, port)].far.node != kNoNode;
    }
    void from_host_port(NodeId from, std::span<std::byte> frame);
    bool says_again(NodeState& state, std::span<const std::byte> frame, Port port);
    void wake(NodeId node);
    void keep_for(NodeId to, NodeId from, std::span<const std::byte> frame);
    bool hold(NodeId from, std::size_t frame_bytes);
    void let_go(NodeId from, std::size_t frame_bytes);
    void drop_carrier(NodeId node);
    void expel(NodeId node, std::string_view why);
    NodeId sender(std::uint32_t number) const { return node_at(number / ports_); }
    // A frame is Bytes that may be moved on (held in lockstep), or a span to copy from.
    template <class Frame>
    void put(NodeId to, NodeId from, Frame&& frame); // from the host: kNoNode
    template <class Frame>
    void pass(std::uint32_t number, Frame&& frame);
    void pass_train(std::uint32_t number, std::span<std::byte> frame);
    Transit enter(std::uint32_t number, std::span<const std::byte> frame,
                  const FrameFaults& faults);
    template <class Frame>
    void carry(std::uint32_t number, Frame&& frame, const Transit& transit);
    void show_arrival(std::uint32_t number, std::span<const std::byte> frame,
                      const Transit& transit);
    template <class Frame>
    void arrive(std::uint32_t number, Frame&& frame, const Transit& transit);
    void free_kept(std::uint32_t number);
    bool free_all_kept();
    void happen();
    template <class F>
    void at_cable(const Incident& incident, F f);
    static bool has_fault(const Wire& wire, std::size_t kind) {
        return wire.faults != nullptr && wire.faults->has(kind);
    }
    // The effects of faults (FaultyMesh).
    void set(const Incident& incident, const FrameFault& fault, double amount) override;
    void kill(NodeId node) override;
    void hang(NodeId node) override;
    void restart(NodeId node) override;

    unsigned ports_;
    Cables& cables_;
    FaultPlan plan_;
    Tap* tap_ = nullptr;
    std::vector<Wire> wires_;
    std::vector<NodeState> state_;
    std::vector<Delayed> delayed_;       // a heap, earliest first
    std::vector<std::uint32_t> keeping_; // wires with a kept frame, oldest first
    std::uint64_t delays_ = 0;
    std::uint32_t started_ = 0;
    std::size_t next_incident_ = 0;
    bool armed_ = false;
    LoomCounts counts_;
    Lockstep lockstep_;
    Order* order_ = nullptr;
    std::optional<OrderedFrames> ordered_;
};

} // namespace mesh::host
