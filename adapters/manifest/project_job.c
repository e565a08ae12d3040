/* Jobs of every kind, by the table of core/integration.h. */
#include "adapters/manifest/project_job.h"

#include "core/limits.h"
#include "core/units.h"
#include "hash/workload_name.h"

/* ---- what the labels say ----------------------------------------------------------------------- */

int64_t plm_project_whole(struct plm_project *p, struct plm_doc *root, const char *what,
			  struct plm_slice text)
{
	int64_t value = 0;

	if (text.size == 0) {
		return PLM_UNSET;
	}
	if (text.size > 9 || plm_quantity_parse(text, PLM_SCALE_WHOLE, &value, NULL) != PLM_OK ||
	    value < 1) {
		plm_doc_fail(p->tree, plm_doc_get(root, "metadata"),
			     "%s must be a whole number above 0", what);
		return PLM_UNSET;
	}
	return value;
}

int64_t plm_project_max_exec(struct plm_project *p, struct plm_doc *root)
{
	return plm_project_whole(p, root, "label " PLM_LABEL_MAX_EXEC,
				 plm_project_label(p, PLM_LABEL_MAX_EXEC));
}

static void name_workload(struct plm_project *p, struct plm_doc *root, struct plm_w_job *job)
{
	struct plm_slice uid = p->had_uid ? p->meta.uid : (struct plm_slice){0};
	struct plm_slice built = plm_project_label(p, PLM_LABEL_PREBUILT);

	if (built.size == 0) {
		built = plm_project_annotation(p, root, PLM_LABEL_PREBUILT);
	}
	job->prebuilt = built.size > 0;
	job->workload =
		job->prebuilt == 1
			? built
			: plm_workload_name(p->arena, plm_names_text(&plm_names_kind, p->row->kind),
					    p->row->group, p->meta.name, uid);
}

static void read_labels(struct plm_project *p, struct plm_doc *root, struct plm_w_job *job)
{
	job->queue = plm_project_label(p, PLM_LABEL_QUEUE);
	job->priority_class = plm_project_label(p, PLM_LABEL_PRIORITY);
	job->max_exec_s = plm_project_max_exec(p, root);
	job->elastic = plm_project_is_elastic(p, root);
	name_workload(p, root, job);
}

/* ---- pod sets ---------------------------------------------------------------------------------- */

static int64_t count_at(struct plm_project *p, struct plm_doc *map, const char *path,
			int64_t absent)
{
	struct plm_doc *node = path == NULL ? NULL : plm_doc_at(map, path);

	return node == NULL ? absent : plm_doc_count(p->tree, node, NULL, absent);
}

static struct plm_slice lower(struct plm_arena *arena, struct plm_slice text)
{
	uint8_t *out = plm_arena_take(arena, text.size);

	for (size_t i = 0; i < text.size; i++) {
		uint8_t byte = text.ptr[i];

		out[i] = byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
	}
	return plm_slice_of(out, text.size);
}

struct plm_w_pod_set_spec *plm_sets_add(struct plm_sets *sets, struct plm_slice name,
					struct plm_doc *template, int64_t count)
{
	struct plm_project *p = sets->p;
	struct plm_w_pod_set_spec *set = &sets->list[sets->count];

	if (sets->count == PLM_LIMIT_JOB_SETS) {
		plm_doc_fail(p->tree, template, "at most %d pod sets", PLM_LIMIT_JOB_SETS);
		return &sets->list[sets->count - 1];
	}
	plm_project_template(p, template, "main", count, set);
	set->name = lower(p->arena, name);
	if (count > PLM_LIMIT_POD_SET_PODS) {
		plm_doc_fail(p->tree, template, "at most %d pods", PLM_LIMIT_POD_SET_PODS);
	}
	sets->templates[sets->count] = template;
	sets->each[sets->count] = 1;
	sets->count++;
	return set;
}

