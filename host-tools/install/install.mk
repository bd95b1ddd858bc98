# `make install`, `make uninstall` and `make deb`: the tool, the images, completion and manual pages in
# a tree of their own. Included by the Makefile, which sets BUILD, MESH, BOARDS and APPS.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_PACKAGES := help2man dpkg-dev
TREE = $(DESTDIR)$(PREFIX)
MESH_VERSION = $(shell $(MESH) --version)
MANUALS := mesh mesh-run mesh-tree mesh-embed mesh-list

# The pages are made from the help that the tool itself prints. $(1): a page, as mesh-run
$(MANUALS:%=$(BUILD)/man/%.1): $(BUILD)/man/%.1: $(MESH)
	@mkdir -p $(@D)
	@help2man --no-info --version-string='$(MESH_VERSION)' --output=$@ \
	  --name="$$($(MESH) $(subst mesh,,$(subst -, ,$*)) --help | head -1)" \
	  "$(MESH) $(subst mesh,,$(subst -, ,$*))"

.PHONY: install-deps install-tree install uninstall deb
install-deps: run-deps
	@tests/tools/packages.sh $(INSTALL_PACKAGES)

install: install-deps ## install tool, images, manual and completion: PREFIX= (/usr/local), DESTDIR=
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) install-tree

install-tree: $(MANUALS:%=$(BUILD)/man/%.1)
	@install -Dm755 $(MESH) '$(TREE)/bin/mesh'
	@for board in $(BOARDS); do for app in $(APPS); do install -Dm644 $(BUILD)/$$board/$$app.elf \
	  "$(TREE)/share/meshputer/$$board/$$app.elf" || exit 1; done; done
	@install -Dm644 -t '$(TREE)/share/man/man1' $^
	@install -Dm644 host-tools/install/completion.bash \
	  '$(TREE)/share/bash-completion/completions/mesh'
	@echo "installed under $(TREE)"

uninstall: ## remove what `make install` put under PREFIX=
	@rm -rf '$(TREE)/bin/mesh' '$(TREE)/share/meshputer' \
	  '$(TREE)/share/bash-completion/completions/mesh' $(MANUALS:%='$(TREE)/share/man/man1/%.1')

DEB := $(BUILD)/deb
deb: install-deps ## a Debian package, in build/
	@$(MAKE) -j$(JOBS) all
	@rm -rf $(DEB) && mkdir -p $(DEB)/root/DEBIAN $(DEB)/debian
	@$(MAKE) install-tree DESTDIR=$(DEB)/root PREFIX=/usr >$(DEB)/log
	@strip --strip-unneeded $(DEB)/root/usr/bin/mesh && gzip -9n $(DEB)/root/usr/share/man/man1/*.1
	@install -Dm644 LICENSE $(DEB)/root/usr/share/doc/meshputer/copyright
	@printf 'Source: meshputer\n\nPackage: meshputer\nArchitecture: any\n' >$(DEB)/debian/control
	@depends=$$(cd $(DEB) && dpkg-shlibdeps -O root/usr/bin/mesh | sed 's/^shlibs:Depends=//') && \
	  sed -e "s/@VERSION@/$(lastword $(MESH_VERSION))/" -e "s/@DEPENDS@/$$depends/" \
	  -e "s/@ARCHITECTURE@/$$(dpkg --print-architecture)/" host-tools/install/control \
	  >$(DEB)/root/DEBIAN/control
	@dpkg-deb --root-owner-group --build $(DEB)/root $(BUILD) | tail -1
