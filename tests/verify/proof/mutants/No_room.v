(* A packet that crosses one link, among nodes without buffers. *)
From Proof Require Import Three Kinds.

Definition size (_ : node) := 0.
Definition to_c (_ : node) (_ : unit) := [(c, tt)].

Theorem found : ~ all_kinds_descend node size size unit to_c (fun _ _ => true)
  (fun _ => true) (fun h => h).
Proof.
  intro T. specialize (T single 1 0 0 b tt ltac:(lia)). inversion T as [? ? ? Copies _].
  destruct (Copies _ _ (or_introl eq_refl)) as (_ & B & _). vm_compute in B. lia.
Qed.
