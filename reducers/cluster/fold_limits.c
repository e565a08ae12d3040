/* LimitRanges and RuntimeClasses, and what they make of workloads: kueue.md 2.1. */
#include "reducers/cluster/fold.h"
#include "reducers/cluster/pod_limits.h"

/* ---- the limits of a namespace ----------------------------------------------------------------- */

/* One type of thing with all LimitRanges of the namespace folded. */
struct folded {
	struct plm_asks max, min, default_limits, default_requests, ratio;
	bool found;
};

static uint32_t size_of(const struct plm_state *st, plm_sym span)
{
	uint32_t count = 0;

	(void)PLM_SPAN(st, span, struct plm_amount, &count);
	return count;
}

enum keep {
	KEEP_LOWEST,
	KEEP_HIGHEST,
	KEEP_FIRST
};

static void keep(const struct plm_state *st, struct plm_asks *to, plm_sym span, enum keep how)
{
	uint32_t count = 0;
	const struct plm_amount *amount = PLM_SPAN(st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_ask *there = plm_asks_find(to, amount[i].resource.n);
		plm_i128 nano = plm_exact_nano(amount[i].amount, amount[i].excess_nano,
					       plm_resource_scale(plm_str(st, amount[i].resource)));

		if (there == NULL) {
			plm_asks_add(to, amount[i].resource.n, nano);
		} else if ((how == KEEP_LOWEST && nano < there->nano) ||
			   (how == KEEP_HIGHEST && nano > there->nano)) {
			there->nano = nano;
		}
	}
}

static void fold_item(const struct plm_state *st, struct folded *to,
		      const struct plm_limit_item *item)
{
	to->found = true;
	keep(st, &to->max, item->max, KEEP_LOWEST);
	keep(st, &to->min, item->min, KEEP_HIGHEST);
	keep(st, &to->default_limits, item->default_limits, KEEP_FIRST);
	keep(st, &to->default_requests, item->default_requests, KEEP_FIRST);
	keep(st, &to->ratio, item->ratio, KEEP_LOWEST);
}

static void fill_all(struct plm_asks *to, const struct plm_asks *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		plm_asks_fill(to, from->list[i].key, from->list[i].nano);
	}
}

/*
 * What an API server adds to a LimitRange that is stored: a missing default is the maximum, a missing
 * default request is the default or else the minimum. Objects from a cluster have that already.
 */
static void complete(struct folded *container)
{
	fill_all(&container->default_limits, &container->max);
	fill_all(&container->default_requests, &container->default_limits);
	fill_all(&container->default_requests, &container->min);
}

static struct folded begin_folded(struct plm_arena *arena, uint32_t room)
{
	return (struct folded){
		.max = plm_asks_make(arena, room),
		.min = plm_asks_make(arena, room),
		.default_limits = plm_asks_make(arena, room),
		.default_requests = plm_asks_make(arena, room),
		.ratio = plm_asks_make(arena, room),
	};
}

/* The LimitRanges of 'ns' but 'without', by name; '*out_room' resources that they name at most. */
static uint32_t *ranges_of(const struct plm_fold *f, plm_sym ns, plm_id without,
			   uint32_t *out_count, uint32_t *out_room)
{
	const struct plm_state *st = f->st;
	uint32_t *list = PLM_NEW_ARRAY(f->scratch, plm_limit_range_live(st), uint32_t);
	uint32_t count = 0;

	*out_room = 0;
	PLM_EACH(st, limit_range, id)
	{
		const struct plm_limit_range *range = plm_limit_range_at(st, id);
		uint32_t items = 0;
		const struct plm_limit_item *item =
			PLM_SPAN(st, range->items, struct plm_limit_item, &items);
		uint32_t at = count;

		if (id.n == without.n || !plm_sym_equal(range->object.ns, ns)) {
			continue;
		}
		for (uint32_t i = 0; i < items; i++) {
			*out_room += size_of(st, item[i].max) + size_of(st, item[i].min) +
				     size_of(st, item[i].default_limits) +
				     size_of(st, item[i].default_requests) +
				     size_of(st, item[i].ratio);
		}
		for (; at > 0; at--) {
			const struct plm_limit_range *before =
				plm_limit_range_at(st, (plm_id){list[at - 1]});

			if (plm_sym_compare(st, before->object.name, range->object.name) < 0) {
				break;
			}
			list[at] = list[at - 1];
		}
		list[at] = id.n;
		count++;
	}
	*out_count = count;
	return list;
}

