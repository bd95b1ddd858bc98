#include "libc/scan.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace mesh::stdio {

namespace {

/// The outcome of a directive: the input may be at its end, or be something else.
enum class Match { yes, no, end };

bool is_blank(int character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

/// A letter as a small one, as long as it is one.
int small(int letter) { return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter; }

/// The value of a digit in bases up to 16; 16: it is none.
unsigned digit_of(int character) {
    const int letter = small(character);
    if (letter >= '0' && letter <= '9')
        return static_cast<unsigned>(letter - '0');
    return letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a' + 10) : 16u;
}

/// The input, of which one character is looked at before it is taken.
class Reader {
public:
    explicit Reader(const Source& source) : source_(source) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
        if (looked_ && next_ != kEndOfFile)
            source_.give_back(source_.context, next_);
    }

    int look() {
        if (!looked_)
            next_ = source_.next(source_.context);
        looked_ = true;
        return next_;
    }
    void take() {
        looked_ = false;
        ++taken_;
    }
    int taken() const { return taken_; }
    void skip_blanks() {
        while (is_blank(look()))
            take();
    }

private:
    const Source& source_;
    int next_ = 0;
    bool looked_ = false;
    int taken_ = 0;
};

/// %[*][width][length]conversion.
struct Order {
    bool drops = false;
    int width = 0;                // none
    unsigned bytes = sizeof(int); // of an integer
    char length = 0;              // its last letter
    char conversion = 0;
    std::string_view set; // of %[
    bool other = false;   // all that is not in the set
};

/// At most so many characters of the input.
struct Field {
    Reader& reader;
    int left;

