(* Node c is full of packets that its processes could take. A packet of b for c could go on if these
   were gone, but not beside them. *)
From Proof Require Import Three Theorems.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 0.
Definition here := Packet 0 [] (Some (prompt, nothing_left)).
Definition to_c := Packet 1 [(c, nothing_left)] None.

Theorem found : ~ no_deadlock node same size reserve.
Proof.
  intro T. begin size reserve. start c here. start c here. start b to_c.
  match goal with R : reachable _ _ _ _ ?s |- _ =>
    destruct (T ltac:(intro; vm_compute; lia) s [Buffer b false to_c] R)
      as (e & [<-|[]] & A); [repeat constructor|intro W; inversion W; easy|] end.
  inversion A as [? ? ? ? ? w q I F| | | |]. subst. destruct I as [E|[]].
  injection E as <- <-. vm_compute in F. lia.
Qed.
