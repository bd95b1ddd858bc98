(* What a link keeps within one session, from `Window.v`: what is taken came from the sender, once,
   and in the order of a queue in which a packet overtakes only packets that need more buffers; and
   what was acknowledged as delivered was taken. *)
Require Import Bool List Arith Lia Permutation.
From Proof Require Import Window.
Import ListNotations.

Section Queue.
Variable need : nat -> nat.

(* One packet stands before another one only if it was offered before it or needs fewer buffers. *)
Definition before i j := i < j \/ need i < need j.
Fixpoint orderly (l : list nat) := match l with
  | [] => True
  | i :: l => (forall j, In j l -> before i j) /\ orderly l
  end.

Lemma orderly_app a b :
  orderly (a ++ b) <-> orderly a /\ orderly b /\ forall i j, In i a -> In j b -> before i j.
Proof.
  induction a as [|x a IH]; simpl; [firstorder|]. rewrite IH. split.
  - intros (H & A & B & C). repeat split; auto.
    + intros j J. apply H, in_or_app. now left.
    + intros i j [<-|I] J; [apply H, in_or_app; now right|auto].
  - intros ((H & A) & B & C). repeat split; auto. intros j J. apply in_app_or in J as [J|J]; auto.
Qed.
Lemma orderly_seq a n : orderly (seq a n).
Proof.
  revert a. induction n as [|n IH]; intro a; simpl; [exact I|]. split; [|apply IH].
  intros j J. apply in_seq in J. left. lia.
Qed.
(* A packet steps in front of others that need more. *)
Lemma orderly_move x a p b : (forall q, In q a -> need p < need q) ->
  orderly (x ++ a ++ p :: b) -> orderly (x ++ p :: a ++ b).
Proof.
  intros N. rewrite !orderly_app. intros (X & (A & (P & B) & AB) & XA).
  assert (O : orderly (p :: a ++ b)).
  { split.
    - intros j J. apply in_app_or in J as [J|J]; [right; now apply N|now apply P].
    - apply orderly_app. repeat split; auto. intros i j I J. apply AB; [assumption|now right]. }
  repeat split; try exact (proj1 O); try exact (proj2 O); auto.
  intros i j I J. apply XA; [assumption|]. destruct J as [<-|J].
  - apply in_or_app. right. now left.
  - apply in_app_or in J as [J|J]; apply in_or_app; [now left|right; now right].
Qed.

Lemma orderly_once l : orderly l -> NoDup l.
Proof.
  induction l as [|i l IH]; [constructor|]. intros [B O]. constructor; [|auto]. intro I.
  destruct (B i I); lia.
Qed.
Lemma orderly_is_seq n a l : (forall i j, need i = need j) -> orderly l ->
  Permutation l (seq a n) -> l = seq a n.
Proof.
  intro Same. revert a l. induction n as [|n IH]; intros a l O P.
  - now apply Permutation_sym, Permutation_nil in P.
  - destruct l as [|i l]; [apply Permutation_nil in P; discriminate|]. destruct O as [B O].
    assert (I : In a (i :: l)) by (apply (Permutation_in _ (Permutation_sym P)); now left).
    assert (J : In i (seq a (S n))) by (apply (Permutation_in _ P); now left).
    apply in_seq in J. assert (i = a) as ->.
    { destruct I as [<-|I]; [reflexivity|]. destruct (B a I) as [L|L]; [lia|].
      rewrite (Same i a) in L. lia. }
    simpl. f_equal. apply IH; [exact O|]. exact (Permutation_cons_inv P).
Qed.
End Queue.

(* Lists. *)
Lemma skipn_more {T} a b (l : list T) : skipn a (skipn b l) = skipn (b + a) l.
Proof.
  revert l. induction b as [|b IH]; intro l; [reflexivity|].
  destruct l as [|x l]; [now rewrite !skipn_nil|]. simpl. apply IH.
Qed.
Lemma combine_split {A B} c (f : list A) (u : list B) :
  combine f u = combine f (firstn c u) ++ combine (skipn c f) (skipn c u).
Proof.
  revert f u. induction c as [|c IH]; intros f u; [now destruct f|].
  destruct f as [|x f]; [reflexivity|]. destruct u as [|y u]; simpl.
  - now destruct (skipn c f).
  - now rewrite <- IH.
