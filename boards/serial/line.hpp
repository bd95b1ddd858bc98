// One serial line of a node: a ring that the interrupt fills, and one frame that it sends.
//
// Received bytes lie in the ring as they came, but for zeroes in a row, which end no frame. A frame
// is taken out, byte stuffing and format undone, when its end is there. While the ring is full the
// receiver is not read: a sender with a window of window_bytes() never gets so far, others lose the
// bytes that its FIFO cannot hold. A frame that is longer than the ring is dropped, and shows as a
// short one. A frame is sent from its front and from the payload where it lies, when there is room,
// and when it is this end's turn (boards/serial/turns.hpp).
//
// take_all(), send_some() and look() are called by the interrupt, or with interrupts held back.
#pragma once

#include "boards/serial/turns.hpp"
#include "hal/concepts.hpp"
#include "wire/cobs.hpp"
#include "wire/compact.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

/// The most bytes on the line of a frame with a full packet, whatever its bytes are.
inline constexpr std::size_t kLineFrameBytesMax =
    wire::cobs_bytes(wire::kFrontBytesMax + wire::kPayloadBytesMax);
/// The same of a frame without a packet.
inline constexpr std::size_t kLineAckBytesMax = wire::cobs_bytes(40);

/// `Chip` is the chip's own (chip.hpp of its board): what its lines can do, see SerialChip in
/// boards/serial/board.hpp.
template <class Chip>
class Line {
public:
    enum class State : std::uint8_t { idle, waiting, sending, draining };

    // --- Receiving ---
    bool has_frame() const { return ended_ != 0; }
    /// Moves received bytes into the ring. True if a frame has ended.
    bool take_all(unsigned line) {
        bool ended = false;
        while (const unsigned waiting = Chip::waiting(line)) {
            turns_.hears();
            if (room() < waiting && !discards_)
                make_room();
            if (room() < waiting && !discards_) {
                held_ = true; // until a frame is taken
                Chip::listen(line, false);
                break;
            }
            for (unsigned byte = 0; byte < waiting; ++byte)
                ended = take(Chip::read(line)) || ended;
        }
        return ended;
    }
    /// The next frame, which must be there. With interrupts on; then free_room() must follow.
    hal::Received take_frame(hal::Head& head, hal::PacketRoom buffer);
    /// The ring has room again. With interrupts held back.
    void free_room(unsigned line) {
        first_ = next_;
        ended_ = ended_ - 1;
        if (held_) {
            held_ = false;
            Chip::listen(line, true);
        }
    }

    // --- Sending ---
    State state() const { return state_; }
    /// The time until it is this end's turn; 0 if it is.
    std::uint32_t due_in_us() const { return turns_.due_in_us(); }
    /// Begins a frame, which waits for its turn. `lots`: see Turns; nullptr if the line is its own.
    void begin(const hal::Head& head, std::span<const std::byte> packet, std::uint32_t* lots) {
        // A head that write_head() made always has a front.
        (void)wire::write_front(head.bytes, packet, front_);
        encoder_ = {front_.all(),
                    packet.subspan(std::min(packet.size(), wire::kPacketHeaderBytes))};
        // A zero before the frame ends any noise.
        opened_ = false;
        if (lots != nullptr)
            turns_.draw(*lots);
        state_ = State::waiting;
    }
    /// Sends while there is room. True if the last byte is on its way.
    bool send_some(unsigned line) {
        if (state_ != State::sending)
            return false;
        for (unsigned room = Chip::room(line); room != 0; room = Chip::room(line)) {
            for (; room != 0; --room) {
                std::byte byte = wire::kFrameEnd;
                if (opened_ && !encoder_.next(byte)) {
                    state_ = State::draining;
                    Chip::tell_room(line, false);
                    return true;
                }
                opened_ = true;
                Chip::write(line, byte);
            }
        }
        Chip::tell_room(line, true);
        return false;
    }
    /// Checks for two events without an interrupt: its turn has come, or the transmitter is empty.
    void look(unsigned line) {
        if (state_ == State::waiting && due_in_us() == 0) {
            state_ = State::sending;
            (void)send_some(line);
        }
        if (state_ == State::draining && Chip::drained(line))
            state_ = State::idle;
    }

private:
    static constexpr std::uint32_t kRingBytes = Chip::kRingBytes;
    static_assert((kRingBytes & (kRingBytes - 1)) == 0);
    static_assert(kRingBytes >= kLineFrameBytesMax + kLineAckBytesMax);

