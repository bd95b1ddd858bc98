// sscanf() and its kin by their C names. The other half of scanf, which reads standard input and
// files, only programs with a main() have (fiber/files.cpp).
#include "libc/scan.hpp"

#include <cstdarg>

namespace {

using mesh::stdio::kEndOfFile;
using mesh::stdio::Source;

/// A text that moves on as it is read.
Source source_of(const char*& text) {
    return {[](void* context) -> int {
                const char*& at = *static_cast<const char**>(context);
                return *at == '\0' ? kEndOfFile : static_cast<unsigned char>(*at++);
            },
            [](void* context, int) { --*static_cast<const char**>(context); }, &text};
}

} // namespace

extern "C" {

int vsscanf(const char* from, const char* text, std::va_list values) {
    return mesh::stdio::scan(source_of(from), text, values);
}

int sscanf(const char* from, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = vsscanf(from, text, values);
    va_end(values);
    return count;
}

// Their names in glibc, by the rules of C that a program keeps to.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::alias("sscanf"), gnu::nonnull, gnu::nothrow]] int __isoc99_sscanf(const char*, const char*,
                                                                         ...);
[[gnu::alias("sscanf"), gnu::nonnull, gnu::nothrow]] int __isoc23_sscanf(const char*, const char*,
                                                                         ...);
[[gnu::alias("vsscanf"), gnu::nonnull, gnu::nothrow]] int __isoc99_vsscanf(const char*, const char*,
                                                                           std::va_list);
[[gnu::alias("vsscanf"), gnu::nonnull, gnu::nothrow]] int __isoc23_vsscanf(const char*, const char*,
                                                                           std::va_list);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
