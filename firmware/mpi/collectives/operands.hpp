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
    Operands(const Type& type, int count)
        : type_(type),
          count_(count),
          stretch_(whole_stretch_of(type, count)),
          room_(static_cast<std::size_t>(stretch_.end - stretch_.begin) + kAlignment),
          data_(room_.data() + (stretch_.begin & (kAlignment - 1)) - stretch_.begin) {}
    Operands(const Type& type, int count, const void* from) : Operands(type, count) { copy(from); }

    void* data() const { return data_; }
    void copy(const void* from) { move(from, data_); }
    void copy_to(void* into) const { move(data_, into); }
    Packed packed() const { return {data_, count_, type_}; }
    Unpacked to_fill() const { return {data_, count_, type_}; }

private:
    static constexpr MPI_Aint kAlignment = 16;

    /// Up to the bounds of the elements, too: an operation of the program's own may copy a whole
    /// struct, though only a part of it is data.
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
