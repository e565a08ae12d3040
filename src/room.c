#include "room.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/limits.h"

#define BALLAST "ballast"

static enum plm_code system_failed(struct plm_error *err, const char *what, const char *path)
{
	char text[128];
	int number = errno;
	enum plm_code code = number == ENOSPC || number == EDQUOT ? PLM_E_FULL : PLM_E_IO;

	return plm_fail(err, code, "%s %s: %s", what, path, strerror_r(number, text, sizeof(text)));
}

enum plm_code plm_room_measure(const char *path, struct plm_room *out, struct plm_error *err)
{
	struct statvfs fs;

	if (statvfs(path, &fs) != 0) {
		return system_failed(err, "room at", path);
	}
	*out = (struct plm_room){
		.free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize,
		.total_bytes = (uint64_t)fs.f_blocks * fs.f_frsize,
	};
	return PLM_OK;
}

static bool below(struct plm_room room, uint64_t percent)
{
	return room.free_bytes / percent < room.total_bytes / 100;
}

enum plm_room_level plm_room_level(struct plm_room room)
{
	if (room.free_bytes < PLM_LIMIT_ROOM_LAST_BYTES) {
		return PLM_ROOM_NONE;
	}
	if (below(room, PLM_LIMIT_ROOM_OBSERVE_PERCENT)) {
		return PLM_ROOM_OBSERVE;
	}
	if (below(room, PLM_LIMIT_ROOM_LOW_PERCENT)) {
		return PLM_ROOM_LOW;
	}
	return below(room, PLM_LIMIT_ROOM_WARN_PERCENT) ? PLM_ROOM_WARN : PLM_ROOM_PLENTY;
}

const char *plm_room_level_text(enum plm_room_level level)
{
	switch (level) {
	case PLM_ROOM_PLENTY:
		return "plenty";
	case PLM_ROOM_WARN:
		return "getting low";
	case PLM_ROOM_LOW:
		return "low";
	case PLM_ROOM_OBSERVE:
		return "observe only";
	case PLM_ROOM_NONE:
		return "none";
	}
	PLM_UNREACHABLE();
}

static const struct refused {
	uint64_t magic;
	const char *what;
} refused_kinds[] = {
	{0x6969, "NFS"},	 {0x517b, "SMB"},      {0xfe534d42, "SMB2"},
	{0xff534d42, "CIFS"},	 {0x01021997, "9P"},   {0x00c36400, "Ceph"},
	{0x5346414f, "AFS"},	 {0x6b414653, "AFS"},  {0x73757245, "Coda"},
	{0x0bd00bd0, "Lustre"},	 {0x01161970, "GFS2"}, {0x7461636f, "OCFS2"},
	{0x47504653, "GPFS"},	 {0x65735546, "FUSE"}, {0x786f4256, "VirtualBox shared folder"},
	{0x794c7630, "overlay"}, {0x61756673, "AUFS"}, {0xf15f, "eCryptfs"},
};

const char *plm_room_refused_kind(uint64_t magic)
{
	for (size_t i = 0; i < PLM_COUNTOF(refused_kinds); i++) {
		if (refused_kinds[i].magic == magic) {
			return refused_kinds[i].what;
		}
	}
	return NULL;
}

enum plm_code plm_room_check_kind(const char *path, struct plm_error *err)
{
	struct statfs fs;
	const char *what = NULL;

	if (statfs(path, &fs) != 0) {
		return system_failed(err, "file system of", path);
	}
	what = plm_room_refused_kind((uint64_t)fs.f_type & UINT32_MAX);
	if (what != NULL) {
		return plm_fail(err, PLM_E_REFUSED,
				"%s lies on a file system of kind %s, where a committed log may be "
				"lost or torn",
				path, what);
	}
	return PLM_OK;
}

static enum plm_code ballast_path(const char *folder, char path[PATH_MAX], struct plm_error *err)
{
	int size = snprintf(path, PATH_MAX, "%s/%s", folder, BALLAST);

	return size < PATH_MAX ? PLM_OK : plm_fail(err, PLM_E_IO, "%s: name too long", folder);
}

/* Blocks, not a hole: room that is truly taken. */
static enum plm_code fill(int fd, const char *path, uint64_t bytes, struct plm_error *err)
{
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st) != 0) {
		return system_failed(err, "ballast", path);
	}
	if ((uint64_t)st.st_size == bytes && (uint64_t)st.st_blocks * 512 >= bytes) {
		return PLM_OK;
	}
	if (ftruncate(fd, 0) != 0) {
		return system_failed(err, "ballast", path);
	}
	rc = posix_fallocate(fd, 0, (off_t)bytes);
	if (rc != 0) {
		errno = rc;
		return system_failed(err, "ballast", path);
	}
	return PLM_OK;
}

enum plm_code plm_ballast_make(const char *folder, uint64_t bytes, struct plm_error *err)
{
	char path[PATH_MAX];
	enum plm_code code = ballast_path(folder, path, err);
	int fd = -1;

	if (code != PLM_OK) {
		return code;
	}
	if (bytes == 0) {
		(void)unlink(path);
		return PLM_OK;
	}
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		return system_failed(err, "ballast", path);
	}
	code = fill(fd, path, bytes, err);
	(void)close(fd);
	if (code != PLM_OK) {
		(void)unlink(path);
	}
	return code;
}

bool plm_ballast_release(const char *folder)
{
	char path[PATH_MAX];

	return ballast_path(folder, path, NULL) == PLM_OK && unlink(path) == 0;
}
