/*
 * The status of a Workload, whole, in one write.
 *
 * Its resourceVersion is the precondition, so that nothing of another writer is lost: conditions that are
 * not ours, and what the controllers of admission checks write. Conditions of ours that are not said any
 * more are taken back. When all of it is known to be ours
 * (known.h) no read goes before the write. v1beta1 spells some fields in another way.
 */
#include "adapters/kube/encode.h"

#include "adapters/kube/known.h"
#include "core/limits.h"
#include "core/timefmt.h"
#include "core/utf8.h"

static bool is_old(const struct plm_encode *in)
{
	const char *version = in->version(in->self, PLM_KUBE_RES_WORKLOADS);

	return version != NULL && strcmp(version, "v1beta1") == 0;
}

static void put_or_null(cJSON *map, const char *key, cJSON *value)
{
	plm_tree_put(map, plm_slice_str(key), value == NULL ? cJSON_CreateNull() : value);
}

/* ---- topology ------------------------------------------------------------------------------------ */

static const struct plm_slice *value_at(const struct plm_w_topology_domain *domain, size_t level)
{
	const struct plm_slice *values = domain->values.ptr;

	PLM_ASSERT(level < domain->values.count);
	return &values[level];
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Bytes that all values of 'level' begin (or end) with. */
static size_t common(struct plm_vec domains, size_t level, bool at_end, size_t most)
{
	const struct plm_w_topology_domain *list = domains.ptr;
	struct plm_slice first = *value_at(&list[0], level);
	size_t size = least(first.size, most);

	for (size_t i = 1; i < domains.count; i++) {
		struct plm_slice other = *value_at(&list[i], level);
		size_t same = 0;

		while (same < least(size, other.size) &&
		       first.ptr[at_end ? first.size - 1 - same : same] ==
			       other.ptr[at_end ? other.size - 1 - same : same]) {
			same++;
		}
		size = same;
	}
	return size;
}

static size_t shortest(struct plm_vec domains, size_t level)
{
	const struct plm_w_topology_domain *list = domains.ptr;
	size_t size = SIZE_MAX;

	for (size_t i = 0; i < domains.count; i++) {
		size = least(size, value_at(&list[i], level)->size);
	}
	return size;
}

/* Node names share most of their bytes: those are written once. */
static cJSON *individual(struct plm_vec domains, size_t level)
{
	const struct plm_w_topology_domain *list = domains.ptr;
	size_t most = shortest(domains, level);
	size_t head = common(domains, level, false, most);
	size_t tail = common(domains, level, true, most - head);
	struct plm_slice first = *value_at(&list[0], level);
	cJSON *roots = plm_tree_list();
	cJSON *out = plm_tree_map();

	for (size_t i = 0; i < domains.count; i++) {
		struct plm_slice value = *value_at(&list[i], level);

		plm_tree_add(roots, plm_tree_string(plm_slice_of(value.ptr + head,
								 value.size - head - tail)));
	}
	if (head > 0) {
		plm_tree_put_text(out, "prefix", plm_slice_of(first.ptr, head));
	}
	if (tail > 0) {
		plm_tree_put_text(out, "suffix", plm_slice_of(first.ptr + first.size - tail, tail));
	}
	plm_tree_put(out, plm_slice_str("roots"), roots);
	return out;
}

static bool all_same(struct plm_vec domains, size_t level)
{
	const struct plm_w_topology_domain *list = domains.ptr;

	for (size_t i = 1; i < domains.count; i++) {
		if (!plm_slice_equal(*value_at(&list[i], level), *value_at(&list[0], level))) {
			return false;
		}
	}
	return true;
}

static cJSON *pod_counts(struct plm_vec domains)
{
	const struct plm_w_topology_domain *list = domains.ptr;
	cJSON *each = plm_tree_list();
	cJSON *out = plm_tree_map();
	bool same = true;

	for (size_t i = 0; i < domains.count; i++) {
		same = same && list[i].count == list[0].count;
		plm_tree_add(each, plm_tree_number(list[i].count));
	}
	if (same) {
		plm_tree_put_int(out, "universal", list[0].count);
		cJSON_Delete(each);
	} else {
		plm_tree_put(out, plm_slice_str("individual"), each);
	}
	return out;
}

static cJSON *slices(const struct plm_w_assignment *w)
{
	const struct plm_w_topology_domain *list = w->domains.ptr;
	cJSON *levels = plm_tree_list();
	cJSON *slice = plm_tree_map();
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < w->levels.count; i++) {
		cJSON *level = plm_tree_map();

		if (all_same(w->domains, i)) {
			plm_tree_put_text(level, "universal", *value_at(&list[0], i));
		} else {
			plm_tree_put(level, plm_slice_str("individual"), individual(w->domains, i));
		}
		plm_tree_add(levels, level);
	}
	plm_tree_put_int(slice, "domainCount", (int64_t)w->domains.count);
	plm_tree_put(slice, plm_slice_str("valuesPerLevel"), levels);
	plm_tree_put(slice, plm_slice_str("podCounts"), pod_counts(w->domains));
	plm_tree_add(out, slice);
	return out;
}

