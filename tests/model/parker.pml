/* The parker: a token is never lost, and park() returns for no other reason.
 *
 * UNPARKERS threads each publish something and call unpark(), UNPARKS times; the owner of the parker parks until it has
 * seen all of it. The futex returns for no reason up to SPURIOUS times. With TIMED the owner calls park_for instead,
 * and time is up whenever it likes, TIMEOUTS times.
 *
 * Defects:
 *   WAIT_UNASKED     the futex does not compare the word before it blocks
 *   NO_LOOP          park returns when the futex does
 *   UNPARK_BY_STORE  unpark is a load and a store
 *   NO_WAKE          unpark leaves the token, and wakes nobody
 *   WAKE_BEFORE      unpark wakes first and leaves the token then
 *   PARKED_LEFT      park_for leaves the word at kParked when its time is up, as if somebody still were
 */
#ifndef UNPARKERS
#define UNPARKERS 2
#endif
#ifndef UNPARKS
#define UNPARKS 2
#endif
#ifndef SPURIOUS
#define SPURIOUS 2
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 2
#endif

#define EMPTY 0
#define TOKEN 1
#define PARKED 2

byte word = EMPTY;
bool blocked;                /* the owner, in the kernel */
byte published, given;       /* what unparkers have written; tokens given that no park has taken: 0 or 1 */
byte spurious, timeouts;
bool owner_returned, only_a_token_is_in_the_way = true;

/* mirrors: futex_wait blitz/base/futex.hpp */
inline futex_wait() {
#ifdef WAIT_UNASKED
  blocked = true;
#else
  d_step { if :: word == PARKED -> blocked = true :: else fi };
#endif
end_blocked:
  if
  :: !blocked
  :: atomic { blocked && spurious < SPURIOUS -> spurious++; blocked = false }
#ifdef TIMED
  :: atomic { blocked && timeouts < TIMEOUTS -> timeouts++; blocked = false }
#endif
  fi
}

/* mirrors: futex_wake_one blitz/base/futex.hpp */
#define FUTEX_WAKE_ONE blocked = false

/* mirrors: Parker::announce blitz/base/parker.hpp */
inline announce() {  /* sets got */
  d_step {
    if
    :: word == EMPTY -> word = PARKED; got = false
    :: else -> only_a_token_is_in_the_way = (word == TOKEN); assert(only_a_token_is_in_the_way); got = true
    fi
  };
  if :: got -> d_step { word = EMPTY; took = given; given = 0 } :: else fi
}

/* mirrors: Parker::take_token blitz/base/parker.hpp */
inline take_token() {  /* sets got */
  d_step { got = (word == TOKEN); if :: got -> word = EMPTY; took = given; given = 0 :: else fi }
}

/* mirrors: Parker::park blitz/base/parker.hpp */
inline park() {
  announce();
  do
  :: got -> break
  :: else ->
     futex_wait();
     take_token();
#ifdef NO_LOOP
     if :: !got -> word = EMPTY :: else fi;
     got = true
#endif
  od
}

/* mirrors: Parker::park_for blitz/base/parker.hpp */
inline park_for() {
  announce();
  if
  :: got
  :: else ->
     futex_wait();
#ifdef PARKED_LEFT
     take_token()
#else
     d_step { got = (word == TOKEN); word = EMPTY; took = given; given = 0 }
#endif
  fi
}

/* environment: waits for all that the others publish */
proctype Owner() {
  bool got, took; bool park_took_a_token = true;
  do
  :: published == UNPARKERS * UNPARKS -> break
  :: else ->
#ifdef TIMED
     park_for();
     park_took_a_token = (got == took);
#else
     park();
     park_took_a_token = took;
#endif
     assert(park_took_a_token);
     atomic { got = false; took = false; park_took_a_token = true }
  od;
  owner_returned = true
}

/* mirrors: Parker::unpark blitz/base/parker.hpp */
proctype Unparker() {
  byte n, old;
  do
  :: n < UNPARKS ->
     n++;
     published++;
#ifdef UNPARK_BY_STORE
     old = word;
     d_step { word = TOKEN; given = 1 };
     if :: old == PARKED -> FUTEX_WAKE_ONE :: else fi;
#elif defined(WAKE_BEFORE)
     if :: word == PARKED -> FUTEX_WAKE_ONE :: else fi;
     d_step { word = TOKEN; given = 1 };
#else
     d_step { old = word; word = TOKEN; given = 1 };
#ifndef NO_WAKE
     if :: old == PARKED -> FUTEX_WAKE_ONE :: else fi;
#endif
#endif
     old = 0
  :: else -> break
  od
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  timeout -> assert(owner_returned)
}

init {
  byte n;
  atomic {
    run Owner();
    do :: n < UNPARKERS -> run Unparker(); n++ :: else -> break od;
    run Monitor()
  }
}
