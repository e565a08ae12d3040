/* Fold a log, and decide again: replay.h. */
#include "codec/codec.h"
#include "core/limits.h"
#include "engine/decide.h"
#include "engine/replay.h"
#include "hash/state_hash.h"
#include "store/snapshot.h"

#include <stdio.h>

#define PROGRESS_EVERY 65536U

struct fold {
	const struct plm_fold_options *options;
	struct plm_state *st;
	struct plm_fold_report *report;
	struct plm_arena scratch; /* fold of one event */
	struct plm_arena payload; /* recomputed payloads of one event */
	struct plm_decider decider;
	uint32_t next; /* handle of the decision that must come next; 0 = no cycle is under way */
};

void plm_fold_event(struct plm_state *st, const struct plm_logged *logged,
		    struct plm_arena *scratch)
{
	struct plm_event event = plm_logged_event(logged);

	if (logged->info->class == PLM_CLASS_FACT) {
		struct plm_hash128 print = plm_xxh128(logged->projection);

		event.print_low = print.low;
		event.print_high = print.high;
	}
	plm_arena_reset(scratch);
	plm_apply(st, &event, scratch);
}

/* ---- snapshots --------------------------------------------------------------------------------- */

static void ignore_text(void *ctx, const char *text)
{
	const struct plm_fold_options *options = ctx;

	if (options->ignored != NULL) {
		options->ignored(options->ctx, text);
	}
}

/* Try the newest snapshot at or below 'max'; true when the state is that of report->from - 1. */
static bool load_snapshot(struct fold *f, uint64_t max)
{
	struct plm_snapshot snapshot = {0};
	struct plm_snapshot_want want = {
		.max_seq = max,
		.layout_digest = plm_image_layout(),
		.ignored = ignore_text,
		.ctx = (void *)(uintptr_t)f->options,
	};
	struct plm_error err;
	bool good = false;

	if (plm_snapshot_load(f->options->snapshots, &want, &snapshot, &err) != PLM_OK) {
		return false;
	}
	if (plm_image_load(f->st, plm_slice_of(snapshot.image, snapshot.info.image_bytes), &err) !=
	    PLM_OK) {
		ignore_text((void *)(uintptr_t)f->options, err.text);
	} else {
		struct plm_hash128 hash = plm_state_hash(f->st);

		good = hash.low == snapshot.info.state.low && hash.high == snapshot.info.state.high;
		f->st->seq = snapshot.info.seq;
		f->report->from = snapshot.info.seq + 1;
	}
	plm_snapshot_fini(&snapshot);
	return good;
}

static enum plm_code begin_state(struct fold *f, struct plm_error *err)
{
	uint64_t max = f->options->to;

	f->report->from = 1;
	if (f->options->snapshots == NULL) {
		return PLM_OK;
	}
	if (f->options->snapshot_max != 0 && f->options->snapshot_max < max) {
		max = f->options->snapshot_max;
	}
	if (!load_snapshot(f, max)) {
		f->report->from = 1;
		plm_state_fini(f->st);
		return plm_state_init(f->st, PLM_PROFILE_SMALL, err);
	}
	return PLM_OK;
}

/* ---- recomputing ------------------------------------------------------------------------------- */

static void diverge(struct fold *f, uint64_t seq, const char *text)
{
	if (f->report->diverged == 0) {
		f->report->diverged = seq;
		(void)snprintf(f->report->difference, sizeof(f->report->difference), "%s", text);
	}
}

/* Run steps until one has decided something, or the cycle is over. */
static void advance(struct fold *f)
{
	while (f->decider.active && f->next > f->decider.out.count) {
		if (f->decider.last) {
			f->decider.active = false;
			f->next = 0;
			return;
		}
		plm_decider_step(&f->decider, f->st);
		f->next = 1;
	}
}

static bool is_decision(const struct plm_logged *logged)
{
	return logged->info->class == PLM_CLASS_DECISION || logged->info->class == PLM_CLASS_INTENT;
}

