#include "store/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hash/hash.h"
#include "store/file.h"

/* How long a child may take to end by itself once its socket is closed. */
#define STOP_MS 2000
#define PROGRESS_MS 100

static const int parents_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int damage_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

struct plm_guard_seat *plm_guard_seat_new(struct plm_error *err)
{
	void *seat = mmap(NULL, sizeof(struct plm_guard_seat), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (seat == MAP_FAILED) {
		(void)plm_fail(err, PLM_E_IO, "shared memory for a child: %s", strerror(errno));
		return NULL;
	}
	return seat;
}

void plm_guard_seat_free(struct plm_guard_seat *seat)
{
	if (seat != NULL) {
		(void)munmap(seat, sizeof(*seat));
	}
}

/*
 * What the child must not share with its parent: handlers, locks held by descriptors, a core
 * file.
 */
static void settle(pid_t parent, int fd)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	struct rlimit no_core = {0};
	sigset_t none;

	PLM_ASSERT(fd >= 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(1);
	}
	for (size_t i = 0; i < PLM_COUNTOF(damage_signals); i++) {
		(void)sigaction(damage_signals[i], &usual, NULL);
	}
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* Who interrupts the parent means the parent: it decides when its child ends. */
	for (size_t i = 0; i < PLM_COUNTOF(parents_signals); i++) {
		(void)sigaction(parents_signals[i], &(struct sigaction){.sa_handler = SIG_IGN},
				NULL);
	}
	(void)setrlimit(RLIMIT_CORE, &no_core);
	/* The writer's flock lives as long as any copy of its descriptor. */
	if (dup2(fd, 3) != 3) {
		_exit(1);
	}
	(void)close_range(4, ~0U, 0);
}

enum plm_code plm_guard_start(struct plm_guard_child *child, void (*run)(void *ctx, int fd),
			      void *ctx, struct plm_guard_seat *seat, struct plm_error *err)
{
	int ends[2];
	pid_t parent = getpid();
	pid_t pid = -1;

	PLM_ASSERT(child != NULL && run != NULL && seat != NULL);
	/* OpenSSL sets itself up on first use, under locks: let that happen before the fork. */
	(void)plm_sha256(plm_slice_of(NULL, 0));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		return plm_fail(err, PLM_E_IO, "a socket for a child: %s", strerror(errno));
	}
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		settle(parent, ends[1]);
		run(ctx, 3);
		_exit(0);
	}
	(void)close(ends[1]);
	if (pid < 0) {
		(void)close(ends[0]);
		return plm_fail(err, PLM_E_IO, "fork: %s", strerror(errno));
	}
	*child = (struct plm_guard_child){.pid = pid, .fd = ends[0], .seat = seat};
	return PLM_OK;
}

/* SIGABRT is among them: LMDB asserts on pages that contradict each other. */
static bool is_damage(int number)
{
	for (size_t i = 0; i < PLM_COUNTOF(damage_signals); i++) {
		if (damage_signals[i] == number) {
			return true;
		}
	}
	return false;
}

/* Signals of other children are none of our business: waits for this one only. */
static int reap(struct plm_guard_child *child)
{
	int status = 0;

	PLM_ASSERT(child->pid > 0);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
	}
	child->pid = -1;
	return status;
}

enum plm_code plm_guard_death(struct plm_guard_child *child, const char *what,
			      struct plm_error *err)
{
	uint64_t good = atomic_load(&child->seat->good);
	int status = 0;

	PLM_ASSERT(child->pid > 0);
	status = reap(child);
	if (WIFSIGNALED(status) && is_damage(WTERMSIG(status))) {
		return plm_fail(err, PLM_E_CORRUPT,
				"%s: a page behind record %" PRIu64
				" is damaged (reading it ended with: %s); record %" PRIu64
				" is the last good one",
				what, good, strsignal(WTERMSIG(status)), good);
	}
	if (WIFSIGNALED(status)) {
		return plm_fail(err, PLM_E_IO, "%s: the reading child was ended by: %s", what,
				strsignal(WTERMSIG(status)));
	}
	return plm_fail(err, PLM_E_IO, "%s: the reading child ended with status %d", what,
			WEXITSTATUS(status));
}

