# Programs: how one is built for the simulation, and what `mesh build` needs to build one anywhere.
# Included by the Makefile, which has the flags, the boards and the sources.
#
# The toolkit has the same layout in $(BUILD) and where `make install` puts it: include/, linker/,
# labs/, apps.txt, boards.txt, host/ and a folder a board, each with program.json, a compiler's
# words, in which @ is the toolkit itself, and a board's with board.json. In the folder of a board
# are those for a mesh with one host cable, relay/, and for behind its loader, loaded/.

# A program and the kernel fit together if they were built with the same headers; questions to a
# board are no part of either.
CALL_TABLES := $(wildcard firmware/mpi/*/calls.txt)
HEADERS := $(filter-out firmware/labs/%,$(wildcard firmware/*.hpp firmware/*/*.hpp \
  firmware/*/*/*.hpp boards/host/*.hpp)) $(wildcard firmware/mpi/*.h firmware/fiber/*/*.h)
$(BUILD)/host/stamp.inc: FORCE
	@$(call write_if_new,echo "\"$$(cat $(CALL_TABLES) $(filter-out \
	  %/hal/conform.hpp,$(HEADERS)) | sha256sum | cut -c1-12)\"")
$(BUILD)/%/program.stamp: $(BUILD)/host/stamp.inc
	@mkdir -p $(@D); echo "$* $$(tr -d '"' <$<)" >$@

# Made of the tables of MPI's calls: a header for programs, and the entry points of the calls.
CALLS := $(BUILD)/calls/made
$(CALLS): firmware/mpi/calls.py $(CALL_TABLES) firmware/mpi/call_notes.py
	@mkdir -p $(@D)
	@$(PYTHON) $(filter-out %/call_notes.py,$^) $(@D)
$(BUILD)/calls/%.h: $(CALLS)
	@:
$(BUILD)/calls/doors/%.inc: $(CALLS)
	@:

# ---- the part for the simulation -----------------------------------------------------------------
# Loaded by the host tool, once for all nodes.
PROGRAM_FLAGS := -fPIC -fno-builtin -fno-gnu-unique
# clang++ makes no unique names, and knows no word for that.
MADE_PROGRAM_FLAGS := $(filter-out $(if $(findstring clang,$(CXX)),-fno-gnu-unique),\
  $(PROGRAM_FLAGS))
PROGRAM_LDFLAGS := -shared -Wl,-Bsymbolic,-z,relro,-z,now
define simulated_rules
$(BUILD)/host/obj/$(1)/%.o: $(1)/%.cpp $(BUILD)/host/flags firmware/libc/names.mk | \
    $(BUILD)/host/stamp.inc $(CALLS)
	$$(call say,CXX,$$@)
	@mkdir -p $$(@D)
	$(Q)$(CXX) $(FROM_HERE) $(CXXFLAGS) $(HOST_FLAGS) $(MADE_PROGRAM_FLAGS) -I$(BUILD)/calls \
	  -c $$< -o $$@
	$(Q)$(APP_OUTPUT) $$@
endef
$(foreach f,firmware/apps tests/mesh/apps firmware/libc/state \
  firmware/fiber firmware/mpi,$(eval $(call simulated_rules,$f)))
# Named one by one, like all that has a part: what make takes for a mere step on the way it does
# not make again where it is gone.
$(patsubst %.cpp,$(BUILD)/host/obj/%.sim,$(APP_SOURCES) $(HOST_PROBES)): %.sim: %.o \
  $(BUILD)/host/guard.o $(BUILD)/host/libstate.a
	$(Q)$(CXX) $(PROGRAM_LDFLAGS) $^ -o $@
# Each program has its own of what these functions keep, as it has on a board. Those of fiber/ and
# mpi/ are linked if it has a main().
# Of functions of one name the linker takes the first: those that take the place of weak ones in
# mpi/environment/outlived.cpp come last.
IN_PLACE := $(addprefix firmware/mpi/environment/,failures.cpp sessions.cpp)
STATE_SOURCES := $(filter-out $(IN_PLACE),$(sort $(wildcard firmware/libc/state/*.cpp \
  firmware/fiber/*.cpp firmware/mpi/*/*.cpp))) $(IN_PLACE)
$(foreach b,$(BOARDS),$(eval $(BUILD)/$b/libmesh.a: $(call target_objects,$b,$(STATE_SOURCES))))
$(BUILD)/host/libstate.a: $(STATE_SOURCES:%.cpp=$(BUILD)/host/obj/%.o)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)rm -f $@; ar rcs $@ $^

# Where the code of a program ends and that of the library begins, and pages between the globals of
# both, which nobody may touch (host-tools/mesh/programs/loaded_program.cpp).
$(BUILD)/host/guard.o: firmware/programs.mk
	@mkdir -p $(@D)
	$(Q)printf '%s\n' '.section .note.GNU-stack' .text '.globl mesh_library' mesh_library: \
	  .bss '.balign 4096' '.globl mesh_guard' '.globl mesh_guard_end' mesh_guard: '.zero 262144' \
	  mesh_guard_end: | as -o $@ -

