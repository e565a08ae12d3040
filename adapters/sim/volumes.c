/*
 * volumes.c - claims bound to volumes, volumes attached to nodes
 *
 * Plays the controllers that stand behind a PersistentVolumeClaim. A class that waits for the first pod has
 * its volume made in the zone of the node that the scheduler chose, any other at once in some zone; a volume
 * whose claimRef names a claim is that claim's. A pod starts when its volumes are attached to its node, and
 * one that is attached elsewhere is waited for; it is detached after the last pod that used it there. Claims
 * in use outlive their deletion, and a volume that was made for a claim goes with it. Not played: other
 * matching of volumes and claims, sizes, access modes, snapshots, resizing.
 */
#include "adapters/sim/world.h"

#define ZONE_KEY "topology.kubernetes.io/zone"
#define MADE_PREFIX "pvc-"
/* What the EBS driver reports for most types. */
#define VOLUMES_PER_NODE 25
#define ATTACH_MS 1000
#define DETACH_MS 2000

/* ---- lookups ----------------------------------------------------------------------------------- */

static struct plm_sim_object *cluster_object(const struct plm_world *w, enum plm_kind kind,
					     struct plm_slice name)
{
	return plm_sim_find(w, kind, (struct plm_slice){0}, name);
}

static struct plm_slice claim_name(struct plm_world *w, const struct plm_sim_object *pod,
				   const struct plm_w_volume_use *use)
{
	const struct plm_slice owner = pod->of.meta->name;

	return use->claim.size > 0
		       ? use->claim
		       : plm_arena_format(&w->scratch, "%.*s-%.*s", (int)owner.size,
					  (const char *)owner.ptr, (int)use->ephemeral.size,
					  (const char *)use->ephemeral.ptr);
}

static struct plm_sim_object *claim_of(struct plm_world *w, const struct plm_sim_object *pod,
				       const struct plm_w_volume_use *use)
{
	return plm_sim_find(w, PLM_KIND_VOLUME_CLAIM, pod->of.meta->ns, claim_name(w, pod, use));
}

/* The volume that a pod's use is bound to; NULL = none. */
static struct plm_sim_object *volume_of(struct plm_world *w, const struct plm_sim_object *pod,
					const struct plm_w_volume_use *use)
{
	const struct plm_sim_object *claim = claim_of(w, pod, use);

	return claim == NULL || claim->of.volume_claim->bound == 0
		       ? NULL
		       : cluster_object(w, PLM_KIND_VOLUME, claim->of.volume_claim->volume);
}

static const struct plm_w_storage_class *class_named(const struct plm_world *w,
						     struct plm_slice name)
{
	const struct plm_sim_object *class =
		name.size == 0 ? NULL : cluster_object(w, PLM_KIND_STORAGE_CLASS, name);

	return class == NULL ? NULL : class->of.payload;
}

static bool terms_hold(struct plm_vec terms, const struct plm_sim_object *node)
{
	const struct plm_w_shape shape = {.required_present = 1, .required = terms};

	return terms.count == 0 || plm_sim_node_matches(&shape, node->of.node);
}

/* ---- binding ----------------------------------------------------------------------------------- */

/* What admission fills in: the newest default class. */
static void fill_class(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_w_volume_claim *claim = object->of.volume_claim;
	const struct plm_w_storage_class *best = NULL;

	if (claim->class_said != 0) {
		return;
	}
	PLM_SIM_EACH(w, PLM_KIND_STORAGE_CLASS, class)
	{
		const struct plm_w_storage_class *one = class->of.payload;

		if (one->is_default != 0 &&
		    (best == NULL || one->meta.created_ms > best->meta.created_ms)) {
			best = one;
		}
	}
	if (best != NULL) {
		claim->class = best->meta.name;
		claim->class_said = 1;
		plm_sim_touch(w, object);
	}
}

static void bind_to(struct plm_world *w, struct plm_sim_object *claim,
		    struct plm_sim_object *volume)
{
	claim->of.volume_claim->volume = volume->of.meta->name;
	claim->of.volume_claim->bound = 1;
	volume->of.volume->claim_ns = claim->of.meta->ns;
	volume->of.volume->claim = claim->of.meta->name;
	plm_sim_touch(w, claim);
	plm_sim_touch(w, volume);
	plm_sim_schedule_later(w);
}

