// An uplink by stream sockets: one from rank 0 to each other rank.
#pragma once

#include "host-tools/mesh/common/bytes.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "uplink.hpp"

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace mesh::host {

class SocketUplink final : public Uplink {
public:
    using Clock = std::chrono::steady_clock;

    /// `sockets` by rank: rank 0 has one to each other rank, all others have one to rank 0.
    /// `silence`: how long a rank may say nothing, by the clock `now`. RunError.
    SocketUplink(unsigned rank, std::vector<RankFacts> facts, std::vector<Fd> sockets,
                 std::chrono::milliseconds silence,
                 std::function<Clock::time_point()> now = Clock::now);

    unsigned rank() const override { return rank_; }
    unsigned ranks() const override { return static_cast<unsigned>(facts_.size()); }
    const RankFacts& facts(unsigned rank) const override { return facts_.at(rank); }
    void send(unsigned to, What what, NodeId node, std::span<const std::byte> bytes,
              std::uint8_t detail) override;
    void flush() override;
    std::optional<Message> next(unsigned& from) override;
    int descriptor() const override { return epoll_.get(); }

private:
    struct Peer {
        Fd socket;
        Bytes out; // of which the first `sent` bytes are on their way
        std::size_t sent = 0;
        std::size_t open = 0; // where the packet begins that flush() ends
        bool blocked = false; // waits for room in the socket
        Bytes in;             // of which the first `read` bytes have been given
        std::size_t read = 0;
        std::size_t whole = 0; // the end of the packet that is being given
        bool closed = false;   // by the other rank
        Clock::time_point heard;
    };

    void close_packet(Peer& peer);
    void push(unsigned rank, bool wait);
    void pull(unsigned rank);
    void look_for_silent() const;
    std::optional<Message> next_of(unsigned rank);

    unsigned rank_;
    std::vector<RankFacts> facts_;
    std::vector<Peer> peers_;
    std::chrono::milliseconds silence_;
    std::function<Clock::time_point()> now_;
    Fd epoll_;
    unsigned turn_ = 0;
    bool pulled_ = false; // since next() last had nothing
    Clock::time_point told_;
};

} // namespace mesh::host
