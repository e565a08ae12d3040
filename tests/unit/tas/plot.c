#include "plot.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/sort.h"

#define WORDS_MAX 32
#define LIST_MAX 64

/* ---- words ------------------------------------------------------------------------------------- */

struct words {
	char *at[WORDS_MAX];
	uint32_t count;
};

static struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

static char *keep(struct plot *p, const char *text)
{
	struct plm_slice bytes = s(text);
	char *copy = plm_arena_take(&p->texts, bytes.size + 1);

	PLM_ASSERT(bytes.ptr != NULL);
	memcpy(copy, bytes.ptr, bytes.size);
	return copy;
}

/* The next piece of '*rest' between 'separators', cut off in place; NULL at the end. */
static char *next_piece(char **rest, const char *separators)
{
	char *piece = *rest + strspn(*rest, separators);
	size_t size = strcspn(piece, separators);

	if (size == 0) {
		return NULL;
	}
	*rest = piece + size;
	if (**rest != 0) {
		*(*rest)++ = 0;
	}
	return piece;
}

static struct words split(char *line)
{
	struct words words = {{NULL}, 0};

	for (char *word = next_piece(&line, " \t"); word != NULL; word = next_piece(&line, " \t")) {
		assert_true(words.count < WORDS_MAX);
		words.at[words.count++] = word;
	}
	return words;
}

static bool has(const struct words *words, const char *word)
{
	for (uint32_t i = 0; i < words->count; i++) {
		if (strcmp(words->at[i], word) == 0) {
			return true;
		}
	}
	return false;
}

/* The n-th value of "key=value", NULL. */
static char *nth(const struct words *words, const char *key, uint32_t n)
{
	size_t size = strlen(key);

	for (uint32_t i = 0; i < words->count; i++) {
		if (strncmp(words->at[i], key, size) == 0 && words->at[i][size] == '=' &&
		    n-- == 0) {
			return words->at[i] + size + 1;
		}
	}
	return NULL;
}

static struct plm_slice text_of(const struct words *words, const char *key)
{
	return s(nth(words, key, 0));
}

static int64_t number_of(const struct words *words, const char *key, int64_t otherwise)
{
	const char *value = nth(words, key, 0);

	return value == NULL ? otherwise : strtoll(value, NULL, 10);
}

/* Split "left:right" in place; "" when there is no colon. */
static const char *right_of(char *pair)
{
	char *colon = strrchr(pair, ':');

	if (colon == NULL) {
		return "";
	}
	*colon = 0;
	return colon + 1;
}

static const char *label_of(const char *level)
{
	return strcmp(level, "host") == 0 ? "kubernetes.io/hostname" : level;
}

/* Sort a few pairs by key. */
static void sort_pairs(struct plm_w_kv *list, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct plm_w_kv pair = list[i];
		size_t at = i;

		for (; at > 0 && plm_slice_compare(list[at - 1].key, pair.key) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = pair;
	}
}

/* "key=K:V" words as a sorted list of pairs. */
static struct plm_vec pairs(struct plot *p, const struct words *words, const char *key)
{
	struct plm_w_kv *list = plm_arena_array(&p->texts, WORDS_MAX, sizeof(*list));
	size_t count = 0;

	for (char *pair = nth(words, key, 0); pair != NULL;
	     pair = nth(words, key, (uint32_t)count)) {
		const char *value = NULL;

		pair = keep(p, pair);
		value = right_of(pair);
		list[count++] = (struct plm_w_kv){s(pair), s(value)};
	}
	sort_pairs(list, count);
	return (struct plm_vec){list, count};
}

/* Amounts: words of known resources. "pods" comes from 'pods' when it is not given and >= 0. */
static struct plm_vec amounts(struct plot *p, const struct words *words, int64_t pods)
{
	static const char *const names[] = {"cpu", "gpu", "mem", "pods"};
	struct plm_w_amount *list = plm_arena_array(&p->texts, 4, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		int64_t amount = number_of(words, names[i], i == 3 ? pods : -1);

		if (amount >= 0) {
			list[count++] = (struct plm_w_amount){s(names[i]), amount};
		}
	}
	return (struct plm_vec){list, count};
}

