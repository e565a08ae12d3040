/*
 * stage.h - one effector before a played API server
 *
 * Owns: the loop, the server, an inbox that collects RESULTs, and running until nothing is under way. A
 * case is a JSON file: call, request (request_json.h), objects, versions, what a watch has told.
 */
#ifndef PLM_TESTS_KUBE_STAGE_H
#define PLM_TESTS_KUBE_STAGE_H

#include "played.h"

#include "adapters/kube/effect.h"
#include "core/arena.h"

#define STAGE_RESULTS 256

struct stage_result {
	uint64_t intent;
	enum plm_result_class class;
	char code[64];
	char message[256];
};

struct stage {
	uv_loop_t loop;
	struct plm_kube_client played;
	struct plm_kube_effector *effector;
	struct stage_result results[STAGE_RESULTS];
	size_t result_count;
	bool full; /* the inbox says PLM_E_AGAIN */
	struct plm_arena arena;
	cJSON *json; /* the case */
};

void stage_init(struct stage *stage);
void stage_fini(struct stage *stage);
/* Read "golden/NAME.json" and put its objects into the server. */
void stage_load(struct stage *stage, const char *name);
/* Submit the call of the case as intent 'intent'. */
void stage_submit(struct stage *stage, uint64_t intent);
/* Until every effect has its final RESULT. */
void stage_run(struct stage *stage);
/* The last RESULT. */
const struct stage_result *stage_last(const struct stage *stage);
/* The whole file "golden/NAME", NULL: there is none. Freed by the caller. */
char *stage_file(const char *name);
void stage_write(const char *name, const char *text);

#endif
