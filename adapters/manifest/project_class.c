/*
 * EC2NodeClass and NodeTemplate: karpenter.md 1.3, dialect.md "Nodes".
 *
 * What is written is checked as the CRD's schema and CEL rules do; what an API server asks for and is not
 * there (selectors, a role) is not missed here, so that a class of three lines can be decided on.
 */
#include "adapters/manifest/project.h"
#include "ec2/capacity.h"

#define TERMS_MAX 30
#define TERM_TAGS_MAX 20
#define DEVICES_MAX 50
#define INTERFACES_MAX 150
#define USER_DATA_MAX 16384
#define GB 1000000000LL
#define GIB (1024LL * 1024 * 1024)

static void check_length(struct plm_project *p, struct plm_doc *list, uint32_t most)
{
	if (list != NULL && list->count > most) {
		plm_doc_fail(p->tree, list, "has %u entries, at most %u are allowed", list->count,
			     most);
	}
}

static struct plm_slice one_of(struct plm_project *p, struct plm_doc *map, const char *key,
			       const char *const *words, size_t count)
{
	struct plm_slice text = plm_doc_text(p->tree, map, key);

	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(text, words[i])) {
			return text;
		}
	}
	if (text.size > 0) {
		plm_doc_fail(p->tree, plm_doc_get(map, key), "\"%.*s\" is not allowed; %s or %s",
			     (int)text.size, (const char *)text.ptr, words[0], words[count - 1]);
	}
	return (struct plm_slice){0};
}

/* An integer within its bounds; PLM_UNSET when absent. */
static int64_t within(struct plm_project *p, struct plm_doc *map, const char *key, int64_t least,
		      int64_t most)
{
	int64_t number = plm_doc_int(p->tree, map, key, PLM_UNSET);

	if (number != PLM_UNSET && (number < least || number > most)) {
		plm_doc_fail(p->tree, plm_doc_get(map, key), "must be %lld to %lld",
			     (long long)least, (long long)most);
	}
	return number;
}

static int64_t yes_no(struct plm_project *p, struct plm_doc *map, const char *key)
{
	return plm_doc_bool(p->tree, map, key, PLM_UNSET);
}

/* ---- selectors ----------------------------------------------------------------------------------- */

static bool starts(struct plm_slice text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size > size && memcmp(text.ptr, prefix, size) == 0;
}

/* Tags of a term: neither key nor value may be empty. */
static struct plm_vec term_tags(struct plm_project *p, struct plm_doc *term)
{
	struct plm_doc *tags = plm_doc_map(p->tree, term, "tags");
	struct plm_vec kvs = plm_doc_kv(p->tree, term, "tags");
	const struct plm_w_kv *list = kvs.ptr;

	for (size_t i = 0; i < kvs.count; i++) {
		if (list[i].key.size == 0 || list[i].value.size == 0) {
			plm_doc_fail(p->tree, tags, "neither key nor value of a tag may be empty");
		}
	}
	check_length(p, tags, TERM_TAGS_MAX);
	return kvs;
}

/* One term of a selector by tags, id or name: at least one of them, an id alone. */
static struct plm_w_select_term read_term(struct plm_project *p, struct plm_doc *term,
					  const char *prefix, bool has_name)
{
	struct plm_slice id = plm_doc_text(p->tree, term, "id");
	struct plm_slice name =
		has_name ? plm_doc_text(p->tree, term, "name") : (struct plm_slice){0};
	struct plm_vec tags = term_tags(p, term);

	if (id.size == 0 && name.size == 0 && tags.count == 0) {
		plm_doc_fail(p->tree, term, "needs %s",
			     has_name ? "tags, id or name" : "tags or id");
	} else if (id.size > 0 && (name.size > 0 || tags.count > 0)) {
		plm_doc_fail(p->tree, plm_doc_get(term, "id"), "stands alone in a term");
	} else if (name.size > 0 && tags.count > 0) {
		plm_doc_fail(p->tree, plm_doc_get(term, "name"), "stands alone in a term");
	} else if (id.size > 0 && !starts(id, prefix)) {
		plm_doc_fail(p->tree, plm_doc_get(term, "id"), "does not begin with %s", prefix);
	}
	return (struct plm_w_select_term){.id = id, .name = name, .tags = tags};
}

