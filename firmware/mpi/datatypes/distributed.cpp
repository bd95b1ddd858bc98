// The type of one rank's part of an array that is dealt out to a grid of ranks.
#include "mpi/datatypes/type_builder.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

/// One dimension of the array: its blocks go round the ranks of that dimension of the grid.
struct Axis {
    int size;
    int block;
    int ranks;
    int place;     // of this rank
    MPI_Aint step; // from an index to the next one, in elements

    bool has(int index) const { return index / block % ranks == place; }
    /// The first index from `index` on that this rank has, or `size`.
    int from(int index) const {
        while (index < size && !has(index))
            ++index;
        return index;
    }
};

/// The elements of a block; 0: the arguments do not fit the dimension.
int block_of(int distribution, int argument, int size, int ranks) {
    const bool is_usual = argument == MPI_DISTRIBUTE_DFLT_DARG;
    switch (distribution) {
    case MPI_DISTRIBUTE_NONE: return ranks == 1 ? size : 0;
    case MPI_DISTRIBUTE_CYCLIC: return is_usual ? 1 : std::max(argument, 0);
    case MPI_DISTRIBUTE_BLOCK:
        if (is_usual)
            return (size + ranks - 1) / ranks;
        return argument > 0 && static_cast<std::int64_t>(argument) * ranks >= size ? argument : 0;
    default: return 0;
    }
}

constexpr int kAxesMax = 16;

/// The part of this rank, in all dimensions.
struct OwnPart {
    std::array<Axis, kAxesMax> axes; // first that whose elements lie side by side
    int count;

    /// The first element, of all dimensions; false: this rank has none.
    bool start(std::array<int, kAxesMax>& point) const {
        for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
            point[at] = axes[at].from(0);
            if (point[at] == axes[at].size)
                return false;
        }
        return true;
    }
    /// The next row of elements; false: there is none.
    bool go_on(std::array<int, kAxesMax>& point) const {
        for (std::size_t at = 1; at < static_cast<std::size_t>(count); ++at) {
            point[at] = axes[at].from(point[at] + 1);
            if (point[at] != axes[at].size)
                return true;
            point[at] = axes[at].from(0);
        }
        return false;
    }
};

void add_row(Builder& builder, const Type& type, const Axis& row, MPI_Aint place) {
    for (int index = row.from(0); index < row.size; index = row.from(index + 1))
        builder.add(type, 1, (place + index) * type.extent);
}

int make_part(Checks& checks, const OwnPart& part, const Type& type, std::int64_t whole,
              MPI_Datatype* handle) {
    Builder builder(checks);
    std::array<int, kAxesMax> point;
    for (bool is_there = part.start(point); is_there; is_there = part.go_on(point)) {
        MPI_Aint place = 0;
        for (std::size_t at = 1; at < static_cast<std::size_t>(part.count); ++at)
            place += point[at] * part.axes[at].step;
        add_row(builder, type, part.axes[0], place);
    }
    return builder.end(handle, 0, whole);
}

int type_create_darray(Checks& checks, int ranks, int rank, int dimensions, const int* sizes,
                       const int* distributions, const int* arguments, const int* grid, int order,
                       MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    if (type == nullptr)
        return checks.code();
    const auto refuse = [&checks](const char* why) { return checks.refuse(MPI_ERR_ARG, why); };
    if (dimensions < 1 || dimensions > kAxesMax)
        return refuse("an array has 1 to 16 dimensions");
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return refuse("not an order");
    OwnPart part{{}, dimensions};
    // The last dimension of the grid is the fastest; of the array it is the last in C, and in
    // Fortran the first.
    int rest = rank;
    int all = 1;
    for (int at = dimensions - 1; at >= 0; --at) {
        const int nth = order == MPI_ORDER_C ? dimensions - 1 - at : at;
        if (grid[at] < 1 || sizes[at] < 1)
            return refuse("a dimension has at least one element and one rank");
        const int block = block_of(distributions[at], arguments[at], sizes[at], grid[at]);
        if (block == 0)
            return refuse("the blocks of a dimension do not fit it");
        part.axes[static_cast<std::size_t>(nth)] = {sizes[at], block, grid[at], rest % grid[at], 1};
        rest /= grid[at];
        all *= grid[at];
    }
    if (all != ranks || rank < 0 || rank >= ranks)
        return refuse("the grid has not as many places as there are ranks");
    const std::int64_t whole = whole_of(checks, *type, dimensions, sizes);
    if (checks.bad())
        return checks.code();
    for (std::size_t at = 1; at < static_cast<std::size_t>(dimensions); ++at)
        part.axes[at].step = part.axes[at - 1].step * part.axes[at - 1].size;
    return make_part(checks, part, *type, whole, handle);
}

} // namespace

} // namespace mesh::mpi

#include "doors/distributed.inc"