static cJSON *domains(const struct plm_w_assignment *w)
{
	const struct plm_w_topology_domain *list = w->domains.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < w->domains.count; i++) {
		cJSON *domain = plm_tree_map();

		plm_tree_put_int(domain, "count", list[i].count);
		plm_tree_put(domain, plm_slice_str("values"), plm_tree_texts(list[i].values));
		plm_tree_add(out, domain);
	}
	return out;
}

static cJSON *topology(const struct plm_encode *in, const struct plm_w_assignment *w)
{
	cJSON *out = plm_tree_map();

	plm_tree_put(out, plm_slice_str("levels"), plm_tree_texts(w->levels));
	if (is_old(in)) {
		plm_tree_put(out, plm_slice_str("domains"), domains(w));
	} else {
		plm_tree_put(out, plm_slice_str("slices"), slices(w));
	}
	return out;
}

/* ---- admission ----------------------------------------------------------------------------------- */

static cJSON *assignment(const struct plm_encode *in, const struct plm_w_assignment *w)
{
	cJSON *flavors = plm_tree_over(NULL, w->flavors);
	cJSON *out = plm_tree_map();

	plm_tree_put_text(out, "name", w->name);
	plm_tree_put_int(out, "count", w->count);
	if (flavors != NULL) {
		plm_tree_put(out, plm_slice_str("flavors"), flavors);
	}
	if (w->usage.count > 0) {
		plm_tree_put(out, plm_slice_str("resourceUsage"), plm_tree_amounts(w->usage));
	}
	if (w->domains.count > 0) {
		plm_tree_put(out, plm_slice_str("topologyAssignment"), topology(in, w));
	}
	if (w->delayed != PLM_DELAYED_NOT) {
		plm_tree_put_string(out, "delayedTopologyRequest",
				    plm_names_text(&plm_names_delayed, w->delayed));
	}
	return out;
}

static cJSON *admission(const struct plm_encode *in)
{
	const struct plm_w_req_workload_status *request = in->request;
	const struct plm_w_assignment *list = request->assignments.ptr;
	cJSON *sets = NULL;
	cJSON *out = NULL;

	if (request->cluster_queue.size == 0) {
		return NULL;
	}
	sets = plm_tree_list();
	out = plm_tree_map();
	for (size_t i = 0; i < request->assignments.count; i++) {
		plm_tree_add(sets, assignment(in, &list[i]));
	}
	plm_tree_put_text(out, "clusterQueue", request->cluster_queue);
	plm_tree_put(out, plm_slice_str("podSetAssignments"), sets);
	return out;
}

/* ---- admission checks ---------------------------------------------------------------------------- */

static const cJSON *named(const cJSON *list, struct plm_slice name)
{
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (plm_slice_equal(plm_tree_text(at, "name"), name)) {
			return at;
		}
	}
	return NULL;
}

/*
 * A check's controller writes its entry too; what is newer stands. In the same second its word stands, but
 * that a refusal is taken back by us.
 */
static bool stands(const cJSON *had, const struct plm_w_check_status *w)
{
	struct plm_slice state = plm_tree_text(had, "state");
	int64_t had_ms = 0;
	int64_t mine_ms = w->since_ms - w->since_ms % PLM_MS_PER_SECOND;

	if (had == NULL ||
	    plm_time_parse(plm_tree_text(had, "lastTransitionTime"), &had_ms, NULL) != PLM_OK ||
	    had_ms < mine_ms) {
		return false;
	}
	return had_ms > mine_ms || w->state != PLM_CHECK_PENDING ||
	       plm_slice_is(state, plm_names_text(&plm_names_check_state, PLM_CHECK_PENDING)) ||
	       plm_slice_is(state, plm_names_text(&plm_names_check_state, PLM_CHECK_READY));
}

