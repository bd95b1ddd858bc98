// Functions that the C++ library, which is built with exceptions, refers to and never calls. Where
// others throw a node stops (firmware/libc/exceptions.cpp, and here those of streams and text). So
// an image with a part of the library has no code that unwinds stacks.
#include "hal/check.hpp"

#include <cstddef>
#include <cstdio>
#include <ctime>

namespace {

[[noreturn]] void give_up(const char* words, const void* after) {
    std::printf("%s\n", words);
    mesh::check_failed(mesh::ProgramEnd::exception_thrown, after);
}

[[noreturn]] void give_up() {
    mesh::check_failed(mesh::ProgramEnd::exception_thrown, __builtin_return_address(0));
}

} // namespace

// The library asks for these names.
// NOLINTBEGIN(cert-dcl58-cpp,bugprone-reserved-identifier,readability-identifier-naming)
namespace std {
[[gnu::noreturn]] void __throw_bad_cast();
[[gnu::noreturn]] void __throw_runtime_error(const char* words);
[[gnu::noreturn]] void __throw_ios_failure(const char* words);
[[gnu::noreturn]] void __throw_ios_failure(const char* words, int error);
[[gnu::noreturn]] void __throw_system_error(int error);
bool uncaught_exception() noexcept { return false; }
int uncaught_exceptions() noexcept { return 0; }

void __throw_bad_cast() { give_up("a cast that cannot be", __builtin_return_address(0)); }
void __throw_runtime_error(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_ios_failure(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_ios_failure(const char* words, int) { give_up(words, __builtin_return_address(0)); }
void __throw_system_error(int) { give_up("an error of the system", __builtin_return_address(0)); }
} // namespace std

extern "C" {
/// Of wide text for times, which newlib makes by the zones of others, nothing is there.
std::size_t wcsftime(wchar_t*, std::size_t, const wchar_t*, const std::tm*) { return 0; }

void* __dso_handle = nullptr;
/// A node does not end, so nothing is done at its end.
int __aeabi_atexit(void*, void (*)(void*), void*) { return 0; }

void __gxx_personality_v0() { give_up(); }
void __cxa_begin_catch() { give_up(); }
void __cxa_end_catch() { give_up(); }
void __cxa_rethrow() { give_up(); }
void __cxa_throw() { give_up(); }
void __cxa_allocate_exception() { give_up(); }
void __cxa_free_exception() { give_up(); }
void __cxa_end_cleanup() { give_up(); }
}
// NOLINTEND(cert-dcl58-cpp,bugprone-reserved-identifier,readability-identifier-naming)
