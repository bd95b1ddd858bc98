(* What a cable keeps over all sessions, from `Ends.v`: what is taken came from the sender, once and
   in order, whatever ends do; and what was acknowledged as delivered was taken. *)
Require Import Bool List Arith Lia Permutation.
From Proof Require Import Window Order Ends.
Import ListNotations.

Section Sessions.
Variable need : nat -> nat.
Variable window : nat.
Hypothesis window_is_told : window <= fates_told.
Variable only_receives : bool.
Notation step := (step need window only_receives).
Notation reachable := (reachable need window only_receives).

(* What holds always. -------------------------------------------------------------------------- *)
(* A line whose sender has not begun. *)
Definition unused l := from l = new_sender 0 0 /\ to l = new_receiver /\ data l = [] /\
  forall k, In k (acks l) -> k = answer new_receiver.

Record sound c : Prop := {
  said : forall n, In n (r_said c) -> n <= mine (r_end c);
  known : forall t, theirs (s_end c) = Some t -> t <= mine (r_end c);
  all_waits : waits_from c <= offered c;
  once_s : forall a b, In (a, b) (s_begun c) -> b <= mine (r_end c) /\
    (a < mine (s_end c) \/ s_end c = End a (Some b) true);
  once_r : forall a b, In (a, b) (r_begun c) -> b < mine (r_end c) \/ b = mine (r_end c) /\
    exists t, theirs (r_end c) = Some t /\ (a < t \/ a = t /\ up (r_end c) = true);
  up_s : forall a b, s_end c = End a (Some b) true -> In (a, b) (s_begun c);
  up_r : forall a b, r_end c = End b (Some a) true -> In (a, b) (r_begun c);
  not_s : forall a b, ~ In (a, b) (s_begun c) -> unused (lines c a b);
  not_r : forall a b, ~ In (a, b) (r_begun c) ->
    to (lines c a b) = new_receiver /\ acks (lines c a b) = [];
  is_s : forall a b, In (a, b) (s_begun c) -> exists f u,
    in_session need window f u (lines c a b) /\
    (s_end c = End a (Some b) true -> next (from (lines c a b)) = offered c) /\
    (a < mine (s_end c) -> next (from (lines c a b)) <= waits_from c) /\
    forall a' b', In (a', b') (s_begun c) -> a' < a -> next (from (lines c a' b')) <= f;
  got_taken : forall a b p, In (a, b, p) (got c) <-> In p (taken (to (lines c a b)));
  got_begun : forall a b p, In (a, b, p) (got c) -> In (a, b) (s_begun c);
  later_s : forall a b p a' b', In (a, b, p) (got c) -> In (a', b') (s_begun c) -> b < b' -> a < a';
  later_r : forall a b p, In (a, b, p) (got c) -> b < mine (r_end c) \/ b = mine (r_end c) /\
    exists t, theirs (r_end c) = Some t /\ a <= t;
  got_in_order : orderly need (map snd (got c))
}.

Lemma same_name : forall p q : nat * nat, {p = q} + {p <> q}.
Proof. decide equality; apply Nat.eq_dec. Qed.
Lemma put_cases ls a b l x y : (x, y) = (a, b) /\ put ls a b l x y = l \/
  (x, y) <> (a, b) /\ put ls a b l x y = ls x y.
Proof.
  unfold put. destruct (Nat.eqb_spec x a) as [->|], (Nat.eqb_spec y b) as [->|]; simpl; auto;
    right; split; congruence.
Qed.

Lemma quiet_session f u ks : f <= u -> (forall k, In k ks -> k = answer new_receiver) ->
  in_session need window f u (Line (new_sender f u) new_receiver [] ks).
Proof.
  intros L. induction ks as [|k ks IH]; intro A; [now apply begun|].
  rewrite (A k (or_introl eq_refl)). eapply then_receives; [apply IH; intros; apply A; now right|].
  apply acknowledges.
Qed.

Lemma packets_taken e hb ps r number :
  exists more, taken (on_packets r number e ps hb) = taken r ++ more.
