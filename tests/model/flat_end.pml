/* The end of a loop without values: the caller learns that the parts that others took have run.
 *
 * The caller begins with BLOCKS blocks and all tickets. A share runs a block, or offers half of its blocks with half of its tickets; its owner takes back
 * the parts that no worker takes. WORKERS take parts from each other and from the caller, at any time, and return their tickets at the end.
 *
 * Memory: sequential. Every access of the word is a read-modify-write, except for the caller's first look, which finds its own tickets only if no other part
 * is left. The latch has a model of its own.
 *
 * Defects:
 *   NO_ISSUE         a share with one ticket gives it away, and keeps none
 *   ISSUE_UNCOUNTED  it issues tickets that the word does not count
 *   ISSUE_LATE       the word counts them after the part is on offer
 *   LEAVE_EARLY      a worker returns its tickets before its last block
 *   LEAVE_BY_STORE   it returns them by a load and a store
 *   LEAVE_SILENTLY   the last worker does not set the latch
 *   TICKETS_LOST     a part that is taken back brings no tickets
 *   ONE_LOOK         the caller takes its first look for the end, whatever it sees
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef ALL
#define ALL 2
#endif
#define CALLER 0
#define PARTS BLOCKS

byte issued = ALL;              /* and not returned */
bool all_left;                  /* the latch */
byte executed;
byte running;                   /* workers that have a part */
bool gone;                      /* the caller has returned, and its frame is lost */
chan offers[WORKERS + 1] = [PARTS] of {byte, byte};  /* blocks, tickets */

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool the_frame_lives = true, the_caller_is_last = true, each_part_has_tickets = true, the_caller_returns = true;

/* mirrors: FlatEnd::divide */
inline divide() {  /* needs tickets, half */
#ifdef NO_ISSUE
  half = tickets - tickets / 2;
#else
  if
  :: tickets == 1 ->
#if !defined(ISSUE_UNCOUNTED) && !defined(ISSUE_LATE)
     d_step { CLAIM(the_frame_lives, !gone); issued = issued + ALL };
#endif
     tickets = tickets + ALL;
     issues = true
  :: else
  fi;
  half = tickets / 2;
#endif
  tickets = tickets - half
}

/* mirrors: FlatEnd::leave */
inline leave() {
#ifdef LEAVE_BY_STORE
  half = issued;
  d_step {
#else
  d_step {
    half = issued;
#endif
    CLAIM(the_frame_lives, !gone);
    issued = half - tickets;
    half = issued;
    if :: half != 0 -> running-- :: else fi
  };
  if
  :: half == 0 ->
     d_step {
       CLAIM(the_frame_lives, !gone);
#ifndef LEAVE_SILENTLY
       all_left = true;
#endif
       running--
     }
  :: else
  fi;
  half = 0;
  tickets = 0
}

/* environment: a share runs its blocks, and divides them at any time */
inline run_share(me) {
  do
  :: blocks > 1 ->
     divide();
     offers[me]!blocks / 2, half;
     half = 0;
     d_step { CLAIM(each_part_has_tickets, tickets > 0) };
     blocks = blocks - blocks / 2;
#ifdef ISSUE_LATE
     if :: issues -> d_step { CLAIM(the_frame_lives, !gone); issued = issued + ALL } :: else fi;
#endif
     issues = false
  :: blocks > 0 ->
     d_step { blocks--; executed++ }
  :: blocks == 0 ->
     if
     :: offers[me]?blocks, half ->
#ifndef TICKETS_LOST
        tickets = tickets + half;
#endif
        half = 0
     :: empty(offers[me]) -> break
     fi
  od
}

/* environment: a thief; any other may be its victim. At most three. */
proctype Worker(byte me) {
  byte blocks, tickets, half, victim;
  bool issues;
end_idle:
  do
  :: atomic {
       if
       :: me != 0 && nempty(offers[0]) -> victim = 0
       :: me != 1 && nempty(offers[1]) -> victim = 1
       :: me != 2 && nempty(offers[2]) -> victim = 2
       :: WORKERS > 2 && me != WORKERS && nempty(offers[WORKERS]) -> victim = WORKERS
       fi;
       offers[victim]?blocks, tickets;
       victim = 0;
       running++
     };
#ifdef LEAVE_EARLY
     leave();
     tickets = ALL;
     run_share(me);
     tickets = 0
#else
     run_share(me);
     leave()
#endif
  od
}

/* mirrors: FlatEnd::wait */
inline wait() {
  if
  :: issued == tickets
#ifdef ONE_LOOK
  :: else
#else
  :: issued != tickets ->
     d_step { issued = issued - tickets; half = issued };
     if
     :: half == 0
     :: else -> all_left
     fi
#endif
  fi
}

/* environment: the call */
proctype Caller() {
  byte blocks = BLOCKS, tickets = ALL, half;
  bool issues;
  run_share(CALLER);
  wait();
  d_step {
    gone = true;
    CLAIM(the_caller_is_last, running == 0 && executed == BLOCKS)
  }
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  timeout ->
  CLAIM(the_caller_returns, gone)
}

init {
  byte n;
  atomic {
    run Caller();
    n = 1;
    do :: n <= WORKERS -> run Worker(n); n++ :: else -> break od;
    run Monitor()
  }
}
