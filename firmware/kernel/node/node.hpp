// A node: joined to a board. The only template of the kernel, instantiated once.
//
// One frame at a time: a frame is taken, everything that it makes possible is done and sent, then
// the next is taken. So the outcome depends on the order of frames only, never on how many of them
// lay in the receivers at once; lockstep runs rest on that. Running free, a frame may be a train
// (wire/frame.hpp), whose packets are taken one after the other, each as if it had come alone.
#pragma once

#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "kernel/node/node_core.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

namespace mesh {

template <hal::Board B>
class Node {
public:
    Node(B& board, const Memory& memory, Program program)
        : board_(board),
          mac_(wire::to_mac(board.identity())),
          node_(board.identity(), memory, cables_of(board, memory.links.size()),
                ToHost{&Node::transmit_to_host, this, counter_of_resets()}, program) {
        for (unsigned receiver = 0; receiver < kCan.receivers; ++receiver) {
            receiving_[receiver].packet = node_.lend();
            lend(receiver);
        }
    }

    Kernel& kernel() { return node_.kernel(); }
    const NodeCore& inside() const { return node_; }

    void boot() {
        node_.boot();
        settle();
    }

    /// Boots, and begins the program, at a node that no host speaks to: `job` is what it would say.
    /// Then turn() again and again. Nodes may start at different times: a packet waits at its
    /// neighbour until the node answers.
    void start(const wire::Job& job = {.op = wire::Op::app}) {
        node_.set_clock(board_.now_us());
        node_.boot();
        node_.start(job);
        settle();
    }

    /// Takes one frame and does what follows from it, or lets time pass. False if there was none to
    /// take.
    bool poll() {
        if (node_.hung()) {
            board_.hang();
            return false;
        }
        if (node_.passing()) { // a frame that the board could not take yet
            settle();
            return !node_.passing();
        }
        const hal::Received received = board_.receive();
        node_.set_clock(board_.now_us());
        if (received.state == hal::Received::State::busy)
            return false;
        if (received.state == hal::Received::State::none) {
            rest();
            return false;
        }
        take(received);
        settle();
        return true;
    }

    /// Polls, and lets the board sleep if there was no frame. It must not sleep if the node has
    /// waited for its host port meanwhile: a frame that came in then has ended that wait, and would
    /// end no other one.
    void turn() {
        if (!poll() && !std::exchange(waited_, false))
            board_.wait();
    }

    /// For images: boots and works for ever.
    [[noreturn]] void run() {
        boot();
        for (;;)
            turn();
    }

private:
    /// Boards that count resets of a processor that keeps its power have it.
    static constexpr auto counter_of_resets() -> void (*)(std::uint32_t) {
        if constexpr (requires { &B::count_on_from; })
            return &B::count_on_from;
        else
            return nullptr;
    }

    static constexpr hal::Capabilities kCan = B::capabilities();
    static_assert(kCan.senders > 0 && kCan.receivers > 0);
    static_assert(!kCan.trains || kCan.senders == 1, "a train lies in the buffer of a packet");

    /// Where the next frame of a receiver goes.
    struct Receiving {
        PacketBuffer* packet;
        hal::Head head;
    };
    /// A packet that a sender of the board may still read, also if its link does not need it any
    /// more.
    struct Sending {
        PacketBuffer* packet = nullptr;
        PortSet port = 0; // the port by which it leaves; 0: no packet is being sent
    };

    static Cables cables_of(const B& board, std::size_t ports) {
        return {.window_bytes = board.window_bytes(static_cast<unsigned>(ports)),
                .rto_us = limits::rto_min_us(kCan.bits_per_second),
                .checked = kCan.frames_checked,
                .receivers = kCan.receivers};
    }
    static constexpr unsigned sender_of(Port port) {
        return std::min(index(port), kCan.senders - 1);
    }

    void lend(unsigned receiver) {
        Receiving& room = receiving_[receiver];
        board_.lend(receiver, room.head, room.packet->bytes);
    }

    void take(const hal::Received& received) {
        const unsigned receiver = kCan.receivers == 1 ? 0 : received.receiver;
        Receiving& room = receiving_[receiver];
        if (kCan.trains && may_be_train(room.head.fields.link, received.frame_bytes))
            take_train(received.port, room, received.frame_bytes);
        else
            static_cast<void>(take_packet(received.port, room, received.frame_bytes));
        lend(receiver);
    }
    /// False if more packets that came with it are of no use.
    bool take_packet(Port port, Receiving& room, std::size_t frame_bytes) {
        const NodeCore::Taken taken =
            node_.on_frame(port, room.head.fields, frame_bytes, room.packet);
        if (taken.kept)
            room.packet = node_.lend();
        MESH_CHECK(room.packet != nullptr, no_receive_buffer); // Admission keeps one free
        return taken.of_link;
    }

