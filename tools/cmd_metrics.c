/* metrics: what a scrape would have read at a point of the log, counted from its first event. */
#include "core/limits.h"
#include "tools/exposition.h"
#include "tools/input.h"
#include "tools/verbs.h"

struct counting {
	const struct plm_input *input;
	uint64_t to;
	struct plm_state state;
	struct plm_arena scratch;
	struct plm_metric_run run;
	struct plm_exposition exposition;
};

static void count_event(struct counting *c, const struct plm_logged *logged)
{
	struct plm_event event = plm_logged_event(logged);

	c->exposition.now_ms = (int64_t)event.tick_ms;
	plm_metric_event(&c->state, &event, &c->run, plm_exposition_add, &c->exposition);
	plm_metric_node_event(&c->state, &event, logged->envelope.source, &c->run,
			      plm_exposition_add, &c->exposition);
	plm_fold_event(&c->state, logged, &c->scratch);
}

static enum plm_code count_all(struct counting *c, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged = {0};
	enum plm_code code = plm_input_reader(c->input, 1, &reader, err);

	while (code == PLM_OK && logged.envelope.seq < c->to) {
		code = plm_reader_next(reader, &logged, err);
		if (code == PLM_OK) {
			count_event(c, &logged);
		}
	}
	plm_reader_close(reader);
	return code;
}

static enum plm_code print_metrics(struct plm_cli *call, const struct plm_input *input, uint64_t to,
				   struct plm_error *err)
{
	struct counting c = {.input = input, .to = to, .exposition = {.arena = call->arena}};
	enum plm_code code = plm_arena_init(&c.scratch, PLM_LIMIT_EVENT_ARENA, err);

	if (code != PLM_OK) {
		return code;
	}
	code = plm_state_init(&c.state, PLM_PROFILE_SMALL, err);
	if (code == PLM_OK) {
		code = count_all(&c, err);
		if (code == PLM_OK) {
			plm_metric_end(&c.state, &c.run, plm_exposition_add, &c.exposition);
			plm_metric_node_end(&c.state, &c.run, plm_exposition_add, &c.exposition);
			plm_arena_reset(&c.scratch);
			plm_metric_gauges(&c.state, &c.scratch, plm_exposition_add, &c.exposition);
			plm_metric_node_gauges(&c.state, c.exposition.now_ms, &c.scratch,
					       plm_exposition_add, &c.exposition);
			plm_exposition_print(&c.exposition, call->out);
		}
		plm_state_fini(&c.state);
	}
	plm_arena_fini(&c.scratch);
	return code;
}

enum plm_code plm_cmd_metrics(struct plm_cli *call, struct plm_error *err)
{
	struct plm_input input = {0};
	uint64_t seq = 0;
	int64_t asked_ms = PLM_UNSET;
	enum plm_code code = plm_input_open(call, &input, err);

	if (code != PLM_OK) {
		return code;
	}
	code = plm_input_at(call, &input, &seq, &asked_ms, err);
	if (code == PLM_OK) {
		code = print_metrics(call, &input, seq, err);
	}
	plm_input_close(&input);
	return code;
}
