#include "adapters/kube/encode.h"

#include "core/units.h"

/* ---- which call, on which object ----------------------------------------------------------------- */

struct row {
	enum plm_call call;
	void (*encode)(const struct plm_encode *in, struct plm_step *out);
};

static const struct row rows[] = {
	{PLM_CALL_JOB_START, plm_encode_job_start},
	{PLM_CALL_JOB_STOP, plm_encode_job_stop},
	{PLM_CALL_POD_CREATE, plm_encode_pod_create},
	{PLM_CALL_POD_EVICT, plm_encode_pod_evict},
	{PLM_CALL_POD_DELETE, plm_encode_pod_delete},
	{PLM_CALL_NODE_TAINT, plm_encode_node_taint},
	{PLM_CALL_NODE_DELETE, plm_encode_node_delete},
	{PLM_CALL_POD_UNGATE, plm_encode_pod_ungate},
	{PLM_CALL_JOB_DELETE, plm_encode_job_delete},
	{PLM_CALL_WORKLOAD_DELETE, plm_encode_workload_delete},
	{PLM_CALL_WORKLOAD_DEACTIVATE, plm_encode_workload_deactivate},
	{PLM_CALL_NODE_SYNC, plm_encode_node_sync},
	{PLM_CALL_ANNOTATE, plm_encode_annotate},
	{PLM_CALL_CLAIM_DELETE, plm_encode_claim_delete},
	{PLM_CALL_CLAIM_FINALIZE, plm_encode_claim_finalize},
	{PLM_CALL_NODE_FINALIZE, plm_encode_node_finalize},
	{PLM_CALL_WORKLOAD_CREATE, plm_encode_workload_create},
	{PLM_CALL_WORKLOAD_STATUS, plm_encode_workload_status},
	{PLM_CALL_CLAIM_CREATE, plm_encode_claim_create},
	{PLM_CALL_CLAIM_STATUS, plm_encode_claim_status},
	{PLM_CALL_QUEUE_STATUS, plm_encode_queue_status},
	{PLM_CALL_POOL_STATUS, plm_encode_pool_status},
	{PLM_CALL_CLASS_STATUS, plm_encode_class_status},
	{PLM_CALL_POD_FINALIZE, plm_encode_pod_finalize},
};

static const struct row *row_of(enum plm_call call)
{
	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		if (rows[i].call == call) {
			return &rows[i];
		}
	}
	return NULL;
}

bool plm_encode_knows(enum plm_call call)
{
	return row_of(call) != NULL;
}

void plm_encode(const struct plm_encode *in, struct plm_step *out)
{
	const struct row *row = row_of(in->call);

	PLM_ASSERT(row != NULL);
	*out = (struct plm_step){.subresource = "", .code = ""};
	row->encode(in, out);
}

static struct plm_target of_kind(int64_t kind, struct plm_slice ns, struct plm_slice name)
{
	return (struct plm_target){plm_kube_resource_of((enum plm_kind)kind), ns, name};
}

static struct plm_target cluster_wide(enum plm_kube_resource_id resource, struct plm_slice name)
{
	return (struct plm_target){.resource = resource, .name = name};
}

static struct plm_target pod_of(enum plm_call call, const void *request)
{
	const struct plm_w_req_pod_create *create = request;
	const struct plm_w_req_pod_ungate *ungate = request;
	const struct plm_w_req_pod *pod = request;

	if (call == PLM_CALL_POD_CREATE) {
		return (struct plm_target){PLM_KUBE_RES_PODS, create->ns, create->name};
	}
	if (call == PLM_CALL_POD_UNGATE) {
		return (struct plm_target){PLM_KUBE_RES_PODS, ungate->ns, ungate->name};
	}
	return (struct plm_target){PLM_KUBE_RES_PODS, pod->ns, pod->name};
}

