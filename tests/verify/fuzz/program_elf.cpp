// Any bytes as a program: whatever its headers say, sections and symbols lie in the file, and what
// the tool asks of an image, it gets or does not get.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "host-tools/mesh/programs/program_file.hpp"
#include "input_file.hpp"
#include "require.hpp"

#include <cstdint>
#include <string_view>

namespace {

using namespace mesh;

void read_program(const std::string& path) {
    const host::ProgramFile file(path);
    const auto all = file.bytes();
    for (const std::string_view name : {host::kStampSection, host::kSimulatedSection,
                                        host::kWaitsSection, std::string_view(".symtab")}) {
        const auto section = file.section(name);
        require(section.empty() || (section.data() >= all.data() &&
                                    section.data() + section.size() <= all.data() + all.size()));
    }
    file.check_for_simulation();
    file.check_for_board("mps2-an505");
}

void read_symbols(const std::string& path) {
    const host::ImageSymbols symbols(path);
    static_cast<void>(symbols.variable("node_memory"));
    static_cast<void>(symbols.label("end"));
    require(symbols.function_at(1) == symbols.function_at(0)); // Thumb code
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::InputFile file;
    file.fill(data, size);
    for (auto* const read : {read_program, read_symbols})
        try {
            read(file.path());
        } catch (const host::UsageError&) { // no program, or not for this
        }
    return 0;
}
