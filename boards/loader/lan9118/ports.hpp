// The ports of a LAN9118 as a loader has them: a message in and a message out, and no DMA.
#pragma once

#include "boards/loader/tick.hpp"
#include "boards/mps2-an505/lan9118.hpp"
#include "wire/load.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

class Ports {
public:
    static constexpr unsigned kPorts = regs::kDmaChannels;

    Ports();
    /// The next message that has come in, if there is one; it stays until the next call.
    bool receive(Port& port, std::span<const std::byte>& message);
    /// The interface has room for a message.
    bool ready(Port /*port*/) { return nic_.has_room(wire::kFrameBytesMax); }
    /// Precondition: ready().
    void send(Port port, const wire::LoadHeader& header, std::span<const std::byte> block);
    std::uint32_t now_us() const { return tick_.now_us(); }
    /// Sleeps until a frame has come, or Tick::kPeriodUs has passed.
    void wait();

private:
    Lan9118 nic_;
    Tick tick_;
    alignas(4) std::array<std::byte, wire::kHeadBytes + wire::kLoadMessageBytesMax> in_;
};

} // namespace mesh::board
