# What editors and checkers of the sources need. Included by the Makefile, which has the sources and
# their flags.

# Sources that no rule here compiles: tests do.
LOOSE := tests/bench/osu/programs.cpp tests/bench/osu/clock.cpp \
  tests/target/small_ram/program.cpp $(wildcard tests/embed/*.cpp boards/c/image/*.cpp)
COMPILED := $(HOST_SOURCES) $(APP_SOURCES) $(OP_SOURCES) $(wildcard boards/*/*.cpp tests/*/*.cpp \
  tests/verify/*/*.cpp tests/bench/paper/*.cpp)
# A dry run, make --touch and make --question work off lines that call make, and whatever is written
# while make reads a line. Those leave their files alone then.
DRY_RUN = $(foreach f,n t q,$(findstring $f,$(firstword -$(MAKEFLAGS))))
compile_commands.json: Makefile $(COMPILED) ## for clangd and clang-tidy
	@{ $(MAKE) --dry-run --always-make V=1 BATCH=no BOARD= all $(TEST_ALL_PROGRAMS) \
	    $(TEST_ALL_IMAGES); \
	  $(foreach s,$(LOOSE),echo '$(CXX) $(CXXFLAGS) $(HOST_FLAGS) \
	    -c $s -o $(BUILD)/host/obj/$(s:.cpp=.o)';) } | \
	  $(PYTHON) tests/tools/compile_commands.py >$(if $(strip $(DRY_RUN)),/dev/null,$@)

.PHONY: tidy
tidy: compile_commands.json ## layout, lengths, words, all checks of clang-tidy
	@$(PYTHON) tests/tools/tidy.py --build $(BUILD)

ALL_CXX = $(shell git ls-files -co --exclude-standard '*.cpp' '*.hpp')

.PHONY: format
format: ## lay out all sources with clang-format
	clang-format -i $(ALL_CXX)

.PHONY: walks
walks: $(MESH) ## a change of each kind of CONTRIBUTING.md, by its lists alone, in a copy
	@$(PYTHON) tests/tools/walk.py $(BUILD)
