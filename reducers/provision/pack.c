/* The loop: biggest pod first, existing nodes, open claims, a new claim. karpenter.md 2.5. */
#include "core/limits.h"
#include "reducers/provision/pass.h"

/* Pods that wait for their turn: a ring as long as all of them. */
struct queue {
	uint32_t *wants;
	uint32_t head, length, room;
};

static uint32_t queue_pop(struct queue *queue)
{
	uint32_t want = queue->wants[queue->head];

	PLM_ASSERT(queue->length > 0);
	queue->head = (queue->head + 1) % queue->room;
	queue->length--;
	return want;
}

static void queue_push(struct queue *queue, uint32_t want)
{
	PLM_ASSERT(queue->length < queue->room);
	queue->wants[(queue->head + queue->length) % queue->room] = want;
	queue->length++;
}

/* Seats that refused 'try' for good, as bits; those past the end are among them. */
static uint64_t *row_of(struct plm_pass *pass, uint32_t try)
{
	uint32_t words = (pass->seat_count + 63) / 64;

	if (pass->seat_rows[try] == NULL) {
		pass->seat_rows[try] = PLM_NEW_ARRAY(pass->arena, words, uint64_t);
		if (pass->seat_count % 64 != 0) {
			pass->seat_rows[try][words - 1] = ~UINT64_C(0) << (pass->seat_count % 64);
		}
	}
	return pass->seat_rows[try];
}

static bool try_seats(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	uint32_t try = shape->first_try + ask;
	uint32_t words = (pass->seat_count + 63) / 64;
	uint64_t *row = row_of(pass, try);
	uint32_t w = pass->seat_from[try];

	while (w < words && row[w] == ~UINT64_C(0)) {
		w++;
	}
	pass->seat_from[try] = w;
	for (; w < words; w++) {
		for (uint64_t word = ~row[w]; word != 0; word &= word - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(word);

			if (!plm_seat_may_fit(pass, i, shape->requests) ||
			    plm_kind_host_closed(pass, shape->kind, ask, pass->seats[i].host)) {
				PLM_BIT_SET(row, i);
			} else if (plm_seat_add(pass, plm_seat_at(pass, i), want, ask)) {
				return true;
			}
		}
	}
	return false;
}

static bool try_claims(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	struct plm_open_walk walk =
		plm_opens_walk(pass, plm_want_shape_of(pass, want)->first_try + ask);
	struct plm_open *claim = NULL;

	while ((claim = plm_opens_next(&walk)) != NULL) {
		switch (plm_open_add(pass, claim, want, ask)) {
		case PLM_JOINED:
			plm_opens_grew(pass, claim);
			return true;
		case PLM_JOINED_NOT_THERE:
			plm_opens_not_there(&walk, claim);
			break;
		case PLM_JOINED_NOT:
		default:
			break;
		}
	}
	return false;
}

static enum plm_opened try_add(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	if (try_seats(pass, want, ask) || try_claims(pass, want, ask)) {
		return PLM_OPENED;
	}
	return plm_open_new(pass, want, ask);
}

/* Thrifty: a pod that has no place otherwise makes a claim dearer. */
static bool try_dear(struct plm_pass *pass, uint32_t want)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);
	uint32_t asks = pass->kinds[shape->kind].ask_count;

	for (uint32_t ask = 0; pass->thrifty && ask < asks; ask++) {
		for (uint32_t i = 0; i < pass->claim_count; i++) {
			if (!PLM_BIT(pass->opens.open, i)) {
				continue;
			}
			if (pass->chances++ >= PLM_LIMIT_PACK_CHANCES) {
				return false;
			}
			if (plm_open_add_dear(pass, pass->claims[i], want, ask)) {
				plm_opens_grew(pass, pass->claims[i]);
				return true;
			}
		}
	}
	return false;
}

/* All states of its preferences, one after the other. */
static bool try_all(struct plm_pass *pass, uint32_t want)
{
	struct plm_want_shape *shape = &pass->shapes[pass->wants[want].shape];
	const struct plm_want_kind *kind = &pass->kinds[shape->kind];

	bool held = false;

	if (shape->hopeless == pass->claim_count + 1) {
		return false; /* an equal pod failed, and no claim was opened since */
	}
	if (shape->volumes != 0 &&
	    plm_volume_set_at(pass, shape->volumes)->refuse != PLM_RULE_NONE) {
		return false;
	}
	for (uint32_t ask = 0; ask < kind->ask_count; ask++) {
		held = plm_kind_held(pass, shape->kind, ask) || held;
		enum plm_opened opened = try_add(pass, want, ask);

		if (opened != PLM_OPENED_NOT) {
			return opened == PLM_OPENED;
		}
	}
	if (try_dear(pass, want)) {
		return true;
	}
	shape->hopeless = held ? 0 : pass->claim_count + 1;
	return false;
}

