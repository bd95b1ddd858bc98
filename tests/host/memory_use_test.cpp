// What `mesh build` says of memory: from the words of the linker and of the compiler.
#include "host-tools/mesh/programs/memory_use.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::host {
namespace memory_use_test {

TEST(MemoryUse, is_told_in_bytes_and_in_parts_of_what_the_board_has) {
    EXPECT_EQ(
        memory_words("Memory region         Used Size  Region Size  %age Used\n"
                     "           FLASH:       31528 B       256 KB     12.03%\n"
                     "             RAM:        2 MB         4 MB     50.00%\n"),
        "FLASH     31528 of 262144 bytes (12 %)\nRAM       2097152 of 4194304 bytes (50 %)\n");
    EXPECT_EQ(memory_words("ld: warning: something else\n"), "");
}

TEST(MemoryUse, knows_the_frames_of_coroutines_from_what_debuggers_are_told) {
    const std::string listing =
        " <2><14080>: Abbrev Number: 125 (DW_TAG_structure_type)\n"
        "    <14081>   DW_AT_name        : (indirect string, offset: 0x927e): "
        "_Z5countRN4mesh6KernelEjRj.Frame\n"
        "    <14085>   DW_AT_byte_size   : 3096\n"
        " <2><14090>: Abbrev Number: 125 (DW_TAG_structure_type)\n"
        "    <14091>   DW_AT_name        : (indirect string, offset: 0x3d04): "
        "_ZN4mesh3parIJNS_4TaskINS_6StatusEEEEEES3_RNS_6KernelEDpT_.Frame\n"
        "    <14095>   DW_AT_byte_size   : 136\n"
        " <2><140a0>: Abbrev Number: 12 (DW_TAG_structure_type)\n"
        "    <140a1>   DW_AT_name        : (indirect string, offset: 0x1): Frame\n"
        "    <140a5>   DW_AT_byte_size   : 8\n";
    const auto frames = coroutine_frames(listing);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].name, "count");
    EXPECT_EQ(frames[0].bytes, 3096u);
    EXPECT_EQ(frames[1].name, "mesh::par");
    EXPECT_EQ(frames[1].bytes, 136u);
}

TEST(MemoryUse, knows_the_frames_that_do_not_begin_with_the_function_that_is_resumed) {
    const auto frame = [](const std::string& name, const std::string& offset) {
        return " <2><16130>: Abbrev Number: 29 (DW_TAG_structure_type)\n"
               "    <16131>   DW_AT_name        : (indirect string, offset: 0x927e): " +
               name +
               ".Frame\n"
               " <3><1615e>: Abbrev Number: 3 (DW_TAG_member)\n"
               "    <1615f>   DW_AT_name        : (indirect string, offset: 0x8746): "
               "_Coro_resume_fn\n"
               "    <16166>   DW_AT_data_member_location: " +
               offset +
               "\n"
               " <3><16167>: Abbrev Number: 3 (DW_TAG_member)\n"
               "    <16168>   DW_AT_name        : (indirect string, offset: 0x199e3): "
               "_Coro_destroy_fn\n"
               "    <16170>   DW_AT_data_member_location: 8\n";
    };
    EXPECT_EQ(misplaced_frames(frame("_Z5rightRN4mesh6KernelE", "0") +
                               frame("_Z5wrongRN4mesh6KernelE", "4")),
              std::vector<std::string>{"wrong"});
    using std::string_literals::operator""s;
    EXPECT_TRUE(may_misplace_frames("to\0__ifcd_0\0from"s));
    EXPECT_TRUE(may_misplace_frames("to\0__swch_0\0from"s));
    EXPECT_FALSE(may_misplace_frames("to\0__ifcd_0_2_3\0from"s));
}

TEST(MemoryUse, names_the_largest_frame_on_the_stack_by_its_line) {
    const FrameSize largest = largest_stack_frame("a.cpp:2:15:int f(int)\t16\tstatic\n"
                                                  "a.cpp:12:15:Frame*)\t216\tstatic\n"
                                                  "b.hpp:75:16:x\t64\tdynamic\n");
    EXPECT_EQ(largest.name, "a.cpp:12");
    EXPECT_EQ(largest.bytes, 216u);
    EXPECT_EQ(largest_stack_frame("").bytes, 0u);
}

TEST(MemoryUse, begins_with_the_largest_frames_and_says_which_are_too_large) {
    const NodeMemoryRecord memory{.processes = 16, .workspace_bytes = 0, .arena_bytes = 24576};
    EXPECT_EQ(frame_words(16384, {"a.cpp:12", 216}, memory, {{"f", 64}, {"g", 9000}}),
              "stack     16384 bytes; the largest frame of the program has 216, a.cpp:12\n"
              "arena     24576 bytes for coroutines: g 9000 (too large: at most 8176), f 64\n");
}

} // namespace memory_use_test
} // namespace mesh::host
