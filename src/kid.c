#include "kid.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/units.h"
#include "hash/hash.h"

/* Less than all that decide; the highest value is the lowest priority. */
#define NICE 10
#define FIRST_TO_GO "1000"

/* When memory ends the kernel takes this process, not the daemon. */
static void offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, FIRST_TO_GO, sizeof(FIRST_TO_GO) - 1);
		(void)close(fd);
	}
}

/*
 * Nothing of the parent's descriptors lives on in here, but their numbers stay taken: libuv closes its
 * own pipe by number in every child, and would close what came to have that number meanwhile.
 */
static void forget_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct dirent *entry = NULL;

	if (folder == NULL || nowhere < 0) {
		_exit(1);
	}
	while ((entry = readdir(folder)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > 3 && fd != nowhere && fd != dirfd(folder)) {
			(void)dup3(nowhere, fd, O_CLOEXEC);
		}
	}
	(void)closedir(folder);
}

static void settle(pid_t parent, int fd)
{
	static const int usual[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct rlimit no_core = {0};
	sigset_t none;

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(1);
	}
	for (size_t i = 0; i < PLM_COUNTOF(usual); i++) {
		(void)sigaction(usual[i], &by_default, NULL);
	}
	for (size_t i = 0; i < PLM_COUNTOF(parents); i++) {
		(void)sigaction(parents[i], &ignore, NULL);
	}
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	offer_memory();
	/* Neither the log's lock nor anybody's connection lives on in here. */
	if (fd != 3 && dup2(fd, 3) != 3) {
		_exit(1);
	}
	forget_descriptors();
}

enum plm_code plm_kid_start(const struct plm_kid_task *task, struct plm_kid *out,
			    struct plm_error *err)
{
	int ends[2];
	pid_t parent = getpid();
	pid_t pid = -1;

	/* It sets itself up on first use, under locks: let that happen before the fork. */
	(void)plm_sha256(plm_slice_of(NULL, 0));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		return plm_fail(err, PLM_E_AGAIN, "a socket for a child: error %d", errno);
	}
	if (task->freeze != NULL) {
		task->freeze(task->self);
	}
	pid = fork();
	if (pid != 0 && task->thaw != NULL) {
		task->thaw(task->self);
	}
	if (pid == 0) {
		settle(parent, ends[1]);
		task->run(task->ctx, 3);
		_exit(0);
	}
	(void)close(ends[1]);
	if (pid < 0) {
		(void)close(ends[0]);
		return plm_fail(err, PLM_E_AGAIN, "no child now: error %d", errno);
	}
	(void)setpgid(pid, pid); /* whoever of the two comes first */
	*out = (struct plm_kid){.pid = pid, .fd = ends[0]};
	return PLM_OK;
}

enum plm_code plm_kid_read(struct plm_kid *kid, void *bytes, size_t size, int64_t wait_ms,
			   size_t *got, struct plm_error *err)
{
	struct pollfd poller = {.fd = kid->fd, .events = POLLIN};
	ssize_t count = 0;
	int ready = 0;

	do {
		ready = poll(&poller, 1, (int)plm_max(0, plm_min(wait_ms, INT32_MAX)));
	} while (ready < 0 && errno == EINTR);
	if (ready == 0) {
		return plm_fail(err, PLM_E_TIMEOUT, "it took too long");
	}
	do {
		count = ready < 0 ? -1 : recv(kid->fd, bytes, size, 0);
	} while (ready > 0 && count < 0 && errno == EINTR);
	if (count < 0) {
		return plm_fail(err, PLM_E_IO, "reading from a child: error %d", errno);
	}
	*got = (size_t)count;
	return PLM_OK;
}

void plm_kid_stop(struct plm_kid *kid)
{
	int status = 0;

	if (kid->pid <= 0) {
		return;
	}
	(void)close(kid->fd);
	(void)kill(-kid->pid, SIGKILL);
	while (waitpid(kid->pid, &status, 0) < 0 && errno == EINTR) {
	}
	/* Its own children come to us where we are a container's first process. */
	while (waitpid(-kid->pid, &status, 0) > 0 || errno == EINTR) {
	}
	*kid = (struct plm_kid){.fd = -1};
}
