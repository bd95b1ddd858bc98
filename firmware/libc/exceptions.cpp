// The ends of a program that the C++ library's headers call, by the names that they have there.
// Firmware and programs are built without exceptions: the words are printed and the node stops,
// which also leaves the library's own code for exceptions out of an image.
#include "hal/check.hpp"
#include "libc/assertion.hpp"

#include <cstdarg>
#include <cstdio>
#include <functional>

namespace {

/// `words`: of the exception; `after`: behind the call of the program.
[[noreturn]] void give_up(const char* words, const void* after) {
    std::printf("%s\n", words);
    mesh::check_failed(mesh::ProgramEnd::exception_thrown, after);
}

} // namespace

// NOLINTBEGIN(cert-dcl58-cpp,bugprone-reserved-identifier): the library asks for these names.
namespace std {

[[gnu::noreturn]] void __glibcxx_assert_fail(const char* file, int line, const char* function,
                                             const char* condition) noexcept;
[[gnu::noreturn]] void __throw_out_of_range_fmt(const char* format, ...);
[[gnu::noreturn]] void __throw_out_of_range(const char* words);
[[gnu::noreturn]] void __throw_length_error(const char* words);
[[gnu::noreturn]] void __throw_logic_error(const char* words);
[[gnu::noreturn]] void __throw_invalid_argument(const char* words);
[[gnu::noreturn]] void __throw_bad_alloc();
[[gnu::noreturn]] void __throw_bad_array_new_length();
[[gnu::noreturn]] void __throw_bad_function_call();

/// An assertion of a container: operator[] of std::array, operator* of std::optional.
void __glibcxx_assert_fail(const char* file, int line, const char* function,
                           const char* condition) noexcept {
    mesh::stdio::tell_assertion(condition, file, line, function);
    mesh::check_failed(mesh::ProgramEnd::assertion_failed, __builtin_return_address(0));
}

/// at() of a container: "array::at: __n (which is 4) >= _Nm (which is 4)".
void __throw_out_of_range_fmt(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    std::vprintf(format, values);
    va_end(values);
    give_up("", __builtin_return_address(0));
}
void __throw_out_of_range(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_length_error(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_logic_error(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_invalid_argument(const char* words) { give_up(words, __builtin_return_address(0)); }
void __throw_bad_alloc() { give_up("no memory for new", __builtin_return_address(0)); }
void __throw_bad_array_new_length() {
    give_up("an array of a size that cannot be", __builtin_return_address(0));
}
void __throw_bad_function_call() {
    give_up("a call of an empty std::function", __builtin_return_address(0));
}

} // namespace std
// NOLINTEND(cert-dcl58-cpp,bugprone-reserved-identifier)
