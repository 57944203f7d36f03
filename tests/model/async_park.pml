/* Where a resident of the async backend blocks: each claim of its slot meets one wait for the notification.
 *
 * The resident parks its slot ROUNDS times, and takes the bit back, as after a job found in the last check, or blocks.
 * Each of WAKERS threads claims the slot WAKES times, if it is parked, and notifies. Each of GUESTS borrows it once, while
 * the resident blocks, and makes it vacant again or hands it to its resident. The idle word is one variable in spirit:
 * every step that touches it touches it once.
 *
 * Defects, besides those of parker.inc:
 *   CANCEL_BY_STORE      who takes its bit back loads it, and then clears it
 *   CANCEL_UNAWAITED     ... and does not wait for the notification if it was claimed
 *   CLAIM_BY_STORE       a waker loads the bit, and then clears it
 *   NOTIFY_UNCLAIMED     ... or notifies although there was nothing to claim
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef WAKERS
#define WAKERS 2
#endif
#ifndef WAKES
#define WAKES 1
#endif
#ifndef GUESTS
#define GUESTS 0
#endif
#include "parker.inc"

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool a_slot_has_one_runner = true, no_token_is_left = true, tokens_do_not_add_up = true, counters_stay_in_range = true;

bool parked, vacant;
byte searching;
byte runners = 1;
bool resident_returned;

/* mirrors: IdleState::notify blitz/async/idle_state.cpp */
/* mirrors: Parker::unpark blitz/base/parker.hpp */
inline notify() {
  d_step { CLAIM(tokens_do_not_add_up, given == 0) };
  unpark()
}

/* mirrors: IdleState::sleep blitz/async/idle_state.hpp */
inline sleep() {  /* sets counted */
  park();
  atomic { counted = true; got = false; took = false }
}

/* mirrors: IdleState::cancel_park blitz/async/idle_state.cpp */
inline cancel_park() {  /* sets counted */
#ifdef CANCEL_BY_STORE
  counted = !parked;
  parked = false;
#else
  d_step { counted = !parked; parked = false };
#endif
#ifndef CANCEL_UNAWAITED
  if :: counted -> park() :: else fi;
#endif
  atomic { got = false; took = false }
}

/* environment: a resident that finds nothing, or a job in its last check */
proctype Resident() {
  bool got, took, counted; byte n;
  do
  :: n < ROUNDS ->
     n++;
     d_step { parked = true; runners-- };
     if
     :: vacant = true; sleep()
     :: cancel_park()
     fi;
     d_step {
       vacant = false; runners++;
       CLAIM(a_slot_has_one_runner, runners == 1 && !parked);
       CLAIM(no_token_is_left, word == EMPTY && given == 0)
     };
     if :: counted -> d_step { CLAIM(counters_stay_in_range, searching > 0); searching--; counted = false } :: else fi
  :: else -> break
  od;
  resident_returned = true
}

/* mirrors: IdleState::try_wake blitz/async/idle_state.cpp */
proctype Waker() {
  byte n, old; bool ok;
  do
  :: n < WAKES ->
     n++;
#ifdef CLAIM_BY_STORE
     ok = parked;
     if :: ok -> d_step { parked = false; searching++ } :: else fi;
#else
     d_step { ok = parked; if :: ok -> parked = false; searching++ :: else fi };
#endif
#ifdef NOTIFY_UNCLAIMED
     ok = true;
#endif
     if :: ok -> notify(); ok = false :: else fi
  :: else -> break
  od
}

/* mirrors: IdleState::try_borrow blitz/async/idle_state.hpp */
/* mirrors: IdleState::give_back blitz/async/idle_state.hpp */
proctype Guest() {
  byte old; bool ok;
  d_step { ok = vacant && parked; if :: ok -> parked = false; runners++; CLAIM(a_slot_has_one_runner, runners == 1) :: else fi };
  if
  :: ok ->
     if
     :: d_step { runners--; parked = true }
     :: d_step { runners--; searching++ }; notify()
     fi
  :: else
  fi
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  bool no_claim_is_forgotten, counts_are_exact;
  timeout ->
  d_step { no_claim_is_forgotten = (resident_returned || parked); counts_are_exact = (searching == 0) };
  assert(no_claim_is_forgotten);
  assert(counts_are_exact)
}

init {
  byte n;
  atomic {
    run Resident();
    do :: n < WAKERS -> run Waker(); n++ :: else -> break od;
    n = 0;
    do :: n < GUESTS -> run Guest(); n++ :: else -> break od;
    run Monitor()
  }
}
