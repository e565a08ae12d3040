/*
 * lift.h - a change that would lift the rule by which something waits, as data
 *
 * Owns: the actions, and the list of lifts that admission (admission/lift.h) and provisioning
 * (provision/lift.h) fill: which field of which object, by how much.
 * Does not: say them (status/render.h), or decide which one helps.
 */
#ifndef PLM_REDUCERS_LIFT_H
#define PLM_REDUCERS_LIFT_H

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
	  "without its parent")                                                                    \
	X(POOL_ALLOW, "allowInPool", "{detail} allowed by {kind} {object}")                        \
	X(POOL_LABEL, "labelPool", "the label {detail} in the template of {kind} {object}")        \
	X(POD_ALLOW, "allowInPod", "pods whose node selector and affinity allow {detail}")         \
	X(POOL_DROP, "dropFromPool", "{kind} {object} without its requirement on {detail}")        \
	X(POD_DROP, "dropFromPod", "pods that ask nothing of the label {detail}")                  \
	X(POD_REQUEST, "lowerPodRequest",                                                          \
	  "pods that request {need} {resource} less[, for which a {detail} will do]")              \
	X(POOL_LIMIT, "raisePoolLimit",                                                            \
	  "a limit of {resource} in {kind} {object} that is {need} higher")                        \
	X(POOL_SIZE, "raiseMaxSize", "a maxSize of {kind} {object} that is {need} higher")         \
	X(POOL_READY, "readyPool", "{kind} {object} ready[: {detail}]")                            \
	X(MIN_VALUES, "lowerMinValues", "fewer minValues of {detail} in {kind} {object}")          \
	X(STOCK, "stock", "{detail} in stock again[, which is asked anew at {until}]")             \
	X(OFFER, "offer", "{detail} offered by the cloud")                                         \
	X(SPREAD, "relaxTopology", "pods without this constraint: {detail}")                       \
	X(PORT, "changeHostPort", "another host port than {detail}")                               \
	X(RESERVATION, "freeReservation", "an instance of a capacity reservation free")            \
	X(SUBNET, "addSubnet", "a subnet of {kind} {object} where {detail}")                       \
	X(IMAGE, "addImage", "an image of {kind} {object} for {detail}")

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

const char *plm_lift_action_text(enum plm_lift_action action);
/* A new lift of the option at hand; NULL when the list is full. */
struct plm_lift *plm_lifts_put(struct plm_lifts *lifts, enum plm_lift_action action,
			       enum plm_kind kind, struct plm_slice name);
/* What comes now is another way. */
void plm_lifts_next(struct plm_lifts *lifts);

#endif
