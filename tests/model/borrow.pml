/* Slots that are lent: outside callers that borrow and give back, or inject; residents that are woken meanwhile; jobs
 * that push others; and the end of the pool.
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
 * Defects, besides those of idle.inc:
 *   GIVE_BACK_NO_HEAVY      give_back looks at the queues without a heavy fence
 *   GIVE_BACK_NO_QUEUES     ... or not at all
 *   GIVE_BACK_NO_OWN        ... and the slot's own queue is not asked for either
 *   GIVE_BACK_NO_INJECTOR   ... nor the injector
 *   GIVE_BACK_NO_POSTED     ... nor, once the slot is vacant, what was posted to it
 *   GIVE_BACK_NO_LATCH      ... nor, when the slot is vacant, the latch of its resident
 *   GIVE_BACK_CANCEL_IGNORED  a cancelled kDrowsy becomes kVacant all the same
 *   GIVE_BACK_COUNT_FIRST   the slot is counted before it is kDrowsy
 *   GIVE_BACK_NO_DROWSY     the slot is kVacant before it is counted
 *   HAND_OVER_COUNTED       the slot handed over stays in the count of the sleeping
 *   BORROW_BY_STORE         try_borrow is a load and a store
 *   BORROW_OVER_RESIDENT    the guest sleeps on the resident's parker
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
byte posted[NS];
#if POSTS > 0
#define POSTED(slot) posted[slot]
#endif
#define ON_STEAL(victim) job = (forked[victim] -> victim : NOBODYS)
#define ON_VACATE(slot) runners[slot]--
#include "idle.inc"

byte latch[2 * NS];   /* [s]: the end of resident s; [CHILD(s)]: what the runner of slot s waits for */
bool forked[NS];      /* the job in slot s's deque is such a one */
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

#define RUNS(s) runners[s]++; CLAIM(a_slot_has_one_runner, runners[s] == 1)

/* mirrors: Sleep::try_borrow */
inline try_borrow(slot) {  /* sets ok */
#ifdef BORROW_BY_STORE
  ok = (state[slot] == VACANT);
  d_step { if :: ok -> state[slot] = AWAKE; RUNS(slot) :: else fi };
#else
  d_step { ok = (state[slot] == VACANT); if :: ok -> state[slot] = AWAKE; RUNS(slot) :: else fi };
#endif
  if
  :: ok ->
     d_step { SUB_SLEEPING };
#ifndef BORROW_OVER_RESIDENT
     runner[slot] = GUEST(slot)
#endif
  :: else
  fi
}

/* mirrors: Sleep::give_back */
/* mirrors: Worker::give_back */
/* mirrors: AtomicCounters::add_sleeping */
/* mirrors: Sleep::hand_over */
inline give_back(me) {
  atomic { runner[me] = RESIDENT(me); ok = (deque[me] + buffered[me] == 0) };
#ifdef GIVE_BACK_NO_OWN
  ok = true;
#endif
  if
  :: !ok ->
     d_step { FLUSH(me); ADD_SEARCHING(me) };
     runners[me]--;
     unpark(me, RESIDENT(me))
  :: else ->
#ifdef GIVE_BACK_COUNT_FIRST
     d_step { FLUSH(me); sleeping++; ok = (sleeping < NS) };
     state[me] = DROWSY;
#else
#ifdef GIVE_BACK_NO_DROWSY
     d_step { state[me] = VACANT; runners[me]-- };
#else
     state[me] = DROWSY;
#endif
     d_step { FLUSH(me); ADD_SLEEPING; ok = (sleeping < NS) };
#endif
     none_searches();
     if
     :: ok ->
#ifndef GIVE_BACK_NO_HEAVY
        heavy_fence(me);
#endif
#ifndef GIVE_BACK_NO_QUEUES
        do
        :: d_step { ok && i < NS -> ok = (deque[i] == 0 && (i != me || buffered[i] == 0)); i++ }
        :: else -> break
        od;
#endif
        i = 0
     :: else -> ok = true
     fi;
#ifndef GIVE_BACK_NO_INJECTOR
     if :: ok -> injector_empty() :: else fi;
#endif
     if
#ifdef GIVE_BACK_CANCEL_IGNORED
     :: ok -> d_step { state[me] = VACANT; ON_VACATE(me) }
#elif defined(GIVE_BACK_NO_DROWSY)
     :: ok -> skip
#else
     :: ok -> d_step { ok = (state[me] == DROWSY); if :: ok -> FLUSH(me); state[me] = VACANT; ON_VACATE(me) :: else fi }
#endif
     :: else
     fi;
     if
     :: ok ->
#ifndef GIVE_BACK_NO_LATCH
        if :: RESIDENT_WANTED(me) -> try_wake(me, me) :: else fi
#endif
     :: else ->
#ifndef HAND_OVER_COUNTED
        unregister(me);
#endif
        awaking[me] = true;
        runners[me]--;
        unpark(me, RESIDENT(me))
     fi
  fi;
  ok = false
}

