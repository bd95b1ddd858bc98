// drand48() and its kin: the numbers that POSIX says, for each node from its own state.
#include <array>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kFactor48 = 0x5DEECE66D;
constexpr std::uint64_t kAddend48 = 0xB;
constexpr std::uint64_t kLowOfSeed = 0x330E;

std::uint64_t the_state48 = kLowOfSeed;
std::uint64_t the_factor48 = kFactor48;
std::uint64_t the_addend48 = kAddend48;

/// A state as a program gives it, the lowest 16 bits first.
std::uint64_t state_in(const unsigned short* parts) {
    return parts[0] | std::uint64_t{parts[1]} << 16 | std::uint64_t{parts[2]} << 32;
}

void put_state(std::uint64_t state, unsigned short* parts) {
    for (unsigned part = 0; part < 3; ++part)
        parts[part] = static_cast<unsigned short>(state >> (16 * part));
}

std::uint64_t next48(std::uint64_t state) { return (state * the_factor48 + the_addend48) & kMask; }

std::uint64_t step() { return the_state48 = next48(the_state48); }

std::uint64_t step(unsigned short* parts) {
    const std::uint64_t state = next48(state_in(parts));
    put_state(state, parts);
    return state;
}

double in_unit(std::uint64_t state) {
    return static_cast<double>(state) / static_cast<double>(kMask + 1);
}
long not_negative(std::uint64_t state) { return static_cast<long>(state >> 17); }
long any_sign(std::uint64_t state) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(state >> 16));
}

} // namespace

extern "C" {

double drand48() { return in_unit(step()); }
double erand48(unsigned short* parts) { return in_unit(step(parts)); }
long lrand48() { return not_negative(step()); }
long nrand48(unsigned short* parts) { return not_negative(step(parts)); }
long mrand48() { return any_sign(step()); }
long jrand48(unsigned short* parts) { return any_sign(step(parts)); }

void srand48(long seed) {
    the_state48 = (std::uint64_t{static_cast<std::uint32_t>(seed)} << 16) | kLowOfSeed;
    the_factor48 = kFactor48;
    the_addend48 = kAddend48;
}

unsigned short* seed48(unsigned short* parts) {
    static std::array<unsigned short, 3> former;
    put_state(the_state48, former.data());
    srand48(0);
    the_state48 = state_in(parts);
    return former.data();
}

void lcong48(unsigned short* parts) {
    the_state48 = state_in(parts);
    the_factor48 = state_in(parts + 3);
    the_addend48 = parts[6];
}
}
