(* The balanced tree `sbnt-minr` of the n-cube, for every n: it spans, each node lies in the subtree
   that its least rotation names, and these n subtrees are of nearly one size.
   [firmware/core/cube/balanced_trees.hpp; ho-johnsson-1988, 2 and 3] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Section Sbnt.
Variable n : nat.
Local Notation turn := (turn n).
Local Notation back := (back n).
Local Notation base := (base n).
Local Notation sbnt_parent := (sbnt_parent n).
Local Notation sbnt_children := (sbnt_children n).

(* An address as a number, below n bits. *)
Fixpoint val m (y : node) := match m with 0 => 0 | S k => (if y k then 2 ^ k else 0) + val k y end.

Lemma val_lt m y : val m y < 2 ^ m.
Proof. induction m as [|m IH]; simpl; [lia|]. destruct (y m); lia. Qed.
Lemma less_val m y z : less m y z = true <-> val m y < val m z.
Proof.
  induction m as [|m IH]; simpl; [split; [discriminate|lia]|].
  assert (Y := val_lt m y). assert (Z := val_lt m z).
  destruct (y m), (z m); simpl; try rewrite IH; split; intro; try lia; try discriminate;
    reflexivity.
Qed.
Lemma val_ext m y z : same m y z -> val m y = val m z.
Proof.
  induction m as [|m IH]; intro E; [reflexivity|]. simpl. rewrite E by lia. f_equal. apply IH.
  intros k K. apply E. lia.
Qed.
Lemma val_inj m y z : val m y = val m z -> same m y z.
Proof.
  induction m as [|m IH]; simpl; intros E k K; [lia|].
  assert (Y := val_lt m y). assert (Z := val_lt m z).
  assert (H : y m = z m) by (destruct (y m), (z m); try reflexivity; lia).
  destruct (Nat.eq_dec k m) as [->|]; [exact H|]. apply IH; [|lia].
  rewrite H in E. destruct (z m); lia.
Qed.
Lemma val_at_least m y k : k < m -> y k = true -> 2 ^ k <= val m y.
Proof.
  induction m as [|m IH]; [lia|]. intros K T. simpl. destruct (Nat.eq_dec k m) as [->|].
  - rewrite T. lia.
  - specialize (IH ltac:(lia) T). lia.
Qed.
Lemma val_below m y h : (forall k, h <= k < m -> y k = false) -> val m y < 2 ^ h.
Proof.
  induction m as [|m IH]; intro Z; simpl; [assert (0 < 2 ^ h) by (apply Nat.neq_0_lt_0,
    Nat.pow_nonzero; lia); lia|].
  destruct (le_lt_dec h m) as [H|H].
  - rewrite Z by lia. apply IH. intros k K. apply Z. lia.
  - assert (2 ^ S m <= 2 ^ h) by (apply Nat.pow_le_mono_r; lia). assert (V := val_lt m y).
    simpl in H0. destruct (y m); lia.
Qed.

(* What the base of a node is: the first of the least rotations. *)
Definition is_base y b := b < n /\ (forall c, c < n -> val n (turn y b) <= val n (turn y c)) /\
  forall c, c < b -> val n (turn y b) < val n (turn y c).
Lemma base_is y : 0 < n -> is_base y (base y).
Proof.
  intro N. unfold Rules.base. assert (H : forall m, 0 < m -> least n y m < m /\
    (forall c, c < m -> val n (turn y (least n y m)) <= val n (turn y c)) /\
    forall c, c < least n y m -> val n (turn y (least n y m)) < val n (turn y c)).
  { induction m as [|m IH]; [lia|]. intros _. destruct (Nat.eq_dec m 0) as [->|M].
    - simpl. destruct (less n (turn y 0) (turn y 0)); repeat split; intros; try lia;
        replace c with 0 by lia; lia.
    - specialize (IH ltac:(lia)) as (L & A & B). simpl.
      destruct (less n (turn y m) (turn y (least n y m))) eqn:E.
      + apply less_val in E. repeat split; [lia| |]; intros c C.
        * destruct (Nat.eq_dec c m) as [->|]; [lia|]. specialize (A c ltac:(lia)). lia.
        * specialize (A c ltac:(lia)). lia.
      + assert (G : val n (turn y (least n y m)) <= val n (turn y m)).
        { destruct (le_lt_dec (val n (turn y (least n y m))) (val n (turn y m))); [assumption|].
          assert (less n (turn y m) (turn y (least n y m)) = true) by now apply less_val.
          congruence. }
        repeat split; [lia| |exact B]. intros c C. destruct (Nat.eq_dec c m) as [->|]; [exact G|].
        apply A. lia. }
  destruct (H n N) as (L & A & B). repeat split; assumption.
Qed.
Lemma base_unique y b c : is_base y b -> is_base y c -> b = c.
Proof.
  intros (B & B1 & B2) (C & C1 & C2). destruct (lt_eq_lt_dec b c) as [[L|]|L]; [|assumption|].
  - specialize (C2 b L). specialize (B1 c C). lia.
  - specialize (B2 c L). specialize (C1 b B). lia.
Qed.

(* The subtree of a node: without the highest one of its least rotation the address is again the
   least of its rotations, and no other is as small. *)
Lemma base_stays y b : is_base y b -> ~ is_root n y ->
  let q := back b (highest n (turn y b)) in ~ is_root n (flip y q) -> is_base (flip y q) b.
Proof.
  intros (B & Least & _) R q N. destruct (turned_some n y b B R) as (k & K & Tk).
  assert (Lh := highest_lt _ n k K Tk). assert (Sh := highest_set _ n k K Tk).
  assert (Ah := highest_above (turn y b) n). unfold q in *. clear q.
  revert N Lh Sh Ah. generalize (highest n (turn y b)). intros h N Lh Sh Ah.
  assert (F := turn_flip n y b h B Lh).
  destruct (turned_some n _ b B N) as (i & I & Ti).
  assert (L' := highest_lt _ n i I Ti). assert (S' := highest_set _ n i I Ti).
  assert (A' := highest_above (turn (flip y (back b h)) b) n).
  revert L' S' A'. generalize (highest n (turn (flip y (back b h)) b)). intros h' L' S' A'.
  assert (H' : h' < h).
  { rewrite F in S' by exact L'. destruct (lt_eq_lt_dec h' h) as [[G|G]|G]; [exact G|subst h'|].
    - now rewrite flip_same, Sh in S'.
    - now rewrite flip_other, Ah in S' by lia. }
  assert (T' : turn y b h' = true) by (rewrite F, flip_other in S' by lia; exact S').
  assert (V' : val n (turn (flip y (back b h)) b) < 2 ^ (h' + 1))
    by (apply val_below; intros j J; apply A'; lia).
  assert (Strict : forall c, c < n -> c <> b ->
    val n (turn (flip y (back b h)) b) < val n (turn (flip y (back b h)) c)).
  { intros c C Cb. destruct (back_some n c (back b h) C (back_lt n b h B Lh)) as (p & P & E).
    rewrite <- E at 2. rewrite (val_ext n _ _ (turn_flip n y c p C P)).
    assert (Cp : turn y c p = true) by (change (y (back c p) = true); rewrite E; exact Sh).
    destruct (le_lt_dec (2 ^ (h' + 1)) (val n (flip (turn y c) p))) as [G|G]; [lia|exfalso].
    assert (Zero : forall j, h' < j < n -> j <> p -> turn y c j = false).
    { intros j J Jp. destruct (turn y c j) eqn:Tj; [exfalso|reflexivity].
      assert (2 ^ j <= val n (flip (turn y c) p)) by
        (apply val_at_least; [lia|now rewrite flip_other by exact Jp]).
      assert (2 ^ (h' + 1) <= 2 ^ j) by (apply Nat.pow_le_mono_r; lia). lia. }
    destruct (lt_eq_lt_dec p h) as [[Ph|Ph]|Ph].
    - (* then that rotation of the node is smaller than the least *)
      assert (val n (turn y c) < 2 ^ h) by (apply val_below; intros j J; apply Zero; lia).
      assert (2 ^ h <= val n (turn y b)) by (now apply val_at_least).
      specialize (Least c C). lia.
    - subst p. apply Cb. unfold Rules.back, Rules.wrap in E.
      destruct (Nat.ltb_spec (h + c) n), (Nat.ltb_spec (h + b) n); lia.
    - (* then the highest one of the parent is turned up, too *)
      assert (X : turn y c (h' + (p - h)) = true).
      { rewrite <- T'. unfold Rules.turn. f_equal. unfold Rules.back, Rules.wrap in *.
        repeat match goal with
        | |- context [?u <? ?v] => destruct (Nat.ltb_spec u v)
        | H : context [?u <? ?v] |- _ => destruct (Nat.ltb_spec u v)
        end; lia. }
      rewrite Zero in X by lia. discriminate. }
  repeat split; [exact B| |]; intros c C.
  - destruct (Nat.eq_dec c b) as [->|Cb]; [lia|]. specialize (Strict c C Cb). lia.
  - apply Strict; lia.
Qed.

Theorem sbnt_clears : clears n sbnt_parent.
Proof.
  intros y R. assert (N : 0 < n). { destruct n; [|lia]. exfalso. now apply R. }
  destruct (base_is y N) as (B & _). destruct (turned_some n y _ B R) as (k & K & T).
  assert (L := highest_lt _ n k K T). split; [now apply back_lt|]. exact (highest_set _ n k K T).
Qed.

(* Every node is at its distance from the root, the farthest at n. *)
Theorem sbnt_spans : spans n sbnt_parent n.
Proof. apply clearing_height, sbnt_clears. Qed.

(* A node's parent is in its subtree; the parent of the subtree's top is the root, by the port that
   the subtree is named after. *)
Theorem sbnt_parent_in_subtree y : ~ is_root n y ->
  if weight n y =? 1 then sbnt_parent y = base y else base (flip y (sbnt_parent y)) = base y.
Proof.
  intro R. assert (N : 0 < n). { destruct n; [|lia]. exfalso. now apply R. }
  assert (C := sbnt_clears y R). destruct C as [Q T].
  assert (W := weight_clear n y _ Q T). assert (B := base_is y N).
  destruct (Nat.eqb_spec (weight n y) 1) as [W1|W1].
  - destruct B as (B & Least & _). unfold Rules.sbnt_parent.
    assert (Z : forall k, k < n -> k <> sbnt_parent y -> y k = false).
    { intros k K D. assert (X : weight n (flip y (sbnt_parent y)) = 0) by lia.
      apply weight_zero in X. rewrite root_iff in X. rewrite <- (flip_other y (sbnt_parent y)) by
      exact D. now apply X. }
    destruct (turned_some n y _ B R) as (k & K & Tk).
    assert (Lh := highest_lt _ n k K Tk). assert (Sh := highest_set _ n k K Tk).
    destruct (Nat.eq_dec (highest n (turn y (base y))) 0) as [->|H]; [now apply back_zero|exfalso].
    specialize (Least (sbnt_parent y) Q).
    assert (val n (turn y (sbnt_parent y)) < 2 ^ 1).
    { apply val_below. intros j J. change (y (back (sbnt_parent y) j) = false).
      apply Z; [apply back_lt; lia|]. intro E. rewrite <- (back_zero n (sbnt_parent y)) in E at 2
      by exact Q. apply back_inj in E; lia. }
    assert (2 ^ highest n (turn y (base y)) <= val n (turn y (base y))) by now apply val_at_least.
    assert (2 ^ 1 <= 2 ^ highest n (turn y (base y))) by (apply Nat.pow_le_mono_r; lia). lia.
  - apply base_unique with (flip y (sbnt_parent y)); [now apply base_is|].
    apply base_stays; [exact B|exact R|]. intro Z.
    assert (X : weight n (flip y (sbnt_parent y)) = 0) by (now apply weight_zero). lia.
Qed.

Lemma base_flip_root q y : q < n -> is_root n y ->
  base (flip y q) = q /\ sbnt_parent (flip y q) = q.
Proof.
  intros Q Z. rewrite root_iff in Z.
  assert (R : ~ is_root n (flip y q)) by
    (apply not_root with q; [exact Q|]; now rewrite flip_same, Z).
  destruct (sbnt_clears _ R) as [L T]. assert (E : sbnt_parent (flip y q) = q).
  { destruct (Nat.eq_dec (sbnt_parent (flip y q)) q) as [|D]; [assumption|].
    rewrite flip_other, Z in T by assumption. discriminate. }
  split; [|exact E]. assert (P := sbnt_parent_in_subtree _ R).
  assert (W : weight n (flip y q) = 1). { rewrite weight_set by auto.
    assert (X : weight n y = 0) by (apply weight_zero, root_iff; exact Z). lia. }
  rewrite W in P. simpl in P. congruence.
Qed.

(* The paper's definition of children: across leading zeroes of the least rotation, where that
   leaves the node in its subtree. The code finds the same by other means, see the tables. *)
Theorem sbnt_agrees : agree n sbnt_parent sbnt_children.
Proof.
  intros y q. unfold Rules.sbnt_children. destruct (Nat.eqb_spec (weight n y) 0) as [W|W].
  - apply weight_zero in W. rewrite in_seq. split.
    + intro Q. assert (A := W). rewrite root_iff in A. repeat split; [lia| |].
      * apply not_root with q; [lia|]. rewrite flip_same, A by lia. reflexivity.
      * apply base_flip_root; [lia|exact W].
    + intros [Q _]. lia.
  - assert (R : ~ is_root n y) by (intro R; now apply weight_zero in R).
    assert (N : 0 < n). { destruct n; [|lia]. exfalso. now apply R. }
    destruct (base_is y N) as (B & _). rewrite filter_In, in_map_iff, Nat.eqb_eq. split.
    + intros [(k & <- & I) E]. apply zeroes_above_in in I as [I Z].
      assert (F := turn_flip n y _ k B ltac:(lia)).
      assert (T : flip (turn y (base y)) k k = true) by (rewrite flip_same, Z by lia; reflexivity).
      repeat split; [apply back_lt; lia| |].
      * rewrite <- (turn_root n _ _ B). apply not_root with k; [lia|]. now rewrite F by lia.
      * unfold Rules.sbnt_parent. rewrite E. f_equal. rewrite (highest_ext n _ _ F).
        apply highest_is; [lia|exact T|]. intros i J. rewrite flip_other by lia. apply Z. lia.
    + intros (Q & R' & P). assert (S' := sbnt_parent_in_subtree _ R'). rewrite P in S'.
      assert (Same : same n (flip (flip y q) q) y).
      { intros k _. unfold flip. destruct (k =? q); [apply negb_involutive|reflexivity]. }
      destruct (sbnt_clears _ R') as [_ T]. rewrite P, flip_same in T. apply negb_true_iff in T.
      assert (V := weight_set n y q Q T). rewrite V in S'.
      destruct (Nat.eqb_spec (S (weight n y)) 1) as [|_]; [lia|].
      assert (E : base (flip (flip y q) q) = base y).
      { apply base_unique with y; [|now apply base_is].
        destruct (base_is (flip (flip y q) q) N) as (B' & L1 & L2).
        assert (X : forall c, c < n -> val n (turn (flip (flip y q) q) c) = val n (turn y c)).
        { intros c C. apply val_ext. intros k K. apply Same. now apply back_lt. }
        repeat split; [exact B'| |]; intros c C; rewrite <- !X by lia;
          [now apply L1|now apply L2]. }
      rewrite E in S'. split; [|congruence].
      destruct (back_some n (base y) q B Q) as (i & I & Ei). exists i. split; [exact Ei|].
      apply zeroes_above_in. unfold Rules.sbnt_parent in P. rewrite <- S' in P.
      assert (F := turn_flip n y _ i B I). rewrite Ei in F. rewrite (highest_ext n _ _ F) in P.
      rewrite <- Ei in P. assert (Ti : flip (turn y (base y)) i i = true).
      { rewrite flip_same. change (negb (y (back (base y) i)) = true). now rewrite Ei, T. }
      apply back_inj in P; [|exact B|now apply (highest_lt _ n i)|exact I].
      split; [lia|]. intros k K. destruct (Nat.eq_dec k i) as [->|D].
      * rewrite flip_same in Ti. now apply negb_true_iff in Ti.
      * rewrite <- (flip_other _ i) by exact D. apply (highest_above _ n). lia.
Qed.
End Sbnt.
