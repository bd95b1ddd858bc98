(* A path and itself. *)
Require Import Lia.
From Proof Require Import Rules Cube Paths.

Theorem found : ~ paths_are_disjoint 2 (fun _ => true).
Proof.
  intro T. apply (T 0 0 1 1); try (vm_compute; lia). easy.
Qed.
