#include "bench_load.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "bench_lib.h"

/* Quota of a queue and flavor; what waits asks for 4.5 CPUs and 2.5 pods on average. */
#define QUOTA_CPU 96U

void bench_load_begin(struct bench_load *load, const char *path, bool yaml)
{
	*load = (struct bench_load){.yaml = yaml};
	load->out = path != NULL ? fopen(path, "we") : open_memstream(&load->bytes, &load->size);
	bench_check(load->out != NULL, "no output");
	if (!yaml) {
		(void)fputs("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n",
			    load->out);
	}
}

struct plm_slice bench_load_end(struct bench_load *load)
{
	if (!load->yaml) {
		(void)fputs("\n]}\n", load->out);
	}
	bench_check(fclose(load->out) == 0, "writing an input");
	load->out = NULL;
	return plm_slice_of(load->bytes, load->size);
}

void bench_load_fini(struct bench_load *load)
{
	free(load->bytes);
	*load = (struct bench_load){0};
}

/* One object, in JSON: which in YAML is a document in flow style. */
static void __attribute__((format(printf, 2, 3))) put(struct bench_load *load, const char *format,
						      ...)
{
	va_list args;

	if (load->yaml) {
		(void)fputs("---\n", load->out);
	} else if (load->begun) {
		(void)fputs(",\n", load->out);
	}
	load->begun = true;
	va_start(args, format);
	(void)vfprintf(load->out, format, args);
	va_end(args);
	if (load->yaml) {
		(void)fputc('\n', load->out);
	}
}

/*
 * ---- queues
 * ------------------------------------------------------------------------------------
 */

#define KUEUE "\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", "

static void put_queue(struct bench_load *load, uint32_t i, uint32_t cohort)
{
	static const char quota[] = "{\"name\": \"%s\", \"resources\": [{\"name\": \"cpu\", "
				    "\"nominalQuota\": \"%u\"}, {\"name\": \"memory\", "
				    "\"nominalQuota\": \"%uGi\"}]}";
	char first[256];
	char second[256];

	(void)snprintf(first, sizeof(first), quota, "reserved", QUOTA_CPU, QUOTA_CPU * 4);
	(void)snprintf(second, sizeof(second), quota, "spot", QUOTA_CPU, QUOTA_CPU * 4);
	put(load,
	    "{" KUEUE "\"kind\": \"ClusterQueue\", \"metadata\": {\"name\": \"queue-%u\"}, "
	    "\"spec\": {\"cohortName\": \"cohort-%u\", \"namespaceSelector\": {}, "
	    "\"preemption\": {\"withinClusterQueue\": \"LowerPriority\", "
	    "\"reclaimWithinCohort\": \"Any\"}, \"resourceGroups\": [{\"coveredResources\": "
	    "[\"cpu\", \"memory\"], \"flavors\": [%s, %s]}]}}",
	    i, i / cohort, first, second);
	put(load,
	    "{" KUEUE "\"kind\": \"LocalQueue\", \"metadata\": {\"name\": \"queue-%u\", "
	    "\"namespace\": \"ml\"}, \"spec\": {\"clusterQueue\": \"queue-%u\"}}",
	    i, i);
}

void bench_load_queues(struct bench_load *load, uint32_t queues, uint32_t cohort)
{
	put(load, "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", "
		  "\"metadata\": {\"name\": \"ml\"}}");
	put(load, "{" KUEUE "\"kind\": \"ResourceFlavor\", \"metadata\": {\"name\": \"reserved\"}, "
		  "\"spec\": {\"nodeLabels\": {\"capacity\": \"reserved\"}}}");
	put(load, "{" KUEUE "\"kind\": \"ResourceFlavor\", \"metadata\": {\"name\": \"spot\"}, "
		  "\"spec\": {\"nodeLabels\": {\"capacity\": \"spot\"}}}");
	for (uint32_t i = 0; i < queues; i++) {
		put_queue(load, i, cohort);
	}
}

void bench_load_workloads(struct bench_load *load, uint32_t queues, uint32_t from, uint32_t count)
{
	for (uint32_t i = from; i < from + count; i++) {
		put(load,
		    "{" KUEUE "\"kind\": \"Workload\", \"metadata\": {\"name\": \"job-%06u\", "
		    "\"namespace\": \"ml\", \"uid\": \"0e0a7a5c-0000-4000-8000-%012u\", "
		    "\"creationTimestamp\": \"2026-01-01T%02u:%02u:%02uZ\"}, \"spec\": {"
		    "\"queueName\": \"queue-%u\", \"priority\": %u, \"podSets\": [{\"name\": "
		    "\"main\", \"count\": %u, \"template\": {\"spec\": {\"containers\": [{"
		    "\"name\": \"train\", \"image\": \"train:1\", \"resources\": {\"requests\": "
		    "{\"cpu\": \"%u\", \"memory\": \"%uGi\"}}}]}}}]}}",
		    i, i, i / 3600 % 24, i / 60 % 60, i % 60, i % queues, 1 + i / queues % 5,
		    1 + i / queues % 4, 1 + i / queues % 8, 2 * (1 + i / queues % 8));
	}
}

