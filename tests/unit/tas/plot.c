#include "plot_words.h"

/* ---- life -------------------------------------------------------------------------------------- */

static void fold(struct plot *p, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {.seq = ++p->seq, .type = (uint16_t)type, .payload = payload};

	assert_null(p->tas);
	plm_apply(&p->st, &event, &p->scratch);
	plm_arena_reset(&p->scratch);
}

static struct plm_w_meta meta(const char *ns, const char *name)
{
	return (struct plm_w_meta){.ns = s(ns),
				   .name = s(name),
				   .uid = s(name),
				   .created_ms = 1,
				   .deleting_ms = PLM_UNSET};
}

static void configure(struct plot *p, enum plm_compat compat)
{
	struct plm_w_config config = {.compat = compat};

	fold(p, PLM_EV_CONFIG, &config);
}

void plot_init(struct plot *p)
{
	struct plm_error err = {0};
	struct plm_w_namespace ns = {.meta = meta("", "ns")};

	*p = (struct plot){0};
	plm_assert_ok(plm_state_init(&p->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&p->scratch, (size_t)16 << 20, &err), &err);
	plm_assert_ok(plm_arena_init(&p->step, (size_t)256 << 20, &err), &err);
	plm_assert_ok(plm_arena_init(&p->texts, (size_t)16 << 20, &err), &err);
	configure(p, PLM_COMPAT_BETTER);
	fold(p, PLM_EV_NAMESPACE, &ns);
	plot_run(p, "path block rack host");
}

void plot_fini(struct plot *p)
{
	plm_state_check(&p->st);
	plm_state_fini(&p->st);
	plm_arena_fini(&p->scratch);
	plm_arena_fini(&p->step);
	plm_arena_fini(&p->texts);
}

/* ---- flavors and nodes ------------------------------------------------------------------------- */

static void set_levels(struct plot *p, const struct plot_words *words)
{
	p->level_count = 0;
	for (uint32_t i = 1; i < words->count; i++) {
		p->levels[p->level_count++] = s(plot_keep(p, plot_label(words->at[i])));
	}
}

static void set_path(struct plot *p, const struct plot_words *words)
{
	p->path_count = 0;
	for (uint32_t i = 1; i < words->count; i++) {
		p->path[p->path_count++] = plm_intern(&p->st, s(plot_label(words->at[i])));
	}
	set_levels(p, words);
}

void plot_add_flavor(struct plot *p, const char *name, const struct plot_words *words)
{
	struct plm_w_topology topology = {
		.meta = meta("", name),
		.levels = {p->levels, p->level_count},
	};
	struct plm_w_flavor flavor = {
		.meta = meta("", name),
		.node_labels = plot_pairs(p, words, "label"),
		.tolerations = plot_tolerations(p, words),
		.topology = s(name),
	};

	fold(p, PLM_EV_TOPOLOGY, &topology);
	fold(p, PLM_EV_FLAVOR, &flavor);
}

