#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "store/file.h"

enum plm_code plm_lock_take(const char *folder, int *out, struct plm_error *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	PLM_ASSERT(folder != NULL && out != NULL);
	if (fd < 0) {
		return plm_file_fail(err, errno, "open", folder);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		enum plm_code code =
			errno == EWOULDBLOCK
				? plm_fail(err, PLM_E_REFUSED,
					   "%s: another process writes this log", folder)
				: plm_file_fail(err, errno, "lock", folder);

		plm_fd_close(fd);
		return code;
	}
	*out = fd;
	return PLM_OK;
}
