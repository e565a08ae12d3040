#include "tools/agree.h"

#include <stdlib.h>

#include "core/arena.h"
#include "core/limits.h"
#include "core/timefmt.h"

#define ARENA_BYTES ((size_t)4 * 1024 * 1024 * 1024)

const char *const plm_agree_what_names[PLM_AGREE_WHATS] = {
	[PLM_AGREE_ADMISSION] = "admissions",
	[PLM_AGREE_PREEMPTION] = "preemptions",
	[PLM_AGREE_CLAIM] = "claims",
	[PLM_AGREE_REMOVAL] = "removals",
};
const char *const plm_agree_how_names[PLM_AGREE_HOWS] = {
	[PLM_AGREE_SAME] = "same",	    [PLM_AGREE_OTHER] = "other",
	[PLM_AGREE_LATER] = "later",	    [PLM_AGREE_ONLY_US] = "onlyUs",
	[PLM_AGREE_ONLY_THEM] = "onlyThem",
};

/* Something that we would do. */
struct would {
	enum plm_agree_what what;
	struct plm_slice ns, name, detail; /* arena */
	int64_t since_ms;		   /* it has been wanted from then on */
	bool found;			   /* by the last look */
};

struct plm_agree {
	struct plm_shadow *shadow;	 /* owned */
	struct plm_arena arena, scratch; /* scratch: of one event */
	struct would *would;		 /* owned */
	size_t would_count, would_capacity;
	bool stale; /* something has changed since the last look */
	int64_t look_ms;
	uint64_t counts[PLM_AGREE_WHATS][PLM_AGREE_HOWS];
	struct plm_agree_row *rows; /* owned */
	size_t row_count;
};

/* What a peer did, as one fact tells it. */
struct deed {
	bool is;
	enum plm_agree_what what;
	struct plm_slice ns, name, detail;
};

enum plm_code plm_agree_new(struct plm_agree **out, struct plm_error *err)
{
	struct plm_agree *agree = calloc(1, sizeof(*agree));
	enum plm_code code = PLM_OK;

	if (agree == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "agreement: out of memory");
	}
	agree->stale = true;
	agree->rows = calloc(PLM_AGREE_KEPT, sizeof(*agree->rows));
	code = agree->rows == NULL ? plm_fail(err, PLM_E_LIMIT, "agreement: out of memory")
				   : plm_arena_init(&agree->arena, ARENA_BYTES, err);
	if (code == PLM_OK) {
		code = plm_arena_init(&agree->scratch, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_shadow_new(&agree->shadow, err);
	}
	if (code != PLM_OK) {
		plm_agree_free(agree);
		return code;
	}
	*out = agree;
	return PLM_OK;
}

void plm_agree_free(struct plm_agree *agree)
{
	if (agree == NULL) {
		return;
	}
	plm_shadow_free(agree->shadow);
	plm_arena_fini(&agree->scratch);
	plm_arena_fini(&agree->arena);
	free(agree->would);
	free(agree->rows);
	free(agree);
}

static void count(struct plm_agree *agree, const struct plm_agree_row *row)
{
	struct plm_agree_row *kept = NULL;

	agree->counts[row->what][row->how]++;
	if (row->how == PLM_AGREE_SAME || agree->row_count == PLM_AGREE_KEPT) {
		return;
	}
	kept = &agree->rows[agree->row_count++];
	*kept = *row;
	kept->ns = plm_arena_copy(&agree->arena, row->ns);
	kept->name = plm_arena_copy(&agree->arena, row->name);
	kept->theirs = plm_arena_copy(&agree->arena, row->theirs);
	kept->ours = plm_arena_copy(&agree->arena, row->ours);
}

/* ---- what we would do -------------------------------------------------------------------------- */

static struct would *find(struct plm_agree *agree, enum plm_agree_what what, struct plm_slice ns,
			  struct plm_slice name)
{
	for (size_t i = 0; i < agree->would_count; i++) {
		struct would *would = &agree->would[i];

		if (would->what == what && plm_slice_equal(would->name, name) &&
		    plm_slice_equal(would->ns, ns)) {
			return would;
		}
	}
	return NULL;
}

static void add(struct plm_agree *agree, const struct would *what)
{
	struct would *would = find(agree, what->what, what->ns, what->name);

	if (would == NULL) {
		if (agree->would_count == agree->would_capacity) {
			size_t capacity = 2 * agree->would_capacity + 64;
			struct would *grown =
				realloc(agree->would, capacity * sizeof(*agree->would));

			PLM_ASSERT(grown != NULL);
			agree->would = grown;
			agree->would_capacity = capacity;
		}
		would = &agree->would[agree->would_count++];
		*would = (struct would){
			.what = what->what,
			.ns = plm_arena_copy(&agree->arena, what->ns),
			.name = plm_arena_copy(&agree->arena, what->name),
			.since_ms = agree->look_ms,
		};
	}
	would->found = true;
	if (!plm_slice_equal(would->detail, what->detail)) {
		would->detail = plm_arena_copy(&agree->arena, what->detail);
	}
}

