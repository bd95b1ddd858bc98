// Frames, as they cross a cable. Named offsets, one checked view, one builder; bytes <-> meaning,
// no more.
//
// A frame is an Ethernet frame of three parts, all little-endian, each a whole number of words:
//   cable header  14 bytes  belongs to the loom: the port it leaves by, then the port it enters by
//   link header   30 bytes  made anew for every hop and every retransmission; own CRC-32
//   packet        header 36 bytes + payload; untouched from source to destination; own CRC-32
// The packet therefore stays in one pool buffer while the node forwards it, and the CRC over the
// payload is computed once at the source and checked at every hop.
//
// A train is a data frame with further packets behind the first: each at a whole number of words,
// and behind a link header of its own, that is bytes 12 to 43 of the frame that it would have been.
#pragma once

#include "core/base/types.hpp"
#include "core/network.hpp"
#include "wire/bytes.hpp"
#include "wire/identity.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mesh::wire {

inline constexpr std::size_t kCableBytes = 14;
inline constexpr std::size_t kHeadBytes = 44; // cable and link header together
inline constexpr std::size_t kPacketHeaderBytes = 36;
/// The most bytes of a packet's payload, on any board.
inline constexpr std::size_t kPayloadBytesMost = 1024;
/// The same on this one. A board with little memory has, for example, `-DMESH_PAYLOAD_MAX=256`
/// among its CPU_FLAGS, and the same number in its board.json; all nodes of a mesh have the same.
#ifdef MESH_PAYLOAD_MAX
inline constexpr std::size_t kPayloadBytesMax = MESH_PAYLOAD_MAX;
#else
inline constexpr std::size_t kPayloadBytesMax = kPayloadBytesMost;
#endif
/// The least has room for every message between node and host but a report, which comes in parts.
inline constexpr std::size_t kPayloadBytesLeast = 192;
static_assert(kPayloadBytesMax >= kPayloadBytesLeast && kPayloadBytesMax <= kPayloadBytesMost &&
              kPayloadBytesMax % 4 == 0);
inline constexpr std::size_t kPacketBytesMax = kPacketHeaderBytes + kPayloadBytesMax;
inline constexpr std::size_t kFrameBytesMax = kHeadBytes + kPacketBytesMax;
inline constexpr std::uint16_t kEtherType = 0xB588; // 88B5, "local experimental", as stored

#if __SIZEOF_POINTER__ == 8 || defined(__wasm__) // a simulation: no board is such a machine
/// The payload of the board that the nodes stand for; boards/host keeps it.
extern std::uint16_t simulated_payload_bytes_max;
constexpr std::uint16_t payload_bytes_max() {
    return std::is_constant_evaluated() ? std::uint16_t{kPayloadBytesMax}
                                        : simulated_payload_bytes_max;
}
#else
/// The most bytes that a program, or a collective, puts into one packet: kPayloadBytesMax of the
/// board, also where a simulation stands for it, whose buffers have room for more.
constexpr std::uint16_t payload_bytes_max() { return kPayloadBytesMax; }
#endif

/// Model time in ticks; kTicksPerUnit ticks are one unit of --tau and --tc.
using ModelTime = std::uint64_t;
inline constexpr ModelTime kTicksPerUnit = 1'000'000;
inline constexpr ModelTime kNever = ~ModelTime{0};
/// Lockstep: no times, but orders behind all times, which move no time. kAtRest: nothing can move
/// any more, so nodes ask after others that are silent. kNextTurn, before: processes that gave way
/// go on.
inline constexpr ModelTime kAtRest = kNever - 1;
inline constexpr ModelTime kNextTurn = kNever - 2;

/// The same as a header has it: it lies at a whole number of words, which need not be even.
class HeaderTime {
public:
    constexpr HeaderTime(ModelTime time)
        : low_(static_cast<std::uint32_t>(time)),
          high_(static_cast<std::uint32_t>(time >> 32)) {}
    constexpr operator ModelTime() const { return ModelTime{high_} << 32 | low_; }

private:
    std::uint32_t low_;
    std::uint32_t high_;
};

enum class Kind : std::uint8_t {
    // of links
    hello = 1, // which node is at this end; repeated until the peer has answered: Hello
    hello_answer,
    data, // carries a packet; numbered by `sequence`
    ack,  // carries none: Ack
    // between a node and the host
    host,  // a packet between a node and the host tool; not numbered, but on a wire that several
           // nodes share: Shared
    idle,  // node to loom: nothing left to do: Idle
    grant, // loom to node: model time has come to `model_time`, or what that stands for: fire what
           // is due
    // between loaders (load.hpp): the packet has a header of their own
    load,
};

