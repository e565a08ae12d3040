/* Volumes, their claims and classes, and what attaches them. Source: karpenter.md 2.1, 2.6, 2.10. */
#include "adapters/manifest/project.h"

#include "core/units.h"

#define BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define DEFAULT_CLASS "storageclass.kubernetes.io/is-default-class"
#define DEFAULT_CLASS_BETA "storageclass.beta.kubernetes.io/is-default-class"
#define EBS_DRIVER "ebs.csi.aws.com"

/* In-tree plugins and the CSI drivers that Kubernetes has put in their place. */
static const struct {
	const char *plugin, *driver;
} migrated[] = {
	{"kubernetes.io/aws-ebs", EBS_DRIVER},
	{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
	{"kubernetes.io/azure-disk", "disk.csi.azure.com"},
	{"kubernetes.io/azure-file", "file.csi.azure.com"},
	{"kubernetes.io/cinder", "cinder.csi.openstack.org"},
	{"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
	{"kubernetes.io/portworx-volume", "pxd.portworx.com"},
};

static struct plm_slice driver_of(struct plm_slice plugin)
{
	for (size_t i = 0; i < PLM_COUNTOF(migrated); i++) {
		if (plm_slice_is(plugin, migrated[i].plugin)) {
			return plm_slice_str(migrated[i].driver);
		}
	}
	return plugin;
}

static void ignore(struct plm_doc *map, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		plm_doc_ignore(plm_doc_get(map, fields[i]));
	}
}

/* ---- what pods use ----------------------------------------------------------------------------- */

/* 'storageClassName' of a claim's spec; an empty text is a class that is said, too: none at all. */
static struct plm_slice read_class(struct plm_project *p, struct plm_doc *spec, int64_t *out_said)
{
	*out_said = plm_doc_get(spec, "storageClassName") != NULL;
	return plm_doc_text(p->tree, spec, "storageClassName");
}

static bool read_use(struct plm_project *p, struct plm_doc *item, struct plm_w_volume_use *out)
{
	struct plm_doc *claim = plm_doc_map(p->tree, item, "persistentVolumeClaim");
	struct plm_doc *own = plm_doc_map(p->tree, item, "ephemeral");

	if (claim != NULL) {
		out->claim = plm_doc_text_required(p->tree, claim, "claimName");
		return true;
	}
	if (own != NULL) {
		out->ephemeral = plm_doc_text_required(p->tree, item, "name");
		out->class = read_class(p, plm_doc_at(own, "volumeClaimTemplate.spec"),
					&out->class_said);
		return true;
	}
	return false;
}

struct plm_vec plm_project_volume_uses(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "volumes");
	size_t room = list == NULL ? 0 : list->count;
	struct plm_w_volume_use *uses = plm_project_array(p, room, sizeof(*uses));
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		count += read_use(p, item, &uses[count]) ? 1 : 0;
	}
	return (struct plm_vec){uses, count};
}

struct plm_vec plm_project_claim_templates(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(p->tree, spec, "volumeClaimTemplates");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_volume_use *uses = plm_project_array(p, count, sizeof(*uses));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_doc *meta = plm_doc_map(p->tree, item, "metadata");

		uses[at].ephemeral = plm_doc_text_required(p->tree, meta, "name");
		uses[at].class =
			read_class(p, plm_doc_map(p->tree, item, "spec"), &uses[at].class_said);
		plm_doc_ignore(item);
	}
	return (struct plm_vec){uses, count};
}

/* ---- claims, volumes, classes ------------------------------------------------------------------ */

void plm_project_volume_claim(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const ignored[] = {
		"accessModes",
		"resources",
		"volumeMode",
		"selector",
		"dataSource",
		"dataSourceRef",
		"volumeAttributesClassName",
	};
	struct plm_w_volume_claim *claim = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");

	claim->class = read_class(p, spec, &claim->class_said);
	claim->volume = plm_doc_text(p->tree, spec, "volumeName");
	claim->bound =
		plm_doc_get(plm_doc_at(root, "metadata.annotations"), BIND_COMPLETED) != NULL;
	claim->lost = plm_slice_is(plm_doc_text(p->tree, status, "phase"), "Lost");
	ignore(spec, ignored, PLM_COUNTOF(ignored));
}

/* 'local' and 'hostPath' stay where they are; of the others only CSI and what became it is known. */
static void read_source(struct plm_project *p, struct plm_doc *spec, struct plm_w_volume *volume)
{
	static const char *const others[] = {
		"azureDisk",	"azureFile",
		"cephfs",	"cinder",
		"fc",		"flexVolume",
		"flocker",	"gcePersistentDisk",
		"glusterfs",	"iscsi",
		"nfs",		"photonPersistentDisk",
		"quobyte",	"portworxVolume",
		"rbd",		"scaleIO",
		"storageos",	"vsphereVolume",
		"csi",		"awsElasticBlockStore",
		"local",	"hostPath",
		"capacity",	"accessModes",
		"mountOptions", "persistentVolumeReclaimPolicy",
		"volumeMode",	"volumeAttributesClassName",
	};
	struct plm_doc *csi = plm_doc_map(p->tree, spec, "csi");
	struct plm_doc *ebs = plm_doc_map(p->tree, spec, "awsElasticBlockStore");

	if (csi != NULL) {
		volume->driver = plm_doc_text_required(p->tree, csi, "driver");
		volume->handle = plm_doc_text(p->tree, csi, "volumeHandle");
	} else if (ebs != NULL) {
		volume->driver = plm_slice_str(EBS_DRIVER);
		volume->handle = plm_doc_text(p->tree, ebs, "volumeID");
	}
	volume->local = plm_doc_get(spec, "local") != NULL || plm_doc_get(spec, "hostPath") != NULL;
	ignore(spec, others, PLM_COUNTOF(others));
}

