#include "adapters/ec2/user_data.h"

#include "adapters/ec2/mime.h"
#include "ec2/family.h"

#define UNREGISTERED "karpenter.sh/unregistered"
#define DO_NOT_SYNC "karpenter.sh/do-not-sync-taints"

static const struct plm_ec2_family_row *row_of(const struct plm_ec2_boot *boot)
{
	return plm_ec2_family_row(plm_ec2_family_of(boot->class));
}

/* ---- what all families are told ------------------------------------------------------------------ */

static bool ends_in(struct plm_slice text, const char *end)
{
	size_t size = strlen(end);
	const char *at = (const char *)text.ptr;

	if (text.size < size || memcmp(at + text.size - size, end, size) != 0) {
		return false;
	}
	return text.size == size || at[text.size - size - 1] == '.';
}

/* NodeRestriction keeps a kubelet from setting these; the cloud's controller and ours do. */
static bool is_restricted(struct plm_slice key)
{
	const char *slash = key.size == 0 ? NULL : memchr(key.ptr, '/', key.size);
	struct plm_slice domain = {0};

	if (slash == NULL) {
		return false;
	}
	domain = plm_slice_of(key.ptr, (size_t)(slash - (const char *)key.ptr));
	return ends_in(domain, "kubernetes.io") || ends_in(domain, "k8s.io");
}

struct plm_vec plm_ec2_boot_labels(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	const struct plm_w_kv *from = boot->labels.ptr;
	struct plm_w_kv *list = PLM_NEW_ARRAY(arena, boot->labels.count + 1, struct plm_w_kv);
	size_t count = 0;
	size_t at = 0;

	for (size_t i = 0; i < boot->labels.count; i++) {
		if (!is_restricted(from[i].key) && !plm_slice_is(from[i].key, DO_NOT_SYNC)) {
			list[count++] = from[i];
		}
	}
	if (!row_of(boot)->syncs_no_taints) {
		return (struct plm_vec){list, count};
	}
	while (at < count && plm_slice_compare(list[at].key, plm_slice_str(DO_NOT_SYNC)) < 0) {
		at++;
	}
	memmove(&list[at + 1], &list[at], (count - at) * sizeof(*list));
	list[at] = (struct plm_w_kv){plm_slice_str(DO_NOT_SYNC), plm_slice_str("true")};
	return (struct plm_vec){list, count + 1};
}

struct plm_vec plm_ec2_boot_taints(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	const struct plm_vec lists[] = {boot->taints, boot->startup_taints};
	struct plm_w_taint *list = PLM_NEW_ARRAY(
		arena, boot->taints.count + boot->startup_taints.count + 1, struct plm_w_taint);
	size_t count = 0;
	bool has = false;

	for (size_t l = 0; l < PLM_COUNTOF(lists); l++) {
		const struct plm_w_taint *from = lists[l].ptr;

		for (size_t i = 0; i < lists[l].count; i++) {
			list[count++] = from[i];
			has = has || (plm_slice_is(from[i].key, UNREGISTERED) &&
				      from[i].effect == PLM_EFFECT_NO_EXECUTE);
		}
	}
	if (!has) {
		list[count++] = (struct plm_w_taint){.key = plm_slice_str(UNREGISTERED),
						     .effect = PLM_EFFECT_NO_EXECUTE};
	}
	return (struct plm_vec){list, count};
}

struct plm_slice plm_ec2_boot_dns(const struct plm_ec2_boot *boot)
{
	const struct plm_vec *named = &boot->class->kubelet.cluster_dns;

	return named->count > 0 ? *(const struct plm_slice *)named->ptr : boot->cluster->dns_ip;
}

int64_t plm_ec2_boot_pods(const struct plm_ec2_boot *boot)
{
	const struct plm_w_kubelet *kubelet = &boot->class->kubelet;

	return kubelet->present == 1 && kubelet->max_pods != PLM_UNSET ? kubelet->max_pods
								       : boot->max_pods;
}

struct plm_slice plm_ec2_taint_text(const struct plm_w_taint *taint, struct plm_arena *arena)
{
	return plm_arena_format(arena, "%.*s%s%.*s:%s", (int)taint->key.size,
				(const char *)taint->key.ptr, taint->value.size > 0 ? "=" : "",
				(int)taint->value.size, (const char *)taint->value.ptr,
				plm_names_text(&plm_names_taint_effect, taint->effect));
}

/* ---- flags of a kubelet: AL2, Ubuntu, Windows ---------------------------------------------------- */

static void put_map(struct plm_text *out, const char *flag, struct plm_vec kvs, const char *between)
{
	const struct plm_w_kv *list = kvs.ptr;

	for (size_t i = 0; i < kvs.count; i++) {
		plm_text_putf(out, "%s", i == 0 ? "" : ",");
		if (i == 0) {
			plm_text_putf(out, " --%s=\"", flag);
		}
		plm_text_put(out, list[i].key);
		plm_text_putf(out, "%s", between);
		plm_text_put(out, list[i].value);
	}
	plm_text_putf(out, "%s", kvs.count > 0 ? "\"" : "");
}

