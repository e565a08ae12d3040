/*
 * AL2023: nodeadm's NodeConfig (karpenter.md 4.7). It is written as JSON with sorted keys and then turned
 * into YAML in block style by libyaml, which knows when a text needs quotes.
 */
#include <yaml.h>

#include "adapters/ec2/text.h"
#include "adapters/ec2/user_data.h"

#define HEADER "# Made by Plimsoll\n"

bool plm_ec2_is_yaml_map(struct plm_slice text)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool map = false;
	bool done = false;
	size_t seen = 0;

	if (yaml_parser_initialize(&parser) == 0) {
		return false;
	}
	yaml_parser_set_input_string(&parser, text.ptr, text.size);
	while (!done) {
		if (yaml_parser_parse(&parser, &event) == 0) {
			map = false;
			break;
		}
		/* The stream, the document, then its content. */
		if (seen++ == 2) {
			map = event.type == YAML_MAPPING_START_EVENT;
		}
		done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return map;
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void put_text(struct plm_text *out, const char *key, struct plm_slice text)
{
	plm_text_putf(out,
		      "%s\"%s\":", out->size > 0 && out->bytes[out->size - 1] != '{' ? "," : "",
		      key);
	plm_text_quote(out, text);
}

static void put_raw(struct plm_text *out, struct plm_slice key, struct plm_slice json)
{
	plm_text_putf(out, "%s", out->size > 0 && out->bytes[out->size - 1] != '{' ? "," : "");
	plm_text_quote(out, key);
	plm_text_putf(out, ":");
	plm_text_put(out, json);
}

static struct plm_slice json_of_map(struct plm_arena *arena, struct plm_vec kvs)
{
	struct plm_text out = {.arena = arena};
	const struct plm_w_kv *list = kvs.ptr;

	plm_text_putf(&out, "{");
	for (size_t i = 0; i < kvs.count; i++) {
		plm_text_putf(&out, "%s", i == 0 ? "" : ",");
		plm_text_quote(&out, list[i].key);
		plm_text_putf(&out, ":");
		plm_text_quote(&out, list[i].value);
	}
	plm_text_putf(&out, "}");
	return plm_text_slice(&out);
}

static struct plm_slice json_of_taints(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	struct plm_vec taints = plm_ec2_boot_taints(boot, arena);
	const struct plm_w_taint *list = taints.ptr;

	plm_text_putf(&out, "[");
	for (size_t i = 0; i < taints.count; i++) {
		plm_text_putf(&out, "%s{", i == 0 ? "" : ",");
		put_text(&out, "effect",
			 plm_slice_str(plm_names_text(&plm_names_taint_effect, list[i].effect)));
		put_text(&out, "key", list[i].key);
		if (list[i].value.size > 0) {
			put_text(&out, "value", list[i].value);
		}
		plm_text_putf(&out, "}");
	}
	plm_text_putf(&out, "]");
	return plm_text_slice(&out);
}

static struct plm_slice json_of_number(struct plm_arena *arena, int64_t number)
{
	return number == PLM_UNSET ? (struct plm_slice){0}
				   : plm_arena_format(arena, "%lld", (long long)number);
}

static struct plm_slice json_of_dns(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	const struct plm_vec *named = &boot->class->kubelet.cluster_dns;
	const struct plm_slice *list = named->count > 0 ? named->ptr : &boot->cluster->dns_ip;
	size_t count = named->count > 0 ? named->count : (boot->cluster->dns_ip.size > 0 ? 1 : 0);

	for (size_t i = 0; i < count; i++) {
		plm_text_putf(&out, "%s", i == 0 ? "[" : ",");
		plm_text_quote(&out, list[i]);
	}
	plm_text_putf(&out, "%s", count > 0 ? "]" : "");
	return plm_text_slice(&out);
}

static struct plm_slice map_or_none(struct plm_arena *arena, struct plm_vec kvs)
{
	return kvs.count == 0 ? (struct plm_slice){0} : json_of_map(arena, kvs);
}

/* The fields that are read, and those that only go through; an empty text is left out. */
static struct plm_vec kubelet_fields(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	static const struct plm_w_kubelet none = {.eviction_max_grace_s = PLM_UNSET,
						  .pods_per_core = PLM_UNSET,
						  .gc_high = PLM_UNSET,
						  .gc_low = PLM_UNSET,
						  .cpu_cfs_quota = PLM_UNSET};
	const struct plm_w_kubelet *k =
		boot->class->kubelet.present == 1 ? &boot->class->kubelet : &none;
	const struct plm_w_kv *other = k->other.ptr;
	const struct plm_w_kv own[] = {
		{plm_slice_str("clusterDNS"), json_of_dns(boot, arena)},
		{plm_slice_str("cpuCFSQuota"),
		 k->cpu_cfs_quota == PLM_UNSET
			 ? (struct plm_slice){0}
			 : plm_slice_str(k->cpu_cfs_quota == 1 ? "true" : "false")},
		{plm_slice_str("evictionHard"), map_or_none(arena, k->eviction_hard)},
		{plm_slice_str("evictionMaxPodGracePeriod"),
		 json_of_number(arena, k->eviction_max_grace_s)},
		{plm_slice_str("evictionSoft"), map_or_none(arena, k->eviction_soft)},
		{plm_slice_str("evictionSoftGracePeriod"),
		 map_or_none(arena, k->eviction_soft_grace)},
		{plm_slice_str("imageGCHighThresholdPercent"), json_of_number(arena, k->gc_high)},
		{plm_slice_str("imageGCLowThresholdPercent"), json_of_number(arena, k->gc_low)},
		{plm_slice_str("kubeReserved"), map_or_none(arena, k->kube_reserved)},
		{plm_slice_str("maxPods"), json_of_number(arena, plm_ec2_boot_pods(boot))},
		{plm_slice_str("podsPerCore"), json_of_number(arena, k->pods_per_core)},
		{plm_slice_str("registerWithTaints"), json_of_taints(boot, arena)},
		{plm_slice_str("systemReserved"), map_or_none(arena, k->system_reserved)},
	};
	struct plm_w_kv *list =
		PLM_NEW_ARRAY(arena, PLM_COUNTOF(own) + k->other.count, struct plm_w_kv);
	size_t count = 0;

	for (size_t i = 0; i < PLM_COUNTOF(own) + k->other.count; i++) {
		const struct plm_w_kv *from =
			i < PLM_COUNTOF(own) ? &own[i] : &other[i - PLM_COUNTOF(own)];
		size_t at = count;

		if (from->value.size == 0 ||
		    (i >= PLM_COUNTOF(own) && plm_slice_is(from->key, "registerWithTaints"))) {
			continue;
		}
		for (; at > 0 && plm_slice_compare(list[at - 1].key, from->key) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = *from;
		count++;
	}
	return (struct plm_vec){list, count};
}

static struct plm_slice labels_flag(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	struct plm_vec labels = plm_ec2_boot_labels(boot, arena);
	const struct plm_w_kv *list = labels.ptr;

	plm_text_putf(&out, "--node-labels=\"");
	for (size_t i = 0; i < labels.count; i++) {
		plm_text_putf(&out, "%s", i == 0 ? "" : ",");
		plm_text_put(&out, list[i].key);
		plm_text_putf(&out, "=");
		plm_text_put(&out, list[i].value);
	}
	plm_text_putf(&out, "\"");
	return plm_text_slice(&out);
}

static struct plm_slice config_json(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	const struct plm_ec2_cluster *c = boot->cluster;
	struct plm_vec fields = kubelet_fields(boot, arena);
	const struct plm_w_kv *field = fields.ptr;

	plm_text_putf(&out, "{\"apiVersion\":\"node.eks.aws/v1alpha1\",\"kind\":\"NodeConfig\","
			    "\"spec\":{\"cluster\":{");
	put_text(&out, "apiServerEndpoint", c->endpoint);
	if (c->ca_bundle.size > 0) {
		put_text(&out, "certificateAuthority", c->ca_bundle);
	}
	if (c->service_cidr.size > 0) {
		put_text(&out, "cidr", c->service_cidr);
	}
	put_text(&out, "name", c->name);
	plm_text_putf(&out, "}");
	if (boot->class->setup.raid0 == 1) {
		plm_text_putf(&out, ",\"instance\":{\"localStorage\":{\"strategy\":\"RAID0\"}}");
	}
	plm_text_putf(&out, ",\"kubelet\":{\"config\":{");
	for (size_t i = 0; i < fields.count; i++) {
		put_raw(&out, field[i].key, field[i].value);
	}
	plm_text_putf(&out, "},\"flags\":[");
	plm_text_quote(&out, labels_flag(boot, arena));
	plm_text_putf(&out, "]}}}");
	return plm_text_slice(&out);
}

/* ---- YAML ---------------------------------------------------------------------------------------- */

/* Would YAML 1.1 or 1.2 read the plain word as something else than a text? */
static bool is_ambiguous(const char *text, size_t size)
{
	static const char *const words[] = {
		"",    "~",  "null", "true", "false", "yes",  "no",    "on",	"off",
		"y",   "n",  "NULL", "Null", "True",  "TRUE", "False", "FALSE", "Yes",
		"YES", "No", "NO",   "On",   "ON",    "Off",  "OFF",   "Y",	"N"};
	bool number = size > 0;

	for (size_t i = 0; i < PLM_COUNTOF(words); i++) {
		if (plm_slice_is(plm_slice_of(text, size), words[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < size; i++) {
		number = number && strchr("0123456789+-._:eExXabcdefABCDEFoTZinf", text[i]) != NULL;
	}
	return number && strchr("0123456789+-.", text[0]) != NULL;
}

static int append_text(void *data, unsigned char *bytes, size_t size)
{
	plm_text_put(data, plm_slice_of(bytes, size));
	return 1;
}

/* The same event in block style; a text in quotes only where it needs them. */
static void restyle(yaml_event_t *event)
{
	if (event->type == YAML_DOCUMENT_START_EVENT) {
		event->data.document_start.implicit = 1;
	} else if (event->type == YAML_DOCUMENT_END_EVENT) {
		event->data.document_end.implicit = 1;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		event->data.mapping_start.style = YAML_BLOCK_MAPPING_STYLE;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		event->data.sequence_start.style = YAML_BLOCK_SEQUENCE_STYLE;
	} else if (event->type == YAML_SCALAR_EVENT &&
		   event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE &&
		   !is_ambiguous((const char *)event->data.scalar.value,
				 event->data.scalar.length)) {
		event->data.scalar.style = YAML_PLAIN_SCALAR_STYLE;
		event->data.scalar.plain_implicit = 1;
	}
}

static bool pump(yaml_parser_t *parser, yaml_emitter_t *emitter)
{
	bool done = false;

	while (!done) {
		yaml_event_t event;

		if (yaml_parser_parse(parser, &event) == 0) {
			return false;
		}
		done = event.type == YAML_STREAM_END_EVENT;
		restyle(&event);
		if (yaml_emitter_emit(emitter, &event) == 0) {
			return false;
		}
	}
	return true;
}

enum plm_code plm_ec2_node_config(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				  struct plm_slice *out, struct plm_error *err)
{
	struct plm_slice json = config_json(boot, arena);
	struct plm_text text = {.arena = arena};
	yaml_parser_t parser;
	yaml_emitter_t emitter;
	bool done = false;

	plm_text_putf(&text, HEADER);
	if (yaml_parser_initialize(&parser) == 0) {
		return plm_fail(err, PLM_E_IO, "libyaml: no memory");
	}
	if (yaml_emitter_initialize(&emitter) == 0) {
		yaml_parser_delete(&parser);
		return plm_fail(err, PLM_E_IO, "libyaml: no memory");
	}
	yaml_parser_set_input_string(&parser, json.ptr, json.size);
	yaml_emitter_set_output(&emitter, append_text, &text);
	yaml_emitter_set_width(&emitter, -1);
	yaml_emitter_set_unicode(&emitter, 1);
	done = pump(&parser, &emitter);
	yaml_emitter_delete(&emitter);
	yaml_parser_delete(&parser);
	if (!done) {
		return plm_fail(
			err, PLM_E_INPUT, "EC2NodeClass %.*s: kubelet: cannot be written as YAML",
			(int)boot->class->meta.name.size, (const char *)boot->class->meta.name.ptr);
	}
	*out = plm_text_slice(&text);
	return PLM_OK;
}
