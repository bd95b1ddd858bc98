#include "socket_uplink.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

namespace mesh::host {

namespace {

/// A packet begins with the number of its bytes behind this, a message with its head.
using Length = std::uint32_t;
struct Head {
    std::uint32_t node;
    std::uint32_t bytes;
    What what;
    std::uint8_t detail;
    std::uint16_t zero;
};
static_assert(sizeof(Head) == 12);

/// More than any packet: all frames that wait for the nodes of a rank.
constexpr Length kPacketBytesMax = 1u << 30;
/// Bytes that wait for the network. Beyond the first, a rank other than 0 reads no more of its
/// nodes; beyond the second, rank 0 gives up, since it never waits: two ranks that wait for each
/// other would do so for ever.
constexpr std::size_t kWaitingBytes = 4u << 20;
constexpr std::size_t kWaitingBytesMax = 512u << 20;
constexpr std::size_t kReadBytes = 256u << 10;

template <class T>
void append(Bytes& to, const T& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof value);
}

void watch(const Fd& epoll, int operation, int fd, bool also_to_write) {
    epoll_event event{};
    event.events = EPOLLIN | (also_to_write ? static_cast<std::uint32_t>(EPOLLOUT) : 0u);
    event.data.fd = fd;
    if (epoll_ctl(epoll.get(), operation, fd, &event) != 0)
        throw RunError(fmt::format("epoll_ctl: {}", std::strerror(errno)));
}

} // namespace

