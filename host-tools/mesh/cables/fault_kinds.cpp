// The kinds of faults. To add one: a class here, its object, and a place for that in kKinds.
//
// A kind that strikes frames writes its effect into FrameFaults (strike()), and the loom carries it
// out. A class without strike(), or, for other kinds, without happen(), does not compile.
#include "faults.hpp"
#include "wire/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mesh::host {

namespace {

// --- of frames, in the order in which they strike one ---

class Cut final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 3> kForms{{
        {"cut:NODE/PORT", "a cable is cut, both directions"},
        {"cut:NODE>PORT", "a cable is cut, outgoing only"},
        {"cut:random", "a cable that the seed draws is cut"},
    }};
    constexpr Cut() : FrameFault("cut", FaultArgument::cable, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable&, double, Rng&) const override {
        return faults.lost = true;
    }
    bool breaks_ways() const override { return true; }
    bool is_listed() const override { return true; }
    std::string_view count_key() const override { return "cut_frames"; }
    std::string_view count_words() const override { return "swallowed by cut cables"; }
};

/// Another payload under a checksum that fits: a cable that lies.
class Alter final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 2> kForms{{
        {"alter:NODE/PORT", "payloads on a cable are altered, under a checksum that fits"},
        {"alter:NODE>PORT", "the same, outgoing only"},
    }};
    constexpr Alter() : FrameFault("alter", FaultArgument::cable, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable& frame, double, Rng&) const override {
        return faults.falsified = frame.has_payload();
    }
    std::string words(const FrameFaults&) const override { return "altered"; }
    bool changes_bytes() const override { return true; }
};

class Drop final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"drop:P", "each frame is lost with probability P, on each link and direction"},
    }};
    constexpr Drop() : FrameFault("drop", FaultArgument::probability, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable&, double p, Rng& rng) const override {
        return faults.lost = rng.chance(p);
    }
};

class Duplicate final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"dup:P", "a frame comes twice"},
    }};
    constexpr Duplicate() : FrameFault("dup", FaultArgument::probability, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable&, double p, Rng& rng) const override {
        return faults.doubled = rng.chance(p);
    }
};

/// Another byte behind the cable header: a burst of at most 8 bits, which the CRC always sees.
class Corrupt final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"corrupt:P", "one byte of a frame becomes another"},
    }};
    constexpr Corrupt() : FrameFault("corrupt", FaultArgument::probability, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable& frame, double p, Rng& rng) const override {
        if (!rng.chance(p))
            return false;
        const std::uint64_t bytes = frame.bytes.size() - wire::offset::kKind;
        faults.where = static_cast<std::uint16_t>(wire::offset::kKind + rng.below(bytes));
        faults.flip = static_cast<std::uint8_t>(1 + rng.below(255));
        return true;
    }
    std::string words(const FrameFaults& faults) const override {
        if (faults.flip == 0)
            return {};
        return fmt::format("corrupt byte {} bits 0x{:02x}", faults.where, faults.flip);
    }
    bool changes_bytes() const override { return true; }
};

/// The head comes, and the packet behind it only in part. A frame without a packet is spared.
class Truncate final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"truncate:P", "a packet ends early, at a byte that the seed draws"},
    }};
    constexpr Truncate() : FrameFault("truncate", FaultArgument::probability, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable& frame, double p, Rng& rng) const override {
        if (frame.bytes.size() <= wire::kHeadBytes || !rng.chance(p))
            return false;
        const std::uint64_t packet_bytes = frame.bytes.size() - wire::kHeadBytes;
        faults.bytes = static_cast<std::uint16_t>(wire::kHeadBytes + rng.below(packet_bytes));
        return true;
    }
    std::string words(const FrameFaults& faults) const override {
        return faults.bytes == 0 ? std::string{} : fmt::format("truncate to {}", faults.bytes);
    }
    bool changes_bytes() const override { return true; }
};

class Reorder final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"reorder:P", "a frame comes after the next one"},
    }};
    constexpr Reorder() : FrameFault("reorder", FaultArgument::probability, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable& frame, double p, Rng& rng) const override {
        return faults.late = !frame.one_waits && rng.chance(p);
    }
};

class Delay final : public FrameFault {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"delay:US", "each frame takes so many microseconds longer; model time stays as it is"},
    }};
    constexpr Delay() : FrameFault("delay", FaultArgument::microseconds, kForms) {}
    bool strike(FrameFaults& faults, const FrameOnCable&, double us, Rng&) const override {
        faults.delay_us = static_cast<std::uint32_t>(us);
        return faults.delay_us != 0;
    }
};

