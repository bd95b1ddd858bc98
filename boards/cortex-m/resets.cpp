#include "boards/cortex-m/resets.hpp"

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/regs.hpp"
#include "hal/console.hpp"
#include "hal/reset.hpp"

namespace mesh::board {

namespace {

/// [V7M] B3.2.6 AIRCR: the key, and SYSRESETREQ.
constexpr std::uint32_t kResetRequest = 0x05FA'0004;

/// Any other word: the RAM has just got power.
constexpr std::uint32_t kCounted = 0xC0'07'ED'5F;

/// A reset leaves it as it is.
struct Counted {
    std::uint32_t mark;
    std::uint32_t resets;
    std::uint32_t may_begin_again; // 0 or 1
};
[[gnu::section(".noinit")]] volatile Counted counted;

std::uint32_t count_this_life() {
    if (counted.mark == kCounted) {
        counted.resets = counted.resets + 1;
    } else {
        counted.resets = 0;
        counted.may_begin_again = 0;
        counted.mark = kCounted;
    }
    return counted.resets;
}

} // namespace

std::uint32_t resets() {
    static const std::uint32_t count = count_this_life();
    return count;
}

std::uint32_t kept_may_begin_again() { return counted.may_begin_again; }

void forget_resets() { counted.mark = 0; }

void count_on_from(std::uint32_t resets) {
    if (board::resets() != 0)
        return;
    counted.resets = resets;
    reset_processor();
}

void reset_processor() {
    complete_accesses(); // what this life has written to memory is there in the next
    regs::at<regs::Scb>(regs::kScb).aircr = kResetRequest;
    for (;;)
        wait_for_interrupt();
}

} // namespace mesh::board

void mesh::reset_node() {
    console_flush();
    board::reset_processor();
}

void mesh::keep_may_begin_again() { board::counted.may_begin_again = 1; }
