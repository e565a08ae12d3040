/*
 * check_log.c - fold a log from its start and from every snapshot, deciding again, and print what came out
 *
 * Ends with 1 when anything differs. For the tests that kill the daemon.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/replay.h"
#include "store/snapshot.h"

static struct plm_error err;

static int failed(const char *what)
{
	printf("{\"error\":\"%s\",\"text\":\"%s\"}\n", what, err.text);
	return 1;
}

static enum plm_code fold(struct plm_log *log, const struct plm_fold_options *options,
			  struct plm_fold_report *report)
{
	struct plm_state *st = calloc(1, sizeof(*st));
	enum plm_code code = PLM_OK;

	if (st == NULL) {
		return plm_fail(&err, PLM_E_LIMIT, "out of memory");
	}
	code = plm_state_init(st, PLM_PROFILE_CLUSTER, &err);
	if (code == PLM_OK) {
		code = plm_fold(log, options, st, report, &err);
	}
	plm_state_fini(st);
	free(st);
	return code;
}

static bool same(const struct plm_fold_report *a, const struct plm_fold_report *b)
{
	return a->last == b->last && a->state_hash.low == b->state_hash.low &&
	       a->state_hash.high == b->state_hash.high;
}

int main(int argc, char **argv)
{
	struct plm_fold_options options = {.to = UINT64_MAX, .recompute = true};
	struct plm_fold_report whole = {0};
	struct plm_fold_report part = {0};
	struct plm_log *log = NULL;
	uint64_t *snapshots = NULL;
	size_t count = 0;
	size_t used = 0;

	if (argc != 2 || plm_log_open(argv[1], PLM_LOG_READ, &log, &err) != PLM_OK) {
		return failed("open");
	}
	if (fold(log, &options, &whole) != PLM_OK) {
		return failed("fold");
	}
	count = plm_snapshot_list(argv[1], &snapshots);
	options.snapshots = argv[1];
	for (size_t i = 0; i < count && whole.diverged == 0; i++) {
		options.snapshot_max = snapshots[i];
		if (fold(log, &options, &part) != PLM_OK || part.diverged != 0 ||
		    !same(&whole, &part)) {
			return failed("fold from a snapshot");
		}
		used += part.from > 1;
	}
	free(snapshots);
	plm_log_close(log);
	printf("{\"events\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"decisions\":%" PRIu64
	       ",\"last\":%" PRIu64 ",\"diverged\":%" PRIu64
	       ",\"snapshots\":%zu,\"difference\":\"%s\"}\n",
	       whole.events, whole.cycles, whole.decisions, whole.last, whole.diverged, used,
	       whole.difference);
	return whole.diverged != 0;
}
