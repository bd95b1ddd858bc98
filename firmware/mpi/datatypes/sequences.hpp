// The basic types that data is made of, one after the other.
#pragma once

#include "mpi/datatypes/types.hpp"

#include <cstdint>
#include <span>

namespace mesh::mpi {

/// Elements of one basic type, side by side in the data.
struct Part {
    std::uint16_t basic; // the handle
    std::uint32_t count;
};

/// Parts of the data of a type, which begin again until all its data has one. Those of a type with
/// a single basic one are in this object, so it has to stay for as long as they are used.
class PartsOf {
public:
    /// The parts of a type, which must stay.
    explicit PartsOf(const Type& type);
    /// All parts, in the order of the data.
    std::span<const Part> all() const;

private:
    Part only_;
    const Sequence* sequence_;
};

/// A basic type, or half of a complex number or of a pair.
struct Number {
    Element element; // i8 to flong; none: bytes that stay as they are
    std::uint8_t bytes;
    std::uint8_t bytes_outside; // in external32
};

/// One number, or two; the second has no bytes if there is one only.
struct Numbers {
    Number first;
    Number second;
};
/// The numbers of a basic type, which `basic` is the handle of.
Numbers numbers_of(std::uint16_t basic);

/// Calls `act` for each number of `count` elements of a type, in order, until that gives false.
template <class F>
void each_number(const Type& type, std::uint64_t count, F act) {
    if (type.size == 0)
        return;
    const PartsOf parts(type);
    for (std::uint64_t rest = count * type.size; rest != 0;)
        for (const Part& part : parts.all()) {
            const Numbers numbers = numbers_of(part.basic);
            for (std::uint32_t at = 0; at < part.count; ++at) {
                rest -= numbers.first.bytes + numbers.second.bytes;
                if (!act(numbers.first) || (numbers.second.bytes != 0 && !act(numbers.second)))
                    return;
            }
        }
}

} // namespace mesh::mpi
