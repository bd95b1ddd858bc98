// The facts of a board that the host tool knows, from the board.json beside its images.
#pragma once

#include "qemu_version.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mesh::host {

/// One board, as its emulator has it.
struct BoardFacts {
    std::string name;
    std::vector<std::string> machine; // words of the emulator's command line that choose it
    /// "serial": the emulator's number of the serial line of the host, then of each port. Empty:
    /// all ports share one network interface.
    std::vector<unsigned> serial_lines;
    /// "older": the same of emulators before a version, if they number the lines in another way.
    std::vector<unsigned> older_lines;
    QemuVersion older_than;
    /// "fill": its receivers tell of every `serial_fill` bytes, or of fewer some time later. Frames
    /// are filled up to a multiple of it, so that no receiver waits.
    unsigned serial_fill = 1;
    unsigned ethernet_ports = 0; // of that interface
    /// "identity", of a board with serial lines: where in its memory the eight bytes of a node's
    /// identity are put. An interface has them as its address.
    std::uint64_t identity_at = 0;
    /// Bytes that one neighbour may have under way to a node with 1, 2, ... ports.
    std::vector<std::size_t> windows;
    /// "buffers": packets that a node keeps, where a simulation would have others; 0: nothing is
    /// said.
    unsigned buffers = 0;
    /// "payload": the most bytes in a packet, where board.mk says less than all others have.
    std::size_t payload = wire::kPayloadBytesMost;
    /// "nodes": of the largest mesh, as many as a node has memory to know.
    unsigned nodes = 0;
    unsigned node_mbyte = 0; // memory that one emulator takes for itself, as measured
    /// "forked_kbyte": the same of an emulator that a template forks; 0: nothing is said.
    unsigned forked_kbyte = 0;

    /// "flash": {"bytes", "machine"}, of a board whose loader keeps images: the size of its flash,
    /// and the words for a machine that has so much. 0: there is none.
    unsigned flash_bytes = 0;
    std::vector<std::string> flash_machine;

    /// Folder of its images for a mesh with one host cable, beside the others.
    std::string relay_folder() const { return name + "/relay"; }
    /// Folder of those that its loader brings, and its loader's name beside them.
    std::string loaded_folder() const { return name + "/loaded"; }
    std::string loader_folder() const { return name + "/loader"; }
    /// Numbers the lines as an emulator of this version does.
    void take_lines_of(QemuVersion version) {
        if (version < older_than)
            serial_lines = older_lines;
    }
    /// Memory of an emulator that is forked, or started by itself.
    std::uint64_t node_kbyte(bool forked) const {
        return forked && forked_kbyte != 0 ? forked_kbyte : std::uint64_t{node_mbyte} * 1024;
    }
    bool serial() const { return !serial_lines.empty(); }
    unsigned ports() const {
        return serial() ? static_cast<unsigned>(serial_lines.size()) - 1 : ethernet_ports;
    }
    /// The window of a node with so many ports; for more ports than the board has, that of all its
    /// ports. 0 if nothing is known.
    std::size_t window_bytes(unsigned ports) const;
    /// Sockets between the host tool and a node with so many ports: one, or the host's and each
    /// port's.
    unsigned sockets(unsigned ports) const { return serial() ? ports + 1 : 1; }
};

/// Reads `folder`/board.json; the folder has the board's name. UsageError: it is not there, has a
/// key that nobody knows, lacks one, or a size that cannot be.
BoardFacts read_board(const std::filesystem::path& folder);

} // namespace mesh::host
