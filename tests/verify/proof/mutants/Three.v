(* Three nodes, of any sizes, on which mutants of `Network.v` get stuck; and how to say so. *)
Require Export List Arith Lia.
From Proof Require Export Network.
Export ListNotations.

Inductive node := a | b | c.
Definition same : forall v w : node, {v = w} + {v <> w}.
Proof. decide equality. Defined.

Arguments Packet {node}. Arguments Buffer {node}.
Definition nothing_left : packet node := Packet 0 [] None.

(* A network that can come about, in which something is to be done that can never be done. *)
Definition deadlock size reserve := exists s, reachable node same size reserve s /\
  ~ Forall (waits node) s /\ forall e, In e s -> ~ ready node same size reserve s e.

Ltac fits := repeat split; vm_compute; try reflexivity; try discriminate; lia.

Ltac descends := constructor; intros; simpl in *;
  repeat match goal with
  | H : _ \/ _ |- _ => destruct H
  | H : False |- _ => destruct H
  | H : (_, _) = (_, _) |- _ => injection H as <- <-
  | H : Some _ = Some _ |- _ => injection H as <- <-
  | H : None = Some _ |- _ => discriminate
  end; repeat match goal with |- _ /\ _ => split end;
  match goal with |- Network.descends _ _ _ _ => descends | |- _ => vm_compute; lia end.

Ltac begin size reserve := pose proof (nothing node same size reserve).

(* There is one proof of `reachable` at a time; each of these goes one step further. *)
Ltac step_by tactic := match goal with R : reachable _ _ ?size ?reserve ?s |- _ =>
  eassert (step node same size reserve s _) as St by tactic s;
  apply (further _ _ _ _ _ _ R) in St; clear R; rename St into R; cbn [app] in R end.

Ltac start v p := step_by ltac:(fun s => apply (start _ _ _ _ v p s); [descends|fits]).

(* What is in front of the buffer of number [n], and behind it. *)
Ltac at_place n s rule :=
  let newer := eval cbn [firstn] in (firstn n s) in
  let older := eval cbn [skipn] in (skipn (S n) s) in
  apply go; left; rule newer older.
Ltac cross n := step_by ltac:(fun s => at_place n s ltac:(fun newer older =>
  eapply (cross _ _ _ _ _ _ _ [] _ _ _ _ newer older); fits)).
Ltac turn n := step_by ltac:(fun s => at_place n s ltac:(fun newer older =>
  eapply (turn _ _ _ _ _ _ _ _ _ newer older))).
Ltac keep n := step_by ltac:(fun s => at_place n s ltac:(fun newer older =>
  eapply (keep _ _ _ _ _ _ newer older); fits)).
Ltac finish n := step_by ltac:(fun s => at_place n s ltac:(fun newer older =>
  eapply (finish _ _ _ _ _ _ _ newer older))).

(* The network that has come about is stuck. *)
Ltac stuck :=
  match goal with R : reachable _ _ _ _ ?s |- _ => exists s; split; [exact R|clear R] end;
  split;
  [ let A := fresh in intro A; repeat (inversion A; clear A; subst; [simpl in *; tauto|]);
    repeat match goal with H : Forall _ (_ :: _) |- _ => inversion H; clear H; subst end;
    simpl in *; tauto
  | let I := fresh in let R := fresh in
    intros e I R; simpl in I; repeat (destruct I as [<-|I]; [|]); try destruct I;
    inversion R; subst; simpl in *;
    repeat match goal with
    | H : _ \/ _ |- _ => destruct H
    | H : False |- _ => destruct H
    | H : (_, _) = (_, _) |- _ => injection H as <- <-
    | H : takes _ _ _ _ _ _ _ |- _ => vm_compute in H; lia
    | H : hd_error _ = _ |- _ => vm_compute in H; discriminate
    end ].
