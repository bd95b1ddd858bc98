// The command line of `mesh`.
#pragma once

#include "embed_command.hpp"
#include "grade.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/views/view_command.hpp"
#include "labs.hpp"
#include "list_command.hpp"
#include "matrix.hpp"
#include "merge_command.hpp"
#include "new_command.hpp"
#include "series.hpp"
#include "tree_command.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mesh::host {

struct HelpText {
    std::string text;
};

using Command =
    std::variant<HelpText, RunArguments, SeriesArguments, MatrixArguments, MergeArguments,
                 BuildArguments, NewArguments, TreeArguments, EmbedArguments, ListArguments,
                 ViewArguments, LabArguments, GradeArguments>;

/// Reads the command line. UsageError with one line that says what is wrong.
Command parse_command_line(int count, const char* const* words);

/// Reads the command line of one run, the program and `run` first. UsageError.
RunArguments parse_run(const std::vector<std::string>& words);

} // namespace mesh::host
