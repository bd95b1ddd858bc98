// A counter of cycles, by which a program measures its own speed.
#pragma once

#include <cstdint>

namespace mesh {

/// Cycles of the processor's clock since some moment; costs no model time. Defined once by each
/// board. mps2-an505: of 20 MHz, in steps of 16, and of the time on the host, for QEMU counts none;
/// boards with serial lines: in steps of a microsecond.
/// A simulation has no processors: nanoseconds that the host has computed for all of its nodes.
std::uint64_t cycles();
/// Of cycles(), in a microsecond.
extern const std::uint32_t kCyclesOfUs;

} // namespace mesh
