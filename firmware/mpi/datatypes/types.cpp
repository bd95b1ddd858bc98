// The basic types of C, and how data of any type is packed.
#include "mpi/datatypes/types.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <complex>
#include <cstdlib>
#include <cstring>

namespace mesh::mpi {

namespace {

struct Basic {
    std::uint16_t handle;
    std::uint8_t size;   // of the data
    std::uint8_t extent; // of the object in C, whose end may be a hole
    std::uint8_t second; // of a pair with a hole in its middle: where the second part is; else 0
    Element element;
    std::uint8_t alignment;
};

template <class T>
constexpr Basic basic(std::uint16_t handle, Element element = Element::none) {
    return {handle, sizeof(T), sizeof(T), 0, element, alignof(T)};
}

template <class T>
constexpr Basic pair(std::uint16_t handle, Element element) {
    constexpr std::size_t kSecond = (sizeof(T) + alignof(int) - 1) / alignof(int) * alignof(int);
    return {handle,
            sizeof(T) + sizeof(int),
            sizeof(ValueAndIndex<T>),
            kSecond == sizeof(T) ? std::uint8_t{0} : std::uint8_t{kSecond},
            element,
            alignof(ValueAndIndex<T>)};
}

template <class T>
constexpr Element integer() {
    constexpr bool kSigned = std::is_signed_v<T>;
    switch (sizeof(T)) {
    case 1: return kSigned ? Element::i8 : Element::u8;
    case 2: return kSigned ? Element::i16 : Element::u16;
    case 4: return kSigned ? Element::i32 : Element::u32;
    default: return kSigned ? Element::i64 : Element::u64;
    }
}

template <class T>
constexpr Basic number(std::uint16_t handle) {
    return basic<T>(handle, integer<T>());
}

constexpr std::array kBasics{
    number<MPI_Aint>(0x201),
    number<MPI_Count>(0x202),
    number<MPI_Offset>(0x203),
    basic<std::byte>(0x207), // MPI_PACKED
    number<short>(0x208),
    number<int>(0x209),
    number<long>(0x20a),
    number<long long>(0x20b),
    number<unsigned short>(0x20c),
    number<unsigned>(0x20d),
    number<unsigned long>(0x20e),
    number<unsigned long long>(0x20f),
    basic<float>(0x210, Element::f32),
    basic<std::complex<float>>(0x212, Element::complex32),
    basic<double>(0x214, Element::f64),
    basic<std::complex<double>>(0x216, Element::complex64),
    basic<long double>(0x220, Element::flong),
    basic<std::complex<long double>>(
        0x224, sizeof(long double) == sizeof(double) ? Element::complex64 : Element::complex_long),
    pair<float>(0x228, Element::pair_float),
    pair<double>(0x229, Element::pair_double),
    pair<long>(0x22a, Element::pair_long),
    pair<int>(0x22b, Element::pair_int),
    pair<short>(0x22c, Element::pair_short),
    pair<long double>(0x22d, Element::pair_long_double),
    number<unsigned char>(0x238), // MPI_C_BOOL
    number<wchar_t>(0x23c),
    number<std::int8_t>(0x240),
    number<std::uint8_t>(0x241),
    number<signed char>(0x243), // MPI_CHAR
    number<signed char>(0x244),
    number<unsigned char>(0x245),
    basic<std::byte>(0x247, Element::bytes), // MPI_BYTE
    number<std::int16_t>(0x248),
    number<std::uint16_t>(0x249),
    number<std::int32_t>(0x250),
    number<std::uint32_t>(0x251),
    number<std::int64_t>(0x258),
    number<std::uint64_t>(0x259),
};

/// Handles of basic types are from kFirst on, below kEnd.
constexpr std::size_t kFirst = kBasics.front().handle, kEnd = kBasics.back().handle + 1u;
constexpr std::size_t kNone = kBasics.size();
/// Types of Fortran and of C++ that are the same as one of C.
struct Alias {
    std::uint16_t handle;
    std::uint16_t basic;
};
constexpr std::array<Alias, 11> kAliases{{{0x213, 0x212},   // MPI_CXX_FLOAT_COMPLEX
                                          {0x217, 0x216},   // MPI_CXX_DOUBLE_COMPLEX
                                          {0x218, 0x209},   // MPI_LOGICAL
                                          {0x219, 0x209},   // MPI_INTEGER
                                          {0x21a, 0x210},   // MPI_REAL
                                          {0x21b, 0x212},   // MPI_COMPLEX
                                          {0x21c, 0x214},   // MPI_DOUBLE_PRECISION
                                          {0x21d, 0x216},   // MPI_DOUBLE_COMPLEX
                                          {0x225, 0x224},   // MPI_CXX_LONG_DOUBLE_COMPLEX
                                          {0x232, 0x22b},   // MPI_2INTEGER
                                          {0x239, 0x238}}}; // MPI_CXX_BOOL
/// The place of each handle.
constexpr std::array kPlaces = [] {
    std::array<std::uint8_t, kEnd - kFirst> places{};
    places.fill(kNone);
    for (std::size_t place = 0; place < kBasics.size(); ++place)
        places[kBasics[place].handle - kFirst] = static_cast<std::uint8_t>(place);
    for (const Alias& alias : kAliases)
        places[alias.handle - kFirst] = places[alias.basic - kFirst];
    return places;
}();

struct BasicType : Type {
    std::array<Run, 2> its_runs;
};
/// The basic types that the program uses, on the heap since it asked for them the first time.
std::array<BasicType*, kBasics.size()> basic_types{};

Type* make_basic(std::size_t number) {
    const Basic& basic = kBasics[number];
    void* const place = mesh_malloc(sizeof(BasicType));
    if (place == nullptr)
        end_run("no memory for a datatype", MPI_ERR_NO_MEM);
    BasicType& type = *new (place) BasicType;
    basic_types[number] = &type;
    std::array<Run, 2>& runs = type.its_runs;
    type.owners = kOwnersForever;
    type.handle = basic.handle;
    type.handles = 1;
    type.size = type.unit = basic.size;
    type.extent = basic.extent;
    type.element = basic.element;
    type.basic = basic.handle;
    type.alignment = basic.alignment;
    type.is_committed = true;
    type.runs = runs.data();
    type.run_count = basic.second == 0 ? 1 : 2;
    runs[0] = {0, basic.size};
    if (basic.second != 0) {
        runs[0].bytes = basic.size - static_cast<std::uint32_t>(sizeof(int));
        runs[1] = {basic.second, sizeof(int)};
    }
    return &type;
}

} // namespace

Type* type_of(MPI_Datatype handle) {
    if (!is_fixed(handle))
        return find_object<Type>(handle);
    const std::uintptr_t number = number_of(handle);
    const std::size_t place = number >= kFirst && number < kEnd ? kPlaces[number - kFirst] : kNone;
    if (place == kNone)
        return nullptr;
    return basic_types[place] != nullptr ? basic_types[place] : make_basic(place);
}

void hold(Type* type) { ++type->owners; }

void release(Type* type) {
    if (--type->owners != 0)
        return;
    if (type->recipe != nullptr)
        type->recipe->drop(type->recipe);
    mesh_free(type->sequence);
    mesh_free(type->runs);
    mesh_free(type->name);
    destroy(type);
}

Type* Checks::any_type(MPI_Datatype handle) { return usable(type_of(handle), handle); }

Checks& Checks::elements(int number, MPI_Datatype handle) { return data(this, number, handle); }

// A null pointer is MPI_BOTTOM, too, where the type has addresses in it.
Checks& Checks::data(const void* data, int number, MPI_Datatype handle) {
    constexpr MPI_Aint kAddressesBegin = 4096;
    if (count(number).type(handle).bad())
        return *this;
    const Type& type = *type_of(handle);
    if (static_cast<std::int64_t>(number) * type.size > INT_MAX)
        refuse(MPI_ERR_COUNT, "2 GiB or more of data");
    if (data == nullptr && number != 0 && type.size != 0 &&
        std::abs(type.runs[0].offset) < kAddressesBegin)
        refuse(MPI_ERR_BUFFER, "not a buffer: it is null");
    return *this;
}

Checks& Checks::type(MPI_Datatype handle) {
    const Type* const type = any_type(handle);
    if (type != nullptr && !type->is_committed)
        refuse(MPI_ERR_TYPE, "the datatype was not committed: MPI_Type_commit()");
    return *this;
}

// Data with holes may lie in the holes of the result.
Checks& Checks::apart(const void* given, const void* result, int count, MPI_Datatype handle) {
    if (bad() || given == MPI_IN_PLACE || count == 0)
        return *this;
    const Type& type = *type_of(handle);
    const std::size_t bytes = type.is_dense() ? type.size * static_cast<std::size_t>(count) : 1;
    const auto one = reinterpret_cast<std::uintptr_t>(given);
    const auto other = reinterpret_cast<std::uintptr_t>(result);
    if (type.size != 0 && std::max(one, other) - std::min(one, other) < bytes)
        refuse(MPI_ERR_BUFFER,
               "not a buffer: the result goes there, too (MPI_IN_PLACE is for that)");
    return *this;
}

Stretch stretch_of(const Type& type, MPI_Aint count) {
    if (type.run_count == 0 || count == 0)
        return {};
    Stretch stretch{type.runs[0].offset, type.runs[0].offset};
    for (const Run& run : type.all_runs()) {
        stretch.begin = std::min(stretch.begin, run.offset);
        stretch.end = std::max(stretch.end, run.offset + static_cast<MPI_Aint>(run.bytes));
    }
    const MPI_Aint last = (count - 1) * type.extent;
    return {stretch.begin + std::min<MPI_Aint>(last, 0), stretch.end + std::max<MPI_Aint>(last, 0)};
}

void pack(const Type& type, std::size_t count, const void* from, std::byte* into) {
    const auto* element = static_cast<const std::byte*>(from);
    if (type.is_dense()) {
        std::copy_n(element, count * type.size, into);
        return;
    }
    for (; count != 0; --count, element += type.extent)
        for (const Run& run : type.all_runs())
            into = std::copy_n(element + run.offset, run.bytes, into);
}

void unpack(const Type& type, std::size_t count, const std::byte* from, std::size_t bytes,
            void* into) {
    auto* element = static_cast<std::byte*>(into);
    if (type.is_dense()) {
        std::copy_n(from, std::min<std::size_t>(bytes, count * type.size), element);
        return;
    }
    for (; count != 0 && bytes != 0; --count, element += type.extent)
        for (const Run& run : type.all_runs()) {
            const std::size_t part = std::min<std::size_t>(bytes, run.bytes);
            std::copy_n(from, part, element + run.offset);
            from += part;
            bytes -= part;
        }
}

Packed::Packed(const void* data, int count, const Type& type) {
    const std::size_t bytes = static_cast<std::size_t>(count) * type.size;
    if (type.is_dense()) {
        bytes_ = {static_cast<const std::byte*>(data), bytes};
        return;
    }
    room_ = Room(bytes);
    pack(type, static_cast<std::size_t>(count), data, room_.data());
    bytes_ = {room_.data(), bytes};
}

Unpacked::Unpacked(void* data, int count, const Type& type, bool keeps)
    : data_(data),
      count_(static_cast<std::size_t>(count)),
      type_(type) {
    const std::size_t bytes = count_ * type.size;
    if (type.is_dense()) {
        bytes_ = {static_cast<std::byte*>(data), bytes};
        return;
    }
    room_ = Room(bytes);
    if (keeps)
        pack(type, count_, data, room_.data());
    bytes_ = {room_.data(), bytes};
}

void Unpacked::keep() {
    if (room_)
        unpack(type_, count_, room_.data(), bytes_.size(), data_);
}

} // namespace mesh::mpi
