/* Bottlerocket: settings in TOML, ours over the user's (karpenter.md 4.7). */
#include "adapters/ec2/toml.h"
#include "adapters/ec2/user_data.h"

static void set_map(struct plm_arena *arena, struct plm_toml *kubernetes, const char *key,
		    struct plm_vec kvs)
{
	const struct plm_w_kv *list = kvs.ptr;
	struct plm_toml *table = NULL;

	if (kvs.count == 0) {
		return;
	}
	table = plm_toml_set(arena, kubernetes, plm_slice_str(key), PLM_TOML_TABLE);
	for (size_t i = 0; i < kvs.count; i++) {
		plm_toml_set(arena, table, list[i].key, PLM_TOML_STRING)->text = list[i].value;
	}
}

/* Bottlerocket has these two as texts. */
static void set_percent(struct plm_arena *arena, struct plm_toml *kubernetes, const char *key,
			int64_t percent)
{
	if (percent != PLM_UNSET) {
		plm_toml_set_text(arena, kubernetes, key,
				  plm_arena_format(arena, "%lld", (long long)percent));
	}
}

static void set_kubelet(struct plm_arena *arena, struct plm_toml *kubernetes,
			const struct plm_w_kubelet *kubelet)
{
	if (kubelet->present == 0) {
		return;
	}
	set_map(arena, kubernetes, "system-reserved", kubelet->system_reserved);
	set_map(arena, kubernetes, "kube-reserved", kubelet->kube_reserved);
	set_map(arena, kubernetes, "eviction-hard", kubelet->eviction_hard);
	set_map(arena, kubernetes, "eviction-soft", kubelet->eviction_soft);
	set_map(arena, kubernetes, "eviction-soft-grace-period", kubelet->eviction_soft_grace);
	if (kubelet->eviction_max_grace_s != PLM_UNSET) {
		plm_toml_set_number(arena, kubernetes, "eviction-max-pod-grace-period",
				    kubelet->eviction_max_grace_s);
	}
	set_percent(arena, kubernetes, "image-gc-high-threshold-percent", kubelet->gc_high);
	set_percent(arena, kubernetes, "image-gc-low-threshold-percent", kubelet->gc_low);
	if (kubelet->cpu_cfs_quota != PLM_UNSET) {
		plm_toml_set(arena, kubernetes, plm_slice_str("cpu-cfs-quota-enforced"),
			     PLM_TOML_OTHER)
			->text = plm_slice_str(kubelet->cpu_cfs_quota == 1 ? "true" : "false");
	}
}

/* Labels go over the user's, taints stand in their place: nothing else may register. */
static void set_marks(const struct plm_ec2_boot *boot, struct plm_arena *arena,
		      struct plm_toml *kubernetes)
{
	struct plm_toml *labels = plm_toml_table(arena, kubernetes, "node-labels");
	struct plm_toml *taints =
		plm_toml_set(arena, kubernetes, plm_slice_str("node-taints"), PLM_TOML_TABLE);
	struct plm_vec kvs = plm_ec2_boot_labels(boot, arena);
	struct plm_vec all = plm_ec2_boot_taints(boot, arena);
	const struct plm_w_kv *label = kvs.ptr;
	const struct plm_w_taint *taint = all.ptr;

	for (size_t i = 0; i < kvs.count; i++) {
		plm_toml_set(arena, labels, label[i].key, PLM_TOML_STRING)->text = label[i].value;
	}
	for (size_t i = 0; i < all.count; i++) {
		struct plm_slice key = taint[i].key;
		struct plm_toml *list = NULL;

		for (list = taints->first; list != NULL && !plm_slice_equal(list->key, key);) {
			list = list->next;
		}
		if (list == NULL) {
			list = plm_toml_set(arena, taints, key, PLM_TOML_ARRAY);
		}
		plm_toml_add(arena, list, PLM_TOML_STRING)->text =
			plm_arena_format(arena, "%.*s:%s", (int)taint[i].value.size,
					 (const char *)taint[i].value.ptr,
					 plm_names_text(&plm_names_taint_effect, taint[i].effect));
	}
}

static void add_words(struct plm_arena *arena, struct plm_toml *commands, const char *const *words,
		      size_t count)
{
	struct plm_toml *command = plm_toml_add(arena, commands, PLM_TOML_ARRAY);

	for (size_t i = 0; i < count; i++) {
		plm_toml_add(arena, command, PLM_TOML_STRING)->text = plm_slice_str(words[i]);
	}
}

static void set_raid(const struct plm_ec2_boot *boot, struct plm_arena *arena,
		     struct plm_toml *settings)
{
	static const char *const init[] = {"apiclient", "ephemeral-storage", "init"};
	static const char *const bind[] = {
		"apiclient",	       "ephemeral-storage", "bind",	    "--dirs",
		"/var/lib/containerd", "/var/lib/kubelet",  "/var/log/pods"};
	struct plm_toml *commands = plm_toml_table(arena, settings, "bootstrap-commands");
	struct plm_toml *mount = plm_toml_set(
		arena, commands, plm_slice_str("000-mount-instance-storage"), PLM_TOML_TABLE);
	struct plm_toml *lines =
		plm_toml_set(arena, mount, plm_slice_str("commands"), PLM_TOML_ARRAY);

	add_words(arena, lines, init, PLM_COUNTOF(init));
	add_words(arena, lines, bind, boot->default_mounts ? 3 : PLM_COUNTOF(bind));
	plm_toml_set(arena, mount, plm_slice_str("essential"), PLM_TOML_OTHER)->text =
		plm_slice_str("true");
	plm_toml_set_text(arena, mount, "mode", plm_slice_str("always"));
}

enum plm_code plm_ec2_bottlerocket(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				   struct plm_slice *out, struct plm_error *err)
{
	struct plm_toml *root = NULL;
	struct plm_toml *settings = NULL;
	struct plm_toml *kubernetes = NULL;
	struct plm_slice dns = plm_ec2_boot_dns(boot);
	enum plm_code code = plm_toml_read(boot->class->setup.user_data, arena, &root, err);

	if (code != PLM_OK) {
		return code;
	}
	settings = plm_toml_table(arena, root, "settings");
	kubernetes = plm_toml_table(arena, settings, "kubernetes");
	plm_toml_set_text(arena, kubernetes, "api-server", boot->cluster->endpoint);
	plm_toml_set_text(arena, kubernetes, "cluster-name", boot->cluster->name);
	if (boot->cluster->ca_bundle.size > 0) {
		plm_toml_set_text(arena, kubernetes, "cluster-certificate",
				  boot->cluster->ca_bundle);
	}
	if (dns.size > 0) {
		plm_toml_set_text(arena, kubernetes, "cluster-dns-ip", dns);
	}
	plm_toml_set_number(arena, kubernetes, "max-pods", plm_ec2_boot_pods(boot));
	set_kubelet(arena, kubernetes, &boot->class->kubelet);
	set_marks(boot, arena, kubernetes);
	if (boot->class->setup.raid0 == 1) {
		set_raid(boot, arena, settings);
	}
	*out = plm_toml_write(root, arena);
	return PLM_OK;
}
