#include "world.h"

#include "reducers/admission/activity.h"

#include <stdio.h>
#include <stdlib.h>

#define MILLI 1000

/* ---- life -------------------------------------------------------------------------------------- */

void world_init(struct world *w)
{
	struct plm_error err;
	struct plm_w_config config = {.compat = PLM_COMPAT_STRICT};

	*w = (struct world){.now_ms = 1000000};
	plm_assert_ok(plm_state_init(&w->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&w->scratch, 1U << 28, &err), &err);
	plm_assert_ok(plm_arena_init(&w->step, 1U << 30, &err), &err);
	plm_assert_ok(plm_arena_init(&w->memory, 1U << 28, &err), &err);
	world_config(w, &config);
	world_setup(w, "namespace ns\nflavor default");
}

void world_fini(struct world *w)
{
	plm_state_check(&w->st);
	plm_state_fini(&w->st);
	plm_arena_fini(&w->scratch);
	plm_arena_fini(&w->step);
	plm_arena_fini(&w->memory);
}

void world_fold(struct world *w, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {
		.seq = ++w->seq,
		.tick_ms = (uint64_t)w->now_ms,
		.type = (uint16_t)type,
		.payload = payload,
	};

	if (w->before != NULL) {
		w->before(w, &event);
	}
	plm_apply(&w->st, &event, &w->scratch);
	if (w->mirror != NULL) {
		plm_apply(w->mirror, &event, &w->scratch);
	}
	plm_arena_reset(&w->scratch);
}

void world_config(struct world *w, const struct plm_w_config *config)
{
	world_fold(w, PLM_EV_CONFIG, config);
}

plm_id world_workload(const struct world *w, const char *name)
{
	plm_id id = plm_find_text(&w->st, PLM_KIND_WORKLOAD, "ns", name);

	assert_int_not_equal(id.n, 0);
	return id;
}

/* ---- words ------------------------------------------------------------------------------------- */

/* The words of one line. */
struct line {
	struct world *w;
	struct plm_slice words[64];
	size_t count;
};

static struct line split(struct world *w, struct plm_slice text)
{
	struct line line = {.w = w};
	size_t at = 0;

	while (at < text.size) {
		size_t end = at;

		while (end < text.size && text.ptr[end] != ' ' && text.ptr[end] != '\t') {
			end++;
		}
		if (end > at) {
			assert_true(line.count < PLM_COUNTOF(line.words));
			line.words[line.count++] =
				plm_arena_copy(&w->memory, plm_slice_of(text.ptr + at, end - at));
		}
		at = end + 1;
	}
	return line;
}

/* The value of the first "key=value" after word 'from'; empty when there is none. */
static struct plm_slice value_from(const struct line *line, const char *key, size_t from)
{
	size_t size = strlen(key);

	for (size_t i = from; i < line->count; i++) {
		struct plm_slice word = line->words[i];

		if (word.size > size && memcmp(word.ptr, key, size) == 0 && word.ptr[size] == '=') {
			return plm_slice_of(word.ptr + size + 1, word.size - size - 1);
		}
	}
	return (struct plm_slice){0};
}

static struct plm_slice value(const struct line *line, const char *key)
{
	return value_from(line, key, 1);
}

static bool flag(const struct line *line, const char *word)
{
	for (size_t i = 1; i < line->count; i++) {
		if (plm_slice_is(line->words[i], word)) {
			return true;
		}
	}
	return false;
}

static int64_t to_number(struct plm_slice text, int64_t absent)
{
	char copy[32] = {0};

	if (text.size == 0 || plm_slice_is(text, "-")) {
		return absent;
	}
	if (plm_slice_is(text, "inf")) {
		return PLM_UNLIMITED;
	}
	assert_true(text.size < sizeof(copy));
	memcpy(copy, text.ptr, text.size);
	return strtoll(copy, NULL, 10);
}

static int64_t number(const struct line *line, const char *key, int64_t absent)
{
	return to_number(value(line, key), absent);
}

static int64_t choice(const struct line *line, const char *key, const struct plm_wire_names *names,
		      int64_t absent)
{
	struct plm_slice text = value(line, key);
	int64_t found = text.size == 0 ? absent : plm_names_find(names, text);

	assert_true(found >= 0);
	return found;
}

/* "a:b" in two. */
static struct plm_w_kv pair(struct plm_slice text)
{
	size_t at = 0;

