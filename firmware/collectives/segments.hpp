// The common part of reductions and scans: a message in segments of whole elements, and packets
// between neighbours, each of which sends its operand when it is asked for.
#pragma once

#include "collectives/reduction.hpp"
#include "collectives/steps.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace mesh {

/// The kind of a packet of a collective, in the header's field for the number of a message, which
/// single packets do not need. It need not name the subtree: no two use a link in one direction.
/// Segment p of the result is kResult + p.
inline constexpr std::uint32_t kOperand = 0, kAsk = 1, kResult = 2;

/// The message in segments of whole elements; none for a Combiner whose elements cannot be parted.
constexpr BroadcastPlan segments_of(std::uint32_t total_bytes, std::uint16_t packet_bytes,
                                    const Combiner& combiner) {
    if (combiner.combine == nullptr || combiner.element_bytes == 0 ||
        packet_bytes > wire::payload_bytes_max() || total_bytes % combiner.element_bytes != 0)
        return {.packet_bytes = 0};
    const std::size_t segment = packet_bytes - packet_bytes % combiner.element_bytes;
    return {.total_bytes = total_bytes, .packet_bytes = static_cast<std::uint16_t>(segment)};
}

/// Segment `number`, 0 to segments.packets() - 1, of `buffer`, which has total_bytes or more.
inline std::span<std::byte> segment_of(std::span<std::byte> buffer, const BroadcastPlan& segments,
                                       std::uint32_t number) {
    return buffer.subspan(number * segments.packet_bytes, segments.bytes_of(number));
}

/// Copies all of `from`. `to` is as long or longer and does not overlap it.
inline void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
    std::copy(from.begin(), from.end(), to.begin());
}

/// Asks the neighbour across `port` for an operand.
inline void ask(Step& step, Port port) { step.tell(port, kAsk, wire::packet_flag::kTimeless); }

} // namespace mesh
