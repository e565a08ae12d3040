/* replay: recompute every decision and compare with what was recorded. */
#include <inttypes.h>
#include <time.h>

#include "tools/input.h"
#include "tools/print.h"
#include "tools/verbs.h"
#include "tools/view.h"

struct watch {
	struct plm_progress progress;
	uint64_t to;
	struct plm_cli *call;
};

static void on_progress(void *ctx, uint64_t seq)
{
	struct watch *watch = ctx;

	plm_progress_tick(&watch->progress, seq, watch->to);
}

static void on_ignored(void *ctx, const char *text)
{
	struct watch *watch = ctx;

	plm_print_warning(watch->call, "%s", text);
}

static int64_t monotonic_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* From A on: a snapshot not newer than A saves the fold up to there; what is before A is compared too. */
static enum plm_code recompute(struct plm_cli *call, struct plm_input *input,
			       const struct plm_seq_range *range, struct plm_fold_report *report,
			       struct plm_error *err)
{
	struct watch watch = {.to = range->to, .call = call};
	struct plm_state state;
	struct plm_fold_options options = {
		.snapshots = range->after > 0 && !plm_cli_has(call, PLM_FLAG_FROM_START)
				     ? input->snapshots
				     : NULL,
		.snapshot_max = range->after,
		.to = range->to,
		.recompute = true,
		.progress = on_progress,
		.ignored = on_ignored,
		.ctx = &watch,
	};
	enum plm_code code = PLM_OK;

	if (plm_log_first(input->log) > 1) {
		return plm_fail(err, PLM_E_INCOMPLETE,
				"%s: it is a part of a log that begins at event %" PRIu64
				"; a replay needs all events from the first",
				input->name, plm_log_first(input->log));
	}
	code = plm_state_init(&state, PLM_PROFILE_SMALL, err);
	plm_progress_begin(&watch.progress, "replaying event");
	if (code == PLM_OK) {
		code = plm_fold(input->log, &options, &state, report, err);
	}
	plm_progress_end(&watch.progress);
	plm_state_fini(&state);
	return code;
}

static struct plm_json *report_tree(struct plm_cli *call, const struct plm_fold_report *report,
				    int64_t took_ns)
{
	struct plm_json *doc = plm_json_document(call->arena, "ReplayReport");
	struct plm_json *diverged = plm_json_null(call->arena);
	char hash[33];

	if (report->diverged != 0) {
		diverged = plm_json_object(call->arena);
		plm_json_put_int(diverged, "seq", (int64_t)report->diverged);
		plm_json_put_text(diverged, "difference",
				  plm_arena_copy(call->arena, plm_slice_str(report->difference)));
	}
	plm_hash_text(report->state_hash, hash);
	plm_json_put_int(doc, "fromSeq", (int64_t)report->from);
	plm_json_put_int(doc, "toSeq", (int64_t)report->last);
	plm_json_put_int(doc, "events", (int64_t)report->events);
	plm_json_put_int(doc, "cycles", (int64_t)report->cycles);
	plm_json_put_int(doc, "decisions", (int64_t)report->decisions);
	plm_json_put(doc, "diverged", diverged);
	plm_json_put_text(doc, "stateHash", plm_arena_copy(call->arena, plm_slice_str(hash)));
	plm_json_put_int(doc, "eventsPerSecond",
			 took_ns > 0 ? (int64_t)((plm_i128)report->events * 1000000000 / took_ns)
				     : 0);
	return doc;
}

static void print_report(struct plm_cli *call, const struct plm_fold_report *report)
{
	char hash[33];

	plm_hash_text(report->state_hash, hash);
	if (report->diverged == 0) {
		(void)fprintf(call->out,
			      "%" PRIu64 " events, %" PRIu64 " cycles, %" PRIu64
			      " decisions recomputed: all as recorded; state hash %s\n",
			      report->events, report->cycles, report->decisions, hash);
	} else {
		(void)fprintf(call->out,
			      "%" PRIu64 " events as recorded; event %" PRIu64
			      " differs: %s\nsee: %s log show %" PRIu64 "\n",
			      report->events, report->diverged, report->difference, call->program,
			      report->diverged);
	}
}

enum plm_code plm_cmd_replay(struct plm_cli *call, struct plm_error *err)
{
	struct plm_input input = {0};
	struct plm_seq_range range = {0};
	struct plm_fold_report report = {0};
	int64_t began = 0;
	enum plm_code code = plm_input_open(call, &input, err);

	if (code == PLM_OK) {
		code = plm_input_range(&input, call->operand_count > 0 ? call->operands[0] : NULL,
				       &range, err);
	}
	began = monotonic_ns();
	if (code == PLM_OK) {
		code = recompute(call, &input, &range, &report, err);
	}
	if (code == PLM_OK && plm_print_is_document(call)) {
		plm_print_document(call, report_tree(call, &report, monotonic_ns() - began));
	} else if (code == PLM_OK) {
		print_report(call, &report);
	}
	plm_input_close(&input);
	if (code == PLM_OK && report.diverged != 0) {
		return plm_fail(err, PLM_E_DIVERGED, "event %" PRIu64 ": %s", report.diverged,
				report.difference);
	}
	return code;
}
