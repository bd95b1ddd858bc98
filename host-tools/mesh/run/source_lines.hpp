// Where in the source an address of a node's program is, as addr2line says it: the addr2line of the
// board's tools, or the host's for a simulation.
#pragma once

#include "host-tools/mesh/engines/engine.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace mesh::host {

class SourceLines {
public:
    /// `plan` must outlive it.
    SourceLines(const RigPlan& plan, bool simulated) : plan_(plan), simulated_(simulated) {}

    /// "in app_main, firmware/apps/hello.cpp:9" for where a node stopped, or why that is not known.
    /// Runs a program for each new place, for the first kPlacesMax of them.
    std::string place_of(NodeId node, const wire::CrashRecord& record);

private:
    std::string find(NodeId node, const wire::CrashRecord& record) const;
    std::string look(NodeId node, const std::string& tool, std::uint32_t address) const;

    using Place = std::tuple<std::size_t, std::uint32_t, std::uint32_t>; // program, pc and lr

    const RigPlan& plan_;
    bool simulated_;
    std::map<Place, std::string> known_;
};

} // namespace mesh::host
