/* ClusterQueues and LocalQueues: how many wait and run, and what they hold. */
#include "core/limits.h"
#include "reducers/publish/print.h"
#include "reducers/publish/publish.h"
#include "reducers/status/board.h"

/* One queue's status, on its way into a request. */
struct saying {
	const struct plm_publish_pass *p;
	const struct plm_object *object;
	const struct plm_queue_active *active;
	const struct plm_queue_counts *counts;
	const struct plm_quota_lines *lines;
	int64_t share;
};

static struct plm_slice text(const struct plm_publish_pass *p, plm_sym sym)
{
	return plm_str(p->st, sym);
}

static struct plm_vec lines_of(const struct saying *s)
{
	struct plm_w_quota_use *out =
		PLM_NEW_ARRAY(s->p->arena, s->lines->count, struct plm_w_quota_use);

	for (uint32_t i = 0; i < s->lines->count; i++) {
		const struct plm_quota_line *from = &s->lines->list[i];

		out[i] = (struct plm_w_quota_use){
			.flavor = text(s->p, from->flavor),
			.resource = text(s->p, from->resource),
			.reserved = from->reserved,
			.used = from->used,
			.borrowed = from->borrowed,
		};
	}
	return (struct plm_vec){out, s->lines->count};
}

static struct plm_vec conditions_of(const struct saying *s)
{
	struct plm_w_condition *out = PLM_NEW(s->p->arena, struct plm_w_condition);

	*out = (struct plm_w_condition){
		.type = plm_slice_str("Active"),
		.status = plm_slice_str(s->active->is_true ? "True" : "False"),
		.reason = s->active->reason,
		.message = s->active->message,
		.since_ms = s->p->now_ms,
	};
	return (struct plm_vec){out, 1};
}

static struct plm_w_req_queue_status *request_of(const struct saying *s)
{
	struct plm_w_req_queue_status *request =
		PLM_NEW(s->p->arena, struct plm_w_req_queue_status);

	request->kind = s->object->kind;
	request->ns = text(s->p, s->object->ns);
	request->name = text(s->p, s->object->name);
	request->uid = text(s->p, s->object->uid);
	request->pending = s->counts->pending + s->counts->inadmissible;
	request->reserving = s->counts->reserving;
	request->admitted = s->counts->admitted;
	request->lines = lines_of(s);
	request->conditions = conditions_of(s);
	request->share = s->share;
	return request;
}

/* Never 0. */
static uint64_t print_of(const struct plm_w_req_queue_status *request)
{
	const struct plm_w_quota_use *line = request->lines.ptr;
	const struct plm_w_condition *active = request->conditions.ptr;
	uint64_t print = plm_print_number(PLM_PRINT_BASIS, request->pending);

	print = plm_print_number(print, request->reserving);
	print = plm_print_number(print, request->admitted);
	print = plm_print_number(print, request->share);
	print = plm_print_text(print, active->status);
	print = plm_print_text(print, active->reason);
	print = plm_print_text(print, active->message);
	for (size_t i = 0; i < request->lines.count; i++) {
		print = plm_print_text(print, line[i].flavor);
		print = plm_print_text(print, line[i].resource);
		print = plm_print_number(print, line[i].reserved);
		print = plm_print_number(print, line[i].used);
		print = plm_print_number(print, line[i].borrowed);
	}
	return print == 0 ? 1 : print;
}

/* True when there was something to say. */
static bool say(const struct saying *s, uint64_t written_print)
{
	const struct plm_w_req_queue_status *request = request_of(s);
	uint64_t print = print_of(request);
	struct plm_w_intent *intent = NULL;

	if (print == written_print) {
		return false;
	}
	intent = PLM_NEW(s->p->arena, struct plm_w_intent);
	*intent = (struct plm_w_intent){
		.call = PLM_CALL_QUEUE_STATUS,
		.kind = request->kind,
		.ns = request->ns,
		.name = request->name,
		.uid = request->uid,
		.encoder = PLM_ENCODER_VERSION,
		.deadline_ms = PLM_UNSET,
		.print = (int64_t)print,
	};
	(void)plm_out_intent(s->p->out, intent, request, PLM_CAUSE_CYCLE);
	return true;
}

static bool may_write(const struct plm_publish_pass *p, const struct plm_object *object,
		      uint32_t writing, int64_t at_ms)
{
	return object->seq != 0 && object->deleting_ms == PLM_UNSET && writing == 0 &&
	       at_ms <= p->now_ms;
}

void plm_publish_queues(const struct plm_publish_pass *p, uint32_t *room)
{
	struct plm_board board;

	if (plm_root(p->st)->board_look == 0) {
		return;
	}
	plm_status_board(p->st, p->arena, &board);
	PLM_EACH(p->st, cluster_queue, id)
	{
		const struct plm_cluster_queue *queue = plm_cluster_queue_at(p->st, id);
		const struct plm_queue_status *from = &board.queues[id.n];
		const struct saying s = {p,
					 &queue->object,
					 &from->active,
					 &from->counts,
					 &from->lines,
					 from->weighted_share};

		if (*room > 0 && may_write(p, &queue->object, queue->writing, queue->write_at_ms)) {
			*room -= say(&s, queue->written_print) ? 1 : 0;
		}
	}
	PLM_EACH(p->st, local_queue, id)
	{
		const struct plm_local_queue *queue = plm_local_queue_at(p->st, id);
		const struct plm_local_status *from = &board.locals[id.n];
		const struct saying s = {
			p, &queue->object, &from->active, &from->counts, &from->lines, PLM_UNSET};

		if (*room > 0 && may_write(p, &queue->object, queue->writing, queue->write_at_ms)) {
			*room -= say(&s, queue->written_print) ? 1 : 0;
		}
	}
}