static void put_number(struct plm_text *out, const char *flag, int64_t number)
{
	if (number != PLM_UNSET) {
		plm_text_putf(out, " --%s=%lld", flag, (long long)number);
	}
}

static void put_settings(struct plm_text *out, const struct plm_w_kubelet *kubelet)
{
	if (kubelet->present == 0) {
		return;
	}
	put_number(out, "pods-per-core", kubelet->pods_per_core);
	put_map(out, "system-reserved", kubelet->system_reserved, "=");
	put_map(out, "kube-reserved", kubelet->kube_reserved, "=");
	put_map(out, "eviction-hard", kubelet->eviction_hard, "<");
	put_map(out, "eviction-soft", kubelet->eviction_soft, "<");
	put_map(out, "eviction-soft-grace-period", kubelet->eviction_soft_grace, "=");
	put_number(out, "eviction-max-pod-grace-period", kubelet->eviction_max_grace_s);
	put_number(out, "image-gc-high-threshold", kubelet->gc_high);
	put_number(out, "image-gc-low-threshold", kubelet->gc_low);
	if (kubelet->cpu_cfs_quota != PLM_UNSET) {
		plm_text_putf(out, " --cpu-cfs-quota=%s",
			      kubelet->cpu_cfs_quota == 1 ? "true" : "false");
	}
}

static struct plm_slice kubelet_args(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	struct plm_vec taints = plm_ec2_boot_taints(boot, arena);
	const struct plm_w_taint *taint = taints.ptr;

	put_map(&out, "node-labels", plm_ec2_boot_labels(boot, arena), "=");
	plm_text_putf(&out, " --register-with-taints=\"");
	for (size_t i = 0; i < taints.count; i++) {
		plm_text_putf(&out, "%s", i == 0 ? "" : ",");
		plm_text_put(&out, plm_ec2_taint_text(&taint[i], arena));
	}
	plm_text_putf(&out, "\" --max-pods=%lld", (long long)plm_ec2_boot_pods(boot));
	put_settings(&out, &boot->class->kubelet);
	/* Every flag begins with a space. */
	return plm_slice_of(out.bytes + 1, out.size - 1);
}

static struct plm_slice bootstrap_script(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	const struct plm_ec2_cluster *c = boot->cluster;
	struct plm_slice dns = plm_ec2_boot_dns(boot);
	struct plm_slice args = kubelet_args(boot, arena);

	plm_text_putf(&out,
		      "#!/bin/bash -xe\n"
		      "exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) "
		      "2>&1\n"
		      "/etc/eks/bootstrap.sh '%.*s' --apiserver-endpoint '%.*s'",
		      (int)c->name.size, (const char *)c->name.ptr, (int)c->endpoint.size,
		      (const char *)c->endpoint.ptr);
	if (c->ca_bundle.size > 0) {
		plm_text_putf(&out, " --b64-cluster-ca '%.*s'", (int)c->ca_bundle.size,
			      (const char *)c->ca_bundle.ptr);
	}
	if (dns.size > 0 && memchr(dns.ptr, ':', dns.size) != NULL) {
		plm_text_putf(&out, " \\\n--ip-family ipv6");
	}
	if (dns.size > 0) {
		plm_text_putf(&out, " \\\n--dns-cluster-ip '%.*s'", (int)dns.size,
			      (const char *)dns.ptr);
	}
	plm_text_putf(&out, " \\\n--use-max-pods false \\\n--kubelet-extra-args '%.*s'",
		      (int)args.size, (const char *)args.ptr);
	if (boot->class->setup.raid0 == 1) {
		plm_text_putf(&out, " \\\n--local-disks raid0");
	}
	return plm_text_slice(&out);
}

static struct plm_slice powershell(const struct plm_ec2_boot *boot, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	const struct plm_ec2_cluster *c = boot->cluster;
	struct plm_slice dns = plm_ec2_boot_dns(boot);
	struct plm_slice args = kubelet_args(boot, arena);

	plm_text_putf(&out, "<powershell>\n");
	if (boot->class->setup.user_data.size > 0) {
		plm_text_put(&out, boot->class->setup.user_data);
		plm_text_putf(&out, "\n");
	}
	plm_text_putf(&out,
		      "[string]$EKSBootstrapScriptFile = "
		      "\"$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1\"\n"
		      "& $EKSBootstrapScriptFile -EKSClusterName '%.*s' -APIServerEndpoint '%.*s'",
		      (int)c->name.size, (const char *)c->name.ptr, (int)c->endpoint.size,
		      (const char *)c->endpoint.ptr);
	if (c->ca_bundle.size > 0) {
		plm_text_putf(&out, " -Base64ClusterCA '%.*s'", (int)c->ca_bundle.size,
			      (const char *)c->ca_bundle.ptr);
	}
	plm_text_putf(&out, " -KubeletExtraArgs '%.*s'", (int)args.size, (const char *)args.ptr);
	if (dns.size > 0) {
		plm_text_putf(&out, " -DNSClusterIP '%.*s'", (int)dns.size, (const char *)dns.ptr);
	}
	plm_text_putf(&out, "\n</powershell>\n");
	return plm_text_slice(&out);
}

