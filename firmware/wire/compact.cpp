// Fronts of frames: see compact.hpp.
#include "wire/compact.hpp"

#include "wire/bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mesh::wire {

namespace {

constexpr unsigned kPacketFollows = 8;
constexpr unsigned kKindMask = 7;
constexpr unsigned kPortShift = 4;
constexpr unsigned kVarintBits = 7;

/// A field of a header.
struct Field {
    std::uint8_t at;
    std::uint8_t bytes;
};

// In the order of the front. The usual value is 0.
constexpr std::array<Field, 7> kLinkFields{{{offset::kSequence, 2},
                                            {offset::kAcknowledged, 2},
                                            {offset::kRefused, 4},
                                            {offset::kFreeBuffers, 2},
                                            {offset::kHops, 2},
                                            {offset::kFlags, 2},
                                            {offset::kModelTime, 8}}};
constexpr unsigned kTime = 6;
/// Beside the fields of the link header: the time is in whole units; a time of none is kNever.
constexpr unsigned kWholeUnits = 1u << kLinkFields.size();

// The fields of most packets first: then the mask is one byte.
constexpr std::array<Field, 11> kPacketFields{{{packet_offset::kRule, 1},
                                               {packet_offset::kTag, 2},
                                               {packet_offset::kSource, 4},
                                               {packet_offset::kMessage, 4},
                                               {packet_offset::kPosition, 4},
                                               {packet_offset::kTotalBytes, 4},
                                               {packet_offset::kDestination, 4},
                                               {packet_offset::kSubtree, 1},
                                               {packet_offset::kService, 1},
                                               {packet_offset::kFlags, 1},
                                               {packet_offset::kUnitBytes, 4}}};
constexpr unsigned kTotal = 5;
constexpr unsigned kDestination = 6;
constexpr unsigned kUnit = 10;

/// Bytes of all fields at their largest.
template <std::size_t kCount>
constexpr std::size_t bytes_max(const std::array<Field, kCount>& fields) {
    std::size_t bytes = 0;
    for (const Field& field : fields)
        bytes += (8u * field.bytes + kVarintBits - 1) / kVarintBits;
    return bytes;
}
/// First byte, two masks and the checksum beside them.
static_assert(1 + 1 + bytes_max(kLinkFields) + 2 + bytes_max(kPacketFields) + 4 <= kFrontBytesMax);

std::uint64_t load_field(std::span<const std::byte> bytes, const Field& field) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + field.at, field.bytes);
    return value;
}

void store_field(std::span<std::byte> bytes, const Field& field, std::uint64_t value) {
    std::memcpy(bytes.data() + field.at, &value, field.bytes);
}

class Writer {
public:
    explicit Writer(Front& front) : front_(front) { front.size = 0; }
    void byte(std::byte value) { front_.bytes[front_.size++] = value; }
    void number(std::uint64_t value) {
        constexpr std::uint64_t kMore = 1u << kVarintBits;
        for (; value >= kMore; value >>= kVarintBits)
            byte(static_cast<std::byte>(value | kMore));
        byte(static_cast<std::byte>(value));
    }

private:
    Front& front_;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::byte byte() {
        if (place_ < bytes_.size())
            return bytes_[place_++];
        failed_ = true;
        return {};
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += kVarintBits) {
            const auto one = std::to_integer<std::uint64_t>(byte());
            value |= (one & 0x7F) << shift;
            if (one < 0x80)
                return value;
        }
        failed_ = true;
        return 0;
    }
    bool failed() const { return failed_; }
    std::size_t place() const { return place_; }

private:
    std::span<const std::byte> bytes_;
    std::size_t place_ = 0;
    bool failed_ = false;
};

void write_link(Writer& writer, std::span<const std::byte> head) {
    std::array<std::uint64_t, kLinkFields.size()> values{};
    unsigned mask = 0;
    for (unsigned field = 0; field < values.size(); ++field)
        values[field] = load_field(head, kLinkFields[field]);
    std::uint64_t& time = values[kTime];
    if (time == kNever || (time != 0 && time % kTicksPerUnit == 0)) {
        mask = kWholeUnits;
        time = time == kNever ? 0 : time / kTicksPerUnit;
    }
    for (unsigned field = 0; field < values.size(); ++field)
        mask |= values[field] != 0 ? 1u << field : 0u;
    writer.byte(static_cast<std::byte>(mask));
    for (const std::uint64_t value : values)
        if (value != 0)
            writer.number(value);
}

void read_link(Reader& reader, std::span<std::byte> head) {
    const auto mask = std::to_integer<unsigned>(reader.byte());
    for (unsigned field = 0; field < kLinkFields.size(); ++field) {
        std::uint64_t value = (mask >> field & 1u) != 0 ? reader.number() : 0;
        if (field == kTime && (mask & kWholeUnits) != 0)
            value = value == 0 ? kNever : value * kTicksPerUnit;
        store_field(head, kLinkFields[field], value);
    }
}

/// The value of a field of a packet header on the line: nodes one up, so that none is 0; of the
/// message the bytes behind this packet, as the last one has none; and the number of the call below
/// the bytes of the external packet, which only the first of its packets says.
std::uint64_t on_line(std::uint64_t value, unsigned field, std::uint32_t bytes_to_here) {
    const auto word = static_cast<std::uint32_t>(value);
    switch (field) {
    case kTotal: return word - bytes_to_here;
    case kDestination: return word + 1;
    case kUnit: return std::rotl(word, kCallBits);
    default: return value;
    }
}
std::uint64_t off_line(std::uint64_t value, unsigned field, std::uint32_t bytes_to_here) {
    const auto word = static_cast<std::uint32_t>(value);
    switch (field) {
    case kTotal: return word + bytes_to_here;
    case kDestination: return word - 1;
    case kUnit: return std::rotr(word, kCallBits);
    default: return value;
    }
}

