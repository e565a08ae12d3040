#include "hash/workload_name.h"
#include "manifest_help.h"

#include "core/limits.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct plm_heard heard;

#define NS(name) "apiVersion: v1\nkind: Namespace\nmetadata: {name: " name "}\n"
#define NS_JSON(name)                                                                              \
	"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" name "\"}}"

/* ---- what is cut how --------------------------------------------------------------------------- */

static const struct cut_case {
	const char *why;
	const char *file;
	const char *text;
	const char *places; /* each with a newline */
} cut_table[] = {
	{"nothing", "a.yaml", "", ""},
	{"comments", "a.yaml", "# x\n\n---\n# y\n", ""},
	{"one document", "a.yaml", NS("a"), "a.yaml:1\n"},
	{"without a newline at the end", "a.yaml",
	 "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "a.yaml:1\n"},
	{"two documents", "a.yaml", NS("a") "---\n" NS("b"), "a.yaml:1\na.yaml:5\n"},
	{"marker first, comments, empty documents", "a.yaml",
	 "# x\n---\n---\n# y\n" NS("a") "---\n\n---\n" NS("b") "---\n", "a.yaml:5\na.yaml:11\n"},
	{"end marker", "a.yaml", NS("a") "...\n# x\n" NS("b"), "a.yaml:1\na.yaml:6\n"},
	{"directive", "a.yaml", "%YAML 1.1\n---\n" NS("a"), "a.yaml:3\n"},
	{"content on the marker's line", "a.yaml",
	 "--- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n" NS("b"),
	 "a.yaml:1\na.yaml:3\n"},
	{"windows line ends", "a.yaml",
	 "apiVersion: v1\r\nkind: Namespace\r\nmetadata: {name: a}\r\n---\r\napiVersion: "
	 "v1\r\nkind: "
	 "Namespace\r\nmetadata: {name: b}\r\n",
	 "a.yaml:1\na.yaml:5\n"},
	{"byte order mark", "a.yaml", "\xEF\xBB\xBF" NS("a"), "a.yaml:1\n"},
	{"YAML list as kubectl prints it", "a.yaml",
	 "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: a\n"
	 "# between\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: b\n"
	 "kind: List\nmetadata:\n  resourceVersion: \"\"\n---\n" NS("c"),
	 "a.yaml:3\na.yaml:8\na.yaml:16\n"},
	{"indented YAML list", "a.yaml",
	 "kind: List\napiVersion: v1\nitems:\n  - apiVersion: v1\n    kind: Namespace\n"
	 "    metadata: {name: a}\n  -\n    apiVersion: v1\n    kind: Namespace\n"
	 "    metadata: {name: b}\n",
	 "a.yaml:4\na.yaml:8\n"},
	{"typed YAML list", "a.yaml",
	 "kind: NamespaceList\napiVersion: v1\nitems:\n- metadata: {name: a}\n- metadata: {name: "
	 "b}\n",
	 "a.yaml:4\na.yaml:5\n"},
	{"flow list", "a.yaml",
	 "kind: List\napiVersion: v1\nitems: [" NS_JSON("a") ",\n" NS_JSON("b") "]\n",
	 "a.yaml:3\na.yaml:4\n"},
	{"empty list", "a.yaml", "apiVersion: v1\nitems: []\nkind: List\n", ""},
	{"outermost sequence", "a.yaml", "- " NS_JSON("a") "\n- " NS_JSON("b") "\n",
	 "a.yaml:1\na.yaml:2\n"},
	{"list within a list", "a.yaml",
	 "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n"
	 "  - {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n",
	 "a.yaml:7\n"},
	{"one JSON object", "a.json", NS_JSON("a"), "a.json:1\n"},
	{"JSON objects one after another", "a.json",
	 NS_JSON("a") "\n" NS_JSON("b") " " NS_JSON("c"), "a.json:1\na.json:2\na.json:2\n"},
	{"JSON by its look", "-",
	 "\n {\n\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}",
	 "-:2\n"},
	{"JSON array", "a.json", "[" NS_JSON("a") ",\n" NS_JSON("b") "]", "a.json:1\na.json:2\n"},
	{"JSON list, kind last", "a.json",
	 "{\"apiVersion\":\"v1\",\n\"items\":[" NS_JSON("a") ",\n" NS_JSON(
		 "b") "],\n\"kind\":\"List\",\"metadata\":{}}\n" NS_JSON("c"),
	 "a.json:2\na.json:3\na.json:5\n"},
	{"typed JSON list", "a.json",
	 "{\"kind\":\"NamespaceList\",\"apiVersion\":\"v1\",\"metadata\":{\"x\":[{}]},\"items\":[\n"
	 "{\"metadata\":{\"name\":\"a\"}},\n{\"metadata\":{\"name\":\"b\"}}]}",
	 "a.json:2\na.json:3\n"},
	{"YAML flow that is no JSON", "-", "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
	 "-:1\n"},
};

static void cut_row(const struct cut_case *row)
{
	assert_string_equal(plm_heard_read(&heard, row->file, row->text), "");
	assert_string_equal(heard.places, row->places);
}
PLM_TEST_ROWS(cut_row, struct cut_case)

/* ---- what is refused --------------------------------------------------------------------------- */

static const struct refuse_case {
	const char *why;
	const char *file;
	const char *text;
	const char *failure; /* from its beginning */
} refuse_table[] = {
	{"not YAML", "a.yaml", NS("a") "---\na: [\n",
	 "a.yaml:6: not YAML: did not find expected node"},
	{"not JSON", "a.json", "{\"kind\": \"Namespace\",\n}",
	 "a.json:2: not JSON: a key in quotes"},
	{"JSON cut short", "a.json", "{\"kind\": \"Namespace\"",
	 "a.json:1: not JSON: the text ends too early"},
	{"JSON lone surrogate", "a.json", "{\"kind\": \"\\ud800\"}",
	 "a.json:1: not JSON: a text that cannot be decoded"},
	{"JSON key twice", "a.json", "{\"kind\": \"Namespace\",\n \"kind\": \"Pod\"}",
	 "a.json:2: kind: this key stands twice"},
	{"JSON NUL", "a.json", "{\"kind\": \"a\\u0000b\"}", "a.json:1: not JSON: a bad escape"},
	{"text in a JSON file", "a.json", "hello", "a.json:1: not JSON: not a value"},
	{"number in a JSON file", "a.json", "12", "a.json:1: an object is expected"},
	{"array in an array", "a.json", "[[1]]", "a.json:1: an object is expected"},
	{"text document", "a.yaml", "hello\n", "a.yaml:1: an object is expected"},
	{"not UTF-8", "a.yaml", "kind: x\nname: \xC3\x28\n", "a.yaml:2: not UTF-8"},
	{"not UTF-8 in JSON", "a.json", "{\"kind\":\n\"\xFF\"}", "a.json:2: not UTF-8"},
	{"no kind", "a.yaml", "apiVersion: v1\nmetadata: {name: a}\n",
	 "a.yaml:1: an object needs a kind"},
	{"no kind in a list", "a.yaml", "kind: List\nitems:\n- metadata: {name: a}\n",
	 "a.yaml:3: an object needs a kind"},
	{"kind is a number", "a.yaml", "kind: 1\n", "a.yaml:1: kind: must be a text, is a number"},
	{"items of no list", "a.yaml", "items:\n- {kind: Secret}\nkind: Thing\n",
	 "a.yaml:3: items, but the kind is Thing and no list"},
	{"items of no JSON list", "a.json",
	 "{\"items\":[{\"kind\":\"Secret\"}],\"kind\":\"Thing\"}",
	 "a.json:1: items, but the kind is Thing and no list"},
	{"list without a kind", "a.yaml", "items:\n- {kind: Secret}\n",
	 "a.yaml:2: a list needs a kind"},
	{"no name", "a.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {}\n",
	 "a.yaml:3: Namespace: metadata: name is required"},
	{"no metadata", "a.yaml", "apiVersion: v1\nkind: Namespace\n",
	 "a.yaml:1: Namespace: name is required"},
	{"bad name", "a.yaml", NS("A_b"),
	 "a.yaml:3: Namespace A_b: metadata.name: \"A_b\" is not a name"},
	{"name with a slash", "a.yaml", NS("a/b"),
	 "a.yaml:3: Namespace a/b: metadata.name: \"a/b\""},
	{"name that ends in a dash", "a.yaml", NS("a-"), "a.yaml:3: Namespace a-: metadata.name"},
	{"bad time", "a.yaml",
	 "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  creationTimestamp: now\n",
	 "a.yaml:5: Namespace a: metadata.creationTimestamp: \"now\" is not a time"},
	{"label that is a number", "a.yaml",
	 "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels: {x: 1}\n",
	 "a.yaml:5: Namespace a: metadata.labels.x: must be a text, is a number: put 1 in quotes"},
	{"twice", "a.yaml", NS("a") "---\n" NS("a"),
	 "a.yaml:5: Namespace a: the same object as in a.yaml:1"},
	{"scenario of another version", "a.yaml", "apiVersion: plimsoll.dev/v2\nkind: Scenario\n",
	 "a.yaml:1: Scenario: apiVersion must be plimsoll.dev/v1alpha1"},
	{"path into a list", "a.yaml",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n  containers:\n"
	 "  - name: c\n    resources:\n      requests:\n        nvidia.com/gpu: many\n",
	 "a.yaml:9: Pod b/a: spec.containers[0].resources.requests[\"nvidia.com/gpu\"]: \"many\" "
	 "is not a "
	 "quantity"},
};

static void refuse_row(const struct refuse_case *row)
{
	const char *said = plm_heard_read(&heard, row->file, row->text);

	if (strncmp(said, row->failure, strlen(row->failure)) != 0) {
		assert_string_equal(said, row->failure);
	}
}
PLM_TEST_ROWS(refuse_row, struct refuse_case)

static void nul_bytes_are_refused(void **state)
{
	static const char text[] = "kind: a\nname: x\0y\n";
	struct plm_error err = {0};

	(void)state;
	plm_heard_open(&heard, false);
	plm_assert_fails(plm_manifest_read_text(heard.reader, "a.yaml",
						plm_slice_of(text, sizeof(text) - 1), &err),
			 PLM_E_INPUT, err, "a.yaml:2: a NUL byte");
	plm_heard_close(&heard);
}

static void twice_over_files(void **state)
{
	(void)state;
	plm_heard_open(&heard, false);
	assert_string_equal(plm_heard_more(&heard, "a.yaml", NS("a")), "");
	assert_string_equal(plm_heard_more(&heard, "b.json", NS_JSON("a")),
			    "b.json:1: Namespace a: the same object as in a.yaml:1");
	plm_heard_close(&heard);
}

static void same_name_elsewhere_is_another_object(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n"
			       "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\n---\n"
			       "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"),
		"");
	assert_string_equal(heard.places, "a.yaml:1\na.yaml:5\na.yaml:9\n");
}

