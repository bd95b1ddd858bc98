# The object by which one emulator forks for each node. Included by the Makefile.

# The emulator has no C++ library: the object brings what it needs, which is nothing.
TEMPLATE := $(BUILD)/host/mesh-template.so
TEMPLATE_OBJECT := $(BUILD)/host/obj/host-tools/template/template.o
$(TEMPLATE_OBJECT): host-tools/template/template.cpp Makefile host-tools/template/template.mk
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(FROM_HERE) $(CXXFLAGS) -O2 -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics \
	  -fvisibility=default -c $< -o $@
$(TEMPLATE): $(TEMPLATE_OBJECT)
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared -Wl,--as-needed -Wl,--no-undefined $< -o $@
$(MESH): | $(TEMPLATE)
