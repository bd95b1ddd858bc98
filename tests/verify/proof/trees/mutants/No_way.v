(* From a node to itself. *)
Require Import Lia.
From Proof Require Import Rules Cube Paths.

Theorem found : ~ path_arrives 2 (fun _ => false).
Proof.
  intro T. destruct (T 0 ltac:(lia)) as [_ Early]. apply (Early 0 ltac:(vm_compute; lia)). easy.
Qed.
