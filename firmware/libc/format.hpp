// The conversions of printf() as C says them in the "C" locale, without a heap: every digit of a
// floating-point number is exact, every rounding the nearest.
//
// Not there: %a, %n, and %ls and %lc for wide characters. From one of them on the text comes out as
// it stands, since it is not known which values belong to the rest. %p is as %#x, and 0x0 of a null
// pointer.
#pragma once

#include <cstdarg>
#include <span>

namespace mesh::stdio {

/// The sink to which text goes, part by part.
struct Sink {
    void (*take)(void* context, std::span<const char> text);
    void* context;
};

/// As vprintf(), to `sink`. Gives the number of characters.
int format(const Sink& sink, const char* text, std::va_list values);

} // namespace mesh::stdio
