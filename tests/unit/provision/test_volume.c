/* Volumes of pods: which are refused, which ways there are to them, what a node attaches. */
#include "yard.h"

#include "core/limits.h"
#include "reducers/provision/pass.h"

#include <stdio.h>

#define DRIVER "ebs.csi.aws.com"
#define ZONE "topology.kubernetes.io/zone"

static struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

/* ---- objects ----------------------------------------------------------------------------------- */

/* "a,b" = one term of both zones, "a|b" = two terms; NULL or "" = none. */
static struct plm_vec terms_of(struct yard *y, const char *zones)
{
	struct plm_w_term *terms = PLM_NEW_ARRAY(&y->texts, 64, struct plm_w_term);
	size_t count = 0;

	for (const char *at = zones; at != NULL && *at != 0; at++) {
		struct plm_w_expr *expr = NULL;
		struct plm_slice *values = NULL;

		if (at == zones || *at == '|') {
			expr = PLM_NEW(&y->texts, struct plm_w_expr);
			values = PLM_NEW_ARRAY(&y->texts, 8, struct plm_slice);
			*expr = (struct plm_w_expr){
				.key = s(ZONE), .op = PLM_OP_IN, .values = {values, 0}};
			terms[count++] = (struct plm_w_term){.exprs = {expr, 1}};
		}
		if (*at != '|' && *at != ',') {
			struct plm_w_expr *last =
				(struct plm_w_expr *)(uintptr_t)terms[count - 1].exprs.ptr;

			((struct plm_slice *)(uintptr_t)last->values.ptr)[last->values.count++] =
				plm_arena_copy(&y->texts, plm_slice_of(at, 1));
		}
	}
	return (struct plm_vec){terms, count};
}

static void add_class(struct yard *y, const char *name, bool immediate, const char *zones)
{
	struct plm_w_storage_class class = {.meta = yard_meta("", name),
					    .provisioner = s(DRIVER),
					    .immediate = immediate,
					    .terms = terms_of(y, zones)};

	yard_fold(y, PLM_EV_STORAGE_CLASS, &class);
}

static struct plm_w_volume_claim claim_of(const char *name, const char *class, const char *volume)
{
	return (struct plm_w_volume_claim){.meta = yard_meta("ns", name),
					   .class = s(class),
					   .class_said = 1,
					   .volume = s(volume),
					   .bound = volume[0] != 0};
}

static void add_claim(struct yard *y, const char *name, const char *class, const char *volume)
{
	struct plm_w_volume_claim claim = claim_of(name, class, volume);

	yard_fold(y, PLM_EV_VOLUME_CLAIM, &claim);
}

static void add_volume(struct yard *y, const char *name, const char *zones)
{
	struct plm_w_volume volume = {
		.meta = yard_meta("", name), .driver = s(DRIVER), .terms = terms_of(y, zones)};

	yard_fold(y, PLM_EV_VOLUME, &volume);
}

/* A claim of the same name as its volume, which is in these zones. */
static void add_disk(struct yard *y, const char *name, const char *zones)
{
	add_volume(y, name, zones);
	add_claim(y, name, "", name);
}

/* A pod of one cpu with these claims; "own:" before a name = an ephemeral volume of class fast. */
static struct plm_w_pod pod_with(struct yard *y, const char *name, const char *const *claims)
{
	struct plm_w_pod pod = yard_pod(y, name, 1000, 0);
	struct plm_w_volume_use *uses = PLM_NEW_ARRAY(&y->texts, 8, struct plm_w_volume_use);
	size_t count = 0;

	for (; count < 8 && claims[count] != NULL; count++) {
		bool own = strncmp(claims[count], "own:", 4) == 0;

		uses[count].claim = own ? (struct plm_slice){0} : s(claims[count]);
		uses[count].ephemeral = own ? s(claims[count] + 4) : (struct plm_slice){0};
		uses[count].class = own ? s("fast") : (struct plm_slice){0};
		uses[count].class_said = own;
	}
	pod.shape.volumes = (struct plm_vec){uses, count};
	return pod;
}

static void add_pod(struct yard *y, const char *name, const char *claim)
{
	const char *const claims[] = {claim, NULL};
	struct plm_w_pod pod = pod_with(y, name, claims);

	yard_fold(y, PLM_EV_POD, &pod);
}

