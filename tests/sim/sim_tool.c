/*
 * sim_tool.c - run a scenario for the tests: report on standard output, trace in a file
 *
 *	sim_tool FILE [--seed N] [--trace FILE] [--text] [--log FOLDER] [--small] [--strict]
 */
#include "tools/sim/sim_run.h"

#include <stdlib.h>

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	(void)fprintf(stderr, "warning: %s\n", text);
}

int main(int argc, char **argv)
{
	struct plm_sim_run_options options = {.seed = 1, .until_ms = PLM_UNSET, .warn = warn};
	static const char *const families[] = {"m5", "c5", "r5", NULL};
	const char *trace = NULL;
	bool text = false;
	struct plm_sim_report report;
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--text") == 0) {
			text = true;
		} else if (strcmp(argv[i], "--strict") == 0) {
			options.strict = true;
		} else if (strcmp(argv[i], "--small") == 0) {
			options.families = families;
		} else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
			options.seed = strtoull(argv[++i], NULL, 10);
		} else if (i + 1 < argc && strcmp(argv[i], "--trace") == 0) {
			trace = argv[++i];
		} else if (i + 1 < argc && strcmp(argv[i], "--log") == 0) {
			options.log_folder = argv[++i];
		} else {
			options.scenario = argv[i];
		}
	}
	if (options.scenario == NULL) {
		(void)fprintf(stderr, "usage: sim_tool FILE [--seed N] [--trace FILE] [--text]\n");
		return 2;
	}
	if (trace != NULL) {
		options.trace = strcmp(trace, "-") == 0 ? stdout : fopen(trace, "w");
	}
	code = plm_sim_run(&options, &report, &err);
	if (options.trace != NULL && options.trace != stdout) {
		(void)fclose(options.trace);
	}
	if (code != PLM_OK) {
		(void)fprintf(stderr, "sim_tool: %s\n", err.text);
		return plm_code_exit(code);
	}
	(text ? plm_sim_report_text : plm_sim_report_json)(&report, stdout);
	return report.violations > 0 ? 70 : 0;
}
