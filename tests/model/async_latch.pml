/* Whoever waits for a latch returns, with the async backend: a worker that waits for NG latches, one after the other, a
 * setter for each, and outsiders whose jobs have nothing to do with them.
 *
 * Slot 0's runner is the waiter: in the middle of a job, so that it keeps its slot; it runs what is injected meanwhile.
 * A setter may be held up after its set, and wakes a waiter that has long gone on: the late notifications of latches
 * 0 .. g-1 come while the waiter is at latch g. NI outsiders inject a job each. OTHERS further slots look for work, too.
 */
#ifndef NG
#define NG 2
#endif
#ifndef NI
#define NI 1
#endif
#ifndef OTHERS
#define OTHERS 0
#endif
#if OTHERS == 0
#define NS 1
#else
#define NS 2
#endif
#define FIRST_PUSHER NS
#include "async_idle.inc"

byte latch[NG + 1];       /* [NG] is that of the other slots, which nobody sets */
byte begun = 0, over = 0; /* latches that exist; waits that have returned */
byte started, unset = NG, posting = NI;

/* mirrors: AsyncFinder::find_work blitz/async/policy.hpp */
inline find_work(me, in_search) { take_own(me); if :: !found -> elsewhere(me, in_search) :: else fi }

/* mirrors: Worker::wait_until blitz/core/worker.hpp */
/* mirrors: Worker::work_until blitz/core/worker_impl.hpp */
/* mirrors: Worker::search_until blitz/core/worker_impl.hpp */
/* mirrors: CoreLatch::probe blitz/core/core_latch.hpp */
proctype Waiter(byte me) {
  LOCALS; byte g;
  do
  :: g < NG ->
     begun = g + 1;
work:
     if :: latch[g] == SET -> goto next :: else fi;
     find_work(me, false);
     if :: found -> goto execute :: else fi;
     start_looking(me);
search:
     if :: latch[g] == SET -> work_found(me); goto next :: else fi;
     find_work(me, true);
     if
     :: found -> work_found(me)
     :: else ->
        if
        :: !am_parked -> park(me)
        :: else -> sleep(me, latch[g], WAIT)
        fi;
        goto search
     fi;
execute:
     atomic { found = false; started++ };
     goto work;
next:
     over++; g++
  :: else -> break
  od
}

/* mirrors: Worker::run_resident blitz/core/worker_impl.hpp */
proctype Other(byte me) {
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
     :: !am_parked -> park(me)
     :: else -> sleep(me, latch[NG], VACATE)
     fi;
     goto search
  fi;
execute:
  atomic { found = false; started++ };
  goto work
}

/* mirrors: WorkerLatch::set blitz/core/latch.hpp */
proctype Setter(byte g) {
  byte old; bool ok;
  begun > g;
  set_latch(NOBODY, latch[g], 0);
  unset--
}

/* environment: a thread outside the pool */
proctype Outsider() {
  LOCALS;
  inject(NOBODY);
  posting--
}

/* environment: looks at every state in which nothing can happen any more */
proctype Monitor() {
  byte s, resting, busy, queued; bool every_wait_returned, every_caller_returned, counts_are_exact, no_job_waits;
  timeout ->
  d_step {
    s = 0;
    queued = list;
    do
    :: s < NS -> resting = resting + parked[s]; busy = busy + searching[WORD(s)]; queued = queued + ring[s]; s++
    :: else -> break
    od;
    every_wait_returned = (over == NG);
    every_caller_returned = (unset == 0 && posting == 0);
    counts_are_exact = (resting == OTHERS && busy == 0 && queued + started == NI && length == list);
    no_job_waits = (queued == 0 || resting == 0)
  };
  assert(every_wait_returned);
  assert(every_caller_returned);
  assert(counts_are_exact);
  assert(no_job_waits)
}

init {
  byte s;
  atomic {
    run Waiter(0);
    s = 1;
    do :: s < NS -> runner[s] = RESIDENT(s); run Other(s); s++ :: else -> break od;
    s = 0;
    do :: s < NG -> run Setter(s); s++ :: else -> break od;
    s = 0;
    do :: s < NI -> run Outsider(); s++ :: else -> break od;
    run Monitor()
  }
}
