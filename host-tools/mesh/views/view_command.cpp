#include "view_command.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/mapped_file.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using View = std::string (*)(const Scene&);
constexpr std::array<std::pair<std::string_view, View>, 5> kViews{
    {{"html", [](const Scene& scene) { return html_view(scene); }},
     {"trace", trace_view},
     {"svg", svg_view},
     {"text", text_view},
     {"json", json_view}}};

/// A capture that is read. UsageError.
struct Opened {
    explicit Opened(const std::string& name)
        : file(name == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                           : open(name.c_str(), O_RDONLY | O_CLOEXEC)),
          mapped(checked(file.get(), name)),
          scene(mapped.bytes(), name) {
        if (scene.recording.cut_short)
            say("mesh: '{}' has no end: the view shows what is there\n", name);
    }
    static int checked(int opened, const std::string& name) {
        if (opened < 0)
            refuse("'{}': cannot be read: {}", name, std::strerror(errno));
        return opened;
    }

    Fd file;
    MappedFile mapped;
    Scene scene;
};

} // namespace

std::vector<std::string_view> view_formats() { return names_of(kViews); }

void view_command(const ViewArguments& arguments) {
    const View view = look_up(kViews, arguments.format, "--format");
    if (!arguments.beside.empty() && arguments.format != "html")
        refuse("--beside: goes with --format html");
    if (!arguments.output.empty())
        check_writable(arguments.output, "--output");
    const Opened first(arguments.file);
    std::string text;
    if (arguments.beside.empty()) {
        text = view(first.scene);
    } else {
        const Opened second(arguments.beside);
        text = html_view(first.scene, &second.scene);
    }
    if (arguments.output.empty())
        fmt::print("{}", text);
    else
        write_whole(arguments.output, std::as_bytes(std::span(text)), "--output");
}

std::string page_of(int file) {
    const MappedFile mapped(file);
    try {
        return html_view(Scene(mapped.bytes(), "--capture"));
    } catch (const UsageError& error) {
        throw RunError(error.what());
    }
}

} // namespace mesh::host
