/* Slots that are lent, with the async backend: outside callers that borrow and give back, or inject; residents that are
 * woken meanwhile; jobs that push others; and the end of the pool.
 *
 * NS slots, all vacant at first, each with its resident. NC callers make CALLS calls each: caller 0 of KIND0, the others
 * of KIND1. A call runs on the caller if it finds a vacant slot, and is injected otherwise.
 *   PLAIN  does nothing
 *   FORK   pushes a job, takes it back or else waits for it, as join does
 *   BLOCK  pushes a job and blocks until another slot has run it: nobody may sleep over it
 *   LEAVE  pushes a job that nobody waits for
 * A worker that waits inside a call runs every further call as PLAIN, so that no stack is needed.
 * With POSTS, a poster for each slot sends it that many jobs, which only the runner of the slot may run.
 * stop() comes when all jobs are done, but does not wait for the callers, which may still be giving back. With NO_STOP it
 * does not come, and at the end every slot is vacant again.
 *
 * Defects, besides those of async_idle.inc:
 *   GIVE_BACK_NO_HEAVY      give_back looks at the queues without a heavy fence
 *   GIVE_BACK_NO_QUEUES     ... or not at all
 *   GIVE_BACK_NO_OWN        ... and the slot's own queue is not asked for either
 *   GIVE_BACK_NO_INJECTOR   ... nor the injector
 *   GIVE_BACK_NO_POSTED     ... nor, once the slot is vacant, what was posted to it
 *   GIVE_BACK_NO_LATCH      ... nor the latch of its resident
 *   GIVE_BACK_LOOK_FIRST    it looks first, and parks the slot then
 *   HAND_OVER_UNCOUNTED     the resident that is called for the own queue is not counted as searching
 *   VACANT_STAYS            a runner does not take `vacant` back
 *   BORROW_UNASKED          try_borrow does not look at `vacant` again once it has the slot
 *   BORROW_BY_STORE         ... or takes the slot by a load and a store
 *   BORROW_OVER_RESIDENT    the guest sleeps where the resident does
 *   CLAIM_NOT_RETURNED      a caller that has claimed a slot that is not vacant goes away
 *   CLAIM_RETURNED_UNCOUNTED  ... or wakes its runner without counting it
 *   STOP_ONLY_ASLEEP        stop() wakes only residents whose latch was asleep: not those that never ran
 */
#define PLAIN 0
#define FORK 1
#define BLOCK 2
#define LEAVE 3

#ifndef NS
#define NS 2
#endif
#ifndef NC
#define NC 2
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef KIND0
#define KIND0 PLAIN
#endif
#ifndef KIND1
#define KIND1 PLAIN
#endif
#define KIND(c) ((c) == 0 -> KIND0 : KIND1)
#define NOBODYS NS    /* a job that nobody waits for; job v is what the runner of slot v waits for */
#define CALL(v) (NS + 1 + (v))
#define CHILD(s) (NS + (s))

#ifndef POSTS
#define POSTS 0
#endif
#define LENDING
#define FETCH 1
#define ON_THEFT(victim) job = (forked[victim] -> victim : NOBODYS)
#define ON_FETCH i = 0; do :: waiting[i] -> break :: else -> i++ od; waiting[i] = false; job = CALL(i); i = 0
#define RUNS(s) runners[s]++; CLAIM(a_slot_has_one_runner, runners[s] == 1)
#define ON_VACATE(slot) runners[slot]--; displaced = true
#define ON_WAKE(slot) if :: displaced -> RUNS(slot); displaced = false :: else fi
#include "async_idle.inc"

byte posted[NS];
byte latch[2 * NS];   /* [s]: the end of resident s; [CHILD(s)]: what the runner of slot s waits for */
bool forked[NS];      /* the job in slot s's queue is such a one */
bool waiting[NC], answered[NC];
byte runners[NS];
bool a_slot_has_one_runner = true, a_set_latch_is_awaited = true;
byte pending = NC * CALLS + POSTS * NS, calls = NC * CALLS, residents = NS;

