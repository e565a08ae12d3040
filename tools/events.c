#include "tools/events.h"

#include <inttypes.h>
#include <strings.h>

#include "reducers/status/render.h"
#include "tools/spell.h"

#define NS_PER_MS 1000000ULL

/* ---- filters ----------------------------------------------------------------------------------- */

static bool is_type_or_class(const char *word, size_t size)
{
	uint32_t count = 0;
	const struct plm_event_info *infos = plm_event_infos(&count);

	for (uint32_t i = 0; i < count; i++) {
		const char *class = plm_class_text(infos[i].class);

		if ((strlen(infos[i].name) == size &&
		     strncasecmp(infos[i].name, word, size) == 0) ||
		    (strlen(class) == size && strncasecmp(class, word, size) == 0)) {
			return true;
		}
	}
	return false;
}

static enum plm_code check_types(const struct plm_cli *call, struct plm_error *err)
{
	const struct plm_flag_value *value = &call->flags[PLM_FLAG_TYPE];

	for (size_t i = 0; i < value->count; i++) {
		for (const char *at = value->texts[i]; *at != '\0';) {
			size_t size = strcspn(at, ",");

			if (!is_type_or_class(at, size)) {
				return plm_fail(err, PLM_E_USAGE,
						"--type: '%.*s' is neither an event type (JOB, "
						"PEND, ...) nor a class (Fact, Decision, Intent, "
						"Result, Control)",
						(int)size, at);
			}
			at += size + (at[size] == ',' ? 1 : 0);
		}
	}
	return PLM_OK;
}

static enum plm_code parse_object(const struct plm_cli *call, struct plm_subject *out,
				  struct plm_error *err)
{
	struct plm_cli one = *call;

	one.operands[0] = plm_cli_text(call, PLM_FLAG_OBJECT, "");
	one.operand_count = 1;
	return plm_subject_parse(&one, 0, out, err);
}

enum plm_code plm_event_filter_parse(struct plm_cli *call, struct plm_event_filter *out,
				     struct plm_error *err)
{
	enum plm_code code = check_types(call, err);

	*out = (struct plm_event_filter){.call = call};
	if (code == PLM_OK && plm_cli_has(call, PLM_FLAG_OBJECT)) {
		code = parse_object(call, &out->object, err);
	}
	return code;
}

bool plm_event_passes(const struct plm_event_filter *filter, const struct plm_logged *event)
{
	const struct plm_subject *want = &filter->object;
	struct plm_subject have;

	if (plm_cli_has(filter->call, PLM_FLAG_TYPE) &&
	    !plm_cli_lists(filter->call, PLM_FLAG_TYPE, event->info->name) &&
	    !plm_cli_lists(filter->call, PLM_FLAG_TYPE, plm_class_text(event->info->class))) {
		return false;
	}
	if (want->kind == PLM_KIND_NONE) {
		return true;
	}
	have = plm_event_subject(event);
	return have.kind == want->kind && plm_slice_equal(have.name, want->name) &&
	       (want->ns.size == 0 || plm_slice_equal(have.ns, want->ns));
}

/* ---- words ------------------------------------------------------------------------------------- */

static struct plm_slice result_words(struct plm_arena *arena, const struct plm_w_result *result)
{
	const char *class = plm_names_text(&plm_names_result_class, result->class);

	if (result->code.size > 0) {
		return plm_arena_format(arena, "%s %.*s", class, (int)result->code.size,
					(const char *)result->code.ptr);
	}
	if (result->instance_type.size > 0) {
		return plm_arena_format(
			arena, "%s %.*s %.*s %.*s", class, (int)result->instance_type.size,
			(const char *)result->instance_type.ptr, (int)result->zone.size,
			(const char *)result->zone.ptr, (int)result->capacity_type.size,
			(const char *)result->capacity_type.ptr);
	}
	return plm_slice_str(class);
}

static struct plm_slice text_words(struct plm_arena *arena, struct plm_slice text)
{
	return plm_arena_copy(arena, text);
}

static struct plm_slice control_words(struct plm_arena *arena, const struct plm_logged *event)
{
	const struct plm_w_cycle *cycle = event->payload;
	const struct plm_w_epoch *epoch = event->payload;
	const struct plm_w_mark *mark = event->payload;
	const struct plm_w_rejected *rejected = event->payload;

	switch (event->envelope.type) {
	case PLM_EV_CYCLE:
		return plm_spell_time(arena, cycle->now_ms);
	case PLM_EV_EPOCH:
		return plm_arena_format(arena, "%" PRId64, epoch->epoch);
	case PLM_EV_MARK:
		return text_words(arena, mark->name);
	case PLM_EV_REJECTED:
		return text_words(arena, rejected->limit);
	default:
		return (struct plm_slice){0};
	}
}

