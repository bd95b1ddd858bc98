# The mesh in one page: kernel, simulation, loom, verification and the page of a run as WebAssembly.
# What a page cannot have (signals, threads, fork, dlopen, QEMU) has a stand-in in this folder, of
# the same name as the file of the host tool that it stands for.

EMXX := em++
# The oldest that has compiled it. Older ones lack <coroutine> and the algorithms of ranges.
EM_LEAST := 3.1.69
PLAY := $(BUILD)/playground
PLAY_FOLDER := host-tools/playground
# As the page does not have what they do; stop.cpp is of boards/host.
PLAY_WITHOUT := %/child_process.cpp %/own_folder.cpp \
  %/node_starter.cpp %/node_line.cpp %/node_inspector.cpp %/rank_link.cpp %/gdb_stub.cpp \
  $(wildcard host-tools/mesh/engines/qemu_*.cpp host-tools/mesh/engines/serial_*.cpp) \
  %/build_command.cpp %/compiler_help.cpp %/tool_process.cpp %/main_program.cpp \
  %/waiting_branches.cpp \
  host-tools/mesh/series/% host-tools/mesh/course/% \
  $(addprefix host-tools/mesh/commands/,dry_run.cpp embed_command.cpp new_command.cpp \
    rank_run.cpp) \
  host-tools/mesh/ranks/join.cpp host-tools/mesh/ranks/socket_uplink.cpp \
  host-tools/mesh/main.cpp boards/host/stack_switch.cpp firmware/libc/%
PLAY_STAND_INS := $(wildcard $(PLAY_FOLDER)/*.cpp)
PLAY_SOURCES := $(filter-out $(PLAY_WITHOUT) $(foreach f,$(notdir $(PLAY_STAND_INS)),%/$f), \
  $(PORTABLE_SOURCES) $(wildcard boards/host/*.cpp host-tools/mesh/*/*.cpp))
PLAY_FLAGS := -std=c++20 -O2 -ffp-contract=off -Ifirmware -I. -I$(PLAY)/include -I$(BUILD)/host \
  -include $(PLAY_FOLDER)/as_host.hpp -DFMT_HEADER_ONLY -Wall -Wextra -MMD -MP
PLAY_TOOL := -fwasm-exceptions -sSUPPORT_LONGJMP=wasm
# Coroutines hand over to each other without a stack that grows.
PLAY_NODE := -fno-exceptions -fno-rtti -mtail-call
play_flags = $(if $(filter firmware/%,$(1)),$(PLAY_NODE),$(PLAY_TOOL))

PLAY_FOLDERS := $(call folders_of,$(PLAY_SOURCES))
PLAY_BATCHES := $(PLAY_FOLDERS:%=$(PLAY)/batch/%.cpp)
$(PLAY_BATCHES): $(PLAY)/batch/%.cpp: FORCE
	@$(call write_if_new,printf '#include "%s"\n' $(filter $*/%,$(foreach s,$(PLAY_SOURCES),$(if \
	  $(filter $*/,$(dir $s)),$s))))
# Libraries of headers alone.
$(PLAY)/include/made:
	@mkdir -p $(@D)
	@ln -sfn -t $(@D) $(wildcard /usr/include/fmt /usr/include/CLI /usr/include/nlohmann \
	  /usr/include/toml++ /usr/include/zlib.h /usr/include/zconf.h)
	@touch $@
$(PLAY)/batch/%.o: $(PLAY)/batch/%.cpp | $(PLAY)/include/made $(GENERATED)
	$(call say,EM,$@)
	$(Q)$(EMXX) $(PLAY_FLAGS) $(call play_flags,$*) -c $< -o $@
$(PLAY)/obj/firmware/ops/%.o: firmware/ops/%.cpp | $(PLAY)/include/made
	$(call say,EM,$@)
	@mkdir -p $(@D)
	$(Q)$(EMXX) $(PLAY_FLAGS) $(PLAY_NODE) -Dapp_main=app_main_$* -c $< -o $@
$(PLAY)/obj/$(PLAY_FOLDER)/%.o: $(PLAY_FOLDER)/%.cpp | $(PLAY)/include/made $(GENERATED)
	$(call say,EM,$@)
	@mkdir -p $(@D)
	$(Q)$(EMXX) $(PLAY_FLAGS) $(PLAY_TOOL) -c $< -o $@
