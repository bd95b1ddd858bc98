// Types of data: which bytes behind an address are meant, in which order.
#pragma once

#include "mpi/objects/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::mpi {

/// Bytes of a type that lie side by side.
struct Run {
    MPI_Aint offset; // from the address that the program gives
    std::uint32_t bytes;
};

/// The pair types of C, such as MPI_DOUBLE_INT: what MPI_MINLOC and MPI_MAXLOC compare.
template <class T>
struct ValueAndIndex {
    T value;
    int index;
};

/// What an element is to an operation.
enum class Element : std::uint8_t {
    none, // mixed, or bytes
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    i64,
    u64,
    f32,
    f64,
    flong,
    complex32,
    complex64,
    complex_long,
    pair_short,
    pair_int,
    pair_long,
    pair_float,
    pair_double,
    pair_long_double,
    bytes // what bits are for, and nothing else
};

/// The basic types that a type of several ones is made of, in the order of its data, as often as it
/// takes. Lies in one block of the heap, with the parts behind it.
struct Sequence;

/// How a type was made. Lies in one block of the heap, with what the program gave behind it.
struct Recipe {
    void (*drop)(Recipe* self);
    int combiner;
    int addresses;
    int types; // it is an owner of these
    int numbers;
};

struct Type : ObjectOf<kDatatype, MPI_Datatype> {
    std::uint32_t size = 0; // bytes of data
    MPI_Aint lower = 0;     // where an element begins
    MPI_Aint extent = 0;    // from an element to the next one
    Run* runs = nullptr;
    std::uint32_t run_count = 0;
    std::uint32_t unit = 1;          // bytes of the basic type, if it has one only; else 1
    Element element = Element::none; // of the basic type, if it has one only
    std::uint8_t alignment = 1;
    std::uint16_t basic = 0; // the handle of the basic type, if it has one only
    bool is_committed = false;
    Attributes* attributes = nullptr;
    char* name = nullptr;         // on the heap; nullptr: the program gave it none
    Recipe* recipe = nullptr;     // of a type that the program made, if it may ask for it
    Sequence* sequence = nullptr; // of a type of several basic ones, if it matters

    std::span<const Run> all_runs() const { return {runs, run_count}; }
    /// Where the last run ends.
    MPI_Aint runs_end() const {
        return runs[run_count - 1].offset + static_cast<MPI_Aint>(runs[run_count - 1].bytes);
    }
    /// Elements lie side by side, without holes.
    bool is_dense() const {
        return run_count == 1 && runs[0].offset == 0 && static_cast<MPI_Aint>(size) == extent;
    }
};

/// Places that a program gives, each an int or an MPI_Aint, which are the same on some boards.
class PlaceList {
public:
    template <class Place>
    PlaceList(const Place* list) : list_(list),
                                   is_wide_(sizeof(Place) > sizeof(int)) {}
    PlaceList(std::nullptr_t) {}
    bool is_there() const { return list_ != nullptr; }
    MPI_Aint operator[](int at) const {
        return is_wide_ ? static_cast<const MPI_Aint*>(list_)[at]
                        : static_cast<const int*>(list_)[at];
    }

private:
    const void* list_ = nullptr;
    bool is_wide_ = false;
};

/// The type of a handle; nullptr: it is none.
Type* type_of(MPI_Datatype handle);
/// An owner more, and one less, of a type that a request or another type goes on to need.
void hold(Type* type);
void release(Type* type);

/// Where the data of `count` elements begins and ends, from the address that the program gives.
struct Stretch {
    MPI_Aint begin = 0;
    MPI_Aint end = 0;
};
Stretch stretch_of(const Type& type, MPI_Aint count);

/// Copies the data of `count` elements behind `from`, side by side, to `into`, and back.
void pack(const Type& type, std::size_t count, const void* from, std::byte* into);
/// `bytes`: not more than that.
void unpack(const Type& type, std::size_t count, const std::byte* from, std::size_t bytes,
            void* into);

/// The data of `count` elements side by side, wherever it is: where it lies, if the type is dense,
/// else in a copy. For what is sent.
class Packed {
public:
    Packed(const void* data, int count, const Type& type);
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    Room room_;
    std::span<const std::byte> bytes_;
};

/// Room for the data of `count` elements side by side, which keep() puts where it belongs. For what
/// is received. `keeps`: the room has at first what is there.
class Unpacked {
public:
    Unpacked(void* data, int count, const Type& type, bool keeps = false);
    std::span<std::byte> bytes() const { return bytes_; }
    void keep();

private:
    Room room_;
    std::span<std::byte> bytes_;
    void* data_;
    std::size_t count_;
    const Type& type_;
};

/// The address `elements` of a type behind `data`.
inline std::byte* at(void* data, MPI_Aint elements, const Type& type) {
    return static_cast<std::byte*>(data) + elements * type.extent;
}
inline const std::byte* at(const void* data, MPI_Aint elements, const Type& type) {
    return static_cast<const std::byte*>(data) + elements * type.extent;
}

} // namespace mesh::mpi