static void updates_are_allowed_when_asked(void **state)
{
	(void)state;
	plm_heard_open(&heard, true);
	assert_string_equal(plm_heard_more(&heard, "a.yaml", NS("a") "---\n" NS("a")), "");
	assert_string_equal(heard.places, "a.yaml:1\na.yaml:5\n");
	plm_heard_close(&heard);
}

/* ---- warnings and settings ---------------------------------------------------------------------- */

static void unknown_kinds_are_named_once(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {x: "
			       "eA==}}\n---\n"
			       "{apiVersion: v1, kind: Secret, metadata: {name: b}}\n---\n"
			       "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: "
			       "{name: c}}\n---\n"
			       "{apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: "
			       "{name: d}}\n"),
		"");
	assert_string_equal(heard.facts, "");
	assert_string_equal(heard.warnings,
			    "Secret (v1) is ignored: nothing decides on it\n"
			    "Job (batch.volcano.sh/v1alpha1) is ignored: nothing decides on it\n"
			    "NodePool (karpenter.sh/v1beta1) is ignored: nothing decides on it\n");
}

static void fields_without_effect_are_named_once(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: "
			       "{name: a}\n"
			       "spec: {cohrotName: x, concurrentAdmissionPolicy: {x: y}, "
			       "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, "
			       "resources: [{name: cpu, nominalQuota: 1}]}]}]}\n---\n"
			       "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: "
			       "{name: b}\n"
			       "spec: {cohrotName: x}\n"),
		"");
	assert_string_equal(heard.warnings,
			    "ClusterQueue: spec.cohrotName is not decided on\n"
			    "ClusterQueue: spec.concurrentAdmissionPolicy is not decided on\n");
}

