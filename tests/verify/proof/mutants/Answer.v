(* A node is full of what it can neither answer nor take, for want of a buffer for the word. *)
From Proof Require Import Three.

Definition size (_ : node) := 3.
Definition reserve (_ : node) := 0.
Definition word := Packet 1 [(b, nothing_left)] None.
(* From b to c and back: the bound counts both. *)
Definition question who := Packet 2 [(c, Packet 1 [] (Some (who, word)))] None.

Ltac fill who := begin size reserve; start b (question who); cross 0; finish 1;
  start b (question who); cross 0; finish 1.
Theorem found : deadlock size reserve.
Proof. solve [fill kernel; stuck] || solve [fill prompt; stuck]. Qed.
