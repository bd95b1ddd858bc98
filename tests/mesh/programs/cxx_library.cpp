// What textbook programs in C++ take from the library: containers, text, streams, objects that are
// constructed before main() begins. Reads numbers and lines from standard input.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

std::vector<int> primes{2, 3, 5, 7};
const std::string title = "a text that is longer than what fits into the object itself";
std::map<std::string, std::vector<int>> places{{"even", {2}}, {"odd", {3, 5}}};

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square final : Shape {
    explicit Square(double side) : side_(side) {}
    ~Square() override { std::cout << "a square ends\n"; }
    double area() const override { return side_ * side_; }
    double side_;
};

void containers() {
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int side = 1; side <= 3; ++side)
        shapes.push_back(std::make_unique<Square>(side * 0.5));
    std::function<double(double, const std::unique_ptr<Shape>&)> add =
        [](double sum, const auto& shape) { return sum + shape->area(); };
    std::cout << std::accumulate(shapes.begin(), shapes.end(), 0.0, add) << std::endl;
    primes.push_back(11);
    places["odd"].push_back(primes.back());
    std::vector<std::string> words(1000, title);
    words.resize(2000, "short");
    std::sort(words.begin(), words.end());
    std::set<char> letters(title.begin(), title.end());
    std::cout << words.front() << ' ' << words.size() << ' ' << letters.size() << ' '
              << places.size() << ' ' << places["odd"].size() << '\n';
}

void text() {
    std::ostringstream out;
    out << std::setw(8) << std::setfill('*') << 42 << std::hex << 255 << std::dec << ' '
        << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678
        << ' ' << std::boolalpha << true << ' ' << 1.0f / 3 << ' ' << static_cast<void*>(nullptr);
    std::cout << out.str() << '\n';
    std::istringstream in("12 3.5 word -7");
    int number = 0, last = 0;
    double real = 0;
    std::string word;
    in >> number >> real >> word >> last;
    std::cout << number + last << ' ' << real << ' ' << word << ' ' << std::stoi("77") << ' '
              << std::stod("2.5e-3") << ' ' << std::to_string(1.5) << '\n';
    std::printf("%s, ", "printf");
    std::cout << "cout, ";
    std::cerr << "";
    std::puts("puts");
}

void input() {
    int count = 0;
    double sum = 0;
    std::cin >> count;
    for (double number = 0; count > 0 && std::cin >> number; --count)
        sum += number;
    std::string line;
    std::getline(std::cin, line);
    std::cout << sum << " <" << line << ">\n";
    while (std::getline(std::cin, line))
        std::cout << '<' << line << ">\n";
    std::cout << std::cin.eof() << std::cin.fail() << '\n';
}

} // namespace

int main() {
    std::ios_base::sync_with_stdio(true);
    std::cout << title << ' ' << primes.size() << '\n';
    containers();
    text();
    input();
    const auto begin = std::chrono::steady_clock::now();
    sleep(1);
    std::cout << (std::chrono::steady_clock::now() - begin >= std::chrono::seconds{1}) << std::endl;
    return 0;
}
