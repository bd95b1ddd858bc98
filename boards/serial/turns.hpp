// Whose turn it is on a wire that both ends share: RS-485, or the one wire of a half-duplex UART.
//
// An end that wants to send begins when it has heard nothing for a while, whose length it draws by
// lot for each frame. So one of two ends that want to send is the first, and the other hears it in
// time. If both begin at once all the same, both frames are damaged, neither is answered, and the
// links send them again, by other lots. While an end sends it hears nothing, not even its own
// bytes: the chip has to ensure that.
#pragma once

#include <cstdint>

namespace mesh::board {

/// A chip whose ports have such wires. The host's line carries both ways at once on every chip.
template <class C>
concept SharesWires = requires {
    /// How long an end that wants to send must have heard nothing: longer than any pause within a
    /// frame, and than an end needs to hear that the other one has begun.
    requires(C::kTurnaroundUs > 0);
};

/// For a line that carries both ways at once: it is always this end's turn.
template <class Chip>
class Turns {
public:
    void hears() {}
    void draw(std::uint32_t& /*lots*/) {}
    std::uint32_t due_in_us() const { return 0; }
};

template <SharesWires Chip>
class Turns<Chip> {
public:
    /// A byte came in.
    void hears() { silent_from_us_ = Chip::counter_us(); }
    /// Draws the wait of the next frame. `lots` begins with the node's number; nodes that have none
    /// yet differ in their time.
    void draw(std::uint32_t& lots) {
        silent_from_us_ = Chip::counter_us(); // who counts from before meets who does so too
        lots = (lots + silent_from_us_) * 1'664'525 + 1'013'904'223;
        wait_us_ = Chip::kTurnaroundUs * (1 + (lots >> (32 - kLotBits)));
    }
    /// 0: this end may begin.
    std::uint32_t due_in_us() const {
        const std::uint32_t silent_us = Chip::counter_us() - silent_from_us_;
        return silent_us < wait_us_ ? wait_us_ - silent_us : 0;
    }

private:
    /// Two ends draw the same one time in eight.
    static constexpr unsigned kLotBits = 3;

    std::uint32_t silent_from_us_ = 0;
    std::uint32_t wait_us_ = 0; // of silence, before the next frame
};

} // namespace mesh::board
