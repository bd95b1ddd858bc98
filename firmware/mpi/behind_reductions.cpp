// Reductions and scans for a program that does not wait.
#include "mpi/behind.hpp"

#include "doors/behind_reductions.inc"
