#include "expected_output.hpp"

#include "core/network.hpp"
#include "host-tools/mesh/common/console_line.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/ops/secrets.hpp"
#include "host-tools/mesh/rig/naming.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

namespace mesh::host {

namespace {

constexpr std::string_view kEachNode = "[*]";
constexpr std::string_view kEachNeighbor = "[~]";

using Secrets = std::vector<std::uint32_t>;

/// A word in braces: what it is at a node.
struct OutputWord {
    std::string_view name;
    std::string_view phrase;
    std::uint64_t (*value)(const Secrets& secrets, std::size_t node);
};

const std::array<OutputWord, 5> kOutputWords{
    {{"sum", "of all secrets",
      [](const Secrets& all, std::size_t) {
          return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
      }},
     {"prefix", "the sum of those up to this node",
      [](const Secrets& all, std::size_t node) {
          return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(node) + 1,
                                 std::uint64_t{0});
      }},
     {"sorted", "the one that belongs here when all are sorted",
      [](const Secrets& all, std::size_t node) {
          Secrets sorted = all;
          std::ranges::sort(sorted);
          return std::uint64_t{sorted[node]};
      }},
     {"first", "that of node 0",
      [](const Secrets& all, std::size_t) { return std::uint64_t{all.front()}; }},
     {"own", "that of this node",
      [](const Secrets& all, std::size_t node) { return std::uint64_t{all[node]}; }}}};
constexpr std::string_view kKilled = "{killed}";
constexpr std::string_view kTau = "{tau}";
constexpr std::string_view kTc = "{tc}";

void replace(std::string& text, std::string_view word, const std::string& by) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word))
        text.replace(at, word.size(), by);
}
void replace(std::string& text, std::string_view word, std::uint64_t value) {
    replace(text, word, fmt::format("{}", value));
}

/// The line at a node: {sum} is that of first secrets, {sum 2} that of second ones.
std::string computed(std::string_view line, const std::vector<Secrets>& secrets, std::size_t node) {
    std::string text(line);
    for (std::size_t number = 0; number < secrets.size() && node < secrets[0].size(); ++number)
        for (const OutputWord& word : kOutputWords) {
            const std::uint64_t value = word.value(secrets[number], node);
            replace(text, fmt::format("{{{} {}}}", word.name, number + 1), value);
            if (number == 0)
                replace(text, fmt::format("{{{}}}", word.name), value);
        }
    return text;
}

/// The value of an option of the case; "" if it has none.
std::string option_of(const MatrixCase& made, std::string_view name) {
    for (const std::string& option : made.options)
        if (option.starts_with(fmt::format("--{}=", name)))
            return option.substr(name.size() + 3);
    return {};
}

/// The nodes in "kill:2@30,kill:5@60".
std::vector<std::uint32_t> killed_in(std::string_view faults) {
    constexpr std::string_view kKill = "kill:";
    std::vector<std::uint32_t> nodes;
    for (auto at = faults.find(kKill); at != faults.npos; at = faults.find(kKill, at + 1)) {
        const std::string_view rest = faults.substr(at + kKill.size());
        if (const auto node = number_in<std::uint32_t>(rest.substr(0, rest.find_first_of("@, "))))
            nodes.push_back(*node);
    }
    return nodes;
}

} // namespace

OutputScene scene_of(const MatrixCase& made, const nlohmann::ordered_json& report) {
    const auto nodes = report.at("nodes").get<std::uint32_t>();
    const auto count = number_in<unsigned>(option_of(made, "secret")).value_or(0);
    OutputScene scene{nodes, std::vector(count, Secrets(nodes)),
                      killed_in(option_of(made, "faults"))};
    if (const auto tau = number_in<double>(option_of(made, "tau")))
        scene.tau = fmt::format("{:.2f}", *tau);
    if (const auto tc = number_in<double>(option_of(made, "tc")))
        scene.tc = fmt::format("{:.4f}", *tc);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        const Secrets its = secrets_of(report.at("seed").get<std::uint64_t>(), node, count);
        for (unsigned number = 0; number < count; ++number)
            scene.secrets[number][node] = its[number];
    }
    const Network network =
        network_of(report.at("topology").get<std::string>(), report.at("dim").get<std::int64_t>());
    for (const std::uint32_t killed : scene.killed)
        for (unsigned port = 0; killed < nodes && port < port_count(network); ++port)
            if (const auto node = index(neighbor(network, node_at(killed), port_at(port)));
                std::ranges::find(scene.killed, node) == scene.killed.end())
                scene.beside.emplace_back(node, killed);
    return scene;
}

ConsoleText expected_output(const std::string& output, const OutputScene& scene,
                            std::string& wrong) {
    ConsoleText text;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        replace(line, kTau, scene.tau);
        replace(line, kTc, scene.tc);
        const std::string_view head = std::string_view(line).substr(0, kEachNode.size());
        const std::string_view rest =
            std::string_view(line).substr(std::min(head.size() + 1, line.size()));
        const auto read = console_line(line);
        const bool is_line = read || ((head == kEachNode || head == kEachNeighbor) &&
                                      (line.size() == head.size() || line[head.size()] == ' '));
        if (!is_line && wrong.empty())
            wrong = line;
        if (read)
            text.add(read->node, computed(read->text, scene.secrets, read->node));
        for (std::uint32_t node = 0; head == kEachNode && node < scene.nodes; ++node)
            text.add(node, computed(rest, scene.secrets, node));
        for (const auto& [node, killed] : scene.beside) {
            std::string said(rest);
            replace(said, kKilled, killed);
            if (head == kEachNeighbor)
                text.add(node, said);
        }
    }
    return text;
}

std::string describe_output_words() {
    std::string text;
    for (const OutputWord& word : kOutputWords)
        text += fmt::format("{{{}}} {}, ", word.name, word.phrase);
    return fmt::format("{}{} and {} those of the links", text, kTau, kTc);
}

} // namespace mesh::host