static struct plm_vec read_terms(struct plm_project *p, struct plm_doc *spec, const char *key,
				 const char *prefix, bool has_name)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, key);
	struct plm_w_select_term *terms = NULL;
	size_t count = 0;

	if (list == NULL) {
		return (struct plm_vec){0};
	}
	if (list->count == 0) {
		plm_doc_fail(p->tree, list, "must not be empty");
	}
	check_length(p, list, TERMS_MAX);
	terms = plm_project_array(p, list->count, sizeof(*terms));
	for (struct plm_doc *term = plm_doc_items(list); term != NULL; term = term->next) {
		terms[count++] = read_term(p, term, prefix, has_name);
	}
	return (struct plm_vec){terms, count};
}

static struct plm_vec read_reservations(struct plm_project *p, struct plm_doc *spec)
{
	static const char *const criteria[] = {"open", "targeted"};
	struct plm_doc *list = plm_doc_list(p->tree, spec, "capacityReservationSelectorTerms");
	struct plm_w_select_term *terms = NULL;
	size_t count = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	check_length(p, list, TERMS_MAX);
	terms = plm_project_array(p, list->count, sizeof(*terms));
	for (struct plm_doc *term = plm_doc_items(list); term != NULL; term = term->next) {
		struct plm_slice id = plm_doc_text(p->tree, term, "id");
		struct plm_slice owner = plm_doc_text(p->tree, term, "ownerID");
		struct plm_slice match =
			one_of(p, term, "instanceMatchCriteria", criteria, PLM_COUNTOF(criteria));
		struct plm_vec tags = term_tags(p, term);

		if (id.size == 0 && tags.count == 0 && match.size == 0) {
			plm_doc_fail(p->tree, term, "needs tags, id or instanceMatchCriteria");
		} else if (id.size > 0 && (tags.count > 0 || owner.size > 0 || match.size > 0)) {
			plm_doc_fail(p->tree, plm_doc_get(term, "id"), "stands alone in a term");
		} else if (id.size > 0 && !starts(id, "cr-")) {
			plm_doc_fail(p->tree, plm_doc_get(term, "id"), "does not begin with cr-");
		}
		terms[count++] = (struct plm_w_select_term){
			.id = id, .owner = owner, .criteria = match, .tags = tags};
	}
	return (struct plm_vec){terms, count};
}

static void read_placement(struct plm_project *p, struct plm_doc *spec,
			   struct plm_w_class_setup *out)
{
	struct plm_doc *selector = plm_doc_map(p->tree, spec, "placementGroupSelector");

	out->placement_id = plm_doc_text(p->tree, selector, "id");
	out->placement_name = plm_doc_text(p->tree, selector, "name");
	if (selector != NULL && (out->placement_id.size == 0) == (out->placement_name.size == 0)) {
		plm_doc_fail(p->tree, selector, "needs either id or name");
	}
}

/* ---- images -------------------------------------------------------------------------------------- */

static void check_alias(struct plm_project *p, struct plm_doc *term, struct plm_slice alias)
{
	enum plm_ec2_family family = PLM_EC2_CUSTOM;
	struct plm_slice version = {0};

	if (!plm_ec2_alias_find(alias, &family, &version)) {
		plm_doc_fail(p->tree, plm_doc_get(term, "alias"),
			     "\"%.*s\" is not family@version with al2, al2023, bottlerocket, "
			     "windows2019, windows2022 or windows2025",
			     (int)alias.size, (const char *)alias.ptr);
	} else if (plm_ec2_family_row(family)->windows_year[0] != '\0' &&
		   !plm_slice_is(version, "latest")) {
		plm_doc_fail(p->tree, plm_doc_get(term, "alias"),
			     "of Windows only the latest image is there");
	}
}