static void put_running(struct bench_load *load, uint32_t queue, const char *flavor)
{
	static const char condition[] = "{\"type\": \"%s\", \"status\": \"True\", \"reason\": "
					"\"%s\", \"lastTransitionTime\": "
					"\"2025-12-31T23:00:00Z\"}";
	char reserved[192];
	char admitted[192];

	(void)snprintf(reserved, sizeof(reserved), condition, "QuotaReserved", "QuotaReserved");
	(void)snprintf(admitted, sizeof(admitted), condition, "Admitted", "Admitted");
	for (uint32_t i = 0; i < QUOTA_CPU / 8; i++) {
		put(load,
		    "{" KUEUE "\"kind\": \"Workload\", \"metadata\": {\"name\": \"run-%u-%s-%u\", "
		    "\"namespace\": \"ml\", \"uid\": \"run-%u-%s-%u\", \"creationTimestamp\": "
		    "\"2025-12-31T22:00:00Z\"}, \"spec\": {\"queueName\": \"queue-%u\", "
		    "\"priority\": 0, \"podSets\": [{\"name\": \"main\", \"count\": 2, "
		    "\"template\": {\"spec\": {\"containers\": [{\"name\": \"train\", "
		    "\"resources\": "
		    "{\"requests\": {\"cpu\": \"4\", \"memory\": \"8Gi\"}}}]}}}]}, \"status\": {"
		    "\"admission\": {\"clusterQueue\": \"queue-%u\", \"podSetAssignments\": [{"
		    "\"name\": \"main\", \"count\": 2, \"flavors\": {\"cpu\": \"%s\", \"memory\": "
		    "\"%s\"}, \"resourceUsage\": {\"cpu\": \"8\", \"memory\": \"16Gi\"}}]}, "
		    "\"conditions\": [%s, %s]}}",
		    queue, flavor, i, queue, flavor, i, queue, queue, flavor, flavor, reserved,
		    admitted);
	}
}

void bench_load_running(struct bench_load *load, uint32_t queues)
{
	for (uint32_t i = 0; i < queues; i++) {
		put_running(load, i, "reserved");
		put_running(load, i, "spot");
	}
}

/*
 * ---- nodes
 * -------------------------------------------------------------------------------------
 */

void bench_load_pool(struct bench_load *load)
{
	put(load,
	    "{\"apiVersion\": \"karpenter.k8s.aws/v1\", \"kind\": \"EC2NodeClass\", \"metadata\": {"
	    "\"name\": \"default\"}, \"spec\": {\"role\": \"node\", \"amiSelectorTerms\": [{"
	    "\"alias\": \"al2023@latest\"}], \"subnetSelectorTerms\": [{\"id\": \"subnet-1\"}], "
	    "\"securityGroupSelectorTerms\": [{\"id\": \"sg-1\"}]}}");
	put(load,
	    "{\"apiVersion\": \"karpenter.sh/v1\", \"kind\": \"NodePool\", \"metadata\": "
	    "{\"name\": "
	    "\"default\"}, \"spec\": {\"template\": {\"spec\": {\"nodeClassRef\": {\"group\": "
	    "\"karpenter.k8s.aws\", \"kind\": \"EC2NodeClass\", \"name\": \"default\"}, "
	    "\"requirements\": [{\"key\": \"kubernetes.io/arch\", \"operator\": \"In\", "
	    "\"values\": "
	    "[\"amd64\", \"arm64\"]}, {\"key\": \"karpenter.sh/capacity-type\", \"operator\": "
	    "\"In\", \"values\": [\"on-demand\", \"spot\"]}]}}}}");
}

static const char *selector(uint32_t shape)
{
	static const char *const selectors[] = {
		"", "",
		"", "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"us-west-2b\"}, ",
		"", "\"nodeSelector\": {\"kubernetes.io/arch\": \"arm64\"}, ",
		"", "\"nodeSelector\": {\"karpenter.sh/capacity-type\": \"spot\"}, ",
	};

	return selectors[shape % 8];
}

void bench_load_pods(struct bench_load *load, uint32_t count, uint32_t shapes)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t shape = i % shapes;

		put(load,
		    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": "
		    "\"web-%05u\", \"namespace\": \"default\", \"uid\": "
		    "\"0e0a7a5c-0000-4000-9000-%012u\", \"creationTimestamp\": "
		    "\"2026-01-01T00:00:00Z\"}, \"spec\": {%s\"containers\": [{\"name\": \"web\", "
		    "\"image\": \"web:1\", \"resources\": {\"requests\": {\"cpu\": \"%um\", "
		    "\"memory\": \"%uMi\"}}}]}, \"status\": {\"phase\": \"Pending\", "
		    "\"conditions\": "
		    "[{\"type\": \"PodScheduled\", \"status\": \"False\", \"reason\": "
		    "\"Unschedulable\"}]}}",
		    i, i, selector(shape), 100 + shape * 37 % 2000, 128 + shape * 11 % 6000);
	}
}

