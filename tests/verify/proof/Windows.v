(* What windows and gates keep, from `Flow.v`: however late a node is, it holds at most a window of a
   broadcast's packets; and a gate opens when all nodes have begun. That is why processes take single
   packets without waiting for what needs the network: `prompt` of `Network.v`. *)
Require Import Arith Lia.
From Proof Require Import Flow.

Section Windows.
Variable node : Type.
Variable node_eq : forall a b : node, {a = b} + {a <> b}.
Variable root : node.
Variable child : node -> node -> Prop.
Variables window total earlier : nat.
Hypothesis earlier_fit : earlier <= window.  (* 0 behind a gate: who has begun has taken them *)
Notation set := (set node node_eq).
Notation sent := (sent node).
Notation come := (come node).
Notation taken := (taken node).
Notation told := (told node).
Notation heard := (heard node).
Notation below := (below node child).
Notation reachable := (reachable node node_eq root child window total earlier).

Record sound f : Prop := {
  as_sent : forall v, come f v <= sent f;
  as_come : forall v, taken f v <= come f v;
  to_total : sent f <= total;
  true_words : sent f = total \/ forall v u, below v u -> told f v <= taken f u /\
    heard f v <= taken f u;
  in_window : forall v u, child root v -> below v u -> sent f + earlier <= taken f u + window
}.

Lemma set_cases f v n u : u = v /\ set f v n u = n \/ u <> v /\ set f v n u = f u.
Proof. unfold set. destruct (node_eq u v); auto. Qed.
Ltac cases := match goal with |- context [set ?f ?v ?n ?u] =>
  let E := fresh in let N := fresh in
  destruct (set_cases f v n u) as [[E ->]|[N ->]]; [subst|] end.

Lemma always_sound f : reachable f -> sound f.
Proof.
  induction 1 as [|f g _ [AS AC TT TW IW] St]; [constructor; simpl; auto with arith; lia|].
  destruct St as [s c t o h L O|s c t o h v L|s c t o h v L|s c t o h v n L C|s c t o h v n L];
    constructor; simpl in *; try assumption.
  - intro v. specialize (AS v). lia.
  - destruct TW as [TW|TW]; [lia|now right].
  - intros v u I B. specialize (O v I). destruct TW as [TW|TW]; [lia|].
    destruct (TW v u B). lia.
  - intro u. cases; [lia|auto].
  - intro u. cases; [specialize (AC v); lia|auto].
  - intro u. cases; [lia|auto].
  - destruct TW as [TW|TW]; [now left|right]. intros w u B. destruct (TW w u B).
    cases; [|auto]. split; lia.
  - intros w u I B. specialize (IW w u I B). cases; [lia|auto].
  - destruct TW as [TW|TW]; [now left|]. destruct C as [C|C].
    + left. specialize (AS v). specialize (AC v). lia.
    + right. intros w u B. split; [|now apply TW]. cases; [|now apply TW].
      inversion B as [|x w y I B']; subst; [exact L|]. specialize (C w I).
      destruct (TW w u B'). lia.
  - destruct TW as [TW|TW]; [now left|right]. intros w u B. split; [now apply TW|].
    cases; [|now apply TW]. destruct (TW v u B). lia.
Qed.

(* A node holds at most a window of packets, those of earlier calls among them. *)
Theorem window_is_kept f v u : reachable f -> child root v -> below v u ->
  come f u + earlier - taken f u <= window.
Proof.
  intros R I B. destruct (always_sound f R) as [AS AC TT TW IW]. specialize (IW v u I B).
  specialize (AS u). lia.
Qed.

(* A gate is a broadcast of one packet through a window of two, of which the root counts two as
   sent; a node that has begun counts one as taken [TreeFlow::TreeFlow]. So the root passes when
   it has heard of one of all its children, and then all nodes have begun. Each broadcast of more
   packets than an early window has begins with a gate, and counts on.

   Once the gate is open nodes tell of one without their children [pass: TreeFlow::end], which is no
   step of `Flow.v`. The root alone acts on what it hears, and it has passed by then. *)
Theorem gate_waits_for_all f v u : reachable f -> sent f < total -> child root v -> below v u ->
  0 < heard f v -> 0 < taken f u.
Proof.
  intros R L I B H. destruct (always_sound f R) as [AS AC TT [TW|TW] IW]; [lia|].
  destruct (TW v u B). lia.
Qed.
End Windows.
