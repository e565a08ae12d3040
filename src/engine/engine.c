#include "engine/engine.h"

#include "codec/codec.h"
#include "core/limits.h"
#include "engine/engine_private.h"
#include "engine/outbox.h"
#include "engine/replay.h"
#include "hash/state_hash.h"

#include <stdlib.h>

/* ---- appending --------------------------------------------------------------------------------- */

void plm_engine_apply(struct plm_engine *engine, enum plm_event_type type, uint64_t seq,
		      const void *value, struct plm_hash128 print)
{
	struct plm_event event = {
		.seq = seq,
		.wall_ns = engine->batch.wall_ns,
		.tick_ms = engine->batch.tick_ms,
		.print_low = print.low,
		.print_high = print.high,
		.type = (uint16_t)type,
		.payload = value,
	};

	plm_arena_reset(&engine->fold);
	plm_apply(&engine->state, &event, &engine->fold);
	engine->stats.events++;
	engine->since_hash++;
}

/* Append a control event and fold it. */
void plm_engine_add_control(struct plm_engine *engine, enum plm_event_type type, const void *value)
{
	struct plm_batch_event event = {
		.type = type,
		.source = PLM_SOURCE_ENGINE,
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      (struct plm_slice){0}, &engine->batch.arena),
	};

	plm_engine_apply(engine, type, plm_batch_add(&engine->batch, &event), value,
			 (struct plm_hash128){0, 0});
}

/* Keep a copy of the image for a snapshot of the state before this batch. */
static void keep_image(struct plm_engine *engine, struct plm_hash128 hash)
{
	uint64_t every = engine->options.snapshot_events == 0 ? PLM_LIMIT_SNAPSHOT_EVENTS
							      : engine->options.snapshot_events;
	struct plm_slice parts[PLM_IMAGE_PARTS];

	if (engine->options.snapshot == NULL || engine->state.seq - engine->last_snapshot < every) {
		return;
	}
	engine->due = (struct plm_snapshot_info){
		.seq = engine->state.seq,
		.chain = plm_log_head(engine->options.log).chain,
		.state = hash,
		.layout_digest = plm_image_layout(),
	};
	plm_image_parts(&engine->state, &engine->batch.arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		engine->due_parts[i] = plm_arena_copy(&engine->batch.arena, parts[i]);
	}
}

static void add_hash(struct plm_engine *engine)
{
	struct plm_hash128 hash = plm_state_hash(&engine->state);
	struct plm_w_hash event = {
		.covers = (int64_t)engine->state.seq,
		.hash = plm_slice_of(&hash, sizeof(hash)),
	};

	keep_image(engine, hash);
	plm_engine_add_control(engine, PLM_EV_HASH, &event);
	engine->since_hash = 0;
}

/* Room is made between batches, before anything has to be refused. */
static void add_growth(struct plm_engine *engine)
{
	struct plm_w_limits limits;

	if (plm_state_grow(&engine->state, &engine->batch.arena, &limits)) {
		plm_engine_add_control(engine, PLM_EV_LIMITS, &limits);
	}
}

void plm_engine_begin_batch(struct plm_engine *engine)
{
	const struct plm_clock *clock = &engine->options.clock;
	struct plm_w_clock_step step = {0};
	int64_t wall_ns = 0;

	if (engine->batch.open) {
		return;
	}
	wall_ns = clock->wall_ns(clock->self);
	step.by_ms =
		plm_ticker_take(&engine->ticker, wall_ns / 1000000, clock->boot_ms(clock->self));
	plm_batch_begin(&engine->batch, wall_ns, engine->ticker.now_ms);
	engine->due.seq = 0;
	engine->pending_count = 0;
	if (engine->since_hash >= PLM_LIMIT_HASH_EVENTS) {
		add_hash(engine);
	}
	if (step.by_ms != 0) {
		plm_engine_add_control(engine, PLM_EV_CLOCK_STEP, &step);
	}
	if (engine->cluster_seq != 0) {
		add_growth(engine);
	}
}

/* ---- committing -------------------------------------------------------------------------------- */

