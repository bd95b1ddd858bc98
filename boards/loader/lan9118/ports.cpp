#include "ports.hpp"

#include <cstring>

namespace mesh::board {

namespace {

constexpr std::uint32_t kFcsBytes = 4;

/// The last word is filled up.
void write_words(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, &bytes[at], bytes.size() - at < 4 ? bytes.size() - at : 4);
        Lan9118::write_word(word);
    }
}

} // namespace

Ports::Ports() {
    while (!nic_.init()) {
    }
    interrupt_enable(regs::kNicIrq);
}

bool Ports::receive(Port& port, std::span<const std::byte>& message) {
    while (nic_.frames_waiting() != 0) {
        const std::uint32_t bytes = nic_.take_length();
        for (std::size_t at = 0; at < bytes; at += 4) {
            const std::uint32_t word = Lan9118::read_word();
            if (at < in_.size())
                std::memcpy(&in_[at], &word, 4);
        }
        if (bytes < wire::kHeadBytes + kFcsBytes || bytes > in_.size() + kFcsBytes)
            continue;
        port = wire::load<Port>(in_, wire::offset::kCablePort);
        message = std::span{in_}.subspan(wire::kHeadBytes, bytes - wire::kHeadBytes - kFcsBytes);
        return true;
    }
    return false;
}

void Ports::send(Port port, const wire::LoadHeader& header, std::span<const std::byte> block) {
    const std::size_t packet_bytes = sizeof header + block.size();
    std::array<std::byte, wire::kHeadBytes> head;
    wire::write_head({.kind = wire::Kind::load,
                      .port = port,
                      .packet_bytes = static_cast<std::uint16_t>(packet_bytes)},
                     wire::Mac{}, head);
    nic_.open_segment(head.size() + packet_bytes, head.size() + packet_bytes, true, true);
    write_words(head);
    write_words(wire::bytes_of(header));
    write_words(block);
}

/// The interrupt is held back: a pending one ends the sleep, also if it came before the sleep.
void Ports::wait() {
    if (nic_.arm_interrupt())
        tick_.sleep();
    Lan9118::on_interrupt();
    interrupt_enable(regs::kNicIrq); // is not pending any more
}

} // namespace mesh::board
