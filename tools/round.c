#include "tools/round.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "adapters/catalog/catalog.h"
#include "adapters/manifest/manifest.h"
#include "codec/codec.h"
#include "core/hashing.h"
#include "core/timefmt.h"
#include "engine/engine.h"
#include "tools/intake.h"
#include "tools/name_set.h"
#include "tools/print.h"
#include "tools/settle.h"

#define NS_PER_MS 1000000
#define DEFAULT_NOW "2026-01-01T00:00:00Z"
#define DEFAULT_REGION "us-west-2"
#define CLUSTER_UID "plimsoll-decide"
/* Cycles without the world; each follows a change that the last one made. */
#define MAX_CYCLES 64
/* Turns of engine and world; a healthy run needs a few per node and job. */
#define MAX_TURNS 20000
/* Who holds what, remembered for so many turns; the same once more than so often is a ring. */
#define HOLDINGS_KEPT 1024
#define HOLDINGS_AGAIN 4
#define FACT_BYTES ((size_t)1024 * 1024 * 1024)
#define CATALOG_FILE_BYTES ((long)256 * 1024 * 1024)

struct plm_round {
	struct plm_cli *call;		/* borrowed */
	struct plm_log *log;		/* owned */
	struct plm_engine *engine;	/* owned */
	struct plm_intake *intake;	/* owned, while reading */
	struct plm_settle *world;	/* owned; settled only */
	struct plm_name_set bound;	/* "ns/name" of input pods that have a node */
	struct plm_arena decoded;	/* owned: one fact */
	struct plm_arena catalog_space; /* owned */
	struct plm_w_catalog catalog;
	struct plm_w_config config;
	int64_t now_ms;
	int64_t cycles; /* 0 = stable or settled */
	bool settle;
	bool settled;
	enum plm_code failed; /* what the engine said to the world */
	struct plm_error failure;
	uint64_t facts_end;
	uint64_t objects;
};

struct plm_log *plm_round_log(struct plm_round *round)
{
	return round->log;
}

const struct plm_state *plm_round_state(const struct plm_round *round)
{
	return plm_engine_state(round->engine);
}

int64_t plm_round_now_ms(const struct plm_round *round)
{
	return round->now_ms;
}

uint64_t plm_round_objects(const struct plm_round *round)
{
	return round->objects;
}

uint64_t plm_round_facts_end(const struct plm_round *round)
{
	return round->facts_end;
}

bool plm_round_settled(const struct plm_round *round)
{
	return round->settled;
}

int64_t plm_round_cycles(const struct plm_round *round)
{
	return round->cycles > 0 ? round->cycles : (int64_t)plm_engine_stats(round->engine).cycles;
}

const char *plm_round_mode(const struct plm_round *round)
{
	if (round->cycles > 0) {
		return "cycles";
	}
	return round->settle ? "settled" : "stable";
}

bool plm_round_is_settling(const struct plm_round *round)
{
	return round->settle;
}

bool plm_round_was_bound(const struct plm_round *round, struct plm_slice pod)
{
	return plm_name_set_has(&round->bound, pod);
}

/* ---- what the call says ------------------------------------------------------------------------ */

static enum plm_code parse_cycles(struct plm_round *round, struct plm_error *err)
{
	const char *text = plm_cli_text(round->call, PLM_FLAG_CYCLES, "settled");
	int64_t cycles = 0;

	round->settle = strcmp(text, "settled") == 0;
	if (round->settle || strcmp(text, "stable") == 0) {
		return PLM_OK;
	}
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9' || cycles > PLM_ROUND_MAX_ROUNDS) {
			cycles = 0;
			break;
		}
		cycles = cycles * 10 + (*at - '0');
	}
	if (cycles < 1 || cycles > PLM_ROUND_MAX_ROUNDS) {
		return plm_fail(err, PLM_E_USAGE,
				"--cycles: '%s' is neither a number from 1 to %d, nor stable, nor "
				"settled",
				text, PLM_ROUND_MAX_ROUNDS);
	}
	round->cycles = cycles;
	return PLM_OK;
}

