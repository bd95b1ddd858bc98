// The meaning of a message, about which its sender and its receiver must agree, in 16 bits of its
// envelope. That of a message of the program is the kind and size of its elements, that of a
// collective the arguments which all ranks give alike.
#pragma once

#include "mpi/datatypes/types.hpp"
#include "mpi/engine/envelope.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::mpi {

/// Kinds of elements that go with each other if they have one size; the sign makes no difference.
enum class Family : std::uint8_t { any, integers, floating, complex, pairs };

/// The family of an element.
constexpr Family family_of(Element element) {
    return element == Element::none || element == Element::bytes ? Family::any
           : element <= Element::u64                             ? Family::integers
           : element <= Element::flong                           ? Family::floating
           : element <= Element::complex_long                    ? Family::complex
                                                                 : Family::pairs;
}

/// The meaning of a message of the program with this type; 0: its data is mixed, or bytes or
/// characters, and goes with any.
constexpr std::uint16_t meaning_of(const Type& type) {
    const Family family = family_of(type.element);
    return family == Family::any || type.unit == 1
               ? std::uint16_t{0}
               : static_cast<std::uint16_t>(static_cast<unsigned>(family) << 8 | type.unit);
}

/// The family of a meaning, in words.
inline const char* name_of_meaning(int meaning) {
    constexpr std::array<const char*, 5> kNames{"bytes", "integers", "floating point", "complex",
                                                "pairs"};
    return kNames[std::min<std::size_t>(static_cast<unsigned>(meaning) >> 8, kNames.size() - 1)];
}

/// The meaning of a message in a context. Contexts of the program are even; messages in others have
/// the meaning `of_collective`.
constexpr std::uint16_t meaning_in(std::uint32_t context, const Type& type,
                                   std::uint16_t of_collective) {
    return context % 2 != 0 ? of_collective : meaning_of(type);
}

/// The first envelope of a message of `bytes` bytes, from this rank.
inline Envelope envelope_of(Envelope::What what, const Comm& comm, std::uint32_t context,
                            const Type& type, std::uint16_t of_collective, int tag,
                            std::uint32_t bytes, std::uint32_t number) {
    return {what,  meaning_in(context, type, of_collective), context, comm.rank(), tag, bytes,
            number};
}

/// The meaning of a message of a collective of which a member has failed: its data may be none.
inline constexpr std::uint16_t kOfFailure = 0x7F00;

/// The meanings of messages of collectives: bits of the root, the operation and the element.
struct Agreed {
    static constexpr unsigned kBits = 5;
    static constexpr unsigned kMask = (1u << kBits) - 1;

    /// The meaning of a collective with these arguments. `operation`: the number of one of the
    /// standard.
    static constexpr std::uint16_t all(Rank root, std::uintptr_t operation = 0,
                                       Element element = Element::none) {
        return static_cast<std::uint16_t>(
            1u << 3 * kBits | (static_cast<unsigned>(root) & kMask) << 2 * kBits |
            (static_cast<unsigned>(operation) & kMask) << kBits | static_cast<unsigned>(element));
    }
    /// Two meanings differ in the root.
    static constexpr bool has_other_root(std::uint16_t one, std::uint16_t other) {
        return ((one ^ other) >> 2 * kBits & kMask) != 0;
    }
    /// Two meanings differ in the operation.
    static constexpr bool has_other_operation(std::uint16_t one, std::uint16_t other) {
        return ((one ^ other) >> kBits & kMask) != 0;
    }
};

} // namespace mesh::mpi
