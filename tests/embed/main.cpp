// The firmware's main(): interrupts and the loop are its own, one call in each turn is the
// kernel's.
#include "chip.hpp"
#include "job.hpp"

#include <meshputer/boards/serial/serial_board.hpp>
#include <meshputer/hal/check.hpp>
#include <meshputer/kernel/base/limits.hpp>
#include <meshputer/kernel/node/node.hpp>
#include <meshputer/kernel/node/node_memory.hpp>

#include <cstdio>

namespace {

using Board = mesh::board::SerialBoard<Drivers>;

constexpr mesh::NodeSizes kSizes{.ports = Drivers::kPorts,
                                 .buffers = mesh::limits::pool_buffers_min(3, 3, 2, 1),
                                 .processes = 4,
                                 .nodes = 4,
                                 .arena_bytes = 8 * 1024,
                                 .workspace_bytes = 0};

mesh::NodeMemory<kSizes> memory;
Board* board = nullptr;
} // namespace

extern "C" {
void USART2_IRQHandler() { board->on_line_interrupt(0); }
void USART3_IRQHandler() { board->on_line_interrupt(1); }
}

void mesh::check_failed(CheckId id) {
    std::printf("stopped by check %u\n", static_cast<unsigned>(id.number));
    for (;;)
        Drivers::sleep();
}
void mesh::halt(const wire::CrashRecord& /*record*/) {
    for (;;)
        Drivers::sleep();
}

int main() {
    start_devices();
    std::puts("meter");
    static Board the_board;
    board = &the_board;
    each_ms = [] { board->end_wait(); };
    the_board.start();
    static mesh::Node<Board> node{the_board, memory.for_node(), job};
    node.start();
    while (!done)
        node.turn();
    std::printf("the mesh has done its job; %s\n",
                uptime_ms() > 0 ? "the firmware goes on" : "the tick stands still");
    for (;;)
        node.turn(); // neighbours may still want something
}