Proof.
  revert r number. induction ps as [|p ps IH]; intros r number; simpl.
  - exists []. now rewrite app_nil_r.
  - destruct (IH (on_packet r number e p (hb number)) (S number)) as [more ->].
    unfold on_packet. destruct (number =? expected r); [|now exists more]. simpl.
    rewrite <- app_assoc. eauto.
Qed.
Lemma receives_more l m : receives l m -> from m = from l /\ data m = data l /\
  taken (to m) = taken (to l) ++ took l m /\
  (data l = [] -> to m = to l /\ forall k, In k (acks m) -> In k (acks l) \/ k = answer (to l)).
Proof.
  unfold took. intros [s r d a f hb I|s r d a]; simpl.
  - destruct (packets_taken (of_epoch f) hb (packets f) r (first f)) as [more E].
    unfold on_frame. rewrite E, skipn_app, skipn_all, Nat.sub_diag. repeat split; auto;
      try (subst; destruct I).
  - rewrite skipn_all, app_nil_r. repeat split; auto. intros k [<-|K]; auto.
Qed.
Lemma sends_more l m : sends need window l m -> to m = to l /\ acks m = acks l /\
  next (from l) <= next (from m).
Proof.
  intros [s r d a|s s' r d a P|s r d a pl n|s r d a k I]; simpl; auto with arith.
  - destruct P. simpl. auto.
  - repeat split. unfold on_ack. destruct (_ || _); [apply Nat.le_refl|]. unfold settle. simpl.
    destruct (skipn _ _); [|apply Nat.le_refl]. now destruct (_ || _).
Qed.

(* The ends. *)
Lemma changes_s hr s s' : changes false hr s s' -> up s' = false /\ mine s <= mine s' /\
  (up s = true -> mine s < mine s') /\
  forall t, theirs s' = Some t -> theirs s = Some t \/ In t hr.
Proof.
  intros [m n I|m t n I L|m m' t n I L M|m t n E I L|m m' t u M|m m' t u M]; simpl;
    try discriminate; repeat split; auto; try lia; try discriminate; intros x X;
    injection X as <-; auto.
Qed.
Lemma changes_r ow hs r r' : changes ow hs r r' -> up r' = false /\
  (mine r < mine r' \/ mine r' = mine r /\ forall t, theirs r = Some t ->
    exists t', theirs r' = Some t' /\ t <= t' /\ (up r = true -> t < t')).
Proof.
  intros [m n I|m t n I L|m m' t n I L M|m t n E I L|m m' t u M|m m' t u M]; simpl; split; auto;
    right; split; auto; intros x X; try discriminate; injection X as <-; exists n; repeat split;
    auto; try lia; discriminate.
Qed.

Ltac cases := match goal with |- context [put ?ls ?a ?b ?l ?x ?y] =>
  destruct (put_cases ls a b l x y) as [[?E ->]|[?N ->]]; [injection E as -> ->|] end.

Lemma sound_first a b :
  sound (Cable (End a None false) (End b None false) [] [] 0 0 silent [] [] []).
Proof. now constructor. Qed.

Lemma step_sound c d : sound c -> step c d -> sound d.
Proof.
  intros [Sa Kn AW OS OR US UR NS NR IS GT GB LS LR GO] St.
  destruct St as [s r hs hr w o ls bs br g|s r hs hr w o ls bs br g
    |s s' r hs hr w w' o ls bs br g C W|s r r' hs hr w o ls bs br g C
    |a b r hs hr w o ls bs br g|a b s hs hr w o ls bs br g|s r hs hr w o ls bs br g U
    |a b r hs hr w o ls bs br g l A|a b s hs hr w o ls bs br g l A]; simpl in *.
  - constructor; simpl; auto.
  - constructor; simpl; auto. intros n [<-|I]; auto.
  - destruct (changes_s _ _ _ C) as (U & M & Mu & T). constructor; simpl; auto.
    + intros t E. destruct (T t E); auto.
    + destruct W as [->|[_ ->]]; auto.
    + intros a b I. destruct (OS a b I) as [B [L|E]]; (split; [exact B|left]); [lia|].
      rewrite E in Mu. exact (Mu eq_refl).
    + intros a b ->. discriminate.
    + intros a b I. destruct (IS a b I) as (f & u & In_s & Cur & Old & Bef). exists f, u.
      repeat split; auto; [intros ->; discriminate|]. intros _.
      destruct (OS a b I) as [_ [L| ->]].
      * specialize (Old L). destruct W as [->|[_ ->]]; lia.
      * rewrite Cur by reflexivity. destruct W as [->|[F _]]; [lia|discriminate].
  - destruct (changes_r _ _ _ _ C) as (U & M).
    assert (Le : mine r <= mine r') by (destruct M as [M|[M _]]; lia).
    constructor; simpl; auto.
    + intros n I. specialize (Sa n I). lia.
    + intros t E. specialize (Kn t E). lia.
    + intros a b I. destruct (OS a b I). split; [lia|assumption].
    + intros a b I. destruct (OR a b I) as [L|(-> & t & T & L)]; [left; lia|].
      destruct M as [M|[M K]]; [left; lia|right]. split; [now symmetry|].
      destruct (K t T) as (t' & T' & Lt & Lu). exists t'. split; [assumption|]. left.
      destruct L as [L|[-> L]]; [lia|auto].
    + intros a b ->. discriminate.
    + intros a b p I. destruct (LR a b p I) as [L|(-> & t & T & L)]; [left; lia|].
      destruct M as [M|[M K]]; [left; lia|right]. split; [now symmetry|].
      destruct (K t T) as (t' & T' & Lt & Lu). exists t'. split; [assumption|lia].
  - assert (New : ~ In (a, b) bs).
    { intro I. destruct (OS a b I) as [_ [L|E]]; [lia|discriminate]. }
    assert (Old : forall x y, In (x, y) bs -> x < a).
    { intros x y I. destruct (OS x y I) as [_ [L|E]]; [exact L|discriminate]. }
    constructor; simpl; auto.
    + intros x y [E|I]; [|split; [exact (proj1 (OS x y I))|left; eauto]]. injection E as <- <-.
      split; [now apply Kn|now right].
    + intros x y E. injection E as <- <-. now left.
    + intros x y N. cases; [destruct N; now left|]. apply NS. tauto.
    + intros x y N. cases; [|auto]. apply (NR a b N).
    + intros x y I. cases.
      * destruct (NS a b New) as (_ & To & Da & Ac). exists w, o. rewrite To, Da. simpl.
        repeat split; auto; [now apply quiet_session|lia|]. intros x y J L.
        destruct J as [J|J]; [injection J as -> ->; lia|]. cases; [lia|].
        destruct (IS x y J) as (_ & _ & _ & _ & Low & _). apply Low. eauto.
      * destruct I as [E|I]; [congruence|]. destruct (IS x y I) as (f & u & In_s & Cur & Low & Bef).
        exists f, u. repeat split; auto.
        -- intro E. injection E as -> ->. congruence.
        -- intros x' y' J L. cases; [apply Old in I; lia|]. destruct J as [J|J]; [congruence|].
           eauto.
    + intros x y p. cases; simpl; apply GT.
    + intros x y p I. right. exact (GB x y p I).
    + intros x y p x' y' I [E|J] L; [|eauto]. injection E as <- <-. apply GB in I. eauto.
  - assert (New : ~ In (a, b) br).
    { intro I. destruct (OR a b I) as [L|(_ & t & T & [L|[-> L]])]; [lia| |discriminate].
      injection T as <-. lia. }
    assert (Id : forall x y, put ls a b (Line (from (ls a b)) new_receiver (data (ls a b))
      (acks (ls a b))) x y = ls x y).
    { intros x y. cases; [|reflexivity]. destruct (NR a b New) as [<- _]. now destruct (ls a b). }
    constructor; simpl; auto.
    + intros x y [E|I]; [injection E as <- <-; right; split; [reflexivity|]; exists a; auto|].
      destruct (OR x y I) as [L|(-> & t & T & [L|[_ L]])]; [now left| |discriminate].
      right. split; [reflexivity|]. exists t. auto.
    + intros x y E. injection E as <- <-. now left.
    + intros x y N. rewrite Id. auto.
    + intros x y N. rewrite Id. apply NR. tauto.
    + intros x y I. rewrite Id. destruct (IS x y I) as (f & u & In_s & Cur & Low & Bef).
      exists f, u. repeat split; auto. intros x' y' J L. rewrite Id. eauto.
    + intros x y p. rewrite Id. apply GT.
  - constructor; simpl; auto. intros a b I.
    destruct (IS a b I) as (f & u & In_s & Cur & Low & Bef). exists f, u. repeat split; auto.
    intros ->. discriminate.
  - destruct (sends_more _ _ A) as (To & Ac & Nx). assert (I0 := US a b eq_refl).
    destruct (IS a b I0) as (f & u & In_s & Cur & Low & Bef). specialize (Cur eq_refl).
    constructor; simpl; auto.
    + lia.
    + intros x y N. cases; [contradiction|auto].
    + intros x y N. cases; [rewrite To, Ac|]; auto.
    + intros x y I. cases.
      * exists f, u. repeat split; auto; [eapply then_sends; eauto|lia|].
        intros x y J L. cases; [lia|eauto].
      * destruct (IS x y I) as (f' & u' & In_s' & Cur' & Low' & Bef'). exists f', u'.
        repeat split; auto.
        -- intro E. injection E as -> ->. congruence.
        -- intros x' y' J L. cases; [|eauto]. destruct (OS x y I) as [_ [G|E]]; [lia|].
           injection E as -> ->. lia.
    + intros x y p. cases; [rewrite To|]; apply GT.
  - destruct (receives_more _ _ A) as (Fr & Da & Tk & Quiet). assert (I0 := UR a b eq_refl).
    assert (Mem : forall x y p, In (x, y, p) (map (fun p => (a, b, p)) (took (ls a b) l)) <->
      (x, y) = (a, b) /\ In p (took (ls a b) l)).
    { intros x y p. rewrite in_map_iff. split.
      - intros (q & E & I). injection E as <- <- <-. auto.
      - intros [E I]. injection E as -> ->. eauto. }
    assert (Begun : forall p, In p (took (ls a b) l) -> In (a, b) bs).
    { intros p I. destruct (in_dec same_name (a, b) bs) as [Y|N]; [exact Y|].
      destruct (NS a b N) as (_ & To & D & _). destruct (Quiet D) as [T _].
      unfold took in I. rewrite T, skipn_all in I. destruct I. }
    constructor; simpl; auto.
    + intros x y N. cases; [|auto]. destruct (NS a b N) as (F & To & D & K).
      destruct (Quiet D) as [T Q]. unfold unused. rewrite Fr, T, Da. repeat split; auto.
      intros k I. destruct (Q k I) as [J| ->]; [auto|now rewrite To].
    + intros x y N. cases; [contradiction|auto].
    + intros x y I. cases.
      * destruct (IS a b I) as (f & u & In_s & Cur & Low & Bef). exists f, u. rewrite Fr.
        repeat split; auto; [eapply then_receives; eauto|]. intros x y J L. cases; [lia|eauto].
      * destruct (IS x y I) as (f & u & In_s & Cur & Low & Bef). exists f, u. repeat split; auto.
        intros x' y' J L. cases; [rewrite Fr|]; eauto.
    + intros x y p. rewrite in_app_iff, Mem, GT. cases.
      * rewrite Tk, in_app_iff. tauto.
      * tauto.
    + intros x y p I. apply in_app_or in I as [I|I]; [eauto|]. apply Mem in I as [E I].
      injection E as -> ->. eauto.
    + intros x y p x' y' I J L. apply in_app_or in I as [I|I]; [eauto|]. apply Mem in I as [E I].
      injection E as -> ->. destruct (OS x' y' J). lia.
    + intros x y p I. apply in_app_or in I as [I|I]; [eauto|]. apply Mem in I as [E I].
      injection E as -> ->. right. split; [reflexivity|]. exists a. auto.
    + rewrite map_app, map_map. simpl. rewrite map_id.
      destruct (took (ls a b) l) as [|p0 t0] eqn:Tq; [now rewrite app_nil_r|].
      assert (Y : In (a, b) bs) by (apply (Begun p0); now left).
      destruct (IS a b Y) as (f & u & In_s & Cur & Low & Bef).
      destruct (taken_once_in_order need window window_is_told f u l) as (O & _ & Range);
        [eapply then_receives; eauto|]. rewrite Tk in O, Range.
      apply orderly_app in O as (_ & O & X). apply orderly_app. split; [exact GO|].
      split; [exact O|]. intros i j I J. apply in_map_iff in I as ([[x y] q] & E & I).
      simpl in E. subst q.
      assert (Z := GB x y i I).
      assert (Same : (x, y) = (a, b) -> before need i j).
      { intro E. injection E as -> ->. apply X; [now apply GT|exact J]. }
      assert (Less : x < a -> before need i j).
      { intro L. left. destruct (IS x y Z) as (f' & u' & In_s' & _).
        destruct (taken_once_in_order need window window_is_told f' u' _ In_s') as (_ & _ & R).
        specialize (R i (proj1 (GT x y i) I)). specialize (Bef x y Z L).
        specialize (Range j (in_or_app _ _ _ (or_intror J))). lia. }
      destruct (LR x y i I) as [L|(-> & t & T & L)]; [apply Less; eauto|].
      injection T as <-. destruct (Nat.eq_dec x a) as [->|]; [now apply Same|apply Less; lia].
Qed.

(* What follows, over all sessions. ------------------------------------------------------------ *)
Lemma always_sound c : reachable c -> sound c.
Proof. induction 1 as [a b|c d _ IH S]; [apply sound_first|exact (step_sound c d IH S)]. Qed.

(* No packet is taken twice or invented, and one is taken before another one only if it was offered
   before it or needs fewer buffers. *)
Theorem all_taken_once_in_order c : reachable c -> orderly need (map snd (got c)) /\
  NoDup (map snd (got c)) /\ forall p, In p (map snd (got c)) -> p < offered c.
Proof.
  intro R. destruct (always_sound c R) as [Sa Kn AW OS OR US UR NS NR IS GT GB LS LR GO].
  split; [exact GO|]. split; [exact (orderly_once need _ GO)|]. intros p I.
  apply in_map_iff in I as ([[a b] q] & E & I). simpl in E. subst q.
  destruct (IS a b (GB a b p I)) as (f & u & In_s & Cur & Low & _).
  destruct (taken_once_in_order need window window_is_told f u _ In_s) as (_ & _ & Range).
  specialize (Range p (proj1 (GT a b p) I)).
  destruct (OS a b (GB a b p I)) as [_ [L|E]]; [specialize (Low L)|specialize (Cur E)]; lia.
Qed.

(* What the sender was told to be delivered, in whatever session, was taken. *)
Theorem all_told_was_taken c a b p : reachable c -> In (a, b) (s_begun c) ->
  In p (told (from (lines c a b))) -> In p (map snd (got c)).
Proof.
  intros R I P. destruct (always_sound c R) as [Sa Kn AW OS OR US UR NS NR IS GT GB LS LR GO].
  destruct (IS a b I) as (f & u & In_s & _).
  destruct (told_was_taken need window window_is_told f u _ In_s) as [more E].
  apply in_map_iff. exists (a, b, p). split; [reflexivity|]. apply GT. rewrite E.
  apply in_or_app. now left.
Qed.

(* Nobody begins a session of one name twice. *)
Theorem no_name_begins_twice c d a b : reachable c -> step c d ->
  (s_begun d = (a, b) :: s_begun c -> ~ In (a, b) (s_begun c)) /\
  (r_begun d = (a, b) :: r_begun c -> ~ In (a, b) (r_begun c)).
Proof.
  intros R St. destruct (always_sound c R) as [Sa Kn AW OS OR US UR NS NR IS GT GB LS LR GO].
  split; intros E I; destruct St; simpl in *;
    try (apply (f_equal (@length _)) in E; simpl in E; lia); injection E as -> ->.
  - destruct (OS a b I) as [_ [L|F]]; [lia|discriminate].
  - destruct (OR a b I) as [L|(_ & t & T & [L|[_ L]])]; [lia| |discriminate].
    injection T as <-. lia.
Qed.
End Sessions.