/* One zone as node affinity; none when it is not known. */
static struct plm_vec zone_terms(struct plm_world *w, struct plm_slice zone)
{
	struct plm_w_term *term = PLM_NEW(&w->arena, struct plm_w_term);
	struct plm_w_expr *expr = PLM_NEW(&w->arena, struct plm_w_expr);
	struct plm_slice *value = PLM_NEW(&w->arena, struct plm_slice);

	if (zone.size == 0) {
		return (struct plm_vec){0};
	}
	*value = zone;
	*expr = (struct plm_w_expr){.key = plm_slice_str(ZONE_KEY),
				    .op = PLM_OP_IN,
				    .values = (struct plm_vec){value, 1}};
	*term = (struct plm_w_term){.exprs = {expr, 1}};
	return (struct plm_vec){term, 1};
}

static void make_volume(struct plm_world *w, struct plm_sim_object *claim,
			const struct plm_w_storage_class *class, struct plm_slice zone)
{
	struct plm_slice uid = claim->of.meta->uid;
	struct plm_slice name = plm_arena_format(&w->arena, MADE_PREFIX "%.*s", (int)uid.size,
						 (const char *)uid.ptr);
	struct plm_sim_object *have = cluster_object(w, PLM_KIND_VOLUME, name);
	struct plm_w_volume *volume = NULL;

	if (have == NULL) {
		volume = PLM_NEW(&w->arena, struct plm_w_volume);
		*volume = (struct plm_w_volume){
			.meta = {.name = name, .created_ms = PLM_UNSET, .deleting_ms = PLM_UNSET},
			.class = class->meta.name,
			.driver = class->provisioner,
			.handle = plm_arena_format(&w->arena, "vol-%.*s", (int)uid.size,
						   (const char *)uid.ptr),
			.terms = zone_terms(w, zone)};
		have = plm_sim_create(w, PLM_KIND_VOLUME, PLM_EV_VOLUME, volume);
	}
	bind_to(w, claim, have);
}

/* Where a volume that waits for nobody is made: the first zone of its class, of a node, of the cloud. */
static struct plm_slice some_zone(struct plm_world *w, const struct plm_w_storage_class *class)
{
	const struct plm_slice *zones = w->options.zones.ptr;
	const struct plm_w_term *terms = class->terms.ptr;
	const struct plm_w_expr *exprs = class->terms.count == 0 ? NULL : terms[0].exprs.ptr;

	for (size_t i = 0; exprs != NULL && i < terms[0].exprs.count; i++) {
		if (plm_slice_is(exprs[i].key, ZONE_KEY) && exprs[i].values.count > 0) {
			return *(const struct plm_slice *)exprs[i].values.ptr;
		}
	}
	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		struct plm_slice zone = plm_sim_label(node->of.meta->labels, ZONE_KEY);

		if (zone.size > 0) {
			return zone;
		}
	}
	return w->options.zones.count > 0 ? zones[0] : (struct plm_slice){0};
}

/* The volume that says itself whose it is, or that the claim names. */
static struct plm_sim_object *reserved_volume(struct plm_world *w,
					      const struct plm_sim_object *claim)
{
	const struct plm_w_volume_claim *my = claim->of.volume_claim;

	if (my->volume.size > 0) {
		return cluster_object(w, PLM_KIND_VOLUME, my->volume);
	}
	PLM_SIM_EACH(w, PLM_KIND_VOLUME, volume)
	{
		if (plm_slice_equal(volume->of.volume->claim, my->meta.name) &&
		    plm_slice_equal(volume->of.volume->claim_ns, my->meta.ns)) {
			return volume;
		}
	}
	return NULL;
}

void plm_sim_claim_sync(struct plm_world *w, struct plm_sim_object *claim)
{
	struct plm_w_volume_claim *my = claim->of.volume_claim;
	const struct plm_w_storage_class *class = NULL;
	struct plm_sim_object *volume = NULL;

	if (my->bound != 0 || my->lost != 0) {
		return;
	}
	fill_class(w, claim);
	volume = reserved_volume(w, claim);
	if (volume != NULL) {
		bind_to(w, claim, volume);
		return;
	}
	class = class_named(w, my->class);
	if (my->volume.size == 0 && class != NULL && class->immediate != 0) {
		make_volume(w, claim, class, some_zone(w, class));
	}
}

