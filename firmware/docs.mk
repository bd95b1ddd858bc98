# The reference in $(BUILD)/docs, made by Doxygen: public names, and the pages. Nothing else needs
# these packages. Debian 12 has an older one. Included by the Makefile.
DOCS_PACKAGES := 'doxygen>=1.9.8'
DOCS_FOLDERS := core wire hal kernel collectives library mpi

.PHONY: docs
docs: $(BUILD)/calls/mpi_calls.h ## the reference with all pages, into $(BUILD)/docs/html
	@tests/tools/packages.sh $(DOCS_PACKAGES)
	@mkdir -p $(BUILD)/docs
	$(call say,DOCS,$(BUILD)/docs/html/index.html)
	$(Q){ cat firmware/Doxyfile; printf '%s\n' 'OUTPUT_DIRECTORY = "$(BUILD)/docs"' \
	  'INPUT = firmware/meshputer.hpp $< $(DOCS_FOLDERS:%=firmware/%) '"$$(git ls-files '*.md' | \
	  tr '\n' ' ')"; } | doxygen -