static struct plm_vec tolerations(struct plot *p, const struct words *words)
{
	struct plm_w_toleration *list = plm_arena_array(&p->texts, LIST_MAX, sizeof(*list));
	size_t count = 0;

	for (char *pair = nth(words, "tolerate", 0); pair != NULL;
	     pair = nth(words, "tolerate", (uint32_t)count)) {
		const char *value = NULL;

		pair = keep(p, pair);
		value = right_of(pair);
		list[count++] = (struct plm_w_toleration){
			.key = s(pair),
			.op = *value == 0 ? PLM_TOLERATION_EXISTS : PLM_TOLERATION_EQUAL,
			.value = s(value),
			.seconds = PLM_UNSET,
		};
	}
	return (struct plm_vec){list, count};
}

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

static void set_levels(struct plot *p, const struct words *words)
{
	p->level_count = 0;
	for (uint32_t i = 1; i < words->count; i++) {
		p->levels[p->level_count++] = s(keep(p, label_of(words->at[i])));
	}
}

static void set_path(struct plot *p, const struct words *words)
{
	p->path_count = 0;
	for (uint32_t i = 1; i < words->count; i++) {
		p->path[p->path_count++] = plm_intern(&p->st, s(label_of(words->at[i])));
	}
	set_levels(p, words);
}

static void add_flavor(struct plot *p, const char *name, const struct words *words)
{
	struct plm_w_topology topology = {
		.meta = meta("", name),
		.levels = {p->levels, p->level_count},
	};
	struct plm_w_flavor flavor = {
		.meta = meta("", name),
		.node_labels = pairs(p, words, "label"),
		.tolerations = tolerations(p, words),
		.topology = s(name),
	};

	fold(p, PLM_EV_TOPOLOGY, &topology);
	fold(p, PLM_EV_FLAVOR, &flavor);
}