static void check_image(struct plm_project *p, struct plm_doc *term,
			const struct plm_w_image_term *image, bool alone)
{
	bool other = image->tags.count > 0 || image->name.size > 0 || image->owner.size > 0;

	if (image->alias.size > 0) {
		check_alias(p, term, image->alias);
		if (other || image->id.size > 0 || image->ssm_parameter.size > 0 || !alone) {
			plm_doc_fail(p->tree, plm_doc_get(term, "alias"),
				     "stands alone, in its term and in the list");
		}
	} else if (image->id.size > 0 && (other || image->ssm_parameter.size > 0)) {
		plm_doc_fail(p->tree, plm_doc_get(term, "id"), "stands alone in a term");
	} else if (image->id.size > 0 && !starts(image->id, "ami-")) {
		plm_doc_fail(p->tree, plm_doc_get(term, "id"), "does not begin with ami-");
	} else if (image->id.size == 0 && image->ssm_parameter.size == 0 &&
		   image->tags.count == 0 && image->name.size == 0) {
		plm_doc_fail(p->tree, term, "needs alias, tags, id, name or ssmParameter");
	}
}

static struct plm_vec read_images(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "amiSelectorTerms");
	struct plm_w_image_term *images = NULL;
	size_t count = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	check_length(p, list, TERMS_MAX);
	images = plm_project_array(p, list->count, sizeof(*images));
	for (struct plm_doc *term = list->first; term != NULL; term = term->next, count++) {
		images[count] = (struct plm_w_image_term){
			.alias = plm_doc_text(p->tree, term, "alias"),
			.id = plm_doc_text(p->tree, term, "id"),
			.name = plm_doc_text(p->tree, term, "name"),
			.owner = plm_doc_text(p->tree, term, "owner"),
			.ssm_parameter = plm_doc_text(p->tree, term, "ssmParameter"),
			.tags = term_tags(p, term),
		};
		check_image(p, term, &images[count], list->count == 1);
	}
	return (struct plm_vec){images, count};
}

/* amiFamily, checked against the alias: it is the alias's or Custom. */
static struct plm_slice read_family(struct plm_project *p, struct plm_doc *spec,
				    struct plm_vec images)
{
	struct plm_slice name = plm_doc_text(p->tree, spec, "amiFamily");
	const struct plm_w_image_term *terms = images.ptr;
	enum plm_ec2_family family = PLM_EC2_CUSTOM;
	enum plm_ec2_family of_alias = PLM_EC2_CUSTOM;
	bool has_alias = images.count > 0 && plm_ec2_alias_find(terms[0].alias, &of_alias, NULL);

	if (name.size == 0) {
		return has_alias ? plm_slice_str(plm_ec2_family_row(of_alias)->name) : name;
	}
	if (!plm_ec2_family_find(name, &family) || family == PLM_EC2_UBUNTU) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "amiFamily"),
			     "\"%.*s\" is not AL2, AL2023, Bottlerocket, Custom, Windows2019, "
			     "Windows2022 or Windows2025",
			     (int)name.size, (const char *)name.ptr);
	} else if (has_alias && family != of_alias && family != PLM_EC2_CUSTOM) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "amiFamily"),
			     "the alias is one of %s: this is %s or Custom",
			     plm_ec2_family_row(of_alias)->name,
			     plm_ec2_family_row(of_alias)->name);
	}
	return name;
}

/* ---- volumes, interfaces ------------------------------------------------------------------------- */

