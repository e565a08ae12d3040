#include "reducers/cluster/additions.h"

#include "core/limits.h"
#include "reducers/cluster/ungate.h"

struct adding {
	const struct plm_state *st;
	struct plm_arena *arena;
	const struct plm_workload *workload;
};

/* Rows by key, each key once. */
struct rows {
	struct plm_w_kv *list;
	size_t count;
};

static struct plm_slice text(const struct adding *a, plm_sym sym)
{
	return plm_str(a->st, sym);
}

static const struct plm_w_kv *row_of(const struct rows *rows, struct plm_slice key)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (plm_slice_equal(rows->list[i].key, key)) {
			return &rows->list[i];
		}
	}
	return NULL;
}

/* Add 'span'; a key that is there stays. The first key with another value is returned, else 0. */
static plm_sym add_rows(const struct adding *a, struct rows *rows, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_kv *kv = PLM_SPAN(a->st, span, struct plm_kv, &count);
	plm_sym conflict = {0};

	for (uint32_t i = 0; i < count; i++) {
		struct plm_w_kv row = {text(a, kv[i].key), text(a, kv[i].value)};
		const struct plm_w_kv *had = row_of(rows, row.key);
		size_t at = rows->count;

		if (had != NULL) {
			if (conflict.n == 0 && !plm_slice_equal(had->value, row.value)) {
				conflict = kv[i].key;
			}
			continue;
		}
		if (rows->count == PLM_LIMIT_FLAVOR_LABELS) {
			break;
		}
		for (; at > 0 && plm_slice_compare(rows->list[at - 1].key, row.key) > 0; at--) {
			rows->list[at] = rows->list[at - 1];
		}
		rows->list[at] = row;
		rows->count++;
	}
	return conflict;
}

static struct rows no_rows(const struct adding *a)
{
	return (struct rows){PLM_NEW_ARRAY(a->arena, PLM_LIMIT_FLAVOR_LABELS, struct plm_w_kv), 0};
}

/* Pods say which pod set they are of: that is how they find their places. */
static void add_set_label(const struct adding *a, struct rows *labels, plm_sym name)
{
	PLM_ASSERT(labels->count == 0);
	labels->list[labels->count++] =
		(struct plm_w_kv){plm_slice_str("kueue.x-k8s.io/podset"), text(a, name)};
}

/* The flavor of entry 'i', 0 when it is gone or was the one before. */
static plm_id flavor_at(const struct adding *a, const struct plm_kv *of, uint32_t i)
{
	if (i > 0 && plm_sym_equal(of[i].value, of[i - 1].value)) {
		return (plm_id){0};
	}
	return plm_find(a->st, PLM_KIND_FLAVOR, (plm_sym){0}, of[i].value);
}

static void add_tolerations(const struct adding *a, struct plm_w_toleration *rows, size_t *count,
			    plm_sym span)
{
	uint32_t given = 0;
	const struct plm_toleration *t = PLM_SPAN(a->st, span, struct plm_toleration, &given);

	for (uint32_t k = 0; k < given && *count < PLM_LIMIT_FLAVOR_LABELS; k++) {
		rows[(*count)++] = (struct plm_w_toleration){
			.key = text(a, t[k].key),
			.op = t[k].op,
			.value = text(a, t[k].value),
			.effect = t[k].effect,
			.seconds = t[k].seconds,
		};
	}
}

static const struct plm_assignment *assignment_at(const struct adding *a, uint32_t at)
{
	uint32_t count = 0;
	const struct plm_assignment *list =
		PLM_SPAN(a->st, a->workload->assignments, struct plm_assignment, &count);

	PLM_ASSERT(at < count);
	return &list[at];
}

/* Update 'i' of check 'check' when it is for 'set'. */
static const struct plm_pod_set_update *
update_for(const struct adding *a, const struct plm_check_status *check, plm_sym set)
{
	uint32_t count = 0;
	const struct plm_pod_set_update *list =
		PLM_SPAN(a->st, check->updates, struct plm_pod_set_update, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].name, set)) {
			return &list[i];
		}
	}
	return NULL;
}

static const struct plm_check_status *checks_of(const struct adding *a, uint32_t *count)
{
	return PLM_SPAN(a->st, a->workload->checks, struct plm_check_status, count);
}

static void add_flavors(const struct adding *a, const struct plm_assignment *set,
			struct rows *selector, struct plm_w_toleration *tolerations, size_t *count)
{
	uint32_t flavors = 0;
	const struct plm_kv *of = PLM_SPAN(a->st, set->flavors, struct plm_kv, &flavors);

	for (uint32_t i = 0; i < flavors; i++) {
		plm_id id = flavor_at(a, of, i);

		if (id.n != 0) {
			const struct plm_flavor *flavor = plm_flavor_at(a->st, id);

			(void)add_rows(a, selector, flavor->node_labels);
			add_tolerations(a, tolerations, count, flavor->tolerations);
		}
	}
}

