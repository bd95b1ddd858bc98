// Where in the source an address of a node's program is, as addr2line says it: that of the board's
// tools, or of the host's for a simulation.
#pragma once

#include "wire/host_messages.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace mesh::host {

class SourceLines {
public:
    /// `image`: path of the ELF file of the nodes; empty: they are simulated by this program.
    explicit SourceLines(std::string image) : image_(std::move(image)) {}

    /// "in app_main, firmware/apps/hello.cpp:9" for where a node stopped, or why that is not known.
    /// Runs a program for each new place, for the first kPlacesMax of them.
    std::string place_of(const wire::FaultRecord& record);

private:
    std::string find(const wire::FaultRecord& record) const;

    std::string image_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> known_; // by pc and lr
};

} // namespace mesh::host