	while (at < text.size && text.ptr[at] != ':') {
		at++;
	}
	return (struct plm_w_kv){
		plm_slice_of(text.ptr, at),
		at < text.size ? plm_slice_of(text.ptr + at + 1, text.size - at - 1)
			       : (struct plm_slice){0},
	};
}

static struct plm_w_meta meta(const struct line *line, const char *ns)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = line->words[1],
		.uid = line->words[1],
		.created_ms = number(line, "at", 0) * MILLI,
		.deleting_ms = PLM_UNSET,
	};
}

static void *one(struct world *w, const void *bytes, size_t size)
{
	void *copy = plm_arena_take(&w->memory, size);

	memcpy(copy, bytes, size);
	return copy;
}
#define ONE(w, thing) ((struct plm_vec){one((w), &(thing), sizeof(thing)), 1})

/* ---- queue objects ----------------------------------------------------------------------------- */

static int64_t scaled(int64_t amount, const char *resource)
{
	bool cpu = strcmp(resource, "cpu") == 0;

	return amount == PLM_UNSET || amount == PLM_UNLIMITED || !cpu ? amount : amount * MILLI;
}

/* nominal/borrow/lend */
static struct plm_w_quota quota(const char *resource, struct plm_slice text)
{
	struct plm_slice parts[3] = {{0}};
	size_t part = 0;

	parts[0] = plm_slice_of(text.ptr, 0);
	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] == '/') {
			part++;
			parts[part] = plm_slice_of(text.ptr + i + 1, 0);
		} else {
			parts[part].size++;
		}
	}
	return (struct plm_w_quota){
		.resource = plm_slice_str(resource),
		.nominal = scaled(to_number(parts[0], 0), resource),
		.borrowing = scaled(to_number(parts[1], PLM_UNSET), resource),
		.lending = scaled(to_number(parts[2], PLM_UNSET), resource),
	};
}

/* One group of all resources and flavors that the line names. */
static struct plm_vec groups(const struct line *line)
{
	static const char *const names[] = {"cpu", "mem", "pods"};
	struct world *w = line->w;
	struct plm_w_flavor_quota *flavors =
		PLM_NEW_ARRAY(&w->memory, 8, struct plm_w_flavor_quota);
	struct plm_slice *resources = PLM_NEW_ARRAY(&w->memory, 3, struct plm_slice);
	size_t resource_count = 0;
	size_t count = 0;
	struct plm_w_group group = {0};

	for (size_t r = 0; r < PLM_COUNTOF(names); r++) {
		if (value(line, names[r]).size > 0) {
			resources[resource_count++] = plm_slice_str(names[r]);
		}
	}
	for (size_t i = 1; i < line->count; i++) {
		struct plm_w_kv word = pair(line->words[i]);
		bool begins = plm_slice_is(word.key, "flavor");
		struct plm_w_quota *quotas = PLM_NEW_ARRAY(&w->memory, 3, struct plm_w_quota);
		size_t q = 0;

		if (!begins && (i > 1 || value_from(line, "flavor", 1).size > 0)) {
			continue;
		}
		for (size_t r = 0; r < PLM_COUNTOF(names); r++) {
			struct plm_slice text = value_from(line, names[r], i + 1);

			if (value(line, names[r]).size > 0) {
				quotas[q++] = quota(names[r], text);
			}
		}
		flavors[count++] = (struct plm_w_flavor_quota){
			.flavor = begins ? word.value : plm_slice_str("default"),
			.quotas = {quotas, q},
		};
	}
	/* Word 1, the name, stands for the flavor "default" unless others follow. */
	if (count > 1) {
		flavors++;
		count--;
	}
	group = (struct plm_w_group){{resources, resource_count}, {flavors, count}};
	return resource_count == 0 ? (struct plm_vec){0} : ONE(w, group);
}

static int64_t weight(const struct line *line)
{
	return number(line, "weight", 100) * 10000000;
}

/* The LocalQueue of a line; of a queue's line, the one of the same name. */
static void fold_local(const struct line *line, struct plm_slice queue)
{
	struct plm_w_amount consumed = {plm_slice_str("cpu"), number(line, "consumed", 0) * MILLI};
	struct plm_w_local_queue local = {
		.meta = meta(line, "ns"),
		.cluster_queue = queue,
		.work_queue = plm_slice_is(line->words[0], "local") ? value(line, "work")
								    : (struct plm_slice){0},
		.stop = plm_slice_is(line->words[0], "local")
				? choice(line, "stop", &plm_names_stop, 0)
				: PLM_STOP_NONE,
		.weight_nano = weight(line),
		.consumed_ms = PLM_UNSET,
	};

	if (consumed.amount > 0) {
		local.consumed = ONE(line->w, consumed);
		local.consumed_ms = line->w->now_ms;
	}
	world_fold(line->w, PLM_EV_LOCAL_QUEUE, &local);
}