static void compare(struct fold *f, const struct plm_logged *logged)
{
	const void *value = NULL;
	struct plm_slice want;

	advance(f);
	if (!f->decider.active) {
		if (is_decision(logged)) {
			diverge(f, logged->envelope.seq, "recorded, but not decided again");
		}
		return;
	}
	if (!is_decision(logged)) {
		diverge(f, logged->envelope.seq, "decided again, but nothing is recorded here");
		return;
	}
	if (plm_out_item(&f->decider.out, f->next)->type != logged->envelope.type) {
		diverge(f, logged->envelope.seq, "another kind of decision");
		return;
	}
	plm_arena_reset(&f->payload);
	want = plm_decider_payload(&f->decider, f->next, &f->payload, &value);
	if (!plm_slice_equal(want, logged->envelope.payload)) {
		diverge(f, logged->envelope.seq, "the same kind of decision with other content");
	}
	f->next++;
	f->report->decisions++;
}

/* ---- the loop ---------------------------------------------------------------------------------- */

static void check_hash(struct fold *f, const struct plm_logged *logged)
{
	const struct plm_w_hash *recorded = logged->payload;
	struct plm_hash128 now = plm_state_hash(f->st);

	if (recorded->hash.size != sizeof(now) ||
	    memcmp(recorded->hash.ptr, &now, sizeof(now)) != 0) {
		diverge(f, logged->envelope.seq, "the state differs from the one recorded");
	}
	f->report->since_hash = 0;
}

static void fold_one(struct fold *f, const struct plm_logged *logged)
{
	if (logged->envelope.type == PLM_EV_HASH) {
		check_hash(f, logged);
	}
	if (f->options->recompute) {
		compare(f, logged);
		if (f->report->diverged != 0) {
			return;
		}
	}
	plm_fold_event(f->st, logged, &f->scratch);
	f->report->events++;
	f->report->since_hash++;
	f->report->last = logged->envelope.seq;
	f->report->last_wall_ns = logged->envelope.wall_ns;
	f->report->last_tick_ms = logged->envelope.tick_ms;
	if (logged->envelope.type == PLM_EV_CYCLE) {
		f->report->cycles++;
		if (f->options->recompute) {
			plm_decider_begin(&f->decider, logged->payload);
			f->next = 1;
		}
	}
}

static enum plm_code fold_all(struct fold *f, struct plm_reader *reader, struct plm_error *err)
{
	struct plm_logged logged;
	enum plm_code code = PLM_OK;

	while (f->report->last < f->options->to && f->report->diverged == 0) {
		code = plm_reader_next(reader, &logged, err);
		if (code != PLM_OK) {
			break;
		}
		if (logged.envelope.seq > f->options->to) {
			return PLM_OK; /* 'to' is a PART in the middle of this event */
		}
		fold_one(f, &logged);
		if (f->options->progress != NULL && f->report->events % PROGRESS_EVERY == 0) {
			f->options->progress(f->options->ctx, f->report->last);
		}
	}
	if (code != PLM_E_NOT_FOUND) {
		return code;
	}
	if (f->options->to != UINT64_MAX) {
		return plm_fail(err, PLM_E_NOT_FOUND, "the log ends at %llu",
				(unsigned long long)f->report->last);
	}
	if (f->options->recompute) {
		advance(f);
		if (f->decider.active) {
			diverge(f, f->report->last + 1,
				"decided again, but the log ends in the middle of the cycle");
		}
	}
	return PLM_OK;
}

static enum plm_code run_fold(struct fold *f, struct plm_log *log, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	enum plm_code code = begin_state(f, err);

	if (code != PLM_OK) {
		return code;
	}
	f->report->last = f->report->from - 1;
	code = plm_reader_open(log, f->report->from, &reader, err);
	if (code == PLM_OK) {
		code = fold_all(f, reader, err);
	}
	plm_reader_close(reader);
	f->report->state_hash = plm_state_hash(f->st);
	return code;
}

enum plm_code plm_fold(struct plm_log *log, const struct plm_fold_options *options,
		       struct plm_state *st, struct plm_fold_report *out, struct plm_error *err)
{
	struct plm_fold_report report = {0};
	struct fold f = {.options = options, .st = st, .report = &report};
	enum plm_code code = plm_arena_init(&f.scratch, PLM_LIMIT_EVENT_ARENA, err);

	if (code == PLM_OK) {
		code = plm_arena_init(&f.payload, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_decider_init(&f.decider, err);
	}
	if (code == PLM_OK) {
		code = run_fold(&f, log, err);
	}
	plm_arena_fini(&f.scratch);
	plm_arena_fini(&f.payload);
	plm_decider_fini(&f.decider);
	if (code == PLM_OK) {
		*out = report;
	}
	return code;
}
