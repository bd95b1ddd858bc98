// The bare forwarder: the speed of the board's driver without any protocol on top.
//
// A frame comes in by DMA and goes out by DMA of another port, by a fixed rule. No checksum, no
// credit, no kernel. Measured beside the real firmware, on the same driver and the same loom, it
// says what reliability and routing cost. The driver's tests use it as well.
#include "board.hpp"
#include "tests/bench/bare_forwarder/messages.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mesh::bare {

namespace {

struct Packet {
    alignas(4) std::array<std::byte, wire::kPacketBytesMax> bytes;
};

class Forwarder {
public:
    [[noreturn]] void run();

private:
    void on_frame(const hal::Received& frame, Packet& packet);
    void on_host_frame(const Packet& packet);
    void start(const Start& rule);
    void send(Port port, std::span<const std::byte> packet);
    void send_report();
    void wait_until_ready();
    Port out_port(Port in) const;

    board::Board board_;
    hal::Head head_{};
    Start rule_{.ports = 1, .step = 0, .start_ports = 0, .frames = 0, .packet_bytes = 0};
    Report report_{};
};

/// Two, for the transmit DMA may still read one while the receive DMA fills the other.
[[gnu::section(".noinit")]] std::array<Packet, 2> packets;

void Forwarder::run() {
    send_report(); // the interface is on: frames may come
    for (unsigned turn = 0;; turn ^= 1u) {
        board_.lend(0, head_, packets[turn].bytes);
        hal::Received frame = board_.receive();
        while (frame.state != hal::Received::State::frame) {
            ++report_.sleeps;
            board_.wait();
            frame = board_.receive();
        }
        on_frame(frame, packets[turn]);
    }
}

void Forwarder::on_frame(const hal::Received& frame, Packet& packet) {
    if (frame.port == kHostPort) {
        on_host_frame(packet);
        return;
    }
    ++report_.received;
    report_.last_frame_bytes = frame.frame_bytes;
    if (frame.frame_bytes < wire::kHeadBytes) {
        ++report_.short_frames;
        return;
    }
    const std::size_t packet_bytes =
        std::min<std::size_t>(frame.frame_bytes - wire::kHeadBytes, packet.bytes.size());
    send(out_port(frame.port), std::span{packet.bytes}.first(packet_bytes));
    ++report_.forwarded;
}

Port Forwarder::out_port(Port in) const {
    const unsigned sum = index(in) + rule_.step;
    return port_at(sum < rule_.ports ? sum : sum - rule_.ports);
}

void Forwarder::on_host_frame(const Packet& packet) {
    const auto tag = wire::load<wire::HostTag>(packet.bytes, wire::packet_offset::kTag);
    if (tag == wire::HostTag::start)
        start(wire::load<Start>(packet.bytes, wire::kPacketHeaderBytes));
    else if (tag == wire::HostTag::poll)
        send_report();
}

void Forwarder::start(const Start& rule) {
    rule_ = rule;
    rule_.packet_bytes = std::min<std::uint32_t>(rule.packet_bytes, wire::kPacketBytesMax);
    wait_until_ready();
    Packet& packet = packets[0];
    packet.bytes.fill(std::byte{0x5A});
    wire::LinkHeader link_header;
    link_header.kind = wire::Kind::data;
    link_header.packet_bytes = static_cast<std::uint16_t>(rule_.packet_bytes);
    wire::write_head(link_header, wire::to_mac(board_.identity()), head_.bytes);
    for (unsigned port = 0; port < rule_.ports; ++port) {
        for (unsigned frame = 0; ((rule_.start_ports >> port) & 1u) != 0 && frame < rule_.frames;
             ++frame)
            send(port_at(port), std::span{packet.bytes}.first(rule_.packet_bytes));
    }
    wait_until_ready();
}

void Forwarder::send_report() {
    report_.transmit_errors = board_.transmit_errors();
    for (unsigned port = 0; port < board::Board::kPorts; ++port)
        report_.dma_transfers[port] = board_.dma_transfers(port_at(port));
    alignas(4) std::array<std::byte, wire::kPacketHeaderBytes + sizeof report_> packet;
    wire::PacketHeader header;
    header.tag = static_cast<std::uint16_t>(wire::HostTag::report);
    header.payload_bytes = sizeof report_;
    wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    std::memcpy(packet.data() + wire::kPacketHeaderBytes, &report_, sizeof report_);
    wire::seal_packet(packet);
    wire::LinkHeader link_header;
    link_header.kind = wire::Kind::host;
    link_header.port = kHostPort;
    link_header.packet_bytes = packet.size();
    wire::write_head(link_header, wire::to_mac(board_.identity()), head_.bytes);
    send(kHostPort, packet);
    wait_until_ready();
}

void Forwarder::send(Port port, std::span<const std::byte> packet) {
    wait_until_ready();
    head_.bytes[wire::offset::kCablePort] = static_cast<std::byte>(port);
    board_.transmit(port, head_, packet);
}

void Forwarder::wait_until_ready() {
    while (board_.ready_ports() == 0)
        board_.wait();
}

} // namespace
} // namespace mesh::bare

int main() {
    static mesh::bare::Forwarder forwarder;
    forwarder.run();
}
