#include "recording.hpp"

#include "host-tools/mesh/capture/block_buffer.hpp"
#include "host-tools/mesh/capture/pcapng.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::span<const std::byte>;

/// One block of the file, or one option of a block.
struct TypedBytes {
    std::uint32_t type = 0;
    Bytes body;
};

/// Takes the next whole block off the front; nothing if there is none.
std::optional<TypedBytes> take_block(Bytes& rest) {
    if (rest.size() < pcapng::kBlockFrame)
        return std::nullopt;
    const auto bytes = wire::load<std::uint32_t>(rest, sizeof(std::uint32_t));
    if (bytes < pcapng::kBlockFrame || bytes % 4 != 0 || bytes > rest.size())
        return std::nullopt;
    const TypedBytes found{wire::load<std::uint32_t>(rest, 0),
                           rest.subspan(pcapng::kBlockHead, bytes - pcapng::kBlockFrame)};
    rest = rest.subspan(bytes);
    return found;
}

std::optional<TypedBytes> take_option(Bytes& rest) {
    if (rest.size() < sizeof(std::uint32_t))
        return std::nullopt;
    const auto code = wire::load<std::uint16_t>(rest, 0);
    const auto bytes = wire::load<std::uint16_t>(rest, sizeof code);
    const std::size_t whole = sizeof(std::uint32_t) + pcapng::padded(bytes);
    if (code == pcapng::option::kEnd || whole > rest.size())
        return std::nullopt;
    const TypedBytes found{code, rest.subspan(sizeof(std::uint32_t), bytes)};
    rest = rest.subspan(whole);
    return found;
}

/// An interface: an end of a cable, and the end at the other side.
struct End {
    unsigned node = ~0u;
    unsigned port = 0;
    unsigned far_node = 0;
    unsigned far_port = 0;
};

class Reader {
public:
    Reader(std::string name, Recording& out) : name_(std::move(name)), recording_(out) {}

    void read(Bytes file) {
        while (const auto block = take_block(file))
            take(*block);
        if (recording_.plan.is_null())
            refuse_foreign();
        recording_.cut_short = !file.empty() || recording_.results.is_null();
    }

private:
    [[noreturn]] void refuse_foreign() const {
        refuse("'{}': no capture of a mesh; `mesh run --capture FILE.pcapng` writes one", name_);
    }

    void take(const TypedBytes& block) {
        if (block.type == pcapng::block::kSection)
            take_section(block.body);
        else if (recording_.plan.is_null())
            refuse_foreign();
        else if (block.type == pcapng::block::kInterface)
            take_interface(block.body);
        else if (block.type == pcapng::block::kPacket)
            take_packet(block.body);
        else if (block.type == pcapng::block::kStatistics)
            take_results(block.body);
        else if (block.type == pcapng::block::kCustom)
            take_trace_event(block.body);
    }

    /// The JSON of a comment, behind the `text` of the comments before it: text that fills its
    /// option goes on in the next one.
    static Json json_of(std::string& text, Bytes comment) {
        text += text_of(comment);
        if (comment.size() == kOptionBytesMax)
            return {};
        return Json::parse(std::exchange(text, {}), nullptr, false);
    }

    void take_section(Bytes body) {
        if (body.size() < pcapng::kSectionFields ||
            wire::load<std::uint32_t>(body, 0) != pcapng::kByteOrder || !recording_.plan.is_null())
            refuse_foreign();
        body = body.subspan(pcapng::kSectionFields);
        Json plan;
        std::string text;
        while (const auto option = take_option(body)) {
            if (option->type == pcapng::option::kComment)
                plan = json_of(text, option->body);
            else if (option->type == pcapng::option::kApplication)
                recording_.command = text_of(option->body);
        }
        if (!plan.is_object() || !plan.contains("topology") || !plan["topology"].is_string() ||
            !plan.contains("dim") || !plan["dim"].is_number_integer())
            refuse_foreign();
        recording_.network = network_of(plan["topology"].get<std::string>(), plan["dim"]);
        in_lockstep_ = plan.value("lockstep", true);
        clocks_.resize(recording_.nodes());
        recording_.plan = std::move(plan);
    }

    /// "node 5 port 2 -> node 1 port 2"
    void take_interface(Bytes body) {
        End end;
        body = body.subspan(std::min(body.size(), pcapng::kInterfaceFields));
        while (const auto option = take_option(body)) {
            std::array<unsigned, 4> numbers{};
            if (option->type == pcapng::option::kDescription &&
                std::sscanf(std::string(text_of(option->body)).c_str(),
                            "node %u port %u %*2s node %u port %u", &numbers[0], &numbers[1],
                            &numbers[2], &numbers[3]) == 4)
                end = {numbers[0], numbers[1], numbers[2], numbers[3]};
        }
        const unsigned ports = port_count(recording_.network);
        if (end.node >= recording_.nodes() || end.far_node >= recording_.nodes() ||
            end.port >= ports || end.far_port >= ports)
            refuse_foreign();
        ends_.push_back(end);
    }

