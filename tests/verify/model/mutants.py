"""Mutants that must be found: each is a name, the text that is changed, and the new text.

A text that is no longer there is a failure of the table, not of the protocol: the mutant is to
follow the code.
"""

# Of tests/verify/model/mailbox.m: with so many places, the text, and what stands there instead.
MAILBOX = {
    "forgets what it has dropped": (
        1, "    else\n      note();\n    end;\n    if !stays", "    end;\n    if !stays"),
    "takes an offer in while it calls": (
        2, "n = next(last) & !called & !more", "n = next(last) & !more"),
    "takes in an offer behind one that was dropped": (1, "& n = next(last) &", "&"),
    "a call leaves old offers as they are": (
        1, "waits_here(m) | (is[m] = offered & is_behind(number_of[m], call_last[r]))",
        "waits_here(m)"),
    "heeds a call that is late": (1, "if is_later(r, heard) then", "if true then"),
    "takes an offer in though its last call is lost": (
        2, "!called & !more & !lost &", "!called & !more &"),
    "does not say that it holds others": (
        1, "send(m, answers[m], holds_but(m))", "send(m, answers[m], false)"),
    "sends away what it has said is here": (1, "= last & !called & backs", "= last & backs"),
    "sends away what is not the last": (2, "in_box[m] & number_of[m] = last", "in_box[m]"),
    "sends no hints": (0, "hints := hints + 1", "hints := hints"),
    "asks nobody for what its process waits for": (
        0, "more := true; unasked := true;", "more := true;"),
}

# Of firmware/kernel/links/link.cpp.
LINK = {
    "accepts a duplicate": ("return Verdict::duplicate;", "return Verdict::accept;"),
    "accepts behind a gap": ("return Verdict::gap;", "return Verdict::accept;"),
    "ignores the epoch": ("epoch == refusing_epoch_", "false"),
    "loses a refused packet": ("take_back(context, buffer);", "context.pool.release(buffer);"),
    "forgets to release a packet": ("context.pool.release(buffer);\n            probes_ = 0;",
                                    "probes_ = 0;"),
    "stays in its epoch": ("session_ ^= wire::link_flag::kEpochMask;", ""),
    "names a session by a sum": ("22 * sender + receiver", "sender + receiver"),
    "takes no next number": ("    ++mine_;\n", ""),
    "goes on counting in a new session": ("base_ = expected_ = 0;", "base_ = 0;"),
    "sends beyond the window": (
        "flight_bytes_ + frame_bytes(buffer) <= context.cables.window_bytes", "true"),
    "turns refused packets round": ("    taken_back_ = buffer;\n", ""),
    "sends on while packets come back": ("closed_ = kDraining;", ""),
    "acknowledges what it has not": ("header.acknowledged = expected_;",
                                     "header.acknowledged = static_cast<std::uint16_t>("
                                     "expected_ + 1);"),
    "never asks a peer without buffers": ("blocked_ = false; // the word", "// the word"),
    "sets no timer": ("context.time.retry_at(slot(context, flight(context, 0)).arrival,\n"
                      "                                          backed_off_us(context))",
                      "wire::kNever"),
    "sends nothing again": ("++resend_end_;", "break;"),
    "answers instead of asking": ("if (hello_ != Kind::hello)", "if (true)"),
}

# Of whole kernels: a file of firmware/, the text, and what stands there instead. What admission
# must not do shows in pools that these few messages never fill: it is the proof's.
KERNELS = {
    "calls nobody": ("kernel/packets/intake.cpp",
                     "if (more_ == 0 || unexpected_ + called_ >= room_)", "if (true)"),
    "goes on where it was sent away": (
        "kernel/packets/messages.hpp", "message = 0;\n        sent_bytes = 0;", "message = 0;"),
}

# Mends of kernel and collectives, taken out: the kind of soak that must find it (../soak), a file
# of firmware/, the text, and what stands there instead.
SOAK = {
    "broadcasts send a late node whole windows": (
        "late", "collectives/tree_flow.hpp",
        "begun ? half_window(kernel) : limits::early_half(buffers)", "half_window(kernel)"),
    "an offer that is dropped is not noted": (
        "storm", "kernel/packets/intake.cpp",
        "note(from);\n    return Verdict::drop;", "return Verdict::drop;"),
    "nobody is asked for what processes wait for": (
        "parts", "kernel/packets/answers.cpp",
        "if (wants.all().empty() || !admission_.may_ask())", "if (true)"),
    "offers keep the places that packets of calls need": (
        "parts", "kernel/packets/forwarder.cpp", "while (pool_.overdrawn()) {", "while (false) {"),
    "a message is taken though a process keeps its last packet": (
        "parts", "kernel/packets/forwarder.cpp",
        "if (is_kept(header.source, header.message))", "if (false)"),
    "a late call is heeded": (
        "mixed", "kernel/packets/intake.cpp", "if (!is_later_round(round, from.heard))",
        "if (false)"),
    "a call of a life before is heeded": (
        "resets", "kernel/node/kernel.cpp", "forwarder_.lacks_password(question)", "false"),
    "an offer answers a call of a life before": (
        "resets", "kernel/api/message.cpp", "if (outgoing_.answers != peer.heard)", "if (false)"),
    "an answer to a question of a life before counts": (
        "resets", "kernel/packets/messages.hpp",
        "return ~MessageName{outgoing.asks_as, life_}.word();", "return outgoing.asks_as;"),
    "a call counts as not sent when another life is met": (
        "resets", "kernel/packets/intake.cpp", "on_lost_call(node, from.round);",
        "end_call(from);"),
    "an offer is taken in though a call is lost": (
        "mixed", "kernel/packets/intake.cpp", "from.lost == 0 && next", "next"),
    "an offer to a life before is taken in": (
        "resets", "kernel/packets/forwarder.cpp",
        "return intake.judge(offer, wanted == life,", "return intake.judge(offer, wanted != 0,"),
    "a message has no second way": (
        "parts", "kernel/packets/messages.cpp", "outgoing.lose_way();", ";"),
    "an answer says that all came, though a session was lost": (
        "flaps", "kernel/packets/forwarder.cpp",
        "return service_of(header) == Service::here &&", "return false &&"),
    "who has lost a message of a call waits for the next one": (
        "flaps", "kernel/node/kernel.cpp", "calls().part(label, outgoing.to);", ";"),
    "silence counts while a link repeats": (
        "mixed", "kernel/node/kernel.cpp",
        "messages_.next_question(outgoing, !links_.retrying())",
        "messages_.next_question(outgoing, true)"),
    "a program's end leaves offers of calls waiting": (
        "parts", "kernel/packets/forwarder.cpp",
        "!(all && service_of(buffer->header) == Service::message)",
        "!(all && buffer->header.call == 0 && service_of(buffer->header) == Service::message)"),
    "who waits for its request to be taken takes no answer": (
        "parts", "collectives/window_access.cpp",
        "answered = answered || (message.at_end() && request.is_answered());",
        "answered = message.at_end() && request.is_answered();\n"
        "        if (answered)\n            break;"),
    "an answer to a request of a life before is taken": (
        "parts", "collectives/window_access.cpp",
        "std::uint32_t{kernel.life()} << 16 |\n                       "
        "(static_cast<std::uint32_t>(kernel.deadline_in(0)) & 0xFFFFu)", "1u"),
}
