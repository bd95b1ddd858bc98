// A test suite that runs on the Cortex-M itself: no kernel above it, no host tool beside it.
//
// It says `start`, every claim that does not hold, `end` and the count through semihosting, and
// leaves QEMU with 0 only if all held. tests/target/test_target.py expects exactly that.
#pragma once

#include "hal/console.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace mesh::target {

/// Semihosting for AArch32, operation 0x04: writes a NUL-terminated string.
inline void semihosting_write(const char* text) {
    register std::uint32_t operation asm("r0") = 0x04;
    register const char* argument asm("r1") = text;
    asm volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
}

class Suite {
public:
    explicit Suite(const char* name) : name_(name) { printf("start %s\n", name); }

    void claim(const char* text, bool holds) {
        ++(holds ? passed_ : failed_);
        if (!holds)
            printf("FAIL %s\n", text);
    }

    /// Exit status of the image.
    int end() const {
        printf("end %s\n%u passed, %u failed\n", name_, passed_, failed_);
        return failed_ == 0 && passed_ != 0 ? 0 : 1;
    }

private:
    const char* name_;
    unsigned passed_ = 0;
    unsigned failed_ = 0;
};

} // namespace mesh::target

inline void mesh::console_flush() {}

/// Takes printed text, a part of a line at a time. An image has one suite, so it is defined here.
void mesh::console_write(std::span<const char> text) {
    std::array<char, 64> part{};
    while (!text.empty()) {
        const std::size_t bytes = text.size() < part.size() - 1 ? text.size() : part.size() - 1;
        for (std::size_t at = 0; at < bytes; ++at)
            part[at] = text[at];
        part[bytes] = '\0';
        target::semihosting_write(part.data());
        text = text.subspan(bytes);
    }
}
