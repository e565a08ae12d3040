#include "bench_mix.h"

#include <stdio.h>

#include "bench_lib.h"
#include "core/limits.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define CAPACITY "karpenter.sh/capacity-type"
#define TYPE "node.kubernetes.io/instance-type"
#define POOL "karpenter.sh/nodepool"
#define PARTS 5U
#define TEXT_BYTES 64

static struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

static uint32_t draw(struct bench_mix *mix, uint32_t below)
{
	uint64_t z = mix->draw += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ (z >> 31)) >> 33) % below;
}

/* A copy that lives until the next reset. */
static struct plm_vec list(struct bench_mix *mix, const void *rows, size_t count, size_t size)
{
	void *copy = plm_arena_take(&mix->texts, count * size);

	memcpy(copy, rows, count * size);
	return (struct plm_vec){copy, count};
}

void bench_mix_open(struct bench_mix *mix, uint64_t seed)
{
	struct plm_error err = {0};

	mix->draw = seed;
	bench_check(plm_arena_init(&mix->texts, (size_t)1 << 28, &err) == PLM_OK, err.text);
}

void bench_mix_close(struct bench_mix *mix)
{
	plm_arena_fini(&mix->texts);
}

static void fold(struct bench_mix *mix, enum plm_event_type type, const void *payload)
{
	mix->fold(mix->self, type, payload);
	plm_arena_reset(&mix->texts);
}

static struct plm_w_meta meta(struct bench_mix *mix, const char *ns, const char *name)
{
	struct plm_slice text = plm_arena_copy(&mix->texts, s(name));

	return (struct plm_w_meta){
		.ns = s(ns),
		.name = text,
		.uid = text,
		.created_ms = BENCH_MIX_NOW_MS,
		.deleting_ms = PLM_UNSET,
	};
}

/* ---- the cluster ------------------------------------------------------------------------------- */

static struct plm_w_expr in(struct bench_mix *mix, const char *key, const char *const *values,
			    size_t count)
{
	struct plm_slice texts[4];

	for (size_t i = 0; i < count; i++) {
		texts[i] = plm_arena_copy(&mix->texts, s(values[i]));
	}
	return (struct plm_w_expr){
		.key = s(key), .op = PLM_OP_IN, .values = list(mix, texts, count, sizeof(*texts))};
}

static struct plm_vec amounts(struct bench_mix *mix, int64_t cpu, int64_t memory, int64_t pods)
{
	struct plm_w_amount rows[] = {{s("cpu"), cpu}, {s("memory"), memory}, {s("pods"), pods}};

	return list(mix, rows, pods > 0 ? 3 : 2, sizeof(*rows));
}

/* 0.1 USD per cpu and per 10^9 bytes. */
static int64_t price_of(int64_t cpu)
{
	return cpu * 100000 + 2 * cpu * GIB / 10000;
}

static struct plm_vec offers(struct bench_mix *mix, int64_t cpu)
{
	static const char *const zones[] = {"z1", "z2", "z1", "z2", "z3"};
	struct plm_w_offering rows[5];

	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		rows[i] = (struct plm_w_offering){
			.zone = s(zones[i]),
			.capacity_type = s(i < 2 ? "spot" : "on-demand"),
			.price_micro = price_of(cpu),
			.available = 1,
			.reserved_left = PLM_UNSET,
		};
	}
	return list(mix, rows, PLM_COUNTOF(rows), sizeof(*rows));
}

static struct plm_w_instance_type type(struct bench_mix *mix, uint32_t cpu)
{
	static const char *const zones[] = {"z1", "z2", "z3"};
	static const char *const capacities[] = {"on-demand", "spot"};
	static const char *const systems[] = {"darwin", "linux", "windows"};
	const char *arch = "amd64";
	const char *size = cpu > 4 ? "large" : "small";
	char name[TEXT_BYTES];
	char number[TEXT_BYTES];
	const char *texts[] = {name, number};
	struct plm_w_expr reqs[7];

