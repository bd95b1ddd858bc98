// The calendar of C, in the one time zone that a node has: that of Greenwich, whatever the zone of
// the machine is that simulates it. What ctime() and its kin keep each node has for itself.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace {

using namespace std::chrono;

std::tm the_time{};
char the_text[32]{};

/// glibc prints the name of the zone from here; newlib has one for all.
template <class Time>
void name_zone(Time& time) {
    if constexpr (requires { time.tm_zone; })
        time.tm_zone = "GMT";
}

void fill(std::tm& time, sys_seconds at) {
    const sys_days day = floor<days>(at);
    const year_month_day date{day};
    const auto second = static_cast<int>((at - day).count());
    time = {};
    time.tm_sec = second % 60;
    time.tm_min = second / 60 % 60;
    time.tm_hour = second / 3600;
    time.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
    time.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
    time.tm_year = static_cast<int>(date.year()) - 1900;
    time.tm_wday = static_cast<int>(weekday{day}.c_encoding());
    time.tm_yday = static_cast<int>((day - sys_days{date.year() / January / 1}).count());
    name_zone(time);
}

/// Fields may be beyond their bounds: the 32nd of January is the first of February.
sys_seconds seconds_of(const std::tm& time) {
    const int months = time.tm_mon % 12 + (time.tm_mon % 12 < 0 ? 12 : 0);
    const year its_year{time.tm_year + 1900 + (time.tm_mon - months) / 12};
    const sys_days day =
        sys_days{its_year / month{static_cast<unsigned>(months + 1)} / 1} + days{time.tm_mday - 1};
    return day + hours{time.tm_hour} + minutes{time.tm_min} + seconds{time.tm_sec};
}

} // namespace

extern "C" {

std::tm* gmtime_r(const std::time_t* time, std::tm* into) noexcept {
    fill(*into, sys_seconds{seconds{*time}});
    return into;
}
std::tm* localtime_r(const std::time_t* time, std::tm* into) noexcept {
    return gmtime_r(time, into);
}
std::tm* gmtime(const std::time_t* time) noexcept { return gmtime_r(time, &the_time); }
std::tm* localtime(const std::time_t* time) noexcept { return gmtime_r(time, &the_time); }

std::time_t mktime(std::tm* time) noexcept {
    const sys_seconds at = seconds_of(*time);
    fill(*time, at);
    return static_cast<std::time_t>(at.time_since_epoch().count());
}
std::time_t timegm(std::tm* time) noexcept { return mktime(time); }

char* asctime_r(const std::tm* time, char* into) noexcept {
    constexpr std::size_t kBytes = 26; // that C promises
    const auto name = [](const char* names, int number, int count) {
        return number >= 0 && number < count ? names + 3 * number : "???";
    };
    const int length =
        std::snprintf(into, kBytes, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n",
                      name("SunMonTueWedThuFriSat", time->tm_wday, 7),
                      name("JanFebMarAprMayJunJulAugSepOctNovDec", time->tm_mon, 12), time->tm_mday,
                      time->tm_hour, time->tm_min, time->tm_sec, 1900 + time->tm_year);
    return length < 0 ? nullptr : into;
}
char* asctime(const std::tm* time) noexcept { return asctime_r(time, the_text); }
char* ctime_r(const std::time_t* time, char* into) noexcept {
    std::tm fields;
    return asctime_r(gmtime_r(time, &fields), into);
}
char* ctime(const std::time_t* time) noexcept { return ctime_r(time, the_text); }
}
