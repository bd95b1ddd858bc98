(* The n disjoint paths between two nodes of the n-cube, for every n and any two nodes: each ends,
   in as many links as the nodes differ in bits or two more, and no two have a node in common but
   the ends. [firmware/core/cube/disjoint_paths.hpp] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Section Paths.
Variable n : nat.
Local Notation back := (back n).
Local Notation turn := (turn n).
(* Where the paths lead, as seen from their start. *)
Variable r : node.
Local Notation port := (path_port n r).
Local Notation at_step := (path_node n r).
Local Notation left := (left r).
Local Notation between := (between r).

(* The next set dimension going up from k, round the end: none is set before it. *)
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
Lemma next_is set k q : k < n -> q < n -> set q = true -> exists i, i < n /\
  next n set k = back k i /\ set (back k i) = true /\ forall j, j < i -> set (back k j) = false.
Proof.
  intros K Q T. destruct (back_some n k q K Q) as (i & I & <-).
  destruct (lowest_is (turn set k) i I T) as (A & B & C). exists (lowest n (turn set k)).
  repeat split; [lia|exact B|exact C].
Qed.

Lemma next_ext set other k : k < n -> same n set other -> next n set k = next n other k.
Proof.
  intros K E. unfold next, lowest. rewrite (ones_ext n (turn set k) (turn other k)); [reflexivity|].
  intros i I. now apply E, back_lt.
Qed.
Lemma left_flip c q : same n (left (flip c q)) (flip (left c) q).
Proof. intros i _. unfold Rules.left, flip. destruct (i =? q); [|reflexivity].
  now destruct (r i), (c i). Qed.
Lemma weight_some y : weight n y <> 0 -> exists q, q < n /\ y q = true.
Proof.
  intro W. destruct (root_or n y) as [Z|E]; [|exact E]. now apply weight_zero in Z.
Qed.
Lemma weight_ext y z : same n y z -> weight n y = weight n z.
Proof. intro E. unfold weight. now rewrite (ones_ext n y z E). Qed.
Lemma left_step c q : q < n -> left c q = true -> S (weight n (left (flip c q))) =
  weight n (left c).
Proof. intros Q T. rewrite (weight_ext _ _ (left_flip c q)). now apply weight_clear. Qed.
Lemma left_none c : weight n (left c) = 0 -> same n c r.
Proof.
  intros W i I. apply weight_zero in W. rewrite root_iff in W. specialize (W i I).
  unfold Rules.left in W.
  now destruct (r i), (c i).
Qed.
Lemma left_start : weight n (left (fun _ => false)) = weight n r.
Proof. apply weight_ext. intros i _. unfold Rules.left. now destruct (r i). Qed.

(* A path that begins across a differing dimension: what it has crossed is those from k up to
   somewhere, round the end. *)
Definition in_order k (c : node) := (forall i, i < n -> c i = true -> r i = true) /\
  forall i j, i < j < n -> c (back k j) = true -> r (back k i) = true -> c (back k i) = true.

Lemma straight k steps : k < n -> r k = true -> steps <= weight n r ->
  in_order k (at_step k steps) /\ weight n (left (at_step k steps)) = weight n r - steps /\
  (0 < steps -> at_step k steps k = true).
Proof.
  intros K R. induction steps as [|s IH]; intro S.
  - simpl. rewrite left_start. repeat split; intros; try lia; discriminate.
  - destruct (IH ltac:(lia)) as ((Sub & Ord) & W & First). simpl.
    destruct (weight_some (left (at_step k s)) ltac:(lia)) as (q0 & Q0 & T0).
    set (c := at_step k s) in *. assert (P : port c k = next n (left c) k).
    { unfold path_port. rewrite R. simpl. assert (B : same n (between c k) (left c)) by
        (intros i _; unfold Rules.between; rewrite R; apply andb_true_r).
      destruct (weight n _ =? 0); [reflexivity|now apply next_ext]. }
    rewrite P. destruct (next_is (left c) k q0 K Q0 T0) as (i & I & -> & Ti & Before).
    assert (Bi := back_lt n k i K I).
    assert (Ri : r (back k i) = true /\ c (back k i) = false).
    { unfold Rules.left in Ti. destruct (r (back k i)) eqn:Er, (c (back k i)) eqn:Ec;
        try discriminate Ti;
        [now split|]. apply Sub in Ec; [congruence|exact Bi]. }
    destruct Ri as [Ri Ci]. assert (L := left_step c _ Bi Ti).
    repeat split.
    + intros j J T. destruct (Nat.eq_dec j (back k i)) as [->|D]; [exact Ri|].
      rewrite flip_other in T by exact D. now apply Sub.
    + intros a b B T Ra. destruct (Nat.eq_dec (back k a) (back k i)) as [->|Da].
      { now rewrite flip_same, Ci. }
      rewrite flip_other by exact Da. destruct (Nat.eq_dec b i) as [->|Db].
      * specialize (Before a ltac:(lia)). unfold Rules.left in Before. rewrite Ra in Before.
        now destruct (c (back k a)).
      * rewrite flip_other in T by (intro E; apply back_inj in E; lia). now apply (Ord a b).
    + lia.
    + intros _. destruct (Nat.eq_dec i 0) as [->|D].
      * rewrite back_zero in Ci by exact K. rewrite back_zero by exact K. now rewrite flip_same, Ci.
      * rewrite flip_other by (rewrite <- (back_zero n k K) at 1; intro E; apply back_inj in E;
          lia).
        specialize (Before 0 ltac:(lia)). rewrite back_zero in Before by exact K.
        unfold Rules.left in Before. rewrite R in Before. now destruct (c k).
Qed.

(* A path that begins across one in which the nodes are alike: it has that crossed until the end. *)
Lemma detour k steps : k < n -> r k = false -> 0 < steps <= weight n r + 1 ->
  let c := at_step k steps in
  c k = true /\ (forall i, i < n -> i <> k -> c i = true -> r i = true) /\
  weight n (left c) = weight n r + 2 - steps.
Proof.
  intros K R. induction steps as [|s IH]; intro S; [lia|]. destruct (Nat.eq_dec s 0) as [->|D].
  - simpl. replace (port (fun _ => false) k) with k by (unfold path_port, Rules.left;
      now rewrite R).
    repeat split.
    + now rewrite flip_same.
    + intros i I N T. rewrite flip_other in T by exact N. discriminate.
    + rewrite (weight_ext _ _ (left_flip _ k)), weight_set; [rewrite left_start; lia|exact K|].
      unfold Rules.left. now rewrite R.
  - destruct (IH ltac:(lia)) as (Ck & Sub & W). simpl. set (c := at_step k s) in *.
    assert (Lk : left c k = true) by (unfold Rules.left; now rewrite R, Ck).
    assert (E : same n (between c k) (flip (left c) k)).
    { intros i _. unfold Rules.between, flip. rewrite R.
      destruct (Nat.eqb_spec i k) as [->|]; [now rewrite Lk|apply andb_true_r]. }
    assert (V := weight_clear n (left c) k K Lk).
    destruct (weight_some (between c k)) as (q & Q & Tq); [rewrite (weight_ext _ _ E); lia|].
    assert (P : port c k = next n (between c k) k).
    { unfold path_port. rewrite R, Lk. simpl.
      destruct (Nat.eqb_spec (weight n (between c k)) 0) as [Z|]; [|reflexivity].
      rewrite (weight_ext _ _ E) in Z. lia. }
    rewrite P. destruct (next_is (between c k) k q K Q Tq) as (i & I & -> & Ti & _).
    assert (Bi := back_lt n k i K I). unfold Rules.between in Ti. rewrite R in Ti. simpl in Ti.
    apply andb_true_iff in Ti as [Ti N].
    apply negb_true_iff, Nat.eqb_neq in N. repeat split.
    + now rewrite flip_other by auto.
    + intros j J Nj T. destruct (Nat.eq_dec j (back k i)) as [->|Dj].
      * unfold Rules.left in Ti. rewrite flip_same in T. apply negb_true_iff in T. rewrite T in Ti.
        now destruct (r (back k i)).
      * rewrite flip_other in T by exact Dj. now apply Sub.
    + assert (L := left_step c _ Bi Ti). lia.
Qed.
Lemma detour_ends k : k < n -> r k = false -> same n (at_step k (weight n r + 2)) r.
Proof.
  intros K R. replace (weight n r + 2) with (S (weight n r + 1)) by lia. simpl.
  destruct (detour k (weight n r + 1) K R ltac:(lia)) as (Ck & Sub & W).
  set (c := at_step k (weight n r + 1)) in *.
  assert (Lk : left c k = true) by (unfold Rules.left; now rewrite R, Ck).
  assert (V := weight_clear n (left c) k K Lk).
  assert (Z : weight n (between c k) = 0).
  { rewrite (weight_ext _ (flip (left c) k)); [lia|]. intros i _. unfold Rules.between, flip.
    rewrite R. destruct (Nat.eqb_spec i k) as [->|]; [now rewrite Lk|apply andb_true_r]. }
  assert (P : port c k = next n (left c) k).
  { unfold path_port. now rewrite R, Lk, Z. }
  rewrite P. destruct (next_is (left c) k k K K Lk) as (i & I & -> & Ti & Before).
  apply left_none. assert (L := left_step c _ (back_lt n k i K I) Ti). lia.
Qed.

(* Path k leads to the other node, and does not come there before. *)
Theorem path_arrives k : k < n -> 0 < weight n r ->
  same n (at_step k (path_length n r k)) r /\
  forall steps, steps < path_length n r k -> ~ same n (at_step k steps) r.
Proof.
  intros K W. assert (N : forall c, same n c r -> weight n (left c) = 0).
  { intros c E. apply weight_zero, root_iff. intros i I. unfold Rules.left. rewrite E by exact I.
    apply xorb_nilpotent. }
  unfold path_length. destruct (r k) eqn:R.
  - split.
    + apply left_none. destruct (straight k (weight n r) K R ltac:(lia)) as (_ & V & _). lia.
    + intros s S E. apply N in E. destruct (straight k s K R ltac:(lia)) as (_ & V & _). lia.
  - split; [now apply detour_ends|]. intros s S E. apply N in E. destruct s as [|s].
    + simpl in E. rewrite left_start in E. lia.
    + destruct (detour k (Datatypes.S s) K R ltac:(lia)) as (_ & _ & V). lia.
Qed.

(* No path is longer than n+1 links; on the 1-cube than one [disjoint_links_max]. *)
Theorem path_length_most k : k < n -> 0 < weight n r ->
  path_length n r k <= if n =? 1 then 1 else n + 1.
Proof.
  intros K W. unfold path_length. assert (M := weight_most n r). destruct (r k) eqn:R.
  - destruct (Nat.eqb_spec n 1); lia.
  - assert (V := weight_set n r k K R). assert (M' := weight_most n (flip r k)).
    destruct (Nat.eqb_spec n 1); lia.
Qed.
Theorem path_crosses_links k c : k < n -> port c k < n.
Proof.
  intro K. assert (L : forall y, lowest n y < n).
  { intro y. destruct (root_or n y) as [Z|(q & Q & T)].
    - unfold is_root in Z. unfold lowest. rewrite Z. simpl. lia.
    - destruct (lowest_is y q Q T). lia. }
  unfold path_port. destruct (negb _ && negb _); [exact K|]. destruct (weight n _ =? 0);
    apply back_lt; auto.
Qed.

(* No path comes to a node twice. *)
Theorem path_visits_once k s t : k < n -> 0 < weight n r -> s < t <= path_length n r k ->
  ~ same n (at_step k s) (at_step k t).
Proof.
  intros K W T E. assert (V : weight n (left (at_step k s)) = weight n (left (at_step k t))).
  { apply weight_ext. intros i I. unfold Rules.left. now rewrite E. }
  unfold path_length in T. destruct (r k) eqn:R.
  - destruct (straight k s K R ltac:(lia)) as (_ & Vs & _).
    destruct (straight k t K R ltac:(lia)) as (_ & Vt & _). lia.
  - assert (End : weight n (left (at_step k (weight n r + 2))) = 0).
    { apply weight_zero, root_iff. intros i I. unfold Rules.left. rewrite (detour_ends k K R i I).
      apply xorb_nilpotent. }
    destruct (Nat.eq_dec s 0) as [->|S].
    + destruct (Nat.eq_dec t (weight n r + 2)) as [->|D].
      * rewrite End in V. simpl in V. rewrite left_start in V. lia.
      * destruct (detour k t K R ltac:(lia)) as (Ck & _). rewrite <- E in Ck by exact K.
        discriminate.
    + destruct (detour k s K R ltac:(lia)) as (_ & _ & Vs).
      destruct (Nat.eq_dec t (weight n r + 2)) as [->|D]; [lia|].
      destruct (detour k t K R ltac:(lia)) as (_ & _ & Vt). lia.
Qed.

(* Two paths have no node in common but the first and the last. *)
Theorem paths_are_disjoint k l s t : k < n -> l < n -> k <> l ->
  0 < s < path_length n r k -> 0 < t < path_length n r l ->
  ~ same n (at_step k s) (at_step l t).
Proof.
  intros K L D S T E. unfold path_length in S, T. destruct (r k) eqn:Rk, (r l) eqn:Rl.
  - destruct (straight k s K Rk ltac:(lia)) as ((Sub & Ord) & W & First).
    destruct (straight l t L Rl ltac:(lia)) as ((Sub' & Ord') & _ & First').
    specialize (First ltac:(lia)). specialize (First' ltac:(lia)).
    destruct (weight_some (left (at_step k s)) ltac:(lia)) as (m & M & Tm). unfold Rules.left in Tm.
    assert (Rm : r m = true /\ at_step k s m = false).
    { specialize (Sub m M). destruct (r m), (at_step k s m); try discriminate Tm; [now split|].
      discriminate (Sub eq_refl). }
    destruct Rm as [Rm Cm]. destruct (back_some n k l K L) as (a & A & El).
    destruct (back_some n k m K M) as (b & B & Em).
    destruct (lt_eq_lt_dec a b) as [[H|H]|H].
    + assert (X : back l (b - a) = m /\ back l (n - a) = k /\ 0 < a).
      { assert (a <> 0) by (intros ->; rewrite back_zero in El; auto).
        clear - A B El Em K L M H H0. unfold Rules.back, Rules.wrap in *.
        repeat match goal with
        | |- context [?u <? ?v] => destruct (Nat.ltb_spec u v)
        | G : context [?u <? ?v] |- _ => destruct (Nat.ltb_spec u v)
        end; lia. }
      destruct X as (Xm & Xk & A0). assert (Y : at_step l t m = true).
      { rewrite <- Xm. apply (Ord' (b - a) (n - a)); [lia| |now rewrite Xm].
        rewrite Xk, <- E by exact K. exact First. }
      rewrite <- E in Y by exact M. congruence.
    + subst b. rewrite El in Em. subst m. rewrite E in Cm by exact L. congruence.
    + assert (Y : at_step k s m = true); [|congruence]. rewrite <- Em.
      apply (Ord b a); [lia| |now rewrite Em]. rewrite El, E by exact L. exact First'.
  - destruct (straight k s K Rk ltac:(lia)) as ((Sub & _) & _).
    destruct (detour l t L Rl ltac:(lia)) as (Cl & _). rewrite <- E in Cl by exact L.
    apply Sub in Cl; [congruence|exact L].
  - destruct (straight l t L Rl ltac:(lia)) as ((Sub & _) & _).
    destruct (detour k s K Rk ltac:(lia)) as (Ck & _). rewrite E in Ck by exact K.
    apply Sub in Ck; [congruence|exact K].
  - destruct (detour k s K Rk ltac:(lia)) as (_ & Sub & _).
    destruct (detour l t L Rl ltac:(lia)) as (Cl & _). rewrite <- E in Cl by exact L.
    apply Sub in Cl; [congruence|exact L|auto].
Qed.
End Paths.
