// Registers that this board's code touches, and no others.
//
// Manuals, by the short names used below; registers go by the manual's own names:
//   [NIC]   SMSC LAN9118 data sheet, revision 1.5, chapters 3 and 5; the real board has a LAN9220,
//           which is the same to software
//   [DMA]   Arm PrimeCell PL081 DMA controller TRM (DDI 0218), sections 3.3 and 3.4
//   [TIMER] Arm Cortex-M System Design Kit TRM (DDI 0479), chapter 4, "APB dual-input timers"
//   [SIE]   Arm IoT Subsystem for Cortex-M33 TRM (101104), chapter "Programmers model"
//   [AN505] Arm application note AN505 (DAI 0505), sections "Memory map" and "Interrupt map"
//   [V8M]   Armv8-M Architecture Reference Manual (DDI 0553), chapter D1.2 "Alphabetical list of
//           registers"
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

// --- Ethernet: LAN9118 [NIC] --------------------------------------------------------------------

/// [NIC] 5.3, "System control and status registers"; the FIFO ports are described in 5.1 and 5.2.
struct Nic {
    Register rx_data[8];     // 0x00, eight names of one FIFO port
    Register tx_data[8];     // 0x20
    Register rx_status;      // 0x40, reading takes it from the FIFO
    Register rx_status_peek; // 0x44
    Register tx_status;      // 0x48
    Register tx_status_peek; // 0x4C
    Register id_rev;         // 0x50
    Register irq_cfg;        // 0x54
    Register int_sts;        // 0x58, write 1 to clear
    Register int_en;         // 0x5C
    Register reserved_60;
    Register byte_test;   // 0x64
    Register fifo_int;    // 0x68
    Register rx_cfg;      // 0x6C
    Register tx_cfg;      // 0x70
    Register hw_cfg;      // 0x74
    Register rx_dp_ctrl;  // 0x78
    Register rx_fifo_inf; // 0x7C
    Register tx_fifo_inf; // 0x80
    Register pmt_ctrl;    // 0x84
    Register reserved_88[7];
    Register mac_csr_cmd;  // 0xA4
    Register mac_csr_data; // 0xA8
};
static_assert(offsetof(Nic, byte_test) == 0x64 && offsetof(Nic, mac_csr_data) == 0xA8);

/// [AN505] memory map: all devices in use, by either name.
inline constexpr std::uintptr_t kDevicesStart = 0x4000'0000;
inline constexpr std::uintptr_t kDevicesEnd = 0x6000'0000;

/// [AN505] memory map: the non-secure name. The DMA controllers see no other, see Sau.
inline constexpr std::uintptr_t kNic = 0x4200'0000;
/// [AN505] interrupt map.
inline constexpr unsigned kNicIrq = 48;

namespace nic {
inline constexpr std::uint32_t kByteTest = 0x8765'4321; // 5.3.5 BYTE_TEST
inline constexpr std::uint32_t kIrqEnable = 1u << 8;    // 5.3.2 IRQ_CFG
inline constexpr std::uint32_t kIrqActiveHigh = 1u << 4;
inline constexpr std::uint32_t kIrqPushPull = 1u << 0;
inline constexpr std::uint32_t kIntTxAvailable = 1u << 9; // 5.3.3 INT_STS: TDFA
inline constexpr std::uint32_t kIntRxStatus = 1u << 3;    // RSFL
inline constexpr std::uint32_t kTxAvailableShift = 24;    // 5.3.6 FIFO_INT, in units of 64 bytes
inline constexpr std::uint32_t kTxAvailableUnit = 64;
inline constexpr std::uint32_t kRxDump = 1u << 15;       // 5.3.7 RX_CFG
inline constexpr std::uint32_t kTxStatusDump = 1u << 15; // 5.3.8 TX_CFG
inline constexpr std::uint32_t kTxDataDump = 1u << 14;
inline constexpr std::uint32_t kTxOn = 1u << 1;
inline constexpr std::uint32_t kTxStop = 1u << 0;
inline constexpr std::uint32_t kHwMustBeOne = 1u << 20; // 5.3.9 HW_CFG
inline constexpr std::uint32_t kHwTxFifo5K = 5u << 16;  // TX 4608 + 512, RX 10560 + 704 bytes
inline constexpr std::uint32_t kHwSoftReset = 1u << 0;
inline constexpr std::uint32_t kPmtReady = 1u << 0;    // 5.3.13 PMT_CTRL
inline constexpr std::uint32_t kMacCsrBusy = 1u << 31; // MAC_CSR_CMD
inline constexpr std::uint32_t kMacCsrRead = 1u << 30;

inline constexpr std::uint32_t kMacControl = 1; // 5.4 MAC registers, by number
inline constexpr std::uint32_t kMacAddressHigh = 2;
inline constexpr std::uint32_t kMacAddressLow = 3;
inline constexpr std::uint32_t kMacMiiAccess = 6;
inline constexpr std::uint32_t kMacMiiData = 7;
inline constexpr std::uint32_t kReceiveAll = 1u << 31; // MAC_CR
inline constexpr std::uint32_t kFullDuplex = 1u << 20;
inline constexpr std::uint32_t kPromiscuous = 1u << 18;
inline constexpr std::uint32_t kTxEnable = 1u << 3;
inline constexpr std::uint32_t kRxEnable = 1u << 2;
inline constexpr std::uint32_t kPhyAddress = 1u << 11; // MII_ACC
inline constexpr std::uint32_t kMiiWrite = 1u << 1;
inline constexpr std::uint32_t kMiiBusy = 1u << 0;
inline constexpr std::uint32_t kPhyBcrNegotiate = (1u << 12) | (1u << 9); // 5.5 PHY, BCR: restart

inline constexpr std::uint32_t kCmdFirst = 1u << 13; // 3.12 TX command A
inline constexpr std::uint32_t kCmdLast = 1u << 12;
inline constexpr std::uint32_t kTxError = 1u << 15; // 3.12 TX status
inline constexpr std::uint32_t kRxLengthShift = 16; // 3.13.3 RX status: packet length, FCS included
inline constexpr std::uint32_t kRxLengthMask = 0x3FFF;
/// 5.3.9, table 5.3, with kHwTxFifo5K; the FIFO counts as full four words early.
inline constexpr std::uint32_t kRxDataWords = 10'560 / 4 - 4;
inline constexpr std::uint32_t kRxStatusWords = 704 / 4;
inline constexpr std::uint32_t kTxStatusWords = 512 / 4;
} // namespace nic

