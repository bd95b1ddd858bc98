(* From 00 to 01, by the path that begins across the second dimension. *)
Require Import Lia.
From Proof Require Import Rules Cube Paths.

Theorem found : ~ path_length_most 2 (Nat.eqb 0).
Proof. intro T. specialize (T 1 ltac:(lia) ltac:(vm_compute; lia)). vm_compute in T. lia. Qed.
