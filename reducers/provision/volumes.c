/* What a pod's volume comes to: its claim, volume, class and driver. karpenter.md 2.1, 2.10. */
#include "reducers/provision/volumes.h"

/* Its volumes attach to nodes of EKS Auto Mode only, which no pool makes. */
#define FOREIGN_DRIVER "ebs.csi.eks.amazonaws.com"

static bool strict(const struct plm_sched *sched)
{
	return plm_root(sched->st)->compat == PLM_COMPAT_STRICT;
}

struct plm_volume_owner plm_volume_owner_of(const struct plm_sched *sched,
					    const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(sched->st, pod->shape, struct plm_shape, &count);

	return (struct plm_volume_owner){.ns = pod->object.ns,
					 .name = pod->object.name,
					 .bound = pod->node.n != 0,
					 .uses = count == 0 ? (plm_sym){0} : shape->volumes};
}

/* ---- lookups ----------------------------------------------------------------------------------- */

static struct plm_slice claim_name(const struct plm_sched *sched,
				   const struct plm_volume_owner *owner,
				   const struct plm_volume_use *use)
{
	struct plm_slice pod = plm_sched_text(sched, owner->name);
	struct plm_slice volume = plm_sched_text(sched, use->ephemeral);

	if (use->claim.n != 0) {
		return plm_sched_text(sched, use->claim);
	}
	return plm_arena_format(sched->arena, "%.*s-%.*s", (int)pod.size, (const char *)pod.ptr,
				(int)volume.size, (const char *)volume.ptr);
}

/* The one that claims without a class get, as the API server picks it: the newest, then by name. */
static plm_id default_class(const struct plm_sched *sched)
{
	const struct plm_state *st = sched->st;
	plm_id best = {0};

	PLM_EACH(st, storage_class, id)
	{
		const struct plm_storage_class *class = plm_storage_class_at(st, id);
		const struct plm_object *have = &plm_storage_class_at(st, best)->object;

		if (class->is_default == 0) {
			continue;
		}
		if (best.n == 0 || class->object.created_ms > have->created_ms ||
		    (class->object.created_ms == have->created_ms &&
		     plm_sym_compare(st, class->object.name, have->name) < 0)) {
			best = id;
		}
	}
	return best;
}

/* Karpenter reads what stands there; an API server has filled in the default class by then. */
static plm_id class_of(const struct plm_sched *sched, plm_sym name, bool said)
{
	if (name.n != 0) {
		return plm_find(sched->st, PLM_KIND_STORAGE_CLASS, (plm_sym){0}, name);
	}
	return said || strict(sched) ? (plm_id){0} : default_class(sched);
}

static bool foreign(const struct plm_sched *sched, plm_sym driver)
{
	return !strict(sched) && plm_slice_is(plm_sched_text(sched, driver), FOREIGN_DRIVER);
}

/* ---- one use ----------------------------------------------------------------------------------- */

static void look_class(const struct plm_sched *sched, plm_sym name, bool said,
		       struct plm_volume_view *out)
{
	const struct plm_storage_class *class = NULL;

	out->class_id = class_of(sched, name, said);
	if (out->class_id.n == 0) {
		out->refuse = PLM_RULE_STORAGE_CLASS;
		out->astray = name.n != 0;
		return;
	}
	class = plm_storage_class_at(sched->st, out->class_id);
	out->driver = class->provisioner;
	out->terms = class->terms;
	if (class->immediate != 0) {
		out->refuse = PLM_RULE_CLAIM_UNBOUND;
	} else if (foreign(sched, class->provisioner)) {
		out->refuse = PLM_RULE_VOLUME_DRIVER;
	}
}

static void look_volume(const struct plm_sched *sched, const struct plm_volume_claim *claim,
			struct plm_volume_view *out)
{
	const struct plm_volume *volume = NULL;