static void fold_range(const struct plm_state *st, struct folded *types, plm_id id)
{
	uint32_t items = 0;
	const struct plm_limit_item *item =
		PLM_SPAN(st, plm_limit_range_at(st, id)->items, struct plm_limit_item, &items);

	for (uint32_t i = 0; i < items; i++) {
		PLM_ASSERT(item[i].type <= PLM_LIMIT_TYPE_VOLUME_CLAIM);
		fold_item(st, &types[item[i].type], &item[i]);
	}
}

static plm_sym intern_folded(const struct plm_fold *f, const struct folded *types)
{
	struct plm_limit_item items[2];
	uint32_t count = 0;

	for (uint32_t type = PLM_LIMIT_TYPE_CONTAINER; type <= PLM_LIMIT_TYPE_POD; type++) {
		const struct folded *from = &types[type];

		if (!from->found) {
			continue;
		}
		items[count++] = (struct plm_limit_item){
			.type = type,
			.max = plm_pod_asks_intern(f->st, &from->max, f->scratch),
			.min = plm_pod_asks_intern(f->st, &from->min, f->scratch),
			.default_limits =
				plm_pod_asks_intern(f->st, &from->default_limits, f->scratch),
			.default_requests =
				plm_pod_asks_intern(f->st, &from->default_requests, f->scratch),
			.ratio = plm_pod_asks_intern(f->st, &from->ratio, f->scratch),
		};
	}
	return plm_intern_span(f->st, items, count, sizeof(items[0]));
}

/* The limits of namespace 'ns' anew, without one that goes. */
static void fold_namespace(const struct plm_fold *f, plm_id ns, plm_id without)
{
	struct plm_state *st = f->st;
	size_t mark = plm_arena_mark(f->scratch);
	struct folded types[PLM_LIMIT_TYPE_VOLUME_CLAIM + 1];
	uint32_t count = 0;
	uint32_t room = 0;
	uint32_t *list =
		ranges_of(f, plm_namespace_at(st, ns)->object.name, without, &count, &room);

	for (uint32_t type = 0; type < PLM_COUNTOF(types); type++) {
		types[type] = begin_folded(f->scratch, room);
	}
	for (uint32_t i = 0; i < count; i++) {
		fold_range(st, types, (plm_id){list[i]});
	}
	if (plm_root(st)->compat != PLM_COMPAT_STRICT) {
		complete(&types[PLM_LIMIT_TYPE_CONTAINER]);
	}
	plm_namespace_edit(st, ns)->limits = intern_folded(f, types);
	plm_arena_rewind(f->scratch, mark);
}

/* ---- workloads --------------------------------------------------------------------------------- */

static bool counts_anew(const struct plm_state *st, plm_sym ns, const struct plm_shape *shape)
{
	struct plm_pod_limits limits = plm_pod_limits_of(st, ns, shape);

	return limits.container != NULL || limits.pod != NULL ||
	       !plm_sym_equal(limits.overhead, shape->overhead);
}

static plm_sym limited_shape(const struct plm_fold *f, plm_sym ns, const struct plm_shape *shape)
{
	size_t mark = plm_arena_mark(f->scratch);
	struct plm_pod_limits limits = plm_pod_limits_of(f->st, ns, shape);
	struct plm_pod_exam exam = plm_pod_examine(f->st, shape, &limits, f->scratch);
	struct plm_shape limited = *shape;
	plm_sym sym = {0};

	limited.requests = plm_pod_asks_intern(f->st, &exam.requests, f->scratch);
	limited.over_limit = exam.limits.resource;
	limited.out_of_range = exam.range.resource;
	sym = plm_intern_span(f->st, &limited, 1, sizeof(limited));
	plm_arena_rewind(f->scratch, mark);
	return sym;
}

