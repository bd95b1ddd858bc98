-- Wireshark's dissector for the frames of a mesh: what `mesh run --capture` writes, and what else
-- has seen them on an Ethernet (EtherType 0x88B5). `make install` puts it under share/meshputer;
-- copy it into Wireshark's folder of personal plugins, or say: wireshark -X lua_script:FILE
--
-- It is written in what Lua 5.2 (Wireshark 3.6 to 4.2) and Lua 5.4 (4.4 and later) have in common,
-- with Wireshark's own library `bit`.
--
-- The offsets and names are those of firmware/wire/frame.hpp, which a test compares. All of them
-- count from the start of the frame or of the packet, as there.
local at = {
  kind = 14, port = 15, sequence = 16, acknowledged = 18, refused = 20, free_buffers = 24,
  packet_bytes = 26, model_time = 28, hops = 36, flags = 38, link_crc = 40, head_bytes = 44
}
local packet_at = {
  rule = 0, subtree = 1, payload_bytes = 2, source = 4, destination = 8, tag = 12, service = 14,
  flags = 15, message = 16, position = 20, total_bytes = 24, unit_bytes = 28, call = 28,
  packet_crc = 32, header_bytes = 36
}
-- What the packet of a frame of kind `load` begins with (LoadHeader in firmware/wire/load.hpp).
local load_at = {
  checksum = 0, tag = 4, depth = 5, place = 6, position = 8, crc = 12, image_crc = 16,
  image_bytes = 20, version = 24, older = 28, nodes = 30, header_bytes = 32
}
local load_tags = { [1] = "block", [2] = "start", [3] = "have", [4] = "started", [5] = "refused" }
local kinds = { [1] = "hello", [2] = "hello_answer", [3] = "data", [4] = "ack", [5] = "host",
                [6] = "idle", [7] = "grant", [8] = "load" }
local services = { [0] = "packet", [1] = "message", [2] = "fragment", [3] = "ask", [4] = "probe",
                   [5] = "call", [6] = "look", [7] = "taken", [8] = "nothing", [9] = "lost",
                   [10] = "alive", [11] = "unknown", [12] = "here", [13] = "gone" }
local ether_type = 0x88B5
local ethernet_bytes = 14 -- that Wireshark's own dissector takes from the front

local link = Proto("meshputer", "Meshputer link")
local packet = Proto("meshputer_packet", "Meshputer packet")
local load = Proto("meshputer_load", "Meshputer load")
local link_fields = {
  kind = ProtoField.uint8("meshputer.kind", "Kind", base.DEC, kinds),
  port = ProtoField.uint8("meshputer.port", "Out-port of the sender"),
  sequence = ProtoField.uint16("meshputer.sequence", "Sequence number"),
  acknowledged = ProtoField.uint16("meshputer.acknowledged", "Next sequence number expected"),
  refused = ProtoField.uint32("meshputer.refused", "Refused", base.HEX),
  free_buffers = ProtoField.uint16("meshputer.free_buffers", "Free buffers"),
  packet_bytes = ProtoField.uint16("meshputer.packet_bytes", "Bytes of the packet"),
  model_time = ProtoField.uint64("meshputer.model_time", "Model time of arrival (ticks)"),
  hops = ProtoField.uint16("meshputer.hops", "Links crossed"),
  flags = ProtoField.uint16("meshputer.flags", "Flags", base.HEX),
  link_crc = ProtoField.uint32("meshputer.link_crc", "CRC-32 of the link header", base.HEX)
}
-- What fields are that have another meaning in frames of these kinds (Kind in frame.hpp).
local hello_fields = {
  sequence = ProtoField.uint16("meshputer.hello.network", "Network", base.HEX),
  acknowledged = ProtoField.uint16("meshputer.hello.number", "Number of this end in the session"),
  refused = ProtoField.uint32("meshputer.hello.node", "Node"),
  free_buffers = ProtoField.uint16("meshputer.hello.known", "Number known of the other end")
}
local fields_of_kind = {
  hello = hello_fields,
  hello_answer = hello_fields,
  ack = { sequence = ProtoField.uint16("meshputer.ack.session", "Session", base.HEX) },
  idle = { refused = ProtoField.uint32("meshputer.idle.consumed", "Frames consumed") }
}
local goals = {
  [0x80000000] = "the set that the payload begins with", [0xFFFFFFFF] = "all nodes"
}
local packet_fields = {
  rule = ProtoField.uint8("meshputer.packet.rule", "Routing rule"),
  subtree = ProtoField.uint8("meshputer.packet.subtree", "Subtree"),
  payload_bytes = ProtoField.uint16("meshputer.packet.payload_bytes", "Bytes of the payload"),
  source = ProtoField.uint32("meshputer.packet.source", "Source"),
  destination = ProtoField.uint32("meshputer.packet.destination", "Destination", base.DEC, goals),
  tag = ProtoField.uint16("meshputer.packet.tag", "Tag"),
  service = ProtoField.uint8("meshputer.packet.service", "Service", base.DEC, services),
  flags = ProtoField.uint8("meshputer.packet.flags", "Flags", base.HEX),
  message = ProtoField.uint32("meshputer.packet.message", "Message"),
  position = ProtoField.uint32("meshputer.packet.position", "Position in the message"),
  total_bytes = ProtoField.uint32("meshputer.packet.total_bytes", "Bytes of the message"),
  unit_bytes = ProtoField.uint32("meshputer.packet.unit_bytes", "Bytes of the external packet",
                                 base.DEC, nil, 0x1FFFFF),
  call = ProtoField.uint32("meshputer.packet.call", "Call of a collective, twice its number",
                           base.DEC, nil, 0xFFE00000),
  packet_crc = ProtoField.uint32("meshputer.packet.crc", "CRC-32 of header and payload", base.HEX)
}
local load_fields = {
  checksum = ProtoField.uint32("meshputer.load.checksum", "CRC-32 of all behind it", base.HEX),
  tag = ProtoField.uint8("meshputer.load.tag", "Message", base.DEC, load_tags),
  depth = ProtoField.uint8("meshputer.load.depth", "Depth of the tree from here on"),
  place = ProtoField.uint16("meshputer.load.place", "Place in the tree"),
  position = ProtoField.uint32("meshputer.load.position", "Position in the load"),
  crc = ProtoField.uint32("meshputer.load.crc", "CRC-32 of tree and image", base.HEX),
  image_crc = ProtoField.uint32("meshputer.load.image_crc", "CRC-32 of the image", base.HEX),
  image_bytes = ProtoField.uint32("meshputer.load.image_bytes", "Bytes of the image"),
  version = ProtoField.uint32("meshputer.load.version", "Version"),
  older = ProtoField.uint16("meshputer.load.older", "In place of a later version"),
  nodes = ProtoField.uint16("meshputer.load.nodes", "Bytes of the tree")
}
local block = ProtoField.bytes("meshputer.load.block", "Block")
local payload = ProtoField.bytes("meshputer.packet.payload", "Payload")
local bad_link = ProtoExpert.new("meshputer.link_crc.bad", "The CRC of the link header is wrong",
                                 expert.group.CHECKSUM, expert.severity.ERROR)
