(* Packets that go round for as long as they like fill the nodes of a circle. *)
From Proof Require Import Three.

Definition size (_ : node) := 1.
Definition reserve (_ : node) := 0.
Definition on (v : node) p := Packet 0 [(v, p)] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start a (on b (on c nothing_left)). start b (on c (on a nothing_left)).
  start c (on a (on b nothing_left)). stuck.
Qed.