/* Settings as in Kueue's and Karpenter's own defaults; `decide` has no batch window. */
static void begin_config(struct plm_round *round)
{
	const char *compat = plm_cli_text(round->call, PLM_FLAG_COMPAT, "better");
	const char *only = plm_cli_text(round->call, PLM_FLAG_ONLY, "");
	bool strict = strcmp(compat, "strict") == 0;

	round->config = (struct plm_w_config){
		.compat = plm_names_find(&plm_names_compat, plm_slice_str(compat)),
		.only = plm_names_find(&plm_names_only, plm_slice_str(only)),
		.cluster_name = plm_slice_str("decide"),
		.region = plm_slice_str(plm_cli_text(round->call, PLM_FLAG_REGION, DEFAULT_REGION)),
		.pending_by_hand = strict || strcmp(only, "nodes") == 0 ? 0 : 1,
		.gang_timeout_ms = 15 * PLM_MS_PER_MINUTE,
		.registration_timeout_ms = 15 * PLM_MS_PER_MINUTE,
		.launch_timeout_ms = 5 * PLM_MS_PER_MINUTE,
		.stock_out_ms = 3 * PLM_MS_PER_MINUTE,
		.settle = round->settle ? 1 : 0,
	};
	plm_manifest_setting_defaults(&round->config);
}

static enum plm_code find_now(struct plm_round *round, struct plm_error *err)
{
	const char *given = plm_cli_text(round->call, PLM_FLAG_NOW, NULL);
	int64_t newest = plm_intake_newest(round->intake);

	if (given == NULL && newest != PLM_UNSET) {
		round->now_ms = newest;
		return PLM_OK;
	}
	if (plm_time_parse(plm_slice_str(given != NULL ? given : DEFAULT_NOW), &round->now_ms,
			   NULL) != PLM_OK) {
		return plm_fail(err, PLM_E_USAGE,
				"--now: '%s' is not a time such as 2026-01-01T10:00:00Z", given);
	}
	return PLM_OK;
}

/* ---- catalogue --------------------------------------------------------------------------------- */

static enum plm_code read_catalog(struct plm_round *round, const char *path, struct plm_error *err)
{
	FILE *file = fopen(path, "rb");
	struct stat info = {0};
	char *text = NULL;
	size_t size = 0;
	enum plm_code code = PLM_OK;

	if (file == NULL || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
		code = plm_fail(err, PLM_E_UNREACHABLE, "--catalog: %s is no file that can be read",
				path);
	} else if (info.st_size > CATALOG_FILE_BYTES) {
		code = plm_fail(err, PLM_E_INPUT, "--catalog: %s is larger than %ld bytes", path,
				CATALOG_FILE_BYTES);
	} else {
		size = (size_t)info.st_size;
		text = plm_arena_take(round->call->arena, size + 1);
		if (fread(text, 1, size, file) != size) {
			code = plm_fail(err, PLM_E_IO, "--catalog: %s cannot be read", path);
		}
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	return code != PLM_OK ? code
			      : plm_catalog_read(plm_slice_of(text, size), path,
						 &round->catalog_space, &round->catalog, err);
}

/* Without pools no type is ever looked at, and the log stays small. */
static enum plm_code open_catalog(struct plm_round *round, struct plm_error *err)
{
	const char *path = plm_cli_text(round->call, PLM_FLAG_CATALOG, "builtin");
	const char *region = plm_cli_text(round->call, PLM_FLAG_REGION, DEFAULT_REGION);
	bool builtin = strcmp(path, "builtin") == 0;
	enum plm_code code = PLM_OK;

