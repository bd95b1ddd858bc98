// Why a node stopped, in words: every bit of the status has words, and so has every check.
#include "hal/check.hpp"
#include "host-tools/mesh/engines/fault_words.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mesh::host {
namespace fault_words_test {

constexpr std::uint32_t kUsageFault = 6;

std::string words_of_fault(std::uint32_t exception, std::uint32_t status,
                           std::uint32_t address = 0) {
    return fault_words({.cause = wire::kProcessorFault + exception,
                        .pc = 0x1000'0100,
                        .lr = 0,
                        .status = status,
                        .address = address});
}

static_assert(cortex_m_cause(kUsageFault, 1u << 25) == "division by zero");
static_assert(cortex_m_cause(kUsageFault, 1u << 24).starts_with("unaligned"));
static_assert(cortex_m_cause(kUsageFault, 1u << 20) == "stack overflow");
static_assert(cortex_m_cause(kUsageFault, 1u << 19).starts_with("instruction of a coprocessor"));
static_assert(cortex_m_cause(kUsageFault, 1u << 18) == "end of an exception that does not run");
static_assert(cortex_m_cause(kUsageFault, 1u << 17).starts_with("jump"));
static_assert(cortex_m_cause(kUsageFault, 1u << 16) == "undefined instruction");
static_assert(cortex_m_cause(5, 1u << 13).starts_with("bus error of the stack for floating"));
static_assert(cortex_m_cause(5, 1u << 12).starts_with("bus error of the stack at the start"));
static_assert(cortex_m_cause(5, 1u << 11).starts_with("bus error of the stack at the end"));
static_assert(cortex_m_cause(5, 1u << 10).starts_with("bus error of an earlier write"));
static_assert(cortex_m_cause(5, 1u << 9) == "bus error");
static_assert(cortex_m_cause(5, 1u << 8) == "bus error of a jump");
static_assert(cortex_m_cause(4, 1u << 5).starts_with("no access to the stack for floating"));
static_assert(cortex_m_cause(4, 1u << 4) == "no access to the stack at the start of an exception");
static_assert(cortex_m_cause(4, 1u << 3) == "no access to the stack at the end of an exception");
static_assert(cortex_m_cause(4, 1u << 1) == "no access");
static_assert(cortex_m_cause(4, 1u << 0) == "jump to an address that holds no code");

TEST(FaultWords, EveryBitHasWordsOfItsOwnAndTheOthersHaveNone) {
    std::set<std::string_view> all;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const bool named = ((0x031F'3F3Bu >> bit) & 1u) != 0;
        EXPECT_EQ(!kFaultBits[bit].empty(), named) << bit;
        EXPECT_TRUE(!named || all.insert(kFaultBits[bit]).second) << bit;
    }
    EXPECT_EQ(all.size(), 18u);
}

TEST(FaultWords, AFullStackComesFirstAmongItsConsequences) {
    EXPECT_EQ(words_of_fault(kUsageFault, (1u << 20) | (1u << 4) | (1u << 12)), "stack overflow");
    EXPECT_EQ(words_of_fault(kUsageFault, (1u << 25) | (1u << 16)), "undefined instruction");
}

TEST(FaultWords, AnAddressIsToldIfItIsKnown) {
    EXPECT_EQ(words_of_fault(4, 0x82, 4), "no access to address 0x00000004, by a null pointer");
    EXPECT_EQ(words_of_fault(4, 0x82, 0x1000'0040),
              "no access to address 0x10000040, where code and constants are, which cannot be "
              "written");
    EXPECT_EQ(words_of_fault(4, 0x82, 0x6000'0000), "no access to address 0x60000000");
    EXPECT_EQ(words_of_fault(5, 0x8200, 0x5F00'0000), "bus error to address 0x5f000000");
    EXPECT_EQ(words_of_fault(5, 0x0200, 0x5F00'0000), "bus error");
    EXPECT_EQ(words_of_fault(4, 0x01), "jump to an address that holds no code");
    EXPECT_EQ(fault_words({wire::kProcessorFault + 4, 2, 0x1000'0101, 0x01, 0}),
              "jump to an address that holds no code, by a null pointer to a function");
}

TEST(FaultWords, WithoutAStatusTheExceptionIsToldByItsNumber) {
    EXPECT_EQ(words_of_fault(23, 0), "interrupt that nobody expects (number 23)");
    EXPECT_EQ(words_of_fault(3, 0), "exception that nobody expects (number 3)");
    EXPECT_EQ(words_of_fault(7, 0), "access against the security of memory (number 7)");
}

TEST(FaultWords, EveryCheckSaysWhatWasDone) {
    std::set<std::string> all;
    const auto words = [](std::uint32_t number) { return fault_words({number, 0, 0, 0, 0}); };
    const std::string not_known = words(0);
    for (const CheckId first :
         {CheckId{Invariant::pool_double_free}, CheckId{ProgramEnd::program_aborted},
          CheckId{Misuse::network_not_linked}}) {
        std::uint32_t id = first.number;
        for (; words(id) != not_known; ++id)
            EXPECT_TRUE(all.insert(words(id)).second) << id;
        EXPECT_GT(id, first.number + 10); // one of each kind for every mistake
    }
    const auto exited = static_cast<std::uint32_t>(ProgramEnd::program_exited);
    EXPECT_TRUE(fault_words({exited, 0, 0, 5, 0}).ends_with("its status was 5"));
}

} // namespace fault_words_test
} // namespace mesh::host
