// When the links may work between two instructions of a process: while nobody holds them off.
//
// Plain counting is enough. Whoever comes in between finds the count at nothing, and has left again
// before it goes on. A count is shorter than a call, so all of it is inline.
#pragma once

#include <atomic>
#include <cstdint>

namespace mesh {

class Holds {
public:
    bool any() const { return count_ != 0; }
    [[gnu::always_inline]] void raise() {
        count_ = count_ + 1;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    [[gnu::always_inline]] void lower() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        count_ = count_ - 1;
    }

private:
    std::uint32_t count_ = 1; // the kernel's own: only processes run without it
};

/// Holds the links off while it lives: for what a process does with things that they use too.
class Hold {
public:
    [[gnu::always_inline]] explicit Hold(Holds& holds) : holds_(holds) { holds_.raise(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    [[gnu::always_inline]] ~Hold() { holds_.lower(); }

private:
    Holds& holds_;
};

} // namespace mesh
