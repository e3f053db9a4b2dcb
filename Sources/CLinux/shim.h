#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor that becomes readable when the process ends; negative on failure. The C library of Debian 12 declares it in a
   header that Swift does not import. */
static inline int kith_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* Declared only under _GNU_SOURCE, which a module map cannot set. */
extern int unshare(int flags);
#ifndef CLONE_NEWNS
#define CLONE_NEWNS 0x00020000
#endif
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