static void sync_claims(struct plm_world *w)
{
	PLM_SIM_EACH(w, PLM_KIND_VOLUME_CLAIM, claim)
	{
		plm_sim_sync_later(w, claim);
	}
}

/* ---- claims of pods ---------------------------------------------------------------------------- */

static struct plm_sim_object *make_claim(struct plm_world *w, struct plm_slice ns,
					 struct plm_slice name, const struct plm_w_volume_use *of)
{
	struct plm_sim_object *claim = plm_sim_find(w, PLM_KIND_VOLUME_CLAIM, ns, name);
	struct plm_w_volume_claim *my = NULL;

	if (claim != NULL) {
		return claim;
	}
	my = PLM_NEW(&w->arena, struct plm_w_volume_claim);
	my->meta = (struct plm_w_meta){.ns = ns,
				       .name = plm_arena_copy(&w->arena, name),
				       .created_ms = PLM_UNSET,
				       .deleting_ms = PLM_UNSET};
	my->class = of->class;
	my->class_said = of->class_said;
	claim = plm_sim_create(w, PLM_KIND_VOLUME_CLAIM, PLM_EV_VOLUME_CLAIM, my);
	plm_sim_sync_later(w, claim);
	return claim;
}

void plm_sim_pod_claims(struct plm_world *w, struct plm_sim_object *pod)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		struct plm_sim_object *claim = NULL;

		if (uses[i].claim.size > 0 || claim_of(w, pod, &uses[i]) != NULL) {
			continue;
		}
		claim = make_claim(w, pod->of.meta->ns, claim_name(w, pod, &uses[i]), &uses[i]);
		claim->of.meta->owner_kind = plm_slice_str("Pod");
		claim->of.meta->owner_name = pod->of.meta->name;
		claim->of.meta->owner_uid = pod->of.meta->uid;
		plm_sim_adopt(pod, claim);
	}
}

void plm_sim_set_claims(struct plm_world *w, const struct plm_sim_object *set,
			struct plm_sim_object *pod)
{
	struct plm_vec templates = set->of.replicator->claims;
	const struct plm_w_volume_use *from = templates.ptr;
	struct plm_w_volume_use *uses =
		PLM_NEW_ARRAY(&w->arena, templates.count, struct plm_w_volume_use);
	struct plm_w_shape *shape = &pod->of.pod->shape;

	for (size_t i = 0; i < templates.count; i++) {
		struct plm_slice name = plm_arena_format(
			&w->arena, "%.*s-%.*s", (int)from[i].ephemeral.size,
			(const char *)from[i].ephemeral.ptr, (int)pod->of.meta->name.size,
			(const char *)pod->of.meta->name.ptr);

		(void)make_claim(w, pod->of.meta->ns, name, &from[i]);
		uses[i] = (struct plm_w_volume_use){.claim = name};
	}
	shape->volumes = plm_sim_concat(w, sizeof(*uses), (struct plm_vec){uses, templates.count},
					shape->volumes);
}

/* ---- the scheduler ----------------------------------------------------------------------------- */

/* Can the volume of this use be had on the node? */
static bool reaches(struct plm_world *w, const struct plm_sim_object *pod,
		    const struct plm_w_volume_use *use, const struct plm_sim_object *node)
{
	const struct plm_sim_object *claim = claim_of(w, pod, use);
	const struct plm_sim_object *volume = volume_of(w, pod, use);
	const struct plm_w_storage_class *class = NULL;

	if (claim == NULL || claim->of.meta->deleting_ms != PLM_UNSET ||
	    claim->of.volume_claim->lost != 0) {
		return false;
	}
	if (volume != NULL) {
		return volume->of.meta->deleting_ms == PLM_UNSET &&
		       terms_hold(volume->of.volume->terms, node);
	}
	class = class_named(w, claim->of.volume_claim->class);
	return claim->of.volume_claim->volume.size == 0 && class != NULL && class->immediate == 0 &&
	       terms_hold(class->terms, node);
}

/* The driver that will attach the claim's volume; empty = none. */
static struct plm_slice driver_of(struct plm_world *w, const struct plm_sim_object *claim)
{
	const struct plm_sim_object *volume =
		cluster_object(w, PLM_KIND_VOLUME, claim->of.volume_claim->volume);
	const struct plm_w_storage_class *class = class_named(w, claim->of.volume_claim->class);

