// Types that a program makes of others.
#include "mpi/attributes.hpp"
#include "mpi/status.hpp"
#include "mpi/types.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace mesh::mpi {

namespace {

/// Builds a type from copies of others at places, in order. Neighbours become one run.
class Builder {
public:
    Builder() : type_(make<Type>()) {
        if (type_ == nullptr)
            end_run("no memory for a datatype", MPI_ERR_NO_MEM);
    }

    /// Adds `count` elements of `type`, the first at `offset`, each `stride` bytes behind the last.
    void add(const Type& type, MPI_Aint count, MPI_Aint offset, MPI_Aint stride) {
        if (count <= 0)
            return;
        if (!known_) {
            type_->element = type.element;
            type_->unit = type.unit;
        } else if (type_->element != type.element || type_->unit != type.unit) {
            type_->element = Element::none;
            type_->unit = 1;
        }
        if (type.is_dense() && stride == type.extent)
            append(offset, static_cast<std::uint32_t>(count * type.extent));
        else
            for (MPI_Aint at = 0; at < count; ++at)
                for (const Run& run : type.all_runs())
                    append(offset + at * stride + run.offset, run.bytes);
        for (const MPI_Aint first : {offset, offset + (count - 1) * stride}) {
            const MPI_Aint low = first + type.lower;
            lower_ = known_ ? std::min(lower_, low) : low;
            upper_ = known_ ? std::max(upper_, low + type.extent) : low + type.extent;
            known_ = true;
        }
    }
    void add(const Type& type, MPI_Aint count, MPI_Aint offset) {
        add(type, count, offset, type.extent);
    }

    int end(MPI_Datatype* handle) {
        type_->lower = lower_;
        type_->extent = upper_ - lower_;
        *handle = type_;
        return MPI_SUCCESS;
    }
    /// The same, with these bounds.
    int end(MPI_Datatype* handle, MPI_Aint lower, MPI_Aint extent) {
        lower_ = lower;
        upper_ = lower + extent;
        return end(handle);
    }
    /// For a structure: its end is rounded up as the compiler does it.
    void round_up(MPI_Aint alignment) {
        const MPI_Aint odd = (upper_ - lower_) % alignment;
        upper_ += odd == 0 ? 0 : alignment - odd;
    }

private:
    void append(MPI_Aint offset, std::uint32_t bytes) {
        type_->size += bytes;
        if (type_->run_count != 0) {
            Run& last = type_->runs[type_->run_count - 1];
            if (last.offset + static_cast<MPI_Aint>(last.bytes) == offset) {
                last.bytes += bytes;
                return;
            }
        }
        if (type_->run_count == room_) {
            room_ = room_ == 0 ? 4 : 2 * room_;
            auto* const more = static_cast<Run*>(mesh_realloc(type_->runs, room_ * sizeof(Run)));
            if (more == nullptr)
                end_run("no memory for a datatype", MPI_ERR_NO_MEM);
            type_->runs = more;
        }
        type_->runs[type_->run_count++] = {offset, bytes};
    }