	if (!plm_intake_wants_catalog(round->intake)) {
		return PLM_OK;
	}
	code = plm_arena_init(&round->catalog_space,
			      builtin ? PLM_CATALOG_ARENA_BYTES : (size_t)CATALOG_FILE_BYTES * 16,
			      err);
	if (code == PLM_OK && !builtin) {
		code = read_catalog(round, path, err);
	} else if (code == PLM_OK) {
		code = plm_catalog_builtin(region, &round->catalog_space, &round->catalog, err);
		code = code == PLM_E_NOT_FOUND
			       ? plm_fail_prefix(
					 err, PLM_E_INCOMPLETE,
					 "no catalogue of instance types (add --catalog FILE)")
			       : code;
	}
	if (code == PLM_OK && round->catalog.region.size == 0) {
		round->catalog.region = plm_slice_str(region); /* a file does not say */
	}
	return code == PLM_E_NOT_FOUND ? PLM_E_INCOMPLETE : code;
}

/* ---- engine ------------------------------------------------------------------------------------ */

static int64_t wall_ns(void *self)
{
	const struct plm_round *round = self;

	return plm_mul_sat(round->now_ms, NS_PER_MS);
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return 0;
}

/* Does 'path' hold anything, or is it no folder at all? */
static bool in_use(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry = NULL;
	bool used = folder == NULL && errno != ENOENT;

	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		used |= strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	}
	if (folder != NULL) {
		(void)closedir(folder);
	}
	return used;
}

static enum plm_code open_log(struct plm_round *round, struct plm_error *err)
{
	const char *folder = plm_cli_text(round->call, PLM_FLAG_KEEP_LOG, NULL);

	if (folder == NULL) {
		return plm_log_open_memory(&round->log, err);
	}
	if (in_use(folder)) {
		return plm_fail(err, PLM_E_REFUSED,
				"%s is not empty; a decision is kept in a new folder", folder);
	}
	return plm_log_open(folder, PLM_LOG_WRITE, &round->log, err);
}

static enum plm_code open_engine(struct plm_round *round, struct plm_error *err)
{
	struct plm_engine_options options = {
		.log = round->log,
		.clock = {.self = round, .wall_ns = wall_ns, .boot_ms = boot_ms},
		.cluster_uid = CLUSTER_UID,
		.profile = PLM_PROFILE_SMALL,
		.config = round->config,
		.catalog = round->catalog.types.count > 0 ? &round->catalog : NULL,
	};

	if (round->world != NULL) {
		options.effects = plm_settle_effects(round->world);
	}
	return plm_engine_open(&options, &round->engine, err);
}

/* Into the batch; when that is full, what it holds is committed, and nothing is decided yet. */
static enum plm_code observe(struct plm_round *round, const struct plm_observation *observation,
			     struct plm_error *err)
{
	enum plm_code code = plm_engine_observe(round->engine, observation, err);

	if (code == PLM_E_AGAIN) {
		code = plm_engine_flush(round->engine, err);
		if (code == PLM_OK) {
			code = plm_engine_observe(round->engine, observation, err);
		}
	}
	return code;
}

/* Which pods have a node already: the others are what this round places. */
static enum plm_code note_pod(struct plm_round *round, const struct plm_observation *fact,
			      struct plm_error *err)
{
	struct plm_payload payload;
	const struct plm_w_pod *pod = NULL;
	enum plm_code code = PLM_OK;

	plm_arena_reset(&round->decoded);
	code = plm_payload_decode(plm_event_info(PLM_EV_POD), fact->payload, &round->decoded,
				  &payload, err);
	if (code != PLM_OK) {
		return code;
	}
	pod = payload.value;
	if (pod->node.size > 0) {
		(void)plm_name_set_add(
			&round->bound,
			plm_arena_format(&round->decoded, "%.*s/%.*s", (int)pod->meta.ns.size,
					 (const char *)pod->meta.ns.ptr, (int)pod->meta.name.size,
					 (const char *)pod->meta.name.ptr));
	}
	return PLM_OK;
}

static enum plm_code take_fact(void *ctx, const struct plm_observation *fact, struct plm_error *err)
{
	struct plm_round *round = ctx;
	enum plm_code code = PLM_OK;

