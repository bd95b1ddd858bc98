#include "ports.hpp"

namespace mesh::board {

Ports::Ports() {
    for (unsigned line = 0; line < kLines; ++line)
        chip::Chip::init(line);
}

bool Ports::receive(Port& port, std::span<const std::byte>& message) {
    for (; turn_ < kLines; ++turn_) {
        Line& line = lines_[turn_];
        move(line, turn_);
        if (!line.ended)
            continue;
        message = std::span{line.in}.subspan(1, line.taken - 1);
        line.taken = 0;
        line.ended = false;
        port = turn_ == kPorts ? kHostPort : port_at(turn_);
        return true;
    }
    turn_ = 0;
    return false;
}

/// Bytes both ways, as far as they go.
void Ports::move(Line& line, unsigned number) {
    while (const unsigned waiting = line.ended ? 0 : chip::Chip::waiting(number))
        for (unsigned byte = 0; byte < waiting; ++byte)
            take(line, chip::Chip::read(number));
    for (unsigned room = chip::Chip::room(number); room != 0 && line.sends; --room) {
        std::byte byte = wire::kFrameEnd;
        line.sends = !line.opened || line.encoder.next(byte);
        line.opened = true;
        if (line.sends)
            chip::Chip::write(number, byte);
    }
    chip::Chip::tell_room(number, line.sends);
}

/// Takes a byte. Bytes that come behind a frame which is not read yet are lost, and sent again.
void Ports::take(Line& line, std::byte in) {
    if (line.ended || line.skips) {
        line.skips = in != wire::kFrameEnd;
        return;
    }
    std::byte byte{};
    switch (line.decoder.take(in, byte)) {
    case wire::CobsDecoder::Event::none: break;
    case wire::CobsDecoder::Event::byte:
        if (line.taken < line.in.size())
            line.in[line.taken++] = byte;
        break;
    case wire::CobsDecoder::Event::end:
        line.ended = line.taken > 1;
        line.taken = line.ended ? line.taken : 0;
        break;
    case wire::CobsDecoder::Event::broken: line.taken = 0; break;
    }
}

void Ports::send(Port port, const wire::LoadHeader& header, std::span<const std::byte> block) {
    Line& line = lines_[line_of(port)];
    line.out.kind = wire::load_front(port);
    wire::store(line.out.header, 0, header);
    line.encoder = {std::as_bytes(std::span(&line.out, 1)), block};
    line.opened = false;
    line.sends = true;
    move(line, line_of(port));
}

/// The interrupts are held back: a pending one ends the sleep, also if it came before the sleep.
void Ports::wait() {
    tick_.sleep();
    for (const LineInterrupt& line : chip::kLineInterrupts)
        interrupt_enable(line.interrupt); // is not pending any more
}

} // namespace mesh::board
