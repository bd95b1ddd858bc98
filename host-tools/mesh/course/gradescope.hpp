// A grade as Gradescope's autograder reads it: results.json, with a test for each check.
// gradescope-autograders.readthedocs.io/en/latest/specs has the form.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mesh::host {

/// `grade`: what --json has of it; also of a folder that was refused, with its reason and 0 points.
nlohmann::ordered_json gradescope_of(const nlohmann::ordered_json& grade);

} // namespace mesh::host