/// Offsets from the start of the frame, in bytes.
namespace offset {
inline constexpr std::size_t kCableTo = 0; // 6 bytes, the last one is the port
inline constexpr std::size_t kCablePort = 5;
inline constexpr std::size_t kCableFrom = 6; // 6 bytes: MAC of the sender, see identity.hpp
inline constexpr std::size_t kEtherType = 12;
inline constexpr std::size_t kKind = 14;
inline constexpr std::size_t kPort = 15;         // out-port of the sender
inline constexpr std::size_t kSequence = 16;     // u16
inline constexpr std::size_t kAcknowledged = 18; // u16, next sequence number expected
inline constexpr std::size_t kRefused = 20;      // u32, bit i: kAcknowledged - 1 - i was refused
inline constexpr std::size_t kFreeBuffers = 24;  // u16
inline constexpr std::size_t kPacketBytes = 26;  // u16, of the packet that follows
inline constexpr std::size_t kModelTime = 28;    // u64, when the packet is there at the receiver
inline constexpr std::size_t kHops = 36;         // u16, links crossed, this one included
inline constexpr std::size_t kFlags = 38;        // u16, LinkFlag bits
inline constexpr std::size_t kLinkCrc = 40;      // CRC-32 of bytes 12..39
} // namespace offset

/// Offsets from the start of the packet, in bytes.
namespace packet_offset {
inline constexpr std::size_t kRule = 0;
inline constexpr std::size_t kSubtree = 1;
inline constexpr std::size_t kPayloadBytes = 2; // u16
inline constexpr std::size_t kSource = 4;       // u32, root of a tree
inline constexpr std::size_t kDestination = 8;  // u32
inline constexpr std::size_t kTag = 12;         // u16
inline constexpr std::size_t kService = 14;     // u8, the part of the destination: see Service
inline constexpr std::size_t kFlags = 15;       // u8
inline constexpr std::size_t kMessage = 16;     // u32, number of the message at its source
inline constexpr std::size_t kPosition = 20;    // u32, byte offset of this payload in the message
inline constexpr std::size_t kTotalBytes = 24;  // u32, of the message
inline constexpr std::size_t kUnitBytes = 28;   // kUnitBits of the external packet; 0: this alone
inline constexpr std::size_t kCall = 28;        // of a collective; the other bits of this word
inline constexpr std::size_t kPacketCrc = 32;   // CRC-32 of bytes 0..31 and of the payload
} // namespace packet_offset

/// How the word at packet_offset::kUnitBytes is shared: bytes of an external packet, which is a
/// message at most; and the number of the call of a collective that it belongs to, 0 for none.
inline constexpr unsigned kUnitBits = 21;
inline constexpr unsigned kCallBits = 32 - kUnitBits;
inline constexpr std::uint32_t kUnitBytesMax = (1u << kUnitBits) - 1;
inline constexpr std::uint32_t kCallMax = (1u << kCallBits) - 1;

/// A number that no end of a link has in a session.
inline constexpr std::uint16_t kNoNumber = 0xFFFF;

/// Bits of LinkHeader::flags. The epoch (data) changes when the sender has taken packets back after
/// a refusal: frames of the epoch before are refused too, which keeps their order. Frames of
/// another session of the link are dropped.
namespace link_flag {
inline constexpr std::uint16_t kEpochMask = 0x0001;
inline constexpr std::uint16_t kSessionMask = 0x00FE;
inline constexpr std::uint16_t kGap = 0x0100;  // a frame is missing: send again from `acknowledged`
inline constexpr std::uint16_t kAsks = 0x0200; // data: the receiver is to acknowledge it soon
inline constexpr unsigned kTagShift = 10;      // data: above it the last node's tag, see Tags
} // namespace link_flag

/// How an answer (ack, hello_answer) goes home where links carry one way only: out by `answer`,
/// then `link`, then `answer` again, which closes a cycle of four with the link that the answer is
/// about. It is in the low byte of the flags; `hops` says how far the answer has come.
struct WayBack {
    Port link = kNoPort; // the link that the answer is about
    Port answer = kNoPort;
    static constexpr unsigned kLinks = 3;

