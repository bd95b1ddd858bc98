// Interrupts of a program's own: see hal/interrupts.hpp. The vector table is in flash, where the
// board's handlers are; at the first call it is copied to RAM, with room for the program's.
#include "hal/interrupts.hpp"
#include "board.hpp"
#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/vectors.hpp"
#include "chip.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

extern "C" {
extern const std::byte flash_start[]; // sections.ld: the vector table is the first thing there
}

namespace mesh::hal {

namespace {

constexpr std::size_t kPlaces = board::kFirstInterrupt + board::chip::kInterrupts;
/// [V7M] B3.2.5 VTOR: a power of two, as large as the table at least.
constexpr std::size_t kAlignment = std::bit_ceil(kPlaces * sizeof(Handler));

alignas(kAlignment) [[gnu::section(".ram_vectors")]] std::array<Handler, kPlaces> table;

/// SysTick has the least urgent priority, and the interrupts of cables the most urgent one.
constexpr std::uint8_t priority_of(Urgency urgency) {
    return urgency == Urgency::below_cables ? 0x80 : 0;
}

} // namespace

bool set_interrupt(unsigned interrupt, Handler handler, Urgency urgency) {
    const auto* const in_flash = reinterpret_cast<const Handler*>(flash_start);
    const std::size_t place = board::kFirstInterrupt + interrupt;
    if (interrupt >= board::chip::kInterrupts || in_flash[place] != fault_entry)
        return false;
    board::interrupt_disable(interrupt);
    board::regs::Scb& scb = board::regs::at<board::regs::Scb>(board::regs::kScb);
    const auto vectors = reinterpret_cast<std::uintptr_t>(table.data());
    if (scb.vtor != vectors) {
        std::copy_n(in_flash, kPlaces, table.begin());
        board::memory_barrier();
        scb.vtor = static_cast<std::uint32_t>(vectors);
    }
    if (handler == nullptr)
        return true;
    table[place] = handler;
    board::regs::at<board::regs::Priority>(board::regs::kNvicPriority + interrupt) =
        priority_of(urgency);
    board::memory_barrier();
    board::interrupt_enable(interrupt);
    return true;
}

void end_wait() { board::the_board().end_wait(); }

} // namespace mesh::hal