/* mirrors: Worker::give_back */
#ifndef GIVE_BACK_NO_POSTED
#define RESIDENT_WANTED(s) (latch[s] == SET || posted[s] > 0)
#else
#define RESIDENT_WANTED(s) (latch[s] == SET)
#endif

#ifdef GIVE_BACK_NO_HEAVY
#define HEAVY(me) skip
#else
#define HEAVY(me) heavy_fence(NOBODY)
#endif

/* mirrors: IdleState::try_borrow */
/* mirrors: AtomicIdleWord::unpark */
/* mirrors: IdleState::return_claim */
inline try_borrow(slot) {  /* sets ok */
  ok = vacant[slot];
  if
  :: ok ->
#ifdef BORROW_BY_STORE
     ok = parked[slot];
     if :: ok -> parked[slot] = false :: else fi;
#else
     d_step { ok = parked[slot]; parked[slot] = false };
#endif
     if
     :: ok ->
#ifdef BORROW_UNASKED
        d_step { RUNS(slot) };
#else
        atomic { ok = vacant[slot]; if :: ok -> d_step { RUNS(slot) } :: else fi };
#endif
        if
        :: ok ->
           d_step { vacant_buffered[slot] = true; vacant_later[slot] = false };
#ifndef BORROW_OVER_RESIDENT
           runner[slot] = GUEST(slot)
#endif
        :: else ->
#ifndef CLAIM_NOT_RETURNED
#ifndef CLAIM_RETURNED_UNCOUNTED
           searching[WORD(slot)]++;
#endif
           notify(NOBODY, slot)
#endif
        fi
     :: else
     fi
  :: else
  fi
}

/* mirrors: IdleState::num_idle */
inline all_idle() {  /* sets ok */
  do
  :: atomic {
       d_step {
         k = i * SLOTS_PER_WORD;
         do :: k < NS && k < (i + 1) * SLOTS_PER_WORD -> hand = hand + parked[SLOT_AT(k)]; k++ :: else -> break od;
         hand = hand + searching[i]; k = 0; i++
       };
       if :: i == WORDS -> ok = (hand == NS); i = 0; hand = 0; break :: else fi
     }
  od
}

/* mirrors: GlobalQueue::empty */
/* mirrors: AsyncQueue::empty */
inline look_for_work(me) {  /* sets found */
  all_idle();
  if :: ok -> skip :: else -> HEAVY(me) fi;
#ifndef GIVE_BACK_NO_INJECTOR
  found = (length > 0);
#endif
#ifndef GIVE_BACK_NO_QUEUES
  if
  :: !ok && !found ->
     do
     :: atomic {
          d_step { found = (lifo[i] || ring[i] > 0); i++ };
          if :: found || i == NS -> i = 0; break :: else fi
        }
     od
  :: else
  fi;
#endif
  ok = false
}

/* mirrors: IdleState::give_back */
/* mirrors: AtomicIdleWord::add_searching */
inline give_back(me) {
  atomic { runner[me] = RESIDENT(me); ok = (ring[me] + ring_buffered[me] == 0 && !lifo[me] && !lifo_buffered[me]) };
#ifdef GIVE_BACK_NO_OWN
  ok = true;
#endif
  if
  :: !ok ->
#ifndef HAND_OVER_UNCOUNTED
     d_step { FLUSH(me); searching[WORD(me)]++ };
#endif
     d_step { FLUSH(me); runners[me]-- };
     notify(NOBODY, me)
  :: else ->
     d_step { FLUSH(me); vacant_buffered[me] = true; vacant_later[me] = true };
#ifdef GIVE_BACK_LOOK_FIRST
     look_for_work(me);
#endif
     d_step {
       FLUSH(me);
       CLAIM(counters_stay_in_range, !parked[me]);
       parked[me] = true; runners[me]--;
       CHECK_COUNTS
     };
#ifndef GIVE_BACK_LOOK_FIRST
     look_for_work(me);
#endif
#ifndef GIVE_BACK_NO_LATCH
     if :: !found -> found = RESIDENT_WANTED(me) :: else fi;
#endif
     if :: found -> try_wake(NOBODY, me); found = false :: else fi
  fi;
  ok = false
}