    Type* type_;
    std::uint32_t room_ = 0;
    bool known_ = false;
    MPI_Aint lower_ = 0;
    MPI_Aint upper_ = 0;
};

int bad_type(const char* call) { return fail(nullptr, MPI_ERR_TYPE, call, nullptr); }
int bad_count(const char* call) { return fail(nullptr, MPI_ERR_COUNT, call, nullptr); }

/// The alignment of the widest basic type that the compiler would give a structure of these.
MPI_Aint alignment_of(const Type& type) {
    MPI_Aint best = 1;
    while (best < 8 && best * 2 <= static_cast<MPI_Aint>(type.unit) && type.unit % (best * 2) == 0)
        best *= 2;
    return type.extent % best == 0 ? best : 1;
}

int make_vector(const char* call, int count, int length, MPI_Aint stride, bool in_elements,
                MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = type_of(old);
    if (type == nullptr)
        return bad_type(call);
    if (count < 0 || length < 0)
        return bad_count(call);
    Builder builder;
    const MPI_Aint bytes = in_elements ? stride * type->extent : stride;
    for (int block = 0; block < count; ++block)
        builder.add(*type, length, block * bytes);
    return builder.end(handle);
}

/// Lengths and places of the blocks as the calls give them.
struct BlockList {
    const int* lengths = nullptr; // or all `length`
    int length = 0;
    const int* in_elements = nullptr; // places, in one or the other
    const MPI_Aint* in_bytes = nullptr;
};

int make_indexed(const char* call, int count, const BlockList& blocks, MPI_Datatype old,
                 MPI_Datatype* handle) {
    const Type* const type = type_of(old);
    if (type == nullptr)
        return bad_type(call);
    if (count < 0)
        return bad_count(call);
    Builder builder;
    for (int block = 0; block < count; ++block)
        builder.add(*type, blocks.lengths != nullptr ? blocks.lengths[block] : blocks.length,
                    blocks.in_bytes != nullptr ? blocks.in_bytes[block]
                                               : blocks.in_elements[block] * type->extent);
    return builder.end(handle);
}

/// Checks that the data of `count` elements fits into `room` bytes of a packed buffer.
class PackChecks : public Checks {
public:
    PackChecks(const char* call, MPI_Comm comm, int count, MPI_Datatype handle, int room)
        : Checks(call, comm) {
        if (Checks::count(count).type(handle).bad())
            return;
        bytes_ = count * static_cast<int>(type_of(handle)->size);
        if (bytes_ > room)
            refuse(MPI_ERR_TRUNCATE, nullptr);
    }
    int bytes() const { return bytes_; }

private:
    int bytes_ = 0;
};

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* handle) {
    return make_vector("MPI_Type_contiguous", 1, count, 0, true, old, handle);
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* handle) {
    return make_vector("MPI_Type_vector", count, length, stride, true, old, handle);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype* handle) {
    return make_vector("MPI_Type_create_hvector", count, length, stride, false, old, handle);
}

int MPI_Type_indexed(int count, const int* lengths, const int* places, MPI_Datatype old,
                     MPI_Datatype* handle) {
    return make_indexed("MPI_Type_indexed", count, {lengths, 0, places}, old, handle);
}

int MPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* places,
                             MPI_Datatype old, MPI_Datatype* handle) {
    return make_indexed("MPI_Type_create_hindexed", count, {lengths, 0, nullptr, places}, old,
                        handle);
}

int MPI_Type_create_indexed_block(int count, int length, const int* places, MPI_Datatype old,
                                  MPI_Datatype* handle) {
    return make_indexed("MPI_Type_create_indexed_block", count, {nullptr, length, places}, old,
                        handle);
}

int MPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* places,
                           const MPI_Datatype* types, MPI_Datatype* handle) {
    constexpr const char* kCall = "MPI_Type_create_struct";
    if (count < 0)
        return bad_count(kCall);
    Builder builder;
    MPI_Aint alignment = 1;
    for (int member = 0; member < count; ++member) {
        const Type* const type = type_of(types[member]);
        if (type == nullptr)
            return bad_type(kCall);
        builder.add(*type, lengths[member], places[member]);
        alignment = std::max(alignment, alignment_of(*type));
    }
    builder.round_up(alignment);
    return builder.end(handle);
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent,
                            MPI_Datatype* handle) {
    const Type* const type = type_of(old);
    if (type == nullptr)
        return bad_type("MPI_Type_create_resized");
    Builder builder;
    builder.add(*type, 1, 0);
    return builder.end(handle, lower, extent);
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype* handle) {
    const Type* const type = type_of(old);
    if (type == nullptr)
        return bad_type("MPI_Type_dup");
    MPI_Type_create_resized(old, type->lower, type->extent, handle);
    (*handle)->is_committed = type->is_committed;
    const int code = copy_attributes(type->attributes, old, &(*handle)->attributes);
    return code == MPI_SUCCESS ? code : fail(nullptr, code, "MPI_Type_dup", kAttributeStays);
}

