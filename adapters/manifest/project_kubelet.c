/* spec.kubelet of an EC2NodeClass: karpenter.md 1.3. An open map, of which some fields are read. */
#include "adapters/manifest/project.h"
#include "core/quantity.h"
#include "ec2/capacity.h"

static const char *const signals[] = {
	"memory.available",  "nodefs.available",   "nodefs.inodesFree",
	"imagefs.available", "imagefs.inodesFree", "pid.available",
};

static bool among(struct plm_slice text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(text, words[i])) {
			return true;
		}
	}
	return false;
}

/* A map of texts or numbers as written, sorted by key. */
static struct plm_vec read_map(struct plm_project *p, struct plm_doc *kubelet, const char *key)
{
	struct plm_doc *map = plm_doc_map(p->tree, kubelet, key);
	struct plm_w_kv *list = NULL;
	size_t count = 0;

	if (map == NULL || map->count == 0) {
		return (struct plm_vec){0};
	}
	list = plm_project_array(p, map->count, sizeof(*list));
	for (struct plm_doc *item = map->first; item != NULL; item = item->next) {
		struct plm_w_kv kv = {item->key, plm_doc_int_or_text(p->tree, item, NULL)};
		size_t at = count++;

		for (; at > 0 && plm_slice_compare(list[at - 1].key, kv.key) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = kv;
	}
	plm_doc_ignore(map);
	return (struct plm_vec){list, count};
}

static struct plm_vec read_reserved(struct plm_project *p, struct plm_doc *kubelet, const char *key)
{
	static const char *const resources[] = {"cpu", "memory", "ephemeral-storage", "pid"};
	struct plm_vec kvs = read_map(p, kubelet, key);
	struct plm_doc *map = plm_doc_map(p->tree, kubelet, key);
	struct plm_doc *item = map == NULL ? NULL : map->first;

	for (; item != NULL; item = item->next) {
		if (!among(item->key, resources, PLM_COUNTOF(resources))) {
			plm_doc_fail(p->tree, item, "is not cpu, memory, ephemeral-storage or pid");
			continue;
		}
		(void)plm_doc_quantity(p->tree, item, NULL, PLM_SCALE_MILLI, 0);
	}
	return kvs;
}

static struct plm_vec read_thresholds(struct plm_project *p, struct plm_doc *kubelet,
				      const char *key)
{
	struct plm_vec kvs = read_map(p, kubelet, key);
	struct plm_doc *map = plm_doc_map(p->tree, kubelet, key);
	struct plm_doc *item = map == NULL ? NULL : map->first;

	for (; item != NULL; item = item->next) {
		struct plm_slice text = plm_doc_int_or_text(p->tree, item, NULL);
		int64_t amount = 0;
		int64_t share = 0;

		if (!among(item->key, signals, PLM_COUNTOF(signals))) {
			plm_doc_fail(p->tree, item, "is not a signal of the kubelet");
		} else if (!plm_ec2_threshold_parse(text, &amount, &share)) {
			plm_doc_fail(p->tree, item,
				     "\"%.*s\" is neither a quantity nor 0%% to 100%%",
				     (int)text.size, (const char *)text.ptr);
		}
	}
	return kvs;
}

/* Every soft threshold has a grace period, and nothing else has one. */
static void check_soft(struct plm_project *p, struct plm_doc *kubelet)
{
	struct plm_doc *soft = plm_doc_map(p->tree, kubelet, "evictionSoft");
	struct plm_doc *grace = plm_doc_map(p->tree, kubelet, "evictionSoftGracePeriod");
	struct plm_doc *pairs[2][2] = {{soft, grace}, {grace, soft}};

	for (size_t i = 0; i < PLM_COUNTOF(pairs); i++) {
		struct plm_doc *item = pairs[i][0] == NULL ? NULL : pairs[i][0]->first;

		for (; item != NULL; item = item->next) {
			bool has = false;
			struct plm_doc *other = pairs[i][1] == NULL ? NULL : pairs[i][1]->first;

			for (; other != NULL; other = other->next) {
				has = has || plm_slice_equal(item->key, other->key);
			}
			if (i == 1) {
				(void)plm_doc_duration(p->tree, item, NULL, 0);
			}
			if (!has) {
				plm_doc_fail(p->tree, item, "has no counterpart in %s",
					     i == 0 ? "evictionSoftGracePeriod" : "evictionSoft");
			}
		}
	}
}

static int64_t read_percent(struct plm_project *p, struct plm_doc *kubelet, const char *key)
{
	int64_t percent = plm_doc_int(p->tree, kubelet, key, PLM_UNSET);

	if (percent != PLM_UNSET && (percent < 0 || percent > 100)) {
		plm_doc_fail(p->tree, plm_doc_get(kubelet, key), "must be 0 to 100");
	}
	return percent;
}

/* ---- other fields -------------------------------------------------------------------------------- */

struct text {
	struct plm_project *p;
	char *bytes;
	size_t size, room;
};

static void put(struct text *out, const void *bytes, size_t size)
{
	if (out->size + size > out->room) {
		size_t room = (out->size + size) * 2 + 64;
		char *grown = plm_project_array(out->p, room, 1);

		if (out->size > 0) {
			memcpy(grown, out->bytes, out->size);
		}
		out->bytes = grown;
		out->room = room;
	}
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void put_quoted(struct text *out, struct plm_slice text)
{
	const uint8_t *bytes = text.ptr;

	put(out, "\"", 1);
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] < 0x20) {
			struct plm_slice escape =
				plm_arena_format(out->p->arena, "\\u%04x", bytes[i]);

			put(out, escape.ptr, escape.size);
			continue;
		}
		if (bytes[i] == '"' || bytes[i] == '\\') {
			put(out, "\\", 1);
		}
		put(out, &bytes[i], 1);
	}
	put(out, "\"", 1);
}

