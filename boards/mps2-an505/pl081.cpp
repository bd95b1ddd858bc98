// Arm PrimeCell PL081 DMA: see pl081.hpp. Registers: [DMA] 3.4.
#include "boards/mps2-an505/pl081.hpp"

#include "boards/cortex-m/cpu.hpp"
#include "hal/concepts.hpp"

namespace mesh::board {

namespace {
constexpr std::uint32_t kControl =
    regs::dma::kTerminalCountInterrupt | regs::dma::kPrivileged | regs::dma::kWords;
constexpr std::uint32_t kRun = regs::dma::kUnmaskTerminalCount | regs::dma::kUnmaskError |
                               regs::dma::kMemoryToMemory | regs::dma::kChannelEnable;

constexpr unsigned controller_of(unsigned channel) { return channel / regs::kDmaChannelsEach; }
constexpr unsigned number_in(unsigned channel) { return channel % regs::kDmaChannelsEach; }

regs::DmaController& controller(unsigned number) {
    return regs::at<regs::DmaController>(regs::dma_address(number));
}

[[noreturn, gnu::cold]] void stop_for_bus_error(unsigned channel) {
    const unsigned number = controller_of(channel);
    const regs::DmaChannel& failed = controller(number).channels[number_in(channel)];
    wire::CrashRecord record{};
    record.cause = 0xF000'0000 + 16 + regs::dma_irq(number);
    record.pc = failed.source;
    record.lr = failed.destination;
    record.address = failed.control;
    halt(record);
}
} // namespace

void Pl081::init() {
    for (unsigned number = 0; number < regs::kDmaControllers; ++number) {
        regs::DmaController& dma = controller(number);
        dma.configuration = regs::dma::kEnable;
        dma.int_tc_clear = 3;
        dma.int_error_clear = 3;
        for (regs::DmaChannel& channel : dma.channels) {
            channel.configuration = 0;
            channel.next_item = 0;
        }
    }
}

void Pl081::start_to_fifo(unsigned channel, const std::byte* from, regs::Register* fifo,
                          std::uint32_t words) {
    start(channel, reinterpret_cast<std::uintptr_t>(from), reinterpret_cast<std::uintptr_t>(fifo),
          kControl | regs::dma::kSourceIncrement | words);
}

void Pl081::start_from_fifo(unsigned channel, regs::Register* fifo, std::byte* to,
                            std::uint32_t words) {
    start(channel, reinterpret_cast<std::uintptr_t>(fifo), reinterpret_cast<std::uintptr_t>(to),
          kControl | regs::dma::kDestinationIncrement | words);
}

void Pl081::start(unsigned channel, std::uintptr_t from, std::uintptr_t to, std::uint32_t control) {
    regs::DmaChannel& target = controller(controller_of(channel)).channels[number_in(channel)];
    target.source = from;
    target.destination = to;
    target.control = control;
    memory_barrier();
    target.configuration = kRun;
    channel_ = channel;
    // The controller's interrupt line may be up already; the NVIC looks at it only from here on.
    if (!finished())
        interrupt_enable(regs::dma_irq(controller_of(channel)));
}

bool Pl081::finished() {
    regs::DmaController& dma = controller(controller_of(channel_));
    const std::uint32_t bit = 1u << number_in(channel_);
    if ((dma.raw_int_tc_status & bit) == 0) {
        if ((dma.raw_int_error_status & bit) != 0)
            stop_for_bus_error(channel_);
        return false;
    }
    memory_barrier();
    dma.int_tc_clear = bit;
    ++transfers_[channel_];
    channel_ = kNone;
    return true;
}

void Pl081::on_interrupt(unsigned controller_number) {
    interrupt_disable(regs::dma_irq(controller_number));
}

void Pl081::stop_all() {
    for (unsigned number = 0; number < regs::kDmaControllers; ++number) {
        for (regs::DmaChannel& channel : controller(number).channels)
            channel.configuration = 0;
    }
}

} // namespace mesh::board
