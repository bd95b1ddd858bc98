#include "fault_words.hpp"

#include "boards/host/check_words.hpp"

#include <fmt/format.h>

namespace mesh::host {

namespace {
constexpr std::uint32_t kNullPageBytes = 4096;
constexpr std::uint32_t kJumps = (1u << 0) | (1u << 17);
/// Cortex-M: code and constants are below, data above.
constexpr std::uint32_t kCodeEnd = 0x2000'0000;

std::string_view kind_of_memory(std::uint32_t address) {
    if (address < kNullPageBytes)
        return ", by a null pointer";
    return address < kCodeEnd ? ", where code and constants are, which cannot be written" : "";
}
} // namespace

std::string fault_words(const wire::CrashRecord& record) {
    if (record.cause < wire::kProcessorFault) {
        const CheckId id{record.cause};
        const std::string words{words_of(id)};
        return id == ProgramEnd::program_exited
                   ? fmt::format("{}; its status was {}", words, static_cast<int>(record.status))
                   : words;
    }
    const std::uint32_t exception = record.cause - wire::kProcessorFault;
    const std::string cause = fmt::format("{}", cortex_m_cause(exception, record.status));
    if ((record.status & kAddressKnown) != 0)
        return fmt::format("{} to address {:#010x}{}", cause, record.address,
                           kind_of_memory(record.address));
    if ((record.status & kJumps) != 0 && record.pc < kNullPageBytes)
        return fmt::format("{}, by a null pointer to a function", cause);
    return record.status != 0 ? cause : fmt::format("{} (number {})", cause, exception);
}

} // namespace mesh::host