    constexpr std::uint16_t flags() const {
        return static_cast<std::uint16_t>((index(answer) << 4) | index(link));
    }
    static constexpr WayBack from_flags(std::uint16_t flags) {
        return {port_at(flags & 15u), port_at((flags >> 4) & 15u)};
    }
};
static_assert(kPortsMax <= 16);

/// Bits of PacketHeader::flags. An external packet is what moves as one in the model: store and
/// forward at every node, one start-up time. If it is larger than a frame, its first packet says
/// its size and the others follow it on the same links as parts.
namespace packet_flag {
inline constexpr std::uint8_t kTimeless = 0x01;   // end-to-end control: outside the model time
inline constexpr std::uint8_t kInward = 0x02;     // up a tree, to its root
inline constexpr std::uint8_t kPart = 0x04;       // of the external packet begun before it
inline constexpr std::uint8_t kPoisoned = 0x08;   // its sender could not make the data expected
inline constexpr std::uint8_t kBackByPath = 0x10; // its answer takes a disjoint path
inline constexpr std::uint8_t kAgain = 0x20;      // a word about a loss that is not told again
inline constexpr std::uint8_t kMore = 0x40; // an answer to a call: its sender holds more messages
inline constexpr std::uint8_t kHint = 0x80; // an offer of nothing: its sender holds a message
} // namespace packet_flag

/// The fields of a link header, as they lie in the frame.
struct LinkHeader {
    std::uint16_t ether_type = 0; // seal_head() knows it
    Kind kind = Kind::ack;
    Port port = kNoPort;
    std::uint16_t sequence = 0;
    std::uint16_t acknowledged = 0;
    std::uint32_t refused = 0;
    std::uint16_t free_buffers = 0;
    std::uint16_t packet_bytes = 0;
    HeaderTime model_time = 0;
    std::uint16_t hops = 0;
    std::uint16_t flags = 0;
};

// Fields of a link header in frames in which they have another meaning than their name:
// `Hello{header}.node()`.

/// hello, hello_answer.
template <class Header> // LinkHeader, or a constant one
struct Hello {
    Header& header;
    auto& node() const { return header.refused; }        // index of the node at this end
    auto& network() const { return header.sequence; }    // its network_word()
    auto& number() const { return header.acknowledged; } // of this end in the session
    auto& known() const { return header.free_buffers; } // the peer's, as far as known, or kNoNumber
    /// Identity::life() of the node at this end.
    std::uint16_t life() const { return static_cast<std::uint16_t>(header.model_time); }
    void say_life(std::uint16_t life) const { header.model_time = life; }
};
template <class Header>
Hello(Header&) -> Hello<Header>;

/// ack. `acknowledged`, `refused` and `free_buffers` are as in data.
template <class Header>
struct Ack {
    Header& header;
    auto& session() const { return header.sequence; }
};
template <class Header>
Ack(Header&) -> Ack<Header>;

/// idle. `model_time`: the earliest timer, kNextTurn, kAtRest, or kNever if there is none.
template <class Header>
struct Idle {
    Header& header;
    auto& consumed() const { return header.refused; } // frames since reset, modulo 2^32
};
template <class Header>
Idle(Header&) -> Idle<Header>;

/// host, on a wire that several nodes share (onecable/relay.hpp). Messages there are numbered;
/// `sequence` 0: it is none.
template <class Header>
struct Shared {
    Header& header;
    auto& dropped() const { return header.refused; }   // frames of its sender, for want of room
    auto& life() const { return header.free_buffers; } // of the node that it is of or for
};
template <class Header>
Shared(Header&) -> Shared<Header>;

/// The part of a frame before the packet, as it lies in the frame.
struct Head {
    Mac cable_to;
    Mac cable_from;
    LinkHeader link;
    std::uint32_t link_crc;
};

/// The fields of a packet header, as they lie in the packet; its checksum follows.
struct PacketHeader {
    Rule rule = Rule::unicast;
    std::uint8_t subtree = 0;
    std::uint16_t payload_bytes = 0;
    NodeId source = kNoNode;
    NodeId destination = kNoNode;
    std::uint16_t tag = 0;
    std::uint8_t service = 0;
    std::uint8_t flags = 0;
    std::uint32_t message = 0;
    std::uint32_t position = 0;
    std::uint32_t total_bytes = 0;
    std::uint32_t unit_bytes : kUnitBits = 0;
    std::uint32_t call : kCallBits = 0; // see kernel/packets/calls.hpp

