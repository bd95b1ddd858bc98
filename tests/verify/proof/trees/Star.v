(* The trees `edt` and `edt-v2` of the star for every n: no two have a link in common, and the port
   by which a packet comes tells its tree. [firmware/core/star/trees.hpp; fragopoulou-akl-1993, 3]
   *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules.
Import ListNotations.

Section Star.
Variable n : nat.

(* A permutation of 1 .. n, with the places of the symbols. *)
Definition label p place := (forall i, 1 <= i <= n -> 1 <= p i <= n /\ place (p i) = i) /\
  forall s, 1 <= s <= n -> 1 <= place s <= n /\ p (place s) = s.
Definition at_root (p : nat -> nat) := forall i, 2 <= i <= n -> p i = i.
Notation nearer := (star_nearer n).
Notation edt_parent := (edt_parent n).
Notation edt_subtree := (edt_subtree n).

(* The first misplaced symbol to the right of symbol 1, or from place 2 on. *)
Lemma first_misplaced_is p k m : 1 <= k -> 2 <= m <= n -> p m <> m ->
  2 <= star_first n p k <= n /\ p (star_first n p k) <> star_first n p k.
Proof.
  intros K M D. unfold star_first. set (f := fun i => negb (p i =? i)).
  assert (H : forall l, (forall i, In i l -> 2 <= i <= n) -> In m l ->
    2 <= hd 0 (filter f l) <= n /\ p (hd 0 (filter f l)) <> hd 0 (filter f l)).
  { intros l L I. assert (J : In m (filter f l)).
    { apply filter_In. split; [exact I|]. unfold f. apply negb_true_iff, Nat.eqb_neq. exact D. }
    destruct (filter f l) as [|x t] eqn:E; [contradiction|]. simpl.
    assert (X : In x (filter f l)) by (rewrite E; now left). apply filter_In in X as [X Y].
    split; [now apply L|]. unfold f in Y. now apply negb_true_iff, Nat.eqb_neq in Y. }
  apply H.
  - intros i I. apply in_app_iff in I as [I|I]; apply in_seq in I; lia.
  - apply in_app_iff. destruct (le_lt_dec m k); [right|left]; apply in_seq; lia.
Qed.

(* What comes over a dimension tells its tree. *)
Theorem edt_subtree_is_the_inverse v2 p place l : label p place -> ~ at_root p -> 2 <= l <= n ->
  2 <= edt_parent v2 p place l <= n /\ edt_subtree v2 p place (edt_parent v2 p place l) = l.
Proof.
  intros Lab Root L. assert (N : 2 <= n) by lia. unfold Rules.edt_parent, Rules.edt_subtree.
  destruct (Nat.eqb_spec (p 1) 1) as [F1|F1]; [now split|].
  destruct Lab as [A B]. destruct (A 1 ltac:(lia)) as [F Pf]. destruct (B 1 ltac:(lia)) as [K Pk].
  assert (K1 : place 1 <> 1) by congruence.
  assert (Near : 2 <= nearer p place <= n /\ (p 1 <> place 1 -> nearer p place = p 1)).
  { unfold star_nearer. destruct (Nat.eqb_spec (p 1) (place 1)) as [E|E].
    - split; [|intro; contradiction]. apply first_misplaced_is with (place 1); lia.
    - split; [lia|reflexivity]. }
  destruct Near as [D Df]. unfold edt_over_home, edt_over_displaced.
  destruct (B l ltac:(lia)) as [Lp Ll].
  destruct (B (place 1) ltac:(lia)) as [Kp Kk].
  destruct (A (nearer p place) ltac:(lia)) as [X Px].
  revert D Df X Px. generalize (nearer p place). intros d D Df X Px.
  revert K Pk K1 Df Kp Kk. generalize (place 1). intros k K Pk K1 Df Kp Kk.
  assert (Lk : place l <> k) by (intro E; rewrite E in Ll; lia).
  destruct (Nat.eqb_spec l k) as [E|E].
  { subst l. split; [lia|]. now rewrite Nat.eqb_refl. }
  assert (Out : l <> p 1 -> l <> p d -> 2 <= place l <= n /\ place l <> d /\ p (place l) <> k).
  { intros G H. assert (place l <> 1) by (intro Z; rewrite Z in Ll; congruence).
    assert (place l <> d) by (intro Z; rewrite Z in Ll; congruence). rewrite Ll.
    repeat split; lia || congruence. }
  destruct (Nat.eqb_spec (p 1) k) as [Fk|Fk].
  - destruct (Nat.eqb_spec l (p d)) as [G|G].
    + assert (k <> d) by (intros ->; lia). split; [lia|].
      destruct (Nat.eqb_spec k d); [contradiction|]. rewrite Nat.eqb_refl. now symmetry.
    + destruct (Nat.eqb_spec l 0); [lia|]. destruct (Out ltac:(congruence) G) as (P1 & P2 & P3).
      split; [exact P1|]. destruct (Nat.eqb_spec (place l) d); [contradiction|].
      destruct (Nat.eqb_spec (place l) k); [contradiction|].
      destruct (Nat.eqb_spec (p (place l)) k); [contradiction|exact Ll].
  - specialize (Df Fk). assert (k <> d) by congruence.
    destruct (Nat.eqb_spec (p d) k) as [Xk|Xk].
    + destruct (Nat.eqb_spec l (p 1)) as [G|G].
      * split; [lia|]. destruct (Nat.eqb_spec k d); [contradiction|]. rewrite Nat.eqb_refl.
        now symmetry.
      * destruct (Nat.eqb_spec l 0); [lia|]. destruct (Out G ltac:(congruence)) as (P1 & P2 & P3).
        split; [exact P1|]. destruct (Nat.eqb_spec (place l) d); [contradiction|].
        destruct (Nat.eqb_spec (place l) k); [contradiction|].
        destruct (Nat.eqb_spec (p (place l)) k); [contradiction|exact Ll].
    + assert (Kd : place k <> d) by (intro Z; rewrite Z in Kk; contradiction).
      assert (Kk2 : place k <> k) by (intro Z; rewrite Z in Kk; lia).
      assert (Kone : place k <> 1) by (intro Z; rewrite Z in Kk; contradiction).
      generalize (v2 && (p (star_first n p k) =? k)). intro swapped.
      destruct (Nat.eqb_spec l (if swapped then p d else p 1)) as [G|G].
      * split; [lia|]. destruct (Nat.eqb_spec k d); [contradiction|]. rewrite Nat.eqb_refl.
        now symmetry.
      * destruct (Nat.eqb_spec l (if swapped then p 1 else p d)) as [H'|H'].
        -- split; [lia|]. destruct (Nat.eqb_spec (place k) d); [contradiction|].
           destruct (Nat.eqb_spec (place k) k); [contradiction|]. rewrite Kk, Nat.eqb_refl.
           now symmetry.
        -- destruct (Out ltac:(destruct swapped; assumption) ltac:(destruct swapped; assumption))
             as (P1 & P2 & P3).
           split; [exact P1|]. destruct (Nat.eqb_spec (place l) d); [contradiction|].
           destruct (Nat.eqb_spec (place l) k); [contradiction|].
           destruct (Nat.eqb_spec (p (place l)) k); [contradiction|exact Ll].
Qed.

(* So no link is in two trees. *)
Theorem edt_trees_share_no_link v2 p place l m : label p place -> ~ at_root p ->
  2 <= l <= n -> 2 <= m <= n -> edt_parent v2 p place l = edt_parent v2 p place m -> l = m.
Proof.
  intros Lab R L M E. destruct (edt_subtree_is_the_inverse v2 p place l Lab R L) as [_ <-].
  rewrite E. now apply edt_subtree_is_the_inverse.
Qed.
End Star.