/* Children in order of key, so that the same settings are the same text. */
static struct plm_doc **sorted(struct plm_project *p, struct plm_doc *map)
{
	struct plm_doc **list = plm_project_array(p, map->count + 1U, sizeof(struct plm_doc *));
	size_t count = 0;

	for (struct plm_doc *item = map->first; item != NULL; item = item->next) {
		size_t at = count++;

		for (; map->kind == PLM_DOC_MAP && at > 0 &&
		       plm_slice_compare(list[at - 1]->key, item->key) > 0;
		     at--) {
			list[at] = list[at - 1];
		}
		list[at] = item;
	}
	return list;
}

/* As deep as a document may be: PLM_LIMIT_DOC_DEPTH. */
static void put_json(struct text *out, struct plm_doc *node)
{
	bool map = node->kind == PLM_DOC_MAP;
	struct plm_doc **items = NULL;

	if (node->kind == PLM_DOC_TEXT) {
		put_quoted(out, node->text);
		return;
	}
	if (!map && node->kind != PLM_DOC_LIST) {
		struct plm_slice text =
			node->kind == PLM_DOC_NULL ? plm_slice_str("null") : node->text;

		put(out, text.ptr, text.size);
		return;
	}
	items = sorted(out->p, node);
	put(out, map ? "{" : "[", 1);
	for (uint32_t i = 0; i < node->count; i++) {
		put(out, ",", i == 0 ? 0 : 1);
		if (map) {
			put_quoted(out, items[i]->key);
			put(out, ":", 1);
		}
		put_json(out, items[i]);
	}
	put(out, map ? "}" : "]", 1);
}

static struct plm_vec read_others(struct plm_project *p, struct plm_doc *kubelet,
				  const char *const *known, size_t known_count)
{
	struct plm_doc **items = sorted(p, kubelet);
	struct plm_w_kv *list = plm_project_array(p, kubelet->count, sizeof(*list));
	size_t count = 0;

	for (uint32_t i = 0; i < kubelet->count; i++) {
		struct text text = {.p = p};

		if (among(items[i]->key, known, known_count)) {
			continue;
		}
		plm_doc_ignore(items[i]);
		put_json(&text, items[i]);
		list[count++] =
			(struct plm_w_kv){items[i]->key, plm_slice_of(text.bytes, text.size)};
	}
	return (struct plm_vec){list, count};
}

void plm_project_kubelet(struct plm_project *p, struct plm_doc *spec, enum plm_ec2_family family,
			 struct plm_w_kubelet *out, struct plm_slice *not_ready)
{
	static const char *const known[] = {
		"clusterDNS",
		"maxPods",
		"podsPerCore",
		"systemReserved",
		"kubeReserved",
		"evictionHard",
		"evictionSoft",
		"evictionSoftGracePeriod",
		"evictionMaxPodGracePeriod",
		"imageGCHighThresholdPercent",
		"imageGCLowThresholdPercent",
		"cpuCFSQuota",
	};
	const struct plm_ec2_family_row *row = plm_ec2_family_row(family);
	struct plm_doc *kubelet = plm_doc_map(p->tree, spec, "kubelet");
	const struct plm_w_kv *other = NULL;

	if (kubelet == NULL) {
		return;
	}
	*out = (struct plm_w_kubelet){
		.present = 1,
		.cluster_dns = plm_doc_texts(p->tree, kubelet, "clusterDNS"),
		.max_pods = plm_doc_count(p->tree, kubelet, "maxPods", PLM_UNSET),
		.pods_per_core = plm_doc_count(p->tree, kubelet, "podsPerCore", PLM_UNSET),
		.system_reserved = read_reserved(p, kubelet, "systemReserved"),
		.kube_reserved = read_reserved(p, kubelet, "kubeReserved"),
		.eviction_hard = read_thresholds(p, kubelet, "evictionHard"),
		.eviction_soft = read_thresholds(p, kubelet, "evictionSoft"),
		.eviction_soft_grace = read_map(p, kubelet, "evictionSoftGracePeriod"),
		.eviction_max_grace_s =
			plm_doc_count(p->tree, kubelet, "evictionMaxPodGracePeriod", PLM_UNSET),
		.gc_high = read_percent(p, kubelet, "imageGCHighThresholdPercent"),
		.gc_low = read_percent(p, kubelet, "imageGCLowThresholdPercent"),
		.cpu_cfs_quota = plm_doc_bool(p->tree, kubelet, "cpuCFSQuota", PLM_UNSET),
		.other = read_others(p, kubelet, known, PLM_COUNTOF(known)),
	};
	check_soft(p, kubelet);
	if (out->gc_high != PLM_UNSET && out->gc_low != PLM_UNSET && out->gc_high <= out->gc_low) {
		plm_doc_fail(p->tree, plm_doc_get(kubelet, "imageGCHighThresholdPercent"),
			     "must be above imageGCLowThresholdPercent");
	}
	other = out->other.ptr;
	if (out->other.count > 0 && !row->any_kubelet_field && not_ready->size == 0) {
		*not_ready = plm_arena_format(
			p->arena, "ValidationSucceeded: kubelet.%.*s: %s does not take this field",
			(int)other[0].key.size, (const char *)other[0].key.ptr, row->name);
	}
}