static cJSON *check(const cJSON *had, const struct plm_w_check_status *w)
{
	cJSON *out = NULL;

	if (stands(had, w)) {
		return plm_tree_copy(had);
	}
	out = plm_tree_map();
	plm_tree_put_text(out, "name", w->name);
	plm_tree_put_string(out, "state", plm_names_text(&plm_names_check_state, w->state));
	plm_tree_put_time(out, "lastTransitionTime", w->since_ms);
	plm_tree_put_text(out, "message", w->message);
	if (w->requeue_after_ms != PLM_UNSET) {
		plm_tree_put_int(out, "requeueAfterSeconds", w->requeue_after_ms / 1000);
	}
	if (w->retry_count != PLM_UNSET && w->retry_count > 0) {
		plm_tree_put_int(out, "retryCount", w->retry_count);
	}
	return out;
}

static cJSON *checks(struct plm_vec wanted, const cJSON *had)
{
	const struct plm_w_check_status *list = wanted.ptr;
	cJSON *out = NULL;

	for (size_t i = 0; i < wanted.count; i++) {
		out = out == NULL ? plm_tree_list() : out;
		plm_tree_add(out, check(named(had, list[i].name), &list[i]));
	}
	return out;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static cJSON *requeue_state(const struct plm_w_req_workload_status *request)
{
	cJSON *out = NULL;

	if ((request->requeue_count == PLM_UNSET || request->requeue_count == 0) &&
	    (request->requeue_at_ms == PLM_UNSET || request->requeue_at_ms == 0)) {
		return NULL;
	}
	out = plm_tree_map();
	if (request->requeue_count != PLM_UNSET) {
		plm_tree_put_int(out, "count", request->requeue_count);
	}
	if (request->requeue_at_ms != PLM_UNSET && request->requeue_at_ms != 0) {
		plm_tree_put_time(out, "requeueAt", request->requeue_at_ms);
	} else {
		put_or_null(out, "requeueAt", NULL);
	}
	return out;
}

static cJSON *evictions(struct plm_vec counts)
{
	const struct plm_w_evicted_count *list = counts.ptr;
	cJSON *all = NULL;
	cJSON *out = NULL;

	if (counts.count == 0) {
		return NULL;
	}
	all = plm_tree_list();
	out = plm_tree_map();
	for (size_t i = 0; i < counts.count; i++) {
		cJSON *one = plm_tree_map();

		plm_tree_put_text(one, "reason", list[i].reason);
		plm_tree_put_text(one, "underlyingCause", list[i].cause);
		plm_tree_put_int(one, "count", list[i].count);
		plm_tree_add(all, one);
	}
	plm_tree_put(out, plm_slice_str("evictions"), all);
	return out;
}

static cJSON *unhealthy(struct plm_vec nodes)
{
	const struct plm_slice *list = nodes.ptr;
	cJSON *out = NULL;

	for (size_t i = 0; i < nodes.count; i++) {
		cJSON *node = plm_tree_map();

		out = out == NULL ? plm_tree_list() : out;
		plm_tree_put_text(node, "name", list[i]);
		plm_tree_add(out, node);
	}
	return out;
}

static cJSON *reclaimable(struct plm_vec counts)
{
	const struct plm_w_pod_count *list = counts.ptr;
	cJSON *out = NULL;

	for (size_t i = 0; i < counts.count; i++) {
		cJSON *pods = plm_tree_map();

		out = out == NULL ? plm_tree_list() : out;
		plm_tree_put_text(pods, "name", list[i].name);
		plm_tree_put_int(pods, "count", list[i].count);
		plm_tree_add(out, pods);
	}
	return out;
}

static cJSON *seconds(int64_t value)
{
	return value == PLM_UNSET || value <= 0 ? NULL : plm_tree_number(value);
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static const struct plm_w_condition *said(struct plm_vec conditions, struct plm_slice type)
{
	const struct plm_w_condition *list = conditions.ptr;

	for (size_t i = 0; i < conditions.count; i++) {
		if (plm_slice_equal(list[i].type, type)) {
			return &list[i];
		}
	}
	return NULL;
}

/* As upstream takes it back: with the reason of what came instead, and what was said before. */
static cJSON *taken_back(const struct plm_encode *in, const cJSON *had,
			 const struct plm_w_condition *instead)
{
	struct plm_slice message = plm_tree_text(had, "message");
	cJSON *out = plm_tree_map();

	message = plm_arena_format(in->arena, "Previously: %.*s", (int)message.size,
				   (const char *)message.ptr);
	if (message.size > PLM_LIMIT_CONDITION_MESSAGE) {
		message.size =
			plm_utf8_prefix(plm_slice_of(message.ptr, PLM_LIMIT_CONDITION_MESSAGE));
	}
	plm_tree_put_text(out, "type", plm_tree_text(had, "type"));
	plm_tree_put_string(out, "status", "False");
	if (instead->generation != PLM_UNSET && instead->generation > 0) {
		plm_tree_put_int(out, "observedGeneration", instead->generation);
	}
	plm_tree_put_time(out, "lastTransitionTime", instead->since_ms);
	plm_tree_put_text(out, "reason", instead->reason);
	plm_tree_put_text(out, "message", message);
	return out;
}

/*
 * What is ours, stands as True and is not said any more, an eviction above all, is taken back when quota is
 * spoken of. An end is not: it is final, and one that we do not know of yet is told to us. Of a Workload
 * that has ended without quota all stays as it was.
 */
static cJSON *conditions(const struct plm_encode *in, const cJSON *had, struct plm_vec wanted)
{
	const struct plm_w_condition *quota = said(wanted, plm_slice_str("QuotaReserved"));
	cJSON *out = plm_encode_conditions(had, wanted);

	for (cJSON *at = out->child, *next = NULL; at != NULL && quota != NULL; at = next) {
		struct plm_slice type = plm_tree_text(at, "type");

		next = at->next;
		if (said(wanted, type) != NULL || !plm_known_is_ours(type) ||
		    !plm_tree_is(at, "status", "True") || plm_slice_is(type, "Finished")) {
			continue;
		}
		(void)cJSON_ReplaceItemViaPointer(out, at, taken_back(in, at, quota));
	}
	return out;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static cJSON *status(const struct plm_encode *in, const cJSON *had)
{
	const struct plm_w_req_workload_status *request = in->request;
	cJSON *out = plm_tree_map();

	put_or_null(out, "conditions",
		    conditions(in, plm_tree_get(had, "conditions"), request->conditions));
	put_or_null(out, "admission", admission(in));
	put_or_null(out, "admissionChecks",
		    checks(request->checks, plm_tree_get(had, "admissionChecks")));
	put_or_null(out, "requeueState", requeue_state(request));
	put_or_null(out, "reclaimablePods", reclaimable(request->reclaimable));
	put_or_null(out,
		    is_old(in) ? "accumulatedPastExexcutionTimeSeconds"
			       : "accumulatedPastExecutionTimeSeconds",
		    seconds(request->past_execution_s));
	put_or_null(out, "schedulingStats", evictions(request->evictions));
	put_or_null(out, "unhealthyNodes", unhealthy(request->unhealthy));
	return out;
}

static bool says_so(const cJSON *had, const cJSON *wanted)
{
	for (const cJSON *at = wanted->child; at != NULL; at = at->next) {
		const cJSON *is = plm_tree_get(had, at->string);

		if (cJSON_IsNull(at) ? is != NULL : !cJSON_Compare(is, at, true)) {
			return false;
		}
	}
	return true;
}

static void write_status(const struct plm_encode *in, struct plm_step *out,
			 struct plm_slice revision, cJSON *wanted)
{
	const struct plm_w_req_workload_status *request = in->request;
	struct plm_target target = plm_encode_target(in->call, request);
	cJSON *meta = plm_tree_map();
	cJSON *body = plm_tree_map();

	if (request->uid.size > 0) {
		plm_tree_put_text(meta, "uid", request->uid);
	}
	plm_tree_put_text(meta, "resourceVersion", revision);
	plm_tree_put(body, plm_slice_str("metadata"), meta);
	plm_tree_put(body, plm_slice_str("status"), wanted);
	out->kind = PLM_STEP_WRITE;
	out->resource = target.resource;
	out->ns = target.ns;
	out->name = target.name;
	out->verb = PLM_KUBE_PATCH_MERGE;
	out->subresource = "status";
	out->body = plm_tree_print(body, in->arena);
	cJSON_Delete(body);
}

void plm_encode_workload_status(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_workload_status *request = in->request;
	const cJSON *workload = NULL;
	cJSON *wanted = NULL;

	if (in->reads[PLM_READ_TARGET].state == PLM_READ_NOT_YET && in->known != NULL &&
	    request->checks.count == 0 && plm_known_covered(in->known, request->conditions)) {
		write_status(in, out, plm_slice_str(in->known->revision), status(in, NULL));
		return;
	}
	workload = plm_encode_object(in, out, plm_encode_target(in->call, request), request->uid,
				     PLM_RESULT_CONFLICT);
	if (workload == NULL) {
		return;
	}
	wanted = status(in, plm_tree_get(workload, "status"));
	if (says_so(plm_tree_get(workload, "status"), wanted)) {
		cJSON_Delete(wanted);
		plm_step_answer(out, PLM_RESULT_ALREADY_DONE, "");
		return;
	}
	write_status(in, out, plm_tree_text(plm_tree_get(workload, "metadata"), "resourceVersion"),
		     wanted);
}
