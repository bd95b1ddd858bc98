// Serial lines as a loader has them: a message in and a message out at each, and no interrupt.
//
// A message is a frame of a line (wire/cobs.hpp): a byte that says that it is of Kind::load
// (wire/compact.hpp), then the message.
#pragma once

#include "boards/loader/tick.hpp"
#include "boards/serial/line_interrupt.hpp"
#include "chip.hpp"
#include "wire/cobs.hpp"
#include "wire/load.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

class Ports {
public:
    static constexpr unsigned kPorts = chip::Chip::kPorts;

    Ports();
    /// The next message that has come in, if there is one; it stays until wait().
    bool receive(Port& port, std::span<const std::byte>& message);
    /// The last message has left by this port.
    bool ready(Port port) const { return !lines_[line_of(port)].sends; }
    /// `block` stays as it is until the port is ready.
    void send(Port port, const wire::LoadHeader& header, std::span<const std::byte> block);
    std::uint32_t now_us() const { return tick_.now_us(); }
    /// Sleeps until a byte has come or left, or Tick::kPeriodUs has passed.
    void wait();

private:
    static constexpr unsigned kLines = kPorts + 1; // the host's last

    /// A message on its way out, with the byte that a frame has before it.
    struct Out {
        std::byte kind;
        std::array<std::byte, sizeof(wire::LoadHeader)> header;
    };
    struct Line {
        std::array<std::byte, 1 + wire::kLoadMessageBytesMax> in;
        std::size_t taken = 0;
        wire::CobsDecoder decoder;
        bool ended = false; // `in` has a whole frame
        bool skips = false; // what comes until a frame ends
        Out out;
        wire::CobsEncoder encoder;
        bool opened = false; // the zero before the frame is sent
        bool sends = false;
    };

    static unsigned line_of(Port port) { return port == kHostPort ? kPorts : index(port); }
    static void take(Line& line, std::byte byte);
    static void move(Line& line, unsigned number);

    Tick tick_;
    std::array<Line, kLines> lines_;
    unsigned turn_ = 0;
};

} // namespace mesh::board
