#include "resume.h"

#include <stdlib.h>

#include "codec/codec.h"
#include "engine/outbox.h"
#include "engine/replay.h"
#include "hash/hash.h"

#define FIRST_BUCKETS 1024U
#define SCRATCH_BYTES ((size_t)256 * 1024 * 1024)

/* What a record is about. */
#define SPACE_LAUNCH 1U	   /* INTENT of a launch; name = its seq */
#define SPACE_INSTANCE 2U  /* an instance by provider id; number = its intent */
#define SPACE_CREATE 3U	   /* last pod.create of a pod; number = its seq */
#define SPACE_EFFECT 4U	   /* INTENT of anything but a launch; name = its seq; number = its call */
#define SPACE_JOINED 5U	   /* an instance, by provider id, whose Node was seen */
#define SPACE_WARNING 6U   /* what the cloud last announced of an instance, by provider id */
#define SPACE_START 1000U  /* + kind: last job.start of that Job or PodSet; number = its seq */
#define SPACE_OBJECT 2000U /* + kind: payload of the last fact, none when it is gone */

struct record {
	struct record *hash_next;
	struct record *next; /* in order of first appearance */
	uint32_t space;
	enum plm_event_type type;
	uint64_t number;
	uint64_t seen_seq; /* objects, instances: last fact; effects: the result that it was done */
	struct plm_slice ns, name; /* behind the record */
	uint8_t *bytes;		   /* owned */
	size_t size;
};

struct plm_resume {
	struct record **buckets; /* owned */
	size_t bucket_count, count, live;
	struct record *first, *last; /* owned */
	int64_t started_ms, seen_ms;
	struct plm_arena scratch; /* owned: one event's */
};

/* ---- the table --------------------------------------------------------------------------------- */

static uint64_t hash_of(uint32_t space, struct plm_slice ns, struct plm_slice name)
{
	const struct plm_slice parts[] = {plm_slice_of(&space, sizeof(space)), ns,
					  plm_slice_str("/"), name};

	return plm_xxh64_parts(parts, PLM_COUNTOF(parts));
}

static struct record *find(const struct plm_resume *resume, uint32_t space, struct plm_slice ns,
			   struct plm_slice name)
{
	struct record *record =
		resume->buckets[hash_of(space, ns, name) & (resume->bucket_count - 1)];

	while (record != NULL && (record->space != space || !plm_slice_equal(record->ns, ns) ||
				  !plm_slice_equal(record->name, name))) {
		record = record->hash_next;
	}
	return record;
}

static void *must(void *memory)
{
	PLM_ASSERT(memory != NULL);
	return memory;
}

static void link_record(struct plm_resume *resume, struct record *record)
{
	size_t bucket =
		hash_of(record->space, record->ns, record->name) & (resume->bucket_count - 1);

	record->hash_next = resume->buckets[bucket];
	resume->buckets[bucket] = record;
}

static void grow(struct plm_resume *resume)
{
	free(resume->buckets);
	resume->bucket_count *= 2;
	resume->buckets = must(calloc(resume->bucket_count, sizeof(*resume->buckets)));
	for (struct record *record = resume->first; record != NULL; record = record->next) {
		link_record(resume, record);
	}
}

static struct record *get(struct plm_resume *resume, uint32_t space, struct plm_slice ns,
			  struct plm_slice name)
{
	struct record *record = find(resume, space, ns, name);
	uint8_t *text = NULL;

	if (record != NULL) {
		return record;
	}
	if (resume->count == resume->bucket_count) {
		grow(resume);
	}
	record = must(calloc(1, sizeof(*record) + ns.size + name.size));
	text = (uint8_t *)(record + 1);
	record->space = space;
	record->ns = plm_slice_of(text, ns.size);
	record->name = plm_slice_of(text + ns.size, name.size);
	if (ns.size > 0) {
		memcpy(text, ns.ptr, ns.size);
	}
	if (name.size > 0) {
		memcpy(text + ns.size, name.ptr, name.size);
	}
	link_record(resume, record);
	if (resume->last == NULL) {
		resume->first = record;
	} else {
		resume->last->next = record;
	}
	resume->last = record;
	resume->count++;
	return record;
}