static void kept_fields_without_effect_are_named(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(
			&heard, "a.yaml",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
			"  affinity: {nodeAffinity: {}, podAffinity: {}}\n"
			"  topologySpreadConstraints: [{topologyKey: x}]\n"
			"  volumes: [{name: a, emptyDir: {}}, {name: b, persistentVolumeClaim: "
			"{claimName: c}}]\n"
			"  resourceClaims: [{name: x}]\n  containers: [{name: c, image: x, env: "
			"[]}]\n"
			"---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec:\n"
			"  volumes: [{name: a, emptyDir: {}}]\n"
			"---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "
			"b}\nspec: "
			"{template: {spec: {expireAfter: 720h, requirements: [], nodeClassRef: "
			"{group: g, kind: EC2NodeClass, name: c}}}, "
			"disruption: {consolidateAfter: 0s, consolidationPolicy: "
			"WhenEmptyOrUnderutilized}}\n"
			"---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "
			"c}\nspec: "
			"{template: {spec: {expireAfter: Never, requirements: [], nodeClassRef: "
			"{group: g, kind: EC2NodeClass, name: c}}}, "
			"disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmpty}}\n"),
		"");
	assert_string_equal(heard.warnings,
			    "Pod: spec.resourceClaims is not decided on\n"
			    "NodePool: spec.disruption.consolidationPolicy is not decided on\n");
}

