// Byte stuffing: see cobs.hpp.
#include "wire/cobs.hpp"

#include <utility>

namespace mesh::wire {

/// Finds the end of the next block; gives its code. Behind the frame stands a zero that is not
/// sent.
std::byte CobsEncoder::begin_block() {
    while (block_ < kCobsBlockMax && place_ + block_ < size() && at(place_ + block_) != kFrameEnd)
        ++block_;
    at_zero_ = block_ < kCobsBlockMax;
    return static_cast<std::byte>(block_ + 1);
}

bool CobsEncoder::next(std::byte& out) {
    if (block_ != 0) {
        --block_;
        out = at(place_++);
        return true;
    }
    place_ += std::exchange(at_zero_, false) ? 1 : 0;
    if (place_ <= size()) {
        out = begin_block();
        return true;
    }
    out = kFrameEnd;
    return !std::exchange(ended_, true);
}

CobsDecoder::Event CobsDecoder::take(std::byte in, std::byte& out) {
    if (in == kFrameEnd) {
        const bool broken = left_ != 0;
        *this = {};
        return broken ? Event::broken : Event::end;
    }
    if (left_ != 0) {
        --left_;
        out = in;
        return Event::byte;
    }
    const bool zero = zero_follows_;
    left_ = std::to_integer<unsigned>(in) - 1;
    zero_follows_ = left_ < kCobsBlockMax;
    out = kFrameEnd;
    return zero ? Event::byte : Event::none;
}

} // namespace mesh::wire
