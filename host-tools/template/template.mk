# The object by which one emulator forks for each node. Included by the Makefile.

# The emulator has no C++ library: the object brings what it needs, which is nothing.
TEMPLATE := $(BUILD)/host/mesh-template.so
$(TEMPLATE): host-tools/template/template.cpp Makefile host-tools/template/template.mk
	$(call say,LINK,$@)
	@mkdir -p $(BUILD)/host/obj/host-tools/template
	$(Q)$(CXX) $(CXXFLAGS) -O2 -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics -shared \
	  -fvisibility=default -Wl,--as-needed -Wl,--no-undefined \
	  -MF $(BUILD)/host/obj/host-tools/template/template.d $< -o $@
$(MESH): | $(TEMPLATE)
