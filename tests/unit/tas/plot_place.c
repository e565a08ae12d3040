#include "plot_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/sort.h"

/* ---- symbols for reducers ---------------------------------------------------------------------- */

static plm_sym sym(struct plot *p, const char *text)
{
	return plm_intern(&p->st, s(text));
}

static plm_sym sym_of(struct plot *p, const struct plot_words *words, const char *key, bool level)
{
	const char *value = plot_nth(words, key, 0);

	return value == NULL ? (plm_sym){0} : sym(p, level ? plot_label(value) : value);
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
	struct plot_words none = {{NULL}, 0};

	if (p->tas == NULL) {
		if (!p->flavored) {
			plot_add_flavor(p, "tas", &none);
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

void plot_use(struct plot *p, const struct plot_words *words)
{
	struct plm_vec domains = plot_domains(p, words, 1);
	struct plm_vec each = plot_amounts(p, words, -1);
	struct plm_tas_use uses[PLOT_WORDS_MAX];

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

static plm_sym ask_shape(struct plot *p, const struct plot_words *words,
			 const struct plm_amount *each, size_t count)
{
	struct plm_vec selector = plot_pairs(p, words, "selector");
	struct plm_vec tolerated = plot_tolerations(p, words);
	struct plm_kv kvs[PLOT_LIST_MAX];
	struct plm_toleration tols[PLOT_LIST_MAX];
	struct plm_shape shape = {.priority = PLM_UNSET};
	char *affinity = plot_nth(words, "affinity", 0);

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

		affinity = plot_keep(p, affinity);
		value = sym(p, plot_right_of(affinity));
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

static plm_sym slices_of(struct plot *p, const struct plot_words *words)
{
	struct plm_topology_slice list[PLM_LIMIT_TOPOLOGY_LEVELS];
	size_t count = 0;

	memset(list, 0, sizeof(list));
	for (char *pair = plot_nth(words, "slices", 0); pair != NULL;
	     pair = plot_nth(words, "slices", (uint32_t)count)) {
		pair = plot_keep(p, pair);
		list[count].size = strtoll(plot_right_of(pair), NULL, 10);
		list[count++].level = sym(p, plot_label(pair));
	}
	return plm_intern_span(&p->st, list, count, sizeof(*list));
}

static struct plm_assignment *before_of(struct plot *p, const struct plot_words *words)
{
	struct plm_assignment *before = plm_arena_take(&p->texts, sizeof(*before));
	struct plot_words paths = {{NULL}, 0};
	struct plm_topology_domain list[PLOT_WORDS_MAX];
	struct plm_vec domains = {NULL, 0};

	for (char *path = plot_nth(words, "before", 0); path != NULL;
	     path = plot_nth(words, "before", paths.count)) {
		paths.at[paths.count++] = path;
	}
	memset(list, 0, sizeof(list));
	domains = plot_domains(p, &paths, 0);
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

void plot_ask(struct plot *p, const struct plot_words *words)
{
	struct plm_pod_set *set = plm_arena_take(&p->texts, sizeof(*set));
	struct plm_vec requests = plot_amounts(p, words, -1);
	struct plm_tas_ask *one = &p->asks[p->ask_count++];

	assert_true(p->ask_count <= PLOT_ASKS_MAX);
	*one = (struct plm_tas_ask){
		.set = set,
		.flavor = sym_of(p, words, "flavor", false),
		.count = plot_number(words, "count", 1),
		.each = each_of(p, requests),
		.each_count = (uint32_t)requests.count,
		.implied = plot_has(words, "implied"),
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
	set->topology_unconstrained = plot_has(words, "unconstrained");
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

void plot_print_places(struct plot *p, const struct plot_words *words)
{
	if (plot_place(p, plot_has(words, "empty"))) {
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
void plot_rank(struct plot *p, const struct plot_words *words)
{
	char *groups = plot_nth(words, "groups", 0);
	const char *group_count = groups == NULL ? "0" : plot_right_of(groups);
	struct plm_pod_set spec = {
		.pod_index_label = sym_of(p, words, "index", false),
		.sub_group_label = groups == NULL ? (plm_sym){0} : sym(p, groups),
		.sub_group_count = strtoll(group_count, NULL, 10),
	};
	uint32_t one = 0;
	plm_id id = plm_find_text(&p->st, PLM_KIND_WORKLOAD, "ns", words->at[1]);
	uint32_t order[PLOT_LIST_MAX];
	plm_id list[PLOT_LIST_MAX];
	uint32_t domains[PLOT_LIST_MAX];
	struct plm_tas_pods pods = {.spec = &spec, .offset = plot_number(words, "offset", 0)};
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
