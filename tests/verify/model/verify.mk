# What machines can show of the protocol, beyond tests.

VERIFY_PACKAGES := rumur llvm coq
.PHONY: proof
proof: ## what Coq shows for every size: forwarding, links, trees; and mutants
	@tests/tools/packages.sh coq python3
	@$(PYTHON) tests/verify/proof/check_proof.py --build $(BUILD)

.PHONY: verify
verify: deps ## what machines can show of the protocol, at length; writes tables of verify/model
	@tests/tools/packages.sh $(VERIFY_PACKAGES)
	@$(MAKE) -j$(JOBS) all $(SOAK) $(EXPLORE) $(EXPLORE_NODES) $(COVERAGE_PROGRAMS)
	@$(PYTHON) tests/verify/model/verify.py --build $(BUILD)
	@$(PYTHON) tests/verify/soak/found_again.py --build $(BUILD)

# The same tests with a kernel that counts its branches (tests/verify/model/branches.py).
COVERAGE_FLAGS := $(ASAN_FLAGS) -fprofile-instr-generate -fcoverage-mapping
COUNTED := $(wildcard firmware/kernel/*/*.cpp)
$(eval $(call host_rules,coverage,$(CLANGXX),$(COVERAGE_FLAGS),$(COUNTED)))
# $(1): program, $(2): its objects
define coverage_rules
$(BUILD)/coverage/$(1): $(call objects_of,coverage,$(COUNTED)) $(2) $(BUILD)/asan/libmesh.a
	$$(call say,LINK,$$@)
	$(Q)$(CLANGXX) $(COVERAGE_FLAGS) $$^ $(GTEST_LIBS) $(HOST_LIBS) -o $$@
endef
$(eval $(call coverage_rules,kernel,$(call objects_of,asan,$(wildcard tests/kernel/*.cpp))))
$(eval $(call coverage_rules,soak,$(call host_objects,asan,$(wildcard tests/verify/soak/*.cpp))))
$(eval $(call coverage_rules,explore_link,$(call host_objects,asan,$(EXPLORE_SOURCES))))
COVERAGE_PROGRAMS := $(addprefix $(BUILD)/coverage/,kernel soak explore_link)
.PHONY: coverage
coverage: deps ## branches of links and forwarding that nothing takes
	@tests/tools/packages.sh llvm
	@$(MAKE) -j$(JOBS) $(COVERAGE_PROGRAMS)
	@$(PYTHON) tests/verify/model/branches.py --build $(BUILD)
