#include "tools/timeline.h"

#include "tools/name_set.h"
#include "tools/term.h"

/* Passes over the log until no relative is new; each finds those one step further away. */
#define MAX_PASSES 4

struct family {
	struct plm_view *view;
	struct plm_arena *arena;
	struct plm_name_set names;     /* "workload/ns/name" of the relatives */
	struct plm_name_set seqs;      /* decisions and intents that belong to them, as 8 bytes */
	struct plm_name_set instances; /* provider ids of their claims */
	struct plm_timeline *out;
	bool grew;
};

static struct plm_slice seq_bytes(const uint64_t *seq)
{
	return plm_slice_of(seq, sizeof(*seq));
}

static bool is_relative(const struct family *family, const struct plm_subject *subject)
{
	size_t mark = plm_arena_mark(family->arena);
	bool has = subject->kind != PLM_KIND_NONE &&
		   plm_name_set_has(&family->names, plm_subject_text(family->arena, subject));

	plm_arena_rewind(family->arena, mark);
	return has;
}

static void adopt(struct family *family, enum plm_kind kind, struct plm_slice ns,
		  struct plm_slice name)
{
	struct plm_subject subject = {.kind = kind, .ns = ns, .name = name};

	if (kind == PLM_KIND_NONE || name.size == 0) {
		return;
	}
	if (!plm_kind_info(kind)->namespaced) {
		subject.ns = (struct plm_slice){0};
	}
	if (plm_name_set_add(&family->names, plm_subject_text(family->arena, &subject))) {
		family->grew = true;
	}
}

static const struct plm_w_meta *meta_of(const struct plm_logged *event)
{
	const struct plm_wire_type *type = event->info->payload;

	return type->field_count > 0 && type->fields[0].type == &plm_type_meta ? event->payload
									       : NULL;
}

static enum plm_kind kind_called(struct plm_slice text)
{
	int64_t kind = plm_names_find(&plm_names_kind, text);

	if (kind <= 0 || kind == PLM_KIND_NODE_POOL) {
		return PLM_KIND_NONE;
	}
	return (enum plm_kind)kind;
}

/* A controller of a relative is one, and so is what a relative controls; pools are too many's. */
static void follow_owner(struct family *family, const struct plm_logged *event,
			 const struct plm_subject *subject)
{
	const struct plm_w_meta *meta = meta_of(event);
	enum plm_kind kind = PLM_KIND_NONE;
	struct plm_subject owner;

	if (meta == NULL || meta->owner_name.size == 0) {
		return;
	}
	kind = kind_called(meta->owner_kind);
	if (kind == PLM_KIND_NONE) {
		return;
	}
	owner = (struct plm_subject){
		.kind = kind,
		.ns = plm_kind_info(kind)->namespaced ? meta->ns : (struct plm_slice){0},
		.name = meta->owner_name,
	};
	if (is_relative(family, subject)) {
		adopt(family, owner.kind, owner.ns, owner.name);
	} else if (is_relative(family, &owner)) {
		adopt(family, subject->kind, subject->ns, subject->name);
	}
}

/* A Job or PodSet and its Workload. */
static void follow_job(struct family *family, const struct plm_logged *event,
		       const struct plm_subject *subject)
{
	const struct plm_w_job *job = event->payload;
	struct plm_subject workload;

	if (event->envelope.type != PLM_EV_JOB) {
		return;
	}
	workload = (struct plm_subject){
		.kind = PLM_KIND_WORKLOAD, .ns = job->meta.ns, .name = job->workload};
	if (is_relative(family, subject)) {
		adopt(family, PLM_KIND_WORKLOAD, workload.ns, workload.name);
	} else if (is_relative(family, &workload)) {
		adopt(family, subject->kind, subject->ns, subject->name);
	}
}

/* The claims that were made for a workload; the node of a claim. */
static void follow_nodes(struct family *family, const struct plm_logged *event,
			 const struct plm_subject *subject)
{
	const struct plm_w_claim *claim = event->payload;
	const struct plm_w_places *places = event->payload;

	if (event->envelope.type == PLM_EV_CLAIM) {
		struct plm_subject gang = {
			.kind = PLM_KIND_WORKLOAD, .ns = claim->for_ns, .name = claim->for_name};

		if (claim->for_name.size > 0 && is_relative(family, &gang)) {
			adopt(family, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, claim->name);
		}
	} else if (event->envelope.type == PLM_EV_PLACES && is_relative(family, subject)) {
		const struct plm_w_place *list = places->places.ptr;

		for (size_t i = 0; i < places->places.count; i++) {
			adopt(family, list[i].claim == 1 ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE,
			      (struct plm_slice){0}, list[i].target);
		}
	} else if (event->envelope.type == PLM_EV_NODE_CLAIM && is_relative(family, subject)) {
		const struct plm_w_node_claim *fact = event->payload;

		adopt(family, PLM_KIND_NODE, (struct plm_slice){0}, fact->node);
	}
}

