#include "mpi/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace mesh::mpi {

namespace {

/// result = left op right, for so many elements; all of them at any address.
using Combine = void (*)(const std::byte* left, const std::byte* right, std::byte* result,
                         std::size_t count);

template <class T, class F>
void each(const std::byte* left, const std::byte* right, std::byte* result, std::size_t count) {
    for (std::size_t at = 0; at < count * sizeof(T); at += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, left + at, sizeof a);
        std::memcpy(&b, right + at, sizeof b);
        const T both = F::of(a, b);
        std::memcpy(result + at, &both, sizeof both);
    }
}

struct Sum {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a + b);
    }
};
struct Product {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a * b);
    }
};
/// Below all numbers, above them, or one of them.
template <class T>
int side_of(T value) {
    return !std::isnan(value) ? 0 : std::signbit(value) ? -1 : 1;
}

/// IEEE 754's totalOrder, as the kernel has it: -NaN, -infinity .. -0, +0 .. infinity, NaN. So the
/// order of combining does not matter.
template <class T>
bool is_less(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a == b)
            return std::signbit(a) && !std::signbit(b);
        if (side_of(a) != side_of(b))
            return side_of(a) < side_of(b);
    }
    return a < b;
}

struct Least {
    template <class T>
    static T of(T a, T b) {
        return is_less(b, a) ? b : a;
    }
};
struct Greatest {
    template <class T>
    static T of(T a, T b) {
        return is_less(a, b) ? b : a;
    }
};
struct BitAnd {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct BitOr {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct BitXor {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct And {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a != 0 && b != 0);
    }
};
struct Or {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a != 0 || b != 0);
    }
};
struct Xor {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>((a != 0) != (b != 0));
    }
};

/// Of two values the one that is before the other; of equal ones that with the lower index.
template <bool kLeast>
struct FirstPlace {
    template <class T>
    static T of(const T& a, const T& b) {
        const bool are_equal =
            a.value == b.value || (!is_less(a.value, b.value) && !is_less(b.value, a.value));
        if (are_equal)
            return a.index < b.index ? a : b;
        return is_less(b.value, a.value) == kLeast ? b : a;
    }
};
using LeastPlace = FirstPlace<true>;
using GreatestPlace = FirstPlace<false>;

/// For operations to which a sign is nothing.
template <class F>
Combine of_bits(Element element) {
    if (element == Element::i8 || element == Element::u8)
        return each<std::uint8_t, F>;
    if (element == Element::i16 || element == Element::u16)
        return each<std::uint16_t, F>;
    if (element == Element::i32 || element == Element::u32)
        return each<std::uint32_t, F>;
    if (element == Element::i64 || element == Element::u64)
        return each<std::uint64_t, F>;
    return nullptr;
}

template <class F>
Combine of_floats(Element element) {
    if (element == Element::f32)
        return each<float, F>;
    if (element == Element::f64)
        return each<double, F>;
    if (element == Element::flong)
        return each<long double, F>;
    return nullptr;
}

template <class F>
Combine of_numbers(Element element) {
    if (element == Element::complex32)
        return each<std::complex<float>, F>;
    if (element == Element::complex64)
        return each<std::complex<double>, F>;
    if constexpr (sizeof(long double) != sizeof(double))
        if (element == Element::complex_long)
            return each<std::complex<long double>, F>;
    const Combine real = of_floats<F>(element);
    return real != nullptr ? real : of_bits<F>(element);
}

template <class F>
Combine of_ordered(Element element) {
    if (element == Element::i8)
        return each<std::int8_t, F>;
    if (element == Element::i16)
        return each<std::int16_t, F>;
    if (element == Element::i32)
        return each<std::int32_t, F>;
    if (element == Element::i64)
        return each<std::int64_t, F>;
    const Combine real = of_floats<F>(element);
    return real != nullptr ? real : of_bits<F>(element);
}

