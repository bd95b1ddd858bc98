// The conversions of scanf() as C says them in the "C" locale, without a heap: the reverse of
// format.hpp.
//
// Not there: %m, %ls, %lc and %l[. One of them ends the reading, as text that does not fit does.
// A number that its type does not hold is cut to it from 64 bits, on every machine.
#pragma once

#include <cstdarg>

namespace mesh::stdio {

constexpr int kEndOfFile = -1;

/// Where characters come from, one by one; the last one can be given back.
struct Source {
    int (*next)(void* context); // kEndOfFile: there are no more
    void (*give_back)(void* context, int character);
    void* context;
};

/// As vscanf(), from `source`: how many values were stored, or kEndOfFile.
int scan(const Source& source, const char* text, std::va_list values);

} // namespace mesh::stdio
