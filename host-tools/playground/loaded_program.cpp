// A page loads no programs: it has those of the ops, which have no globals.
#include "host-tools/mesh/programs/loaded_program.hpp"

#include "host-tools/mesh/common/errors.hpp"

namespace mesh::host {

LoadedProgram::LoadedProgram(const std::string& /*path*/, unsigned /*number*/,
                             std::uint32_t /*nodes*/) {
    refuse("a page runs the programs of ops alone: `mesh run` outside of it runs one's own");
}
LoadedProgram::~LoadedProgram() = default;
void LoadedProgram::enter(NodeId /*node*/) {}
void LoadedProgram::reset(NodeId /*node*/) {}
bool LoadedProgram::unlock(std::uintptr_t /*address*/) { return false; }

} // namespace mesh::host
