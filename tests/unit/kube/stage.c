#include "stage.h"

#include <stdio.h>
#include <stdlib.h>

#include "plm_test.h"
#include "request_json.h"

#include "adapters/kube/tree.h"
#include "codec/codec.h"

#define FIXED_WALL_NS 1770000000000000000

static int64_t wall_ns(void *self)
{
	assert_non_null(self);
	return FIXED_WALL_NS;
}

static int64_t boot_ms(void *self)
{
	struct stage *stage = self;

	return (int64_t)uv_now(&stage->loop);
}

static void keep_text(char *out, size_t size, struct plm_slice text)
{
	(void)snprintf(out, size, "%.*s", (int)text.size, (const char *)text.ptr);
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct stage *stage = self;
	struct stage_result *to = &stage->results[stage->result_count];
	const struct plm_w_result *result = NULL;
	struct plm_payload payload;
	struct plm_error err;

	if (stage->full) {
		return PLM_E_AGAIN;
	}
	assert_true(stage->result_count < STAGE_RESULTS);
	assert_int_equal(observation->type, PLM_EV_RESULT);
	assert_int_equal(observation->source, PLM_SOURCE_KUBE);
	plm_assert_ok(plm_payload_decode(plm_event_info(PLM_EV_RESULT), observation->payload,
					 &stage->arena, &payload, &err),
		      &err);
	result = payload.value;
	assert_int_equal(result->intent, observation->intent);
	to->intent = observation->intent;
	to->class = (enum plm_result_class)result->class;
	keep_text(to->code, sizeof(to->code), result->code);
	keep_text(to->message, sizeof(to->message), result->message);
	stage->result_count++;
	return PLM_OK;
}

static void note(void *self, const char *text)
{
	assert_non_null(self);
	assert_non_null(text);
}

void stage_init(struct stage *stage)
{
	struct plm_error err;
	struct plm_kube_effector_options options;

	*stage = (struct stage){.result_count = 0};
	plm_assert_ok(plm_arena_init(&stage->arena, (size_t)64 << 20, &err), &err);
	assert_int_equal(uv_loop_init(&stage->loop), 0);
	played_init(&stage->played, &stage->loop);
	options = (struct plm_kube_effector_options){
		.loop = &stage->loop,
		.client = &stage->played,
		.inbox = {.self = stage, .put = put},
		.clock = {stage, wall_ns, boot_ms},
		.wait_first_ms = 2,
		.note = note,
		.self = stage,
	};
	plm_assert_ok(plm_kube_effector_new(&options, &stage->effector, &err), &err);
}

void stage_fini(struct stage *stage)
{
	plm_kube_effector_free(stage->effector);
	(void)uv_run(&stage->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&stage->loop), 0);
	played_fini(&stage->played);
	cJSON_Delete(stage->json);
	plm_arena_fini(&stage->arena);
}

static void path_of(const char *name, char *out, size_t size)
{
	const char *root = getenv("PLM_SOURCE_ROOT");

	assert_non_null(root);
	(void)snprintf(out, size, "%s/tests/unit/kube/golden/%s", root, name);
}

char *stage_file(const char *name)
{
	char path[1024];
	FILE *file = NULL;
	char *text = NULL;
	size_t size = 0;

	path_of(name, path, sizeof(path));
	file = fopen(path, "rb");
	if (file == NULL) {
		return NULL;
	}
	text = calloc(1, PLAYED_LOG);
	assert_non_null(text);
	size = fread(text, 1, PLAYED_LOG - 1, file);
	assert_true(size < PLAYED_LOG - 1);
	(void)fclose(file);
	return text;
}

void stage_write(const char *name, const char *text)
{
	char path[1024];
	FILE *file = NULL;

	path_of(name, path, sizeof(path));
	file = fopen(path, "wb");
	PLM_ASSERT(file != NULL);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

void stage_load(struct stage *stage, const char *name)
{
	char file[256];
	char *text = NULL;
	const cJSON *objects = NULL;

	(void)snprintf(file, sizeof(file), "%s.json", name);
	text = stage_file(file);
	assert_non_null(text);
	cJSON_Delete(stage->json);
	stage->json = cJSON_Parse(text);
	if (stage->json == NULL) {
		fail_msg("%s is no JSON near: %.40s", file, cJSON_GetErrorPtr());
	}
	free(text);
	stage->played.versions = plm_tree_get(stage->json, "versions");
	stage->played.refuse = plm_tree_is_true(plm_tree_get(stage->json, "refuse"));
	objects = plm_tree_get(stage->json, "objects");
	for (const cJSON *at = objects == NULL ? NULL : objects->child; at != NULL; at = at->next) {
		played_have(&stage->played, at);
	}
	objects = plm_tree_get(stage->json, "seen");
	for (const cJSON *at = objects == NULL ? NULL : objects->child; at != NULL; at = at->next) {
		const cJSON *workload =
			played_find(&stage->played, PLM_KUBE_RES_WORKLOADS, at->valuestring);
		const cJSON *meta = plm_tree_get(workload, "metadata");
		char *item = cJSON_PrintUnformatted(workload);

		plm_kube_effector_saw_workload(stage->effector, plm_tree_text(meta, "uid"),
					       plm_tree_text(meta, "resourceVersion"),
					       plm_slice_str(item));
		cJSON_free(item);
	}
}

void stage_submit(struct stage *stage, uint64_t intent)
{
	const struct plm_effects port = plm_kube_effector_port(stage->effector);
	struct plm_effect effect = {.intent = intent, .deadline_ms = PLM_UNSET};
	const struct plm_wire_type *type = NULL;
	int64_t call = plm_names_find(&plm_names_call, plm_tree_text(stage->json, "call"));

	assert_true(call > 0);
	effect.call = (enum plm_call)call;
	type = plm_call_request(effect.call);
	effect.request =
		request_from_json(type, plm_tree_get(stage->json, "request"), &stage->arena);
	effect.frozen = plm_wire_encode(type, effect.request, &stage->arena);
	effect.deadline_ms = plm_tree_int(stage->json, "deadline_ms", PLM_UNSET);
	(void)snprintf(effect.key, sizeof(effect.key), "key%llu", (unsigned long long)intent);
	port.submit(port.self, &effect);
}

void stage_run(struct stage *stage)
{
	int turns = 0;

	while (plm_kube_effector_under_way(stage->effector) > 0) {
		assert_true(turns++ < 100000);
		(void)uv_run(&stage->loop, UV_RUN_ONCE);
	}
}

const struct stage_result *stage_last(const struct stage *stage)
{
	assert_true(stage->result_count > 0);
	return &stage->results[stage->result_count - 1];
}
