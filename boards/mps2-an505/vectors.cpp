// The vector table: [V8M] B3.30 for the first sixteen, [SIE] and [AN505] for the interrupts.
#include "boards/mps2-an505/board.hpp"
#include "boards/mps2-an505/regs.hpp"

#include <array>

extern "C" {
extern std::byte stack_top[]; // sections.ld
[[noreturn]] void reset_handler();
void fault_entry();
}

namespace mesh::board {

namespace {
using Handler = void (*)();

void nic_handler() { the_board().on_nic_interrupt(); }
void tick_handler() { the_board().on_tick(); }
void timer_handler() { the_board().on_timer_interrupt(); }
template <unsigned kController>
void dma_handler() {
    the_board().on_dma_interrupt(kController);
}

constexpr unsigned kFirstInterrupt = 16;
constexpr unsigned kVectors = kFirstInterrupt + 92 + 32; // [AN505]: 32 of the subsystem, 92 more

struct VectorTable {
    const void* initial_stack;
    std::array<Handler, kVectors - 1> handlers; // of exceptions 1, 2, ...
};

consteval VectorTable make_vectors() {
    VectorTable table{stack_top, {}};
    table.handlers.fill(fault_entry);
    const auto set = [&table](unsigned exception, Handler handler) {
        table.handlers[exception - 1] = handler;
    };
    set(1, reset_handler);
    set(15, tick_handler); // SysTick
    set(kFirstInterrupt + regs::kDualTimerIrq, timer_handler);
    set(kFirstInterrupt + regs::kNicIrq, nic_handler);
    set(kFirstInterrupt + regs::dma_irq(0), dma_handler<0>);
    set(kFirstInterrupt + regs::dma_irq(1), dma_handler<1>);
    set(kFirstInterrupt + regs::dma_irq(2), dma_handler<2>);
    set(kFirstInterrupt + regs::dma_irq(3), dma_handler<3>);
    return table;
}
} // namespace

extern const VectorTable vectors;
[[gnu::section(".vectors"), gnu::used]] constinit const VectorTable vectors = make_vectors();

} // namespace mesh::board