/* 'again': they may bear the marks of limits that are gone. */
static void limit_pod_sets(const struct plm_fold *f, plm_id workload, bool again)
{
	struct plm_state *st = f->st;
	size_t mark = plm_arena_mark(f->scratch);
	plm_sym ns = plm_workload_at(st, workload)->object.ns;
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, plm_workload_at(st, workload)->pod_sets, struct plm_pod_set, &count);
	struct plm_pod_set *limited = PLM_NEW_ARRAY(f->scratch, count, struct plm_pod_set);
	bool changed = false;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		const struct plm_shape *shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);

		PLM_ASSERT(one == 1);
		limited[i] = sets[i];
		if (again || counts_anew(st, ns, shape)) {
			limited[i].shape = limited_shape(f, ns, shape);
		}
		changed = changed || !plm_sym_equal(limited[i].shape, sets[i].shape);
	}
	if (changed) {
		plm_workload_edit(st, workload)->pod_sets =
			plm_intern_span(st, limited, count, sizeof(*limited));
	}
	plm_arena_rewind(f->scratch, mark);
}

void plm_fold_pod_limits(const struct plm_fold *f, plm_id workload)
{
	limit_pod_sets(f, workload, false);
}

void plm_fold_pod_limits_anew(const struct plm_fold *f, plm_id workload)
{
	limit_pod_sets(f, workload, true);
}

/* What holds quota is counted as it was admitted; it is looked at again when it gives that back. */
static void limit_namespace(const struct plm_fold *f, plm_sym ns)
{
	PLM_EACH(f->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(f->st, id);

		if (workload->stage == PLM_STAGE_PENDING &&
		    plm_sym_equal(workload->object.ns, ns)) {
			limit_pod_sets(f, id, true);
		}
	}
}

static bool has_class(const struct plm_state *st, plm_sym pod_sets, plm_sym class)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(st, pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		const struct plm_shape *shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);

		if (plm_sym_equal(shape->runtime_class, class)) {
			return true;
		}
	}
	return false;
}

static void limit_class(const struct plm_fold *f, plm_sym class)
{
	PLM_EACH(f->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(f->st, id);

		if (workload->stage == PLM_STAGE_PENDING &&
		    has_class(f->st, workload->pod_sets, class)) {
			limit_pod_sets(f, id, true);
		}
	}
}

/* ---- facts ------------------------------------------------------------------------------------- */

void plm_fold_namespace_limits(const struct plm_fold *f, plm_id ns)
{
	if (plm_limit_range_live(f->st) > 0) {
		fold_namespace(f, ns, (plm_id){0});
		limit_namespace(f, plm_namespace_at(f->st, ns)->object.name);
	}
}

void plm_fold_limit_range(const struct plm_folding *in, const struct plm_w_limit_range *w)
{
	struct plm_state *st = in->f.st;
	plm_id id = plm_fold_object(in, PLM_KIND_LIMIT_RANGE, &w->meta, NULL);
	plm_sym ns = plm_limit_range_at(st, id)->object.ns;
	plm_id space = plm_find(st, PLM_KIND_NAMESPACE, (plm_sym){0}, ns);

	plm_limit_range_edit(st, id)->items = plm_fold_limit_items(&in->f, w->items);
	if (space.n != 0) {
		fold_namespace(&in->f, space, (plm_id){0});
		limit_namespace(&in->f, ns);
	}
}

void plm_fold_runtime_class(const struct plm_folding *in, const struct plm_w_runtime_class *w)
{
	struct plm_state *st = in->f.st;
	plm_id id = plm_fold_object(in, PLM_KIND_RUNTIME_CLASS, &w->meta, NULL);

	plm_runtime_class_edit(st, id)->overhead = plm_fold_exacts(&in->f, w->overhead);
	limit_class(&in->f, plm_runtime_class_at(st, id)->object.name);
}

void plm_fold_limits_gone(const struct plm_fold *f, enum plm_kind kind, plm_id id)
{
	struct plm_state *st = f->st;

	if (kind == PLM_KIND_LIMIT_RANGE) {
		plm_sym ns = plm_limit_range_at(st, id)->object.ns;
		plm_id space = plm_find(st, PLM_KIND_NAMESPACE, (plm_sym){0}, ns);

		if (space.n != 0) {
			fold_namespace(f, space, id);
			limit_namespace(f, ns);
		}
	} else if (kind == PLM_KIND_RUNTIME_CLASS) {
		plm_runtime_class_edit(st, id)->overhead = (plm_sym){0};
		limit_class(f, plm_runtime_class_at(st, id)->object.name);
	}
}
