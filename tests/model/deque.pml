/* The Chase-Lev deque: every job is taken once, by its owner or by a thief; none is invented, none lost.
 *
 * The owner pushes jobs 1 .. NJ and pops up to POPS times, in any order; each of THIEVES thieves tries to steal STEALS
 * times. The first buffer has CAP slots, and the deque may grow once, to twice that. Indices start at BASE.
 *
 * Before a theft a thief asks for a guard, or does not; the owner ends a guarded period at whatever pop it likes.
 *
 * Memory: total store order. The owner's stores to slots, bottom_, buffer_ and guard_ go through a store buffer of DEPTH
 * entries, first in, first out; it sees its own stores at once, in owner_*, or in the buffer. The compare-exchange on
 * top_ flushes it, and so do the owner's fence and a thief's heavy fence. Thieves store nothing but by compare-exchange,
 * so that a fence of their own changes nothing. Each access to memory is a step; the first look of steal() at an empty
 * deque is left out, for it only ever gives up.
 *
 * Variant:
 *   FALLBACK           there are no asymmetric fences: the deque is guarded for ever
 * Defects:
 *   NO_HEAVY           steal has no fence between top_ and bottom_
 *   BOTTOM_BEFORE      steal uses the bottom_ that it saw before the fence
 *   LAST_WITHOUT_CAS   pop takes the last item without asking top_
 *   READ_AFTER_CAS     steal reads the slot when it has the index
 *   BOTTOM_FIRST       push shows the new bottom_ before the slot is written
 *   LIMIT_IGNORED      push never asks whether there is room
 *   LIMIT_LATE         limit_ is one above top_ + capacity
 *   COPY_AFTER         grow shows the new buffer before it is filled
 *   BOTTOM_NOT_RESTORED  pop leaves bottom_ below when there was nothing to take
 *   GUARD_NO_FENCE     the owner of a guarded deque makes no fence
 *   END_NO_FENCE       the pop that ends a guarded period makes no fence
 *   GUARD_LATE         steal looks at guard_ after it has read bottom_
 *   END_FALLBACK       of the variant: a guarded period ends
 */
#ifndef NJ
#define NJ 3
#endif
#ifndef POPS
#define POPS 2
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 1
#endif
#ifndef CAP
#define CAP 2
#endif
#ifndef DEPTH
#define DEPTH 4
#endif
#define BASE 1

/* Addresses: slots of the first buffer, slots of the second, bottom_, buffer_, guard_. */
#define SLOT(b, index) ((b) == 0 -> (index) % CAP : CAP + (index) % (2 * CAP))
#define BOTTOM (3 * CAP)
#define BUFFER (3 * CAP + 1)
#define GUARD (3 * CAP + 2)

#define OPEN 0
#define ASKED 1
#define GUARDED 2

byte memory[3 * CAP + 3];
byte top = BASE;
byte pending_at[DEPTH], pending_value[DEPTH], pending;
bool taken[NJ + 1];
bool no_job_is_invented, no_job_is_taken_twice;
byte finished;

#define TAKE(job) \
  no_job_is_invented = (job != 0); assert(no_job_is_invented); \
  no_job_is_taken_twice = !taken[job]; assert(no_job_is_taken_twice); \
  taken[job] = true

#define DRAIN_ONE \
  memory[pending_at[0]] = pending_value[0]; \
  k = 1; do :: k < pending -> pending_at[k - 1] = pending_at[k]; pending_value[k - 1] = pending_value[k]; k++ :: else -> break od; \
  pending--; pending_at[pending] = 0; pending_value[pending] = 0; k = 0
#define DRAIN_ALL do :: pending > 0 -> DRAIN_ONE :: else -> break od

/* environment: the store buffer of the owner's processor */
proctype Drain() {
  byte k;
end_drain:
  do :: d_step { pending > 0 -> DRAIN_ONE } od
}

inline store(at, value) {  /* environment: a plain store of the owner */
  d_step { pending < DEPTH -> pending_at[pending] = at; pending_value[pending] = value; pending++ }
}

/* environment: the owner's load of guard_ */
inline load_guard() {
  d_step {  /* the newest store to guard_, of one's own or in memory */
    at = memory[GUARD];
    k = 0; do :: k < pending -> if :: pending_at[k] == GUARD -> at = pending_value[k] :: else fi; k++ :: else -> break od;
    k = 0
  }
}
/* mirrors: ChaseLevDeque::guard blitz/fork_join/chase_lev_deque.hpp */
inline guard() {
  if
  :: at == ASKED -> store(GUARD, GUARDED)
#if !defined(FALLBACK) || defined(END_FALLBACK)
  :: at == GUARDED ->
     store(GUARD, OPEN);
#ifdef END_NO_FENCE
     goto no_fence;
#endif
#endif
  :: at == GUARDED
  fi;
#ifndef GUARD_NO_FENCE
  d_step { DRAIN_ALL };
#endif
  skip
}

/* mirrors: ChaseLevDeque::fence_and_load_top blitz/fork_join/chase_lev_deque.hpp */
inline fence_and_load_top() {
  load_guard();
  if
  :: at == OPEN
  :: at != OPEN -> guard()
  fi;
no_fence:
  atomic { at = 0; seen = top }
}