static void also(struct plot *p, struct plot_words *words)
{
	struct plot_words levels = {{NULL}, words->count - 1};
	struct plot_words none = {{NULL}, 0};
	struct plot kept = *p;

	memcpy(levels.at, &words->at[1], levels.count * sizeof(*levels.at));
	set_levels(p, &levels);
	plot_add_flavor(p, plot_keep(p, words->at[1]), &none);
	memcpy(p->levels, kept.levels, sizeof(kept.levels));
	p->level_count = kept.level_count;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void add_node(struct plot *p, const struct plot_words *words)
{
	struct plm_w_kv labels[PLOT_LIST_MAX];
	struct plm_w_taint taints[4];
	size_t taint_count = 0;
	size_t label_count = 0;
	char *path = plot_keep(p, words->at[1]);
	char *rest = path;
	struct plm_w_node node = {.ready = !plot_has(words, "down"),
				  .unschedulable = plot_has(words, "cordoned")};
	struct plm_vec own = plot_pairs(p, words, "label");

	node.meta = meta(
		"", plot_keep(p, strcmp(last_part(path), "-") == 0 ? "nameless" : last_part(path)));
	memcpy(labels, own.ptr, own.count * sizeof(*labels));
	label_count = own.count;
	for (uint32_t i = 0; i < p->path_count; i++) {
		char *value = plot_piece(&rest, "/");

		assert_non_null(value);
		if (strcmp(value, "-") != 0) {
			labels[label_count++] =
				(struct plm_w_kv){plm_str(&p->st, p->path[i]), s(value)};
		}
	}
	plot_sort_pairs(labels, label_count);
	node.meta.labels = (struct plm_vec){labels, label_count};
	for (char *taint = plot_nth(words, "taint", 0); taint != NULL;
	     taint = plot_nth(words, "taint", (uint32_t)taint_count)) {
		const char *value = NULL;

		taint = plot_keep(p, taint);
		value = plot_right_of(taint);
		taints[taint_count++] =
			(struct plm_w_taint){s(taint), s(value), PLM_EFFECT_NO_SCHEDULE};
	}
	node.taints = (struct plm_vec){taints, taint_count};
	node.allocatable = plot_amounts(p, words, 100);
	node.capacity = node.allocatable;
	fold(p, PLM_EV_NODE, &node);
}

/* ---- pods and workloads ------------------------------------------------------------------------ */

static struct plm_w_shape shape_of(struct plot *p, const struct plot_words *words)
{
	return (struct plm_w_shape){.requests = plot_amounts(p, words, -1), .priority = PLM_UNSET};
}

static void add_pod(struct plot *p, const struct plot_words *words)
{
	struct plm_slice phase = plot_text(words, "phase");
	struct plm_w_pod pod = {
		.meta = meta("ns", plot_keep(p, words->at[1])),
		.shape = shape_of(p, words),
		.node = plot_text(words, "node"),
		.phase = phase.size == 0 ? PLM_PHASE_RUNNING
					 : plm_names_find(&plm_names_phase, phase),
		.tas = plot_has(words, "tas"),
		.index = plot_number(words, "index", PLM_UNSET),
		.gated = plot_has(words, "gated"),
	};
	struct plm_w_kv on = {s("kubernetes.io/hostname"), plot_text(words, "on")};

	pod.meta.labels = plot_pairs(p, words, "label");
	pod.shape.node_selector = (struct plm_vec){&on, on.value.size > 0 ? 1 : 0};
	fold(p, PLM_EV_POD, &pod);
}

static int64_t pods_in(struct plm_vec domains)
{
	const struct plm_w_topology_domain *list = domains.ptr;
	int64_t sum = 0;

	for (size_t i = 0; i < domains.count; i++) {
		sum += list[i].count;
	}
	return sum;
}

static void add_holder(struct plot *p, const struct plot_words *words)
{
	struct plm_w_kv flavors[1] = {{s("cpu"), s("tas")}};
	struct plm_vec domains = plot_domains(p, words, 2);
	struct plm_w_pod_set_spec set = {
		.name = s("main"),
		.count = pods_in(domains),
		.min_count = PLM_UNSET,
		.shape = shape_of(p, words),
	};
	struct plm_slice host = s("kubernetes.io/hostname");
	struct plm_w_assignment assignment = {
		.name = s("main"),
		.levels = {&host, 1},
		.count = set.count,
		.flavors = {flavors, 1},
		.domains = domains,
	};
	struct plm_w_workload workload = {
		.meta = meta("ns", plot_keep(p, words->at[1])),
		.priority = PLM_UNSET,
		.active = 1,
		.pod_sets = {&set, 1},
		.cluster_queue = s("queue"),
		.assignments = {&assignment, 1},
		.reserved_ms = 1,
		.admitted_ms = 1,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
	};

	fold(p, PLM_EV_WORKLOAD, &workload);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void obey(struct plot *p, struct plot_words *words)
{
	const char *verb = words->at[0];

	if (strcmp(verb, "strict") == 0) {
		configure(p, PLM_COMPAT_STRICT);
	} else if (strcmp(verb, "path") == 0) {
		set_path(p, words);
	} else if (strcmp(verb, "levels") == 0) {
		set_levels(p, words);
	} else if (strcmp(verb, "flavor") == 0) {
		plot_add_flavor(p, "tas", words);
		p->flavored = true;
	} else if (strcmp(verb, "also") == 0) {
		also(p, words);
	} else if (strcmp(verb, "node") == 0) {
		add_node(p, words);
	} else if (strcmp(verb, "pod") == 0) {
		add_pod(p, words);
	} else if (strcmp(verb, "held") == 0) {
		add_holder(p, words);
	} else if (strcmp(verb, "use") == 0 || strcmp(verb, "free") == 0 ||
		   strcmp(verb, "fits") == 0) {
		plot_use(p, words);
	} else if (strcmp(verb, "ask") == 0) {
		plot_ask(p, words);
	} else if (strcmp(verb, "rank") == 0) {
		plot_rank(p, words);
	} else if (strcmp(verb, "place") == 0) {
		plot_print_places(p, words);
	} else {
		fail_msg("plot: what is \"%s\"?", verb);
	}
}

const char *plot_run(struct plot *p, const char *lines)
{
	char *rest = plot_keep(p, lines);

	p->used = 0;
	p->text[0] = 0;
	for (char *line = plot_piece(&rest, "\n"); line != NULL; line = plot_piece(&rest, "\n")) {
		struct plot_words words = plot_split(line);

		if (words.count > 0) {
			obey(p, &words);
		}
	}
	return p->text;
}
