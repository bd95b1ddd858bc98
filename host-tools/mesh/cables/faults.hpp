// The faults of the cables and nodes of a run, and when each begins. A kind of fault is one object,
// listed in fault_kinds.cpp: how it is written, and what it does. Command line, help, loom, report,
// page and capture go through that list, so a new kind is written there and nowhere else.
//
// Faults of frames (drop, dup, cut ...) belong to directed cables, those of nodes (kill, hang,
// restart) to a node. Each begins at a moment: the number of packets that the loom has delivered.
// Random choices are made when the plan is made, or by the generator of a cable, so that a seed and
// a plan repeat a run exactly.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/promise.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// A small generator with one word of state (splitmix64); one for each directed cable.
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
    /// Uniform in 0 .. bound-1; `bound` is not 0 (promise).
    std::uint64_t below(std::uint64_t bound) {
        promise(bound != 0, "a number below 0 was to be drawn");
        return next() % bound;
    }
    bool chance(double probability) {
        return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
    }

private:
    std::uint64_t state_;
};

/// A set of kinds: bit i stands for fault_kinds()[i].
using FaultSet = std::uint32_t;

/// The faults of one frame on its cable. Kinds of faults write them; the loom carries them out.
struct FrameFaults {
    FaultSet kinds = 0;      // those that struck the frame
    bool lost = false;       // it does not come out
    bool doubled = false;    // a second copy, as it went in, follows
    bool late = false;       // the next frame passes it
    bool falsified = false;  // another payload, under a checksum that fits
    std::uint8_t flip = 0;   // bits that change in the byte at `where`; 0: none
    std::uint16_t where = 0; // from the beginning of the frame
    std::uint16_t bytes = 0; // that come out; 0: all
    std::uint32_t delay_us = 0;

    /// True if other bytes come out than went in.
    bool changes() const { return falsified || flip != 0 || bytes != 0; }
};

/// A frame as it enters its cable.
struct FrameOnCable {
    std::span<const std::byte> bytes; // without the padding that hardware may add
    bool one_waits = false;           // a frame that came before waits there for the next to pass

    /// True for a packet with at least one byte of payload.
    bool has_payload() const;
};

/// How the argument of a kind is written behind its colon.
enum class FaultArgument : std::uint8_t {
    probability,  // P, 0 to 1: on all cables, or with xK on those that the seed draws
    microseconds, // US, the same
    cable,        // NODE/PORT, NODE>PORT (outgoing only), or random
    dimension,    // D: all cables of that dimension
    node,         // NODE, or random
};

/// One way to write a fault, and what it does, for help.
struct FaultForm {
    std::string_view form;
    std::string_view phrase;
};

class FaultKind;
class FrameFault;

/// A fault that happens once, when `after` packets have been delivered.
struct Incident {
    std::uint64_t after = 0;
    const FaultKind* kind = nullptr;
    NodeId node = kNoNode; // of a cable, or itself; kNoNode: all cables
    Port port = kNoPort;
    bool one_way = false; // outgoing only
    double amount = 0; // of faults of frames: probability or microseconds; 0: no more from now on
};

/// Incidents in the order in which they happen.
struct FaultPlan {
    std::uint64_t seed = 1;
    std::vector<Incident> incidents;
};

/// The effects that a fault can have on a mesh. The loom implements them.
class FaultyMesh {
public:
    virtual ~FaultyMesh() = default;
    /// Frames on the cable of `incident`, or on all, suffer `fault` from now on, by `amount`.
    virtual void set(const Incident& incident, const FrameFault& fault, double amount) = 0;
    virtual void kill(NodeId node) = 0;
    virtual void hang(NodeId node) = 0;
    virtual void restart(NodeId node) = 0;
};

/// A kind of fault. There is one constant object of each, in fault_kinds().
class FaultKind {
public:
    constexpr FaultKind(std::string_view name, FaultArgument argument,
                        std::span<const FaultForm> forms)
        : name_(name),
          argument_(argument),
          forms_(forms) {}

    /// The word before the colon, and the key in a report.
    constexpr std::string_view name() const { return name_; }
    constexpr FaultArgument argument() const { return argument_; }
    constexpr bool has_amount() const {
        return argument_ == FaultArgument::probability || argument_ == FaultArgument::microseconds;
    }
    constexpr std::span<const FaultForm> forms() const { return forms_; }

    /// Makes the fault happen to the cable or node of `incident`.
    virtual void happen(const Incident& incident, FaultyMesh& mesh) const = 0;
    /// This kind as a fault of frames; nullptr: it strikes nodes, or undoes another kind.
    virtual const FrameFault* of_frames() const { return nullptr; }
    /// The kind that this one undoes, which must happen first; nullptr: it undoes none.
    virtual const FaultKind* undoes() const { return nullptr; }
    /// The kind that this one brings to each cable of its dimension; nullptr: it has no dimension.
    virtual const FaultKind* of_each_cable() const { return nullptr; }
    /// True if it takes away a node, or a cable for good, and so ways by which frames went.
    virtual bool breaks_ways() const { return false; }
    /// True if a report lists, by name(), the cables or nodes to which it has happened.
    virtual bool is_listed() const { return false; }

protected:
    ~FaultKind() = default; // nobody owns one by this type

private:
    std::string_view name_;
    FaultArgument argument_;
    std::span<const FaultForm> forms_;
};

/// A kind of fault that strikes frames: each frame that enters a cable with this fault.
class FrameFault : public FaultKind {
public:
    using FaultKind::FaultKind;

    void happen(const Incident& incident, FaultyMesh& mesh) const override;
    const FrameFault* of_frames() const override { return this; }

    /// Writes the effect on `frame` into `faults`, and returns true; false if the frame is
    /// spared. Asked of frames that are not lost yet, in the order of fault_kinds(), while `amount`
    /// is not 0. `rng` is the cable's; every draw is part of what a seed repeats.
    virtual bool strike(FrameFaults& faults, const FrameOnCable& frame, double amount,
                        Rng& rng) const = 0;
    /// The words of a capture for a frame that this fault struck: where the frame goes in, or, if
    /// the fault changes bytes, where the frame comes out; "": none, as this copy is spared.
    virtual std::string words(const FrameFaults&) const { return std::string(name()); }
    virtual bool changes_bytes() const { return false; }
    /// The number of frames that it struck: its key in a report, and its words in a table.
    virtual std::string_view count_key() const { return name(); }
    virtual std::string_view count_words() const { return name(); }

protected:
    ~FrameFault() = default;
};

/// All kinds: first those of frames, in the order in which they strike one.
std::span<const FaultKind* const> fault_kinds();
inline constexpr std::size_t kFaultKindsMax = 8 * sizeof(FaultSet);

/// The place of `kind` in fault_kinds().
std::size_t number_of(const FaultKind& kind);
/// The kind of that name; nullptr if there is none.
const FaultKind* fault_named(std::string_view name);

/// The kinds that code outside their own objects must know.
namespace faults {
extern const FrameFault& cut;
extern const FaultKind& kill;
extern const FaultKind& restart;
} // namespace faults

} // namespace mesh::host