    bool is_timeless() const { return (flags & packet_flag::kTimeless) != 0; }
    bool is_part() const { return (flags & packet_flag::kPart) != 0; }
    /// The bytes that move as one in the model.
    std::uint32_t moved_bytes() const { return unit_bytes != 0 ? unit_bytes : payload_bytes; }
};

/// The fault of received bytes; each is counted, see is_intact().
enum class [[nodiscard]] Parse : std::uint8_t;
enum class Parse : std::uint8_t { ok, too_short, not_ours, bad_length, bad_crc };

/// Makes a head of `head.link`: adds the cable header, which names `head.link.port`, type and
/// checksum. `sender` fills the cable's source address (for captures only).
void seal_head(Head& head, const Mac& sender);

/// Checks type, checksum and lengths of the head of a frame of `frame_bytes` bytes; if the answer
/// is ok, its fields are as the sender wrote them. Any bytes are safe.
Parse check_head(const Head& head, std::size_t frame_bytes);

/// seal_head() where a head is bytes.
void write_head(const LinkHeader& header, const Mac& sender, std::span<std::byte, kHeadBytes> out);

/// check_head() where a head is bytes, the first ones of its frame. `out` is set only if the answer
/// is ok.
Parse read_head(std::span<const std::byte> head, std::size_t frame_bytes, LinkHeader& out);

/// Bytes in front of each packet of a train but the first: a link header and its checksum.
inline constexpr std::size_t kCouplingBytes = kHeadBytes - offset::kEtherType;

constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

/// The bytes of the largest packet that still fits behind `train_bytes` bytes of packets, in a
/// buffer of kPacketBytesMax; 0: none does.
constexpr std::size_t room_behind(std::size_t train_bytes) {
    const std::size_t begin = whole_words(train_bytes) + kCouplingBytes;
    return begin < kPacketBytesMax ? kPacketBytesMax - begin : 0;
}

/// Copies `packet`, with its sealed `head`, behind the first `train_bytes` bytes of `train`, whose
/// room_behind() it fits. Returns the bytes of the train with it.
std::size_t couple(std::span<std::byte, kPacketBytesMax> train, std::size_t train_bytes,
                   const Head& head, std::span<const std::byte> packet);

/// `bytes` bytes behind a packet are those of a coupled one; fewer are filling, which hardware may
/// have added.
constexpr bool is_coupled(std::size_t bytes) {
    return bytes >= kCouplingBytes + kPacketHeaderBytes;
}

/// The bytes behind the first packet of a frame of `frame_bytes` bytes; 0 if the frame is no train.
/// Any head is safe, also one that nobody has checked yet.
constexpr std::size_t bytes_behind(const LinkHeader& link, std::size_t frame_bytes) {
    const std::size_t first = kHeadBytes + whole_words(link.packet_bytes);
    const bool more = frame_bytes >= first && is_coupled(frame_bytes - first);
    const bool train = more && link.kind == Kind::data && link.packet_bytes <= kPacketBytesMax;
    return train ? frame_bytes - first : 0;
}

/// Takes a coupled packet off the front of `rest`, the bytes of a train behind another packet: its
/// link header to `head`, whose cable header stays, and itself to `packet`. Returns the bytes that
/// its frame could have had: check_head() says of them whether `head` is sound. If it is not, the
/// length is not known either, and `rest` is of no use any more. Any bytes are safe.
std::size_t uncouple(std::span<const std::byte>& rest, Head& head,
                     std::span<std::byte, kPacketBytesMax> packet);

/// Writes the 36 bytes of a packet header, checksum excepted.
inline void write_packet_header(const PacketHeader& header,
                                std::span<std::byte, kPacketHeaderBytes> out) {
    store(out, 0, header);
}

/// Computes the packet's checksum and puts it in place. `packet` is header and payload.
void seal_packet(std::span<std::byte> packet);

/// Checks length and, unless that was done, checksum of a received packet. If that is ok, it begins
/// with its header.
Parse check_packet(std::span<const std::byte> packet, bool check_sum = true);

/// The same; reads the header if the answer is ok.
Parse read_packet(std::span<const std::byte> packet, PacketHeader& out, bool check_sum = true);

} // namespace mesh::wire
