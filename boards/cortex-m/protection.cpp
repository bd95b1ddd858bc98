// The regions of the memory protection unit: flash, RAM and the devices of the chip. The background
// is off, so that everything else is a fault: above all the page that null pointers lead to, unless
// the chip has its code there.
//
// Regions end at multiples of QEMU's pages: an emulated access near another end is slow.
#include "boards/cortex-m/protection.hpp"

#include "boards/cortex-m/regs.hpp"
#include "chip.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

extern "C" {
// sections.ld
extern const std::byte flash_start[];
extern const std::byte flash_end[];
extern const std::byte ram_start[];
extern const std::byte ram_end[];
}

namespace mesh::board {

namespace {

enum class Use : std::uint8_t { code, data, devices };

#ifdef __ARM_ARCH_8M_MAIN__

constexpr std::uint32_t kNeverExecute = 1u << 0; // MPU_RBAR
constexpr std::uint32_t kReadOnly = 3u << 1;
constexpr std::uint32_t kReadWrite = 1u << 1;
constexpr std::uint32_t kRegionEnable = 1u << 0; // MPU_RLAR
constexpr std::uint32_t kNormalMemory = 0u << 1;
constexpr std::uint32_t kDevices = 1u << 1;
/// MPU_MAIR0: the attributes of these two: write-back cached; nGnRE.
constexpr std::uint32_t kAttributes = 0x04FF;

class Regions {
public:
    Regions() { mpu_.attributes[0] = kAttributes; }

    /// Allows a use of the memory from `start`, a multiple of 32, to before `end`, which is rounded
    /// up to one: behind the RAM that an image has there may be the node's identity.
    void allow(std::uintptr_t start, std::uintptr_t end, Use use) {
        mpu_.region_number = number_++;
        mpu_.region_base = start | (use == Use::code ? kReadOnly : kReadWrite | kNeverExecute);
        mpu_.region_limit = ((end - 1) & ~std::uintptr_t{31}) |
                            (use == Use::devices ? kDevices : kNormalMemory) | kRegionEnable;
    }

private:
    regs::Mpu& mpu_ = regs::at<regs::Mpu>(regs::kMpu);
    std::uint32_t number_ = 0;
};

#else

// [V7M] MPU_RASR
constexpr std::uint32_t kNeverExecute = 1u << 28;
constexpr std::uint32_t kReadOnly = 6u << 24;
constexpr std::uint32_t kReadWrite = 3u << 24;
constexpr std::uint32_t kNormalMemory = 3u << 16; // write-back cached
constexpr std::uint32_t kDevices = 1u << 16;
constexpr unsigned kSizeShift = 1;
constexpr std::uint32_t kRegionEnable = 1u << 0;
/// A stretch of memory is rounded up to this: else a few bytes at its end would take many regions.
constexpr std::uintptr_t kGrain = 1024;

/// A region is a power of two, at a multiple of itself, so that a stretch takes several.
class Regions {
public:
    void allow(std::uintptr_t start, std::uintptr_t end, Use use) {
        const std::uint32_t what = (use == Use::code ? kReadOnly : kReadWrite | kNeverExecute) |
                                   (use == Use::devices ? kDevices : kNormalMemory) | kRegionEnable;
        const std::uintptr_t stop = (end + kGrain - 1) / kGrain * kGrain;
        while (start < stop) {
            const std::uintptr_t fits = std::bit_floor(stop - start);
            const std::uintptr_t bytes = start == 0 ? fits : std::min(fits, start & -start);
            mpu_.region_number = number_++;
            mpu_.region_base = start;
            mpu_.region_limit =
                what | (static_cast<std::uint32_t>(std::bit_width(bytes) - 2) << kSizeShift);
            start += bytes;
        }
    }

private:
    regs::Mpu& mpu_ = regs::at<regs::Mpu>(regs::kMpu);
    std::uint32_t number_ = 0;
};

#endif

std::uintptr_t address(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }

} // namespace

void protect_memory() {
#ifndef __ARM_ARCH_8M_MAIN__
    if (regs::at<regs::Mpu>(regs::kMpu).type == 0) // chips may leave it out, as v6-M's do
        return;
#endif
    Regions regions;
    regions.allow(address(flash_start), address(flash_end), Use::code);
    regions.allow(address(ram_start), address(ram_end), Use::data);
    regions.allow(chip::kDevicesStart, chip::kDevicesEnd, Use::devices);
    asm volatile("dmb" ::: "memory");
    regs::at<regs::Mpu>(regs::kMpu).control = regs::kMpuEnable;
    asm volatile("dsb\n\tisb" ::: "memory");
}

} // namespace mesh::board
