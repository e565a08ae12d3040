/*
 * scheduler.c - pods to nodes: by priority, then age; the emptiest node that may hold the pod
 *
 * A pass takes place 'schedulerLatency' after something changed. Within a pass a template that found no
 * node is not tried again, which is exact for pods without rules about other pods: a pass only fills
 * nodes. Preemption by the scheduler itself is not played: work with a queue is preempted by the engine.
 */
#include "adapters/sim/world.h"
#include "core/sort.h"

void plm_sim_wait_add(struct plm_world *w, struct plm_sim_object *pod)
{
	struct plm_sim_pod *my = pod->my.pod;

	PLM_ASSERT(!my->waiting && my->node == NULL);
	my->waiting = true;
	my->wait_prev = w->last_waiting;
	if (w->last_waiting != NULL) {
		w->last_waiting->my.pod->wait_next = pod;
	} else {
		w->waiting = pod;
	}
	w->last_waiting = pod;
	plm_sim_schedule_later(w);
}

void plm_sim_wait_drop(struct plm_world *w, struct plm_sim_object *pod)
{
	struct plm_sim_pod *my = pod->my.pod;

	if (!my->waiting) {
		return;
	}
	if (my->wait_prev != NULL) {
		my->wait_prev->my.pod->wait_next = my->wait_next;
	} else {
		w->waiting = my->wait_next;
	}
	if (my->wait_next != NULL) {
		my->wait_next->my.pod->wait_prev = my->wait_prev;
	} else {
		w->last_waiting = my->wait_prev;
	}
	my->waiting = false;
	my->wait_prev = NULL;
	my->wait_next = NULL;
}

void plm_sim_schedule_later(struct plm_world *w)
{
	if (!w->pass_planned && (w->waiting != NULL || (w->strays != NULL && w->node_came))) {
		w->pass_planned = true;
		plm_sim_plan(w, w->options.scheduler_latency_ms, PLM_SIM_DUE_SCHEDULER, NULL, 0);
	}
}

void plm_sim_stray_add(struct plm_world *w, struct plm_sim_object *pod)
{
	pod->my.pod->wait_next = w->strays;
	w->strays = pod;
}

static void bind_strays(struct plm_world *w)
{
	struct plm_sim_object *pod = w->strays;

	if (!w->node_came) {
		return;
	}
	w->node_came = false;
	w->strays = NULL;
	while (pod != NULL) {
		struct plm_sim_object *next = pod->my.pod->wait_next;
		struct plm_sim_object *node =
			plm_sim_find(w, PLM_KIND_NODE, (struct plm_slice){0}, pod->of.pod->node);

		pod->my.pod->wait_next = NULL;
		if (!pod->gone && !plm_sim_pod_over(pod) && node == NULL) {
			plm_sim_stray_add(w, pod);
		} else if (!pod->gone && !plm_sim_pod_over(pod)) {
			plm_sim_bind(w, pod, node);
		}
		pod = next;
	}
}

static int64_t priority_of(const struct plm_world *w, const struct plm_sim_object *pod)
{
	const struct plm_w_shape *shape = &pod->of.pod->shape;
	const struct plm_sim_object *class = NULL;

	if (shape->priority != PLM_UNSET && shape->priority != 0) {
		return shape->priority;
	}
	class = plm_sim_find(w, PLM_KIND_PRIORITY_CLASS, (struct plm_slice){0},
			     shape->priority_class);
	return class == NULL ? 0 : ((const struct plm_w_priority_class *)class->of.payload)->value;
}

/* How much of cpu and memory would be left, in permille: the more the better. */
static int64_t score(const struct plm_world *w, const struct plm_sim_object *pod,
		     const struct plm_sim_object *node)
{
	const struct plm_sim_node_state *my = node->my.node;
	const int64_t *request = pod->my.pod->template->request;
	int64_t sum = 0;

	for (size_t r = 0; r < w->resource_count; r++) {
		if (request[r] > 0 && my->allocatable[r] > 0) {
			plm_i128 left = (plm_i128)my->allocatable[r] - my->used[r] - request[r];

			sum += (int64_t)(left * 1000 / my->allocatable[r]);
		}
	}
	return sum;
}

static struct plm_sim_object *best_node(struct plm_world *w, const struct plm_sim_object *pod)
{
	struct plm_sim_object *best = NULL;
	int64_t best_score = 0;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		int64_t points = 0;

		if (!plm_sim_placeable(w, pod, node)) {
			continue;
		}
		points = score(w, pod, node);
		if (best == NULL || points > best_score) {
			best = node;
			best_score = points;
		}
	}
	return best;
}