static void settings_of_both_peers(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			       "health: {x: 1}\nfairSharing: {preemptionStrategies: "
			       "[LessThanInitialShare]}\n"
			       "admissionFairSharing: {usageHalfLifeTime: 168h, "
			       "resourceWeights: {cpu: 2.0, memory: 1e-9}}\n"
			       "waitForPodsReady: {timeout: 2m, blockAdmission: true, "
			       "requeuingStrategy: {timestamp: Creation, backoffLimitCount: 3}}\n"
			       "objectRetentionPolicies: {workloads: {afterFinished: 0s}}\n"
			       "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: "
			       "karpenter-settings}\n"
			       "data: {PREFERENCE_POLICY: Ignore, MIN_VALUES_POLICY: BestEffort,\n"
			       "  BATCH_IDLE_DURATION: 2s, BATCH_MAX_DURATION: 1m, CLUSTER_NAME: "
			       "c, FEATURE_GATES: x}\n"
			       "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
			       "---\napiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nmetadata: "
			       "{name: s}\n"),
		"");
	assert_int_equal(heard.settings, 3);
	assert_int_equal(heard.config.fair_sharing, 1);
	assert_int_equal(heard.config.fair_strategies, PLM_FAIR_INITIAL);
	assert_int_equal(heard.config.afs, 1);
	assert_int_equal(heard.config.afs_half_life_ms, 168LL * 3600 * 1000);
	assert_int_equal(heard.config.afs_interval_ms, 300000);
	assert_int_equal(heard.config.afs_weights.count, 2);
	assert_int_equal(heard.config.preferences, PLM_PREFERENCES_IGNORE);
	assert_int_equal(heard.config.min_values, PLM_MIN_VALUES_BEST_EFFORT);
	assert_int_equal(heard.config.batch_idle_ms, 2000);
	assert_int_equal(heard.config.batch_max_ms, 60000);
	assert_int_equal(heard.config.pods_ready, 1);
	assert_int_equal(heard.config.ready_timeout_ms, 120000);
	assert_int_equal(heard.config.recovery_timeout_ms, 120000);
	assert_int_equal(heard.config.block_admission, 1);
	assert_int_equal(heard.config.requeue_timestamp, PLM_REQUEUE_BY_CREATION);
	assert_int_equal(heard.config.deactivate_at, 4);
	assert_int_equal(heard.config.requeue_base_s, 60);
	assert_int_equal(heard.config.retain_finished_ms, 1);
	assert_int_equal(heard.config.retain_deactivated_ms, 0);
	assert_string_equal(heard.warnings, "ConfigMap: data.FEATURE_GATES is not decided on\n"
					    "ConfigMap (v1) is ignored: nothing decides on it\n");
}