/* ---- families in parts: AL2, AL2023, Ubuntu ------------------------------------------------------ */

/* cloud-init lets the key in; JSON's quotes are YAML's. */
static struct plm_mime_part key_part(struct plm_slice key, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};

	plm_text_putf(&out, "#cloud-config\nssh_authorized_keys:\n- ");
	plm_text_quote(&out, key);
	return plm_mime_part(arena, PLM_MIME_CLOUD_CONFIG, plm_text_slice(&out));
}

/* The user's parts, the key of a NodeTemplate, then ours unless it asks for no boot. */
static enum plm_code in_parts(const struct plm_ec2_boot *boot, struct plm_mime_part ours,
			      bool yaml_counts, struct plm_arena *arena, struct plm_slice *out,
			      struct plm_error *err)
{
	struct plm_slice user = boot->class->setup.user_data;
	struct plm_slice key = boot->class->setup.ssh_key;
	size_t count = 0;
	struct plm_vec read = {0};
	struct plm_mime_part *parts = NULL;
	enum plm_code code = PLM_OK;

	if (user.size > 0 && plm_mime_is(user)) {
		code = plm_mime_read(user, arena, &read, err);
	} else if (user.size > 0) {
		struct plm_mime_part *one = PLM_NEW(arena, struct plm_mime_part);
		bool config = yaml_counts && plm_ec2_is_yaml_map(user);

		*one = plm_mime_part(arena, config ? PLM_MIME_NODE_CONFIG : PLM_MIME_SHELL, user);
		read = (struct plm_vec){one, 1};
	}
	if (code != PLM_OK) {
		return code;
	}
	parts = PLM_NEW_ARRAY(arena, read.count + 2, struct plm_mime_part);
	if (read.count > 0) {
		memcpy(parts, read.ptr, read.count * sizeof(*parts));
	}
	count = read.count;
	if (key.size > 0) {
		parts[count++] = key_part(key, arena);
	}
	if (boot->class->setup.no_boot != 1) {
		parts[count++] = ours;
	}
	*out = plm_mime_write(parts, count, arena);
	return PLM_OK;
}

static bool has_parts(enum plm_ec2_family family)
{
	return family == PLM_EC2_AL2 || family == PLM_EC2_AL2023 || family == PLM_EC2_UBUNTU;
}

static enum plm_code write_for(const struct plm_ec2_boot *boot, struct plm_arena *arena,
			       struct plm_slice *out, struct plm_error *err)
{
	const struct plm_w_class_setup *setup = &boot->class->setup;
	enum plm_ec2_family family = plm_ec2_family_of(boot->class);
	struct plm_slice ours = {0};
	enum plm_code code = PLM_OK;

	if (setup->no_boot == 1 && (setup->ssh_key.size == 0 || !has_parts(family))) {
		*out = setup->user_data;
		return PLM_OK;
	}
	switch (family) {
	case PLM_EC2_CUSTOM:
	case PLM_EC2_FAMILY_COUNT:
		*out = boot->class->setup.user_data;
		return PLM_OK;
	case PLM_EC2_AL2:
	case PLM_EC2_UBUNTU:
		ours = bootstrap_script(boot, arena);
		return in_parts(boot, plm_mime_part(arena, PLM_MIME_SHELL, ours), false, arena, out,
				err);
	case PLM_EC2_AL2023:
		code = plm_ec2_node_config(boot, arena, &ours, err);
		if (code != PLM_OK) {
			return code;
		}
		return in_parts(boot, plm_mime_part(arena, PLM_MIME_NODE_CONFIG, ours), true, arena,
				out, err);
	case PLM_EC2_BOTTLEROCKET:
		return plm_ec2_bottlerocket(boot, arena, out, err);
	case PLM_EC2_WINDOWS_2019:
	case PLM_EC2_WINDOWS_2022:
	case PLM_EC2_WINDOWS_2025:
		*out = powershell(boot, arena);
		return PLM_OK;
	}
	return PLM_OK;
}

enum plm_code plm_ec2_user_data(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				struct plm_slice *out, bool *near_limit, struct plm_error *err)
{
	enum plm_code code = write_for(boot, arena, out, err);

	if (code != PLM_OK) {
		return code;
	}
	if (near_limit != NULL) {
		*near_limit = out->size > PLM_EC2_USER_DATA_BYTES / 10 * 9;
	}
	if (out->size > PLM_EC2_USER_DATA_BYTES) {
		return plm_fail(err, PLM_E_LIMIT,
				"EC2NodeClass %.*s: user data has %zu bytes, EC2 takes %d",
				(int)boot->class->meta.name.size,
				(const char *)boot->class->meta.name.ptr, out->size,
				PLM_EC2_USER_DATA_BYTES);
	}
	return PLM_OK;
}