template <class F>
Combine of_places(Element element) {
    if (element == Element::pair_short)
        return each<ValueAndIndex<short>, F>;
    if (element == Element::pair_int)
        return each<ValueAndIndex<int>, F>;
    if (element == Element::pair_long)
        return each<ValueAndIndex<long>, F>;
    if (element == Element::pair_float)
        return each<ValueAndIndex<float>, F>;
    if (element == Element::pair_double)
        return each<ValueAndIndex<double>, F>;
    if (element == Element::pair_long_double)
        return each<ValueAndIndex<long double>, F>;
    return nullptr;
}

/// For the operations that MPI_BYTE has, too.
Element bits_of(Element element) { return element == Element::bytes ? Element::u8 : element; }

/// The function for an operation of the standard; nullptr: it has no meaning for this type.
Combine function_for(std::uintptr_t number, Element element) {
    switch (number) {
    case 0x21: return of_numbers<Sum>(element);
    case 0x22: return of_ordered<Least>(element);
    case 0x23: return of_ordered<Greatest>(element);
    case 0x24: return of_numbers<Product>(element);
    case 0x28: return of_bits<BitAnd>(bits_of(element));
    case 0x29: return of_bits<BitOr>(bits_of(element));
    case 0x2a: return of_bits<BitXor>(bits_of(element));
    case 0x30: return of_bits<And>(element);
    case 0x31: return of_bits<Or>(element);
    case 0x32: return of_bits<Xor>(element);
    case 0x38: return of_places<LeastPlace>(element);
    case 0x39: return of_places<GreatestPlace>(element);
    default: return nullptr;
    }
}

constexpr std::array<std::uint8_t, 12> kNumbers{0x21, 0x22, 0x23, 0x24, 0x28, 0x29,
                                                0x2a, 0x30, 0x31, 0x32, 0x38, 0x39};
std::array<Op, kNumbers.size()> known;

/// Elements of basic types: all that operations of the standard are for.
Element basic_element(const Type& type) {
    const bool is_basic = type.size == type.unit;
    return is_basic ? type.element : Element::none;
}

} // namespace

Op* op_of(MPI_Op handle) {
    if (!is_fixed(handle))
        return find_object<Op>(handle);
    const std::uintptr_t number = number_of(handle);
    const auto found = std::ranges::find(kNumbers, number);
    if (found == kNumbers.end())
        return nullptr;
    Op& op = known[static_cast<std::size_t>(found - kNumbers.begin())];
    op.number = number;
    op.handle = static_cast<std::uint32_t>(number);
    op.handles = 1;
    op.owners = kOwnersForever;
    return &op;
}

bool Operation::is_known() const {
    return op_.function != nullptr || function_for(op_.number, basic_element(type_)) != nullptr;
}

Combiner Operation::combiner(std::uint32_t communicator) const {
    const auto combine = [](const void* context, std::span<const std::byte> left,
                            std::span<const std::byte> right, std::span<std::byte> result) {
        const auto& self = *static_cast<const Operation*>(context);
        function_for(self.op_.number, basic_element(self.type_))(
            left.data(), right.data(), result.data(),
            result.size() / static_cast<std::size_t>(self.type_.extent));
    };
    return {.combine = combine,
            .element_bytes = static_cast<std::size_t>(type_.extent),
            .context = this,
            .operation = communicator << 16 | static_cast<std::uint32_t>(op_.number << 8) |
                         static_cast<std::uint32_t>(type_.element)};
}

void Operation::combine(void* left, void* right, int count) const {
    if (op_.function != nullptr) {
        MPI_Datatype handle = handle_;
        op_.function(left, right, &count, &handle);
        return;
    }
    auto* const result = static_cast<std::byte*>(right);
    function_for(op_.number, basic_element(type_))(static_cast<std::byte*>(left), result, result,
                                                   static_cast<std::size_t>(count));
}

} // namespace mesh::mpi
