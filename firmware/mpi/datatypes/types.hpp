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

/// The kind of an element, as operations know it.
enum class Element : std::uint8_t {
    none, // mixed, or bytes that are packed
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

/// The basic types of a type of several ones, in the order of its data, as often as it takes. Lies
/// in one block of the heap, with the parts behind it.
struct Sequence;

/// The call that made a type. Lies in one block of the heap, with the arguments behind it.
struct Recipe {
    void (*drop)(Recipe* self);
    int combiner;
    int addresses;
    int types; // it is an owner of these
    int numbers;
};

/// A type, of the standard or of the program. Its runs lie on the heap, in the order of the data.
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

    /// The bytes of one element.
    std::span<const Run> all_runs() const { return {runs, run_count}; }
    /// The end of the last run, of which there must be one.
    MPI_Aint runs_end() const {
        return runs[run_count - 1].offset + static_cast<MPI_Aint>(runs[run_count - 1].bytes);
    }
    /// Elements lie side by side, without holes.
    bool is_dense() const {
        return run_count == 1 && runs[0].offset == 0 && static_cast<MPI_Aint>(size) == extent;
    }
};

/// Places that a program gives, each an int or an MPI_Aint, which are the same on some boards. The
/// list stays the program's.
class PlaceList {
public:
    /// `list`: the places, or nullptr.
    template <class Place>
    PlaceList(const Place* list) : list_(list),
                                   is_wide_(sizeof(Place) > sizeof(int)) {}
    /// No list.
    PlaceList(std::nullptr_t) {}
    /// There is a list.
    bool is_there() const { return list_ != nullptr; }
    /// Place number `at`, from 0 on. There must be a list.
    MPI_Aint operator[](int at) const {
        return is_wide_ ? static_cast<const MPI_Aint*>(list_)[at]
                        : static_cast<const int*>(list_)[at];
    }

private:
    const void* list_ = nullptr;
    bool is_wide_ = false;
};

/// The type of a handle, committed or not; nullptr: it is none. Ends the run if the heap has no
/// room for a basic type that was not asked for before.
Type* type_of(MPI_Datatype handle);
/// The name of a type of the standard; "": it is none.
const char* name_of_basic(std::uintptr_t handle);
/// One owner more of a type, which a request or another type goes on to need.
void hold(Type* type);
/// One owner less; the last one gives back all that the type has.
void release(Type* type);

/// The begin and the end of data, in bytes from the address that the program gives.
struct Stretch {
    MPI_Aint begin = 0;
    MPI_Aint end = 0;
};
/// The stretch of the data of `count` elements; empty if there is none.
Stretch stretch_of(const Type& type, MPI_Aint count);

/// Copies the data of `count` elements behind `from`, side by side, to `into`.
void pack(const Type& type, std::size_t count, const void* from, std::byte* into);
/// Copies data that lies side by side to the elements behind `into`, at most `bytes` of it.
void unpack(const Type& type, std::size_t count, const std::byte* from, std::size_t bytes,
            void* into);

/// Data to be sent, side by side: where it lies, if the type is dense, else in a copy on the heap.
class Packed {
public:
    /// `count` elements at `data`, which stays the program's. Ends the run if the heap has no room.
    Packed(const void* data, int count, const Type& type);
    /// The data, for as long as this object is there.
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    Room room_;
    std::span<const std::byte> bytes_;
};

/// Room for data that is received, side by side, which keep() puts to its place.
class Unpacked {
public:
    /// Room for `count` elements at `data`; `keeps`: the room has them at first. Ends the run if
    /// the heap has no room.
    Unpacked(void* data, int count, const Type& type, bool keeps = false);
    /// The room, for as long as this object is there.
    std::span<std::byte> bytes() const { return bytes_; }
    /// Puts the data to its place in the program's memory.
    void keep();

private:
    Room room_;
    std::span<std::byte> bytes_;
    void* data_;
    std::size_t count_;
    const Type& type_;
};

/// The address that lies `elements` of a type behind `data`.
inline std::byte* at(void* data, MPI_Aint elements, const Type& type) {
    return static_cast<std::byte*>(data) + elements * type.extent;
}
/// The same of data that is read.
inline const std::byte* at(const void* data, MPI_Aint elements, const Type& type) {
    return static_cast<const std::byte*>(data) + elements * type.extent;
}

} // namespace mesh::mpi
