(* b and c have started as many packets as they may, which go through the other one, and then taken
   in an offer each that no process takes. There is a limit to offers, and the pools have room for
   them beside the longest way; but where they count as used buffers like any others, they keep out
   what was on its way before they came. *)
From Proof Require Import Three.

Definition size (_ : node) := 4.
Definition reserve (_ : node) := 1.
Definition offer to := Packet 1 [(to, Packet 0 [] (Some (patient, nothing_left)))] None.
Definition packet to := Packet 2 [(to, Packet 1 [(a, nothing_left)] None)] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start b (packet c). start b (packet c).
  start c (packet b). start c (packet b).
  start a (offer b). cross 0. keep 0. finish 1. start a (offer c). cross 0. keep 0. finish 1. stuck.
Qed.
