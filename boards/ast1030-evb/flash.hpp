// The SPI NOR flash at chip select 0 of the AST1030's flash controller, behind the bytes from which
// its boot ROM takes the loader: see hal/flash.hpp. No interrupt, no DMA: each command waits.
//
//   [AST]    Aspeed AST1030 data sheet, chapter "Firmware SPI memory controller"
//   [JEDEC]  JESD216; commands and their codes are the same on all usual parts with 4 KiB sectors
#pragma once

#include "boards/cortex-m/regs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::board {

class Flash {
public:
    static constexpr std::uint32_t kEraseBytes = 4096;
    static constexpr std::uint32_t kWriteBytes = 1;

    Flash() {
        regs::at<Controller>(kController).config |= kWriteEnable0;
        std::array<std::byte, 3> id; // manufacturer, kind, and the power of two of the size
        command(kReadId);
        for (std::byte& byte : id)
            byte = window();
        select(false);
        const auto power = std::to_integer<unsigned>(id[2]);
        if (power >= kPowerMin && power <= kPowerMax)
            bytes_ = (1u << power) - kLoaderBytes;
    }

    /// 0 if the part is no larger than what the loader has.
    std::uint32_t bytes() const { return bytes_; }
    bool erase(std::uint32_t position) {
        command(kWriteEnable);
        command_at(kErase, position);
        return wait_until_done();
    }
    bool write(std::uint32_t position, std::span<const std::byte> in) {
        while (!in.empty()) {
            const std::uint32_t of_page = kPageBytes - position % kPageBytes;
            const auto part = in.first(std::min<std::size_t>(in.size(), of_page));
            command(kWriteEnable);
            command_at(kProgram, position);
            for (const std::byte byte : part)
                window() = byte;
            if (!wait_until_done())
                return false;
            position += static_cast<std::uint32_t>(part.size());
            in = in.subspan(part.size());
        }
        return true;
    }
    void read(std::uint32_t position, std::span<std::byte> out) {
        command_at(kRead, position);
        for (std::byte& byte : out)
            byte = window();
        select(false);
    }

private:
    /// [AST] FMC00, FMC04, FMC10.
    struct Controller {
        regs::Register config;
        regs::Register addressing;
        regs::Register others[2];
        regs::Register control0;
    };
    static_assert(offsetof(Controller, control0) == 0x10);
    static constexpr std::uintptr_t kController = 0x7E62'0000;
    static constexpr std::uintptr_t kWindow = 0x8000'0000;
    static constexpr std::uint32_t kWriteEnable0 = 1u << 16; // FMC00
    /// FMC10: bytes of the window go to the part and come from it, while it is selected; the
    /// slowest clock, which every part bears.
    static constexpr std::uint32_t kUserMode = 3u;
    static constexpr std::uint32_t kNotSelected = 1u << 2;

    static constexpr std::byte kProgram{0x02}; // [JEDEC]
    static constexpr std::byte kRead{0x03};
    static constexpr std::byte kReadStatus{0x05};
    static constexpr std::byte kWriteEnable{0x06};
    static constexpr std::byte kErase{0x20}; // a sector of 4 KiB
    static constexpr std::byte kReadId{0x9F};
    static constexpr std::byte kBusy{1u << 0};       // status
    static constexpr unsigned kTurnsMax = 6'000'000; // of 0.6 us or more, as a byte of status takes
    static constexpr std::uint32_t kPageBytes = 256;
    static constexpr std::uint32_t kLoaderBytes = 64 * 1024;
    static constexpr unsigned kPowerMin = 17; // more than kLoaderBytes
    static constexpr unsigned kPowerMax = 24; // addresses of three bytes

    static volatile std::byte& window() { return *reinterpret_cast<volatile std::byte*>(kWindow); }
    static void select(bool on) {
        regs::at<Controller>(kController).control0 = kUserMode | (on ? 0 : kNotSelected);
    }
    /// Begins a command; what follows belongs to it until select(false) or the next command.
    static void command(std::byte code) {
        select(false);
        select(true);
        window() = code;
    }
    static void command_at(std::byte code, std::uint32_t position) {
        const std::uint32_t address = kLoaderBytes + position;
        command(code);
        for (const unsigned shift : {16u, 8u, 0u})
            window() = static_cast<std::byte>(address >> shift);
    }
    /// False: the part is still busy after three seconds.
    static bool wait_until_done() {
        command(kReadStatus);
        bool busy = true;
        for (unsigned turn = 0; busy && turn < kTurnsMax; ++turn)
            busy = (window() & kBusy) != std::byte{};
        select(false);
        return !busy;
    }

    std::uint32_t bytes_ = 0;
};

} // namespace mesh::board