static enum plm_code release(struct plm_engine *engine, struct plm_error *err)
{
	const struct plm_effects *effects = &engine->options.effects;
	struct plm_slice uid = plm_str(&engine->state, plm_root(&engine->state)->cluster_uid);

	if (effects->durable != NULL) {
		effects->durable(effects->self, plm_log_head(engine->options.log).seq);
	}
	for (size_t i = 0; i < engine->pending_count; i++) {
		enum plm_code code = PLM_OK;

		plm_arena_reset(&engine->scratch);
		code = plm_outbox_submit(effects, uid,
					 (struct plm_outgoing){
						 .seq = engine->pending[i].seq,
						 .intent = engine->pending[i].intent,
					 },
					 &engine->scratch, err);
		if (code != PLM_OK) {
			return code;
		}
	}
	engine->pending_count = 0;
	return PLM_OK;
}

static enum plm_code commit(struct plm_engine *engine, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	const struct plm_clock *clock = &engine->options.clock;
	uint64_t began_ns = (uint64_t)clock->wall_ns(clock->self);
	uint64_t ended_ns = 0;

	PLM_ASSERT(engine->batch.open && engine->batch.count > 0);
	code = plm_log_commit(engine->options.log, engine->batch.records, engine->batch.count, err);
	ended_ns = (uint64_t)clock->wall_ns(clock->self);
	engine->stats.commit_ns += ended_ns > began_ns ? ended_ns - began_ns : 0;
	if (code != PLM_OK) {
		engine->dead = true;
		return code;
	}
	PLM_ASSERT(plm_log_head(engine->options.log).seq == engine->state.seq);
	plm_batch_end(&engine->batch);
	engine->stats.batches++;
	if (engine->due.seq != 0) {
		engine->last_snapshot = engine->due.seq;
		engine->options.snapshot(engine->options.snapshot_self, &engine->due,
					 engine->due_parts, PLM_IMAGE_PARTS);
	}
	return release(engine, err);
}

/* ---- cycles ------------------------------------------------------------------------------------ */

