(* 33 frames are refused, and an answer tells of 32. *)
From Proof Require Import Try Order.

Theorem found : ~ nothing_is_lost alike 33.
Proof.
  intro T. pose proof (begun alike 33 0 0 (le_n 0)) as R. vm_compute in R. do 33 offer.
  do 33 (sends_by ltac:(apply takes_one;
    eapply (pick _ _ _ _ _ [] _ _ _ _ _ 1); [simpl; lia|intros q []|simpl; lia])).
  transmit 0 33. get 0 no. acknowledge. hear 0.
  match goal with R : in_session _ _ _ _ ?l |- _ =>
    specialize (T 0 0 l 32 R ltac:(simpl; lia)) end.
  simpl in T. lia.
Qed.
