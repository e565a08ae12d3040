/* The loop: biggest pod first, existing nodes, open claims, a new claim. karpenter.md 2.5. */
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

static bool try_seats(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	uint32_t try = plm_want_shape_of(pass, want)->first_try + ask;
	uint32_t first = pass->seat_from[try];

	while (first < pass->seat_count && PLM_BIT(pass->seats[first].failed, try)) {
		first++;
	}
	pass->seat_from[try] = first;
	for (uint32_t i = first; i < pass->seat_count; i++) {
		if (!PLM_BIT(pass->seats[i].failed, try) &&
		    plm_seat_add(pass, &pass->seats[i], want, ask)) {
			return true;
		}
	}
	return false;
}

/* The list is kept sorted by pods, stable, as if it were sorted before each try. */
static void settle(struct plm_pass *pass, uint32_t at)
{
	struct plm_open *claim = pass->claims[at];

	while (at > 0 && pass->claims[at - 1]->pods > claim->pods) {
		pass->claims[at] = pass->claims[at - 1];
		at--;
	}
	while (at + 1 < pass->open_count && pass->claims[at + 1]->pods < claim->pods) {
		pass->claims[at] = pass->claims[at + 1];
		at++;
	}
	pass->claims[at] = claim;
}

/* Claim 'at' takes no more: behind the open ones with it, whose order stays. */
static void close_claim(struct plm_pass *pass, uint32_t at)
{
	struct plm_open *claim = pass->claims[at];

	pass->open_count--;
	memmove(&pass->claims[at], &pass->claims[at + 1],
		(pass->open_count - at) * sizeof(struct plm_open *));
	pass->claims[pass->open_count] = claim;
}

static bool try_claims(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	uint32_t try = plm_want_shape_of(pass, want)->first_try + ask;

	for (uint32_t i = 0; i < pass->open_count; i++) {
		struct plm_open *claim = pass->claims[i];

		if (pass->thrifty && plm_open_is_full(pass, claim)) {
			close_claim(pass, i--);
			continue;
		}

		if (PLM_BIT(claim->failed, try) || (pass->thrifty && PLM_BIT(claim->dear, try))) {
			continue;
		}
		if (plm_open_add(pass, claim, want, ask)) {
			settle(pass, i);
			return true;
		}
	}
	return false;
}

static enum plm_opened try_add(struct plm_pass *pass, uint32_t want, uint32_t ask)
{
	enum plm_opened opened = PLM_OPENED;

	if (try_seats(pass, want, ask) || try_claims(pass, want, ask)) {
		return PLM_OPENED;
	}
	opened = plm_open_new(pass, want, ask);
	if (opened == PLM_OPENED) {
		settle(pass, pass->open_count - 1);
	}
	return opened;
}

/* All states of its preferences, one after the other. */
static bool try_all(struct plm_pass *pass, uint32_t want)
{
	struct plm_want_shape *shape = &pass->shapes[pass->wants[want].shape];
	const struct plm_want_kind *kind = &pass->kinds[shape->kind];

	bool held = false;

	if (shape->hopeless == pass->claims_made + 1) {
		return false; /* an equal pod failed, and no claim was opened since */
	}
	for (uint32_t ask = 0; ask < kind->ask_count; ask++) {
		held = plm_kind_held(pass, shape->kind, ask) || held;
		enum plm_opened opened = try_add(pass, want, ask);

		if (opened != PLM_OPENED_NOT) {
			return opened == PLM_OPENED;
		}
	}
	shape->hopeless = held ? 0 : pass->claims_made + 1;
	return false;
}

void plm_pass_pack(struct plm_pass *pass)
{
	struct queue queue = {.room = pass->want_count};

	queue.wants = PLM_NEW_ARRAY(pass->arena, pass->want_count, uint32_t);
	for (uint32_t i = 0; i < pass->want_count; i++) {
		queue_push(&queue, pass->order[i]);
	}
	while (queue.length > 0) {
		struct plm_want *want = &pass->wants[queue.wants[queue.head]];
		uint32_t index = 0;

		if (want->last_length == queue.length) {
			return; /* it came round and nothing was placed in between */
		}
		index = queue_pop(&queue);
		if (!try_all(pass, index)) {
			queue_push(&queue, index);
			want->last_length = queue.length;
		}
	}
}
