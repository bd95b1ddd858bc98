// From reset to the loader, and from there to the image that it has brought. No interrupt is ever
// taken: a pending interrupt ends a sleep, and the ports look for its cause.
#include "board_flash.hpp"
#include "boards/cortex-m/regs.hpp"
#include "loader.hpp"
#include "wire/load.hpp"

#include <ports.hpp> // of the board: boards/loader/KIND

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

extern "C" {
// sections.ld
extern std::byte image_start[];
extern std::byte flash_end[];
extern std::byte stack_top[];
extern std::uint32_t bss_start[];
extern std::uint32_t bss_end[];
[[noreturn]] void reset_handler();
}

namespace mesh::board {

namespace {

using BoardLoader = Loader<Ports, Flash>;
alignas(BoardLoader) [[gnu::section(".noinit")]] std::array<std::byte, sizeof(BoardLoader)> loader;

constexpr unsigned kInterruptWords = 8; // [V7M] B3.4: registers of 32 interrupts each

/// [V7M] B1.5.5: as after a reset, with other vectors.
[[noreturn]] void start_image() {
    regs::at<regs::SysTick>(regs::kSysTick).control = 0;
    for (unsigned word = 0; word < kInterruptWords; ++word) {
        regs::at<regs::Register>(regs::kNvicClearEnable + 4 * word) = ~0u;
        regs::at<regs::Register>(regs::kNvicClearPending + 4 * word) = ~0u;
    }
    regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
    scb.icsr = regs::kTickClearPending;
    scb.vtor = reinterpret_cast<std::uintptr_t>(image_start);
    const auto* const vectors = reinterpret_cast<const std::uint32_t*>(image_start);
    asm volatile("dsb\n\tisb\n\t"
                 "msr msp, %0\n\t"
                 "cpsie i\n\t"
                 "bx %1" ::"r"(vectors[0]),
                 "r"(vectors[1])
                 : "memory");
    __builtin_unreachable();
}

using Handler = void (*)();
struct Vectors {
    const void* stack;
    std::array<Handler, 15> handlers; // whatever else happens, it begins anew
};
[[gnu::section(".vectors"), gnu::used]] constinit const Vectors vectors = [] {
    Vectors table{stack_top, {}};
    table.handlers.fill(reset_handler);
    return table;
}();

} // namespace

} // namespace mesh::board

extern "C" [[noreturn]] void reset_handler() {
    using namespace mesh::board;
    asm volatile("cpsid i");
    std::fill(bss_start, bss_end, 0u);
    // The tree of a load has room between this code and the image.
    const std::span room(image_start - mesh::wire::kLoadNodesMax, flash_end);
    (new (loader.data()) BoardLoader(room))->run();
    start_image();
}