    void take_packet(Bytes body) {
        if (body.size() < pcapng::kPacketFields)
            refuse_foreign();
        const auto interface = wire::load<std::uint32_t>(body, 0);
        const auto kept = wire::load<std::uint32_t>(body, 12);
        const auto whole = wire::load<std::uint32_t>(body, 16);
        if (interface >= ends_.size() || pcapng::padded(kept) > body.size() - pcapng::kPacketFields)
            refuse_foreign();
        const std::uint64_t time = (std::uint64_t{wire::load<std::uint32_t>(body, 4)} << 32) |
                                   wire::load<std::uint32_t>(body, 8);
        const Bytes frame = body.subspan(pcapng::kPacketFields, kept);
        Bytes options = body.subspan(pcapng::kPacketFields + pcapng::padded(kept));
        std::uint32_t flags = 0;
        std::uint64_t id = 0;
        std::string comment;
        while (const auto option = take_option(options)) {
            if (option->type == pcapng::option::kPacketFlags && option->body.size() == sizeof flags)
                flags = wire::load<std::uint32_t>(option->body, 0);
            else if (option->type == pcapng::option::kPacketId && option->body.size() == sizeof id)
                id = wire::load<std::uint64_t>(option->body, 0);
            else if (option->type == pcapng::option::kComment)
                comment = text_of(option->body);
        }
        ++recording_.frames;
        if ((flags & 3u) == pcapng::flag::kOutbound)
            goes_in(ends_[interface], time, id, frame, whole, std::move(comment));
        else if ((flags & 3u) == pcapng::flag::kInbound)
            comes_out(id, (flags & pcapng::flag::kWrong) == 0, comment);
    }

    void goes_in(const End& end, std::uint64_t time, std::uint64_t id, Bytes frame,
                 std::size_t whole, std::string&& comment) {
        Passage passage;
        passage.id = id;
        passage.sent_us = time;
        passage.from = node_at(end.node);
        passage.out = port_at(end.port);
        passage.to = node_at(end.far_node);
        passage.in = port_at(end.far_port);
        passage.comment = std::move(comment);
        passage.is_link = wire::read_head(frame, whole, passage.link) == wire::Parse::ok;
        if (passage.is_link && passage.link.kind == wire::Kind::data &&
            frame.size() >= wire::kHeadBytes + wire::kPacketHeaderBytes)
            passage.has_packet = read_packet_header(frame.subspan(wire::kHeadBytes), passage);
        set_clock(passage, passage.from);
        place_of_[id] = recording_.passages.size();
        recording_.passages.push_back(std::move(passage));
    }

    /// The header stands for itself: how much of the payload was kept does not matter.
    static bool read_packet_header(Bytes packet, Passage& passage) {
        const auto payload = wire::load<std::uint16_t>(packet, wire::packet_offset::kPayloadBytes);
        std::vector<std::byte> whole(packet.begin(), packet.end());
        whole.resize(wire::kPacketHeaderBytes + payload);
        return wire::read_packet(whole, passage.packet, false) == wire::Parse::ok;
    }

    void comes_out(std::uint64_t id, bool right, const std::string& comment) {
        const auto place = place_of_.find(id);
        if (place == place_of_.end())
            return;
        Passage& passage = recording_.passages[place->second];
        passage.arrived = passage.arrived || right;
        if (right)
            set_clock(passage, passage.to);
        if (!comment.empty())
            passage.comment += (passage.comment.empty() ? "" : ", ") + comment;
    }

    /// A node's clock is that of the last packet that it sent or took.
    void set_clock(const Passage& passage, NodeId node) {
        if (passage.has_packet && !passage.packet.is_timeless())
            clocks_[index(node)] =
                std::max<wire::ModelTime>(clocks_[index(node)], passage.link.model_time);
    }

    void take_results(Bytes body) {
        body = body.subspan(std::min(body.size(), pcapng::kStatisticsFields));
        std::string text;
        while (const auto option = take_option(body)) {
            Json results;
            if (option->type == pcapng::option::kComment)
                results = json_of(text, option->body);
            if (results.is_object())
                recording_.results = std::move(results);
        }
    }

    /// Takes a custom block of ours; custom blocks with other numbers are left out.
    void take_trace_event(Bytes body) {
        if (body.size() < pcapng::kTraceEventFields ||
            wire::load<std::uint32_t>(body, 0) != pcapng::kOurNumber)
            return;
        const auto bytes =
            wire::load<std::uint32_t>(body, pcapng::kTraceEventFields - sizeof(std::uint32_t));
        const auto node = wire::load<std::uint32_t>(body, 12);
        const auto what = wire::load<std::uint8_t>(body, 16);
        if (bytes > body.size() - pcapng::kTraceEventFields || node >= recording_.nodes() ||
            what > static_cast<std::uint8_t>(TraceEvent::What::printed))
            refuse_foreign();
        const auto time = wire::load<std::uint64_t>(body, 4);
        recording_.trace_events.push_back(
            {time, in_lockstep_ ? time : clocks_[node], node_at(node),
             wire::load<std::uint8_t>(body, 17), static_cast<TraceEvent::What>(what),
             std::string(text_of(body.subspan(pcapng::kTraceEventFields, bytes))),
             recording_.passages.size()});
    }

    std::string name_;
    Recording& recording_;
    std::vector<End> ends_;
    bool in_lockstep_ = true;
    std::vector<wire::ModelTime> clocks_; // by node
    std::unordered_map<std::uint64_t, std::size_t> place_of_;
};

} // namespace

void read_recording(std::span<const std::byte> file, const std::string& name, Recording& out) {
    Reader(name, out).read(file);
}

} // namespace mesh::host