void plm_additions_fill(const struct plm_state *st, struct plm_arena *arena, plm_id workload,
			uint32_t at, struct plm_w_start_set *out)
{
	const struct adding a = {st, arena, plm_workload_at(st, workload)};
	const struct plm_assignment *set = assignment_at(&a, at);
	struct rows selector = no_rows(&a);
	struct rows labels = no_rows(&a);
	struct rows annotations = no_rows(&a);
	struct plm_w_toleration *tolerations =
		PLM_NEW_ARRAY(arena, PLM_LIMIT_FLAVOR_LABELS, struct plm_w_toleration);
	size_t tolerated = 0;
	uint32_t checks = 0;
	const struct plm_check_status *check = checks_of(&a, &checks);

	add_set_label(&a, &labels, set->name);
	add_flavors(&a, set, &selector, tolerations, &tolerated);
	for (uint32_t i = 0; i < checks; i++) {
		const struct plm_pod_set_update *update = update_for(&a, &check[i], set->name);

		if (update != NULL) {
			(void)add_rows(&a, &selector, update->node_selector);
			(void)add_rows(&a, &labels, update->labels);
			(void)add_rows(&a, &annotations, update->annotations);
			add_tolerations(&a, tolerations, &tolerated, update->tolerations);
		}
	}
	*out = (struct plm_w_start_set){
		.name = text(&a, set->name),
		.count = set->count,
		.node_selector = {selector.list, selector.count},
		.tolerations = {tolerations, tolerated},
		.labels = {labels.list, labels.count},
		.annotations = {annotations.list, annotations.count},
		/* Pods of a set with domains wait until it is known which goes where: ungate.c. */
		.gate = plm_slice_str(set->domains.n == 0 ? "" : PLM_TOPOLOGY_GATE),
	};
}

/* ---- conflicts --------------------------------------------------------------------------------- */

static const struct plm_pod_set *template_of(const struct adding *a, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *list =
		PLM_SPAN(a->st, a->workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].name, name)) {
			return &list[i];
		}
	}
	return NULL;
}

/* The template and the flavors come first: what checks say is compared with them and with each other. */
static bool set_conflicts(const struct adding *a, const struct plm_assignment *set,
			  struct plm_addition_conflict *out)
{
	const struct plm_pod_set *template = template_of(a, set->name);
	struct rows selector = no_rows(a);
	struct rows labels = no_rows(a);
	struct rows annotations = no_rows(a);
	struct plm_w_toleration *tolerations =
		PLM_NEW_ARRAY(a->arena, PLM_LIMIT_FLAVOR_LABELS, struct plm_w_toleration);
	size_t tolerated = 0;
	uint32_t checks = 0;
	const struct plm_check_status *check = checks_of(a, &checks);

	if (template != NULL) {
		uint32_t one = 0;
		const struct plm_shape *shape =
			PLM_SPAN(a->st, template->shape, struct plm_shape, &one);

		PLM_ASSERT(one == 1);
		(void)add_rows(a, &selector, shape->node_selector);
		(void)add_rows(a, &labels, template->labels);
	}
	add_flavors(a, set, &selector, tolerations, &tolerated);
	for (uint32_t i = 0; i < checks; i++) {
		const struct plm_pod_set_update *update = update_for(a, &check[i], set->name);

		if (update == NULL) {
			continue;
		}
		*out = (struct plm_addition_conflict){.pod_set = set->name, .check = check[i].name};
		out->field = "nodeSelector";
		out->key = add_rows(a, &selector, update->node_selector);
		if (out->key.n == 0) {
			out->field = "labels";
			out->key = add_rows(a, &labels, update->labels);
		}
		if (out->key.n == 0) {
			out->field = "annotations";
			out->key = add_rows(a, &annotations, update->annotations);
		}
		if (out->key.n != 0) {
			return true;
		}
	}
	return false;
}

bool plm_additions_conflict(const struct plm_state *st, struct plm_arena *arena, plm_id workload,
			    struct plm_addition_conflict *out)
{
	const struct adding a = {st, arena, plm_workload_at(st, workload)};
	uint32_t checks = 0;
	uint32_t updates = 0;
	uint32_t sets = 0;
	const struct plm_check_status *check = checks_of(&a, &checks);

	for (uint32_t i = 0; i < checks; i++) {
		updates += check[i].updates.n != 0;
	}
	if (updates == 0) {
		return false;
	}
	(void)PLM_SPAN(st, a.workload->assignments, struct plm_assignment, &sets);
	for (uint32_t at = 0; at < sets; at++) {
		if (set_conflicts(&a, assignment_at(&a, at), out)) {
			return true;
		}
	}
	return false;
}
