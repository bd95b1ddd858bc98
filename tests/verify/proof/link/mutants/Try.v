(* A line with a window of two, on which mutants of `Window.v` break a promise; and how to say so.
   Packet 0 needs two free buffers, all others one. *)
Require Export Bool List Arith Lia.
From Proof Require Export Window.
Export ListNotations.

Definition need p := match p with 0 => 2 | _ => 1 end.
Definition alike (p : nat) := 1.
Definition can_be need l := in_session need 2 0 0 l.

(* What may be wrong. *)
Definition twice need := exists l, can_be need l /\ ~ NoDup (taken (to l)).
Definition overtaken need i j := exists l, can_be need l /\ exists a b c,
  taken (to l) = a ++ i :: b ++ j :: c /\ ~ (i < j \/ need i < need j).
Definition lied need p := exists l, can_be need l /\ In p (told (from l)) /\
  ~ In p (taken (to l)).
Definition lost need p := exists l, can_be need l /\ p < next (from l) /\
  ~ In p (taken (to l) ++ back (from l) ++ flight (from l) ++ rest (from l)).

(* There is one proof of `in_session` at a time; each of these goes one step further. *)
Ltac begin need := let R := fresh in pose proof (begun need 2 0 0 (le_n 0)) as R; vm_compute in R.
Ltac sends_by tactic := match goal with R : in_session ?n ?w ?b ?u ?l |- _ =>
  let S := fresh in eassert (sends n w l _) as S by tactic;
  apply (then_sends _ _ _ _ _ _ R) in S; clear R; vm_compute in S end.
Ltac receives_by tactic := match goal with R : in_session ?n ?w ?b ?u ?l |- _ =>
  let S := fresh in eassert (receives l _) as S by tactic;
  apply (then_receives _ _ _ _ _ _ R) in S; clear R; vm_compute in S end.
Ltac offer := sends_by ltac:(apply offers).
(* The packets that it takes from the queue before this one, this one, and those behind it. *)
Ltac take skipped p behind := sends_by ltac:(apply takes_one;
  eapply (pick _ _ _ _ _ skipped p behind _ _ _ 1); simpl; try lia;
  intros q Q; repeat destruct Q as [<-|Q]; simpl; try lia; destruct Q).
Ltac transmit place count := sends_by ltac:(apply (transmits _ _ _ _ _ _ place count)).
(* The frame or answer of that number, the last one sent first. *)
Ltac member n := match n with 0 => now left | S ?m => right; member m end.
Ltac get n has := match goal with _ : in_session _ _ _ _ (Line _ _ ?d _) |- _ =>
  let f := eval cbv in (nth n d (Frame 0 false [])) in
  receives_by ltac:(apply (gets _ _ _ _ f has); member n) end.
Ltac hear n := match goal with _ : in_session _ _ _ _ (Line _ _ _ ?a) |- _ =>
  let k := eval cbv in (nth n a (Ack 0 [])) in
  sends_by ltac:(apply (hears _ _ _ _ _ _ k); member n) end.
Ltac acknowledge := receives_by ltac:(apply acknowledges).
Ltac there := match goal with R : in_session _ _ _ _ ?l |- _ => exists l; split; [exact R|] end;
  cbn.
Definition yes (number : nat) := true.
Definition no (number : nat) := false.