Qed.
Lemma came_back_split c f u :
  came_back f u = came_back f (firstn c u) ++ came_back (skipn c f) (skipn c u).
Proof. unfold came_back. now rewrite (combine_split c f u), filter_app, map_app. Qed.
Lemma arrived_split c f u :
  arrived f u = arrived f (firstn c u) ++ arrived (skipn c f) (skipn c u).
Proof. unfold arrived. now rewrite (combine_split c f u), filter_app, map_app. Qed.
Lemma combine_snoc {A B} (f : list A) (u : list B) p x : nth_error f (length u) = Some p ->
  combine f (u ++ [x]) = combine f u ++ [(p, x)].
Proof.
  revert f. induction u as [|y u IH]; intros [|z f] E; simpl in *; try discriminate.
  - injection E as ->. now destruct f.
  - now rewrite IH.
Qed.
Lemma came_back_snoc f u p x : nth_error f (length u) = Some p ->
  came_back f (u ++ [x]) = came_back f u ++ if x then [p] else [].
Proof.
  intro E. unfold came_back. rewrite (combine_snoc f u p x E), filter_app, map_app. now destruct x.
Qed.
Lemma arrived_snoc f u p x : nth_error f (length u) = Some p ->
  arrived f (u ++ [x]) = arrived f u ++ if x then [] else [p].
Proof.
  intro E. unfold arrived. rewrite (combine_snoc f u p x E), filter_app, map_app. now destruct x.
Qed.
Lemma came_back_some f u : came_back f u <> [] -> In true u.
Proof.
  unfold came_back. revert f. induction u as [|x u IH]; intros [|y f] N; simpl in *; try easy.
  destruct x; [now left|]. right. exact (IH f N).
Qed.
Lemma came_back_more f g u : length u <= length f -> came_back (f ++ g) u = came_back f u.
Proof.
  unfold came_back. revert f. induction u as [|x u IH]; intros [|y f] L; simpl in *; try lia.
  - now destruct g.
  - reflexivity.
  - destruct x; simpl; rewrite IH by lia; reflexivity.
Qed.
Lemma arrived_more f g u : length u <= length f -> arrived (f ++ g) u = arrived f u.
Proof.
  unfold arrived. revert f. induction u as [|x u IH]; intros [|y f] L; simpl in *; try lia.
  - now destruct g.
  - reflexivity.
  - destruct x; simpl; rewrite IH by lia; reflexivity.
Qed.
Lemma skipn_nth {T} n (l : list T) p : nth_error l n = Some p -> skipn n l = p :: skipn (S n) l.
Proof.
  revert l. induction n as [|n IH]; intros [|x l] E; simpl in *; try discriminate.
  - now injection E as ->.
  - now rewrite (IH l E).
Qed.
Lemma nth_firstn {T} m i (l : list T) p :
  nth_error (firstn m l) i = Some p -> nth_error l i = Some p.
Proof.
  revert i l. induction m as [|m IH]; intros [|i] [|x l] E; simpl in *; try discriminate; auto.
Qed.
Lemma nth_skipn {T} m i (l : list T) : nth_error (skipn m l) i = nth_error l (m + i).
Proof.
  revert l. induction m as [|m IH]; intros l; [reflexivity|].
  destruct l as [|x l]; [now destruct i|]. apply IH.
Qed.

Local Opaque fates_told.
Section Order.
Variable need : nat -> nat.
Variable window : nat.
Hypothesis window_is_told : window <= fates_told.
Notation sends := (sends need window).
Notation in_session := (in_session need window).
Notation orderly := (orderly need).
Notation before := (before need).

(* Fates of frames in flight that the receiver has judged, and what it has still to take. *)
Definition judged l := skipn (base (from l)) (fates (to l)).
Definition pending l := back (from l) ++ came_back (flight (from l)) (judged l) ++
  skipn (length (judged l)) (flight (from l)) ++ rest (from l).
Definition known_frame log f := forall i p, nth_error (packets f) i = Some p ->
  nth_error log (first f + i) = Some (p, of_epoch f).
Definition known_ack fates a :=
  upto a <= length fates /\ refused a = firstn fates_told (rev (firstn (upto a) fates)).