static void keep(struct record *record, enum plm_event_type type, struct plm_slice bytes)
{
	record->type = type;
	if (bytes.size > record->size || record->bytes == NULL) {
		free(record->bytes);
		record->bytes = must(malloc(bytes.size + 1));
	}
	record->size = bytes.size;
	if (bytes.size > 0) {
		memcpy(record->bytes, bytes.ptr, bytes.size);
	}
}

static void drop(struct record *record)
{
	free(record->bytes);
	record->bytes = NULL;
	record->size = 0;
}

/* ---- reading the log --------------------------------------------------------------------------- */

static struct plm_slice seq_name(const uint64_t *seq)
{
	return plm_slice_of(seq, sizeof(*seq));
}

static void see_object(struct plm_resume *resume, const struct plm_logged *event)
{
	enum plm_event_type type = (enum plm_event_type)event->info->type;
	enum plm_kind kind = plm_sim_kind_of(type, event->payload);
	const struct plm_w_meta *meta = event->payload;
	struct record *record = NULL;

	if (kind == PLM_KIND_NONE) {
		return;
	}
	if (kind == PLM_KIND_NODE) {
		const struct plm_w_node *node = event->payload;

		(void)get(resume, SPACE_JOINED, (struct plm_slice){0}, node->provider_id);
	}
	record = get(resume, SPACE_OBJECT + (uint32_t)kind, meta->ns, meta->name);
	resume->live += record->bytes == NULL;
	record->seen_seq = event->envelope.seq;
	if (event->envelope.schema == event->info->schema) {
		keep(record, type, event->envelope.payload);
	} else {
		keep(record, type,
		     plm_payload_encode(event->info, event->payload, event->object_hash,
					&resume->scratch));
	}
}

static void see_gone(struct plm_resume *resume, const struct plm_logged *event)
{
	const struct plm_w_gone *gone = event->payload;
	struct record *record =
		find(resume, SPACE_OBJECT + (uint32_t)gone->kind, gone->ns, gone->name);

	if (record == NULL) {
		return;
	}
	record->seen_seq = event->envelope.seq;
	if (record->bytes != NULL) {
		drop(record);
		resume->live--;
	}
}

static void see_instance(struct plm_resume *resume, const struct plm_w_instance *fact, uint64_t seq)
{
	struct record *record =
		get(resume, SPACE_INSTANCE, (struct plm_slice){0}, fact->provider_id);

	record->number = (uint64_t)fact->intent;
	record->seen_seq = seq;
	keep(record, PLM_EV_INSTANCE, plm_wire_encode(&plm_type_instance, fact, &resume->scratch));
}

static void see_warning(struct plm_resume *resume, const struct plm_w_interruption *fact)
{
	keep(get(resume, SPACE_WARNING, (struct plm_slice){0}, fact->provider_id),
	     PLM_EV_INTERRUPTION, plm_wire_encode(&plm_type_interruption, fact, &resume->scratch));
}

/* A launch that was done is an instance, although nobody has described it yet. */
static void see_launched(struct plm_resume *resume, const struct plm_logged *event)
{
	const struct plm_w_result *result = event->payload;
	struct plm_w_instance fact = {
		.provider_id = result->provider_id,
		.state = plm_slice_str("pending"),
		.instance_type = result->instance_type,
		.zone = result->zone,
		.capacity_type = result->capacity_type,
		.intent = result->intent,
		.launched_ms = (int64_t)(event->envelope.wall_ns / 1000000),
	};

	if (find(resume, SPACE_INSTANCE, (struct plm_slice){0}, result->provider_id) == NULL) {
		see_instance(resume, &fact, event->envelope.seq);
	}
}

static void see_result(struct plm_resume *resume, const struct plm_logged *event)
{
	const struct plm_w_result *result = event->payload;
	uint64_t intent = (uint64_t)result->intent;
	struct record *effect =
		find(resume, SPACE_EFFECT, (struct plm_slice){0}, seq_name(&intent));
	bool done = result->class == PLM_RESULT_DONE || result->class == PLM_RESULT_ALREADY_DONE;

	if (done && result->provider_id.size > 0) {
		see_launched(resume, event);
	}
	if (done && effect != NULL) {
		effect->seen_seq = event->envelope.seq;
	}
}

