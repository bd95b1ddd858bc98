(* A session of the same name begins a second time: an answer of the first one comes then. *)
From Proof Require Import Try Ends.

Definition w := 2.
Definition lied_later := exists c a b p, reachable alike w false c /\ In (a, b) (s_begun c) /\
  In p (told (from (lines c a b))) /\ ~ In p (map snd (got c)).

(* There is one proof of `reachable` at a time. *)
Ltac goes tactic := match goal with R : reachable _ _ _ ?c |- _ =>
  let S := fresh in eassert (step alike w false c _) as S by tactic;
  apply (later _ _ _ _ _ R) in S; clear R; vm_compute in S end.
Ltac s_goes rule := match goal with R : reachable _ _ _ (Cable _ _ _ _ _ _ ?ls _ _ _) |- _ =>
  let l := eval vm_compute in (ls 0 0) in let A := fresh in
  eassert (sends alike w l _) as A by rule; vm_compute in A;
  goes ltac:(exact (s_acts _ _ _ 0 0 _ _ _ _ _ ls _ _ _ _ A)); clear A end.
Ltac r_goes rule := match goal with R : reachable _ _ _ (Cable _ _ _ _ _ _ ?ls _ _ _) |- _ =>
  let l := eval vm_compute in (ls 0 0) in let A := fresh in
  eassert (receives l _) as A by rule; vm_compute in A;
  goes ltac:(exact (r_acts _ _ _ 0 0 _ _ _ _ _ ls _ _ _ _ A)); clear A end.
Ltac s_meets := goes ltac:(eapply s_changes; [apply (hears_first _ _ _ 0); now left|now right]);
  goes ltac:(apply s_begins).
Ltac send p := s_goes ltac:(apply offers);
  s_goes ltac:(apply takes_one; apply (pick _ _ _ _ _ [] p [] _ _ _ 1); cbv; lia || easy).

Theorem found : lied_later.
Proof.
  pose proof (at_first alike w false 0 0) as R. vm_compute in R.
  goes ltac:(apply s_says). goes ltac:(apply r_says). s_meets.
  goes ltac:(apply r_changes; apply (hears_first _ _ _ 0); now left). goes ltac:(apply r_begins).
  send 0. s_goes ltac:(apply (transmits _ _ _ _ _ _ 0 1)).
  r_goes ltac:(apply (gets _ _ _ _ (Frame 0 false [0]) yes); now left).
  r_goes ltac:(apply acknowledges).
  goes ltac:(eapply s_changes; [apply gives_up with (m' := 0); lia|now left])
    || (goes ltac:(eapply s_changes; [apply begins_anew with (m' := 0); lia|now left])).
  first [s_meets | goes ltac:(apply s_begins)]. send 1.
  s_goes ltac:(apply (hears _ _ _ _ _ _ (Ack 1 [false])); now left).
  match goal with R : reachable _ _ _ ?c |- _ => exists c, 0, 0, 1; split; [exact R|] end.
  split; [now left|]. split; [now left|]. intros [|[]]. discriminate.
Qed.
