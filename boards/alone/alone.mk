# Images for a mesh that stands alone, in build/BOARD/alone/, of boards with serial lines: the same
# objects as those of relay/, but for the board that the kernel sees. Made when they are asked for:
# make build/ast1030-evb/alone/pi.elf
ALONE_BOARDS := $(foreach b,$(BOARDS),$(if $(filter boards/serial,$($b_FOLDERS)),$b))
define alone_rules
$(1)/alone_CPU_FLAGS := $($(1)_CPU_FLAGS)
$(1)/alone_LDSCRIPT := $($(1)_LDSCRIPT)
$(1)/alone_LDFLAGS := $($(1)_LDFLAGS)
$(1)/alone_SYSTEM := $(patsubst %.cpp,$(BUILD)/$(1)/alone/obj/%.o,boards/cortex-m/main.cpp \
  boards/cortex-m/node.cpp $(wildcard boards/alone/*.cpp)) \
  $(filter-out %/main.o %/node.o,$($(1)_SYSTEM))
$(BUILD)/$(1)/alone/obj/%.o: %.cpp Makefile boards/$(1)/board.mk $(BUILD)/$(1)/relay/made_for.inc
	$$(call cross_compile,$(1),-Iboards/alone -I$(BUILD)/$(1)/relay)
endef
$(foreach b,$(ALONE_BOARDS),$(eval $(call alone_rules,$b)))
$(foreach b,$(ALONE_BOARDS),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval $(call \
  image_rules,$b/alone,$(basename $(notdir $a)),$(call target_objects,$b,$a) \
  $($b/alone_SYSTEM)))))

.PHONY: alone
alone: run-deps ## a mesh without mesh: emulators that QEMU's own cables join; DIM= APP= BOARD=
	@$(MAKE) -j$(JOBS) $(BUILD)/$(or $(BOARD),ast1030-evb)/alone/$(or $(APP),pi).elf
	@BUILD=$(BUILD) $(PYTHON) tests/mesh/alone_mesh.py $(or $(BOARD),ast1030-evb) $(DIM) \
	  $(or $(APP),pi)