/* mirrors: Worker::take_mail */
inline take_mail(me) {  /* sets found, and job */
  d_step { found = (posted[me] > 0); if :: found -> FLUSH(me); posted[me]--; job = NOBODYS :: else fi }
}

/* mirrors: Worker::find_any */
/* mirrors: AsyncFinder::find_work */
inline find_work(me, in_search) {  /* sets found, and job */
#if POSTS > 0
  take_mail(me);
  if
  :: !found ->
#endif
  atomic { take_own(me); if :: found -> job = NOBODYS :: else fi };  /* what the runner waits for has gone */
  if :: !found -> elsewhere(me, in_search) :: else fi
#if POSTS > 0
  :: else
  fi
#endif
}

/* environment: the end of a call, or of a job that nobody waits for */
#define FINISHED pending--

/* mirrors: WorkerLatch::set */
inline execute_child(me) {  /* a job that is not a call */
  FINISHED;
  if
  :: job < NS -> CLAIM(a_set_latch_is_awaited, forked[job]); set_latch(me, latch[CHILD(job)], job)
  :: else
  fi;
  job = 0
}

/* mirrors: Worker::push */
/* environment: a call that forks */
inline fork(me, waits_for_it) {
  atomic { pending++; forked[me] = waits_for_it; latch[CHILD(me)] = UNSET };
  push(me);
  new_jobs(me)
}

/* mirrors: Worker::run_resident */
/* mirrors: Worker::work_until */
/* mirrors: Worker::search_until */
/* mirrors: IdleState::first_search */
proctype Resident(byte me) {
  LOCALS; byte job, call, awaited = me, rest = VACATE, old; bool displaced;
end_first:
  d_step { token[RESIDENT(me)] -> token[RESIDENT(me)] = false; RUNS(me); counted = true };
  begin_to_run(me);
  goto search;
work:
  if :: latch[awaited] == SET -> goto returns :: else fi;
  find_work(me, false);
  if :: found -> goto execute :: else fi;
  start_looking(me);
search:
  if :: latch[awaited] == SET -> work_found(me); goto returns :: else fi;
  find_work(me, true);
  if
  :: found -> work_found(me)
  :: else ->
     if
     :: !am_parked -> park(me)
     :: else -> sleep(me, latch[awaited], rest)
     fi;
     goto search
  fi;
execute:
  found = false;
  if
  :: job <= NOBODYS -> execute_child(me)
  :: else ->
     call = job - CALL(0); job = 0;
     if
     :: rest == VACATE && KIND(call) == FORK ->
        fork(me, true);
        take_own(me);
        if
        :: found -> atomic { found = false; FINISHED; forked[me] = false; FINISHED; answered[call] = true; call = 0 }
        :: else -> atomic { awaited = CHILD(me); rest = WAIT }
        fi
     :: rest == VACATE && KIND(call) == LEAVE ->
        fork(me, false);
        atomic { FINISHED; answered[call] = true; call = 0 }
     :: rest == VACATE && KIND(call) == BLOCK ->
        fork(me, true);
end_blocked:
        latch[CHILD(me)] == SET;
        atomic { forked[me] = false; FINISHED; answered[call] = true; call = 0 }
     :: else -> i = call; call = (rest == VACATE -> 0 : call); atomic { FINISHED; answered[i] = true; i = 0 }
     fi
  fi;
  goto work;
returns:
  if
  :: rest == WAIT ->
     atomic { forked[me] = false; awaited = me; rest = VACATE; FINISHED; answered[call] = true; call = 0 };
     goto work
  :: else
  fi;
  d_step { runners[me]--; residents-- }
}