static void the_old_version_waits_for_pods_when_asked_to(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"),
		"");
	assert_int_equal(heard.config.pods_ready, 0);
	assert_int_equal(heard.config.ready_timeout_ms, 300000);
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
			       "waitForPodsReady: {enable: true, recoveryTimeout: 0s}\n"),
		"");
	assert_int_equal(heard.config.pods_ready, 1);
	assert_int_equal(heard.config.recovery_timeout_ms, 0);
}

static void bad_settings_are_refused(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(
			&heard, "a.yaml",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-settings}\n"
			"data:\n  PREFERENCE_POLICY: Sometimes\n"),
		"a.yaml:5: ConfigMap karpenter-settings: data.PREFERENCE_POLICY: must be Respect "
		"or "
		"Ignore, is \"Sometimes\"");
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			       "admissionFairSharing: {usageHalfLifeTime: -1s}\n"),
		"a.yaml:3: Configuration: admissionFairSharing.usageHalfLifeTime: must not be "
		"negative");
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			       "resources: {transformations: [{input: cpu, strategy: Replace}, "
			       "{input: cpu, strategy: Retain}]}\n"),
		"a.yaml:3: Configuration: resources.transformations[1].input: cpu stands twice in "
		"the list");
}

/* ---- defaults ---------------------------------------------------------------------------------- */

static void absent_metadata_is_filled_in(void **state)
{
	(void)state;
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n"
			       "apiVersion: v1\nkind: Pod\nmetadata: {name: b, uid: u-1, "
			       "creationTimestamp: '1970-01-01T00:00:05Z'}\n"),
		"");
	assert_non_null(strstr(
		heard.facts,
		"{\"meta\":{\"ns\":\"default\",\"name\":\"a\",\"uid\":\"a884fc93-cf2c-81d6-"));
	assert_non_null(strstr(heard.facts, "\"createdMs\":1000"));
	assert_non_null(strstr(heard.facts, "\"uid\":\"u-1\",\"createdMs\":5000"));
}

static void uids_are_uuids(void **state)
{
	struct plm_arena arena;
	struct plm_error err = {0};
	struct plm_slice one;
	struct plm_slice other;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 1 << 16, &err), &err);
	one = plm_manifest_uid(&arena, PLM_KIND_POD, plm_slice_str("ns"), plm_slice_str("a"));
	other = plm_manifest_uid(&arena, PLM_KIND_JOB, plm_slice_str("ns"), plm_slice_str("a"));
	assert_int_equal(one.size, 36);
	assert_int_equal(one.ptr[14], '8');
	assert_non_null(strchr("89ab", one.ptr[19]));
	assert_false(plm_slice_equal(one, other));
	plm_arena_fini(&arena);
}

/* The formula's own numbers: sha1("Job\nbatch\ntrain\n<uid>"), checked with sha1sum. */
static void workload_names(void **state)
{
	struct plm_arena arena;
	struct plm_error err = {0};
	char name[300];
	struct plm_slice made;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 1 << 16, &err), &err);
	plm_assert_text(plm_workload_name(&arena, "Job", "batch", plm_slice_str("train"),
					  plm_slice_str("00000000-0000-4000-8000-000000000001")),
			"job-train-58f03");
	plm_assert_text(plm_workload_name(&arena, "PodSet", "kueue.x-k8s.io",
					  plm_slice_str("train"), plm_slice_str("")),
			"podset-train");
	memset(name, 'x', sizeof(name));
	made = plm_workload_name(&arena, "Job", "batch", plm_slice_of(name, 250),
				 plm_slice_str("u"));
	assert_int_equal(made.size, 253);
	assert_int_equal(made.ptr[247], '-');
	plm_arena_fini(&arena);
}

