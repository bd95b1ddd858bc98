# meshputer: `make help` lists the targets. Everything lands in $(BUILD); sources are found by
# folder, so a new file needs no line here.
MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

BUILD ?= build
CXX := g++
CLANGXX := clang++
CROSS := arm-none-eabi-
PYTHON := /usr/bin/python3
JOBS ?= $(shell nproc)
V ?= 0
ifeq ($(V),0)
say = @printf '  %-6s %s\n' $(1) $(2)
Q := @
endif

# A compiler newer than these sources may warn of what no other warns of; only tests stop there.
# No object depends on it: those of `make` are those of `make test`. At -O0 g++ takes what frees a
# coroutine's frame for another's.
WERROR ?=
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wundef -Wswitch-enum -Wold-style-cast \
  -Wno-mismatched-new-delete $(WERROR)
# No fused multiply-add anywhere: floating point has the same bits on every engine.
CXXFLAGS := -std=c++20 $(WARNINGS) -ffp-contract=off -Ifirmware -I. -MMD -MP
# EXTRA_CXXFLAGS='-O0 -std=c++23' are a user's, for the host tool.
HOST_FLAGS := -O2 -g1 -I$(BUILD)/host -pthread $(EXTRA_CXXFLAGS)
# Tests and fuzzers share one tree of objects; without fuzzer-no-link a fuzzer would be blind. They
# align what DMA reads and writes as a board with a data cache does.
ASAN_FLAGS := -O1 -g1 -I$(BUILD)/host -pthread -fsanitize=fuzzer-no-link,address,undefined \
  -fno-sanitize=function -fno-sanitize-recover=all -fno-omit-frame-pointer \
  -D_GLIBCXX_ASSERTIONS -DMESH_DMA_ALIGN=32 -Wno-sign-conversion
HOST_LIBS := -lfmt -lz -pthread -Wl,-u,mesh_network_cube,-u,mesh_network_uhc,-u,mesh_network_star
# On the host the program of an op is one function among others.
app_flags = -Dapp_main=app_main_$(1) -fno-builtin
include firmware/libc/names.mk

# ---- sources -------------------------------------------------------------------------------------
APPS := $(basename $(notdir $(wildcard firmware/apps/*.cpp)))
OPS := $(basename $(notdir $(wildcard firmware/ops/*.cpp)))
PORTABLE_SOURCES := $(wildcard firmware/core/*.cpp firmware/wire/*.cpp firmware/kernel/*/*.cpp \
  firmware/kernel/base/networks/*.cpp firmware/collectives/*.cpp firmware/library/*.cpp \
  firmware/onecable/*.cpp firmware/libc/*.cpp)
# What an image can be a node of; `make NETWORKS=cube` makes smaller ones.
NETWORKS ?= cube uhc star
LINK_NETWORKS := $(NETWORKS:%=-Wl,-u,mesh_network_%)
APP_SOURCES := $(APPS:%=firmware/apps/%.cpp)
OP_SOURCES := $(OPS:%=firmware/ops/%.cpp)
HOST_SOURCES := $(PORTABLE_SOURCES) $(wildcard boards/host/*.cpp firmware/c/*.cpp boards/c/*.cpp \
  host-tools/mesh/*.cpp host-tools/mesh/*/*.cpp)
MAIN_SOURCE := host-tools/mesh/main.cpp
# Programs that whole-run tests and benchmarks load, as a user would load one of his own; some that
# use what only a board has are for it alone.
PROBE_APPS := $(wildcard tests/mesh/apps/*.cpp tests/bench/apps/*.cpp)
HOST_PROBES := $(filter-out %/semihosting.cpp %/computes.cpp %/windows.cpp %/uart.cpp,$(wildcard \
  tests/mesh/apps/*.cpp))
LIBRARY_SOURCES := $(filter-out $(MAIN_SOURCE),$(HOST_SOURCES)) $(OP_SOURCES)
# The first board is the one that is meant where none is named.
DEFAULT_BOARD := mps2-an505
BOARDS := $(DEFAULT_BOARD) $(filter-out $(DEFAULT_BOARD),$(patsubst boards/%/board.mk,%,$(wildcard \
  boards/*/board.mk)))
