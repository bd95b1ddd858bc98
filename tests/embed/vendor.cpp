#include "vendor.hpp"

namespace {

volatile std::uint32_t ticks = 0;

volatile std::uint32_t& device(std::uintptr_t address) {
    return *reinterpret_cast<volatile std::uint32_t*>(address);
}

} // namespace

void (*each_ms)() = nullptr;

void start_devices() {
    usart(1).control = 1u << 13 | 1u << 3; // sends
    device(0x4000'0028) = 1000 - 1;        // TIM2_PSC; QEMU's timer has 1 GHz
    device(0x4000'0014) = 1;               // TIM2_EGR
    device(0x4000'0000) = 1;               // TIM2_CR1
    device(0xE000'E014) = 168'000 - 1;     // SysTick: a millisecond
    device(0xE000'E010) = 7;
}

std::uint32_t clock_us() { return device(0x4000'0024); }
std::uint32_t uptime_ms() { return ticks; }

extern "C" {
void SysTick_Handler() {
    ticks = ticks + 1;
    if (each_ms != nullptr)
        each_ms();
}

/// For newlib's printf.
int _write(int /*file*/, const char* text, int bytes) {
    for (int byte = 0; byte < bytes; ++byte) {
        while ((usart(1).status >> 7 & 1) == 0) {
        }
        usart(1).data = static_cast<unsigned char>(text[byte]);
    }
    return bytes;
}
}
