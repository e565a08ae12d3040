#include "store/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/limits.h"
#include "store/file.h"

/* The numbers are the kernel's, which statfs(2) lists. */
static const struct {
	uint64_t magic;
	const char *name;
} refused[] = {
	{0x794c7630, "overlay"}, {0x6969, "nfs"},	 {0x517b, "smb"},
	{0xff534d42, "cifs"},	 {0xfe534d42, "smb2"},	 {0x65735546, "fuse"},
	{0x01021997, "9p"},	 {0x00c36400, "ceph"},	 {0x0bd00bd0, "lustre"},
	{0x47504653, "gpfs"},	 {0x5346414f, "afs"},	 {0x6b414653, "afs"},
	{0x73757245, "coda"},	 {0x01161970, "gfs2"},	 {0x7461636f, "ocfs2"},
	{0xf15f, "ecryptfs"},	 {0x786f4256, "vboxsf"}, {0xbacbacbc, "vmhgfs"},
};

const char *plm_volume_refused(uint64_t magic)
{
	for (size_t i = 0; i < PLM_COUNTOF(refused); i++) {
		if (refused[i].magic == magic) {
			return refused[i].name;
		}
	}
	return NULL;
}

enum plm_code plm_volume_check(const char *folder, struct plm_error *err)
{
	struct statfs status;
	const char *name = NULL;

	PLM_ASSERT(folder != NULL);
	if (statfs(folder, &status) != 0) {
		return plm_file_fail(err, errno, "file system", folder);
	}
	name = plm_volume_refused((uint32_t)status.f_type);
	if (name != NULL) {
		return plm_fail(err, PLM_E_REFUSED,
				"%s: the file system is %s; the log needs a local one that keeps "
				"what it synced",
				folder, name);
	}
	return PLM_OK;
}

/* Take the room, and make sure that it is taken on the disk. */
static enum plm_code fill(int fd, const char *path, struct plm_error *err)
{
	int number = posix_fallocate(fd, 0, PLM_LIMIT_BALLAST_BYTES);

	PLM_ASSERT(fd >= 0);
	return number != 0 ? plm_file_fail(err, number, "reserve", path)
			   : plm_file_sync(fd, path, err);
}

enum plm_code plm_volume_ballast_make(const char *folder, struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	struct stat status;
	enum plm_code code = plm_path_join(path, folder, PLM_BALLAST_FILE, err);

	if (code != PLM_OK) {
		return code;
	}
	if (stat(path, &status) == 0 && status.st_size == PLM_LIMIT_BALLAST_BYTES &&
	    (int64_t)status.st_blocks * 512 >= PLM_LIMIT_BALLAST_BYTES) {
		return PLM_OK;
	}
	PLM_CLEANUP(plm_fd_close) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0) {
		return plm_file_fail(err, errno, "create", path);
	}
	code = fill(fd, path, err);
	if (code != PLM_OK) {
		(void)unlink(path);
	}
	return code;
}

enum plm_code plm_volume_ballast_release(const char *folder, struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	enum plm_code code = plm_path_join(path, folder, PLM_BALLAST_FILE, err);

	if (code == PLM_OK && unlink(path) != 0 && errno != ENOENT) {
		return plm_file_fail(err, errno, "remove", path);
	}
	return code;
}
