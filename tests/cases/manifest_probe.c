/*
 * manifest_probe.c - what the reader makes of files, for scripts
 *
 * Reads paths from standard input, one a line; prints for each "PATH<tab>COUNT<tab>DIGEST" (SHA-256 over
 * the canonical bytes of its facts) or "PATH<tab>error<tab>TEXT". With -v each fact is printed as JSON
 * before, and each warning.
 */
#include "adapters/manifest/manifest.h"
#include "codec/codec.h"
#include "core/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct probe {
	struct plm_arena arena;
	struct plm_sha256 digest;
	struct plm_manifest *reader;
	uint64_t facts;
	bool verbose;
};

static void chain(struct probe *probe, struct plm_slice bytes)
{
	struct plm_slice parts[] = {plm_slice_of(probe->digest.bytes, sizeof(probe->digest.bytes)),
				    bytes};

	probe->digest = plm_sha256_parts(parts, PLM_COUNTOF(parts));
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	struct probe *probe = ctx;
	const struct plm_event_info *info = plm_event_info((uint16_t)fact->type);

	(void)err;
	plm_arena_reset(&probe->arena);
	chain(probe, plm_slice_str(info->name));
	chain(probe, plm_wire_encode(info->payload, fact->payload, &probe->arena));
	probe->facts++;
	if (probe->verbose) {
		struct plm_slice json = plm_wire_json(info->payload, fact->payload, &probe->arena);

		(void)printf("%s:%d %s %.*s\n", fact->file, fact->line, info->name, (int)json.size,
			     (const char *)json.ptr);
	}
	return PLM_OK;
}

static enum plm_code on_setting(void *ctx, enum plm_manifest_setting setting,
				struct plm_doc_tree *tree, struct plm_error *err)
{
	struct probe *probe = ctx;
	struct plm_w_config config = {0}; /* its texts end with the document */
	enum plm_code code = PLM_OK;

	if (setting == PLM_SETTING_SCENARIO) {
		return PLM_OK;
	}
	code = plm_manifest_apply_setting(probe->reader, setting, tree, &config, err);
	plm_arena_reset(&probe->arena);
	chain(probe, plm_wire_encode(&plm_type_config, &config, &probe->arena));
	return code;
}

static void on_warn(void *ctx, const char *text)
{
	const struct probe *probe = ctx;

	if (probe->verbose) {
		(void)printf("warning: %s\n", text);
	}
}

static void read_one(struct probe *probe, const char *path)
{
	const struct plm_manifest_options options = {.now_ms = PLM_UNSET};
	const struct plm_manifest_sink sink = {probe, on_fact, on_setting, on_warn};
	struct plm_error err = {0};
	char hex[2 * PLM_SHA256_SIZE + 1];
	enum plm_code code = plm_manifest_open(&probe->reader, &options, &sink, &err);

	if (code == PLM_OK) {
		probe->digest = (struct plm_sha256){0};
		probe->facts = 0;
		code = plm_manifest_read(probe->reader, path, &err);
		plm_manifest_close(probe->reader);
	}
	if (code != PLM_OK) {
		(void)printf("%s\terror\t%s\n", path, err.text);
		return;
	}
	plm_hex(plm_slice_of(probe->digest.bytes, sizeof(probe->digest.bytes)), hex);
	(void)printf("%s\t%" PRIu64 "\t%s\n", path, probe->facts, hex);
}

int main(int argc, char **argv)
{
	struct probe probe = {.verbose = argc == 2 && strcmp(argv[1], "-v") == 0};
	char line[4096];

	if (plm_arena_init(&probe.arena, (size_t)PLM_LIMIT_DOC_BYTES, NULL) != PLM_OK) {
		return 1;
	}
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		read_one(&probe, line);
	}
	plm_arena_fini(&probe.arena);
	return 0;
}
