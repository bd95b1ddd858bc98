(* Forwarding cannot deadlock, and comes to an end: what follows from `Network.v`.

   The idea is Toueg and Ullman's. Look at the packets that were taken in, in their order. When one
   came, more buffers were free than its bound; those that came before it are at most as many now,
   and what they have become has no larger bound. So the one that came last at a node has a bound
   that is smaller than the number of buffers that are free there. If that node refuses a copy, its
   last one has a bound that is not larger than that copy's. Go from a packet to the last one at the
   node that refuses its copy, and so on: bounds get smaller each time, so one of them is ready. *)
Require Import List Arith Lia Wf_nat.
From Proof Require Import Network.
Import ListNotations.

Section Theorems.
Variable node : Type.
Variable node_eq : forall a b : node, {a = b} + {a <> b}.
Variables size reserve : node -> nat.
Hypothesis reserve_is_part : forall v, reserve v <= size v.  (* limits::pool_buffers_min *)

Notation packet := (packet node).
Notation buffer := (buffer node).
Notation network := (network node).
Notation room := (room node size reserve).
Notation descends := (descends node size reserve).
Notation used := (used node node_eq).
Notation reserved := (reserved node node_eq).
Notation free := (free node node_eq size reserve).
Notation takes := (takes node node_eq size reserve).
Notation does := (does node node_eq size reserve).
Notation goes := (goes node node_eq size reserve).
Notation step := (step node node_eq size reserve).
Notation reachable := (reachable node node_eq size reserve).
Notation ready := (ready node node_eq size reserve).
Notation waits := (waits node).
Notation part := (part node).
Notation bound := (bound node).
Arguments Packet {node}. Arguments Buffer {node}.

(* What holds always. -------------------------------------------------------------------------- *)
Fixpoint sound (s : network) : Prop := match s with
  | [] => True
  | Buffer v r p :: older =>
      (r = false -> bound p + used v older < room v) /\ descends p /\ sound older
  end.

Lemma used_cons v e s : used v (e :: s) = (if is_used _ node_eq v e then 1 else 0) + used v s.
Proof. unfold used. simpl. now destruct is_used. Qed.

Lemma reserved_cons v e s :
  reserved v (e :: s) = (if is_reserved _ node_eq v e then 1 else 0) + reserved v s.
Proof. unfold reserved. simpl. now destruct is_reserved. Qed.

Lemma reserved_app v a b : reserved v (a ++ b) = reserved v a + reserved v b.
Proof. induction a as [|e a IH]; simpl; [reflexivity|]. rewrite !reserved_cons, IH. lia. Qed.

