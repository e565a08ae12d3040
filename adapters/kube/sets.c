#include "adapters/kube/sets.h"

#include "adapters/manifest/project.h"
#include "core/integration.h"

const char *plm_kube_pointer_of(struct plm_arena *arena, const char *path)
{
	size_t size = strlen(path);
	char *out = plm_arena_take(arena, size + 2);

	if (size == 0) {
		return out;
	}
	out[0] = '/';
	for (size_t i = 0; i < size; i++) {
		out[i + 1] = (char)(path[i] == '.' ? '/' : path[i]);
	}
	return out;
}

static struct plm_slice lower(struct plm_arena *arena, struct plm_slice text)
{
	uint8_t *out = plm_arena_take(arena, text.size + 1);

	for (size_t i = 0; i < text.size; i++) {
		bool large = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z';

		out[i] = (uint8_t)(text.ptr[i] + (large ? 'a' - 'A' : 0));
	}
	return plm_slice_of(out, text.size);
}

static int64_t count_at(const cJSON *place, const char *path, int64_t absent)
{
	int64_t count = path == NULL ? absent : plm_tree_whole(plm_tree_at(place, path), absent);

	return count < 0 ? absent : count;
}

/* Where a template of Kubernetes has what a start adds to. */
static void point_into(struct plm_kube_set *set, struct plm_arena *arena, const char *template)
{
	set->labels = plm_pointer(arena, "%s/metadata/labels", template);
	set->annotations = plm_pointer(arena, "%s/metadata/annotations", template);
	set->node_selector = plm_pointer(arena, "%s/spec/nodeSelector", template);
	set->tolerations = plm_pointer(arena, "%s/spec/tolerations", template);
	set->gates = plm_pointer(arena, "%s/spec/schedulingGates", template);
}

/* Spark's own fields of a role win over those of its template; nodeSelector of both over the role's. */
static void point_into_role(struct plm_kube_set *set, struct plm_arena *arena, const char *role,
			    bool common)
{
	set->labels = plm_pointer(arena, "%s/labels", role);
	set->annotations = plm_pointer(arena, "%s/annotations", role);
	set->node_selector =
		common ? "/spec/nodeSelector" : plm_pointer(arena, "%s/nodeSelector", role);
	set->tolerations = plm_pointer(arena, "%s/tolerations", role);
	set->gates = NULL;
}

static struct plm_kube_set *add(struct plm_kube_sets *out, struct plm_slice name,
				const cJSON *template)
{
	struct plm_kube_set *set = &out->list[out->count];

	if (out->count == PLM_LIMIT_JOB_SETS) {
		return NULL;
	}
	*set = (struct plm_kube_set){.name = name, .template = template, .count = 1};
	out->count++;
	return set;
}

struct finder {
	const cJSON *job;
	struct plm_arena *arena;
	struct plm_kube_sets *out;
};

static void add_by_rule(const struct finder *f, const struct plm_set_rule *rule, const cJSON *place,
			const char *pointer)
{
	const char *below = plm_kube_pointer_of(f->arena, rule->template);
	struct plm_slice name = rule->name != NULL ? plm_slice_str(rule->name)
						   : plm_tree_text(place, rule->name_at);
	struct plm_kube_set *set =
		add(f->out, lower(f->arena, name), plm_tree_at(place, rule->template));
	int64_t times = rule->times == NULL ? 1 : count_at(place, rule->times, 1);
	int64_t each = 0;

	if (set == NULL) {
		return;
	}
	each = count_at(place, rule->count, 1);
	each = plm_min(each, count_at(place, rule->at_most, INT64_MAX));
	set->count = plm_mul_sat(each, times);
	set->times = rule->group == NULL ? 0 : times;
	set->index = rule->index;
	set->group = rule->group;
	point_into(set, f->arena, plm_pointer(f->arena, "%s%s", pointer, below));
	if (rule->kind == PLM_KIND_SPARK_APPLICATION) {
		point_into_role(set, f->arena, pointer,
				plm_tree_at(f->job, "spec.nodeSelector") != NULL);
	}
}

static void by_rule(const struct finder *f, const struct plm_set_rule *rule)
{
	const cJSON *place = plm_tree_at(f->job, rule->at);
	const char *pointer = plm_kube_pointer_of(f->arena, rule->at);
	int index = 0;

	if (rule->place == PLM_SET_AT) {
		if (place != NULL) {
			add_by_rule(f, rule, place, pointer);
		}
		return;
	}
	for (const cJSON *item = place == NULL ? NULL : place->child; item != NULL;
	     item = item->next) {
		add_by_rule(f, rule, item, plm_pointer(f->arena, "%s/%d", pointer, index++));
	}
}

static void by_rules(const struct finder *f, enum plm_kind kind)
{
	size_t count = 0;
	const struct plm_set_rule *rules = plm_set_rules(&count);

	for (size_t i = 0; i < count; i++) {
		if (rules[i].kind == kind) {
			by_rule(f, &rules[i]);
		}
	}
}

