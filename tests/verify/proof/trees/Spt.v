(* The tree `spt` of the star for every n: it spans, and no node is further from the root than
   3(n-1)/2 links, the network's diameter. [firmware/core/star/trees.hpp; fragopoulou-akl-1993, 3]
   *)
Require Import Bool List Arith Lia Wf_nat.
From Proof Require Import Rules Star.
Import ListNotations.

Lemma filter_length_most {T} (f : T -> bool) l : length (filter f l) <= length l.
Proof. induction l as [|x l IH]; [apply le_n|]. simpl. destruct (f x); simpl; lia. Qed.

Section Spt.
Variable n : nat.
Notation label := (label n).
Notation at_root := (at_root n).
Notation nearer := (star_nearer n).

Lemma cross_label p place d : label p place -> 2 <= d <= n ->
  label (cross p d) (cross_places p place d).
Proof.
  intros [A B] D. assert (N : 1 <= 1 <= n) by lia.
  destruct (A 1 N) as [P1 Q1]. destruct (A d ltac:(lia)) as [Pd Qd].
  assert (p 1 <> p d) by (intro E; rewrite E in Q1; lia). unfold cross, cross_places. split.
  - intros i I. destruct (A i I) as [Pi Qi]. destruct (Nat.eqb_spec i 1) as [->|].
    { split; [exact Pd|]. destruct (Nat.eqb_spec (p d) (p 1)); [congruence|].
      now rewrite Nat.eqb_refl. }
    destruct (Nat.eqb_spec i d) as [->|]; [split; [exact P1|now rewrite Nat.eqb_refl]|].
    split; [exact Pi|]. destruct (Nat.eqb_spec (p i) (p 1)) as [E|]; [exfalso; congruence|].
    destruct (Nat.eqb_spec (p i) (p d)) as [E|]; [exfalso; congruence|exact Qi].
  - intros s S. destruct (B s S) as [Ps Qs]. destruct (Nat.eqb_spec s (p 1)) as [->|].
    { split; [lia|]. destruct (Nat.eqb_spec d 1); [lia|]. now rewrite Nat.eqb_refl. }
    destruct (Nat.eqb_spec s (p d)) as [->|]; [split; [lia|reflexivity]|].
    split; [exact Ps|]. destruct (Nat.eqb_spec (place s) 1) as [E|]; [exfalso; congruence|].
    destruct (Nat.eqb_spec (place s) d) as [E|]; [exfalso; congruence|exact Qs].
Qed.

(* Symbols that are not at home, but for the first place. *)
Definition away (p : nat -> nat) i := negb (p i =? i).
Definition misplaced p := length (filter (away p) (seq 2 (n - 1))).
Lemma misplaced_cross p d : 2 <= d <= n -> p d <> d ->
  S (misplaced (cross p d)) = misplaced p + if p 1 =? d then 0 else 1.
Proof.
  intros D M. unfold misplaced.
  assert (H : forall l a, 2 <= a -> length (filter (away (cross p d)) (seq a l)) +
    (if (a <=? d) && (d <? a + l) then 1 else 0) = length (filter (away p) (seq a l)) +
    (if (a <=? d) && (d <? a + l) then if p 1 =? d then 0 else 1 else 0)).
  { induction l as [|l IH]; intros a A.
    - replace ((a <=? d) && (d <? a + 0)) with false; [reflexivity|]. symmetry.
      apply andb_false_iff. destruct (Nat.leb_spec a d), (Nat.ltb_spec d (a + 0)); auto; lia.
    - specialize (IH (S a) ltac:(lia)). simpl seq. simpl filter.
      assert (E : away (cross p d) a = if a =? d then negb (p 1 =? d) else away p a).
      { unfold away, cross. destruct (Nat.eqb_spec a 1); [lia|].
        destruct (Nat.eqb_spec a d) as [->|]; reflexivity. }
      rewrite E. assert (F : away p d = true) by (now apply negb_true_iff, Nat.eqb_neq).
      destruct (Nat.eqb_spec a d) as [->|Ne].
      + rewrite F. revert IH. destruct (Nat.leb_spec (S d) d); [lia|].
        destruct (Nat.leb_spec d d); [|lia]. destruct (Nat.ltb_spec d (d + S l)); [|lia].
        destruct (p 1 =? d); simpl; lia.
      + revert IH. replace (a + S l) with (S a + l) by lia.
        destruct (Nat.leb_spec (S a) d), (Nat.leb_spec a d); try lia;
          destruct (away p a); simpl; lia. }
  specialize (H (n - 1) 2 (le_n 2)). revert H.
  destruct (Nat.leb_spec 2 d); [|lia]. destruct (Nat.ltb_spec d (2 + (n - 1))); [|lia].
  simpl andb. cbv iota. lia.