// --- DMA: four PL081 of two channels [DMA] ------------------------------------------------------

/// [DMA] 3.4, DMACCx registers of one channel.
struct DmaChannel {
    Register source;
    Register destination;
    Register next_item;
    Register control;
    Register configuration;
    Register reserved[3];
};
static_assert(sizeof(DmaChannel) == 0x20);

/// [DMA] 3.3.
struct DmaController {
    Register int_status;
    Register int_tc_status;
    Register int_tc_clear;
    Register int_error_status;
    Register int_error_clear;
    Register raw_int_tc_status;
    Register raw_int_error_status;
    Register enabled_channels;
    Register soft_requests[4];
    Register configuration; // 0x30
    Register sync;
    Register reserved[50];
    DmaChannel channels[2]; // 0x100
};
static_assert(offsetof(DmaController, configuration) == 0x30);
static_assert(offsetof(DmaController, channels) == 0x100);

/// [AN505] memory map (secure names) and interrupt map ("DMA n combined").
inline constexpr unsigned kDmaControllers = 4;
inline constexpr unsigned kDmaChannelsEach = 2;
inline constexpr unsigned kDmaChannels = kDmaControllers * kDmaChannelsEach;
constexpr std::uintptr_t dma_address(unsigned controller) {
    return 0x5011'0000 + std::uintptr_t{0x1000} * controller;
}
constexpr unsigned dma_irq(unsigned controller) { return 58 + 3 * controller; }

namespace dma {
inline constexpr std::uint32_t kEnable = 1u << 0;                  // DMACConfiguration
inline constexpr std::uint32_t kTerminalCountInterrupt = 1u << 31; // DMACCxControl
inline constexpr std::uint32_t kPrivileged = 1u << 28;
inline constexpr std::uint32_t kDestinationIncrement = 1u << 27;
inline constexpr std::uint32_t kSourceIncrement = 1u << 26;
inline constexpr std::uint32_t kWords = (2u << 21) | (2u << 18); // both widths 32 bits
inline constexpr std::uint32_t kTransferWordsMax = 0xFFF;
inline constexpr std::uint32_t kUnmaskTerminalCount = 1u << 15; // DMACCxConfiguration
inline constexpr std::uint32_t kUnmaskError = 1u << 14;
inline constexpr std::uint32_t kMemoryToMemory = 0u << 11;
inline constexpr std::uint32_t kChannelEnable = 1u << 0;
} // namespace dma

// --- Dual timer [TIMER] -------------------------------------------------------------------------

struct Timer {
    Register load;
    Register value;
    Register control;
    Register int_clear;
    Register raw_status;
    Register masked_status;
    Register background_load;
    Register reserved;
};
static_assert(sizeof(Timer) == 0x20);

