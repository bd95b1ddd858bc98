// Types by their size, and by the decimal digits of Fortran's numbers, for programs of C with data
// of that precision.
#include "mpi/datatypes/type_builder.hpp"
#include "mpi/objects/queue.hpp"

#include <cfloat>
#include <climits>

namespace mesh::mpi {

namespace {

/// A type that was asked for. It stays to the end, and is given again for the same question.
struct Asked {
    Asked* next;
    int combiner;
    int digits;
    int range;
    MPI_Datatype type;
};
Queue<Asked> all_asked;

/// Decimal digits and powers of ten that a type has at least.
struct Precision {
    int digits;
    int range;
    MPI_Datatype type;
};

/// The first type with so many digits and such a range, of which MPI_UNDEFINED means any;
/// MPI_DATATYPE_NULL: there is none.
MPI_Datatype find(std::span<const Precision> known, int digits, int range) {
    for (const Precision& one : known)
        if (digits <= one.digits && range <= one.range)
            return one.type;
    return MPI_DATATYPE_NULL;
}

int find_or_make(Checks& checks, int combiner, std::span<const Precision> known, int digits,
                 int range, MPI_Datatype* handle) {
    const Asked* const before = *all_asked.find([=](const Asked& one) {
        return one.combiner == combiner && one.digits == digits && one.range == range;
    });
    if (before != nullptr) {
        *handle = before->type;
        return MPI_SUCCESS;
    }
    const MPI_Datatype same = find(known, digits, range);
    const bool is_asked = digits != MPI_UNDEFINED || range != MPI_UNDEFINED;
    if (same == MPI_DATATYPE_NULL || !is_asked)
        return checks.refuse(MPI_ERR_ARG, "no type has so many digits, or such a range");
    Builder builder(checks);
    builder.add(*type_of(same), 1, 0);
    if (builder.end(handle) != MPI_SUCCESS)
        return checks.code();
    const bool is_integer = combiner == MPI_COMBINER_F90_INTEGER;
    kept(MPI_SUCCESS, handle, [&] {
        return Given{combiner, {list(&digits, is_integer ? 0 : 1), list(&range, 1)}, {}, {}};
    });
    Type& type = *type_of(*handle);
    type.is_committed = true;
    type.owners = kOwnersForever; // a program frees none of these
    auto* const asked = make<Asked>(nullptr, combiner, digits, range, *handle);
    if (asked == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    all_asked.push(*asked);
    return MPI_SUCCESS;
}

int type_create_f90_integer(Checks& checks, int range, MPI_Datatype* handle) {
    const Precision known[] = {{INT_MAX, 2, MPI_INT8_T},
                               {INT_MAX, 4, MPI_INT16_T},
                               {INT_MAX, 9, MPI_INT32_T},
                               {INT_MAX, 18, MPI_INT64_T}};
    return find_or_make(checks, MPI_COMBINER_F90_INTEGER, known, MPI_UNDEFINED, range, handle);
}

int type_create_f90_real(Checks& checks, int digits, int range, MPI_Datatype* handle) {
    const Precision known[] = {{FLT_DIG, FLT_MAX_10_EXP - 1, MPI_FLOAT},
                               {DBL_DIG, DBL_MAX_10_EXP - 1, MPI_DOUBLE},
                               {LDBL_DIG, LDBL_MAX_10_EXP - 1, MPI_LONG_DOUBLE}};
    return find_or_make(checks, MPI_COMBINER_F90_REAL, known, digits, range, handle);
}

int type_create_f90_complex(Checks& checks, int digits, int range, MPI_Datatype* handle) {
    const Precision known[] = {{FLT_DIG, FLT_MAX_10_EXP - 1, MPI_C_FLOAT_COMPLEX},
                               {DBL_DIG, DBL_MAX_10_EXP - 1, MPI_C_DOUBLE_COMPLEX},
                               {LDBL_DIG, LDBL_MAX_10_EXP - 1, MPI_C_LONG_DOUBLE_COMPLEX}};
    return find_or_make(checks, MPI_COMBINER_F90_COMPLEX, known, digits, range, handle);
}

struct Sized {
    int kind;
    int bytes;
    MPI_Datatype type;
};

int type_match_size(Checks& checks, int kind, int bytes, MPI_Datatype* handle) {
    const std::array<Sized, 9> all{
        {{MPI_TYPECLASS_INTEGER, 1, MPI_INT8_T},
         {MPI_TYPECLASS_INTEGER, 2, MPI_INT16_T},
         {MPI_TYPECLASS_INTEGER, 4, MPI_INT32_T},
         {MPI_TYPECLASS_INTEGER, 8, MPI_INT64_T},
         {MPI_TYPECLASS_REAL, sizeof(float), MPI_FLOAT},
         {MPI_TYPECLASS_REAL, sizeof(double), MPI_DOUBLE},
         {MPI_TYPECLASS_REAL, sizeof(long double), MPI_LONG_DOUBLE},
         {MPI_TYPECLASS_COMPLEX, 2 * sizeof(float), MPI_C_FLOAT_COMPLEX},
         {MPI_TYPECLASS_COMPLEX, 2 * sizeof(double), MPI_C_DOUBLE_COMPLEX}}};
    for (const Sized& one : all) {
        if (one.kind != kind || one.bytes != bytes)
            continue;
        *handle = one.type;
        return MPI_SUCCESS;
    }
    return checks.refuse(MPI_ERR_ARG, "there is no type of this size");
}

} // namespace

} // namespace mesh::mpi

#include "doors/precisions.inc"
