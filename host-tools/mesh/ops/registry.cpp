// All ops there are: one line for each family.
#include "families.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "operation.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

namespace mesh::host {

namespace {

bool reads(const OpKind& kind, std::string_view option) {
    std::istringstream words{std::string(kind.options)};
    return std::find(std::istream_iterator<std::string>(words), {}, option) !=
           std::istream_iterator<std::string>{};
}

/// The ops that read an option, as the command line names them; none if every run has it.
std::vector<std::string> readers_of(std::string_view option) {
    std::vector<std::string> readers;
    for (const OpKind& kind : op_kinds())
        if (reads(kind, option))
            readers.emplace_back(kind.name);
    if (reads(app_op(), option))
        readers.emplace_back("--app");
    return readers;
}

void refuse_unread(const OpKind& kind, const std::vector<std::string>& given) {
    for (const std::string& option : given) {
        const std::vector<std::string> readers = readers_of(option);
        if (!readers.empty() && !reads(kind, option))
            refuse(kCombination, "{}: means nothing to {}; goes with {}",
                   option == "words" ? "words after --" : option,
                   &kind == &app_op() ? "--app" : kind.name, fmt::join(readers, ", "));
    }
}

const OpKind& kind_asked_for(const RunArguments& arguments) {
    std::vector<std::string_view> names;
    for (const OpKind& kind : op_kinds())
        names.push_back(kind.name);
    const WorkOptions& work = arguments.work;
    if (work.op.empty() && work.app.empty() && !work.words.empty())
        refuse("'{0}': a program is given as --app {0}, and its words behind a --",
               work.words.front());
    if (work.op.empty() == work.app.empty())
        refuse("give one of --op ({}) and --app ({}, ./PROGRAM or FILE.cpp)",
               fmt::join(names, ", "), fmt::join(app_names(), ", "));
    if (!arguments.work.op.empty())
        return op_kinds()[place_of(names, arguments.work.op, "--op")];
    for (const OpKind& kind : op_kinds())
        if (arguments.work.app == std::vector{std::string(kind.program)} &&
            kind.program != kCommonProgram)
            return kind;
    return app_op();
}

} // namespace

const std::vector<OpKind>& op_kinds() {
    static const std::vector<OpKind> all = [] {
        const std::array families{broadcast_ops(), personal_ops(), reduction_ops(),
                                  send_ops(),      barrier_ops(),  ascend_ops()};
        std::vector<OpKind> kinds;
        for (const auto family : families)
            kinds.insert(kinds.end(), family.begin(), family.end());
        return kinds;
    }();
    return all;
}

const OpKind& kind_of(const RunArguments& arguments) {
    const OpKind& kind = kind_asked_for(arguments);
    refuse_unread(kind, arguments.given);
    return kind;
}

} // namespace mesh::host