static void fold_queue(const struct line *line)
{
	struct plm_w_check_use check = {.name = value(line, "check")};
	struct plm_w_cluster_queue queue = {
		.meta = meta(line, ""),
		.cohort = value(line, "cohort"),
		.groups = groups(line),
		.strategy = flag(line, "strict") ? PLM_STRATEGY_STRICT_FIFO
						 : PLM_STRATEGY_BEST_EFFORT_FIFO,
		.ns_selector = {.present = 1},
		.when_can_borrow = choice(line, "canBorrow", &plm_names_fungibility, 0),
		.when_can_preempt = choice(line, "canPreempt", &plm_names_fungibility, 1),
		.preference = choice(line, "prefer", &plm_names_flavor_preference, 0),
		.within = choice(line, "within", &plm_names_preemption, 0),
		.reclaim = choice(line, "reclaim", &plm_names_preemption, 0),
		.borrow_within = choice(line, "borrowWithin", &plm_names_preemption, 0),
		.borrow_threshold = number(line, "threshold", PLM_UNSET),
		.preempt_threshold = number(line, "preemptFrom", PLM_UNSET),
		.stop = choice(line, "stop", &plm_names_stop, 0),
		.weight_nano = weight(line),
		.capacity_check = flag(line, "capacity"),
		.dialect = flag(line, "dialect"),
		.admission_mode =
			flag(line, "byUsage") ? PLM_ADMISSION_BY_USAGE : PLM_ADMISSION_BY_ORDER,
	};

	struct plm_w_kv label = pair(value(line, "selects"));
	struct plm_w_expr expr = {
		.key = label.key, .op = PLM_OP_IN, .values = ONE(line->w, label.value)};

	if (check.name.size > 0) {
		queue.checks = ONE(line->w, check);
	}
	if (label.key.size > 0) {
		queue.ns_selector.exprs = ONE(line->w, expr);
	}
	world_fold(line->w, PLM_EV_CLUSTER_QUEUE, &queue);
	fold_local(line, line->words[1]);
}

static void fold_object(const struct line *line)
{
	struct world *w = line->w;
	struct plm_slice kind = line->words[0];

	if (plm_slice_is(kind, "namespace")) {
		struct plm_w_namespace ns = {.meta = meta(line, "")};
		struct plm_w_kv label = pair(value(line, "label"));

		if (label.key.size > 0) {
			ns.meta.labels = ONE(w, label);
		}
		world_fold(w, PLM_EV_NAMESPACE, &ns);
	} else if (plm_slice_is(kind, "flavor")) {
		struct plm_w_flavor flavor = {.meta = meta(line, "")};
		struct plm_w_kv label = pair(value(line, "label"));
		struct plm_w_taint taint = {.key = value(line, "taint"),
					    .effect = PLM_EFFECT_NO_SCHEDULE};

		if (label.key.size > 0) {
			flavor.node_labels = ONE(w, label);
		}
		if (taint.key.size > 0) {
			flavor.node_taints = ONE(w, taint);
		}
		world_fold(w, PLM_EV_FLAVOR, &flavor);
	} else if (plm_slice_is(kind, "cohort")) {
		struct plm_w_cohort cohort = {
			.meta = meta(line, ""),
			.parent = value(line, "parent"),
			.groups = groups(line),
			.weight_nano = weight(line),
		};

		world_fold(w, PLM_EV_COHORT, &cohort);
	} else if (plm_slice_is(kind, "local")) {
		fold_local(line, value(line, "queue"));
	} else if (plm_slice_is(kind, "work")) {
		struct plm_w_work_queue work = {
			.meta = meta(line, ""),
			.cluster_queue = value(line, "queue"),
			.max_parallel = number(line, "max", PLM_UNSET),
		};

		world_fold(w, PLM_EV_WORK_QUEUE, &work);
	} else if (plm_slice_is(kind, "check")) {
		struct plm_w_admission_check check = {.meta = meta(line, ""),
						      .active = !flag(line, "off")};

		world_fold(w, PLM_EV_ADMISSION_CHECK, &check);
	} else if (plm_slice_is(kind, "topology")) {
		struct plm_w_topology topology = {.meta = meta(line, "")};

		world_fold(w, PLM_EV_TOPOLOGY, &topology);
	} else {
		fail_msg("unknown line %.*s", (int)kind.size, (const char *)kind.ptr);
	}
}

