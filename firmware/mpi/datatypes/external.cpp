// Data as other machines have it (external32): each number has the bytes that the standard's table
// gives it, the highest first.
#include "mpi/datatypes/sequences.hpp"
#include "mpi/datatypes/type_builder.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>

namespace mesh::mpi {

namespace {

// Numbers
// ------------------------------------------------------------------------------------------

/// The highest bytes of the widest format: a sign, 15 bits of exponent, and the fraction without
/// its first 1. They hold every long double of a node and of most hosts.
struct Quad {
    std::uint16_t head = 0;
    std::uint64_t fraction = 0;
};
constexpr unsigned kQuadBias = 16383;
constexpr unsigned kQuadInfinite = 0x7FFF;
constexpr std::size_t kQuadBytes = 16;

constexpr unsigned kBias = 1023;
constexpr unsigned kInfinite = 0x7FF;
constexpr unsigned kFractionBits = 52;

[[maybe_unused]] Quad widened(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<unsigned>(bits >> kFractionBits) & kInfinite;
    std::uint64_t fraction = bits << (64 - kFractionBits);
    unsigned wide = exponent + kQuadBias - kBias;
    if (exponent == kInfinite) {
        wide = kQuadInfinite;
    } else if (exponent == 0 && fraction == 0) {
        wide = 0;
    } else if (exponent == 0) {
        const auto shift = static_cast<unsigned>(std::countl_zero(fraction));
        fraction = fraction << shift << 1;
        wide = kQuadBias - kBias - shift;
    }
    return {static_cast<std::uint16_t>(bits >> 63 << 15 | wide), fraction};
}

/// The double of a wider number, rounded towards zero.
[[maybe_unused]] double narrowed(const Quad& quad) {
    const std::uint64_t sign = std::uint64_t{quad.head} >> 15 << 63;
    const int exponent = static_cast<int>(quad.head & kQuadInfinite) - static_cast<int>(kQuadBias) +
                         static_cast<int>(kBias);
    const std::uint64_t fraction = quad.fraction >> (64 - kFractionBits);
    std::uint64_t bits = 0; // also what is too small
    if ((quad.head & kQuadInfinite) == kQuadInfinite)
        bits = std::uint64_t{kInfinite} << kFractionBits | fraction;
    else if (exponent >= static_cast<int>(kInfinite))
        bits = std::uint64_t{kInfinite} << kFractionBits;
    else if (exponent > 0)
        bits = static_cast<std::uint64_t>(exponent) << kFractionBits | fraction;
    else if (exponent > -static_cast<int>(kFractionBits))
        bits = (fraction | std::uint64_t{1} << kFractionBits) >> (1 - exponent);
    return std::bit_cast<double>(sign | bits);
}

/// Writes a long double, which has one of three formats.
void write_long(const std::byte* from, std::byte* into) {
    if constexpr (LDBL_MANT_DIG > 64) {
        std::reverse_copy(from, from + kQuadBytes, into);
        return;
    }
    Quad quad;
    if constexpr (LDBL_MANT_DIG == 64) { // as the 8087 has it, whose first 1 is written
        std::memcpy(&quad.fraction, from, sizeof quad.fraction);
        std::memcpy(&quad.head, from + sizeof quad.fraction, sizeof quad.head);
        quad.fraction <<= 1;
    } else {
        double value = 0;
        std::memcpy(&value, from, sizeof value);
        quad = widened(value);
    }
    std::fill_n(into, kQuadBytes, std::byte{0});
    for (unsigned at = 0; at < sizeof quad.head; ++at)
        into[at] = static_cast<std::byte>(quad.head >> (8 - 8 * at));
    for (unsigned at = 0; at < sizeof quad.fraction; ++at)
        into[sizeof quad.head + at] = static_cast<std::byte>(quad.fraction >> (56 - 8 * at));
}

void read_long(const std::byte* from, std::byte* into) {
    if constexpr (LDBL_MANT_DIG > 64) {
        std::reverse_copy(from, from + kQuadBytes, into);
        return;
    }
    Quad quad;
    for (unsigned at = 0; at < sizeof quad.head; ++at)
        quad.head = static_cast<std::uint16_t>(unsigned{quad.head} << 8 |
                                               std::to_integer<unsigned>(from[at]));
    for (unsigned at = 0; at < sizeof quad.fraction; ++at)
        quad.fraction =
            quad.fraction << 8 | std::to_integer<std::uint64_t>(from[sizeof quad.head + at]);
    if constexpr (LDBL_MANT_DIG == 64) {
        const bool is_small = (quad.head & kQuadInfinite) == 0;
        quad.fraction = quad.fraction >> 1 | (is_small ? 0 : std::uint64_t{1} << 63);
        std::memcpy(into, &quad.fraction, sizeof quad.fraction);
        std::memcpy(into + sizeof quad.fraction, &quad.head, sizeof quad.head);
    } else {
        const double value = narrowed(quad);
        std::memcpy(into, &value, sizeof value);
    }
}

bool is_signed(Element element) {
    return element == Element::i8 || element == Element::i16 || element == Element::i32 ||
           element == Element::i64;
}

/// Writes a number with its highest byte first; nodes and hosts have the lowest byte first. A wider
/// number loses its highest bytes, as in C.
void write(const Number& number, const std::byte* from, std::byte* into) {
    if (number.element == Element::flong)
        return write_long(from, into);
    const bool is_below =
        is_signed(number.element) && (from[number.bytes - 1] & std::byte{0x80}) != std::byte{0};
    for (unsigned at = 0; at < number.bytes_outside; ++at)
        into[number.bytes_outside - 1 - at] =
            at < number.bytes ? from[at] : (is_below ? std::byte{0xFF} : std::byte{0});
}

void read(const Number& number, const std::byte* from, std::byte* into) {
    if (number.element == Element::flong)
        return read_long(from, into);
    const bool is_below = is_signed(number.element) && (from[0] & std::byte{0x80}) != std::byte{0};
    for (unsigned at = 0; at < number.bytes; ++at)
        into[at] = at < number.bytes_outside ? from[number.bytes_outside - 1 - at]
                                             : (is_below ? std::byte{0xFF} : std::byte{0});
}

// Calls
// --------------------------------------------------------------------------------------------

std::size_t bytes_outside(const Type& type) {
    std::size_t bytes = 0;
    each_number(type, 1, [&bytes](const Number& number) {
        bytes += number.bytes_outside;
        return true;
    });
    return bytes;
}

/// MPI_SUCCESS, or what the call returns.
int check(Checks& checks, const char* format, int count, MPI_Datatype handle, MPI_Aint room,
          MPI_Aint place = 0) {
    checks
        .require(std::strcmp(format, "external32") == 0, MPI_ERR_ARG,
                 "the one format is external32")
        .require(place >= 0 && place <= room, MPI_ERR_ARG, "not a place in the buffer");
    if (!checks.elements(count, handle).bad())
        checks.require(std::uint64_t{bytes_outside(*type_of(handle))} *
                               static_cast<std::uint64_t>(count) <=
                           static_cast<std::uint64_t>(room - place),
                       MPI_ERR_TRUNCATE, nullptr);
    return checks.code();
}

int pack_external(Checks& checks, const char* format, const void* data, int count,
                  MPI_Datatype handle, void* into, MPI_Aint room, MPI_Aint* place) {
    if (check(checks, format, count, handle, room, *place) != MPI_SUCCESS ||
        checks.data(data, count, handle).bad())
        return checks.code();
    const Type& type = *type_of(handle);
    const Packed packed(data, count, type);
    const std::byte* from = packed.bytes().data();
    std::byte* outside = static_cast<std::byte*>(into) + *place;
    each_number(type, static_cast<std::uint64_t>(count), [&](const Number& number) {
        write(number, from, outside);
        from += number.bytes;
        outside += number.bytes_outside;
        return true;
    });
    *place = outside - static_cast<std::byte*>(into);
    return MPI_SUCCESS;
}

int unpack_external(Checks& checks, const char* format, const void* from, MPI_Aint room,
                    MPI_Aint* place, void* data, int count, MPI_Datatype handle) {
    if (check(checks, format, count, handle, room, *place) != MPI_SUCCESS ||
        checks.data(data, count, handle).bad())
        return checks.code();
    const Type& type = *type_of(handle);
    Unpacked unpacked(data, count, type);
    std::byte* into = unpacked.bytes().data();
    const std::byte* outside = static_cast<const std::byte*>(from) + *place;
    each_number(type, static_cast<std::uint64_t>(count), [&](const Number& number) {
        read(number, outside, into);
        into += number.bytes;
        outside += number.bytes_outside;
        return true;
    });
    unpacked.keep();
    *place = outside - static_cast<const std::byte*>(from);
    return MPI_SUCCESS;
}

int pack_external_size(Checks& checks, const char* format, int count, MPI_Datatype handle,
                       MPI_Aint* bytes) {
    const int code = check(checks, format, count, handle, INTPTR_MAX);
    if (code == MPI_SUCCESS)
        *bytes = static_cast<MPI_Aint>(bytes_outside(*type_of(handle))) * count;
    return code;
}

} // namespace

} // namespace mesh::mpi

#include "doors/external.inc"
