// other_systems.py includes this file first. It includes the headers of this system, undefines the macros that identify its C
// library, and declares the functions that another system has instead.
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