static struct plm_target work_of(enum plm_call call, const void *request)
{
	const struct plm_w_req_workload_create *create = request;
	const struct plm_w_req_workload_status *status = request;
	const struct plm_w_req_job_start *start = request;
	const struct plm_w_req_job_stop *stop = request;
	const struct plm_w_req_work *work = request;

	switch ((int)call) {
	case PLM_CALL_WORKLOAD_CREATE:
		return (struct plm_target){PLM_KUBE_RES_WORKLOADS, create->ns, create->name};
	case PLM_CALL_WORKLOAD_STATUS:
		return (struct plm_target){PLM_KUBE_RES_WORKLOADS, status->ns, status->name};
	case PLM_CALL_JOB_START:
		return of_kind(start->kind, start->ns, start->name);
	case PLM_CALL_JOB_STOP:
		return of_kind(stop->kind, stop->ns, stop->name);
	default:
		return of_kind(work->kind, work->ns, work->name);
	}
}

static struct plm_target node_or_claim_of(enum plm_call call, const void *request)
{
	const struct plm_w_req_node_taint *taint = request;
	const struct plm_w_req_node_sync *sync = request;
	const struct plm_w_req_node_delete *node = request;
	const struct plm_w_req_claim *claim = request;
	const struct plm_w_req_claim_create *create = request;
	const struct plm_w_req_claim_status *status = request;

	switch ((int)call) {
	case PLM_CALL_NODE_TAINT:
		return cluster_wide(PLM_KUBE_RES_NODES, taint->node);
	case PLM_CALL_NODE_SYNC:
		return cluster_wide(PLM_KUBE_RES_NODES, sync->node);
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
		return cluster_wide(PLM_KUBE_RES_NODES, node->node);
	case PLM_CALL_CLAIM_CREATE:
		return cluster_wide(PLM_KUBE_RES_NODE_CLAIMS, create->name);
	case PLM_CALL_CLAIM_STATUS:
		return cluster_wide(PLM_KUBE_RES_NODE_CLAIMS, status->name);
	default:
		return cluster_wide(PLM_KUBE_RES_NODE_CLAIMS, claim->name);
	}
}

struct plm_target plm_encode_target(enum plm_call call, const void *request)
{
	const struct plm_w_req_annotate *annotate = request;
	const struct plm_w_req_queue_status *queue = request;
	const struct plm_w_req_pool_status *pool = request;
	const struct plm_w_req_class_status *class = request;

	switch ((int)call) {
	case PLM_CALL_POD_CREATE:
	case PLM_CALL_POD_UNGATE:
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_POD_FINALIZE:
		return pod_of(call, request);
	case PLM_CALL_ANNOTATE:
		return of_kind(annotate->kind, (struct plm_slice){0}, annotate->name);
	case PLM_CALL_QUEUE_STATUS:
		return of_kind(queue->kind, queue->ns, queue->name);
	case PLM_CALL_POOL_STATUS:
		return cluster_wide(PLM_KUBE_RES_NODE_POOLS, pool->name);
	case PLM_CALL_CLASS_STATUS:
		return cluster_wide(PLM_KUBE_RES_NODE_CLASSES, class->name);
	case PLM_CALL_JOB_START:
	case PLM_CALL_JOB_STOP:
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
		return work_of(call, request);
	default:
		return node_or_claim_of(call, request);
	}
}

/* ---- steps --------------------------------------------------------------------------------------- */

static void aim(struct plm_step *out, struct plm_target target, enum plm_kube_verb verb)
{
	out->resource = target.resource;
	out->ns = target.ns;
	out->name = target.name;
	out->verb = verb;
}

void plm_step_read(struct plm_step *out, enum plm_read read, struct plm_target target)
{
	out->kind = PLM_STEP_READ;
	out->read = read;
	aim(out, target, PLM_KUBE_GET);
}

void plm_step_answer(struct plm_step *out, enum plm_result_class class, const char *code)
{
	out->kind = PLM_STEP_ANSWER;
	out->class = class;
	out->code = code;
}

