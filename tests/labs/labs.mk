# The labs of firmware/labs: `make test` grades some of the answers that are kept here.

.PHONY: test-labs
test-labs: deps ## grade all labs: every solution, every start, every wrong answer
	@$(MAKE) -j$(JOBS) $(MESH)
	@$(PYTEST) --exhaustive -n $(TEST_WORKERS) tests/mesh/test_labs.py
