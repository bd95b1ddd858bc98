#include "capture.hpp"

#include "host-tools/mesh/links/bounds.hpp"
#include "pcapng.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 17; // stays in a cache
/// An option's length is 16 bits.
constexpr std::size_t kOptionBytesMax = 65'532;
constexpr std::uint8_t kMicroseconds = 6;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// "node 5 port 2 -> node 1 port 2", as frames go.
std::string description_of(Far here, std::string_view arrow, Far there) {
    return fmt::format("node {} port {} {} node {} port {}", index(here.node), index(here.port),
                       arrow, index(there.node), index(there.port));
}

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

/// Bytes, filled up to a whole word.
void fill(std::byte* place, std::span<const std::byte> bytes) {
    std::memcpy(place, bytes.data(), bytes.size());
    std::memset(place + bytes.size(), 0, pcapng::padded(bytes.size()) - bytes.size());
}

/// The words for what happens to a frame where it goes in.
void describe(const Harm& harm, bool nobody, std::string& comment) {
    const auto add = [&](std::string_view word) {
        comment += comment.empty() ? "" : ", ";
        comment += word;
    };
    if (harm.cut)
        add("cut");
    if (harm.dropped)
        add("drop");
    if (harm.doubled)
        add("dup");
    if (harm.late)
        add("reorder");
    if (harm.delay_us != 0)
        add("delay");
    if (nobody)
        add("nobody there");
}

} // namespace

Capture::Capture(int file, const Setting& setting)
    : writer_(file),
      ports_(port_count(setting.network)),
      bytes_max_(setting.bytes_max),
      at_once_(setting.at_once),
      deeds_(setting.deeds),
      epoch_us_(setting.epoch_us),
      senders_(std::size_t{node_count(setting.network)} * ports_) {
    buffer_.resize(kBufferBytes + 2 * kOptionBytesMax);
    write_section(setting);
    write_interfaces(setting);
    write_out();
}

void Capture::write_section(const Setting& setting) {
    begin_block(pcapng::block::kSection);
    put_word(pcapng::kByteOrder);
    put_word(std::uint32_t{1});  // version 1.0
    put_word(~std::uint64_t{0}); // as long as it gets
    put_option(pcapng::option::kComment, setting.plan);
    put_option(pcapng::option::kApplication, setting.command);
    put_word(std::uint32_t{pcapng::option::kEnd});
    end_block();
}

void Capture::write_interfaces(const Setting& setting) {
    std::vector<Far> into(senders_.size()); // whose frames come out at this end
    for (std::uint32_t wire = 0; wire < senders_.size(); ++wire) {
        const Far here{node_at(wire / ports_), port_at(wire % ports_)};
        if (const auto far = setting.wiring(here.node, here.port))
            into[index(far->node) * ports_ + index(far->port)] = here;
    }
    for (std::uint32_t wire = 0; wire < senders_.size(); ++wire) {
        const Far here{node_at(wire / ports_), port_at(wire % ports_)};
        const auto far = setting.wiring(here.node, here.port);
        begin_block(pcapng::block::kInterface);
        put_word(std::uint32_t{pcapng::kEthernet});
        put_word(std::uint32_t{0}); // frames are kept as they are, or as --capture-bytes says
        put_option(pcapng::option::kName, fmt::format("{}/{}", index(here.node), index(here.port)));
        put_option(pcapng::option::kDescription,
                   far ? description_of(here, "->", *far) : description_of(here, "<-", into[wire]));
        put_option(pcapng::option::kTimeResolution,
                   std::string_view(reinterpret_cast<const char*>(&kMicroseconds), 1));
        put_option(pcapng::option::kChecksumLength, std::string_view("\0", 1));
        put_word(std::uint32_t{pcapng::option::kEnd});
        end_block();
    }
}