void plm_step_patch(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		    struct plm_patch *patch)
{
	if (!patch->changes) {
		plm_step_answer(out, PLM_RESULT_ALREADY_DONE, "");
	} else {
		out->kind = PLM_STEP_WRITE;
		aim(out, target, PLM_KUBE_PATCH_JSON);
		out->body = plm_tree_print(patch->ops, in->arena);
	}
	plm_patch_fini(patch);
}

void plm_step_create(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		     cJSON *body)
{
	out->kind = PLM_STEP_WRITE;
	aim(out, target, PLM_KUBE_CREATE);
	out->name = (struct plm_slice){0};
	out->body = plm_tree_print(body, in->arena);
	cJSON_Delete(body);
}

cJSON *plm_encode_delete_options(struct plm_slice uid, int64_t grace_ms)
{
	cJSON *options = plm_tree_map();

	plm_tree_put_string(options, "apiVersion", "v1");
	plm_tree_put_string(options, "kind", "DeleteOptions");
	if (uid.size > 0) {
		cJSON *preconditions = plm_tree_map();

		plm_tree_put_text(preconditions, "uid", uid);
		plm_tree_put(options, plm_slice_str("preconditions"), preconditions);
	}
	if (grace_ms != PLM_UNSET) {
		plm_tree_put_int(options, "gracePeriodSeconds", plm_div_ceil(grace_ms, 1000));
	}
	return options;
}

static bool is_of(const cJSON *object, struct plm_slice uid)
{
	return uid.size == 0 ||
	       plm_slice_equal(plm_tree_text(plm_tree_get(object, "metadata"), "uid"), uid);
}

const cJSON *plm_encode_object(const struct plm_encode *in, struct plm_step *out,
			       struct plm_target target, struct plm_slice uid,
			       enum plm_result_class absent)
{
	const struct plm_read_object *read = &in->reads[PLM_READ_TARGET];

	if (read->state == PLM_READ_NOT_YET) {
		plm_step_read(out, PLM_READ_TARGET, target);
		return NULL;
	}
	if (read->state == PLM_READ_ABSENT || !is_of(read->object, uid)) {
		plm_step_answer(out, absent, "NotFound");
		return NULL;
	}
	return read->object;
}

bool plm_encode_looked(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		       struct plm_slice uid)
{
	return !in->look ||
	       plm_encode_object(in, out, target, uid, PLM_RESULT_ALREADY_DONE) != NULL;
}

void plm_step_delete(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		     struct plm_slice uid, int64_t grace_ms)
{
	cJSON *options = NULL;

	if (!plm_encode_looked(in, out, target, uid)) {
		return;
	}
	options = plm_encode_delete_options(uid, grace_ms);
	out->kind = PLM_STEP_WRITE;
	aim(out, target, PLM_KUBE_DELETE);
	out->gone_is_done = true;
	if (target.resource != PLM_KUBE_RES_PODS) {
		plm_tree_put_string(options, "propagationPolicy", "Background");
	}
	out->body = plm_tree_print(options, in->arena);
	cJSON_Delete(options);
}

bool plm_encode_other(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		      const cJSON **out_object)
{
	const struct plm_read_object *read = &in->reads[PLM_READ_OTHER];

	*out_object = read->state == PLM_READ_THERE ? read->object : NULL;
	if (read->state != PLM_READ_NOT_YET) {
		return true;
	}
	plm_step_read(out, PLM_READ_OTHER, target);
	return false;
}

/* The name is taken: by this very intent, or by somebody else. */
void plm_encode_name_taken(const struct plm_encode *in, struct plm_step *out,
			   struct plm_target target)
{
	const cJSON *there = NULL;

