// A node: joined to a board. The only template of the kernel, instantiated once.
//
// One frame at a time: a frame is taken, everything that it makes possible is done and sent, then
// the next is taken. So the outcome depends on the order of frames only, never on how many of them
// lay in the receiver at once; lockstep runs rest on that.
#pragma once

#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "kernel/boardless_node.hpp"
#include "wire/bytes.hpp"

#include <span>
#include <utility>

namespace mesh {

template <hal::Board B>
class Node {
public:
    Node(B& board, const Memory& memory, Program program)
        : board_(board),
          node_(board.identity(), memory,
                board.window_bytes(static_cast<unsigned>(memory.links.size())),
                ToHost{&Node::transmit_to_host, this}, program),
          receiving_(node_.lend()) {}

    Kernel& kernel() { return node_.kernel(); }
    const BoardlessNode& inside() const { return node_; }

    void boot() {
        node_.boot();
        settle();
    }

    /// Does one piece of work: takes a frame, or lets time pass. False if there was none to take:
    /// the board may sleep.
    bool poll() {
        if (node_.hung()) {
            board_.hang();
            return false;
        }
        if (node_.passing()) { // a frame that the board could not take yet
            settle();
            return !node_.passing();
        }
        const hal::Received received = board_.receive(head_, receiving_->bytes);
        node_.set_clock(board_.now_us());
        if (received.state == hal::Received::State::busy)
            return false;
        if (received.state == hal::Received::State::none) {
            rest();
            return false;
        }
        if (node_.on_frame(received.port, head_.bytes, received.frame_bytes, receiving_))
            receiving_ = node_.lend();
        MESH_CHECK(receiving_ != nullptr, no_receive_buffer); // Admission keeps one free
        settle();
        return true;
    }

    /// For images: boots and works for ever.
    [[noreturn]] void run() {
        boot();
        for (;;)
            if (!poll())
                board_.wait();
    }

private:
    void rest() {
        node_.rest();
        const bool all_sent = settle();
        if (!node_.lockstep())
            board_.set_alarm_us(node_.next_deadline());
        else if (all_sent && told_idle_ != node_.frames_received())
            node_.host().send_idle(told_idle_ = node_.frames_received(), node_.next_deadline());
    }

    /// Lets everything happen that can happen now, and sends what comes of it. False if the
    /// transmitter is busy, so that frames may wait for it.
    bool settle() {
        if (sending_ != nullptr && board_.transmit_ready())
            let_go();
        node_.run();
        if (node_.take_report_due())
            send_report();
        while (board_.transmit_ready()) {
            let_go();
            wire::LinkHeader header;
            PacketBuffer* packet = nullptr;
            if (!node_.next_frame(header, packet))
                return true;
            sending_ = packet;
            if (packet != nullptr)
                node_.keep(packet);
            transmit(header, packet != nullptr ? packet->packet() : std::span<std::byte>{});
        }
        return false;
    }

    /// The last packet has left: nobody reads it any more.
    void let_go() {
        if (sending_ != nullptr)
            node_.let_go(std::exchange(sending_, nullptr));
    }

    void transmit(const wire::LinkHeader& header, std::span<const std::byte> packet) {
        hal::Head head;
        wire::write_head(header, node_.mac(), head.bytes);
        board_.transmit(header.port, head, packet);
    }

    /// At once, so that a blocked port cannot hold back a report, and until it has left: the packet
    /// is the caller's again then.
    static void transmit_to_host(void* self, const wire::LinkHeader& header,
                                 std::span<const std::byte> packet) {
        Node& node = *static_cast<Node*>(self);
        while (!node.board_.transmit_ready())
            node.board_.wait();
        node.transmit(header, packet);
        while (!node.board_.transmit_ready())
            node.board_.wait();
    }

    void send_report() {
        wire::NodeReport report;
        node_.fill_report(report);
        for (unsigned port = 0; port < kernel().ports(); ++port)
            report.dma_transfers[port] = board_.dma_transfers(port_at(port));
        node_.host().send(wire::HostTag::report, wire::bytes_of(report));
    }

    B& board_;
    BoardlessNode node_;
    PacketBuffer* receiving_;
    PacketBuffer* sending_ = nullptr; // the board may still read it, whatever the links say
    hal::Head head_;
    std::uint32_t told_idle_ = 0;
};

} // namespace mesh
