// Prints with all functions that C has for it; the host's C library gives the right output.
#include "meshputer.hpp"

#include <bit>
#include <cinttypes>
#include <cstddef>
#include <cstdio>

namespace {

void conversions() {
    printf("float [%f] [%g] [%e] [%.2f]\n", 1.5, 2.5, 1234.5, 0.125);
    printf("wide [%llu] [%" PRId64 "] [%" PRIu64 "]\n", 123456789012ull, std::int64_t{-5} << 40,
           ~std::uint64_t{0});
    printf("size [%zu] [%td] hex [%08lx] [%#x] left [%-8s] right [%8s]\n", std::size_t{7},
           std::ptrdiff_t{-7}, 0xBEEFul, 255u, "left", "right");
    printf("star [%*d] [%-*d] [%.*s] [%c] [%%]\n", 6, 42, 6, 42, 2, "cut", 'c');
}

/// Each by another function; it must be one line after the other.
void in_order() {
    putchar('a');
    fputs("b", stdout);
    fprintf(stderr, "%c", 'c');
    putc('d', stdout);
    fputc('e', stderr);
    fwrite("f\n", 1, 2, stdout);
    puts("next");
    char text[8];
    const volatile std::size_t room = sizeof text; // else the compiler sees that it is too small
    const int wanted = snprintf(text, room, "%s", "too long for it");
    fprintf(stdout, "%s %d\n", text, wanted);
}

void long_line() {
    for (int number = 0; number < 1500; ++number)
        printf("%d,", number % 10);
    puts("");
}

/// Doubles of any bits, and any integers.
void random_numbers() {
    std::uint64_t bits = 88172645463325252u;
    for (unsigned round = 0; round < 50; ++round) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        const auto value = std::bit_cast<double>(bits);
        printf("%.17g %f %.3e %+G\n", value, value, value, value);
        printf("%lld %llx %llo %u %hd %hhx\n", static_cast<long long>(bits),
               static_cast<unsigned long long>(bits), static_cast<unsigned long long>(bits),
               static_cast<unsigned>(bits), static_cast<short>(bits),
               static_cast<unsigned char>(bits));
    }
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    if (mesh::index(node.id()) == 0) {
        conversions();
        in_order();
        long_line();
    } else {
        random_numbers();
    }
    printf("node %u ends without a newline", static_cast<unsigned>(mesh::index(node.id())));
    co_return mesh::Status::ok;
}