local bad_packet = ProtoExpert.new("meshputer.packet.crc.bad", "The CRC of the packet is wrong",
                                   expert.group.CHECKSUM, expert.severity.ERROR)

local bad_load = ProtoExpert.new("meshputer.load.checksum.bad", "The CRC of the message is wrong",
                                 expert.group.CHECKSUM, expert.severity.ERROR)

local function list(fields, more)
  local all = { more }
  for _, field in pairs(fields) do all[#all + 1] = field end
  return all
end
-- The fields of a frame of this kind.
local function link_fields_of(kind)
  local fields = {}
  for name, field in pairs(link_fields) do fields[name] = field end
  for name, field in pairs(fields_of_kind[kinds[kind]] or {}) do fields[name] = field end
  return fields
end

local all_link_fields = list(link_fields)
for _, fields in ipairs({ hello_fields, fields_of_kind.ack, fields_of_kind.idle }) do
  for _, field in pairs(fields) do all_link_fields[#all_link_fields + 1] = field end
end
link.fields = all_link_fields
link.experts = { bad_link }
packet.fields = list(packet_fields, payload)
packet.experts = { bad_packet }
load.fields = list(load_fields, block)
load.experts = { bad_load }

-- What the capture says of a frame beside its bytes.
local interface = Field.new("frame.interface_description")
local direction = Field.new("frame.packet_flags_direction")
local comment = Field.new("frame.comment")
local inbound = 1

-- Who sends to whom, "node 0 port 0" and "node 1 port 0", as the capture names the two ends of a
-- cable. The addresses of Ethernet name a node and a port only. Nothing where no capture of a mesh
-- is read.
local function ends()
  local here, there = tostring(interface() or ""):match("^(node %d+ port %d+) %S+ (.+)$")
  if direction() and direction().value == inbound then return there, here end
  return here, there
end

local crc_of_byte = {}
for byte = 0, 255 do
  local crc = byte
  for _ = 1, 8 do
    local odd = bit.band(crc, 1) == 1
    crc = bit.rshift(crc, 1)
    if odd then crc = bit.bxor(crc, 0xEDB88320) end
  end
  crc_of_byte[byte] = crc
end

-- The CRC-32 of a string behind what has the CRC `before`.
local function crc32(bytes, before)
  local crc = bit.bnot(before or 0)
  for place = 1, #bytes do
    local low = bit.band(bit.bxor(crc, bytes:byte(place)), 0xFF)
    crc = bit.bxor(bit.rshift(crc, 8), crc_of_byte[low])
  end
  return bit.bnot(crc)
end

local function is(crc, range) return bit.tobit(crc) == bit.tobit(range:le_uint()) end

-- Every field from its offset up to the next one, in their order. Offsets count from `start`.
local function add_fields(tree, range, fields, offsets, start)
  local order = {}
  for name in pairs(fields) do order[#order + 1] = name end
  table.sort(order, function(a, b)
    return offsets[a] < offsets[b] or offsets[a] == offsets[b] and a < b
  end)
  for place, name in ipairs(order) do
    local next = place + 1
    while order[next] and offsets[order[next]] == offsets[name] do next = next + 1 end
    local behind = offsets[order[next] or (offsets.link_crc and "head_bytes" or
                                                "header_bytes")]
    tree:add_le(fields[name], range(offsets[name] - start, behind - offsets[name]))
  end
end

-- Adds a header and what follows it, which `rest` is the field of. `range` is what is there of so
-- many bytes; nothing if that is too little, else the branch, and whether all is there.
local function add_part(proto, range, bytes, fields, offsets, rest, tree)
  local branch = tree:add(proto, range)
  if range:len() < offsets.header_bytes then
    branch:append_text(", cut short")
    return nil
  end
  add_fields(branch, range, fields, offsets, 0)
  if range:len() > offsets.header_bytes then
    branch:add(rest, range(offsets.header_bytes))
  end
  local whole = range:len() >= bytes
  if not whole then branch:append_text(", cut short: its CRC is not checked") end
  return branch, whole
end

local function add_wrong(branch, info, expert_info)
  branch:add_proto_expert_info(expert_info)
  info.cols.info:append(" [wrong CRC]")
end

local function add_packet(range, bytes, info, tree)
  local branch, whole = add_part(packet, range, bytes, packet_fields, packet_at, payload, tree)
  if not branch then return end
  info.cols.info:append(string.format(", message %d of node %d at %d",
    range(packet_at.message, 4):le_uint(), range(packet_at.source, 4):le_uint(),
    range(packet_at.position, 4):le_uint()))
  local raw = range:raw()
  local head = raw:sub(1, packet_at.packet_crc)
  if whole and not is(crc32(raw:sub(packet_at.header_bytes + 1), crc32(head)),
                      range(packet_at.packet_crc, 4)) then
    add_wrong(branch, info, bad_packet)
  end
end

local function add_load(range, bytes, info, tree)
  local branch, whole = add_part(load, range, bytes, load_fields, load_at, block, tree)
  if not branch then return end
  info.cols.info:append(string.format(", %s at %d",
    load_tags[range(load_at.tag, 1):le_uint()] or "unknown",
    range(load_at.position, 4):le_uint()))
  if whole and not is(crc32(range:raw():sub(load_at.tag + 1)), range(load_at.checksum, 4)) then
    add_wrong(branch, info, bad_load)
  end
end

function link.dissector(buffer, info, tree)
  local head = at.head_bytes - ethernet_bytes
  if buffer:len() < head then return 0 end
  local function number(name, bytes) return buffer(at[name] - ethernet_bytes, bytes):le_uint() end
  local kind, bytes = number("kind", 1), number("packet_bytes", 2)
  info.cols.protocol = "mesh"
  local words = kinds[kind] or "unknown kind"
  if fields_of_kind[words] == hello_fields then
    local starts = bit.rshift(number("flags", 2), 8)
    words = string.format("%s of node %d%s", words, number("refused", 4),
      starts == 0 and "" or string.format(", start %d", starts))
  elseif words == "ack" then
    words = string.format("ack, expects %d", number("acknowledged", 2))
  elseif words == "data" then
    words = string.format("data %d, expects %d", number("sequence", 2), number("acknowledged", 2))
  end
  if comment() then words = string.format("%s [%s]", words, tostring(comment())) end
  info.cols.info = words
  local from, to = ends()
  if from then
    info.src = info.net_src -- none, or Wireshark would write the address into the column again
    info.dst = info.net_dst
    info.cols.src = from
    info.cols.dst = to
  end
  local branch = tree:add(link, buffer(0, head))
  add_fields(branch, buffer, link_fields_of(kind), at, ethernet_bytes)
  local covered = string.char(bit.rshift(ether_type, 8), bit.band(ether_type, 0xFF)) ..
                  buffer(0, at.link_crc - ethernet_bytes):raw()
  if not is(crc32(covered), buffer(at.link_crc - ethernet_bytes, 4)) then
    add_wrong(branch, info, bad_link) -- and lengths mean nothing
    return buffer:len()
  end
  local there = math.min(bytes, buffer:len() - head)
  local add = kinds[kind] == "load" and add_load or add_packet
  if there > 0 then add(buffer(head, there), bytes, info, tree) end
  return head + there
end

DissectorTable.get("ethertype"):add(ether_type, link)
