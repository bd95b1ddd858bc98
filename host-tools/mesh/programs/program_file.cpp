#include "program_file.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/text.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace mesh::host {

namespace {

constexpr auto kHostMachine =
#if defined(__x86_64__)
    EM_X86_64;
#else
    EM_AARCH64;
#endif

using FileBytes = std::span<const std::byte>;

/// A T at `position`, if it is within.
template <class T>
std::optional<T> at(FileBytes bytes, std::uint64_t position) {
    if (position > bytes.size() || bytes.size() - position < sizeof(T))
        return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + position, sizeof value);
    return value;
}

FileBytes part(FileBytes bytes, std::uint64_t position, std::uint64_t size) {
    return position <= bytes.size() && size <= bytes.size() - position
               ? bytes.subspan(position, size)
               : FileBytes{};
}

/// The words at `position`, up to their NUL.
std::string_view name_at(FileBytes names, std::uint64_t position) {
    const std::string_view rest = text_of(
        part(names, position, names.size() - std::min<std::uint64_t>(position, names.size())));
    return rest.substr(0, rest.find('\0'));
}

/// Visits the sections of a file: visit(name, contents).
template <class Header, class Section, class Visit>
void for_each_section(FileBytes bytes, Visit visit) {
    const auto header = at<Header>(bytes, 0);
    if (!header)
        return;
    const auto section = [&](unsigned number) {
        return at<Section>(bytes, header->e_shoff + std::uint64_t{number} * sizeof(Section));
    };
    const auto names_section = section(header->e_shstrndx);
    if (!names_section)
        return;
    const FileBytes names = part(bytes, names_section->sh_offset, names_section->sh_size);
    for (unsigned number = 0; number < header->e_shnum; ++number)
        if (const auto found = section(number))
            visit(name_at(names, found->sh_name), part(bytes, found->sh_offset, found->sh_size));
}

} // namespace

std::string_view kernel_stamp() {
    return
#include "stamp.inc"
        ;
}

std::string stamp_for(std::string_view place) {
    return fmt::format("{} {}", place, kernel_stamp());
}

ProgramFile::ProgramFile(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
        refuse(Refusal::file, "'{}': no such program; `mesh build` makes one", path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.assign(bytes.begin(), bytes.end());
    const auto header = at<Elf32_Ehdr>(bytes_, 0); // e_machine has the same place in both classes
    if (!header || !text.starts_with(ELFMAG))
        refuse(Refusal::file, "'{}': not a program; `mesh build` makes one from .cpp and .c files",
               path);
    image_ = header->e_machine == EM_ARM;
    if (!image_ && header->e_machine != kHostMachine)
        refuse(Refusal::file, "'{}': a program for another machine", path);
}

template <class Visit>
void ProgramFile::each_section(Visit visit) const {
    if (image_)
        for_each_section<Elf32_Ehdr, Elf32_Shdr>(bytes_, visit);
    else
        for_each_section<Elf64_Ehdr, Elf64_Shdr>(bytes_, visit);
}

std::span<const std::byte> ProgramFile::section(std::string_view name) const {
    FileBytes found;
    each_section([&](std::string_view one, FileBytes contents) {
        if (found.data() == nullptr && one == name)
            found = contents;
    });
    return found;
}

std::vector<std::string_view> ProgramFile::section_names() const {
    std::vector<std::string_view> names;
    each_section([&](std::string_view one, FileBytes) {
        if (!one.empty())
            names.push_back(one);
    });
    return names;
}

void ProgramFile::check_stamp(std::string_view place) const {
    const std::string_view stamp = text_of(section(kStampSection));
    const std::size_t blank = std::min(stamp.find(' '), stamp.size());
    const std::string_view board = stamp.substr(0, blank);
    const std::string_view kernel = stamp.substr(std::min(blank + 1, stamp.size()));
    if (stamp.empty())
        return;
    if (board != place) {
        const std::size_t slash = std::min(place.find('/'), place.size());
        refuse(Refusal::file, "'{}' was built for board {}, not for {}{}", path_, board, place,
               slash == place.size()
                   ? ""
                   : fmt::format(": mesh build --as {}", place.substr(slash + 1)));
    }
    if (kernel.substr(0, kernel.find('\n')) != kernel_stamp())
        refuse(Refusal::file, "'{}' was built with another version of the kernel: build it again",
               path_);
}

void ProgramFile::check_for_board(std::string_view board) const {
    if (!image_ && !section(kStampSection).empty())
        refuse(Refusal::file, "'{}' is for --engine sim alone: build it without --engine sim",
               path_);
    const std::vector<std::string_view> names = section_names();
    constexpr std::array kOwn{kStampSection, kWaitsSection, kMemorySection};
    if (std::ranges::find_first_of(names, kOwn) == names.end())
        refuse(Refusal::file,
               "'{}' has no kernel of ours in it, so no mesh can run it: its sections are {}; "
               "allowed: ./FILE.cpp or ./FILE.c, what `mesh build` makes, or your firmware with "
               "the kernel linked into it",
               path_, names.empty() ? "none" : fmt::format("{}", fmt::join(names, " ")));
    check_stamp(board);
}

void ProgramFile::check_for_simulation() const {
    if (image_ && section(kSimulatedSection).empty())
        refuse(Refusal::file,
               "'{}' is for --engine qemu alone: `mesh build` makes programs for both", path_);
    if (image_) {
        const std::string_view stamp = text_of(section(kStampSection));
        check_stamp(stamp.substr(0, stamp.find(' '))); // of any board
    } else {
        check_stamp(kSimulation);
    }
}

bool ProgramFile::waits_for_times() const {
    // The object that a process awaits is a template of these (kernel/api), so their names are
    // parts of others.
    const std::string_view names = text_of(section(".strtab"));
    return names.find("8TimeCome") != std::string_view::npos ||
           names.find("9TimeGuard") != std::string_view::npos;
}

bool ProgramFile::has_main() const {
    using namespace std::string_view_literals;
    return text_of(section(".strtab")).find("\0mesh_main\0"sv) != std::string_view::npos;
}

bool ProgramFile::is_watched() const {
    using namespace std::string_view_literals;
    return text_of(bytes_).find("\0__tsan_init\0"sv) != std::string_view::npos;
}

bool ProgramFile::may_read() const {
    using namespace std::string_view_literals;
    // Streams of C++ have such functions whether the program reads or not.
    const std::string_view all = text_of(bytes_);
    return has_main() && all.find("\0mesh_fgetc\0"sv) != std::string_view::npos &&
           all.find("\0mesh_cxx_main\0"sv) == std::string_view::npos;
}

Fd ProgramFile::simulated() const {
    const FileBytes bytes = image_ ? section(kSimulatedSection) : FileBytes(bytes_);
    Fd file(memfd_create("program", MFD_CLOEXEC));
    if (file.get() < 0 || write_all(file.get(), bytes) != 0)
        throw RunError(fmt::format("'{}': no room to unpack it", path_));
    return file;
}

} // namespace mesh::host
