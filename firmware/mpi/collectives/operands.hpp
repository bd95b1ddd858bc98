// Operands of a reduction.
#pragma once

#include "mpi/datatypes/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mesh::mpi {

/// Operands of one rank, as they lie in the program's memory: `count` elements. The first may lie
/// anywhere behind or before the address that the program gives, as with MPI_BOTTOM.
class Operands {
public:
    /// Room on the heap for `count` elements of `type`, which stays the caller's. Ends the run if
    /// there is none.
    Operands(const Type& type, int count)
        : type_(type),
          count_(count),
          stretch_(whole_stretch_of(type, count)),
          room_(static_cast<std::size_t>(stretch_.end - stretch_.begin) + kAlignment),
          data_(room_.data() + (stretch_.begin & (kAlignment - 1)) - stretch_.begin) {}
    /// The same, with a copy of the elements at `from`.
    Operands(const Type& type, int count, const void* from) : Operands(type, count) { copy(from); }

    /// The address from which the elements count, as the program's does.
    void* data() const { return data_; }
    /// Copies the elements at `from`, and nothing of the holes between them.
    void copy(const void* from) { move(from, data_); }
    /// Copies the elements to `into`.
    void copy_to(void* into) const { move(data_, into); }
    /// The data side by side, to be sent. This object must stay meanwhile.
    Packed packed() const { return {data_, count_, type_}; }
    /// Room for data that is received. This object must stay meanwhile.
    Unpacked to_fill() const { return {data_, count_, type_}; }

private:
    static constexpr MPI_Aint kAlignment = 16;

    /// The stretch of the data, and up to the bounds of the elements: an operation of the program's
    /// own may copy a whole struct, though only a part of it is data.
    static Stretch whole_stretch_of(const Type& type, int count) {
        const Stretch data = stretch_of(type, count);
        if (count == 0)
            return data;
        const MPI_Aint last = (count - 1) * type.extent;
        const MPI_Aint upper = type.lower + type.extent;
        return {std::min({data.begin, type.lower, type.lower + last}),
                std::max({data.end, upper, upper + last})};
    }

    void move(const void* from, void* into) const {
        if (type_.is_dense()) {
            std::memmove(into, from, static_cast<std::size_t>(count_) * type_.size);
            return;
        }
        for (int element = 0; element < count_; ++element)
            for (const Run& run : type_.all_runs())
                std::memcpy(at(into, element, type_) + run.offset,
                            at(from, element, type_) + run.offset, run.bytes);
    }

    const Type& type_;
    int count_;
    Stretch stretch_;
    Room room_;
    std::byte* data_;
};

} // namespace mesh::mpi
