/* test_events.c - Kubernetes Events: names, series, bounds, and what is given up */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "played.h"

#include "adapters/kube/events.h"
#include "adapters/kube/tree.h"
#include "core/limits.h"

struct podium {
	uv_loop_t loop;
	struct plm_kube_client played;
	struct plm_kube_announcer *announcer;
	int64_t ahead_ms; /* of the loop's clock */
};

static int64_t wall_ns(void *self)
{
	assert_non_null(self);
	return 0;
}

static int64_t boot_ms(void *self)
{
	struct podium *podium = self;

	return (int64_t)uv_now(&podium->loop) + podium->ahead_ms;
}

static struct podium *podium_new(void)
{
	struct podium *podium = calloc(1, sizeof(*podium));
	struct plm_kube_announcer_options options;
	struct plm_error err;

	assert_non_null(podium);
	assert_int_equal(uv_loop_init(&podium->loop), 0);
	played_init(&podium->played, &podium->loop);
	options = (struct plm_kube_announcer_options){
		.loop = &podium->loop,
		.client = &podium->played,
		.clock = {podium, wall_ns, boot_ms},
		.instance = "plimsoll-0",
	};
	plm_assert_ok(plm_kube_announcer_new(&options, &podium->announcer, &err), &err);
	return podium;
}

static void podium_free(struct podium *podium)
{
	plm_kube_announcer_free(podium->announcer);
	(void)uv_run(&podium->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&podium->loop), 0);
	played_fini(&podium->played);
	free(podium);
}

static void tell(struct podium *podium, uint64_t seq, const char *message)
{
	const struct plm_kube_event event = {
		.seq = seq,
		.at_ms = 1767225600000 + (int64_t)seq * 1000,
		.kind = PLM_KIND_WORKLOAD,
		.ns = plm_slice_str("team"),
		.name = plm_slice_str("job-train"),
		.uid = plm_slice_str("w1"),
		.reason = plm_slice_str("QuotaReserved"),
		.message = plm_slice_str(message),
	};

	plm_kube_announcer_tell(podium->announcer, &event);
}

static void run(struct podium *podium)
{
	(void)uv_run(&podium->loop, UV_RUN_DEFAULT);
}

static void an_event_as_kubectl_shows_it(void **state)
{
	static const char want[] =
		"{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
		"\"job-train.d65fbdab0735cf40\",\"namespace\":\"team\"},\"involvedObject\":{"
		"\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"namespace\":"
		"\"team\",\"name\":\"job-train\",\"uid\":\"w1\"},\"reason\":\"QuotaReserved\","
		"\"message\":\"Quota reserved\",\"type\":\"Normal\",\"source\":{\"component\":"
		"\"plimsoll\"},\"reportingComponent\":\"plimsoll\",\"reportingInstance\":"
		"\"plimsoll-0\",\"firstTimestamp\":\"2026-01-01T00:00:07Z\",\"lastTimestamp\":"
		"\"2026-01-01T00:00:07Z\",\"count\":1}";
	struct podium *podium = podium_new();
	const cJSON *event = NULL;
	char *line = NULL;

	(void)state;
	tell(podium, 7, "Quota reserved");
	run(podium);
	for (size_t i = 0; i < PLAYED_OBJECTS && event == NULL; i++) {
		event = podium->played.objects[i].json;
	}
	cJSON_DeleteItemFromObject(cJSON_GetObjectItem(event, "metadata"), "uid");
	cJSON_DeleteItemFromObject(cJSON_GetObjectItem(event, "metadata"), "resourceVersion");
	line = cJSON_PrintUnformatted(event);
	assert_string_equal(line, want);
	cJSON_free(line);
	podium_free(podium);
}

static void the_same_is_counted(void **state)
{
	struct podium *podium = podium_new();
	struct plm_kube_announcer_stats stats;
	const cJSON *event = NULL;

	(void)state;
	tell(podium, 7, "a");
	run(podium);
	tell(podium, 8, "a");
	tell(podium, 9, "a"); /* while the patch waits or is under way */
	run(podium);
	tell(podium, 10, "b");
	run(podium);
	event = podium->played.objects[0].json;
	assert_int_equal(podium->played.created, 2);
	assert_int_equal(plm_tree_int(event, "count", 0), 3);
	assert_true(plm_tree_is(event, "firstTimestamp", "2026-01-01T00:00:07Z"));
	assert_true(plm_tree_is(event, "lastTimestamp", "2026-01-01T00:00:09Z"));
	stats = plm_kube_announcer_stats(podium->announcer);
	assert_int_equal(stats.repeated, 2);
	podium->ahead_ms = PLM_LIMIT_EVENT_SERIES_MS;
	tell(podium, 11, "a"); /* long after: another object */
	run(podium);
	assert_int_equal(podium->played.created, 3);
	podium_free(podium);
}

