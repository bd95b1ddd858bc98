// Names of types.
#include "mpi/datatypes/types.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mesh::mpi {

namespace {

struct Name {
    std::uint16_t handle;
    const char* name;
};
constexpr std::array<Name, 49> kNames{{
    {0x201, "MPI_AINT"},
    {0x202, "MPI_COUNT"},
    {0x203, "MPI_OFFSET"},
    {0x207, "MPI_PACKED"},
    {0x208, "MPI_SHORT"},
    {0x209, "MPI_INT"},
    {0x20a, "MPI_LONG"},
    {0x20b, "MPI_LONG_LONG"},
    {0x20c, "MPI_UNSIGNED_SHORT"},
    {0x20d, "MPI_UNSIGNED"},
    {0x20e, "MPI_UNSIGNED_LONG"},
    {0x20f, "MPI_UNSIGNED_LONG_LONG"},
    {0x210, "MPI_FLOAT"},
    {0x212, "MPI_C_FLOAT_COMPLEX"},
    {0x214, "MPI_DOUBLE"},
    {0x216, "MPI_C_DOUBLE_COMPLEX"},
    {0x220, "MPI_LONG_DOUBLE"},
    {0x224, "MPI_C_LONG_DOUBLE_COMPLEX"},
    {0x228, "MPI_FLOAT_INT"},
    {0x229, "MPI_DOUBLE_INT"},
    {0x22a, "MPI_LONG_INT"},
    {0x22b, "MPI_2INT"},
    {0x22c, "MPI_SHORT_INT"},
    {0x22d, "MPI_LONG_DOUBLE_INT"},
    {0x238, "MPI_C_BOOL"},
    {0x23c, "MPI_WCHAR"},
    {0x240, "MPI_INT8_T"},
    {0x241, "MPI_UINT8_T"},
    {0x243, "MPI_CHAR"},
    {0x244, "MPI_SIGNED_CHAR"},
    {0x245, "MPI_UNSIGNED_CHAR"},
    {0x247, "MPI_BYTE"},
    {0x248, "MPI_INT16_T"},
    {0x249, "MPI_UINT16_T"},
    {0x250, "MPI_INT32_T"},
    {0x251, "MPI_UINT32_T"},
    {0x258, "MPI_INT64_T"},
    {0x259, "MPI_UINT64_T"},
    {0x213, "MPI_CXX_FLOAT_COMPLEX"},
    {0x217, "MPI_CXX_DOUBLE_COMPLEX"},
    {0x218, "MPI_LOGICAL"},
    {0x219, "MPI_INTEGER"},
    {0x21a, "MPI_REAL"},
    {0x21b, "MPI_COMPLEX"},
    {0x21c, "MPI_DOUBLE_PRECISION"},
    {0x21d, "MPI_DOUBLE_COMPLEX"},
    {0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX"},
    {0x232, "MPI_2INTEGER"},
    {0x239, "MPI_CXX_BOOL"},
}};

} // namespace

const char* name_of_basic(std::uintptr_t handle) {
    const auto found =
        std::ranges::find_if(kNames, [=](const Name& one) { return one.handle == handle; });
    return found == kNames.end() ? "" : found->name;
}

namespace {

int type_set_name(Checks& checks, Type& type, const char* name) {
    const std::size_t length = std::min<std::size_t>(std::strlen(name), kNameBytes - 1);
    auto* const copy = static_cast<char*>(mesh_malloc(length + 1));
    if (copy == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    *std::copy_n(name, length, copy) = '\0';
    mesh_free(type.name);
    type.name = copy;
    return MPI_SUCCESS;
}

// A type of Fortran or C++ may be one of C under another name, so the handle counts.
void type_get_name(Checks& checks, MPI_Datatype handle, char* name, int* length) {
    const Type* const type = checks.any_type(handle);
    if (type == nullptr)
        return;
    const char* const text = type->name != nullptr ? type->name : name_of_basic(number_of(handle));
    give_text(text, name, length);
}

} // namespace

} // namespace mesh::mpi

#include "doors/type_names.inc"
