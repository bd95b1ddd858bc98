-- Admission by forward count (firmware/kernel/base/admission.hpp), for rumur.
--
-- What is in the network is in a place. A packet is: where it is, which copies have still to leave,
-- and who has still to take it. A message or a question that may not start yet, or that was sent
-- away, is in a place without a packet: it is a flag or a number, and has no buffer. places.cpp
-- writes the places of a network in front of this text, and what leads from one to the next, by the
-- routing rules of firmware/core.
--
-- Processes begin something as they like, while fewer than PACKETS are in the network, and take
-- offers as they like, until `stopped`; from then on everything has to come to rest but offers, for
-- which there is the reserve. So what waits for each other, anywhere, ends in a state from which no
-- rule leads.

var
  packets: array [place] of 0 .. NODES * BUFFERS;
  free: array [node] of 0 - RESERVE .. BUFFERS;  -- beside the reserve
  reserved: array [node] of 0 .. RESERVE;
  under_way: 0 .. NODES * BUFFERS + PACKETS;
  stopped: boolean;

-- There is room for one more offer.
function has_room(n: node): boolean;
begin return reserved[n] < RESERVE; end;

-- What admission looks at: what is set aside for offers is nobody else's.
function free_here(n: node): 0 - RESERVE .. BUFFERS;
begin return free[n]; end;

-- A node takes a packet from a neighbour.
function admits(n: node; links: links; back: links): boolean;
begin return free_here(n) > links + back; end;

-- A node starts one: a process, or the kernel that calls.
function may_start(n: node; longest: links): boolean;
begin return free_here(n) > longest; end;

-- What is in the reserve stays there until its buffer is free.
function in_reserve(p: place): boolean;
begin return is_reserved(p); end;

procedure enter(p: place);
begin
  packets[p] := packets[p] + 1;
  under_way := under_way + 1;
  if in_reserve(p) then reserved[at(p)] := reserved[at(p)] + 1;
  elsif is_packet(p) then free[at(p)] := free[at(p)] - 1; end;
end;

procedure leave(p: place);
begin
  packets[p] := packets[p] - 1;
  under_way := under_way - 1;
  if in_reserve(p) then reserved[at(p)] := reserved[at(p)] - 1;
  elsif is_packet(p) then free[at(p)] := free[at(p)] + 1; end;
end;

-- It becomes something else, or is gone: its buffer is free when nothing is left.
procedure go_on(from: place; rest: place_or_gone);
begin
  leave(from);
  if rest != GONE then enter(rest); end;
end;

startstate begin
  for p: place do packets[p] := 0; end;
  for n: node do free[n] := BUFFERS - RESERVE; reserved[n] := 0; end;
  under_way := 0;
  stopped := false;
end;

ruleset p: place do
  rule "begin" !stopped & begins(p) & under_way < PACKETS &
      (!is_packet(p) | may_start(at(p), bound(p))) ==>
  begin enter(p); end;

  rule "start" packets[p] > 0 & waits(p) = for_start & may_start(at(p), bound(p)) ==>
  begin go_on(p, next(p)); end;

  rule "call" packets[p] > 0 & waits(p) = for_call & has_room(at(p)) &
      may_start(at(p), bound(p)) ==>
  begin go_on(p, next(p)); end;

  rule "answer" packets[p] > 0 & waits(p) = for_kernel ==>
  begin go_on(p, next(p)); end;

  rule "consume" packets[p] > 0 & waits(p) = for_prompt ==>
  begin go_on(p, next(p)); end;

  rule "keep" packets[p] > 0 & waits(p) = for_room & has_room(at(p)) ==>
  begin go_on(p, next(p)); end;

  rule "send away" packets[p] > 0 & waits(p) = for_room & !has_room(at(p)) ==>
  begin go_on(p, away(p)); end;

  rule "take" packets[p] > 0 & waits(p) = for_process & !stopped ==>
  begin go_on(p, next(p)); end;
end;

ruleset c: copy do
  rule "cross" packets[waits_in(c)] > 0 &
      admits(goes_to(c), links_left(c), way_back(c)) ==>
  begin
    if arrival(c) != GONE then enter(arrival(c)); end;
    go_on(waits_in(c), without(c));
  end;
end;

-- Offers in the reserve may wait, and those that were sent away until there is room.
function at_rest(p: place): boolean;
begin
  return packets[p] = 0 | waits(p) = for_process | (waits(p) = for_call & !has_room(at(p)));
end;

rule "stop" !stopped ==> begin stopped := true; end;
rule "go on" stopped & forall p: place do at_rest(p) end ==> begin stopped := false; end;

ruleset p: place do cover "packets are here" packets[p] > 0; end;
