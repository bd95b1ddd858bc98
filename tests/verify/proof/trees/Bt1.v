(* `bt1` of the UHC for every even n and every root: it spans, by links that go the right way, and no
   node is further from the root than three links for each pair of dimensions.
   [firmware/core/uhc/trees.hpp; huang-yang-tseng-2001, 3] *)
Require Import Bool List Arith Lia Wf_nat.
From Proof Require Import Rules Cube Uhc Disjoint.
Import ListNotations.

Section Bt1.
Variable n : nat.
Variable odd_root : bool.
Hypothesis n_is_even : n = 2 * (n / 2).
Notation sends := (sends n odd_root).
Notation in_port := (in_port n odd_root).
Notation bt1_parent := (bt1_parent n odd_root).

(* The other dimension of the pair, by which the node sends. *)
Definition out_port y j := if sends y (2 * j) then 2 * j else 2 * j + 1.
Definition pair_of (y : node) := lowest n y / 2.
Lemma pair_is y k : k < n -> y k = true -> pair_of y < n / 2 /\ differs y (pair_of y) = true /\
  forall i, i < 2 * pair_of y -> y i = false.
Proof.
  intros K T. destruct (lowest_is n y k K T) as (L & S & Z). unfold pair_of.
  set (l := lowest n y) in *. assert (D := Nat.div_mod l 2 ltac:(lia)).
  assert (M := Nat.mod_upper_bound l 2 ltac:(lia)). split; [lia|]. split.
  - unfold differs. destruct (Nat.eq_dec (l mod 2) 0) as [E|E].
    + replace (2 * (l / 2)) with l by lia. now rewrite S.
    + replace (2 * (l / 2) + 1) with l by lia. now rewrite S, orb_true_r.
  - intros i I. apply Z. lia.
Qed.
(* The pair in work is the lowest one that differs. *)
Lemma pair_known y j : j < n / 2 -> differs y j = true -> (forall i, i < 2 * j -> y i = false) ->
  pair_of y = j.