	out->volume = plm_find(sched->st, PLM_KIND_VOLUME, (plm_sym){0}, claim->volume);
	if (out->volume.n == 0) {
		out->refuse = PLM_RULE_VOLUME_MISSING;
		out->astray = true;
		return;
	}
	volume = plm_volume_at(sched->st, out->volume);
	out->driver = volume->driver;
	out->terms = volume->terms;
	out->local = volume->local != 0;
	if (volume->object.deleting_ms != PLM_UNSET) {
		out->refuse = PLM_RULE_VOLUME_DELETING;
	} else if (claim->bound == 0) {
		out->refuse = PLM_RULE_CLAIM_UNBOUND;
	} else if (foreign(sched, volume->driver)) {
		out->refuse = PLM_RULE_VOLUME_DRIVER;
	}
}

void plm_volume_look(const struct plm_sched *sched, const struct plm_volume_owner *owner,
		     const struct plm_volume_use *use, struct plm_volume_view *out)
{
	const struct plm_volume_claim *claim = NULL;
	/* A pod that is made anew has a new claim; Karpenter takes the old one for it. */
	bool anew = use->claim.n == 0 && (owner->name.n == 0 || (owner->bound && !strict(sched)));
	plm_sym name = use->claim;

	*out = (struct plm_volume_view){.own = use->claim.n == 0};
	if (anew) {
		out->name = plm_sched_text(sched, use->ephemeral);
		look_class(sched, use->class_name, use->class_said != 0, out);
		if (out->refuse == PLM_RULE_CLAIM_UNBOUND) {
			out->refuse = PLM_RULE_NONE; /* it is bound as soon as it is made */
		}
		return;
	}
	out->name = claim_name(sched, owner, use);
	name = name.n != 0 ? name : plm_sym_find(sched->st, out->name);
	out->claim = plm_find(sched->st, PLM_KIND_VOLUME_CLAIM, owner->ns, name);
	if (name.n == 0 || out->claim.n == 0) {
		out->claim = (plm_id){0};
		out->refuse = PLM_RULE_CLAIM_MISSING;
		out->astray = true;
		return;
	}
	claim = plm_volume_claim_at(sched->st, out->claim);
	if (claim->volume.n != 0) {
		look_volume(sched, claim, out);
	} else {
		look_class(sched, claim->class_name, claim->class_said != 0, out);
	}
	if (claim->object.deleting_ms != PLM_UNSET) {
		out->refuse = PLM_RULE_CLAIM_DELETING;
	} else if (claim->lost != 0) {
		out->refuse = PLM_RULE_CLAIM_LOST;
	}
}

/* ---- why a pod is refused ---------------------------------------------------------------------- */

/* The first use that no pod may have; false: there is none. */
static bool first_refused(const struct plm_sched *sched, const struct plm_volume_owner *owner,
			  struct plm_volume_view *out)
{
	uint32_t count = 0;
	const struct plm_volume_use *uses =
		PLM_SPAN(sched->st, owner->uses, struct plm_volume_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_volume_look(sched, owner, &uses[i], out);
		if (out->refuse != PLM_RULE_NONE) {
			return true;
		}
	}
	return false;
}

enum plm_rule plm_volumes_refuse(const struct plm_sched *sched, const struct plm_pod *pod)
{
	struct plm_volume_owner owner = plm_volume_owner_of(sched, pod);
	size_t mark = plm_arena_mark(sched->arena);
	struct plm_volume_view view = {0};
	bool refused = false;

	if (owner.uses.n == 0) {
		return PLM_RULE_NONE;
	}
	refused = first_refused(sched, &owner, &view);
	plm_arena_rewind(sched->arena, mark);
	return refused ? view.refuse : PLM_RULE_NONE;
}

