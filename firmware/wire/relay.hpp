// Messages of a mesh with one host cable, beside those that a node and the host tool exchange
// anyway (host_messages.hpp).
//
// Frames of Kind::host cross cables there. A packet to a node names that node as its destination, a
// packet to the host its sender as its source. In the link header `sequence` numbers the messages
// of one node in one direction, from 1 on (0: this is none), and `acknowledged` is the last one
// that came the other way: one is under way at a time, and its sender sends it again until it is
// acknowledged. To the host, `refused` is how many frames the node has lost, of any sender, since
// it had no room for them. A crash record (HostTag::fault) is no such message: it comes once or not
// at all.
//
// Messages to and from a node, and their acknowledgements, name that node's life, which grows with
// each reset, and is a birth number where the node has just got power: so frames that were under
// way when the node was reset are of no use any more.
#pragma once

#include "core/network.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <cstdint>

namespace mesh::wire {

/// The field of a link header that says which way a message goes between node 0 and another one: 0
/// is that of unicast packets, k + 1 is path k of the rule `disjoint`. A node that hears no answer,
/// or whose answer was not heard, takes the next way; so does the host tool.
template <class Header> // LinkHeader, or a constant one
struct Way {
    Header& header;
    auto& number() const { return header.flags; }
};
template <class Header>
Way(Header&) -> Way<Header>;

/// Tags of packets that only the service between nodes and host tool reads; none is a HostTag.
enum class RelayTag : std::uint16_t {
    nothing = 0x100, // empty: the link header is all
    number,          // Numbering: which node sent it by this cable
    who,             // empty: a node that has no number asks its neighbours
    named,           // text, what the image was made for: the first message of a node's life
};

/// From the host to node 0, and from each node to its neighbours: so no node needs to keep a
/// number.
struct Numbering {
    std::uint32_t run; // drawn by the host tool; a node that works for another one starts anew
    std::uint32_t assignment; // grows; goes through the mesh once
    std::uint32_t from;       // the node that says it; kNoNode: the host, or one that starts anew
    Topology topology;
    std::uint8_t dim;
    std::uint16_t birth = 0; // of a node that hears its own number by this
};

/// The birth number of a node that gets its number at that moment, by the clock of the one that
/// tells it: it does not hang on the node, which remembers nothing where it has just got power. Not
/// 0, and above all lives that are counted. Without a host it is Identity::birth, and each node
/// begins its program by itself; with one it is the node's life in frames of the host.
inline constexpr std::uint16_t kNoHost = 0x4000, kHosted = 0x8000;
constexpr std::uint16_t birth_at(std::uint64_t now_us, std::uint16_t who = kNoHost) {
    return static_cast<std::uint16_t>(who | (now_us & 0x3FFFu));
}
constexpr bool without_host(const Numbering& numbering) { return numbering.birth & kNoHost; }
static_assert(sizeof(Numbering) == 16);

/// The pause before a message is sent again for the first time, over so many cables, on each of
/// which a frame takes `frame_us`.
constexpr std::uint32_t relay_rto_us(unsigned cables, std::uint32_t frame_us) {
    constexpr std::uint32_t kLeastUs = 200'000;
    return kLeastUs + 2 * cables * frame_us;
}
/// The pause behind this one, of a message that goes by `way`: once all ways have been tried it is
/// twice as long, up to a second. A first pause beyond that, of slow cables, stays.
constexpr std::uint32_t relay_pause_after(std::uint32_t pause_us, std::uint16_t way) {
    constexpr std::uint32_t kMostUs = 1'000'000;
    return way != 0 ? pause_us : std::max(pause_us, std::min(2 * pause_us, kMostUs));
}

/// The way behind this one, in a network with so many disjoint paths: unicast is the first again.
constexpr std::uint16_t way_after(std::uint16_t way, unsigned paths) {
    return static_cast<std::uint16_t>((way + 1u) % (1 + paths));
}

/// The number behind this one.
constexpr std::uint16_t message_after(std::uint16_t number) {
    return number == 0xFFFF ? std::uint16_t{1} : static_cast<std::uint16_t>(number + 1);
}

} // namespace mesh::wire
