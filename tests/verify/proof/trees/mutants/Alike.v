(* Of the three subtrees of three dimensions two have two nodes each. *)
Require Import Lia.
From Proof Require Import Rules Cube Sizes.

Theorem found : ~ sizes_fall 3.
Proof. intro T. specialize (T 1 ltac:(lia)). vm_compute in T. lia. Qed.