# BOARD= limits what is made and tested to one; what was made for others stays.
ifneq ($(filter-out $(BOARDS),$(BOARD)),)
$(error there is no board '$(BOARD)', only: $(BOARDS))
endif
MADE_BOARDS := $(or $(BOARD),$(BOARDS))
TEST_FOLDERS := core wire libc kernel host
FUZZERS := $(basename $(notdir $(wildcard tests/verify/fuzz/*.cpp)))
BENCHES := $(basename $(notdir $(wildcard tests/bench/*.cpp)))
PAPER_PROGRAMS := $(patsubst tests/bench/paper/%.cpp,$(BUILD)/host/paper/%,$(wildcard \
  tests/bench/paper/*.cpp))

# ---- the host tool -------------------------------------------------------------------------------
MESH := $(BUILD)/host/mesh
host_objects = $(patsubst %.cpp,$(BUILD)/$(1)/obj/%.o,$(2))
# $(1): further flags
define link_host
$(call say,LINK,$@)
@mkdir -p $(@D)
$(Q)$(CXX) $(HOST_FLAGS) $^ $(1) $(HOST_LIBS) -o $@
endef
# $(1): prints the target, which stays as it is, like what is made of it, if there is nothing new.
# Two runs of make in one folder do not meet.
write_if_new = mkdir -p $(@D); $(1) >$@.$$$$; cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@
.PHONY: FORCE
# Objects are made anew if their flags are others than those that build/KIND/flags tells, and not
# because a line of the Makefile is. A warning that is an error makes no other object.
# $(1): object folder; the variable with the words is $(1)_WORDS
define flags_rule
$(BUILD)/$(1)/flags: FORCE
	@$$(call write_if_new,echo '$$(filter-out -Werror,$$($(1)_WORDS))')

endef
# The compiler gets all sources of a folder as one text, and so reads their headers once: a build
# from nothing takes a third of the time. Who works on a folder takes BATCH=no: each file alone.
BATCH ?= yes
# Debug information names files from here on: a folder may be moved. Not among the flags, so that
# nothing is made anew then. A compiler names the folder as PWD does, which may be a link to it.
export PWD := $(CURDIR)
FROM_HERE := -fdebug-prefix-map='$(subst ','\'',$(CURDIR))=.'
# Sources that are compiled with names of their own.
ALONE := firmware/apps/% firmware/ops/% firmware/libc/%
# g++ warns of a file's own types where a file is not the whole text; clang++ of that word.
BATCH_FLAGS_host := -Wno-subobject-linkage -Wno-unknown-warning-option
batched = $(if $(filter yes,$(BATCH)),$(filter-out $(ALONE),$(1)))
folders_of = $(patsubst %/,%,$(sort $(dir $(1))))
# $(1): object folder, $(2): sources
objects_of = $(call host_objects,$(1),$(filter-out $(call batched,$(2)),$(2))) \
  $(patsubst %,$(BUILD)/$(1)/batch/%.o,$(call folders_of,$(call batched,$(2))))

BATCHES := $(patsubst %,$(BUILD)/batch/%.cpp,$(call folders_of,$(call batched,$(HOST_SOURCES) \
  $(TEST_FOLDERS:%=tests/%/))))
$(BATCHES): $(BUILD)/batch/%.cpp: FORCE
	@$(call write_if_new,printf '#include "%s"\n' $(filter-out $(ALONE),$(wildcard $*/*.cpp)))

.PHONY: all
all: $(MESH) images ## the host tool (CXX= EXTRA_CXXFLAGS=) and images of all boards or of BOARD=

# The page of a report as strings of its view.
PAGE := $(wildcard host-tools/mesh/views/page/*)
$(BUILD)/host/page.inc: $(PAGE) Makefile
	@mkdir -p $(@D)
	@for f in $(PAGE); do printf '{"%s", R"page(' $${f##*/}; cat $$f; echo ')page"},'; done >$@

# What is generated before anything of the host tool is compiled.
GENERATED := $(BUILD)/host/stamp.inc $(BUILD)/host/page.inc $(BUILD)/calls/made

