// What is known of a value's type while compiling: a pointer in it, and for what it may be taken.
#include "core/base/types.hpp"
#include "kernel/api/type_notes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::test {
namespace type_notes_test {

struct Numbers {
    int count;
    float value;
};
struct Text {
    int length;
    const char* text;
};
struct Deep {
    Numbers numbers;
    std::array<int, 3> row;
    int* last;
};
struct Derived : Numbers {
    void* pointer;
};
struct Function {
    void (*call)(int);
};
struct Flat {
    std::array<Numbers, 2> numbers;
    int row[3];
    NodeId node;
    unsigned bits : 3;
};

TEST(TypeNotes, APointerIsFoundWhereverItStandsInAStruct) {
    EXPECT_TRUE(detail::holds_pointer<Text>());
    EXPECT_TRUE(detail::holds_pointer<Deep>());
    EXPECT_TRUE(detail::holds_pointer<Derived>());
    EXPECT_TRUE(detail::holds_pointer<Function>());
    EXPECT_TRUE((detail::holds_pointer<std::array<int*, 2>>()));
}

TEST(TypeNotes, NumbersAndStructsOfNumbersHoldNone) {
    EXPECT_FALSE(detail::holds_pointer<int>());
    EXPECT_FALSE(detail::holds_pointer<Numbers>());
    EXPECT_FALSE(detail::holds_pointer<Flat>());
    EXPECT_FALSE((detail::holds_pointer<std::array<float, 100>>()));
}

TEST(TypeNotes, IntegersOfOneSizeAndRowsOfThemMayBeTakenForOneAnother) {
    constexpr std::uint32_t kWord = detail::word_of_type<std::uint32_t>();
    EXPECT_EQ(detail::word_of_type<int>(), kWord);
    EXPECT_EQ(detail::word_of_type<NodeId>(), kWord);
    EXPECT_EQ((detail::word_of_type<std::array<int, 4>>()), kWord);
    EXPECT_NE(detail::word_of_type<float>(), kWord);
    EXPECT_NE(detail::word_of_type<std::uint64_t>(), kWord);
}

TEST(TypeNotes, StructsAreOfTheirNameAndBytesMayBeAnything) {
    EXPECT_NE(detail::word_of_type<Numbers>(), detail::word_of_type<Text>());
    EXPECT_EQ((detail::word_of_type<std::array<Numbers, 2>>()), detail::word_of_type<Numbers>());
    EXPECT_EQ((detail::word_of_type<std::array<std::byte, 8>>()), 0u);
    EXPECT_EQ(detail::kTypeNote<Numbers>.name, "mesh::test::type_notes_test::Numbers");
}

} // namespace type_notes_test
} // namespace mesh::test