/* ---- workloads --------------------------------------------------------------------------------- */

static struct plm_vec requests(const struct line *line, int64_t times)
{
	static const char *const names[] = {"cpu", "mem"};
	struct plm_w_amount *list = PLM_NEW_ARRAY(&line->w->memory, 2, struct plm_w_amount);
	size_t count = 0;

	for (size_t r = 0; r < PLM_COUNTOF(names); r++) {
		if (value(line, names[r]).size > 0) {
			list[count++] = (struct plm_w_amount){
				plm_slice_str(names[r]),
				scaled(number(line, names[r], 0), names[r]) * times,
			};
		}
	}
	return (struct plm_vec){list, count};
}

/* It holds quota of flavor 'held' for all that it asks for. */
static void hold(const struct line *line, struct plm_w_workload *workload, int64_t count)
{
	struct world *w = line->w;
	struct plm_vec usage = requests(line, count);
	const struct plm_w_amount *amounts = usage.ptr;
	struct plm_w_kv *flavors = PLM_NEW_ARRAY(&w->memory, usage.count, struct plm_w_kv);
	struct plm_w_assignment assignment = {
		.name = plm_slice_str("main"),
		.count = count,
		.usage = usage,
		.flavors = {flavors, usage.count},
	};

	for (size_t i = 0; i < usage.count; i++) {
		flavors[i] = (struct plm_w_kv){amounts[i].resource, value(line, "held")};
	}
	workload->cluster_queue = value(line, value(line, "in").size > 0 ? "in" : "queue");
	workload->assignments = ONE(w, assignment);
	workload->reserved_ms = number(line, "since", 0) * MILLI;
	workload->admitted_ms = workload->reserved_ms;
	if (flag(line, "evicted")) {
		workload->evicted_ms = w->now_ms - MILLI;
		workload->evicted_reason = plm_slice_str("Preempted");
	}
}

/* Values of "PREFIXcpu=N PREFIXmem=N". */
static struct plm_vec exacts(const struct line *line, const char *prefix)
{
	static const char *const names[] = {"cpu", "mem"};
	struct plm_w_exact *list = PLM_NEW_ARRAY(&line->w->memory, 2, struct plm_w_exact);
	size_t count = 0;

	for (size_t r = 0; r < PLM_COUNTOF(names); r++) {
		char key[64];

		(void)snprintf(key, sizeof(key), "%s%s", prefix, names[r]);
		if (value(line, key).size > 0) {
			list[count++] = (struct plm_w_exact){
				.resource = plm_slice_str(names[r]),
				.amount = scaled(number(line, key, 0), names[r]),
			};
		}
	}
	return (struct plm_vec){list, count};
}

/* Two containers at most: one, and before it an init container. */
static struct plm_vec containers(const struct line *line)
{
	struct plm_w_container *list = PLM_NEW_ARRAY(&line->w->memory, 2, struct plm_w_container);
	size_t count = 0;

	list[count] = (struct plm_w_container){.role = PLM_CONTAINER_INIT,
					       .requests = exacts(line, "init:")};
	count += list[0].requests.count > 0 ? 1 : 0;
	list[count++] = (struct plm_w_container){.role = PLM_CONTAINER_MAIN,
						 .requests = exacts(line, ""),
						 .limits = exacts(line, "limit:")};
	return (struct plm_vec){list, count};
}

static void fold_range(const struct line *line)
{
	static const char *const types[] = {"container", "pod"};
	struct plm_w_limit_item *items =
		PLM_NEW_ARRAY(&line->w->memory, 2, struct plm_w_limit_item);
	struct plm_w_limit_range range = {.meta = meta(line, "ns"), .items = {items, 2}};

	for (size_t t = 0; t < PLM_COUNTOF(types); t++) {
		struct plm_vec *sides[] = {&items[t].max, &items[t].min, &items[t].default_limits,
					   &items[t].default_requests};
		static const char *const names[] = {"max", "min", "default", "request"};

		items[t].type = (int64_t)t;
		for (size_t s = 0; s < PLM_COUNTOF(sides); s++) {
			char prefix[64];

			(void)snprintf(prefix, sizeof(prefix), "%s:%s:", types[t], names[s]);
			*sides[s] = exacts(line, prefix);
		}
	}
	world_fold(line->w, PLM_EV_LIMIT_RANGE, &range);
}