bool plm_rule_of_volumes(enum plm_rule rule)
{
	switch ((int)rule) {
	case PLM_RULE_CLAIM_MISSING:
	case PLM_RULE_CLAIM_DELETING:
	case PLM_RULE_CLAIM_LOST:
	case PLM_RULE_CLAIM_UNBOUND:
	case PLM_RULE_STORAGE_CLASS:
	case PLM_RULE_VOLUME_MISSING:
	case PLM_RULE_VOLUME_DELETING:
	case PLM_RULE_VOLUME_DRIVER:
		return true;
	default:
		return false;
	}
}

/* What the rule is about besides the claim. */
static struct plm_slice blamed(const struct plm_sched *sched, const struct plm_volume_view *view)
{
	const struct plm_state *st = sched->st;
	const struct plm_volume_claim *claim = plm_volume_claim_at(st, view->claim);

	switch ((int)view->refuse) {
	case PLM_RULE_CLAIM_LOST:
	case PLM_RULE_VOLUME_MISSING:
	case PLM_RULE_VOLUME_DELETING:
		return plm_sched_text(sched, claim->volume);
	case PLM_RULE_STORAGE_CLASS:
		return plm_sched_text(sched, claim->class_name);
	case PLM_RULE_CLAIM_UNBOUND:
		return view->volume.n != 0
			       ? plm_slice_of(NULL, 0)
			       : plm_sched_text(
					 sched,
					 plm_storage_class_at(st, view->class_id)->object.name);
	case PLM_RULE_VOLUME_DRIVER:
		return plm_sched_text(sched, view->driver);
	default:
		return plm_slice_of(NULL, 0);
	}
}

void plm_volumes_explain(const struct plm_sched *sched, const struct plm_volume_owner *owner,
			 struct plm_w_explain *out)
{
	struct plm_volume_view view = {0};

	if (first_refused(sched, owner, &view)) {
		out->rule = view.refuse;
		out->object = view.name;
		out->detail = blamed(sched, &view);
	}
}

/* ---- where they are ---------------------------------------------------------------------------- */

/* "us-west-2a or us-west-2b": the zones of a use, else the values of whatever its terms name first. */
static struct plm_slice place_of(const struct plm_sched *sched, const struct plm_volume_view *view)
{
	uint32_t count = 0;
	const struct plm_term *terms = PLM_SPAN(sched->st, view->terms, struct plm_term, &count);
	struct plm_slice text = plm_slice_of(NULL, 0);

	for (uint32_t t = 0; t < count; t++) {
		uint32_t expr_count = 0;
		const struct plm_expr *exprs =
			PLM_SPAN(sched->st, terms[t].exprs, struct plm_expr, &expr_count);
		uint32_t value_count = 0;
		const plm_sym *values = expr_count == 0 ? NULL
							: PLM_SPAN(sched->st, exprs[0].values,
								   plm_sym, &value_count);

		for (uint32_t v = 0; v < value_count; v++) {
			struct plm_slice value = plm_sched_text(sched, values[v]);

			text = plm_arena_format(sched->arena, "%.*s%s%.*s", (int)text.size,
						(const char *)text.ptr, text.size > 0 ? " or " : "",
						(int)value.size, (const char *)value.ptr);
		}
	}
	return text;
}

struct plm_slice plm_volumes_places(const struct plm_sched *sched,
				    const struct plm_volume_owner *owner)
{
	uint32_t count = 0;
	const struct plm_volume_use *uses =
		PLM_SPAN(sched->st, owner->uses, struct plm_volume_use, &count);
	struct plm_slice text = plm_slice_of(NULL, 0);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_volume_view view = {0};
		struct plm_slice place;

		plm_volume_look(sched, owner, &uses[i], &view);
		place = place_of(sched, &view);
		if (place.size == 0) {
			continue;
		}
		text = plm_arena_format(sched->arena, "%.*s%s%.*s in %.*s", (int)text.size,
					(const char *)text.ptr, text.size > 0 ? ", " : "",
					(int)view.name.size, (const char *)view.name.ptr,
					(int)place.size, (const char *)place.ptr);
	}
	return text;
}
