/*
 * amounts.c - resources as numbers, labels, templates of pods
 */
#include "adapters/sim/world.h"

size_t plm_sim_resource(struct plm_world *w, struct plm_slice name)
{
	for (size_t i = 0; i < w->resource_count; i++) {
		if (plm_slice_equal(w->resources[i], name)) {
			return i;
		}
	}
	PLM_ASSERT(w->resource_count < PLM_SIM_RESOURCES);
	w->resources[w->resource_count] = plm_arena_copy(&w->arena, name);
	return w->resource_count++;
}

void plm_sim_amounts(struct plm_world *w, struct plm_vec amounts, int64_t out[PLM_SIM_RESOURCES])
{
	const struct plm_w_amount *list = amounts.ptr;

	memset(out, 0, PLM_SIM_RESOURCES * sizeof(out[0]));
	for (size_t i = 0; i < amounts.count; i++) {
		size_t at = plm_sim_resource(w, list[i].resource);

		out[at] = plm_add_sat(out[at], list[i].amount);
	}
}

struct plm_vec plm_sim_amounts_over(struct plm_world *w, struct plm_vec base, struct plm_vec over)
{
	const struct plm_vec lists[2] = {over, base};
	struct plm_w_amount *out =
		PLM_NEW_ARRAY(&w->arena, base.count + over.count, struct plm_w_amount);
	size_t count = 0;

	for (size_t l = 0; l < PLM_COUNTOF(lists); l++) {
		const struct plm_w_amount *in = lists[l].ptr;

		for (size_t i = 0; i < lists[l].count; i++) {
			size_t at = 0;

			while (at < count &&
			       plm_slice_compare(out[at].resource, in[i].resource) < 0) {
				at++;
			}
			if (at < count && plm_slice_equal(out[at].resource, in[i].resource)) {
				continue;
			}
			memmove(&out[at + 1], &out[at], (count - at) * sizeof(out[0]));
			out[at] = in[i];
			count++;
		}
	}
	return (struct plm_vec){.ptr = out, .count = count};
}

bool plm_sim_has_label(struct plm_vec labels, struct plm_slice key, struct plm_slice *out)
{
	const struct plm_w_kv *list = labels.ptr;

	for (size_t i = 0; i < labels.count; i++) {
		if (plm_slice_equal(list[i].key, key)) {
			*out = list[i].value;
			return true;
		}
	}
	return false;
}

struct plm_slice plm_sim_label(struct plm_vec labels, const char *key)
{
	struct plm_slice value = {0};

	return plm_sim_has_label(labels, plm_slice_str(key), &value) ? value
								     : (struct plm_slice){0};
}

/* Both lists are sorted by key; an insertion sort serves lists that people wrote otherwise. */
struct plm_vec plm_sim_merge(struct plm_world *w, struct plm_vec base, struct plm_vec more)
{
	struct plm_w_kv *out = PLM_NEW_ARRAY(&w->arena, base.count + more.count, struct plm_w_kv);
	const struct plm_vec lists[2] = {more, base};
	size_t count = 0;

	for (size_t l = 0; l < 2; l++) {
		const struct plm_w_kv *in = lists[l].ptr;

		for (size_t i = 0; i < lists[l].count; i++) {
			struct plm_slice had = {0};
			struct plm_vec so_far = {.ptr = out, .count = count};
			size_t at = count;

			if (plm_sim_has_label(so_far, in[i].key, &had)) {
				continue;
			}
			for (; at > 0 && plm_slice_compare(out[at - 1].key, in[i].key) > 0; at--) {
				out[at] = out[at - 1];
			}
			out[at] = in[i];
			count++;
		}
	}
	return (struct plm_vec){.ptr = out, .count = count};
}

struct plm_vec plm_sim_concat(struct plm_world *w, size_t size, struct plm_vec a, struct plm_vec b)
{
	uint8_t *out = plm_arena_array(&w->arena, a.count + b.count, size);

	if (a.count > 0) {
		memcpy(out, a.ptr, a.count * size);
	}
	if (b.count > 0) {
		memcpy(out + a.count * size, b.ptr, b.count * size);
	}
	return (struct plm_vec){.ptr = out, .count = a.count + b.count};
}

void plm_sim_template_init(struct plm_world *w, struct plm_sim_template *template)
{
	const struct plm_w_shape *shape = &template->shape;

	plm_sim_amounts(w, shape->requests, template->request);
	template->request[plm_sim_resource(w, plm_slice_str("pods"))] = 1;
	template->simple = shape->affinity.count == 0 && shape->anti_affinity.count == 0 &&
			   shape->spread.count == 0 && shape->ports.count == 0 &&
			   shape->volumes.count == 0;
}

struct plm_sim_template *plm_sim_template_new(struct plm_world *w,
					      const struct plm_w_pod_set_spec *spec)
{
	struct plm_sim_template *template = PLM_NEW(&w->arena, struct plm_sim_template);

	template->shape = spec->shape;
	template->labels = spec->labels;
	template->pod_set = spec->name;
	plm_sim_template_init(w, template);
	return template;
}

struct plm_sim_template *plm_sim_template_with(struct plm_world *w,
					       const struct plm_sim_template *base,
					       struct plm_vec node_selector,
					       struct plm_vec tolerations, struct plm_vec labels)
{
	struct plm_sim_template *template = PLM_NEW(&w->arena, struct plm_sim_template);
	struct plm_arena *arena = &w->arena;

	*template = *base;
	template->failed_pass = 0;
	template->shape.node_selector =
		plm_sim_merge(w, base->shape.node_selector,
			      plm_wire_copy_list(&plm_type_kv, node_selector, arena));
	template->shape.tolerations =
		plm_sim_concat(w, sizeof(struct plm_w_toleration), base->shape.tolerations,
			       plm_wire_copy_list(&plm_type_toleration, tolerations, arena));
	template->labels =
		plm_sim_merge(w, base->labels, plm_wire_copy_list(&plm_type_kv, labels, arena));
	return template;
}
