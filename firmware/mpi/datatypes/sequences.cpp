#include "mpi/datatypes/sequences.hpp"

#include "mpi/datatypes/type_builder.hpp"

#include <algorithm>
#include <bit>
#include <climits>

namespace mesh::mpi {

struct Sequence {
    std::uint32_t count;
    std::uint32_t room; // for so many parts

    Part* parts() { return reinterpret_cast<Part*>(this + 1); }
    const Part* parts() const { return reinterpret_cast<const Part*>(this + 1); }
};

namespace {

const Type& basic_of(std::uint16_t basic) {
    return *type_of(std::bit_cast<MPI_Datatype>(std::uintptr_t{basic}));
}

std::uint64_t bytes_of(std::span<const Part> parts) {
    std::uint64_t bytes = 0;
    for (const Part& part : parts)
        bytes += std::uint64_t{part.count} * basic_of(part.basic).size;
    return bytes;
}

void append(Sequence*& sequence, const Part& part) {
    if (sequence != nullptr && sequence->count != 0) {
        Part& last = sequence->parts()[sequence->count - 1];
        if (last.basic == part.basic) {
            last.count += part.count;
            return;
        }
    }
    if (sequence == nullptr || sequence->count == sequence->room) {
        const std::uint32_t count = sequence == nullptr ? 0 : sequence->count;
        const std::uint32_t room = count == 0 ? 4 : 2 * count;
        auto* const more =
            static_cast<Sequence*>(mesh_realloc(sequence, sizeof(Sequence) + room * sizeof(Part)));
        if (more == nullptr)
            end_run("no memory for a datatype", MPI_ERR_NO_MEM);
        sequence = more;
        sequence->count = count;
        sequence->room = room;
    }
    sequence->parts()[sequence->count++] = part;
}

void append(Sequence*& sequence, std::span<const Part> parts, std::uint64_t times) {
    if (parts.size() == 1)
        return append(sequence,
                      {parts[0].basic, static_cast<std::uint32_t>(parts[0].count * times)});
    for (; times != 0; --times)
        for (const Part& part : parts)
            append(sequence, part);
}

bool are_alike(std::span<const Part> some, std::span<const Part> others) {
    return std::ranges::equal(some, others, [](const Part& one, const Part& other) {
        return one.basic == other.basic && one.count == other.count;
    });
}

} // namespace

PartsOf::PartsOf(const Type& type) : only_{type.basic, 1}, sequence_(type.sequence) {}

std::span<const Part> PartsOf::all() const {
    return sequence_ == nullptr ? std::span(&only_, 1)
                                : std::span(sequence_->parts(), sequence_->count);
}

void keep_sequence(Type& made, const Type& part, MPI_Aint count) {
    if (part.size == 0)
        return;
    const PartsOf before(made);
    const PartsOf behind(part);
    if (made.size == 0) {
        if (part.sequence != nullptr)
            append(made.sequence, behind.all(), 1);
        return;
    }
    if (are_alike(before.all(), behind.all()))
        return;
    Sequence* all = nullptr;
    append(all, before.all(), made.size / bytes_of(before.all()));
    append(all, behind.all(),
           static_cast<std::uint64_t>(count) * part.size / bytes_of(behind.all()));
    mesh_free(made.sequence);
    made.sequence = all;
}

namespace {

/// A basic type that is not one number, or whose number has other bytes outside than on the node.
struct Special {
    std::uint16_t basic;
    Element first;
    std::uint8_t bytes_outside;
    Element second; // none: there is one number
};
constexpr Element kLong = sizeof(long) == 8 ? Element::i64 : Element::i32;
constexpr std::array<Special, 14> kSpecials{{
    {0x20a, kLong, 4, Element::none},                                           // MPI_LONG
    {0x20e, sizeof(long) == 8 ? Element::u64 : Element::u32, 4, Element::none}, // MPI_UNSIGNED_LONG
    {0x201, sizeof(MPI_Aint) == 8 ? Element::i64 : Element::i32, 8, Element::none}, // MPI_AINT
    {0x23c, Element::u32, 2, Element::none},                                        // MPI_WCHAR
    {0x220, Element::flong, 16, Element::none},  // MPI_LONG_DOUBLE
    {0x212, Element::f32, 4, Element::f32},      // MPI_C_FLOAT_COMPLEX
    {0x216, Element::f64, 8, Element::f64},      // MPI_C_DOUBLE_COMPLEX
    {0x224, Element::flong, 16, Element::flong}, // MPI_C_LONG_DOUBLE_COMPLEX
    {0x22c, Element::i16, 2, Element::i32},      // MPI_SHORT_INT
    {0x22b, Element::i32, 4, Element::i32},      // MPI_2INT
    {0x22a, kLong, 4, Element::i32},             // MPI_LONG_INT
    {0x228, Element::f32, 4, Element::i32},      // MPI_FLOAT_INT
    {0x229, Element::f64, 8, Element::i32},      // MPI_DOUBLE_INT
    {0x22d, Element::flong, 16, Element::i32},   // MPI_LONG_DOUBLE_INT
}};

} // namespace

Numbers numbers_of(std::uint16_t basic) {
    const Type& type = basic_of(basic);
    const auto bytes = static_cast<std::uint8_t>(type.size);
    const auto found = std::ranges::find(kSpecials, basic, &Special::basic);
    if (found == kSpecials.end())
        return {{type.element, bytes, bytes}, {}};
    if (found->second == Element::none)
        return {{found->first, bytes, found->bytes_outside}, {}};
    // Two alike, or a value and an int.
    const bool is_pair = found->second == Element::i32;
    const auto second = static_cast<std::uint8_t>(is_pair ? sizeof(int) : bytes / 2u);
    return {{found->first, static_cast<std::uint8_t>(bytes - second), found->bytes_outside},
            {found->second, second, is_pair ? second : found->bytes_outside}};
}

namespace {

/// Elements, as MPI_Get_elements() counts them, and their bytes. A pair is two elements, of which
/// the first may be there alone; a complex number is one.
struct Amount {
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;