# $(1): board, $(2): source; the files that its image carries in sections of their suffixes
carried = $(BUILD)/$(1)/program.stamp \
  $(patsubst %.cpp,$(BUILD)/host/obj/%.sim,$(filter $(2),$(APP_SOURCES) $(HOST_PROBES)))

# ---- the toolkit ---------------------------------------------------------------------------------
# Warnings for a user's program. In C++ some are errors, for what is never intended: a Status
# that is ignored, or an operation that is not awaited (one in a variable, which is unused then, is
# found by host-tools/mesh/programs/never_awaited.cpp). Whatever `mpicc` builds is built.
USER_WARNINGS := -Wall -Wextra -Wshadow -Wno-unused-parameter
USER_ERRORS := -Werror=unused-result -Werror=return-type -Werror=format
# Checks in a user's program while it runs: of division by zero, which the compiler would otherwise
# assume away; of indexes, in arrays and in the C++ library's containers; in a simulation also of
# alignment, which only some targets need, and of pointers into an object that the compiler sees.
# The other flags keep a line of its own for each check, and keep endless loops endless.
user_checks = -D_GLIBCXX_ASSERTIONS -fsanitize=integer-divide-by-zero,bounds$(1) \
  -fno-sanitize-recover=all \
  -fno-crossjumping -fno-tree-tail-merge -fno-finite-loops
CXX_ONLY := -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit
# $(1): prefix of the tools, $(2): place; the variables that begin with it have the words.
define program_json
{"cxx": "$(1)g++", "cc": "$(1)gcc", "objcopy": "$(1)objcopy", "objdump": "$(1)objdump",
 "compile": "$(strip $($(2)_COMPILE) $(USER_WARNINGS) $(call user_checks,$($(2)_CHECKED)) \
   -ffp-contract=off -isystem @/include -isystem @/include/mpi \
   -isystem @/calls -isystem @/include/fiber/include)",
 "compile_cxx": "$(strip -std=c++20 $(USER_ERRORS) -Wno-mismatched-new-delete \
   $($(2)_COMPILE_CXX))",
 "renamed": "$(strip $($(2)_RENAMED))",
 "link": "$(strip $($(2)_LINK))",
 "traced": "$(strip $($(2)_TRACED))",
 "libraries": "$(strip $($(2)_LIBRARIES))"}
endef
# With what the compiler knows of C's functions it checks the words of printf(). A function looks
# before its end whether its frame was written over, and a large frame touches each page of it.
# A call at the end of a function returns to it, and two functions that do the same stay two, so
# that lines are right. Coroutines need the jump at the end.
host_COMPILE := -O2 -g -fno-optimize-sibling-calls -fno-ipa-icf \
  -fstack-protector-strong -fstack-clash-protection \
  $(filter-out -fno-builtin,$(PROGRAM_FLAGS))
host_COMPILE_CXX := -foptimize-sibling-calls -fno-exceptions -fno-rtti -fno-threadsafe-statics
host_CHECKED := ,alignment,object-size
host_RENAMED := $(APP_RENAMED)
host_LINK := $(PROGRAM_LDFLAGS)
host_LIBRARIES := @/host/guard.o @/host/libstate.a
# $(1): prefix of the tools, $(2): place. The words are too many for a shell.
THIS_MAKE := $(shell echo $$PPID)
define write_program_json
$(if $(strip $(DRY_RUN)),,$(shell mkdir -p $(@D))$(file >$@.by-$(THIS_MAKE),$(program_json)))
@$(call write_if_new,cat $@.by-$(THIS_MAKE)) && rm $@.by-$(THIS_MAKE)
endef
$(BUILD)/host/program.json: Makefile firmware/programs.mk
	$(call write_program_json,,host)
define toolkit_rules
$(1)_COMPILE := $(filter-out $(CXX_ONLY) -fstack-usage,$(TARGET_FLAGS)) $($(1)_CPU_FLAGS)
$(1)_COMPILE_CXX := $(filter $(CXX_ONLY),$(TARGET_FLAGS))
$(1)_LINK := $($(1)_CPU_FLAGS) \
  $(subst -Llinker,-L@/linker,$(filter-out -fstack-usage,$(TARGET_LDFLAGS))) \
  -T @/$($(1)_LDSCRIPT) -Wl,--whole-archive @/$(1)/libboard.a -Wl,--no-whole-archive
$(1)_LIBRARIES := @/$(1)/libmesh.a $($(1)_LDFLAGS)
$(1)_TRACED := @/$(1)/libtrace.a
$(BUILD)/$(1)/program.json: Makefile firmware/programs.mk boards/$(1)/board.mk
	$$(call write_program_json,$(CROSS),$(1))
