#include "engine/batch.h"

#include "codec/codec.h"
#include "core/limits.h"

/* What an envelope adds to its payload at most: 13 fields, the longest position. */
#define ENVELOPE_ROOM 300U
#define INLINE_MAX (PLM_LIMIT_RECORD_BYTES - ENVELOPE_ROOM)
/* A PART payload adds an array head, an index and a bin head to its bytes. */
#define PART_ROOM 16U
#define RECORDS_FIRST 256U

enum plm_code plm_batch_init(struct plm_batch *batch, struct plm_error *err)
{
	*batch = (struct plm_batch){.next_seq = 1};
	return plm_arena_init(&batch->arena, PLM_LIMIT_BATCH_ARENA, err);
}

void plm_batch_fini(struct plm_batch *batch)
{
	plm_arena_fini(&batch->arena);
}

void plm_batch_begin(struct plm_batch *batch, int64_t wall_ns, int64_t tick_ms)
{
	PLM_ASSERT(!batch->open);
	plm_arena_reset(&batch->arena);
	batch->records = NULL;
	batch->count = 0;
	batch->capacity = 0;
	batch->facts = 0;
	batch->bytes = 0;
	batch->open = true;
	if (wall_ns > 0 && (uint64_t)wall_ns > batch->wall_ns) {
		batch->wall_ns = (uint64_t)wall_ns;
	}
	PLM_ASSERT(tick_ms >= 0 && (uint64_t)tick_ms >= batch->tick_ms);
	batch->tick_ms = (uint64_t)tick_ms;
}

static void push(struct plm_batch *batch, struct plm_slice record)
{
	PLM_ASSERT(record.size <= PLM_LIMIT_RECORD_BYTES);
	if (batch->count == batch->capacity) {
		size_t capacity = batch->capacity == 0 ? RECORDS_FIRST : batch->capacity * 2;
		struct plm_slice *records =
			PLM_NEW_ARRAY(&batch->arena, capacity, struct plm_slice);

		if (batch->count > 0) {
			memcpy(records, batch->records, batch->count * sizeof(*records));
		}
		batch->records = records;
		batch->capacity = capacity;
	}
	batch->records[batch->count++] = record;
	batch->bytes += record.size;
}

static uint64_t add_record(struct plm_batch *batch, const struct plm_batch_event *event,
			   uint8_t flags)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)event->type);
	struct plm_envelope envelope = {
		.format = PLM_ENVELOPE_FORMAT,
		.flags = flags,
		.source = (uint16_t)event->source,
		.type = (uint16_t)event->type,
		.schema = info->schema,
		.seq = batch->next_seq++,
		.epoch = batch->epoch,
		.wall_ns = batch->wall_ns,
		.tick_ms = batch->tick_ms,
		.cause = event->cause,
		.intent = event->intent,
		.pos = event->pos,
		.payload = event->payload,
	};

	push(batch, plm_envelope_encode(&envelope, &batch->arena));
	return envelope.seq;
}

static void add_part(struct plm_batch *batch, const struct plm_batch_event *whole, int64_t index,
		     struct plm_slice bytes)
{
	struct plm_w_part part = {index, bytes};
	struct plm_batch_event event = {
		.type = PLM_EV_PART,
		.source = whole->source,
		.payload = plm_payload_encode(plm_event_info(PLM_EV_PART), &part,
					      (struct plm_slice){0}, &batch->arena),
	};

	(void)add_record(batch, &event, 0);
}

uint64_t plm_batch_add(struct plm_batch *batch, const struct plm_batch_event *event)
{
	struct plm_batch_event last = *event;
	size_t chunk = INLINE_MAX - PART_ROOM;

	PLM_ASSERT(batch->open);
	PLM_ASSERT(event->pos.size <= PLM_LIMIT_POSITION_BYTES);
	if (event->payload.size <= INLINE_MAX) {
		return add_record(batch, event, 0);
	}
	for (int64_t index = 0; last.payload.size > INLINE_MAX; index++) {
		add_part(batch, event, index, plm_slice_of(last.payload.ptr, chunk));
		last.payload = plm_slice_of(last.payload.ptr + chunk, last.payload.size - chunk);
	}
	return add_record(batch, &last, PLM_FLAG_JOINED);
}

void plm_batch_end(struct plm_batch *batch)
{
	PLM_ASSERT(batch->open);
	batch->open = false;
}
