// The questions that `make conform` asks of a board, over the functions of hal/concepts.hpp alone:
// frames by ports, floods, sleeps, alarms. Each answer says what was seen. Whether it is right is
// said by the code that asks: tests/conform/conform.cpp of boards under an emulator, and the lab on
// drivers (firmware/labs) of a chip that is simulated in the program itself.
//
// The far end of each cable sends frames back by the cable that they came from, unless a question
// wants them to get lost.
#pragma once

#include "hal/concepts.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::conform {

/// A board that has done nothing for so long will not do it any more.
inline constexpr std::uint64_t kLateUs = 5'000'000;
/// Calls of wait() for a frame that leaves and comes back: it has left, it has come, and some in
/// vain.
inline constexpr std::uint64_t kWaitsOfFrame = 8;
/// Bytes of noise before a frame that is to be taken all the same.
inline constexpr std::array<std::size_t, 6> kNoiseBytes{1, 13, 14, 300, 1600, 20'000};

/// Contents of payloads that byte stuffing meets at its edges: zeroes, none (in runs of all
/// lengths), the largest byte, anything.
inline constexpr unsigned kPatterns = 4;
constexpr std::byte pattern(unsigned which, std::uint32_t number, std::size_t at) {
    switch (which % kPatterns) {
    case 0: return {};
    case 1: return static_cast<std::byte>(1 + (at + number) % 255);
    case 2: return std::byte{0xFF};
    default: return static_cast<std::byte>((at * 167 + number * 13) >> 2);
    }
}

/// Packet number `number`, whose payload has so many bytes, as both sides make it.
inline std::span<const std::byte> make_packet(std::uint32_t number, std::size_t payload_bytes,
                                              std::span<std::byte, wire::kPacketBytesMax> room) {
    wire::PacketHeader header;
    header.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
    header.source = node_at(0);
    header.destination = node_at(1);
    header.message = number;
    header.total_bytes = static_cast<std::uint32_t>(payload_bytes);
    wire::write_packet_header(header, room.first<wire::kPacketHeaderBytes>());
    for (std::size_t at = 0; at < payload_bytes; ++at)
        room[wire::kPacketHeaderBytes + at] = pattern(number, number, at);
    const auto packet = room.first(wire::kPacketHeaderBytes + payload_bytes);
    wire::seal_packet(packet);
    return packet;
}

inline wire::LinkHeader make_header(Port port, std::uint32_t number, std::size_t packet_bytes) {
    wire::LinkHeader header;
    header.kind = packet_bytes == 0 ? wire::Kind::ack : wire::Kind::data;
    header.port = port;
    header.sequence = static_cast<std::uint16_t>(number);
    header.packet_bytes = static_cast<std::uint16_t>(packet_bytes);
    return header;
}

/// True if a frame is number `number`, to the byte; `head`: its first 44 bytes.
inline bool is_frame(std::span<const std::byte> head, std::span<const std::byte> packet,
                     std::uint32_t number, std::size_t payload_bytes) {
    wire::LinkHeader link;
    wire::PacketHeader header;
    if (wire::read_head(head, wire::kHeadBytes + packet.size(), link) != wire::Parse::ok ||
        link.sequence != static_cast<std::uint16_t>(number) || packet.size() != link.packet_bytes)
        return false;
    if (wire::read_packet(packet, header) != wire::Parse::ok || header.message != number ||
        header.payload_bytes != payload_bytes)
        return false;
    for (std::size_t at = 0; at < payload_bytes; ++at)
        if (packet[wire::kPacketHeaderBytes + at] != pattern(number, number, at))
            return false;
    return true;
}

/// Asks one board. Its memory is that of a packet for each sender and one more. `Asked` is a
/// hal::Board that says by kPorts how many ports it has.
template <hal::Board Asked>
class Questions {
public:
    static constexpr unsigned kPorts = Asked::kPorts;

    /// Lends the board its first buffer.
    explicit Questions(Asked& board) : board_(board) { lend(); }

    /// Frames that were sent one after the other, each when the one before it was back.
    struct Lengths {
        std::uint32_t back = 0;  // of them
        std::uint32_t waits = 0; // calls of wait() meanwhile
        std::uint32_t at = 0;    // bytes of the frame that was late or wrong
        bool late = false;
        bool wrong = false;
    };
    /// Frames of `first`, + `step`, .. to `last` bytes of payload and one more (0: no packet).
    Lengths lengths(Port port, std::uint32_t first, std::uint32_t last, std::uint32_t step);

    /// The counts of one port in a flood.
    struct Flood {
        std::uint32_t sent = 0;
        std::uint32_t back = 0;
        std::uint32_t wrong = 0;
    };
    /// By all ports as fast as they take it for `ms` milliseconds, until all are back.
    void flood(std::uint32_t ms);
    Flood flooded(unsigned port) const { return outgoing_[port].flood; }

    struct Sent {
        std::uint32_t frames = 0;
        std::uint32_t busy = 0; // the port was not ready at once
        bool late = false;      // the next one could not be sent
    };
    /// Frames of the largest kind, whose memory is filled anew as soon as the port says that it may
    /// be.
    Sent send_many(Port port, std::uint32_t frames);

    /// Takes nothing for so long.
    void sleep_ms(std::uint32_t ms);

    struct Counts {
        std::uint32_t good = 0; // by ports, whole
        std::uint32_t bad = 0;
    };
    /// The frames that have come since the last call, by await_frame() and poll().
    Counts counts() {
        const Counts all = counts_;
        counts_ = {};
        return all;
    }

    struct Alarm {
        std::uint64_t slept_us = 0;
        unsigned wakes = 0;
    };
    Alarm alarm(std::uint32_t us);

    /// Takes a frame of a port, if there is one, and counts it. A frame of the host stays in
    /// packet() until lend(). None: nothing has come.
    enum class Came : std::uint8_t { none, port, host };
    Came poll();
    std::span<const std::byte> packet() const { return packet_; }
    void lend() { board_.lend(0, head_, packet_); }

private:
    /// Ports that share a transmitter share the memory that it reads, too.
    static constexpr unsigned kSenders = Asked::capabilities().senders == 1 ? 1 : kPorts;
    struct Packet {
        alignas(hal::kDmaAlign) std::array<std::byte, wire::kPacketBytesMax> bytes;
    };
    struct Outgoing {
        Flood flood;
        std::size_t under_way = 0; // bytes of frames
    };

    bool look() {
        frame_ = board_.receive();
        return frame_.state == hal::Received::State::frame;
    }
    std::span<const std::byte> bytes() const {
        const auto size =
            frame_.frame_bytes < wire::kHeadBytes ? 0 : frame_.frame_bytes - wire::kHeadBytes;
        return std::span{packet_}.first(std::min<std::size_t>(size, packet_.size()));
    }
    bool is(std::uint32_t number, std::size_t payload_bytes) const {
        return frame_.frame_bytes >= wire::kHeadBytes &&
               is_frame(head_.bytes, bytes(), number, payload_bytes);
    }
    bool is_whole() const;
    void count() { ++(is_whole() ? counts_.good : counts_.bad); }

    bool is_ready(Port port) { return (board_.ready_ports() & bit_of(port)) != 0; }
    void wait() {
        board_.wait();
        ++waits_;
    }
    void send(Port port, std::uint32_t number, int payload_bytes);
    bool send_in_time(Port port, std::uint32_t number, int payload_bytes);
    bool await_frame(Port port);

    static std::size_t flood_bytes(unsigned port, std::uint32_t number) {
        return (number * 311u + port * 97u) % (wire::kPayloadBytesMax + 1);
    }
    static std::size_t flood_frame_bytes(unsigned port, std::uint32_t number) {
        return wire::kHeadBytes + wire::kPacketHeaderBytes + flood_bytes(port, number);
    }
    void take_flood();
    bool send_flood(unsigned port);

    Asked& board_;
    hal::Head head_;
    alignas(hal::kDmaAlign) std::array<std::byte, wire::kPacketBytesMax> packet_;
    hal::Received frame_;
    Counts counts_;
    std::array<Packet, kSenders> packets_;
    std::array<Outgoing, kPorts> outgoing_;
    std::uint32_t waits_ = 0;
};

/// Whole, whatever it is.
template <hal::Board Asked>
bool Questions<Asked>::is_whole() const {
    wire::LinkHeader link;
    wire::PacketHeader header;
    return frame_.frame_bytes >= wire::kHeadBytes &&
           wire::read_head(head_.bytes, frame_.frame_bytes, link) == wire::Parse::ok &&
           (link.packet_bytes == 0 ||
            wire::read_packet(bytes().first(link.packet_bytes), header) == wire::Parse::ok);
}

template <hal::Board Asked>
typename Questions<Asked>::Came Questions<Asked>::poll() {
    if (!look())
        return Came::none;
    if (frame_.port == kHostPort)
        return Came::host;
    count();
    lend();
    return Came::port;
}

/// Sends frame `number` by the port, which is ready; -1: without a packet.
template <hal::Board Asked>
void Questions<Asked>::send(Port port, std::uint32_t number, int payload_bytes) {
    auto& room = packets_[kSenders == 1 ? 0 : index(port)].bytes;
    std::span<const std::byte> packet;
    if (payload_bytes >= 0)
        packet = make_packet(number, static_cast<std::size_t>(payload_bytes), room);
    hal::Head head;
    wire::write_head(make_header(port, number, packet.size()), wire::to_mac(board_.identity()),
                     head.bytes);
    board_.transmit(port, head, packet);
}

/// Sends it, when it can. False: it never could.
template <hal::Board Asked>
bool Questions<Asked>::send_in_time(Port port, std::uint32_t number, int payload_bytes) {
    const std::uint64_t until = board_.now_us() + kLateUs;
    board_.set_alarm_us(until);
    while (!is_ready(port) && board_.now_us() < until)
        wait();
    if (!is_ready(port) || board_.now_us() >= until)
        return false;
    send(port, number, payload_bytes);
    return true;
}

/// Waits for a frame by `port`; others are counted. False: none came in time.
template <hal::Board Asked>
bool Questions<Asked>::await_frame(Port port) {
    const std::uint64_t until = board_.now_us() + kLateUs;
    board_.set_alarm_us(until);
    while (board_.now_us() < until) {
        if (!look()) {
            wait();
            continue;
        }
        if (frame_.port == port)
            return true;
        count();
        lend();
    }
    return false;
}

template <hal::Board Asked>
typename Questions<Asked>::Lengths
Questions<Asked>::lengths(Port port, std::uint32_t first, std::uint32_t last, std::uint32_t step) {
    Lengths seen;
    waits_ = 0;
    for (seen.at = first; seen.at <= last; seen.at += step, ++seen.back) {
        const int payload = static_cast<int>(seen.at) - 1; // the shortest has no packet
        seen.late = !send_in_time(port, seen.back, payload) || !await_frame(port);
        if (seen.late)
            break;
        seen.wrong = payload < 0 ? !is_whole() || !bytes().empty()
                                 : !is(seen.back, static_cast<std::size_t>(payload));
        lend();
        if (seen.wrong)
            break;
    }
    seen.waits = waits_;
    return seen;
}

template <hal::Board Asked>
void Questions<Asked>::take_flood() {
    const unsigned port = index(frame_.port);
    if (port >= kPorts)
        return;
    Outgoing& one = outgoing_[port];
    one.under_way -= flood_frame_bytes(port, one.flood.back);
    one.flood.wrong += is(one.flood.back, flood_bytes(port, one.flood.back)) ? 0 : 1;
    ++one.flood.back;
}

/// The bytes that may be under way by each port are those of its window.
template <hal::Board Asked>
bool Questions<Asked>::send_flood(unsigned port) {
    Outgoing& one = outgoing_[port];
    const std::size_t frame_bytes = flood_frame_bytes(port, one.flood.sent);
    if (one.under_way + frame_bytes > board_.window_bytes(kPorts) || !is_ready(port_at(port)))
        return false;
    send(port_at(port), one.flood.sent, static_cast<int>(flood_bytes(port, one.flood.sent)));
    one.under_way += frame_bytes;
    ++one.flood.sent;
    return true;
}

template <hal::Board Asked>
void Questions<Asked>::flood(std::uint32_t ms) {
    const std::uint64_t end = board_.now_us() + std::uint64_t{ms} * 1000;
    const std::uint64_t late = end + kLateUs;
    for (Outgoing& one : outgoing_) {
        one.flood = {};
        one.under_way = 0;
    }
    bool all_back = false;
    while (!all_back && board_.now_us() < late) {
        bool worked = false;
        all_back = board_.now_us() >= end;
        for (unsigned port = 0; port < kPorts; ++port) {
            all_back = all_back && outgoing_[port].flood.back == outgoing_[port].flood.sent;
            if (board_.now_us() < end)
                worked = send_flood(port) || worked;
        }
        while (look()) {
            take_flood();
            lend();
            worked = true;
        }
        board_.set_alarm_us(board_.now_us() < end ? end : late);
        if (!worked && !all_back)
            board_.wait();
    }
}

template <hal::Board Asked>
typename Questions<Asked>::Sent Questions<Asked>::send_many(Port port, std::uint32_t frames) {
    Sent seen;
    for (; seen.frames < frames && !seen.late; seen.frames += seen.late ? 0 : 1) {
        seen.busy += is_ready(port) ? 0 : 1;
        seen.late = !send_in_time(port, seen.frames, wire::kPayloadBytesMax);
    }
    return seen;
}

template <hal::Board Asked>
void Questions<Asked>::sleep_ms(std::uint32_t ms) {
    const std::uint64_t until = board_.now_us() + std::uint64_t{ms} * 1000;
    board_.set_alarm_us(until);
    while (board_.now_us() < until)
        board_.wait();
}

template <hal::Board Asked>
typename Questions<Asked>::Alarm Questions<Asked>::alarm(std::uint32_t us) {
    Alarm seen;
    const std::uint64_t start = board_.now_us();
    board_.set_alarm_us(start + us);
    for (; board_.now_us() < start + us; ++seen.wakes)
        board_.wait();
    seen.slept_us = board_.now_us() - start;
    board_.set_alarm_us(~std::uint64_t{0});
    return seen;
}

} // namespace mesh::conform