static void bind_pod(struct yard *y, const char *name, const char *claim, const char *node)
{
	const char *const claims[] = {claim, NULL};
	struct plm_w_pod pod = pod_with(y, name, claims);

	pod.node = s(node);
	pod.unschedulable = 0;
	pod.phase = PLM_PHASE_RUNNING;
	yard_fold(y, PLM_EV_POD, &pod);
}

/* A node of eight cpu; its driver attaches 'limit' volumes. */
static void add_node(struct yard *y, const char *name, const char *zone, int64_t limit,
		     int64_t deleting_ms)
{
	struct plm_w_kv label = {s(ZONE), s(zone)};
	struct plm_w_amount room[3] = {
		{s("cpu"), 8000}, {s("memory"), 16LL << 30}, {s("pods"), 20}};
	struct plm_w_node node = {.meta = yard_meta("", name),
				  .capacity = {room, 3},
				  .allocatable = {room, 3},
				  .ready = 1};
	struct plm_w_csi_driver driver = {s(DRIVER), limit};
	struct plm_w_csi_node csi = {.meta = yard_meta("", name), .drivers = {&driver, 1}};

	node.meta.labels = (struct plm_vec){&label, 1};
	node.meta.deleting_ms = deleting_ms;
	yard_fold(y, PLM_EV_NODE, &node);
	yard_fold(y, PLM_EV_CSI_NODE, &csi);
}

static void add_pool(struct yard *y)
{
	struct plm_w_node_pool pool = yard_pool("pool");

	yard_add_pool(y, &pool);
}

static void set_compat(struct yard *y, enum plm_compat compat)
{
	y->config.compat = compat;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
}

static void plan(struct yard *y)
{
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
}

/* The zones that the n-th launch may take. */
static const char *zones_of(struct yard *y, uint32_t n)
{
	const struct plm_w_req_launch *launch = yard_request(y, PLM_CALL_LAUNCH, n);
	const struct plm_w_offer *offers = launch->offers.ptr;
	bool a = false;
	bool b = false;

	for (size_t i = 0; i < launch->offers.count; i++) {
		a = a || plm_slice_is(offers[i].zone, "a");
		b = b || plm_slice_is(offers[i].zone, "b");
	}
	return a && b ? "ab" : a ? "a" : b ? "b" : "";
}

static const char *target_of(struct yard *y, const char *pod)
{
	struct plm_slice name = plm_str(&y->st, yard_pod_at(y, pod)->target);

	return (const char *)plm_arena_format(&y->texts, "%.*s", (int)name.size,
					      (const char *)name.ptr)
		.ptr;
}

/* ---- refused before any node is looked at ------------------------------------------------------- */

struct refused {
	const char *why;
	const char *class, *volume; /* of the claim; class NULL = there is no claim */
	bool lost, unbound, leaving;
	bool volume_there, volume_leaving;
	bool class_there, immediate;
	enum plm_rule rule; /* NONE: it gets a node */
	const char *detail;
};

static const struct refused refused_table[] = {
	{"no claim", NULL, "", false, false, false, false, false, false, false,
	 PLM_RULE_CLAIM_MISSING, ""},
	{"claim goes away", "fast", "", false, false, true, false, false, true, false,
	 PLM_RULE_CLAIM_DELETING, ""},
	{"claim lost its volume", "fast", "v", true, false, false, false, false, true, false,
	 PLM_RULE_CLAIM_LOST, "v"},
	{"volume is missing", "fast", "v", false, false, false, false, false, true, false,
	 PLM_RULE_VOLUME_MISSING, "v"},
	{"volume goes away", "fast", "v", false, false, false, true, true, true, false,
	 PLM_RULE_VOLUME_DELETING, "v"},
	{"binding is not complete", "fast", "v", false, true, false, true, false, true, false,
	 PLM_RULE_CLAIM_UNBOUND, ""},
	{"no volume and no class", "", "", false, false, false, false, false, false, false,
	 PLM_RULE_STORAGE_CLASS, ""},
	{"class is missing", "fast", "", false, false, false, false, false, false, false,
	 PLM_RULE_STORAGE_CLASS, "fast"},
	{"class binds at once and did not yet", "fast", "", false, false, false, false, false, true,
	 true, PLM_RULE_CLAIM_UNBOUND, "fast"},
	{"class waits for the pod", "fast", "", false, false, false, false, false, true, false,
	 PLM_RULE_NONE, ""},
	{"bound, whatever its class", "gone", "v", false, false, false, true, false, false, false,
	 PLM_RULE_NONE, ""},
};