PLAY_OBJECTS := $(PLAY_FOLDERS:%=$(PLAY)/batch/%.o) $(OP_SOURCES:%.cpp=$(PLAY)/obj/%.o) \
  $(PLAY_STAND_INS:%.cpp=$(PLAY)/obj/%.o)

# Files that the host tool looks for beside itself: the boards that it knows, the facts of one.
PLAY_KIT := $(PLAY)/kit
$(PLAY)/kit/made: $(BUILD)/boards.txt $(BUILD)/$(DEFAULT_BOARD)/board.json
	@mkdir -p $(@D)/$(DEFAULT_BOARD)
	@grep '^$(DEFAULT_BOARD) ' $< >$(@D)/boards.txt
	@cp $(BUILD)/$(DEFAULT_BOARD)/board.json $(@D)/$(DEFAULT_BOARD)
	@touch $@
PLAY_LINK := -O2 $(PLAY_TOOL) -mtail-call -Wl,--wrap=mmap,--wrap=munmap \
  -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB \
  -sMODULARIZE=1 -sEXPORT_NAME=createMesh -sINVOKE_RUN=0 -sEXIT_RUNTIME=0 \
  -sENVIRONMENT=worker,node -sFORCE_FILESYSTEM=1 \
  -sEXPORTED_RUNTIME_METHODS=callMain,FS,wasmMemory,stringToUTF8 \
  --embed-file $(PLAY)/kit@/kit $(addprefix -Wl$(comma)-u$(comma)mesh_network_,cube uhc star)
comma := ,
$(PLAY)/mesh.js: $(PLAY_OBJECTS) $(PLAY)/kit/made
	$(call say,LINK,$@)
	$(Q)$(EMXX) $(PLAY_LINK) $(PLAY_OBJECTS) -o $@
PLAYGROUND := $(PLAY)/playground.html
$(PLAYGROUND): $(PLAY)/mesh.js $(wildcard $(PLAY_FOLDER)/*.py $(PLAY_FOLDER)/page/*)
	$(Q)$(PYTHON) $(PLAY_FOLDER)/assemble.py $< $@

.PHONY: playground
playground: ## the mesh in one HTML file: kernel, simulation, checks and pictures, for any browser
	@$(PLAY_FOLDER)/emscripten.sh $(EMXX) $(EM_LEAST) g++ zlib1g-dev libfmt-dev libcli11-dev \
	  nlohmann-json3-dev libtomlplusplus-dev nodejs python3
	@$(MAKE) -j$(JOBS) $(PLAYGROUND)

.PHONY: test-playground
test-playground: playground deps ## reports, rules, states of the page, its book, pages of runs
	@tests/tools/packages.sh chromium pandoc
	@$(MAKE) -j$(JOBS) $(MESH) $(LAB_APPS:%=$(BUILD)/$(DEFAULT_BOARD)/%.elf)
	@$(PYTHON) tests/playground/check_playground.py $(BUILD)
	@$(PYTHON) tests/playground/check_page.py $(PLAYGROUND)
	@$(PYTEST) tests/mesh/reports/test_view.py -k a_browser
	@BUILD=$(BUILD) $(PYTHON) $(PLAY_FOLDER)/book.py $(BUILD)/book.html $(PLAYGROUND)
	@$(PYTHON) tests/playground/check_book.py $(BUILD)/book.html

.PHONY: poster
poster: ## A1 in one HTML file: trees with their rules, runs in space and time, errata of the papers
	@$(MAKE) -j$(JOBS) $(MESH)
	@BUILD=$(BUILD) $(PYTHON) $(PLAY_FOLDER)/poster.py $(BUILD)/poster.html
	@echo '$(BUILD)/poster.html: print it to PDF by any browser, 594 x 841 mm'

.PHONY: book
book: playground ## all labs of the course in one HTML file, with the playground in it
	@tests/tools/packages.sh pandoc
	@$(MAKE) -j$(JOBS) $(MESH) $(LAB_APPS:%=$(BUILD)/$(DEFAULT_BOARD)/%.elf)
	@BUILD=$(BUILD) $(PYTHON) $(PLAY_FOLDER)/book.py $(BUILD)/book.html $(PLAYGROUND)
