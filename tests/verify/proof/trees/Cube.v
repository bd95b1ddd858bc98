(* What a spanning tree of the n-cube is, and what is so for the rules of many. *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules.
Import ListNotations.

Definition is_root n y := ones n y = [].
Definition same n (y z : node) := forall k, k < n -> y k = z k.

(* Parents lead from a node to the root across these dimensions, the node's own first. *)
Inductive leads n (parent : node -> nat) : list nat -> node -> Prop :=
| here y : is_root n y -> leads n parent [] y
| up path y : ~ is_root n y -> parent y < n -> leads n parent path (flip y (parent y)) ->
    leads n parent (parent y :: path) y.

(* A spanning tree of that height: every node has one way to the root, and no longer one. *)
Definition spans n parent height :=
  forall y, exists path, leads n parent path y /\ length path <= height.

(* Who is a child is what its parent says: [children] of a node are the dimensions across which the
   nodes lie that have it as their parent. *)
Definition agree n (parent : node -> nat) (children : node -> list nat) :=
  forall y q, In q (children y) <-> q < n /\ ~ is_root n (flip y q) /\ parent (flip y q) = q.

Lemma filter_all {T} (f : T -> bool) l : forallb f l = true -> filter f l = l.
Proof.
  induction l as [|a l IH]; [reflexivity|]. simpl. intro A. apply andb_true_iff in A as [A B].
  now rewrite A, IH.
Qed.
Lemma flip_same y q : flip y q q = negb (y q).
Proof. unfold flip. now rewrite Nat.eqb_refl. Qed.
Lemma flip_other y q k : k <> q -> flip y q k = y k.
Proof. intro N. unfold flip. now destruct (Nat.eqb_spec k q). Qed.

Lemma ones_in n y k : In k (ones n y) <-> k < n /\ y k = true.
Proof.
  unfold ones. rewrite filter_In, in_seq. split; intros [A B]; split; auto; lia.
Qed.
Lemma ones_S n y : ones (S n) y = ones n y ++ (if y n then [n] else []).
Proof. unfold ones. rewrite seq_S, filter_app. simpl. reflexivity. Qed.
Lemma ones_ext n y z : same n y z -> ones n y = ones n z.
Proof.
  induction n as [|n IH]; intro E; [reflexivity|]. rewrite !ones_S, IH, E by (auto; intros k K;
  apply E; lia). reflexivity.
Qed.
Lemma root_iff n y : is_root n y <-> forall k, k < n -> y k = false.
Proof.
  unfold is_root. split.
  - intros E k K. destruct (y k) eqn:Y; [|reflexivity]. exfalso.
    assert (I : In k (ones n y)) by now apply ones_in. now rewrite E in I.
  - intro Z. destruct (ones n y) as [|k l] eqn:E; [reflexivity|]. exfalso.
    assert (I : In k (ones n y)) by (rewrite E; now left). apply ones_in in I as [K T].
    specialize (Z k K). congruence.
Qed.
Lemma not_root n y k : k < n -> y k = true -> ~ is_root n y.
Proof. intros K T R. rewrite root_iff in R. specialize (R k K). congruence. Qed.
Lemma root_or n y : is_root n y \/ exists k, k < n /\ y k = true.
Proof.
  unfold is_root. destruct (ones n y) as [|k l] eqn:E; [now left|right]. exists k.
  apply ones_in. rewrite E. now left.
Qed.
Lemma weight_most n y : weight n y <= n.
Proof.
  unfold weight. induction n as [|n IH]; [apply Nat.le_refl|]. rewrite ones_S, app_length.
  destruct (y n); simpl; lia.
Qed.
Lemma weight_clear n y q : q < n -> y q = true -> S (weight n (flip y q)) = weight n y.
Proof.
  unfold weight. induction n as [|n IH]; [lia|]. intros Q T. rewrite !ones_S, !app_length.
  destruct (Nat.eq_dec q n) as [->|].
  - rewrite flip_same, T, (ones_ext n (flip y n) y); simpl; [lia|].
    intros k K. apply flip_other. lia.
  - rewrite flip_other by lia. rewrite <- IH by (auto; lia). lia.
Qed.
Lemma weight_set n y q : q < n -> y q = false -> weight n (flip y q) = S (weight n y).
Proof.
  intros Q F. rewrite <- (weight_clear n (flip y q) q Q) by (rewrite flip_same, F; reflexivity).
  unfold weight. now rewrite (ones_ext n (flip (flip y q) q) y)
    by (intros k _; unfold flip; destruct (k =? q); [apply negb_involutive|reflexivity]).
Qed.

Lemma highest_lt y m k : k < m -> y k = true -> highest m y < m.
Proof.
  induction m as [|m IH]; [lia|]. intros K T. simpl. destruct (y m) eqn:E; [lia|].
  assert (k <> m) by congruence. specialize (IH ltac:(lia) T). lia.
Qed.
Lemma highest_set y m k : k < m -> y k = true -> y (highest m y) = true.
Proof.
  induction m as [|m IH]; [lia|]. intros K T. simpl. destruct (y m) eqn:E; [exact E|].
  assert (k <> m) by congruence. apply IH; [lia|exact T].
Qed.
Lemma highest_above y m k : highest m y < k < m -> y k = false.
Proof.
  induction m as [|m IH]; [lia|]. simpl. destruct (y m) eqn:E; [lia|]. intro K.
  destruct (Nat.eq_dec k m) as [->|]; [exact E|apply IH; lia].
Qed.
Lemma highest_is y m k : k < m -> y k = true -> (forall i, k < i < m -> y i = false) ->
  highest m y = k.
Proof.
  intros K T F. assert (S := highest_set y m k K T). assert (L := highest_lt y m k K T).
  destruct (lt_eq_lt_dec (highest m y) k) as [[H|H]|H]; [|exact H|].
  - assert (y k = false) by (apply (highest_above y m); lia). congruence.
  - rewrite F in S by lia. discriminate.
Qed.
Lemma ones_last n y k : k < n -> y k = true -> (forall i, k < i < n -> y i = false) ->
  ones n y = ones k y ++ [k].
Proof.
  induction n as [|n IH]; [lia|]. intros K T F. rewrite ones_S. destruct (Nat.eq_dec k n) as [->|].
  - now rewrite T.
  - rewrite F by lia. rewrite app_nil_r. apply IH; auto; [lia|]. intros i I. apply F. lia.
Qed.

(* The highest one is the last of them; without it the others are left. *)
Lemma ones_highest n y k : k < n -> y k = true ->
  ones n y = ones n (flip y (highest n y)) ++ [highest n y].
Proof.
  intros K T. assert (L := highest_lt y n k K T). assert (S := highest_set y n k K T).
  rewrite (ones_last n y (highest n y)) by (auto; apply highest_above). f_equal.
  assert (A := highest_above y n). revert L S A. generalize (highest n y). intros h L S A.
  assert (M : forall m, h <= m <= n -> ones m (flip y h) = ones h y).
  { induction m as [|m IH]; intro M; [now replace h with 0 by lia|].
    destruct (Nat.eq_dec h (Datatypes.S m)) as [<-|].
    - apply ones_ext. intros i I. apply flip_other. lia.
    - rewrite ones_S, IH by lia. destruct (Nat.eq_dec m h) as [->|].
      + rewrite flip_same, S. apply app_nil_r.
      + rewrite flip_other, (A m) by lia. apply app_nil_r. }
  symmetry. apply M. lia.
Qed.
Lemma highest_ext n y z : same n y z -> highest n y = highest n z.
Proof.
  induction n as [|n IH]; intro E; [reflexivity|]. simpl. rewrite E by lia. destruct (z n); [auto|].
  apply IH. intros k K. apply E. lia.
Qed.
Lemma root_ext n y z : same n y z -> is_root n y -> is_root n z.
Proof. intros E. unfold is_root. now rewrite (ones_ext n y z E). Qed.

Lemma zeroes_above_in n y from k :
  In k (zeroes_above n y from) <-> from <= k < n /\ forall i, k <= i < n -> y i = false.
Proof.
  unfold zeroes_above. rewrite filter_In, in_seq, forallb_forall. split.
  - intros [K Z]. split; [lia|]. intros i I. apply negb_true_iff, Z, in_seq. lia.
  - intros [K Z]. split; [lia|]. intros i I. apply in_seq in I. apply negb_true_iff, Z. lia.
Qed.

(* A rule whose parents lack a bit of the node, whatever bit that is, spans the cube with every node
   at its distance from the root. *)
Definition clears n (parent : node -> nat) :=
  forall y, ~ is_root n y -> parent y < n /\ y (parent y) = true.

Theorem clearing_spans n parent y : clears n parent ->
  exists path, leads n parent path y /\ length path = weight n y.
Proof.
  intro C. remember (weight n y) as w eqn:W. revert y W. induction w as [|w IH]; intros y W.
  - exists []. split; [apply here|reflexivity]. unfold is_root. unfold weight in W.
    now destruct (ones n y).
  - assert (R : ~ is_root n y) by (unfold is_root; intro R; unfold weight in W; now rewrite R in W).
    destruct (C y R) as [Q T]. assert (V := weight_clear n y _ Q T).
    destruct (IH (flip y (parent y))) as (path & L & E); [lia|].
    exists (parent y :: path). split; [now apply up|]. simpl. now rewrite E.
Qed.
Theorem clearing_height n parent : clears n parent -> spans n parent n.
Proof.
  intros C y. destruct (clearing_spans n parent y C) as (path & L & E). exists path.
  split; [exact L|]. rewrite E. apply weight_most.
Qed.

(* Addresses that are rotated. *)
Ltac wraps := unfold Rules.back, Rules.wrap in *;
  repeat match goal with
  | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b)
  | H : context [?a <? ?b] |- _ => destruct (Nat.ltb_spec a b)
  end; try lia.

Section Turned.
Variable n : nat.
Local Notation turn := (turn n).
Local Notation back := (back n).
Lemma back_lt j k : j < n -> k < n -> back j k < n.
Proof. intros. wraps. Qed.
Lemma back_inj j k i : j < n -> k < n -> i < n -> back j k = back j i -> k = i.
Proof. intros. wraps. Qed.
Lemma back_some j q : j < n -> q < n -> exists i, i < n /\ back j i = q.
Proof.
  intros. exists (if q <? j then q + n - j else q - j). destruct (Nat.ltb_spec q j); split; wraps.
Qed.
Lemma back_zero j : j < n -> back j 0 = j.
Proof. intros. wraps. Qed.

Lemma turn_flip y j i : j < n -> i < n -> same n (turn (flip y (back j i)) j) (flip (turn y j) i).
Proof.
  intros J I k K. unfold Rules.turn, flip. fold (Rules.back n j k).
  destruct (Nat.eqb_spec k i) as [->|]; [now rewrite Nat.eqb_refl|].
  destruct (Nat.eqb_spec (back j k) (back j i)) as [E|]; [|reflexivity].
  now apply back_inj in E.
Qed.
Lemma turn_root y j : j < n -> is_root n (turn y j) <-> is_root n y.
Proof.
  intro J. rewrite !root_iff. split; intros Z k K.
  - destruct (back_some j k J K) as (i & I & <-). now apply Z.
  - apply Z, back_lt; assumption.
Qed.
Lemma turned_some y j : j < n -> ~ is_root n y -> exists k, k < n /\ turn y j k = true.
Proof.
  intros J R. destruct (root_or n (turn y j)) as [Z|E]; [|exact E]. now apply turn_root in Z.
Qed.
Lemma weight_zero y : weight n y = 0 <-> is_root n y.
Proof. unfold weight, is_root. destruct (ones n y); split; try easy. Qed.
End Turned.
