// The console that a check wants: its `output`, with what is computed of the nodes' secrets.
#pragma once

#include "host-tools/mesh/common/console_text.hpp"
#include "host-tools/mesh/series/matrix_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mesh::host {

/// A run as the lines of `output` see it.
struct OutputScene {
    std::uint32_t nodes = 0;
    std::vector<std::vector<std::uint32_t>> secrets{}; // the first of each node, the second, ...
    std::vector<std::uint32_t> killed{};               // nodes, by the fault plan
    // Each node beside one of them, and which.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> beside{};
    std::string tau{}, tc{}; // as a program prints them, in units
};

/// The scene of a case with a report that has `nodes`, `seed`, `topology` and `dim`.
OutputScene scene_of(const MatrixCase& made, const nlohmann::ordered_json& report);

/// The lines that `output` wants:
///   [3] text   of node 3        [*] text    of each node
///   [~] text   of each neighbour of each node that is killed
/// Words in braces are computed. Nothing for a line that is none; `wrong` becomes that line.
ConsoleText expected_output(const std::string& output, const OutputScene& scene,
                            std::string& wrong);

/// "{sum}: of all secrets; ...", for the help.
std::string describe_output_words();

} // namespace mesh::host