Trip Capture::sent(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                   const Harm& harm, bool nobody) {
    const Trip trip{++frames_, static_cast<std::uint16_t>(frame.size()), false, harm};
    if (!failure_.empty())
        return trip;
    if (!kept_.empty())
        write_kept();
    comment_.clear();
    describe(harm, nobody, comment_);
    if (wire::load<wire::Kind>(frame, wire::offset::kKind) == wire::Kind::data &&
        frame.size() >= kCaptureBytesMin)
        again(senders_[wire], frame, comment_);
    add(wire, time, frame, trip.id, pcapng::flag::kOutbound, comment_);
    return trip;
}

void Capture::arrived(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                      const Trip& trip) {
    if (!failure_.empty())
        return;
    if (!kept_.empty())
        write_kept();
    const Harm& harm = trip.harm;
    comment_.clear();
    if (trip.second)
        comment_ = "second copy";
    else if (harm.flip != 0)
        fmt::format_to(std::back_inserter(comment_), "corrupt byte {} bits 0x{:02x}", harm.where,
                       harm.flip);
    if (harm.altered)
        comment_ += comment_.empty() ? "altered" : ", altered";
    const bool wrong = !trip.second && harm.flip != 0;
    add(wire, time, frame.first(trip.bytes), trip.id,
        pcapng::flag::kInbound | (wrong ? pcapng::flag::kChecksumError : 0), comment_);
}

void Capture::done(NodeId node, std::uint64_t time, const Deed& deed) {
    if (!failure_.empty())
        return;
    if (epoch_us_ == 0)
        keep(node, time, deed);
    else
        write(node, time, deed);
}

/// Emulators run side by side: what nodes do between two rounds of the loom is told in any order.
void Capture::keep(NodeId node, std::uint64_t time, const Deed& deed) {
    kept_.push_back({node, time, deed.what, deed.process, std::string(deed.text)});
    kept_bytes_ += sizeof kept_.back() + deed.text.size();
    if (kept_bytes_ > bounds::kRoundBytesMax)
        write_kept();
}

void Capture::write_kept() {
    std::ranges::stable_sort(kept_, {}, [](const KeptDeed& one) { return index(one.node); });
    for (const KeptDeed& one : kept_)
        write(one.node, one.time, {one.what, one.process, one.text});
    kept_.clear();
    kept_bytes_ = 0;
}

void Capture::write(NodeId node, std::uint64_t time, const Deed& deed) {
    begin_block(pcapng::block::kCustom);
    put_word(pcapng::kOurNumber);
    put_word(time + epoch_us_);
    put_word(index(node));
    put_word(static_cast<std::uint32_t>(deed.what) | std::uint32_t{deed.process} << 8);
    const std::string_view text = deed.text.substr(0, kOptionBytesMax);
    put_word(static_cast<std::uint32_t>(text.size()));
    put(bytes_of(text));
    end_block();
    if (at_once_ || used_ >= kBufferBytes)
        write_out();
}

/// Notes a data frame, and says whether it has been sent before: as a retransmission, with its
/// number, or anew since the other end had no room for it.
void Capture::again(Sender& sender, std::span<const std::byte> frame, std::string& comment) const {
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
    const auto add = [&](std::string_view words) {
        comment += comment.empty() ? "" : ", ";
        comment += words;
    };
    if (place.times != 0 && place.sequence == sequence) {
        add(fmt::format("retransmission {}", place.times++));
        return;
    }
    const auto same = [crc](const Sender::Sent& sent) {
        return sent.times != 0 && sent.packet_crc == crc;
    };
    if (sender.taken_back && std::any_of(sender.recent.begin(), sender.recent.end(), same))
        add("again after a refusal");
    place = {crc, sequence, 1};
}

