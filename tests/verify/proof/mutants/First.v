(* The first packet of b for c has a long way to go, and so has the first one of c for b. Behind
   them are others, which the peer would take. *)
From Proof Require Import Three.

Definition size (_ : node) := 3.
Definition reserve (_ : node) := 0.
Definition far to := Packet 2 [(to, Packet 1 [(a, nothing_left)] None)] None.
Definition near to := Packet 1 [(to, nothing_left)] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start b (far c). start b (near c). start c (far b). start c (near b). stuck.
Qed.