Proof.
  intros J D Z. assert (K : exists k, 2 * j <= k <= 2 * j + 1 /\ y k = true).
  { unfold differs in D. apply orb_true_iff in D as [D|D]; eexists; split; eauto; lia. }
  destruct K as (k & K & T). destruct (lowest_is n y k ltac:(lia) T) as (L & S & _).
  unfold pair_of. assert (2 * j <= lowest n y).
  { destruct (le_lt_dec (2 * j) (lowest n y)); [assumption|]. rewrite Z in S by assumption.
    discriminate. }
  assert (D' := Nat.div_mod (lowest n y) 2 ltac:(lia)).
  assert (M := Nat.mod_upper_bound (lowest n y) 2 ltac:(lia)). lia.
Qed.

(* Links that lie before a node in the pair in work; and before it at all, at most. *)
Definition hops (y : node) := let j := pair_of y in
  if y (in_port y j) then if y (out_port y j) then 2 else 1 else 3.
Definition pairs (y : node) := weight (n / 2) (differs y).
Definition far (y : node) := if weight n y =? 0 then 0 else 3 * (pairs y - 1) + hops y.

Lemma ports_of y j : (in_port y j = 2 * j /\ out_port y j = 2 * j + 1) \/
  (in_port y j = 2 * j + 1 /\ out_port y j = 2 * j).
Proof. unfold Rules.in_port, out_port. destruct (sends y (2 * j)); auto. Qed.
Lemma ports_across y j q : q < n ->
  in_port (flip y q) j = out_port y j /\ out_port (flip y q) j = in_port y j.
Proof.
  intro Q. unfold Rules.in_port, out_port. rewrite sends_flip by exact Q.
  now destruct (sends y (2 * j)).
Qed.
Lemma differs_across y q j : differs (flip y q) j =
  if q / 2 =? j then flip y q (2 * j) || flip y q (2 * j + 1) else differs y j.
Proof.
  destruct (Nat.eqb_spec (q / 2) j) as [E|E]; [reflexivity|]. unfold differs.
  assert (D := Nat.div_mod q 2 ltac:(lia)). assert (M := Nat.mod_upper_bound q 2 ltac:(lia)).
  rewrite !flip_other; [reflexivity| |]; lia.
Qed.

Lemma nearer_by_one y : ~ is_root n y -> bt1_parent y < n /\
  sends y (bt1_parent y) = false /\ far (flip y (bt1_parent y)) < far y.
Proof.
  intro R. destruct (root_or n y) as [H|(k & K & T)]; [contradiction|].
  destruct (pair_is y k K T) as (J & D & Z). unfold Rules.bt1_parent. fold (pair_of y).
  set (j := pair_of y) in *. assert (I := in_port_lt n odd_root y j J).
  split; [exact I|]. split; [apply in_port_receives|].
  assert (Far : far y = 3 * (pairs y - 1) + hops y).
  { unfold far. destruct (Nat.eqb_spec (weight n y) 0) as [W|]; [|reflexivity].
    apply weight_zero in W. contradiction. }
  rewrite Far. set (i := in_port y j) in *. set (q := out_port y j).
  assert (P := ports_of y j). fold i q in P.
  assert (Half : i / 2 = j).
  { symmetry. destruct P as [[-> _]|[-> _]]; [apply Nat.div_unique with 0|
      apply Nat.div_unique with 1]; lia. }
  assert (Iq : q <> i) by lia.
  assert (Dy : differs y j = y i || y q).
  { unfold differs. destruct P as [[-> ->]|[-> ->]]; [reflexivity|apply orb_comm]. }
  assert (Df : differs (flip y i) j = negb (y i) || y q).
  { rewrite differs_across, Half, Nat.eqb_refl.
    destruct P as [[Ei Eq]|[Ei Eq]]; [rewrite <- Eq, <- Ei|rewrite <- Ei, <- Eq];
      rewrite flip_same, (flip_other y i q) by exact Iq; [reflexivity|apply orb_comm]. }
  assert (Zf : forall x, x < 2 * j -> flip y i x = false).
  { intros x X. rewrite flip_other by lia. now apply Z. }
  assert (Pairs : 1 <= pairs y).
  { unfold pairs. destruct (weight (n / 2) (differs y)) eqn:W; [|lia].
    assert (F := weight_none (n / 2) (differs y) W j J). congruence. }
  change (hops y) with (if y i then if y q then 2 else 1 else 3).
  destruct (y i && negb (y q)) eqn:C.
  - apply andb_true_iff in C as [Yi Yq]. apply negb_true_iff in Yq. rewrite Yi, Yq.
    assert (One : S (pairs (flip y i)) = pairs y).
    { unfold pairs. rewrite <- (weight_clear (n / 2) (differs y) j J D). f_equal.
      apply weight_ext. intros x X. destruct (Nat.eq_dec x j) as [->|N].
      - now rewrite Df, flip_same, Yi, Yq, D.
      - rewrite flip_other, differs_across, Half by exact N.
        destruct (Nat.eqb_spec j x); [congruence|reflexivity]. }
    unfold far. destruct (weight n (flip y i) =? 0) eqn:W; [lia|]. apply Nat.eqb_neq in W.
    assert (hops (flip y i) <= 3) by (unfold hops; destruct (flip y i _); [destruct (flip y i _)|];
      lia).
    assert (1 <= pairs (flip y i)); [|lia]. destruct (weight_some n (flip y i) W) as (x & X & Tx).
    destruct (pair_is (flip y i) x X Tx) as (Jx & Dx & _). unfold pairs.
    destruct (weight (n / 2) (differs (flip y i))) eqn:V; [|lia].
    assert (F := weight_none (n / 2) _ V _ Jx). congruence.
  - assert (Same : differs (flip y i) j = true).
    { rewrite Df. rewrite Dy in D. revert C D. now destruct (y i), (y q). }
    assert (One : pairs (flip y i) = pairs y).
    { unfold pairs. apply weight_ext. intros x X. rewrite differs_across, Half.
      destruct (Nat.eqb_spec j x) as [<-|]; [|reflexivity]. rewrite D.
      rewrite <- Same, differs_across, Half, Nat.eqb_refl. reflexivity. }
    assert (Pf : pair_of (flip y i) = j) by (apply pair_known; assumption).
    assert (Hf : hops (flip y i) < if y i then if y q then 2 else 1 else 3).
    { unfold hops. rewrite Pf. destruct (ports_across y j i I) as [-> ->]. fold i q.
      rewrite flip_same, (flip_other y i q) by exact Iq. rewrite Dy in D. revert C D.
      destruct (y i), (y q); simpl; intros; try discriminate; lia. }
    unfold far. destruct (weight n (flip y i) =? 0); lia.
Qed.

Theorem bt1_spans : spans n bt1_parent (bt1_height n).
Proof.
  assert (H : forall w y, far y = w -> exists path, leads n bt1_parent path y /\
    length path <= w).
  { induction w as [w IH] using lt_wf_ind. intros y W. destruct (root_or n y) as [R|(k & K & T)].
    - exists []. split; [now apply here|simpl; lia].
    - assert (R : ~ is_root n y) by now apply not_root with k.
      destruct (nearer_by_one y R) as (I & _ & L).
      destruct (IH (far (flip y (bt1_parent y))) ltac:(lia) _ eq_refl) as (path & P & Len).
      exists (bt1_parent y :: path). split; [now apply up|simpl; lia]. }
  intro y. destruct (H (far y) y eq_refl) as (path & P & Len). exists path. split; [exact P|].
  assert (M := weight_most (n / 2) (differs y)). fold (pairs y) in M.
  assert (Low : hops y <= 3) by (unfold hops; destruct (y _); [destruct (y _)|]; lia).
  unfold bt1_height. unfold far in Len. destruct (Nat.eqb_spec (weight n y) 0) as [W|W]; [lia|].
  destruct (weight_some n y W) as (k & K & T). destruct (pair_is y k K T) as (J & D & _). lia.
Qed.
Theorem bt1_crosses_links_the_right_way y : ~ is_root n y ->
  bt1_parent y < n /\ sends y (bt1_parent y) = false.
Proof. intro R. now destruct (nearer_by_one y R) as (I & S & _). Qed.
End Bt1.
