#include "image_symbols.hpp"

#include "host-tools/mesh/common/text.hpp"
#include "program_file.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

namespace mesh::host {

namespace {

/// All objects of type T that `bytes` has.
template <class T>
std::vector<T> all_in(std::span<const std::byte> bytes) {
    std::vector<std::byte> room(bytes.size() / sizeof(T) * sizeof(T) + sizeof(T));
    std::vector<T> all;
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        std::memcpy(room.data(), bytes.data() + at, sizeof(T));
        all.push_back(*reinterpret_cast<const T*>(room.data()));
    }
    return all;
}

} // namespace

ImageSymbols::ImageSymbols(const std::string& image) {
    const ProgramFile file(image);
    const std::string_view names = text_of(file.section(".strtab"));
    for (const auto& symbol : all_in<Elf32_Sym>(file.section(".symtab"))) {
        if (symbol.st_name >= names.size())
            continue;
        const std::string_view rest = names.substr(symbol.st_name);
        std::string name(rest.substr(0, rest.find('\0')));
        if (ELF32_ST_TYPE(symbol.st_info) == STT_FUNC)
            functions_.emplace(symbol.st_value & ~1u, std::move(name)); // odd: Thumb code
        else if (ELF32_ST_TYPE(symbol.st_info) == STT_OBJECT)
            variables_[std::move(name)] = {symbol.st_value, symbol.st_size};
        else if (ELF32_ST_TYPE(symbol.st_info) == STT_NOTYPE)
            labels_[std::move(name)] = symbol.st_value;
    }
    offsets_ = all_in<WaitOffsets>(file.section(kWaitsSection));
    if (const auto records = all_in<NodeMemoryRecord>(file.section(kMemorySection));
        !records.empty())
        memory_ = records.front();
}

std::string ImageSymbols::function_at(std::uint64_t address) const {
    const auto found = functions_.find(address & ~std::uint64_t{1});
    return found == functions_.end() ? std::string{} : demangled(found->second);
}

std::optional<ImageSymbols::Variable> ImageSymbols::variable(std::string_view name) const {
    const std::string part = fmt::format("{}{}E", name.size(), name); // the last of a nested name
    const auto found = std::ranges::find_if(
        variables_, [&](const auto& known) { return known.first.ends_with(part); });
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t ImageSymbols::label(std::string_view name) const {
    const auto found = labels_.find(std::string(name));
    return found == labels_.end() ? 0 : found->second;
}

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

} // namespace mesh::host