/* mirrors: Registry::enter */
/* mirrors: Registry::enter_here */
/* mirrors: PoolBase::inject_and_wait */
/* mirrors: Worker::wait_until */
/* mirrors: reclaim */
proctype Caller(byte c) {
  LOCALS; byte n, s, job, old; bool displaced;
next:
  if :: n == CALLS -> goto returns :: else -> n++ fi;
  s = 0;
  do
  :: s < NS -> try_borrow(s); if :: ok -> break :: else -> s++ fi
  :: else -> break
  od;
  ok = false;
  if
  :: s == NS ->
     waiting[c] = true;
     inject(NOBODY);
end_waiting:
     atomic { answered[c] -> answered[c] = false; calls-- };
     goto next
  :: else
  fi;
  if
  :: KIND(c) == FORK ->
     fork(s, true);
     take_own(s);
     if :: found -> atomic { found = false; FINISHED; goto done } :: else fi;
work:
     if :: latch[CHILD(s)] == SET -> goto done :: else fi;
     find_work(s, false);
     if :: found -> goto execute :: else fi;
     start_looking(s);
search:
     if :: latch[CHILD(s)] == SET -> work_found(s); goto done :: else fi;
     find_work(s, true);
     if
     :: found -> work_found(s)
     :: else ->
        if
        :: !am_parked -> park(s)
        :: else -> sleep(s, latch[CHILD(s)], WAIT)
        fi;
        goto search
     fi;
execute:
     found = false;
     if
     :: job <= NOBODYS -> execute_child(s)
     :: else -> atomic { answered[job - CALL(0)] = true; FINISHED; job = 0 }
     fi;
     goto work
  :: KIND(c) == LEAVE -> fork(s, false)
  :: KIND(c) == BLOCK ->
     fork(s, true);
end_blocked:
     latch[CHILD(s)] == SET
  :: KIND(c) == PLAIN
  fi;
done:
  atomic { forked[s] = false; FINISHED };
  give_back(s);
  calls--;
  goto next;
returns:
  skip
}

/* mirrors: Worker::mail */
proctype Poster(byte s) {
  byte n; bool ok;
  do
  :: n < POSTS -> n++; posted[s]++; try_wake(NOBODY, s)
  :: else -> break
  od
}

/* mirrors: Registry::stop */
/* mirrors: Worker::terminate */
proctype Owner() {
  byte s, old; bool ok;
end_owner:
  pending == 0;
  do
  :: s < NS ->
#ifdef STOP_ONLY_ASLEEP
     set_latch(NOBODY, latch[s], s);
#else
     latch[s] = SET;
     try_wake(NOBODY, s);
#endif
     s++
  :: else -> break
  od
}

/* environment: looks at every state in which nothing can happen any more */
proctype Monitor() {
  byte s, queued, resting, busy;
  bool no_job_waits, no_posted_job_waits = true, every_call_returned, every_resident_returned, counts_are_exact;
  bool all_vacant = true;
  timeout ->
  d_step {
    queued = list;
    do
    :: s < NS ->
       queued = queued + ring[s] + ring_buffered[s] + lifo[s] + lifo_buffered[s];
       no_posted_job_waits = no_posted_job_waits && posted[s] == 0;
       resting = resting + parked[s];
       all_vacant = all_vacant && vacant[s] && !vacant_buffered[s];
       s++
    :: else -> break
    od;
    s = 0;
    do :: s < WORDS -> busy = busy + searching[s]; s++ :: else -> break od;
    no_job_waits = (queued == 0 || resting == 0);
    every_call_returned = (calls == 0 && pending == 0);
#ifdef NO_STOP
    every_resident_returned = true;
    counts_are_exact = (busy == 0 && length == list && resting == NS && all_vacant)
#else
    every_resident_returned = (residents == 0);
    counts_are_exact = (busy == 0 && length == list && resting == 0)
#endif
  };
  assert(no_posted_job_waits);
  assert(no_job_waits);
  assert(every_call_returned);
  assert(every_resident_returned);
  assert(counts_are_exact)
}

init {
  byte s;
  atomic {
    do
    :: s < NS ->
       runner[s] = RESIDENT(s); parked[s] = true; vacant[s] = true;
       run Resident(s); run Drain(s); s++
    :: else -> break
    od;
    s = 0;
    do :: s < NC -> run Caller(s); s++ :: else -> break od;
#if POSTS > 0
    s = 0;
    do :: s < NS -> run Poster(s); s++ :: else -> break od;
#endif
#ifndef NO_STOP
    run Owner();
#endif
    run Monitor()
  }
}
