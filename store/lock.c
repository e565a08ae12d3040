#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include "store/file.h"

/* A child of a writer that was killed has a copy of the lock until it first runs: guard.c. */
#define PATIENCE_MS 1000
#define STEP_MS 10

/* 0, or the errno of the last attempt. */
static int lock_soon(int fd)
{
	PLM_ASSERT(fd >= 0);
	for (int waited_ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited_ms += STEP_MS) {
		if (errno != EINTR && (errno != EWOULDBLOCK || waited_ms >= PATIENCE_MS)) {
			return errno;
		}
		(void)poll(NULL, 0, STEP_MS);
	}
	return 0;
}

enum plm_code plm_lock_take(const char *folder, int *out, struct plm_error *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int number = 0;

	PLM_ASSERT(folder != NULL && out != NULL);
	if (fd < 0) {
		return plm_file_fail(err, errno, "open", folder);
	}
	number = lock_soon(fd);
	if (number != 0) {
		enum plm_code code =
			number == EWOULDBLOCK
				? plm_fail(err, PLM_E_REFUSED,
					   "%s: another process writes this log", folder)
				: plm_file_fail(err, number, "lock", folder);

		plm_fd_close(fd);
		return code;
	}
	*out = fd;
	return PLM_OK;
}
