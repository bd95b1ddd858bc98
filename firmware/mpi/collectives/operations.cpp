#include "mpi/collectives/operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace mesh::mpi {

namespace {

/// Does result = left op right, for so many elements; each of the three may be at any address.
using Combine = void (*)(const std::byte* left, const std::byte* right, std::byte* result,
                         std::size_t count);

template <class T, auto kOf>
void each(const std::byte* left, const std::byte* right, std::byte* result, std::size_t count) {
    for (std::size_t at = 0; at < count * sizeof(T); at += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, left + at, sizeof a);
        std::memcpy(&b, right + at, sizeof b);
        const T both = static_cast<T>(kOf(a, b));
        std::memcpy(result + at, &both, sizeof both);
    }
}

/// The side of the numbers on which a value is: -1 below (-NaN), 1 above (NaN), 0 among them.
template <class T>
int side_of(T value) {
    return !std::isnan(value) ? 0 : std::signbit(value) ? -1 : 1;
}

/// The order of IEEE 754's totalOrder, as the kernel has it: -NaN, -infinity .. -0, +0 .. infinity,
/// NaN. With it the order of combining does not matter.
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

constexpr auto kSum = [](auto a, auto b) { return a + b; };
constexpr auto kProduct = [](auto a, auto b) { return a * b; };
constexpr auto kLeast = [](auto a, auto b) { return is_less(b, a) ? b : a; };
constexpr auto kGreatest = [](auto a, auto b) { return is_less(a, b) ? b : a; };
constexpr auto kBitAnd = [](auto a, auto b) { return a & b; };
constexpr auto kBitOr = [](auto a, auto b) { return a | b; };
constexpr auto kBitXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kAnd = [](auto a, auto b) { return a != 0 && b != 0; };
constexpr auto kOr = [](auto a, auto b) { return a != 0 || b != 0; };
constexpr auto kXor = [](auto a, auto b) { return (a != 0) != (b != 0); };
/// The value that comes before the other; of equal ones that with the lower index.
template <bool kIsLeast>
constexpr auto kFirstPlace = [](auto a, auto b) {
    const bool are_equal =
        a.value == b.value || (!is_less(a.value, b.value) && !is_less(b.value, a.value));
    if (are_equal)
        return a.index < b.index ? a : b;
    return is_less(b.value, a.value) == kIsLeast ? b : a;
};

/// The types of C of elements that follow each other, from `first` on.
template <Element kFirst, class... T>
struct Types {
    /// nullptr: the element is none of these.
    template <auto kOf>
    static Combine function_for(Element element) {
        static constexpr std::array<Combine, sizeof...(T)> kAll{each<T, kOf>...};
        const std::size_t place =
            static_cast<std::size_t>(element) - static_cast<std::size_t>(kFirst);
        return place < kAll.size() ? kAll[place] : nullptr;
    }
};
using Long =
    std::conditional_t<sizeof(long double) == sizeof(double), double, long double>; // no code twice
/// Types for operations to which the sign makes no difference.
using Bits = Types<Element::i8, std::uint8_t, std::uint8_t, std::uint16_t, std::uint16_t,
                   std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;
using Numbers = Types<Element::i8, std::uint8_t, std::uint8_t, std::uint16_t, std::uint16_t,
                      std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, float, double,
                      Long, std::complex<float>, std::complex<double>, std::complex<Long>>;
using Ordered =
    Types<Element::i8, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
          std::uint32_t, std::int64_t, std::uint64_t, float, double, Long>;
using Places =
    Types<Element::pair_short, ValueAndIndex<short>, ValueAndIndex<int>, ValueAndIndex<long>,
          ValueAndIndex<float>, ValueAndIndex<double>, ValueAndIndex<Long>>;

/// The element that operations on bits take: MPI_BYTE has them, too.
Element bits_of(Element element) { return element == Element::bytes ? Element::u8 : element; }

/// The function for an operation of the standard; nullptr: it has no meaning for this type.
Combine function_for(std::uintptr_t number, Element element) {
    switch (number) {
    case 0x21: return Numbers::function_for<kSum>(element);
    case 0x22: return Ordered::function_for<kLeast>(element);
    case 0x23: return Ordered::function_for<kGreatest>(element);
    case 0x24: return Numbers::function_for<kProduct>(element);
    case 0x28: return Bits::function_for<kBitAnd>(bits_of(element));
    case 0x29: return Bits::function_for<kBitOr>(bits_of(element));
    case 0x2a: return Bits::function_for<kBitXor>(bits_of(element));
    case 0x30: return Bits::function_for<kAnd>(element);
    case 0x31: return Bits::function_for<kOr>(element);
    case 0x32: return Bits::function_for<kXor>(element);
    case 0x38: return Places::function_for<kFirstPlace<true>>(element);
    case 0x39: return Places::function_for<kFirstPlace<false>>(element);
    default: return nullptr;
    }
}

constexpr std::array<std::uint8_t, 12> kNumbers{0x21, 0x22, 0x23, 0x24, 0x28, 0x29,
                                                0x2a, 0x30, 0x31, 0x32, 0x38, 0x39};
std::array<Op, kNumbers.size()> known;

/// The element of a basic type, which operations of the standard are for; none for other types.
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
