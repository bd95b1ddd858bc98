// mesh in a page: its commands that need neither other processes nor other files. A module makes
// one call and is gone, so whatever it took is free again.
#include "host-tools/mesh/commands/command_line.hpp"
#include "host-tools/mesh/commands/command_words.hpp"
#include "host-tools/mesh/commands/run_command.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/common/say.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <unistd.h>
#include <variant>

namespace mesh::host {

namespace {

constexpr int kFailed = 1;
constexpr int kBadArgument = 2;

struct Commands {
    const std::string& again;

    int operator()(const RunArguments& arguments) const { return run_command(arguments, again); }
    int operator()(const TreeArguments& arguments) const {
        tree_command(arguments);
        return 0;
    }
    int operator()(const ViewArguments& arguments) const {
        view_command(arguments);
        return 0;
    }
    int operator()(const ListArguments& arguments) const {
        list_command(arguments);
        return 0;
    }
    int operator()(const HelpText& help) const {
        fmt::print("{}", help.text);
        return 0;
    }
    template <class Arguments>
    int operator()(const Arguments& /*arguments*/) const {
        refuse(
            "a page has the commands run, tree, view and list; `mesh` outside of it has them all");
    }
};

} // namespace

} // namespace mesh::host

int main(int count, char** words) {
    using namespace mesh::host;
    // The files that the build has put in lie beside the program (programs/toolkit.cpp).
    static_cast<void>(!symlink("/kit/host/mesh", "/proc/self/exe"));
    try {
        const std::string again = command_again(count, words);
        const int status = std::visit(Commands{again}, parse_command_line(count, words));
        std::fflush(stdout);
        return status;
    } catch (const Explained&) {
        return kBadArgument;
    } catch (const UsageError& error) {
        say("mesh: {}\n", error.what());
        return kBadArgument;
    } catch (const std::exception& error) {
        say("mesh: {}\n", error.what());
        return kFailed;
    }
}
