// What the firmware has without the kernel: console, clock and a tick, as a vendor's library gives
// them.
#pragma once

#include <array>
#include <cstdint>

/// [RM0090] 30.6.8 USART register map.
struct Usart {
    volatile std::uint32_t status, data, divisor, control;
};
inline Usart& usart(unsigned number) {
    constexpr std::array<std::uintptr_t, 3> kPlaces{0x4001'1000, 0x4000'4400, 0x4000'4800};
    return *reinterpret_cast<Usart*>(kPlaces[number - 1]);
}

void start_devices();
std::uint32_t clock_us();
std::uint32_t uptime_ms();

/// Called by the tick, if it is set.
extern void (*each_ms)();
