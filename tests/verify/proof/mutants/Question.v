(* A question that counts no way back; its answer crosses a link. *)
From Proof Require Import Three Kinds.

Definition size (_ : node) := 9.
Definition reserve (_ : node) := 0.
Definition to_c (_ : node) (_ : unit) := [(c, tt)].

Theorem found : ~ all_kinds_descend node size reserve unit to_c (fun _ _ => true)
  (fun _ => true) (fun h => h).
Proof.
  intro T. specialize (T question 0 0 1 b tt ltac:(vm_compute; lia)).
  inversion T as [? ? ? _ Next]. destruct (Next _ _ eq_refl) as [B _]. vm_compute in B. lia.
Qed.
