// The making of types of others.
#pragma once

#include "mpi/datatypes/types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh::mpi {

/// The arguments of the call that made a type, as MPI_Type_get_contents() tells them.
struct Given {
    int combiner;
    std::array<std::span<const int>, 8> numbers; // one behind the other
    std::span<const MPI_Datatype> types;
    std::array<std::span<const MPI_Aint>, 2> addresses;
};

/// Keeps a copy with the type, which becomes an owner of the types in it. Ends the run if the heap
/// has no room. There only in a program that asks for it, by MPI_Type_get_envelope() or
/// MPI_Type_get_contents(): others have nothing of it in their images.
[[gnu::weak]] void keep_recipe(Type& type, const Given& given);

/// Keeps the basic types of `count` elements of `part` that come behind those of `made`. Ends the
/// run if the heap has no room. There only in a program that asks for them.
[[gnu::weak]] void keep_sequence(Type& made, const Type& part, MPI_Aint count);

/// Does keep_recipe() at the door of a call that returns `code`, and gives that. `given` makes the
/// Given.
template <class F>
int kept(int code, MPI_Datatype* handle, F given) {
    if (keep_recipe != nullptr && code == MPI_SUCCESS)
        keep_recipe(*type_of(*handle), given());
    return code;
}

/// `count` numbers of an array of the program.
template <class T>
std::span<const T> list(const T* values, int count) {
    return {values, static_cast<std::size_t>(std::max(count, 0))};
}

/// The reason for which a type is refused whose addresses a node has not.
inline constexpr const char* kReachesFar = "a datatype that reaches over 2 GiB or more";

/// The bytes of an array of `type` with these dimensions; refused with MPI_ERR_COUNT if a node has
/// not as many.
inline std::int64_t whole_of(Checks& checks, const Type& type, int dimensions, const int* sizes) {
    std::int64_t whole = type.extent;
    for (int at = 0; at < dimensions; ++at)
        if (__builtin_mul_overflow(whole, sizes[at], &whole) || whole > INTPTR_MAX)
            checks.refuse(MPI_ERR_COUNT, kReachesFar);
    return whole;
}

/// Builds a type from copies of others at places, in order. Neighbours become one run. A type of
/// 2 GiB or more is refused with MPI_ERR_COUNT, one for which the heap has no room with
/// MPI_ERR_NO_MEM; then nothing is added any more. One end() has to follow.
class Builder {
public:
    /// An empty type. `checks` must stay.
    explicit Builder(Checks& checks) : checks_(checks), type_(make<Type>()) {
        if (type_ == nullptr)
            refuse(MPI_ERR_NO_MEM, nullptr);
    }
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;

    /// Adds `count` elements of `type`, the first at `offset`, each `stride` bytes behind the last.
    void add(const Type& type, std::int64_t count, std::int64_t offset, std::int64_t stride) {
        if (count <= 0 || type_ == nullptr)
            return;
        std::int64_t last = 0;
        std::int64_t end = 0;
        if (count * type.size + type_->size > INT32_MAX || !is_address(offset) ||
            __builtin_mul_overflow(count - 1, stride, &last) ||
            __builtin_add_overflow(last, offset, &last) ||
            __builtin_add_overflow(last, type.extent, &end) || !is_address(end))
            return refuse(MPI_ERR_COUNT, "a datatype of 2 GiB or more");
        if (keep_sequence != nullptr)
            keep_sequence(*type_, type, static_cast<MPI_Aint>(count));
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
            append(static_cast<MPI_Aint>(offset), static_cast<std::uint32_t>(count * type.size));
        else
            append_each(type, count, offset, stride);
        for (const std::int64_t first : {offset, last}) {
            const auto low = static_cast<MPI_Aint>(first) + type.lower;
            lower_ = known_ ? std::min(lower_, low) : low;
            upper_ = known_ ? std::max(upper_, low + type.extent) : low + type.extent;
            known_ = true;
        }
    }
    /// Adds `count` elements side by side.
    void add(const Type& type, std::int64_t count, std::int64_t offset) {
        add(type, count, offset, type.extent);
    }

    /// Gives the program the type, or nothing. MPI_SUCCESS, or the first error of the checks.
    int end(MPI_Datatype* handle) {
        if (type_ == nullptr)
            return checks_.code();
        if (checks_.result(handle).bad()) { // or a member was
            release(std::exchange(type_, nullptr));
            return checks_.code();
        }
        type_->lower = lower_;
        type_->extent = upper_ - lower_;
        *handle = give_handle(*type_);
        return MPI_SUCCESS;
    }
    /// The same with these bounds, in bytes. MPI_ERR_COUNT: they are no addresses.
    int end(MPI_Datatype* handle, std::int64_t lower, std::int64_t extent) {
        std::int64_t upper = 0;
        if (__builtin_add_overflow(lower, extent, &upper) || !is_address(lower) ||
            !is_address(upper))
            refuse(MPI_ERR_COUNT, kReachesFar);
        lower_ = static_cast<MPI_Aint>(lower);
        upper_ = static_cast<MPI_Aint>(upper);
        return end(handle);
    }
    /// Rounds the end of a structure up, as the compiler does.
    void round_up() {
        const MPI_Aint odd =
            type_ == nullptr ? 0 : (upper_ - lower_) % static_cast<MPI_Aint>(type_->alignment);
        upper_ += odd == 0 ? 0 : type_->alignment - odd;
    }

private:
    static bool is_address(std::int64_t place) {
        return place >= INTPTR_MIN && place <= INTPTR_MAX;
    }

    void refuse(int code, const char* why) {
        checks_.refuse(code, why);
        if (type_ != nullptr)
            release(std::exchange(type_, nullptr));
    }

    void append_each(const Type& type, std::int64_t count, std::int64_t offset,
                     std::int64_t stride) {
        for (; count != 0; --count, offset += stride)
            for (const Run& run : type.all_runs()) {
                append(static_cast<MPI_Aint>(offset) + run.offset, run.bytes);
                if (type_ == nullptr)
                    return;
            }
    }

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
                return refuse(MPI_ERR_NO_MEM, "no memory for a datatype");
            type_->runs = more;
        }
        type_->runs[type_->run_count++] = {offset, bytes};
    }

    Checks& checks_;
    Type* type_; // nullptr: it was refused
    std::uint32_t room_ = 0;
    bool known_ = false;
    MPI_Aint lower_ = 0;
    MPI_Aint upper_ = 0;
};

} // namespace mesh::mpi
