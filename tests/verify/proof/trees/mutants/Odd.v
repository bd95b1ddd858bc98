(* In three dimensions there is no fourth one to be of a pair with the third. *)
Require Import Lia.
From Proof Require Import Rules Cube Bt1.

Theorem found : ~ bt1_spans 3 true.
Proof.
  intro T. destruct (T (fun k => Nat.eqb k 2)) as (path & L & _). inversion L as [? R|? ? _ K _].
  - discriminate R.
  - vm_compute in K. lia.
Qed.
