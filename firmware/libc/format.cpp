#include "libc/format.hpp"

#include "libc/divide.hpp"
#include "libc/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mesh::stdio {

namespace {

/// The type va_list differs so much between machines that it is best handed on inside a struct.
struct Values {
    std::va_list list;
};

const char* parse_length(const char* at, Spec& spec) {
    for (;; spec.length = *at++)
        switch (*at) {
        case 'h': spec.bytes /= 2; break; // twice: a char
        case 'l': spec.bytes = spec.length == 'l' ? sizeof(long long) : sizeof(long); break;
        case 'j': spec.bytes = sizeof(std::intmax_t); break;
        case 'z': spec.bytes = sizeof(std::size_t); break;
        case 't': spec.bytes = sizeof(std::ptrdiff_t); break;
        case 'L': break;
        default: return at;
        }
}

/// Flags, width, precision and length; where the conversion stands.
const char* parse(const char* at, Spec& spec, Values& values) {
    for (bool flag = true; flag; at += flag ? 1 : 0)
        switch (*at) {
        case '-': spec.left = true; break;
        case '+': spec.plus = true; break;
        case ' ': spec.blank = true; break;
        case '#': spec.alternate = true; break;
        case '0': spec.zeros = true; break;
        default: flag = false;
        }
    const auto number = [&] {
        int value = 0;
        if (*at == '*') {
            ++at;
            return va_arg(values.list, int);
        }
        for (; *at >= '0' && *at <= '9'; ++at)
            value = value * 10 + (*at - '0');
        return value;
    };
    spec.width = number();
    if (spec.width < 0) {
        spec.left = true;
        spec.width = -spec.width;
    }
    if (*at == '.') {
        ++at;
        spec.precision = std::max(number(), -1);
    }
    spec.zeros = spec.zeros && !spec.left;
    return parse_length(at, spec);
}

/// An integer of so many bytes, as 64 bits.
std::uint64_t take_integer(const Spec& spec, bool is_signed, Values& values) {
    const std::uint64_t bits = spec.bytes > sizeof(int) ? va_arg(values.list, std::uint64_t)
                                                        : va_arg(values.list, unsigned);
    const unsigned unused = 64 - 8 * spec.bytes;
    const std::uint64_t high = bits << unused;
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused)
                     : high >> unused;
}

void write_integer(Writer& out, Spec spec, std::uint64_t value, std::string_view prefix) {
    const bool upper = spec.conversion == 'X';
    const bool hexadecimal = upper || spec.conversion == 'x' || spec.conversion == 'p';
    const unsigned base = hexadecimal ? 16 : spec.conversion == 'o' ? 8 : 10;
    if (hexadecimal && ((spec.alternate && value != 0) || spec.conversion == 'p'))
        prefix = upper ? "0X" : "0x";
    std::array<char, 22> digits;
    std::size_t at = digits.size();
    while (value != 0)
        digits[--at] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[divide(value, base)];
    const int count = static_cast<int>(digits.size() - at);
    int zeros = std::max(spec.precision < 0 ? 1 : spec.precision, count) - count;
    if (spec.alternate && base == 8 && zeros == 0)
        zeros = 1;
    spec.zeros = spec.zeros && spec.precision < 0;
    out.begin_field(spec, prefix, zeros + count);
    out.fill('0', zeros);
    out.put(std::string_view{digits.data() + at, digits.size() - at});
    out.end_field();
}

void write_text(Writer& out, Spec spec, std::string_view text) {
    spec.zeros = false;
    out.begin_field(spec, "", static_cast<int>(text.size()));
    out.put(text);
    out.end_field();
}

/// At most `precision` characters of it, which need no NUL behind them then.
std::string_view text_of(const Spec& spec, const char* text) {
    if (text == nullptr)
        text = "(null)";
    const auto most = static_cast<std::size_t>(spec.precision); // none: as many as there are
    std::size_t characters = 0;
    while (characters < most && text[characters] != '\0')
        ++characters;
    return {text, characters};
}

double take_floating(const Spec& spec, Values& values) {
    if (spec.length == 'L')
        return static_cast<double>(va_arg(values.list, long double));
    return va_arg(values.list, double);
}

/// False if there is no such conversion.
bool convert(Writer& out, const Spec& spec, Values& values) {
    const bool plain = spec.length == 0;
    switch (spec.conversion) {
    case 'd':
    case 'i': {
        const std::uint64_t value = take_integer(spec, true, values);
        const bool negative = value >> 63 != 0;
        write_integer(out, spec, negative ? 0 - value : value, sign_of(spec, negative));
        return true;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': write_integer(out, spec, take_integer(spec, false, values), ""); return true;
    case 'p':
        write_integer(out, spec, reinterpret_cast<std::uintptr_t>(va_arg(values.list, void*)), "");
        return true;
    case 'c': {
        const char character = static_cast<char>(va_arg(values.list, int));
        if (plain)
            write_text(out, spec, {&character, 1});
        return plain;
    }
    case 's':
        if (plain)
            write_text(out, spec, text_of(spec, va_arg(values.list, const char*)));
        return plain;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': write_floating(out, spec, take_floating(spec, values)); return true;
    case '%': out.put('%'); return true;
    default: return false;
    }
}

} // namespace

int format(const Sink& sink, const char* text, std::va_list values) {
    Values copy;
    va_copy(copy.list, values);
    Writer out(sink);
    while (*text != '\0') {
        if (*text != '%') {
            out.put(*text++);
            continue;
        }
        Spec spec;
        const char* const end = parse(text + 1, spec, copy);
        spec.conversion = *end;
        if (!convert(out, spec, copy)) {
            out.put(std::string_view{text}); // it is not known any more which values are left
            break;
        }
        text = end + 1;
    }
    va_end(copy.list);
    out.flush();
    return out.count();
}

} // namespace mesh::stdio
