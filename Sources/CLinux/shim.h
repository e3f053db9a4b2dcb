#include <spawn.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor that becomes readable when the process ends; negative on failure. The C library of Debian 12 declares it in a
   header that Swift does not import. */
static inline int kith_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* Has the kernel write no core of this process, wherever cores go, and keeps its memory from others of the same user; to the
   next exec. 0 on success. Swift does not import functions with any number of arguments. */
static inline int kith_keep_memory_private(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* Declared only under _GNU_SOURCE, which a module map cannot set. */
extern int unshare(int flags);
#ifndef CLONE_NEWNS
#define CLONE_NEWNS 0x00020000
#endif
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
