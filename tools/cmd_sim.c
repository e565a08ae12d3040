/* sim: the engine on the embedded cluster and cloud, on virtual time. */
#include <inttypes.h>

#include "tools/print.h"
#include "tools/sim/sim_run.h"
#include "tools/verbs.h"

struct watch {
	struct plm_cli *call;
	struct plm_progress progress;
};

static void on_warning(void *ctx, const char *text)
{
	struct watch *watch = ctx;

	plm_progress_end(&watch->progress);
	plm_print_warning(watch->call, "%s", text);
}

static void on_progress(void *ctx, int64_t done_ms, int64_t total_ms)
{
	struct watch *watch = ctx;

	plm_progress_tick(&watch->progress, (uint64_t)(done_ms / 1000),
			  (uint64_t)(total_ms / 1000));
}

/* 0 = as fast as it goes. */
static enum plm_code parse_speed(const struct plm_cli *call, int64_t *out, struct plm_error *err)
{
	const char *text = plm_cli_text(call, PLM_FLAG_SPEED, "max");
	int64_t speed = 0;

	if (strcmp(text, "max") == 0) {
		*out = 0;
		return PLM_OK;
	}
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9' || speed > 1000000) {
			speed = 0;
			break;
		}
		speed = speed * 10 + (*at - '0');
	}
	if (speed == 0) {
		return plm_fail(err, PLM_E_USAGE,
				"--speed: '%s' is neither max nor a number from 1 to 1000000",
				text);
	}
	*out = speed;
	return PLM_OK;
}

static enum plm_code run(struct plm_cli *call, struct plm_sim_report *report, struct plm_error *err)
{
	struct watch watch = {.call = call};
	struct plm_sim_run_options options = {
		.scenario = call->operands[0],
		.catalog = plm_cli_text(call, PLM_FLAG_CATALOG, NULL),
		.log_folder = plm_cli_text(call, PLM_FLAG_KEEP_LOG, NULL),
		.seed = (uint64_t)plm_cli_number(call, PLM_FLAG_SCENARIO_SEED, 1),
		.until_ms = plm_cli_number(call, PLM_FLAG_UNTIL, PLM_UNSET),
		.trace = plm_cli_has(call, PLM_FLAG_VERBOSE) ? call->out : NULL,
		.warn = on_warning,
		.progress = on_progress,
		.ctx = &watch,
	};
	enum plm_code code = parse_speed(call, &options.speed, err);

	if (code != PLM_OK) {
		return code;
	}
	plm_progress_begin(&watch.progress, "virtual second");
	code = plm_sim_run(&options, report, err);
	plm_progress_end(&watch.progress);
	return code == PLM_E_NOT_FOUND ? PLM_E_UNREACHABLE : code;
}

enum plm_code plm_cmd_sim(struct plm_cli *call, struct plm_error *err)
{
	struct plm_sim_report report = {0};
	enum plm_code code = run(call, &report, err);

	if (code != PLM_OK) {
		return code;
	}
	if (strcmp(plm_cli_format(call), "json") == 0) {
		plm_sim_report_json(&report, call->out);
	} else {
		plm_sim_report_text(&report, call->out);
	}
	if (report.violations > 0) {
		call->bug = true;
		(void)fprintf(call->notes,
			      "error: %" PRIu64
			      " invariants were broken, the first at event %" PRIu64
			      ": %s\nrepeat it with: %s sim %s --seed %" PRIu64 "\n",
			      report.violations, report.violation_seq, report.violation,
			      call->program, call->operands[0], report.seed);
	}
	return PLM_OK;
}
