// An interrupt of a program's own loses no wake-up, wherever it comes: a timer of the chip, set
// anew for each round, to a time between one count and more than a node takes to fall asleep. A
// round whose wake-up is lost ends by its deadline. The node is alone: no host, and nobody at its
// port.
#include "board.hpp"
#include "boards/cortex-m/vectors.hpp"
#include "chip.hpp"
#include "kernel/node/node.hpp"
#include "kernel/node/node_memory.hpp"
#include "meshputer.hpp"
#include "tests/target/suite.hpp"

#include <cstdint>

using namespace mesh;

namespace {

constexpr std::uint32_t kRounds = 100'000;
constexpr std::uint32_t kCountsMax = 4001; // a prime: each round has another phase
/// Less than the ticks of a board that preempts processes, which end any sleep.
constexpr wire::ModelTime kWaitTicks = 4 * wire::kTicksPerUnit;
/// mps2-an385 has two for each of five lines; mps2-an505 has those of the network interface, of two
/// timers as one, and of four DMA controllers.
constexpr unsigned kOfBoard = board::Board::capabilities().senders == 1 ? 6 : 10;

/// [CMSDK] "APB timer".
struct Timer {
    board::regs::Register control;
    board::regs::Register value;
    board::regs::Register reload;
    board::regs::Register interrupt;
};
Timer& timer() { return board::regs::at<Timer>(board::chip::kFreeTimer.address); }

/// The board, with a number that nobody gave it. After each sleep two frames come that are none, so
/// that the kernel also has its turns while nothing has changed for processes.
class LoneBoard : public board::Board {
public:
    wire::Identity identity() const { return {Network{Topology::cube, 1}, NodeId{0}}; }
    void wait() {
        board::Board::wait();
        noise_ = 2;
    }
    hal::Received receive() {
        if (noise_ == 0)
            return board::Board::receive();
        --noise_;
        return {.state = hal::Received::State::frame, .port = port_at(0), .frame_bytes = 1};
    }

private:
    unsigned noise_ = 0;
};

struct Rounds {
    std::uint32_t done = 0;
    std::uint32_t lost = 0;
    std::uint32_t asleep = 0; // in so many the node slept when the interrupt came, or was about to
    bool ended = false;
    bool stays_off = false;
};
Rounds rounds;
volatile std::uint32_t fired = 0;
Kernel* the_kernel = nullptr;

void on_timer() {
    timer().control = 0;
    timer().interrupt = 1;
    fired = fired + 1;
    the_kernel->wake();
}

void fire_after(std::uint32_t counts) {
    timer().control = 0;
    timer().reload = counts;
    timer().value = counts;
    timer().control = 1u << 3 | 1u << 0;
}

Process program(Kernel& node) {
    the_kernel = &node;
    node.on_interrupt(board::chip::kFreeTimer.interrupt, on_timer);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        const std::uint32_t before = fired;
        fire_after(1 + round * 17 % kCountsMax);
        if (fired == before)
            ++rounds.asleep;
        const std::uint64_t deadline = node.deadline_in(kWaitTicks);
        co_await node.wait_until([before] { return fired != before; }, deadline);
        rounds.done += fired - before;
        rounds.lost += node.due(deadline) ? 1 : 0;
    }
    node.on_interrupt(board::chip::kFreeTimer.interrupt, nullptr);
    const std::uint32_t before = fired;
    fire_after(1);
    co_await node.sleep(wire::kTicksPerUnit);
    rounds.stays_off = fired == before;
    rounds.ended = true;
    co_return Status::ok;
}

constexpr NodeSizes kSizes{
    .ports = 1, .buffers = 24, .processes = 4, .nodes = 2, .arena_bytes = 16384};
[[gnu::section(".noinit")]] NodeMemory<kSizes> memory;

} // namespace

int main() {
    target::Suite suite("interrupts");
    suite.claim("an interrupt that the chip does not have is refused",
                !hal::set_interrupt(board::chip::kInterrupts, on_timer, hal::Urgency::as_cables));
    unsigned of_board = 0;
    for (unsigned interrupt = 0; interrupt < board::chip::kInterrupts; ++interrupt)
        of_board += hal::set_interrupt(interrupt, nullptr, hal::Urgency::below_cables) ? 0 : 1;
    suite.claim("interrupts of the board are refused, and no others", of_board == kOfBoard);
    static LoneBoard board;
    static Node<LoneBoard> node{board, memory.for_node(), program};
    node.start();
    while (!rounds.ended)
        node.turn();
    suite.claim("every interrupt came", rounds.done == kRounds);
    suite.claim("no wake-up was lost", rounds.lost == 0);
    suite.claim("most of them came later than the node looked", rounds.asleep > kRounds / 2);
    suite.claim("an interrupt that was switched off does not come", rounds.stays_off);
    return suite.end();
}