Qed.
Lemma misplaced_some p i : 2 <= i <= n -> p i <> i -> 0 < misplaced p.
Proof.
  intros I M. unfold misplaced. assert (H : In i (filter (away p) (seq 2 (n - 1)))).
  { apply filter_In. split; [apply in_seq; lia|]. now apply negb_true_iff, Nat.eqb_neq. }
  destruct (filter _ _); [contradiction|simpl; lia].
Qed.
Lemma misplaced_most p : misplaced p <= n - 1.
Proof. unfold misplaced. rewrite <- (seq_length (n - 1) 2) at 2. apply filter_length_most. Qed.

(* Symbols that wait in a row for the first place, up to three: the way is so much shorter. *)
Definition row (p : nat -> nat) := if p 1 =? 1 then 0 else if p (p 1) =? 1 then 1
  else if p (p (p 1)) =? 1 then 2 else 3.

(* Parents lead to the root over these dimensions. *)
Inductive star_leads : list nat -> (nat -> nat) -> (nat -> nat) -> Prop :=
| star_here p place : at_root p -> star_leads [] p place
| star_up path p place : ~ at_root p -> 2 <= nearer p place <= n ->
    star_leads path (cross p (nearer p place)) (cross_places p place (nearer p place)) ->
    star_leads (nearer p place :: path) p place.

Lemma root_or p : at_root p \/ exists i, 2 <= i <= n /\ p i <> i.
Proof.
  destruct (filter (away p) (seq 2 (n - 1))) as [|x l] eqn:E.
  - left. intros i I. destruct (Nat.eq_dec (p i) i) as [|N]; [assumption|]. exfalso.
    assert (J : In i (filter (away p) (seq 2 (n - 1)))); [|now rewrite E in J].
    apply filter_In. split; [apply in_seq; lia|]. now apply negb_true_iff, Nat.eqb_neq.
  - right. exists x. assert (J : In x (filter (away p) (seq 2 (n - 1)))) by (rewrite E; now left).
    apply filter_In in J as [J A]. apply in_seq in J. split; [lia|].
    now apply negb_true_iff, Nat.eqb_neq in A.
Qed.

Lemma first_at_root p place : 2 <= n -> label p place -> at_root p -> p 1 = 1.
Proof.
  intros N [A B] R. destruct (B 1 ltac:(lia)) as [K Pk].
  destruct (Nat.eq_dec (place 1) 1) as [F|F]; [congruence|]. rewrite R in Pk by lia. contradiction.
Qed.
Lemma row_low p place : 2 <= n -> label p place -> row p <= 3 * misplaced p.
Proof.
  intros N L. destruct (root_or p) as [R|(i & I & M)].
  - unfold row. rewrite (first_at_root p place N L R). simpl. lia.
  - apply (misplaced_some p i I) in M. unfold row.
    destruct (p 1 =? 1); [lia|]. destruct (_ =? 1); [lia|]. destruct (_ =? 1); lia.
Qed.

(* Each link on the way takes away two thirds of a misplaced symbol, or makes the row longer. *)
Lemma one_nearer p place : label p place -> ~ at_root p ->
  2 <= nearer p place <= n /\ let q := cross p (nearer p place) in
  3 * misplaced q + row p + 2 <= 3 * misplaced p + row q.
