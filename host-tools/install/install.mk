# `make install`, `make uninstall` and `make deb`: tool, images, completion and manual pages in a
# tree of their own. Included by the Makefile, which sets BUILD, MESH, BOARDS and APPS.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_PACKAGES := help2man dpkg-dev
# Of firmware that has the kernel as a library (tests/embed), what sets manual pages, and shells.
TEST_PACKAGES += cmake groff-base zsh fish
INSTALLED = $(DESTDIR)$(PREFIX)
MESH_VERSION = $(shell $(MESH) --version)
MANUALS := mesh mesh-run mesh-load mesh-build mesh-new mesh-tree mesh-embed mesh-list mesh-matrix \
  mesh-merge mesh-view mesh-lab mesh-grade mesh-debug mesh-doctor

# The pages are made from the help that the tool itself prints: mesh-run.1 from `mesh run --help`.
# Sections that all have are in manual.h2m; the examples of a page are those of its command.
$(MANUALS:%=$(BUILD)/man/%.1): $(BUILD)/man/%.1: $(MESH) host-tools/install/manual.h2m \
  host-tools/install/examples.txt
	@mkdir -p $(@D)
	@(cat host-tools/install/manual.h2m; \
	  printf '\n[EXAMPLES]\n'; grep '^$(subst -, ,$*) ' host-tools/install/examples.txt | \
	    sed 's/-/\\-/g; s/^/.PP\n.B /'; \
	  printf '\n[SEE ALSO]\n'; printf '.BR %s (1)\n' $(filter-out $*,$(MANUALS)) | \
	    sed '$$!s/$$/,/') >$@.h2m
	@help2man --no-info --include=$@.h2m --output=$@ \
	  --version-string='$* $(lastword $(MESH_VERSION))' \
	  --name="$$($(MESH) $(subst mesh,,$(subst -, ,$*)) --help | sed 's/^mesh: //; q')" \
	  "$(MESH) $(subst mesh,,$(subst -, ,$*))"
	@rm $@.h2m
# Made before the tests that install run side by side.
.PHONY: manuals
test-programs: manuals
manuals: $(MANUALS:%=$(BUILD)/man/%.1)

# Everybody may read what is installed, and nobody else write it, whatever rights the files have
# here. $(1): folder, $(2): what of it, $(3): where it goes.
define install_files
@install -d '$(INSTALLED)/share/meshputer/$(3)'
@umask 022; tar -C $(1) --mode=u=rwX,go=rX -cf - $(2) | \
  tar -C '$(INSTALLED)/share/meshputer/$(3)' --no-same-owner -pxf -
endef

.PHONY: install-deps install-tree install-sources install uninstall deb
install-deps: run-deps
	@tests/tools/packages.sh $(INSTALL_PACKAGES)

install: install-deps ## install tool, images, manual and completion: PREFIX= (/usr/local), DESTDIR=
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) install-tree

install-tree: $(MANUALS:%=$(BUILD)/man/%.1)
	@install -Dm755 $(MESH) '$(INSTALLED)/bin/mesh'
	@install -Dm644 -t '$(INSTALLED)/lib/meshputer' $(TEMPLATE) $(MPI_OBJECT)
	@for image in $(foreach b,$(MADE_BOARDS),$(patsubst %,$b/%.elf,$(call made_images,$b))); do \
	  install -Dm644 $(BUILD)/$$image "$(INSTALLED)/share/meshputer/$$image" || exit 1; done
	$(call install_files,firmware,$(filter-out boards/%,$(HEADERS:firmware/%=%)) ops/job.cpp \
	  ops/own,include)
	$(call install_files,firmware,labs,)
	@for file in $(TOOLKIT_FILES:$(BUILD)/%=%) $(wildcard linker/*.ld); do install -Dm644 \
	  $$([ -e $$file ] || echo $(BUILD)/)$$file '$(INSTALLED)'/share/meshputer/$$file; done
	@install -Dm644 -t '$(INSTALLED)/share/meshputer' host-tools/mesh/capture/meshputer.lua
	@install -Dm644 -t '$(INSTALLED)/share/man/man1' $^
	@install -Dm644 -t '$(INSTALLED)/share/doc/meshputer' README.md CHANGES
	@install -Dm644 host-tools/install/completion.bash \
	  '$(INSTALLED)/share/bash-completion/completions/mesh'
	@install -Dm644 host-tools/install/completion.zsh \
	  '$(INSTALLED)/share/zsh/vendor-completions/_mesh'
	@install -Dm644 host-tools/install/completion.fish \
	  '$(INSTALLED)/share/fish/vendor_completions.d/mesh.fish'
	@$(MAKE) install-sources
	@echo "installed under $(INSTALLED)"

# find_package(meshputer) of CMake finds them there; nothing is built.
install-sources: ## install the sources for firmware of others alone: PREFIX=, DESTDIR=
	$(call install_files,firmware,CMakeLists.txt zephyr meshputer.hpp core hal wire kernel \
	  collectives library onecable c,firmware)
	$(call install_files,boards,c $(addprefix serial/,serial_board.hpp line.hpp turns.hpp),boards)
	@install -Dm644 -t '$(INSTALLED)/share/meshputer/cmake' firmware/cmake/meshputer-config.cmake
	@umask 022; sed -n 's/.*kVersion = \(".*"\);/set(PACKAGE_VERSION \1)/p' \
	  host-tools/mesh/common/version.hpp | cat - firmware/cmake/meshputer-config-version.cmake \
	  >'$(INSTALLED)/share/meshputer/cmake/meshputer-config-version.cmake'

uninstall: ## remove what `make install` put under PREFIX=
	@rm -rf '$(INSTALLED)/bin/mesh' '$(INSTALLED)/share/meshputer' '$(INSTALLED)/lib/meshputer' \
	  '$(INSTALLED)/share/doc/meshputer' '$(INSTALLED)/share/bash-completion/completions/mesh' \
	  '$(INSTALLED)/share/zsh/vendor-completions/_mesh' \
	  '$(INSTALLED)/share/fish/vendor_completions.d/mesh.fish' \
	  $(MANUALS:%='$(INSTALLED)/share/man/man1/%.1')

DEB := $(BUILD)/deb
PACKED := $(DEB)/files
deb: install-deps ## a Debian package, in build/
	@$(MAKE) -j$(JOBS) all
	@umask 022; rm -rf $(DEB) && mkdir -p $(PACKED)/DEBIAN $(DEB)/debian
	@$(MAKE) install-tree DESTDIR=$(PACKED) PREFIX=/usr >$(DEB)/log
	@strip --strip-unneeded $(PACKED)/usr/bin/mesh $(PACKED)/usr/lib/meshputer/*.so
	@gzip -9n $(PACKED)/usr/share/man/man1/*.1
	@install -Dm644 LICENSE $(PACKED)/usr/share/doc/meshputer/copyright
	@printf 'Source: meshputer\n\nPackage: meshputer\nArchitecture: any\n' >$(DEB)/debian/control
	@umask 022; \
	depends=$$(cd $(DEB) && dpkg-shlibdeps -O files/usr/bin/mesh | sed 's/^shlibs:Depends=//') && \
	  sed -e "s/@VERSION@/$(lastword $(MESH_VERSION))/" -e "s/@DEPENDS@/$$depends/" \
	  -e "s/@ARCHITECTURE@/$$(dpkg --print-architecture)/" host-tools/install/control \
	  >$(PACKED)/DEBIAN/control
	@dpkg-deb -Zzstd --root-owner-group --build $(PACKED) $(BUILD) | tail -1
	@rm -rf $(PACKED)
