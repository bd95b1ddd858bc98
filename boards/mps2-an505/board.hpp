// Arm MPS2+ with FPGA image AN505 (QEMU: mps2-an505): Cortex-M33, eight ports on one LAN9118.
//
// All cables of a node end in its one network interface; a port is the byte in the cable header by
// which its frames go out and come in, and a DMA channel of its own. Of a frame the CPU moves the
// 44 bytes of cable and link header (the in-port, and so the DMA channel, is in there); the packet
// goes by DMA between FIFO and pool buffer. The host's frames have no channel: the CPU moves them.
#pragma once

#include "boards/cortex-m/systick.hpp"
#include "boards/mps2-an505/clock.hpp"
#include "boards/mps2-an505/lan9118.hpp"
#include "boards/mps2-an505/pl081.hpp"
#include "hal/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

/// The only one of its kind in an image; see hal/concepts.hpp for what each call means.
class Board {
public:
    static constexpr unsigned kPorts = regs::kDmaChannels;

    /// All set-up; a node whose network interface does not answer stops here with a crash record.
    Board();
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;

    wire::Identity identity() const { return identity_; }
    std::size_t window_bytes(unsigned ports) const;

    /// One transmitter and one receiver for all ports.
    static constexpr hal::Capabilities capabilities() { return {.trains = true}; }
    PortSet ready_ports();
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet);
    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive();
    std::uint32_t dma_transfers(Port port) const;

    std::uint64_t now_us() { return clock_.now_us(); }
    void set_alarm_us(std::uint64_t time_us) { clock_.set_alarm_us(time_us); }
    void wait();
    [[noreturn]] void hang();

    void start_ticks(std::uint32_t period_us, hal::TickWork work, void* context) {
        ticks_.start_ticks(period_us, work, context);
    }
    void stop_ticks() { ticks_.stop_ticks(); }

    /// Transmissions that the interface reported as failed; none on a good cable.
    std::uint32_t transmit_errors() const { return nic_.transmit_errors(); }

    // Interrupt handlers, called from vectors.cpp.
    void on_nic_interrupt() { nic_.on_interrupt(); }
    void on_dma_interrupt(unsigned controller) {
        dma_.on_interrupt(controller);
        transfer_ended_ = true;
    }
    void on_timer_interrupt() { clock_.on_interrupt(); }
    void on_tick() { ticks_.on_interrupt(); }
    void end_wait() { transfer_ended_ = true; }

private:
    hal::Received begin_receive();
    hal::Received finish_receive();

    Lan9118 nic_;
    Pl081 dma_;
    Clock clock_;
    SysTick ticks_;
    wire::Identity identity_;
    hal::Head* head_ = nullptr; // of the next frame
    std::byte* buffer_ = nullptr;
    hal::Received receiving_{};            // state busy: a frame is on its way to the buffer
    std::uint32_t words_to_discard_ = 0;   // of that frame, behind what the buffer takes
    bool ready_ = false;                   // the last ready_ports() holds
    volatile bool transfer_ended_ = false; // since the last wait(), or end_wait() was called
};

/// The board whose interrupts are on.
Board& the_board();

static_assert(hal::Board<Board> && hal::CountsTransfers<Board> && hal::HasPreemption<Board>);

} // namespace mesh::board
