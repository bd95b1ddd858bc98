// strftime() as C says it in the "C" locale, in the one time zone that a node has. It keeps
// nothing, but stands here as it belongs to the calendar: newlib's would bring files and the zones
// of others.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <string_view>

namespace {

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

/// The name that a number has; "?" where there is none.
template <class Names>
const char* name_of(const Names& names, int number) {
    return number >= 0 && number < static_cast<int>(std::size(names)) ? names[number] : "?";
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/// The week of ISO 8601, and the year that it belongs to: its Thursday's.
struct Week {
    int year;
    int number;
};
Week iso_week(const std::tm& time) {
    int year = 1900 + time.tm_year;
    int thursday = time.tm_yday + 3 - (time.tm_wday + 6) % 7; // day of the year
    const int days = is_leap(year) ? 366 : 365;
    if (thursday < 0)
        thursday += is_leap(--year) ? 366 : 365;
    else if (thursday >= days) {
        thursday -= days;
        ++year;
    }
    return {year, thursday / 7 + 1};
}

class Text {
public:
    Text(char* into, std::size_t bytes) : at_(into), left_(bytes) {}

    void put(std::string_view text) {
        fits_ = fits_ && text.size() < left_; // and the NUL
        if (!fits_)
            return;
        at_ = std::ranges::copy(text, at_).out;
        left_ -= text.size();
    }
    /// With so many digits at least.
    void put(int number, int digits = 2) {
        char room[12];
        std::snprintf(room, sizeof room, "%0*d", digits, number);
        put(room);
    }
    void put_padded(int number) {
        char room[12];
        std::snprintf(room, sizeof room, "%2d", number);
        put(room);
    }
    /// Ends the text with a NUL; returns its characters, 0 if they do not fit.
    std::size_t end(const char* begin) {
        if (!fits_ || left_ == 0)
            return 0;
        *at_ = '\0';
        return static_cast<std::size_t>(at_ - begin);
    }

private:
    char* at_;
    std::size_t left_;
    bool fits_ = true;
};

void put_all(Text& out, const char* format, const std::tm& time);

int hour_of_half(const std::tm& time) { return time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12; }

void put(Text& out, char conversion, const std::tm& time) {
    const int year = 1900 + time.tm_year;
    switch (conversion) {
    case 'a': return out.put(std::string_view(name_of(kDays, time.tm_wday)).substr(0, 3));
    case 'A': return out.put(name_of(kDays, time.tm_wday));
    case 'b':
    case 'h': return out.put(std::string_view(name_of(kMonths, time.tm_mon)).substr(0, 3));
    case 'B': return out.put(name_of(kMonths, time.tm_mon));
    case 'c': return put_all(out, "%a %b %e %H:%M:%S %Y", time);
    case 'C': return out.put(year / 100);
    case 'd': return out.put(time.tm_mday);
    case 'D':
    case 'x': return put_all(out, "%m/%d/%y", time);
    case 'e': return out.put_padded(time.tm_mday);
    case 'F': return put_all(out, "%Y-%m-%d", time);
    case 'g': return out.put(iso_week(time).year % 100);
    case 'G': return out.put(iso_week(time).year, 1);
    case 'H': return out.put(time.tm_hour);
    case 'I': return out.put(hour_of_half(time));
    case 'j': return out.put(time.tm_yday + 1, 3);
    case 'k': return out.put_padded(time.tm_hour);
    case 'l': return out.put_padded(hour_of_half(time));
    case 'm': return out.put(time.tm_mon + 1);
    case 'M': return out.put(time.tm_min);
    case 'n': return out.put("\n");
    case 'p': return out.put(time.tm_hour < 12 ? "AM" : "PM");
    case 'P': return out.put(time.tm_hour < 12 ? "am" : "pm");
    case 'r': return put_all(out, "%I:%M:%S %p", time);
    case 'R': return put_all(out, "%H:%M", time);
    case 's': {
        std::tm copy = time;
        char room[24];
        std::snprintf(room, sizeof room, "%lld", static_cast<long long>(std::mktime(&copy)));
        return out.put(room);
    }
    case 'S': return out.put(time.tm_sec);
    case 't': return out.put("\t");
    case 'T':
    case 'X': return put_all(out, "%H:%M:%S", time);
    case 'u': return out.put(time.tm_wday == 0 ? 7 : time.tm_wday, 1);
    case 'U': return out.put((time.tm_yday + 7 - time.tm_wday) / 7);
    case 'V': return out.put(iso_week(time).number);
    case 'w': return out.put(time.tm_wday, 1);
    case 'W': return out.put((time.tm_yday + 7 - (time.tm_wday + 6) % 7) / 7);
    case 'y': return out.put((year % 100 + 100) % 100);
    case 'Y': return out.put(year, 1);
    case 'z': return out.put("+0000");
    case 'Z': return out.put("GMT");
    default: return out.put({&conversion, 1});
    }
}

/// Conversions that stand for others stand for none that do so themselves, so this is entered twice
/// at most.
void put_all(Text& out, const char* format, const std::tm& time) {
    for (; *format != '\0'; ++format) {
        if (*format != '%') {
            out.put({format, 1});
            continue;
        }
        ++format;
        if (*format == 'E' || *format == 'O') // of other locales
            ++format;
        if (*format == '\0')
            break;
        put(out, *format, time);
    }
}

} // namespace

extern "C" std::size_t strftime(char* into, std::size_t bytes, const char* format,
                                const std::tm* time) noexcept {
    Text out(into, bytes);
    put_all(out, format, *time);
    return out.end(into);
}
