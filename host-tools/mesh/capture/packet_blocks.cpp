#include "packet_blocks.hpp"

#include "capture.hpp"
#include "wire/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace mesh::host {

namespace {

/// A packet block without its packet, comment and end.
struct PacketHead {
    std::uint32_t type;
    std::uint32_t bytes;
    std::uint32_t interface;
    std::uint32_t time_high;
    std::uint32_t time_low;
    std::uint32_t kept;
    std::uint32_t whole;
};
static_assert(sizeof(PacketHead) == pcapng::kBlockHead + pcapng::kPacketFields);

struct [[gnu::packed]] PacketTail {
    std::uint16_t flags_code = pcapng::option::kPacketFlags;
    std::uint16_t flags_bytes = sizeof(std::uint32_t);
    std::uint32_t flags = 0;
    std::uint16_t id_code = pcapng::option::kPacketId;
    std::uint16_t id_bytes = sizeof(std::uint64_t);
    std::uint64_t id = 0;
};
static_assert(sizeof(PacketTail) == 20);

} // namespace

std::span<const std::byte> PacketBlocks::of(std::span<const std::byte> notes) {
    blocks_.clear();
    while (!notes.empty()) {
        const auto note = wire::load<Note>(notes, 0);
        const auto kept = notes.subspan(sizeof note, note.kept);
        notes = notes.subspan(sizeof note + note.kept);
        if (note.what == Note::What::blocks)
            blocks_.put(kept);
        if (note.what == Note::What::went_in || note.what == Note::What::through)
            went_in(note, kept);
        if (note.what == Note::What::came_out || note.what == Note::What::through)
            came_out(note, kept);
    }
    return blocks_.bytes();
}

void PacketBlocks::went_in(const Note& note, std::span<const std::byte> frame) {
    comment_.clear();
    describe(note.faults, false);
    if (note.nobody)
        say("nobody there");
    if (wire::load<wire::Kind>(frame, wire::offset::kKind) == wire::Kind::data &&
        note.bytes >= kCaptureBytesMin)
        again(senders_[note.in_wire], frame);
    std::byte* const packet = add(note, note.in_wire, note.in_time, pcapng::flag::kOutbound, frame);
    packet[wire::offset::kCablePort] = static_cast<std::byte>(note.in_wire % ports_);
}

void PacketBlocks::came_out(const Note& note, std::span<const std::byte> frame) {
    comment_.clear();
    if (note.second)
        say("second copy");
    describe(note.faults, true);
    add(note, note.out_wire, note.out_time,
        pcapng::flag::kInbound | (note.faults.flip != 0 ? pcapng::flag::kChecksumError : 0) |
            (note.faults.bytes != 0 ? pcapng::flag::kTooShort : 0),
        frame);
}

/// The words for the faults of a frame: where it goes in, or where changed bytes come out.
void PacketBlocks::describe(const FrameFaults& faults, bool comes_out) {
    const auto kinds = fault_kinds();
    for (FaultSet left = faults.kinds; left != 0; left &= left - 1) {
        const FrameFault* const fault =
            kinds[static_cast<std::size_t>(std::countr_zero(left))]->of_frames();
        if (fault->changes_bytes() == comes_out)
            say(fault->words(faults));
    }
}

/// Notes a data frame, and says whether it has been sent before: as a retransmission, with its
/// number, or anew since the other end had no room for it.
void PacketBlocks::again(Sender& sender, std::span<const std::byte> frame) {
    const auto sequence = wire::load<std::uint16_t>(frame, wire::offset::kSequence);
    const auto flags = wire::load<std::uint16_t>(frame, wire::offset::kFlags);
    const std::uint16_t epoch = flags & wire::link_flag::kEpochMask;
    const std::uint16_t session = flags & wire::link_flag::kSessionMask;
    const auto crc =
        wire::load<std::uint32_t>(frame, wire::kHeadBytes + wire::packet_offset::kPacketCrc);
    if (const std::uint16_t now = session | epoch; now != sender.session) {
        if ((sender.session & wire::link_flag::kSessionMask) != session) // it begins to count anew
            for (Sender::Sent& sent : sender.recent)
                sent.times = 0;
        sender.taken_back = (sender.session & wire::link_flag::kSessionMask) == session;
        sender.session = now;
    }
    Sender::Sent& place = sender.recent[sequence % Sender::kKept];
    if (place.times != 0 && place.sequence == sequence) {
        say(fmt::format("{} {}", pcapng::comment::kRetransmission, place.times++));
        return;
    }
    const auto same = [crc](const Sender::Sent& sent) {
        return sent.times != 0 && sent.packet_crc == crc;
    };
    if (sender.taken_back && std::any_of(sender.recent.begin(), sender.recent.end(), same))
        say(pcapng::comment::kAfterRefusal);
    place = {crc, sequence, 1};
}

void PacketBlocks::say(std::string_view words) {
    if (words.empty())
        return;
    comment_ += comment_.empty() ? "" : ", ";
    comment_ += words;
}

/// One packet block with the comment, made in one go. Returns where its packet is.
std::byte* PacketBlocks::add(const Note& note, std::uint32_t wire, std::uint64_t time,
                             std::uint32_t flags, std::span<const std::byte> frame) {
    PacketTail tail;
    tail.flags = flags;
    tail.id = note.id;
    const std::size_t option_bytes =
        comment_.empty() ? 0 : sizeof(std::uint32_t) + pcapng::padded(comment_.size());
    const std::size_t bytes = sizeof(PacketHead) + pcapng::padded(frame.size()) + sizeof tail +
                              option_bytes + 2 * sizeof(wire);
    const PacketHead head{pcapng::block::kPacket,
                          static_cast<std::uint32_t>(bytes),
                          wire,
                          static_cast<std::uint32_t>(time >> 32),
                          static_cast<std::uint32_t>(time),
                          note.kept,
                          note.bytes};
    std::byte* place = blocks_.grow(bytes);
    std::memcpy(place, &head, sizeof head);
    std::byte* const packet = place + sizeof head;
    place = fill(packet, frame);
    std::memcpy(place, &tail, sizeof tail);
    place += sizeof tail;
    if (!comment_.empty()) {
        const std::uint32_t code =
            pcapng::option::kComment | (static_cast<std::uint32_t>(comment_.size()) << 16);
        std::memcpy(place, &code, sizeof code);
        place = fill(place + sizeof code, std::as_bytes(std::span(comment_)));
    }
    constexpr std::uint32_t kEndOfOptions = 0;
    std::memcpy(place, &kEndOfOptions, sizeof kEndOfOptions);
    std::memcpy(place + sizeof kEndOfOptions, &head.bytes, sizeof head.bytes);
    return packet;
}

} // namespace mesh::host
