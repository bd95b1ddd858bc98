# The labs of firmware/labs: `make test` grades some of the answers that are kept here.

# The apps that pages of labs run.
LAB_APPS := ring sieve pingpong snapshot

.PHONY: test-labs
test-labs: deps ## grade all labs: every solution, every start, every wrong answer
	@$(MAKE) -j$(JOBS) $(MESH) $(LAB_APPS:%=$(BUILD)/$(DEFAULT_BOARD)/%.elf)
	@$(PYTEST) --exhaustive -n $(TEST_WORKERS) tests/mesh/course/test_labs.py
