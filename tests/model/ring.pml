/* The ring of the async backend: every item is taken once, none is overwritten or lost.
 *
 * Ring 0 is the owner's: it starts with PRE items, and its owner pushes others, up to NJ in all, and pops or takes the newest up
 * to POPS times, in any order. Rings 1 .. THIEVES are the thieves'; ring 1 starts with PRE1 items more. Thief 1 steals from ring 0, thief 2 from rings 0 and
 * 1, each into its own ring, STEALS times in all, and takes from its own ring as it likes, TAKES times. What overflows
 * is counted as taken. Rings have CAP slots; indices start at BASE and are counted modulo MOD, so that they come around.
 *
 * The tag: an exchange succeeds if nobody has changed the head since it was read, which is what a tag amounts to that
 * does not come around: watch[p] is the ring whose head process p has read, until that changes. An exchange that fails
 * for no reason only goes round once more, and is left out.
 *
 * Memory: total store order. The owner's stores to tail_ go through a store buffer of DEPTH entries, first in, first out;
 * it sees them at once, in own_tail. A store to a slot is let out at once: nobody looks before the tail covers it, which
 * is let out later. A thief's stores are followed by an exchange before it loads anything. An exchange flushes. Each
 * access to memory is a step, but that a thief copies an item in one.
 *
 * Defects:
 *   NO_TAG                  exchanges compare steal and real alone
 *   NEWEST_NO_TAG           take_newest leaves the tag as it is
 *   NEWEST_BY_STORE         take_newest lowers the tail, and that is all
 *   NEWEST_UNASKED          ... and does not ask whether the item was claimed meanwhile
 *   NEWEST_NOT_RESTORED     ... or leaves the tail below when it was
 *   NEWEST_LATE             ... or lowers the tail after the exchange
 *   TAIL_FIRST              steal_into loads tail_ before head_
 *   UNSIGNED                ... and takes a tail before the head for a long way
 *   ONE_READ_LATE           ... reads the only item when it has claimed it
 *   SLOTS_FREE_AT_ONCE      ... moves steal along with real when it claims several
 *   ROOM_IGNORED            ... does not ask for room in the thief's ring
 *   SECOND_THEFT            ... begins a theft while another one is under way
 *   NOT_EMPTY_BUT_LOST      ... reports a ring as empty in which another theft is under way
 *   THEFT_ABANDONED         ... gives up when the exchange that ends a theft fails
 *   THEFT_ENDS_WHERE_CLAIMED  ... or moves real back to where it was when the theft began
 *   POP_FREES_SLOTS         pop moves steal during a theft
 *   PUSH_TAIL_FIRST         push shows the tail before the slot is written
 *   PUSH_LOOKS_AT_REAL      push takes what is claimed for free
 *   OVERFLOW_OVER_THEFT     a full ring overflows during a theft
 *   OVERFLOW_DROPS_PUSHED   ... or drops the item that was to be pushed
 */
#ifndef PRE
#define PRE 3
#endif
#ifndef PRE1
#define PRE1 0
#endif
#ifndef NJ
#define NJ 5
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
#ifndef TAKES
#define TAKES 1
#endif
#ifndef CAP
#define CAP 4
#endif
#ifndef MOD
#define MOD 16
#endif
#ifndef BASE
#define BASE 14
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#define RINGS (THIEVES + 1)
#define HALF (CAP / 2)
#define NONE RINGS

#define AT(r, index) ((r) * CAP + (index) % CAP)
#define ADD(a, b) (((a) + (b)) % MOD)
#define DISTANCE(from, to) (((to) + MOD - (from)) % MOD)
#ifdef UNSIGNED
#define LENGTH(real, tail) DISTANCE(real, tail)
#else
#define LENGTH(real, tail) (DISTANCE(real, tail) < MOD / 2 -> DISTANCE(real, tail) : 0)
#endif

byte real[RINGS], steal[RINGS], tail[RINGS], slot[RINGS * CAP];
byte own_tail[RINGS];                /* as the ring's owner sees it */
byte pending[DEPTH], num_pending;    /* of ring 0's owner */
byte watch[RINGS];
bool awaits_copy[RINGS * CAP];       /* a thief has claimed the item in this slot and not yet read it */
bool taken[NJ + PRE1 + 1];
byte finished;

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool no_item_is_taken_twice = true, no_item_is_invented = true, no_slot_is_overwritten = true;
bool thefts_do_not_overlap = true, empty_is_true = true, in_order = true;