	if (fact->type == PLM_EV_POD) {
		code = note_pod(round, fact, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	return round->world != NULL ? plm_settle_apply(round->world, fact, err)
				    : observe(round, fact, err);
}

/* What the world tells; a failure of the engine ends the run at the next turn. */
static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct plm_round *round = self;

	if (round->failed == PLM_OK) {
		round->failed = observe(round, observation, &round->failure);
	}
	return round->failed;
}

static enum plm_code world_failed(const struct plm_round *round, struct plm_error *err)
{
	return round->failed == PLM_OK ? PLM_OK
				       : plm_fail(err, round->failed, "%s", round->failure.text);
}

static void warn_class(struct plm_round *round, struct plm_name_set *told, plm_sym name)
{
	const struct plm_state *st = plm_engine_state(round->engine);
	struct plm_slice text = plm_str(st, name);

	if (name.n != 0 && plm_find(st, PLM_KIND_PRIORITY_CLASS, (plm_sym){0}, name).n == 0 &&
	    plm_find(st, PLM_KIND_WORKLOAD_PRIORITY_CLASS, (plm_sym){0}, name).n == 0 &&
	    plm_name_set_add(told, text)) {
		plm_print_warning(
			round->call,
			"PriorityClass %.*s is not in the input: priority 0, or the default "
			"class's",
			(int)text.size, (const char *)text.ptr);
	}
}

/* Classes that are named and not there, each once: exact decisions 4. */
static void warn_classes(struct plm_round *round)
{
	const struct plm_state *st = plm_engine_state(round->engine);
	struct plm_name_set told = {.arena = round->call->arena};

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		uint32_t count = 0;
		const struct plm_pod_set *sets =
			PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

		if (workload->priority_given != PLM_UNSET) {
			continue;
		}
		warn_class(round, &told, workload->priority_class);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t one = 0;

			warn_class(round, &told,
				   PLM_SPAN(st, sets[i].shape, struct plm_shape, &one)
					   ->priority_class);
		}
	}
	PLM_EACH(st, pod, id)
	{
		uint32_t one = 0;
		const struct plm_shape *shape =
			PLM_SPAN(st, plm_pod_at(st, id)->shape, struct plm_shape, &one);

		if (shape->priority == PLM_UNSET) {
			warn_class(round, &told, shape->priority_class);
		}
	}
}

static enum plm_code feed(struct plm_round *round, struct plm_error *err)
{
	enum plm_code code = plm_intake_feed(round->intake, round->now_ms, take_fact, round, err);

	if (code == PLM_OK && round->world != NULL) {
		(void)plm_settle_advance(round->world);
		plm_settle_listed(round->world);
		code = world_failed(round, err);
	}
	if (code == PLM_OK) {
		code = plm_engine_flush(round->engine, err);
	}
	if (code == PLM_OK && plm_engine_stats(round->engine).rejected > 0) {
		return plm_fail(err, PLM_E_LIMIT,
				"the input is larger than a table may grow: see `log show --type "
				"REJECTED` with -L");
	}
	round->facts_end = plm_log_head(round->log).seq;
	round->objects = plm_intake_objects(round->intake);
	if (code == PLM_OK) {
		warn_classes(round);
	}
	return code;
}

/* Go on as long as a cycle leaves something to look at. */
static enum plm_code run_cycles(struct plm_round *round, struct plm_error *err)
{
	int64_t bound = round->cycles > 0 ? round->cycles : PLM_ROUND_MAX_ROUNDS;
	enum plm_code code = plm_engine_cycle(round->engine, bound, &round->settled, err);
	bool did = round->cycles == 0;

	for (int i = 0; code == PLM_OK && did && i < MAX_CYCLES; i++) {
		code = plm_engine_step(round->engine, &did, err);
		round->settled = round->settled && !did;
	}
	round->settled = round->settled || !did;
	return code;
}

/* Which workloads hold which quota, as a number. */
static uint64_t holdings(const struct plm_state *st)
{
	uint64_t hash = plm_node_claim_live(st);

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->stage == PLM_STAGE_RESERVED ||
		    workload->stage == PLM_STAGE_ADMITTED) {
			hash = plm_hash_mix(hash ^
					    ((uint64_t)id.n << 32 | workload->assignments.n));
		}
	}
	return hash;
}

