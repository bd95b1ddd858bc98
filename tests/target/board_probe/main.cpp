// The board without a kernel, doing on the host's word what no ordinary program should: faults,
// broken stacks, a clock about to wrap. tests/mesh/boards/test_board.py says what must come of it.
//
// A command is a host frame with HostTag::job whose payload is a Command; answers are console text.
#include "board.hpp"
#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/stack.hpp"
#include "hal/check.hpp"
#include "tests/target/bare_console.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

enum class What : std::uint32_t {
    print = 1,
    alarm,
    wrap_awake,
    wrap_asleep,
    undefined_instruction,
    write,
    stack_overflow,
    check,
    unexpected_interrupt,
    hang,
    leave,
    stack_use,
};

struct Command {
    What what;
    std::uint32_t argument;
};

mesh::board::Board* board = nullptr;

void print() {
    const auto identity = board->identity();
    std::printf("node %u of dim %d\n", static_cast<unsigned>(mesh::index(identity.node)),
                identity.network.dim);
    for (int number = 0; number < 60; ++number)
        std::printf("%05d", number); // longer than the buffer, no newline until the end
    std::printf("\nwindow");
    for (unsigned ports = 1; ports <= mesh::board::Board::kPorts; ++ports)
        std::printf(" %u", static_cast<unsigned>(board->window_bytes(ports)));
    std::puts("");
}

/// Sleeps for `us` by the alarm; says how long it was and how often it woke.
void sleep_us(std::uint64_t us) {
    const std::uint64_t start = board->now_us();
    board->set_alarm_us(start + us);
    unsigned wakes = 0;
    while (board->now_us() < start + us) {
        board->wait();
        ++wakes;
    }
    std::printf("slept %lu wakes %u\n", static_cast<unsigned long>(board->now_us() - start), wakes);
}

/// The free-running half will reach 0 after `us`. Its period stays as it is.
void move_counter_to_end(std::uint32_t us) {
    namespace regs = mesh::board::regs;
    regs::Timer& counter = regs::at<regs::DualTimer>(regs::kDualTimer).timers[0];
    counter.load = us / 4 * 5;
    counter.control = counter.control; // QEMU's model takes a load while running for one-shot
    counter.background_load = mesh::board::Clock::kPeriodTicks - 1;
}

/// Asks for the time all along while the counter wraps.
void wrap_awake() {
    move_counter_to_end(20'000);
    const std::uint64_t start = board->now_us();
    std::uint64_t last = start;
    std::uint64_t largest_step = 0;
    unsigned backward = 0;
    while (last < start + 40'000) {
        const std::uint64_t now = board->now_us();
        if (now < last)
            ++backward;
        else if (now - last > largest_step)
            largest_step = now - last;
        last = now;
    }
    std::printf("end in period %lu backward %u step %lu\n",
                static_cast<unsigned long>(last / mesh::board::Clock::kPeriodUs), backward,
                static_cast<unsigned long>(largest_step));
}

/// Sleeps over two ends of the period without ever asking for the time.
void wrap_asleep() {
    for (unsigned round = 0; round < 2; ++round) {
        move_counter_to_end(10'000);
        board->set_alarm_us(mesh::board::Clock::kNever);
        board->wait(); // the period's end is an interrupt as well
    }
    const std::uint64_t now = board->now_us();
    std::printf("period %lu rest %lu\n",
                static_cast<unsigned long>(now / mesh::board::Clock::kPeriodUs),
                static_cast<unsigned long>(now % mesh::board::Clock::kPeriodUs));
}

[[gnu::noinline]] unsigned overflow_stack(unsigned depth) {
    volatile unsigned eater[64] = {};
    eater[depth % 64] = depth;
    return depth == 0 ? 0 : overflow_stack(depth - 1) + eater[depth % 64];
}

void write_to(std::uint32_t address) {
    mesh::board::regs::at<mesh::board::regs::Register>(address) = 1;
}

void pend_interrupt(std::uint32_t irq) {
    mesh::board::interrupt_enable(irq);
    mesh::board::regs::at<mesh::board::regs::Register>(0xE000'E200 + irq / 32 * 4) = // NVIC_ISPR
        1u << (irq % 32);
    asm volatile("dsb\n\tisb");
}

int execute(const Command& command) {
    switch (command.what) {
    case What::print: print(); break;
    case What::alarm: sleep_us(command.argument); break;
    case What::wrap_awake: wrap_awake(); break;
    case What::wrap_asleep: wrap_asleep(); break;
    case What::undefined_instruction: asm volatile("udf #0"); break;
    case What::write: write_to(command.argument); break;
    case What::stack_overflow: std::printf("%u\n", overflow_stack(command.argument)); break;
    case What::check: MESH_CHECK(command.argument != 7, arena_bad_free); break;
    case What::unexpected_interrupt: pend_interrupt(command.argument); break;
    case What::hang: board->hang();
    case What::leave: return static_cast<int>(command.argument);
    case What::stack_use:
        std::printf("stack %u\n", static_cast<unsigned>(mesh::board::stack_bytes_used()));
        break;
    }
    return -1;
}

} // namespace

void mesh::console_write(std::span<const char> text) { bare::write_lines(*::board, text); }

void mesh::console_flush() {}

int main() {
    static mesh::board::Board the_only_one;
    board = &the_only_one;
    alignas(4) static std::array<std::byte, mesh::wire::kPacketBytesMax> packet;
    mesh::hal::Head head;
    std::puts("probe ready");
    for (;;) {
        board->lend(0, head, packet);
        const mesh::hal::Received frame = board->receive();
        if (frame.state != mesh::hal::Received::State::frame) {
            board->wait();
            continue;
        }
        if (frame.port != mesh::kHostPort)
            continue;
        const int status =
            execute(mesh::wire::load<Command>(packet, mesh::wire::kPacketHeaderBytes));
        if (status >= 0)
            return status;
    }
}