# $(1): object folder, $(2): compiler, $(3): flags, $(4): folder of programs
define program_rules
$(BUILD)/$(1)/obj/$(4)/%.o: $(4)/%.cpp $(BUILD)/$(1)/flags firmware/libc/names.mk | $(GENERATED)
	$$(call say,CXX,$$@)
	@mkdir -p $$(@D)
	$(Q)$(2) $(FROM_HERE) $(CXXFLAGS) $(3) $$(call app_flags,$$*) -c $$< -o $$@
	$(Q)$(APP_OUTPUT) $$@

endef

# $(1): object folder, $(2): compiler, $(3): flags, $(4): sources of its library
define host_rules
$(1)_WORDS = $(2) $(CXXFLAGS) $(3) $(BATCH_FLAGS_$(1)) $$(PROGRAM_FLAGS)
$(call flags_rule,$(1))
$(foreach f,firmware/ops firmware/libc,$(call program_rules,$(1),$(2),$(3),$f))
$(BUILD)/$(1)/obj/%.o: %.cpp $(BUILD)/$(1)/flags | $(GENERATED)
	$$(call say,CXX,$$@)
	@mkdir -p $$(@D)
	$(Q)$(2) $(FROM_HERE) $(CXXFLAGS) $(3) $$(OWN_FLAGS) -c $$< -o $$@
$(BUILD)/$(1)/batch/%.o: $(BUILD)/batch/%.cpp $(BUILD)/$(1)/flags | $(GENERATED)
	$$(call say,CXX,$$@)
	@mkdir -p $$(@D)
	$(Q)$(2) $(FROM_HERE) $(CXXFLAGS) $(3) $(BATCH_FLAGS_$(1)) $$(OWN_FLAGS) -c $$< -o $$@
$(BUILD)/$(1)/libmesh.a: $(call objects_of,$(1),$(4))
	$$(call say,AR,$$@)
	@rm -f $$@
	$(Q)rm -f $$@; ar rcs $$@ $$^
endef
$(eval $(call host_rules,host,$(CXX),$(HOST_FLAGS),$(LIBRARY_SOURCES)))
$(eval $(call host_rules,asan,$(CLANGXX),$(ASAN_FLAGS),$(filter-out $(foreach \
  f,series course commands,host-tools/mesh/$f/%),$(LIBRARY_SOURCES))))

# Programs are loaded while it runs, and find the whole library in it.
$(MESH): $(call host_objects,host,$(MAIN_SOURCE)) $(call objects_of,host,$(PORTABLE_SOURCES)) \
  $(BUILD)/host/libmesh.a
	$(call link_host,-rdynamic)
include host-tools/template/template.mk
include host-tools/mpi/mpi.mk

# ---- images --------------------------------------------------------------------------------------
# boards/BOARD/board.mk sets CPU_FLAGS and LDSCRIPT, and may set SHARED (folders beside its own that
# it is made of), BOARD_LDFLAGS, LOADER (boards/loader), IMAGES and SUITES (those of firmware/ops
# and apps, and of tests/target, that are made without being asked for, in place of all and of the
# apps of tests), PROBES (images of tests/target and tests/bench for it alone) and the budgets
# FLASH_BUDGET, RAM_BUDGET (bytes, kernel without app) and STACK_BUDGET (bytes, one function).
# Some cross compilers bring a <stdint.h> of their own, which does not define the names by which
# newlib's <inttypes.h> knows that it must define PRId64 and its like.
HAS_INT64 := -D__int64_t_defined -D__int_least64_t_defined -D__int_fast64_t_defined
TARGET_FLAGS := -Os -g -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti \
  -fno-threadsafe-statics -fno-use-cxa-atexit -fno-unwind-tables -fno-asynchronous-unwind-tables \
  -fno-common -fno-jump-tables -fstack-usage -Wno-psabi $(HAS_INT64)