    std::uint32_t room() const { return kRingBytes - (last_ - first_); }
    std::byte at(std::uint32_t place) const { return ring_[place % kRingBytes]; }

    /// True if it ends a frame.
    bool take(std::byte byte) {
        if (discards_) {
            discards_ = byte != wire::kFrameEnd;
            if (discards_)
                return false;
        }
        if (byte == wire::kFrameEnd && between_)
            return false;
        between_ = byte == wire::kFrameEnd;
        ring_[last_ % kRingBytes] = byte;
        last_ = last_ + 1;
        if (between_)
            ended_ = ended_ + 1;
        return between_;
    }
    /// If all of the ring is one frame without an end, it is none.
    void make_room() {
        if (ended_ != 0)
            return;
        last_ = first_ + 1; // what is left of it ends with the frame, too short to be one
        between_ = false;
        discards_ = true;
    }

    std::array<std::byte, kRingBytes> ring_;
    volatile std::uint32_t first_ = 0; // byte that is not taken
    volatile std::uint32_t last_ = 0;  // behind the newest
    volatile std::uint32_t ended_ = 0; // frames that are whole
    std::uint32_t next_ = 0;           // behind the frame that is taken
    volatile bool held_ = false;       // the receiver is not read
    bool between_ = true;              // the newest byte ended a frame
    bool discards_ = false;            // until one ends

    volatile State state_ = State::idle;
    bool opened_ = false; // the zero before the frame is sent
    wire::Front front_;
    wire::CobsEncoder encoder_;
    [[no_unique_address]] Turns<Chip> turns_;
};

template <class Chip>
hal::Received Line<Chip>::take_frame(hal::Head& head, hal::PacketRoom buffer) {
    // The front comes first; bytes behind it in `begin` belong to the payload.
    std::array<std::byte, wire::kFrontBytesMax> begin{};
    const auto payload = buffer.template subspan<wire::kPacketHeaderBytes>();
    std::size_t bytes = 0;
    wire::CobsDecoder decoder;
    auto event = wire::CobsDecoder::Event::none;
    // Bytes beyond the first ones wait where they will be if the front is as long as that.
    for (next_ = first_; event < wire::CobsDecoder::Event::end;) {
        std::byte byte{};
        event = decoder.take(at(next_++), byte);
        if (event != wire::CobsDecoder::Event::byte)
            continue;
        if (bytes < begin.size())
            begin[bytes] = byte;
        else if (bytes - begin.size() < payload.size())
            payload[bytes - begin.size()] = byte;
        ++bytes;
    }
    hal::Received got{.state = hal::Received::State::frame};
    const std::size_t begun = std::min(bytes, begin.size());
    wire::FrontRead front;
    if (event == wire::CobsDecoder::Event::end && bytes <= begin.size() + payload.size())
        front = wire::read_front(std::span{begin}.first(begun), bytes, head.bytes,
                                 buffer.template first<wire::kPacketHeaderBytes>());
    if (front.front_bytes == 0) {
        got.frame_bytes = static_cast<std::uint32_t>(std::min(bytes, wire::kHeadBytes - 1));
        return got;
    }
    const std::size_t early = begun - front.front_bytes; // bytes of payload among the first ones
    if (bytes > begin.size())
        std::copy_backward(
            payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(bytes - begin.size()),
            payload.begin() + static_cast<std::ptrdiff_t>(bytes - front.front_bytes));
    std::copy_n(begin.begin() + static_cast<std::ptrdiff_t>(front.front_bytes), early,
                payload.begin());
    wire::restore_checksums(front, head.bytes, buffer.first(front.packet_bytes));
    got.frame_bytes = static_cast<std::uint32_t>(wire::kHeadBytes + front.packet_bytes);
    return got;
}

} // namespace mesh::board
