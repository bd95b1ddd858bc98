(* `bts`, the usual tree of the UHC, for every n from 2 on and every root: it spans, by links that
   go the right way, and each node is as many links from the root as the formula of the distance
   says, at most n+1, or n+2 for odd n. [firmware/core/uhc/trees.hpp, uni_hypercube.hpp] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Section Uhc.
Variable n : nat.
Variable odd_root : bool.
Local Notation sends := (sends n odd_root).
Local Notation own := (own n odd_root).
Local Notation foreign := (foreign n odd_root).
Local Notation bts_parent := (bts_parent n odd_root).
Local Notation bts_children := (bts_children n odd_root).
Definition receives (y : node) : node := fun d => negb (sends y d).

Lemma weight_ext y z : same n y z -> weight n y = weight n z.
Proof. intro E. unfold weight. now rewrite (ones_ext n y z E). Qed.
Lemma weight_some y : weight n y <> 0 -> exists q, q < n /\ y q = true.
Proof. intro W. destruct (root_or n y) as [Z|E]; [|exact E]. now apply weight_zero in Z. Qed.
Lemma weight_none y : weight n y = 0 -> forall k, k < n -> y k = false.
Proof. intro W. apply root_iff. now apply weight_zero. Qed.

(* Neighbours exchange the roles of all dimensions. *)
Lemma sends_flip y q d : q < n -> sends (flip y q) d = negb (sends y d).
Proof.
  intro Q. unfold Rules.sends.
  assert (W : Nat.odd (weight n (flip y q)) = negb (Nat.odd (weight n y))).
  { destruct (y q) eqn:T.
    - rewrite <- (weight_clear n y q Q T). rewrite Nat.odd_succ, <- Nat.negb_odd.
      now rewrite negb_involutive.
    - rewrite (weight_set n y q Q T). now rewrite Nat.odd_succ, <- Nat.negb_odd. }
  rewrite W. now destruct (Nat.odd d), odd_root, (Nat.odd (weight n y)).
Qed.

Lemma lowest_is y k : k < n -> y k = true ->
  lowest n y <= k /\ y (lowest n y) = true /\ forall i, i < lowest n y -> y i = false.
Proof.
  unfold lowest, ones. assert (H : forall m a, a <= k < a + m -> y k = true ->
    a <= hd 0 (filter y (seq a m)) <= k /\ y (hd 0 (filter y (seq a m))) = true /\
    forall i, a <= i < hd 0 (filter y (seq a m)) -> y i = false).
  { induction m as [|m IH]; intros a A T; [lia|]. simpl. destruct (y a) eqn:E; simpl.
    - repeat split; try lia. exact E.
    - assert (k <> a) by congruence. destruct (IH (S a) ltac:(lia) T) as (B & C & D).
      repeat split; [lia|lia|exact C|]. intros i I. destruct (Nat.eq_dec i a) as [->|]; [exact E|].
      apply D. lia. }
  intros K T. destruct (H n 0 ltac:(lia) T) as (A & B & C). repeat split; [lia|exact B|].
  intros i I. apply C. lia.
Qed.
Lemma receives_some y : 2 <= n -> exists k, k < n /\ receives y k = true.
Proof.
  intro N. exists (if sends y 0 then 1 else 0). unfold receives, Rules.sends. simpl.
  destruct odd_root, (Nat.odd (weight n y)); simpl; split; auto; lia.
Qed.

(* What a node's parent has to differ in. *)
Lemma step y : 2 <= n -> ~ is_root n y ->
  bts_parent y < n /\ receives y (bts_parent y) = true /\
  uhc_distance (weight n (foreign y)) (weight n (own y)) =
  S (uhc_distance (weight n (foreign (flip y (bts_parent y))))
    (weight n (own (flip y (bts_parent y))))).
Proof.
  intros N R. assert (Fl : forall q, q < n -> same n (foreign (flip y q))
    (fun d => flip y q d && sends y d) /\
    same n (own (flip y q)) (fun d => flip y q d && receives y d)).
  { intros q Q. unfold Rules.foreign, Rules.own. split; intros d _; rewrite sends_flip by exact Q;
      [now rewrite negb_involutive|reflexivity]. }
  unfold Rules.bts_parent. destruct (Nat.eqb_spec (weight n (foreign y)) 0) as [W|W].
  - destruct (receives_some y N) as (k & K & T). fold (receives y).
    assert (L := highest_lt _ n k K T). assert (S := highest_set _ n k K T). revert L S.
    generalize (highest n (receives y)). intros q Q Rq.
    assert (Z := weight_none _ W q Q). unfold Rules.foreign in Z. fold (receives y q) in Z.
    rewrite Rq, andb_true_r in Z. assert (Sq : sends y q = false) by now apply negb_true_iff.
    destruct (Fl q Q) as [F O]. repeat split; [exact Q|exact Rq|].
    rewrite (weight_ext _ _ F), (weight_ext _ _ O).
    rewrite (weight_ext (fun d => flip y q d && sends y d) (own y)).
    2:{ intros d D. unfold Rules.own, flip. destruct (Nat.eqb_spec d q) as [->|]; [|reflexivity].
        now rewrite Sq, !andb_false_r. }
    assert (One : weight n (fun d => flip y q d && receives y d) = 1).
    { rewrite (weight_ext _ (flip (fun _ => false) q)).
      - rewrite weight_set by auto. f_equal. apply weight_zero, root_iff. reflexivity.
      - intros d D. destruct (Nat.eq_dec d q) as [->|E]; [now rewrite !flip_same, Z, Rq|].
        rewrite !flip_other by exact E. exact (weight_none _ W d D). }
    rewrite One, W. assert (O0 : weight n (own y) <> 0).
    { intro O0. apply R, root_iff. intros d D. assert (A := weight_none _ W d D).
      assert (B := weight_none _ O0 d D). unfold Rules.foreign, Rules.own in A, B.
      destruct (y d), (sends y d); auto. }
    revert O0. generalize (weight n (own y)). intros o O0. unfold uhc_distance.
    assert (Odd : Nat.even (o + 1) = negb (Nat.even o)) by
      (rewrite Nat.add_1_r, Nat.even_succ, <- Nat.negb_even; reflexivity).
    rewrite Odd, Nat.add_0_l. destruct (Nat.even o) eqn:E; simpl negb; cbv iota.
    + assert (o <> 1) by (intros ->; discriminate).
      destruct (Nat.ltb_spec 1 o); lia.
    + destruct (Nat.ltb_spec o 0); lia.
  - destruct (weight_some _ W) as (k & K & T). destruct (lowest_is _ k K T) as (A & B & _).
    revert A B. generalize (lowest n (foreign y)). intros q A B. assert (Q : q < n) by lia.
    assert (X := B). unfold Rules.foreign in X. apply andb_true_iff in X as [Yq Sq].
    destruct (Fl q Q) as [F O]. repeat split; [exact Q|exact Sq|]. apply negb_true_iff in Sq.
    rewrite (weight_ext _ _ F), (weight_ext _ _ O).
    rewrite (weight_ext (fun d => flip y q d && sends y d) (own y)).
    2:{ intros d D. unfold Rules.own, flip. destruct (Nat.eqb_spec d q) as [->|]; [|reflexivity].
        now rewrite Sq, !andb_false_r. }
    rewrite (weight_ext (fun d => flip y q d && receives y d) (flip (foreign y) q)).
    2:{ intros d D. destruct (Nat.eq_dec d q) as [->|E].
        - unfold receives. now rewrite !flip_same, B, Yq.
        - now rewrite !flip_other by exact E. }
    rewrite <- (weight_clear n _ q Q B). generalize (weight n (flip (foreign y) q)).
    generalize (weight n (own y)). intros o f. unfold uhc_distance.
    assert (Odd : Nat.even (S f + o) = negb (Nat.even (f + o))) by
      (simpl Nat.add; rewrite Nat.even_succ, <- Nat.negb_even; reflexivity).
    rewrite Odd, (Nat.add_comm o f). destruct (Nat.even (f + o)) eqn:E; simpl negb; cbv iota.
    + assert (o <> S f). { intros ->. rewrite Nat.add_succ_r in E.
        replace (S (f + f)) with (1 + 2 * f) in E by lia.
        rewrite Nat.even_add_mul_2 in E. discriminate. }
      destruct (Nat.ltb_spec o (S f)); lia.
    + assert (o <> f). { intros ->. replace (f + f) with (0 + 2 * f) in E by lia.
        rewrite Nat.even_add_mul_2 in E. discriminate. }
      destruct (Nat.ltb_spec f o); lia.
Qed.

Lemma distance_zero y : is_root n y <-> uhc_distance (weight n (foreign y)) (weight n (own y)) = 0.
Proof.
  split.
  - intro R. rewrite root_iff in R.
    assert (Z : forall y' : node, (forall d, d < n -> y' d = false) ->
      weight n y' = 0) by (intros y' H; now apply weight_zero, root_iff).
    rewrite !Z; [reflexivity| |]; intros d D; unfold Rules.own, Rules.foreign; now rewrite R.
  - unfold uhc_distance. intro E. apply root_iff. intros d D.
    assert (F0 : weight n (foreign y) = 0 /\ weight n (own y) = 0).
    { revert E. generalize (weight n (foreign y)), (weight n (own y)). intros f o.
      destruct (Nat.even (f + o)); [lia|]. destruct (Nat.ltb_spec o f); lia. }
    destruct F0 as [F O]. assert (A := weight_none _ F d D). assert (B := weight_none _ O d D).
    unfold Rules.foreign, Rules.own in A, B. destruct (y d), (sends y d); auto.
Qed.

Theorem bts_path y : 2 <= n -> exists path, leads n bts_parent path y /\
  length path = uhc_distance (weight n (foreign y)) (weight n (own y)).
Proof.
  intro N. remember (uhc_distance _ _) as s eqn:E. symmetry in E. revert y E.
  induction s as [|s IH]; intros y E.
  - exists []. split; [apply here; now apply distance_zero|reflexivity].
  - assert (R : ~ is_root n y) by (rewrite distance_zero; lia).
    destruct (step y N R) as (Q & _ & D). destruct (IH (flip y (bts_parent y))) as (path & L & Len).
    { lia. }
    exists (bts_parent y :: path). split; [now apply up|simpl; lia].
Qed.
Theorem bts_crosses_links_the_right_way y : 2 <= n -> ~ is_root n y ->
  receives y (bts_parent y) = true /\ sends (flip y (bts_parent y)) (bts_parent y) = true.
Proof.
  intros N R. destruct (step y N R) as (Q & Rq & _). split; [exact Rq|].
  now rewrite sends_flip by exact Q.
Qed.

(* Of n dimensions at most half are of one parity. *)
Lemma half y b : 2 * weight n (fun d => y d && eqb (Nat.odd d) b) <= n + n mod 2.
Proof.
  assert (H : forall m, 2 * weight m (fun d => y d && eqb (Nat.odd d) b) <=
    if Nat.odd m then (if b then m - 1 else m + 1) else m).
  { induction m as [|m IH]; [simpl; lia|]. unfold weight in *. rewrite ones_S, app_length.
    assert (P : Nat.odd m = true -> m <> 0) by (intros P ->; discriminate).
    rewrite Nat.odd_succ, <- Nat.negb_odd. destruct (Nat.odd m) eqn:O;
      [specialize (P eq_refl)|]; destruct b, (y m); simpl in *; rewrite ?O; simpl in *; lia. }
  specialize (H n). assert (O : Nat.odd n = true -> n mod 2 = 1).
  { intro O. apply Nat.odd_spec in O as [k ->]. rewrite Nat.add_comm, Nat.mul_comm,
      Nat.mod_add by lia.
    reflexivity. }
  destruct (Nat.odd n); [|lia]. rewrite O by reflexivity. destruct b; lia.
Qed.
Theorem bts_spans : 2 <= n -> spans n bts_parent (bts_height n).
Proof.
  intros N y. destruct (bts_path y N) as (path & L & E). exists path. split; [exact L|]. rewrite E.
  unfold bts_height.
  assert (O : 2 * weight n (own y) <= n + n mod 2) by apply half.
  assert (F : 2 * weight n (foreign y) <= n + n mod 2).
  { rewrite (weight_ext (foreign y) (fun d => y d &&
      eqb (Nat.odd d) (negb (xorb odd_root (Nat.odd (weight n y)))))); [apply half|].
    intros d _. unfold Rules.foreign, Rules.sends.
    now destruct (y d), (Nat.odd d), (xorb odd_root (Nat.odd (weight n y))). }
  revert O F. generalize (weight n (own y)), (weight n (foreign y)). intros o f O F.
  unfold uhc_distance. destruct (Nat.even (f + o)); [lia|]. destruct (Nat.ltb_spec o f); lia.
Qed.

(* A node sends to those that have it as parent, and to no others. *)
Theorem bts_agrees y q : In q (bts_children y) <->
  q < n /\ sends y q = true /\ ~ is_root n (flip y q) /\ bts_parent (flip y q) = q.
Proof.
  unfold Rules.bts_children. cbv zeta. rewrite <- in_rev, filter_In, in_seq, !andb_true_iff.
  rewrite negb_true_iff, Nat.eqb_neq, weight_zero. set (top := highest n (sends y)).
  set (stops := fun d => own y d && negb (d =? top)).
  assert (Stop : match ones n stops with [] => true | stop :: _ => q <? stop end = true <->
    forall d, d < n -> stops d = true -> q < d).
  { destruct (ones n stops) as [|s l] eqn:E.
    - split; [|reflexivity]. intros _ d D T. assert (I : In d (ones n stops)) by now apply ones_in.
      now rewrite E in I.
    - rewrite Nat.ltb_lt. assert (I : In s (ones n stops)) by (rewrite E; now left).
      apply ones_in in I as [S T]. split; [|intro H; now apply H]. intros L d D Td.
      destruct (lowest_is stops d D Td) as (A & _). unfold lowest in A. rewrite E in A. simpl in A.
      lia. }
  rewrite Stop. clear Stop. assert (Own : forall d, stops d = true <-> own y d = true /\ d <> top).
  { intro d. unfold stops. now rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq. }
  assert (Top : forall d, d < n -> sends y d = true -> d <= top).
  { intros d D T. destruct (le_lt_dec d top) as [|G]; [assumption|].
    assert (F : sends y d = false) by (apply (highest_above _ n); unfold top in G; lia).
    congruence. }
  split.
  - intros [[_ Q] [[Sq R] Before]]. simpl in Q. repeat split; auto. unfold Rules.bts_parent.
    set (G := foreign (flip y q)). assert (Gd : forall d, G d = flip y q d && sends y d).
    { intro d. unfold G, Rules.foreign. now rewrite sends_flip, negb_involutive by exact Q. }
    destruct (y q) eqn:Y.
    + assert (E : q = top). { destruct (Nat.eq_dec q top) as [|D]; [assumption|].
        assert (L : q < q); [|lia]. apply Before; [exact Q|]. apply Own. unfold Rules.own.
        now rewrite Y, Sq. }
      assert (Z : weight n G = 0).
      { apply weight_zero, root_iff. intros d D. rewrite Gd. destruct (Nat.eq_dec d q) as [->|N].
        - now rewrite flip_same, Y.
        - rewrite flip_other by exact N. destruct (own y d) eqn:O; [|exact O].
          assert (L : q < d) by (apply Before; [exact D|]; apply Own; split; congruence).
          assert (T : sends y d = true) by (now apply andb_true_iff in O).
          specialize (Top d D T). lia. }
      rewrite Z. simpl. rewrite E. apply highest_ext. intros d _.
      rewrite sends_flip by (rewrite <- E; exact Q). apply negb_involutive.
    + assert (Gq : G q = true) by (now rewrite Gd, flip_same, Y, Sq).
      assert (W : weight n G <> 0) by (intro W; now rewrite (weight_none _ W q Q) in Gq).
      destruct (Nat.eqb_spec (weight n G) 0) as [|_]; [contradiction|].
      destruct (lowest_is G q Q Gq) as (A & B & _). revert A B. generalize (lowest n G).
      intros d A B. destruct (Nat.eq_dec d q) as [|N]; [assumption|].
      rewrite Gd, flip_other in B by exact N. assert (T := B). apply andb_true_iff in T as [_ T].
      assert (L : q < d); [|lia]. apply Before; [lia|]. apply Own. split; [exact B|].
      specialize (Top q Q Sq). lia.
  - intros (Q & Sq & R & P). repeat split; auto; [lia|]. intros d D T. apply Own in T as [O N].
    unfold Rules.bts_parent in P. set (G := foreign (flip y q)) in *.
    assert (Gd : forall d, G d = flip y q d && sends y d).
    { intro e. unfold G, Rules.foreign. now rewrite sends_flip, negb_involutive by exact Q. }
    assert (Od := O). unfold Rules.own in Od. apply andb_true_iff in Od as [Yd Sd].
    destruct (Nat.eqb_spec (weight n G) 0) as [W|W].
    + assert (E : top = q).
      { rewrite <- P. apply highest_ext. intros e _. rewrite sends_flip by exact Q.
        symmetry. apply negb_involutive. }
      assert (Z := weight_none _ W d D). rewrite Gd, flip_other, Yd, Sd in Z by congruence.
      discriminate.
    + destruct (weight_some _ W) as (k & K & Tk). destruct (lowest_is G k K Tk) as (_ & B & C).
      rewrite P in B, C. rewrite Gd, flip_same, Sq, andb_true_r in B. apply negb_true_iff in B.
      destruct (le_lt_dec d q) as [L|]; [exfalso|assumption].
      assert (d <> q) by congruence. specialize (C d ltac:(lia)).
      rewrite Gd, flip_other, Yd, Sd in C by assumption. discriminate.
Qed.
End Uhc.
