/* `plimsoll doctor`: what is in a cluster, whose it is, and what would collide. */
#include "adapters/kube/doctor.h"
#include "clock.h"
#include "tools/json.h"
#include "tools/print.h"
#include "verbs.h"

struct report {
	struct plm_cli *call;
	struct plm_json *list; /* NULL: lines are printed as they come */
};

static const char *const levels[] = {
	[PLM_DOCTOR_OK] = "ok",
	[PLM_DOCTOR_NOTE] = "note",
	[PLM_DOCTOR_FINDING] = "finding",
};

static void on_line(void *self, const struct plm_doctor_line *line)
{
	struct report *report = self;
	struct plm_arena *arena = report->call->arena;
	struct plm_json *row = NULL;

	report->call->finding |= line->level == PLM_DOCTOR_FINDING;
	if (report->list == NULL) {
		(void)fprintf(report->call->out, "%-8s %-9s %s%s%s\n", levels[line->level],
			      line->subject, line->object, line->object[0] == '\0' ? "" : ": ",
			      line->text);
		return;
	}
	row = plm_json_object(arena);
	plm_json_put_str(row, "level", levels[line->level]);
	plm_json_put_str(row, "subject", line->subject);
	plm_json_put_text(row, "object", plm_arena_copy(arena, plm_slice_str(line->object)));
	plm_json_put_text(row, "text", plm_arena_copy(arena, plm_slice_str(line->text)));
	plm_json_add(report->list, row);
}

enum plm_code plm_verb_doctor(struct plm_cli *call, struct plm_error *err)
{
	const struct plm_kube_ask_options options = {
		.kubeconfig = plm_cli_text(call, PLM_FLAG_KUBECONFIG, NULL),
		.context = plm_cli_text(call, PLM_FLAG_CONTEXT, NULL),
		.user_agent = "plimsoll/" PLM_VERSION,
		.modes = PLM_KUBE_OBSERVE | PLM_KUBE_DOCTOR,
	};
	struct plm_clock clock = plm_clock_system();
	struct report report = {.call = call};
	struct plm_kube_ask *ask = NULL;
	enum plm_code code = PLM_OK;

	if (options.kubeconfig == NULL) {
		return plm_fail(err, PLM_E_USAGE, "doctor needs --kubeconfig FILE or in-cluster");
	}
	if (plm_print_is_document(call)) {
		report.list = plm_json_list(call->arena);
	}
	code = plm_kube_ask_open(&options, &ask, err);
	if (code == PLM_OK) {
		code = plm_kube_doctor(ask, plm_clock_wall_ms(&clock), on_line, &report, err);
	}
	if (code == PLM_OK && report.list != NULL) {
		struct plm_json *doc = plm_json_document(call->arena, "Doctor");

		plm_json_put(doc, "lines", report.list);
		plm_print_document(call, doc);
	}
	plm_kube_ask_close(ask);
	return code;
}