(* [s'] is [s] less some buffers; the others have, if anything, smaller bounds than they had. *)
Inductive less : network -> network -> Prop :=
| less_nil : less [] []
| less_with v r r' p p' s' s : bound p' <= bound p -> (descends p -> descends p') ->
    (r = true -> r' = true) -> less s' s -> less (Buffer v r' p' :: s') (Buffer v r p :: s)
| less_without e s' s : less s' s -> less s' (e :: s).

Lemma less_itself s : less s s.
Proof. induction s as [|[v r p] s IH]; constructor; auto. Qed.

Lemma less_behind newer a b : less a b -> less (newer ++ a) (newer ++ b).
Proof. intro L. induction newer as [|[v r p] s IH]; simpl; [exact L|]. constructor; auto. Qed.

Lemma less_used v s' s : less s' s -> used v s' <= used v s.
Proof.
  induction 1 as [|w r r' p p' s' s _ _ R _ IH|e s' s _ IH]; rewrite ?used_cons; [lia| |lia].
  unfold is_used. destruct (node_eq w v), r, r'; simpl; try lia; now specialize (R eq_refl).
Qed.

Lemma less_sound s' s : less s' s -> sound s -> sound s'.
Proof.
  induction 1 as [|v r r' p p' s' s B D R L IH|[v r p] s' s _ IH]; simpl; [tauto| |tauto].
  intros (O & d & S). split; [|split; auto]. intros ->.
  destruct r; [now specialize (R eq_refl)|]. specialize (O eq_refl).
  apply (less_used v) in L. lia.
Qed.

Lemma sound_descends s v r p : sound s -> In (Buffer v r p) s -> descends p.
Proof.
  induction s as [|[w k q] s IH]; simpl; [tauto|]. intros (_ & d & S) [E|I]; [congruence|auto].
Qed.

Lemma sound_put s v p : sound s -> descends p -> takes v s p -> sound (Buffer v false p :: s).
Proof.
  intros S d T. unfold Network.takes, Network.free in T. simpl. split; [lia|auto].
Qed.

(* With one copy less, the others as before. *)
Lemma descends_without b before e after next :
  descends (Packet b (before ++ e :: after) next) -> descends (Packet b (before ++ after) next).
Proof.
  intro d. inversion d as [? ? ? C N]; subst. constructor; [|exact N].
  intros w q I. apply C. apply in_app_or in I as [I|I]; apply in_or_app; simpl; auto.
Qed.

Lemma less_copy newer v r b before e after next older :
  less (newer ++ Buffer v r (Packet b (before ++ after) next) :: older)
       (newer ++ Buffer v r (Packet b (before ++ e :: after) next) :: older).
Proof.
  apply less_behind. constructor; auto using less_itself.
  apply descends_without.
Qed.

Lemma in_middle (A : Type) (a b : list A) x : In x (a ++ x :: b).
Proof. apply in_or_app. simpl. auto. Qed.

Lemma goes_sound s t : goes s t -> sound s -> sound t.
Proof.
  intros [D|F] S; [destruct D as [v r b before w q after next newer older T|v r b who q newer older
    |v p newer older K|v b q newer older K|v r b newer older]|destruct F].
  - assert (d := sound_descends _ v r _ S (in_middle _ newer older _)).
    inversion d as [? ? ? C N]; subst. destruct (C w q (in_middle _ _ _ _)) as (_ & _ & dq).
    assert (L := less_copy newer v r b before (w, q) after next older).
    apply sound_put; [exact (less_sound _ _ L S)|exact dq|].
    apply (less_used w) in L. unfold Network.takes, Network.free in *. lia.
  - assert (d := sound_descends _ v r _ S (in_middle _ newer older _)).
    inversion d as [? ? ? C N]; subst. destruct (N _ _ eq_refl) as [B dq].
    eapply less_sound, S. apply less_behind. constructor; auto using less_itself.
  - eapply less_sound, S. apply less_behind. constructor; auto using less_itself.
  - eapply less_sound, S. apply less_behind. constructor. apply less_itself.
  - eapply less_sound, S. apply less_behind. constructor. apply less_itself.
  - eapply less_sound, S. apply less_copy.
  - eapply less_sound, S. apply less_behind. constructor. apply less_itself.
Qed.

Theorem always_sound s : reachable s -> sound s.
Proof.
  induction 1 as [|s t _ IH St]; [exact I|].
  destruct St as [v p s d T|s t G]; [now apply sound_put|exact (goes_sound s t G IH)].
Qed.

Lemma goes_reserved v s t : goes s t -> reserved v s <= reserve v -> reserved v t <= reserve v.
Proof.
  assert (R : forall w r p,
    reserved v [Buffer w r p] = if node_eq w v then if r then 1 else 0 else 0)
    by (intros w r p; unfold reserved, Network.reserved, is_reserved; simpl;
        now destruct node_eq, r).
  assert (C : forall e s', reserved v (e :: s') = reserved v [e] + reserved v s')
    by (intros e s'; apply (reserved_app v [e])).
  intros [[]|[]]; unfold keeps in *; rewrite ?(C _ (_ ++ _)), !reserved_app, ?(C _ older), ?R;
    repeat match goal with |- context [node_eq ?u v] => destruct (node_eq u v) as [->|] end;
    try lia.
  match goal with K : _ < reserve _ |- _ => rewrite reserved_app, C, R in K end.
  destruct (node_eq v v); [lia|congruence].
Qed.

(* The pool is never asked for a buffer that it has not. *)
Theorem buffers_suffice s v : reachable s -> used v s + reserved v s <= size v.
Proof.
  intro R. assert (S := always_sound _ R). assert (Res : reserved v s <= reserve v).
  { clear S. induction R as [|s t _ IH St]; [apply Nat.le_0_l|].
    destruct St as [w p s _ _|s t G]; [|exact (goes_reserved v s t G IH)].
    rewrite reserved_cons. simpl. now destruct node_eq. }
  assert (Use : used v s <= room v).
  { clear R Res. induction s as [|[w r p] s IH]; [apply Nat.le_0_l|]. destruct S as (O & _ & S).
    rewrite used_cons. specialize (IH S). unfold is_used. destruct (node_eq w v) as [->|]; [|lia].
    destruct r; simpl; [lia|]. specialize (O eq_refl). lia. }
  unfold Network.room in Use. specialize (reserve_is_part v). lia.
Qed.

(* No deadlock. -------------------------------------------------------------------------------- *)
Lemma last_of v a : 0 < used v a ->
  exists newer p older, a = newer ++ Buffer v false p :: older /\ used v a = S (used v older).
Proof.
  induction a as [|[w r p] a IH]; [unfold used, Network.used; simpl; lia|].
  rewrite used_cons. unfold is_used. destruct (node_eq w v) as [->|].
  - destruct r; simpl; intro U; [|now exists [], p, a].
    destruct (IH U) as (newer & q & older & -> & E).
    now exists (Buffer v true p :: newer), q, older.
  - simpl. intro U. destruct (IH U) as (newer & q & older & -> & E).
    now exists (Buffer w r p :: newer), q, older.
Qed.

Lemma sound_behind newer s : sound (newer ++ s) -> sound s.
Proof. induction newer as [|[v r p] newer IH]; simpl; tauto. Qed.

Lemma part_less a s : part a s -> less a s.
Proof.
  induction 1 as [|[v r p] a s _ IH|e a s _ IH]; [constructor|constructor; auto|now constructor].
Qed.

(* Any packet that is not ready, and does not wait for a process in the reserve, has a copy that a
   node refuses. The last packet there has a smaller bound, and does not lie in the reserve. *)
Lemma blocked_by a v r p : sound a -> In (Buffer v r p) a -> waits (Buffer v r p) \/
  ready a (Buffer v r p) \/ exists w q, In (Buffer w false q) a /\ bound q < bound p.
Proof.
  intros S I. destruct p as [b [|[w q] copies] next].
  - destruct next as [[who q]|]; [|right; left; constructor].
    destruct who; [right; left; constructor| |]; (destruct r; [now left|right; left; constructor]).
  - right. destruct (le_lt_dec (free w a) (bound q)) as [F|F];
      [right|left; apply can_cross with w q; simpl; auto].
    assert (d := sound_descends _ _ _ _ S I). inversion d as [? ? ? C N]; subst.
    destruct (C w q (or_introl eq_refl)) as (B & M & _). unfold Network.free in F.
    destruct (last_of w a) as (newer & p' & older & E & U); [lia|]. exists w, p'.
    rewrite E in S. apply sound_behind in S as (O & _). specialize (O eq_refl).
    split; [rewrite E; apply in_middle|simpl; lia].
Qed.

(* THE THEOREM. Take any packets of a network that can come about, and let all others be gone.
   Unless all of them wait for their processes in the reserve, one of them is ready: they do not
   wait for each other for ever. *)
Theorem no_deadlock s a : reachable s -> part a s -> ~ Forall waits a ->
  exists e, In e a /\ ready a e.
Proof.
  intros R P N. assert (S : sound a) by exact (less_sound _ _ (part_less _ _ P) (always_sound _ R)).
  assert (G : forall n v r p, bound p <= n -> In (Buffer v r p) a -> ~ waits (Buffer v r p) ->
    exists e, In e a /\ ready a e).
  { induction n as [n IH] using lt_wf_ind. intros v r p B I W.
    destruct (blocked_by a v r p S I) as [K|[K|(w & q & J & L)]]; [tauto|eauto|].
    apply (IH (bound q)) with w false q; [lia|lia|exact J|simpl; tauto]. }
  assert (W : exists e, In e a /\ ~ waits e).
  { clear S P R G. induction a as [|e a IH]; [now destruct N|].
    assert (waits e \/ ~ waits e) as [W|W].
    { destruct e as [v [|] [b [|] [[[| |] q]|]]]; simpl; tauto. }
    - destruct IH as (f & I & F); [intro A; apply N; now constructor|]. exists f. simpl. auto.
    - exists e. simpl. auto. }
  destruct W as ([v r p] & I & W). exact (G (bound p) v r p (le_n _) I W).
Qed.

(* Everything comes to an end. ----------------------------------------------------------------- *)
Fixpoint work (p : packet) : nat := match p with Packet _ copies next =>
  S (list_sum (map (fun c => 2 + work (snd c)) copies) +
     match next with Some (_, q) => S (work q) | None => 0 end) end.
Definition work_in e := match e with Buffer _ r p => work p + if r then 0 else 1 end.
Fixpoint load (s : network) := match s with [] => 0 | e :: s => work_in e + load s end.

Lemma load_app a b : load (a ++ b) = load a + load b.
Proof. induction a; simpl; lia. Qed.

Lemma sum_app a b : list_sum (a ++ b) = list_sum a + list_sum b.
Proof. induction a; simpl; lia. Qed.

(* Whatever happens but a start leaves less to do. *)
Theorem less_to_do s t : goes s t -> load t < load s.
Proof.
  intros [[]|[]]; simpl; rewrite !load_app; simpl; rewrite ?map_app, ?sum_app; simpl; try lia.
  destruct e as [v r []]. simpl. lia.
Qed.

(* What a packet is ready for can be done; that it is done sooner or later is for kernels and links,
   which try everything again, and for prompt processes. *)
Theorem ready_does s e : In e s -> ready s e -> exists t, does s t.
Proof.
  intros I R. apply in_split in I as (newer & older & ->).
  inversion R as [v r b copies next w q J T E|v r b E|v r b q E|v b q E|v b q E]; subst e.
  - apply in_split in J as (before & after & ->). eexists. apply cross. exact T.
  - eexists. apply finish.
  - eexists. apply turn.
  - eexists. apply turn.
  - destruct (lt_dec
      (reserved v (newer ++ Buffer v false (Packet b [] (Some (patient, q))) :: older))
      (reserve v)) as [K|K]; eexists; [apply keep|apply send_away]; exact K.
Qed.

Inductive many : nat -> network -> network -> Prop :=
| none s : many 0 s s
| more n s t u : many n s t -> goes t u -> many (S n) s u.

(* Once nothing starts any more, at most [load s] things happen, in whatever order. If nothing ready
   is left then, what is left waits for processes in the reserves, and everything that any node can
   carry may start anywhere. *)
Theorem comes_to_rest n s t : reachable s -> many n s t ->
  n <= load s /\ reachable t /\ ((forall e, In e t -> ~ ready t e) ->
    Forall waits t /\ forall v p, bound p < room v -> takes v t p).
Proof.
  intros R M. assert (K : n + load t <= load s /\ reachable t).
  { induction M as [|n s t u M IH G]; [now split|]. destruct (IH R) as [L Rt].
    apply less_to_do in G as Less. split; [lia|].
    exact (further _ _ _ _ _ _ Rt (go _ _ _ _ _ _ G)). }
  destruct K as [L Rt]. split; [lia|split; [exact Rt|]]. intro Still.
  assert (W : Forall waits t).
  { apply Forall_forall. intros e I. destruct e as [v r p].
    assert (waits (Buffer v r p) \/ ~ waits (Buffer v r p)) as [W|W]; [|exact W|].
    { destruct r, p as [b [|] [[[| |] q]|]]; simpl; tauto. }
    assert (P : part t t) by (clear; induction t; constructor; assumption).
    destruct (no_deadlock t t Rt P) as (e & J & F); [|now apply Still in F].
    intro A. apply W. rewrite Forall_forall in A. now apply A. }
  split; [exact W|]. intros v p B. unfold Network.takes, Network.free.
  assert (Z : used v t = 0); [|lia]. clear - W. induction W as [|[w r q] t H _ IH]; [reflexivity|].
  rewrite used_cons, IH. simpl in *. destruct r; [now destruct node_eq|tauto].
Qed.
End Theorems.
