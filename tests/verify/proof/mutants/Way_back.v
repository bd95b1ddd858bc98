(* Node a has asked its neighbours b and c, as often as they have buffers; an answer goes home by
   the other one. *)
From Proof Require Import Three.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 0.
Definition answer v := Packet 2 [(v, Packet 1 [(a, nothing_left)] None)] None.
Definition question v w := Packet 1 [(v, Packet 0 [] (Some (kernel, answer w)))] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve.
  start a (question b c). cross 0. finish 1. start a (question b c). cross 0. finish 1.
  start a (question c b). cross 0. finish 1. start a (question c b). cross 0. finish 1.
  turn 0. turn 1. turn 2. turn 3. stuck.
Qed.