Proof.
  intros [A B] R. destruct (root_or p) as [H|(i & I & M)]; [contradiction|].
  assert (N : 2 <= n) by lia. destruct (A 1 ltac:(lia)) as [P1 Q1].
  destruct (B 1 ltac:(lia)) as [K Pk].
  assert (Inj : forall x y, 1 <= x <= n -> 1 <= y <= n -> p x = p y -> x = y).
  { intros x y X Y E. destruct (A x X) as [_ Qx]. destruct (A y Y) as [_ Qy]. congruence. }
  unfold star_nearer. destruct (Nat.eqb_spec (p 1) (place 1)) as [E|E].
  - destruct (first_misplaced_is n p (place 1) i) as [D Md]; auto; [lia|].
    revert D Md. generalize (star_first n p (place 1)). intros d D Md. split; [exact D|].
    cbv zeta. assert (C := misplaced_cross p d D Md). unfold row.
    destruct (A d ltac:(lia)) as [Pd _].
    assert (X1 : cross p d 1 = p d) by reflexivity.
    assert (Xd : cross p d d = p 1)
      by (unfold cross; destruct (Nat.eqb_spec d 1); [lia|now rewrite Nat.eqb_refl]).
    assert (X : forall x, x <> 1 -> x <> d -> cross p d x = p x).
    { intros x X X'. unfold cross. destruct (Nat.eqb_spec x 1); [contradiction|].
      now destruct (Nat.eqb_spec x d). }
    rewrite X1. destruct (Nat.eqb_spec (p 1) 1) as [F|F].
    + destruct (Nat.eqb_spec (p 1) d); [lia|].
      assert (p d <> 1) by (intro Y; assert (d = 1) by (apply Inj; lia); lia).
      destruct (Nat.eqb_spec (p d) 1); [lia|]. rewrite X by lia.
      assert (p (p d) <> 1) by (intro Y; assert (p d = 1) by (apply Inj; lia); lia).
      destruct (Nat.eqb_spec (p (p d)) 1); [lia|]. destruct (_ =? 1); lia.
    + assert (Pp : p (p 1) = 1) by congruence. rewrite Pp. simpl (1 =? 1). cbv iota.
      destruct (Nat.eqb_spec (p 1) d) as [G|G]; [lia|].
      assert (p d <> 1) by (intro Y; assert (d = p 1) by (apply Inj; lia); lia).
      assert (p d <> p 1) by (intro Y; assert (d = 1) by (apply Inj; lia); lia).
      destruct (Nat.eqb_spec (p d) 1); [lia|]. rewrite (X (p d)) by lia.
      destruct (A (p d) Pd) as [Ppd _].
      assert (p (p d) <> 1) by (intro Y; assert (p d = p 1) by (apply Inj; lia); lia).
      assert (p (p d) <> p 1) by (intro Y; assert (p d = 1) by (apply Inj; lia); lia).
      destruct (Nat.eqb_spec (p (p d)) 1); [lia|].
      destruct (Nat.eq_dec (p (p d)) d) as [Z|Z].
      * rewrite Z, Xd. destruct (Nat.eqb_spec (p 1) 1); lia.
      * rewrite (X (p (p d))) by lia.
        assert (p (p (p d)) <> 1) by (intro Y; assert (p (p d) = p 1) by (apply Inj; lia); lia).
        destruct (Nat.eqb_spec (p (p (p d))) 1); lia.
  - assert (F : p 1 <> 1) by congruence. split; [lia|]. cbv zeta.
    set (f := p 1) in *. assert (Mf : p f <> f).
    { intro G. assert (f = 1) by (apply Inj; [lia|lia|exact G]). contradiction. }
    assert (C := misplaced_cross p f ltac:(lia) Mf). fold f in C. rewrite Nat.eqb_refl in C.
    destruct (A f P1) as [Pf _]. unfold row. fold f.
    assert (G : p f <> 1) by (intro Y; apply E; rewrite <- Y; symmetry; now apply A).
    assert (X1 : cross p f 1 = p f) by reflexivity. rewrite X1.
    destruct (Nat.eqb_spec f 1); [contradiction|].
    destruct (Nat.eqb_spec (p f) 1); [contradiction|].
    assert (X : cross p f (p f) = p (p f)).
    { unfold cross. destruct (Nat.eqb_spec (p f) 1); [contradiction|].
      now destruct (Nat.eqb_spec (p f) f). }
    rewrite X. destruct (Nat.eqb_spec (p (p f)) 1); [lia|]. destruct (_ =? 1); lia.
Qed.

Theorem spt_spans p place : 2 <= n -> label p place ->
  exists path, star_leads path p place /\ length path <= spt_height n.
Proof.
  intros N L. assert (H : exists path, star_leads path p place /\
    2 * length path + row p <= 3 * misplaced p).
  { remember (3 * misplaced p - row p) as w eqn:W. revert p place L W.
    induction w as [w IH] using lt_wf_ind. intros p place L W.
    destruct (root_or p) as [R|(i & I & M)].
    - exists []. split; [now constructor|]. unfold row.
      rewrite (first_at_root p place N L R). simpl. lia.
    - assert (R : ~ at_root p) by (intro R; now apply M, R).
      destruct (one_nearer p place L R) as [D Less]. cbv zeta in Less.
      assert (Lq := cross_label p place _ L D). assert (Lo := row_low p place N L).
      assert (Low := row_low _ _ N Lq).
      destruct (IH (3 * misplaced (cross p (nearer p place)) - row (cross p (nearer p place)))
        ltac:(lia) _ _ Lq eq_refl) as (path & Path & Len).
      exists (nearer p place :: path). split; [now apply star_up|simpl; lia]. }
  destruct H as (path & Path & Len). exists path. split; [exact Path|]. unfold spt_height.
  assert (M := misplaced_most p). apply Nat.div_le_lower_bound; lia.
Qed.
End Spt.
