/* The injector: producers that push nodes, workers that take them, and a sleeper that asks whether it is empty.
 *
 * NP producers push NN nodes each; NTK takers try TRIES times each; the checker asks CHECKS times. Every access is one
 * step, in one order: the exchanges are sequentially consistent, front_ and `next` are guarded by taking_, and the looks of
 * empty() acquire.
 * Claims: a node is taken once; the nodes of one producer are taken in the order of their pushes; empty() is true only if
 * every node whose push came before the call has been taken.
 * Defects, each of which must be noticed:
 *   NO_TAKING        takers do not exclude one another
 *   NO_TAKING_LOOK   empty() does not look at taking_
 *   FRONT_FIRST      empty() looks at front_, then taking_, then head_
 *   TAKING_FIRST     empty() looks at taking_ before head_
 *   PUSH_BY_STORE    push is a load and a store
 *   NO_REVERSE       the stack is handed out newest first
 */
#ifndef NP
#define NP 2
#endif
#ifndef NN
#define NN 2
#endif
#ifndef NTK
#define NTK 2
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef CHECKS
#define CHECKS 2
#endif
#define NODES (NP * NN)

byte head, front, next[NODES + 1];
bool taking, pushed[NODES + 1], taken[NODES + 1];

/* mirrors: TreiberStack::push blitz/fork_join/treiber_stack.hpp */
proctype Producer(byte first) {
  byte node = first, seen;
  do
  :: node < first + NN ->
again:
     seen = head;
     next[node] = seen;
#ifdef PUSH_BY_STORE
     head = node; pushed[node] = true;
#else
     atomic { if :: head == seen -> head = node; pushed[node] = true :: else -> goto again fi };
#endif
     node++
  :: else -> break
  od
}

/* mirrors: TreiberStack::take blitz/fork_join/treiber_stack.hpp */
/* mirrors: TreiberStack::reversed blitz/fork_join/treiber_stack.hpp */
proctype Taker() {
  byte tries, node, chain, after;
  do
  :: tries < TRIES ->
     tries++;
     if :: head == 0 && front == 0 -> goto out :: else fi;
#ifndef NO_TAKING
     atomic { if :: taking -> goto out :: else -> taking = true fi };
#endif
     node = front;
     if
     :: node == 0 ->
        atomic { chain = head; head = 0 };
#ifdef NO_REVERSE
        node = chain; chain = 0
#else
        do
        :: chain != 0 -> after = next[chain]; next[chain] = node; node = chain; chain = after
        :: else -> break
        od;
        after = 0
#endif
     :: else
     fi;
     if
     :: node != 0 ->
        d_step {  /* with this store the node is nobody's but this taker's */
          front = next[node];
          assert(!taken[node]);
          taken[node] = true;
          assert(node % NN == 1 || NN == 1 || taken[node - 1])
        }
     :: else
     fi;
#ifndef NO_TAKING
     taking = false;
#endif
out:
     node = 0
  :: else -> break
  od
}

/* mirrors: TreiberStack::empty blitz/fork_join/treiber_stack.hpp */
proctype Checker() {
  byte checks, i;
  bool before[NODES + 1], h, t, f;
  do
  :: checks < CHECKS ->
     checks++;
     d_step { i = 1; do :: i <= NODES -> before[i] = pushed[i]; i++ :: else -> break od; i = 0 };
#if defined(FRONT_FIRST)
     f = (front != 0); t = taking; h = (head != 0);
#elif defined(TAKING_FIRST)
     t = taking; h = (head != 0); f = (front != 0);
#elif defined(NO_TAKING_LOOK)
     h = (head != 0); f = (front != 0);
#else
     h = (head != 0); t = taking; f = (front != 0);
#endif
     d_step {
       if
       :: !h && !t && !f ->
          i = 1;
          do
          :: i <= NODES -> assert(!before[i] || taken[i]); i++
          :: else -> break
          od
       :: else
       fi;
       i = 0
     }
  :: else -> break
  od
}

init {
  byte n;
  atomic {
    do :: n < NP -> run Producer(n * NN + 1); n++ :: else -> break od;
    n = 0;
    do :: n < NTK -> run Taker(); n++ :: else -> break od;
    run Checker()
  }
}
