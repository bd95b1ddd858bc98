(* A packet waits for a buffer of a node that has none. *)
From Proof Require Import Three Theorems.

Definition size (_ : node) := 0.
Definition to_c := Buffer b false (Packet 1 [(c, nothing_left)] None).

Theorem found : ~ ready_does node same size size.
Proof.
  intro T. destruct (T ltac:(easy) [to_c] to_c ltac:(now left)) as (t & D). inversion D;
    match goal with E : ?newer ++ _ :: _ = [to_c] |- _ =>
      destruct newer as [|? [|]]; inversion E; subst end.
  all: try match goal with E : ?before ++ _ :: _ = [_] |- _ =>
    destruct before as [|? [|]]; inversion E; subst end.
  all: match goal with
    | F : takes _ _ _ _ _ _ _ |- _ => vm_compute in F; lia
    | F : keeps _ _ _ _ _ |- _ => vm_compute in F; lia
    end.
Qed.
