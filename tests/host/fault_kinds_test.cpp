// The kinds of faults, each of them: every listed kind has an effect, and help, report and capture
// name it.
#include "host-tools/mesh/cables/cable_faults.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/plan/fault_plan.hpp"
#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace mesh::host {
namespace fault_kinds_test {

constexpr Network kCube{Topology::cube, 3};

/// A packet of 8 bytes of payload.
Bytes data_frame() {
    constexpr std::size_t kPayloadBytes = 8;
    Bytes frame(wire::kHeadBytes + wire::kPacketHeaderBytes + kPayloadBytes);
    wire::LinkHeader link;
    link.kind = wire::Kind::data;
    link.packet_bytes = static_cast<std::uint16_t>(frame.size() - wire::kHeadBytes);
    wire::write_head(link, {}, std::span(frame).first<wire::kHeadBytes>());
    wire::PacketHeader packet;
    packet.payload_bytes = kPayloadBytes;
    const auto bytes = std::span(frame).subspan(wire::kHeadBytes);
    wire::write_packet_header(packet, bytes.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(bytes);
    return frame;
}

/// The faults of a frame on a cable with this kind of fault.
FrameFaults suffered(const FaultKind& kind, double amount) {
    CableFaults faults(1, 0);
    faults.set(number_of(kind), amount);
    return faults.draw(data_frame());
}

/// A mesh that notes the effects of faults.
class Noting final : public FaultyMesh {
public:
    void set(const Incident&, const FrameFault&, double) override { ++done; }
    void kill(NodeId) override { ++done; }
    void hang(NodeId) override { ++done; }
    void restart(NodeId) override { ++done; }

    unsigned done = 0;
};

TEST(FaultKinds, EachDoesSomethingWhenItHappens) {
    for (const FaultKind* kind : fault_kinds()) {
        Noting mesh;
        kind->happen({0, kind, node_at(1), port_at(0)}, mesh);
        EXPECT_EQ(mesh.done, 1u) << kind->name();
    }
}

TEST(FaultKinds, EachOfFramesChangesWhatComesOutOfItsCable) {
    for (const FaultKind* kind : fault_kinds()) {
        if (kind->of_frames() == nullptr)
            continue;
        const FrameFaults faults = suffered(*kind, 1);
        EXPECT_TRUE(faults.lost || faults.doubled || faults.late || faults.changes() ||
                    faults.delay_us != 0)
            << kind->name();
        EXPECT_EQ(faults.kinds, FaultSet{1} << number_of(*kind)) << "and is counted as itself";
        EXPECT_EQ(kind->of_frames()->changes_bytes(), faults.changes()) << kind->name();
        EXPECT_NE(kind->of_frames()->words(faults), "") << "a capture says it";
        EXPECT_EQ(suffered(*kind, 0).kinds, 0u) << kind->name();
    }
}

TEST(FaultKinds, ALostFrameSuffersNothingElse) {
    for (const char* name : {"cut", "drop"}) {
        CableFaults faults(1, 0);
        for (const FaultKind* kind : fault_kinds())
            if (kind->has_amount() || kind->name() == name)
                faults.set(number_of(*kind), 1);
        const FrameFaults suffered = faults.draw(data_frame());
        EXPECT_TRUE(suffered.lost);
        EXPECT_EQ(suffered.kinds, FaultSet{1} << number_of(*fault_named(name))) << name;
    }
}

TEST(FaultKinds, TheCopyOfADoubledFrameIsAsTheFrameWentIn) {
    CableFaults faults(1, 0);
    for (const char* name : {"dup", "corrupt", "truncate"})
        faults.set(number_of(*fault_named(name)), 1);
    const Transit first{1, 88, false, faults.draw(data_frame())};
    EXPECT_TRUE(first.faults.doubled && first.faults.flip != 0 && first.faults.bytes != 0);
    EXPECT_FALSE(first.copy().faults.changes());
    for (const char* name : {"corrupt", "truncate"})
        EXPECT_EQ(fault_named(name)->of_frames()->words(first.copy().faults), "") << name;
}

TEST(FaultKinds, ATruncatedPacketKeepsItsHeadAndLosesAByteAtLeast) {
    std::set<unsigned> sizes;
    CableFaults faults(1, 0);
    faults.set(number_of(*fault_named("truncate")), 1);
    const Bytes frame = data_frame();
    for (unsigned turn = 0; turn < 1000; ++turn)
        sizes.insert(faults.draw(frame).bytes);
    EXPECT_EQ(sizes.size(), frame.size() - wire::kHeadBytes) << "each end is drawn";
    EXPECT_EQ(*sizes.begin(), wire::kHeadBytes);
    EXPECT_EQ(*sizes.rbegin(), frame.size() - 1);
    Bytes hello(wire::kHeadBytes);
    EXPECT_EQ(faults.draw(hello).kinds, 0u) << "a frame without a packet is spared";
}

TEST(FaultKinds, EachHasItsNameItsFormsAndItsKeysForItself) {
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (const FaultKind* kind : fault_kinds()) {
        EXPECT_TRUE(names.insert(kind->name()).second) << kind->name();
        EXPECT_EQ(fault_named(kind->name()), kind);
        ASSERT_FALSE(kind->forms().empty()) << kind->name();
        for (const FaultForm& form : kind->forms())
            EXPECT_TRUE(form.form.starts_with(std::string(kind->name()) + ":")) << form.form;
        if (kind->is_listed()) {
            EXPECT_TRUE(keys.insert(kind->name()).second) << kind->name();
        }
        if (kind->of_frames() != nullptr) {
            EXPECT_TRUE(keys.insert(kind->of_frames()->count_key()).second) << kind->name();
        }
    }
    EXPECT_EQ(fault_named("melt"), nullptr);
}

TEST(FaultKinds, EachIsReadFromAllWaysToWriteIt) {
    for (const FaultKind* kind : fault_kinds())
        for (const FaultForm& form : kind->forms()) {
            std::string text(form.form);
            for (const auto& [word, value] : {std::pair{"NODE", "1"},
                                              {"PORT", "2"},
                                              {":P", ":0.5"},
                                              {":US", ":7"},
                                              {":D", ":1"}})
                if (const auto at = text.find(word); at != std::string::npos)
                    text.replace(at, std::string_view(word).size(), value);
            const auto specs = parse_faults(text, kCube);
            ASSERT_EQ(specs.size(), 1u) << text;
            EXPECT_EQ(specs[0].kind, kind) << text;
        }
}

} // namespace fault_kinds_test
} // namespace mesh::host
