#include "c/post_ring.hpp"

#include <bit>

namespace mesh::c {

PostRing::PostRing(std::span<std::byte> memory)
    : first_(reinterpret_cast<std::uint32_t*>(memory.data())),
      cells_(std::bit_floor(static_cast<std::uint32_t>(memory.size() / kCellBytes))) {
    for (std::uint32_t cell = 0; cell < cells_; ++cell)
        *at(cell) = kUnwritten;
}

// A record does not go over the end of the ring: cells that are left there are one that is skipped.
std::byte* PostRing::reserve(std::size_t bytes) {
    const std::uint32_t cells = cells_of(bytes);
    std::uint32_t from = end_.load();
    for (;;) {
        const std::uint32_t left = cells_ - (from & (cells_ - 1));
        const std::uint32_t skipped = left < cells ? left : 0;
        const std::uint32_t used = from - begin_.load();
        if (used + skipped + cells > cells_) {
            // It is full only if nobody has moved on meanwhile.
            const std::uint32_t now = end_.load();
            if (now == from)
                return nullptr;
            from = now;
            continue;
        }
        if (!end_.compare_exchange_weak(from, from + skipped + cells))
            continue;
        if (skipped != 0) {
            at(from)[1] = skipped;
            set(at(from), kSkipped);
        }
        std::uint32_t* const head = at(from + skipped);
        head[1] = cells;
        return reinterpret_cast<std::byte*>(head) + kCellBytes;
    }
}

std::byte* PostRing::next() {
    while (any()) {
        std::uint32_t* const head = at(next_);
        next_ += head[1];
        std::byte* const record = reinterpret_cast<std::byte*>(head) + kCellBytes;
        if (state(head).load(kAcquire) == kPublished)
            return record;
        free(record);
    }
    return nullptr;
}

void PostRing::free(std::byte* record) {
    set(head_of(record), kFreed);
    std::uint32_t begin = begin_.load();
    while (begin != next_ && state(at(begin)).load() == kFreed) {
        const std::uint32_t cells = at(begin)[1];
        for (std::uint32_t cell = 0; cell < cells; ++cell)
            *at(begin + cell) = kUnwritten;
        begin += cells;
    }
    begin_.store(begin);
}

} // namespace mesh::c
