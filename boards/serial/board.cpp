// The functions of an image's one board for its interrupts and its crash record.
#include "board.hpp"

#include "boards/cortex-m/crash_record.hpp"
#include "boards/cortex-m/vectors.hpp"
#include "hal/cycles.hpp"

#include <cstddef>
#include <utility>

namespace mesh::board {

namespace {

constinit Board* the_only_board = nullptr;

template <unsigned kLine>
void line_handler() {
    the_board().on_line_interrupt(kLine);
}

using Vectors = VectorTable<chip::kInterrupts>;

template <std::size_t... kEach>
consteval Vectors make_vectors(std::index_sequence<kEach...>) {
    Vectors table;
    (table.set(chip::kLineInterrupts[kEach].interrupt,
               line_handler<chip::kLineInterrupts[kEach].line>),
     ...);
    return table;
}

/// Turns of a loop for one byte to leave: far more than it takes.
constexpr unsigned kTurnsMax = 1'000'000;

void await_room(unsigned line) {
    for (unsigned turn = 0; turn < kTurnsMax && chip::Chip::room(line) == 0; ++turn) {
    }
}
void send_last(unsigned line, std::byte byte) {
    await_room(line);
    chip::Chip::write(line, byte);
}

} // namespace

Board& the_board() { return *the_only_board; }

Board::Board() {
    the_only_board = this;
    SysTick::init();
    start();
}

void tick_handler() { the_board().on_timer_interrupt(); }

extern const Vectors vectors;
[[gnu::section(".vectors"), gnu::used]] constinit const Vectors vectors =
    make_vectors(std::make_index_sequence<chip::kLineInterrupts.size()>{});

wire::Mac given_address() { return chip::Chip::address(); }

void send_last_frame(Port port, const hal::Head& head, std::span<const std::byte> packet) {
    const unsigned line = Board::line_of(port);
    wire::Front front;
    (void)wire::write_front(head.bytes, packet, front);
    wire::CobsEncoder encoder(front.all(), packet.subspan(wire::kPacketHeaderBytes));
    send_last(line, wire::kFrameEnd); // of a frame that was broken off
    for (std::byte byte; encoder.next(byte);)
        send_last(line, byte);
    await_room(line);
}

} // namespace mesh::board

const std::uint32_t mesh::kCyclesOfUs = board::chip::kProcessorHz / 1'000'000;

std::uint64_t mesh::cycles() { return board::the_board().now_us() * kCyclesOfUs; }
