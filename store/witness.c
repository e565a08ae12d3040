#include "store/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/file.h"

#define WITNESS_SIZE 64

static const char magic[8] = {'P', 'L', 'M', 'H', 'E', 'A', 'D', '1'};

/*
 * Whatever is not whole says nothing: it is written unsynced, so that a power cut may leave any
 * bytes. Damage here can hide a lost tail, but never make a good log look bad.
 */
enum plm_code plm_witness_read(const char *folder, struct plm_witness *out, struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	uint8_t bytes[WITNESS_SIZE];
	ssize_t size = 0;
	enum plm_code code = plm_path_join(path, folder, PLM_WITNESS_FILE, err);

	PLM_ASSERT(folder != NULL && out != NULL);
	if (code != PLM_OK) {
		return code;
	}
	*out = (struct plm_witness){0};
	PLM_CLEANUP(plm_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return errno == ENOENT || errno == ENOTDIR
			       ? PLM_OK
			       : plm_file_fail(err, errno, "open", path);
	}
	size = pread(fd, bytes, sizeof(bytes), 0);
	if (size < 0) {
		return plm_file_fail(err, errno, "read", path);
	}
	if (size != WITNESS_SIZE || memcmp(bytes, magic, sizeof(magic)) != 0 ||
	    plm_xxh64(plm_slice_of(bytes, 56)) != plm_get_be64(bytes + 56)) {
		return PLM_OK;
	}
	out->valid = true;
	out->seq = plm_get_be64(bytes + 8);
	out->frames = plm_get_be64(bytes + 16);
	memcpy(out->chain.bytes, bytes + 24, PLM_SHA256_SIZE);
	return PLM_OK;
}

/*
 * 64 bytes at the beginning of the file: within one sector, so that a crash leaves the old or the
 * new. Not synced: a third wait per commit was refused (D10).
 */
enum plm_code plm_witness_write(int fd, const struct plm_log_head *head, struct plm_error *err)
{
	uint8_t bytes[WITNESS_SIZE];
	ssize_t size = 0;

	PLM_ASSERT(head->seq >= 1 && head->frames >= 1);
	PLM_ASSERT(head->frames <= head->seq);
	PLM_ASSERT(fd >= 0);
	memcpy(bytes, magic, sizeof(magic));
	plm_put_be64(bytes + 8, head->seq);
	plm_put_be64(bytes + 16, head->frames);
	memcpy(bytes + 24, head->chain.bytes, PLM_SHA256_SIZE);
	plm_put_be64(bytes + 56, plm_xxh64(plm_slice_of(bytes, 56)));
	size = pwrite(fd, bytes, sizeof(bytes), 0);
	if (size != WITNESS_SIZE) {
		return plm_file_fail(err, size < 0 ? errno : ENOSPC, "write", PLM_WITNESS_FILE);
	}
	return PLM_OK;
}

enum plm_code plm_witness_open(const char *folder, int *out, struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	enum plm_code code = plm_path_join(path, folder, PLM_WITNESS_FILE, err);
	int fd = -1;

	PLM_ASSERT(folder != NULL && out != NULL);
	if (code != PLM_OK) {
		return code;
	}
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0) {
		return plm_file_fail(err, errno, "open", path);
	}
	*out = fd;
	return PLM_OK;
}