static void see_intent(struct plm_resume *resume, const struct plm_logged *event)
{
	const struct plm_w_intent *intent = event->payload;
	struct record *record = NULL;

	if (intent->call != PLM_CALL_LAUNCH) {
		record = get(resume, SPACE_EFFECT, (struct plm_slice){0},
			     seq_name(&event->envelope.seq));
		record->number = (uint64_t)intent->call;
		keep(record, PLM_EV_INTENT, intent->frozen);
	}
	switch ((enum plm_call)intent->call) {
	case PLM_CALL_LAUNCH:
		record = get(resume, SPACE_LAUNCH, (struct plm_slice){0},
			     seq_name(&event->envelope.seq));
		break;
	case PLM_CALL_JOB_START:
		record =
			get(resume, SPACE_START + (uint32_t)intent->kind, intent->ns, intent->name);
		break;
	case PLM_CALL_POD_CREATE:
		record = get(resume, SPACE_CREATE, intent->ns, intent->name);
		break;
	case PLM_CALL_NONE:
	case PLM_CALL_JOB_STOP:
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_TERMINATE:
	case PLM_CALL_INSTANCE_TAG:
	case PLM_CALL_NODE_TAINT:
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
	case PLM_CALL_POD_UNGATE:
	case PLM_CALL_NODE_SYNC:
	case PLM_CALL_ANNOTATE:
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_CLAIM_CREATE:
	case PLM_CALL_CLAIM_STATUS:
	case PLM_CALL_QUEUE_STATUS:
	case PLM_CALL_POOL_STATUS:
	case PLM_CALL_POD_FINALIZE:
	case PLM_CALL_CLASS_STATUS:
		return;
	}
	record->number = event->envelope.seq;
	keep(record, PLM_EV_INTENT, intent->frozen);
}

static void see(struct plm_resume *resume, const struct plm_logged *event)
{
	switch (event->info->type) {
	case PLM_EV_GENESIS:
		resume->started_ms = ((const struct plm_w_genesis *)event->payload)->started_ms;
		return;
	case PLM_EV_GONE:
		see_gone(resume, event);
		return;
	case PLM_EV_INSTANCE:
		see_instance(resume, event->payload, event->envelope.seq);
		return;
	case PLM_EV_INTERRUPTION:
		see_warning(resume, event->payload);
		return;
	case PLM_EV_INTENT:
		see_intent(resume, event);
		return;
	case PLM_EV_RESULT:
		see_result(resume, event);
		return;
	default:
		if (event->info->class == PLM_CLASS_FACT) {
			see_object(resume, event);
		}
		return;
	}
}