    Amount& operator+=(const Amount& more) {
        elements += more.elements;
        bytes += more.bytes;
        return *this;
    }
    Amount times(std::uint64_t count) const { return {elements * count, bytes * count}; }
};

bool is_pair(const Numbers& numbers) { return numbers.second.element == Element::i32; }

Amount amount_of(const Part& part) {
    const Numbers numbers = numbers_of(part.basic);
    const unsigned bytes = numbers.first.bytes + numbers.second.bytes;
    return Amount{is_pair(numbers) ? 2u : 1u, bytes}.times(part.count);
}

using Measure = std::uint64_t Amount::*;

/// The amount of data of `type`, again and again, within a limit of elements or of bytes, as `of`
/// says. The steps are as many as there are parts, whatever the limit.
Amount within(const Type& type, std::uint64_t limit, Measure of) {
    if (type.size == 0)
        return {};
    const PartsOf parts(type);
    Amount round;
    for (const Part& part : parts.all())
        round += amount_of(part);
    Amount found = round.times(limit / (round.*of));
    limit %= round.*of;
    for (const Part& part : parts.all()) {
        const Amount one = amount_of({part.basic, 1});
        const std::uint64_t count = std::min<std::uint64_t>(limit / (one.*of), part.count);
        found += one.times(count);
        limit -= count * (one.*of);
        if (count == part.count)
            continue;
        const Numbers numbers = numbers_of(part.basic);
        const Amount half{1, numbers.first.bytes};
        if (is_pair(numbers) && limit >= half.*of)
            found += half;
        break;
    }
    return found;
}

void set_elements(Checks& checks, MPI_Status* status, const Type& type, MPI_Count count) {
    if (checks.require(count >= 0, MPI_ERR_COUNT, nullptr).bad())
        return;
    tell_bytes(within(type, static_cast<std::uint64_t>(count), &Amount::elements).bytes, status);
}

/// The elements in so many bytes; MPI_UNDEFINED: a part of a number is there.
MPI_Count elements_in(std::uint64_t bytes, const Type& type) {
    const Amount found = within(type, bytes, &Amount::bytes);
    return found.bytes == bytes ? static_cast<MPI_Count>(found.elements) : MPI_Count{MPI_UNDEFINED};
}

void get_elements_x(const Checks&, const MPI_Status* status, const Type& type, MPI_Count* count) {
    *count = elements_in(bytes_told(*status), type);
}

void get_elements(const Checks&, const MPI_Status* status, const Type& type, int* count) {
    const MPI_Count wide = elements_in(bytes_told(*status), type);
    *count = wide > INT_MAX ? int{MPI_UNDEFINED} : static_cast<int>(wide);
}

} // namespace

} // namespace mesh::mpi

#include "doors/sequences.inc"