	(void)snprintf(name, sizeof(name), "type-%03u", cpu);
	(void)snprintf(number, sizeof(number), "%u", cpu);
	reqs[0] = in(mix, TYPE, &texts[0], 1);
	reqs[1] = in(mix, "kubernetes.io/arch", &arch, 1);
	reqs[2] = in(mix, "kubernetes.io/os", systems, PLM_COUNTOF(systems));
	reqs[3] = in(mix, ZONE, zones, PLM_COUNTOF(zones));
	reqs[4] = in(mix, CAPACITY, capacities, PLM_COUNTOF(capacities));
	reqs[5] = in(mix, "karpenter.k8s.aws/instance-cpu", &texts[1], 1);
	reqs[6] = in(mix, "karpenter.k8s.aws/instance-size", &size, 1);
	return (struct plm_w_instance_type){
		.name = plm_arena_copy(&mix->texts, s(name)),
		.requirements = list(mix, reqs, PLM_COUNTOF(reqs), sizeof(*reqs)),
		.capacity = amounts(mix, cpu * 1000, 2 * cpu * GIB, cpu * 10),
		.allocatable = amounts(mix, cpu * 1000 - 100, 2 * cpu * GIB - 10 * MIB, cpu * 10),
		.offerings = offers(mix, cpu),
	};
}

static void pool(struct bench_mix *mix)
{
	struct plm_w_node_pool w = {
		.meta = meta(mix, "", "default"),
		.class_kind = PLM_KIND_NODE_CLASS,
		.class_name = s("default"),
		.limits = amounts(mix, INT64_C(10000000000), INT64_C(10000000) * GIB, 0),
		.max_size = PLM_UNSET,
		.expire_ms = PLM_UNSET,
		.grace_ms = PLM_UNSET,
	};

	fold(mix, PLM_EV_NODE_POOL, &w);
}

void bench_mix_cluster(struct bench_mix *mix)
{
	struct plm_w_genesis genesis = {.cluster_uid = s("bench"), .cluster_name = s("bench")};
	struct plm_w_config config = {
		.compat = mix->compat,
		.only = PLM_ONLY_NODES,
		.preferences = mix->preferences,
		.cluster_name = s("bench"),
		.region = s("r"),
		.gang_timeout_ms = 900000,
		.registration_timeout_ms = 900000,
		.launch_timeout_ms = 300000,
		.stock_out_ms = 180000,
	};
	struct plm_w_instance_type types[BENCH_MIX_TYPES];
	struct plm_w_catalog catalog = {.region = s("r"), .types = {types, BENCH_MIX_TYPES}};
	struct plm_w_namespace namespace = {.meta = meta(mix, "", "default")};
	struct plm_w_node_class class = {.kind = PLM_KIND_NODE_CLASS};

	fold(mix, PLM_EV_GENESIS, &genesis);
	fold(mix, PLM_EV_CONFIG, &config);
	for (uint32_t i = 0; i < BENCH_MIX_TYPES; i++) {
		types[i] = type(mix, i + 1);
	}
	fold(mix, PLM_EV_CATALOG, &catalog);
	namespace.meta = meta(mix, "", "default");
	fold(mix, PLM_EV_NAMESPACE, &namespace);
	class.meta = meta(mix, "", "default");
	fold(mix, PLM_EV_NODE_CLASS, &class);
	pool(mix);
}

/* ---- pods -------------------------------------------------------------------------------------- */

enum part {
	PART_PLAIN,
	PART_ZONES,
	PART_HOSTS,
	PART_TOGETHER,
	PART_APART
};

/* A pod before it is folded; 'label' is where its only label lives. */
struct draft {
	struct plm_w_pod pod;
	struct plm_w_kv label;
};

static struct plm_vec requests(struct bench_mix *mix)
{
	static const int64_t cpu[] = {100, 250, 500, 1000, 1500};
	static const int64_t memory[] = {100, 256, 512, 1024, 2048, 4096};
	int64_t first = cpu[draw(mix, PLM_COUNTOF(cpu))];

	return amounts(mix, first, memory[draw(mix, PLM_COUNTOF(memory))] * MIB, 0);
}

static const char *letter(struct bench_mix *mix)
{
	static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g"};

	return letters[draw(mix, PLM_COUNTOF(letters))];
}

static struct plm_w_selector selector(struct bench_mix *mix, const char *key, const char *value)
{
	struct plm_w_expr expr = in(mix, key, &value, 1);

	return (struct plm_w_selector){.present = 1, .exprs = list(mix, &expr, 1, sizeof(expr))};
}

