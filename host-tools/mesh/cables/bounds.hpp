// The bounds of the memory that the host tool keeps for one node, whatever the node sends, and
// their sum.
//
// Nodes run programs that nobody has to trust. A healthy node stays far below every bound here. A
// node that passes a bound is named, counted and ended, and its bytes beyond the bound are dropped.
#pragma once

#include "kernel/base/limits.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::host::bounds {

/// A frame on a node's socket: the longest that QEMU's network interface can make.
inline constexpr std::size_t kFrameBytesMax = std::size_t{64} << 10;

/// The memory that a waiting frame takes beside its bytes.
inline constexpr std::size_t kFrameOverheadBytes = 128;

/// All that a node's neighbours send, with every repetition, before they declare their links dead.
inline constexpr std::size_t kHonestPileBytes = std::size_t{8} * limits::kRetriesMax *
                                                limits::kWindowFrames *
                                                (wire::kFrameBytesMax + kFrameOverheadBytes);

/// Bytes that wait for a node which does not read them.
inline constexpr std::size_t kUnreadBytesMax = std::size_t{16} << 20;
/// Bytes from a node that are held back until their model time has come, or until a slow cable has
/// brought them.
inline constexpr std::size_t kHeldBytesMax = std::size_t{16} << 20;
static_assert(kHonestPileBytes < kUnreadBytesMax && kHonestPileBytes < kHeldBytesMax);

/// Bytes from a node to nodes that have not come up; repetitions of one frame count once.
inline constexpr std::size_t kEarlyBytesMax = std::size_t{256} << 10;

/// A line of the console; a longer one is broken in parts.
inline constexpr std::size_t kLineBytesMax = 4096;
/// Lines of all nodes that wait for the end of their round in lockstep.
inline constexpr std::size_t kRoundBytesMax = std::size_t{16} << 20;
/// The last bytes of an emulator's standard error, as many as are kept.
inline constexpr std::size_t kLastLineBytesMax = 1024;

/// The sum: all memory that one node can make the host tool keep.
inline constexpr std::size_t kNodeBytesMax = kFrameBytesMax + kUnreadBytesMax + kHeldBytesMax +
                                             kEarlyBytesMax + kLineBytesMax + kLastLineBytesMax;

/// The --output of an app, for all nodes together; nothing is kept without --output.
inline constexpr std::size_t kAppOutputBytesMax = std::size_t{1} << 30;
/// Each file of --log; then a last line says that more was cut.
inline constexpr std::size_t kLogBytesMax = std::size_t{16} << 20;

/// Model times above this are impossible; sums of a few do not overflow.
inline constexpr wire::ModelTime kModelTimeMax = wire::kNever / 16;
/// Lockstep: timers in a row that a node may set to a time that it has been granted already. Links
/// repeat without taking model time, so those of a node whose neighbours are all dead take all of
/// their retries at one time, each with a probe for buffers.
inline constexpr unsigned kStaleTimersMax = 2 * kPortsMax * limits::kRetriesMax;

} // namespace mesh::host::bounds
