#include "find_qemu.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/mapped_file.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/template/protocol.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
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

bool is_tested(QemuVersion version) { return std::ranges::find(kTested, version) != kTested.end(); }

/// True if the file is a dynamically linked program for x86-64.
bool is_dynamic_program(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr head{};
    if (!file.read(reinterpret_cast<char*>(&head), sizeof head) ||
        std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG) != ELFMAG ||
        head.e_machine != EM_X86_64 || head.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    file.seekg(static_cast<std::streamoff>(head.e_phoff));
    Elf64_Phdr part{};
    for (unsigned left = head.e_phnum;
         left != 0 && file.read(reinterpret_cast<char*>(&part), sizeof part); --left)
        if (part.p_type == PT_INTERP)
            return true;
    return false;
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
    if (!is_tested(*version))
        say_untested(*version);
    return {path, *version};
}

std::string why_not_forked(const Qemu& qemu) {
    const std::filesystem::path object = library_folder() / fork_protocol::kObject;
    if (std::error_code error; !std::filesystem::exists(object, error))
        return fmt::format("there is no {}", object.string());
    if (!is_dynamic_program(qemu.path))
        return "the emulator is a script, or no dynamically linked program for x86-64";
    if (!is_tested(qemu.version))
        return fmt::format("the tests have not seen QEMU {}", qemu.version.text());
    return {};
}

std::string tested_qemu_versions() {
    std::vector<std::string> texts;
    std::ranges::transform(kTested, std::back_inserter(texts), &QemuVersion::text);
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// True if the emulator is linked with libseccomp: looking is cheaper than starting an emulator.
bool has_sandbox(const std::string& path) {
    constexpr std::string_view kLibrary = "libseccomp.so";
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const MappedFile program(file.get());
    const auto bytes = program.bytes();
    return memmem(bytes.data(), bytes.size(), kLibrary.data(), kLibrary.size()) != nullptr;
}

} // namespace mesh::host
