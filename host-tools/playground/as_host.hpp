// Included before all else, where the compiler or its library differ from those that the host tool
// has elsewhere.
#pragma once

#ifdef __cplusplus
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <system_error>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
namespace std {
/// This library has it for whole numbers alone until its version 20.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    if (first == last || *first == '+' || isspace(static_cast<unsigned char>(*first)) != 0)
        return {first, errc::invalid_argument}; // strtod() takes these
    const string text(first, last);
    char* end = nullptr;
    value = strtod(text.c_str(), &end);
    const auto read = end - text.c_str();
    return {first + read, read == 0 ? errc::invalid_argument : errc{}};
}
inline from_chars_result from_chars(const char* first, const char* last, float& value) {
    double wide = 0;
    const from_chars_result result = from_chars(first, last, wide);
    value = static_cast<float>(wide);
    return result;
}
} // namespace std
#endif
#endif

// The firmware's headers know the simulation by pointers of 8 bytes
// (kernel/processes/process_watch.hpp and others); those of a page have 4.
#undef __SIZEOF_POINTER__
#define __SIZEOF_POINTER__ 8
