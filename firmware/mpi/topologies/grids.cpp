// Cartesian topologies: ranks as the points of a grid, the last dimension the fastest. Where the
// ranks are a cube, or a subcube of one, MPI_Cart_create() may reorder them: each coordinate is
// counted in Gray code, so that every edge of the grid is one link (core/embedding.hpp).
#include "mpi/communicators/communicators.hpp"

#include "core/embedding.hpp"
#include "mpi/topologies/graphs.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace mesh::mpi {

namespace {

/// A grid on the heap, whose axes the caller sets. Ends the run if the heap has no room.
Grid* new_grid(std::size_t dimensions) {
    const std::size_t bytes = sizeof(Grid) + dimensions * sizeof(Grid::Axis);
    void* const place = mesh_malloc(bytes);
    if (place == nullptr)
        end_run("no memory for a grid", MPI_ERR_NO_MEM);
    return new (place) Grid{bytes, static_cast<int>(dimensions)};
}

/// The place of a coordinate; negative: it lies outside.
int place_of(const Grid::Axis& axis, std::int64_t coordinate) {
    const bool is_there = axis.is_periodic || (coordinate >= 0 && coordinate < axis.size);
    return is_there ? static_cast<int>((coordinate % axis.size + axis.size) % axis.size) : -1;
}

/// The rank of a point; MPI_PROC_NULL: it lies outside.
Rank rank_at(const Grid& grid, const int* coordinates) {
    Rank rank = 0;
    for (const Grid::Axis& axis : grid.axes()) {
        const int place = place_of(axis, *coordinates++);
        if (place < 0)
            return MPI_PROC_NULL;
        rank = rank * axis.size + place;
    }
    return rank;
}

/// The distance of the ranks of two neighbours on an axis.
int stride_of(const Grid& grid, std::size_t dimension) {
    int stride = 1;
    for (const Grid::Axis& axis : grid.axes().subspan(dimension + 1))
        stride *= axis.size;
    return stride;
}

int coordinate_of(const Grid& grid, Rank rank, std::size_t dimension) {
    return rank / stride_of(grid, dimension) % grid.axes()[dimension].size;
}

} // namespace

Rank neighbor_in(const Grid& grid, Rank rank, int dimension, std::int64_t distance) {
    const auto at = static_cast<std::size_t>(dimension);
    const int here = coordinate_of(grid, rank, at);
    const int there = place_of(grid.axes()[at], here + distance);
    return there < 0 ? MPI_PROC_NULL : rank + (there - here) * stride_of(grid, at);
}

namespace {

constexpr int kFactorsMax = 30; // of a positive int

/// The numbers up to `most` to the power of `count` reach `product`.
bool reaches(int most, std::size_t count, int product) {
    std::int64_t power = 1;
    for (; count != 0 && power < product; --count)
        power *= most;
    return power >= product;
}

/// Factors of a number, from the greatest down, whose greatest and least are as near as can be. It
/// tries all lists of factors, each not greater than the factor before it.
class Factors {
public:
    /// `sizes`: factors of `product` from the greatest down; better ones come into their place.
    Factors(int product, std::span<int> sizes)
        : sizes_(sizes),
          nearest_(sizes.front() - sizes.back()) {
        rest_[0] = product;
        int root = 1; // the least factor is not greater
        while (!reaches(root, sizes.size(), product))
            ++root;
        tried_[0] =
            static_cast<int>(std::min<std::int64_t>(product, std::int64_t{root} + nearest_)) + 1;
    }

    void find() {
        for (std::size_t at = 0;;) {
            if (!next(at)) {
                if (at-- == 0)
                    return;
            } else if (at + 1 == sizes_.size()) {
                std::copy_n(tried_.begin(), sizes_.size(), sizes_.begin());
                nearest_ = tried_[0] - tried_[at];
            } else {
                rest_[at + 1] = rest_[at] / tried_[at];
                tried_[at + 1] = tried_[at] + 1;
                ++at;
            }
        }
    }

private:
    /// The next factor to try at a place; false: there is none.
    bool next(std::size_t at) {
        const int least = at == 0 ? 1 : std::max(tried_[0] - nearest_ + 1, 1);
        const bool is_last = at + 1 == sizes_.size();
        for (int factor = tried_[at] - 1; factor >= least; --factor) {
            if (!reaches(factor, sizes_.size() - at, rest_[at]))
                return false;
            if (is_last ? factor == rest_[at] : rest_[at] % factor == 0) {
                tried_[at] = factor;
                return true;
            }
        }
        return false;
    }

