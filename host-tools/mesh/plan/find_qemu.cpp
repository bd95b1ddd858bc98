#include "find_qemu.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace mesh::host {

namespace {

/// The versions of Debian 12 and 13, oldest first. Run the tests with a version before adding it.
constexpr std::array kTested{QemuVersion{7, 2}, QemuVersion{10, 0}};
constexpr QemuVersion kOldest = kTested.front();

/// The version that `--version` prints; nothing if it prints none.
std::optional<QemuVersion> version_of(const std::string& path) {
    constexpr std::string_view kKey = "QEMU emulator version ";
    const auto lines = lines_of({path, "--version"}, 1);
    if (lines.empty() || !lines.front().starts_with(kKey))
        return std::nullopt;
    return QemuVersion::read(lines.front().substr(kKey.size()));
}

void say_untested(QemuVersion version) {
    static bool said = false;
    if (!said)
        say("warning: QEMU {} is not a version that the tests have seen; those are {}\n",
            version.text(), tested_qemu_versions());
    said = true;
}

} // namespace

Qemu find_qemu(const std::string& name) {
    if (std::error_code error; std::filesystem::is_directory(name, error))
        refuse("--qemu '{}': is a folder; give the emulator in it", name);
    const std::string path = find_program(name);
    if (path.empty())
        refuse("{} not found: install QEMU {} or newer (Debian's package qemu-system-arm), or use "
               "--engine sim",
               name, kOldest.text());
    const auto version = version_of(path);
    if (!version)
        refuse("{} does not say its version; QEMU {} or newer is needed", path, kOldest.text());
    if (*version < kOldest)
        refuse("{} is version {}; {} or newer is needed", path, version->text(), kOldest.text());
    if (std::ranges::find(kTested, *version) == kTested.end())
        say_untested(*version);
    return {path, *version};
}

std::string tested_qemu_versions() {
    std::vector<std::string> texts;
    std::ranges::transform(kTested, std::back_inserter(texts), &QemuVersion::text);
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// True if the emulator is linked with libseccomp: looking is cheaper than starting an emulator.
bool has_sandbox(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string program{std::istreambuf_iterator<char>(file), {}};
    return program.find("libseccomp.so") != std::string::npos;
}

} // namespace mesh::host