/* "20Gi", "100G", "1Ti", "2T"; up to 64 TB. PLM_UNSET when absent. */
static int64_t volume_size(struct plm_project *p, struct plm_doc *ebs)
{
	struct plm_slice text = plm_doc_int_or_text(p->tree, ebs, "volumeSize");
	int64_t bytes = plm_doc_quantity(p->tree, ebs, "volumeSize", PLM_SCALE_WHOLE, PLM_UNSET);
	const uint8_t *at = text.ptr;
	bool unit = text.size > 1 && (at[text.size - 1] == 'G' || at[text.size - 1] == 'T');

	unit = unit || (text.size > 2 && at[text.size - 1] == 'i' &&
			(at[text.size - 2] == 'G' || at[text.size - 2] == 'T'));
	if (bytes != PLM_UNSET && (!unit || bytes < GB || bytes > 64000 * GB)) {
		plm_doc_fail(p->tree, plm_doc_get(ebs, "volumeSize"),
			     "is not 1 to 64000 in Gi, G, Ti or T");
	}
	return bytes;
}

static void read_device(struct plm_project *p, struct plm_doc *item, struct plm_w_block_device *out)
{
	static const char *const types[] = {"standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"};
	struct plm_doc *ebs = plm_doc_map(p->tree, item, "ebs");

	*out = (struct plm_w_block_device){
		.name = plm_doc_text(p->tree, item, "deviceName"),
		.root = plm_doc_bool(p->tree, item, "rootVolume", 0),
		.size_bytes = volume_size(p, ebs),
		.type = one_of(p, ebs, "volumeType", types, PLM_COUNTOF(types)),
		.iops = plm_doc_int(p->tree, ebs, "iops", PLM_UNSET),
		.throughput = plm_doc_int(p->tree, ebs, "throughput", PLM_UNSET),
		.encrypted = yes_no(p, ebs, "encrypted"),
		.kms_key = plm_doc_text(p->tree, ebs, "kmsKeyID"),
		.snapshot = plm_doc_text(p->tree, ebs, "snapshotID"),
		.delete_on_termination = yes_no(p, ebs, "deleteOnTermination"),
		.initialization_rate = within(p, ebs, "volumeInitializationRate", 100, 300),
	};
	if (ebs != NULL && out->snapshot.size == 0 && out->size_bytes == PLM_UNSET) {
		plm_doc_fail(p->tree, ebs, "needs snapshotID or volumeSize");
	}
	if (out->initialization_rate != PLM_UNSET && out->snapshot.size == 0) {
		plm_doc_fail(p->tree, plm_doc_get(ebs, "volumeInitializationRate"),
			     "needs snapshotID");
	}
}

static struct plm_vec read_devices(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "blockDeviceMappings");
	struct plm_w_block_device *devices = NULL;
	size_t count = 0;
	uint32_t roots = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	check_length(p, list, DEVICES_MAX);
	devices = plm_project_array(p, list->count, sizeof(*devices));
	for (struct plm_doc *item = list->first; item != NULL; item = item->next, count++) {
		read_device(p, item, &devices[count]);
		roots += devices[count].root == 1 ? 1 : 0;
		if (roots > 1) {
			plm_doc_fail(p->tree, plm_doc_get(item, "rootVolume"),
				     "another one is the root volume already");
		}
	}
	return (struct plm_vec){devices, count};
}

static void check_interfaces(struct plm_project *p, struct plm_doc *list,
			     const struct plm_w_class_interface *all, size_t count)
{
	struct plm_doc *item = list->first;
	bool primary = false;

	for (size_t i = 0; i < count; i++, item = item->next) {
		primary = primary || (all[i].card == 0 && all[i].device == 0 &&
				      plm_slice_is(all[i].type, "interface"));
		for (size_t k = 0; k < i; k++) {
			if (all[i].card == all[k].card && all[i].device == all[k].device) {
				plm_doc_fail(p->tree, item, "card %lld has a device %lld already",
					     (long long)all[i].card, (long long)all[i].device);
			}
			if (all[i].card == all[k].card && plm_slice_is(all[i].type, "efa-only") &&
			    plm_slice_is(all[k].type, "efa-only")) {
				plm_doc_fail(p->tree, item, "card %lld has an efa-only already",
					     (long long)all[i].card);
			}
		}
	}
	if (!primary) {
		plm_doc_fail(p->tree, list, "needs card 0, device 0 of type interface");
	}
}

