#include "source_lines.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/clean_text.hpp"

#include "boards/host/stop.hpp"

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
constexpr std::size_t kLinesMax = 32;
constexpr std::size_t kShownMax = 8; // and the last function's
constexpr std::uint32_t kImageEnd = 0xE000'0000;

/// The name of a function without its arguments and the compiler's suffix of clones; fit to be
/// shown.
std::string short_name(std::string name) {
    constexpr std::size_t kNameMax = 200;
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
        name.erase(at, kUnnamed.size());
    return cleaned(name.substr(0, std::min(name.find('('), kNameMax)));
}

/// FILE:LINE, without links and dots, from here if the file lies below.
std::string short_path(std::string_view place) {
    std::string text = cleaned(place.substr(0, place.find(" (discriminator")));
    std::error_code error;
    const std::string file = text.substr(0, text.rfind(':'));
    const auto here =
        std::filesystem::weakly_canonical(std::filesystem::current_path(error), error);
    const auto path = std::filesystem::weakly_canonical(file, error);
    if (error)
        return text;
    const auto below = path.lexically_relative(here);
    return (below.empty() || *below.begin() == ".." ? path : below).string() +
           text.substr(file.size());
}

/// "FUNCTION, FILE:LINE, called from ..."; nothing if no line is known. Of a long row of inlined
/// functions the first ones, and the last one: that is often the program's own.
std::string place_in(const std::string& tool, const std::string& image, std::uint32_t address) {
    const auto lines =
        lines_of({tool, "-e", image, "-f", "-C", "-i", fmt::format("{:#x}", address)}, kLinesMax);
    const std::size_t last = lines.size() < 2 ? 0 : (lines.size() / 2 - 1) * 2;
    std::string place;
    for (std::size_t line = 0; line + 1 < lines.size(); line += 2)
        if (!lines[line + 1].starts_with("??") && (line < kShownMax || line == last))
            place += fmt::format("{}{}, {}", place.empty() ? "" : ", called from ",
                                 short_name(lines[line]), short_path(lines[line + 1]));
    return place;
}

} // namespace

std::string SourceLines::place_of(NodeId node, const wire::CrashRecord& record) {
    const Place place{plan_.program_number(node), record.pc, record.lr};
    const auto known = known_.find(place);
    if (known != known_.end())
        return known->second;
    if (known_.size() == kPlacesMax)
        return "at another place";
    return known_[place] = find(node, record);
}

std::string SourceLines::find(NodeId node, const wire::CrashRecord& record) const {
    const char* const name = simulated_ ? kHostTool : kBoardTool;
    const std::string tool = find_program(name);
    if (tool.empty())
        return fmt::format("{} is not installed, so that nobody says in which line", name);
    if (const std::string place = look(node, tool, record.pc); !place.empty())
        return "in " + place;
    if (const std::string place = look(node, tool, record.lr); !place.empty())
        return "called from " + place;
    return "the image does not know in which line";
}

std::string SourceLines::look(NodeId node, const std::string& tool, std::uint32_t address) const {
    if (address == 0 || address >= kImageEnd)
        return {};
    if (simulated_) {
        const std::uint32_t loaded = address / board::kCodeBytesMax;
        if (loaded > plan_.programs.size())
            return {};
        std::error_code error;
        const std::string image =
            loaded == 0 ? std::filesystem::read_symlink("/proc/self/exe", error).string()
                        : plan_.programs[loaded - 1].image;
        return place_in(tool, image, address % board::kCodeBytesMax);
    }
    // An odd address is a return address, in Thumb code; the call is before it.
    return place_in(tool, plan_.program(node).image, (address & 1u) != 0 ? address - 3 : address);
}

} // namespace mesh::host
