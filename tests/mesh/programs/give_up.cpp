// Ends of a program that its libraries and its compiler choose, one a word of the command line.
#include "meshputer.hpp"

#include <array>
#include <bitset>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace {

volatile unsigned four = 4;

void give_up(std::string_view how) {
    std::array<int, 4> array{};
    int plain[4] = {};
    if (how == "at")
        array.at(four) = 1; // at
    if (how == "operator")
        array[four] = 1; // operator
    if (how == "index")
        plain[four] = 1; // index
    if (how == "optional")
        mesh::print("{}\n", *std::optional<int>{}); // optional
    if (how == "terminate")
        std::terminate(); // terminate
    if (how == "bits")
        mesh::print("{}\n", std::bitset<4>{}.test(four)); // bits
    if (how == "string")
        mesh::print("{}\n", std::string_view("abc").substr(four)); // string
    if (how == "_exit")
        _exit(0); // _exit
    if (how == "_Exit")
        std::_Exit(0); // _Exit
    if (how == "system")
        static_cast<void>(std::system("touch system-was-here")); // system
    mesh::print("{}\n", plain[0] + array[0]);
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    if (node.id() == mesh::NodeId{1} && !node.arguments().empty())
        give_up(node.arguments()[0]);
    co_return mesh::Status::ok;
}
