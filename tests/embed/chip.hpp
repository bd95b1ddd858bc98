// What the kernel's serial board needs of this firmware's drivers: two USARTs of an STM32F405 whose
// cables lead to neighbours, and a counter. USART1 is the console, and no business of the kernel.
#pragma once

#include "vendor.hpp"

#include <meshputer/wire/identity.hpp>

#include <cstddef>
#include <cstdint>

/// The drivers' side of meshputer/boards/serial/serial_board.hpp: line 0 and 1 are ports 0 and 1;
/// line 2 would be a host's, and leads nowhere.
struct Drivers {
    static constexpr unsigned kPorts = 2;
    static constexpr std::uint32_t kBitsPerSecond = 500'000;
    static constexpr std::uint32_t kRingBytes = 2048;

    struct Guard {
        Guard() { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory"); }
        ~Guard() { asm volatile("msr primask, %0" ::"r"(before) : "memory"); }
        std::uint32_t before;
    };
    /// The firmware's own tick of a millisecond ends every sleep in time; a program that computes
    /// makes its neighbours wait here.
    struct Timer {
        void wake_after(std::uint64_t /*time_us*/) {}
        void start_ticks(std::uint32_t, void (*)(void*), void*) {}
        void stop_ticks() {}
        void on_interrupt() {}
    };

    /// Whoever installs the device wrote it behind the RAM that the linker gives away.
    static mesh::wire::Mac address() {
        return *reinterpret_cast<const mesh::wire::Mac*>(0x2001'FFF0);
    }
    static void init(unsigned line) {
        if (line == kPorts)
            return;
        at(line).divisor = 42'000'000 / kBitsPerSecond;
        at(line).control = 1u << 13 | 1u << 3 | 1u << 2 | kTellsReceived;
        static_cast<void>(static_cast<std::uint32_t>(at(line).data));
        *reinterpret_cast<volatile std::uint32_t*>(0xE000'E104) = 1u << (38 + line - 32); // ISER1
    }
    static void listen(unsigned line, bool on) { set(line, kTellsReceived, on); }
    static unsigned waiting(unsigned line) { return line != kPorts ? at(line).status >> 5 & 1 : 0; }
    static std::byte read(unsigned line) { return static_cast<std::byte>(at(line).data); }
    static unsigned room(unsigned line) { return line != kPorts ? at(line).status >> 7 & 1 : 1; }
    static void write(unsigned line, std::byte byte) {
        if (line != kPorts)
            at(line).data = std::to_integer<std::uint32_t>(byte);
    }
    static void tell_room(unsigned line, bool on) { set(line, 1u << 7, on); }
    static bool drained(unsigned line) { return line == kPorts || (at(line).status >> 6 & 1) != 0; }
    static std::uint32_t counter_us() { return clock_us(); }
    static void sleep() { asm volatile("dsb\n\twfi" ::: "memory"); }
    static void silence() { asm volatile("cpsid i"); }

private:
    static constexpr std::uint32_t kTellsReceived = 1u << 5;
    static Usart& at(unsigned line) { return usart(line + 2); }
    static void set(unsigned line, std::uint32_t which, bool on) {
        if (line != kPorts)
            at(line).control = on ? at(line).control | which : at(line).control & ~which;
    }
};