struct past {
	uint64_t seen[HOLDINGS_KEPT];
	uint64_t count;
};

/*
 * As Kueue decides, two queues can take the same quota from each other for ever (kueue.md 6, theme 8).
 * True when what is held now was held so often before, with something else in between.
 */
static bool comes_again(struct past *past, uint64_t now)
{
	uint64_t kept = past->count < HOLDINGS_KEPT ? past->count : HOLDINGS_KEPT;
	unsigned again = 0;

	if (past->count > 0 && past->seen[(past->count - 1) % HOLDINGS_KEPT] == now) {
		return false;
	}
	for (uint64_t i = 0; i < kept; i++) {
		again += past->seen[i] == now;
	}
	past->seen[past->count++ % HOLDINGS_KEPT] = now;
	return again >= HOLDINGS_AGAIN;
}

/* Engine and world take turns until neither has anything to do at this moment. */
static enum plm_code run_world(struct plm_round *round, struct plm_error *err)
{
	enum plm_code code =
		plm_engine_cycle(round->engine, PLM_ROUND_MAX_ROUNDS, &round->settled, err);
	struct past past = {.count = 0};
	bool did = true;
	int turns = 0;

	for (; code == PLM_OK && did && turns < MAX_TURNS; turns++) {
		bool stepped = false;

		did = plm_settle_advance(round->world);
		code = world_failed(round, err);
		if (code == PLM_OK) {
			code = plm_engine_step(round->engine, &stepped, err);
		}
		did = did || stepped;
		if (comes_again(&past, holdings(plm_engine_state(round->engine)))) {
			break;
		}
	}
	round->settled = !did;
	return code;
}

static enum plm_code open_world(struct plm_round *round, struct plm_error *err)
{
	struct plm_inbox inbox = {.self = round, .put = put};

	if (!round->settle) {
		return PLM_OK;
	}
	return plm_settle_open(round->now_ms,
			       round->catalog.types.count > 0 ? &round->catalog : NULL,
			       round->config.reserved_enis, &inbox, &round->world, err);
}

static enum plm_code run(struct plm_round *round, struct plm_error *err)
{
	enum plm_code code = parse_cycles(round, err);

	begin_config(round);
	if (code == PLM_OK) {
		code = plm_intake_open(round->call, PLM_INTAKE_KEEP_BYTES, &round->intake, err);
	}
	if (code == PLM_OK) {
		code = plm_intake_read(round->intake, &round->config, err);
	}
	if (code == PLM_OK) {
		code = find_now(round, err);
	}
	if (code == PLM_OK) {
		code = open_catalog(round, err);
	}
	if (code == PLM_OK) {
		code = open_log(round, err);
	}
	if (code == PLM_OK) {
		code = open_world(round, err);
	}
	if (code == PLM_OK) {
		code = open_engine(round, err);
	}
	if (code == PLM_OK) {
		code = feed(round, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	return round->world != NULL ? run_world(round, err) : run_cycles(round, err);
}

enum plm_code plm_round_open(struct plm_cli *call, struct plm_round **out, struct plm_error *err)
{
	struct plm_round *round = calloc(1, sizeof(*round));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(round != NULL);
	round->call = call;
	round->bound.arena = call->arena;
	code = plm_arena_init(&round->decoded, FACT_BYTES, err);
	if (code == PLM_OK) {
		code = run(round, err);
	}
	plm_intake_close(round->intake);
	round->intake = NULL;
	if (code != PLM_OK) {
		plm_round_close(round);
		return code;
	}
	*out = round;
	return PLM_OK;
}

void plm_round_close(struct plm_round *round)
{
	if (round == NULL) {
		return;
	}
	plm_engine_close(round->engine);
	plm_log_close(round->log);
	plm_intake_close(round->intake);
	plm_settle_close(round->world);
	plm_arena_fini(&round->decoded);
	plm_arena_fini(&round->catalog_space);
	free(round);
}