/// One packet block, made in one piece: this is what a capture costs.
void Capture::add(std::uint32_t wire, std::uint64_t time, std::span<const std::byte> frame,
                  std::uint64_t id, std::uint32_t flags, std::string_view comment) {
    last_time_ = time + epoch_us_;
    const std::size_t kept = std::min(frame.size(), bytes_max_);
    PacketTail tail;
    tail.flags = flags;
    tail.id = id;
    const std::size_t option_bytes =
        comment.empty() ? 0 : sizeof(std::uint32_t) + pcapng::padded(comment.size());
    const std::size_t bytes =
        sizeof(PacketHead) + pcapng::padded(kept) + sizeof tail + option_bytes + 2 * sizeof(wire);
    const PacketHead head{pcapng::block::kPacket,
                          static_cast<std::uint32_t>(bytes),
                          wire,
                          static_cast<std::uint32_t>(last_time_ >> 32),
                          static_cast<std::uint32_t>(last_time_),
                          static_cast<std::uint32_t>(kept),
                          static_cast<std::uint32_t>(frame.size())};
    std::byte* place = grow(bytes);
    std::memcpy(place, &head, sizeof head);
    place += sizeof head;
    fill(place, frame.first(kept));
    if ((flags & pcapng::flag::kOutbound) != 0)
        place[wire::offset::kCablePort] = static_cast<std::byte>(wire % ports_);
    place += pcapng::padded(kept);
    std::memcpy(place, &tail, sizeof tail);
    place += sizeof tail;
    if (!comment.empty()) {
        const std::uint32_t code =
            pcapng::option::kComment | (static_cast<std::uint32_t>(comment.size()) << 16);
        std::memcpy(place, &code, sizeof code);
        fill(place + sizeof code, bytes_of(comment));
        place += option_bytes;
    }
    constexpr std::uint32_t kEndOfOptions = 0;
    std::memcpy(place, &kEndOfOptions, sizeof kEndOfOptions);
    std::memcpy(place + sizeof kEndOfOptions, &head.bytes, sizeof head.bytes);
    if (at_once_ || used_ >= kBufferBytes)
        write_out();
}

void Capture::finish(std::string_view results) {
    if (!failure_.empty())
        return;
    write_kept();
    begin_block(pcapng::block::kStatistics);
    put_word(std::uint32_t{0}); // of the first interface, as a block must be of one
    put_word(static_cast<std::uint32_t>(last_time_ >> 32));
    put_word(static_cast<std::uint32_t>(last_time_));
    put_option(pcapng::option::kComment, results);
    put_word(std::uint32_t{pcapng::option::kEnd});
    end_block();
    write_out();
    note_error();
}

// --- blocks in the buffer ---

/// Room for so many more bytes, whatever was there before.
std::byte* Capture::grow(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes)
        buffer_.resize(used_ + bytes);
    return buffer_.data() + std::exchange(used_, used_ + bytes);
}

void Capture::put(std::span<const std::byte> bytes) {
    fill(grow(pcapng::padded(bytes.size())), bytes);
}

template <class T>
void Capture::put_word(T value) {
    static_assert(sizeof value % 4 == 0);
    put(wire::bytes_of(value));
}

void Capture::put_option(std::uint16_t code, std::string_view value) {
    value = value.substr(0, kOptionBytesMax);
    put_word(static_cast<std::uint32_t>(code | (value.size() << 16)));
    put(bytes_of(value));
}

void Capture::begin_block(std::uint32_t type) {
    block_ = used_;
    put_word(type);
    put_word(std::uint32_t{0}); // its length, when that is known
}

void Capture::end_block() {
    const auto bytes = static_cast<std::uint32_t>(used_ - block_ + sizeof(std::uint32_t));
    wire::store(buffer_, block_ + sizeof bytes, bytes);
    put_word(bytes);
}

/// Nothing more is written after the first error: a file with a hole would be no capture.
void Capture::write_out() {
    writer_.hand_over(buffer_, std::exchange(used_, 0));
    if (at_once_ || writer_.error() != 0)
        note_error();
}

void Capture::note_error() {
    writer_.wait();
    if (failure_.empty() && writer_.error() != 0)
        failure_ =
            fmt::format("{}: it is cut off at frame {}", std::strerror(writer_.error()), frames_);
}

} // namespace mesh::host