    /// Most frames are none: this is less work than wire::bytes_behind().
    static bool may_be_train(const wire::LinkHeader& first, std::size_t frame_bytes) {
        return frame_bytes >= first.packet_bytes + wire::kHeadBytes + wire::kCouplingBytes;
    }
    [[gnu::noinline]] void take_train(Port port, Receiving& room, std::size_t frame_bytes) {
        std::span<const std::byte> rest = move_behind(room, frame_bytes);
        while (take_packet(port, room, frame_bytes) && wire::is_coupled(rest.size()))
            frame_bytes = wire::uncouple(rest, room.head.fields, room.packet->bytes);
    }
    /// The packets of a train behind its first, moved out of its buffer, in which the node may
    /// answer the first.
    std::span<const std::byte> move_behind(const Receiving& room, std::size_t frame_bytes) {
        const wire::LinkHeader& first = room.head.fields.link;
        const std::size_t bytes = std::min(wire::bytes_behind(first, frame_bytes), behind_.size());
        if (bytes == 0 || node_.lockstep())
            return {};
        const std::size_t begin = wire::whole_words(first.packet_bytes);
        const auto behind = std::span{room.packet->bytes}.subspan(begin);
        const auto moved = behind.first(std::min(bytes, behind.size()));
        if constexpr (kBehindBytes != 0) // else some compilers see a copy to nowhere
            std::memcpy(behind_.data(), moved.data(), moved.size());
        return std::span{behind_}.first(moved.size());
    }

    void look_at_cables() {
        if constexpr (hal::TellsCables<B>) {
            if (node_.lockstep())
                return;
            const PortSet connected = board_.connected_ports();
            const PortSet changed = connected ^ std::exchange(connected_, connected);
            if (changed != 0)
                node_.on_cables(changed, connected);
        }
    }

    void rest() {
        look_at_cables();
        const std::uint64_t next = node_.rest();
        const bool at_rest = next != NodeCore::kNow && !sending();
        if (!at_rest)
            settle();
        if (node_.in_preemptive_poll())
            return;
        if (!node_.lockstep())
            board_.set_alarm_us(at_rest ? next : node_.next_deadline());
        else if (all_sent() && told_idle_ != node_.frames_received())
            node_.host().send_idle(told_idle_ = node_.frames_received(), node_.next_deadline());
    }

    /// Does everything that can be done now, and sends the frames that result by the ports that are
    /// ready.
    void settle() {
        if (sending())
            let_go(board_.ready_ports());
        if (hal::HasPreemption<B> && node_.may_compute())
            run_with_ticks();
        else
            node_.run();
        if (node_.take_report_due())
            send_report();
        for (;;) {
            const PortSet ready = board_.ready_ports();
            let_go(ready);
            hal::Head head;
            PacketBuffer* packet = nullptr;
            if (ready == 0 || !node_.next_frame(head.fields.link, packet, ready))
                return;
            if (packet != nullptr)
                node_.keep(packet);
            const Port port = head.fields.link.port;
            sending_[sender_of(port)] = {packet, bit_of(port)};
            transmit(head,
                     packet != nullptr ? packet_or_train(port, *packet) : std::span<std::byte>{});
        }
    }

    std::span<std::byte> packet_or_train(Port port, PacketBuffer& first) {
        if (kCan.trains && node_.may_follow(port))
            return train_of(port, first);
        return first.packet();
    }
    /// The packet, and behind it in its buffer those that leave in the same frame. Not inlined: a
    /// packet alone does not pay for its registers.
    [[gnu::noinline]] std::span<std::byte> train_of(Port port, PacketBuffer& first) {
        std::size_t bytes = first.packet().size();
        hal::Head head;
        PacketBuffer* packet = nullptr;
        while (node_.next_behind(port, wire::room_behind(bytes), head.fields.link, packet)) {
            wire::seal_head(head.fields, mac_);
            bytes = wire::couple(first.bytes, bytes, head.fields, packet->packet());
        }
        return std::span{first.bytes}.first(bytes);
    }

