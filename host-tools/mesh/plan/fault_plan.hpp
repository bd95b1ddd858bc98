// What goes wrong, when: the fault list of the command line as seeded decisions.
//
// Rates (drop, corrupt, dup, reorder, delay) belong to directed wires, incidents (cut, mend, alter,
// kill, hang, restart) to a moment: the number of packets that the loom has delivered. Everything
// random is drawn here or by the wire's own generator, so that seed and spec repeat a plan exactly.
#pragma once

#include "core/network.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
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

/// One entry of the command line.
struct FaultSpec {
    FaultKind kind = FaultKind::drop;
    double amount = 0;                  // probability, or microseconds of delay
    std::optional<NodeId> node;         // of a cable, or itself; none: drawn from the seed
    std::optional<Port> port;           // cut, mend, alter; cutdim
    bool one_way = false;               // cut, alter: outgoing only
    std::uint64_t after = 0;            // packets delivered before it happens
    bool at_random = false;             // `after` is drawn from the seed
    std::optional<std::uint32_t> draws; // xK
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

/// One way to write a fault, and what it does.
struct FaultForm {
    std::string_view form;
    std::string_view phrase;
};
std::span<const FaultForm> fault_forms();

/// Reads a comma list, or with a leading @ a file of one fault a line. UsageError for anything
/// that is not a fault of `network`.
std::vector<FaultSpec> parse_faults(std::string_view text, Network network);

/// Draws everything that the specs leave to the seed. Nodes and moments drawn spare `root`;
/// moments lie below `packets`, the number that an undisturbed run would deliver.
FaultPlan plan_faults(const std::vector<FaultSpec>& specs, Network network, NodeId root,
                      std::uint64_t packets, std::uint64_t seed);

} // namespace mesh::host