static struct plm_vec affinity(struct bench_mix *mix, const char *topology, int64_t weight,
			       const struct plm_w_kv *label)
{
	struct plm_w_expr expr = {.key = label->key, .op = PLM_OP_IN};
	struct plm_w_affinity term = {.weight = weight, .topology_key = s(topology)};

	expr.values = list(mix, &label->value, 1, sizeof(label->value));
	term.selector =
		(struct plm_w_selector){.present = 1, .exprs = list(mix, &expr, 1, sizeof(expr))};
	return list(mix, &term, 1, sizeof(term));
}

static struct plm_vec spread(struct bench_mix *mix, const char *topology)
{
	struct plm_w_spread row = {
		.topology_key = s(topology),
		.max_skew = 1,
		.when = PLM_SPREAD_DO_NOT_SCHEDULE,
		.selector = selector(mix, "my-label", letter(mix)),
		.min_domains = PLM_UNSET,
	};

	return list(mix, &row, 1, sizeof(row));
}

static void begin(struct bench_mix *mix, struct draft *draft, const char *name, enum part part)
{
	*draft = (struct draft){
		.pod =
			{
				.meta = meta(mix, "default", name),
				.shape = {.priority = PLM_UNSET},
				.phase = PLM_PHASE_PENDING,
				.unschedulable = 1,
				.started_ms = PLM_UNSET,
				.index = PLM_UNSET,
				.deletion_cost = PLM_UNSET,
			},
		.label = {s("my-label"), s(letter(mix))},
	};
	if (part == PART_TOGETHER) {
		draft->label.key = s("my-affinity");
	} else if (part == PART_APART) {
		draft->label = (struct plm_w_kv){s("app"), s("nginx")};
	}
	draft->pod.meta.labels = list(mix, &draft->label, 1, sizeof(draft->label));
	draft->pod.shape.requests = requests(mix);
}

static void constrain(struct bench_mix *mix, struct draft *draft, enum part part)
{
	struct plm_w_shape *shape = &draft->pod.shape;

	switch (part) {
	case PART_ZONES:
		shape->spread = spread(mix, ZONE);
		break;
	case PART_HOSTS:
		shape->spread = spread(mix, HOST);
		break;
	case PART_TOGETHER:
		shape->affinity = affinity(mix, ZONE, 0, &draft->label);
		break;
	case PART_APART:
		shape->anti_affinity = affinity(mix, HOST, 0, &draft->label);
		break;
	case PART_PLAIN:
	default:
		break;
	}
}

/* Names are spread, as UIDs are, so that ties do not follow the parts. */
static void pod_name(struct bench_mix *mix, uint32_t number, char *out, size_t size)
{
	(void)snprintf(out, size, "p-%08x-%u", draw(mix, UINT32_MAX), number);
}

void bench_mix_pods(struct bench_mix *mix, uint32_t from, uint32_t count)
{
	uint32_t each = count / PARTS;

	for (uint32_t i = 0; i < count; i++) {
		enum part part = i < each * PARTS ? (enum part)(i / each) : PART_PLAIN;
		char name[TEXT_BYTES];
		struct draft draft;

		pod_name(mix, from + i, name, sizeof(name));
		begin(mix, &draft, name, part);
		constrain(mix, &draft, part);
		fold(mix, PLM_EV_POD, &draft.pod);
	}
}

void bench_mix_plain(struct bench_mix *mix, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char name[TEXT_BYTES];
		struct draft draft;

		pod_name(mix, i, name, sizeof(name));
		begin(mix, &draft, name, PART_PLAIN);
		fold(mix, PLM_EV_POD, &draft.pod);
	}
}

void bench_mix_wishes(struct bench_mix *mix, uint32_t count)
{
	static const char *const zone = "z1";

	for (uint32_t i = 0; i < count; i++) {
		struct plm_w_expr expr;
		struct plm_w_term term = {.weight = 1};
		struct plm_w_affinity apart[2];
		char name[TEXT_BYTES];
		struct draft draft;

		pod_name(mix, i, name, sizeof(name));
		begin(mix, &draft, name, PART_APART);
		draft.pod.shape.requests = amounts(mix, 1000, 4096 * MIB, 0);
		expr = in(mix, ZONE, &zone, 1);
		term.exprs = list(mix, &expr, 1, sizeof(expr));
		draft.pod.shape.preferred = list(mix, &term, 1, sizeof(term));
		memcpy(&apart[0], affinity(mix, ZONE, 10, &draft.label).ptr, sizeof(*apart));
		memcpy(&apart[1], affinity(mix, HOST, 1, &draft.label).ptr, sizeof(*apart));
		draft.pod.shape.preferred_anti_affinity = list(mix, apart, 2, sizeof(*apart));
		fold(mix, PLM_EV_POD, &draft.pod);
	}
}