/* The node of a claim is the one that runs on the instance of the claim's launch, and back. */
static void follow_instance(struct family *family, const struct plm_logged *event,
			    const struct plm_subject *subject)
{
	const struct plm_w_result *result = event->payload;
	const struct plm_w_node *node = event->payload;

	if (event->envelope.type == PLM_EV_RESULT && result->provider_id.size > 0 &&
	    plm_name_set_has(&family->seqs, seq_bytes(&event->envelope.intent))) {
		family->grew |= plm_name_set_add(&family->instances, result->provider_id);
	} else if (event->envelope.type == PLM_EV_NODE && node->provider_id.size > 0) {
		if (plm_name_set_has(&family->instances, node->provider_id)) {
			adopt(family, PLM_KIND_NODE, (struct plm_slice){0}, node->meta.name);
		} else if (is_relative(family, subject)) {
			family->grew |= plm_name_set_add(&family->instances, node->provider_id);
		}
	} else if (event->envelope.type == PLM_EV_INSTANCE) {
		const struct plm_w_instance *instance = event->payload;

		if (plm_name_set_has(&family->instances, instance->provider_id)) {
			adopt(family, subject->kind, subject->ns, subject->name);
		}
	}
}

static bool belongs(struct family *family, const struct plm_logged *event,
		    const struct plm_subject *subject)
{
	const struct plm_envelope *envelope = &event->envelope;

	return is_relative(family, subject) ||
	       (event->info->class == PLM_CLASS_INTENT &&
		plm_name_set_has(&family->seqs, seq_bytes(&envelope->cause))) ||
	       (envelope->intent != 0 &&
		plm_name_set_has(&family->seqs, seq_bytes(&envelope->intent)));
}

static enum plm_code keep(struct family *family, const struct plm_logged *event,
			  struct plm_error *err)
{
	struct plm_timeline *out = family->out;

	if (out->count == out->capacity) {
		size_t capacity = out->capacity == 0 ? 64 : out->capacity * 2;
		struct plm_logged *grown =
			PLM_NEW_ARRAY(family->arena, capacity, struct plm_logged);

		if (out->count > 0) {
			memcpy(grown, out->events, out->count * sizeof(*grown));
		}
		out->events = grown;
		out->capacity = capacity;
	}
	return plm_event_keep(event, family->arena, &out->events[out->count++], err);
}

static enum plm_code look(struct family *family, const struct plm_logged *event, bool last,
			  struct plm_error *err)
{
	struct plm_subject subject = plm_event_subject(event);

	follow_owner(family, event, &subject);
	follow_job(family, event, &subject);
	follow_nodes(family, event, &subject);
	follow_instance(family, event, &subject);
	if (!belongs(family, event, &subject)) {
		return PLM_OK;
	}
	if (event->info->class != PLM_CLASS_FACT &&
	    plm_name_set_add(&family->seqs, seq_bytes(&event->envelope.seq))) {
		family->grew = true;
	}
	return last ? keep(family, event, err) : PLM_OK;
}

static enum plm_code pass(struct family *family, bool last, struct plm_error *err)
{
	struct plm_input *input = &family->view->input;
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	struct plm_progress progress;
	enum plm_code code = plm_reader_open(input->log, plm_log_first(input->log), &reader, err);

	family->grew = false;
	plm_progress_begin(&progress, "reading event");
	while (code == PLM_OK) {
		code = plm_reader_next(reader, &event, err);
		if (code != PLM_OK || event.envelope.seq > family->view->seq) {
			break;
		}
		plm_progress_tick(&progress, event.envelope.seq, family->view->seq);
		code = look(family, &event, last, err);
	}
	plm_progress_end(&progress);
	plm_reader_close(reader);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

static enum plm_code not_found(const struct plm_subject *subject, struct plm_error *err)
{
	return plm_fail(err, PLM_E_NOT_FOUND, "no event up to there is about a %s called %.*s",
			plm_names_text(&plm_names_kind, subject->kind), (int)subject->name.size,
			(const char *)subject->name.ptr);
}

enum plm_code plm_timeline_find(struct plm_view *view, const struct plm_subject *subject,
				struct plm_timeline *out, struct plm_error *err)
{
	struct family family = {
		.view = view,
		.arena = view->call->arena,
		.names = {.arena = view->call->arena},
		.seqs = {.arena = view->call->arena},
		.instances = {.arena = view->call->arena},
		.out = out,
	};
	enum plm_code code = PLM_OK;

	*out = (struct plm_timeline){0};
	adopt(&family, subject->kind, subject->ns, subject->name);
	family.grew = true;
	for (int i = 0; code == PLM_OK && family.grew && i < MAX_PASSES; i++) {
		code = pass(&family, false, err);
	}
	if (code == PLM_OK) {
		code = pass(&family, true, err);
	}
	return code == PLM_OK && out->count == 0 ? not_found(subject, err) : code;
}

enum plm_code plm_timeline_own(struct plm_view *view, const struct plm_subject *subject,
			       struct plm_timeline *out, struct plm_error *err)
{
	struct plm_input *input = &view->input;
	struct family family = {.view = view, .arena = view->call->arena, .out = out};
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	enum plm_code code = plm_reader_open(input->log, plm_log_first(input->log), &reader, err);

	*out = (struct plm_timeline){0};
	while (code == PLM_OK) {
		struct plm_subject about;

		code = plm_reader_next(reader, &event, err);
		if (code != PLM_OK || event.envelope.seq > view->seq) {
			break;
		}
		about = plm_event_subject(&event);
		if (plm_subject_equal(&about, subject)) {
			code = keep(&family, &event, err);
		}
	}
	plm_reader_close(reader);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}
