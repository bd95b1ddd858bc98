// What a compiler would make the best of; the comments are marks of lines.
#include "meshputer.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
using namespace mesh;
struct Shape {
    virtual ~Shape() = default;
    virtual int sides() const = 0;
};
struct Dice : Shape {
    int sides() const override { return rand() % 6; }
};
bool done = false;
[[gnu::noinline]] int open(int number) { return number; }
Process app_main(Kernel& node) {
    alignas(8) std::array<std::byte, 32> bytes{};
    std::array<int, 3> three{3, 2, 1};
    const int which = word<int>(node, 0, 0), zero = 0;
    const Dice dice;
    const Shape& shape = dice;
    std::sort(three.begin(), three.end());
    int sum = shape.sides() < 6 ? open(three[0]) : 0;
    if (which == 1)
        sum += 1 / zero; // 1
    if (which == 2)
        sum += which % (which - 2); // 2
    if (which == 3)
        *reinterpret_cast<double*>(bytes.data() + which) += 1.5; // 3
    while (which == 4 && !done)
        ;
    print("{}\n", sum);
    co_return Status::ok;
}
