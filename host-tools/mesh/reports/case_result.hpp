// The outcome of one run of a series.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
    std::string log{};              // a new folder for what it says; "": none
    std::string title{};            // for a build server, of all that tells it apart; "": the name
    std::string group{};            // the class that JUnit puts it into; "": the suite
};

enum class CaseVerdict : std::uint8_t { verified, failed, refused };

inline constexpr std::array kVerdicts{CaseVerdict::verified, CaseVerdict::failed,
                                      CaseVerdict::refused};

constexpr std::string_view name_of(CaseVerdict verdict) {
    switch (verdict) {
    case CaseVerdict::verified: return "verified";
    case CaseVerdict::failed: return "failed";
    case CaseVerdict::refused: return "refused";
    }
    return "";
}

/// Kinds of failures; a run that was refused has the name of its Refusal.
inline constexpr std::string_view kOfRun = "run";
inline constexpr std::string_view kOfSignal = "signal"; // no verdict: something else ended it

struct CaseResult {
    Case work;
    CaseVerdict verdict = CaseVerdict::failed;
    std::string kind{kOfRun};
    std::string reason;  // one line; of a verified run none
    std::string said;    // all that it wrote to standard error, the end of long text
    std::string console; // to standard output, in the same way
    std::string repeat;  // the command
    double seconds = 0;
    std::shared_ptr<const nlohmann::ordered_json> report; // null if there is none
};

inline std::size_t count_of(std::span<const CaseResult> results, CaseVerdict verdict) {
    return static_cast<std::size_t>(
        std::ranges::count(results, verdict, [](const CaseResult& one) { return one.verdict; }));
}

} // namespace mesh::host
