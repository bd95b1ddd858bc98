// The command line of `mesh`.
#pragma once

#include "debug_command.hpp"
#include "doctor_command.hpp"
#include "embed_command.hpp"
#include "host-tools/mesh/course/grade.hpp"
#include "host-tools/mesh/course/labs.hpp"
#include "host-tools/mesh/options/parse.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/series/matrix.hpp"
#include "host-tools/mesh/series/merge.hpp"
#include "host-tools/mesh/series/series.hpp"
#include "host-tools/mesh/views/view_command.hpp"
#include "list_command.hpp"
#include "new_command.hpp"
#include "tree_command.hpp"

#include <variant>

namespace mesh::host {

using Command =
    std::variant<HelpText, RunArguments, SeriesArguments, MatrixArguments, MergeArguments,
                 BuildArguments, NewArguments, TreeArguments, EmbedArguments, ListArguments,
                 ViewArguments, LabArguments, GradeArguments, DebugArguments, DoctorArguments>;

/// Reads the command line. UsageError with one line that says what is wrong.
Command parse_command_line(int count, const char* const* words);

} // namespace mesh::host