static void refused_row(const struct refused *row)
{
	void *opened = NULL;
	struct yard *y = NULL;

	assert_int_equal(yard_open(&opened), 0);
	y = opened;
	add_pool(y);
	if (row->class != NULL) {
		struct plm_w_volume_claim claim = claim_of("data", row->class, row->volume);

		claim.lost = row->lost;
		claim.bound = claim.bound == 1 && !row->unbound;
		claim.meta.deleting_ms = row->leaving ? 1 : PLM_UNSET;
		yard_fold(y, PLM_EV_VOLUME_CLAIM, &claim);
	}
	if (row->volume_there) {
		struct plm_w_volume volume = {.meta = yard_meta("", "v"), .driver = s(DRIVER)};

		volume.meta.deleting_ms = row->volume_leaving ? 1 : PLM_UNSET;
		yard_fold(y, PLM_EV_VOLUME, &volume);
	}
	if (row->class_there) {
		add_class(y, "fast", row->immediate, "");
	}
	add_pod(y, "p", "data");
	plan(y);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), row->rule == PLM_RULE_NONE ? 1 : 0);
	if (row->rule != PLM_RULE_NONE) {
		const struct plm_w_explained *said = yard_event(y, PLM_EV_EXPLAINED, 0);

		assert_int_equal(said->why.rule, row->rule);
		plm_assert_text(said->why.object, "data");
		plm_assert_text(said->why.detail, row->detail);
	}
	assert_int_equal(yard_close(&opened), 0);
}
PLM_TEST_ROWS(refused_row, struct refused)

/* ---- ways -------------------------------------------------------------------------------------- */

struct ways {
	const char *why;
	const char *one, *two;	     /* zones of two disks; NULL = there is no second */
	const char *strict, *better; /* zones of the node that is bought; "" = none is */
};

static const struct ways ways_table[] = {
	{"anywhere", "", NULL, "ab", "ab"},
	{"one zone", "b", NULL, "b", "b"},
	{"one term of two zones", "b,a", NULL, "ab", "ab"},
	{"two terms: the first that will do", "b|a", NULL, "b", "b"},
	{"a term of a zone that nobody has", "z|a", NULL, "a", "a"},
	{"two volumes of one zone", "a,b", "b", "b", "b"},
	{"combinations that can be, in order", "a|b", "z|b", "b", "b"},
	{"two volumes that no node reaches", "a", "b", "", ""},
};

static const char *bought(const struct ways *row, enum plm_compat compat)
{
	static char zones[4];
	const char *const claims[] = {"one", row->two == NULL ? NULL : "two", NULL};
	void *opened = NULL;
	struct yard *y = NULL;
	struct plm_w_pod pod;

	assert_int_equal(yard_open(&opened), 0);
	y = opened;
	set_compat(y, compat);
	add_pool(y);
	add_disk(y, "one", row->one);
	if (row->two != NULL) {
		add_disk(y, "two", row->two);
	}
	pod = pod_with(y, "p", claims);
	yard_fold(y, PLM_EV_POD, &pod);
	plan(y);
	(void)snprintf(zones, sizeof(zones), "%s",
		       yard_count(y, PLM_EV_CLAIM) == 0 ? "" : zones_of(y, 0));
	assert_int_equal(yard_close(&opened), 0);
	return zones;
}

static void ways_row(const struct ways *row)
{
	assert_string_equal(bought(row, PLM_COMPAT_STRICT), row->strict);
	assert_string_equal(bought(row, PLM_COMPAT_BETTER), row->better);
}
PLM_TEST_ROWS(ways_row, struct ways)

static void what_cannot_be_reached_is_named(void **state)
{
	struct yard *y = *state;
	const char *const claims[] = {"one", "two", NULL};
	struct plm_w_pod pod;
	const struct plm_w_explained *said = NULL;

	add_pool(y);
	add_disk(y, "one", "a");
	add_disk(y, "two", "b");
	pod = pod_with(y, "p", claims);
	yard_fold(y, PLM_EV_POD, &pod);
	plan(y);
	said = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(said->why.rule, PLM_RULE_VOLUME);
	plm_assert_text(said->why.detail, "one in a, two in b");
}

