#include "libc/assertion.hpp"

#include "hal/console.hpp"
#include "libc/format.hpp"

#include <cstdarg>

namespace mesh::stdio {

namespace {
void tell(const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    format({[](void*, std::span<const char> part) { console_write(part); }, nullptr}, text, values);
    va_end(values);
}
} // namespace

void tell_assertion(const char* expression, const char* file, int line, const char* function) {
    tell("%s:%d: %s: assertion `%s' does not hold\n", file, line,
         function != nullptr ? function : "?", expression);
}

} // namespace mesh::stdio
