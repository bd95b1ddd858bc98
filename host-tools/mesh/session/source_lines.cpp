#include "source_lines.hpp"

#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/engines/qemu_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace mesh::host {

namespace {

constexpr const char* kBoardTool = "arm-none-eabi-addr2line";
constexpr const char* kHostTool = "addr2line";
constexpr std::size_t kPlacesMax = 16;
/// Functions around an address that the compiler has put into one another, two lines each.
constexpr std::size_t kLinesMax = 8;
constexpr std::uint32_t kImageEnd = 0xE000'0000;

/// Its name without arguments and what the compiler calls its clones; fit to be shown.
std::string short_name(std::string name) {
    constexpr std::size_t kNameMax = 200;
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
        name.erase(at, kUnnamed.size());
    return cleaned(name.substr(0, std::min(name.find('('), kNameMax)));
}

/// FILE:LINE, from here if the file lies below.
std::string short_path(std::string_view place) {
    const std::string text = cleaned(place.substr(0, place.find(" (discriminator")));
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    const auto below = std::filesystem::path(text).lexically_relative(here);
    return below.empty() || *below.begin() == ".." ? text : below.string();
}

/// "FUNCTION, FILE:LINE, called from ..."; nothing if no line is known.
std::string place_in(const std::string& tool, const std::string& image, std::uint32_t address) {
    const auto lines =
        lines_of({tool, "-e", image, "-f", "-C", "-i", fmt::format("{:#x}", address)}, kLinesMax);
    std::string place;
    for (std::size_t line = 0; line + 1 < lines.size(); line += 2)
        if (!lines[line + 1].starts_with("??"))
            place += fmt::format("{}{}, {}", place.empty() ? "" : ", called from ",
                                 short_name(lines[line]), short_path(lines[line + 1]));
    return place;
}

} // namespace

std::string SourceLines::place_of(const wire::FaultRecord& record) {
    const auto known = known_.find({record.pc, record.lr});
    if (known != known_.end())
        return known->second;
    if (known_.size() == kPlacesMax)
        return "at another place";
    return known_[{record.pc, record.lr}] = find(record);
}

std::string SourceLines::find(const wire::FaultRecord& record) const {
    const bool simulated = image_.empty();
    std::error_code error;
    const std::string program =
        simulated ? std::filesystem::read_symlink("/proc/self/exe", error).string() : image_;
    const char* const name = simulated ? kHostTool : kBoardTool;
    const std::string tool = find_program(name);
    if (tool.empty())
        return fmt::format("{} is not installed, so that nobody says in which line", name);
    const auto look = [&](std::uint32_t address) {
        if (address == 0 || address >= kImageEnd)
            return std::string{};
        // Odd on a board: a return address, in Thumb code; what called is before it.
        const bool returns = !simulated && (address & 1u) != 0;
        return place_in(tool, program, returns ? address - 3 : address);
    };
    if (const std::string place = look(record.pc); !place.empty())
        return "in " + place;
    if (const std::string place = look(record.lr); !place.empty())
        return "called from " + place;
    return "the image does not know in which line";
}

} // namespace mesh::host
