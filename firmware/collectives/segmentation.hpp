// Segmentation of the message of a collective: into external packets, and these into fragments,
// each of which fits a frame.
#pragma once

#include "wire/frame.hpp"

#include <cstdint>

namespace mesh {

/// A message cut into external packets, which the model moves as one each, and these into the
/// fragments that fit a frame.
struct Segmentation {
    std::uint32_t total_bytes = 0;
    std::uint32_t packet_bytes = wire::payload_bytes_max(); // of an external packet, 1 or more

    /// One fragment: `packet` is the number of its external packet.
    struct Fragment {
        std::uint32_t packet;
        std::uint32_t position; // in the message
        std::uint16_t bytes;
        bool first; // of its external packet

        /// True for the last fragment of the message.
        constexpr bool ends(const Segmentation& segmentation) const {
            return position + bytes == segmentation.total_bytes;
        }
    };

    /// External packets; an empty message is one empty packet.
    constexpr std::uint32_t packets() const {
        return total_bytes == 0 ? 1 : (total_bytes - 1) / packet_bytes + 1;
    }
    /// Payload bytes of external packet `packet`, 0 to packets() - 1.
    constexpr std::uint32_t bytes_of(std::uint32_t packet) const {
        return packet + 1 < packets() ? packet_bytes : total_bytes - packet * packet_bytes;
    }
    /// Fragments of all of them.
    constexpr std::uint32_t fragments() const {
        const std::uint32_t last = packets() - 1;
        return last * fragments_of(packet_bytes) + fragments_of(bytes_of(last));
    }
    /// The fragment that begins at `position`; the message's first one begins at 0.
    constexpr Fragment at(std::uint32_t position) const {
        const std::uint32_t packet = position / packet_bytes;
        const std::uint32_t inside = position - packet * packet_bytes;
        const std::uint32_t left = bytes_of(packet) - inside;
        const std::uint32_t most = wire::payload_bytes_max();
        return {packet, position, static_cast<std::uint16_t>(left < most ? left : most),
                inside == 0};
    }
    /// Fills the fields of a packet header that describe a fragment.
    constexpr void describe(const Fragment& fragment, wire::PacketHeader& header) const {
        header.message = fragment.packet;
        header.position = fragment.position;
        header.total_bytes = total_bytes;
        header.unit_bytes = fragment.first ? bytes_of(fragment.packet) & wire::kUnitBytesMax : 0;
        header.flags = fragment.first ? 0 : wire::packet_flag::kPart;
    }

private:
    static constexpr std::uint32_t fragments_of(std::uint32_t bytes) {
        const std::uint32_t most = wire::payload_bytes_max();
        return bytes == 0 ? 1 : (bytes - 1) / most + 1;
    }
};

} // namespace mesh
