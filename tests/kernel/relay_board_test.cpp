// A node with no host cable of its own takes its number from a neighbour, whatever other frame
// comes first.
#include "hal/null_board.hpp"
#include "onecable/relay_board.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <vector>

namespace mesh::test {
namespace relay_board_test {

constexpr Network kCube{Topology::cube, 2};

struct Frame {
    Port port;
    std::vector<std::byte> bytes;
};
std::deque<Frame> coming;

Frame frame_of(wire::LinkHeader link, std::span<const std::byte> packet = {}) {
    link.packet_bytes = static_cast<std::uint16_t>(packet.size());
    Frame frame{link.port, std::vector<std::byte>(wire::kHeadBytes)};
    wire::write_head(link, {}, std::span{frame.bytes}.first<wire::kHeadBytes>());
    frame.bytes.insert(frame.bytes.end(), packet.begin(), packet.end());
    return frame;
}

/// One receiver, which takes a frame only into memory that was lent for it.
class Waiting : public hal::NullBoard {
public:
    static constexpr unsigned kPorts = kCube.dim;

    Waiting() : NullBoard({}) {}
    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive() {
        if (coming.empty() || head_ == nullptr)
            return {};
        const Frame frame = std::move(coming.front());
        coming.pop_front();
        std::copy_n(frame.bytes.begin(), wire::kHeadBytes, head_->bytes.begin());
        std::copy(frame.bytes.begin() + wire::kHeadBytes, frame.bytes.end(), buffer_);
        head_ = nullptr;
        return {.state = hal::Received::State::frame,
                .port = frame.port,
                .frame_bytes = static_cast<std::uint32_t>(frame.bytes.size())};
    }
    void wait() {
        if (++waits_ > 10)
            throw std::runtime_error("it waits for ever");
    }

private:
    hal::Head* head_ = nullptr;
    std::byte* buffer_ = nullptr;
    unsigned waits_ = 0;
};
static_assert(hal::Board<Waiting>);

TEST(RelayBoard, TakesItsNumberAlsoBehindAFrameOfItsNeighboursKernel) {
    const wire::Numbering numbering{.run = 1,
                                    .assignment = 1,
                                    .from = 1,
                                    .topology = kCube.topology,
                                    .dim = static_cast<std::uint8_t>(kCube.dim)};
    std::vector<std::byte> room(wire::kPacketHeaderBytes + sizeof numbering);
    auto [link, packet] = host_message(room, static_cast<wire::HostTag>(wire::RelayTag::number),
                                       wire::bytes_of(numbering));
    link.port = port_at(1);
    coming = {frame_of({.kind = wire::Kind::hello, .port = port_at(1)}), frame_of(link, packet)};
    Relay::Kept kept{};
    const RelayBoard<Waiting> board{"a test", kept, [] {}};
    EXPECT_EQ(board.identity().node, node_at(3)) << "beside node 1 by port 1";
    EXPECT_TRUE(coming.empty());
}

} // namespace relay_board_test
} // namespace mesh::test