/* ---- what runs already ------------------------------------------------------------------------- */

#define NODE_CPU 16U

static void node_name(uint32_t number, char *out, size_t size)
{
	(void)snprintf(out, size, "node-%05u", number);
}

static struct plm_vec node_labels(struct bench_mix *mix, uint32_t number, const char *name)
{
	static const char *const zones[] = {"z1", "z2", "z3"};
	struct plm_w_kv rows[] = {
		{s(HOST), plm_arena_copy(&mix->texts, s(name))},
		{s(CAPACITY), s("on-demand")},
		{s(POOL), s("default")},
		{s("karpenter.sh/initialized"), s("true")},
		{s("karpenter.sh/registered"), s("true")},
		{s("kubernetes.io/arch"), s("amd64")},
		{s("kubernetes.io/os"), s("linux")},
		{s(TYPE), s("type-016")},
		{s(ZONE), s(zones[number % 3])},
	};

	return list(mix, rows, PLM_COUNTOF(rows), sizeof(*rows));
}

static void claim(struct bench_mix *mix, uint32_t number)
{
	char name[TEXT_BYTES];
	struct plm_w_node_claim w = {
		.pool = s("default"),
		.launched_ms = BENCH_MIX_NOW_MS,
		.registered_ms = BENCH_MIX_NOW_MS,
		.initialized_ms = BENCH_MIX_NOW_MS,
		.consolidatable_ms = PLM_UNSET,
		.drifted_ms = PLM_UNSET,
		.grace_ms = PLM_UNSET,
	};

	(void)snprintf(name, sizeof(name), "default-%05u", number);
	w.meta = meta(mix, "", name);
	w.provider_id = plm_arena_format(&mix->texts, "i-%05u", number);
	node_name(number, name, sizeof(name));
	w.node = plm_arena_copy(&mix->texts, s(name));
	w.meta.labels = node_labels(mix, number, name);
	w.capacity = amounts(mix, NODE_CPU * 1000, 2 * NODE_CPU * GIB, NODE_CPU * 10);
	w.allocatable = w.capacity;
	fold(mix, PLM_EV_NODE_CLAIM, &w);
}

static void node(struct bench_mix *mix, uint32_t number)
{
	char name[TEXT_BYTES];
	struct plm_w_node w = {.ready = 1};

	node_name(number, name, sizeof(name));
	w.meta = meta(mix, "", name);
	w.meta.labels = node_labels(mix, number, name);
	w.provider_id = plm_arena_format(&mix->texts, "i-%05u", number);
	w.capacity = amounts(mix, NODE_CPU * 1000, 2 * NODE_CPU * GIB, NODE_CPU * 10);
	w.allocatable = w.capacity;
	fold(mix, PLM_EV_NODE, &w);
}

static void running(struct bench_mix *mix, uint32_t number, uint32_t host, enum part part)
{
	char name[TEXT_BYTES];
	struct draft draft;

	(void)snprintf(name, sizeof(name), "r-%u", number);
	begin(mix, &draft, name, part);
	draft.pod.shape.requests = amounts(mix, 750, 1500 * MIB, 0);
	constrain(mix, &draft, part);
	node_name(host, name, sizeof(name));
	draft.pod.node = plm_arena_copy(&mix->texts, s(name));
	draft.pod.unschedulable = 0;
	draft.pod.ready = 1;
	draft.pod.phase = PLM_PHASE_RUNNING;
	fold(mix, PLM_EV_POD, &draft.pod);
}

void bench_mix_running(struct bench_mix *mix, uint32_t nodes, uint32_t pods_each, bool mixed)
{
	for (uint32_t n = 0; n < nodes; n++) {
		claim(mix, n);
		node(mix, n);
	}
	for (uint32_t i = 0; i < nodes * pods_each; i++) {
		enum part part = i < nodes ? PART_APART : (enum part)(i % PART_APART);

		running(mix, i, i % nodes, mixed ? part : PART_PLAIN);
	}
}