# The kernel and the collectives are compiled once more when an image is linked, as a whole: what is
# called from one place, or with one value, is no function then. Not so what others know by its name
# or place: tables of networks, the board, the program. The objects have their code as well, for who
# looks into one.
WHOLE := firmware/wire/% firmware/kernel/% firmware/collectives/% boards/%/node.cpp
# Its loops are short: what the compiler takes out of them, or counts in their place, is more code.
WHOLE_FLAGS := -flto -ffat-lto-objects -fno-ivopts -fno-tree-loop-im
# Combiners need functions of floating point that boards/cortex-m/called.cpp does not name.
NOT_WHOLE := firmware/kernel/base/networks/% firmware/collectives/combiners.cpp
whole_flags = $(if $(filter $(WHOLE),$(filter-out $(NOT_WHOLE),$(1))),$(WHOLE_FLAGS))
# There are no pages: a linker that counts with them may load the file's head, too, in front of an
# image that begins behind its loader.
TARGET_LDFLAGS := $(TARGET_FLAGS) -flto -flto-partition=one \
  -nostartfiles --specs=nano.specs -Llinker -Wl,--gc-sections $(LINK_NETWORKS) \
  -Wl,--nmagic -Wl,--print-memory-usage -Wl,--orphan-handling=error -Wl,--fatal-warnings