/*
 * ---- a dump
 * ------------------------------------------------------------------------------------
 */

/* What an API server adds to a pod and nothing decides on. */
static void put_noise(FILE *out, uint32_t seed)
{
	for (uint32_t m = 0; m < 3; m++) {
		(void)fprintf(out,
			      "%s{\"apiVersion\": \"v1\", \"fieldsType\": \"FieldsV1\", "
			      "\"manager\": \"manager-%u\", \"operation\": \"Update\", \"time\": "
			      "\"2026-01-01T00:00:00Z\", \"fieldsV1\": {",
			      m == 0 ? "" : ", ", m);
		for (uint32_t f = 0; f < 24; f++) {
			(void)fprintf(out,
				      "%s\"f:field%u\": {\".\": {}, \"f:part%u\": {}, "
				      "\"k:{\\\"type\\\":\\\"Ready%u\\\"}\": {\".\": {}}}",
				      f == 0 ? "" : ", ", f, seed % 97, f);
		}
		(void)fputs("}}", out);
	}
}

void bench_load_dump(struct bench_load *load, uint32_t from, uint32_t count)
{
	for (uint32_t i = from; i < from + count; i++) {
		put(load,
		    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": "
		    "\"app-%06u\", \"namespace\": \"ns-%u\", \"uid\": "
		    "\"0e0a7a5c-0000-4000-a000-%012u\", \"resourceVersion\": \"%u\", "
		    "\"creationTimestamp\": \"2026-01-01T00:00:00Z\", \"labels\": {\"app\": "
		    "\"app-%u\", \"tier\": \"t%u\"}, \"managedFields\": [",
		    i, i % 200, i, 1000000 + i, i % 500, i % 3);
		put_noise(load->out, i);
		(void)fprintf(
			load->out,
			"]}, \"spec\": {\"nodeName\": \"node-%u\", \"schedulerName\": "
			"\"default-scheduler\", \"containers\": [{\"name\": \"app\", \"image\": "
			"\"registry/app:%u\", \"env\": [{\"name\": \"A\", \"value\": \"%u\"}], "
			"\"resources\": {\"requests\": {\"cpu\": \"%um\", \"memory\": "
			"\"%uMi\"}}}]}, "
			"\"status\": {\"phase\": \"Running\", \"hostIP\": \"10.0.%u.%u\", "
			"\"conditions\": [{\"type\": \"PodScheduled\", \"status\": \"True\"}, {"
			"\"type\": \"Ready\", \"status\": \"True\"}], \"containerStatuses\": [{"
			"\"name\": \"app\", \"ready\": true, \"restartCount\": 0, \"imageID\": "
			"\"sha256:%064u\", \"state\": {\"running\": {\"startedAt\": "
			"\"2026-01-01T00:00:05Z\"}}}]}}",
			i % 1000, i % 500, i, 100 + i % 16 * 50, 128 + i % 8 * 64, i / 250 % 250,
			i % 250, i);
	}
}

void bench_load_nodes(struct bench_load *load, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		put(load,
		    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": "
		    "\"node-%u\", \"uid\": \"0e0a7a5c-0000-4000-b000-%012u\", "
		    "\"creationTimestamp\": "
		    "\"2026-01-01T00:00:00Z\", \"labels\": {\"kubernetes.io/hostname\": "
		    "\"node-%u\", "
		    "\"kubernetes.io/arch\": \"amd64\", \"kubernetes.io/os\": \"linux\", "
		    "\"node.kubernetes.io/instance-type\": \"m6i.%ularge\", "
		    "\"topology.kubernetes.io/region\": \"us-west-2\", "
		    "\"topology.kubernetes.io/zone\": \"us-west-2%c\", "
		    "\"karpenter.sh/nodepool\": \"default\", \"karpenter.sh/capacity-type\": "
		    "\"spot\", \"karpenter.sh/registered\": \"true\", "
		    "\"karpenter.sh/initialized\": \"true\"}}, \"spec\": {\"providerID\": "
		    "\"aws:///us-west-2%c/i-%017u\"}, \"status\": {\"capacity\": {\"cpu\": \"%u\", "
		    "\"memory\": \"%uGi\", \"pods\": \"110\"}, \"allocatable\": {\"cpu\": \"%um\", "
		    "\"memory\": \"%uMi\", \"pods\": \"110\"}, \"conditions\": [{\"type\": "
		    "\"Ready\", \"status\": \"True\"}]}}",
		    i, i, i, 2U << i % 4, 'a' + (int)(i % 3), 'a' + (int)(i % 3), i, 8U << i % 4,
		    32U << i % 4, (8000U << i % 4) - 120, (32000U << i % 4) - 900);
	}
}
