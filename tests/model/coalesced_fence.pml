/* The coalesced fence: a caller and a light side, each of which stores its word and then loads the other's, do not both
 * miss the other's store, whichever caller made the fence that ended the caller's wait.
 *
 * CALLERS ask REQUESTS times each, LIGHTS pass once. A caller gives up waiting whenever it likes. With LOST one caller is
 * lost within its fence: a thread that is preempted for ever, or that a forked child does not have.
 *
 * With SAFETY_ALONE nothing is claimed that is a matter of speed.
 *
 * Memory: total store order. A word that was stored waits in its thread's store buffer; a fence or a read-modify-write of
 * that thread empties it. The process-wide fence reaches one thread after the other: it ends when each store that waited
 * somewhere as it began has come out. The words of the coalesced fence are changed by read-modify-writes alone.
 *
 * Defects:
 *   NO_REQUEST_FENCE   a caller makes no fence before it looks which number is the latest
 *   UNDER_WAY_IS_ENOUGH  a fence that had begun before the request ends the wait
 *   END_FIRST          a fence is said to have ended before it is made
 *   BEGIN_LATE         a fence gets its number after it was made
 *   BEGIN_BY_STORE     a number is taken by a load and a store
 *   END_BY_STORE       an older fence that ends late takes the place of a newer one
 *   GIVE_UP_UNFENCED   a caller that gives up waiting goes on without a fence
 *   NO_BOUND           nobody gives up
 */
#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef REQUESTS
#define REQUESTS 1
#endif
#ifndef LIGHTS
#define LIGHTS 1
#endif
#define THREADS (CALLERS + LIGHTS)

byte word[THREADS], buffered[THREADS];  /* how often it was stored to; what waits in the store buffer, 0 for nothing */
byte begun, ended;
byte missed[CALLERS * LIGHTS];          /* the last request after which the caller missed the light side's store, or 0 */
byte saw[CALLERS * LIGHTS];             /* what the light side saw of the caller's word ... */
bool looked[LIGHTS];                    /* ... when it had seen all */
byte returned, gone;                    /* callers */

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool one_sees_the_other = true, every_caller_returned = true, an_idle_fence_is_seen = true;

#define FLUSH(t) word[t] = (buffered[t] != 0 -> buffered[t] : word[t]); buffered[t] = 0
/* Of threads that do not exist, nothing. */
#define AWAIT(t) awaited[(t) % THREADS] = (t < THREADS -> buffered[(t) % THREADS] : awaited[(t) % THREADS])
#define FORGET(t) awaited[(t) % THREADS] = 0
#define OUT(t) (t >= THREADS || word[(t) % THREADS] >= awaited[(t) % THREADS])
#define JUDGE(c, l) \
  CLAIM(one_sees_the_other, !looked[l] || saw[(c) * LIGHTS + (l)] >= missed[(c) * LIGHTS + (l)])

/* environment: the store buffer of one thread's processor */
proctype Drain(byte t) {
end_drain:
  do :: d_step { buffered[t] != 0 -> FLUSH(t) } od
}

/* mirrors: membarrier_all */
inline fence(me) {
  d_step { FLUSH(me); AWAIT(0); AWAIT(1); AWAIT(2); AWAIT(3) };
#ifdef LOST
  if
  :: true
  :: atomic { gone == 0 -> gone = 1 };
end_lost:
     false
  fi;
#endif
  (OUT(0) && OUT(1) && OUT(2) && OUT(3));
  d_step { FORGET(0); FORGET(1); FORGET(2); FORGET(3) }
}

/* mirrors: CoalescedFence::end */
inline end(number) {
#ifdef END_BY_STORE
  d_step { FLUSH(me); ended = number }
#else
  d_step { FLUSH(me); if :: ended < number -> ended = number :: else fi }
#endif
}

/* environment: a fence with its number, for both places where one is begun */
inline begin_and_end(me) {
#ifdef END_FIRST
  end(number); fence(me)
#else
  fence(me); end(number)
#endif
}

/* mirrors: CoalescedFence::try_begin */
inline try_begin(me) {  /* number: 0 if another has begun it */
#ifdef BEGIN_BY_STORE
  if
  :: begun == latest -> d_step { FLUSH(me); number = latest + 1 }; begun = number
  :: else
  fi
#else
  d_step {
    if
    :: begun == latest -> FLUSH(me); number = latest + 1; begun = number
    :: else
    fi
  }
#endif
}

/* mirrors: CoalescedFence::execute */
inline execute(me) {
#ifndef NO_REQUEST_FENCE
  d_step { FLUSH(me) };
#endif
  latest = begun;
  do
  :: true ->
     seen = ended;
     if
#ifdef UNDER_WAY_IS_ENOUGH
     :: seen > latest || (seen == latest && seen > 0) -> break
#else
     :: seen > latest -> break
#endif
#ifdef BEGIN_LATE
     :: seen == latest && begun == latest -> fence(me); d_step { begun++; number = begun }; end(number); break
     :: seen == latest && begun != latest
#else
     :: seen == latest -> try_begin(me); if :: number != 0 -> begin_and_end(me); break :: else fi
#endif
     :: seen < latest
     fi;
     if
     :: ended != seen
#ifndef NO_BOUND
     :: true ->
#ifndef GIVE_UP_UNFENCED
        d_step { FLUSH(me); begun++; number = begun };
        begin_and_end(me);
#endif
        break
#endif
     fi
  od;
  latest = 0; seen = 0; number = 0
}

/* environment: a thief, or a worker that goes to sleep */
proctype Caller(byte me) {
  byte request, latest, seen, number, l;
  byte awaited[THREADS];  /* by its fence */
  do
  :: request < REQUESTS ->
     request++;
     d_step { FLUSH(me); buffered[me] = request };
     execute(me);
     do
     :: l < LIGHTS ->
        d_step {
          missed[me * LIGHTS + l] = (word[CALLERS + l] == 0 -> request : missed[me * LIGHTS + l]);
          JUDGE(me, l);
          l++
        }
     :: else -> l = 0; break
     od
  :: else -> break
  od;
  returned++
}

/* environment: an owner */
/* mirrors: asymmetric_light_fence */
proctype Light(byte l) {
  byte c;
  buffered[CALLERS + l] = 1;
  do
  :: c < CALLERS -> d_step { saw[c * LIGHTS + l] = word[c]; c++ }
  :: else -> c = 0; break
  od;
  looked[l] = true;
  d_step {
    do :: c < CALLERS -> JUDGE(c, l); c++ :: else -> break od
  }
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  timeout ->
  CLAIM(every_caller_returned, returned + gone == CALLERS);
#ifndef SAFETY_ALONE
  CLAIM(an_idle_fence_is_seen, gone > 0 || ended == begun)
#endif
}

init {
  byte n;
  atomic {
    do :: n < THREADS -> run Drain(n); n++ :: else -> break od;
    n = 0;
    do :: n < CALLERS -> run Caller(n); n++ :: else -> break od;
    n = 0;
    do :: n < LIGHTS -> run Light(n); n++ :: else -> break od;
    run Monitor()
  }
}
