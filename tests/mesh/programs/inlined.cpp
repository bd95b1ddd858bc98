// Functions in functions, all of which the compiler puts into the last one.
#include "meshputer.hpp"

[[gnu::always_inline]] inline void f0(volatile int* to) { *to = 1; }
[[gnu::always_inline]] inline void f1(volatile int* to) { f0(to); }
[[gnu::always_inline]] inline void f2(volatile int* to) { f1(to); }
[[gnu::always_inline]] inline void f3(volatile int* to) { f2(to); }
[[gnu::always_inline]] inline void f4(volatile int* to) { f3(to); }
[[gnu::always_inline]] inline void f5(volatile int* to) { f4(to); }
[[gnu::always_inline]] inline void f6(volatile int* to) { f5(to); }
[[gnu::always_inline]] inline void f7(volatile int* to) { f6(to); }

int* volatile nowhere = nullptr;

mesh::Process app_main(mesh::Kernel&) {
    f7(nowhere);
    co_return mesh::Status::ok;
}
