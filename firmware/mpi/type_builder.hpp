// How types are made of others.
#pragma once

#include "mpi/types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace mesh::mpi {

/// What a program gave to the call that made a type, as MPI_Type_get_contents() tells it.
struct Given {
    int combiner;
    std::array<std::span<const int>, 6> numbers; // one behind the other
    std::span<const MPI_Datatype> types;
    std::span<const MPI_Aint> addresses = {};
};

/// Keeps it with the type. There only in a program that asks for it, by MPI_Type_get_envelope() or
/// MPI_Type_get_contents(): others have nothing of it in their images.
[[gnu::weak]] void keep_recipe(Type& type, const Given& given);

/// Keeps the basic types of `count` elements of `part` that come behind those of `made`. There only
/// in a program that asks for them.
[[gnu::weak]] void keep_sequence(Type& made, const Type& part, MPI_Aint count);

/// The same for a call that returns `code`. `given` makes it.
template <class F>
int kept(int code, MPI_Datatype* handle, F given) {
    if (keep_recipe != nullptr && code == MPI_SUCCESS)
        keep_recipe(**handle, given());
    return code;
}

/// `count` numbers of an array of the program.
template <class T>
std::span<const T> list(const T* values, int count) {
    return {values, static_cast<std::size_t>(std::max(count, 0))};
}

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
        if (keep_sequence != nullptr)
            keep_sequence(*type_, type, count);
        if (type_->size == 0) {
            type_->element = type.element;
            type_->unit = type.unit;
            type_->basic = type.basic;
        } else if (type.size != 0) {
            const bool is_alike = type_->element == type.element && type_->unit == type.unit;
            type_->element = is_alike ? type.element : Element::none;
            type_->unit = is_alike ? type.unit : 1;
            type_->basic = type_->basic == type.basic ? type.basic : std::uint16_t{0};
        }
        type_->alignment = std::max(type_->alignment, type.alignment);
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
    void round_up() {
        const MPI_Aint odd = (upper_ - lower_) % type_->alignment;
        upper_ += odd == 0 ? 0 : type_->alignment - odd;
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

inline int bad_type(const char* call) { return fail(nullptr, MPI_ERR_TYPE, call, nullptr); }
inline int bad_count(const char* call) { return fail(nullptr, MPI_ERR_COUNT, call, nullptr); }

} // namespace mesh::mpi