static void told_twice_is_there_once(void **state)
{
	struct podium *podium = podium_new();
	struct podium *again = podium_new();

	(void)state;
	tell(podium, 7, "a");
	run(podium);
	for (size_t i = 0; i < PLAYED_OBJECTS; i++) { /* the process died, and its successor */
		again->played.objects[i] = podium->played.objects[i];
		podium->played.objects[i].json = NULL;
	}
	tell(again, 7, "a");
	run(again);
	assert_int_equal(again->played.calls, 1);
	assert_int_equal(again->played.created, 0);
	assert_int_equal(plm_kube_announcer_stats(again->announcer).sent, 1);
	podium_free(podium);
	podium_free(again);
}

static void one_that_was_cleared_away_is_made_anew(void **state)
{
	struct podium *podium = podium_new();

	(void)state;
	tell(podium, 7, "a");
	run(podium);
	cJSON_Delete(podium->played.objects[0].json);
	podium->played.objects[0].json = NULL;
	tell(podium, 8, "a");
	run(podium);
	assert_int_equal(podium->played.created, 2);
	assert_int_equal(plm_tree_int(podium->played.objects[0].json, "count", 0), 2);
	podium_free(podium);
}

static void a_refused_one_is_forgotten(void **state)
{
	struct podium *podium = podium_new();
	struct plm_kube_announcer_stats stats;

	(void)state;
	podium->played.fault = PLAYED_DENIED;
	podium->played.fault_count = 100;
	tell(podium, 7, "a");
	run(podium);
	stats = plm_kube_announcer_stats(podium->announcer);
	assert_int_equal(podium->played.calls, 1);
	assert_int_equal(stats.failed, 1);
	assert_int_equal(stats.sent, 0);
	podium_free(podium);
}

static void more_than_there_is_room_for_is_dropped(void **state)
{
	struct podium *podium = podium_new();
	struct plm_kube_announcer_stats stats;
	char text[32];

	(void)state;
	for (uint64_t seq = 0; seq < PLM_LIMIT_EVENT_SERIES + 10; seq++) {
		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)seq);
		tell(podium, seq, text);
	}
	stats = plm_kube_announcer_stats(podium->announcer);
	assert_int_equal(stats.dropped, 10);
	assert_true(podium->played.under_way <= PLM_LIMIT_EVENTS_UNDER_WAY);
	podium_free(podium);
}

static void a_cluster_s_object_stands_in_default(void **state)
{
	struct podium *podium = podium_new();
	const struct plm_kube_event event = {
		.seq = 1,
		.kind = PLM_KIND_NODE,
		.name = plm_slice_str("n1"),
		.warning = true,
		.reason = plm_slice_str("FailedDraining"),
		.message = plm_slice_str("m"),
	};
	const cJSON *json = NULL;

	(void)state;
	plm_kube_announcer_tell(podium->announcer, &event);
	run(podium);
	json = podium->played.objects[0].json;
	assert_true(plm_tree_is(plm_tree_get(json, "metadata"), "namespace", "default"));
	assert_true(plm_tree_is(json, "type", "Warning"));
	assert_null(plm_tree_at(json, "involvedObject.namespace"));
	podium_free(podium);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, an_event_as_kubectl_shows_it);
	PLM_TEST_ADD(&tests, the_same_is_counted);
	PLM_TEST_ADD(&tests, told_twice_is_there_once);
	PLM_TEST_ADD(&tests, one_that_was_cleared_away_is_made_anew);
	PLM_TEST_ADD(&tests, a_refused_one_is_forgotten);
	PLM_TEST_ADD(&tests, more_than_there_is_room_for_is_dropped);
	PLM_TEST_ADD(&tests, a_cluster_s_object_stands_in_default);
	return plm_tests_run(&tests, "kube events");
}
