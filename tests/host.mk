# GoogleTest programs, fuzzers, soak and explorers. Included by the Makefile, which has flags.

# `make test` runs what is plain, `make test-all` the same with sanitizers, too.
GTEST_LIBS := -lgtest -lgtest_main
# $(1): folder under tests/
define test_rules
$(BUILD)/host/tests/$(1): $(call objects_of,host,$(wildcard tests/$(1)/*.cpp)) \
  $(BUILD)/host/libmesh.a
	$$(call link_host,$(GTEST_LIBS))
$(BUILD)/asan/tests/$(1): $(call objects_of,asan,$(wildcard tests/$(1)/*.cpp)) \
  $(BUILD)/asan/libmesh.a
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$(Q)$(CLANGXX) $(ASAN_FLAGS) $$^ $(GTEST_LIBS) $(HOST_LIBS) -o $$@
endef
$(foreach f,$(TEST_FOLDERS),$(eval $(call test_rules,$f)))
$(BUILD)/host/batch/tests/%.o $(TEST_FOLDERS:%=$(BUILD)/host/obj/tests/%/%.o): OWN_FLAGS := \
  -Wno-conversion -Wno-dangling-else
# libFuzzer's header, which is clang's.
$(BUILD)/host/obj/tests/verify/fuzz/%.o: OWN_FLAGS = -idirafter $(shell \
  $(CLANGXX) -print-resource-dir)/include
# A fuzzer, and what runs its target over files that are there.
$(FUZZERS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/asan/obj/tests/verify/fuzz/%.o \
  $(BUILD)/asan/libmesh.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANGXX) -fsanitize=fuzzer,address,undefined -fno-sanitize=function $^ $(HOST_LIBS) -o $@
$(FUZZERS:%=$(BUILD)/host/fuzz/%): $(BUILD)/host/fuzz/%: $(BUILD)/host/obj/tests/verify/fuzz/%.o \
  $(call host_objects,host,tests/verify/fuzz/replay/replay.cpp) $(BUILD)/host/libmesh.a
	$(call link_host)

SOAK := $(BUILD)/host/tests/soak
$(SOAK): $(call host_objects,host,$(wildcard tests/verify/soak/*.cpp) \
    tests/kernel/call_sequence.cpp) $(BUILD)/host/libmesh.a
	$(call link_host)

EXPLORE := $(BUILD)/host/tests/explore_link
EXPLORE_SOURCES := tests/verify/model/explore_link.cpp tests/verify/model/link_world.cpp
$(EXPLORE): $(call host_objects,host,$(EXPLORE_SOURCES)) $(BUILD)/host/libmesh.a
	$(call link_host)
EXPLORE_NODES := $(BUILD)/host/tests/explore_nodes
$(EXPLORE_NODES): $(call host_objects,host,tests/verify/model/explore_nodes.cpp \
    tests/verify/soak/world.cpp) $(BUILD)/host/libmesh.a
	$(call link_host)
