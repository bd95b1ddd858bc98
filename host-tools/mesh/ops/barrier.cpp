// barrier: nobody goes on before everybody has come. No data moves.
#include "families.hpp"

#include <array>

namespace mesh::host {

namespace {

class Barrier final : public Operation {
public:
    using Operation::Operation;

    std::uint64_t expected_packets() const override {
        return std::uint64_t{run().nodes()} * port_count(run().network());
    }
    bool knows_packets() const override { return false; }
    std::optional<Formula> formula() const override {
        return barrier_formula(run().network(), run().ports);
    }
    std::string subject() const override { return {}; }
    void describe(Figures&) const override {}

private:
    std::vector<Expectation> answers() const override {
        return std::vector(run().nodes(), Expectation{});
    }
};

constexpr std::array kBarrierOps{OpKind{"barrier", "nobody goes on before all have come",
                                        wire::Op::barrier, kCommonProgram, "", plan_as<Barrier>}};

} // namespace

std::span<const OpKind> barrier_ops() { return kBarrierOps; }

} // namespace mesh::host