	if (volume != NULL) {
		return volume->of.volume->driver;
	}
	return class == NULL ? (struct plm_slice){0} : class->provisioner;
}

struct counted {
	struct plm_slice driver;
	const struct plm_sim_object **claims; /* scratch; each once */
	size_t count;
};

static void count_uses(struct plm_world *w, const struct plm_sim_object *pod,
		       struct counted *counted)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		const struct plm_sim_object *claim = claim_of(w, pod, &uses[i]);
		bool have = false;

		if (claim == NULL || !plm_slice_equal(driver_of(w, claim), counted->driver)) {
			continue;
		}
		for (size_t c = 0; c < counted->count; c++) {
			have = have || counted->claims[c] == claim;
		}
		if (!have) {
			counted->claims[counted->count++] = claim;
		}
	}
}

static bool within_limit(struct plm_world *w, const struct plm_sim_object *pod,
			 const struct plm_sim_object *node, const struct plm_w_csi_driver *driver)
{
	struct counted counted = {.driver = driver->name};
	size_t room = pod->of.pod->shape.volumes.count;
	size_t before = 0;

	for (const struct plm_sim_object *p = node->my.node->pods; p != NULL;
	     p = p->my.pod->node_next) {
		room += p->of.pod->shape.volumes.count;
	}
	counted.claims = PLM_NEW_ARRAY(&w->scratch, room, const struct plm_sim_object *);
	for (const struct plm_sim_object *p = node->my.node->pods; p != NULL;
	     p = p->my.pod->node_next) {
		count_uses(w, p, &counted);
	}
	before = counted.count;
	count_uses(w, pod, &counted);
	return counted.count == before || (int64_t)counted.count <= driver->limit;
}

bool plm_sim_volumes_allow(struct plm_world *w, const struct plm_sim_object *pod,
			   const struct plm_sim_object *node)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;
	const struct plm_sim_object *csi = NULL;
	const struct plm_w_csi_node *drivers = NULL;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		if (!reaches(w, pod, &uses[i], node)) {
			return false;
		}
	}
	csi = cluster_object(w, PLM_KIND_CSI_NODE, node->of.meta->name);
	drivers = csi == NULL ? NULL : csi->of.payload;
	for (size_t i = 0; drivers != NULL && uses != NULL && i < drivers->drivers.count; i++) {
		const struct plm_w_csi_driver *driver = drivers->drivers.ptr;

		if (driver[i].limit != PLM_UNSET && !within_limit(w, pod, node, &driver[i])) {
			return false;
		}
	}
	return true;
}

void plm_sim_volumes_bind(struct plm_world *w, struct plm_sim_object *pod,
			  const struct plm_sim_object *node)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		struct plm_sim_object *claim = claim_of(w, pod, &uses[i]);
		const struct plm_w_storage_class *class = NULL;

		PLM_ASSERT(claim != NULL);
		class = class_named(w, claim->of.volume_claim->class);
		if (claim->of.volume_claim->bound == 0 && class != NULL) {
			make_volume(w, claim, class,
				    plm_sim_label(node->of.meta->labels, ZONE_KEY));
		}
	}
}

/* ---- attaching --------------------------------------------------------------------------------- */

static struct plm_sim_object *attachment_of(struct plm_world *w,
					    const struct plm_sim_object *volume)
{
	PLM_SIM_EACH(w, PLM_KIND_VOLUME_ATTACHMENT, object)
	{
		const struct plm_w_volume_attachment *my = object->of.payload;

		if (plm_slice_equal(my->volume, volume->of.meta->name)) {
			return object;
		}
	}
	return NULL;
}

static void attach(struct plm_world *w, const struct plm_sim_object *volume,
		   const struct plm_sim_object *node, bool at_once)
{
	struct plm_w_volume_attachment *my = PLM_NEW(&w->arena, struct plm_w_volume_attachment);
	struct plm_slice pv = volume->of.meta->name;
	struct plm_slice host = node->of.meta->name;

	my->meta = (struct plm_w_meta){.name = plm_arena_format(&w->arena, "csi-%.*s-%.*s",
								(int)pv.size, (const char *)pv.ptr,
								(int)host.size,
								(const char *)host.ptr),
				       .created_ms = PLM_UNSET,
				       .deleting_ms = PLM_UNSET};
	my->driver = volume->of.volume->driver;
	my->node = host;
	my->volume = pv;
	my->attached = at_once ? 1 : 0;
	(void)plm_sim_create(w, PLM_KIND_VOLUME_ATTACHMENT, PLM_EV_VOLUME_ATTACHMENT, my);
}

