// Writes beyond globals, coroutines, workspace and stack. // build: --engine sim
#include "meshputer.hpp"
#include <array>
#include <cstring>
using namespace mesh;
std::array<char, 64> global;
char* volatile place = global.data(); // so that the compiler does not see where it leads
[[gnu::noinline]] void fill(std::size_t bytes) {
    char* const from = place;
    std::memset(from, 'A', bytes); // fill
    place = from;
}
[[gnu::noinline]] void in_function(std::size_t bytes) {
    std::array<char, 64> array;
    place = array.data();
    fill(array.size() + bytes);
    place = nullptr;
} // function
Process app_main(Kernel& node) {
    std::array<char, 64> array{};
    const auto bytes = word<std::size_t>(node, 1, 0);
    if (index(node.id()) == 1) {
        switch (word<int>(node, 0, 0)) {
        case 1: place = array.data(); break;
        case 2: place = reinterpret_cast<char*>(node.workspace().data()); break;
        case 3: in_function(bytes); break;
        }
        if (place != nullptr)
            fill(array.size() + bytes);
    }
    const Status status = co_await barrier(node);
    print("{}\n", array[0]);
    co_return status;
}