constexpr Cut kCut;
constexpr Alter kAlter;
constexpr Drop kDrop;
constexpr Duplicate kDuplicate;
constexpr Corrupt kCorrupt;
constexpr Truncate kTruncate;
constexpr Reorder kReorder;
constexpr Delay kDelay;

// --- of cables and nodes ---

class CutDimension final : public FaultKind {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"cutdim:D", "all cables of a dimension are cut"},
    }};
    constexpr CutDimension() : FaultKind("cutdim", FaultArgument::dimension, kForms) {}
    void happen(const Incident& incident, FaultyMesh& mesh) const override {
        kCut.happen(incident, mesh);
    }
    const FaultKind* of_each_cable() const override { return &kCut; }
    bool breaks_ways() const override { return true; }
};

class Mend final : public FaultKind {
public:
    static constexpr std::array<FaultForm, 1> kForms{{
        {"mend:NODE/PORT", "a cable that was cut before carries again; also mend:random"},
    }};
    constexpr Mend() : FaultKind("mend", FaultArgument::cable, kForms) {}
    void happen(const Incident& incident, FaultyMesh& mesh) const override {
        mesh.set(incident, kCut, 0);
    }
    const FaultKind* undoes() const override { return &kCut; }
    bool breaks_ways() const override { return true; }
    bool is_listed() const override { return true; }
};

/// A fault of a node, with the function of FaultyMesh that carries it out.
class NodeFault final : public FaultKind {
public:
    using Effect = void (FaultyMesh::*)(NodeId);
    constexpr NodeFault(std::string_view name, std::span<const FaultForm> forms, Effect effect)
        : FaultKind(name, FaultArgument::node, forms),
          effect_(effect) {}
    void happen(const Incident& incident, FaultyMesh& mesh) const override {
        (mesh.*effect_)(incident.node);
    }
    bool breaks_ways() const override { return true; }
    bool is_listed() const override { return true; }

private:
    Effect effect_;
};

constexpr std::array<FaultForm, 2> kKillForms{{
    {"kill:NODE", "a node is ended at once"},
    {"kill:random", "a node that the seed draws, never the root"},
}};
constexpr std::array<FaultForm, 1> kHangForms{{
    {"hang:NODE", "a node stops working without a sign; also hang:random"},
}};
constexpr std::array<FaultForm, 1> kRestartForms{{
    {"restart:NODE", "a node is reset and comes back; also restart:random"},
}};

constexpr CutDimension kCutDimension;
constexpr Mend kMend;
constexpr NodeFault kKill{"kill", kKillForms, &FaultyMesh::kill};
constexpr NodeFault kHang{"hang", kHangForms, &FaultyMesh::hang};
constexpr NodeFault kRestart{"restart", kRestartForms, &FaultyMesh::restart};

constexpr auto kKinds = std::to_array<const FaultKind*>({
    &kCut,
    &kAlter,
    &kDrop,
    &kDuplicate,
    &kCorrupt,
    &kTruncate,
    &kReorder,
    &kDelay,
    &kCutDimension,
    &kMend,
    &kKill,
    &kHang,
    &kRestart,
});
static_assert(kKinds.size() <= kFaultKindsMax);
static_assert(std::ranges::find(kKinds, nullptr) == kKinds.end());

} // namespace

void FrameFault::happen(const Incident& incident, FaultyMesh& mesh) const {
    mesh.set(incident, *this, has_amount() ? incident.amount : 1);
}

bool FrameOnCable::has_payload() const {
    wire::LinkHeader header;
    return wire::read_head(bytes, bytes.size(), header) == wire::Parse::ok &&
           header.kind == wire::Kind::data && header.packet_bytes > wire::kPacketHeaderBytes;
}

std::span<const FaultKind* const> fault_kinds() { return kKinds; }

std::size_t number_of(const FaultKind& kind) {
    const auto* const at = std::ranges::find(kKinds, &kind);
    promise(at != kKinds.end(), "a kind of fault that is not listed");
    return static_cast<std::size_t>(at - kKinds.begin());
}

const FaultKind* fault_named(std::string_view name) {
    const auto* const at = std::ranges::find(kKinds, name, &FaultKind::name);
    return at == kKinds.end() ? nullptr : *at;
}

const FrameFault& faults::cut = kCut;
const FaultKind& faults::kill = kKill;
const FaultKind& faults::restart = kRestart;

} // namespace mesh::host
