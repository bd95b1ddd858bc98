(* The trees `adst` (even n) and `ist` of the UHC, for every n and every root: no two have a link in
   common, and links are crossed the right way. [firmware/core/uhc/disjoint_trees.hpp] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Lemma least_of (set : node) a l d : filter set (seq a l) <> [] ->
  In (hd d (filter set (seq a l))) (filter set (seq a l)) /\
  forall k, a <= k < a + l -> set k = true -> hd d (filter set (seq a l)) <= k.
Proof.
  revert a. induction l as [|l IH]; intros a N; [now destruct N|]. simpl in *.
  destruct (set a) eqn:E; simpl in *; [split; [now left|lia]|].
  destruct (IH (S a) N) as [I L]. split; [exact I|]. intros k K T.
  assert (k <> a) by congruence. apply L; [lia|exact T].
Qed.

(* The next member above: one of the set; the nearest above, or the least of all if none is. *)
Lemma next_above_is m set i : i < m -> set i = true ->
  next_above m set i < m /\ set (next_above m set i) = true /\
  (forall j, i < j < m -> set j = true -> i < next_above m set i <= j) /\
  (i < next_above m set i \/ forall k, k < m -> set k = true -> next_above m set i <= k).
Proof.
  intros I T. unfold next_above. rewrite filter_app.
  assert (Above : forall k, In k (filter set (seq (S i) (m - S i))) <-> i < k < m /\ set k = true).
  { intro k. rewrite filter_In, in_seq. split; intros [A B]; split; auto; lia. }
  destruct (filter set (seq (S i) (m - S i))) as [|h t] eqn:E; cbn [app].
  - assert (None_above : forall j, i < j < m -> set j = true -> False).
    { intros j J Tj. now apply (Above j). }
    assert (Low : In i (filter set (seq 0 (S i)))) by (apply filter_In; split; [apply in_seq; lia|
      exact T]).
    destruct (least_of set 0 (S i) i) as [L M]; [intro F; rewrite F in Low; contradiction|].
    apply filter_In in L as [L Tl]. apply in_seq in L. split; [lia|].
    split; [exact Tl|]. split; [intros j J Tj; exfalso; eauto|]. right.
    intros k K Tk. apply M; [|exact Tk].
    destruct (le_lt_dec k i); [lia|]. exfalso. apply (None_above k); auto.
  - assert (H : In h (h :: t)) by now left. apply Above in H as [H Th]. simpl.
    destruct (least_of set (S i) (m - S i) i) as [_ M]; [rewrite E; discriminate|].
    rewrite E in M. simpl in M. repeat split; auto; try lia. apply M; [lia|assumption].
Qed.
Lemma next_above_once m set i j : i < m -> j < m -> set i = true -> set j = true ->
  next_above m set i = next_above m set j -> i = j.
Proof.
  assert (H : forall i j, i < j -> j < m -> set i = true -> set j = true ->
    next_above m set i <> next_above m set j).
  { clear i j. intros i j L J Ti Tj E. destruct (next_above_is m set i) as (_ & _ & A & _);
      [lia|exact Ti|]. destruct (next_above_is m set j) as (_ & _ & _ & C); auto.
    specialize (A j ltac:(lia) Tj). destruct C as [C|C]; [lia|].
    specialize (C i ltac:(lia) Ti). lia. }
  intros I J Ti Tj E. destruct (lt_eq_lt_dec i j) as [[L|L]|L]; [|exact L|];
    exfalso; [apply (H i j)|apply (H j i)]; auto.
Qed.

Section Disjoint.
Variable n : nat.
Variable odd_root : bool.
Notation sends := (sends n odd_root).
Notation foreign := (foreign n odd_root).
Notation in_port := (in_port n odd_root).

Lemma odd_double j : Nat.odd (2 * j) = false.
Proof. rewrite Nat.odd_mul. reflexivity. Qed.
Lemma in_port_receives y j : sends y (in_port y j) = false.
Proof.
  unfold Rules.in_port. destruct (sends y (2 * j)) eqn:E; [|exact E]. revert E. unfold Rules.sends.
  rewrite Nat.add_1_r, Nat.odd_succ, <- Nat.negb_odd, odd_double.
  now destruct (xorb odd_root (Nat.odd (weight n y))).
Qed.
Lemma in_port_once y i j : in_port y i = in_port y j -> i = j.
Proof. unfold Rules.in_port. destruct (sends y (2 * i)), (sends y (2 * j)); lia. Qed.
Lemma in_port_lt y j : j < n / 2 -> in_port y j < n.
Proof.
  intro J. assert (2 * (n / 2) <= n) by (apply Nat.mul_div_le; lia).
  unfold Rules.in_port. destruct (sends y (2 * j)); lia.
Qed.

(* adst. *)
Lemma adst_pair_once y i j : i < n / 2 -> j < n / 2 ->
  (if differs y i then next_above (n / 2) (differs y) i else i) =
  (if differs y j then next_above (n / 2) (differs y) j else j) -> i = j.
Proof.
  intros I J E. destruct (differs y i) eqn:Di, (differs y j) eqn:Dj; auto.
  - now apply next_above_once in E.
  - destruct (next_above_is _ (differs y) i I Di) as (_ & T & _). congruence.
  - destruct (next_above_is _ (differs y) j J Dj) as (_ & T & _). congruence.
Qed.
Theorem adst_trees_share_no_link y i j : i < n / 2 -> j < n / 2 ->
  adst_parent n odd_root y i = adst_parent n odd_root y j -> i = j.
Proof. intros I J E. apply in_port_once in E. now apply (adst_pair_once y). Qed.
Theorem adst_crosses_links_the_right_way y j : j < n / 2 ->
  adst_parent n odd_root y j < n /\ sends y (adst_parent n odd_root y j) = false.
Proof.
  intro J. split; [|apply in_port_receives]. apply in_port_lt.
  destruct (differs y j) eqn:D; [|exact J].
  now destruct (next_above_is _ (differs y) j J D).
Qed.

(* ist. *)
Lemma exchanged_once y i j : ist_exchanged n odd_root y i = ist_exchanged n odd_root y j -> i = j.
Proof.
  unfold ist_exchanged. cbv zeta. generalize (highest n (foreign y) / 2).
  generalize (highest n (own n odd_root y) / 2). intros z x. destruct (_ && _); [|auto].
  destruct (Nat.eqb_spec i x), (Nat.eqb_spec i z), (Nat.eqb_spec j x), (Nat.eqb_spec j z);
    congruence.
Qed.
Lemma exchanged_lt y j : j < n / 2 -> ist_exchanged n odd_root y j < n / 2.
Proof.
  intro J. unfold ist_exchanged. cbv zeta. destruct (_ && _) eqn:E; [|exact J].
  apply andb_true_iff in E as [E Z]. apply andb_true_iff in E as [_ X].
  apply Nat.ltb_lt in Z. apply Nat.ltb_lt in X. destruct (j =? _); [exact Z|].
  destruct (j =? _); assumption.
Qed.
Lemma foreign_receives y d : foreign y d = true -> sends y d = false.
Proof.
  unfold Rules.foreign. intro F. apply andb_true_iff in F as [_ F]. now apply negb_true_iff.
Qed.
Theorem ist_trees_share_no_link y i j : i < n / 2 -> j < n / 2 ->
  ist_parent n odd_root y i = ist_parent n odd_root y j -> i = j.
Proof.
  intros I J E. apply (exchanged_lt y) in I, J. apply (exchanged_once y).
  unfold ist_parent in E. revert I J E. generalize (ist_exchanged n odd_root y i).
  generalize (ist_exchanged n odd_root y j). clear i j. intros j i I J E.
  apply (in_port_lt y) in I, J. apply (in_port_once y).
  destruct (foreign y (in_port y i)) eqn:Fi, (foreign y (in_port y j)) eqn:Fj; auto.
  - now apply next_above_once in E.
  - destruct (next_above_is n (foreign y) _ I Fi) as (_ & T & _). congruence.
  - destruct (next_above_is n (foreign y) _ J Fj) as (_ & T & _). congruence.
Qed.
Theorem ist_crosses_links_the_right_way y j : j < n / 2 ->
  ist_parent n odd_root y j < n /\ sends y (ist_parent n odd_root y j) = false.
Proof.
  intro J. unfold ist_parent. apply (exchanged_lt y) in J.
  apply (in_port_lt y) in J. destruct (foreign y _) eqn:F.
  - destruct (next_above_is n (foreign y) _ J F) as (L & T & _). split; [exact L|].
    now apply foreign_receives.
  - split; [exact J|apply in_port_receives].
Qed.
End Disjoint.
