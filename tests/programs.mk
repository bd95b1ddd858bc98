# Programs that whole runs load, built as a user builds his own: tests/mesh/programs/NAME.cpp or
# NAME.c, whose first line may end in options of `mesh build`, as in `// build: --engine sim`; and
# those of tests/mesh/mpi. In Python, mesh_tool.program("NAME") is their path, program("mpi/NAME")
# that of these. Included by the Makefile.
PROGRAMS := $(wildcard $(addprefix tests/mesh/,programs/*.cpp programs/*.c mpi/*.c))
programs_built = $(patsubst tests/mesh/%,$(BUILD)/programs/%,$(basename $(subst \
  /programs/,/,$(1))))
# Those for the simulation alone need no board.
SIMULATED_PROGRAMS := $(if $(PROGRAMS),$(shell \
  sed -sn '1{/ build:.*--engine sim/F}' $(PROGRAMS)))
BOARD_PROGRAMS := $(filter-out $(SIMULATED_PROGRAMS),$(PROGRAMS))

# What makes a program anew: what is put into it, and what does that; and another place of this
# folder, since `mesh build` names a user's files by their whole paths.
$(BUILD)/programs/place: FORCE
	@$(call write_if_new,echo '$(subst ','\'',$(CURDIR))')
$(call programs_built,$(PROGRAMS)): $(BUILD)/programs/place $(wildcard $(addprefix tests/mesh/,\
  programs/*.h programs/*.hpp mpi/*.h) host-tools/mesh/programs/*.cpp) $(BUILD)/host/stamp.inc \
  $(BUILD)/host/program.json $(BUILD)/host/libstate.a | $(MESH)
$(call programs_built,$(BOARD_PROGRAMS)): $(TOOLKIT_LIBRARIES)
define build_program
$(call say,BUILD,$@)
@mkdir -p $(@D)
$(Q)$(MESH) build $$(sed -En '1s,.*(//|/\*) build:([^*]*).*,\2,p' $<) $< -o $@ >/dev/null
endef
$(BUILD)/programs/%: tests/mesh/programs/%.cpp
	$(build_program)
$(BUILD)/programs/%: tests/mesh/programs/%.c
	$(build_program)
$(BUILD)/programs/mpi/%: tests/mesh/mpi/%.c
	$(build_program)

# With BOARD= those that other boards are needed for are not made.
MADE_PROGRAMS := $(call programs_built,$(SIMULATED_PROGRAMS) \
  $(if $(filter $(DEFAULT_BOARD),$(or $(BOARD),$(DEFAULT_BOARD))),$(BOARD_PROGRAMS)))
.PHONY: programs
programs: $(MADE_PROGRAMS)

# They include another one's source.
$(BUILD)/programs/few_pages: tests/mesh/programs/pages.cpp
$(BUILD)/programs/many_starts: tests/mesh/programs/starts.cpp
$(BUILD)/programs/traced_waits: tests/mesh/apps/waits.cpp
$(BUILD)/programs/traced_pingpong: firmware/apps/pingpong.cpp

# The program in README.md, as a reader would copy it.
README_APP := $(BUILD)/readme/app.cpp
$(README_APP): README.md
	@mkdir -p $(@D)
	@awk '/^```/ { on = /^```cpp/; next } on' $< >$@
$(foreach b,$(BOARDS),$(eval $(call image_rules,$b,readme,\
  $(call target_objects,$b,$(README_APP)) $($b_SYSTEM))))