int MPI_Type_create_subarray(int dimensions, const int* sizes, const int* parts, const int* starts,
                             int order, MPI_Datatype old, MPI_Datatype* handle) {
    constexpr const char* kCall = "MPI_Type_create_subarray";
    const Type* const type = type_of(old);
    if (type == nullptr)
        return bad_type(kCall);
    MPI_Aint rows = 1;
    for (int at = 0; at < dimensions; ++at) {
        if (parts[at] < 1 || starts[at] < 0 || starts[at] + parts[at] > sizes[at])
            return fail(nullptr, MPI_ERR_ARG, kCall, nullptr);
        rows *= parts[at];
    }
    // The dimension whose elements lie side by side is the last one in C, the first in Fortran.
    const auto nth = [=](int at) { return order == MPI_ORDER_C ? dimensions - 1 - at : at; };
    const int row = parts[nth(0)];
    Builder builder;
    MPI_Aint whole = type->extent;
    for (int at = 0; at < dimensions; ++at)
        whole *= sizes[at];
    for (MPI_Aint number = 0; number < rows / row; ++number) {
        MPI_Aint rest = number;
        MPI_Aint place = starts[nth(0)];
        MPI_Aint step = sizes[nth(0)];
        for (int at = 1; at < dimensions; ++at) {
            place += (starts[nth(at)] + rest % parts[nth(at)]) * step;
            rest /= parts[nth(at)];
            step *= sizes[nth(at)];
        }
        builder.add(*type, row, place * type->extent);
    }
    return builder.end(handle, 0, whole);
}

int MPI_Type_commit(MPI_Datatype* handle) {
    Type* const type = type_of(*handle);
    if (type == nullptr)
        return bad_type("MPI_Type_commit");
    type->is_committed = true;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype* handle) {
    if (is_fixed(*handle))
        return bad_type("MPI_Type_free");
    if (const int code = drop_attributes(&(*handle)->attributes, *handle); code != MPI_SUCCESS)
        return fail(nullptr, code, "MPI_Type_free", kAttributeStays);
    release(*handle);
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype handle, int* size) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return bad_type("MPI_Type_size");
    *size = static_cast<int>(type->size);
    return MPI_SUCCESS;
}

int MPI_Type_get_extent(MPI_Datatype handle, MPI_Aint* lower, MPI_Aint* extent) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return bad_type("MPI_Type_get_extent");
    *lower = type->lower;
    *extent = type->extent;
    return MPI_SUCCESS;
}

int MPI_Type_get_true_extent(MPI_Datatype handle, MPI_Aint* lower, MPI_Aint* extent) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return bad_type("MPI_Type_get_true_extent");
    *lower = *extent = 0;
    if (type->run_count == 0)
        return MPI_SUCCESS;
    MPI_Aint low = type->runs[0].offset;
    MPI_Aint high = low;
    for (const Run& run : type->all_runs()) {
        low = std::min(low, run.offset);
        high = std::max(high, run.offset + static_cast<MPI_Aint>(run.bytes));
    }
    *lower = low;
    *extent = high - low;
    return MPI_SUCCESS;
}

int MPI_Get_address(const void* place, MPI_Aint* address) {
    *address = reinterpret_cast<MPI_Aint>(place);
    return MPI_SUCCESS;
}

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint more) { return base + more; }
MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other) { return one - other; }

int MPI_Get_elements(const MPI_Status* status, MPI_Datatype handle, int* count) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return bad_type("MPI_Get_elements");
    if (type->element == Element::none && type->unit == 1)
        return MPI_Get_count(status, handle, count);
    *count = static_cast<int>(bytes_told(*status) / type->unit);
    return MPI_SUCCESS;
}

int MPI_Pack_size(int count, MPI_Datatype handle, MPI_Comm, int* bytes) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return bad_type("MPI_Pack_size");
    *bytes = count * static_cast<int>(type->size);
    return MPI_SUCCESS;
}

int MPI_Pack(const void* data, int count, MPI_Datatype handle, void* into, int room, int* place,
             MPI_Comm comm) {
    const PackChecks checks("MPI_Pack", comm, count, handle, room - *place);
    if (checks.bad())
        return checks.code();
    pack(*type_of(handle), static_cast<std::size_t>(count), data,
         static_cast<std::byte*>(into) + *place);
    *place += checks.bytes();
    return MPI_SUCCESS;
}

int MPI_Unpack(const void* from, int room, int* place, void* data, int count, MPI_Datatype handle,
               MPI_Comm comm) {
    const PackChecks checks("MPI_Unpack", comm, count, handle, room - *place);
    if (checks.bad())
        return checks.code();
    unpack(*type_of(handle), static_cast<std::size_t>(count),
           static_cast<const std::byte*>(from) + *place, static_cast<std::size_t>(checks.bytes()),
           data);
    *place += checks.bytes();
    return MPI_SUCCESS;
}
}