#define TAKE(item) \
  CLAIM(no_item_is_invented, item != 0); \
  CLAIM(no_item_is_taken_twice, !taken[item]); \
  taken[item] = true

#define CHANGED(r) \
  k = 0; do :: k < RINGS -> watch[k] = (watch[k] == r -> NONE : watch[k]); k++ :: else -> break od; k = 0; \
  /* one more, for take_newest lowers the tail by one */ \
  in_order = in_order && DISTANCE(steal[r], real[r]) + DISTANCE(real[r], ADD(own_tail[r], 1)) <= CAP + 1
#ifdef NO_TAG
#define UNCHANGED(r) (seen_steal == steal[r] && seen_real == real[r])
#else
#define UNCHANGED(r) (watch[me] == r)
#endif
#define LOAD_HEAD(r) seen_steal = steal[r]; seen_real = real[r]; watch[me] = r

#define FLUSH \
  if \
  :: me == 0 -> \
     tail[0] = own_tail[0]; num_pending = 0; \
     do :: k < DEPTH -> pending[k] = 0; k++ :: else -> break od; k = 0 \
  :: else \
  fi

#define LOCALS byte seen_steal, seen_real, item, k, n; bool ok

/* environment: the store buffer of the owner's processor */
proctype Drain() {
  byte k;
end_drain:
  do
  :: d_step {
       num_pending > 0 ->
       tail[0] = pending[0]; num_pending--;
       k = 1; do :: k < DEPTH -> pending[k - 1] = pending[k]; k++ :: else -> break od;
       pending[DEPTH - 1] = 0; k = 0
     }
  od
}

inline store_tail(value) {  /* environment: a plain store of a ring's owner */
  d_step {
    me != 0 || num_pending < DEPTH ->
    own_tail[me] = value;
    if :: me == 0 -> pending[num_pending] = own_tail[0]; num_pending++ :: else -> tail[me] = own_tail[me] fi
  }
}

inline exchange(r, new_steal, new_real) {  /* environment: compare-exchange of a head; sets ok, or reads the head again */
  d_step {
    FLUSH;
    ok = UNCHANGED(r);
    if
    :: ok -> k = new_steal; real[r] = new_real; steal[r] = k; CHANGED(r)
    :: else -> LOAD_HEAD(r)
    fi
  }
}

inline clear() {  /* environment: what an operation has read is forgotten at its end */
  atomic { seen_steal = 0; seen_real = 0; item = 0; n = 0; ok = false; watch[me] = NONE }
}

inline write_slot(index, value) {  /* environment: a store to a slot of the own ring */
  d_step {
    CLAIM(no_slot_is_overwritten, !awaits_copy[AT(me, index)] && DISTANCE(real[me], index) < CAP);
    slot[AT(me, index)] = value
  }
}

/* mirrors: WorkStealQueue::put blitz/async/work_steal_queue.hpp */
inline put(value) {
#ifdef PUSH_TAIL_FIRST
  store_tail(ADD(own_tail[me], 1));
  write_slot(ADD(own_tail[me], MOD - 1), value)
#else
  write_slot(own_tail[me], value);
  store_tail(ADD(own_tail[me], 1))
#endif
}

#ifdef PUSH_LOOKS_AT_REAL
#define USED DISTANCE(seen_real, own_tail[me])
#else
#define USED DISTANCE(seen_steal, own_tail[me])
#endif

/* mirrors: WorkStealQueue::push blitz/async/work_steal_queue.hpp */
/* mirrors: WorkStealQueue::push_full blitz/async/work_steal_queue.hpp */
/* mirrors: GlobalQueue::push_batch blitz/async/global_queue.hpp */
inline push(value) {
  d_step { LOAD_HEAD(me) };
  do
  :: USED < CAP -> put(value); break
#ifndef OVERFLOW_OVER_THEFT
  :: USED >= CAP && seen_steal != seen_real -> d_step { TAKE(value) }; break
  :: USED >= CAP && seen_steal == seen_real ->
#else
  :: else ->
#endif
     exchange(me, ADD(seen_real, HALF), ADD(seen_real, HALF));
     if
     :: ok ->
        d_step {
          do :: n < HALF -> item = slot[AT(me, seen_real + n)]; TAKE(item); n++ :: else -> break od;
          n = 0; item = 0
        };
#ifndef OVERFLOW_DROPS_PUSHED
        put(value);
#endif
        break
     :: else
     fi
  od;
  clear()
}

