// What the C library keeps for a program, its numbers and its words, as both engines have them.
#include "meshputer.hpp"
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <unistd.h>

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    char text[] = "one,two;three";
    char word_a[] = "prog", word_b[] = "-x7", word_c[] = "--size=12", word_d[] = "rest";
    char* words[] = {word_a, word_b, word_c, word_d, nullptr};
    const option longs[] = {{"size", required_argument, nullptr, 's'}, {nullptr, 0, nullptr, 0}};
    printf("first %d\n", rand());
    srand(me);
    const char* part = strtok(text, ",;");
    while (part != nullptr) { // all nodes take turns here
        const int number = rand() % 1000;
        printf("part %s, %d %d\n", part, number, rand() % 1000);
        if (const auto status = co_await mesh::barrier(node); status != mesh::Status::ok)
            co_return status;
        part = strtok(nullptr, ",;");
    }
    for (int found = 0; (found = getopt_long(4, words, "x:", longs, nullptr)) != -1;) {
        printf("option %c %s\n", found, optarg);
        co_await node.yield();
    }
    printf("then %s\n", words[optind]);
    volatile double zero = 0;
    printf("%f %g %s\n", zero / zero, -(zero / zero), getenv("PATH") == nullptr ? "none" : "some");
    mesh::print("{:f} {}\n", zero / zero, zero / zero);
    errno = ERANGE;
    perror("far");
    puts(strerror(EDOM));
    fputs(strerror(ENOSYS), stderr);
    puts("");
    co_return mesh::Status::ok;
}