/* One volume of a pod on its node: attached there? If not, it is on its way when it can be. */
static bool is_attached(struct plm_world *w, const struct plm_sim_object *pod,
			const struct plm_sim_object *volume, bool at_once)
{
	const struct plm_sim_object *node = pod->my.pod->node;
	struct plm_sim_object *object = NULL;
	struct plm_w_volume_attachment *my = NULL;

	if (volume == NULL || volume->of.volume->driver.size == 0) {
		return true;
	}
	object = attachment_of(w, volume);
	if (object == NULL) {
		attach(w, volume, node, at_once);
		return at_once;
	}
	my = object->of.payload;
	if (!plm_slice_equal(my->node, node->of.meta->name)) {
		return false;
	}
	if (my->attached == 0 && w->now_ms >= my->meta.created_ms + ATTACH_MS) {
		my->attached = 1;
		plm_sim_touch(w, object);
	}
	return my->attached != 0;
}

bool plm_sim_volumes_attached(struct plm_world *w, struct plm_sim_object *pod)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;
	bool at_once = w->options.instant || pod->of.pod->phase == PLM_PHASE_RUNNING;
	bool all = true;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		all = is_attached(w, pod, volume_of(w, pod, &uses[i]), at_once) && all;
	}
	if (!all) {
		plm_sim_plan(w, ATTACH_MS, PLM_SIM_DUE_POD_START, pod, pod->my.pod->life);
	}
	return all;
}

void plm_sim_volumes_left(struct plm_world *w, const struct plm_sim_object *pod)
{
	if (pod->of.pod->shape.volumes.count > 0) {
		plm_sim_plan(w, w->options.instant ? 0 : DETACH_MS, PLM_SIM_DUE_VOLUMES, NULL, 0);
	}
}

/* ---- what nobody uses any more ----------------------------------------------------------------- */

static bool pod_uses(struct plm_world *w, const struct plm_sim_object *pod,
		     const struct plm_sim_object *claim)
{
	const struct plm_w_volume_use *uses = pod->of.pod->shape.volumes.ptr;

	for (size_t i = 0; i < pod->of.pod->shape.volumes.count; i++) {
		if (claim_of(w, pod, &uses[i]) == claim) {
			return true;
		}
	}
	return false;
}

/* A pod that stands on some node uses the claim. */
static bool in_use(struct plm_world *w, const struct plm_sim_object *claim)
{
	PLM_SIM_EACH(w, PLM_KIND_POD, pod)
	{
		if (pod->my.pod->node != NULL && pod_uses(w, pod, claim)) {
			return true;
		}
	}
	return false;
}

static bool in_use_on(struct plm_world *w, const struct plm_sim_object *claim,
		      struct plm_slice name)
{
	const struct plm_sim_object *node = cluster_object(w, PLM_KIND_NODE, name);
	const struct plm_sim_object *pod = node == NULL ? NULL : node->my.node->pods;

	for (; pod != NULL; pod = pod->my.pod->node_next) {
		if (pod_uses(w, pod, claim)) {
			return true;
		}
	}
	return false;
}

static struct plm_sim_object *claim_of_volume(struct plm_world *w,
					      const struct plm_sim_object *volume)
{
	return plm_sim_find(w, PLM_KIND_VOLUME_CLAIM, volume->of.volume->claim_ns,
			    volume->of.volume->claim);
}

