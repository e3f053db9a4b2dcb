#include <uv.h>

// Declared only under _GNU_SOURCE, which the module map cannot set.
extern int pthread_setname_np(pthread_t thread, const char *name);