	if (!plm_encode_other(in, out, target, &there)) {
		return;
	}
	if (there == NULL) {
		plm_step_answer(out, PLM_RESULT_CONFLICT, "AlreadyExists"); /* and gone since */
	} else if (plm_slice_equal(
			   plm_tree_text(plm_tree_at(there, "metadata.labels"), PLM_LABEL_INTENT),
			   in->key)) {
		plm_step_answer(out, PLM_RESULT_ALREADY_DONE, "AlreadyExists");
	} else {
		plm_step_answer(out, PLM_RESULT_CONFLICT, "AlreadyExists");
	}
}

/* ---- parts --------------------------------------------------------------------------------------- */

const char *plm_encode_api_version(const struct plm_encode *in, enum plm_kube_resource_id id)
{
	const struct plm_kube_resource *resource = plm_kube_resource(id);
	const char *version = in->version(in->self, id);

	version = version == NULL ? resource->versions[0] : version;
	return resource->group[0] == '\0' ? version
					  : (const char *)plm_arena_format(in->arena, "%s/%s",
									   resource->group, version)
						    .ptr;
}

cJSON *plm_encode_meta(const struct plm_encode *in, struct plm_target target, struct plm_vec labels)
{
	const struct plm_w_kv intent = {plm_slice_str(PLM_LABEL_INTENT), in->key};
	cJSON *meta = plm_tree_map();
	cJSON *mine = plm_tree_over(NULL, (struct plm_vec){&intent, 1});

	plm_tree_put_text(meta, "name", target.name);
	if (target.ns.size > 0) {
		plm_tree_put_text(meta, "namespace", target.ns);
	}
	plm_tree_put(meta, plm_slice_str("labels"), plm_tree_over(mine, labels));
	cJSON_Delete(mine);
	return meta;
}

cJSON *plm_encode_owner(const struct plm_encode *in, enum plm_kube_resource_id resource,
			struct plm_slice name, struct plm_slice uid)
{
	cJSON *owner = plm_tree_map();

	plm_tree_put_string(owner, "apiVersion", plm_encode_api_version(in, resource));
	plm_tree_put_string(owner, "kind", plm_kube_resource(resource)->kind);
	plm_tree_put_text(owner, "name", name);
	plm_tree_put_text(owner, "uid", uid);
	return owner;
}

cJSON *plm_encode_taint(const struct plm_w_taint *taint)
{
	cJSON *node = plm_tree_map();

	plm_tree_put_text(node, "key", taint->key);
	if (taint->value.size > 0) {
		plm_tree_put_text(node, "value", taint->value);
	}
	plm_tree_put_string(node, "effect", plm_names_text(&plm_names_taint_effect, taint->effect));
	return node;
}

cJSON *plm_encode_taints(struct plm_vec taints)
{
	const struct plm_w_taint *list = taints.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < taints.count; i++) {
		plm_tree_add(out, plm_encode_taint(&list[i]));
	}
	return out;
}

static cJSON *toleration(const struct plm_w_toleration *w)
{
	const char *op = plm_names_text(&plm_names_toleration_op, w->op);
	const char *effect = plm_names_text(&plm_names_taint_effect, w->effect);
	cJSON *node = plm_tree_map();

	if (w->key.size > 0) {
		plm_tree_put_text(node, "key", w->key);
	}
	if (op[0] != '\0') {
		plm_tree_put_string(node, "operator", op);
	}
	if (w->value.size > 0) {
		plm_tree_put_text(node, "value", w->value);
	}
	if (effect[0] != '\0') {
		plm_tree_put_string(node, "effect", effect);
	}
	if (w->seconds != PLM_UNSET) {
		plm_tree_put_int(node, "tolerationSeconds", w->seconds);
	}
	return node;
}

/* Equal is what no operator says. */
static bool same_operator(const cJSON *a, const cJSON *b)
{
	struct plm_slice had = plm_tree_text(a, "operator");
	struct plm_slice other = plm_tree_text(b, "operator");

	had = had.size == 0 ? plm_slice_str("Equal") : had;
	other = other.size == 0 ? plm_slice_str("Equal") : other;
	return plm_slice_equal(had, other);
}

