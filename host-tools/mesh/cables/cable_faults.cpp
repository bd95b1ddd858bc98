#include "cable_faults.hpp"

#include "wire/bytes.hpp"
#include "wire/frame.hpp"

#include <algorithm>

namespace mesh::host {

std::size_t meaningful_bytes(std::span<const std::byte> frame) {
    const auto packet_bytes = wire::load<std::uint16_t>(frame, wire::offset::kPacketBytes);
    return std::min<std::size_t>(frame.size(), wire::kHeadBytes + packet_bytes);
}

void falsify(std::span<std::byte> frame) {
    const auto packet = frame.first(meaningful_bytes(frame)).subspan(wire::kHeadBytes);
    packet[wire::kPacketHeaderBytes] ^= std::byte{0xFF};
    wire::seal_packet(packet);
}

FrameFaults CableFaults::draw(std::span<const std::byte> frame) {
    const FrameOnCable entering{frame.first(meaningful_bytes(frame)), keeps()};
    const auto kinds = fault_kinds();
    FrameFaults faults;
    for (std::size_t at = 0; at < kinds.size() && !faults.lost; ++at)
        if (has(at) && kinds[at]->of_frames()->strike(faults, entering, amounts_[at], rng_))
            faults.kinds |= FaultSet{1} << at;
    return faults;
}

void CableFaults::keep(std::span<const std::byte> frame, const Transit& transit,
                       std::uint64_t until_us) {
    promise(!keeps(), "a cable keeps one frame at a time");
    kept_.assign(frame.begin(), frame.end());
    kept_transit_ = transit;
    kept_until_us_ = until_us;
}

} // namespace mesh::host
