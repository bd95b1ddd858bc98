# Images for a mesh that stands alone, in build/BOARD/alone/, of boards with serial lines: the same
# objects as those of relay/, but for the board that the kernel sees. Made when they are asked for:
# make build/ast1030-evb/alone/pi.elf
ALONE_BOARDS := $(foreach b,$(BOARDS),$(if $(filter boards/serial,$($b_FOLDERS)),$b))
$(foreach b,$(ALONE_BOARDS),$(eval $(call kind_rules,$b,alone)))
$(foreach b,$(ALONE_BOARDS),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval $(call \
  image_rules,$b/alone,$(basename $(notdir $a)),$(call target_objects,$b,$a) \
  $($b/alone_SYSTEM)))))

# The same behind a loader that keeps them in flash: make build/ast1030-evb/loaded/alone_pi.elf
$(foreach b,$(filter $(LOADED),$(ALONE_BOARDS)),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval \
  $(call image_rules,$b/loaded,alone_$(basename $(notdir $a)),$(call target_objects,$b,$a) \
  $($b/alone_SYSTEM),$(call carried,$b/loaded,$a)))))

.PHONY: alone
alone: run-deps ## a mesh without mesh: emulators that QEMU's own cables join; DIM= APP= BOARD=
	@$(MAKE) -j$(JOBS) $(BUILD)/$(or $(BOARD),ast1030-evb)/alone/$(or $(APP),pi).elf
	@BUILD=$(BUILD) $(PYTHON) tests/mesh/helpers/alone_mesh.py $(or $(BOARD),ast1030-evb) $(DIM) \
	  $(or $(APP),pi)
