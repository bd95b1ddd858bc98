// Runs a fuzz target over the files that are named, once each, without a fuzzer: replay FILE...
//
// A fault ends it as it ends a fuzzer; the name of the file has been printed by then.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** names) {
    for (int i = 1; i < count; ++i) {
        std::fprintf(stderr, "%s\n", names[i]);
        std::ifstream file(names[i], std::ios::binary);
        if (!file)
            return 1;
        // With no room behind it: a library that checks its bounds sees a read there.
        const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%d inputs\n", count - 1);
    return 0;
}