void plm_project_volume(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_volume *volume = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *claim = plm_doc_map(p->tree, spec, "claimRef");
	struct plm_doc *affinity = plm_doc_map(p->tree, spec, "nodeAffinity");
	struct plm_doc *required = plm_doc_map(p->tree, affinity, "required");
	struct plm_doc *list = plm_doc_list(p->tree, required, "nodeSelectorTerms");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_term *terms = plm_project_array(p, count, sizeof(*terms));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		terms[at++] = plm_project_term(p, item, 0);
	}
	volume->terms = (struct plm_vec){terms, count};
	volume->class = plm_doc_text(p->tree, spec, "storageClassName");
	if (claim != NULL) {
		volume->claim = plm_doc_text(p->tree, claim, "name");
		volume->claim_ns = plm_doc_text(p->tree, claim, "namespace");
		plm_doc_ignore(claim);
	}
	read_source(p, spec, volume);
}

static struct plm_w_term read_topology(struct plm_project *p, struct plm_doc *topology)
{
	struct plm_doc *list = plm_doc_list(p->tree, topology, "matchLabelExpressions");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_expr *exprs = plm_project_array(p, count, sizeof(*exprs));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		exprs[at] = (struct plm_w_expr){
			.key = plm_project_node_key(plm_doc_text_required(p->tree, item, "key")),
			.op = PLM_OP_IN,
			.values = plm_doc_texts(p->tree, item, "values"),
		};
	}
	return (struct plm_w_term){.exprs = {exprs, count}};
}

/* Without a binding mode a claim is bound at once, as the API server fills it in. */
void plm_project_storage_class(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const ignored[] = {"parameters", "reclaimPolicy", "mountOptions",
					      "allowVolumeExpansion"};
	struct plm_w_storage_class *class = payload;
	struct plm_slice mode = plm_doc_text(p->tree, root, "volumeBindingMode");
	struct plm_doc *list = plm_doc_list(p->tree, root, "allowedTopologies");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_term *terms = plm_project_array(p, count, sizeof(*terms));
	size_t at = 0;

	class->provisioner = driver_of(plm_doc_text_required(p->tree, root, "provisioner"));
	class->immediate = !plm_slice_is(mode, "WaitForFirstConsumer");
	if (class->immediate == 1 && mode.size > 0 && !plm_slice_is(mode, "Immediate")) {
		plm_doc_fail(p->tree, plm_doc_get(root, "volumeBindingMode"),
			     "\"%.*s\" is neither Immediate nor WaitForFirstConsumer",
			     (int)mode.size, (const char *)mode.ptr);
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		terms[at++] = read_topology(p, item);
	}
	class->terms = (struct plm_vec){terms, count};
	class->is_default =
		plm_slice_is(plm_project_annotation(p, root, DEFAULT_CLASS), "true") ||
		plm_slice_is(plm_project_annotation(p, root, DEFAULT_CLASS_BETA), "true");
	ignore(root, ignored, PLM_COUNTOF(ignored));
}

/* ---- what attaches them ------------------------------------------------------------------------ */

void plm_project_csi_node(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_csi_node *node = payload;
	struct plm_doc *list = plm_doc_list(p->tree, plm_doc_map(p->tree, root, "spec"), "drivers");
	size_t count = list == NULL ? 0 : list->count;
	struct plm_w_csi_driver *drivers = plm_project_array(p, count, sizeof(*drivers));
	size_t at = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next, at++) {
		struct plm_doc *room = plm_doc_map(p->tree, item, "allocatable");

		drivers[at].name = plm_doc_text_required(p->tree, item, "name");
		drivers[at].limit = room == NULL
					    ? PLM_UNSET
					    : plm_doc_count(p->tree, room, "count", PLM_UNLIMITED);
		plm_doc_ignore(plm_doc_get(item, "nodeID"));
		plm_doc_ignore(plm_doc_get(item, "topologyKeys"));
	}
	node->drivers = (struct plm_vec){drivers, count};
}

void plm_project_volume_attachment(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_volume_attachment *attachment = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *source = plm_doc_map(p->tree, spec, "source");
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");

	attachment->driver = plm_doc_text(p->tree, spec, "attacher");
	attachment->node = plm_doc_text_required(p->tree, spec, "nodeName");
	attachment->volume = plm_doc_text(p->tree, source, "persistentVolumeName");
	attachment->attached = plm_doc_bool(p->tree, status, "attached", 0);
	plm_doc_ignore(source);
}
