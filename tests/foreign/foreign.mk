# MPI programs that nobody here wrote, of Debian's source packages. Included by the Makefile.
.PHONY: test-foreign
test-foreign: deps ## public MPI suites, of Debian source packages, on both engines; ONLY= SAMPLE=
	@tests/tools/packages.sh dpkg-dev xz-utils
	@$(MAKE) -j$(JOBS) BOARD=$(or $(BOARD),$(DEFAULT_BOARD)) all
	@$(PYTHON) tests/foreign/foreign.py $(BUILD) --jobs $(JOBS) $(ONLY:%=--only %) \
	  $(SAMPLE:%=--sample %) $(ENGINE:%=--engine %) $(BOARD:%=--board %)
