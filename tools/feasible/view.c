#include "tools/feasible/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/grow.h"

void say(const struct view *v, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	v->says->broken(v->says->self, text);
}

/* ---- hosts --------------------------------------------------------------------------------------- */

const struct plm_node_claim *claim_at(const struct view *v, const struct host *host)
{
	return plm_node_claim_at(v->st, host->claim);
}

plm_id type_named(const struct view *v, plm_sym name)
{
	return plm_index_find(v->st, PLM_KEY_INSTANCE_TYPE, name.n, 0);
}

static bool is_initialized(const struct view *v, const struct plm_node *node)
{
	plm_sym value = {0};
	plm_sym key = plm_sym_find(v->st, plm_slice_str("karpenter.sh/initialized"));

	return key.n != 0 && plm_kv_get(v->st, node->object.labels, key, &value) &&
	       plm_sym_is(v->st, value, "true");
}

static void add_host(struct view *v, plm_id node, plm_id claim)
{
	struct host *host = &v->hosts[v->host_count++];

	*host = (struct host){.node = node, .claim = claim};
	if (node.n != 0) {
		host->name = plm_node_at(v->st, node)->object.name;
		v->of_node[node.n] = v->host_count;
	}
	if (claim.n != 0) {
		const struct plm_node_claim *slot = plm_node_claim_at(v->st, claim);

		host->name = node.n != 0 ? host->name : slot->object.name;
		host->open = node.n == 0 && slot->phase == PLM_CLAIM_WANTED;
		host->starting = slot->phase != PLM_CLAIM_READY &&
				 (node.n == 0 || !is_initialized(v, plm_node_at(v->st, node)));
		v->of_claim[claim.n] = v->host_count;
	}
}

static void find_hosts(struct view *v)
{
	v->hosts = PLM_NEW_ARRAY(v->arena, plm_node_live(v->st) + plm_node_claim_live(v->st) + 1U,
				 struct host);
	v->of_node = PLM_NEW_ARRAY(v->arena, plm_node_bound(v->st), uint32_t);
	v->of_claim = PLM_NEW_ARRAY(v->arena, plm_node_claim_bound(v->st), uint32_t);
	PLM_EACH(v->st, node, id)
	{
		add_host(v, id, plm_node_at(v->st, id)->claim);
	}
	PLM_EACH(v->st, node_claim, id)
	{
		if (v->of_claim[id.n] == 0) {
			add_host(v, (plm_id){0}, id);
		}
	}
}

uint32_t host_named(const struct view *v, plm_sym name, bool is_claim)
{
	plm_id id =
		plm_find(v->st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE, (plm_sym){0}, name);

	if (name.n == 0 || id.n == 0) {
		return 0;
	}
	return is_claim ? v->of_claim[id.n] : v->of_node[id.n];
}

/* ---- residents ----------------------------------------------------------------------------------- */

const struct plm_shape *shape_of(const struct view *v, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(v->st, pod->shape, struct plm_shape, &count);

	return count == 0 ? NULL : shape;
}

static void reside(struct view *v, plm_id pod, uint32_t host, bool fresh)
{
	if (host == 0) {
		return;
	}
	v->residents[v->resident_count++] =
		(struct resident){.pod = pod, .host = host - 1, .fresh = fresh};
	v->hosts[host - 1].judged = v->hosts[host - 1].judged || fresh;
}

/* Is the pod's target one that it did not have at the last look? */
static bool is_news(struct plm_feasible *f, plm_id id, const struct plm_pod *pod)
{
	bool same = f->targets[id.n] == pod->target.n && f->uids[id.n] == pod->object.uid.n;

	f->targets[id.n] = pod->target.n;
	f->uids[id.n] = pod->object.uid.n;
	return pod->target.n != 0 && !same;
}

/* It takes a place of its gang, which was judged when it was kept. */
static bool takes_place(const struct view *v, const struct plm_pod *pod, uint32_t host)
{
	plm_id workload = workload_of(v, pod);
	uint32_t count = 0;
	const struct plm_place *places =
		PLM_SPAN(v->st, plm_workload_at(v->st, workload)->places, struct plm_place, &count);

	for (uint32_t i = 0; workload.n != 0 && i < count; i++) {
		if (host_named(v, places[i].target, places[i].claim != 0) == host) {
			return true;
		}
	}
	return false;
}

static void find_residents(struct view *v, struct plm_feasible *f)
{
	v->residents = PLM_NEW_ARRAY(v->arena, 2U * plm_pod_live(v->st) + 1U, struct resident);
	f->targets =
		plm_grown(f->targets, &f->target_count, plm_pod_bound(v->st), sizeof(uint32_t));
	f->uids = plm_grown(f->uids, &f->uid_count, plm_pod_bound(v->st), sizeof(uint32_t));
	PLM_EACH(v->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(v->st, id);
		uint32_t bound = host_named(v, pod->node, false);
		uint32_t target = host_named(v, pod->target, pod->target_claim != 0);
		bool fresh = is_news(f, id, pod);

		if (shape_of(v, pod) == NULL || pod->phase == PLM_PHASE_SUCCEEDED ||
		    pod->phase == PLM_PHASE_FAILED) {
			continue;
		}
		reside(v, id, bound, false);
		/* Somebody else comes in the place of one that is being deleted. */
		if (target != bound && pod->object.deleting_ms == PLM_UNSET) {
			reside(v, id, target, fresh && !takes_place(v, pod, target));
		}
	}
}

static plm_sym word(const struct plm_state *st, const char *text)
{
	return plm_sym_find(st, plm_slice_str(text));
}

struct view *view_of(struct plm_feasible *f, const struct plm_state *st, struct plm_arena *arena,
		     const struct plm_feasible_says *says)
{
	struct view *v = PLM_NEW(arena, struct view);

	*v = (struct view){
		.st = st,
		.arena = arena,
		.says = says,
		.strict = plm_root(st)->compat == PLM_COMPAT_STRICT,
		.pods = word(st, "pods"),
		.hostname = word(st, "kubernetes.io/hostname"),
		.zone = word(st, "topology.kubernetes.io/zone"),
		.capacity_type = word(st, "karpenter.sh/capacity-type"),
		.reservation = word(st, "karpenter.k8s.aws/capacity-reservation-id"),
		.instance_type = word(st, "node.kubernetes.io/instance-type"),
	};
	find_hosts(v);
	find_residents(v, f);
	return v;
}
