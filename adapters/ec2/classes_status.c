#include "adapters/ec2/classes_status.h"

#include "adapters/ec2/classes_form.h"
#include "adapters/ec2/classes_profile.h"
#include "adapters/ec2/recipe.h"
#include "core/limits.h"
#include "core/utf8.h"
#include "ec2/family.h"

#include <stdio.h>
#include <stdlib.h>

#define AWAITING "AwaitingReconciliation"

void plm_ec2_class_memory_fini(struct plm_ec2_class_memory *memory)
{
	free(memory->subnets);
	*memory = (struct plm_ec2_class_memory){0};
}

/* ---- conditions ---------------------------------------------------------------------------------- */

void plm_ec2_look_begin(struct plm_ec2_look *look)
{
	look->waits = false;
	look->why = "";
	look->stale = "";
}

const struct plm_ec2_answer *plm_ec2_look_ask(struct plm_ec2_look *look, enum plm_ec2_what what,
					      struct plm_slice body)
{
	const struct plm_ec2_answer *answer = plm_ec2_ask(look->env->asks, what, body);

	if (!answer->tried) {
		look->waits = true;
		look->out->untried = true;
	} else if (!answer->known) {
		look->waits = true;
		look->out->unknown = true;
		look->why = answer->why;
	} else if (answer->failing_ms != PLM_UNSET &&
		   look->env->boot_ms - answer->failing_ms >= PLM_LIMIT_CLASS_STALE_MS) {
		look->stale = answer->why;
	}
	return answer->known ? answer : NULL;
}

static void put(struct plm_ec2_look *look, const char *type, int64_t met, const char *reason,
		struct plm_slice message)
{
	PLM_ASSERT(look->count < PLM_EC2_CONDITIONS);
	message.size = plm_utf8_prefix(message); /* AWS' own words, which may be cut off */
	look->conditions[look->count++] = (struct plm_w_class_condition){
		.type = plm_slice_str(type),
		.met = met,
		.reason = plm_slice_str(reason),
		.message = message,
	};
}

void plm_ec2_look_unknown(struct plm_ec2_look *look, const char *type, const char *message)
{
	put(look, type, PLM_UNSET, AWAITING,
	    plm_arena_copy(look->env->arena, plm_slice_str(message)));
}

void plm_ec2_look_unmet(struct plm_ec2_look *look, const char *type, const char *reason,
			const char *message)
{
	put(look, type, 0, reason, plm_arena_copy(look->env->arena, plm_slice_str(message)));
}

void plm_ec2_look_met(struct plm_ec2_look *look, const char *type)
{
	struct plm_slice message = {0};

	if (look->waits) {
		plm_ec2_look_unknown(look, type,
				     look->why[0] == '\0' ? "object is awaiting reconciliation"
							  : look->why);
		return;
	}
	if (look->stale[0] != '\0') {
		message = plm_arena_format(look->env->arena, "as it was last seen; since then %s",
					   look->stale);
	}
	put(look, type, 1, type, message);
}

/* ---- rows of several answers --------------------------------------------------------------------- */

static struct plm_slice id_of(const void *row)
{
	return *(const struct plm_slice *)row;
}

static bool has_row(const void *const *list, size_t count, struct plm_slice id)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_equal(id_of(list[i]), id)) {
			return true;
		}
	}
	return false;
}

struct plm_vec plm_ec2_look_rows(struct plm_ec2_look *look, enum plm_ec2_what what,
				 const struct plm_ec2_forms *forms, size_t size)
{
	const struct plm_ec2_answer **answers =
		PLM_NEW_ARRAY(look->env->arena, forms->count + 1, const struct plm_ec2_answer *);
	const void **list = NULL;
	size_t room = 0;
	size_t count = 0;

	for (size_t i = 0; i < forms->count; i++) {
		answers[i] = plm_ec2_look_ask(look, what, forms->list[i]);
		room += answers[i] == NULL ? 0 : answers[i]->rows.count;
	}
	list = PLM_NEW_ARRAY(look->env->arena, room + 1, const void *);
	for (size_t i = 0; i < forms->count; i++) {
		for (size_t k = 0; answers[i] != NULL && k < answers[i]->rows.count; k++) {
			const void *row = (const uint8_t *)answers[i]->rows.list + k * size;

			/* Answers are without duplicates in themselves. */
			if (i == 0 || !has_row(list, count, id_of(row))) {
				list[count++] = row;
			}
		}
	}
	return (struct plm_vec){list, count};
}

