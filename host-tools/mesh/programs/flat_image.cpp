#include "flat_image.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "image_symbols.hpp"
#include "program_file.hpp"
#include "wire/bytes.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace mesh::host {

namespace {

/// The segments that are to be loaded, in the order of their places in the file.
std::vector<Elf32_Phdr> segments_of(const std::string& path, std::span<const std::byte> file) {
    std::vector<Elf32_Phdr> segments;
    const auto header = wire::load<Elf32_Ehdr>(file, 0); // ProgramFile has checked that it is there
    for (unsigned number = 0; number < header.e_phnum; ++number) {
        const std::size_t at = header.e_phoff + number * sizeof(Elf32_Phdr);
        if (at + sizeof(Elf32_Phdr) > file.size())
            refuse("'{}': is cut off", path);
        const auto segment = wire::load<Elf32_Phdr>(file, at);
        if (segment.p_type != PT_LOAD || segment.p_filesz == 0)
            continue;
        if (segment.p_offset > file.size() || segment.p_filesz > file.size() - segment.p_offset)
            refuse("'{}': is cut off", path);
        segments.push_back(segment);
    }
    if (segments.empty())
        refuse("'{}': nothing in it is to be loaded", path);
    return segments;
}

} // namespace

std::vector<std::byte> flat_image(const std::string& path, const std::string& loader) {
    const ImageSymbols symbols(loader);
    const std::uint64_t start = symbols.label("image_start");
    const std::uint64_t end = symbols.label("flash_end");
    const ProgramFile program(path);
    std::vector<std::byte> image;
    for (const Elf32_Phdr& segment : segments_of(path, program.bytes())) {
        if (segment.p_paddr < start || segment.p_paddr + std::uint64_t{segment.p_filesz} > end)
            refuse("'{}': has bytes for {:#x} to {:#x}; the loader has room from {:#x} to {:#x}",
                   path, segment.p_paddr, segment.p_paddr + std::uint64_t{segment.p_filesz}, start,
                   end);
        const std::size_t at = segment.p_paddr - start;
        image.resize(std::max(image.size(), at + segment.p_filesz));
        std::ranges::copy(program.bytes().subspan(segment.p_offset, segment.p_filesz),
                          image.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return image;
}

} // namespace mesh::host
