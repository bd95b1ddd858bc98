# Programs that whole runs load, built as a user builds his own: tests/mesh/programs/NAME.cpp or
# NAME.c, whose first line may end in options of `mesh build`, as in `// build: --engine sim`.
# In Python, mesh_tool.program("NAME") is their path. Included by the Makefile.
PROGRAMS := $(wildcard tests/mesh/programs/*.cpp tests/mesh/programs/*.c)
programs_built = $(patsubst %,$(BUILD)/programs/%,$(basename $(notdir $(1))))
# Those for the simulation alone need no board.
SIMULATED_PROGRAMS := $(if $(PROGRAMS),$(shell \
  sed -sn '1{/ build:.*--engine sim/F}' $(PROGRAMS)))
BOARD_PROGRAMS := $(filter-out $(SIMULATED_PROGRAMS),$(PROGRAMS))

# What makes a program anew: what is put into it, and what does that.
$(call programs_built,$(PROGRAMS)): $(wildcard tests/mesh/programs/*.h tests/mesh/programs/*.hpp \
  host-tools/mesh/programs/*.cpp) $(BUILD)/host/stamp.inc $(BUILD)/host/program.json \
  $(BUILD)/host/libstate.a | $(MESH)
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

# With BOARD= those that other boards are needed for are not made.
MADE_PROGRAMS := $(call programs_built,$(SIMULATED_PROGRAMS) \
  $(if $(filter $(DEFAULT_BOARD),$(or $(BOARD),$(DEFAULT_BOARD))),$(BOARD_PROGRAMS)))