/// The position in its message of the byte behind this packet.
std::uint32_t bytes_to_here(std::span<const std::byte> header) {
    return load<std::uint32_t>(header, packet_offset::kPosition) +
           load<std::uint16_t>(header, packet_offset::kPayloadBytes);
}

void write_packet(Writer& writer, std::span<const std::byte> header) {
    std::array<std::uint64_t, kPacketFields.size()> values{};
    std::uint64_t mask = 0;
    for (unsigned field = 0; field < values.size(); ++field) {
        values[field] =
            on_line(load_field(header, kPacketFields[field]), field, bytes_to_here(header));
        mask |= values[field] != 0 ? std::uint64_t{1} << field : 0;
    }
    writer.number(mask);
    for (const std::uint64_t value : values)
        if (value != 0)
            writer.number(value);
}

using PacketValues = std::array<std::uint64_t, kPacketFields.size()>;

PacketValues read_packet_values(Reader& reader) {
    PacketValues values{};
    const std::uint64_t mask = reader.number();
    for (unsigned field = 0; field < values.size(); ++field)
        values[field] = (mask >> field & 1u) != 0 ? reader.number() : 0;
    return values;
}

void store_packet_values(const PacketValues& values, std::size_t payload_bytes,
                         std::span<std::byte> header) {
    store(header, packet_offset::kPayloadBytes, static_cast<std::uint16_t>(payload_bytes));
    for (unsigned field = 0; field < values.size(); ++field)
        store_field(header, kPacketFields[field],
                    off_line(values[field], field, bytes_to_here(header)));
}

/// Both headers say how long the packet is, and so does the frame.
bool lengths_fit(std::span<const std::byte> head, std::span<const std::byte> packet) {
    if (load<std::uint16_t>(head, offset::kPacketBytes) != packet.size())
        return false;
    return packet.empty() ||
           (packet.size() >= kPacketHeaderBytes && packet.size() <= kPacketBytesMax &&
            load<std::uint16_t>(packet, packet_offset::kPayloadBytes) ==
                packet.size() - kPacketHeaderBytes);
}

} // namespace

bool write_front(std::span<const std::byte> head, std::span<const std::byte> packet, Front& out) {
    const auto kind = load<std::uint8_t>(head, offset::kKind);
    const auto port = load<Port>(head, offset::kPort);
    const bool named = index(port) < kCompactPorts || port == kHostPort;
    if (load<std::uint16_t>(head, offset::kEtherType) != kEtherType || kind > kKindMask || !named ||
        !lengths_fit(head, packet))
        return false;
    Writer writer(out);
    const unsigned number = port == kHostPort ? kCompactPorts : index(port);
    writer.byte(static_cast<std::byte>(kind | (packet.empty() ? 0 : kPacketFollows) |
                                       (number << kPortShift)));
    write_link(writer, head);
    auto checksum = load<std::uint32_t>(head, offset::kLinkCrc);
    if (!packet.empty()) {
        write_packet(writer, packet);
        checksum ^= load<std::uint32_t>(packet, packet_offset::kPacketCrc);
    }
    store(out.bytes, out.size, checksum);
    out.size += sizeof checksum;
    return true;
}

FrontRead read_front(std::span<const std::byte> bytes, std::size_t frame_bytes,
                     std::span<std::byte, kHeadBytes> head,
                     std::span<std::byte, kPacketHeaderBytes> packet_header) {
    Reader reader(bytes);
    const auto first = std::to_integer<unsigned>(reader.byte());
    const unsigned port = first >> kPortShift;
    std::ranges::fill(head.first<kCableBytes>(), std::byte{});
    store(head, offset::kEtherType, kEtherType);
    store(head, offset::kKind, static_cast<std::uint8_t>(first & kKindMask));
    store(head, offset::kPort, port == kCompactPorts ? kHostPort : port_at(port));
    read_link(reader, head);
    const bool follows = (first & kPacketFollows) != 0;
    const PacketValues values = follows ? read_packet_values(reader) : PacketValues{};
    const std::size_t at = reader.place();
    const std::size_t front_bytes = at + sizeof(std::uint32_t);
    if (reader.failed() || front_bytes > bytes.size() || front_bytes > frame_bytes)
        return {};
    const std::size_t payload_bytes = frame_bytes - front_bytes;
    if (payload_bytes > (follows ? kPayloadBytesMax : 0))
        return {};
    const std::size_t packet_bytes = follows ? kPacketHeaderBytes + payload_bytes : 0;
    store(head, offset::kPacketBytes, static_cast<std::uint16_t>(packet_bytes));
    if (follows)
        store_packet_values(values, payload_bytes, packet_header);
    return {front_bytes, load<std::uint32_t>(bytes, at), packet_bytes};
}

void restore_checksums(const FrontRead& front, std::span<std::byte> head,
                       std::span<std::byte> packet) {
    std::uint32_t checksum = front.checksum;
    if (front.packet_bytes != 0) {
        seal_packet(packet);
        checksum ^= load<std::uint32_t>(packet, packet_offset::kPacketCrc);
    }
    store(head, offset::kLinkCrc, checksum);
}

} // namespace mesh::wire