static enum plm_code read_all(struct plm_resume *resume, struct plm_log *log, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event;
	enum plm_code code = plm_reader_open(log, 1, &reader, err);

	while (code == PLM_OK) {
		code = plm_reader_next(reader, &event, err);
		if (code == PLM_OK) {
			resume->seen_ms = (int64_t)(event.envelope.wall_ns / 1000000);
			see(resume, &event);
			plm_arena_reset(&resume->scratch);
		}
	}
	plm_reader_close(reader);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

enum plm_code plm_resume_read(struct plm_log *log, struct plm_resume **out, struct plm_error *err)
{
	struct plm_resume *resume = must(calloc(1, sizeof(*resume)));
	enum plm_code code = plm_arena_init(&resume->scratch, SCRATCH_BYTES, err);

	resume->started_ms = PLM_UNSET;
	resume->seen_ms = PLM_UNSET;
	resume->bucket_count = FIRST_BUCKETS;
	resume->buckets = must(calloc(FIRST_BUCKETS, sizeof(*resume->buckets)));
	if (code == PLM_OK && plm_log_head(log).seq > 0) {
		code = read_all(resume, log, err);
	}
	if (code != PLM_OK) {
		plm_resume_free(resume);
		return code;
	}
	*out = resume;
	return PLM_OK;
}

void plm_resume_free(struct plm_resume *resume)
{
	if (resume == NULL) {
		return;
	}
	while (resume->first != NULL) {
		struct record *record = resume->first;

		resume->first = record->next;
		free(record->bytes);
		free(record);
	}
	plm_arena_fini(&resume->scratch);
	free(resume->buckets);
	free(resume);
}

int64_t plm_resume_started_ms(const struct plm_resume *resume)
{
	return resume->started_ms;
}

int64_t plm_resume_seen_ms(const struct plm_resume *resume)
{
	return resume->seen_ms;
}

bool plm_resume_knows(const struct plm_resume *resume, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name)
{
	return find(resume, SPACE_OBJECT + (uint32_t)kind, ns, name) != NULL;
}

size_t plm_resume_count(const struct plm_resume *resume)
{
	return resume->live;
}

/* ---- building the world ------------------------------------------------------------------------ */

struct building {
	const struct plm_resume *resume;
	const struct plm_resume_build *build;
	struct plm_arena *scratch;
};

/* The payload that a record keeps, NULL for no record. */
static enum plm_code kept(struct building *b, const struct plm_wire_type *type,
			  const struct record *record, const void **out, struct plm_error *err)
{
	*out = NULL;
	if (record == NULL) {
		return PLM_OK;
	}
	return plm_wire_decode(type, plm_slice_of(record->bytes, record->size), b->scratch, out,
			       err);
}

/* An instance without a launch of ours is that of a claim which was given. */
static enum plm_code build_instance(struct building *b, const struct record *record,
				    struct plm_error *err)
{
	const struct plm_slice none = {0};
	const struct record *launch =
		find(b->resume, SPACE_LAUNCH, none, seq_name(&record->number));
	struct plm_effect effect = {.intent = record->number, .call = PLM_CALL_LAUNCH};
	const void *fact = NULL;
	const void *warning = NULL;
	enum plm_code code = kept(b, &plm_type_instance, record, &fact, err);

	if (code == PLM_OK) {
		code = kept(b, &plm_type_req_launch, launch, &effect.request, err);
	}
	if (code == PLM_OK) {
		code = kept(b, &plm_type_interruption,
			    find(b->resume, SPACE_WARNING, none, record->name), &warning, err);
	}
	if (code == PLM_OK) {
		const struct plm_sim_resumed_instance resumed = {
			.fact = fact,
			.launch = launch == NULL ? NULL : &effect,
			.warning = warning,
			.joined = find(b->resume, SPACE_JOINED, none, record->name) != NULL};

		if (launch != NULL) {
			effect.frozen = plm_slice_of(launch->bytes, launch->size);
			plm_intent_key(plm_slice_str(b->build->cluster_uid), effect.intent,
				       effect.key);
		}
		plm_world_resume_instance(b->build->world, &resumed);
	}
	return code;
}

static enum plm_code add_start(struct building *b, const struct record *record,
			       struct plm_sim_resumed *resumed, struct plm_error *err)
{
	uint32_t kind = record->space - SPACE_OBJECT;
	const struct record *start = find(b->resume, SPACE_START + kind, record->ns, record->name);
	const struct record *create = find(b->resume, SPACE_CREATE, record->ns, record->name);
	const void *request = NULL;
	enum plm_code code = PLM_OK;

	if (kind == PLM_KIND_POD && create != NULL) {
		resumed->intent = create->number;
	}
	if (start != NULL) {
		code = plm_wire_decode(&plm_type_req_job_start,
				       plm_slice_of(start->bytes, start->size), b->scratch,
				       &request, err);
	}
	if (code == PLM_OK && start != NULL) {
		resumed->intent = start->number;
		resumed->start = request;
	}
	return code;
}

static enum plm_code build_object(struct building *b, const struct record *record,
				  struct plm_error *err)
{
	struct plm_sim_resumed resumed = {.type = record->type, .extra = {.runtime_ms = PLM_UNSET}};
	struct plm_payload payload;
	enum plm_code code = plm_payload_decode(plm_event_info((uint16_t)record->type),
						plm_slice_of(record->bytes, record->size),
						b->scratch, &payload, err);

	if (code == PLM_OK) {
		resumed.payload = payload.value;
		code = add_start(b, record, &resumed, err);
	}
	if (code == PLM_OK && b->build->extra != NULL) {
		resumed.extra = b->build->extra(b->build->self,
						(enum plm_kind)(record->space - SPACE_OBJECT),
						record->ns, record->name);
	}
	if (code == PLM_OK) {
		plm_world_resume_object(b->build->world, &resumed);
	}
	return code;
}

/* The object that something is written of. */
static struct record *published_target(const struct plm_resume *resume,
				       const struct plm_effect *effect)
{
	const struct plm_w_req_workload_create *make_workload = effect->request;
	const struct plm_w_req_workload_status *workload = effect->request;
	const struct plm_w_req_claim_create *make_claim = effect->request;
	const struct plm_w_req_claim_status *claim_status = effect->request;
	const struct plm_w_req_queue_status *queue = effect->request;
	const struct plm_w_req_pool_status *pool = effect->request;
	const struct plm_w_req_class_status *class = effect->request;
	const struct plm_slice none = {0};

	switch ((uint32_t)effect->call) {
	case PLM_CALL_WORKLOAD_CREATE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_WORKLOAD, make_workload->ns,
			    make_workload->name);
	case PLM_CALL_WORKLOAD_STATUS:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_WORKLOAD, workload->ns,
			    workload->name);
	case PLM_CALL_CLAIM_CREATE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE_CLAIM, none,
			    make_claim->name);
	case PLM_CALL_CLAIM_STATUS:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE_CLAIM, none,
			    claim_status->name);
	case PLM_CALL_QUEUE_STATUS:
		return find(resume, SPACE_OBJECT + (uint32_t)queue->kind, queue->ns, queue->name);
	case PLM_CALL_POOL_STATUS:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE_POOL, none, pool->name);
	case PLM_CALL_CLASS_STATUS:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE_CLASS, none,
			    class->name);
	default:
		PLM_UNREACHABLE();
	}
}