    int look() const { return left > 0 ? reader.look() : kEndOfFile; }
    void take() {
        reader.take();
        --left;
    }
    bool take_if(int letter) {
        const bool is = small(look()) == letter;
        if (is)
            take();
        return is;
    }
};

const char* parse_length(const char* at, Order& order) {
    for (;; order.length = *at++)
        switch (*at) {
        case 'h': order.bytes = order.length == 'h' ? sizeof(char) : sizeof(short); break;
        case 'l': order.bytes = order.length == 'l' ? sizeof(long long) : sizeof(long); break;
        case 'q':
        case 'L': order.bytes = sizeof(long long); break;
        case 'j': order.bytes = sizeof(std::intmax_t); break;
        case 'z': order.bytes = sizeof(std::size_t); break;
        case 't': order.bytes = sizeof(std::ptrdiff_t); break;
        default: return at;
        }
}

/// The set of %[, whose end stands behind one character of it at least.
const char* parse_set(const char* at, Order& order) {
    order.other = *at == '^';
    at += order.other ? 1 : 0;
    const char* end = at;
    do {
        if (*end == '\0')
            return end;
    } while (*++end != ']');
    order.set = {at, static_cast<std::size_t>(end - at)};
    return end + 1;
}

/// Gives what stands behind the conversion.
const char* parse(const char* at, Order& order) {
    order.drops = *at == '*';
    at += order.drops ? 1 : 0;
    for (; *at >= '0' && *at <= '9'; ++at)
        order.width = order.width * 10 + (*at - '0');
    at = parse_length(at, order);
    order.conversion = *at;
    if (*at == '[')
        return parse_set(at + 1, order);
    return *at == '\0' ? at : at + 1;
}

bool in_set(const Order& order, int character) {
    const std::string_view set = order.set;
    for (std::size_t at = 0; at < set.size(); ++at) {
        const auto first = static_cast<unsigned char>(set[at]);
        auto last = first;
        if (at + 2 < set.size() && set[at + 1] == '-') {
            at += 2;
            last = static_cast<unsigned char>(set[at]);
        }
        if (character >= first && character <= last)
            return !order.other;
    }
    return order.other;
}

/// The type va_list differs so much between machines that it is best handed on inside a struct.
struct Values {
    std::va_list list;
};

void store_integer(const Order& order, std::uint64_t value, Values& values) {
    if (!order.drops)
        std::memcpy(va_arg(values.list, void*), &value, order.bytes); // the low bytes come first
}

unsigned base_of(char conversion) {
    switch (conversion) {
    case 'i': return 0;
    case 'o': return 8;
    case 'x':
    case 'X':
    case 'p': return 16;
    default: return 10;
    }
}

/// Reads an integer as strtol() or strtoul() of 64 bits does.
Match read_integer(Field field, const Order& order, Values& values) {
    if (field.look() == kEndOfFile)
        return Match::end;
    const bool is_signed = order.conversion == 'd' || order.conversion == 'i';
    const bool negative = field.look() == '-';
    if (negative || field.look() == '+')
        field.take();
    unsigned base = base_of(order.conversion);
    bool any = false;
    if ((base == 0 || base == 16) && field.take_if('0')) {
        any = true;
        if (field.take_if('x'))
            base = 16;
    }
    if (base == 0)
        base = any ? 8 : 10;
    std::uint64_t value = 0;
    bool overflow = false;
    for (unsigned digit; (digit = digit_of(field.look())) < base; field.take()) {
        any = true;
        overflow = __builtin_mul_overflow(value, base, &value) || overflow;
        overflow = __builtin_add_overflow(value, digit, &value) || overflow;
    }
    if (!any)
        return Match::no;
    const std::uint64_t most =
        is_signed ? (std::uint64_t{1} << 63) - (negative ? 0 : 1) : UINT64_MAX;
    if (overflow || value > most)
        value = most;
    else if (!is_signed && negative)
        value = 0 - value;
    store_integer(order, is_signed && negative ? 0 - value : value, values);
    return Match::yes;
}

/// The letters of a number for strtod(): 309 digits are more than a double has before its point,
/// and what is behind so many of them does not change it.
class NumberText {
public:
    const char* text() const { return letters_.data(); }
    void put(int letter) {
        const bool needless =
            letter == '0' && zeros_only_ && size_ != 0 && letters_[size_ - 1] == '0';
        zeros_only_ = zeros_only_ && (letter == '0' || letter == '-' || letter == '+');
        if (!needless && size_ + kExponentLetters < letters_.size())
            letters_[size_++] = static_cast<char>(letter);
    }
    /// For these there is room in any case.
    void put_exponent(int letter) {
        if (size_ + 1 < letters_.size())
            letters_[size_++] = static_cast<char>(letter);
    }

private:
    static constexpr std::size_t kExponentLetters = 12;
    std::array<char, 352> letters_{};
    std::size_t size_ = 0;
    bool zeros_only_ = true;
};

/// True if the field goes on with `word`, which is put into `text`.
bool take_word(Field& field, std::string_view word, NumberText& text) {
    return std::ranges::all_of(word, [&](char letter) {
        text.put(letter);
        return field.take_if(letter);
    });
}

/// True if there was one.
bool take_digits(Field& field, unsigned base, NumberText& text) {
    bool any = false;
    for (; digit_of(field.look()) < base; any = true) {
        text.put(field.look());
        field.take();
    }
    return any;
}

/// One without digits is taken, too, and means nothing, as in other C libraries.
void take_exponent(Field& field, int letter, NumberText& text) {
    if (!field.take_if(letter))
        return;
    text.put_exponent(letter);
    if (field.look() == '-' || field.look() == '+') {
        text.put_exponent(field.look());
        field.take();
    }
    for (; digit_of(field.look()) < 10; field.take())
        text.put_exponent(field.look());
}

/// The longest beginning that strtod() takes; false if it is none.
bool take_number(Field& field, NumberText& text) {
    if (field.look() == '-' || field.look() == '+') {
        text.put(field.look());
        field.take();
    }
    if (small(field.look()) == 'n')
        return take_word(field, "nan", text);
    if (small(field.look()) == 'i')
        return take_word(field, "inf", text) &&
               (small(field.look()) != 'i' || take_word(field, "inity", text));
    unsigned base = 10;
    bool any = false;
    if (field.take_if('0')) {
        text.put('0');
        any = true;
        if (field.take_if('x')) {
            text.put('x');
            base = 16;
            any = false;
        }
    }
    any = take_digits(field, base, text) || any;
    if (field.take_if('.')) {
        text.put('.');
        any = take_digits(field, base, text) || any;
    }
    if (any)
        take_exponent(field, base == 16 ? 'p' : 'e', text);
    return any;
}

Match read_floating(Field field, const Order& order, Values& values) {
    if (field.look() == kEndOfFile)
        return Match::end;
    NumberText text;
    if (!take_number(field, text))
        return Match::no;
    if (order.drops)
        return Match::yes;
    void* const place = va_arg(values.list, void*);
    if (order.length == 'L')
        *static_cast<long double*>(place) = std::strtod(text.text(), nullptr);
    else if (order.length == 'l')
        *static_cast<double*>(place) = std::strtod(text.text(), nullptr);
    else
        *static_cast<float*>(place) = std::strtof(text.text(), nullptr);
    return Match::yes;
}

/// Characters of which `fits` says that they belong to it; with a NUL behind them unless of %c.
template <class Fits>
Match read_text(Field field, const Order& order, Values& values, const Fits& fits) {
    if (field.look() == kEndOfFile)
        return Match::end;
    if (!fits(field.look()))
        return Match::no;
    char* place = order.drops ? nullptr : va_arg(values.list, char*);
    for (; field.look() != kEndOfFile && fits(field.look()); field.take())
        if (place != nullptr)
            *place++ = static_cast<char>(field.look());
    if (place != nullptr && order.conversion != 'c')
        *place = '\0';
    return Match::yes;
}

Match read_literally(Reader& reader, char letter) {
    if (reader.look() == kEndOfFile)
        return Match::end;
    if (reader.look() != static_cast<unsigned char>(letter))
        return Match::no;
    reader.take();
    return Match::yes;
}

Match convert(Reader& reader, const Order& order, Values& values) {
    const bool is_text = order.conversion == 'c' || order.conversion == '[';
    if (!is_text && order.conversion != 'n')
        reader.skip_blanks();
    const Field field{reader, order.width != 0          ? order.width
                              : order.conversion == 'c' ? 1
                                                        : INT_MAX};
    if (order.length != 0 && (is_text || order.conversion == 's'))
        return Match::no;
    switch (order.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return read_integer(field, order, values);
    case 'p': {
        Order pointer = order;
        pointer.bytes = sizeof(void*);
        return read_integer(field, pointer, values);
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return read_floating(field, order, values);
    case 'c': return read_text(field, order, values, [](int) { return true; });
    case 's': return read_text(field, order, values, [](int one) { return !is_blank(one); });
    case '[': return read_text(field, order, values, [&](int one) { return in_set(order, one); });
    case '%': return read_literally(reader, '%');
    case 'n':
        store_integer(order, static_cast<std::uint64_t>(reader.taken()), values);
        return Match::yes;
    default: return Match::no;
    }
}

} // namespace

int scan(const Source& source, const char* text, std::va_list values) {
    Values copy;
    va_copy(copy.list, values);
    Reader reader(source);
    int stored = 0;
    Match match = Match::yes;
    while (*text != '\0' && match == Match::yes) {
        const char letter = *text++;
        if (is_blank(letter)) {
            reader.skip_blanks();
        } else if (letter != '%') {
            match = read_literally(reader, letter);
        } else {
            Order order;
            text = parse(text, order);
            match = convert(reader, order, copy);
            const bool counts = !order.drops && order.conversion != '%' && order.conversion != 'n';
            stored += match == Match::yes && counts ? 1 : 0;
        }
    }
    va_end(copy.list);
    return match == Match::end && stored == 0 ? kEndOfFile : stored;
}

} // namespace mesh::stdio
