// A node without its board: takes frames, lets time pass, gives frames to send. Node<Board>
// (kernel/node/node.hpp) joins it to a board; tests join it to code of their own.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace mesh {

/// The state of a node's program, and the wishes of the host. It stands before the kernel's parts:
/// short instructions reach it there.
struct NodeState {
    Status status_ = Status::ok;
    bool running_ = false; // the program
    bool done_ = false;
    bool report_due_ = false;
    bool hung_ = false;
    bool in_preemptive_poll_ = false;
    bool polled_preemptively_ = false; // since a process last waited
    ProcessId program_id_;
    wire::ModelTime finish_time_ = 0;
    std::uint32_t computing_since_us_ = 0;
};

class NodeCore : private NodeState, public Kernel {
public:
    NodeCore(const wire::Identity& identity, const Memory& memory, const Cables& cables,
             ToHost to_host, Program program)
        : Kernel(identity, memory, cables, to_host),
          program_(program) {}

    Kernel& kernel() { return *this; }
    /// A buffer for the next frame to come in.
    PacketBuffer* lend() { return context().pool.allocate(); }
    /// A packet is being sent: it stays as it is until let_go(), also if it is acknowledged before.
    void keep(PacketBuffer* packet) { context().pool.share(packet); }
    void let_go(PacketBuffer* packet) {
        if (packet->references == 1)
            scheduler_.touch(); // a buffer more
        context().pool.release(packet);
    }

    /// Asks at every port which node is at its other end.
    void boot() { links_.say_hello(); }
    /// Begins the program: `job` is what the host says where there is one.
    void start(const wire::Job& job);
    /// The kind of a frame, and the fate of its buffer.
    struct Taken {
        bool kept = false;    // by the node
        bool of_link = false; // with a sound head, whatever its packet was
        explicit operator bool() const { return kept; }
    };
    /// A frame came in by `port`: `head` its begin, `buffer` (with one reference) the rest.
    Taken on_frame(Port port, const wire::Head& head, std::size_t frame_bytes,
                   PacketBuffer* buffer);
    /// Running free: the time is `now_us`; nothing is done about it yet.
    void set_clock(std::uint64_t now_us) { context().time.set_clock(now_us); }
    /// Running free: of the ports in `changed`, the cables of those in `connected` were plugged in,
    /// the others pulled.
    void on_cables(PortSet changed, PortSet connected) { links_.on_cables(changed, connected); }
    /// No frame came in: time passes, and acknowledgements leave that are wanted and that no packet
    /// has carried. In lockstep only grants let time pass. Gives the next_deadline(), or kNow:
    /// run() and next_frame() may have something to do first.
    std::uint64_t rest();
    static constexpr std::uint64_t kNow = 0;
    /// Runs everything that can run now. Until it was called there is nothing to send.
    void run();

    /// run() may be about to let a process compute, so preemptive polls will be wanted.
    bool may_compute() const {
        return may_poll_preemptively() && (scheduler_.touched() || links_.changed());
    }
    /// Microseconds between two ticks while processes run (limits::tick_us()).
    std::uint32_t tick_us() const { return limits::tick_us(host_.rto_min_ms()); }
    /// A preemptive poll is a turn of the links between two instructions of a process: functions
    /// that are called until it ends run no process and change nothing that a process reads outside
    /// its critical sections. False if the process is in a critical section now.
    bool begin_preemptive_poll();
    void end_preemptive_poll() { in_preemptive_poll_ = false; }
    bool in_preemptive_poll() const { return in_preemptive_poll_; }

    /// The next frame to send by a port of `ready`; `packet` is nullptr for frames without one.
    /// False if there is none.
    bool next_frame(wire::LinkHeader& header, PacketBuffer*& packet, PortSet ready = ~PortSet{0}) {
        return links_.next_frame(header, packet, ready);
    }
    /// The next packet for `port` that may leave in one frame with the one before, if there is one
    /// (Links::next_behind()); surely not where it may not follow.
    bool may_follow(Port port) const { return links_.may_follow(port); }
    bool next_behind(Port port, std::size_t room, wire::LinkHeader& header, PacketBuffer*& packet) {
        return links_.next_behind(port, room, header, packet);
    }
    /// There may be a frame to send for another port.
    bool more_frames() const { return links_.more_frames(); }
    /// The time at which the node wants to be called again (see Timebase::now()), or kNever.
    std::uint64_t next_deadline() const;

    /// The host wants to know how far the node is, or its program has just ended.
    bool take_report_due() { return std::exchange(report_due_, false); }
    /// Fills all but the board's part.
    void fill_report(wire::NodeReport& report) const;
    HostPort& host() { return host_; }

    bool lockstep() const { return context().time.lockstep(); }
    /// An answer of another node waits to be passed on; no frame may come in before.
    bool passing() const { return links_.passing(); }
    /// The host wants the node to stop without a sign.
    bool hung() const { return hung_; }
    std::uint32_t frames_received() const { return context().counters[Counter::frames_received]; }

private:
    LinkContext& context() { return links_.context(); }
    const LinkContext& context() const { return links_.context(); }
    [[gnu::noinline]] void on_host_frame(const wire::LinkHeader& header, PacketBuffer* buffer);
    void on_job();
    void on_start(std::span<const std::byte> payload);
    void prepare();
    void begin_program(wire::ModelTime begin);
    void on_time();
    std::uint64_t next_wake() const;
    bool may_poll_preemptively() const { return !lockstep() && !in_preemptive_poll_; }
    void on_dead_links();
    void speak();
    void close();
    bool run_turn();
    bool run_pulling_turn();
    void end_program(Status status);
    void report_mailbox(wire::NodeReport& report) const;

    Program program_;
};

} // namespace mesh