SocketUplink::SocketUplink(unsigned rank, std::vector<RankFacts> facts, std::vector<Fd> sockets,
                           std::chrono::milliseconds silence,
                           std::function<Clock::time_point()> now)
    : rank_(rank),
      facts_(std::move(facts)),
      peers_(facts_.size()),
      silence_(silence),
      now_(std::move(now)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      told_(now_()) {
    if (epoll_.get() < 0)
        throw RunError(fmt::format("epoll: {}", std::strerror(errno)));
    for (std::size_t other = 0; other < peers_.size() && other < sockets.size(); ++other) {
        peers_[other].socket = std::move(sockets[other]);
        peers_[other].heard = now_();
        if (const int socket = peers_[other].socket.get(); socket >= 0) {
            fcntl(socket, F_SETFL, O_NONBLOCK);
            watch(epoll_, EPOLL_CTL_ADD, socket, false);
        }
    }
}

void SocketUplink::send(unsigned to, What what, NodeId node, std::span<const std::byte> bytes,
                        std::uint8_t detail) {
    Peer& peer = peers_.at(to);
    if (peer.out.size() == peer.open)
        append(peer.out, Length{0});
    append(peer.out, Head{index(node), static_cast<std::uint32_t>(bytes.size()), what, detail, 0});
    peer.out.insert(peer.out.end(), bytes.begin(), bytes.end());
}

void SocketUplink::close_packet(Peer& peer) {
    if (peer.out.size() == peer.open)
        return;
    const auto length = static_cast<Length>(peer.out.size() - peer.open - sizeof(Length));
    std::memcpy(peer.out.data() + peer.open, &length, sizeof length);
    peer.open = peer.out.size();
}

void SocketUplink::flush() {
    if (rank_ != 0 && now_() - told_ > silence_ / 8) {
        told_ = now_();
        send(0, What::alive, NodeId{0}, {}, 0);
    }
    for (unsigned other = 0; other < peers_.size(); ++other) {
        close_packet(peers_[other]);
        push(other, rank_ != 0);
    }
}

/// Sends what the socket takes; all but kWaitingBytes of it, if it may wait.
void SocketUplink::push(unsigned rank, bool wait) {
    Peer& peer = peers_[rank];
    while (peer.sent != peer.open && !peer.closed) {
        const ssize_t sent = ::send(peer.socket.get(), peer.out.data() + peer.sent,
                                    peer.open - peer.sent, MSG_NOSIGNAL);
        if (sent > 0)
            peer.sent += static_cast<std::size_t>(sent);
        else if (errno != EAGAIN && errno != EINTR)
            break; // next() says how it ended
        else if (wait && peer.open - peer.sent > kWaitingBytes) {
            pollfd wanted{peer.socket.get(), POLLOUT, 0};
            static_cast<void>(poll(&wanted, 1, -1));
        } else if (errno == EAGAIN)
            break;
    }
    if (peer.sent == peer.out.size()) {
        peer.out.clear();
        peer.sent = peer.open = 0;
    } else if (peer.sent > kWaitingBytes) {
        peer.out.erase(peer.out.begin(), peer.out.begin() + static_cast<std::ptrdiff_t>(peer.sent));
        peer.open -= std::exchange(peer.sent, 0);
    }
    if (peer.open - peer.sent > kWaitingBytesMax)
        throw RunError(fmt::format("{} reads no more: {} MB wait for it", name(rank),
                                   (peer.open - peer.sent) >> 20));
    const bool blocked = peer.sent != peer.open && !peer.closed;
    if (std::exchange(peer.blocked, blocked) != blocked)
        watch(epoll_, EPOLL_CTL_MOD, peer.socket.get(), blocked);
}

/// Reads all that has come.
void SocketUplink::pull(unsigned rank) {
    Peer& peer = peers_[rank];
    if (peer.socket.get() < 0 || peer.closed)
        return;
    if (peer.blocked)
        push(rank, false);
    peer.in.erase(peer.in.begin(), peer.in.begin() + static_cast<std::ptrdiff_t>(peer.read));
    peer.read = peer.whole = 0;
    for (;;) {
        const std::size_t before = peer.in.size();
        peer.in.resize(before + kReadBytes);
        const ssize_t got = recv(peer.socket.get(), peer.in.data() + before, kReadBytes, 0);
        peer.in.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
        if (got > 0)
            peer.heard = now_();
        if (got < 0 && errno == EINTR)
            continue;
        peer.closed = got == 0 || (got < 0 && errno != EAGAIN);
        if (got < static_cast<ssize_t>(kReadBytes))
            return;
    }
}

std::optional<Message> SocketUplink::next(unsigned& from) {
    for (;;) {
        for (unsigned tried = 0; tried < peers_.size(); ++tried) {
            const unsigned rank = (turn_ + tried) % static_cast<unsigned>(peers_.size());
            if (const auto message = next_of(rank)) {
                turn_ = rank; // to the end of its packet
                from = rank;
                return message;
            }
        }
        turn_ = (turn_ + 1) % static_cast<unsigned>(peers_.size());
        if (std::exchange(pulled_, !pulled_)) {
            look_for_silent();
            return std::nullopt;
        }
        for (unsigned rank = 0; rank < peers_.size(); ++rank)
            pull(rank);
    }
}

/// All that has come is read: a rank that has said nothing for long is stopped, or cut off.
void SocketUplink::look_for_silent() const {
    for (unsigned rank = 1; rank_ == 0 && rank < peers_.size(); ++rank)
        if (now_() - peers_[rank].heard > silence_)
            throw RunError(
                fmt::format("{} has said nothing for {} s", name(rank), silence_.count() / 1000));
}

std::optional<Message> SocketUplink::next_of(unsigned rank) {
    Peer& peer = peers_[rank];
    const auto left = [&] { return peer.in.size() - peer.read; };
    while (peer.read == peer.whole) {
        Length length = 0;
        if (left() >= sizeof length)
            std::memcpy(&length, peer.in.data() + peer.read, sizeof length);
        if (length > kPacketBytesMax)
            throw RunError(fmt::format("{} sends what has no sense", name(rank)));
        if (left() < sizeof length || left() - sizeof length < length) {
            if (peer.closed)
                throw RunError(fmt::format("{} is gone", name(rank)));
            return std::nullopt;
        }
        peer.read += sizeof length;
        peer.whole = peer.read + length;
    }
    Head head{};
    if (peer.whole - peer.read < sizeof head)
        throw RunError(fmt::format("{} sends what has no sense", name(rank)));
    std::memcpy(&head, peer.in.data() + peer.read, sizeof head);
    peer.read += sizeof head;
    if (peer.whole - peer.read < head.bytes)
        throw RunError(fmt::format("{} sends what has no sense", name(rank)));
    const Message message{head.what, head.detail, node_at(head.node),
                          std::span(peer.in).subspan(peer.read, head.bytes)};
    peer.read += head.bytes;
    return message;
}

} // namespace mesh::host
