/* No job waits while a slot is parked, with the async backend: sleepers, workers that push and then do not come back for
 * what they pushed, and outsiders that inject.
 *
 * Slots 0 .. NW-1 search and sleep; slots NW .. NW+NP-1 are run by pushers: each has PRE jobs in its ring, pushed while
 * nobody was parked, pushes NJ on its queue, takes TAKES back, and is then busy for ever, so that only a sleeper can run
 * the others. NI outsiders inject NIJ jobs each. A job that a sleeper runs ends at once, or, with LONG, perhaps never.
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
#ifndef PRE
#define PRE 0
#endif
#ifndef TAKES
#define TAKES 0
#endif
#ifndef NI
#define NI 0
#endif
#ifndef NIJ
#define NIJ 1
#endif
#define NS (NW + NP)
#define FIRST_PUSHER NW
#define NO_LATCH
#include "async_idle.inc"

byte nolatch;  /* nobody ends the pool here */
byte started, posting = NP + NI;

/* mirrors: AsyncFinder::find_work */
inline find_work(me, in_search) {
  take_own(me);
  if :: !found -> elsewhere(me, in_search) :: else fi
}

/* mirrors: Worker::run_resident */
/* mirrors: Worker::work_until */
/* mirrors: Worker::search_until */
proctype Sleeper(byte me) {
  LOCALS;
work:
  find_work(me, false);
  if :: found -> goto execute :: else fi;
  start_looking(me);
search:
  find_work(me, true);
  if
  :: found -> work_found(me)
  :: else ->
     if
#ifdef NO_LAST_CHECK
     :: !am_parked -> park(me); sleep(me, nolatch, VACATE)
#elif defined(REFUSED_UNCHECKED)
     :: !am_parked -> park(me); if :: !counted -> sleep(me, nolatch, VACATE) :: else -> counted = false fi
#else
     :: !am_parked -> park(me)
#endif
     :: else -> sleep(me, nolatch, VACATE)
     fi;
     goto search
  fi;
execute:
  atomic { found = false; started++ };
#ifdef LONG
  if
  :: true
  :: true ->
end_job:
     false
  fi;
#endif
  goto work
}

/* environment: a job that pushes others and then waits for something that only they can bring */
proctype Pusher(byte me) {
  LOCALS; byte n;
  do
  :: n < NJ -> push(me); new_jobs(me); n++
  :: n >= NJ && n < NJ + TAKES -> atomic { take_own(me); started = started + found; found = false }; n++
  :: n == NJ + TAKES -> break
  od;
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
  byte s, queued = 0, resting = 0, busy = 0; bool no_job_waits, counts_are_exact, every_poster_returned;
  timeout ->
  d_step {
    queued = list;
    do
    :: s < NS ->
       queued = queued + ring[s] + ring_buffered[s] + lifo[s] + lifo_buffered[s];
       resting = resting + parked[s];
       s++
    :: else -> break
    od;
    s = 0;
    do :: s < WORDS -> busy = busy + searching[s]; s++ :: else -> break od;
    no_job_waits = !(queued > 0 && resting > 0);
    counts_are_exact = (busy == 0 && length == list && queued + started == NP * (PRE + NJ) + NI * NIJ);
#ifndef LONG
    counts_are_exact = counts_are_exact && resting == NW;
#endif
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
    :: s < NW -> runner[s] = RESIDENT(s); run Sleeper(s); s++
    :: s >= NW && s < NS -> runner[s] = RESIDENT(s); ring[s] = PRE; run Pusher(s); run Drain(s); s++
    :: else -> break
    od;
    s = 0;
    do :: s < NI -> run Outsider(); s++ :: else -> break od;
    run Monitor()
  }
}