/* mirrors: ChaseLevDeque::make_room blitz/fork_join/chase_lev_deque.hpp */
inline make_room() {
  load_guard();
  if
  :: at == ASKED -> store(GUARD, GUARDED); d_step { DRAIN_ALL }
  :: at != ASKED
  fi;
  atomic { at = 0; seen = top };
  if
  :: owner_bottom - seen < capacity -> limit = seen + capacity
  :: else ->
     assert(owner_buffer == 0);
#ifdef COPY_AFTER
     store(BUFFER, 1);
#endif
     index = seen;
     do
     :: index < owner_bottom ->
        job = owner_slot[SLOT(0, index)];
        at = SLOT(1, index);
        owner_slot[at] = job;
        store(at, job);
        index++
     :: else -> break
     od;
#ifndef COPY_AFTER
     store(BUFFER, 1);
#endif
     atomic { owner_buffer = 1; limit = seen + 2 * capacity; capacity = 2 * CAP; index = 0; job = 0 }
  fi;
#ifdef LIMIT_LATE
  limit++;
#endif
  seen = 0
}

/* mirrors: ChaseLevDeque::push blitz/fork_join/chase_lev_deque.hpp */
inline push(the_job) {
#ifndef LIMIT_IGNORED
  if :: make_room() :: owner_bottom < limit fi;  /* a thief that asks for a guard has it called at any time */
#endif
  at = SLOT(owner_buffer, owner_bottom);
  owner_slot[at] = the_job;
  owner_bottom++;
#ifdef BOTTOM_FIRST
  store(BOTTOM, owner_bottom);
  store(at, the_job);
#else
  store(at, the_job);
  store(BOTTOM, owner_bottom);
#endif
  at = 0
}

/* mirrors: asymmetric_heavy_fence blitz/base/asymmetric_fence.hpp */
inline heavy_fence() {
#if defined(NO_HEAVY) || defined(FALLBACK)
  skip
#else
  d_step { DRAIN_ALL }
#endif
}

/* mirrors: ChaseLevDeque::pop blitz/fork_join/chase_lev_deque.hpp */
/* mirrors: ChaseLevDeque::pop_last blitz/fork_join/chase_lev_deque.hpp */
inline pop() {
  owner_bottom--;
  store(BOTTOM, owner_bottom);
  fence_and_load_top();
  if
  :: seen < owner_bottom ->
     d_step { job = owner_slot[SLOT(owner_buffer, owner_bottom)]; TAKE(job); job = 0 }
  :: else ->
     if
     :: seen == owner_bottom ->
        d_step {
          job = owner_slot[SLOT(owner_buffer, owner_bottom)];
#ifdef LAST_WITHOUT_CAS
          TAKE(job); DRAIN_ALL; top = seen + 1;
#else
          if :: top == seen -> DRAIN_ALL; top = seen + 1; TAKE(job) :: else fi;
#endif
          job = 0
        }
     :: else
     fi;
#ifndef BOTTOM_NOT_RESTORED
     owner_bottom++;
     store(BOTTOM, owner_bottom)
#endif
  fi;
  seen = 0
}

/* environment: an owner that does what it likes */
proctype Owner() {
  byte owner_bottom = BASE, owner_buffer, owner_slot[3 * CAP], limit = BASE + CAP, capacity = CAP;
  byte next, pops, seen, index, at, job, k;
  do
  :: next < NJ -> next++; push(next)
  :: pops < POPS -> pops++; pop()
  :: next == NJ -> break
  od;
  pending == 0;
  finished++
}

/* mirrors: ChaseLevDeque::fence_and_load_bottom blitz/fork_join/chase_lev_deque.hpp */
inline fence_and_load_bottom() {
#if defined(BOTTOM_BEFORE) || defined(GUARD_LATE)
  bottom = memory[BOTTOM];
#endif
  if
  :: memory[GUARD] == GUARDED -> skip
  :: else ->
     heavy_fence();
#ifdef GUARD_LATE
     bottom = memory[BOTTOM]
#endif
  fi;
#if !defined(BOTTOM_BEFORE) && !defined(GUARD_LATE)
  bottom = memory[BOTTOM];
#endif
}

/* mirrors: ChaseLevDeque::ask_for_guard blitz/fork_join/chase_lev_deque.hpp */
/* mirrors: ChaseLevDeque::steal blitz/fork_join/chase_lev_deque.hpp */
proctype Thief() {
  byte seen, bottom, buffer, job, n, k;
  do
  :: n < STEALS ->
     n++;
     if :: memory[GUARD] == OPEN -> memory[GUARD] = ASKED :: skip fi;
     seen = top;
     fence_and_load_bottom();
     if
     :: bottom > seen ->
        buffer = memory[BUFFER];
#ifndef READ_AFTER_CAS
        job = memory[SLOT(buffer, seen)];
        d_step { if :: top == seen -> top = seen + 1; TAKE(job) :: else fi }
#else
        d_step { if :: top == seen -> top = seen + 1; bottom = 0 :: else fi };
        if :: bottom == 0 -> skip; d_step { job = memory[SLOT(buffer, seen)]; TAKE(job) } :: else fi
#endif
     :: else
     fi;
     atomic { seen = 0; bottom = 0; buffer = 0; job = 0 }
  :: else -> break
  od;
  finished++
}

/* environment: counts what was taken and what is left, when all have done */
proctype Audit() {
  byte index, job; bool no_job_is_lost = true;
  finished == THIEVES + 1;
  d_step {
    index = top;
    do
    :: index < memory[BOTTOM] -> job = memory[SLOT(memory[BUFFER], index)]; TAKE(job); index++
    :: else -> break
    od;
    job = 1;
    do :: job <= NJ -> no_job_is_lost = no_job_is_lost && taken[job]; job++ :: else -> break od
  };
  assert(no_job_is_lost)
}

init {
  byte n;
  atomic {
    memory[BOTTOM] = BASE;
#ifdef FALLBACK
    memory[GUARD] = GUARDED;
#endif
    run Owner(); run Drain();
    do :: n < THIEVES -> run Thief(); n++ :: else -> break od;
    run Audit()
  }
}
