/*
 * lift.h - what would lift the rule that a waiting workload is held by
 *
 * Owns: for an explanation and the state that it was made from, the changes after which that rule binds
 * no more, as data: which field of which object, by how much. Each is exact: applied to the manifests,
 * the workload is admitted or another rule is named (tests/prop/oracle/reasons.py). Pure; works on any
 * loaded state, as explain.h does.
 * Does not: say them (render.h), know rules of provisioning (their words are in render.c).
 */
#ifndef PLM_REDUCERS_ADMISSION_LIFT_H
#define PLM_REDUCERS_ADMISSION_LIFT_H

#include "core/state.h"

/* X(NAME, "action" in outputs, words) as templates of render.c; {need} is the amount, {detail} the key. */
#define PLM_LIFT_LIST(X)                                                                           \
	X(NONE, "", "")                                                                            \
	X(NOMINAL, "raiseNominalQuota",                                                            \
	  "{need} {resource} free in flavor {flavor}, or that much more nominalQuota in {kind} "   \
	  "{object}")                                                                              \
	X(BORROWING, "raiseBorrowingLimit",                                                        \
	  "a borrowingLimit of {kind} {object} for {resource} in flavor {flavor} that is {need} "  \
	  "higher")                                                                                \
	X(REQUEST, "lowerRequest",                                                                 \
	  "pods that request {need} {resource} less in sum[ (pod set {detail})]")                  \
	X(COVER, "coverResource",                                                                  \
	  "a flavor with {need} {resource} in ClusterQueue {object}, which does not cover it")     \
	X(CREATE, "create", "the {kind} {object}")                                                 \
	X(TOLERATE, "tolerate", "a toleration of taint {detail}[ of flavor {flavor}]")             \
	X(SELECT, "relaxSelector",                                                                 \
	  "a node selector and affinity that match {detail} of flavor {flavor} or leave it open")  \
	X(LABEL, "label", "the label {detail} on namespace {object}")                              \
	X(UNLABEL, "unlabel", "namespace {object} without the label {detail}")                     \
	X(SELECTOR, "selectNamespace",                                                             \
	  "a namespaceSelector in ClusterQueue {object}: without one it takes nothing")            \
	X(ACTIVATE, "activate", "the {kind} {object} active")                                      \
	X(RESUME, "resume", "the {kind} {object} resumed: stopPolicy None")                        \
	X(NAME_QUEUE, "nameQueue", "the label kueue.x-k8s.io/queue-name on {object}")              \
	X(CHECK, "readyCheck", "admission check {detail} ready for {object}")                      \
	X(UNGATE, "ungate", "{object} without its admission gate")                                 \
	X(WAIT, "wait", "the time {until}")                                                        \
	X(CYCLE, "nextCycle", "the next cycle")                                                    \
	X(REQUEUE, "requeue", "condition Requeued of {object} true")                               \
	X(FINISH, "finish", "{object} finished or gone")                                           \
	X(PARALLEL, "raiseMaxParallelJobs",                                                        \
	  "one of them finished, or a maxParallelJobs that is {need} higher in work queue "        \
	  "{object}")                                                                              \
	X(LIMIT, "raiseLimit", "a limit of {resource} that is {need} higher at {detail}")          \
	X(MAXIMUM, "raiseMaximum",                                                                 \
	  "a maximum of {resource} in {kind} {object} that is {need} higher")                      \
	X(MINIMUM, "lowerMinimum",                                                                 \
	  "a minimum of {resource} in {kind} {object} that is {need} lower")                       \
	X(BREAK_RING, "removeParent",                                                              \
	  "a parent of one of the cohorts that leads out of the ring, as cohort {object} "         \
	  "without its parent")

enum plm_lift_action {
#define PLM_LIFT_ENUM(name, action, words) PLM_LIFT_##name,
	PLM_LIFT_LIST(PLM_LIFT_ENUM)
#undef PLM_LIFT_ENUM
	PLM_LIFT_COUNT
};

/* Those of one 'option' must come together; each option is enough by itself. */
struct plm_lift {
	enum plm_lift_action action;
	uint32_t option;
	enum plm_kind kind; /* of the object that is to change */
	struct plm_slice ns, name;
	struct plm_slice flavor, resource;
	struct plm_slice key, value, effect;
	int64_t amount; /* by how much; a time for WAIT; PLM_UNSET = none */
};

/* Lists are cut at this many lifts; what comes first is enough by itself. */
#define PLM_LIFTS_MAX 32

struct plm_lifts {
	struct plm_lift list[PLM_LIFTS_MAX];
	uint32_t count;
	uint32_t options;
	bool full;
};

/* What lifts 'why', which is about 'workload'; none when the rule is not one of admission's. */
void plm_admission_lifts(const struct plm_state *st, plm_id workload,
			 const struct plm_w_explain *why, struct plm_lifts *out);

const char *plm_lift_action_text(enum plm_lift_action action);

#endif
