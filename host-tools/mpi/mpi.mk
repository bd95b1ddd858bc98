# The part of `mesh` that uses MPI to run with several ranks, and the tests of that. Included by the
# Makefile. Made where there is an MPI (Open MPI or MPICH: MPICXX= names the compiler of one);
# without it all else is as it is with it.
MPICXX ?= $(shell command -v mpicxx)
MPI_OBJECT := $(if $(MPICXX),$(BUILD)/host/libmesh-mpi.so)
ifneq ($(MPI_OBJECT),)
# Another MPI than before makes it anew.
$(BUILD)/host/mpicxx: FORCE
	@$(call write_if_new,readlink -f "$$(command -v $(firstword $(MPICXX)))")
$(MPI_OBJECT): host-tools/mpi/mpi.cpp host-tools/mpi/mpi.hpp host-tools/mpi/mpi.mk \
  $(BUILD)/host/mpicxx
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)OMPI_CXX='$(CXX)' MPICH_CXX='$(CXX)' $(MPICXX) -std=c++20 $(WARNINGS) -O2 -fPIC -shared \
	  -fvisibility=default $< -o $@
$(MESH): | $(MPI_OBJECT)
else
# One that is there no more must not be loaded.
.PHONY: no-mpi
no-mpi:
	@rm -f $(BUILD)/host/libmesh-mpi.so
$(MESH): | no-mpi
endif

.PHONY: test-ranks
test-ranks: deps ## every case of runs that several ranks share; with mpirun, where it is installed
	@command -v mpirun >/dev/null || echo 'no mpirun: only a launcher of the tests is tried;' \
	  'with it: apt-get install openmpi-bin libopenmpi-dev'
	@$(MAKE) -j$(JOBS) all
	@$(PYTEST) --exhaustive --timeout 0 tests/mesh/ranks/test_ranks.py

.PHONY: test-mpi
test-mpi: deps ## C programs print the same over MPICH, natively, where it is installed; registers
	@command -v mpiexec.mpich >/dev/null || echo 'no MPICH, so nothing is compared;' \
	  'with it: apt-get install mpich'
	@$(MAKE) -j$(JOBS) all
	@$(PYTEST) --exhaustive --timeout 0 tests/mesh/mpi/test_mpi_native.py \
	  tests/mesh/mpi/test_registers.py