static struct plm_vec read_interfaces(struct plm_project *p, struct plm_doc *spec)
{
	static const char *const types[] = {"interface", "efa-only"};
	struct plm_doc *list = plm_doc_list(p->tree, spec, "networkInterfaces");
	struct plm_w_class_interface *all = NULL;
	size_t count = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	check_length(p, list, INTERFACES_MAX);
	all = plm_project_array(p, list->count, sizeof(*all));
	for (struct plm_doc *item = list->first; item != NULL; item = item->next, count++) {
		all[count] = (struct plm_w_class_interface){
			.card = plm_doc_count(p->tree, item, "networkCardIndex", 0),
			.device = plm_doc_count(p->tree, item, "deviceIndex", 0),
			.type = one_of(p, item, "interfaceType", types, PLM_COUNTOF(types)),
		};
	}
	check_interfaces(p, list, all, count);
	return (struct plm_vec){all, count};
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static void read_metadata(struct plm_project *p, struct plm_doc *spec,
			  struct plm_w_class_setup *out)
{
	static const char *const states[] = {"enabled", "disabled"};
	static const char *const tokens[] = {"required", "optional"};
	struct plm_doc *options = plm_doc_map(p->tree, spec, "metadataOptions");
	struct plm_doc *tracking = plm_doc_map(p->tree, spec, "connectionTracking");
	struct plm_doc *cpu = plm_doc_map(p->tree, spec, "cpuOptions");

	out->http_endpoint = one_of(p, options, "httpEndpoint", states, PLM_COUNTOF(states));
	out->http_ipv6 = one_of(p, options, "httpProtocolIPv6", states, PLM_COUNTOF(states));
	out->http_tokens = one_of(p, options, "httpTokens", tokens, PLM_COUNTOF(tokens));
	out->http_hops = within(p, options, "httpPutResponseHopLimit", 1, 64);
	out->tcp_established_s = within(p, tracking, "tcpEstablishedTimeout", 60, 432000);
	out->udp_stream_s = within(p, tracking, "udpStreamTimeout", 60, 180);
	out->udp_s = within(p, tracking, "udpTimeout", 30, 60);
	out->nested_virtualization =
		one_of(p, cpu, "nestedVirtualization", states, PLM_COUNTOF(states));
}

static void check_tags(struct plm_project *p, struct plm_doc *spec)
{
	static const char *const ours[] = {"karpenter.sh/nodepool", "karpenter.sh/nodeclaim",
					   "karpenter.k8s.aws/ec2nodeclass",
					   "eks:eks-cluster-name"};
	struct plm_doc *tags = plm_doc_map(p->tree, spec, "tags");
	struct plm_doc *tag = tags == NULL ? NULL : tags->first;

	for (; tag != NULL; tag = tag->next) {
		bool restricted = starts(tag->key, "kubernetes.io/cluster") ||
				  plm_slice_is(tag->key, "kubernetes.io/cluster");

		for (size_t i = 0; i < PLM_COUNTOF(ours); i++) {
			restricted = restricted || plm_slice_is(tag->key, ours[i]);
		}
		if (tag->key.size == 0) {
			plm_doc_fail(p->tree, tag, "the key of a tag must not be empty");
		} else if (restricted) {
			plm_doc_fail(p->tree, tag, "this key is set by the launch itself");
		}
	}
}

static void read_setup(struct plm_project *p, struct plm_doc *spec, struct plm_w_class_setup *out)
{
	static const char *const policies[] = {"RAID0"};

	out->user_data = plm_doc_text(p->tree, spec, "userData");
	out->role = plm_doc_text(p->tree, spec, "role");
	out->instance_profile = plm_doc_text(p->tree, spec, "instanceProfile");
	out->devices = read_devices(p, spec);
	out->interfaces = read_interfaces(p, spec);
	out->raid0 = one_of(p, spec, "instanceStorePolicy", policies, 1).size > 0;
	out->ip_prefixes = plm_doc_count(p->tree, spec, "ipPrefixCount", PLM_UNSET);
	out->public_ip = yes_no(p, spec, "associatePublicIPAddress");
	out->detailed_monitoring = yes_no(p, spec, "detailedMonitoring");
	out->context = plm_doc_text(p->tree, spec, "context");
	out->subnets = read_terms(p, spec, "subnetSelectorTerms", "subnet-", false);
	out->groups = read_terms(p, spec, "securityGroupSelectorTerms", "sg-", true);
	out->reservations = read_reservations(p, spec);
	read_placement(p, spec, out);
	read_metadata(p, spec, out);
	if (out->role.size > 0 && out->instance_profile.size > 0) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "instanceProfile"),
			     "there is a role: only one of the two may be given");
	}
	if (out->user_data.size > USER_DATA_MAX) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "userData"), "has %zu bytes, EC2 takes %d",
			     out->user_data.size, USER_DATA_MAX);
	}
}

