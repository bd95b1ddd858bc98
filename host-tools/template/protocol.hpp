// The protocol between host tool and template. A template is an emulator that has made its machine
// and forks for each node of the same command line; README.md here tells how.
//
// They share a socket of packets (SOCK_SEQPACKET). The template begins: it is ready, or says why it
// will not be. Then the tool sends a Request for each node, with the node's descriptors: standard
// input, output and errors, then those that an emulator finds from number kFirstGivenFd on. There
// are two answers to it: `forked` by the template, with the number of the new process or minus an
// errno, and `started` by that process itself, with 0 or the errno of what failed. They may come in
// either order. The end of the socket ends the template.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mesh::host::fork_protocol {

/// The environment variable that makes a template of an emulator with the object:
/// "CONTROL,TOOL,MONITOR,ADDRESS", the numbers of the descriptor of that socket, of the tool's
/// process, of the descriptor of the emulator's monitor, and the template's own address as twelve
/// hexadecimal digits, or nothing if its command line has none.
inline constexpr char kVariable[] = "MESH_TEMPLATE";

/// The object's file, in the folder of what the tool loads into other programs.
inline constexpr char kObject[] = "mesh-template.so";

inline constexpr int kFirstGivenFd = 3;
inline constexpr std::size_t kFilesMax = 32; // of one node
inline constexpr std::size_t kWordsBytes = 96;

using Address = std::array<std::uint8_t, 6>;

/// Takes the place of a node's address in the template, and names no node of any network.
inline constexpr Address kTemplateAddress{0x02, 0x5a, 0x5a, 0x5a, 0x5a, 0x7e};

struct Request {
    Address address{};
};

enum class AnswerKind : std::int32_t { ready, refused, forked, started };

struct Answer {
    AnswerKind kind = AnswerKind::refused;
    std::int32_t value = 0; // ready: 1 if nodes will begin the emulator's sandbox, 0 if it has none
    std::array<char, kWordsBytes> words{}; // refused: why, ended by a zero
};

} // namespace mesh::host::fork_protocol
