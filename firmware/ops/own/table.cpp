// The rule of a user's file, MESH_RULE_FILE, as a shared object of the host tool, which asks the
// table (host-tools/mesh/rig/own_rule.cpp).
#include MESH_RULE_FILE

#include "core/own_rule.hpp"

#include <cstdarg>
#include <cstdio>

extern "C" {

// A broken EXPECT prints what it is before it ends the process that checks the file: by fprintf(),
// which here has the name that it has in all programs of the simulation (firmware/libc/names.mk).
int mesh_app_fprintf(std::FILE*, const char* form, ...);
int mesh_app_fprintf(std::FILE*, const char* form, ...) {
    std::va_list values;
    va_start(values, form);
    const int bytes = vdprintf(2, form, values);
    va_end(values);
    return bytes;
}

extern const mesh::OwnRule mesh_own_rule;
const mesh::OwnRule mesh_own_rule = mesh::own_rule_of<Tree>(0); // the file says: using Tree = NAME;
}
