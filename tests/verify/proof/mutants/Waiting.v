(* One offer waits for its process in the reserve. *)
From Proof Require Import Three Theorems.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 1.
Definition offer := Packet 0 [] (Some (patient, nothing_left)).

Theorem found : ~ no_deadlock node same size reserve.
Proof.
  intro T. begin size reserve. start b offer. keep 0.
  match goal with R : reachable _ _ _ _ ?s |- _ =>
    destruct (T ltac:(intro; vm_compute; lia) s s R ltac:(repeat constructor))
      as (e & [<-|[]] & A); now inversion A end.
Qed.