/* Detach, then let go of claims that wait for it, then of volumes that were made for claims. */
void plm_sim_volumes_sweep(struct plm_world *w)
{
	PLM_SIM_EACH(w, PLM_KIND_VOLUME_ATTACHMENT, object)
	{
		const struct plm_w_volume_attachment *my = object->of.payload;
		const struct plm_sim_object *volume =
			cluster_object(w, PLM_KIND_VOLUME, my->volume);
		const struct plm_sim_object *claim =
			volume == NULL ? NULL : claim_of_volume(w, volume);

		if (claim == NULL || !in_use_on(w, claim, my->node)) {
			plm_sim_remove(w, object);
		}
	}
	PLM_SIM_EACH(w, PLM_KIND_VOLUME_CLAIM, claim)
	{
		if (claim->of.meta->deleting_ms != PLM_UNSET && !in_use(w, claim)) {
			plm_sim_remove(w, claim);
		}
	}
	PLM_SIM_EACH(w, PLM_KIND_VOLUME, volume)
	{
		struct plm_slice name = volume->of.meta->name;

		if (name.size > strlen(MADE_PREFIX) &&
		    memcmp(name.ptr, MADE_PREFIX, strlen(MADE_PREFIX)) == 0 &&
		    volume->of.volume->claim.size > 0 && claim_of_volume(w, volume) == NULL) {
			plm_sim_remove(w, volume);
		}
	}
}

void plm_sim_claim_deleted_by_hand(struct plm_world *w, struct plm_sim_object *claim)
{
	if (claim->of.meta->deleting_ms != PLM_UNSET) {
		return;
	}
	if (in_use(w, claim)) {
		claim->of.meta->deleting_ms = w->now_ms;
		plm_sim_touch(w, claim);
		return;
	}
	plm_sim_remove(w, claim);
	plm_sim_plan(w, w->options.instant ? 0 : DETACH_MS, PLM_SIM_DUE_VOLUMES, NULL, 0);
}

void plm_sim_volume_removed(struct plm_world *w, const struct plm_sim_object *volume)
{
	struct plm_sim_object *claim = claim_of_volume(w, volume);

	if (claim != NULL && claim->of.volume_claim->bound != 0) {
		claim->of.volume_claim->lost = 1;
		plm_sim_touch(w, claim);
	}
}

/* ---- drivers on nodes -------------------------------------------------------------------------- */

/* Every driver that some class makes volumes with runs on every node. */
void plm_sim_csi_sync(struct plm_world *w, struct plm_sim_object *node)
{
	struct plm_w_csi_driver *drivers = NULL;
	struct plm_w_csi_node *csi = NULL;
	size_t count = 0;

	if (node->of.node->ready == 0 ||
	    cluster_object(w, PLM_KIND_CSI_NODE, node->of.meta->name) != NULL) {
		return;
	}
	PLM_SIM_EACH(w, PLM_KIND_STORAGE_CLASS, class)
	{
		count++;
	}
	drivers = PLM_NEW_ARRAY(&w->arena, count, struct plm_w_csi_driver);
	csi = PLM_NEW(&w->arena, struct plm_w_csi_node);
	csi->meta = (struct plm_w_meta){
		.name = node->of.meta->name, .created_ms = PLM_UNSET, .deleting_ms = PLM_UNSET};
	csi->drivers.ptr = drivers;
	PLM_SIM_EACH(w, PLM_KIND_STORAGE_CLASS, class)
	{
		const struct plm_w_storage_class *my = class->of.payload;
		bool have = false;

		for (size_t i = 0; i < csi->drivers.count; i++) {
			have = have || plm_slice_equal(drivers[i].name, my->provisioner);
		}
		if (!have) {
			drivers[csi->drivers.count++] =
				(struct plm_w_csi_driver){my->provisioner, VOLUMES_PER_NODE};
		}
	}
	(void)plm_sim_create(w, PLM_KIND_CSI_NODE, PLM_EV_CSI_NODE, csi);
}

void plm_sim_csi_gone(struct plm_world *w, const struct plm_sim_object *node)
{
	struct plm_sim_object *csi = cluster_object(w, PLM_KIND_CSI_NODE, node->of.meta->name);

	if (csi != NULL) {
		plm_sim_remove(w, csi);
	}
}

void plm_sim_node_drivers(struct plm_world *w, struct plm_sim_object *node)
{
	if (w->first[PLM_KIND_STORAGE_CLASS] != NULL) {
		plm_sim_sync_later(w, node);
	}
}

void plm_sim_volume_born(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->kind == PLM_KIND_VOLUME_CLAIM) {
		plm_sim_sync_later(w, object);
		return;
	}
	sync_claims(w);
	if (object->kind == PLM_KIND_STORAGE_CLASS) {
		PLM_SIM_EACH(w, PLM_KIND_NODE, node)
		{
			plm_sim_sync_later(w, node);
		}
	}
}
