# Images whose kernel sees another board than the chip's own: in build/BOARD/relay/ for a mesh with
# one host cable, in build/BOARD/alone/ for one without a host. All other objects are the same.
# Included by the Makefile.

ONE_CABLE_relay := RelayBoard
ONE_CABLE_alone := AloneBoard

# "BOARD/relay KERNEL": what a host must have its program for.
$(BOARDS:%=$(BUILD)/%/relay/made_for.inc): %/made_for.inc: %/program.stamp
	@printf '"%s"' "$$(cat $<)" >$@
# $(1): board, $(2): relay or alone
define kind_rules
$(1)/$(2)_CPU_FLAGS := $($(1)_CPU_FLAGS)
$(1)/$(2)_LDSCRIPT := $($(1)_LDSCRIPT)
$(1)/$(2)_LDFLAGS := $($(1)_LDFLAGS)
$(1)/$(2)_SYSTEM := $(patsubst %.cpp,$(BUILD)/$(1)/$(2)/obj/%.o,boards/cortex-m/main.cpp \
  boards/cortex-m/node.cpp boards/onecable/$(2).cpp) \
  $(filter-out %/main.o %/node.o,$($(1)_SYSTEM))
$(BUILD)/$(1)/$(2)/obj/%.o: %.cpp $(BUILD)/$(1)/standard.hpp.gch $(BUILD)/$(1)/relay/made_for.inc
	$$(call cross_compile,$(1),-DMESH_ONE_CABLE=$(ONE_CABLE_$(2)) -Iboards/onecable \
	  -I$(BUILD)/$(1)/relay)
endef
$(foreach b,$(BOARDS),$(eval $(call kind_rules,$b,relay)))