/* "main: cpu=default,memory=default; ..." in the order of the pod sets. */
static struct plm_slice flavors_of(struct plm_arena *arena, struct plm_vec assignments)
{
	const struct plm_w_assignment *set = assignments.ptr;
	struct plm_slice text = {0};

	for (size_t i = 0; i < assignments.count; i++) {
		const struct plm_w_kv *flavor = set[i].flavors.ptr;

		text = plm_arena_format(arena, "%.*s%s%.*s:", (int)text.size,
					(const char *)text.ptr, i == 0 ? "" : "; ",
					(int)set[i].name.size, (const char *)set[i].name.ptr);
		for (size_t f = 0; f < set[i].flavors.count; f++) {
			text = plm_arena_format(
				arena, "%.*s %.*s=%.*s", (int)text.size, (const char *)text.ptr,
				(int)flavor[f].key.size, (const char *)flavor[f].key.ptr,
				(int)flavor[f].value.size, (const char *)flavor[f].value.ptr);
		}
	}
	return text;
}

static void decided(void *self, enum plm_event_type type, const void *payload)
{
	struct plm_agree *agree = self;
	const struct plm_w_reserve *reserve = payload;
	const struct plm_w_evict *evict = payload;
	const struct plm_w_claim *claim = payload;
	const struct plm_w_claim_end *end = payload;
	struct would would = {.found = true};

	switch ((uint32_t)type) {
	case PLM_EV_RESERVE:
		would = (struct would){.what = PLM_AGREE_ADMISSION,
				       .ns = reserve->ns,
				       .name = reserve->name,
				       .detail = flavors_of(&agree->scratch, reserve->assignments)};
		break;
	case PLM_EV_EVICT:
		if (evict->reason != PLM_REASON_PREEMPTED) {
			return;
		}
		would = (struct would){
			.what = PLM_AGREE_PREEMPTION, .ns = evict->ns, .name = evict->name};
		break;
	case PLM_EV_CLAIM:
		would = (struct would){.what = PLM_AGREE_CLAIM, .name = claim->pool};
		break;
	case PLM_EV_CLAIM_END:
		would = (struct would){.what = PLM_AGREE_REMOVAL, .name = end->name};
		break;
	default:
		return;
	}
	add(agree, &would);
}

static void drop(struct plm_agree *agree, struct would *would)
{
	*would = agree->would[--agree->would_count];
}

/* What we do not want any more: long wanted and never done by the peer is ours alone. */
static void sweep(struct plm_agree *agree, uint64_t seq, int64_t now_ms, bool all)
{
	for (size_t i = 0; i < agree->would_count;) {
		struct would *would = &agree->would[i];
		bool long_wanted = now_ms - would->since_ms >= PLM_AGREE_LATE_MS;
		const struct plm_agree_row row = {
			seq,	   now_ms,	would->what, PLM_AGREE_ONLY_US,
			would->ns, would->name, {0},	     would->detail};

		if (!all && would->found) {
			i++;
			continue;
		}
		if (long_wanted) {
			count(agree, &row);
		}
		drop(agree, would);
	}
}

static enum plm_code look(struct plm_agree *agree, const struct plm_state *st, uint64_t seq,
			  int64_t now_ms, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	for (size_t i = 0; i < agree->would_count; i++) {
		agree->would[i].found = false;
	}
	agree->look_ms = now_ms;
	agree->stale = false;
	code = plm_shadow_look(agree->shadow, st, now_ms, decided, agree, err);
	if (code == PLM_OK) {
		sweep(agree, seq, now_ms, false);
	}
	return code;
}

/* ---- what they did ----------------------------------------------------------------------------- */

