(* Nothing starts any more, and one offer waits for its process. *)
From Proof Require Import Three Theorems.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 1.
Definition offer := Packet 0 [] (Some (patient, nothing_left)).

Theorem found : ~ comes_to_rest node same size reserve.
Proof.
  intro T. begin size reserve. start b offer. keep 0.
  match goal with R : reachable _ _ _ _ ?s |- _ =>
    destruct (T ltac:(intro; vm_compute; lia) 0 s s R ltac:(constructor))
      as (_ & _ & Rest) end.
  destruct Rest as [E _]; [|discriminate]. intros e [<-|[]] A. now inversion A.
Qed.
