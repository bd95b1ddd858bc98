# Benchmarks, and the papers' tables. Included by the Makefile, which has their library and flags.

$(BENCHES:%=$(BUILD)/host/bench/%): $(BUILD)/host/bench/%: $(BUILD)/host/obj/tests/bench/%.o \
  $(BUILD)/host/libmesh.a
	$(call link_host)

.PHONY: bench
bench: deps ## speed of boot, forwarding, simulation; instructions (COUNTS=1 these alone, SAVE=1)
	@$(MAKE) -j$(JOBS) all $(TEST_IMAGES) $(BENCHES:%=$(BUILD)/host/bench/%)
	@$(PYTHON) tests/bench/bench.py $(if $(COUNTS),--counts) $(if $(SAVE),--save) $(BUILD)

.PHONY: osu
osu: deps ## tables and pictures as the OSU benchmarks have them, ALT stress and ring; QUICK=1
	@$(MAKE) -j$(JOBS) all
	@$(PYTHON) tests/bench/osu/osu.py $(BUILD) $(if $(QUICK),--quick)

$(PAPER_PROGRAMS): $(BUILD)/host/paper/%: $(BUILD)/host/obj/tests/bench/paper/%.o \
  $(BUILD)/host/libmesh.a
	$(call link_host)

.PHONY: paper
paper: deps ## the papers' tables, figures: printed, corrected, measured; QUICK=1 ONLY=1986:table3
	@$(MAKE) -j$(JOBS) all $(PAPER_PROGRAMS)
	@BUILD=$(BUILD) $(PYTHON) tests/bench/paper/paper.py $(if $(QUICK),--quick) \
	  $(if $(ONLY),--only $(ONLY))