static bool same_toleration(const cJSON *a, const cJSON *b)
{
	return same_operator(a, b) &&
	       plm_slice_equal(plm_tree_text(a, "key"), plm_tree_text(b, "key")) &&
	       plm_slice_equal(plm_tree_text(a, "value"), plm_tree_text(b, "value")) &&
	       plm_slice_equal(plm_tree_text(a, "effect"), plm_tree_text(b, "effect")) &&
	       plm_tree_int(a, "tolerationSeconds", PLM_UNSET) ==
		       plm_tree_int(b, "tolerationSeconds", PLM_UNSET);
}

cJSON *plm_encode_tolerations(const cJSON *list, struct plm_vec more)
{
	const struct plm_w_toleration *added = more.ptr;
	cJSON *out = cJSON_IsArray(list) ? plm_tree_copy(list) : plm_tree_list();

	for (size_t i = 0; i < more.count; i++) {
		cJSON *node = toleration(&added[i]);
		bool there = false;

		for (const cJSON *at = out->child; at != NULL && !there; at = at->next) {
			there = same_toleration(at, node);
		}
		if (there) {
			cJSON_Delete(node);
		} else {
			plm_tree_add(out, node);
		}
	}
	if (out->child == NULL && list == NULL) {
		cJSON_Delete(out);
		return NULL;
	}
	return out;
}

cJSON *plm_encode_gates(const cJSON *list, struct plm_slice gate)
{
	cJSON *out = plm_tree_copy(list);
	cJSON *node = NULL;

	if (gate.size == 0) {
		return out;
	}
	out = out == NULL ? plm_tree_list() : out;
	for (const cJSON *at = out->child; at != NULL; at = at->next) {
		if (plm_slice_equal(plm_tree_text(at, "name"), gate)) {
			return out;
		}
	}
	node = plm_tree_map();
	plm_tree_put_text(node, "name", gate);
	plm_tree_add(out, node);
	return out;
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static const cJSON *condition_of(const cJSON *list, struct plm_slice type)
{
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		if (plm_slice_equal(plm_tree_text(at, "type"), type)) {
			return at;
		}
	}
	return NULL;
}

/* When its status does not flip, the time of the last flip is what it was. */
static cJSON *condition(const cJSON *had, const struct plm_w_condition *w)
{
	cJSON *node = plm_tree_map();

	plm_tree_put_text(node, "type", w->type);
	plm_tree_put_text(node, "status", w->status);
	if (w->generation != PLM_UNSET && w->generation > 0) {
		plm_tree_put_int(node, "observedGeneration", w->generation);
	}
	if (had != NULL && plm_slice_equal(plm_tree_text(had, "status"), w->status)) {
		plm_tree_put_text(node, "lastTransitionTime",
				  plm_tree_text(had, "lastTransitionTime"));
	} else {
		plm_tree_put_time(node, "lastTransitionTime", w->since_ms);
	}
	plm_tree_put_text(node, "reason", w->reason);
	plm_tree_put_text(node, "message", w->message);
	return node;
}

static bool is_said(struct plm_vec conditions, const cJSON *had)
{
	const struct plm_w_condition *list = conditions.ptr;

	for (size_t i = 0; i < conditions.count; i++) {
		if (plm_slice_equal(list[i].type, plm_tree_text(had, "type"))) {
			return true;
		}
	}
	return false;
}

cJSON *plm_encode_conditions(const cJSON *had, struct plm_vec conditions)
{
	const struct plm_w_condition *list = conditions.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < conditions.count; i++) {
		if (list[i].status.size > 0) {
			plm_tree_add(out, condition(condition_of(had, list[i].type), &list[i]));
		}
	}
	for (const cJSON *at = had == NULL ? NULL : had->child; at != NULL; at = at->next) {
		if (!is_said(conditions, at)) {
			plm_tree_add(out, plm_tree_copy(at));
		}
	}
	return out;
}