/* What is selected at run time drifts dynamically and is no part of the hash (karpenter.md 1.3). */
static void class_stamps(struct plm_project *p, struct plm_doc *root,
			 struct plm_w_node_class *class)
{
	static const char *const skip[] = {"subnetSelectorTerms",
					   "securityGroupSelectorTerms",
					   "capacityReservationSelectorTerms",
					   "amiSelectorTerms",
					   "ipPrefixCount",
					   "instanceTypes",
					   NULL};

	class->hash = plm_project_hash(p, plm_doc_get(root, "spec"), skip);
	class->stamped_hash = plm_project_annotation(p, root, PLM_ANNOTATION_CLASS_HASH);
	class->stamped_version =
		plm_project_annotation(p, root, PLM_ANNOTATION_CLASS_HASH "-version");
}

void plm_project_node_class(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_node_class *class = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	class->kind = PLM_KIND_NODE_CLASS;
	class->setup.images = read_images(p, spec);
	class->ami_family = read_family(p, spec, class->setup.images);
	class->tags = plm_doc_kv(p->tree, spec, "tags");
	check_tags(p, spec);
	read_setup(p, spec, &class->setup);
	class_stamps(p, root, class);
	plm_project_kubelet(p, spec, plm_ec2_family_of(class), &class->kubelet, &class->not_ready);
	class->by_condition = plm_project_condition_said(p, root, &class->not_ready);
}

/* ---- NodeTemplate of the dialect ----------------------------------------------------------------- */

void plm_project_node_template(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_node_class *class = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	enum plm_ec2_family family = PLM_EC2_CUSTOM;

	class->kind = PLM_KIND_NODE_TEMPLATE;
	class->ami_family = plm_doc_text(p->tree, spec, "amiFamily");
	class->instance_types = plm_doc_texts(p->tree, spec, "instanceTypes");
	class->tags = plm_doc_kv(p->tree, spec, "tags");
	if (!plm_ec2_family_find(class->ami_family, &family) ||
	    plm_slice_is(class->ami_family, "Ubuntu")) {
		class->not_ready = plm_arena_format(
			p->arena,
			"amiFamily \"%.*s\" is not known (known: Ubuntu22.04, Ubuntu24.04, AL2023, "
			"AL2, "
			"Bottlerocket, Custom, Windows2019, Windows2022, Windows2025)",
			(int)class->ami_family.size, (const char *)class->ami_family.ptr);
	}
	class->setup.images = read_images(p, spec);
	read_setup(p, spec, &class->setup);
	class->setup.ssh_key = plm_doc_text(p->tree, spec, "sshPublicKey");
	class->setup.no_boot = plm_doc_bool(p->tree, plm_doc_map(p->tree, spec, "metadata"),
					    "disableCloudInit", 0);
	class_stamps(p, root, class);
}