/* mirrors: WorkStealQueue::pop blitz/async/work_steal_queue.hpp */
inline pop() {
  d_step { LOAD_HEAD(me) };
  do
  :: seen_real == own_tail[me] -> break
  :: else ->
#ifdef POP_FREES_SLOTS
     exchange(me, ADD(seen_real, 1), ADD(seen_real, 1));
#else
     if
     :: seen_steal == seen_real -> exchange(me, ADD(seen_real, 1), ADD(seen_real, 1))
     :: else -> exchange(me, seen_steal, ADD(seen_real, 1))
     fi;
#endif
     if :: ok -> d_step { item = slot[AT(me, seen_real)]; TAKE(item) }; break :: else fi
  od;
  clear()
}

#ifdef NEWEST_NO_TAG
#define NEWEST_CHANGED(r) skip
#else
#define NEWEST_CHANGED(r) CHANGED(r)
#endif

/* mirrors: WorkStealQueue::take_newest blitz/async/work_steal_queue.hpp */
inline take_newest() {
  d_step { LOAD_HEAD(me) };
  if
  :: seen_real == own_tail[me] -> skip
  :: else ->
#ifndef NEWEST_LATE
     store_tail(ADD(own_tail[me], MOD - 1));
#define NEWEST own_tail[me]
#else
#define NEWEST ADD(own_tail[me], MOD - 1)
#endif
#ifdef NEWEST_BY_STORE
     d_step { item = slot[AT(me, NEWEST)]; TAKE(item) }
#else
     do
#ifndef NEWEST_UNASKED
     :: seen_real == ADD(NEWEST, 1) ->
#if !defined(NEWEST_NOT_RESTORED) && !defined(NEWEST_LATE)
        store_tail(ADD(own_tail[me], 1));
#endif
        break
#endif
     :: else ->
        d_step {
          FLUSH;
          ok = UNCHANGED(me);
          if :: ok -> NEWEST_CHANGED(me) :: else -> LOAD_HEAD(me) fi
        };
        if
        :: ok ->
           d_step { item = slot[AT(me, NEWEST)]; TAKE(item) };
#ifdef NEWEST_LATE
           store_tail(ADD(own_tail[me], MOD - 1));
#endif
           break
        :: else
        fi
     od
#endif
  fi;
  clear()
}

#ifdef ROOM_IGNORED
#define MOST HALF
#else
#define ROOM (CAP - DISTANCE(steal[me], own_tail[me]))
#define MOST (1 + ROOM < HALF -> 1 + ROOM : HALF)
#endif

/* mirrors: WorkStealQueue::steal_into blitz/async/work_steal_queue.hpp */
/* mirrors: WorkStealQueue::room blitz/async/work_steal_queue.hpp */
/* mirrors: WorkStealQueue::length blitz/async/work_steal_queue.hpp */
/* mirrors: WorkStealQueue::put_ahead blitz/async/work_steal_queue.hpp */
/* mirrors: WorkStealQueue::publish blitz/async/work_steal_queue.hpp */
inline steal_into(from) {
  d_step {
    n = real[from];
    do
    :: LENGTH(n, tail[from]) > 0 -> there = there | (1 << slot[AT(from, n)]); n = ADD(n, 1)
    :: else -> break
    od;
    n = 0;
#ifdef TAIL_FIRST
    seen_tail = tail[from]
  };
  d_step {
#endif
    LOAD_HEAD(from)
  };
#ifdef NOT_EMPTY_BUT_LOST
  if :: seen_steal != seen_real -> goto nothing :: else fi;
#elif !defined(SECOND_THEFT)
  if :: seen_steal != seen_real -> goto over :: else fi;
#endif
#ifndef TAIL_FIRST
  seen_tail = tail[from];
#endif
  d_step { wanted = LENGTH(seen_real, seen_tail); wanted = wanted - wanted / 2; seen_tail = 0 };
  if :: wanted == 0 -> goto nothing :: else fi;
  wanted = (wanted < MOST -> wanted : MOST);
  if
  :: wanted == 1 ->
#ifdef ONE_READ_LATE
     exchange(from, ADD(seen_real, 1), ADD(seen_real, 1));
     if :: ok -> item = slot[AT(from, seen_real)]; d_step { TAKE(item) } :: else fi;
#else
     item = slot[AT(from, seen_real)];
     atomic { exchange(from, ADD(seen_real, 1), ADD(seen_real, 1)); if :: ok -> d_step { TAKE(item) } :: else fi };
#endif
     goto over
  :: else
  fi;
  atomic {
#ifdef SLOTS_FREE_AT_ONCE
    exchange(from, ADD(seen_real, wanted), ADD(seen_real, wanted));
#else
    exchange(from, seen_steal, ADD(seen_real, wanted));
#endif
    if
    :: ok ->
       d_step {
         do
         :: n < wanted ->
            awaits_copy[AT(from, seen_real + n)] = true;
            n++
         :: else -> break
         od;
         n = 0; ok = false; watch[me] = NONE; claimed = seen_real
       }
    :: else -> goto over
    fi
  };
  d_step { item = slot[AT(from, claimed)]; awaits_copy[AT(from, claimed)] = false; n = 1 };
  do
  :: n < wanted ->
     d_step {
       write_slot(ADD(own_tail[me], n - 1), slot[AT(from, claimed + n)]);
       awaits_copy[AT(from, claimed + n)] = false;
       n++
     }
  :: else -> break
  od;
  store_tail(ADD(own_tail[me], wanted - 1));
#ifndef SLOTS_FREE_AT_ONCE
  d_step { LOAD_HEAD(from) };
  do
  :: CLAIM(thefts_do_not_overlap, seen_steal == claimed);
#ifdef THEFT_ENDS_WHERE_CLAIMED
     exchange(from, ADD(claimed, wanted), ADD(claimed, wanted));
#else
     exchange(from, seen_real, seen_real);
#endif
#ifdef THEFT_ABANDONED
     break
#else
     if :: ok -> break :: else fi
#endif
  od;
#endif
  atomic { TAKE(item) };
  goto over;
nothing:
  skip;
  atomic {
    n = real[from];
    do
    :: LENGTH(n, own_tail[from]) > 0 ->
       CLAIM(empty_is_true, !(there & (1 << slot[AT(from, n)])));
       n = ADD(n, 1)
    :: else -> break
    od
  };
over:
  atomic { there = 0; wanted = 0; seen_tail = 0; claimed = 0; clear() }
}