    /// To set a timer anew costs an emulated node more than a frame does. So while processes run
    /// and wait by turns the ticks go on, slowly.
    void run_with_ticks() {
        running_ = ran_ = true;
        std::atomic_signal_fence(std::memory_order_seq_cst); // a tick in between sees that
        if (ticks_ == 0)
            set_ticks(1);
        node_.run();
        running_ = false;
    }
    void set_ticks(std::uint8_t ticks) {
        if (std::exchange(ticks_, ticks) == ticks)
            return;
        if constexpr (hal::HasPreemption<B>) {
            if (ticks != 0)
                board_.start_ticks(node_.tick_us() / ticks, &Node::preemptive_poll, this);
            else
                board_.stop_ticks();
        }
    }
    /// A tick while no process runs: ticks end if no process has run since the last tick.
    void tick_at_rest() {
        ahead_ = 0;
        set_ticks(std::exchange(ran_, false) ? 1 : 0);
    }

    /// From an interrupt: lets the links work while a process computes, so that neighbours need not
    /// wait for the process.
    static void preemptive_poll(void* self) {
        Node& node = *static_cast<Node*>(self);
        if (!node.running_)
            return node.tick_at_rest();
        node.set_ticks(limits::kPreemptivePollsOfTick);
        if (!node.node_.begin_preemptive_poll())
            return;
        node.take_share();
        node.node_.end_preemptive_poll();
    }
    /// Takes the frames of a preemptive poll. A train counts as its packets do: those beyond the
    /// share of this poll are of the next one's. One whose share is used up sends what waits.
    void take_share() {
        constexpr std::uint32_t kShare = limits::kFramesInPreemptivePoll;
        if (ahead_ >= kShare)
            rest();
        const std::uint32_t from = node_.frames_received() - ahead_;
        while (node_.frames_received() - from < kShare && poll()) {
        }
        ahead_ = node_.frames_received() - from;
        ahead_ -= std::min(ahead_, kShare);
    }

    /// The frames sent by the ports of `ready` have left: the board does not read their packets any
    /// more.
    void let_go(PortSet ready) {
        for (Sending& one : sending_) {
            if ((one.port & ready) == 0)
                continue;
            one.port = 0;
            if (one.packet != nullptr)
                node_.let_go(one.packet);
        }
    }
    bool sending() const {
        return std::ranges::any_of(sending_, [](const Sending& one) { return one.port != 0; });
    }
    bool all_sent() const { return !sending() && !node_.more_frames(); }

    void transmit(hal::Head& head, std::span<const std::byte> packet) {
        wire::seal_head(head.fields, mac_);
        board_.transmit(head.fields.link.port, head, packet);
    }

    /// Sends a frame to the host at once, so that a blocked port cannot hold back a report, and
    /// waits until it has left: the packet is the caller's again then.
    static void transmit_to_host(void* self, const wire::LinkHeader& header,
                                 std::span<const std::byte> packet) {
        Node& node = *static_cast<Node*>(self);
        node.await_host_port();
        hal::Head head;
        head.fields.link = header;
        node.transmit(head, packet);
        node.await_host_port();
    }
    void await_host_port() {
        while ((board_.ready_ports() & bit_of(kHostPort)) == 0) {
            board_.wait();
            waited_ = true;
        }
    }

    // Not inlined: it would cost registers and stack of the code that each frame goes through.
    [[gnu::noinline]] void send_report() {
        wire::NodeReport report;
        node_.fill_report(report);
        if constexpr (hal::CountsTransfers<B>)
            for (unsigned port = 0; port < kernel().ports(); ++port)
                report.dma_transfers[port] = board_.dma_transfers(port_at(port));
        if constexpr (sizeof report <= wire::kPayloadBytesMax)
            node_.host().send(wire::HostTag::report, wire::bytes_of(report));
        else
            node_.host().send_in_parts(wire::HostTag::report, wire::bytes_of(report));
    }

    B& board_;
    // Before the large members: short instructions reach these here.
    std::uint8_t ticks_ = 0;  // in limits::tick_us(); 0: none
    bool waited_ = false;     // for its host port, since the last turn()
    bool running_ = false;    // processes may run now
    bool ran_ = false;        // ... or did since the last tick
    std::uint32_t ahead_ = 0; // packets that preemptive polls have taken beyond their share
    const wire::Mac mac_;
    NodeCore node_;
    std::array<Receiving, kCan.receivers> receiving_;
    std::array<Sending, kCan.senders> sending_{};
    PortSet connected_ = ~PortSet{0}; // as far as the board tells
    std::uint32_t told_idle_ = 0;
    /// The packets of a train behind its first, on a board that has trains.
    static constexpr std::size_t kBehindBytes =
        kCan.trains ? wire::kPacketBytesMax - wire::kPacketHeaderBytes : 0;
    [[no_unique_address]] std::array<std::byte, kBehindBytes> behind_;
};

} // namespace mesh