int64_t plm_publish_queues_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);

	return root->board_dirty == 1 ? plm_max(root->board_at_ms, root->say_at_ms) : PLM_UNSET;
}

/* ---- fold ---------------------------------------------------------------------------------------- */

/* Events after which a queue may say something else. */
static bool moves_board(uint16_t type)
{
	switch ((uint32_t)type) {
	case PLM_EV_FLAVOR:
	case PLM_EV_COHORT:
	case PLM_EV_CLUSTER_QUEUE:
	case PLM_EV_LOCAL_QUEUE:
	case PLM_EV_ADMISSION_CHECK:
	case PLM_EV_TOPOLOGY:
	case PLM_EV_WORKLOAD:
	case PLM_EV_WORKLOAD_PATCH:
	case PLM_EV_JOB:
	case PLM_EV_GONE:
	case PLM_EV_CONFIG:
	case PLM_EV_RESERVE:
	case PLM_EV_ADMIT:
	case PLM_EV_PEND:
	case PLM_EV_EVICT:
	case PLM_EV_RELEASE:
	case PLM_EV_REQUEUE:
	case PLM_EV_FINISH:
		return true;
	default:
		return false;
	}
}

/* Was a queue written so shortly before that it is passed over at 'now_ms'? */
static bool some_rest(const struct plm_state *st, int64_t now_ms)
{
	PLM_EACH(st, cluster_queue, id)
	{
		if (plm_cluster_queue_at(st, id)->write_at_ms > now_ms) {
			return true;
		}
	}
	PLM_EACH(st, local_queue, id)
	{
		if (plm_local_queue_at(st, id)->write_at_ms > now_ms) {
			return true;
		}
	}
	return false;
}

void plm_publish_fold_board(struct plm_state *st, const struct plm_event *ev)
{
	const struct plm_root *root = plm_root(st);

	if ((root->publish & PLM_PUBLISH_QUEUES) == 0) {
		return;
	}
	if (ev->type == PLM_EV_CYCLE && (root->board_dirty == 1 || root->board_look == 1)) {
		int64_t now_ms = ((const struct plm_w_cycle *)ev->payload)->now_ms;
		bool look = root->board_dirty == 1 &&
			    plm_max(root->board_at_ms, root->say_at_ms) <= now_ms;

		plm_root_change(st)->board_look = look;
		if (look) {
			plm_root_change(st)->board_dirty = some_rest(st, now_ms) ? 1 : 0;
			plm_root_change(st)->board_at_ms =
				plm_add_sat(now_ms, PLM_LIMIT_BOARD_EVERY_MS);
		}
	} else if (root->board_dirty == 0 && moves_board(ev->type)) {
		plm_root_change(st)->board_dirty = 1;
	}
}

/* Another look: somebody may not have had his turn, and the answer is to be seen to. */
static void look_again(struct plm_state *st)
{
	plm_root_change(st)->board_dirty = 1;
}

void plm_publish_queue_asked(struct plm_state *st, enum plm_kind kind, plm_id id, uint64_t print)
{
	int64_t next_ms = plm_add_sat(plm_root(st)->now_ms, PLM_LIMIT_BOARD_OBJECT_MS);

	PLM_ASSERT(kind == PLM_KIND_CLUSTER_QUEUE || kind == PLM_KIND_LOCAL_QUEUE);
	if (kind == PLM_KIND_CLUSTER_QUEUE) {
		struct plm_cluster_queue *queue = plm_cluster_queue_edit(st, id);

		queue->written_print = print;
		queue->writing = 1;
		queue->write_at_ms = next_ms;
	} else {
		struct plm_local_queue *queue = plm_local_queue_edit(st, id);

		queue->written_print = print;
		queue->writing = 1;
		queue->write_at_ms = next_ms;
	}
	look_again(st);
}

void plm_publish_queue_answered(struct plm_state *st, const struct plm_intent *intent, bool done)
{
	enum plm_kind kind = (enum plm_kind)intent->kind;
	plm_id id = plm_find(st, kind, intent->ns, intent->name);

	if (id.n == 0) {
		return;
	}
	if (kind == PLM_KIND_CLUSTER_QUEUE) {
		struct plm_cluster_queue *queue = plm_cluster_queue_edit(st, id);

		queue->writing = 0;
		queue->written_print = done ? queue->written_print : 0;
	} else {
		struct plm_local_queue *queue = plm_local_queue_edit(st, id);

		queue->writing = 0;
		queue->written_print = done ? queue->written_print : 0;
	}
	look_again(st);
}