/* Four disks of eight zones each have 4,096 ways; a thousand are enough. */
static void ways_are_limited(void **state)
{
	struct yard *y = *state;
	const char *const claims[] = {"d0", "d1", "d2", "d3", NULL};
	struct plm_w_pod pod;
	struct plm_pass *pass = NULL;

	add_pool(y);
	for (uint32_t i = 0; i < 4; i++) {
		struct plm_w_expr exprs[8];
		struct plm_w_term terms[8];
		struct plm_slice values[8];
		struct plm_w_volume volume = {
			.meta = yard_meta("", claims[i]), .driver = s(DRIVER), .terms = {terms, 8}};

		for (uint32_t t = 0; t < 8; t++) {
			values[t] = plm_arena_format(&y->texts, "v%u", t);
			exprs[t] =
				(struct plm_w_expr){.key = plm_arena_format(&y->texts, "key%u", i),
						    .op = PLM_OP_IN,
						    .values = {&values[t], 1}};
			terms[t] = (struct plm_w_term){.exprs = {&exprs[t], 1}};
		}
		yard_fold(y, PLM_EV_VOLUME, &volume);
		add_claim(y, claims[i], "", claims[i]);
	}
	pod = pod_with(y, "p", claims);
	yard_fold(y, PLM_EV_POD, &pod);
	pass = plm_pass_plan(&y->st, &y->step, &(struct plm_demand){.pods = true});
	assert_int_equal(pass->want_count, 1);
	assert_int_equal(plm_volume_set_at(pass, pass->shapes[0].volumes)->way_count,
			 PLM_LIMIT_VOLUME_WAYS);
}

/* ---- shapes ------------------------------------------------------------------------------------ */

static void replicas_with_claims_of_their_own_are_one_shape(void **state)
{
	struct yard *y = *state;
	static const char *const names[] = {"d0", "d1", "d2", "d3"};
	struct plm_pass *pass = NULL;

	add_pool(y);
	for (uint32_t i = 0; i < 4; i++) {
		add_disk(y, names[i], i == 3 ? "b" : "a");
		add_pod(y, names[i], names[i]);
	}
	pass = plm_pass_plan(&y->st, &y->step, &(struct plm_demand){.pods = true});
	assert_int_equal(pass->want_count, 4);
	assert_int_equal(pass->shape_count, 2);
	assert_int_equal(pass->kind_count, 2);
}

static void without_volumes_nothing_is_gathered(void **state)
{
	struct yard *y = *state;
	struct plm_pass *pass = NULL;

	add_pool(y);
	add_disk(y, "d", "a");
	yard_add_pod(y, "p", 1000, 0);
	pass = plm_pass_plan(&y->st, &y->step, &(struct plm_demand){.pods = true});
	assert_int_equal(pass->want_count, 1);
	assert_null(pass->volumes);
}

/* ---- what a node attaches ---------------------------------------------------------------------- */

struct limit {
	const char *why;
	int64_t limit;
	const char *stands[3]; /* claims of pods on the node */
	const char *asks;      /* claim of the pod; NULL = it has none */
	bool strict, better;   /* does it get the node? */
};

static const struct limit limit_table[] = {
	{"room for one more", 2, {"d0"}, "d1", true, true},
	{"no room for one more", 2, {"d0", "d1"}, "d2", false, false},
	{"one that is there already", 2, {"d0", "d1"}, "d1", true, true},
	{"the same claim twice counts once", 2, {"d0", "d0"}, "d1", true, true},
	{"too many already: who adds none", 1, {"d0", "d1"}, NULL, false, true},
	{"too many already: who shares one", 1, {"d0", "d1"}, "d0", false, true},
	{"no limit is said", PLM_UNSET, {"d0", "d1"}, "d2", true, true},
	{"a limit without a number", PLM_UNLIMITED, {NULL}, "d2", false, true},
};

static bool gets_node(const struct limit *row, enum plm_compat compat)
{
	static const char *const disks[] = {"d0", "d1", "d2"};
	static const char *const pods[] = {"s0", "s1", "s2"};
	void *opened = NULL;
	struct yard *y = NULL;
	bool got = false;

	assert_int_equal(yard_open(&opened), 0);
	y = opened;
	set_compat(y, compat);
	add_pool(y);
	add_node(y, "node", "a", row->limit, PLM_UNSET);
	for (uint32_t i = 0; i < 3; i++) {
		add_disk(y, disks[i], "a");
	}
	for (uint32_t i = 0; i < 3 && row->stands[i] != NULL; i++) {
		bind_pod(y, pods[i], row->stands[i], "node");
	}
	if (row->asks == NULL) {
		yard_add_pod(y, "p", 1000, 0);
	} else {
		add_pod(y, "p", row->asks);
	}
	plan(y);
	got = strcmp(target_of(y, "p"), "node") == 0;
	assert_int_equal(yard_close(&opened), 0);
	return got;
}

