// The LAN9118 network interface: frames in, frames out, through FIFOs of 32-bit words.
//
// It knows frames only as numbers of words; which part of a frame the CPU moves and which the DMA,
// the board decides. Bring-up never waits without a bound.
#pragma once

#include "boards/mps2-an505/regs.hpp"
#include "wire/identity.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

class Lan9118 {
public:
    /// Open to the DMA, reset, then both directions on, all destination addresses accepted. False:
    /// no such device answers.
    bool init();
    /// The address that the interface was given at reset.
    static wire::Mac mac();

    // --- Receiving ---
    /// Frames in the receive FIFO. Reads the device only when none was known.
    unsigned frames_waiting();
    /// Length in bytes of the next frame, checksum included. Precondition: frames_waiting() > 0.
    /// All its words must then be taken by read() or by DMA from rx_fifo().
    std::uint32_t take_length();
    static std::uint32_t read_word() { return nic().rx_data[0]; }
    static regs::Register* rx_fifo() { return &nic().rx_data[0]; }

    // --- Transmitting ---
    /// True when the transmit FIFO takes a frame of `frame_bytes` in two segments. Takes finished
    /// transmissions out of the status FIFO now and then.
    bool has_room(std::size_t frame_bytes) {
        if (room_bytes_ < room_for(frame_bytes))
            look_for_room();
        room_wanted_ = room_bytes_ < room_for(frame_bytes);
        return !room_wanted_;
    }
    /// Opens a segment of `segment_bytes` of a frame of `frame_bytes`. Its words must follow, by
    /// write_word() or by DMA to tx_fifo(); the last word of the last segment sends the frame.
    void open_segment(std::size_t segment_bytes, std::size_t frame_bytes, bool first, bool last) {
        nic().tx_data[0] = static_cast<std::uint32_t>(segment_bytes) |
                           (first ? regs::nic::kCmdFirst : 0) | (last ? regs::nic::kCmdLast : 0);
        nic().tx_data[0] = static_cast<std::uint32_t>(frame_bytes);
        if (first)
            room_bytes_ -= std::min(room_bytes_, room_for(frame_bytes));
    }
    static void write_word(std::uint32_t word) { nic().tx_data[0] = word; }
    static regs::Register* tx_fifo() { return &nic().tx_data[0]; }
    /// Transmissions that the interface reported as failed.
    std::uint32_t transmit_errors() const { return transmit_errors_; }
    /// Forgets frames half written. For the crash record of a failing node.
    static void abandon_transmission();

    // --- Interrupt ---
    /// Lets the interrupt come with the next frame, or with room in the transmit FIFO if has_room()
    /// has just said no. False: a frame is there already; no interrupt will come.
    bool arm_interrupt();
    /// From the interrupt handler: quiet until armed again.
    static void on_interrupt() { nic().int_en = 0; }

private:
    static regs::Nic& nic() { return regs::at<regs::Nic>(regs::kNic); }
    /// Two command words per segment, two segments per frame.
    static constexpr std::size_t kCommandBytes = 16;
    static constexpr std::size_t room_for(std::size_t frame_bytes) {
        return (frame_bytes + 3) / 4 * 4 + kCommandBytes;
    }
    void look_for_room();

    unsigned waiting_ = 0;       // frames known to be in the receive FIFO
    std::size_t room_bytes_ = 0; // at least so much is free in the transmit FIFO
    bool room_wanted_ = false;
    std::uint32_t transmit_errors_ = 0;
};

} // namespace mesh::board