static struct plm_w_shape shape_of(const struct line *line)
{
	struct plm_w_shape shape = {.requests = requests(line, 1), .priority = PLM_UNSET};
	struct plm_w_kv selector = pair(value(line, "selector"));
	struct plm_w_toleration toleration = {
		.key = value(line, "tolerate"),
		.op = PLM_TOLERATION_EXISTS,
		.seconds = PLM_UNSET,
	};

	shape.containers = containers(line);
	shape.runtime_class = value(line, "class");
	if (selector.key.size > 0) {
		shape.node_selector = ONE(line->w, selector);
	}
	if (toleration.key.size > 0) {
		shape.tolerations = ONE(line->w, toleration);
	}
	return shape;
}

static void fold_workload(const struct line *line)
{
	struct world *w = line->w;
	int64_t count = number(line, "count", 1);
	struct plm_w_kv status = pair(value(line, "check"));
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"),
		.count = count,
		.min_count = number(line, "min", PLM_UNSET),
		.shape = shape_of(line),
	};
	struct plm_w_workload workload = {
		.meta = meta(line, "ns"),
		.queue = value(line, "queue"),
		.priority = number(line, "prio", 0),
		.active = !flag(line, "off"),
		.gated = flag(line, "gated"),
		.pod_sets = ONE(w, set),
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
	};
	struct plm_w_pod_count back = {plm_slice_str("main"), number(line, "back", 0)};

	if (number(line, "retryAt", PLM_UNSET) != PLM_UNSET) {
		workload.requeued = -1;
		workload.requeue_at_ms = number(line, "retryAt", 0) * MILLI;
	}
	if (back.count > 0) {
		workload.reclaimable = ONE(w, back);
	}
	if (status.key.size > 0) {
		struct plm_w_check_status check = {
			.name = status.key,
			.state = plm_names_find(&plm_names_check_state, status.value),
		};

		workload.checks = ONE(w, check);
	}
	if (value(line, "held").size > 0) {
		hold(line, &workload, count);
	}
	world_fold(w, PLM_EV_WORKLOAD, &workload);
}

static void end_workload(const struct line *line)
{
	struct world *w = line->w;
	plm_id id = plm_find(&w->st, PLM_KIND_WORKLOAD, plm_sym_find(&w->st, plm_slice_str("ns")),
			     plm_sym_find(&w->st, line->words[1]));
	const struct plm_workload *before = plm_workload_at(&w->st, id);
	struct plm_w_workload workload = {
		.meta = {.ns = plm_slice_str("ns"),
			 .name = line->words[1],
			 .uid = line->words[1],
			 .created_ms = before->object.created_ms,
			 .deleting_ms = PLM_UNSET},
		.queue = plm_str(&w->st, before->queue),
		.priority = before->priority_given,
		.active = 1,
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = w->now_ms,
	};

	world_fold(w, PLM_EV_WORKLOAD, &workload);
}

static void fold_line(struct world *w, struct plm_slice text)
{
	struct line line = split(w, text);
	struct plm_slice kind = {0};

	if (line.count == 0) {
		return;
	}
	kind = line.words[0];
	if (plm_slice_is(kind, "workload")) {
		fold_workload(&line);
	} else if (plm_slice_is(kind, "queue")) {
		fold_queue(&line);
	} else if (plm_slice_is(kind, "range")) {
		fold_range(&line);
	} else if (plm_slice_is(kind, "class")) {
		struct plm_w_runtime_class class = {.meta = meta(&line, ""),
						    .overhead = exacts(&line, "")};

		world_fold(w, PLM_EV_RUNTIME_CLASS, &class);
	} else if (plm_slice_is(kind, "finish")) {
		end_workload(&line);
	} else if (plm_slice_is(kind, "release")) {
		struct plm_w_release release = {
			.ns = plm_slice_str("ns"),
			.name = line.words[1],
			.reason = PLM_REASON_PREEMPTED,
			.requeued = 1,
		};

		world_fold(w, PLM_EV_RELEASE, &release);
	} else if (plm_slice_is(kind, "gone")) {
		struct plm_w_gone gone = {
			.kind = plm_names_find(&plm_names_kind, line.words[1]),
			.ns = plm_slice_is(line.words[1], "Workload") ||
					      plm_slice_is(line.words[1], "LocalQueue") ||
					      plm_slice_is(line.words[1], "LimitRange")
				      ? plm_slice_str("ns")
				      : (struct plm_slice){0},
			.name = line.words[2],
		};

		world_fold(w, PLM_EV_GONE, &gone);
	} else {
		fold_object(&line);
	}
}

