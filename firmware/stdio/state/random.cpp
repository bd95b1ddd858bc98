// rand() and srand(): the same numbers on every engine, for each node from its own state.
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

static_assert(RAND_MAX == INT32_MAX);

} // namespace

extern "C" {

int rand() { return static_cast<int>(next(the_state)); }

void srand(unsigned seed) { the_state = begun_with(seed); }
}