/* ---- the same for many equal pods --------------------------------------------------------------- */

/*
 * A pass only fills nodes, so what a node is worth to a template only sinks: the best of those looked at
 * before is the best of all once it is worth what it was.
 */
static bool is_better(const struct plm_sim_choice *a, const struct plm_sim_choice *b)
{
	return a->points != b->points ? a->points > b->points : a->order < b->order;
}

static void sink(struct plm_sim_choice *heap, size_t count, size_t at)
{
	struct plm_sim_choice moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < count && is_better(&heap[child + 1], &heap[child])) {
			child++;
		}
		if (child >= count || !is_better(&heap[child], &moved)) {
			heap[at] = moved;
			return;
		}
		heap[at] = heap[child];
		at = child;
	}
}

static void make_choices(struct plm_world *w, const struct plm_sim_object *pod)
{
	struct plm_sim_template *template = pod->my.pod->template;
	size_t nodes = 0;
	size_t order = 0;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		nodes++;
	}
	template->choices = PLM_NEW_ARRAY(&w->scratch, nodes, struct plm_sim_choice);
	template->choice_count = 0;
	template->choice_pass = w->pass;
	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		if (plm_sim_placeable(w, pod, node)) {
			template->choices[template->choice_count++] = (struct plm_sim_choice){
				.node = node, .points = score(w, pod, node), .order = order};
		}
		order++;
	}
	for (size_t i = template->choice_count / 2; i > 0; i--) {
		sink(template->choices, template->choice_count, i - 1);
	}
}

static struct plm_sim_object *best_choice(struct plm_world *w, const struct plm_sim_object *pod)
{
	struct plm_sim_template *template = pod->my.pod->template;
	struct plm_sim_choice *heap = NULL;

	if (template->choice_pass != w->pass) {
		make_choices(w, pod);
	}
	heap = template->choices;
	while (template->choice_count > 0) {
		int64_t points = score(w, pod, heap[0].node);

		if (!plm_sim_placeable(w, pod, heap[0].node)) {
			heap[0] = heap[--template->choice_count];
		} else if (points == heap[0].points) {
			return heap[0].node;
		} else {
			heap[0].points = points;
		}
		if (template->choice_count > 0) {
			sink(heap, template->choice_count, 0);
		}
	}
	return NULL;
}

struct row {
	struct plm_sim_object *pod;
	int64_t priority;
};

static int row_order(const void *context, uint32_t a, uint32_t b)
{
	const struct row *rows = context;

	if (rows[a].priority != rows[b].priority) {
		return rows[a].priority > rows[b].priority ? -1 : 1;
	}
	return rows[a].pod->number < rows[b].pod->number   ? -1
	       : rows[a].pod->number > rows[b].pod->number ? 1
							   : 0;
}

static void place(struct plm_world *w, struct plm_sim_object *pod)
{
	struct plm_sim_template *template = pod->my.pod->template;
	struct plm_sim_object *node = NULL;

	if (pod->of.pod->gated != 0) {
		return;
	}
	if (template->failed_pass != w->pass) {
		node = template->simple ? best_choice(w, pod) : best_node(w, pod);
	}
	if (node != NULL) {
		plm_sim_volumes_bind(w, pod, node);
		plm_sim_bind(w, pod, node);
		return;
	}
	if (template->simple) {
		template->failed_pass = w->pass;
	}
	if (pod->of.pod->unschedulable == 0) {
		pod->of.pod->unschedulable = 1;
		plm_sim_touch(w, pod);
	}
}

void plm_sim_schedule(struct plm_world *w)
{
	struct row *rows = NULL;
	uint32_t *order = NULL;
	size_t count = 0;

	w->pass_planned = false;
	w->pass++;
	bind_strays(w);
	for (const struct plm_sim_object *p = w->waiting; p != NULL; p = p->my.pod->wait_next) {
		count++;
	}
	rows = PLM_NEW_ARRAY(&w->scratch, count, struct row);
	order = PLM_NEW_ARRAY(&w->scratch, count, uint32_t);
	count = 0;
	for (struct plm_sim_object *p = w->waiting; p != NULL; p = p->my.pod->wait_next) {
		rows[count] = (struct row){.pod = p, .priority = priority_of(w, p)};
		order[count] = (uint32_t)count;
		count++;
	}
	plm_sort(order, count, row_order, rows, &w->scratch);
	for (size_t i = 0; i < count; i++) {
		place(w, rows[order[i]].pod);
	}
}