static void also(struct plot *p, struct words *words)
{
	struct words levels = {{NULL}, words->count - 1};
	struct words none = {{NULL}, 0};
	struct plot kept = *p;

	memcpy(levels.at, &words->at[1], levels.count * sizeof(*levels.at));
	set_levels(p, &levels);
	add_flavor(p, keep(p, words->at[1]), &none);
	memcpy(p->levels, kept.levels, sizeof(kept.levels));
	p->level_count = kept.level_count;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void add_node(struct plot *p, const struct words *words)
{
	struct plm_w_kv labels[LIST_MAX];
	struct plm_w_taint taints[4];
	size_t taint_count = 0;
	size_t label_count = 0;
	char *path = keep(p, words->at[1]);
	char *rest = path;
	struct plm_w_node node = {.ready = !has(words, "down"),
				  .unschedulable = has(words, "cordoned")};
	struct plm_vec own = pairs(p, words, "label");

	node.meta =
		meta("", keep(p, strcmp(last_part(path), "-") == 0 ? "nameless" : last_part(path)));
	memcpy(labels, own.ptr, own.count * sizeof(*labels));
	label_count = own.count;
	for (uint32_t i = 0; i < p->path_count; i++) {
		char *value = next_piece(&rest, "/");

		assert_non_null(value);
		if (strcmp(value, "-") != 0) {
			labels[label_count++] =
				(struct plm_w_kv){plm_str(&p->st, p->path[i]), s(value)};
		}
	}
	sort_pairs(labels, label_count);
	node.meta.labels = (struct plm_vec){labels, label_count};
	for (char *taint = nth(words, "taint", 0); taint != NULL;
	     taint = nth(words, "taint", (uint32_t)taint_count)) {
		const char *value = NULL;

		taint = keep(p, taint);
		value = right_of(taint);
		taints[taint_count++] =
			(struct plm_w_taint){s(taint), s(value), PLM_EFFECT_NO_SCHEDULE};
	}
	node.taints = (struct plm_vec){taints, taint_count};
	node.allocatable = amounts(p, words, 100);
	node.capacity = node.allocatable;
	fold(p, PLM_EV_NODE, &node);
}

/* ---- pods and workloads ------------------------------------------------------------------------ */

static struct plm_w_shape shape_of(struct plot *p, const struct words *words)
{
	return (struct plm_w_shape){.requests = amounts(p, words, -1), .priority = PLM_UNSET};
}

static void add_pod(struct plot *p, const struct words *words)
{
	struct plm_slice phase = text_of(words, "phase");
	struct plm_w_pod pod = {
		.meta = meta("ns", keep(p, words->at[1])),
		.shape = shape_of(p, words),
		.node = text_of(words, "node"),
		.phase = phase.size == 0 ? PLM_PHASE_RUNNING
					 : plm_names_find(&plm_names_phase, phase),
		.tas = has(words, "tas"),
		.index = number_of(words, "index", PLM_UNSET),
		.gated = has(words, "gated"),
	};
	struct plm_w_kv on = {s("kubernetes.io/hostname"), text_of(words, "on")};

	pod.meta.labels = pairs(p, words, "label");
	pod.shape.node_selector = (struct plm_vec){&on, on.value.size > 0 ? 1 : 0};
	fold(p, PLM_EV_POD, &pod);
}

/* "b1/r1:3" words as domains. */
static struct plm_vec domains_of(struct plot *p, const struct words *words, uint32_t from)
{
	struct plm_w_topology_domain *list = plm_arena_array(&p->texts, WORDS_MAX, sizeof(*list));
	size_t count = 0;

	for (uint32_t i = from; i < words->count; i++) {
		struct plm_slice *values = NULL;
		char *path = keep(p, words->at[i]);
		const char *pods = right_of(path);
		size_t parts = 0;
		char *rest = path;

		if (*pods == 0 || strchr(path, '=') != NULL) {
			continue;
		}
		values = plm_arena_array(&p->texts, PLM_LIMIT_TOPOLOGY_LEVELS, sizeof(*values));
		for (char *part = next_piece(&rest, "/"); part != NULL;
		     part = next_piece(&rest, "/")) {
			values[parts++] = s(part);
		}
		list[count].values = (struct plm_vec){values, parts};
		list[count++].count = strtoll(pods, NULL, 10);
	}
	return (struct plm_vec){list, count};
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

static void add_holder(struct plot *p, const struct words *words)
{
	struct plm_w_kv flavors[1] = {{s("cpu"), s("tas")}};
	struct plm_vec domains = domains_of(p, words, 2);
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
		.meta = meta("ns", keep(p, words->at[1])),
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

/* ---- symbols for reducers ---------------------------------------------------------------------- */

static plm_sym sym(struct plot *p, const char *text)
{
	return plm_intern(&p->st, s(text));
}

static plm_sym sym_of(struct plot *p, const struct words *words, const char *key, bool level)
{
	const char *value = nth(words, key, 0);

	return value == NULL ? (plm_sym){0} : sym(p, level ? label_of(value) : value);
}

static struct plm_amount *each_of(struct plot *p, struct plm_vec from)
{
	const struct plm_w_amount *list = from.ptr;
	struct plm_amount *each = plm_arena_array(&p->texts, from.count, sizeof(*each));

	for (size_t i = 0; i < from.count; i++) {
		each[i].resource = plm_intern(&p->st, list[i].resource);
		each[i].amount = list[i].amount;
	}
	return each;
}

static plm_sym *values_of(struct plot *p, const struct plm_w_topology_domain *domain)
{
	const struct plm_slice *texts = domain->values.ptr;
	plm_sym *values = plm_arena_array(&p->texts, domain->values.count, sizeof(*values));

	for (size_t i = 0; i < domain->values.count; i++) {
		values[i] = plm_intern(&p->st, texts[i]);
	}
	return values;
}

static void make(struct plot *p)
{
	struct words none = {{NULL}, 0};

	if (p->tas == NULL) {
		if (!p->flavored) {
			add_flavor(p, "tas", &none);
		}
		plm_arena_reset(&p->step);
		p->tas = plm_tas_make(&p->st, &p->step);
	}
}

static void print(struct plot *p, const char *format, ...) PLM_PRINTF(2, 3);
static void print(struct plot *p, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(p->text + p->used, sizeof(p->text) - p->used, format, args);
	va_end(args);
	assert_true(size >= 0 && p->used + (size_t)size < sizeof(p->text));
	p->used += (size_t)size;
}

static void use(struct plot *p, const struct words *words)
{
	struct plm_vec domains = domains_of(p, words, 1);
	struct plm_vec each = amounts(p, words, -1);
	struct plm_tas_use uses[WORDS_MAX];

	make(p);
	for (size_t i = 0; i < domains.count; i++) {
		const struct plm_w_topology_domain *domain =
			(const struct plm_w_topology_domain *)domains.ptr + i;

		uses[i] = (struct plm_tas_use){
			.flavor = sym(p, "tas"),
			.value_count = (uint32_t)domain->values.count,
			.values = values_of(p, domain),
			.each = each_of(p, each),
			.each_count = (uint32_t)each.count,
			.count = domain->count,
		};
	}
	if (strcmp(words->at[0], "fits") == 0) {
		print(p, "%s%s", p->used > 0 ? "; " : "",
		      plm_tas_fits(p->tas, uses, (uint32_t)domains.count) ? "fits"
									  : "does not fit");
		return;
	}
	plm_tas_add(p->tas, uses, (uint32_t)domains.count,
		    strcmp(words->at[0], "free") == 0 ? -1 : 1);
}

/* ---- asks -------------------------------------------------------------------------------------- */

static plm_sym ask_shape(struct plot *p, const struct words *words, const struct plm_amount *each,
			 size_t count)
{
	struct plm_vec selector = pairs(p, words, "selector");
	struct plm_vec tolerated = tolerations(p, words);
	struct plm_kv kvs[LIST_MAX];
	struct plm_toleration tols[LIST_MAX];
	struct plm_shape shape = {.priority = PLM_UNSET};
	char *affinity = nth(words, "affinity", 0);

	memset(tols, 0, sizeof(tols));
	for (size_t i = 0; i < selector.count; i++) {
		const struct plm_w_kv *kv = (const struct plm_w_kv *)selector.ptr + i;

		kvs[i] =
			(struct plm_kv){plm_intern(&p->st, kv->key), plm_intern(&p->st, kv->value)};
	}
	for (size_t i = 0; i < tolerated.count; i++) {
		const struct plm_w_toleration *t =
			(const struct plm_w_toleration *)tolerated.ptr + i;

		tols[i] = (struct plm_toleration){.key = plm_intern(&p->st, t->key),
						  .value = plm_intern(&p->st, t->value),
						  .op = (uint32_t)t->op,
						  .seconds = PLM_UNSET};
	}
	if (affinity != NULL) {
		struct plm_expr expr = {.op = PLM_OP_IN};
		struct plm_term term = {.weight = 0};
		plm_sym value = {0};

		affinity = keep(p, affinity);
		value = sym(p, right_of(affinity));
		expr.key = sym(p, affinity);
		expr.values = plm_intern_span(&p->st, &value, 1, sizeof(value));
		term.exprs = plm_intern_span(&p->st, &expr, 1, sizeof(expr));
		shape.required = plm_intern_span(&p->st, &term, 1, sizeof(term));
		shape.required_present = 1;
	}
	shape.requests = plm_intern_span(&p->st, each, count, sizeof(*each));
	shape.node_selector = plm_intern_span(&p->st, kvs, selector.count, sizeof(*kvs));
	shape.tolerations = plm_intern_span(&p->st, tols, tolerated.count, sizeof(*tols));
	return plm_intern_span(&p->st, &shape, 1, sizeof(shape));
}

static plm_sym slices_of(struct plot *p, const struct words *words)
{
	struct plm_topology_slice list[PLM_LIMIT_TOPOLOGY_LEVELS];
	size_t count = 0;

	memset(list, 0, sizeof(list));
	for (char *pair = nth(words, "slices", 0); pair != NULL;
	     pair = nth(words, "slices", (uint32_t)count)) {
		pair = keep(p, pair);
		list[count].size = strtoll(right_of(pair), NULL, 10);
		list[count++].level = sym(p, label_of(pair));
	}
	return plm_intern_span(&p->st, list, count, sizeof(*list));
}

static struct plm_assignment *before_of(struct plot *p, const struct words *words)
{
	struct plm_assignment *before = plm_arena_take(&p->texts, sizeof(*before));
	struct words paths = {{NULL}, 0};
	struct plm_topology_domain list[WORDS_MAX];
	struct plm_vec domains = {NULL, 0};

	for (char *path = nth(words, "before", 0); path != NULL;
	     path = nth(words, "before", paths.count)) {
		paths.at[paths.count++] = path;
	}
	memset(list, 0, sizeof(list));
	domains = domains_of(p, &paths, 0);
	for (size_t i = 0; i < domains.count; i++) {
		const struct plm_w_topology_domain *domain =
			(const struct plm_w_topology_domain *)domains.ptr + i;

		list[i].values = plm_intern_span(&p->st, values_of(p, domain), domain->values.count,
						 sizeof(plm_sym));
		list[i].count = domain->count;
	}
	before->name = sym(p, words->at[1]);
	before->domains = plm_intern_span(&p->st, list, domains.count, sizeof(*list));
	return before;
}

static void ask(struct plot *p, const struct words *words)
{
	struct plm_pod_set *set = plm_arena_take(&p->texts, sizeof(*set));
	struct plm_vec requests = amounts(p, words, -1);
	struct plm_tas_ask *one = &p->asks[p->ask_count++];

	assert_true(p->ask_count <= PLOT_ASKS_MAX);
	*one = (struct plm_tas_ask){
		.set = set,
		.flavor = sym_of(p, words, "flavor", false),
		.count = number_of(words, "count", 1),
		.each = each_of(p, requests),
		.each_count = (uint32_t)requests.count,
		.implied = has(words, "implied"),
		.lost = sym_of(p, words, "lost", false),
	};
	if (one->flavor.n == 0) {
		one->flavor = sym(p, "tas");
	}
	if (one->lost.n != 0) {
		one->before = before_of(p, words);
	}
	set->name = sym(p, words->at[1]);
	set->count = one->count;
	set->shape = ask_shape(p, words, one->each, one->each_count);
	set->topology_required = sym_of(p, words, "required", true);
	set->topology_preferred = sym_of(p, words, "preferred", true);
	set->topology_unconstrained = has(words, "unconstrained");
	set->topology_slices = slices_of(p, words);
	set->topology_group = sym_of(p, words, "group", false);
}

bool plot_place(struct plot *p, bool empty)
{
	make(p);
	return plm_tas_place(p->tas, p->asks, p->ask_count, empty, p->sets, &p->why);
}

/* ---- as text ----------------------------------------------------------------------------------- */

static void print_sym(struct plot *p, plm_sym text)
{
	struct plm_slice bytes = plm_str(&p->st, text);

	print(p, "%.*s", (int)bytes.size, (const char *)bytes.ptr);
}

static void print_sets(struct plot *p)
{
	for (uint32_t i = 0; i < p->ask_count; i++) {
		print(p, "%s", p->used > 0 ? "; " : "");
		print_sym(p, p->asks[i].set->name);
		print(p, ":");
		for (uint32_t k = 0; k < p->sets[i].domain_count; k++) {
			const struct plm_tas_domain *domain = &p->sets[i].domains[k];

			for (uint32_t v = 0; v < p->sets[i].level_count; v++) {
				print(p, "%s", v == 0 ? " " : "/");
				print_sym(p, domain->values[v]);
			}
			print(p, "=%lld", (long long)domain->count);
		}
	}
}

static void print_excluded(struct plot *p, const struct plm_tas_excluded *one)
{
	static const char *const words[] = {"taint ", "selector", "affinity", "domain", ""};

	print(p, ", %s", words[one->rule]);
	print_sym(p, one->key);
	print(p, " %u", one->leaves);
}

static void print_failure(struct plot *p)
{
	static const char *const words[] = {"",
					    "room for",
					    "no topology",
					    "no level",
					    "no domains",
					    "slices above",
					    "layer above",
					    "layer divides",
					    "slice divides",
					    "stale"};
	const struct plm_tas_failure *why = &p->why;

	print(p, "%s", p->used > 0 ? "; " : "");
	print_sym(p, p->asks[why->ask].set->name);
	print(p, ": %s", words[why->verdict]);
	if (why->verdict != PLM_TAS_NO_ROOM) {
		print(p, " ");
		print_sym(p, why->level);
		return;
	}
	print(p, " %lld of %lld%s; %u leaves", (long long)why->fit, (long long)why->need,
	      why->slices ? " slices" : "", why->leaves);
	for (uint32_t i = 0; i < why->excluded_count; i++) {
		print_excluded(p, &why->excluded[i]);
	}
	for (uint32_t i = 0; i < why->layer_count; i++) {
		print(p, ", %lld/%lld in ", (long long)why->layers[i].fit,
		      (long long)why->layers[i].need);
		print_sym(p, why->layers[i].level);
	}
}

static void place(struct plot *p, const struct words *words)
{
	if (plot_place(p, has(words, "empty"))) {
		print_sets(p);
	} else {
		print_failure(p);
	}
	p->ask_count = 0;
}

static int by_pod_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plot *p = context;

	return plm_sym_compare(&p->st, plm_pod_at(&p->st, (plm_id){a})->object.name,
			       plm_pod_at(&p->st, (plm_id){b})->object.name);
}

/* "a>x1 b>-": where each gated pod goes. */
static void rank(struct plot *p, const struct words *words)
{
	char *groups = nth(words, "groups", 0);
	const char *group_count = groups == NULL ? "0" : right_of(groups);
	struct plm_pod_set spec = {
		.pod_index_label = sym_of(p, words, "index", false),
		.sub_group_label = groups == NULL ? (plm_sym){0} : sym(p, groups),
		.sub_group_count = strtoll(group_count, NULL, 10),
	};
	uint32_t one = 0;
	plm_id id = plm_find_text(&p->st, PLM_KIND_WORKLOAD, "ns", words->at[1]);
	uint32_t order[LIST_MAX];
	plm_id list[LIST_MAX];
	uint32_t domains[LIST_MAX];
	struct plm_tas_pods pods = {.spec = &spec, .offset = number_of(words, "offset", 0)};
	const struct plm_topology_domain *places = NULL;

	assert_int_not_equal(id.n, 0);
	pods.set = PLM_SPAN(&p->st, plm_workload_at(&p->st, id)->assignments, struct plm_assignment,
			    &one);
	places = PLM_SPAN(&p->st, pods.set->domains, struct plm_topology_domain, &one);
	PLM_EACH(&p->st, pod, pod)
	{
		order[pods.count++] = pod.n;
	}
	plm_sort(order, pods.count, by_pod_name, p, &p->step);
	for (uint32_t i = 0; i < pods.count; i++) {
		list[i] = (plm_id){order[i]};
	}
	pods.list = list;
	plm_tas_rank(&p->st, &pods, &p->step, domains);
	for (uint32_t i = 0; i < pods.count; i++) {
		uint32_t levels = 0;

		if (plm_pod_at(&p->st, list[i])->gated == 0) {
			assert_int_equal(domains[i], PLM_TAS_NO_DOMAIN);
			continue;
		}
		print(p, "%s", p->used > 0 ? " " : "");
		print_sym(p, plm_pod_at(&p->st, list[i])->object.name);
		print(p, ">");
		if (domains[i] == PLM_TAS_NO_DOMAIN) {
			print(p, "-");
		} else {
			print_sym(p,
				  *PLM_SPAN(&p->st, places[domains[i]].values, plm_sym, &levels));
		}
	}
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void obey(struct plot *p, struct words *words)
{
	const char *verb = words->at[0];

	if (strcmp(verb, "strict") == 0) {
		configure(p, PLM_COMPAT_STRICT);
	} else if (strcmp(verb, "path") == 0) {
		set_path(p, words);
	} else if (strcmp(verb, "levels") == 0) {
		set_levels(p, words);
	} else if (strcmp(verb, "flavor") == 0) {
		add_flavor(p, "tas", words);
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
		use(p, words);
	} else if (strcmp(verb, "ask") == 0) {
		ask(p, words);
	} else if (strcmp(verb, "rank") == 0) {
		rank(p, words);
	} else if (strcmp(verb, "place") == 0) {
		place(p, words);
	} else {
		fail_msg("plot: what is \"%s\"?", verb);
	}
}

const char *plot_run(struct plot *p, const char *lines)
{
	char *rest = keep(p, lines);

	p->used = 0;
	p->text[0] = 0;
	for (char *line = next_piece(&rest, "\n"); line != NULL; line = next_piece(&rest, "\n")) {
		struct words words = split(line);

		if (words.count > 0) {
			obey(p, &words);
		}
	}
	return p->text;
}
