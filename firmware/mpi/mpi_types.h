/* Types: how one was made, parts of arrays that are distributed, sizes as wide numbers. A part of
 * mpi.h, which includes it. */
#ifndef MPI_TYPES_H
#define MPI_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[],
                                   MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_darray(int ranks, int rank, int dimensions, const int sizes[],
                           const int distributions[], const int arguments[], const int grid[],
                           int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_f90_integer(int range, MPI_Datatype *type);
int MPI_Type_create_f90_real(int digits, int range, MPI_Datatype *type);
int MPI_Type_create_f90_complex(int digits, int range, MPI_Datatype *type);
int MPI_Type_get_envelope(MPI_Datatype type, int *numbers, int *addresses, int *types,
                          int *combiner);
int MPI_Type_get_contents(MPI_Datatype type, int most_numbers, int most_addresses, int most_types,
                          int numbers[], MPI_Aint addresses[], MPI_Datatype types[]);
int MPI_Pack_external(const char *format, const void *data, int count, MPI_Datatype type,
                      void *into, MPI_Aint room, MPI_Aint *place);
int MPI_Unpack_external(const char *format, const void *from, MPI_Aint room, MPI_Aint *place,
                        void *data, int count, MPI_Datatype type);
int MPI_Pack_external_size(const char *format, int count, MPI_Datatype type, MPI_Aint *bytes);
int MPI_Type_match_size(int kind, int bytes, MPI_Datatype *type);
int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size);
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count);
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count);
int MPI_Status_set_cancelled(MPI_Status *status, int flag);

#ifdef __cplusplus
}
#endif

#endif