/* environment: an owner that does what it likes */
proctype Owner() {
  LOCALS; byte me = 0, next = PRE, pops;
  do
  :: next < NJ -> next++; push(next)
  :: pops < POPS -> pops++; pop()
  :: pops < POPS -> pops++; take_newest()
  :: next == NJ -> break
  od;
  num_pending == 0;
  finished++
}

/* environment: a worker that steals, and takes what it has got as it likes */
proctype Thief(byte me) {
  LOCALS; byte seen_tail, wanted, claimed, steals, takes, from;
  short there;  /* items that were in the ring when the look at it began */
  do
  :: steals < STEALS ->
     steals++;
     if :: from = 0 :: me == 2 -> from = 1 fi;
     steal_into(from);
     from = 0
  :: takes < TAKES && own_tail[me] != real[me] -> takes++; pop()
  :: takes < TAKES && own_tail[me] != real[me] -> takes++; take_newest()
  :: steals == STEALS -> break
  od;
  finished++
}

/* environment: counts what was taken and what is left, when all have done */
proctype Audit() {
  byte r, item, k; bool no_item_is_lost = true, every_theft_ended = true, indices_were_in_order;
  finished == RINGS;
  d_step {
    do
    :: r < RINGS ->
       every_theft_ended = every_theft_ended && steal[r] == real[r];
       do
       :: real[r] != tail[r] -> item = slot[AT(r, real[r])]; TAKE(item); real[r] = ADD(real[r], 1)
       :: else -> break
       od;
       r++
    :: else -> break
    od;
    item = 1;
    do :: item <= NJ + PRE1 -> no_item_is_lost = no_item_is_lost && taken[item]; item++ :: else -> break od;
    indices_were_in_order = in_order
  };
  assert(every_theft_ended);
  assert(no_item_is_lost);
  assert(indices_were_in_order)
}

init {
  byte r, n;
  atomic {
    do
    :: r < RINGS -> real[r] = BASE; steal[r] = BASE; tail[r] = BASE; own_tail[r] = BASE; watch[r] = NONE; r++
    :: else -> break
    od;
    do :: n < PRE -> slot[AT(0, BASE + n)] = n + 1; n++ :: else -> break od;
    tail[0] = ADD(BASE, PRE); own_tail[0] = tail[0];
    n = 0;
    do :: n < PRE1 -> slot[AT(1, BASE + n)] = NJ + n + 1; n++ :: else -> break od;
    tail[1] = ADD(BASE, PRE1); own_tail[1] = tail[1];
    run Owner(); run Drain();
    r = 1;
    do :: r < RINGS -> run Thief(r); r++ :: else -> break od;
    run Audit()
  }
}
