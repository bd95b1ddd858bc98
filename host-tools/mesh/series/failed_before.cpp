#include "failed_before.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/text_file.hpp"
#include "host-tools/mesh/programs/kept_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <tuple>

namespace mesh::host {

namespace {

std::string note_of(const std::string& file) {
    const std::string whole = std::filesystem::weakly_canonical(file).string();
    return (cache_folder() / fmt::format("failed-{:016x}", std::hash<std::string>{}(whole)))
        .string();
}

std::set<std::string> names_in(const std::string& note) {
    const std::string text = read_text(note, "--rerun-failed");
    const auto lines = lines_in(text);
    return {lines.begin(), lines.end()};
}

} // namespace

std::set<std::string> failed_before(const std::string& file) {
    const std::string note = note_of(file);
    if (!std::filesystem::exists(note))
        refuse("--rerun-failed: '{}' was not run before; allowed: without it", file);
    return names_in(note);
}

void keep_failed(const std::string& file, std::span<const CaseResult> results) {
    try {
        const std::string note = note_of(file);
        std::set<std::string> failed;
        if (std::filesystem::exists(note))
            failed = names_in(note);
        for (const CaseResult& result : results)
            if (result.verdict == CaseVerdict::failed)
                failed.insert(result.work.name);
            else
                failed.erase(result.work.name);
        std::string text;
        for (const std::string& name : failed)
            text += name + "\n";
        write_whole(note, std::as_bytes(std::span(text)), "--rerun-failed");
    } catch (const std::runtime_error& error) {
        std::ignore = error;
    }
}

} // namespace mesh::host