static void newest_time_of_all(void **state)
{
	struct plm_error err = {0};
	const struct plm_manifest_options options = {.now_ms = PLM_UNSET};
	const struct plm_manifest_sink sink = {0};
	struct plm_manifest *reader = NULL;
	static const char text[] =
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: "
		"'2026-01-01T00:00:00Z'}\n"
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
		"---\napiVersion: x/v1\nkind: Other\nmetadata: {name: a}\nstatus: {conditions: "
		"[{type: y, lastTransitionTime: '2026-01-01T00:00:09Z'}]}\n";

	(void)state;
	plm_assert_ok(plm_manifest_open(&reader, &options, &sink, &err), &err);
	assert_int_equal(plm_manifest_newest(reader), PLM_UNSET);
	plm_assert_ok(plm_manifest_read_text(reader, "a.yaml", plm_slice_str(text), &err), &err);
	assert_int_equal(plm_manifest_newest(reader), 1767225609000);
	assert_int_equal(plm_manifest_count(reader), 3);
	plm_manifest_close(reader);
}

static void hash_is_of_the_item_only(void **state)
{
	struct plm_sha256 want = plm_sha256(plm_slice_str(NS_JSON("a")));

	(void)state;
	assert_string_equal(plm_heard_read(&heard, "a.json",
					   "{\"kind\":\"List\",\"items\":[ " NS_JSON("a") " ]}"),
			    "");
	assert_memory_equal(heard.hash.bytes, want.bytes, sizeof(want.bytes));
	assert_string_equal(plm_heard_read(&heard, "a.yaml",
					   "# \xC3\xA9\nkind: List\nitems: [ " NS_JSON("a") " ]"),
			    "");
	assert_memory_equal(heard.hash.bytes, want.bytes, sizeof(want.bytes));
	want = plm_sha256(
		plm_slice_str("- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\n"));
	assert_string_equal(
		plm_heard_read(&heard, "a.yaml",
			       "kind: List\nitems:\n"
			       "- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\n"),
		"");
	assert_memory_equal(heard.hash.bytes, want.bytes, sizeof(want.bytes));
}

