// attack tries one of the acts by which programs got out of a sandbox or past its limits:
//
//     attack ACT [ARGUMENT]
//
// It prints "done" and exits with 0 if the act succeeded, otherwise what failed, and exits with 1.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef FIOSETOWN
#define FIOSETOWN 0x8901
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define MB (1L << 20)

static void must(long result, const char *what) {
	if (result < 0) {
		printf("%s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static void *map(long size, int protection, int flags, int fd) {
	void *p = mmap(0, size, protection, flags, fd, 0);
	must(p == MAP_FAILED ? -1 : 0, "mmap");
	return p;
}

// Slower than a watch of 100 ms, on a busy machine too.
static void rest(void) { usleep(20000); }

static void scheduler(long pid) {
	struct sched_param p = {0};
	must(sched_setscheduler(pid, SCHED_IDLE, &p), "sched_setscheduler");
}

static void affinity(long pid) {
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(sched_setaffinity(pid, sizeof one, &one), "sched_setaffinity");
}

// Its standard input, a socket on which something arrives, kills the process.
static void owner(long pid) {
	int owner = pid;
	must(ioctl(0, FIOSETOWN, &owner), "FIOSETOWN");
	must(fcntl(0, F_SETSIG, SIGKILL), "F_SETSIG");
	must(fcntl(0, F_SETFL, O_ASYNC), "O_ASYNC");
	for (int i = 0; i < 10; i++)
		rest();
}

static void async(long pid) {
	int on = 1;
	must(fcntl(0, F_SETOWN, pid), "F_SETOWN");
	must(ioctl(0, FIOASYNC, &on), "FIOASYNC");
}

static void signal_async(long unused) { must(fcntl(0, F_SETFL, O_ASYNC), "O_ASYNC"); }

static void set_signal(long unused) { must(fcntl(0, F_SETSIG, SIGKILL), "F_SETSIG"); }

// Memory that was filled counts as data only while it can be written.
static void fill(long mb) {
	for (long all = 0; all < mb; all += 16, rest()) {
		char *p = map(16 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		memset(p, 1, 16 * MB);
		must(mprotect(p, 16 * MB, PROT_READ), "mprotect");
	}
}

// A page table for each 2 MB of which one page is read.
static void tables(long mb) {
	for (long all = 0; all < mb; all += 8, rest()) {
		char *p = map(4096 * MB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		madvise(p, 4096 * MB, MADV_NOHUGEPAGE);
		for (long i = 0; i < 4096 * MB; i += 2 * MB)
			(void)*(volatile char *)(p + i);
	}
}

static int create(int i) {
	char name[32];
	sprintf(name, "f%d", i);
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	must(fd, "open");
	return fd;
}

// A file that is mapped needs no name.
static void unlinked(long mb) {
	for (long i = 0; i < mb / 8; i++) {
		int fd = create(i % 8);
		must(ftruncate(fd, 8 * MB), "ftruncate");
		char *p = map(8 * MB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
		close(fd);
		// Where a page cannot be had, madvise says so, and no signal comes.
		must(madvise(p, 8 * MB, MADV_POPULATE_WRITE), "a page");
		char name[32];
		sprintf(name, "f%ld", i % 8);
		must(unlink(name), "unlink");
	}
}

static void nameless(long mb) {
	for (long all = 0; all < mb; all += 8) {
		int fd = open(".", O_TMPFILE | O_RDWR, 0600);
		must(fd, "O_TMPFILE");
		must(fallocate(fd, 0, 0, 8 * MB), "fallocate");
	}
}

static void allocate(long mb) {
	for (long i = 0; i < mb / 8; i++)
		must(fallocate(create(i), 0, 0, 8 * MB), "fallocate");
}

static void files(long count) {
	for (long i = 0; i < count; i++)
		close(create(i));
}

static void links(long count) {
	char name[32];
	close(create(0));
	for (long i = 0; i < count; i++) {
		sprintf(name, "l%ld", i);
		must(link("f0", name), "link");
	}
}

static void nodes(long count) {
	char name[32];
	for (long i = 0; i < count; i++) {
		sprintf(name, "n%ld", i);
		must(mkfifo(name, 0600), "mkfifo");
	}
}

static void *wait_forever(void *unused) { return pause(), unused; }

static void threads(long count) {
	pthread_attr_t small;
	pthread_t t;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (long i = 0; i < count; i++) {
		errno = pthread_create(&t, &small, wait_forever, 0);
		must(errno ? -1 : 0, "pthread_create");
	}
}

static void hidden(long unused) {
	prctl(PR_SET_DUMPABLE, 0);
	must(open("/home/secret", O_RDONLY), "open");
}

static void decoys(long count) {
	char name[32];
	for (long i = 0; i < count; i++) {
		sprintf(name, "/home/decoy%ld", i);
		open(name, O_RDONLY);
	}
	must(open("/home/secret", O_WRONLY), "open");
}

static void look(long unused) {
	struct stat s;
	must(stat("/etc/passwd", &s), "stat");
}

static void watch(long unused) { must(inotify_add_watch(inotify_init(), "/etc", IN_ACCESS), "inotify"); }

static void local(long unused) { must(socket(AF_UNIX, SOCK_STREAM, 0), "socket"); }

// Calls by the numbers of 32 bits go around a filter for 64.
static void other(long unused) {
#ifdef __x86_64__
	int result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); // getpid
	errno = -result;
	must(result < 0 ? -1 : 0, "int 0x80");
#else
	errno = ENOSYS;
	must(-1, "int 0x80");
#endif
}

static void flags(long unused) { must(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), "clone"); }

static void newest(long unused) { must(syscall(SYS_process_madvise, 0, 0, 0, 0, 0), "process_madvise"); }

static const struct {
	const char *name;
	void (*try)(long);
} acts[] = {
	{"scheduler", scheduler}, {"affinity", affinity}, {"owner", owner}, {"async", async}, {"signal async", signal_async},
	{"set signal", set_signal}, {"fill", fill}, {"tables", tables}, {"unlinked", unlinked}, {"nameless", nameless},
	{"allocate", allocate}, {"files", files}, {"links", links}, {"nodes", nodes}, {"threads", threads},
	{"hidden", hidden}, {"decoys", decoys}, {"look", look}, {"watch", watch}, {"local", local}, {"other", other},
	{"flags", flags}, {"newest", newest},
};

int main(int n, char **args) {
	for (size_t i = 0; n > 1 && i < sizeof acts / sizeof *acts; i++)
		if (!strcmp(args[1], acts[i].name)) {
			acts[i].try(n > 2 ? atol(args[2]) : 0);
			puts("done");
			return 0;
		}
	puts("there is no such act");
	return 2;
}
