/* A cursor over the log that joins PART records and decodes: replay.h. */
#include "codec/codec.h"
#include "codec/upcast.h"
#include "core/limits.h"
#include "engine/replay.h"
#include "reducers/reducer.h"

#include <stdlib.h>

struct plm_reader {
	struct plm_log_cursor *cursor; /* owned */
	struct plm_arena event;	       /* the decoded event */
	uint8_t *joined;	       /* owned: payload bytes of the PART records so far */
	size_t size, capacity;
};

/* Is record 'seq' a PART? What cannot be read is no PART: reading it will say what is wrong. */
static bool is_part(struct plm_log *log, uint64_t seq)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_envelope envelope = {0};
	bool part = plm_log_cursor_open(log, seq, &cursor, NULL) == PLM_OK &&
		    plm_log_cursor_next(cursor, &record, NULL) == PLM_OK &&
		    plm_envelope_decode(record.bytes, &envelope, NULL) == PLM_OK &&
		    envelope.type == PLM_EV_PART;

	plm_log_cursor_close(cursor);
	return part;
}

enum plm_code plm_reader_open(struct plm_log *log, uint64_t from, struct plm_reader **out,
			      struct plm_error *err)
{
	struct plm_reader *reader = calloc(1, sizeof(*reader));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(reader != NULL);
	while (from > plm_log_first(log) && is_part(log, from - 1)) {
		from--;
	}
	code = plm_arena_init(&reader->event, PLM_LIMIT_EVENT_ARENA, err);
	if (code == PLM_OK) {
		code = plm_log_cursor_open(log, from, &reader->cursor, err);
	}
	if (code != PLM_OK) {
		plm_reader_close(reader);
		return code;
	}
	*out = reader;
	return PLM_OK;
}

void plm_reader_close(struct plm_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	plm_log_cursor_close(reader->cursor);
	plm_arena_fini(&reader->event);
	free(reader->joined);
	free(reader);
}

/* Put 'bytes' behind those of the parts before. */
static enum plm_code join(struct plm_reader *reader, struct plm_slice bytes, struct plm_error *err)
{
	if (reader->size + bytes.size > PLM_LIMIT_PAYLOAD_BYTES) {
		return plm_fail(err, PLM_E_CORRUPT, "a payload is larger than %d bytes",
				PLM_LIMIT_PAYLOAD_BYTES);
	}
	if (reader->size + bytes.size > reader->capacity) {
		size_t capacity = (reader->size + bytes.size) * 2;
		uint8_t *grown = realloc(reader->joined, capacity);

		PLM_ASSERT(grown != NULL);
		reader->joined = grown;
		reader->capacity = capacity;
	}
	if (bytes.size > 0) {
		memcpy(reader->joined + reader->size, bytes.ptr, bytes.size);
	}
	reader->size += bytes.size;
	return PLM_OK;
}

static enum plm_code decode(struct plm_reader *reader, struct plm_slice bytes,
			    struct plm_logged *logged, struct plm_payload *payload,
			    struct plm_error *err)
{
	enum plm_code code = plm_envelope_decode(bytes, &logged->envelope, err);

	if (code != PLM_OK) {
		return code;
	}
	if ((logged->envelope.flags & PLM_FLAG_JOINED) != 0) {
		code = join(reader, logged->envelope.payload, err);
		if (code != PLM_OK) {
			return code;
		}
		logged->envelope.payload = plm_slice_of(reader->joined, reader->size);
	}
	plm_arena_reset(&reader->event);
	return plm_payload_lift(plm_upcasters(), &logged->envelope, &reader->event, payload, err);
}

/* Decisions of a newer bundle may mean what this build does not know: exact.md 1. */
static enum plm_code check_bundle(const struct plm_logged *logged, struct plm_error *err)
{
	const struct plm_w_software *software = logged->payload;

	if (logged->envelope.type != PLM_EV_SOFTWARE || software->bundle <= PLM_BUNDLE) {
		return PLM_OK;
	}
	return plm_fail(
		err, PLM_E_VERSION, "event %llu: decided by bundle %lld, this build knows up to %d",
		(unsigned long long)logged->envelope.seq, (long long)software->bundle, PLM_BUNDLE);
}

/* Read one record; '*out_part' tells that it was a PART and 'out' is not set. */
static enum plm_code next_record(struct plm_reader *reader, struct plm_logged *out, bool *out_part,
				 struct plm_error *err)
{
	struct plm_log_record record;
	struct plm_logged logged = {0};
	struct plm_payload payload = {0};
	enum plm_code code = plm_log_cursor_next(reader->cursor, &record, err);

	if (code != PLM_OK) {
		return code;
	}
	code = decode(reader, record.bytes, &logged, &payload, err);
	if (code == PLM_OK && logged.envelope.seq != record.seq) {
		code = plm_fail(err, PLM_E_CORRUPT, "its envelope says %llu",
				(unsigned long long)logged.envelope.seq);
	}
	if (code != PLM_OK) {
		return plm_fail_prefix(err, code, "event %llu", (unsigned long long)record.seq);
	}
	*out_part = logged.envelope.type == PLM_EV_PART;
	if (*out_part) {
		return join(reader, ((const struct plm_w_part *)payload.value)->bytes, err);
	}
	reader->size = 0;
	logged.info = payload.info;
	logged.payload = payload.value;
	logged.object_hash = payload.hash;
	logged.projection = payload.projection;
	logged.last_of_frame = record.last_of_frame;
	logged.head = record.head;
	*out = logged;
	return check_bundle(&logged, err);
}

enum plm_code plm_reader_next(struct plm_reader *reader, struct plm_logged *out,
			      struct plm_error *err)
{
	bool part = true;

	while (part) {
		enum plm_code code = next_record(reader, out, &part, err);

		if (code != PLM_OK) {
			return code;
		}
	}
	return PLM_OK;
}
