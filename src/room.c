#include "room.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "core/limits.h"

enum plm_code plm_room_measure(const char *path, struct plm_room *out, struct plm_error *err)
{
	struct statvfs fs;
	char text[128];

	if (statvfs(path, &fs) != 0) {
		return plm_fail(err, PLM_E_IO, "room at %s: %s", path,
				strerror_r(errno, text, sizeof(text)));
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
