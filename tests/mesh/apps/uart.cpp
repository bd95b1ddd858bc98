// A UART of the chip that the board leaves to programs, by its interrupt: each byte that a process
// writes interrupts, and the process waits for that before it writes the next one. Words: the kind
// of UART, its address and its interrupt. A 16550 sends to itself, so its bytes are compared; a
// CMSDK UART says that it has room again.
#include "meshputer.hpp"

#include <cstdlib>

using namespace mesh;

namespace {

constexpr std::uint32_t kBytes = 1000;

struct Uart {
    volatile std::uint32_t registers[6];
};
Uart* uart;
Kernel* the_node;
volatile std::uint32_t came;
volatile std::uint32_t last;

// CMSDK: DATA, STATE, CTRL, INTCLEAR, BAUDDIV.
void on_room() {
    uart->registers[3] = 1u << 0;
    came = came + 1;
    the_node->wake();
}
// 16550: RBR and THR, IER, FCR, LCR, MCR, LSR.
void on_byte() {
    while ((uart->registers[5] & 1u) != 0) {
        last = uart->registers[0];
        came = came + 1;
    }
    the_node->wake();
}

void set_up(bool loops) {
    if (loops) {
        uart->registers[3] = 3;       // eight bits
        uart->registers[4] = 1u << 4; // to itself
        uart->registers[1] = 1u << 0;
    } else {
        uart->registers[4] = 16;
        uart->registers[2] = 1u << 0 | 1u << 2;
    }
}

} // namespace

Process app_main(Kernel& node) {
    const auto words = node.arguments();
    if (index(node.id()) == 0)
        co_return Status::ok;
    const bool loops = words[0] == "16550";
    the_node = &node;
    uart = reinterpret_cast<Uart*>(std::strtoul(words[1].data(), nullptr, 0));
    const auto interrupt = static_cast<unsigned>(std::strtoul(words[2].data(), nullptr, 0));
    node.on_interrupt(interrupt, loops ? on_byte : on_room, hal::Urgency::as_cables);
    set_up(loops);
    std::uint32_t wrong = 0;
    for (std::uint32_t byte = 0; byte < kBytes; ++byte) {
        uart->registers[0] = byte & 0xFF;
        co_await node.wait_until([byte] { return came > byte; });
        wrong += loops && last != (byte & 0xFF) ? 1 : 0;
    }
    print("{} bytes, {} interrupts, {} wrong\n", kBytes, came + 0, wrong);
    co_return Status::ok;
}
