// The outcome of one run of a series.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// One run of several.
struct Case {
    std::string name;
    std::vector<std::string> words; // of its command line, the program first, then `run`
    std::uint64_t memory_kbyte = 0; // that it needs
    unsigned jobs = 1;              // that it counts for
    std::size_t place = 0;          // among all cases
    std::string page{};             // file for the report instead; "": it is read
};

enum class CaseVerdict : std::uint8_t { verified, failed, refused };

constexpr std::string_view name_of(CaseVerdict verdict) {
    switch (verdict) {
    case CaseVerdict::verified: return "verified";
    case CaseVerdict::failed: return "failed";
    case CaseVerdict::refused: return "refused";
    }
    return "";
}

struct CaseResult {
    Case work;
    CaseVerdict verdict = CaseVerdict::failed;
    std::string reason;  // one line; of a verified run none
    std::string said;    // all that it wrote to standard error, the end of long text
    std::string console; // to standard output, in the same way
    std::string repeat;  // the command
    double seconds = 0;
    std::shared_ptr<const nlohmann::ordered_json> report; // null if there is none
};

} // namespace mesh::host