void world_setup(struct world *w, const char *lines)
{
	for (const char *at = lines; *at != '\0';) {
		size_t size = strcspn(at, "\n");

		fold_line(w, plm_slice_of(at, size));
		at += size + (at[size] == '\n');
	}
}

/* ---- decisions --------------------------------------------------------------------------------- */

static void put(struct world *w, const char *format, ...) PLM_PRINTF(2, 3);
static void put(struct world *w, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(w->text + w->used, sizeof(w->text) - w->used, format, args);
	va_end(args);
	assert_true(size >= 0 && w->used + (size_t)size < sizeof(w->text));
	w->used += (size_t)size;
}

#define TEXT(slice) (int)(slice).size, (const char *)(slice).ptr

static void put_reserve(struct world *w, const struct plm_w_reserve *reserve)
{
	const struct plm_w_assignment *set = reserve->assignments.ptr;
	const struct plm_w_kv *flavor = set->flavors.ptr;

	put(w, "reserve %.*s", TEXT(reserve->name));
	for (size_t i = 0; i < set->flavors.count; i++) {
		if (i == 0 || !plm_slice_equal(flavor[i].value, flavor[0].value)) {
			put(w, "%c%.*s", i == 0 ? '=' : ',', TEXT(flavor[i].value));
		}
	}
	if (set->count != 1) {
		put(w, "*%lld", (long long)set->count);
	}
	if (reserve->admitted == 0) {
		put(w, " unadmitted");
	}
}

static void put_decision(struct world *w, enum plm_event_type type, const void *payload)
{
	const struct plm_w_pend *pend = payload;
	const struct plm_w_evict *evict = payload;
	const struct plm_w_release *release = payload;
	const struct plm_w_hold *hold = payload;

	if (w->used > 0) {
		put(w, "; ");
	}
	switch ((int)type) {
	case PLM_EV_RESERVE:
		put_reserve(w, payload);
		break;
	case PLM_EV_PEND:
		put(w, "pend %.*s %s%s", TEXT(pend->name),
		    plm_names_text(&plm_names_reason, pend->why.reason),
		    pend->place == PLM_QUEUE_PARKED ? " parked" : "");
		break;
	case PLM_EV_EVICT:
		put(w, "evict %.*s %s", TEXT(evict->name),
		    plm_names_text(&plm_names_reason,
				   evict->preemption != 0 ? evict->preemption : evict->reason));
		break;
	case PLM_EV_RELEASE:
		put(w, "release %.*s", TEXT(release->name));
		break;
	case PLM_EV_HOLD:
		put(w, "%s %.*s", hold->assignments.count > 0 ? "hold" : "drop", TEXT(hold->name));
		break;
	case PLM_EV_REQUEUE:
		put(w, "requeue %.*s %s", TEXT(pend->name),
		    plm_names_text(&plm_names_reason,
				   ((const struct plm_w_requeue *)payload)->reason));
		break;
	case PLM_EV_FINISH:
		put(w, "finish %.*s %s", TEXT(pend->name),
		    plm_names_text(&plm_names_reason,
				   ((const struct plm_w_finish *)payload)->reason));
		break;
	case PLM_EV_POSTPONE:
		put(w, "postpone %.*s", TEXT(pend->name));
		break;
	case PLM_EV_ADMIT:
		put(w, "admit %.*s", TEXT(pend->name));
		break;
	default:
		fail_msg("decision of type %d", (int)type);
	}
}

const char *world_run(struct world *w, int64_t rounds)
{
	struct plm_w_cycle cycle = {.now_ms = w->now_ms, .max_rounds = rounds};
	struct plm_cycle_run run;
	bool over = false;

	w->used = 0;
	w->text[0] = '\0';
	world_fold(w, PLM_EV_CYCLE, &cycle);
	plm_cycle_begin(&run, &cycle);
	run.phase = PLM_CYCLE_ADMISSION;
	while (!over) {
		struct plm_out out;

		plm_arena_reset(&w->step);
		plm_out_init(&out, &w->step);
		over = plm_admission_step(&w->st, &run, &w->step, &out);
		for (uint32_t handle = 1; handle <= out.count; handle++) {
			const struct plm_out_item *item = plm_out_item(&out, handle);

			put_decision(w, item->type, item->payload);
			world_fold(w, item->type, item->payload);
		}
		plm_state_check(&w->st);
	}
	w->spent = run.spent;
	return w->text;
}
