// A program as `make` and `mesh build` leave it: one file, for either engine.
//
// It is a board's image with one more section, which boards do not load: the part for the
// simulation, a shared object of this machine. A program for the simulation alone is that part
// only. A stamp says which board and which headers the program was built for.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Sections of a program: its stamp, and the part for the simulation.
inline constexpr std::string_view kStampSection = ".mesh.stamp";
inline constexpr std::string_view kSimulatedSection = ".mesh.sim";
/// Section of an image: kernel/api/waits.hpp.
inline constexpr std::string_view kWaitsSection = ".mesh_waits";
inline constexpr std::string_view kMemorySection = ".mesh_memory";
/// The word in the stamp of a program for the simulation alone, in place of a board.
inline constexpr std::string_view kSimulation = "sim";

/// Stands for the headers that this tool was built with; a program must have been built with the
/// same. Twelve hexadecimal digits.
std::string_view kernel_stamp();
/// The stamp of a program for `place` (a board, its folder of images for a mesh with one host
/// cable, or kSimulation), with the headers.
std::string stamp_for(std::string_view place);

class ProgramFile {
public:
    /// Reads the file. UsageError: it is not there, or no program.
    explicit ProgramFile(const std::string& path);

    /// Refuses a program that is not for this board, was built with other headers, or has no kernel
    /// in it. An image with that and without a stamp was linked by hand: its maker knows.
    /// UsageError.
    void check_for_board(std::string_view board) const;
    /// The same for the simulation. UsageError.
    void check_for_simulation() const;
    /// True if the code can wait for a time: by sleep(), receive_within() or after(). An image that
    /// has lost its table of names does not say so.
    bool waits_for_times() const;
    /// True if it has a main() in place of an app_main(); so says the same table.
    bool has_main() const;
    /// True if it tells the simulation of each access to memory (BuildArguments::watched).
    bool is_watched() const;
    /// True if it is in C, with a main(), and has functions that read files or standard input.
    bool may_read() const;
    /// The part for the simulation, as a file that no folder has. Precondition:
    /// check_for_simulation().
    Fd simulated() const;
    /// All of it.
    std::span<const std::byte> bytes() const { return bytes_; }
    /// The bytes of a section, which live as long as this; none if it is not there.
    std::span<const std::byte> section(std::string_view name) const;

private:
    template <class Visit>
    void each_section(Visit visit) const;
    std::vector<std::string_view> section_names() const;
    void check_stamp(std::string_view place) const;

    std::string path_;
    std::vector<std::byte> bytes_;
    bool image_ = false; // of a board
};

} // namespace mesh::host
