// The vector table: [SIE] and [AN505] for the interrupts.
#include "boards/cortex-m/vectors.hpp"

#include "boards/mps2-an505/board.hpp"
#include "boards/mps2-an505/chip.hpp"
#include "boards/mps2-an505/regs.hpp"

namespace mesh::board {

void tick_handler() { the_board().on_tick(); }

namespace {

void nic_handler() { the_board().on_nic_interrupt(); }
void timer_handler() { the_board().on_timer_interrupt(); }
template <unsigned kController>
void dma_handler() {
    the_board().on_dma_interrupt(kController);
}

using Vectors = VectorTable<chip::kInterrupts>;

consteval Vectors make_vectors() {
    Vectors table;
    table.set(regs::kDualTimerIrq, timer_handler);
    table.set(regs::kNicIrq, nic_handler);
    table.set(regs::dma_irq(0), dma_handler<0>);
    table.set(regs::dma_irq(1), dma_handler<1>);
    table.set(regs::dma_irq(2), dma_handler<2>);
    table.set(regs::dma_irq(3), dma_handler<3>);
    return table;
}
} // namespace

extern const Vectors vectors;
[[gnu::section(".vectors"), gnu::used]] constinit const Vectors vectors = make_vectors();

} // namespace mesh::board
