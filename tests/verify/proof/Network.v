(* What a mesh is, for the proof: packets in the buffers of nodes, and all that can happen to them.

   Nothing here knows a topology, a tree or a rule; pools need not be alike. `Theorems.v` shows what
   follows, `Kinds.v` that every kind of packet that a node sends is a packet of this file, and
   `mutants/` that each of the conditions below is needed. *)
Require Import List Arith.
Import ListNotations.

Section Network.
Variable node : Type.
Variable node_eq : forall a b : node, {a = b} + {a <> b}.

(* Buffers of a node's pool but for those that lie in its receivers and at its host port
   [Admission::nodes_own], and how many of them are set aside for what waits for its processes. *)
Variable size : node -> nat.
Variable reserve : node -> nat.
Definition room v := size v - reserve v.

(* Who turns a packet that has no copies left to send into what it leaves in its buffer:
   - the kernel: a question becomes its answer at once [Forwarder::write_answer];
   - a process that takes it without waiting for anything that needs the network: this is an
     assumption on processes, and all that is assumed of them;
   - a process that takes it when it likes, or never: then the kernel puts it into the reserve, or
     drops it where that is full [Forwarder::deliver]. *)
Inductive reader := kernel | prompt | patient.

(* A packet as it lies in a buffer. Its bound; the copies that have still to leave, each with the
   node that it goes to; and what becomes of the buffer when all have left: it is free, or a reader
   makes another packet of it in place, which may be one that is nothing but free. A unicast has one
   copy until it is at its goal, a broadcast one for each child. *)
Inductive packet :=
  Packet (bound : nat) (copies : list (node * packet)) (next : option (reader * packet)).
Definition bound p := match p with Packet b _ _ => b end.

(* How bounds go down, all the way from a packet's start to the end of its last answer.
   - A copy's bound is smaller than the bound of what it is a copy of: links still to cross, and the
     way back [Admission::way_out, way_back].
   - Every node that it goes to has more buffers beside its reserve [Admission::can_carry].
   - What it is turned into at its goal has no larger bound: the way back has been counted from the
     start. *)
Inductive descends : packet -> Prop :=
  Descends b copies next :
  (forall w q, In (w, q) copies -> bound q < b /\ bound q < room w /\ descends q) ->
  (forall who q, next = Some (who, q) -> bound q <= b /\ descends q) ->
  descends (Packet b copies next).

(* A buffer in use: where it is, whether it counts as one of the reserve, and what is in it. The
   network is all of them, the one that was taken last in front. *)
Inductive buffer := Buffer (at_node : node) (reserved : bool) (content : packet).
Definition network := list buffer.

Definition is_used v e := match e with Buffer w r _ => if node_eq w v then negb r else false end.
Definition is_reserved v e := match e with Buffer w r _ => if node_eq w v then r else false end.
Definition used v (s : network) := length (filter (is_used v) s).
Definition reserved v (s : network) := length (filter (is_reserved v) s).

(* What admission looks at: free buffers, less those of the reserve that nothing lies in. The
   reserve is no matter of where a buffer is in memory; who counts is enough. *)
Definition free v s := room v - used v s.

(* The rule: a packet comes in, from a neighbour [Links::on_data, Admission::admits] or from a
   process [Admission::may_start], if more buffers are free than its bound. *)
Definition takes v s p := bound p < free v s.

(* The reserve has room for one more. *)
Definition keeps v s := reserved v s < reserve v.

(* What happens to packets, in whatever order. *)
Inductive does : network -> network -> Prop :=
| cross v r b before w q after next newer older :
    (* A copy comes to its next node; the packet keeps its buffer until all copies have left and
       the links know it. Any copy may be the next one: a link whose peer refuses one goes on to
       the first that fits [Link::pick]. *)
    takes w (newer ++ Buffer v r (Packet b (before ++ (w, q) :: after) next) :: older) q ->
    does (newer ++ Buffer v r (Packet b (before ++ (w, q) :: after) next) :: older)
         (Buffer w false q :: newer ++ Buffer v r (Packet b (before ++ after) next) :: older)
| turn v r b who q newer older :
    (* What is at its goal becomes what it leaves, in the same buffer, which stays in the reserve if
       it was there [Forwarder::write_answer, acknowledge]. *)
    does (newer ++ Buffer v r (Packet b [] (Some (who, q))) :: older)
         (newer ++ Buffer v r q :: older)
| keep v p newer older :
    (* A buffer is counted as one of the reserve from now on [Forwarder::deliver]. *)
    keeps v (newer ++ Buffer v false p :: older) ->
    does (newer ++ Buffer v false p :: older) (newer ++ Buffer v true p :: older)
| send_away v b q newer older :
    (* There is no room for it in the reserve [Forwarder::deliver, Intake]. *)
    ~ keeps v (newer ++ Buffer v false (Packet b [] (Some (patient, q))) :: older) ->
    does (newer ++ Buffer v false (Packet b [] (Some (patient, q))) :: older) (newer ++ older)
| finish v r b newer older :
    (* Nothing is left to do with it: the buffer is free. *)
    does (newer ++ Buffer v r (Packet b [] None) :: older) (newer ++ older).

(* What faults take away: a copy, because its link is dead [Forwarder::give_up]; or anything,
   because a node has died, or has been told to forget it. *)
Inductive fails : network -> network -> Prop :=
| lose v r b before w q after next newer older :
    fails (newer ++ Buffer v r (Packet b (before ++ (w, q) :: after) next) :: older)
          (newer ++ Buffer v r (Packet b (before ++ after) next) :: older)
| vanish e newer older : fails (newer ++ e :: older) (newer ++ older).

Definition goes s t := does s t \/ fails s t.

(* Processes may start packets whenever the rule lets them; what may not start is no packet, and in
   nobody's way. So words that are dropped where they may not start need nothing here. *)
Inductive step : network -> network -> Prop :=
| start v p s : descends p -> takes v s p -> step s (Buffer v false p :: s)
| go s t : goes s t -> step s t.

Inductive reachable : network -> Prop :=
| nothing : reachable []
| further s t : reachable s -> step s t -> reachable t.

(* A buffer of [s] in which something can happen, whatever processes do that are not prompt. *)
Inductive ready (s : network) : buffer -> Prop :=
| can_cross v r b copies next w q :
    In (w, q) copies -> takes w s q -> ready s (Buffer v r (Packet b copies next))
| can_end v r b : ready s (Buffer v r (Packet b [] None))
| can_answer v r b q : ready s (Buffer v r (Packet b [] (Some (kernel, q))))
| is_taken v b q : ready s (Buffer v false (Packet b [] (Some (prompt, q))))
| is_kept v b q : ready s (Buffer v false (Packet b [] (Some (patient, q)))).

(* A packet in the reserve that waits for its process, for as long as that likes. *)
Definition waits e := match e with
  | Buffer _ true (Packet _ [] (Some (prompt, _)))
  | Buffer _ true (Packet _ [] (Some (patient, _))) => True
  | _ => False
  end.

(* Any packets of the network, in their order: those that might wait for each other. *)
Inductive part : network -> network -> Prop :=
| part_nil : part [] []
| part_with e a s : part a s -> part (e :: a) (e :: s)
| part_without e a s : part a s -> part a (e :: s).
End Network.
