// Trains on cables: whole where nothing can happen to their packets, and else packet by packet.
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/cables/train.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mesh::host {
namespace train_test {

constexpr std::size_t kPayloadBytes = 9;
constexpr std::size_t kPacketBytes = wire::kPacketHeaderBytes + kPayloadBytes;

/// A data frame of node 0 whose packet has a number.
Bytes frame_of(std::uint16_t number, Port port = port_at(0)) {
    Bytes frame(wire::kHeadBytes + kPacketBytes, static_cast<std::byte>(number));
    wire::write_head(
        {.kind = wire::Kind::data, .port = port, .sequence = number, .packet_bytes = kPacketBytes},
        {2, 0, 1, 0, 0, 0}, std::span(frame).first<wire::kHeadBytes>());
    const auto packet = std::span(frame).subspan(wire::kHeadBytes);
    wire::write_packet_header({.payload_bytes = kPayloadBytes},
                              packet.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(packet);
    return frame;
}

/// Packets `first` to `first + count - 1` in one frame.
Bytes train_of(std::uint16_t first, std::uint16_t count) {
    Bytes train = frame_of(first);
    for (std::uint16_t number = 1; number < count; ++number) {
        const Bytes frame = frame_of(first + number);
        train.resize(wire::kHeadBytes + wire::whole_words(train.size() - wire::kHeadBytes));
        train.insert(train.end(), frame.begin() + wire::offset::kEtherType, frame.end());
    }
    return train;
}

/// The frame as it comes out at node 1, which differs in its cable header.
Bytes arrived(Bytes frame) {
    frame[wire::offset::kCablePort] = std::byte{7};
    return frame;
}

class Recorder final : public Cables, public Tap {
public:
    bool deliver(NodeId to, std::span<const std::byte> frame) override {
        EXPECT_EQ(to, node_at(1));
        frames.emplace_back(frame.begin(), frame.end());
        return true;
    }
    void to_host(NodeId, std::span<const std::byte>) override {}
    void kill(NodeId) override {}
    void restart(NodeId, unsigned) override {}
    void expel(NodeId, std::string_view) override {}
    std::uint64_t now_us() const override { return 0; }

    std::uint64_t sent(std::uint32_t, std::uint64_t, std::span<const std::byte> frame,
                       const FrameFaults& faults, bool) override {
        went_in.emplace_back(frame.begin(), frame.end());
        struck += faults.kinds != 0 ? 1 : 0;
        return went_in.size();
    }
    void arrived(std::uint32_t, std::uint64_t, std::span<const std::byte> frame,
                 const Transit&) override {
        came_out.emplace_back(frame.begin(), frame.end());
    }
    bool wants_trace_events() const override { return false; }
    void done(NodeId, std::uint64_t, const TraceEvent&) override {}

    std::vector<Bytes> frames; // that node 1 got
    std::vector<Bytes> went_in, came_out;
    unsigned struck = 0;
};

class TrainOnACable : public testing::Test {
protected:
    /// Two nodes with eight ports: the cable from port 0 of node 0 ends at port 7 of node 1.
    Loom& loom(std::vector<Incident> incidents = {}) {
        loom_.emplace(
            2, 8,
            [](NodeId node, Port port) -> std::optional<Far> {
                if (node == node_at(0) && port == port_at(0))
                    return Far{node_at(1), port_at(7)};
                if (node == node_at(1) && port == port_at(7))
                    return Far{node_at(0), port_at(0)};
                return std::nullopt;
            },
            FaultPlan{7, std::move(incidents)}, cables);
        for (std::uint32_t node = 0; node < 2; ++node) {
            Bytes hello = make_host_frame(kNoNode, wire::HostTag::ready);
            loom_->frame_from(node_at(node), hello);
        }
        loom_->listen(&cables);
        loom_->arm_faults();
        return *loom_;
    }
    void send(Bytes train) { loom_->frame_from(node_at(0), train); }
    static Incident after(std::uint64_t packets, std::string_view kind, double amount,
                          NodeId node = kNoNode) {
        Incident incident;
        incident.after = packets;
        incident.kind = fault_named(kind);
        incident.amount = amount;
        incident.node = node;
        incident.port = port_at(0);
        return incident;
    }

    Recorder cables;
    std::optional<Loom> loom_;
};

TEST_F(TrainOnACable, GoesOnWholeAndTheTapSeesEachPacketAsAFrame) {
    loom();
    send(train_of(5, 3));
    ASSERT_EQ(cables.frames, std::vector<Bytes>{arrived(train_of(5, 3))});
    const std::vector<Bytes> alone{arrived(frame_of(5)), arrived(frame_of(6)),
                                   arrived(frame_of(7))};
    EXPECT_EQ(cables.went_in, alone);
    EXPECT_EQ(cables.came_out, alone);
    EXPECT_EQ(loom_->counts().packets, 3u);
}

TEST_F(TrainOnACable, IsTakenApartWhereItsPacketsMayBeLost) {
    loom({after(0, "drop", 0.5)});
    for (std::uint16_t number = 0; number < 400; number += 4)
        send(train_of(number, 4));
    EXPECT_EQ(cables.went_in.size(), 400u);
    EXPECT_GT(cables.struck, 100u);
    EXPECT_EQ(loom_->counts().struck_words(), "drop " + std::to_string(cables.struck));
    EXPECT_EQ(cables.frames.size(), 400u - cables.struck);
    EXPECT_EQ(cables.frames, cables.came_out);
    EXPECT_TRUE(std::ranges::all_of(cables.frames, [](const Bytes& frame) {
        return frame.size() == wire::kHeadBytes + kPacketBytes;
    }));
}

TEST_F(TrainOnACable, IsDamagedPacketByPacket) {
    loom({after(0, "corrupt", 1)});
    send(train_of(0, 4));
    ASSERT_EQ(cables.frames.size(), 4u);
    for (std::uint16_t number = 0; number < 4; ++number)
        EXPECT_NE(cables.frames[number], arrived(frame_of(number)));
}

TEST_F(TrainOnACable, LosesThePacketsBehindAnIncident) {
    loom({after(6, "cut", 1, node_at(0))});
    send(train_of(0, 4));
    send(train_of(4, 4));
    ASSERT_EQ(cables.frames.size(), 6u);
    EXPECT_EQ(cables.frames.back(), arrived(frame_of(5)));
    EXPECT_EQ(cables.went_in.size(), 8u);
    EXPECT_EQ(cables.struck, 2u);
}

TEST_F(TrainOnACable, OfANodeThatIsKilledMeanwhileEndsThere) {
    loom({after(2, "kill", 1, node_at(0))});
    send(train_of(0, 4));
    EXPECT_EQ(cables.went_in.size(), 2u);
}

TEST_F(TrainOnACable, WithADamagedHeadIsThatFarAndCounted) {
    loom({after(0, "drop", 0.000001)});
    Bytes train = train_of(0, 4);
    const std::size_t second = wire::kHeadBytes + wire::whole_words(kPacketBytes);
    train[second + wire::kCouplingBytes + wire::whole_words(kPacketBytes) + 3] ^= std::byte{1};
    send(train);
    EXPECT_EQ(cables.frames.size(), 2u);
    EXPECT_EQ(loom_->counts().malformed, 1u);
}

TEST_F(TrainOnACable, IsAFrameAsLongAsItsHeadIsGood) {
    EXPECT_TRUE(is_train(train_of(0, 2)));
    EXPECT_FALSE(is_train(frame_of(0)));
    Bytes damaged = train_of(0, 2);
    damaged[wire::offset::kSequence] ^= std::byte{1};
    EXPECT_FALSE(is_train(damaged));
}

} // namespace train_test
} // namespace mesh::host