/* The Job that submits, where there is one and its template is written down. */
static void ray_submitter(const struct finder *f)
{
	const cJSON *spec = plm_tree_get(f->job, "spec");
	struct plm_slice mode = plm_tree_text(spec, "submissionMode");
	struct plm_kube_set *set = NULL;

	if ((mode.size > 0 && !plm_slice_is(mode, "K8sJobMode")) ||
	    plm_tree_get(spec, "clusterSelector") != NULL) {
		return;
	}
	set = add(f->out, plm_slice_str("submitter"), plm_tree_get(spec, "submitterPodTemplate"));
	if (set != NULL && set->template != NULL) {
		point_into(set, f->arena, "/spec/submitterPodTemplate");
	}
}

/* "spec.replicatedJobs[0].template" as a pointer. */
static const char *declared_pointer(struct plm_arena *arena, struct plm_slice path)
{
	char *out = plm_arena_take(arena, path.size + 2);
	size_t used = 0;

	out[used++] = '/';
	for (size_t i = 0; i < path.size; i++) {
		char byte = (char)path.ptr[i];

		if (byte == '.' || byte == '[') {
			byte = '/';
		}
		if (byte != ']' && !(byte == '/' && out[used - 1] == '/')) {
			out[used++] = byte;
		}
	}
	return out;
}

static bool is_pods_of(enum plm_kind kind)
{
	return kind == PLM_KIND_DEPLOYMENT || kind == PLM_KIND_STATEFUL_SET;
}

static void declared_sets(const struct finder *f, const cJSON *component, const cJSON *list)
{
	for (const cJSON *at = list->child; at != NULL; at = at->next) {
		const char *pointer = declared_pointer(f->arena, plm_tree_text(at, "path"));
		struct plm_kube_set *set =
			add(f->out, (struct plm_slice){0}, plm_tree_pointer(component, pointer));

		if (set != NULL) {
			set->count = count_at(at, "replicas", 1);
		}
	}
}

static void component_sets(const struct finder *f, const cJSON *component)
{
	const cJSON *object = plm_tree_get(component, "template");
	const cJSON *declared = plm_tree_get(component, "podSets");
	const struct plm_kind_row *row =
		plm_kind_find(plm_tree_text(object, "apiVersion"), plm_tree_text(object, "kind"));

	if (declared != NULL && declared->child != NULL) {
		declared_sets(f, component, declared);
	} else if (row != NULL && row->kind == PLM_KIND_POD) {
		(void)add(f->out, (struct plm_slice){0}, object);
	} else if (row != NULL && is_pods_of(row->kind)) {
		struct plm_kube_set *set =
			add(f->out, (struct plm_slice){0}, plm_tree_at(object, "spec.template"));

		if (set != NULL) {
			set->count = count_at(object, "spec.replicas", 1);
		}
	} else if (row != NULL && row->kind != PLM_KIND_APP_WRAPPER) {
		by_rules(&(struct finder){object, f->arena, f->out}, row->kind);
	}
}

/* Named by their number; what they are given stands beside the component, not in it. */
static void components(const struct finder *f)
{
	const cJSON *list = plm_tree_at(f->job, "spec.components");
	struct plm_slice name = plm_tree_text(plm_tree_get(f->job, "metadata"), "name");
	int component = 0;

	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		size_t from = f->out->count;

		component_sets(f, at);
		for (size_t i = from; i < f->out->count; i++) {
			struct plm_kube_set *set = &f->out->list[i];

			set->name = plm_arena_format(f->arena, "%.*s-%zu", (int)name.size,
						     (const char *)name.ptr, i);
			set->labels = NULL;
			set->component = component;
		}
		component++;
	}
}

bool plm_kube_is_job_label(const char *key)
{
	static const char *const keys[] = {"job-name", "controller-uid",
					   "batch.kubernetes.io/job-name",
					   "batch.kubernetes.io/controller-uid"};

	for (size_t i = 0; i < PLM_COUNTOF(keys); i++) {
		if (strcmp(key, keys[i]) == 0) {
			return true;
		}
	}
	return false;
}

void plm_kube_sets(enum plm_kind kind, const cJSON *job, struct plm_arena *arena,
		   struct plm_kube_sets *out)
{
	const struct finder f = {job, arena, out};

	out->count = 0;
	by_rules(&f, kind);
	if (kind == PLM_KIND_APP_WRAPPER) {
		components(&f);
	}
	if (kind == PLM_KIND_RAY_JOB) {
		ray_submitter(&f);
	}
}

const struct plm_kube_set *plm_kube_set_named(const struct plm_kube_sets *sets,
					      struct plm_slice name)
{
	for (size_t i = 0; i < sets->count; i++) {
		if (plm_slice_equal(sets->list[i].name, name)) {
			return &sets->list[i];
		}
	}
	return NULL;
}