$(BUILD)/$(1)/libboard.a: $(filter-out %.a,$($(1)_SYSTEM))
	$$(call say,AR,$$@)
	@rm -f $$@
	$(Q)rm -f $$@; $(CROSS)gcc-ar rcs $$@ $$^
# A scheduler in place of that in libmesh.a, which tells what processes do.
$(BUILD)/$(1)/obj/traced/%.o: firmware/kernel/processes/%.cpp $(BUILD)/$(1)/standard.hpp.gch
	$$(call cross_compile,$(1),-DMESH_TRACES_PROCESSES=1)
$(BUILD)/$(1)/libtrace.a: $(BUILD)/$(1)/obj/traced/scheduler.o
	@rm -f $$@
	$(Q)rm -f $$@; $(CROSS)gcc-ar rcs $$@ $$^
endef
$(foreach b,$(BOARDS),$(eval $(call toolkit_rules,$b)))
# Further files of build/BOARD/relay/ and, if the board has a loader, build/BOARD/loaded/.
# $(1): board, $(2): relay or loaded
define kind_toolkit_rules
$(1)/$(2)_COMPILE = $$($(1)_COMPILE)
$(1)/$(2)_COMPILE_CXX = $$($(1)_COMPILE_CXX)
$(1)/$(2)_LINK = $$(subst @/$(1)/libboard.a,@/$(1)/relay/libboard.a,$$($(1)_LINK))
$(1)/$(2)_LIBRARIES = @/$(1)/libmesh.a $$($(1)/$(2)_LDFLAGS)
$(1)/$(2)_TRACED = $$($(1)_TRACED)
$(BUILD)/$(1)/$(2)/program.json: Makefile firmware/programs.mk boards/$(1)/board.mk
	$$(call write_program_json,$(CROSS),$(1)/$(2))
endef
define relay_library_rules
$(BUILD)/$(1)/relay/libboard.a: $(filter-out %.a,$($(1)/relay_SYSTEM))
	$$(call say,AR,$$@)
	@rm -f $$@
	$(Q)rm -f $$@; $(CROSS)gcc-ar rcs $$@ $$^
endef
kinds_of = relay $(if $($(1)_LOADER),loaded)
$(foreach b,$(BOARDS),$(foreach k,$(call kinds_of,$b),$(eval $(call kind_toolkit_rules,$b,$k))))
$(foreach b,$(BOARDS),$(eval $(call relay_library_rules,$b)))
# The names of apps, and the first sentence of each, which is to be in its first line.
$(BUILD)/apps.txt: firmware/apps $(APP_SOURCES) firmware/programs.mk
	@mkdir -p $(@D)
	@for app in $(APPS); do \
	  echo "$$app $$(sed -n '1s,^// [a-z_]*: \([^.]*\)\..*,\1,p' firmware/apps/$$app.cpp)"; done >$@
# The boards, the default first, and what the first lines of their board.mk say of them.
$(BUILD)/boards.txt: Makefile $(BOARDS:%=boards/%/board.mk) firmware/programs.mk
	@mkdir -p $(@D)
	@for board in $(BOARDS); do echo "$$board $$(sed -n '1s,^# ,,p' boards/$$board/board.mk)"; done >$@
$(BOARDS:%=$(BUILD)/%/board.json): $(BUILD)/%/board.json: boards/%/board.json
	@install -Dm644 $< $@
$(BUILD)/include $(BUILD)/linker $(BUILD)/labs:
	@mkdir -p $(@D); ln -sfn ../$(subst include,firmware,$(@F:labs=firmware/labs)) $@
$(BUILD)/waits.py: host-tools/mesh/engines/waits.py
	@install -Dm644 $< $@
# The files that `make install` copies, and links to those that it has in another way.
TOOLKIT_WORDS := $(BUILD)/apps.txt $(BUILD)/boards.txt $(BUILD)/host/program.json \
  $(BUILD)/host/guard.o $(BUILD)/host/libstate.a $(BUILD)/calls/mpi_calls.h \
  $(BUILD)/calls/mpi_buffers.h $(BUILD)/include $(BUILD)/linker $(BUILD)/labs $(BUILD)/waits.py \
  $(foreach b,$(BOARDS),$(patsubst %,$(BUILD)/$b/%,program.json program.stamp board.json \
  $(foreach k,$(call kinds_of,$b),$k/program.json $k/program.stamp)))
BOARD_LIBRARIES := libboard.a libmesh.a libtrace.a
TOOLKIT_LIBRARIES := $(foreach b,$(MADE_BOARDS),$(patsubst %,$(BUILD)/$b/%,$(BOARD_LIBRARIES) \
  relay/libboard.a))
TOOLKIT_FILES := $(filter-out %/include %/linker %/labs,$(TOOLKIT_WORDS)) $(TOOLKIT_LIBRARIES)
.PHONY: toolkit
toolkit: $(TOOLKIT_WORDS) $(TOOLKIT_LIBRARIES)
$(MESH): | $(TOOLKIT_WORDS)
