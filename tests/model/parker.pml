/* The parker: a token is never lost, and park() returns for no other reason.
 *
 * UNPARKERS threads each publish something and call unpark(), UNPARKS times; the owner of the parker parks until it has
 * seen all of it. With TIMED the owner calls park_for instead, and time is up whenever it likes. The defects are those of
 * parker.inc.
 */
#ifndef UNPARKERS
#define UNPARKERS 2
#endif
#ifndef UNPARKS
#define UNPARKS 2
#endif
#include "parker.inc"

byte published;  /* what unparkers have written */
bool owner_returned;

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

/* environment: a thread that has something to say */
proctype Unparker() {
  byte n, old;
  do
  :: n < UNPARKS -> n++; published++; unpark()
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