/* By id, in place. */
static void sort_rows(struct plm_vec rows)
{
	const void **list = (const void **)(uintptr_t)rows.ptr;

	for (size_t i = 1; i < rows.count; i++) {
		const void *row = list[i];
		size_t at = i;

		for (; at > 0 && plm_slice_compare(id_of(list[at - 1]), id_of(row)) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = row;
	}
}

/* ---- terms --------------------------------------------------------------------------------------- */

/* A NodeTemplate that selects nothing takes what is tagged for its cluster. */
static struct plm_vec terms_of(struct plm_ec2_look *look, struct plm_vec said)
{
	struct plm_w_kv *tag = NULL;
	struct plm_w_select_term *term = NULL;

	if (said.count > 0 || look->class->kind != PLM_KIND_NODE_TEMPLATE) {
		return said;
	}
	tag = PLM_NEW(look->env->arena, struct plm_w_kv);
	term = PLM_NEW(look->env->arena, struct plm_w_select_term);
	*tag = (struct plm_w_kv){plm_slice_str("karpenter.sh/discovery"),
				 plm_slice_str(look->env->options->cluster_name)};
	term->tags = (struct plm_vec){tag, 1};
	return (struct plm_vec){term, 1};
}

static struct plm_vec select_rows(struct plm_ec2_look *look, enum plm_ec2_what what,
				  struct plm_vec terms, size_t size)
{
	struct plm_ec2_forms forms = plm_ec2_forms_select(what, terms, look->env->arena);
	struct plm_vec rows = {0};

	plm_ec2_look_begin(look);
	rows = plm_ec2_look_rows(look, what, &forms, size);
	sort_rows(rows);
	return rows;
}

/* ---- subnets ------------------------------------------------------------------------------------- */

static const struct plm_ec2_class_subnet *remembered(const struct plm_ec2_class_memory *memory,
						     struct plm_slice id)
{
	for (size_t i = 0; i < memory->count; i++) {
		if (plm_slice_is(id, memory->subnets[i].id)) {
			return &memory->subnets[i];
		}
	}
	return NULL;
}

/* One that had no address left comes back with a few only, else it would come and go with each of them. */
static bool is_out(const struct plm_ec2_class_memory *memory, const struct plm_ec2_subnet *subnet)
{
	const struct plm_ec2_class_subnet *before = remembered(memory, subnet->id);

	return subnet->free < (before != NULL && before->out ? PLM_LIMIT_CLASS_SUBNET_BACK : 1);
}

/* Does 'a' go before 'b' of the same zone? The leader stays until another has more than twice its addresses. */
static bool leads(const struct plm_ec2_class_memory *memory, const struct plm_ec2_subnet *a,
		  const struct plm_ec2_subnet *b)
{
	const struct plm_ec2_class_subnet *before_a = remembered(memory, a->id);
	const struct plm_ec2_class_subnet *before_b = remembered(memory, b->id);

	if (before_a != NULL && before_a->leads) {
		return b->free / 2 <= a->free;
	}
	if (before_b != NULL && before_b->leads) {
		return a->free / 2 > b->free;
	}
	return a->free > b->free; /* 'rows' are in order of id */
}

static bool is_leader(const struct plm_ec2_class_memory *memory, struct plm_vec rows, size_t at)
{
	const struct plm_ec2_subnet *const *list = rows.ptr;

	for (size_t i = 0; i < rows.count; i++) {
		if (i == at || is_out(memory, list[i]) ||
		    !plm_slice_equal(list[i]->zone, list[at]->zone)) {
			continue;
		}
		if (leads(memory, list[i], list[at]) ||
		    (i < at && !leads(memory, list[at], list[i]))) {
			return false;
		}
	}
	return true;
}

/* By zone, its leader first, then by id. */
static bool goes_before(const struct plm_w_class_subnet *a, bool a_leads,
			const struct plm_w_class_subnet *b, bool b_leads)
{
	int order = plm_slice_compare(a->zone, b->zone);

	if (order != 0) {
		return order < 0;
	}
	if (a_leads != b_leads) {
		return a_leads;
	}
	return plm_slice_compare(a->id, b->id) < 0;
}

static void remember(struct plm_ec2_class_memory *memory, struct plm_vec rows, const bool *leading,
		     const bool *out)
{
	const struct plm_ec2_subnet *const *list = rows.ptr;
	struct plm_ec2_class_subnet *subnets = calloc(rows.count + 1, sizeof(*subnets));

	PLM_ASSERT(subnets != NULL);
	for (size_t i = 0; i < rows.count; i++) {
		(void)snprintf(subnets[i].id, sizeof(subnets[i].id), "%.*s", (int)list[i]->id.size,
			       (const char *)list[i]->id.ptr);
		subnets[i].leads = leading[i];
		subnets[i].out = out[i];
	}
	plm_ec2_class_memory_fini(memory);
	*memory = (struct plm_ec2_class_memory){subnets, rows.count};
}

static void choose_subnets(struct plm_ec2_look *look, struct plm_vec rows,
			   struct plm_ec2_class_memory *memory)
{
	const struct plm_ec2_subnet *const *list = rows.ptr;
	struct plm_arena *arena = look->env->arena;
	struct plm_w_class_subnet *chosen =
		PLM_NEW_ARRAY(arena, rows.count + 1, struct plm_w_class_subnet);
	bool *ranks = PLM_NEW_ARRAY(arena, rows.count + 1, bool);
	bool *leading = PLM_NEW_ARRAY(arena, rows.count + 1, bool);
	bool *out = PLM_NEW_ARRAY(arena, rows.count + 1, bool);
	size_t count = 0;

	for (size_t i = 0; i < rows.count; i++) {
		struct plm_w_class_subnet subnet = {list[i]->id, list[i]->zone, list[i]->zone_id};
		size_t at = count;

		out[i] = is_out(memory, list[i]);
		leading[i] = !out[i] && is_leader(memory, rows, i);
		if (out[i]) {
			continue;
		}
		for (; at > 0 && goes_before(&subnet, leading[i], &chosen[at - 1], ranks[at - 1]);
		     at--) {
			chosen[at] = chosen[at - 1];
			ranks[at] = ranks[at - 1];
		}
		chosen[at] = subnet;
		ranks[at] = leading[i];
		count++;
	}
	look->out->status.subnets = (struct plm_vec){chosen, count};
	remember(memory, rows, leading, out);
}

static void look_at_subnets(struct plm_ec2_look *look, struct plm_ec2_class_memory *memory)
{
	struct plm_vec rows =
		select_rows(look, PLM_EC2_SUBNETS, terms_of(look, look->class->setup.subnets),
			    sizeof(struct plm_ec2_subnet));

	if (look->waits) {
		plm_ec2_look_met(look, "SubnetsReady");
		return;
	}
	choose_subnets(look, rows, memory);
	if (rows.count == 0) {
		plm_ec2_look_unmet(look, "SubnetsReady", "SubnetsNotFound",
				   "SubnetSelector did not match any Subnets");
	} else if (look->out->status.subnets.count == 0) {
		plm_ec2_look_unmet(look, "SubnetsReady", "SubnetsExhausted",
				   "no Subnet that SubnetSelector matches has an address left");
	} else {
		plm_ec2_look_met(look, "SubnetsReady");
	}
}

/* ---- groups, reservations ------------------------------------------------------------------------ */

static void look_at_groups(struct plm_ec2_look *look)
{
	struct plm_vec terms = terms_of(look, look->class->setup.groups);
	struct plm_vec rows =
		select_rows(look, PLM_EC2_GROUPS, terms, sizeof(struct plm_ec2_group));
	const struct plm_ec2_group *const *list = rows.ptr;
	struct plm_w_class_group *groups =
		PLM_NEW_ARRAY(look->env->arena, rows.count + 1, struct plm_w_class_group);

	for (size_t i = 0; i < rows.count; i++) {
		groups[i] = (struct plm_w_class_group){list[i]->id, list[i]->name};
	}
	look->out->status.security_groups = (struct plm_vec){groups, rows.count};
	if (rows.count == 0 && terms.count > 0 && !look->waits) {
		plm_ec2_look_unmet(look, "SecurityGroupsReady", "SecurityGroupsNotFound",
				   "SecurityGroupSelector did not match any SecurityGroups");
		return;
	}
	plm_ec2_look_met(look, "SecurityGroupsReady");
}

/* None is no fault: upstream's condition is met by an answer. */
static void look_at_reservations(struct plm_ec2_look *look, struct plm_w_ec2_recipe *recipe)
{
	struct plm_vec rows =
		select_rows(look, PLM_EC2_RESERVATIONS, look->class->setup.reservations,
			    sizeof(struct plm_ec2_found_reservation));
	const struct plm_ec2_found_reservation *const *list = rows.ptr;
	struct plm_w_ec2_reservation *own =
		PLM_NEW_ARRAY(look->env->arena, rows.count + 1, struct plm_w_ec2_reservation);
	struct plm_w_class_reservation *told =
		PLM_NEW_ARRAY(look->env->arena, rows.count + 1, struct plm_w_class_reservation);

	for (size_t i = 0; i < rows.count; i++) {
		const struct plm_ec2_found_reservation *row = list[i];
		bool block = plm_slice_is(row->kind, "capacity-block");

		own[i] = (struct plm_w_ec2_reservation){row->id, block ? 1 : 0,
							row->interruptible ? 1 : 0};
		told[i] = (struct plm_w_class_reservation){
			.id = row->id,
			.zone = row->zone,
			.instance_type = row->instance_type,
			.owner = row->owner,
			.criteria = row->criteria,
			.kind = row->kind,
			.interruptible = own[i].interruptible,
			.end_ms = row->end_ms,
		};
	}
	recipe->reservations = (struct plm_vec){own, rows.count};
	look->out->status.reservations = (struct plm_vec){told, rows.count};
	plm_ec2_look_met(look, "CapacityReservationsReady");
}

static void look_at_placement(struct plm_ec2_look *look, struct plm_w_ec2_recipe *recipe)
{
	const struct plm_w_class_setup *setup = &look->class->setup;
	struct plm_slice name =
		setup->placement_id.size > 0 ? setup->placement_id : setup->placement_name;
	const struct plm_ec2_answer *answer = NULL;

	plm_ec2_look_begin(look);
	if (name.size > 0) {
		answer = plm_ec2_look_ask(look, PLM_EC2_PLACEMENT,
					  plm_ec2_form_placement(setup->placement_id,
								 setup->placement_name,
								 look->env->arena));
	}
	if (answer != NULL && answer->rows.count > 0) {
		recipe->placement_group = ((const struct plm_ec2_group *)answer->rows.list)->id;
	} else if (answer != NULL) {
		struct plm_slice text =
			plm_arena_format(look->env->arena, "Placement group \"%.*s\" not found",
					 (int)name.size, (const char *)name.ptr);

		plm_ec2_look_unmet(look, "PlacementGroupReady", "PlacementGroupNotFound",
				   (const char *)text.ptr);
		return;
	}
	plm_ec2_look_met(look, "PlacementGroupReady");
}

/* ---- profile ------------------------------------------------------------------------------------- */

static void look_at_profile(struct plm_ec2_look *look)
{
	const struct plm_w_class_setup *setup = &look->class->setup;
	struct plm_ec2_profile_state state = {0};

	plm_ec2_look_begin(look);
	if (setup->role.size == 0) {
		look->out->status.instance_profile = setup->instance_profile;
		if (setup->instance_profile.size == 0 && look->class->kind == PLM_KIND_NODE_CLASS) {
			plm_ec2_look_unmet(look, "InstanceProfileReady", "InstanceProfileNotFound",
					   "neither a role nor an instance profile is named");
			return;
		}
		plm_ec2_look_met(look, "InstanceProfileReady");
		return;
	}
	plm_ec2_profiles_look(look, &state);
	look->out->status.instance_profile = state.name;
	if (look->waits || state.ready) {
		plm_ec2_look_met(look, "InstanceProfileReady");
	} else {
		plm_ec2_look_unknown(look, "InstanceProfileReady", state.why);
	}
}

/* ---- the cluster --------------------------------------------------------------------------------- */

/* Is there anything of the cluster that only EKS can say? */
static bool asks_eks(const struct plm_ec2_options *options)
{
	return options->eks && (options->cluster_endpoint == NULL || options->cluster_ca == NULL ||
				options->kubernetes_version == NULL ||
				options->service_cidr == NULL || options->dns_ip == NULL);
}

static void look_at_cluster(struct plm_ec2_look *look)
{
	const struct plm_ec2_options *options = look->env->options;
	const struct plm_ec2_answer *answer = NULL;

	if (!asks_eks(options)) {
		return;
	}
	answer = plm_ec2_look_ask(
		look, PLM_EC2_CLUSTER,
		plm_ec2_form_cluster(plm_slice_str(options->cluster_name), look->env->arena));
	if (answer != NULL && answer->rows.count > 0) {
		look->cluster = answer->rows.list;
	}
}

static struct plm_slice said_or(const char *said, struct plm_slice otherwise)
{
	return said != NULL && said[0] != '\0' ? plm_slice_str(said) : otherwise;
}

/* The address that EKS gives to DNS: the tenth of its services, "172.20.0.10", "fd30:1c53:5f8a::a". */
static struct plm_slice dns_of(struct plm_slice cidr, bool ipv6, struct plm_arena *arena)
{
	size_t end = 0;

	for (size_t i = 0; i < cidr.size && cidr.ptr[i] != '/'; i++) {
		if (cidr.ptr[i] == (ipv6 ? ':' : '.')) {
			end = i + 1;
		}
	}
	if (end == 0) {
		return (struct plm_slice){0};
	}
	return plm_arena_format(arena, "%.*s%s", (int)end, (const char *)cidr.ptr,
				ipv6 ? "a" : "10");
}

static void fill_cluster(struct plm_ec2_look *look, struct plm_w_ec2_recipe *recipe)
{
	static const struct plm_ec2_found_cluster none;
	const struct plm_ec2_options *options = look->env->options;
	const struct plm_ec2_found_cluster *cluster = look->cluster == NULL ? &none : look->cluster;

	recipe->cluster = plm_slice_str(options->cluster_name);
	recipe->endpoint = said_or(options->cluster_endpoint, cluster->endpoint);
	recipe->ca = said_or(options->cluster_ca, cluster->ca);
	recipe->service_cidr = said_or(options->service_cidr, cluster->cidr);
	recipe->dns_ip =
		said_or(options->dns_ip, dns_of(cluster->cidr, cluster->ipv6, look->env->arena));
	recipe->ipv6 =
		cluster->ipv6 || (recipe->dns_ip.size > 0 &&
				  memchr(recipe->dns_ip.ptr, ':', recipe->dns_ip.size) != NULL)
			? 1
			: 0;
}

/* ---- recipe -------------------------------------------------------------------------------------- */

/* What changes by itself or only selects is left out, so that equal launches have equal bytes. */
static void fill_recipe(struct plm_ec2_look *look, struct plm_w_ec2_recipe *recipe)
{
	const struct plm_w_class_status *status = &look->out->status;
	const struct plm_w_class_group *groups = status->security_groups.ptr;
	struct plm_slice *ids = PLM_NEW_ARRAY(look->env->arena, status->security_groups.count + 1,
					      struct plm_slice);
	struct plm_w_node_class *class = &recipe->class;

	*class = *look->class;
	class->meta = (struct plm_w_meta){.name = look->class->meta.name,
					  .created_ms = PLM_UNSET,
					  .deleting_ms = PLM_UNSET,
					  .generation = PLM_UNSET};
	class->ami_family = plm_slice_str(plm_ec2_family_row(plm_ec2_family_of(look->class))->name);
	class->instance_types = (struct plm_vec){0};
	class->by_condition = 0;
	class->not_ready = class->hash = class->stamped_hash = class->stamped_version =
		(struct plm_slice){0};
	class->setup.role = class->setup.instance_profile = (struct plm_slice){0};
	class->setup.placement_id = class->setup.placement_name = (struct plm_slice){0};
	class->setup.images = class->setup.subnets = class->setup.groups =
		class->setup.reservations = (struct plm_vec){0};
	for (size_t i = 0; i < status->security_groups.count; i++) {
		ids[i] = groups[i].id;
	}
	recipe->security_groups = (struct plm_vec){ids, status->security_groups.count};
	recipe->subnets = status->subnets;
	recipe->instance_profile = status->instance_profile;
	recipe->default_mounts = look->default_mounts ? 1 : 0;
}

/* ---- validation ---------------------------------------------------------------------------------- */

static bool any(const struct plm_ec2_look *look, int64_t met)
{
	for (size_t i = 0; i < look->count; i++) {
		if (look->conditions[i].met == met) {
			return true;
		}
	}
	return false;
}

/* Renders what a launch would say, as far as it depends on the class alone. */
static bool is_bootable(struct plm_ec2_look *look, const struct plm_w_ec2_recipe *recipe)
{
	struct plm_ec2_cluster cluster = {recipe->cluster, recipe->endpoint, recipe->ca,
					  recipe->service_cidr, recipe->dns_ip};
	const struct plm_ec2_boot boot = {
		.class = &recipe->class, .cluster = &cluster, .max_pods = 110};
	struct plm_slice user_data = {0};
	struct plm_error err = {0};
	enum plm_code code = plm_ec2_user_data(&boot, look->env->arena, &user_data, NULL, &err);

	if (code != PLM_OK) {
		plm_ec2_look_unmet(look, "ValidationSucceeded",
				   code == PLM_E_LIMIT ? "UserDataSizeLimitExceeded"
						       : "UserDataInvalid",
				   err.text);
	}
	return code == PLM_OK;
}

static const char *unsupported_field(const struct plm_ec2_look *look)
{
	const struct plm_w_node_class *class = look->class;
	const struct plm_ec2_family_row *row = plm_ec2_family_row(plm_ec2_family_of(class));
	const struct plm_w_kv *other = class->kubelet.other.ptr;

	if (class->kubelet.present != 1 || class->kubelet.other.count == 0 ||
	    row->any_kubelet_field) {
		return NULL;
	}
	return (const char *)plm_arena_format(
		       look->env->arena, "spec.kubelet.%.*s is not applied by AMI family %s",
		       (int)other[0].key.size, (const char *)other[0].key.ptr, row->name)
		.ptr;
}

/* False: the condition has ended. */
static bool is_cluster_known(struct plm_ec2_look *look, const struct plm_w_ec2_recipe *recipe)
{
	enum plm_ec2_family family = plm_ec2_family_of(look->class);

	if (look->waits || family == PLM_EC2_CUSTOM || look->class->setup.no_boot == 1) {
		return true;
	}
	if (recipe->endpoint.size == 0) {
		plm_ec2_look_unmet(look, "ValidationSucceeded", "ClusterEndpointResolutionFailed",
				   "Failed to detect the cluster endpoint");
		return false;
	}
	if (family == PLM_EC2_AL2023 && recipe->service_cidr.size == 0) {
		plm_ec2_look_unmet(look, "ValidationSucceeded", "ClusterCIDRResolutionFailed",
				   "Failed to detect the cluster CIDR");
		return false;
	}
	return true;
}

static void look_at_validity(struct plm_ec2_look *look, const struct plm_w_ec2_recipe *recipe)
{
	static const char awaiting[] =
		"Awaiting AMI, Instance Profile, Security Group, and Subnet resolution";
	const char *field = unsupported_field(look);
	enum plm_ec2_family family = PLM_EC2_CUSTOM;

	plm_ec2_look_begin(look);
	look_at_cluster(look); /* once more: what it waits for counts here */
	if (!is_cluster_known(look, recipe)) {
		return;
	}
	if (field != NULL) {
		plm_ec2_look_unmet(look, "ValidationSucceeded", "UnsupportedKubeletConfiguration",
				   field);
	} else if (look->class->ami_family.size > 0 &&
		   !plm_ec2_family_find(look->class->ami_family, &family)) {
		put(look, "ValidationSucceeded", 0, "AMIFamilyUnknown", look->class->not_ready);
	} else if (any(look, 0)) {
		plm_ec2_look_unmet(look, "ValidationSucceeded", "DependenciesNotReady", awaiting);
	} else if (any(look, PLM_UNSET)) {
		put(look, "ValidationSucceeded", PLM_UNSET, "DependenciesNotReady",
		    plm_slice_str(awaiting));
	} else if (look->waits || is_bootable(look, recipe)) {
		plm_ec2_look_met(look, "ValidationSucceeded");
	}
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static const char *status_of(int64_t met)
{
	if (met == PLM_UNSET) {
		return "Unknown";
	}
	return met == 1 ? "True" : "False";
}

/* Ready names what it lacks, as upstream's conditions do; a launch is told the first reason itself. */
static void conclude(struct plm_ec2_look *look)
{
	struct plm_arena *arena = look->env->arena;
	bool unmet = any(look, 0);
	struct plm_w_class_condition *all =
		PLM_NEW_ARRAY(arena, PLM_EC2_CONDITIONS + 1, struct plm_w_class_condition);
	struct plm_slice message = {0};

	memcpy(all, look->conditions, look->count * sizeof(*all));
	for (size_t i = 0; i < look->count; i++) {
		const struct plm_w_class_condition *c = &all[i];

		if (c->met == 1) {
			continue;
		}
		message = plm_arena_format(arena, "%.*s%s%.*s=%s", (int)message.size,
					   (const char *)message.ptr, message.size > 0 ? ", " : "",
					   (int)c->type.size, (const char *)c->type.ptr,
					   status_of(c->met));
		if (look->out->status.not_ready.size == 0 && c->met == (unmet ? 0 : PLM_UNSET)) {
			look->out->status.not_ready =
				plm_arena_format(arena, "%.*s: %.*s", (int)c->reason.size,
						 (const char *)c->reason.ptr, (int)c->message.size,
						 (const char *)c->message.ptr);
		}
	}
	all[look->count] = (struct plm_w_class_condition){
		.type = plm_slice_str("Ready"),
		.met = message.size == 0 ? 1 : (unmet ? 0 : PLM_UNSET),
		.reason = plm_slice_str(message.size == 0 ? "Ready"
					: unmet		  ? "UnhealthyDependents"
							  : "ReconcilingDependents"),
		.message = message,
	};
	look->out->status.conditions = (struct plm_vec){all, look->count + 1};
}

void plm_ec2_class_look(const struct plm_ec2_class_env *env, const struct plm_w_node_class *class,
			struct plm_ec2_class_memory *memory, struct plm_ec2_class_result *out)
{
	struct plm_ec2_look look = {.env = env, .class = class, .out = out};
	struct plm_w_ec2_recipe recipe = {0};

	*out = (struct plm_ec2_class_result){
		.status = {.kind = class->kind,
			   .name = class->meta.name,
			   .uid = class->meta.uid,
			   .class_hash = class->hash},
	};
	plm_ec2_look_begin(&look);
	look_at_cluster(&look);
	plm_ec2_look_images(&look);
	look_at_subnets(&look, memory);
	look_at_groups(&look);
	look_at_profile(&look);
	look_at_placement(&look, &recipe);
	look_at_reservations(&look, &recipe);
	fill_cluster(&look, &recipe);
	fill_recipe(&look, &recipe);
	look_at_validity(&look, &recipe);
	conclude(&look);
	out->status.recipe = plm_ec2_recipe_write(&recipe, env->arena);
}
