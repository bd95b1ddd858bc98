// `mesh doctor`: what of this machine a mesh needs, whether it is there, and what to do.
#pragma once

#include <string>

namespace mesh::host {

struct DoctorArguments {
    std::string qemu = "qemu-system-arm";
    std::string board;           // "": the first of those that are built
    std::string format = "text"; // or json
};

/// Prints a line for each thing that was looked at. True if nothing is to be mended.
bool run_doctor(const DoctorArguments& arguments);

} // namespace mesh::host
