/* The injector's stack: every node is taken once, oldest first, and empty() is true only if every node whose push had
 * come before has been taken.
 *
 * PRODUCERS push NODES nodes each; TAKERS take until all is taken; a checker calls empty() CHECKS times.
 * Every access to shared memory is a step, except that the reversal of a stack that nobody else can see is one. A node
 * counts as taken when its taker has written front_ without it: from then on the taker has it for good.
 *
 * Defects:
 *   NO_TAKING            take does not exclude other takers
 *   HEAD_BY_STORE        the stack is taken by a load and a store
 *   NOT_REVERSED         the list stays newest first
 *   PUSH_BY_STORE        push is a load and a store
 *   EMPTY_NO_TAKING      empty() does not look at taking_
 *   EMPTY_NO_FRONT       ... at front_
 *   EMPTY_FRONT_FIRST    empty() looks at front_, taking_, head_ in this order
 *   EMPTY_FRONT_SECOND   ... at head_, front_, taking_
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef NODES
#define NODES 2
#endif
#ifndef TAKERS
#define TAKERS 2
#endif
#ifndef CHECKS
#define CHECKS 1
#endif
#define ALL (PRODUCERS * NODES)

byte head, front; bool taking;  /* nodes are 1 .. ALL; 0 is null */
byte next[ALL + 1];
byte place[ALL + 1];            /* of a pushed node: how many were pushed up to it */
byte pushed, took;              /* counts; as nodes are taken in order, those at places 1 .. took are taken */

/* mirrors: TreiberStack::push blitz/fork_join/treiber_stack.hpp */
proctype Producer(byte first) {
  byte n, seen; bool done;
  do
  :: n < NODES ->
     seen = head;
     done = false;
     do
     :: !done ->
        next[first + n] = seen;
#ifdef PUSH_BY_STORE
        d_step { head = first + n; pushed++; place[first + n] = pushed; done = true }
#else
        d_step {
          if
          :: head == seen -> head = first + n; pushed++; place[first + n] = pushed; done = true
          :: else -> seen = head
          fi
        }
#endif
     :: else -> break
     od;
     n++
  :: else -> break
  od
}

/* mirrors: TreiberStack::reversed blitz/fork_join/treiber_stack.hpp */
inline reverse() {  /* the list at node, by way of older and newer */
  d_step {
    older = 0;
    do
    :: node != 0 -> newer = next[node]; next[node] = older; older = node; node = newer
    :: else -> break
    od;
    node = older; older = 0; newer = 0
  }
}

/* mirrors: TreiberStack::take blitz/fork_join/treiber_stack.hpp */
proctype Taker() {
  byte node, older, newer; bool oldest_first;
end_taker:
  do
  :: head != 0 || front != 0 ->  /* two looks in the code, at which nothing hangs: the rest does not rely on them */
#ifndef NO_TAKING
     atomic { !taking -> taking = true };  /* a taker that finds it set goes away, and comes again */
#endif
     node = front;
     if
     :: node == 0 ->
#ifdef HEAD_BY_STORE
        node = head;
        head = 0;
#else
        d_step { node = head; head = 0 };
#endif
#ifndef NOT_REVERSED
        reverse()
#endif
     :: else
     fi;
     if
     :: node != 0 ->
        newer = next[node];
        d_step { front = newer; newer = 0; took++; oldest_first = (place[node] == took); assert(oldest_first) }
     :: else
     fi;
     node = 0;
     taking = false
  od
}

/* mirrors: TreiberStack::empty blitz/fork_join/treiber_stack.hpp */
proctype Checker() {
  byte n, before; bool empty_now, empty_is_exact;
  do
  :: n < CHECKS ->
     n++;
     before = pushed;
#ifdef EMPTY_FRONT_FIRST
     empty_now = (front == 0);
     if :: empty_now -> empty_now = !taking :: else fi;
     if :: empty_now -> empty_now = (head == 0) :: else fi;
#else
     empty_now = (head == 0);
#ifdef EMPTY_FRONT_SECOND
     if :: empty_now -> empty_now = (front == 0) :: else fi;
     if :: empty_now -> empty_now = !taking :: else fi;
#else
#ifndef EMPTY_NO_TAKING
     if :: empty_now -> empty_now = !taking :: else fi;
#endif
#ifndef EMPTY_NO_FRONT
     if :: empty_now -> empty_now = (front == 0) :: else fi;
#endif
#endif
#endif
     empty_is_exact = (!empty_now || took >= before);
     assert(empty_is_exact);
     atomic { before = 0; empty_now = false; empty_is_exact = false }
  :: else -> break
  od
}

/* environment: looks when nothing can happen any more */
proctype Monitor() {
  bool none_is_lost;
  timeout ->
  none_is_lost = (took == ALL && head == 0 && front == 0 && !taking);
  assert(none_is_lost)
}

init {
  byte n;
  atomic {
    do :: n < PRODUCERS -> run Producer(1 + n * NODES); n++ :: else -> break od;
    n = 0;
    do :: n < TAKERS -> run Taker(); n++ :: else -> break od;
    run Checker();
    run Monitor()
  }
}
