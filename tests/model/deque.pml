/* The Chase-Lev deque: an owner that pushes, pops and grows, and thieves.
 *
 * Memory: total store order. The owner's plain stores (a slot, bottom, the newest ring) wait in one buffer, in order; a
 * read-modify-write of the owner waits until it is empty, a heavy fence of a thief empties it, Drain does at any time.
 * Items are numbered from 1 in the order of their pushes; the owner makes NPUSH pushes and up to NPOP pops in any order,
 * and then pops until nothing is left. Each of NT thieves tries NSTEAL times. The first ring has 2 slots, the second 4.
 * Claim: every item is taken once, by the owner or by a thief, and none is invented.
 * Defects, each of which must be noticed:
 *   NO_HEAVY        the thief's heavy fence is missing
 *   LOOK_ONCE       the thief does not read bottom again after its fence
 *   NO_LAST         the owner takes its last item without an exchange
 *   NO_LIMIT        the owner overwrites slots without asking how far the thieves have come
 *   NO_COPY         growing does not copy
 *   NO_CAS          a thief takes its item by a load and a store of top
 *   NO_RESTORE      an owner that lost its last item leaves bottom where it is
 * Variant:
 *   FALLBACK        no membarrier: the owner's fence waits for its buffer, the thief's empties nothing
 *   NO_LIGHT        (with FALLBACK) the owner's fence is missing: a defect
 */
#ifndef NPUSH
#define NPUSH 3
#endif
#ifndef NPOP
#define NPOP 2
#endif
#ifndef NT
#define NT 2
#endif
#ifndef NSTEAL
#define NSTEAL 2
#endif

#define CAPACITY(r) ((r) == 0 -> 2 : 4)
#define SLOT(r, i) ring[(r) * 4 + (i) % CAPACITY(r)]
#define BOTTOM 0
#define ITEM 1
#define RING 2
#define QUEUE 6

byte top, bottom, newest;     /* in memory; indices begin at 1, so that bottom - 1 stays a byte */
byte ring[8];
byte kind[QUEUE], where[QUEUE], what[QUEUE], queued;  /* the owner's store buffer */
byte taken[NPUSH + 1];
byte thieves_done;

#define STORED (queued == 0)

inline apply_oldest() {
  if
  :: kind[0] == BOTTOM -> bottom = what[0]
  :: kind[0] == ITEM -> ring[where[0]] = what[0]
  :: kind[0] == RING -> newest = what[0]
  fi;
  k = 0;
  do
  :: k + 1 < queued -> kind[k] = kind[k + 1]; where[k] = where[k + 1]; what[k] = what[k + 1]; k++
  :: else -> break
  od;
  queued--; kind[queued] = 0; where[queued] = 0; what[queued] = 0; k = 0
}

inline store(a_kind, a_where, a_what) {
  atomic { queued < QUEUE -> kind[queued] = a_kind; where[queued] = a_where; what[queued] = a_what; queued++ }
}

inline take(item) { d_step { assert(item != 0); taken[item]++; assert(taken[item] == 1) } }

/* mirrors: ChaseLevDeque::make_room blitz/fork_join/chase_lev_deque.hpp */
inline make_room() {
  t = top;
  if
  :: b - t < CAPACITY(r) -> limit = t + CAPACITY(r)
  :: else ->
     d_step {
       assert(r == 0);
       i = t;
       do
#ifndef NO_COPY
       :: i < b -> SLOT(1, i) = mine[i]; i++
#endif
       :: else -> break
       od;
       i = 0; r = 1; limit = t + CAPACITY(1)
     };
     store(RING, 0, 1)
  fi
}

/* mirrors: ChaseLevDeque::push blitz/fork_join/chase_lev_deque.hpp */
inline push() {
  b = own;
#ifndef NO_LIMIT
  if :: b >= limit -> make_room() :: else fi;
#endif
  pushed++;
  d_step { mine[b] = pushed };
  store(ITEM, r * 4 + b % CAPACITY(r), pushed);
  store(BOTTOM, 0, b + 1);
  own = b + 1
}

/* mirrors: ChaseLevDeque::pop blitz/fork_join/chase_lev_deque.hpp */
/* mirrors: ChaseLevDeque::take_back blitz/fork_join/chase_lev_deque.hpp */
/* mirrors: ChaseLevDeque::pop_last blitz/fork_join/chase_lev_deque.hpp */
inline pop() {
  b = own - 1;
  store(BOTTOM, 0, b);
  own = b;
#if defined(FALLBACK) && !defined(NO_LIGHT)
  STORED;
#endif
  t = top;
  got = 0;
  if
  :: t < b -> got = mine[b]
  :: else ->
     if
     :: t == b ->
#ifdef NO_LAST
        got = mine[b]; atomic { STORED -> top = t + 1 }
#else
        atomic { STORED -> if :: top == t -> top = t + 1; got = mine[b] :: else fi }
#endif
     :: else
     fi;
#ifdef NO_RESTORE
     if :: got != 0 -> own = b + 1; store(BOTTOM, 0, own) :: else fi
#else
     own = b + 1; store(BOTTOM, 0, own)
#endif
  fi;
  if :: got != 0 -> take(got) :: else fi
}

proctype Owner() {
  byte own = 1, limit = 3, r, pushed, pops, b, t, i, got;
  byte mine[NPUSH + 2];  /* what the owner put at each index */
  do
  :: pushed < NPUSH -> push()
  :: pops < NPOP && pushed > 0 -> pops++; pop()
  :: pushed == NPUSH -> break
  od;
  thieves_done == NT;
  STORED;
  do
  :: own > top -> pop(); STORED
  :: own <= top -> break
  od;
  skip;
  d_step {
    i = 1;
    do
    :: i <= NPUSH -> assert(taken[i] == 1); i++
    :: else -> break
    od
  }
}

/* mirrors: ChaseLevDeque::steal blitz/fork_join/chase_lev_deque.hpp */
proctype Thief() {
  byte t, b, r, item, tries, k;
  do
  :: tries < NSTEAL ->
     tries++;
     t = top;
     b = bottom;
     if :: b <= t -> goto next :: else fi;
#if !defined(NO_HEAVY) && !defined(FALLBACK)
     d_step { do :: queued > 0 -> apply_oldest() :: else -> break od };
#endif
#ifndef LOOK_ONCE
     b = bottom;
     if :: b <= t -> goto next :: else fi;
#endif
     r = newest;
     item = SLOT(r, t);
#ifdef NO_CAS
     if :: top == t -> top = t + 1; take(item) :: else fi;
#else
     atomic { if :: top == t -> top = t + 1; take(item) :: else fi };
#endif
next:
     skip;
     d_step { t = 0; b = 0; r = 0; item = 0 }
  :: else -> break
  od;
  thieves_done++
}

proctype Drain() {
  byte k;
end:
  do
  :: d_step { queued > 0 -> apply_oldest() }
  od
}

init {
  byte n;
  atomic {
    top = 1; bottom = 1;
    run Owner(); run Drain();
    do
    :: n < NT -> run Thief(); n++
    :: else -> break
    od
  }
}
