# `make conform`: its image and driver for every board, and boards with faults that it must find.
# Included by the Makefile, which has the boards and their flags.

CONFORM := $(BUILD)/host/tests/conform
$(CONFORM): $(call host_objects,host,$(wildcard tests/conform/*.cpp)) $(BUILD)/host/libmesh.a
	$(call link_host,-lgtest)

$(foreach b,$(BOARDS),$(eval $(call image_rules,$b,conform,\
  $(call target_objects,$b,$(wildcard tests/conform/image/*.cpp)) $($b_DRIVER) $($b_PORTABLE))))
# What `make conform` runs on board $(1), and nothing else: each image more is a link.
conform_images = $(patsubst %,$(BUILD)/$(1)/%.elf,conform $(OPS) app_windows app_crash \
  $(filter test_%,$($(1)_SUITES)))

# The same on a board with a fault, which it must find: FAULT.sed is done to the file that its first
# line names.
FAULTY_BOARD := mps2-an385
FAULTY := boards/serial/board.cpp boards/cortex-m/systick.cpp tests/conform/image/conform.cpp
FAULTY_IMAGES := $(patsubst tests/conform/faults/%.sed,$(BUILD)/faults/%/conform.elf,$(wildcard \
  tests/conform/faults/*.sed))
$(FAULTY_IMAGES): $(BUILD)/faults/%/conform.elf: tests/conform/faults/%.sed \
  $(BUILD)/$(FAULTY_BOARD)/conform.elf
	$(call say,CROSS,$@)
	$(Q)f=$$(sed -n '1s/^# //p' $<); mkdir -p $(@D)/$$(dirname $$f); sed -f $< $$f >$(@D)/$$f; \
	  ! cmp $$f $(@D)/$$f >/dev/null || { echo "$<: changes nothing"; exit 1; }
	$(Q)for f in $(FAULTY); do s=$(@D)/$$f; [ -f $$s ] || s=$$f; \
	  $(CROSS)g++ -I$(@D) $(CXXFLAGS) $(TARGET_FLAGS) $($(FAULTY_BOARD)_CPU_FLAGS) \
	    $($(FAULTY_BOARD)_FOLDERS:%=-I%) -c $$s -o $(@D)/$$(basename $$f .cpp).o || exit 1; done
	$(Q)$(CROSS)g++ $($(FAULTY_BOARD)_CPU_FLAGS) $(TARGET_LDFLAGS) -T $($(FAULTY_BOARD)_LDSCRIPT) \
	  $(patsubst %.cpp,$(@D)/%.o,$(notdir $(FAULTY))) $(filter-out $(FAULTY:%.cpp=\
	  $(BUILD)/$(FAULTY_BOARD)/obj/%.o),$($(FAULTY_BOARD)_DRIVER)) $($(FAULTY_BOARD)_PORTABLE) \
	  $($(FAULTY_BOARD)_LDFLAGS) -o $@ >$@.memory
