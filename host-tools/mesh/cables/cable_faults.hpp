// The faults of one directed cable: which kinds its frames suffer, what becomes of each frame, and
// the frame that waits for the next to pass. The loom has one for each cable that ever had a fault.
#pragma once

#include "faults.hpp"
#include "lockstep.hpp"
#include "tap.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh::host {

/// Bytes that checksums cover: the frame without the padding that hardware may add. `frame` has a
/// head at least.
std::size_t meaningful_bytes(std::span<const std::byte> frame);

/// Another payload, under a checksum that fits. `frame` has a payload.
void falsify(std::span<std::byte> frame);

class CableFaults {
public:
    /// `stream` parts the draws of this cable from those of others.
    CableFaults(std::uint64_t seed, std::uint32_t stream) : rng_(seed, stream) {}

    /// From now on frames suffer the kind of this number (number_of()), by `amount`; 0: no more.
    void set(std::size_t kind, double amount) { amounts_[kind] = amount; }
    bool has(std::size_t kind) const { return amounts_[kind] > 0; }

    /// The faults of a frame that enters now. Draws from the cable's generator.
    FrameFaults draw(std::span<const std::byte> frame);

    /// A frame that waits until the next has passed, or until `until_us`; one at a time.
    void keep(std::span<const std::byte> frame, const Transit& transit, std::uint64_t until_us);
    bool keeps() const { return !kept_.empty(); }
    std::uint64_t kept_until_us() const { return kept_until_us_; }
    std::pair<Bytes, Transit> take_kept() { return {std::exchange(kept_, {}), kept_transit_}; }

private:
    std::array<double, kFaultKindsMax> amounts_{};
    Rng rng_;
    Bytes kept_;
    Transit kept_transit_;
    std::uint64_t kept_until_us_ = 0;
};

} // namespace mesh::host
