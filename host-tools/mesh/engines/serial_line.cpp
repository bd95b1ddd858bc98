#include "serial_line.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <termios.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::array<std::pair<unsigned, speed_t>, 13> kRates{{{9600, B9600},
                                                               {19200, B19200},
                                                               {38400, B38400},
                                                               {57600, B57600},
                                                               {115200, B115200},
                                                               {230400, B230400},
                                                               {460800, B460800},
                                                               {500000, B500000},
                                                               {921600, B921600},
                                                               {1000000, B1000000},
                                                               {2000000, B2000000},
                                                               {3000000, B3000000},
                                                               {4000000, B4000000}}};

} // namespace

std::vector<unsigned> baud_rates() {
    std::vector<unsigned> rates;
    for (const auto& [rate, speed] : kRates)
        rates.push_back(rate);
    return rates;
}

Fd open_serial(const std::string& device, unsigned baud) {
    const auto fail = [&] { throw RunError(fmt::format("{}: {}", device, std::strerror(errno))); };
    Fd line(open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (line.get() < 0)
        fail();
    termios settings{};
    if (tcgetattr(line.get(), &settings) != 0)
        fail();
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(CRTSCTS | CSTOPB);
    const auto rate = std::ranges::find(kRates, baud, &decltype(kRates)::value_type::first);
    promise(rate != kRates.end(), "a line was to have a rate that none has");
    if (cfsetspeed(&settings, rate->second) != 0 ||
        tcsetattr(line.get(), TCSANOW, &settings) != 0 || tcflush(line.get(), TCIOFLUSH) != 0)
        fail();
    return line;
}

} // namespace mesh::host