Record sound begin l : Prop := {
  log_of : exists old, length old = base (from l) /\
    log (from l) = old ++ map (fun p => (p, epoch (from l))) (flight (from l));
  in_window : length (flight (from l)) <= window;
  base_low : base (from l) <= expected (to l);
  base_high : expected (to l) <= base (from l) + length (flight (from l));
  drained : draining (from l) = false -> back (from l) = [];
  refuses_on : back (from l) <> [] \/ In true (judged l) ->
    refusing (to l) = Some (epoch (from l));
  frames : forall f, In f (data l) -> known_frame (log (from l)) f;
  answers : forall a, In a (acks l) -> known_ack (fates (to l)) a;
  told_first : taken (to l) = told (from l) ++ arrived (flight (from l)) (judged l);
  in_order : orderly (taken (to l) ++ pending l);
  all_there : begin <= next (from l) /\
    Permutation (taken (to l) ++ pending l) (seq begin (next (from l) - begin))
}.

Lemma judged_length begin l : sound begin l ->
  length (judged l) = expected (to l) - base (from l).
Proof. intros _. unfold judged. now rewrite skipn_length. Qed.

Lemma sound_new begin upto : begin <= upto ->
  sound begin (Line (new_sender begin upto) new_receiver [] []).
Proof.
  intro B. constructor; simpl; auto with arith; try easy.
  - now exists [].
  - intros [[]|[]]; reflexivity.
  - apply orderly_seq.
Qed.

(* The receiver. *)
Lemma sound_packet begin s r d a number e p has_buffer :
  sound begin (Line s r d a) -> nth_error (log s) number = Some (p, e) ->
  sound begin (Line s (on_packet r number e p has_buffer) d a).
Proof.
  intros So Log. unfold on_packet. destruct (Nat.eqb_spec number (expected r)) as [N|]; [|exact So].
  assert (Len := judged_length _ _ So). destruct So as [LO W BL BH Dr RO Fr An TF IO AT].
  simpl in *. destruct LO as (old & Old & LO).
  set (u := judged (Line s r d a)) in *. unfold expected in *.
  assert (U : judged (Line s r d a) = u) by reflexivity.
  assert (At : nth_error (flight s) (length u) = Some p /\ e = epoch s).
  { rewrite LO, nth_error_app2, Old, N in Log by lia. rewrite Len.
    rewrite nth_error_map in Log. destruct (nth_error (flight s) _); [|discriminate].
    simpl in Log. split; congruence. }
  destruct At as [At ->].
  assert (Lu : length u < length (flight s)) by (apply nth_error_Some; congruence).
  set (x := negb has_buffer || _).
  assert (J : forall q t, judged (Line s (Receiver (fates r ++ [x]) q t) d a) = u ++ [x]).
  { intros. unfold judged. simpl. rewrite skipn_app. f_equal.
    now replace (base s - length (fates r)) with 0 by lia. }
  assert (P : forall q t, pending (Line s (Receiver (fates r ++ [x]) q t) d a) =
    back s ++ (came_back (flight s) u ++ if x then [p] else []) ++
    skipn (S (length u)) (flight s) ++ rest s).
  { intros. unfold pending. rewrite J. cbn [from].
    rewrite (came_back_snoc _ _ p) by exact At. rewrite app_length. simpl length.
    now rewrite Nat.add_1_r. }
  assert (P0 : pending (Line s r d a) = back s ++ came_back (flight s) u ++ p ::
    skipn (S (length u)) (flight s) ++ rest s).
  { unfold pending. rewrite U. cbn [from]. now rewrite (skipn_nth _ _ p At). }
  assert (Free : x = false -> back s = [] /\ ~ In true u).
  { intro X. unfold x in X. apply orb_false_iff in X as [_ X].
    assert (Q : ~ (back s <> [] \/ In true u)).
    { intro H. rewrite (RO H), eqb_reflx in X. discriminate. }
    split; [|tauto]. destruct (back s); [reflexivity|]. exfalso. apply Q. left. discriminate. }
  assert (Same : forall q, (taken r ++ if x then [] else [p]) ++
    pending (Line s (Receiver (fates r ++ [x]) q (taken r ++ if x then [] else [p])) d a) =
    taken r ++ pending (Line s r d a)).
  { intro q. rewrite P, P0. destruct x eqn:X.
    - now rewrite app_nil_r, <- !app_assoc.
    - destruct (Free eq_refl) as [-> F]. destruct (came_back (flight s) u) eqn:C.
      + simpl. now rewrite <- app_assoc.
      + exfalso. apply F, (came_back_some (flight s)). now rewrite C. }
  constructor; simpl; auto.
  - now exists old.
  - unfold expected. simpl. rewrite app_length. simpl. lia.
  - unfold expected. simpl. rewrite app_length. simpl. lia.
  - rewrite J. intro H. destruct x eqn:X; [reflexivity|]. destruct (Free eq_refl) as [B F].
    destruct H as [H|H]; [congruence|]. apply in_app_or in H as [H|[H|[]]]; [tauto|discriminate].
  - intros k K. destruct (An k K) as [A B]. unfold known_ack. rewrite app_length.
    split; [lia|]. rewrite firstn_app. replace (upto k - length (fates r)) with 0 by lia.
    now rewrite app_nil_r.
  - rewrite J, (arrived_snoc _ _ p) by exact At. now rewrite TF, <- app_assoc.
  - now rewrite Same.
  - now rewrite Same.
