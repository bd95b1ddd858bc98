// A version of the emulator.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string>

namespace mesh::host {

struct QemuVersion {
    unsigned major = 0;
    unsigned minor = 0;

    bool operator==(const QemuVersion&) const = default;
    /// Not by a defaulted <=>, in which clang-tidy 14 takes a 0 for a null pointer.
    bool operator<(const QemuVersion& other) const {
        return major != other.major ? major < other.major : minor < other.minor;
    }
    std::string text() const { return fmt::format("{}.{}", major, minor); }

    /// The version at the beginning of "10.0" or "7.2.22 (Debian ...)"; nothing if there is none.
    static std::optional<QemuVersion> read(const std::string& text) {
        std::istringstream words(text);
        QemuVersion version;
        char dot = 0;
        if (!(words >> version.major >> dot >> version.minor) || dot != '.')
            return std::nullopt;
        return version;
    }
};

} // namespace mesh::host