TARGET_TESTS := $(patsubst tests/target/%.cpp,test_%,$(wildcard tests/target/*.cpp))
ALL_PROBE_APPS := $(patsubst %.cpp,app_%,$(notdir $(PROBE_APPS)))

IMAGE_LDFLAGS = $(TARGET_LDFLAGS)
# Images that nobody ships, tests, have what is compiled as a whole compiled once a board, which is
# nine tenths of a link; it is some more code then.
PARTIAL_LDFLAGS := -fno-lto $(filter-out -flto%,$(TARGET_LDFLAGS))
# $(1): objects of an image
with_whole = $(patsubst %/libmesh.a,%/whole.o,$(filter %/libmesh.a,$(1))) $(1)

.PHONY: images
# $(1): board, $(2): image, $(3): its own objects, $(4): files to add as ELF sections
define image_rules
$(BUILD)/$(1)/$(2).elf: $(3) $(4) $$($(1)_LDSCRIPT) $(wildcard linker/*.ld)
	$$(call say,LINK,$$@)
	$(Q)$(CROSS)g++ $$($(1)_CPU_FLAGS) $$(IMAGE_LDFLAGS) $(FROM_HERE) -T $$($(1)_LDSCRIPT) \
	  -Wl,-Map=$$(@:.elf=.map) $(3) $$($(1)_LDFLAGS) -o $$@ >$$@.memory
	$(Q)[ $(V) = 0 ] || cat $$@.memory
	$(if $(4),$(Q)$(CROSS)objcopy $(foreach f,$(4),--add-section .mesh$(suffix $f)=$f) $$@)
endef

# Half of a compiler's time goes to the headers of the C++ library that most sources include. It
# reads them once a board for folders of many sources, which find there what they forgot to include.
# What is compiled as a whole would become some bytes larger by it.
STANDARD_HEADERS := algorithm array bit concepts coroutine cstddef cstdint cstring new optional \
  ranges span string_view tuple type_traits utility
standard_flags = $(if $(filter firmware/mpi/% firmware/fiber/% tests/%,$(2)),\
  -include $(BUILD)/$(1)/standard.hpp -I$(BUILD)/calls)
cross_flags = $(CXXFLAGS) $(TARGET_FLAGS) $($(1)_CPU_FLAGS)
# $(1): board, $(2): further flags
define cross_compile
$(call say,CROSS,$@)
@mkdir -p $(@D)
$(Q)$(CROSS)g++ $(cross_flags) $(FROM_HERE) $(call standard_flags,$(1),$<) \
  $(2) $($(1)_FOLDERS:%=-I%) -c $< -o $@
endef

define board_rules
CPU_FLAGS :=
LDSCRIPT :=
SHARED :=
BOARD_LDFLAGS :=
PROBES :=
LOADER :=
IMAGES := $(OPS) $(APPS)
SUITES := $(TARGET_TESTS) $(ALL_PROBE_APPS)
include boards/$(1)/board.mk
$(1)_CPU_FLAGS := $$(CPU_FLAGS)
FIRST$$(call same_flags,$$(CPU_FLAGS)) ?= $(1)
$(1)_PORTED_BY := $$(FIRST$$(call same_flags,$$(CPU_FLAGS)))
$(1)_LDSCRIPT := $$(LDSCRIPT)
$(1)_LDFLAGS := $$(BOARD_LDFLAGS)
$(1)_PROBES := $$(PROBES)
$(1)_LOADER := $$(LOADER)
$(1)_IMAGES := $$(IMAGES)
$(1)_SUITES := $$(SUITES)
$(1)_FOLDERS := boards/$(1) $$(SHARED)
$(1)_SOURCES := $$(wildcard $$($(1)_FOLDERS:%=%/*.cpp))
$(1)_DRIVER := $$(call target_objects,$(1),$$(filter-out %/main.cpp,$$($(1)_SOURCES)))
$(1)_PORTABLE := $(BUILD)/$(1)/libmesh.a
$(BUILD)/$(1)/libmesh.a: $$(call target_objects,$(1),$(PORTABLE_SOURCES))
	$$(call say,AR,$$@)
	@rm -f $$@
	$(Q)rm -f $$@; $(CROSS)gcc-ar rcs $$@ $$^
$(BUILD)/$(1)/whole.o: $$(call target_objects,$(1),$$(filter-out $(NOT_WHOLE),$$(filter \
  $(WHOLE),$(PORTABLE_SOURCES))))
	$$(call say,LINK,$$@)
	$(Q)$(CROSS)g++ $$($(1)_CPU_FLAGS) $(TARGET_FLAGS) $(FROM_HERE) $(WHOLE_FLAGS) \
	  -flto-partition=one -nostdlib -r -flinker-output=nolto-rel $$^ -o $$@
$(1)_SYSTEM := $$(call target_objects,$(1),$$(filter %/main.cpp,$$($(1)_SOURCES))) \
  $$($(1)_DRIVER) $$($(1)_PORTABLE)
$(BUILD)/$(1)/standard.hpp.gch: $(BUILD)/$(1)/standard.hpp $(BUILD)/$(1)/flags
	$$(call say,CROSS,$$@)
	$(Q)$(CROSS)g++ $$(call cross_flags,$(1)) $(FROM_HERE) -x c++-header $$< -o $$@
$(1)_WORDS = $(CROSS)g++ $$(call cross_flags,$(1)) $(WHOLE_FLAGS) $$($(1)_FOLDERS)
$(call flags_rule,$(1))
$(BUILD)/$(1)/standard.hpp: FORCE
	@$$(call write_if_new,printf '#include <%s>\n' $(STANDARD_HEADERS))
$(BUILD)/$(1)/obj/%.o: %.cpp $(BUILD)/$(1)/standard.hpp.gch | $(BUILD)/calls/made
	$$(call cross_compile,$(1),$$(call whole_flags,$$<))
endef
# Of firmware/, which knows no board, the objects of the first board with the same flags.
target_objects = $(foreach s,$(2),$(BUILD)/$(if $(filter \
  firmware/%,$s),$($(1)_PORTED_BY),$(1))/obj/$(s:.cpp=.o))
same_flags = $(subst =,,$(subst $(eval) ,,$(1)))
$(foreach b,$(BOARDS),$(eval $(call board_rules,$b)))
include boards/onecable/onecable.mk
include firmware/programs.mk
$(foreach b,$(BOARDS),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval $(call \
  image_rules,$b,$(basename $(notdir $a)),$(call target_objects,$b,$a) $($b_SYSTEM),$(call \
  carried,$b,$a)))))
$(foreach b,$(BOARDS),$(foreach a,$(PROBE_APPS),$(eval $(call image_rules,$b,app_$(basename \
  $(notdir $a)),$(call with_whole,$(call target_objects,$b,$a) $($b_SYSTEM)),$(call \
  carried,$b,$a)))))
$(foreach b,$(BOARDS),$(foreach a,$(OP_SOURCES) $(APP_SOURCES),$(eval $(call \
  image_rules,$b/relay,$(basename $(notdir $a)),$(call target_objects,$b,$a) \
  $($b/relay_SYSTEM),$(call carried,$b/relay,$a)))))
CRASH := tests/mesh/apps/crash.cpp
$(foreach b,$(BOARDS),$(eval $(call image_rules,$b/relay,app_crash,\
  $(call target_objects,$b,$(CRASH)) $($b/relay_SYSTEM),$(call carried,$b/relay,$(CRASH)))))
include boards/loader/loader.mk
include boards/onecable/alone.mk
# Images with a main() of their own: suites that run on the target, and a board's own, which a
# driver talks to or which count instructions.
$(foreach b,$(BOARDS),$(foreach t,$(TARGET_TESTS),$(eval $(call image_rules,$b,$t,\
  $(call with_whole,$(call target_objects,$b,$(t:test_%=tests/target/%.cpp)) $($b_DRIVER) \
  $($b_PORTABLE))))))
$(foreach b,$(BOARDS),$(ALL_PROBE_APPS:%=$(BUILD)/$b/%.elf) $(TARGET_TESTS:%=$(BUILD)/$b/%.elf)): \
  IMAGE_LDFLAGS = $(PARTIAL_LDFLAGS)
$(foreach b,$(BOARDS),$(foreach p,$($b_PROBES),$(eval $(call image_rules,$b,$(notdir $p),\
  $(call target_objects,$b,$(wildcard $p/*.cpp)$(wildcard $p.cpp)) $($b_DRIVER) $($b_PORTABLE)))))

include tests/conform/conform.mk tests/programs.mk

# Made without being asked for: those of the ops, and one to begin with.
RELAYED := $(OPS:%=relay/%) relay/hello
# $(1): board
made_images = $($(1)_IMAGES) $(if $(filter job,$($(1)_IMAGES)),$(RELAYED),relay/hello) \
  $(if $($(1)_LOADER),loader/loader loaded/hello)
images: toolkit $(foreach b,$(MADE_BOARDS),$(patsubst %,$(BUILD)/$b/%.elf,$(call made_images,$b)))
# $(1): board
images_in = $(patsubst %,$(BUILD)/$(1)/%.elf,$(2))
has_job = $(filter job,$($(1)_IMAGES))
# Those of the default board are all in `make test`; of the others, what is made for them alone.
more_images = $(if $(has_job),conform readme)
test_images = $(call images_in,$(1),$($(1)_SUITES) $(notdir $($(1)_PROBES)) \
  $(if $(has_job),relay/app_crash relay/phoenix) \
  $(if $(filter $(DEFAULT_BOARD),$(1)),$(more_images)))
TEST_IMAGES := $(foreach b,$(MADE_BOARDS),$(call test_images,$b))
TEST_ALL_IMAGES := $(TEST_IMAGES) \
  $(foreach b,$(MADE_BOARDS),$(call images_in,$b,$(call more_images,$b))) \
  $(if $(filter $(FAULTY_BOARD),$(MADE_BOARDS)),$(FAULTY_IMAGES))

# ---- packages ------------------------------------------------------------------------------------
RUN_PACKAGES := g++ zlib1g-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev \
  qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib \
  python3
TEST_PACKAGES = git libgtest-dev clang clang-format clang-tidy libclang-rt-dev \
  python3-pytest python3-pytest-timeout python3-pytest-xdist gnuplot-nox tshark patch nodejs \
  gdb-multiarch node-jsdom $(INSTALL_PACKAGES)

.PHONY: deps run-deps
deps: run-deps ## install the Debian packages that are missing, for all targets
	@tests/tools/packages.sh $(TEST_PACKAGES)
run-deps: ## install those that are missing to build and run
	@tests/tools/packages.sh $(RUN_PACKAGES)

# ---- the main job --------------------------------------------------------------------------------
ENGINE ?= qemu
TOPOLOGY ?= cube
DIM ?= 4
OP ?= bcast
FILE ?= LICENSE
PACKET ?= 256
# The images of the ops, and what a program of the user's own is linked with next. A run of other
# words, as `--app`, may need anything.
RUN_IMAGES = $(addprefix $(BUILD)/$(or $(BOARD),$(DEFAULT_BOARD))/,$(OPS:%=%.elf) \
  $(BOARD_LIBRARIES))
RUN_NEEDS = $(if $(findstring --,$(ARGS)),all,$(MESH) $(if $(filter qemu,$(ENGINE)),$(RUN_IMAGES)))
RUN_FLAGS = $(if $(BOARD),--board $(BOARD)) --engine $(ENGINE) --topology $(TOPOLOGY) \
  --dim $(DIM) --op $(OP) \
  $(if $(TREE),--tree $(TREE)) \
  $(if $(filter bcast,$(OP)),--packet $(PACKET) $(if $(FILE),--input '$(FILE)')) \
  $(if $(ROOT),--root $(ROOT)) $(if $(PORTS),--ports $(PORTS)) \
  $(if $(FAULTS),--faults '$(FAULTS)') $(if $(SEED),--seed $(SEED)) $(ARGS)

.PHONY: run
run: run-deps ## bcast FILE=; TOPOLOGY DIM ENGINE BOARD OP TREE ROOT PORTS FAULTS SEED PACKET ARGS
	@$(MAKE) -j$(JOBS) $(RUN_NEEDS)
	$(MESH) run $(RUN_FLAGS)

# ---- tests ---------------------------------------------------------------------------------------
include tests/host.mk

TEST_PROGRAMS := $(TEST_FOLDERS:%=$(BUILD)/host/tests/%) $(FUZZERS:%=$(BUILD)/host/fuzz/%) \
  $(SOAK) $(EXPLORE) $(EXPLORE_NODES) $(CONFORM) $(MADE_PROGRAMS)
TEST_ALL_PROGRAMS := $(TEST_PROGRAMS) $(TEST_FOLDERS:%=$(BUILD)/asan/tests/%) \
  $(FUZZERS:%=$(BUILD)/fuzz/%) $(PAPER_PROGRAMS) $(BENCHES:%=$(BUILD)/host/bench/%)
# tests/tools/surroundings.py does for the cases what must be done here for pytest itself.
PYTEST = env -u PYTEST_ADDOPTS -u PYTHONPATH PYTHONUTF8=1 BUILD=$(BUILD) \
  $(PYTHON) -m pytest -q --color=no --strict-markers
.PHONY: test-images test-all-images test-programs test-all-programs
test-images: all $(TEST_IMAGES)
test-all-images: all $(TEST_ALL_IMAGES)
test-programs: test-images $(TEST_PROGRAMS) compile_commands.json ## what `make test` runs
test-all-programs: test-programs test-all-images $(TEST_ALL_PROGRAMS) ## what test-all runs

# Whole runs wait for each other now and then, so there is one worker more than processors.
TEST_WORKERS ?= $(shell echo $$(($(JOBS) + 1)))
TEST_LIMIT_S ?= 3600
TEST_LOGS := $(BUILD)/test-logs
TEST_WORDS := $(if $(TEST),($(TEST))$(if $(BOARD), and ))$(BOARD)
# Words are looked for in all cases, unless GATE=--gate is given, too.
GATE = $(if $(TEST_WORDS),,--gate)
NEEDED = $(if $(TEST),$$($(PYTHON) tests/tools/needed.py $(GATE) $(BUILD) \
  '$(TEST)'),$(if $(GATE),test-programs,test-all-programs))
.PHONY: test test-all
test-all: ## every case of every test, with the seed of this commit too; it takes an hour
	@MESH_SEED=$${MESH_SEED:-$$(git rev-parse --short=12 HEAD)} $(MAKE) test GATE= FREE=1 \
	  TEST_LIMIT_S=14400
test: deps ## what to run before each push; all of TEST='words of names', BOARD=; N passed, N failed
	@WERROR=$${WERROR--Werror} $(MAKE) -j$(JOBS) $(NEEDED)
	@mkdir -p $(TEST_LOGS); set -o pipefail; \
	timeout $(TEST_LIMIT_S) $(PYTEST) -n $(TEST_WORKERS) --dist loadgroup $(GATE) \
	  $(if $(FREE),--free) \
	  $(if $(TEST_WORDS),-k '$(TEST_WORDS)') --durations=15 \
	  --junitxml=$(TEST_LOGS)/junit.xml tests | \
	  tee $(TEST_LOGS)/log; status=$$?; \
	tail -n 1 $(TEST_LOGS)/log | grep -Eqx '[0-9]+ passed, [0-9]+ failed' || \
	  { echo 'The run ended without a verdict.'; echo '0 passed, 1 failed'; }; exit $$status

.PHONY: fresh
fresh: ## the two commands of README.md in a bare root of SUITE= (newest stable); needs root
	@tests/tools/fresh.sh $(if $(SUITE),--suite $(SUITE))

.PHONY: test-exhaustive
test-exhaustive: deps ## steps and faults on larger cubes: n to 6 on qemu, 10 on sim (hours)
	@$(MAKE) -j$(JOBS) all
	@$(PYTEST) --exhaustive --timeout 0 tests/mesh/collectives tests/mesh/trees \
	  -k 'steps or copies or random or stop or path or million'

NODES ?= 2-32
.PHONY: conform
conform: deps ## what a board promises by its HAL, then every op on every network: BOARD= NODES=
	@$(MAKE) -j$(JOBS) $(MESH) $(CONFORM) $(foreach b,$(MADE_BOARDS),$(call conform_images,$b))
	@for board in $(MADE_BOARDS); do $(CONFORM) $(BUILD)/$$board || exit 1; \
	$(PYTEST) --exhaustive --timeout 0 --nodes $(NODES) tests/mesh/boards/test_serial.py \
	  tests/target -k $$board || exit 1; done

include tests/verify/model/verify.mk
include tests/labs/labs.mk tests/foreign/foreign.mk host-tools/playground/play.mk

SECONDS ?= 60
.PHONY: soak
soak: deps ## schedules of whole kernels for SECONDS= (60), from seed FROM= (that of the commit) on
	@$(MAKE) -j$(JOBS) $(SOAK)
	@$(SOAK) --seconds $(SECONDS) --workers $(JOBS) --keep $(BUILD)/soak \
	  --from $(or $(FROM),$$(printf %d 0x$$(git rev-parse --short=10 HEAD || echo 1)))

FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: deps ## fuzz every parser of bytes from outside for FUZZ_SECONDS= (60) each
	@$(MAKE) -j$(JOBS) $(FUZZERS:%=$(BUILD)/fuzz/%)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTEST) --timeout 0 -rP tests/verify/fuzz

# ---- speed, the papers ---------------------------------------------------------------------------
include tests/bench/bench.mk

# ---- sizes ---------------------------------------------------------------------------------------
.PHONY: measured
measured: $(BOARDS:%=$(BUILD)/%/readme.elf) $(filter %/messages.elf,$(TEST_IMAGES))

.PHONY: size
size: all measured stack ## flash and RAM per object against the budgets; SAVE=1 keeps the table
	@$(PYTHON) tests/tools/size.py $(if $(SAVE),--save) $(BUILD)

.PHONY: stack
stack: $(BOARDS:%=$(BUILD)/%/job.elf) ## what may run on the interrupt stacks fits there
	@$(PYTHON) tests/tools/stack.py $^

.PHONY: size-diff
size-diff: all measured ## what has changed since the table in SAVED= (this compiler's saved one)
	@$(PYTHON) tests/tools/size.py $(BUILD) --diff $(SAVED)

include host-tools/install/install.mk

# ---- housekeeping --------------------------------------------------------------------------------
include tests/tools/tidy.mk firmware/docs.mk

.PHONY: clean
clean: ## remove what the build made
	rm -rf $(BUILD) compile_commands.json

.PHONY: help
help: ## list these targets
	@sed -n 's/^\([a-z_.-]*\):[^#]*## /\1\t/p' \
	  $(filter Makefile %alone.mk %install.mk %verify.mk %labs.mk %foreign.mk %tidy.mk %play.mk \
	    %mpi.mk %bench.mk %docs.mk,$(MAKEFILE_LIST)) | \
	  awk -F'\t' '{ rank = $$1 == "run" ? 0 : $$1 == "test" ? 1 : 2; \
	    printf "%d make %-22s %s\n", rank, $$1, $$2 }' | \
	  sort | cut -c3-

-include $(shell [ -d $(BUILD) ] && find $(BUILD) -type f -name '*.d')
