#include "mpi/collectives/joint.hpp"

#include "mpi/collectives/operations.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/engine/meaning.hpp"

#include <algorithm>
#include <array>

#if MESH_NOTES

namespace mesh::mpi {

namespace {

struct Name {
    MPI_Op op;
    const char* name;
};
const std::array kNames{
    Name{MPI_SUM, "MPI_SUM"},   Name{MPI_MIN, "MPI_MIN"},       Name{MPI_MAX, "MPI_MAX"},
    Name{MPI_PROD, "MPI_PROD"}, Name{MPI_BAND, "MPI_BAND"},     Name{MPI_BOR, "MPI_BOR"},
    Name{MPI_BXOR, "MPI_BXOR"}, Name{MPI_LAND, "MPI_LAND"},     Name{MPI_LOR, "MPI_LOR"},
    Name{MPI_LXOR, "MPI_LXOR"}, Name{MPI_MINLOC, "MPI_MINLOC"}, Name{MPI_MAXLOC, "MPI_MAXLOC"}};

} // namespace

Joint joint_of(int root, MPI_Op op, MPI_Datatype handle, std::int64_t count) {
    Joint joint{.root = root};
    const auto* const name = std::ranges::find(kNames, op, &Name::op);
    if (name != kNames.end())
        joint.operation = name->name;
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return joint;
    joint.type = name_of_basic(type->basic);
    joint.kind = count == 0 ? std::uint16_t{0} : meaning_of(*type);
    joint.bytes = count < 0 ? -1 : count * std::int64_t{type->size};
    return joint;
}

void meet_if_strict(const Checks& checks) {
    if (is_strict())
        meet_all(checks.comm(), checks.call());
}

} // namespace mesh::mpi

#endif
