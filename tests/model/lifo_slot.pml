/* The LIFO slot and what stands behind it: every job is run once, by its owner or by a thief; none is lost.
 *
 * The owner pushes NJ jobs, one after the other, and between them takes a job back, polls for one or takes what is there,
 * TAKES times in all. Each of THIEVES thieves tries STEALS times to take the job in the slot. A job that is evicted goes to
 * the ring behind, of which only the owner takes here: ring.pml has the thieves.
 *
 * Memory: total store order. The store that fills an empty slot waits in the owner's store buffer, which it sees itself;
 * an exchange empties it. That a slot is empty is loaded in a step of its own before each exchange.
 *
 * Defects:
 *   PUT_BY_STORE         put stores into a slot that is full
 *   PUT_FORGETS          ... or forgets what it evicts
 *   TAKE_BY_STORE        a thief loads the job and then empties the slot
 *   OWNER_TAKES_BY_STORE ... or the owner does so
 *   TAKE_BACK_UNASKED    take_back empties the slot, whatever became of the job since it was seen there
 *   RING_UNASKED         take_back takes the newest of the ring without comparing it
 */
#ifndef NJ
#define NJ 3
#endif
#ifndef TAKES
#define TAKES 3
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 2
#endif

byte slot, buffered;            /* the job in the slot; the one on its way there */
byte behind[NJ], num_behind;    /* the ring, oldest first */
bool taken[NJ + 1];
byte finished;

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool no_job_is_taken_twice = true, no_job_is_invented = true, take_back_took_it = true;

#define TAKE(job) \
  CLAIM(no_job_is_invented, job != 0); CLAIM(no_job_is_taken_twice, !taken[job]); taken[job] = true
#define FLUSH if :: buffered != 0 -> slot = buffered; buffered = 0 :: else fi
#define SEEN (buffered != 0 -> buffered : slot)  /* by the owner */

/* environment: the store buffer of the owner's processor */
proctype Drain() {
end_drain:
  do :: d_step { buffered != 0 -> slot = buffered; buffered = 0 } od
}

/* mirrors: LifoSlot::put blitz/async/lifo_slot.hpp */
/* mirrors: AsyncQueue::push blitz/async/local_queue.hpp */
inline push(job) {
  if
#ifdef PUT_BY_STORE
  :: true -> d_step { FLUSH; buffered = job }
#else
  :: SEEN == 0 -> buffered = job
  :: else ->
     d_step { FLUSH; evicted = slot; slot = job };
#ifndef PUT_FORGETS
     if :: evicted != 0 -> d_step { behind[num_behind] = evicted; num_behind++ } :: else fi;
#endif
     evicted = 0
#endif
  fi
}

/* mirrors: AsyncQueue::take_back blitz/async/local_queue.hpp */
/* mirrors: LifoSlot::take_if blitz/async/lifo_slot.hpp */
/* mirrors: LifoSlot::holds blitz/async/lifo_slot.hpp */
/* mirrors: WorkStealQueue::take_newest_if blitz/async/work_steal_queue.hpp */
inline take_back(job) {
  if
  :: SEEN == job ->
#ifdef TAKE_BACK_UNASKED
     d_step { FLUSH; slot = 0; TAKE(job) }
#else
     d_step { FLUSH; if :: slot == job -> slot = 0; TAKE(job) :: else fi }
#endif
  :: else ->
     if
     :: SEEN == 0 ->
        d_step {
          if
#ifdef RING_UNASKED
          :: num_behind > 0 ->
#else
          :: num_behind > 0 && behind[num_behind - 1] == job ->
#endif
             num_behind--; item = behind[num_behind]; behind[num_behind] = 0;
             TAKE(item);
             CLAIM(take_back_took_it, item == job);
             item = 0
          :: else
          fi
        }
     :: else
     fi
  fi
}

/* mirrors: LifoSlot::poll blitz/async/lifo_slot.hpp */
/* mirrors: LifoSlot::take blitz/async/lifo_slot.hpp */
/* mirrors: AsyncQueue::take_newest blitz/async/local_queue.hpp */
/* mirrors: AsyncQueue::take_oldest blitz/async/local_queue.hpp */
inline take() {
  if
  :: SEEN == 0
  :: else ->
#ifdef OWNER_TAKES_BY_STORE
     item = SEEN;
     d_step { FLUSH; slot = 0 };
#else
     d_step { FLUSH; item = slot; slot = 0 };
#endif
     if :: item != 0 -> d_step { TAKE(item); item = 0 } :: else fi
  fi
}

inline take_behind() {  /* environment: the ring's oldest */
  d_step {
    if
    :: num_behind > 0 ->
       item = behind[0]; TAKE(item); item = 1; num_behind--;
       do :: item <= num_behind -> behind[item - 1] = behind[item]; item++ :: else -> break od;
       behind[num_behind] = 0; item = 0
    :: else
    fi
  }
}

/* environment: an owner that does what it likes, but takes no job back that it has run */
proctype Owner() {
  byte next, takes, evicted, item;
  do
  :: next < NJ -> next++; push(next)
  :: takes < TAKES && next > 0 -> takes++; take_back(next)
  :: takes < TAKES -> takes++; take()
  :: takes < TAKES && num_behind > 0 -> takes++; take_behind()
  :: next == NJ -> break
  od;
  buffered == 0;
  finished++
}

/* mirrors: AsyncQueue::steal_newest_from blitz/async/local_queue.hpp */
/* mirrors: LifoSlot::take blitz/async/lifo_slot.hpp */
proctype Thief() {
  byte n, item;
  do
  :: n < STEALS ->
     n++;
     if
     :: slot == 0
     :: else ->
#ifdef TAKE_BY_STORE
        item = slot;
        slot = 0;
#else
        d_step { item = slot; slot = 0 };
#endif
        if :: item != 0 -> d_step { TAKE(item); item = 0 } :: else fi
     fi
  :: else -> break
  od;
  finished++
}

/* environment: counts what was taken and what is left, when all have done */
proctype Audit() {
  byte n, item; bool no_job_is_lost = true;
  finished == THIEVES + 1;
  d_step {
    if :: slot != 0 -> TAKE(slot) :: else fi;
    do :: n < num_behind -> item = behind[n]; TAKE(item); n++ :: else -> break od;
    n = 1;
    do :: n <= NJ -> no_job_is_lost = no_job_is_lost && taken[n]; n++ :: else -> break od
  };
  assert(no_job_is_lost)
}

init {
  byte n;
  atomic {
    run Owner(); run Drain();
    do :: n < THIEVES -> run Thief(); n++ :: else -> break od;
    run Audit()
  }
}
