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

#include "boards/cortex-m/regs.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::board::regs {

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

} // namespace mesh::board::regs
