// What other_systems.py includes first: the headers of this system, then the names by which its C library is known are taken
// away, and what another one has in their place is declared.
#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#undef __GLIBC__

#if defined(__APPLE__)
int apples_pthread_setname_np(const char* name);
#define pthread_setname_np apples_pthread_setname_np
#endif
