// The four PL081 controllers as eight channels, one per port; one transfer at a time, since the
// network interface has one FIFO each way and one data path to both.
//
// A transfer may end before start() returns (it always does in the QEMU model) or later; only in
// the second case is its interrupt enabled. Both look the same to the caller of busy().
#pragma once

#include "boards/mps2-an505/regs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::board {

class Pl081 {
public:
    /// Enables the controllers; no channel runs.
    void init();

    /// `words` words from memory to a FIFO register. Precondition: not busy(); `from` aligned to 4.
    void start_to_fifo(unsigned channel, const std::byte* from, regs::Register* fifo,
                       std::uint32_t words);
    /// `words` words from a FIFO register to memory. Precondition: not busy(); `to` aligned to 4.
    void start_from_fifo(unsigned channel, regs::Register* fifo, std::byte* to,
                         std::uint32_t words);
    /// True while the transfer last started is running. A bus error stops the node.
    bool busy() { return channel_ != kNone && !finished(); }

    /// Transfers that `channel` has completed since reset.
    std::uint32_t transfers(unsigned channel) const { return transfers_[channel]; }

    /// Interrupt of a controller: quiet until the next start that does not finish at once.
    static void on_interrupt(unsigned controller);
    /// Any running transfer is abandoned. For the crash record of a failing node.
    static void stop_all();

private:
    static constexpr unsigned kNone = ~0u;
    void start(unsigned channel, std::uintptr_t from, std::uintptr_t to, std::uint32_t control);
    bool finished();

    unsigned channel_ = kNone; // of the running transfer
    std::array<std::uint32_t, regs::kDmaChannels> transfers_{};
};

} // namespace mesh::board
