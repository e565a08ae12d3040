/* EC2NodeClass: what is read of it, and what is refused with file, object and field. */
#include "manifest_help.h"

#define CLASS(spec)                                                                                \
	"apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\nspec:\n" spec
#define REFUSES(why, spec, failure) {(why), CLASS(spec), {NULL}, (failure), NULL}

static const struct plm_said_case read_table[] = {
	{"kubelet",
	 CLASS("  kubelet:\n"
	       "    clusterDNS: [10.0.0.10]\n"
	       "    maxPods: 20\n"
	       "    systemReserved: {memory: 100Mi, cpu: 100m}\n"
	       "    evictionHard: {memory.available: 5%}\n"
	       "    evictionSoft: {nodefs.available: 1Gi}\n"
	       "    evictionSoftGracePeriod: {nodefs.available: 1m0s}\n"
	       "    cpuCFSQuota: false\n"),
	 {"\"clusterDns\":[\"10.0.0.10\"],\"maxPods\":20",
	  "\"systemReserved\":[{\"key\":\"cpu\",\"value\":\"100m\"},{\"key\":\"memory\"",
	  "\"evictionHard\":[{\"key\":\"memory.available\",\"value\":\"5%\"}]",
	  "\"cpuCfsQuota\":0"},
	 NULL,
	 "podsPerCore"},
	{"fields for AL2023 alone, as JSON in order",
	 CLASS("  amiSelectorTerms: [{alias: al2023@latest}]\n"
	       "  kubelet: {topologyManagerPolicy: best-effort, a: {z: [1, true, null], b: "
	       "\"x\\\"\"}}\n"),
	 {"\"other\":[{\"key\":\"a\",\"value\":\"{\\\"b\\\":\\\"x\\\\\\\"\\\",\\\"z\\\":[1,true,"
	  "null]"
	  "}\"},",
	  "{\"key\":\"topologyManagerPolicy\",\"value\":\"\\\"best-effort\\\"\"}]"},
	 NULL,
	 "notReady"},
	{"another family does not take them",
	 CLASS("  amiSelectorTerms: [{alias: bottlerocket@latest}]\n"
	       "  kubelet: {topologyManagerPolicy: best-effort}\n"),
	 {"\"notReady\":\"ValidationSucceeded: kubelet.topologyManagerPolicy: Bottlerocket does "
	  "not take this field\""},
	 NULL,
	 NULL},
	{"volumes",
	 CLASS("  blockDeviceMappings:\n"
	       "  - deviceName: /dev/xvda\n    rootVolume: true\n"
	       "    ebs: {volumeSize: 100Gi, volumeType: gp3, iops: 3000, encrypted: true}\n"
	       "  - deviceName: /dev/xvdb\n    ebs: {snapshotID: snap-1, volumeInitializationRate: "
	       "200}\n"),
	 {"\"name\":\"/dev/xvda\",\"root\":1,\"sizeBytes\":107374182400,\"type\":\"gp3\","
	  "\"iops\":3000,\"encrypted\":1",
	  "\"snapshot\":\"snap-1\",\"initializationRate\":200"},
	 NULL,
	 NULL},
	{"setup",
	 CLASS("  amiSelectorTerms: [{name: mine, owner: self}, {tags: {a: '*'}}]\n"
	       "  amiFamily: AL2\n  instanceStorePolicy: RAID0\n  role: r\n  userData: echo\n"
	       "  metadataOptions: {httpTokens: optional, httpPutResponseHopLimit: 2}\n"
	       "  networkInterfaces: [{networkCardIndex: 0, deviceIndex: 0, interfaceType: "
	       "interface}]\n"
	       "  connectionTracking: {udpTimeout: 45}\n"),
	 {"\"amiFamily\":\"AL2\"", "\"userData\":\"echo\",\"role\":\"r\"",
	  "\"images\":[{\"name\":\"mine\",\"owner\":\"self\"},{\"tags\":[{\"key\":\"a\",\"value\":"
	  "\"*\"}]}]",
	  "\"interfaces\":[{\"card\":0,\"device\":0,\"type\":\"interface\"}],\"raid0\":1",
	  "\"httpHops\":2,\"httpTokens\":\"optional\",\"udpS\":45"},
	 NULL,
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

static const struct plm_said_case refused_table[] = {
	REFUSES("empty selector", "  subnetSelectorTerms: []\n",
		"EC2NodeClass c: spec.subnetSelectorTerms: must not be empty"),
	REFUSES("term of nothing", "  subnetSelectorTerms: [{}]\n",
		"spec.subnetSelectorTerms[0]: needs tags or id"),
	REFUSES("id and tags", "  subnetSelectorTerms: [{id: subnet-1, tags: {a: b}}]\n",
		"spec.subnetSelectorTerms[0].id: stands alone"),
	REFUSES("id of another thing", "  securityGroupSelectorTerms: [{id: subnet-1}]\n",
		"spec.securityGroupSelectorTerms[0].id: does not begin with sg-"),
	REFUSES("name and tags", "  securityGroupSelectorTerms: [{name: n, tags: {a: b}}]\n",
		"spec.securityGroupSelectorTerms[0].name: stands alone"),
	REFUSES("empty tag", "  subnetSelectorTerms: [{tags: {a: ''}}]\n",
		"spec.subnetSelectorTerms[0].tags: neither key nor value"),
	REFUSES("reservation by owner alone",
		"  capacityReservationSelectorTerms: [{ownerID: '123456789012'}]\n",
		"spec.capacityReservationSelectorTerms[0]: needs tags, id or"),
	REFUSES("reservations of a kind that is not",
		"  capacityReservationSelectorTerms: [{instanceMatchCriteria: shut}]\n",
		"instanceMatchCriteria: \"shut\" is not allowed; open or targeted"),
	REFUSES("placement by both", "  placementGroupSelector: {id: pg-1, name: n}\n",
		"spec.placementGroupSelector: needs either id or name"),
	REFUSES("alias of nobody", "  amiSelectorTerms: [{alias: gentoo@latest}]\n",
		"spec.amiSelectorTerms[0].alias: \"gentoo@latest\" is not family@version"),
	REFUSES("old Windows", "  amiSelectorTerms: [{alias: windows2022@1}]\n",
		"spec.amiSelectorTerms[0].alias: of Windows only the latest"),
	REFUSES("alias among others", "  amiSelectorTerms: [{alias: al2023@latest}, {id: ami-1}]\n",
		"spec.amiSelectorTerms[0].alias: stands alone"),
	REFUSES("image id with a name", "  amiSelectorTerms: [{id: ami-1, name: n}]\n",
		"spec.amiSelectorTerms[0].id: stands alone"),
	REFUSES("family unknown", "  amiFamily: Gentoo\n",
		"spec.amiFamily: \"Gentoo\" is not AL2, AL2023"),
	REFUSES("family against the alias",
		"  amiFamily: AL2\n  amiSelectorTerms: [{alias: al2023@latest}]\n",
		"spec.amiFamily: the alias is one of AL2023"),
	REFUSES("two ways to a role", "  role: a\n  instanceProfile: b\n",
		"spec.instanceProfile: there is a role"),
	REFUSES("tag of ours", "  tags: {karpenter.sh/nodepool: x}\n",
		"spec.tags[\"karpenter.sh/nodepool\"]: this key is set by the launch itself"),
	REFUSES("tag of the cluster", "  tags: {kubernetes.io/cluster/c: owned}\n",
		"this key is set by the launch itself"),
	REFUSES("volume without size", "  blockDeviceMappings: [{ebs: {volumeType: gp3}}]\n",
		"spec.blockDeviceMappings[0].ebs: needs snapshotID or volumeSize"),
	REFUSES("volume in bytes", "  blockDeviceMappings: [{ebs: {volumeSize: 100000}}]\n",
		"spec.blockDeviceMappings[0].ebs.volumeSize: is not 1 to 64000 in Gi, G, Ti or T"),
	REFUSES("volume of no type",
		"  blockDeviceMappings: [{ebs: {volumeSize: 1Gi, volumeType: tape}}]\n",
		"ebs.volumeType: \"tape\" is not allowed"),
	REFUSES("two roots",
		"  blockDeviceMappings: [{rootVolume: true, ebs: {volumeSize: 1Gi}}, {rootVolume: "
		"true, ebs: {volumeSize: 1Gi}}]\n",
		"spec.blockDeviceMappings[1].rootVolume: another one"),
	REFUSES("rate without a snapshot",
		"  blockDeviceMappings: [{ebs: {volumeSize: 1Gi, volumeInitializationRate: "
		"200}}]\n",
		"volumeInitializationRate: needs snapshotID"),
	REFUSES("store policy", "  instanceStorePolicy: RAID5\n",
		"spec.instanceStorePolicy: \"RAID5\" is not allowed"),
	REFUSES("no primary interface",
		"  networkInterfaces: [{networkCardIndex: 0, deviceIndex: 1, interfaceType: "
		"interface}]\n",
		"spec.networkInterfaces: needs card 0, device 0"),
	REFUSES("two devices in one place",
		"  networkInterfaces: [{networkCardIndex: 0, deviceIndex: 0, interfaceType: "
		"interface}, {networkCardIndex: 0, deviceIndex: 0, interfaceType: efa-only}]\n",
		"spec.networkInterfaces[1]: card 0 has a device 0 already"),
	REFUSES("hops", "  metadataOptions: {httpPutResponseHopLimit: 65}\n",
		"spec.metadataOptions.httpPutResponseHopLimit: must be 1 to 64"),
	REFUSES("tracking", "  connectionTracking: {tcpEstablishedTimeout: 59}\n",
		"spec.connectionTracking.tcpEstablishedTimeout: must be 60 to 432000"),
	REFUSES("reserved of another resource", "  kubelet: {kubeReserved: {gpu: 1}}\n",
		"spec.kubelet.kubeReserved.gpu: is not cpu, memory"),
	REFUSES("reserved of nothing", "  kubelet: {systemReserved: {cpu: many}}\n",
		"spec.kubelet.systemReserved.cpu:"),
	REFUSES("signal", "  kubelet: {evictionHard: {swap.available: 5%}}\n",
		"spec.kubelet.evictionHard[\"swap.available\"]: is not a signal"),
	REFUSES("percent", "  kubelet: {evictionHard: {memory.available: 101%}}\n",
		"\"101%\" is neither a quantity nor 0% to 100%"),
	REFUSES("soft without grace", "  kubelet: {evictionSoft: {memory.available: 5%}}\n",
		"has no counterpart in evictionSoftGracePeriod"),
	REFUSES("grace without soft",
		"  kubelet: {evictionSoftGracePeriod: {memory.available: 1m}}\n",
		"has no counterpart in evictionSoft"),
	REFUSES("images collected upside down",
		"  kubelet: {imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 60}\n",
		"must be above imageGCLowThresholdPercent"),
	REFUSES("max pods by an expression", "  kubelet: {maxPods: vcpus * 10}\n",
		"spec.kubelet.maxPods:"),
};

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, read_table);
	PLM_TEST_TABLE(&tests, plm_said_row, refused_table);
	return plm_tests_run(&tests, "project_class");
}