/* The pod set that 'rule' finds at 'place', which is there. */
static void add_by_rule(struct plm_sets *sets, const struct plm_set_rule *rule,
			struct plm_doc *place)
{
	struct plm_project *p = sets->p;
	struct plm_doc *template =
		rule->template[0] == '\0' ? place : plm_doc_at(place, rule->template);
	struct plm_slice name = rule->name != NULL
					? plm_slice_str(rule->name)
					: plm_doc_text_required(p->tree, place, rule->name_at);
	int64_t count = count_at(p, place, rule->count, 1);
	int64_t times = plm_max(1, count_at(p, place, rule->times, 1));
	struct plm_w_pod_set_spec *set = NULL;

	if (rule->times != NULL && count_at(p, place, rule->times, 1) == 0) {
		times = 0;
	}
	count = plm_min(count, count_at(p, place, rule->at_most, INT64_MAX));
	if (count > PLM_LIMIT_POD_SET_PODS || times > PLM_LIMIT_POD_SET_PODS) {
		plm_doc_fail(p->tree,
			     count > PLM_LIMIT_POD_SET_PODS ? plm_doc_at(place, rule->count)
							    : place,
			     "at most %d pods", PLM_LIMIT_POD_SET_PODS);
		return;
	}
	set = plm_sets_add(sets, name, template, count * times);
	plm_project_topology_wish(p, template, rule->index, set);
	if (set->topology_asked == 1 && rule->group != NULL) {
		set->sub_group_label = plm_slice_str(rule->group);
		set->sub_group_count = times;
	}
	sets->each[sets->count - 1] = count;
}

void plm_sets_by_table(struct plm_sets *sets, enum plm_kind kind, struct plm_doc *root)
{
	size_t count = 0;
	const struct plm_set_rule *rules = plm_set_rules(&count);

	for (size_t i = 0; i < count; i++) {
		struct plm_doc *place = NULL;

		if (rules[i].kind != kind) {
			continue;
		}
		place = plm_doc_at(root, rules[i].at);
		if (rules[i].place == PLM_SET_AT && place != NULL) {
			add_by_rule(sets, &rules[i], place);
		}
		for (place = rules[i].place == PLM_SET_EACH ? plm_doc_items(place) : NULL;
		     place != NULL; place = place->next) {
			add_by_rule(sets, &rules[i], place);
		}
	}
}

static void read_sets(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	sets->list = plm_project_array(sets->p, PLM_LIMIT_JOB_SETS, sizeof(*sets->list));
	plm_sets_by_table(sets, (enum plm_kind)job->kind, root);
	plm_sets_special(sets, root, job);
	job->pod_sets = (struct plm_vec){sets->list, sets->count};
	for (size_t i = 0; i < sets->count; i++) {
		job->parallelism += sets->list[i].count;
	}
	job->completions = job->parallelism;
	if (sets->count == 0 && sets->p->tree->code == PLM_OK && job->kind != PLM_KIND_TRAIN_JOB &&
	    job->managed == 1) {
		plm_doc_fail(sets->p->tree, plm_doc_get(root, "spec"), "no pod template");
	}
}

/* ---- status ------------------------------------------------------------------------------------ */

static int64_t when_ended(struct plm_project *p, struct plm_doc *status)
{
	static const char *const keys[] = {"completionTime", "endTime", "terminationTime"};

	for (size_t i = 0; i < PLM_COUNTOF(keys); i++) {
		int64_t ms = plm_doc_time(p->tree, status, keys[i]);

		if (ms != PLM_UNSET) {
			return ms;
		}
	}
	return p->meta.created_ms == PLM_UNSET ? 0 : p->meta.created_ms;
}

static struct plm_slice text_at(struct plm_project *p, struct plm_doc *status, const char *path)
{
	return plm_doc_text(p->tree, plm_doc_at(status, path), NULL);
}

static bool end_holds(struct plm_project *p, struct plm_doc *root, const struct plm_end_rule *rule,
		      int64_t *out_ms)
{
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");

	if (rule->unless != NULL && plm_project_condition_ms(p, root, rule->unless) != PLM_UNSET) {
		return false;
	}
	if (rule->condition != NULL) {
		*out_ms = plm_project_condition_ms(p, root, rule->condition);
		return *out_ms != PLM_UNSET;
	}
	*out_ms = when_ended(p, status);
	return plm_slice_is(text_at(p, status, rule->path), rule->value);
}

