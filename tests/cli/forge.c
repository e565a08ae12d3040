/*
 * forge.c - logs that no engine writes, for the tests of the command line
 *
 *	forge diverge SRC DST	copy SRC; the first quota of the first ClusterQueue is another one
 *	forge bundle SRC DST	copy SRC; it was decided by a newer bundle
 *	forge schema SRC DST	copy SRC; one event has a newer schema
 *	forge format SRC DST	copy SRC; one envelope has a newer format
 *	forge slow SRC DST	copy SRC, one record per commit, with pauses
 *	forge mark DIR NAME	append a MARK
 *
 * Records are framed and chained anew, so that everything but what is meant to be wrong is right.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "codec/codec.h"
#include "core/limits.h"
#include "store/log.h"

#define PAUSE_US 20000

struct forger {
	const char *what;
	struct plm_arena arena;
	struct plm_error err;
	bool done; /* what is meant to be wrong is wrong by now */
};

static enum plm_code change_queue(struct forger *f, struct plm_envelope *envelope)
{
	const struct plm_event_info *info = plm_event_info(envelope->type);
	struct plm_payload payload;
	enum plm_code code =
		plm_payload_decode(info, envelope->payload, &f->arena, &payload, &f->err);
	const struct plm_w_cluster_queue *queue = payload.value;

	if (code == PLM_OK && queue->groups.count > 0) {
		const struct plm_w_group *group = queue->groups.ptr;
		const struct plm_w_flavor_quota *flavor = group->flavors.ptr;
		struct plm_w_quota *quota = (void *)(uintptr_t)flavor->quotas.ptr;

		quota->nominal = plm_add_sat(quota->nominal, 1000000);
		envelope->payload = plm_payload_encode(info, queue, payload.hash, &f->arena);
		f->done = true;
	}
	return code;
}

static enum plm_code change_bundle(struct forger *f, struct plm_envelope *envelope)
{
	const struct plm_event_info *info = plm_event_info(envelope->type);
	struct plm_payload payload;
	enum plm_code code =
		plm_payload_decode(info, envelope->payload, &f->arena, &payload, &f->err);
	struct plm_w_software software;

	if (code == PLM_OK) {
		software = *(const struct plm_w_software *)payload.value;
		software.bundle += 1000;
		envelope->payload = plm_payload_encode(info, &software, payload.hash, &f->arena);
		f->done = true;
	}
	return code;
}

/* The record as it goes into the copy. */
static enum plm_code forge_record(struct forger *f, struct plm_slice in, struct plm_slice *out)
{
	struct plm_envelope envelope;
	enum plm_code code = plm_envelope_decode(in, &envelope, &f->err);

	*out = in;
	if (code != PLM_OK || f->done) {
		return code;
	}
	if (strcmp(f->what, "diverge") == 0 && envelope.type == PLM_EV_CLUSTER_QUEUE) {
		code = change_queue(f, &envelope);
	} else if (strcmp(f->what, "bundle") == 0 && envelope.type == PLM_EV_SOFTWARE) {
		code = change_bundle(f, &envelope);
	} else if (strcmp(f->what, "schema") == 0 && envelope.type == PLM_EV_CYCLE) {
		envelope.schema = 99;
		f->done = true;
	}
	if (code == PLM_OK && f->done) {
		*out = plm_envelope_encode(&envelope, &f->arena);
	}
	return code;
}

/* The second byte of an envelope is its format: a positive fixint behind the array's head. */
static struct plm_slice newer_format(struct forger *f, struct plm_slice record)
{
	struct plm_slice copy = plm_arena_copy(&f->arena, record);
	uint8_t *bytes = (uint8_t *)(uintptr_t)copy.ptr;

	bytes[1] = 2;
	f->done = true;
	return copy;
}

static enum plm_code copy_log(struct forger *f, struct plm_log *from, struct plm_log *to)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	bool slow = strcmp(f->what, "slow") == 0;
	enum plm_code code = plm_log_cursor_open(from, 1, &cursor, &f->err);

	while (code == PLM_OK) {
		struct plm_slice out;

		plm_arena_reset(&f->arena);
		code = plm_log_cursor_next(cursor, &record, &f->err);
		if (code == PLM_OK) {
			code = forge_record(f, record.bytes, &out);
		}
		if (code == PLM_OK && strcmp(f->what, "format") == 0 && record.seq == 3) {
			out = newer_format(f, record.bytes);
		}
		if (code == PLM_OK) {
			code = plm_log_commit(to, &out, 1, &f->err);
		}
		if (slow) {
			(void)usleep(PAUSE_US);
		}
	}
	plm_log_cursor_close(cursor);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

static enum plm_code append_mark(struct forger *f, const char *folder, const char *name)
{
	struct plm_w_mark mark = {.name = plm_slice_str(name), .reason = plm_slice_str("test")};
	struct plm_envelope envelope = {.format = PLM_ENVELOPE_FORMAT,
					.source = PLM_SOURCE_OPERATOR,
					.type = PLM_EV_MARK,
					.schema = PLM_SCHEMA_FLOOR,
					.epoch = 1,
					.wall_ns = 4102444800ULL * 1000000000ULL};
	struct plm_log *log = NULL;
	struct plm_slice record;
	enum plm_code code = plm_log_open(folder, PLM_LOG_WRITE, &log, &f->err);

	if (code == PLM_OK) {
		envelope.seq = plm_log_head(log).seq + 1;
		envelope.payload = plm_payload_encode(plm_event_info(PLM_EV_MARK), &mark,
						      (struct plm_slice){0}, &f->arena);
		record = plm_envelope_encode(&envelope, &f->arena);
		code = plm_log_commit(log, &record, 1, &f->err);
	}
	plm_log_close(log);
	f->done = true;
	return code;
}

int main(int argc, char **argv)
{
	struct forger f = {.what = argc > 1 ? argv[1] : ""};
	struct plm_log *from = NULL;
	struct plm_log *to = NULL;
	enum plm_code code = PLM_E_USAGE;

	if (argc == 4) {
		code = plm_arena_init(&f.arena, PLM_LIMIT_EVENT_ARENA, &f.err);
	}
	if (code == PLM_OK && strcmp(f.what, "mark") == 0) {
		code = append_mark(&f, argv[2], argv[3]);
	} else if (code == PLM_OK) {
		code = plm_log_open(argv[2], PLM_LOG_READ, &from, &f.err);
		if (code == PLM_OK) {
			code = plm_log_open(argv[3], PLM_LOG_WRITE, &to, &f.err);
		}
		if (code == PLM_OK) {
			code = copy_log(&f, from, to);
		}
	}
	plm_log_close(from);
	plm_log_close(to);
	plm_arena_fini(&f.arena);
	if (code != PLM_OK || (!f.done && strcmp(f.what, "slow") != 0)) {
		(void)fprintf(stderr, "forge: %s\n",
			      code != PLM_OK ? f.err.text : "nothing was changed");
		return 1;
	}
	return 0;
}
