// A node without its board: takes frames, lets time pass, gives frames to send. Node<Board>
// (kernel/node.hpp) joins it to a board, and tests to whatever they like.
#pragma once

#include "kernel/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

class BoardlessNode {
public:
    BoardlessNode(const wire::Identity& identity, const Memory& memory, std::size_t window_bytes,
                  ToHost to_host, Program program)
        : kernel_(identity, memory, window_bytes, to_host),
          program_(program) {}

    Kernel& kernel() { return kernel_; }
    /// A buffer for the next frame to come in.
    PacketBuffer* lend() { return kernel_.pool_.allocate(); }
    /// A packet is being sent: it stays as it is until let_go(), also if it is acknowledged before.
    void keep(PacketBuffer* packet) { kernel_.pool_.share(packet); }
    void let_go(PacketBuffer* packet) {
        if (packet->references == 1)
            kernel_.scheduler_.touch(); // a buffer more
        kernel_.pool_.release(packet);
    }

    /// Asks at every port who is at its other end.
    void boot() { kernel_.links_.say_hello(); }
    /// A frame came in by `port`: `head` its first bytes, `buffer` (with one reference) the rest.
    /// True if the node keeps the buffer.
    bool on_frame(Port port, std::span<const std::byte> head, std::size_t frame_bytes,
                  PacketBuffer* buffer);
    /// Running free: the time is `now_us`; nothing is done about it yet.
    void set_clock(std::uint64_t now_us) { kernel_.time_.set_clock(now_us); }
    /// Nothing came in: time passes, and acknowledgements that nothing carried leave. In lockstep
    /// only grants let time pass.
    void rest();
    /// Runs everything that can run now. False until it was called is there anything to send.
    void run();
    /// The next frame to send; `packet` is nullptr for frames without one. False if there is none.
    bool next_frame(wire::LinkHeader& header, PacketBuffer*& packet) {
        return kernel_.links_.next_frame(header, packet);
    }
    /// When it wants to be called again (see Timebase::now()), or kNever.
    std::uint64_t next_deadline() const;

    /// The host wants to know how far the node is, or its program has just ended.
    bool take_report_due() { return std::exchange(report_due_, false); }
    /// Fills all but the board's part.
    void fill_report(wire::NodeReport& report) const;
    HostPort& host() { return kernel_.host_; }

    bool lockstep() const { return kernel_.time_.lockstep(); }
    /// An answer of another node waits to be passed on; no frame may come in before.
    bool passing() const { return kernel_.links_.passing(); }
    /// The host wants the node to stop without a sign.
    bool hung() const { return hung_; }
    std::uint32_t frames_received() const { return kernel_.counters_[Counter::frames_received]; }
    /// References to packets that the node's parts have, processes and the board excepted: what the
    /// pool must say when all have ended.
    unsigned packets_owned() const {
        constexpr unsigned kLent = 2; // to the receiver and to the host port
        return kLent + kernel_.links_.packets() + kernel_.forwarder_.mailbox().size();
    }
    wire::Mac mac() const { return wire::to_mac(kernel_.here_.identity); }

private:
    void on_host_frame(const wire::LinkHeader& header, PacketBuffer* buffer);
    void on_job();
    void on_start(std::span<const std::byte> payload);
    void on_time();
    void on_dead_links();
    bool give_up_packets();
    void end_program(Status status);

    Kernel kernel_;
    Program program_;
    ProcessId program_id_;
    wire::ModelTime finish_time_ = 0;
    Status status_ = Status::ok;
    bool running_ = false; // the program
    bool done_ = false;
    bool report_due_ = false;
    bool hung_ = false;
};

} // namespace mesh