static void keep_pending(struct plm_engine *engine, uint64_t seq, const struct plm_w_intent *intent)
{
	if (engine->pending_count == engine->pending_capacity) {
		size_t capacity =
			engine->pending_capacity == 0 ? 256 : engine->pending_capacity * 2;
		struct plm_pending *grown = realloc(engine->pending, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		engine->pending = grown;
		engine->pending_capacity = capacity;
	}
	engine->pending[engine->pending_count++] = (struct plm_pending){seq, intent};
}

/* Append what a step decided, and fold it. */
static void add_decisions(struct plm_engine *engine, uint64_t cycle_seq)
{
	const struct plm_out *out = &engine->decider.out;
	struct plm_arena *arena = &engine->batch.arena;
	uint64_t *seqs = PLM_NEW_ARRAY(arena, (size_t)out->count + 1, uint64_t);

	seqs[PLM_CAUSE_CYCLE] = cycle_seq;
	for (uint32_t handle = 1; handle <= out->count; handle++) {
		const struct plm_out_item *item = plm_out_item(out, handle);
		const void *value = NULL;
		struct plm_batch_event event = {
			.type = item->type,
			.source = PLM_SOURCE_ENGINE,
			.cause = seqs[item->cause],
			.payload = plm_decider_payload(&engine->decider, handle, arena, &value),
		};

		seqs[handle] = plm_batch_add(&engine->batch, &event);
		if (item->type == PLM_EV_INTENT) {
			struct plm_w_intent *intent = PLM_NEW(arena, struct plm_w_intent);

			*intent = *(const struct plm_w_intent *)value;
			keep_pending(engine, seqs[handle], intent);
			engine->stats.intents++;
		} else {
			engine->stats.decisions++;
			engine->stats.reserved += item->type == PLM_EV_RESERVE ? 1 : 0;
		}
		plm_engine_apply(engine, item->type, seqs[handle], value,
				 (struct plm_hash128){0, 0});
	}
}

static void run_cycle(struct plm_engine *engine, int64_t max_rounds)
{
	struct plm_w_cycle cycle = {
		.now_ms = engine->ticker.now_ms,
		.max_rounds = max_rounds,
		.budget = PLM_LIMIT_CYCLE_BUDGET,
	};
	uint64_t seq = 0;

	plm_engine_add_control(engine, PLM_EV_CYCLE, &cycle);
	seq = engine->state.seq;
	engine->stats.cycles++;
	plm_decider_begin(&engine->decider, &cycle);
	while (!engine->decider.last) {
		plm_decider_step(&engine->decider, &engine->state);
		add_decisions(engine, seq);
	}
	engine->decider.active = false;
	engine->again = engine->decider.run.unsettled;
}

/* A full table has room again: say so, which ends observing only. */
static bool may_decide(struct plm_engine *engine)
{
	struct plm_w_limits limits;

	if (plm_root(&engine->state)->observe_only == 0) {
		return true;
	}
	if (plm_state_full(&engine->state, 0) != NULL) {
		return false;
	}
	plm_engine_begin_batch(engine);
	plm_state_limits(&engine->state, &engine->batch.arena, &limits);
	plm_engine_add_control(engine, PLM_EV_LIMITS, &limits);
	return true;
}

/* Logical time: of the open batch, or that a batch begun now would have. */
static int64_t now_ms(const struct plm_engine *engine)
{
	const struct plm_clock *clock = &engine->options.clock;

	if (engine->batch.open) {
		return engine->ticker.now_ms;
	}
	return plm_ticker_read(&engine->ticker, clock->wall_ns(clock->self) / 1000000,
			       clock->boot_ms(clock->self));
}

enum plm_code plm_engine_step(struct plm_engine *engine, bool *out_did, struct plm_error *err)
{
	bool cycle = engine->again || plm_cycle_wanted(&engine->state, now_ms(engine));

	PLM_ASSERT(!engine->dead);
	*out_did = false;
	if (cycle && may_decide(engine)) {
		plm_engine_begin_batch(engine);
		run_cycle(engine, 0);
	}
	if (!engine->batch.open) {
		return PLM_OK;
	}
	*out_did = true;
	return commit(engine, err);
}

enum plm_code plm_engine_flush(struct plm_engine *engine, struct plm_error *err)
{
	PLM_ASSERT(!engine->dead);
	return engine->batch.open && engine->batch.count > 0 ? commit(engine, err) : PLM_OK;
}

enum plm_code plm_engine_cycle(struct plm_engine *engine, int64_t max_rounds, bool *out_settled,
			       struct plm_error *err)
{
	PLM_ASSERT(!engine->dead);
	plm_engine_begin_batch(engine);
	run_cycle(engine, max_rounds);
	*out_settled = !engine->again;
	return commit(engine, err);
}

/* ---- opening ----------------------------------------------------------------------------------- */

static void note(void *self, const char *text)
{
	const struct plm_engine *engine = self;

	if (engine->options.note != NULL) {
		engine->options.note(engine->options.note_self, text);
	}
}

static enum plm_code recover(struct plm_engine *engine, struct plm_error *err)
{
	struct plm_fold_options options = {
		.snapshots = engine->options.folder,
		.to = UINT64_MAX,
		.ignored = note,
		.ctx = engine,
	};
	struct plm_fold_report report;
	enum plm_code code = plm_fold(engine->options.log, &options, &engine->state, &report, err);

	if (code != PLM_OK) {
		return code;
	}
	if (report.diverged != 0) {
		return plm_fail(err, PLM_E_DIVERGED, "event %llu: %s",
				(unsigned long long)report.diverged, report.difference);
	}
	engine->batch.next_seq = report.last + 1;
	engine->batch.wall_ns = report.last_wall_ns;
	engine->batch.tick_ms = report.last_tick_ms;
	engine->ticker.now_ms = (int64_t)report.last_tick_ms;
	engine->batch.epoch = plm_root(&engine->state)->epoch;
	engine->since_hash = report.since_hash;
	engine->last_snapshot = report.from - 1;
	return PLM_OK;
}

static bool same_texts(const struct plm_state *st, plm_sym span, struct plm_vec list)
{
	uint32_t count = 0;
	const plm_sym *have = PLM_SPAN(st, span, plm_sym, &count);
	const struct plm_slice *want = list.ptr;

	for (uint32_t i = 0; count == list.count && i < count; i++) {
		if (!plm_slice_equal(plm_str(st, have[i]), want[i])) {
			return false;
		}
	}
	return count == list.count;
}

static bool same_amounts(const struct plm_state *st, plm_sym span, struct plm_vec list)
{
	uint32_t count = 0;
	const struct plm_amount *have = PLM_SPAN(st, span, struct plm_amount, &count);
	const struct plm_w_exact *want = list.ptr;

	for (uint32_t i = 0; count == list.count && i < count; i++) {
		if (!plm_slice_equal(plm_str(st, have[i].resource), want[i].resource) ||
		    have[i].amount != want[i].amount ||
		    have[i].excess_nano != want[i].excess_nano) {
			return false;
		}
	}
	return count == list.count;
}

static bool same_transformations(const struct plm_state *st, struct plm_vec list)
{
	uint32_t count = 0;
	const struct plm_transformation *have =
		PLM_SPAN(st, plm_root(st)->transformations, struct plm_transformation, &count);
	const struct plm_w_transformation *want = list.ptr;

	for (uint32_t i = 0; count == list.count && i < count; i++) {
		if (!plm_slice_equal(plm_str(st, have[i].input), want[i].input) ||
		    !plm_slice_equal(plm_str(st, have[i].multiply_by), want[i].multiply_by) ||
		    have[i].keep != want[i].keep ||
		    !same_amounts(st, have[i].outputs, want[i].outputs)) {
			return false;
		}
	}
	return count == list.count;
}

static bool same_selector(const struct plm_state *st, const struct plm_selector *have,
			  const struct plm_w_selector *want)
{
	uint32_t count = 0;
	const struct plm_expr *a = PLM_SPAN(st, have->exprs, struct plm_expr, &count);
	const struct plm_w_expr *b = want->exprs.ptr;

	for (uint32_t i = 0; count == want->exprs.count && i < count; i++) {
		if (!plm_slice_equal(plm_str(st, a[i].key), b[i].key) || a[i].op != b[i].op ||
		    !same_texts(st, a[i].values, b[i].values)) {
			return false;
		}
	}
	return count == want->exprs.count && have->present == want->present;
}

static bool same_config(const struct plm_state *st, const struct plm_w_config *w)
{
	const struct plm_root *root = plm_root(st);

	return root->compat == w->compat && root->only == w->only &&
	       plm_slice_equal(plm_str(st, root->cluster_name), w->cluster_name) &&
	       plm_slice_equal(plm_str(st, root->region), w->region) &&
	       root->fair_sharing == w->fair_sharing &&
	       root->pending_by_hand == w->pending_by_hand &&
	       root->batch_idle_ms == w->batch_idle_ms && root->batch_max_ms == w->batch_max_ms &&
	       root->preferences == w->preferences && root->min_values == w->min_values &&
	       root->gang_timeout_ms == w->gang_timeout_ms &&
	       root->registration_timeout_ms == w->registration_timeout_ms &&
	       root->launch_timeout_ms == w->launch_timeout_ms &&
	       root->stock_out_ms == w->stock_out_ms &&
	       root->disruption_wait_ms == w->disruption_wait_ms && root->settle == w->settle &&
	       root->fair_strategies == w->fair_strategies &&
	       root->device_classes == w->device_classes &&
	       root->ignore_undeclared == w->ignore_undeclared &&
	       root->pods_ready == w->pods_ready && root->ready_timeout_ms == w->ready_timeout_ms &&
	       root->recovery_timeout_ms == w->recovery_timeout_ms &&
	       root->block_admission == w->block_admission &&
	       root->requeue_timestamp == w->requeue_timestamp &&
	       root->deactivate_at == w->deactivate_at &&
	       root->requeue_base_s == w->requeue_base_s &&
	       root->requeue_max_s == w->requeue_max_s &&
	       root->retain_finished_ms == w->retain_finished_ms &&
	       root->retain_deactivated_ms == w->retain_deactivated_ms &&
	       root->vm_memory_nano == w->vm_memory_nano &&
	       root->reserved_enis == w->reserved_enis && root->publish == w->publish &&
	       same_texts(st, root->exclude_prefixes, w->exclude_prefixes) &&
	       same_transformations(st, w->transformations) &&
	       same_texts(st, root->frameworks, w->frameworks) &&
	       root->manage_unnamed == w->manage_unnamed &&
	       same_selector(st, &root->managed_namespaces, &w->managed_namespaces);
}

static void add_genesis(struct plm_engine *engine)
{
	struct plm_w_genesis genesis = {
		.cluster_uid = plm_slice_str(engine->options.cluster_uid),
		.cluster_name = engine->options.config.cluster_name,
		.started_ms = engine->ticker.now_ms,
	};
	struct plm_w_limits limits;

	plm_engine_add_control(engine, PLM_EV_GENESIS, &genesis);
	plm_state_limits(&engine->state, &engine->batch.arena, &limits);
	plm_engine_add_control(engine, PLM_EV_LIMITS, &limits);
	engine->cluster_seq = 1;
}

static void add_catalog(struct plm_engine *engine)
{
	const struct plm_event_info *info = plm_event_info(PLM_EV_CATALOG);
	struct plm_batch_event event = {.type = PLM_EV_CATALOG, .source = PLM_SOURCE_CLOUD};
	struct plm_payload decoded;
	struct plm_error err;
	enum plm_code code = PLM_OK;

	event.payload = plm_payload_encode(info, engine->options.catalog, (struct plm_slice){0},
					   &engine->batch.arena);
	plm_arena_reset(&engine->scratch);
	code = plm_payload_decode(info, event.payload, &engine->scratch, &decoded, &err);
	PLM_ASSERT(code == PLM_OK);
	plm_engine_apply(engine, PLM_EV_CATALOG, plm_batch_add(&engine->batch, &event),
			 decoded.value, plm_xxh128(decoded.projection));
	engine->stats.facts++;
}

/* The first batch of a writer's life: who writes now, with what. */
static enum plm_code begin_epoch(struct plm_engine *engine, struct plm_error *err)
{
	const struct plm_root *root = plm_root(&engine->state);
	struct plm_w_epoch epoch = {(int64_t)root->epoch + 1};
	struct plm_w_software software = {PLM_BUNDLE, PLM_EVENT_SCHEMAS};

	engine->batch.epoch = (uint64_t)epoch.epoch;
	plm_log_set_epoch(engine->options.log, engine->batch.epoch);
	/* Beside the log, not in it: two builds of the same sources write the same log. */
	plm_log_note_put(engine->options.log, "version", PLM_VERSION);
	plm_log_note_put(engine->options.log, "compiler", __VERSION__);
	plm_engine_begin_batch(engine);
	if (engine->state.seq == 0) {
		add_genesis(engine);
	}
	plm_engine_add_control(engine, PLM_EV_EPOCH, &epoch);
	if (root->bundle != PLM_BUNDLE) {
		plm_engine_add_control(engine, PLM_EV_SOFTWARE, &software);
	}
	if (!same_config(&engine->state, &engine->options.config)) {
		plm_engine_add_control(engine, PLM_EV_CONFIG, &engine->options.config);
	}
	if (engine->options.catalog != NULL &&
	    (plm_instance_type_live(&engine->state) == 0 ||
	     !plm_slice_equal(plm_str(&engine->state, root->catalog_region),
			      engine->options.catalog->region))) {
		add_catalog(engine);
	}
	return commit(engine, err);
}

/* Intents that were open when the last writer ended: handed out again, with the keys they had. */
static enum plm_code resend(struct plm_engine *engine, uint64_t head, struct plm_error *err)
{
	struct plm_slice uid = plm_str(&engine->state, plm_root(&engine->state)->cluster_uid);
	enum plm_code code = PLM_OK;

	PLM_EACH(&engine->state, intent, id)
	{
		uint64_t seq = plm_intent_at(&engine->state, id)->seq;
		struct plm_reader *reader = NULL;
		struct plm_logged logged;

		PLM_ASSERT(seq <= head);
		plm_arena_reset(&engine->scratch);
		code = plm_reader_open(engine->options.log, seq, &reader, err);
		if (code == PLM_OK) {
			code = plm_reader_next(reader, &logged, err);
		}
		if (code == PLM_OK) {
			code = plm_outbox_submit(&engine->options.effects, uid,
						 (struct plm_outgoing){
							 .seq = seq,
							 .intent = logged.payload,
							 .resent = true,
						 },
						 &engine->scratch, err);
		}
		plm_reader_close(reader);
		if (code != PLM_OK) {
			return code;
		}
	}
	return PLM_OK;
}

static enum plm_code check_cluster(struct plm_engine *engine, struct plm_error *err)
{
	struct plm_slice uid = plm_str(&engine->state, plm_root(&engine->state)->cluster_uid);

	if (!plm_slice_is(uid, engine->options.cluster_uid)) {
		return plm_fail(err, PLM_E_REFUSED, "this is the log of cluster %.*s, not of %s",
				(int)uid.size, (const char *)uid.ptr, engine->options.cluster_uid);
	}
	if (plm_root(&engine->state)->bundle > PLM_BUNDLE) {
		return plm_fail(err, PLM_E_VERSION,
				"the log was written with reducer bundle %llu, this build has %d",
				(unsigned long long)plm_root(&engine->state)->bundle, PLM_BUNDLE);
	}
	engine->cluster_seq = 1;
	return PLM_OK;
}

static enum plm_code init(struct plm_engine *engine, struct plm_error *err)
{
	enum plm_code code = plm_state_init(&engine->state, engine->options.profile, err);

	if (code == PLM_OK) {
		code = plm_batch_init(&engine->batch, err);
	}
	if (code == PLM_OK) {
		code = plm_decider_init(&engine->decider, err);
	}
	if (code == PLM_OK) {
		code = plm_arena_init(&engine->scratch, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_arena_init(&engine->fold, PLM_LIMIT_EVENT_ARENA, err);
	}
	return code;
}

static enum plm_code start(struct plm_engine *engine, struct plm_error *err)
{
	uint64_t head = plm_log_head(engine->options.log).seq;
	enum plm_code code = PLM_OK;

	if (head != 0) {
		code = recover(engine, err);
		if (code == PLM_OK) {
			code = check_cluster(engine, err);
		}
		if (code != PLM_OK) {
			return code;
		}
	}
	code = begin_epoch(engine, err);
	if (code == PLM_OK && head != 0) {
		code = resend(engine, head, err);
	}
	return code;
}

enum plm_code plm_engine_open(const struct plm_engine_options *options, struct plm_engine **out,
			      struct plm_error *err)
{
	struct plm_engine *engine = calloc(1, sizeof(*engine));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(engine != NULL);
	engine->options = *options;
	code = init(engine, err);
	if (code == PLM_OK) {
		code = start(engine, err);
	}
	if (code != PLM_OK) {
		plm_engine_close(engine);
		return code;
	}
	*out = engine;
	return PLM_OK;
}

void plm_engine_close(struct plm_engine *engine)
{
	if (engine == NULL) {
		return;
	}
	plm_state_fini(&engine->state);
	plm_batch_fini(&engine->batch);
	plm_decider_fini(&engine->decider);
	plm_arena_fini(&engine->scratch);
	plm_arena_fini(&engine->fold);
	plm_sweeps_fini(&engine->sweeps);
	free(engine->pending);
	free(engine);
}

/* ---- looking ----------------------------------------------------------------------------------- */

int64_t plm_engine_next_due(const struct plm_engine *engine)
{
	if (engine->again) {
		return engine->ticker.now_ms;
	}
	return plm_next_due(&engine->state);
}

struct plm_log_head plm_engine_head(const struct plm_engine *engine)
{
	return plm_log_head(engine->options.log);
}

const struct plm_state *plm_engine_state(const struct plm_engine *engine)
{
	return &engine->state;
}

struct plm_engine_stats plm_engine_stats(const struct plm_engine *engine)
{
	return engine->stats;
}