/* Wait until the child has closed its end; false after 'ms' milliseconds (-1 = never). */
static bool wait_closed(const struct plm_guard_child *child, int ms)
{
	struct pollfd poller = {.fd = child->fd, .events = POLLIN};
	char bytes[4096];

	PLM_ASSERT(child->fd >= 0);
	for (;;) {
		int ready = poll(&poller, 1, ms);

		if (ready < 0 && errno == EINTR) {
			continue;
		}
		if (ready <= 0) {
			return false;
		}
		/* What is still in flight is of no interest any more. */
		if (recv(child->fd, bytes, sizeof(bytes), 0) <= 0) {
			return true;
		}
	}
}

void plm_guard_stop(struct plm_guard_child *child)
{
	PLM_ASSERT(child->fd >= 0);
	/* The child's next call on its end of the socket fails, and it ends. */
	(void)close(child->fd);
	child->fd = -1;
	if (child->pid > 0) {
		struct pollfd poller = {.fd = pidfd_open(child->pid, 0), .events = POLLIN};

		if (poller.fd >= 0 && poll(&poller, 1, STOP_MS) == 0) {
			(void)kill(child->pid, SIGKILL);
		}
		plm_fd_close(poller.fd);
		(void)reap(child);
	}
}

/* ---- one call ------------------------------------------------------------------------------ */

struct call {
	const struct plm_guard_task *task;
	struct plm_guard_seat *seat;
};

/* 'done' comes last: until then the parent takes nothing of the seat but the progress. */
static void call_in_child(void *ctx, int fd)
{
	const struct call *call = ctx;

	(void)fd;
	call->seat->code = call->task->run(call->task->ctx, call->seat, &call->seat->err);
	atomic_store(&call->seat->done, true);
}

static void report(const struct plm_guard_task *task, struct plm_guard_seat *seat)
{
	if (task->watch != NULL && task->watch->progress != NULL) {
		task->watch->progress(task->watch->ctx, atomic_load(&seat->good),
				      atomic_load(&seat->goal));
	}
}

static enum plm_code call_result(const struct plm_guard_task *task, struct plm_guard_child *child,
				 struct plm_error *err)
{
	struct plm_guard_seat *seat = child->seat;

	PLM_ASSERT(task->result != NULL || task->result_size == 0);
	if (!atomic_load(&seat->done)) {
		return plm_guard_death(child, task->what, err);
	}
	if (seat->code != PLM_OK) {
		if (err != NULL) {
			*err = seat->err;
		}
		return seat->code;
	}
	if (task->result_size > 0) {
		memcpy(task->result, seat->result, task->result_size);
	}
	return PLM_OK;
}

enum plm_code plm_guard_call(const struct plm_guard_task *task, struct plm_error *err)
{
	struct plm_guard_seat *seat = plm_guard_seat_new(err);
	struct plm_guard_child child;
	struct call call = {.task = task, .seat = seat};
	enum plm_code code = PLM_E_IO;

	PLM_ASSERT(task->what != NULL && task->run != NULL);
	PLM_ASSERT(task->result_size <= PLM_GUARD_RESULT_SIZE);
	if (seat == NULL) {
		return PLM_E_IO;
	}
	code = plm_guard_start(&child, call_in_child, &call, seat, err);
	if (code == PLM_OK) {
		while (!wait_closed(&child, task->watch == NULL ? -1 : PROGRESS_MS)) {
			report(task, seat);
		}
		code = call_result(task, &child, err);
		plm_guard_stop(&child);
	}
	if (task->good != NULL) {
		*task->good = atomic_load(&seat->good);
	}
	plm_guard_seat_free(seat);
	return code;
}
