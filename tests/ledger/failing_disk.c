/* Test only: preloaded into a child, makes one kind of call on the ledger's files fail with EIO while a file exists.
   FG_CALL names the call (sync, write, read), FG_TRIGGER the file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, int fd) {
    const char *wanted = getenv("FG_CALL"), *trigger = getenv("FG_TRIGGER");
    char link[64], name[4096];
    ssize_t length;
    if (!wanted || !trigger || strcmp(call, wanted) || access(trigger, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, name, sizeof name - 1);
    if (length < 0) return 0;
    name[length] = 0;
    if (!strstr(name, "ledger.db")) return 0;
    errno = EIO;
    return 1;
}

#define SYNC(name)                                                                            \
    int name(int fd) {                                                                        \
        int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name);                             \
        return fails("sync", fd) ? -1 : real(fd);                                             \
    }
#define MOVE(name, call, pointer, offset)                                                     \
    ssize_t name(int fd, pointer data, size_t size, offset at) {                              \
        ssize_t (*real)(int, pointer, size_t, offset) =                                       \
            (ssize_t (*)(int, pointer, size_t, offset))dlsym(RTLD_NEXT, #name);               \
        return fails(call, fd) ? -1 : real(fd, data, size, at);                               \
    }
SYNC(fsync)
SYNC(fdatasync)
MOVE(pwrite, "write", const void *, off_t)
MOVE(pwrite64, "write", const void *, off64_t)
MOVE(pread, "read", void *, off_t)
MOVE(pread64, "read", void *, off64_t)
