/* Volumes, claims, classes and what attaches them, as people write them and as clusters print them. */
#include "manifest_help.h"

#define PVC(more) "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data" more "\n"
#define PV(more) "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\nspec: {" more "}\n"
#define CLASS(more)                                                                                \
	"apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n" more "\n"

static const struct plm_said_case volume_table[] = {
	{"a bound claim: its volume and the annotation say so",
	 PVC(", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {storageClassName: "
	     "fast, volumeName: pv-1, accessModes: [ReadWriteOnce], resources: {requests: "
	     "{storage: 1Gi}}}\nstatus: {phase: Bound}"),
	 {"\"class\":\"fast\",\"classSaid\":1,\"volume\":\"pv-1\",\"bound\":1,\"lost\":0"},
	 NULL,
	 NULL},
	{"a claim without a class wants the default one",
	 PVC("}\nspec: {}"),
	 {"\"classSaid\":0,\"bound\":0"},
	 NULL,
	 "\"class\":"},
	{"a claim with an empty class wants none",
	 PVC("}\nspec: {storageClassName: ''}"),
	 {"\"classSaid\":1"},
	 NULL,
	 "\"class\":"},
	{"a claim whose volume is gone",
	 PVC("}\nspec: {volumeName: pv-1}\nstatus: {phase: Lost}"),
	 {"\"volume\":\"pv-1\",\"bound\":0,\"lost\":1"},
	 NULL,
	 NULL},
	{"a volume of a driver: handle, claim, and zones by their common name",
	 PV("csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1, fsType: ext4}, capacity: "
	    "{storage: "
	    "1Gi}, claimRef: {kind: PersistentVolumeClaim, namespace: default, name: data}, "
	    "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
	    "topology.ebs.csi.aws.com/zone, operator: In, values: [a]}]}]}}"),
	 {"\"driver\":\"ebs.csi.aws.com\",\"handle\":\"vol-1\",\"local\":0",
	  "\"key\":\"topology.kubernetes.io/zone\",\"op\":\"In\",\"values\":[\"a\"]",
	  "\"claimNs\":\"default\",\"claim\":\"data\""},
	 NULL,
	 NULL},
	{"a volume of the old plugin is one of the driver that took its place",
	 PV("awsElasticBlockStore: {volumeID: vol-2, fsType: ext4}"),
	 {"\"driver\":\"ebs.csi.aws.com\",\"handle\":\"vol-2\",\"local\":0"},
	 NULL,
	 NULL},
	{"a local volume", PV("local: {path: /data}"), {"\"local\":1"}, NULL, "\"driver\""},
	{"a volume of a host", PV("hostPath: {path: /data}"), {"\"local\":1"}, NULL, NULL},
	{"a volume of neither", PV("nfs: {server: s, path: /}"), {"\"local\":0"}, NULL, NULL},
	{"a driver without a name", PV("csi: {volumeHandle: v}"), {NULL}, "driver", NULL},
	{"a class waits for the first pod only when it says so",
	 CLASS("provisioner: ebs.csi.aws.com\nvolumeBindingMode: WaitForFirstConsumer"),
	 {"\"provisioner\":\"ebs.csi.aws.com\",\"immediate\":0,\"isDefault\":0"},
	 NULL,
	 NULL},
	{"the default class, of the old plugin",
	 "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast, annotations: "
	 "{storageclass.kubernetes.io/is-default-class: 'true'}}\nprovisioner: "
	 "kubernetes.io/aws-ebs\n",
	 {"\"provisioner\":\"ebs.csi.aws.com\",\"immediate\":1,\"isDefault\":1"},
	 NULL,
	 NULL},
	{"a class for two zones",
	 CLASS("provisioner: p\nallowedTopologies:\n- matchLabelExpressions: [{key: "
	       "failure-domain.beta.kubernetes.io/zone, values: [a, b]}]\n- "
	       "matchLabelExpressions: [{key: rack, values: [r]}]"),
	 {"\"terms\":[{\"weight\":0,\"exprs\":[{\"key\":\"topology.kubernetes.io/zone\",\"op\":"
	  "\"In\",\"values\":[\"a\",\"b\"]",
	  "\"key\":\"rack\""},
	 NULL,
	 NULL},
	{"a class that binds at some other time",
	 CLASS("provisioner: p\nvolumeBindingMode: Later"),
	 {NULL},
	 "\"Later\" is neither Immediate nor WaitForFirstConsumer",
	 NULL},
	{"a class of nobody", CLASS("volumeBindingMode: Immediate"), {NULL}, "provisioner", NULL},
	{"the drivers of a node and how much each attaches",
	 "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: n}\nspec: {drivers: "
	 "[{name: a, nodeID: i, topologyKeys: [k], allocatable: {count: 25}}, {name: b, nodeID: "
	 "i}]}\n",
	 {"\"drivers\":[{\"name\":\"a\",\"limit\":25},{\"name\":\"b\"}]"},
	 NULL,
	 NULL},
	{"an attachment",
	 "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: csi-1}\nspec: "
	 "{attacher: ebs.csi.aws.com, nodeName: n, source: {persistentVolumeName: pv}}\nstatus: "
	 "{attached: true}\n",
	 {"\"driver\":\"ebs.csi.aws.com\",\"node\":\"n\",\"volume\":\"pv\",\"attached\":1"},
	 NULL,
	 NULL},
	{"an attachment to nowhere",
	 "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: csi-1}\nspec: "
	 "{attacher: a, source: {persistentVolumeName: pv}}\n",
	 {NULL},
	 "nodeName",
	 NULL},
	{"a pod's volumes in their order, only those with a claim",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [], volumes: [{name: "
	 "own, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast}}}}, {name: tmp, "
	 "emptyDir: {}}, {name: d, persistentVolumeClaim: {claimName: data}}]}\n",
	 {"\"volumes\":[{\"ephemeral\":\"own\",\"class\":\"fast\",\"classSaid\":1},{\"claim\":"
	  "\"data\",\"classSaid\":0}]"},
	 NULL,
	 NULL},
	{"the claims of a StatefulSet",
	 "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {template: {spec: "
	 "{containers: []}}, volumeClaimTemplates: [{metadata: {name: data}, spec: "
	 "{storageClassName: fast}}]}\n",
	 {"\"claims\":[{\"ephemeral\":\"data\",\"class\":\"fast\",\"classSaid\":1}]"},
	 NULL,
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, volume_table);
	return plm_tests_run(&tests, "project_volume");
}
