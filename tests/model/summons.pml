/* Summons: a guest's team calls a resident that has no job. A summons is not left while a resident rests.
 *
 * RESIDENTS begin asleep; they search, run what they find, and sleep. GUESTS push one summons each. OTHERS are jobs that residents find first; nobody is
 * woken for them here, that is the idle protocol's part. What is found may last for ever.
 *
 * With LIMITED only the first resident may work until the limit is raised.
 *
 * Memory: total store order. All steps here are sequentially consistent, so only CLEAR_RELAXED needs a store buffer.
 *
 * Defects:
 *   NOBODY_CALLED    a summons is pushed, and nobody is woken
 *   NO_LAST_LOOK     a resident does not look for summons once it can be claimed
 *   NO_RELAY         a resident that has found something does not call the next one
 *   CLEAR_LATE       it calls the next one before it says that it does not rest
 *   CLEAR_RELAXED    it says so by a store that may come out later
 *   NO_CALL_AT_RAISE the limit is raised, and nobody is woken
 */
#ifndef RESIDENTS
#define RESIDENTS 2
#endif
#ifndef GUESTS
#define GUESTS 2
#endif
#ifndef OTHERS
#define OTHERS 1
#endif

#define AWAKE 0
#define DROWSY 1
#define VACANT 2

byte summons, others = OTHERS;      /* in their queues */
bool rests[RESIDENTS];
bool clears[RESIDENTS];             /* in the store buffer: rests becomes false */
byte state[RESIDENTS];
bool token[RESIDENTS];
byte busy;                          /* residents that execute for ever */
byte asleep;                        /* residents that are blocked, without a token */
#ifdef LIMITED
byte limit = 1;
#else
byte limit = RESIDENTS;
#endif

#define CLAIM(claim, condition) claim = (condition); assert(claim)
bool no_summons_waits = true;

/* mirrors: Registry::call_resident */
inline call_resident() {  /* needs s */
  s = 0;
  do
  :: s < limit ->
     if
     :: rests[s] ->
        /* mirrors: Sleep::try_wake */
        d_step {
          if
          :: state[s] == VACANT -> state[s] = AWAKE; token[s] = true
          :: state[s] == DROWSY -> state[s] = AWAKE
          :: else
          fi
        };
        break
     :: else -> s++
     fi
  :: else -> break
  od;
  s = 0
}

/* mirrors: Registry::summon */
proctype Guest() {
  byte s;
  summons++;
#ifndef NOBODY_CALLED
  call_resident()
#endif
}

/* mirrors: Registry::max_concurrency_changed */
proctype Setter() {
  byte s;
  limit = RESIDENTS;
#ifndef NO_CALL_AT_RAISE
  if :: summons > 0 -> call_resident() :: else fi
#endif
}

/* environment: the store buffer */
proctype Drain(byte r) {
end_drain:
  do :: d_step { clears[r] -> rests[r] = false; clears[r] = false } od
}

/* mirrors: Worker::find */
inline find() {
  if :: d_step { others > 0 -> others--; found = true } :: else fi;
  if :: !found -> if :: d_step { summons > 0 -> summons--; found = true } :: else fi :: else fi
}

/* mirrors: Worker::search_until */
proctype Resident(byte r) {
  byte s;
  bool found, claimed;
end_first:
  d_step { token[r] -> token[r] = false; asleep-- };
end_search:
  do
  :: r < limit ->
     d_step { clears[r] = false; rests[r] = true };
     do
     :: true ->
        find();
        if
        :: found -> break
        :: else
        fi;
        state[r] = DROWSY;
        claimed = false;
#ifndef NO_LAST_LOOK
        if :: summons > 0 -> claimed = true :: else fi;
#endif
        if
        :: claimed -> state[r] = AWAKE
        :: else ->
           d_step {
             if
             :: state[r] == DROWSY -> state[r] = VACANT; asleep++
             :: else -> claimed = true
             fi
           };
           if
           :: !claimed ->
end_asleep:
              d_step { token[r] -> token[r] = false; asleep-- }
           :: else
           fi
        fi
     od;
#ifdef CLEAR_LATE
     if :: summons > 0 -> call_resident() :: else fi;
     rests[r] = false;
#else
#ifdef CLEAR_RELAXED
     clears[r] = true;
#else
     rests[r] = false;
#endif
#ifndef NO_RELAY
     if :: summons > 0 -> call_resident() :: else fi;
#endif
#endif
     found = false;
     if
     :: true
     :: busy++;
end_busy:
        false
     fi
  od
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  timeout ->
  CLAIM(no_summons_waits, summons == 0 || asleep == 0)
}

init {
  byte n;
  atomic {
    do
    :: n < RESIDENTS ->
       rests[n] = true;
       state[n] = VACANT;
       asleep++;
       run Resident(n);
       run Drain(n);
       n++
    :: else -> break
    od;
    n = 0;
    do :: n < GUESTS -> run Guest(); n++ :: else -> break od;
#ifdef LIMITED
    run Setter();
#endif
    run Monitor()
  }
}
