// Whole kernels on simulated boards, in which everything that may happen in one order or another is
// an actor of its own: a cable brings its next frame, a node rests, a process goes on, time passes.
// Only the caller makes events happen, so a schedule is a sequence of actors.
//
// Time is one for all nodes and moves to the next alarm of any, but not beyond two delays: one
// bounds how long a frame is under way and a node does not come to rest, so links may send again,
// but do not die, unless the delay says so; the other how long a process does not go on.
#pragma once

#include "boards/host/board.hpp"
#include "kernel/node/node.hpp"
#include "tests/kernel/heap_memory.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mesh::soak {

/// A board of the host whose preemptive polls come when the world says so.
class Board : public board::HostBoard {
public:
    using HostBoard::HostBoard;

    void start_ticks(std::uint32_t, void (*work)(void*), void* context) {
        work_ = work;
        context_ = context;
    }
    void stop_ticks() { work_ = nullptr; }
    void tick() const {
        if (work_ != nullptr)
            work_(context_);
    }

private:
    void (*work_)(void*) = nullptr;
    void* context_ = nullptr;
};
static_assert(hal::Board<Board> && hal::HasPreemption<Board>);

/// Where a process waits until the schedule lets it go on.
struct Gate {
    bool waiting = false, open = false;
    std::uint64_t since_us = 0;
};

/// The harm that a frame suffers on its way.
enum class Harm : std::uint8_t { drop, twice, swap, corrupt };

/// Of the frame that is put on a cable as number `frame` since the programs began.
struct FrameFault {
    std::uint64_t frame;
    Harm how;
};

class World {
public:
    /// The sizes of a node: processes with a gate, buffers, memory for its processes.
    struct Size {
        unsigned gates;
        std::size_t buffers;
        std::size_t arena_bytes;
    };

    World(Network network, Program program, const Size& size, std::uint64_t delay_us,
          std::uint64_t process_delay_us);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    /// Boots all nodes and starts their programs; frames go in order.
    void start();

    // Events that may happen ----------------------------------------------------------------------

    unsigned actors() const { return clock_actor() + 1; }
    unsigned clock_actor() const { return gate_actor(node_count_, 0); }
    unsigned gate_actor(unsigned node, unsigned process) const {
        return cables() + node_count_ + node * size_.gates + process;
    }
    unsigned cables() const { return static_cast<unsigned>(cables_.size()); }
    bool enabled(unsigned actor) const;
    /// Lets it happen. Precondition: enabled(actor).
    void act(unsigned actor);
    std::string name(unsigned actor) const;

    // Faults --------------------------------------------------------------------------------------

    /// Frames on the cable from `node` by `port`, now and later, are lost; `whole`: both
    /// directions.
    void cut(unsigned node, unsigned port, bool whole);
    void mend(unsigned node, unsigned port);
    void mend_all();
    /// The cable keeps what it has, and gets, until it is let go.
    void clog(unsigned node, unsigned port, bool clogged);
    /// The node does nothing any more.
    void kill(unsigned node);
    /// It begins another life, with its program or only forwarding.
    void restart(unsigned node, bool runs);
    /// It loses its power and has it again: it knows nothing of its lives before, and gets the
    /// number of its life from a neighbour's clock. Then its program begins.
    void cut_power(unsigned node);
    /// Something happens to the next frame of the cable, or of the next one that has any.
    void harm(unsigned cable, Harm how, unsigned bit);
    /// The next `count` frames that are put on the cable are lost.
    void lose(unsigned node, unsigned port, unsigned count) { cable(node, port).losing = count; }

    void set_frame_faults(std::vector<FrameFault> faults) { frame_faults_ = std::move(faults); }
    /// Frames put on cables since the programs began.
    std::uint64_t carried() const { return carried_; }

    // For programs --------------------------------------------------------------------------------

    /// Closes a gate of the node; a process is to wait until it is open.
    const Gate& close_gate(NodeId node, unsigned process) {
        return lives_[index(node)]->gates[process] = {true, false, now_us_};
    }
    /// For how long the process has waited at its gate.
    std::uint64_t waits_us(unsigned node, unsigned process) const {
        return now_us_ - lives_[node]->gates[process].since_us;
    }
    /// All processes look again at what they wait for.
    void wake_all();
    /// A process of the node computes: a preemptive poll for each of `frames` frames.
    void compute(NodeId node, unsigned frames);

    // State ---------------------------------------------------------------------------------------

    /// All nodes live, no cable is cut, no link dead, and no frame is on its way.
    bool whole() const;
    unsigned nodes() const { return node_count_; }
    unsigned ports() const { return ports_; }
    Network network() const { return network_; }
    /// The node behind that port; nothing: no cable leaves there.
    std::optional<unsigned> peer(unsigned node, unsigned port) const {
        const Cable& cable = cables_[node * ports_ + port];
        return cable.plugged ? std::optional{cable.to} : std::nullopt;
    }
    Kernel& kernel(unsigned node) { return lives_[node]->node.kernel(); }
    /// Which life the node is in, from 0.
    unsigned life(unsigned node) const { return lives_[node]->number; }
    bool alive(unsigned node) const { return lives_[node]->alive; }
    std::uint64_t now_us() const { return now_us_; }
    /// Of all lives of all nodes.
    std::uint64_t total(Counter counter) const;
    /// The first error at a node that came to rest; empty: none.
    const std::string& wrong() const { return wrong_; }
    /// Gives `take` all that what may still happen depends on, but time and counters. What it gives
    /// of two states that are the same may differ, since memory that is free is in part of it.
    void state(const std::function<void(std::span<const std::byte>)>& take) const;
    /// Where the packets of a node are.
    std::string packets_of(unsigned node) const;

private:
    struct Frame {
        std::vector<std::byte> bytes;
        std::uint64_t since_us;
    };
    struct Cable {
        unsigned to = 0, to_port = 0;
        bool plugged = false, cut = false, clogged = false;
        unsigned losing = 0; // frames
        std::deque<Frame> frames;
    };
    struct Life {
        Life(World& world, const wire::Identity& identity, unsigned number);
        unsigned number;
        bool alive = true;
        bool restless = false; // something has happened since it last came to rest
        std::uint64_t restless_since_us = 0;
        std::vector<Gate> gates;
        test::HeapMemory memory;
        Board board;
        Node<Board> node;
    };

    Cable& cable(unsigned node, unsigned port) { return cables_[node * ports_ + port]; }
    std::uint64_t next_alarm() const;
    std::uint64_t latest_us() const;
    void disturb(unsigned node);
    void carry(NodeId from, std::span<const std::byte> frame);
    void tell(unsigned node, wire::HostTag tag, std::span<const std::byte> payload);
    void begin_life(unsigned node, const wire::Identity& identity, bool runs);
    void give_job(unsigned node, bool runs);
    void bring(Cable& cable);
    static void harm_last(std::deque<Frame>& frames, Harm how);
    void poll(unsigned node);
    void audit(unsigned node);

    Network network_;
    Program program_;
    Size size_;
    unsigned node_count_;
    unsigned ports_;
    std::vector<Cable> cables_;
    std::vector<std::unique_ptr<Life>> lives_;
    std::array<std::uint64_t, kCounterCount> past_{}; // counters of lives that are over
    std::vector<FrameFault> frame_faults_;
    std::uint64_t carried_ = 0;
    std::uint64_t delay_us_;
    std::uint64_t process_delay_us_;
    std::uint64_t now_us_ = 0;
    unsigned births_ = 0; // of nodes that lost their power
    std::string wrong_;
};

} // namespace mesh::soak
