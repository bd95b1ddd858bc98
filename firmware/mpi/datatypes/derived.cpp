// Types that a program makes of others.
#include "mpi/datatypes/attributes.hpp"
#include "mpi/datatypes/type_builder.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace mesh::mpi {

namespace {

int make_vector(Checks& checks, bool in_elements, int count, int length, std::int64_t stride,
                MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    if (checks.count(count).count(length).bad())
        return checks.code();
    Builder builder(checks);
    std::int64_t last = 0;
    if (__builtin_mul_overflow(stride, in_elements ? type->extent : 1, &stride) ||
        __builtin_mul_overflow(stride, count, &last))
        checks.refuse(MPI_ERR_COUNT, kReachesFar);
    for (int block = 0; block < count && !checks.bad(); ++block)
        builder.add(*type, length, block * stride);
    return builder.end(handle);
}

int type_contiguous(Checks& checks, int count, MPI_Datatype old, MPI_Datatype* handle) {
    return make_vector(checks, true, 1, count, 0, old, handle);
}

/// The elements of each block, or one number for all.
struct Lengths {
    Lengths(const int* each) : list(each) {}
    Lengths(int of_all) : length(of_all) {}
    int operator[](int block) const { return list != nullptr ? list[block] : length; }

    const int* list = nullptr;
    int length = 0;
};

int make_indexed(Checks& checks, bool in_elements, int count, const Lengths& lengths,
                 const PlaceList& places, MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    checks.count(count).count(lengths.length);
    for (int block = 0; block < count && lengths.list != nullptr; ++block)
        checks.count(lengths[block]);
    if (checks.bad())
        return checks.code();
    Builder builder(checks);
    for (int block = 0; block < count; ++block)
        builder.add(*type, lengths[block],
                    std::int64_t{places[block]} * (in_elements ? type->extent : 1));
    return builder.end(handle);
}

int type_create_struct(Checks& checks, int count, const int* lengths, const MPI_Aint* places,
                       const MPI_Datatype* types, MPI_Datatype* handle) {
    if (checks.count(count).bad())
        return checks.code();
    Builder builder(checks);
    for (int member = 0; member < count; ++member) {
        const Type* const type = checks.any_type(types[member]);
        if (checks.count(lengths[member]).bad())
            break;
        builder.add(*type, lengths[member], places[member]);
    }
    builder.round_up();
    return builder.end(handle);
}

int type_create_resized(Checks& checks, MPI_Datatype old, MPI_Aint lower, MPI_Aint extent,
                        MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    if (type == nullptr)
        return checks.code();
    Builder builder(checks);
    builder.add(*type, 1, 0);
    return builder.end(handle, lower, extent);
}

int type_create_subarray(Checks& checks, int dimensions, const int* sizes, const int* parts,
                         const int* starts, int order, MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    checks.require(dimensions >= 1 && (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN),
                   MPI_ERR_ARG, "not a number of dimensions, or not an order");
    std::int64_t rows = 1;
    for (int at = 0; at < dimensions && !checks.bad(); ++at) {
        checks.require(parts[at] >= 1 && starts[at] >= 0 &&
                           starts[at] <= std::int64_t{sizes[at]} - parts[at],
                       MPI_ERR_ARG, "a part that lies not within the array");
        rows *= parts[at];
        checks.require(rows <= INT_MAX, MPI_ERR_COUNT, "a datatype of 2 GiB or more");
    }
    if (checks.bad())
        return checks.code();
    // The dimension whose elements lie side by side is the last one in C, the first in Fortran.
    const auto nth = [=](int at) { return order == MPI_ORDER_C ? dimensions - 1 - at : at; };
    const int row = parts[nth(0)];
    Builder builder(checks);
    const std::int64_t whole = whole_of(checks, *type, dimensions, sizes);
    for (std::int64_t number = 0; number < rows / row && !checks.bad(); ++number) {
        std::int64_t rest = number;
        std::int64_t place = starts[nth(0)];
        std::int64_t step = sizes[nth(0)];
        for (int at = 1; at < dimensions; ++at) {
            place += (starts[nth(at)] + rest % parts[nth(at)]) * step;
            rest /= parts[nth(at)];
            step *= sizes[nth(at)];
        }
        builder.add(*type, row, place * type->extent);
    }
    return builder.end(handle, 0, whole);
}

/// The bytes of `count` elements, which must fit into `room` bytes of a packed buffer, of which
/// `place` are passed.
int packed_bytes(Checks& checks, int count, MPI_Datatype handle, int room, int place = 0) {
    checks.require(place >= 0 && place <= room, MPI_ERR_ARG, "not a place in the buffer");
    if (checks.elements(count, handle).bad())
        return 0;
    const int bytes = count * static_cast<int>(type_of(handle)->size);
    if (bytes > room - place)
        checks.refuse(MPI_ERR_TRUNCATE, nullptr);
    return bytes;
}

int type_dup(Checks& checks, MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = checks.any_type(old);
    if (type == nullptr)
        return checks.code();
    if (type_create_resized(checks, old, type->lower, type->extent, handle) != MPI_SUCCESS)
        return checks.code();
    Type& made = *type_of(*handle);
    made.is_committed = type->is_committed;
    const int code = copy_attributes(type->attributes, old, &made.attributes);
    if (code == MPI_SUCCESS)
        return code;
    PMPI_Type_free(handle);
    return checks.refuse(code, kAttributeStays);
}

void type_commit(Checks& checks, MPI_Datatype* handle) {
    if (Type* const type = checks.any_type(*handle); type != nullptr)
        type->is_committed = true;
}

// The attributes go with the last handle: MPI_Type_get_contents() gives further ones.
int type_free(Checks& checks, MPI_Datatype* handle) {
    Type* const type = checks.any_type(*handle);
    checks.require(!is_fixed(*handle), MPI_ERR_TYPE, "the datatypes of the standard stay");
    if (checks.bad())
        return checks.code();
    hold(type); // a function of an attribute may free it, too
    const int code =
        type->handles == 1 ? drop_attributes(&type->attributes, *handle) : int{MPI_SUCCESS};
    if (code == MPI_SUCCESS && type->handles != 0)
        take_handle(type);
    release(type);
    if (code != MPI_SUCCESS)
        return checks.refuse(code, kAttributeStays);
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

void type_size(const Checks&, const Type& type, int* size) { *size = static_cast<int>(type.size); }

void type_get_extent(const Checks&, const Type& type, MPI_Aint* lower, MPI_Aint* extent) {
    *lower = type.lower;
    *extent = type.extent;
}

void type_get_true_extent(const Checks&, const Type& type, MPI_Aint* lower, MPI_Aint* extent) {
    const Stretch stretch = stretch_of(type, 1);
    *lower = stretch.begin;
    *extent = stretch.end - stretch.begin;
}

void get_address(const void* place, MPI_Aint* address) {
    *address = reinterpret_cast<MPI_Aint>(place);
}

MPI_Aint aint_add(MPI_Aint base, MPI_Aint more) { return base + more; }
MPI_Aint aint_diff(MPI_Aint one, MPI_Aint other) { return one - other; }

void pack_size(Checks& checks, int count, MPI_Datatype handle, int* bytes) {
    *bytes = packed_bytes(checks, count, handle, INT_MAX);
}

void pack(Checks& checks, const void* data, int count, MPI_Datatype handle, void* into, int room,
          int* place) {
    const int bytes = packed_bytes(checks, count, handle, room, *place);
    if (checks.data(data, count, handle).bad())
        return;
    pack(*type_of(handle), static_cast<std::size_t>(count), data,
         static_cast<std::byte*>(into) + *place);
    *place += bytes;
}

void unpack(Checks& checks, const void* from, int room, int* place, void* data, int count,
            MPI_Datatype handle) {
    const int bytes = packed_bytes(checks, count, handle, room, *place);
    if (checks.data(data, count, handle).bad())
        return;
    unpack(*type_of(handle), static_cast<std::size_t>(count),
           static_cast<const std::byte*>(from) + *place, static_cast<std::size_t>(bytes), data);
    *place += bytes;
}

} // namespace

} // namespace mesh::mpi

#include "doors/derived.inc"