static struct deed workload_deed(struct plm_agree *agree, const struct plm_state *st,
				 const struct plm_w_workload *w)
{
	uint32_t only = plm_root(st)->only;
	plm_id id = plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, w->meta.ns),
			     plm_sym_find(st, w->meta.name));
	const struct plm_workload *had = id.n == 0 ? NULL : plm_workload_at(st, id);
	struct deed deed = {.ns = w->meta.ns, .name = w->meta.name};

	/* The first list of a life shows what was done before it. */
	if (had == NULL || (had->object.seq == 0 && plm_root(st)->workloads_listed == 0) ||
	    (only != PLM_ONLY_NODES && only != PLM_ONLY_NOTHING)) {
		return deed;
	}
	if (had->stage == PLM_STAGE_PENDING && w->reserved_ms != PLM_UNSET &&
	    w->finished_ms == PLM_UNSET) {
		deed.is = true;
		deed.what = PLM_AGREE_ADMISSION;
		deed.detail = flavors_of(&agree->scratch, w->assignments);
	} else if (had->evicted_ms == PLM_UNSET && w->evicted_ms != PLM_UNSET &&
		   plm_slice_is(w->evicted_reason, "Preempted")) {
		deed.is = true;
		deed.what = PLM_AGREE_PREEMPTION;
	}
	return deed;
}

static struct deed claim_deed(const struct plm_state *st, const struct plm_w_node_claim *w)
{
	uint32_t only = plm_root(st)->only;
	plm_id id = plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(st, w->meta.name));
	struct deed deed = {.is = false};

	/* The first list of a life shows what was done before it. */
	if ((only != PLM_ONLY_QUEUES && only != PLM_ONLY_NOTHING) ||
	    plm_root(st)->claims_listed.n == 0) {
		return deed;
	}
	if (id.n == 0) {
		deed = (struct deed){.is = true, .what = PLM_AGREE_CLAIM, .name = w->pool};
	} else if (w->meta.deleting_ms != PLM_UNSET &&
		   plm_node_claim_at(st, id)->object.deleting_ms == PLM_UNSET) {
		deed = (struct deed){.is = true, .what = PLM_AGREE_REMOVAL, .name = w->meta.name};
	}
	return deed;
}

static enum plm_agree_how compare(const struct would *would, const struct deed *deed,
				  int64_t now_ms)
{
	if (would == NULL) {
		return PLM_AGREE_ONLY_THEM;
	}
	if (!plm_slice_equal(would->detail, deed->detail)) {
		return PLM_AGREE_OTHER;
	}
	return now_ms - would->since_ms > PLM_AGREE_LATE_MS ? PLM_AGREE_LATER : PLM_AGREE_SAME;
}

static enum plm_code judge(struct plm_agree *agree, const struct plm_state *st,
			   const struct deed *deed, const struct plm_logged *logged,
			   struct plm_error *err)
{
	int64_t now_ms = (int64_t)logged->envelope.tick_ms;
	struct would *would = find(agree, deed->what, deed->ns, deed->name);
	struct plm_agree_row row = {.seq = logged->envelope.seq,
				    .at_ms = now_ms,
				    .what = deed->what,
				    .ns = deed->ns,
				    .name = deed->name,
				    .theirs = deed->detail};
	enum plm_code code = PLM_OK;

	if (agree->stale || would == NULL) {
		code = look(agree, st, row.seq, now_ms, err);
		would = find(agree, deed->what, deed->ns, deed->name);
	}
	row.how = compare(would, deed, now_ms);
	row.ours = would == NULL ? (struct plm_slice){0} : would->detail;
	count(agree, &row);
	if (would != NULL) {
		drop(agree, would);
	}
	return code;
}

enum plm_code plm_agree_event(struct plm_agree *agree, const struct plm_state *st,
			      const struct plm_logged *logged, struct plm_error *err)
{
	int64_t now_ms = (int64_t)logged->envelope.tick_ms;
	struct deed deed = {.is = false};

	if (logged->info->class != PLM_CLASS_FACT) {
		return PLM_OK;
	}
	plm_arena_reset(&agree->scratch);
	if (logged->info->type == PLM_EV_WORKLOAD) {
		deed = workload_deed(agree, st, logged->payload);
	} else if (logged->info->type == PLM_EV_NODE_CLAIM) {
		deed = claim_deed(st, logged->payload);
	}
	if (deed.is) {
		return judge(agree, st, &deed, logged, err);
	}
	/* Once a second of the log is often enough to know since when something is wanted. */
	if (agree->stale && now_ms - agree->look_ms >= PLM_MS_PER_SECOND && st->seq > 0) {
		enum plm_code code = look(agree, st, logged->envelope.seq, now_ms, err);

		agree->stale = true;
		return code;
	}
	agree->stale = true;
	return PLM_OK;
}

void plm_agree_end(struct plm_agree *agree)
{
	sweep(agree, 0, agree->look_ms, true);
}

uint64_t plm_agree_count(const struct plm_agree *agree, enum plm_agree_what what,
			 enum plm_agree_how how)
{
	return agree->counts[what][how];
}

const struct plm_agree_row *plm_agree_rows(const struct plm_agree *agree, size_t *out_count)
{
	*out_count = agree->row_count;
	return agree->rows;
}
