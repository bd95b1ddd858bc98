// What `mesh build` adds to the words of a compiler, and where.
#include "host-tools/mesh/programs/compiler_help.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mesh::host {
namespace compiler_help_test {

const std::string kError = "a.cpp:7:22: error: cannot convert 'mesh::Task<mesh::Status>' to "
                           "'mesh::Status' in initialization\n";
const std::string kSource = "    7 | Status s = send_value(node, to, x);\n"
                            "      |            ~~~~~~~~~~^~~~~~~~~~~~~\n"
                            "      |                      |\n";
const std::string kNote = "a.hpp:3:1: note: declared here\n    3 | Status f();\n";
const std::string kHelp =
    "help: the value of a call that waits is there after co_await: co_await CALL\n";

TEST(CompilerHelp, stands_below_the_source_text_and_before_the_notes) {
    EXPECT_EQ(with_help(kError + kSource + kNote), kError + kSource + kHelp + kNote);
    EXPECT_EQ(with_help(kError + kSource), kError + kSource + kHelp);
}

TEST(CompilerHelp, is_given_once_for_a_line) {
    const std::string other = "a.cpp:8" + kError.substr(7);
    EXPECT_EQ(with_help(kError + kError + other), kError + kHelp + kError + other + kHelp);
}

TEST(CompilerHelp, knows_an_error_with_colours_and_typographic_quotes) {
    const std::string coloured = "\x1b[01m\x1b[Ka.cpp:7:22:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: "
                                 "\x1b[m\x1b[Kcannot convert \u2018\x1b[01m\x1b[Kmesh::Task<mesh::"
                                 "Status>\x1b[m\x1b[K\u2019 to \u2018mesh::Status\u2019\n";
    EXPECT_EQ(with_help(coloured), coloured + kHelp);
}

TEST(CompilerHelp, leaves_everything_else_as_it_is) {
    const std::string other = "a.cpp: In function 'int f()':\na.cpp:1:1: error: expected ';'\n";
    const std::string warning = "a.cpp:7:22: warning: cannot convert 'mesh::Task<int>' to 'int'\n";
    for (const std::string& said : {other, warning, std::string{}, std::string("no end of line")})
        EXPECT_EQ(with_help(said), said);
}

} // namespace compiler_help_test
} // namespace mesh::host