/* ---- files ------------------------------------------------------------------------------------- */

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "we");

	PLM_ASSERT(file != NULL);
	return file;
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = create(path);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void drop(const char *folder, const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

static void folders_are_read_in_byte_order(void **state)
{
	char folder[] = "/tmp/plm-manifest-XXXXXX";
	struct plm_error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	plm_heard_open(&heard, false);
	plm_assert_fails(plm_manifest_read(heard.reader, folder, &err), PLM_E_NOT_FOUND, err,
			 "no .yaml, .yml or .json file in it");
	plm_heard_close(&heard);
	put(folder, "b.yaml", NS("b"));
	put(folder, "a.yml", NS("a"));
	put(folder, "B.json", NS_JSON("c"));
	put(folder, "readme.txt", "not YAML: [");
	plm_heard_open(&heard, false);
	plm_assert_ok(plm_manifest_read(heard.reader, folder, &err), &err);
	assert_non_null(strstr(heard.places, "/B.json:1\n"));
	assert_true(strstr(heard.places, "/B.json") < strstr(heard.places, "/a.yml"));
	assert_true(strstr(heard.places, "/a.yml") < strstr(heard.places, "/b.yaml"));
	assert_null(strstr(heard.places, "readme"));
	plm_heard_close(&heard);
	drop(folder, "b.yaml");
	drop(folder, "a.yml");
	drop(folder, "B.json");
	drop(folder, "readme.txt");
	assert_int_equal(rmdir(folder), 0);
}

static void missing_files_are_named(void **state)
{
	struct plm_error err = {0};

	(void)state;
	plm_heard_open(&heard, false);
	plm_assert_fails(plm_manifest_read(heard.reader, "/nowhere/x.yaml", &err), PLM_E_NOT_FOUND,
			 err, "/nowhere/x.yaml: No such file");
	plm_heard_close(&heard);
}

#define YAML_ITEM "- {apiVersion: v1, kind: Namespace, metadata: {name: n%d, a: \""
#define JSON_ITEM                                                                                  \
	"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n%d\",\"a\":\""

static void put_digits(FILE *file, int tens)
{
	for (int i = 0; i < tens; i++) {
		(void)fputs("0123456789", file);
	}
}

/* 20,000 short items and one that is longer than a chunk. */
static void put_list(const char *path, bool yaml)
{
	FILE *file = create(path);

	(void)fputs(yaml ? "kind: List\nitems:\n" : "{\"kind\":\"List\",\"items\":[", file);
	for (int i = 0; i < 20000; i++) {
		(void)fprintf(file, yaml ? YAML_ITEM : JSON_ITEM, i);
		(void)fputs(yaml ? "\"}}\n" : "\"}},\n", file);
	}
	(void)fprintf(file, yaml ? YAML_ITEM : JSON_ITEM, 20000);
	put_digits(file, 100000);
	(void)fputs(yaml ? "\"}}\n" : "\"}}]}\n", file);
	assert_int_equal(fclose(file), 0);
}

/* Through the window piece by piece. */
static void long_inputs_pass_the_window(void **state)
{
	char folder[] = "/tmp/plm-manifest-XXXXXX";
	char path[64];
	struct plm_error err = {0};
	const struct plm_manifest_options options = {.now_ms = 0};
	const struct plm_manifest_sink sink = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/long", folder);
	for (int yaml = 0; yaml <= 1; yaml++) {
		struct plm_manifest *reader = NULL;

		put_list(path, yaml == 1);
		plm_assert_ok(plm_manifest_open(&reader, &options, &sink, &err), &err);
		plm_assert_ok(plm_manifest_read(reader, path, &err), &err);
		assert_int_equal(plm_manifest_count(reader), 20001);
		plm_manifest_close(reader);
	}
	drop(folder, "long");
	assert_int_equal(rmdir(folder), 0);
}

static void too_long_an_item_is_refused(void **state)
{
	char folder[] = "/tmp/plm-manifest-XXXXXX";
	char path[64];
	struct plm_error err = {0};
	FILE *file = NULL;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/long", folder);
	file = create(path);
	(void)fputs("kind: x\na: \"", file);
	put_digits(file, 1000000);
	assert_int_equal(fclose(file), 0);
	plm_heard_open(&heard, false);
	plm_assert_fails(plm_manifest_read(heard.reader, path, &err), PLM_E_INPUT, err,
			 "one document, or one item of a list, is longer than 8388608 bytes");
	plm_heard_close(&heard);
	drop(folder, "long");
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, cut_row, cut_table);
	PLM_TEST_TABLE(&tests, refuse_row, refuse_table);
	PLM_TEST_ADD(&tests, nul_bytes_are_refused);
	PLM_TEST_ADD(&tests, twice_over_files);
	PLM_TEST_ADD(&tests, same_name_elsewhere_is_another_object);
	PLM_TEST_ADD(&tests, updates_are_allowed_when_asked);
	PLM_TEST_ADD(&tests, unknown_kinds_are_named_once);
	PLM_TEST_ADD(&tests, fields_without_effect_are_named_once);
	PLM_TEST_ADD(&tests, kept_fields_without_effect_are_named);
	PLM_TEST_ADD(&tests, settings_of_both_peers);
	PLM_TEST_ADD(&tests, the_old_version_waits_for_pods_when_asked_to);
	PLM_TEST_ADD(&tests, bad_settings_are_refused);
	PLM_TEST_ADD(&tests, absent_metadata_is_filled_in);
	PLM_TEST_ADD(&tests, uids_are_uuids);
	PLM_TEST_ADD(&tests, workload_names);
	PLM_TEST_ADD(&tests, newest_time_of_all);
	PLM_TEST_ADD(&tests, hash_is_of_the_item_only);
	PLM_TEST_ADD(&tests, folders_are_read_in_byte_order);
	PLM_TEST_ADD(&tests, missing_files_are_named);
	PLM_TEST_ADD(&tests, long_inputs_pass_the_window);
	PLM_TEST_ADD(&tests, too_long_an_item_is_refused);
	return plm_tests_run(&tests, "manifest");
}
