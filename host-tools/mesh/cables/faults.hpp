// What goes wrong on the cables and with the nodes of a run, and when. Rates (drop, corrupt, dup,
// reorder, delay) belong to directed wires, incidents (cut, mend, alter, kill, hang, restart) to a
// moment: the number of packets that the loom has delivered. What is random is drawn by whoever
// makes the plan, or by the wire's own generator, so that a seed and a plan repeat a run exactly.
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <vector>

namespace mesh::host {

/// A small generator with one word of state (splitmix64); one for each wire.
class Rng {
public:
    Rng(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9E37'79B9'7F4A'7C15u + stream) {
        next();
    }
    std::uint64_t next() {
        state_ += 0x9E37'79B9'7F4A'7C15u;
        std::uint64_t value = state_;
        value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9u;
        value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EBu;
        return value ^ (value >> 31);
    }
    /// Uniform in 0 .. bound-1; `bound` is not 0.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    bool chance(double probability) {
        return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
    }

private:
    std::uint64_t state_;
};

/// Probabilities per frame of one directed wire.
struct Rates {
    double drop = 0;
    double corrupt = 0;
    double dup = 0;
    double reorder = 0;
    std::uint32_t delay_us = 0;

    bool any() const { return drop > 0 || corrupt > 0 || dup > 0 || reorder > 0 || delay_us != 0; }
};

enum class FaultKind : std::uint8_t {
    drop,
    corrupt,
    dup,
    reorder,
    delay,
    cut,
    cutdim,
    mend,  // what was cut of a cable
    alter, // payloads, under a checksum that fits
    kill,
    hang,
    restart
};

/// A change that happens once `after` packets have been delivered.
struct Incident {
    std::uint64_t after = 0;
    FaultKind kind = FaultKind::cut;
    NodeId node = kNoNode; // kNoNode with a rate: every wire
    Port port = kNoPort;
    bool one_way = false;
    double amount = 0;
};

/// Incidents in the order in which they happen.
struct FaultPlan {
    std::uint64_t seed = 1;
    std::vector<Incident> incidents;
};

} // namespace mesh::host