/* The record of what a call is about; NULL when the log has never seen it. */
static const struct record *target_of(const struct plm_resume *resume,
				      const struct plm_effect *effect)
{
	const struct plm_w_req_job_start *start = effect->request;
	const struct plm_w_req_job_stop *stop = effect->request;
	const struct plm_w_req_pod_create *create = effect->request;
	const struct plm_w_req_pod *pod = effect->request;
	const struct plm_w_req_pod_ungate *ungate = effect->request;
	const struct plm_w_req_terminate *terminate = effect->request;
	const struct plm_w_req_instance_tag *tag = effect->request;
	const struct plm_w_req_node_sync *sync = effect->request;
	const struct plm_w_req_annotate *annotate = effect->request;
	const struct plm_w_req_claim *claim = effect->request;
	const struct plm_w_req_node_taint *taint = effect->request;
	const struct plm_w_req_node_delete *remove = effect->request;
	const struct plm_w_req_work *work = effect->request;
	const struct plm_slice none = {0};

	switch (effect->call) {
	case PLM_CALL_NONE:
	case PLM_CALL_LAUNCH:
		break;
	case PLM_CALL_JOB_START:
		return find(resume, SPACE_OBJECT + (uint32_t)start->kind, start->ns, start->name);
	case PLM_CALL_JOB_STOP:
		return find(resume, SPACE_OBJECT + (uint32_t)stop->kind, stop->ns, stop->name);
	case PLM_CALL_POD_CREATE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_POD, create->ns,
			    create->name);
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_POD_FINALIZE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_POD, pod->ns, pod->name);
	case PLM_CALL_POD_UNGATE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_POD, ungate->ns,
			    ungate->name);
	case PLM_CALL_TERMINATE:
		return find(resume, SPACE_INSTANCE, none, terminate->provider_id);
	case PLM_CALL_INSTANCE_TAG:
		return find(resume, SPACE_INSTANCE, none, tag->provider_id);
	case PLM_CALL_NODE_TAINT:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE, none, taint->node);
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE, none, remove->node);
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
		return find(resume, SPACE_OBJECT + (uint32_t)work->kind, work->ns, work->name);
	case PLM_CALL_NODE_SYNC:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE, none, sync->node);
	case PLM_CALL_ANNOTATE:
		return find(resume, SPACE_OBJECT + (uint32_t)annotate->kind, none, annotate->name);
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
		return find(resume, SPACE_OBJECT + (uint32_t)PLM_KIND_NODE_CLAIM, none,
			    claim->name);
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_CLAIM_CREATE:
	case PLM_CALL_CLAIM_STATUS:
	case PLM_CALL_QUEUE_STATUS:
	case PLM_CALL_POOL_STATUS:
	case PLM_CALL_CLASS_STATUS:
		return published_target(resume, effect);
	}
	PLM_UNREACHABLE();
}