static void limit_row(const struct limit *row)
{
	assert_int_equal(gets_node(row, PLM_COMPAT_STRICT), row->strict);
	assert_int_equal(gets_node(row, PLM_COMPAT_BETTER), row->better);
}
PLM_TEST_ROWS(limit_row, struct limit)

/* Pods of this pass count as well, each claim once. */
static void a_pass_fills_the_node(void **state)
{
	struct yard *y = *state;

	add_pool(y);
	add_node(y, "node", "a", 2, PLM_UNSET);
	add_disk(y, "d0", "a");
	add_disk(y, "d1", "a");
	add_disk(y, "d2", "a");
	add_pod(y, "p0", "d0");
	add_pod(y, "p1", "d1");
	add_pod(y, "p2", "d0");
	add_pod(y, "p3", "d2");
	plan(y);
	assert_string_equal(target_of(y, "p0"), "node");
	assert_string_equal(target_of(y, "p1"), "node");
	assert_string_equal(target_of(y, "p2"), "node");
	assert_string_not_equal(target_of(y, "p3"), "node");
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

static void a_node_in_the_wrong_zone_is_no_place(void **state)
{
	struct yard *y = *state;

	add_pool(y);
	add_node(y, "node", "a", 25, PLM_UNSET);
	add_disk(y, "d0", "b");
	add_disk(y, "d1", "b|a");
	add_pod(y, "p0", "d0");
	add_pod(y, "p1", "d1");
	plan(y);
	assert_string_not_equal(target_of(y, "p0"), "node");
	assert_string_equal(target_of(y, "p1"), "node");
	assert_string_equal(zones_of(y, 0), "b");
}

/* ---- pods that move ---------------------------------------------------------------------------- */

/*
 * A pod on a node that goes away has lost its claim, and may not go to zone b, where its like stands already.
 * Karpenter forgets that together with its volumes.
 */
static const char *moved_to(struct yard *y, enum plm_compat compat)
{
	struct plm_w_kv label = {s("app"), s("db")};
	struct plm_slice value = s("db");
	struct plm_w_expr expr = {.key = s("app"), .op = PLM_OP_IN, .values = {&value, 1}};
	struct plm_w_spread spread = {.topology_key = s(ZONE),
				      .max_skew = 1,
				      .min_domains = PLM_UNSET,
				      .selector = {.present = 1, .exprs = {&expr, 1}}};
	const char *const claims[] = {"nobody", NULL};
	struct plm_w_pod moves = pod_with(y, "p0", claims);
	struct plm_w_pod stays = yard_pod(y, "p1", 8000, 0);

	set_compat(y, compat);
	add_pool(y);
	add_node(y, "leaving", "a", 25, 1);
	add_node(y, "full", "b", 25, PLM_UNSET);
	stays.meta.labels = (struct plm_vec){&label, 1};
	stays.node = s("full");
	stays.unschedulable = 0;
	stays.phase = PLM_PHASE_RUNNING;
	yard_fold(y, PLM_EV_POD, &stays);
	moves.meta.labels = (struct plm_vec){&label, 1};
	moves.shape.spread = (struct plm_vec){&spread, 1};
	moves.node = s("leaving");
	moves.unschedulable = 0;
	moves.phase = PLM_PHASE_RUNNING;
	yard_fold(y, PLM_EV_POD, &moves);
	plan(y);
	return zones_of(y, 0);
}

static void a_pod_astray_keeps_its_topology(void **state)
{
	assert_string_equal(moved_to(*state, PLM_COMPAT_BETTER), "a");
}

static void a_pod_astray_loses_its_topology_upstream(void **state)
{
	assert_string_equal(moved_to(*state, PLM_COMPAT_STRICT), "ab");
}

/* An ephemeral volume goes with its pod: the next one may be anywhere. */
static const char *own_volume_zones(struct yard *y, enum plm_compat compat)
{
	set_compat(y, compat);
	add_pool(y);
	add_class(y, "fast", false, "");
	add_volume(y, "v", "b");
	add_claim(y, "p-tmp", "fast", "v");
	add_node(y, "node", "b", 25, 1);
	bind_pod(y, "p", "own:tmp", "node");
	plan(y);
	return zones_of(y, 0);
}

static void an_ephemeral_volume_is_made_anew(void **state)
{
	assert_string_equal(own_volume_zones(*state, PLM_COMPAT_BETTER), "ab");
}

static void an_ephemeral_volume_holds_its_pod_upstream(void **state)
{
	assert_string_equal(own_volume_zones(*state, PLM_COMPAT_STRICT), "b");
}

/* ---- classes ----------------------------------------------------------------------------------- */

static uint32_t by_default_class(struct yard *y, enum plm_compat compat)
{
	struct plm_w_storage_class class = {.meta = yard_meta("", "std"),
					    .provisioner = s(DRIVER),
					    .terms = terms_of(y, "b"),
					    .is_default = 1};
	struct plm_w_volume_claim claim = claim_of("data", "", "");

	claim.class_said = 0;
	set_compat(y, compat);
	add_pool(y);
	yard_fold(y, PLM_EV_STORAGE_CLASS, &class);
	yard_fold(y, PLM_EV_VOLUME_CLAIM, &claim);
	add_pod(y, "p", "data");
	plan(y);
	return yard_count(y, PLM_EV_CLAIM);
}

static void the_default_class_is_filled_in(void **state)
{
	assert_int_equal(by_default_class(*state, PLM_COMPAT_BETTER), 1);
	assert_string_equal(zones_of(*state, 0), "b");
}

static void upstream_reads_what_stands_there(void **state)
{
	assert_int_equal(by_default_class(*state, PLM_COMPAT_STRICT), 0);
}

static void volumes_of_auto_mode_are_refused(void **state)
{
	struct yard *y = *state;
	struct plm_w_storage_class class = {.meta = yard_meta("", "auto"),
					    .provisioner = s("ebs.csi.eks.amazonaws.com")};
	const struct plm_w_explained *said = NULL;

	add_pool(y);
	yard_fold(y, PLM_EV_STORAGE_CLASS, &class);
	add_claim(y, "data", "auto", "");
	add_pod(y, "p", "data");
	plan(y);
	said = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(said->why.rule, PLM_RULE_VOLUME_DRIVER);
	plm_assert_text(said->why.detail, "ebs.csi.eks.amazonaws.com");
}

/* The host of a local volume is no other node's: only its zone counts. */
static void a_local_volume_lets_go_of_its_host(void **state)
{
	struct yard *y = *state;
	struct plm_slice zone = s("b");
	struct plm_slice host = s("old-host");
	struct plm_w_expr exprs[2] = {
		{.key = s(ZONE), .op = PLM_OP_IN, .values = {&zone, 1}},
		{.key = s("kubernetes.io/hostname"), .op = PLM_OP_IN, .values = {&host, 1}}};
	struct plm_w_term term = {.exprs = {exprs, 2}};
	struct plm_w_volume volume = {.meta = yard_meta("", "v"), .local = 1, .terms = {&term, 1}};

	add_pool(y);
	yard_fold(y, PLM_EV_VOLUME, &volume);
	add_claim(y, "data", "", "v");
	add_pod(y, "p", "data");
	plan(y);
	assert_string_equal(zones_of(y, 0), "b");
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(what_cannot_be_reached_is_named),
		WITH_YARD(ways_are_limited),
		WITH_YARD(replicas_with_claims_of_their_own_are_one_shape),
		WITH_YARD(without_volumes_nothing_is_gathered),
		WITH_YARD(a_pass_fills_the_node),
		WITH_YARD(a_node_in_the_wrong_zone_is_no_place),
		WITH_YARD(a_pod_astray_keeps_its_topology),
		WITH_YARD(a_pod_astray_loses_its_topology_upstream),
		WITH_YARD(an_ephemeral_volume_is_made_anew),
		WITH_YARD(an_ephemeral_volume_holds_its_pod_upstream),
		WITH_YARD(the_default_class_is_filled_in),
		WITH_YARD(upstream_reads_what_stands_there),
		WITH_YARD(volumes_of_auto_mode_are_refused),
		WITH_YARD(a_local_volume_lets_go_of_its_host),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, refused_row, refused_table);
	PLM_TEST_TABLE(&tests, ways_row, ways_table);
	PLM_TEST_TABLE(&tests, limit_row, limit_table);
	return plm_tests_run(&tests, "provision volume");
}
