// Numbers that a seed decides (splitmix64, Steele, Lea and Flood 2014): cheap to begin anew, and
// the same with every standard library, so a seed means the same schedule everywhere.
#pragma once

#include <cstdint>

namespace mesh::soak {

class Dice {
public:
    explicit constexpr Dice(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
        return z ^ (z >> 31);
    }
    /// 0 .. limit-1; limit must not be 0.
    constexpr unsigned below(unsigned limit) { return static_cast<unsigned>(next() % limit); }
    constexpr bool one_in(unsigned chances) { return below(chances) == 0; }

private:
    std::uint64_t state_;
};

/// Numbers of their own for part `part` of what `seed` decides: the others do not move them.
constexpr Dice dice_of(std::uint64_t seed, std::uint64_t part) {
    return Dice{Dice{seed}.next() ^ (part * 0xD6E8'FEB8'6659'FD93)};
}

} // namespace mesh::soak