struct DualTimer {
    Timer timers[2];
};

/// [SIE] (secure name, interrupt 5); its clock is SYSCLK, 20 MHz [AN505].
inline constexpr std::uintptr_t kDualTimer = 0x5000'2000;
inline constexpr unsigned kDualTimerIrq = 5;
inline constexpr std::uint32_t kTimerClockHz = 20'000'000;

namespace timer { // [TIMER] TIMERnCONTROL
inline constexpr std::uint32_t kEnable = 1u << 7;
inline constexpr std::uint32_t kPeriodic = 1u << 6;
inline constexpr std::uint32_t kInterrupt = 1u << 5;
inline constexpr std::uint32_t kPrescale16 = 1u << 2;
inline constexpr std::uint32_t k32Bits = 1u << 1;
inline constexpr std::uint32_t kOneShot = 1u << 0;
} // namespace timer

// --- Security [V8M] and [SIE] -------------------------------------------------------------------

/// [V8M] SAU_CTRL to SAU_RLAR: the Security Attribution Unit. Everything is secure but the NIC: its
/// peripheral gate compares the security of the access with AHBNSPPCEXP0, and the DMA controllers
/// turn any access to the non-secure name into a non-secure one.
struct Sau {
    Register control;
    Register type;
    Register region_number;
    Register region_base;
    Register region_limit;
};
inline constexpr std::uintptr_t kSau = 0xE000'EDD0;
inline constexpr std::uint32_t kNicRegionLimit = 0x421F'FFE0;

/// [SIE] secure privilege control, AHBNSPPCEXP0: bit 5 is the Ethernet port [AN505].
inline constexpr std::uintptr_t kAhbNonSecureExp0 = 0x5008'0060;
inline constexpr std::uint32_t kAhbExp0Ethernet = 1u << 5;

// --- Core [V8M] ---------------------------------------------------------------------------------

/// System control block, from CPUID on.
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
    Register sfsr; // 0xE000EDE4
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
inline constexpr std::uint32_t kCfsrDivisionByZero = 1u << 25;
inline constexpr std::uint32_t kFpuFullAccess = 0xFu << 20;       // CPACR: CP10 and CP11
inline constexpr std::uint32_t kTickClearPending = 1u << 25;      // ICSR: PENDSTCLR
inline constexpr std::uint32_t kTickPriorityLowest = 0xFFu << 24; // SHPR3: SysTick

/// [V8M] SYST_CSR, SYST_RVR, SYST_CVR: counts down, 24 bits, with the processor's clock.
struct SysTick {
    Register control;
    Register reload;
    Register value;
};
inline constexpr std::uintptr_t kSysTick = 0xE000'E010;
inline constexpr std::uint32_t kTickProcessorClock = 1u << 2;
inline constexpr std::uint32_t kTickInterrupt = 1u << 1;
inline constexpr std::uint32_t kTickEnable = 1u << 0;
inline constexpr std::uint32_t kProcessorClockHz = 20'000'000; // [AN505]

/// [V8M] MPU_TYPE to MPU_MAIR1, of the security state that looks.
struct Mpu {
    Register type; // 0xE000ED90
    Register control;
    Register region_number;
    Register region_base;
    Register region_limit;
    Register aliases[7];
    Register attributes[2]; // 0xE000EDC0
};
static_assert(offsetof(Mpu, attributes) == 0x30);
inline constexpr std::uintptr_t kMpu = 0xE000'ED90;

namespace mpu {
/// MPU_CTRL. PRIVDEFENA stays off: where there is no region there is no access.
inline constexpr std::uint32_t kEnable = 1u << 0;
inline constexpr std::uint32_t kNeverExecute = 1u << 0; // MPU_RBAR
inline constexpr std::uint32_t kReadOnly = 3u << 1;
inline constexpr std::uint32_t kReadWrite = 1u << 1;
inline constexpr std::uint32_t kRegionEnable = 1u << 0; // MPU_RLAR
inline constexpr std::uint32_t kNormalMemory = 0u << 1;
inline constexpr std::uint32_t kDevices = 1u << 1;
/// MPU_MAIR0: what these two are: write-back cached; nGnRE.
inline constexpr std::uint32_t kAttributes = 0x04FF;
} // namespace mpu

/// [V8M] NVIC_ISER, NVIC_ICER, NVIC_ICPR: arrays of registers, 32 interrupts each.
inline constexpr std::uintptr_t kNvicSetEnable = 0xE000'E100;
inline constexpr std::uintptr_t kNvicClearEnable = 0xE000'E180;
inline constexpr std::uintptr_t kNvicClearPending = 0xE000'E280;

} // namespace mesh::board::regs
