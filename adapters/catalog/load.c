#include <stdio.h>
#include <string.h>

#include "adapters/catalog/catalog.h"

static enum plm_code read_file(const char *path, struct plm_arena *arena, struct plm_slice *out,
			       struct plm_error *err)
{
	FILE *file = fopen(path, "rb");
	uint8_t block[65536];
	size_t mark = plm_arena_mark(arena);
	size_t size = 0;
	size_t got = 0;
	bool failed = false;

	if (file == NULL) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: cannot be opened", path);
	}
	do { /* blocks of a multiple of 8 lie together */
		got = fread(block, 1, sizeof(block), file);
		(void)plm_arena_copy(arena, plm_slice_of(block, got));
		size += got;
	} while (got == sizeof(block));
	failed = ferror(file) != 0;
	(void)fclose(file);
	*out = plm_slice_of(arena->base + mark, size);
	return failed ? plm_fail(err, PLM_E_IO, "%s: cannot be read", path) : PLM_OK;
}

enum plm_code plm_catalog_load(const char *from, const char *region, struct plm_arena *arena,
			       struct plm_w_catalog *out, struct plm_error *err)
{
	struct plm_slice text = {0};
	enum plm_code code = PLM_OK;

	if (from == NULL || strcmp(from, "builtin") == 0) {
		return plm_catalog_builtin(region, arena, out, err);
	}
	code = read_file(from, arena, &text, err);
	return code == PLM_OK ? plm_catalog_read(text, from, arena, out, err) : code;
}
