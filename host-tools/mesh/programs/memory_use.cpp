#include "memory_use.hpp"

#include "image_symbols.hpp"
#include "kernel/processes/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kFramesNamed = 8;
constexpr std::string_view kSuffix = ".Frame"; // of the type that stands for a frame
/// A block of the arena has a head of so many bytes.
constexpr std::size_t kFrameBytesMax = Arena::kBlockBytesMax - 16;

/// The number that a text begins with; 0 if it begins with none.
std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// A size as the linker writes it: whole units.
std::uint64_t bytes_in(std::uint64_t count, std::string_view unit) {
    constexpr std::array<std::string_view, 4> kUnits{"B", "KB", "MB", "GB"};
    const auto known = std::ranges::find(kUnits, unit);
    return known == kUnits.end() ? 0 : count << (10 * (known - kUnits.begin()));
}

/// "count", of "_Z5countRN4mesh6KernelE"; of a template's function without its arguments, too.
std::string short_name(const std::string& mangled) {
    std::string name = demangled(mangled);
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
        name.erase(at, kUnnamed.size());
    std::string plain; // without what stands between < and >, as far as the parameters
    unsigned depth = 0;
    for (const char letter : name) {
        if (letter == '(' && depth == 0)
            break;
        depth += letter == '<' ? 1 : 0;
        if (depth == 0)
            plain += letter;
        depth -= letter == '>' && depth != 0 ? 1 : 0;
    }
    return plain.substr(plain.find_last_of(' ') + 1);
}

/// The coroutine whose frame has this name in a listing's line; "" if it is no such line.
std::string coroutine_in(const std::string& line) {
    if (line.find("DW_AT_name") == std::string::npos || !line.ends_with(kSuffix))
        return "";
    const std::string name = line.substr(line.find_last_of(' ') + 1);
    return short_name(name.substr(0, name.size() - kSuffix.size()));
}

} // namespace

std::string memory_words(std::string_view linker_said) {
    std::string words;
    std::istringstream lines{std::string(linker_said)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream parts(line);
        std::string region, used_unit, unit;
        std::uint64_t used = 0, size = 0;
        if (!(parts >> region >> used >> used_unit >> size >> unit) || !region.ends_with(':'))
            continue;
        used = bytes_in(used, used_unit);
        size = bytes_in(size, unit);
        if (size != 0)
            words +=
                fmt::format("{:<9} {} of {} bytes ({} %)\n", region.substr(0, region.size() - 1),
                            used, size, (100 * used + size / 2) / size);
    }
    return words;
}

std::vector<FrameSize> coroutine_frames(const std::string& listing) {
    std::map<std::string, std::uint64_t> known;
    std::string frame;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        if (std::string name = coroutine_in(line); !name.empty()) {
            frame = std::move(name);
        } else if (const auto at = line.find("DW_AT_byte_size"); at != std::string::npos) {
            const auto colon = line.find(": ", at);
            if (!frame.empty() && colon != std::string::npos)
                known[frame] = std::max(known[frame], number_in(line.substr(colon + 2)));
            frame.clear();
        } else if (line.find("Abbrev Number") != std::string::npos) {
            frame.clear();
        }
    }
    std::vector<FrameSize> all;
    for (const auto& [name, bytes] : known)
        all.push_back({name, bytes});
    return all;
}

std::vector<std::string> misplaced_frames(const std::string& listing) {
    std::vector<std::string> all;
    std::string frame;
    bool is_first = false; // the member that has to be
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        if (std::string name = coroutine_in(line); !name.empty())
            frame = std::move(name);
        else if (line.find("Abbrev Number") != std::string::npos)
            is_first = false;
        else if (line.ends_with(" _Coro_resume_fn"))
            is_first = true;
        else if (is_first && line.find("DW_AT_data_member_location") != std::string::npos &&
                 !line.ends_with(": 0"))
            all.push_back(frame);
    }
    return all;
}

bool may_misplace_frames(std::string_view object) {
    // GCC puts the value of the condition, of an if or a loop or of a switch, in front of the rest.
    // In a frame that is right its name is longer.
    using std::string_view_literals::operator""sv;
    return object.find("\0__ifcd_0\0"sv) != std::string_view::npos ||
           object.find("\0__swch_0\0"sv) != std::string_view::npos;
}

FrameSize largest_stack_frame(const std::string& usage) {
    FrameSize largest;
    std::istringstream lines(usage);
    for (std::string line; std::getline(lines, line);) { // FILE:LINE:COLUMN:NAME, BYTES, KIND
        const auto tab = line.find('\t');
        const std::uint64_t bytes = tab == std::string::npos ? 0 : number_in(line.substr(tab + 1));
        const auto after_file = line.find(':');
        if (bytes > largest.bytes)
            largest = {line.substr(0, line.find(':', after_file + 1)), bytes};
    }
    return largest;
}

std::string frame_words(std::uint64_t stack_bytes, const FrameSize& on_stack,
                        const NodeMemoryRecord& memory, std::vector<FrameSize> in_arena) {
    std::string words = fmt::format("stack     {} bytes", stack_bytes);
    if (on_stack.bytes != 0)
        words += fmt::format("; the largest frame of the program has {}, {}", on_stack.bytes,
                             on_stack.name);
    words += fmt::format("\narena     {} bytes for coroutines", memory.arena_bytes);
    std::ranges::stable_sort(in_arena, std::greater{}, &FrameSize::bytes);
    const std::size_t named = std::min(in_arena.size(), kFramesNamed);
    std::string_view separator = ": ";
    for (const FrameSize& frame : std::span(in_arena).first(named)) {
        words += fmt::format("{}{} {}", separator, frame.name, frame.bytes);
        if (frame.bytes > kFrameBytesMax)
            words += fmt::format(" (too large: at most {})", kFrameBytesMax);
        separator = ", ";
    }
    if (named < in_arena.size())
        words += fmt::format(", {} smaller ones", in_arena.size() - named);
    return words + '\n';
}

} // namespace mesh::host
