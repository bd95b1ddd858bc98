// rand(), random() and their kin: the same numbers on every engine, for each node from its own
// state.
//
// Functions of this folder keep something between two calls. A program is linked with them before
// the C library, on both engines: so what they keep is a variable of the program, which each node
// has for itself, and the C libraries of board and host, which differ, are not asked.
#include <cstdint>
#include <cstdlib>

namespace {

/// Knuth, MMIX: of a step modulo 2^64 the upper bits are good.
constexpr std::uint64_t kFactor = 6364136223846793005u;
constexpr std::uint64_t kAddend = 1442695040888963407u;

constexpr std::uint32_t next(std::uint64_t& state) {
    state = state * kFactor + kAddend;
    return static_cast<std::uint32_t>(state >> 33); // 31 bits, as RAND_MAX says
}

constexpr std::uint64_t begun_with(unsigned seed) {
    std::uint64_t state = seed;
    next(state);
    return state;
}

constinit std::uint64_t the_state = begun_with(1); // as C says

/// A state of which all 32 bits count, as that of rand_r() is.
std::uint32_t mixed(std::uint32_t state) {
    state = (state ^ (state >> 16)) * 0x85EBCA6B; // Appleby, MurmurHash3
    state = (state ^ (state >> 13)) * 0xC2B2AE35;
    return state ^ (state >> 16);
}

static_assert(RAND_MAX == INT32_MAX);

} // namespace

extern "C" {

int rand() { return static_cast<int>(next(the_state)); }

void srand(unsigned seed) { the_state = begun_with(seed); }

long random() { return rand(); }

void srandom(unsigned seed) { srand(seed); }

int rand_r(unsigned* seed) {
    constexpr std::uint32_t kStep = 0x9E3779B9;
    *seed += kStep;
    return static_cast<int>(mixed(*seed) >> 1);
}
}
