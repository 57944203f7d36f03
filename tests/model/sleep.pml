/* No job waits while a slot sleeps: sleepers, workers that push and then do not come back for what they pushed, and
 * outsiders that inject.
 *
 * Slots 0 .. NW-1 search and sleep; slots NW .. NW+NP-1 are run by pushers: each pushes NJ jobs on its own deque and is
 * then busy for ever, so that only a sleeper can run them. NI outsiders inject NIJ jobs each.
 *   WITHHELD       before each job, and after the last, a pusher pushes the half of a join, which it does not post; it may
 *                  take back those before the last at once. Its last half is its own to run: no claim is about that one
 *   NO_LAST_SEARCH a defect: a worker that has announced itself sleeps without a search
 *   ALL_WITHHELD   a defect: nor are jobs posted
 *   LONG           a job, once started, never ends
 *   VACANT_START   the sleepers begin vacant, as in a new pool; otherwise they come from a job
 */
#ifndef NW
#define NW 2
#endif
#ifndef NP
#define NP 0
#endif
#ifndef NJ
#define NJ 1
#endif
#ifndef NI
#define NI 0
#endif
#ifndef NIJ
#define NIJ 1
#endif
#define NS (NW + NP)
#ifdef WITHHELD
#define LEFT 1
#else
#define LEFT 0
#endif
#define FIRST_VICTIM NW
#define NO_LATCH
#include "idle.inc"

byte nolatch;  /* nobody ends the pool here */
byte started, posting = NP + NI, halves;

/* mirrors: ForkJoinFinder::find_work */
inline find_work(me) {  /* nobody pushes on a sleeper's own deque */
#if NP > 0
  steal(me);
#endif
#if NI > 0
  if :: !found -> take_injected(me) :: else fi
#else
  skip
#endif
}

/* mirrors: Worker::run_resident */
/* mirrors: Worker::work_until */
/* mirrors: Worker::search_until */
/* mirrors: Sleep::first_search */
proctype Sleeper(byte me) {
  LOCALS;
#ifdef VACANT_START
end_first:
  d_step { token[RESIDENT(me)] -> token[RESIDENT(me)] = false };
  goto search;
#endif
work:
  find_work(me);
  if :: found -> goto execute :: else fi;
  start_looking(me);
search:
  find_work(me);
  if
  :: found -> work_found(me)
  :: else ->
     if
#ifdef NO_LAST_SEARCH
     :: round == 0 -> announce(me); sleep(me, nolatch, VACANT)
#else
     :: round == 0 -> announce(me)
#endif
     :: else -> sleep(me, nolatch, VACANT)
     fi;
     goto search
  fi;
execute:
  atomic { found = false; started++ };
#ifdef LONG
end_job:
  false;
#endif
  goto work
}

/* mirrors: Sleep::new_half */
inline push_half(me) { d_step { push(me); halves++ } }

/* environment: a job that pushes others and then waits for something that only they can bring */
proctype Pusher(byte me) {
  LOCALS; byte n;
  do
  :: n < NJ ->
#ifdef WITHHELD
     push_half(me);
     if
     :: pop(me); d_step { halves = (found -> halves - 1 : halves); found = false }
     :: true
     fi;
#endif
     push(me);
#ifndef ALL_WITHHELD
     new_jobs(me);
#endif
     n++
  :: else -> break
  od;
#ifdef WITHHELD
  push_half(me);
#endif
  posting--
}

/* environment: a thread outside the pool */
proctype Outsider() {
  LOCALS; byte n;
  do
  :: n < NIJ -> inject(NOBODY); n++
  :: else -> break
  od;
  posting--
}

/* environment: looks at every state in which nothing can happen any more */
proctype Monitor() {
  byte s, queued = 0, waiting = 0, resting = 0; bool no_job_waits, counts_are_exact, every_poster_returned;
  timeout ->
  d_step {
    queued = INJECTED;
    waiting = queued;
    do
    :: s < NS ->
       queued = queued + deque[s] + buffered[s];
       waiting = waiting + (deque[s] + buffered[s] > LEFT -> deque[s] + buffered[s] - LEFT : 0);
       resting = resting + (state[s] == ASLEEP || state[s] == VACANT);
       s++
    :: else -> break
    od;
    no_job_waits = !(waiting > 0 && resting > 0);
    counts_are_exact =
      (sleeping == resting && searching[0] + searching[1] == 0 && queued + started == NP * NJ + NI * NIJ + halves);
    every_poster_returned = (posting == 0)
  };
  assert(every_poster_returned);
  assert(no_job_waits);
  assert(counts_are_exact)
}

init {
  byte s;
  atomic {
    do
    :: s < NW ->
       runner[s] = RESIDENT(s);
#ifdef VACANT_START
       state[s] = VACANT; sleeping++;
#endif
       run Sleeper(s); run Drain(s); s++
    :: s >= NW && s < NS -> runner[s] = RESIDENT(s); run Pusher(s); run Drain(s); s++
    :: else -> break
    od;
    s = 0;
    do :: s < NI -> run Outsider(); s++ :: else -> break od;
    run Monitor()
  }
}
