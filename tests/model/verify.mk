# What machines can show of the protocol, beyond tests.

VERIFY_PACKAGES := rumur spin llvm coq
.PHONY: proof
proof: ## what Coq shows for every size: forwarding, links, trees; and mutants
	@tests/tools/packages.sh coq python3
	@$(PYTHON) tests/proof/check_proof.py --build $(BUILD)

.PHONY: verify
verify: deps ## what machines can show of the protocol, at length; writes two tables of tests/model
	@tests/tools/packages.sh $(VERIFY_PACKAGES)
	@$(MAKE) -j$(JOBS) all $(SOAK) $(EXPLORE) $(EXPLORE_NODES) $(COVERAGE_PROGRAMS)
	@$(PYTHON) tests/model/verify.py --build $(BUILD)

.PHONY: coverage
coverage: deps ## branches of links and forwarding that nothing takes, or only faults; SAVE=1
	@tests/tools/packages.sh llvm
	@$(MAKE) -j$(JOBS) $(COVERAGE_PROGRAMS)
	@$(PYTHON) tests/model/branches.py --build $(BUILD) $(if $(SAVE),--save)