Qed.

Lemma sound_packets begin s d a e has_buffer ps r number : sound begin (Line s r d a) ->
  (forall i p, nth_error ps i = Some p -> nth_error (log s) (number + i) = Some (p, e)) ->
  sound begin (Line s (on_packets r number e ps has_buffer) d a).
Proof.
  revert r number. induction ps as [|p ps IH]; intros r number So K; [exact So|]. simpl. apply IH.
  - apply sound_packet; [exact So|]. rewrite <- (K 0 p eq_refl). f_equal. lia.
  - intros i q E. rewrite <- (K (S i) q E). f_equal. lia.
Qed.
Lemma sound_receives begin l m : sound begin l -> receives l m -> sound begin m.
Proof.
  intros So R. destruct R as [s r d a f has_buffer I|s r d a].
  - exact (sound_packets _ _ _ _ _ _ _ _ _ So (frames _ _ So f I)).
  - destruct So. constructor; simpl in *; auto. intros k [<-|K]; [|auto].
    split; [apply Nat.le_refl|]. simpl. unfold expected. now rewrite firstn_all.
Qed.

(* The sender. *)
Lemma sound_ack begin s r d a k : sound begin (Line s r d a) -> known_ack (fates r) k ->
  sound begin (Line (on_ack s k) r d a).
