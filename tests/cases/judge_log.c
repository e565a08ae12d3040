/*
 * judge_log.c - judge every plan of a log by the feasibility checker: judge_log LOG
 *
 * Folds the log frame by frame, looks after each, and prints what cannot be carried out, one a line, then
 * how much was judged. 0 = nothing was found, 1 = something was.
 */
#include <stdio.h>

#include "engine/replay.h"
#include "tools/feasible/feasible.h"

static bool found;

static void say(void *self, const char *text)
{
	const uint64_t *seq = self;

	found = true;
	(void)printf("event %llu: %s\n", (unsigned long long)*seq, text);
}

static enum plm_code judge(struct plm_log *log, struct plm_state *st, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_arena scratch = {0};
	struct plm_feasible memory = {0};
	struct plm_logged logged;
	uint64_t seq = 0;
	const struct plm_feasible_says says = {.self = &seq, .broken = say};
	enum plm_code code = plm_arena_init(&scratch, (size_t)8 << 30, err);

	if (code == PLM_OK) {
		code = plm_reader_open(log, 1, &reader, err);
	}
	while (code == PLM_OK) {
		code = plm_reader_next(reader, &logged, err);
		if (code != PLM_OK) {
			break;
		}
		plm_arena_reset(&scratch);
		plm_fold_event(st, &logged, &scratch);
		seq = logged.envelope.seq;
		if (logged.last_of_frame) {
			plm_feasible_look(&memory, st, &scratch, &says);
		}
	}
	(void)printf("judged: %llu pods, %llu claims, %llu gangs\n",
		     (unsigned long long)memory.pods_judged,
		     (unsigned long long)memory.claims_judged,
		     (unsigned long long)memory.gangs_judged);
	plm_feasible_end(&memory);
	plm_reader_close(reader);
	plm_arena_fini(&scratch);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

int main(int argc, char **argv)
{
	static struct plm_state st;
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	enum plm_code code = PLM_E_USAGE;

	if (argc == 2) {
		code = plm_state_init(&st, PLM_PROFILE_SMALL, &err);
	}
	if (code == PLM_OK) {
		code = plm_log_open(argv[1], PLM_LOG_READ, &log, &err);
	}
	if (code == PLM_OK) {
		code = judge(log, &st, &err);
	}
	if (code != PLM_OK) {
		(void)fprintf(stderr, "judge_log: %s\n", err.text);
		return 2;
	}
	plm_log_close(log);
	plm_state_fini(&st);
	return found ? 1 : 0;
}
