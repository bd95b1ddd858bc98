// Ways in which a program gives up that its C++ library chooses, one a word of the command line.
#include "meshputer.hpp"

#include <array>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Base {
    Base() { call(); }
    virtual ~Base() = default;
    void call() { pure(); }
    virtual void pure() = 0;
};
struct Derived : Base {
    void pure() override {}
};

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
    if (how == "pure")
        static_cast<void>(Derived{}); // pure
    if (how == "string")
        mesh::print("{}\n", std::string("abc").substr(four).size()); // string
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
    if (node.id() == mesh::NodeId{1})
        give_up(node.arguments()[0]);
    co_return mesh::Status::ok;
}
