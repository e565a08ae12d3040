/*
 * bench_state - bytes of state per object: its slot, its share of the texts, its index entries
 *
 * Objects of one kind are folded on top of what they need; the growth is divided by their number. Raw
 * beside it: the same object's projection as it stands in the log, without the envelope.
 */
#include <stdio.h>

#include "adapters/manifest/manifest.h"
#include "bench_lib.h"
#include "bench_load.h"
#include "codec/codec.h"
#include "engine/engine.h"

struct filling {
	struct plm_engine *engine;
	struct plm_arena scratch;
	int64_t payload_bytes;
};

struct sizes {
	int64_t slots, texts, indexes;
};

static int64_t wall_ns(void *self)
{
	(void)self;
	return INT64_C(1767225600000000000);
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return 0;
}

static enum plm_code take(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	struct filling *filling = ctx;
	struct plm_observation seen = {.source = PLM_SOURCE_FILE, .type = fact->type};
	enum plm_code code = PLM_OK;

	plm_arena_reset(&filling->scratch);
	seen.payload = plm_payload_encode(
		plm_event_info((uint16_t)fact->type), fact->payload,
		plm_slice_of(fact->object_hash.bytes, sizeof(fact->object_hash.bytes)),
		&filling->scratch);
	filling->payload_bytes += (int64_t)seen.payload.size;
	code = plm_engine_observe(filling->engine, &seen, err);
	if (code == PLM_E_AGAIN) {
		code = plm_engine_flush(filling->engine, err);
		code = code == PLM_OK ? plm_engine_observe(filling->engine, &seen, err) : code;
	}
	return code;
}

static void fill(struct filling *filling, struct bench_load *load)
{
	struct plm_manifest_options options = {.now_ms = 0};
	struct plm_manifest_sink sink = {.ctx = filling, .fact = take};
	struct plm_manifest *reader = NULL;
	struct plm_error err = {0};
	struct plm_slice text = bench_load_end(load);

	filling->payload_bytes = 0;
	bench_check(plm_manifest_open(&reader, &options, &sink, &err) == PLM_OK &&
			    plm_manifest_read_text(reader, "load", text, &err) == PLM_OK &&
			    plm_engine_flush(filling->engine, &err) == PLM_OK,
		    err.text);
	plm_manifest_close(reader);
	bench_load_fini(load);
}

/* What admission derives: links, heaps, marks. Room that is taken ahead counts as well. */
static int64_t queues(const struct plm_state *st)
{
	const struct plm_queue_index *index = &st->queues;
	int64_t bytes = (int64_t)sizeof(struct plm_link) * index->link_count;

	for (uint32_t q = 0; q < index->queue_count; q++) {
		bytes += (int64_t)sizeof(uint32_t) * index->queues[q].lane.capacity;
	}
	return bytes + (int64_t)sizeof(uint64_t) * PLM_MARK_COUNT * st->marks.count;
}

static struct sizes measure(const struct plm_state *st)
{
	struct sizes out = {
		.texts = (int64_t)st->heap.bytes,
		.indexes = 4 * ((int64_t)st->strings.mask + 1) +
			   (int64_t)sizeof(struct plm_key_cell) * ((int64_t)st->keys.mask + 1) +
			   queues(st),
	};

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		out.slots += (int64_t)st->tables[t].bytes;
	}
	return out;
}

static void workloads(struct bench_load *load, uint32_t count)
{
	bench_load_workloads(load, 100, 0, count);
}

static void pods(struct bench_load *load, uint32_t count)
{
	bench_load_dump(load, 0, count);
}

static void nodes(struct bench_load *load, uint32_t count)
{
	bench_load_nodes(load, count);
}

static void state_of(const char *what, void (*put)(struct bench_load *load, uint32_t count),
		     uint32_t count)
{
	struct filling filling = {0};
	struct plm_engine_options options = {
		.clock = {.wall_ns = wall_ns, .boot_ms = boot_ms},
		.cluster_uid = "bench",
		.profile = PLM_PROFILE_CLUSTER,
		.config = {.cluster_name = plm_slice_str("bench")},
	};
	struct bench_load load;
	struct plm_error err = {0};
	struct plm_log *log = NULL;
	struct sizes before, after;
	char name[64];
	char note[160];

	bench_check(plm_log_open_memory(&log, &err) == PLM_OK, err.text);
	options.log = log;
	bench_check(plm_arena_init(&filling.scratch, (size_t)1 << 28, &err) == PLM_OK &&
			    plm_engine_open(&options, &filling.engine, &err) == PLM_OK,
		    err.text);
	bench_load_begin(&load, NULL, false);
	bench_load_queues(&load, 100, 10);
	fill(&filling, &load);
	before = measure(plm_engine_state(filling.engine));
	bench_load_begin(&load, NULL, false);
	put(&load, count);
	fill(&filling, &load);
	after = measure(plm_engine_state(filling.engine));
	(void)snprintf(name, sizeof(name), "state: bytes per %s", what);
	(void)snprintf(
		note, sizeof(note),
		"slot %ld, texts %ld, index %ld; %u of them; beside its projection in the log",
		(after.slots - before.slots) / count, (after.texts - before.texts) / count,
		(after.indexes - before.indexes) / count, count);
	bench_print(name,
		    (after.slots - before.slots + after.texts - before.texts + after.indexes -
		     before.indexes) /
			    count,
		    "B", filling.payload_bytes / count, note);
	bench_check(after.slots > before.slots, "nothing was folded");
	plm_engine_close(filling.engine);
	plm_log_close(log);
	plm_arena_fini(&filling.scratch);
}

int main(void)
{
	state_of("pending workload", workloads, bench_short() ? 500 : 50000);
	state_of("running pod", pods, bench_short() ? 500 : 20000);
	state_of("node", nodes, bench_short() ? 100 : 5000);
	return 0;
}
