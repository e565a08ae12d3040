/*
 * Admission checks as a Workload's status lists them: kueue.md 2.14.
 *
 * Whoever answers a check looks for its entry, so a workload that gets quota gets the missing ones as
 * Pending; what was answered stands, what an eviction has used up is Pending again (reducers/cluster/life.h).
 * The check for capacity is answered here.
 */
#include "reducers/admission/activity.h"
#include "reducers/publish/publish.h"

static struct plm_vec kv_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_kv *from = PLM_SPAN(p->st, span, struct plm_kv, &count);
	struct plm_w_kv *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_kv);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_kv){plm_str(p->st, from[i].key),
					   plm_str(p->st, from[i].value)};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec tolerations_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_toleration *from = PLM_SPAN(p->st, span, struct plm_toleration, &count);
	struct plm_w_toleration *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_toleration);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_toleration){
			.key = plm_str(p->st, from[i].key),
			.op = from[i].op,
			.value = plm_str(p->st, from[i].value),
			.effect = from[i].effect,
			.seconds = from[i].seconds,
		};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec updates_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_pod_set_update *from =
		PLM_SPAN(p->st, span, struct plm_pod_set_update, &count);
	struct plm_w_pod_set_update *out =
		PLM_NEW_ARRAY(p->arena, count, struct plm_w_pod_set_update);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_pod_set_update){
			.name = plm_str(p->st, from[i].name),
			.labels = kv_of(p, from[i].labels),
			.annotations = kv_of(p, from[i].annotations),
			.node_selector = kv_of(p, from[i].node_selector),
			.tolerations = tolerations_of(p, from[i].tolerations),
		};
	}
	return (struct plm_vec){out, count};
}

static struct plm_w_check_status entry(const struct plm_publish_pass *p,
				       const struct plm_check_status *from)
{
	return (struct plm_w_check_status){
		.name = plm_str(p->st, from->name),
		.state = from->state,
		.since_ms = from->since_ms,
		.requeue_after_ms = from->requeue_after_ms,
		.retry_count = from->retry_count,
		.message = plm_str(p->st, from->message),
		.updates = updates_of(p, from->updates),
	};
}

/* Of 'name', known or not. Ours is Ready with the admission. */
static struct plm_w_check_status needed(const struct plm_publish_pass *p,
					const struct plm_workload *workload, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_check_status *known =
		PLM_SPAN(p->st, workload->checks, struct plm_check_status, &count);
	bool ours = plm_check_is_capacity(p->st, name);
	bool ready = ours && workload->stage == PLM_STAGE_ADMITTED;

	for (uint32_t i = 0; i < count && !ours; i++) {
		if (plm_sym_equal(known[i].name, name)) {
			return entry(p, &known[i]);
		}
	}
	return (struct plm_w_check_status){
		.name = plm_str(p->st, name),
		.state = ready ? PLM_CHECK_READY : PLM_CHECK_PENDING,
		.since_ms = ready ? workload->admitted_ms : workload->reserved_ms,
		.requeue_after_ms = PLM_UNSET,
	};
}

static struct plm_vec known_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_check_status *from =
		PLM_SPAN(p->st, span, struct plm_check_status, &count);
	struct plm_w_check_status *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_check_status);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = entry(p, &from[i]);
	}
	return (struct plm_vec){out, count};
}

struct plm_vec plm_publish_checks(const struct plm_publish_pass *p, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	bool held = workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
	struct plm_w_check_status *out = NULL;
	plm_sym *names = NULL;
	uint32_t count = 0;

	if (!held || workload->cluster_queue.n == 0) {
		return known_of(p, workload->checks);
	}
	count = plm_checks_needed_held(p->st, workload, p->arena, &names);
	out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_check_status);
	for (uint32_t i = 0; i < count; i++) {
		out[i] = needed(p, workload, names[i]);
	}
	return (struct plm_vec){out, count};
}