    std::span<int> sizes_;
    int nearest_;
    std::array<int, kFactorsMax> tried_;
    std::array<int, kFactorsMax> rest_; // for this place and those behind it
};

/// Gives each prime factor, from the greatest down, to the smallest of `sizes`, which are 1.
[[gnu::noinline]] void deal_out(int product, std::span<int> sizes) {
    std::array<int, kFactorsMax> factors;
    std::size_t count = 0;
    for (int factor = 2; product > 1; ++factor)
        for (; product % factor == 0; product /= factor)
            factors[count++] = factor;
    while (count-- > 0)
        *std::ranges::min_element(sizes) *= factors[count];
    std::ranges::sort(sizes, std::ranges::greater{});
}

[[gnu::noinline]] void find_nearest(int product, std::span<int> sizes) {
    Factors(product, sizes).find();
}

/// Checks that a communicator has a grid.
class GridChecks : public Checks {
public:
    GridChecks(const char* call, MPI_Comm handle) : Checks(call, handle) {
        if (!bad() && comm().grid == nullptr)
            refuse(MPI_ERR_TOPOLOGY, nullptr);
    }
    const Grid& grid() const { return *comm().grid; }
    /// As many as the program has room for.
    std::span<const Grid::Axis> first_axes(int most) const {
        return grid().axes().first(
            static_cast<std::size_t>(std::clamp(most, 0, grid().dimensions)));
    }
};

// Further dimensions than a number may have factors get one place.
int dims_create(Checks& checks, int nodes, int dimensions, int* sizes) {
    checks.require(nodes > 0 && dimensions >= 0, MPI_ERR_DIMS, nullptr);
    int free = 0;
    for (int at = 0; at < dimensions && !checks.bad(); ++at) {
        if (sizes[at] < 0 || (sizes[at] > 0 && nodes % sizes[at] != 0))
            return checks.refuse(MPI_ERR_DIMS, nullptr);
        if (sizes[at] > 0)
            nodes /= sizes[at];
        else
            ++free;
    }
    if (free == 0)
        checks.require(nodes == 1, MPI_ERR_DIMS, nullptr);
    if (free == 0 || checks.bad())
        return checks.code();
    std::array<int, kFactorsMax> made;
    const auto ours = std::span(made).first(static_cast<std::size_t>(std::min(free, kFactorsMax)));
    std::ranges::fill(ours, 1);
    deal_out(nodes, ours);
    find_nearest(nodes, ours);
    std::size_t next = 0;
    for (int at = 0; at < dimensions; ++at)
        if (sizes[at] == 0)
            sizes[at] = next < ours.size() ? ours[next++] : 1;
    return MPI_SUCCESS;
}

int cart_create(Checks& checks, int dimensions, const int* sizes, const int* periods, int reorder,
                MPI_Comm* made) {
    Comm& old = checks.comm();
    if (dimensions < 0)
        return checks.refuse(MPI_ERR_DIMS, nullptr);
    Rank size = 1;
    for (int at = 0; at < dimensions; ++at) {
        if (sizes[at] <= 0)
            return checks.refuse(MPI_ERR_DIMS, nullptr);
        if (sizes[at] > old.size() / size)
            return checks.refuse(MPI_ERR_ARG, "the grid has more points than there are ranks");
        size *= sizes[at];
    }
    Grid* const grid = new_grid(static_cast<std::size_t>(dimensions));
    for (Grid::Axis& axis : grid->axes())
        axis = {*sizes++, *periods++ != 0};
    Group* const group = new_group(size);
    GridGuest guest;
    const bool fits = std::ranges::all_of(grid->axes(), [&guest](const Grid::Axis& axis) {
        return guest.add_axis(static_cast<std::uint32_t>(axis.size));
    });
    if (reorder == 0 || !fits || !embed(guest, old, *group))
        std::copy_n(old.group->nodes, size, group->nodes);
    Comm* const comm = make_communicator(old, group);
    if (comm != nullptr)
        comm->grid = grid;
    else
        mesh_free(grid);
    *made = give_handle(comm);
    return MPI_SUCCESS;
}

// MPI_Cart_create() asks for more than one rank can know; without reorder it gives what this does.
int cart_map(Checks& checks, int dimensions, const int* sizes, const int*, int* rank) {
    Rank size = 1;
    bool fits = dimensions >= 0;
    for (int at = 0; at < dimensions && fits; ++at) {
        fits = sizes[at] > 0 && sizes[at] <= checks.comm().size() / size;
        size *= fits ? sizes[at] : 1;
    }
    if (!fits)
        return checks.refuse(MPI_ERR_DIMS, "the grid has no points, or more than there are ranks");
    *rank = checks.comm().rank() < size ? checks.comm().rank() : int{MPI_UNDEFINED};
    return MPI_SUCCESS;
}

void topo_test(Checks& checks, int* kind) {
    const Graph* const graph = checks.comm().graph;
    *kind = checks.comm().grid != nullptr               ? MPI_CART
            : graph != nullptr && graph->is_distributed ? MPI_DIST_GRAPH
            : graph != nullptr                          ? MPI_GRAPH
                                                        : MPI_UNDEFINED;
}

void cartdim_get(GridChecks& checks, int* dimensions) { *dimensions = checks.grid().dimensions; }

int cart_coords(GridChecks& checks, int rank, int most, int* coordinates) {
    for (std::size_t at = 0; at < checks.first_axes(most).size(); ++at)
        coordinates[at] = coordinate_of(checks.grid(), rank, at);
    return MPI_SUCCESS;
}

int cart_get(GridChecks& checks, int most, int* sizes, int* periods, int* coordinates) {
    for (const Grid::Axis& axis : checks.first_axes(most)) {
        *sizes++ = axis.size;
        *periods++ = axis.is_periodic;
    }
    return cart_coords(checks, checks.comm().rank(), most, coordinates);
}

int cart_rank(GridChecks& checks, const int* coordinates, int* rank) {
    *rank = rank_at(checks.grid(), coordinates);
    return *rank == MPI_PROC_NULL ? checks.refuse(MPI_ERR_ARG, "coordinates outside of the grid")
                                  : MPI_SUCCESS;
}

int cart_shift(GridChecks& checks, int dimension, int distance, int* from, int* to) {
    const Grid& grid = checks.grid();
    if (dimension < 0 || dimension >= grid.dimensions)
        return checks.refuse(MPI_ERR_DIMS, nullptr);
    *to = neighbor_in(grid, checks.comm().rank(), dimension, distance);
    *from = neighbor_in(grid, checks.comm().rank(), dimension, -std::int64_t{distance});
    return MPI_SUCCESS;
}

int cart_sub(GridChecks& checks, const int* stay, MPI_Comm* part) {
    const Grid& grid = checks.grid();
    const std::size_t count = grid.axes().size();
    const auto staying = count - static_cast<std::size_t>(std::count(stay, stay + count, 0));
    Grid* const made = new_grid(staying);
    Grid::Axis* next = made->axes().data();
    int color = 0;
    int key = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const Grid::Axis& axis = grid.axes()[at];
        int& number = stay[at] != 0 ? key : color;
        number = number * axis.size + coordinate_of(grid, checks.comm().rank(), at);
        if (stay[at] != 0)
            *next++ = axis;
    }
    const int code = PMPI_Comm_split(checks.handle(), color, key, part);
    if (code == MPI_SUCCESS)
        comm_of(*part)->grid = made;
    else
        mesh_free(made);
    return code;
}

} // namespace

} // namespace mesh::mpi

#include "doors/grids.inc"
