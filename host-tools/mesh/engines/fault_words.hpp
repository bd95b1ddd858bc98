// Why a node's firmware stopped, in words.
#pragma once

#include "wire/host_messages.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mesh::host {

/// Cortex-M: the meaning of each bit of the configurable fault status register (CFSR), by the bit's
/// number; "" for the bits that only say that an address is known. Armv8-M Architecture Reference
/// Manual (DDI 0553), registers MMFSR, BFSR and UFSR.
inline constexpr std::array<std::string_view, 32> kFaultBits = [] {
    std::array<std::string_view, 32> words{};
    words[0] = "jump to an address that holds no code";
    words[1] = "no access";
    words[3] = "no access to the stack at the end of an exception";
    words[4] = "no access to the stack at the start of an exception";
    words[5] = "no access to the stack for floating-point registers";
    words[8] = "bus error of a jump";
    words[9] = "bus error";
    words[10] = "bus error of an earlier write, nobody knows where to";
    words[11] = "bus error of the stack at the end of an exception";
    words[12] = "bus error of the stack at the start of an exception";
    words[13] = "bus error of the stack for floating-point registers";
    words[16] = "undefined instruction";
    words[17] = "jump to an address that holds no Thumb code";
    words[18] = "end of an exception that does not run";
    words[19] = "instruction of a coprocessor that is off or not there";
    words[20] = "stack overflow";
    words[24] = "unaligned access by an instruction that cannot do it";
    words[25] = "division by zero";
    return words;
}();
inline constexpr unsigned kStackOverflowBit = 20;
inline constexpr std::uint32_t kAddressKnown = (1u << 7) | (1u << 15); // MMFAR, BFAR

/// Cortex-M: the cause of a fault, by its exception and the status. A full stack brings other
/// faults with it, so a full stack is the first choice; else it is the lowest bit.
constexpr std::string_view cortex_m_cause(std::uint32_t exception, std::uint32_t status) {
    if (((status >> kStackOverflowBit) & 1u) != 0)
        return kFaultBits[kStackOverflowBit];
    for (unsigned bit = 0; bit < kFaultBits.size(); ++bit)
        if (((status >> bit) & 1u) != 0 && !kFaultBits[bit].empty())
            return kFaultBits[bit];
    constexpr std::uint32_t kFirstInterrupt = 16;
    if (exception >= kFirstInterrupt)
        return "interrupt that nobody expects";
    constexpr std::uint32_t kSecureFault = 7;
    return exception == kSecureFault ? "access against the security of memory"
                                     : "exception that nobody expects";
}

/// The cause as a person wants it, with the address if one is known.
std::string fault_words(const wire::CrashRecord& record);

} // namespace mesh::host