static struct plm_slice pod_words(struct plm_arena *arena, const struct plm_w_pod *pod)
{
	const char *phase = plm_names_text(&plm_names_phase, pod->phase);

	if (pod->meta.deleting_ms != PLM_UNSET) {
		phase = "Terminating";
	}
	if (pod->node.size == 0) {
		return plm_arena_format(arena, "%s%s", phase,
					pod->unschedulable == 1 ? ", unschedulable" : "");
	}
	return plm_arena_format(arena, "%s on %.*s", phase, (int)pod->node.size,
				(const char *)pod->node.ptr);
}

static struct plm_slice job_words(struct plm_arena *arena, const struct plm_w_job *job)
{
	if (job->end != PLM_JOB_OPEN) {
		return plm_slice_str(plm_names_text(&plm_names_job_end, job->end));
	}
	return plm_arena_format(
		arena, "%s%" PRId64 " active, %" PRId64 " ready, %" PRId64 " succeeded",
		job->suspended == 1 ? "suspended, " : "", job->active, job->ready, job->succeeded);
}

/* What is new about an object, as far as a word can say it. */
static struct plm_slice fact_words(struct plm_arena *arena, const struct plm_logged *event)
{
	const struct plm_w_node *node = event->payload;
	const struct plm_w_instance *instance = event->payload;

	switch (event->envelope.type) {
	case PLM_EV_POD:
		return pod_words(arena, event->payload);
	case PLM_EV_JOB:
		return job_words(arena, event->payload);
	case PLM_EV_NODE:
		return plm_arena_format(arena, "%s%s", node->ready == 1 ? "ready" : "not ready",
					node->unschedulable == 1 ? ", unschedulable" : "");
	case PLM_EV_INSTANCE:
		return text_words(arena, instance->state);
	case PLM_EV_GONE:
		return plm_slice_str("gone");
	default:
		return (struct plm_slice){0};
	}
}

struct plm_slice plm_event_words(struct plm_arena *arena, const struct plm_logged *event)
{
	const struct plm_w_explain *why = plm_event_why(event);
	const struct plm_w_intent *intent = event->payload;
	const struct plm_w_nominate *nominate = event->payload;

	if (why != NULL && why->rule != PLM_RULE_NONE) {
		return plm_render_message(arena, why);
	}
	if (event->info->class == PLM_CLASS_FACT) {
		return fact_words(arena, event);
	}
	switch (event->envelope.type) {
	case PLM_EV_INTENT:
		return plm_slice_str(plm_names_text(&plm_names_call, intent->call));
	case PLM_EV_RESULT:
		return result_words(arena, event->payload);
	case PLM_EV_NOMINATE:
		return plm_arena_format(arena, "%zu pods expected", nominate->pods.count);
	default:
		return control_words(arena, event);
	}
}

/* ---- rows -------------------------------------------------------------------------------------- */

static const struct plm_column columns[] = {
	{"SEQ", true, false},	 {"TIME", false, false}, {"SOURCE", false, false},
	{"CLASS", false, false}, {"TYPE", false, false}, {"OBJECT", false, false},
	{"CAUSE", true, true},	 {"INTENT", true, true}, {"WHAT", false, false},
};

void plm_event_grid(struct plm_grid *grid, struct plm_arena *arena)
{
	plm_grid_init(grid, arena, columns, PLM_COUNTOF(columns));
}

static void number_cell(struct plm_grid *grid, uint64_t number)
{
	if (number == 0) {
		plm_grid_cell(grid, (struct plm_slice){0});
	} else {
		plm_grid_format(grid, "%" PRIu64, number);
	}
}

void plm_event_row(struct plm_grid *grid, const struct plm_logged *event)
{
	struct plm_arena *arena = grid->arena;
	struct plm_subject subject = plm_event_subject(event);

	plm_grid_format(grid, "%" PRIu64, event->envelope.seq);
	plm_grid_cell(grid, plm_spell_time(arena, (int64_t)(event->envelope.wall_ns / NS_PER_MS)));
	plm_grid_cell(grid,
		      plm_slice_str(plm_names_text(&plm_names_source, event->envelope.source)));
	plm_grid_cell(grid, plm_slice_str(plm_class_text(event->info->class)));
	plm_grid_cell(grid, plm_slice_str(event->info->name));
	plm_grid_cell(grid, subject.kind == PLM_KIND_NONE ? (struct plm_slice){0}
							  : plm_subject_text(arena, &subject));
	number_cell(grid, event->envelope.cause);
	number_cell(grid, event->envelope.intent);
	plm_grid_cell(grid, plm_event_words(arena, event));
}