Proof.
  intros So [K Bits]. unfold on_ack.
  destruct (Nat.ltb_spec (upto k) (base s)) as [|Lo]; [exact So|].
  destruct (Nat.ltb_spec (length (flight s)) (upto k - base s)) as [|Hi]; [exact So|].
  simpl orb. cbv iota zeta. set (c := upto k - base s) in *.
  assert (Len := judged_length _ _ So). destruct So as [LO W BL BH Dr RO Fr An TF IO AT].
  simpl in *. destruct LO as (old & Old & LO). set (u := judged (Line s r d a)) in *.
  assert (U : u = skipn (base s) (fates r)) by reflexivity. unfold expected in *.
  assert (Now : rev (firstn c (refused k)) = firstn c u).
  { rewrite Bits, firstn_firstn, Nat.min_l by lia. rewrite firstn_rev, rev_involutive.
    rewrite firstn_length, Nat.min_l by lia. rewrite U.
    replace (upto k - c) with (base s) by (unfold c; lia). apply skipn_firstn_comm. }
  rewrite Now. clear Now.
  set (s' := Sender (upto k) (skipn c (flight s)) (epoch s) _ _ _ _ _ _).
  assert (J : judged (Line s' r d a) = skipn c u).
  { unfold judged. simpl. rewrite U, skipn_more. f_equal. unfold c. lia. }
  assert (Pend : pending (Line s' r d a) = pending (Line s r d a)).
  { unfold pending. rewrite J. fold u. cbn [from s' back flight rest].
    rewrite (came_back_split c (flight s) u), <- !app_assoc. do 3 f_equal.
    rewrite skipn_more, skipn_length. do 2 f_equal. lia. }
  assert (Told : told s' ++ arrived (flight s') (judged (Line s' r d a)) = taken r).
  { rewrite J, TF. cbn [s' told flight]. now rewrite <- app_assoc, <- arrived_split. }
  assert (Sub : forall x, In x (skipn c u) -> In x u).
  { intros x I. rewrite <- (firstn_skipn c u). apply in_or_app. now right. }
  assert (So : sound begin (Line s' r d a)).
  { constructor; simpl; auto.
    - exists (old ++ map (fun p => (p, epoch s)) (firstn c (flight s))). split.
      + rewrite app_length, map_length, firstn_length, Nat.min_l by lia. unfold c in *. lia.
      + now rewrite <- app_assoc, <- map_app, firstn_skipn.
    - rewrite skipn_length. lia.
    - rewrite skipn_length. unfold expected. unfold c in *. lia.
    - intro F. apply orb_false_iff in F as [F G]. rewrite (Dr F).
      apply negb_false_iff, Nat.eqb_eq in G. simpl. now destruct (came_back _ _).
    - rewrite J. intros [H|H]; apply RO; [|right; now apply Sub].
      destruct (back s) eqn:B; [|left; discriminate]. right. simpl in H.
      apply came_back_some in H. rewrite <- (firstn_skipn c u). apply in_or_app. now left.
    - rewrite Pend. assumption.
    - rewrite Pend. assumption. }
  unfold settle. destruct (flight s') eqn:F; [|exact So].
  destruct (draining s') eqn:D; [|exact So].
  assert (Z : judged (Line s' r d a) = []).
  { assert (L := judged_length _ _ So). apply base_high in So. simpl in So, L. cbn in F.
    rewrite F in So. simpl in So. apply length_zero_iff_nil. rewrite L. simpl. lia. }
  set (s2 := Sender _ [] _ _ _ _ _ _ _).
  assert (J2 : judged (Line s2 r d a) = []) by exact Z.
  assert (P2 : pending (Line s2 r d a) = pending (Line s' r d a)).
  { unfold pending. rewrite J2, Z. cbn [from s2 back flight rest]. rewrite F. simpl. reflexivity. }
  destruct So as [LO' W' BL' BH' Dr' RO' Fr' An' TF' IO' AT'].
  constructor; simpl in *; auto.
  - rewrite F in LO'. exact LO'.
  - lia.
  - rewrite F in BH'. exact BH'.
  - intros [H|H]; [congruence|]. rewrite J2 in H. destruct H.
  - rewrite P2. exact IO'.
  - rewrite P2. exact AT'.
Qed.

Lemma sound_sends begin l m : sound begin l -> sends l m -> sound begin m.
Proof.
  intros So St. destruct St as [s r d a|s s' r d a P|s r d a place count|s r d a k I].
  - destruct So as [LO W BL BH Dr RO Fr An TF IO AT].
    assert (E : pending (Line (enqueue s) r d a) = pending (Line s r d a) ++ [next s]).
    { unfold pending. simpl. now rewrite !app_assoc. }
    constructor; simpl in *; auto; try (rewrite E, app_assoc).
    + apply orderly_app. repeat split; auto; [intros j []|]. intros i j I [<-|[]]. left.
      apply (Permutation_in _ (proj2 AT)), in_seq in I. lia.
    + destruct AT as [B AT]. split; [lia|].
      assert (N : seq begin (S (next s) - begin) = seq begin (next s - begin) ++ [next s]).
      { replace (S (next s) - begin) with (S (next s - begin)) by lia. rewrite seq_S. do 2 f_equal.
        lia. }
      simpl in N. rewrite N. now apply Permutation_app_tail.
  - assert (Len := judged_length _ _ So). destruct So as [LO W BL BH Dr RO Fr An TF IO AT].
    destruct P as [b f e bef p aft n t l free Room Big Fits]. unfold pending, judged, expected in *.
    simpl in *. set (u := skipn b (fates r)) in *. assert (Lu : length u <= length f) by lia.
    assert (S1 : skipn (length u) (f ++ [p]) = skipn (length u) f ++ [p]).
    { rewrite skipn_app. now replace (length u - length f) with 0 by lia. }
    constructor; unfold pending, judged, expected; simpl; fold u; auto;
      rewrite ?came_back_more, ?arrived_more, ?S1 by exact Lu.
    + destruct LO as (old & Old & ->). exists old. split; [exact Old|].
      now rewrite map_app, app_assoc.
    + rewrite app_length. simpl. lia.
    + rewrite app_length. lia.
    + intros x X i q E. assert (H := Fr x X i q E). rewrite nth_error_app1; [exact H|].
      apply nth_error_Some. congruence.
    + exact TF.
    + assert (E : forall tail, taken r ++ came_back f u ++ skipn (length u) f ++ tail =
        (taken r ++ came_back f u ++ skipn (length u) f) ++ tail)
        by (intro; now rewrite <- !app_assoc).
      rewrite <- (app_assoc _ [p]), E. rewrite E in IO. simpl. apply orderly_move; [|exact IO].
      intros q Q. specialize (Big q Q). lia.
    + destruct AT as [B AT]. split; [exact B|]. rewrite <- AT.
      rewrite <- (app_assoc _ [p]). do 3 apply Permutation_app_head.
      cbn [app]. apply Permutation_middle.
  - destruct So. constructor; simpl in *; auto. intros f [<-|F]; [|auto]. intros i p E.
    unfold sent in *. simpl in *. apply nth_firstn in E. rewrite nth_skipn in E.
    destruct log_of0 as (old & Old & ->). rewrite nth_error_app2, Old by lia.
    replace (base s + place + i - base s) with (place + i) by lia.
    rewrite nth_error_map, E. reflexivity.
  - apply sound_ack; [exact So|]. exact (answers _ _ So k I).
Qed.

Lemma session_is_sound begin upto l : in_session begin upto l -> sound begin l.
Proof.
  induction 1 as [B|l m _ IH S|l m _ IH R]; [now apply sound_new|exact (sound_sends _ _ _ IH S)|].
  exact (sound_receives _ _ _ IH R).
Qed.

(* What follows. ------------------------------------------------------------------------------- *)
(* Nothing is taken twice, invented, or out of order. *)
Theorem taken_once_in_order begin upto l : in_session begin upto l ->
  orderly (taken (to l)) /\ NoDup (taken (to l)) /\
  forall p, In p (taken (to l)) -> begin <= p < next (from l).
Proof.
  intro R. destruct (session_is_sound _ _ _ R) as [_ _ _ _ _ _ _ _ _ IO [B AT]].
  apply orderly_app in IO as (O & _ & _). repeat split; eauto using orderly_once;
    assert (I : In p (taken (to l) ++ pending l)) by (apply in_or_app; now left);
    apply (Permutation_in _ AT), in_seq in I; lia.
Qed.

(* What was acknowledged as delivered was taken, in the same order. *)
Theorem told_was_taken begin upto l : in_session begin upto l ->
  exists more, taken (to l) = told (from l) ++ more.
Proof. intro R. apply session_is_sound in R. eexists. exact (told_first _ _ R). Qed.

(* Nothing is lost while the session lasts: what was not taken is with the sender. *)
Theorem nothing_is_lost begin upto l p : in_session begin upto l -> begin <= p < next (from l) ->
  In p (taken (to l)) \/ In p (back (from l) ++ flight (from l) ++ rest (from l)).
Proof.
  intros R P. apply session_is_sound in R. destruct (all_there _ _ R) as [B AT].
  assert (I : In p (seq begin (next (from l) - begin))) by (apply in_seq; lia).
  apply (Permutation_in _ (Permutation_sym AT)), in_app_or in I as [I|I]; [now left|right].
  unfold pending in I. rewrite !in_app_iff in *. destruct I as [I|[I|[I|I]]]; auto.
  - right. left. unfold came_back in I. apply in_map_iff in I as ([q x] & <- & I).
    apply filter_In in I as [I _]. now apply in_combine_l in I.
  - right. left. rewrite <- (firstn_skipn (length (judged l)) (flight (from l))).
    apply in_or_app. now right.
Qed.

(* Packets that need the same are a queue: first in, first out. *)
Theorem like_packets_are_a_queue begin upto l : (forall i j, need i = need j) ->
  in_session begin upto l ->
  taken (to l) ++ pending l = seq begin (next (from l) - begin).
Proof.
  intros Same R. apply session_is_sound in R. destruct (all_there _ _ R) as [_ AT].
  apply (orderly_is_seq need); auto. exact (in_order _ _ R).
Qed.
End Order.
