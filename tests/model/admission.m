-- Admission by forward count (firmware/kernel/base/admission.hpp), for rumur.
--
-- A packet in a node is in a place: where it is, which copies have still to leave, and whether the
-- node's own process has still to take it. places.cpp writes the places of a network in front of
-- this text, and the copies that lead from one to the next, by the routing rules of firmware/core.
--
-- Processes start packets as they like, while fewer than PACKETS are in the network, until
-- `stopped`; from then on everything has to come to rest. So packets that wait for each other,
-- anywhere, end in a state from which no rule leads.

var
  packets: array [place] of buffers;
  free: array [node] of buffers;
  under_way: 0 .. NODES * BUFFERS;
  stopped: boolean;

-- A node takes a packet from a neighbour.
function admits(free_here: buffers; remaining: links): boolean;
begin return free_here > remaining; end;

-- A process starts one.
function may_start(free_here: buffers; longest: links): boolean;
begin return free_here > longest; end;

procedure enter(p: place);
begin
  packets[p] := packets[p] + 1;
  free[at(p)] := free[at(p)] - 1;
  under_way := under_way + 1;
end;

procedure leave(p: place);
begin
  packets[p] := packets[p] - 1;
  free[at(p)] := free[at(p)] + 1;
  under_way := under_way - 1;
end;

-- A copy has left, or the process has taken its packet: the buffer is free when nothing is left.
procedure go_on(from: place; rest: place_or_gone);
begin
  leave(from);
  if rest != GONE then enter(rest); end;
end;

startstate begin
  for p: place do packets[p] := 0; end;
  for n: node do free[n] := BUFFERS; end;
  under_way := 0;
  stopped := false;
end;

ruleset p: place do
  rule "start" !stopped & starts(p) & under_way < PACKETS & may_start(free[at(p)], height(p)) ==>
  begin enter(p); end;

  rule "consume" packets[p] > 0 & is_for_process(p) ==>
  begin go_on(p, consumed(p)); end;
end;

ruleset c: copy do
  rule "cross" packets[waits_in(c)] > 0 & admits(free[at(arrival(c))], remaining(c)) ==>
  begin
    enter(arrival(c));
    go_on(waits_in(c), without(c));
  end;
end;

rule "stop" !stopped ==> begin stopped := true; end;
rule "begin again" stopped & under_way = 0 ==> begin stopped := false; end;

ruleset p: place do cover "packets are here" packets[p] > 0; end;
