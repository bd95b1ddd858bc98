// A node: the kernel joined to a board. The only template of the kernel, instantiated once.
//
// One frame at a time: a frame is taken, everything that it makes possible is done and sent, then
// the next is taken. So the outcome depends on the order of frames only, never on how many of them
// lay in the receiver at once; lockstep runs rest on that.
#pragma once

#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "kernel/kernel.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace mesh {

template <hal::Board B>
class Node {
public:
    Node(B& board, const Memory& memory, Program program)
        : board_(board),
          kernel_(board.identity(), memory,
                  board.window_bytes(static_cast<unsigned>(memory.links.size())),
                  HostPort{&Node::host_send, this}, program),
          receiving_(kernel_.pool().allocate()),
          to_host_(kernel_.pool().allocate()) {}

    Kernel& kernel() { return kernel_; }

    void boot() {
        kernel_.boot();
        settle();
    }

    /// Does one piece of work: takes a frame, or lets time pass. False if there was none to take:
    /// the board may sleep.
    bool poll() {
        if (kernel_.hung()) {
            board_.hang();
            return false;
        }
        if (kernel_.passing()) { // a frame that the board could not take yet
            settle();
            return !kernel_.passing();
        }
        const hal::Received received = board_.receive(head_, receiving_->bytes);
        kernel_.set_clock(board_.now_us());
        if (received.state == hal::Received::State::busy)
            return false;
        if (received.state == hal::Received::State::none) {
            rest();
            return false;
        }
        if (kernel_.on_frame(received.port, head_.bytes, received.frame_bytes, receiving_))
            receiving_ = kernel_.pool().allocate();
        if (kernel_.lockstep())
            kernel_.flush_acknowledgements();
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
    /// Nothing came in: time passes, acknowledgements that nothing carried are sent.
    void rest() {
        kernel_.on_time();
        kernel_.flush_acknowledgements();
        settle();
        if (!kernel_.lockstep())
            board_.set_alarm_us(kernel_.next_deadline());
        else if (told_idle_ != kernel_.frames_received())
            tell_idle();
    }

    void settle() {
        kernel_.run();
        if (kernel_.take_report_due())
            send_report();
        wire::LinkHeader header;
        PacketBuffer* packet = nullptr;
        while (board_.transmit_ready() && kernel_.next_frame(header, packet))
            transmit(header, packet != nullptr ? packet->packet() : std::span<std::byte>{});
    }

    void transmit(const wire::LinkHeader& header, std::span<const std::byte> packet) {
        hal::Head head;
        wire::write_head(header, kernel_.mac(), head.bytes);
        board_.transmit(header.port, head, packet);
    }

    /// Frames to the host have a buffer of their own and go at once, so that a full pool or a
    /// blocked port cannot hold back a report.
    void transmit_to_host(wire::LinkHeader header, std::span<const std::byte> packet) {
        while (!board_.transmit_ready())
            board_.wait();
        header.port = kHostPort;
        header.packet_bytes = static_cast<std::uint16_t>(packet.size());
        transmit(header, packet);
    }

    void tell_idle() {
        told_idle_ = kernel_.frames_received();
        transmit_to_host({.kind = wire::Kind::idle,
                          .refused = told_idle_,
                          .model_time = kernel_.next_deadline()},
                         {});
    }

    void send_report() {
        wire::NodeReport report;
        kernel_.fill_report(report);
        for (unsigned port = 0; port < kernel_.ports(); ++port)
            report.dma_transfers[port] = board_.dma_transfers(port_at(port));
        host_send(this, wire::HostTag::report, wire::bytes_of(report), {});
    }

    static void host_send(void* self, wire::HostTag tag, std::span<const std::byte> first,
                          std::span<const std::byte> second) {
        Node& node = *static_cast<Node*>(self);
        while (!node.board_.transmit_ready())
            node.board_.wait();
        const auto room = std::span{node.to_host_->bytes}.subspan(wire::kPacketHeaderBytes);
        const std::size_t first_bytes = std::min(first.size(), room.size());
        const std::size_t second_bytes = std::min(second.size(), room.size() - first_bytes);
        std::copy_n(first.begin(), first_bytes, room.begin());
        std::copy_n(second.begin(), second_bytes, room.begin() + first_bytes);
        const auto payload_bytes = static_cast<std::uint16_t>(first_bytes + second_bytes);
        const auto packet =
            std::span{node.to_host_->bytes}.first(wire::kPacketHeaderBytes + payload_bytes);
        wire::write_packet_header({.payload_bytes = payload_bytes,
                                   .source = node.kernel_.id(),
                                   .tag = static_cast<std::uint16_t>(tag)},
                                  packet.template first<wire::kPacketHeaderBytes>());
        wire::seal_packet(packet);
        node.transmit_to_host({.kind = wire::Kind::host}, packet);
    }

    B& board_;
    Kernel kernel_;
    PacketBuffer* receiving_;
    hal::Head head_;
    PacketBuffer* const to_host_;
    std::uint32_t told_idle_ = 0;
};

} // namespace mesh