/* Place the wants of 'queue' as far as that goes. */
static void run_queue(struct plm_pass *pass, struct queue *queue)
{
	while (queue->length > 0) {
		struct plm_want *want = &pass->wants[queue->wants[queue->head]];
		uint32_t index = 0;

		if (want->last_length == queue->length) {
			return; /* it came round and nothing was placed in between */
		}
		index = queue_pop(queue);
		if (!try_all(pass, index)) {
			queue_push(queue, index);
			want->last_length = queue->length;
		}
	}
}

/* Existing nodes for a pod that columns place: in no state of its preferences that a new node spares it. */
static bool seat_first(struct plm_pass *pass, uint32_t want)
{
	uint32_t asks = plm_want_shape_of(pass, want)->column_ask;

	for (uint32_t ask = 0; ask < asks; ask++) {
		if (try_seats(pass, want, ask)) {
			return true;
		}
	}
	return false;
}

/* Room on open claims that is paid for. */
static void fill_room(struct plm_pass *pass)
{
	pass->filling = true;
	for (uint32_t i = 0; i < pass->want_count; i++) {
		uint32_t want = pass->order[i];
		uint32_t ask = plm_want_shape_of(pass, want)->column_ask;

		if (ask > 0 && pass->wants[want].place == PLM_WANT_OPEN) {
			(void)try_claims(pass, want, ask - 1);
		}
	}
	pass->filling = false;
}

enum those {
	THOSE_APART, /* by host */
	THOSE_HELD,  /* whom columns do not place */
	THOSE_ALL,
};

static bool is_among(const struct plm_pass *pass, uint32_t want, enum those those)
{
	const struct plm_want_shape *shape = plm_want_shape_of(pass, want);

	return those == THOSE_ALL || (those == THOSE_HELD && shape->column_ask == 0) ||
	       (those == THOSE_APART && pass->kinds[shape->kind].apart);
}

/* A queue of the wants that have no place yet, in order. */
static struct queue queue_open(const struct plm_pass *pass, enum those those)
{
	struct queue queue = {.room = pass->want_count};

	queue.wants = PLM_NEW_ARRAY(pass->arena, pass->want_count, uint32_t);
	for (uint32_t i = 0; i < pass->want_count; i++) {
		uint32_t want = pass->order[i];

		pass->wants[want].last_length = 0;
		if (pass->wants[want].place == PLM_WANT_OPEN && is_among(pass, want, those)) {
			queue_push(&queue, want);
		}
	}
	return queue;
}

/* Nodes that are needed anyhow come first: what is left on them is room for the others. */
static void pack_apart(struct plm_pass *pass)
{
	struct queue queue;

	for (uint32_t k = 0; k < pass->kind_count; k++) {
		pass->kinds[k].apart = plm_kind_apart(pass, k);
	}
	queue = queue_open(pass, THOSE_APART);
	pass->apart = true;
	run_queue(pass, &queue);
	pass->apart = false;
}

/* What topology has a say in, then the others into the room that is left, then by columns. */
static void pack_columns(struct plm_pass *pass, struct columns *columns)
{
	struct queue held;

	for (uint32_t i = 0; i < pass->want_count; i++) {
		(void)seat_first(pass, pass->order[i]);
	}
	held = queue_open(pass, THOSE_HELD);
	run_queue(pass, &held);
	fill_room(pass);
	plm_columns_pack(columns);
}

/* Upstream does not even look at nodes that are there when no pool is ready. */
static bool any_pool(const struct plm_pass *pass)
{
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		if (pass->pools[p].use != PLM_POOL_NOT_READY) {
			return true;
		}
	}
	return false;
}

void plm_pass_pack(struct plm_pass *pass)
{
	struct columns *columns = NULL;
	struct queue queue;

	if (pass->strict && pass->gang.n == 0 && !any_pool(pass)) {
		return;
	}
	if (pass->thrifty) {
		columns = plm_columns_begin(pass);
		pack_apart(pass);
	}
	if (columns != NULL) {
		pack_columns(pass, columns);
	}
	queue = queue_open(pass, THOSE_ALL);
	run_queue(pass, &queue);
}