static void read_end(struct plm_project *p, struct plm_doc *root, struct plm_w_job *job)
{
	size_t count = 0;
	const struct plm_end_rule *rules = plm_end_rules(&count);

	job->end = PLM_JOB_OPEN;
	job->ended_ms = PLM_UNSET;
	for (size_t i = 0; i < count && job->end == PLM_JOB_OPEN; i++) {
		int64_t ms = PLM_UNSET;

		if (rules[i].kind != (enum plm_kind)job->kind ||
		    !end_holds(p, root, &rules[i], &ms)) {
			continue;
		}
		job->end = rules[i].end;
		job->ended_ms = ms;
		if (rules[i].only_at != NULL &&
		    !plm_slice_is(text_at(p, plm_doc_get(root, "status"), rules[i].only_at),
				  rules[i].only)) {
			job->end = PLM_JOB_FAILED;
		}
	}
}

static void reclaim(struct plm_sets *sets, struct plm_w_job *job, struct plm_slice name,
		    int64_t succeeded)
{
	for (size_t i = 0; i < sets->count; i++) {
		int64_t back = succeeded * sets->each[i];

		if (!plm_slice_equal(sets->list[i].name, name) || succeeded == 0 ||
		    back > sets->list[i].count) {
			continue;
		}
		sets->back[job->reclaimable.count++] =
			(struct plm_w_pod_count){.name = name, .count = back};
	}
}

/* Entries are named by 'name', or by their key. They count pods, or Jobs of 'each' pods. */
static void read_counts(struct plm_sets *sets, const struct plm_integration *row,
			struct plm_doc *status, struct plm_w_job *job)
{
	struct plm_project *p = sets->p;
	struct plm_doc *entries = plm_doc_at(status, row->counts);

	sets->back = plm_project_array(p, sets->count, sizeof(*sets->back));
	job->reclaimable.ptr = sets->back;
	for (struct plm_doc *entry = entries == NULL ? NULL : entries->first; entry != NULL;
	     entry = entry->next) {
		struct plm_slice named = plm_doc_text(p->tree, entry, "name");
		struct plm_slice name = lower(p->arena, entry->key.size > 0 ? entry->key : named);
		int64_t succeeded = plm_doc_count(p->tree, entry, "succeeded", 0);
		int64_t each = 1;

		for (size_t i = 0; i < sets->count && row->reclaims; i++) {
			each = plm_slice_equal(sets->list[i].name, name) ? sets->each[i] : each;
		}
		job->active += plm_doc_count(p->tree, entry, "active", 0) * each;
		job->ready += plm_doc_count(p->tree, entry, "ready", 0) * each;
		job->succeeded += succeeded * each;
		job->failed += plm_doc_count(p->tree, entry, "failed", 0);
		if (row->reclaims) {
			reclaim(sets, job, name, succeeded);
		}
	}
}

static bool state_is(struct plm_slice state, const char *const *texts)
{
	for (size_t i = 0; texts[i] != NULL; i++) {
		if (plm_slice_is(state, texts[i])) {
			return true;
		}
	}
	return false;
}

static void read_status(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	struct plm_project *p = sets->p;
	const struct plm_integration *row = plm_integration((enum plm_kind)job->kind);
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_slice state = {0};

	PLM_ASSERT(row != NULL);
	job->started_ms = plm_doc_time(p->tree, status, "startTime");
	read_end(p, root, job);
	if (row->counts != NULL) {
		read_counts(sets, row, status, job);
	}
	if (row->state != NULL) {
		state = text_at(p, status, row->state);
		job->active = state_is(state, row->idle) ? 0 : job->parallelism;
	}
	if (row->running != NULL) {
		job->active = plm_project_condition_ms(p, root, row->running) == PLM_UNSET
				      ? 0
				      : job->parallelism;
	}
	if (row->ready != NULL && (plm_slice_is(state, row->ready) ||
				   plm_project_condition_ms(p, root, row->ready) != PLM_UNSET)) {
		job->ready = job->parallelism;
	}
	if (job->end != PLM_JOB_OPEN) {
		job->active = 0;
		job->ready = 0;
	}
}

