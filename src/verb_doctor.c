/* `plimsoll doctor`: what is in a cluster, whose it is, and what would collide; who we are for AWS. */
#include "adapters/ec2/doctor.h"
#include "adapters/kube/doctor.h"
#include "clock.h"
#include "tools/json.h"
#include "tools/print.h"
#include "verbs.h"

#include <unistd.h>

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

/* ---- a cluster ----------------------------------------------------------------------------------------- */

static enum plm_code look_at_cluster(struct plm_cli *call, struct report *report,
				     struct plm_error *err)
{
	const struct plm_kube_ask_options options = {
		.kubeconfig = plm_cli_text(call, PLM_FLAG_KUBECONFIG, NULL),
		.context = plm_cli_text(call, PLM_FLAG_CONTEXT, NULL),
		.user_agent = "plimsoll/" PLM_VERSION,
		.modes = PLM_KUBE_OBSERVE | PLM_KUBE_DOCTOR,
	};
	struct plm_clock clock = plm_clock_system();
	struct plm_kube_ask *ask = NULL;
	enum plm_code code = PLM_OK;

	if (options.kubeconfig == NULL) {
		return PLM_OK;
	}
	code = plm_kube_ask_open(&options, &ask, err);
	if (code == PLM_OK) {
		code = plm_kube_doctor(ask, plm_clock_wall_ms(&clock), on_line, report, err);
	}
	plm_kube_ask_close(ask);
	return code;
}

/* ---- AWS ----------------------------------------------------------------------------------------------- */

struct aws {
	struct report *report;
	bool done;
};

static void on_aws(void *self, enum plm_aws_doctor_level level, const char *object,
		   const char *text)
{
	static const enum plm_doctor_level as[] = {
		[PLM_AWS_DOCTOR_OK] = PLM_DOCTOR_OK,
		[PLM_AWS_DOCTOR_NOTE] = PLM_DOCTOR_NOTE,
		[PLM_AWS_DOCTOR_FINDING] = PLM_DOCTOR_FINDING,
	};
	struct aws *aws = self;
	struct plm_doctor_line line = {.level = as[level], .subject = "aws"};

	(void)snprintf(line.object, sizeof(line.object), "%s", object);
	(void)snprintf(line.text, sizeof(line.text), "%s", text);
	on_line(aws->report, &line);
}

static void on_aws_done(void *self)
{
	struct aws *aws = self;

	aws->done = true;
}

static enum plm_code ask_aws(struct plm_cli *call, struct report *report, uv_loop_t *loop,
			     struct plm_error *err)
{
	struct aws aws = {.report = report};
	const struct plm_http_client_options http = {
		.loop = loop,
		.calls_max = 16,
		.user_agent = "plimsoll/" PLM_VERSION,
	};
	struct plm_aws_doctor_options options = {
		.loop = loop,
		.clock = plm_clock_system(),
		.environment = (const char *const *)environ,
		.region = plm_cli_text(call, PLM_FLAG_REGION, NULL),
		.endpoint = plm_cli_text(call, PLM_FLAG_EC2_ENDPOINT, NULL),
		.seed = (uint64_t)getpid(),
		.line = on_aws,
		.done = on_aws_done,
		.self = &aws,
	};
	struct plm_aws_doctor *doctor = NULL;
	enum plm_code code = plm_http_client_new(&http, &options.http, err);

	if (code != PLM_OK) {
		return code;
	}
	code = plm_aws_doctor_new(&options, &doctor, err);
	while (code == PLM_OK && !aws.done) {
		(void)uv_run(loop, UV_RUN_ONCE);
	}
	plm_aws_doctor_free(doctor);
	plm_http_client_free(options.http);
	(void)uv_run(loop, UV_RUN_DEFAULT);
	return code;
}

static enum plm_code look_at_aws(struct plm_cli *call, struct report *report, struct plm_error *err)
{
	uv_loop_t loop;
	enum plm_code code = PLM_OK;

	if (strcmp(plm_cli_text(call, PLM_FLAG_CLOUD, "none"), "ec2") != 0) {
		return PLM_OK;
	}
	PLM_ASSERT(uv_loop_init(&loop) == 0);
	code = ask_aws(call, report, &loop, err);
	PLM_ASSERT(uv_loop_close(&loop) == 0);
	return code;
}

enum plm_code plm_verb_doctor(struct plm_cli *call, struct plm_error *err)
{
	struct report report = {.call = call};
	enum plm_code code = PLM_OK;

	if (plm_cli_text(call, PLM_FLAG_KUBECONFIG, NULL) == NULL &&
	    strcmp(plm_cli_text(call, PLM_FLAG_CLOUD, "none"), "ec2") != 0) {
		return plm_fail(err, PLM_E_USAGE,
				"doctor needs --kubeconfig FILE or in-cluster, or --cloud ec2");
	}
	if (plm_print_is_document(call)) {
		report.list = plm_json_list(call->arena);
	}
	code = look_at_cluster(call, &report, err);
	if (code == PLM_OK) {
		code = look_at_aws(call, &report, err);
	}
	if (code == PLM_OK && report.list != NULL) {
		struct plm_json *doc = plm_json_document(call->arena, "Doctor");

		plm_json_put(doc, "lines", report.list);
		plm_print_document(call, doc);
	}
	return code;
}
