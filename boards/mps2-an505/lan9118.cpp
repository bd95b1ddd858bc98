// LAN9118 driver: see lan9118.hpp. Registers: [NIC] chapter 5; FIFO formats: 3.12 and 3.13.
#include "boards/mps2-an505/lan9118.hpp"

#include "wire/frame.hpp"

namespace mesh::board {

namespace reg = regs::nic;

namespace {
/// Reads of a register before a device counts as absent; milliseconds on hardware, where reset and
/// serial MAC accesses take microseconds.
constexpr unsigned kPollsMax = 100'000;
constexpr std::size_t kTxFifoBytes = 4608; // table 5.3 with kHwTxFifo5K

/// The NIC becomes a non-secure peripheral, since the DMA reaches it by its non-secure name only.
void open_nic_to_dma() {
    regs::Sau& sau = regs::at<regs::Sau>(regs::kSau);
    sau.region_number = 0;
    sau.region_base = regs::kNic;
    sau.region_limit = regs::kNicRegionLimit | 1; // ENABLE
    sau.control = 1;
    regs::at<regs::Register>(regs::kAhbNonSecureExp0) = regs::kAhbExp0Ethernet;
    asm volatile("dsb\n\tisb" ::: "memory");
}

template <class Condition>
bool poll(Condition condition) {
    for (unsigned polls = 0; polls < kPollsMax; ++polls) {
        if (condition())
            return true;
    }
    return false;
}

/// MAC registers lie behind a serial interface: command, then wait until it is done.
bool mac_command(regs::Nic& nic, std::uint32_t command) {
    nic.mac_csr_cmd = reg::kMacCsrBusy | command;
    return poll([&] { return (nic.mac_csr_cmd & reg::kMacCsrBusy) == 0; });
}

std::uint32_t mac_read(regs::Nic& nic, std::uint32_t number) {
    return mac_command(nic, reg::kMacCsrRead | number) ? std::uint32_t{nic.mac_csr_data} : 0;
}

void mac_write(regs::Nic& nic, std::uint32_t number, std::uint32_t value) {
    nic.mac_csr_data = value;
    (void)mac_command(nic, number);
}
} // namespace

bool Lan9118::init() {
    constexpr std::uint32_t kAvailableLevel =
        (room_for(wire::kFrameBytesMax) + reg::kTxAvailableUnit - 1) / reg::kTxAvailableUnit;
    open_nic_to_dma();
    regs::Nic& device = nic();
    const bool awake = poll([&] { return (device.pmt_ctrl & reg::kPmtReady) != 0; });
    if (!awake || device.byte_test != reg::kByteTest)
        return false;
    device.hw_cfg = reg::kHwSoftReset;
    if (!poll([&] { return (device.hw_cfg & reg::kHwSoftReset) == 0; }) ||
        !poll([&] { return (device.pmt_ctrl & reg::kPmtReady) != 0; }))
        return false;

    device.hw_cfg = reg::kHwMustBeOne | reg::kHwTxFifo5K;
    device.int_en = 0;
    device.int_sts = ~0u;
    device.irq_cfg = reg::kIrqEnable | reg::kIrqActiveHigh | reg::kIrqPushPull;
    device.fifo_int = kAvailableLevel << reg::kTxAvailableShift; // and receive status level 0
    device.rx_cfg = 0;                                           // no offset, words

    mac_write(device, reg::kMacMiiData, reg::kPhyBcrNegotiate);
    mac_write(device, reg::kMacMiiAccess, reg::kPhyAddress | reg::kMiiWrite | reg::kMiiBusy);
    device.tx_cfg = reg::kTxOn;
    mac_write(device, reg::kMacControl,
              reg::kReceiveAll | reg::kPromiscuous | reg::kFullDuplex | reg::kTxEnable |
                  reg::kRxEnable);
    return true;
}

wire::Mac Lan9118::mac() {
    const std::uint32_t low = mac_read(nic(), reg::kMacAddressLow);
    const std::uint32_t high = mac_read(nic(), reg::kMacAddressHigh);
    wire::Mac mac{};
    for (unsigned byte = 0; byte < 4; ++byte)
        mac[byte] = static_cast<std::uint8_t>(low >> (8 * byte));
    mac[4] = static_cast<std::uint8_t>(high);
    mac[5] = static_cast<std::uint8_t>(high >> 8);
    return mac;
}

unsigned Lan9118::frames_waiting() {
    if (waiting_ == 0)
        waiting_ = (nic().rx_fifo_inf >> 16) & 0xFF;
    return waiting_;
}

std::uint32_t Lan9118::take_length() {
    --waiting_;
    return (nic().rx_status >> reg::kRxLengthShift) & reg::kRxLengthMask;
}

void Lan9118::look_for_room() {
    // The smallest use that a frame can make of it.
    static_assert(kTxFifoBytes / room_for(wire::kHeadBytes) < reg::kTxStatusWords,
                  "the status FIFO must not fill between two looks at the free space");
    const std::uint32_t state = nic().tx_fifo_inf;
    room_bytes_ = state & 0xFFFF;
    for (std::uint32_t left = (state >> 16) & 0xFF; left != 0; --left) {
        if ((nic().tx_status & reg::kTxError) != 0)
            ++transmit_errors_;
    }
}

void Lan9118::abandon_transmission() {
    nic().tx_cfg = reg::kTxStop;
    (void)poll([] { return (nic().tx_cfg & reg::kTxStop) == 0; });
    nic().tx_cfg = reg::kTxStatusDump | reg::kTxDataDump;
    nic().tx_cfg = reg::kTxOn;
}

bool Lan9118::arm_interrupt() {
    nic().int_sts = reg::kIntRxStatus | reg::kIntTxAvailable;
    if (frames_waiting() > 0)
        return false;
    nic().int_en = reg::kIntRxStatus | (room_wanted_ ? reg::kIntTxAvailable : 0);
    return true;
}

} // namespace mesh::board
