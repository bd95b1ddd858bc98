// The host as a board: a node is an object among others in one process, a cable is a function call.
//
// Same contract, same sizes as on hardware, so that a node does the same here as there. Time does
// not pass: nodes of a simulation run in lockstep, where the model clock is all there is.
#pragma once

#include "hal/concepts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mesh::board {

class HostBoard {
public:
    static constexpr std::size_t kReceiveBytes = 9344;

    /// Takes a frame that the node sends; the bytes are its to change until it returns.
    using Outlet = std::function<void(std::span<std::byte> frame)>;

    /// `window_bytes`: as on the board that it stands for; 0: a share of kReceiveBytes.
    HostBoard(const wire::Identity& identity, Outlet outlet, std::size_t window_bytes = 0)
        : identity_(identity),
          outlet_(std::move(outlet)),
          window_bytes_(window_bytes) {}

    /// Puts a whole frame into the receiver: where the node wants it if no other one waits. The
    /// receiver never overflows.
    void deliver(std::span<const std::byte> frame);
    bool empty() const { return in_place_bytes_ == 0 && next_ == lengths_.size(); }
    bool hung() const { return hung_; }

    wire::Identity identity() const { return identity_; }
    std::size_t window_bytes(unsigned ports) const {
        const std::size_t share = kReceiveBytes / std::max(ports, 1u);
        return window_bytes_ != 0 ? window_bytes_ : std::max(share, wire::kFrameBytesMax);
    }
    static constexpr hal::Capabilities capabilities() { return {}; }
    PortSet ready_ports() const { return ~PortSet{0}; }
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet);
    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive();
    std::uint64_t now_us() const { return now_us_; }
    void set_alarm_us(std::uint64_t time_us) { alarm_us_ = time_us; }
    void wait() {}
    void hang() { hung_ = true; }

    /// For tests that run a node free: sets its clock; tells when it wants to be called.
    void set_time(std::uint64_t now_us) { now_us_ = now_us; }
    std::uint64_t alarm_us() const { return alarm_us_; }

private:
    void fill(std::span<const std::byte> frame);

    wire::Identity identity_;
    Outlet outlet_;
    std::size_t window_bytes_;
    std::uint32_t in_place_bytes_ = 0; // of the frame in head_ and buffer_; 0: there is none
    std::vector<std::byte> received_;  // frames behind it, back to back; emptied when all are taken
    std::vector<std::uint32_t> lengths_;
    std::size_t next_ = 0; // first frame not taken yet
    std::size_t next_byte_ = 0;
    hal::Head* head_ = nullptr; // of the next frame; nullptr: the node has lent no room
    std::byte* buffer_ = nullptr;
    std::uint64_t now_us_ = 0;
    std::uint64_t alarm_us_ = ~std::uint64_t{0};
    bool hung_ = false;
};

static_assert(hal::Board<HostBoard>);

} // namespace mesh::board
