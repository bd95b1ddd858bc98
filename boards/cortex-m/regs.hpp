// Registers of the Cortex-M core that the shared floor touches, and no others.
//
// By the names of the architecture's manuals:
//   [V7M]  Armv7-M Architecture Reference Manual (DDI 0403), part B
//   [V8M]  Armv8-M Architecture Reference Manual (DDI 0553), chapter D1.2 "Alphabetical list of
//          registers"
#pragma once

#include <cstddef>
#include <cstdint>

namespace mesh::board::regs {

using Register = volatile std::uint32_t;

/// The register or register block at a fixed address.
template <class Block>
Block& at(std::uintptr_t address) {
    return *reinterpret_cast<Block*>(address);
}

/// [V7M] B3.2: system control block, from CPUID on.
struct Scb {
    Register cpuid; // 0xE000ED00
    Register icsr;
    Register vtor;
    Register aircr;
    Register scr;
    Register ccr;
    Register shpr[3];
    Register shcsr; // 0xE000ED24
    Register cfsr;
    Register hfsr;
    Register dfsr;
    Register mmfar; // 0xE000ED34
    Register bfar;
    Register reserved_3c[19];
    Register cpacr; // 0xE000ED88
    Register reserved_8c[22];
    Register sfsr; // 0xE000EDE4, [V8M] only
    Register sfar;
};
static_assert(offsetof(Scb, shcsr) == 0x24 && offsetof(Scb, cpacr) == 0x88);
static_assert(offsetof(Scb, sfsr) == 0xE4);
inline constexpr std::uintptr_t kScb = 0xE000'ED00;
/// CCR: a division by zero is a fault, not a zero.
inline constexpr std::uint32_t kDivisionByZeroTrap = 1u << 4;
/// SHCSR: SecureFault, UsageFault, BusFault and MemManage have handlers of their own.
inline constexpr std::uint32_t kFaultsEnable = (1u << 19) | (1u << 18) | (1u << 17) | (1u << 16);
inline constexpr unsigned kUsageFault = 6; // exception number
inline constexpr std::uint32_t kCfsrMemAddressValid = 1u << 7;
inline constexpr std::uint32_t kCfsrBusAddressValid = 1u << 15;
inline constexpr std::uint32_t kCfsrStackOverflow = 1u << 20; // [V8M] only
inline constexpr std::uint32_t kCfsrDivisionByZero = 1u << 25;
inline constexpr std::uint32_t kFpuFullAccess = 0xFu << 20;       // CPACR: CP10 and CP11
inline constexpr std::uint32_t kTickClearPending = 1u << 25;      // ICSR: PENDSTCLR
inline constexpr std::uint32_t kTickPriorityLowest = 0xFFu << 24; // SHPR3: SysTick

/// [V7M] SYST_CSR, SYST_RVR, SYST_CVR: counts down, 24 bits, with the processor's clock.
struct SysTick {
    Register control;
    Register reload;
    Register value;
};
inline constexpr std::uintptr_t kSysTick = 0xE000'E010;
inline constexpr std::uint32_t kTickCounted = 1u << 16; // to 0, since this was read
inline constexpr std::uint32_t kTickProcessorClock = 1u << 2;
inline constexpr std::uint32_t kTickInterrupt = 1u << 1;
inline constexpr std::uint32_t kTickEnable = 1u << 0;
inline constexpr std::uint32_t kTickCountMax = 0xFF'FFFF;

/// [V7M], [V8M] MPU_TYPE to MPU_MAIR1, of the security state that looks.
struct Mpu {
    Register type; // 0xE000ED90
    Register control;
    Register region_number;
    Register region_base;
    Register region_limit; // [V7M] MPU_RASR: size and attributes
    Register aliases[7];
    Register attributes[2]; // 0xE000EDC0, [V8M] only
};
static_assert(offsetof(Mpu, attributes) == 0x30);
inline constexpr std::uintptr_t kMpu = 0xE000'ED90;
/// MPU_CTRL. PRIVDEFENA stays off: where there is no region there is no access.
inline constexpr std::uint32_t kMpuEnable = 1u << 0;

/// [V7M] NVIC_ISER, NVIC_ICER, NVIC_ICPR: arrays of registers, 32 interrupts each.
inline constexpr std::uintptr_t kNvicSetEnable = 0xE000'E100;
inline constexpr std::uintptr_t kNvicClearEnable = 0xE000'E180;
inline constexpr std::uintptr_t kNvicClearPending = 0xE000'E280;
/// [V7M] NVIC_IPR: a byte for each interrupt, 0 the most urgent; at least the two upper bits count.
inline constexpr std::uintptr_t kNvicPriority = 0xE000'E400;
using Priority = volatile std::uint8_t;

} // namespace mesh::board::regs