/* ---- the rest of the spec ---------------------------------------------------------------------- */

static bool leads_to(const struct plm_sets *sets, const struct plm_doc *node)
{
	for (size_t i = 0; i < sets->count; i++) {
		const struct plm_doc *at = sets->templates[i];

		while (at != NULL && at != node) {
			at = at->parent;
		}
		if (at != NULL) {
			return true;
		}
	}
	return false;
}

static void ignore_children(const struct plm_sets *sets, struct plm_doc *map)
{
	for (struct plm_doc *child = map->first; child != NULL; child = child->next) {
		if (leads_to(sets, child)) {
			child->seen = child->seen == 0 ? 1 : child->seen;
		} else {
			plm_doc_ignore(child);
		}
	}
}

/* What stands beside the templates is its own controller's business. */
static void ignore_beside(const struct plm_sets *sets, struct plm_doc *spec)
{
	if (spec == NULL) {
		return;
	}
	ignore_children(sets, spec);
	for (size_t i = 0; i < sets->count; i++) {
		struct plm_doc *at = sets->templates[i] == NULL ? spec : sets->templates[i];

		for (; at != spec && at->parent != NULL; at = at->parent) {
			ignore_children(sets, at->parent);
		}
	}
}

/* A queue is named, so it is suspended until it is let in, unless it runs already. */
static int64_t is_suspended(struct plm_project *p, struct plm_doc *root,
			    const struct plm_w_job *job)
{
	const struct plm_integration *row = plm_integration((enum plm_kind)job->kind);
	struct plm_doc *flag = row->suspend == NULL ? NULL : plm_doc_at(root, row->suspend);
	bool untouched =
		job->started_ms == PLM_UNSET && job->active == 0 && job->end == PLM_JOB_OPEN;

	if (row->start == PLM_START_NEVER) {
		return 0;
	}
	return row->start == PLM_START_BY_PODS ||
	       (flag != NULL && plm_doc_bool(p->tree, flag, NULL, 0) == 1) ||
	       (job->managed == 1 && untouched);
}

/* Another controller may play the job; MultiKueue's is not there yet. */
static void read_managed_by(struct plm_project *p, struct plm_doc *root,
			    const struct plm_integration *row)
{
	struct plm_doc *by = row->managed_by == NULL ? NULL : plm_doc_at(root, row->managed_by);

	if (by != NULL && plm_slice_is(plm_doc_text(p->tree, by, NULL), PLM_MULTIKUEUE)) {
		plm_project_undecided(by);
	}
}

void plm_project_job(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_job *job = payload;
	const struct plm_integration *row = plm_integration(p->row->kind);
	struct plm_sets sets = {.p = p};
	struct plm_doc *backoff = NULL;

	PLM_ASSERT(row != NULL);
	job->kind = p->row->kind;
	job->min_parallelism = PLM_UNSET;
	job->nodes = PLM_UNSET;
	read_labels(p, root, job);
	if (job->priority_class.size == 0 && row->priority != NULL) {
		job->priority_class = plm_doc_text(p->tree, plm_doc_at(root, row->priority), NULL);
	}
	job->managed = job->queue.size > 0;
	backoff = row->backoff == NULL ? NULL : plm_doc_at(root, row->backoff);
	job->backoff_limit =
		backoff == NULL ? row->backoff_default : plm_doc_count(p->tree, backoff, NULL, 0);
	read_sets(&sets, root, job);
	read_status(&sets, root, job);
	plm_sets_rest(&sets, root, job);
	job->suspended = is_suspended(p, root, job);
	if (job->kind != PLM_KIND_JOB && job->kind != PLM_KIND_POD_SET) {
		ignore_beside(&sets, plm_doc_get(root, "spec"));
	}
	read_managed_by(p, root, row);
}