/* Done, and told since: then the target's fact has it. Done and not told: done again. */
static enum plm_code build_effect(struct building *b, const struct record *record,
				  struct plm_error *err)
{
	struct plm_effect effect = {.call = (enum plm_call)record->number,
				    .frozen = plm_slice_of(record->bytes, record->size)};
	const struct record *target = NULL;
	enum plm_code code = plm_wire_decode(plm_call_request(effect.call), effect.frozen,
					     b->scratch, &effect.request, err);

	if (code != PLM_OK || record->seen_seq == 0) {
		return code;
	}
	memcpy(&effect.intent, record->name.ptr, sizeof(effect.intent));
	target = target_of(b->resume, &effect);
	if (target == NULL || target->seen_seq < record->seen_seq) {
		plm_world_resume_effect(b->build->world, &effect);
	}
	return PLM_OK;
}

enum turn {
	TURN_CLASSES, /* pools and claims: they say what an instance becomes */
	TURN_INSTANCES,
	TURN_NODES,
	TURN_OBJECTS,
	TURN_PODS,
	TURN_VOLUMES, /* claims, which pods may own */
	TURN_EFFECTS,
	TURN_COUNT,
};

static enum turn turn_of_kind(enum plm_kind kind)
{
	switch ((int)kind) {
	case PLM_KIND_NODE_CLASS:
	case PLM_KIND_NODE_TEMPLATE:
	case PLM_KIND_NODE_POOL:
	case PLM_KIND_NODE_CLAIM:
		return TURN_CLASSES;
	case PLM_KIND_NODE:
		return TURN_NODES;
	case PLM_KIND_POD:
		return TURN_PODS;
	case PLM_KIND_VOLUME_CLAIM:
		return TURN_VOLUMES;
	default:
		return TURN_OBJECTS;
	}
}

/* TURN_COUNT: never, it only says more of others. */
static enum turn turn_of(const struct record *record)
{
	if (record->space >= SPACE_OBJECT) {
		return turn_of_kind((enum plm_kind)(record->space - SPACE_OBJECT));
	}
	if (record->space == SPACE_INSTANCE) {
		return TURN_INSTANCES;
	}
	return record->space == SPACE_EFFECT ? TURN_EFFECTS : TURN_COUNT;
}

static enum plm_code build_one(struct building *b, const struct record *record,
			       struct plm_error *err)
{
	if (record->space == SPACE_INSTANCE) {
		return build_instance(b, record, err);
	}
	return record->space == SPACE_EFFECT ? build_effect(b, record, err)
					     : build_object(b, record, err);
}

enum plm_code plm_resume_world(struct plm_resume *resume, const struct plm_resume_build *build,
			       struct plm_error *err)
{
	struct building b = {.resume = resume, .build = build, .scratch = &resume->scratch};
	enum plm_code code = PLM_OK;

	plm_world_resume_begin(build->world, build->number);
	for (int turn = 0; turn < TURN_COUNT; turn++) {
		for (const struct record *record = resume->first; record != NULL && code == PLM_OK;
		     record = record->next) {
			if (record->bytes == NULL || turn_of(record) != (enum turn)turn) {
				continue;
			}
			code = build_one(&b, record, err);
			plm_arena_reset(b.scratch);
		}
	}
	if (code == PLM_OK) {
		plm_world_resume_end(build->world);
	}
	return code;
}