/* mirrors: Worker::take_mail */
inline take_mail(me) {  /* sets found, and job */
  d_step { found = (posted[me] > 0); if :: found -> FLUSH(me); posted[me]--; job = NOBODYS :: else fi }
}

/* mirrors: Worker::find_any */
/* mirrors: ForkJoinFinder::find_work */
inline find_work(me) {  /* sets found, and job */
#if POSTS > 0
  take_mail(me);
  if
  :: !found ->
#endif
  atomic { pop(me); if :: found -> job = NOBODYS :: else fi };  /* what the runner waits for has gone */
  if
  :: !found ->
     steal(me);
     if
     :: !found ->
        take_injected(me);
        if
        :: found ->
           d_step { do :: waiting[i] -> break :: else -> i++ od; waiting[i] = false; job = CALL(i); i = 0 }
        :: else
        fi
     :: else
     fi
  :: else
  fi
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
/* mirrors: Sleep::first_search */
proctype Resident(byte me) {
  LOCALS; byte job, call, awaited = me, rest = VACANT;
end_first:
  d_step { token[RESIDENT(me)] -> token[RESIDENT(me)] = false; RUNS(me) };
  goto search;
work:
  if :: latch[awaited] == SET -> goto returns :: else fi;
  find_work(me);
  if :: found -> goto execute :: else fi;
  start_looking(me);
search:
  if :: latch[awaited] == SET -> work_found(me); goto returns :: else fi;
  find_work(me);
  if
  :: found -> work_found(me)
  :: else ->
     if
     :: round == 0 -> announce(me)
     :: else ->
        sleep(me, latch[awaited], rest);
        atomic { if :: runners[me] == 0 -> RUNS(me) :: else fi }
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
     :: rest == VACANT && KIND(call) == FORK ->
        fork(me, true);
        pop(me);
        if
        :: found -> atomic { found = false; FINISHED; forked[me] = false; FINISHED; answered[call] = true; call = 0 }
        :: else -> atomic { awaited = CHILD(me); rest = ASLEEP }
        fi
     :: rest == VACANT && KIND(call) == LEAVE ->
        fork(me, false);
        atomic { FINISHED; answered[call] = true; call = 0 }
     :: rest == VACANT && KIND(call) == BLOCK ->
        fork(me, true);
end_blocked:
        latch[CHILD(me)] == SET;
        atomic { forked[me] = false; FINISHED; answered[call] = true; call = 0 }
     :: else -> i = call; call = (rest == VACANT -> 0 : call); atomic { FINISHED; answered[i] = true; i = 0 }
     fi
  fi;
  goto work;
returns:
  if
  :: rest == ASLEEP ->
     atomic { forked[me] = false; awaited = me; rest = VACANT; FINISHED; answered[call] = true; call = 0 };
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
  LOCALS; byte n, s, job;
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
     pop(s);
     if :: found -> atomic { found = false; FINISHED; goto done } :: else fi;
work:
     if :: latch[CHILD(s)] == SET -> goto done :: else fi;
     find_work(s);
     if :: found -> goto execute :: else fi;
     start_looking(s);
search:
     if :: latch[CHILD(s)] == SET -> work_found(s); goto done :: else fi;
     find_work(s);
     if
     :: found -> work_found(s)
     :: else ->
        if
        :: round == 0 -> announce(s)
        :: else -> sleep(s, latch[CHILD(s)], ASLEEP)
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
  byte n, old = AWAKE, parker;
  do
  :: n < POSTS -> n++; posted[s]++; try_wake(NOBODY, s)
  :: else -> break
  od
}

/* mirrors: Registry::stop */
/* mirrors: Worker::terminate */
proctype Owner() {
  byte s, old = AWAKE, parker;
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
  byte s; bool no_job_waits = true, no_posted_job_waits = true, every_call_returned, every_resident_returned, counts_are_exact;
  byte queued, resting;
  timeout ->
  d_step {
    queued = INJECTED;
    do
    :: s < NS ->
       queued = queued + deque[s] + buffered[s];
       no_posted_job_waits = no_posted_job_waits && posted[s] == 0;
       resting = resting + (state[s] == ASLEEP || state[s] == VACANT);
       s++
    :: else -> break
    od;
    no_job_waits = (queued == 0 || resting == 0);
    every_call_returned = (calls == 0 && pending == 0);
#ifdef NO_STOP
    every_resident_returned = true;
    counts_are_exact = (sleeping == NS && searching[0] + searching[1] == 0 && resting == NS)
#else
    every_resident_returned = (residents == 0);
    counts_are_exact = (sleeping == 0 && searching[0] + searching[1] == 0 && resting == 0)
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
       runner[s] = RESIDENT(s); state[s] = VACANT; sleeping++;
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
