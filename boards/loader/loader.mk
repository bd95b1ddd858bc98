# Boards whose board.mk names the kind of their ports (LOADER, a folder here) have a loader, which
# knows wire and ports only, and images that it brings: those for one host cable once more, linked
# for behind it. Included by the Makefile.
LOADED := $(foreach b,$(BOARDS),$(if $($b_LOADER),$b))
# For a loader, 6 KiB at most, and the tree of a load (kLoadNodesMax of wire/load.hpp).
LOADER_ROOM := 16K
define load_rules
$(1)/loader_CPU_FLAGS := $($(1)_CPU_FLAGS)
$(1)/loader_LDSCRIPT := $($(1)_LDSCRIPT)
$(1)/loader_LDFLAGS := -Wl,--defsym=loads_at=$(LOADER_ROOM) \
  $(if $(wildcard boards/$(1)/flash.hpp),-Xlinker --defsym=writes_flash=1)
$(BUILD)/$(1)/loader/obj/%.o: %.cpp $(BUILD)/$(1)/standard.hpp.gch
	$$(call cross_compile,$(1),-Oz -flto -fno-tree-loop-distribute-patterns -DMESH_CRC_TABLES=0 \
	  -Iboards/loader/$($(1)_LOADER))
$(1)/loaded_CPU_FLAGS := $($(1)_CPU_FLAGS)
$(1)/loaded_LDSCRIPT := $($(1)_LDSCRIPT)
$(1)/loaded_LDFLAGS := $($(1)_LDFLAGS) -Wl,--defsym=behind_loader=$(LOADER_ROOM)
endef
$(foreach b,$(LOADED),$(eval $(call load_rules,$b)))
# $(1): board
loader_sources = $(wildcard boards/loader/*.cpp boards/loader/$($(1)_LOADER)/*.cpp) \
  firmware/wire/frame.cpp firmware/wire/cobs.cpp $(wildcard boards/$(1)/$($(1)_LOADER).cpp)
$(foreach b,$(LOADED),$(eval $(call image_rules,$b/loader,loader,$(patsubst \
  %.cpp,$(BUILD)/$b/loader/obj/%.o,$(call loader_sources,$b)))))
$(foreach b,$(LOADED),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval $(call \
  image_rules,$b/loaded,$(basename $(notdir $a)),$(call target_objects,$b,$a) \
  $($b/relay_SYSTEM),$(call carried,$b/loaded,$a)))))
