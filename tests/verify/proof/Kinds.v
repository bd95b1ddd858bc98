(* Every kind of packet that a node sends is one of `Network.v`, and its bound goes down as that
   wants it: by how bounds are counted, whatever the routing functions say. *)
Require Import List Arith Lia.
From Proof Require Import Network.
Import ListNotations.

Section Kinds.
Variable node : Type.
Variables size reserve : node -> nat.
Notation packet := (packet node).
Notation descends := (descends node size reserve).
Notation room := (room node size reserve).
Arguments Packet {node}.

(* What a packet says of itself and how it came to a node, and what will be decided on its way;
   where it goes from there, and as what; whether a word is due for it, and what that says. These may
   be anything. *)
Variable header : Type.
Variable way : node -> header -> list (node * header).     (* Here::way *)
Variable is_goal : node -> header -> bool.
Variable is_answered : header -> bool.
Variable answer_to : header -> header.

(* A packet that may still cross [left] links, and whose answer may cross [back] then. One that has
   crossed as many links as its rule is high has no copies here: rules send it no further. In the
   code a node would send on what a wrong rule sends further, and the next one drop it, if it has
   room for its way back [Links::judge]. *)
Fixpoint travels (leaves : node -> header -> option (reader * packet)) back left v h : packet :=
  Packet (left + back)
    match left with
    | 0 => []
    | S fewer => map (fun c => (fst c, travels leaves back fewer (fst c) (snd c))) (way v h)
    end
    (leaves v h).

Lemma travels_descends leaves back links v h :
  (forall w, links + back <= room w) ->
  (forall v h who q, leaves v h = Some (who, q) -> bound node q <= back /\ descends q) ->
  descends (travels leaves back links v h).
Proof.
  intros Room Leaves. revert v h. induction links as [|links IH]; intros v h; simpl; constructor.
  - intros w q [].
  - intros who q E. apply Leaves in E as [B d]. split; [lia|exact d].
  - intros w q I. apply in_map_iff in I as ((u & k) & E & _). injection E as -> <-.
    assert (R := Room w). assert (D : descends (travels leaves back links w k)).
    { apply IH. intro x. specialize (Room x). lia. }
    split; [|split; [|exact D]]; destruct links; simpl; lia.
  - intros who q E. apply Leaves in E as [B d]. split; [lia|exact d].
Qed.

(* What a packet leaves at its goal. *)
Definition nothing_left : packet := Packet 0 [] None.
Definition at_goal (who : reader) (q : header -> node -> packet) v h :=
  if is_goal v h then Some (who, q h v) else None.

(* Which services [Service] are of a kind, and what becomes of them:
   - `single`: packet. By a tree or alone; a process takes it (collectives: by windows and gates).
   - `word`: taken, nothing, lost, alive, unknown, here, gone. The kernel reads it.
   - `question`: ask, probe, call, look. The kernel makes the answer of it; a call may have none.
   - `fragment`: fragment. Of a message that a process is taking: it becomes the word `taken`, or
     is dropped.
   - `offer`: message. It waits in the reserve until its process takes it, then the same. *)
Inductive kind := single | word | question | fragment | offer.

(* [out]: height of its rule; [back]: longest way back of what it may become, 0 where that is
   nothing [Admission::way_out, way_back]; [answer]: height of the rule by which that goes. *)
Definition the_word answer h v :=
  if is_answered h then travels (at_goal kernel (fun _ _ => nothing_left)) 0 answer v (answer_to h)
  else nothing_left.
Definition sent kind out back answer : node -> header -> packet := match kind with
  | single => travels (at_goal prompt (fun _ _ => nothing_left)) 0 out
  | word => travels (at_goal kernel (fun _ _ => nothing_left)) 0 out
  | question => travels (at_goal kernel (the_word answer)) back out
  | fragment => travels (at_goal prompt (the_word answer)) back out
  | offer => travels (at_goal patient (the_word answer)) back out
  end.

Lemma nothing_descends b : bound node nothing_left <= b /\ descends nothing_left.
Proof. split; [apply Nat.le_0_l|]. constructor; [intros w q []|discriminate]. Qed.

Lemma word_descends answer h v back : answer <= back -> (forall w, back <= room w) ->
  bound node (the_word answer h v) <= back /\ descends (the_word answer h v).
Proof.
  intros A Room. unfold the_word. destruct is_answered; [|apply nothing_descends].
  split; [destruct answer; simpl; lia|]. apply travels_descends.
  - intro w. specialize (Room w). lia.
  - unfold at_goal. intros u k who q E. destruct is_goal; inversion E. apply nothing_descends.
Qed.

(* So `step` may start all of them, wherever more buffers are free than [out + back]. *)
Theorem all_kinds_descend kind out back answer v h :
  answer <= back -> (forall w, out + back <= room w) -> descends (sent kind out back answer v h).
Proof.
  intros A Room. destruct kind; apply travels_descends; intros;
    try match goal with |- _ <= room ?w => specialize (Room w); lia end; unfold at_goal in *;
    match goal with E : (if ?g then _ else _) = _ |- _ => destruct g; inversion E end;
    try apply nothing_descends; apply word_descends; try exact A;
    intro w; specialize (Room w); lia.
Qed.

End Kinds.
