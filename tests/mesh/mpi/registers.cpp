// Registers that a function may count on, while fibers take turns and while frames pass their node.
// Words: LEAVES MESSAGES. Nodes of a square hold patterns in r4 to r11 and, where there are any, in
// s16 to s31: first node 0, in four fibers that leave their stacks so many times each; then nodes 1
// and 2, which compute while so many messages from node 0 to node 3, and the answers to them, pass.
// Each prints how often it looked, and how many registers had changed.
#include "fiber/fiber.hpp"
#include "fiber/strand.hpp"
#include "meshputer.hpp"
#include "mpi/mpi.h"

#include <array>
#include <cstdio>
#include <cstdlib>

using namespace mesh;

namespace {

#ifdef __ARM_FP
#define HAS_FLOATS "1"
#else
#define HAS_FLOATS "0"
#endif

/// Puts seed + 4 into r4, and so on to r11, and seed + 16 into s16, and so on to s31; calls
/// `between`; gives the number of registers that have another value then.
[[gnu::naked, gnu::noinline]] unsigned hold(std::uint32_t /*seed*/, void (* /*between*/)()) {
    asm volatile(".equ has_floats, " HAS_FLOATS R"(
        push {r4-r11, lr}
        .if has_floats
        vpush {s16-s31}
        .endif
        sub sp, #12
        str r0, [sp]
        .irp number, 4, 5, 6, 7, 8, 9, 10, 11
        add r\number, r0, #\number
        .endr
        .if has_floats
        .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        add r2, r0, #\number
        vmov s\number, r2
        .endr
        .endif
        blx r1
        ldr r1, [sp]
        movs r0, #0
        .irp number, 4, 5, 6, 7, 8, 9, 10, 11
        sub r\number, r\number, r1
        cmp r\number, #\number
        it ne
        addne r0, #1
        .endr
        .if has_floats
        .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        vmov r2, s\number
        sub r2, r2, r1
        cmp r2, #\number
        it ne
        addne r0, #1
        .endr
        .endif
        add sp, #12
        .if has_floats
        vpop {s16-s31}
        .endif
        pop {r4-r11, pc}
    )");
}

// Fibers -----------------------------------------------------------------------------------------

constexpr unsigned kFibers = 4; // with the program
constexpr std::uint32_t kApart = 0x1357'0000;
unsigned leaves, messages, ended, wrong, looks;

void leave_stack() { fiber::await(fiber::node().yield()); }

void hold_in_turns() {
    static std::uint32_t fibers = 0;
    const std::uint32_t seed = ++fibers * kApart;
    for (unsigned round = 0; round < leaves; ++round, ++looks)
        wrong += hold(seed + round, &leave_stack);
    ++ended;
}

void take_turns() {
    constexpr std::size_t kStackBytes = 4096;
    static std::array<fiber::Strand, kFibers - 1> strands;
    for (fiber::Strand& strand : strands) {
        auto* const stack = static_cast<std::byte*>(std::malloc(kStackBytes));
        strand = {{stack, kStackBytes}, &hold_in_turns};
        if (stack == nullptr || !fiber::node().spawn_alone(fiber::run(fiber::node(), strand)))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    hold_in_turns();
    fiber::await(fiber::node().wait_until([] { return ended == kFibers; }));
}

// Frames -----------------------------------------------------------------------------------------

void compute() { asm volatile("mov r0, #2000\n\t1: subs r0, #1\n\tbne 1b" ::: "r0", "cc"); }

std::uint32_t passed() { return fiber::node().counters()[Counter::packets_forwarded]; }

void hold_while_frames_pass(std::uint32_t first) {
    for (; passed() - first < messages; ++looks)
        wrong += hold(kApart + looks, &compute);
}

void send_past(int rank, int to) {
    for (unsigned round = 0; round < messages; ++round)
        if (rank == 0)
            MPI_Send(&round, 1, MPI_UNSIGNED, to, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&round, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

} // namespace

int main(int count, char** words) {
    int rank = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    leaves = static_cast<unsigned>(std::atoi(words[1]));
    messages = static_cast<unsigned>(std::atoi(words[2]));
    if (rank == 0)
        take_turns();
    const std::uint32_t first = passed(); // messages may come before this node has left the barrier
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || rank == 3)
        send_past(rank, 3);
    else
        hold_while_frames_pass(first);
    printf("%u looks, %u wrong\n", looks, wrong);
    MPI_Finalize();
    return 0;
}
