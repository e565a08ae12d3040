/*
 * The open claims in the order of trial, and whom it is no use to ask.
 *
 * Karpenter sorts its open claims by pods before each try, stable, in place (karpenter.md 2.5): a claim
 * that got a pod comes before those that had as many, a new one after them. So there is one list per
 * number of pods, and nothing has to be sorted. What a claim refused for good, or until it changes, is
 * a bit in a row per try; a walk looks at what is left of all claims.
 */
#include "reducers/provision/open_list.h"

#include "reducers/provision/pass.h"

/* ---- rows -------------------------------------------------------------------------------------- */

static uint64_t *grown_bits(const struct plm_pass *pass, const uint64_t *old, uint32_t words,
			    uint32_t more)
{
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, more, uint64_t);

	if (words > 0) {
		memcpy(bits, old, words * sizeof(*bits));
	}
	return bits;
}

/* The row of 'try', with a bit for every claim that there is room for. */
static struct plm_open_row *row_of(struct plm_pass *pass, uint32_t try)
{
	struct plm_open_list *list = &pass->opens;
	struct plm_open_row *row = NULL;

	PLM_ASSERT(try < pass->try_count);
	if (list->rows == NULL) {
		list->rows = PLM_NEW_ARRAY(pass->arena, pass->try_count, struct plm_open_row);
	}
	row = &list->rows[try];
	if (row->words < list->words) {
		row->never = grown_bits(pass, row->never, row->words, list->words);
		row->passed = grown_bits(pass, row->passed, row->words, list->words);
		row->words = list->words;
	}
	return row;
}

void plm_opens_never(struct plm_pass *pass, uint32_t try, const struct plm_open *claim)
{
	if (claim->index < pass->claim_count) {
		PLM_BIT_SET(row_of(pass, try)->never, claim->index);
	}
}

void plm_opens_pass_over(struct plm_pass *pass, uint32_t try, const struct plm_open *claim)
{
	PLM_ASSERT(claim->index < pass->claim_count);
	PLM_BIT_SET(row_of(pass, try)->passed, claim->index);
}

void plm_opens_changed(struct plm_pass *pass, const struct plm_open *claim)
{
	struct plm_open_list *list = &pass->opens;

	if (claim->index >= pass->claim_count) {
		return; /* not opened for good yet: no row knows it */
	}
	if (list->changed_count == list->changed_room) {
		uint32_t room = list->changed_room == 0 ? 256 : 2 * list->changed_room;
		uint32_t *changed = PLM_NEW_ARRAY(pass->arena, room, uint32_t);

		if (list->changed_count > 0) {
			memcpy(changed, list->changed, list->changed_count * sizeof(*changed));
		}
		list->changed = changed;
		list->changed_room = room;
	}
	list->changed[list->changed_count++] = claim->index;
}

/* Claims that changed since the row was looked at may be asked again. */
static void catch_up(const struct plm_open_list *list, struct plm_open_row *row)
{
	for (; row->seen < list->changed_count; row->seen++) {
		uint32_t index = list->changed[row->seen];

		row->passed[index / 64] &= ~(UINT64_C(1) << (index % 64));
	}
}

/* ---- lists ------------------------------------------------------------------------------------- */

static void unlink_claim(struct plm_open_list *list, uint32_t index)
{
	struct plm_open_link *link = &list->links[index];
	struct plm_open_ends *ends = &list->ends[link->pods];

	if (link->prev != 0) {
		list->links[link->prev - 1].next = link->next;
	} else {
		ends->first = link->next;
	}
	if (link->next != 0) {
		list->links[link->next - 1].prev = link->prev;
	} else {
		ends->last = link->prev;
	}
	if (ends->first == 0) {
		list->some[link->pods / 64] &= ~(UINT64_C(1) << (link->pods % 64));
	}
	link->next = 0;
	link->prev = 0;
}

/* Lists for claims of up to 'pods' pods. */
static void make_ends(const struct plm_pass *pass, struct plm_open_list *list, uint32_t pods)
{
	uint32_t room = list->ends_room == 0 ? 64 : list->ends_room;
	struct plm_open_ends *ends = NULL;

	while (room <= pods) {
		room *= 2;
	}
	if (room == list->ends_room) {
		return;
	}
	ends = PLM_NEW_ARRAY(pass->arena, room, struct plm_open_ends);
	if (list->ends_room > 0) {
		memcpy(ends, list->ends, list->ends_room * sizeof(*ends));
	}
	list->some = grown_bits(pass, list->some, list->ends_room / 64, room / 64);
	list->ends = ends;
	list->ends_room = room;
}

static void link_claim(const struct plm_pass *pass, struct plm_open_list *list,
		       const struct plm_open *claim, bool front)
{
	struct plm_open_link *link = &list->links[claim->index];
	struct plm_open_ends *ends = NULL;
	uint32_t self = claim->index + 1;

	make_ends(pass, list, claim->pods);
	ends = &list->ends[claim->pods];
	link->pods = claim->pods;
	link->rank = front ? --list->front : ++list->back;
	link->next = front ? ends->first : 0;
	link->prev = front ? 0 : ends->last;
	if (link->next != 0) {
		list->links[link->next - 1].prev = self;
	} else {
		ends->last = self;
	}
	if (link->prev != 0) {
		list->links[link->prev - 1].next = self;
	} else {
		ends->first = self;
	}
	PLM_BIT_SET(list->some, claim->pods);
}

/* Room for one claim more in all that is indexed by claim. */
static void make_room(struct plm_pass *pass)
{
	struct plm_open_list *list = &pass->opens;
	uint32_t room = list->words == 0 ? 64 : 2 * list->words * 64;
	struct plm_open **claims = NULL;
	struct plm_open_link *links = NULL;

	if (pass->claim_count < list->words * 64) {
		return;
	}
	claims = PLM_NEW_ARRAY(pass->arena, room, struct plm_open *);
	links = PLM_NEW_ARRAY(pass->arena, room, struct plm_open_link);
	if (pass->claim_count > 0) {
		memcpy(claims, pass->claims, pass->claim_count * sizeof(struct plm_open *));
		memcpy(links, list->links, pass->claim_count * sizeof(*links));
	}
	list->open = grown_bits(pass, list->open, list->words, room / 64);
	list->links = links;
	list->words = room / 64;
	pass->claims = claims;
}

void plm_opens_add(struct plm_pass *pass, struct plm_open *claim)
{
	PLM_ASSERT(claim->index == pass->claim_count);
	make_room(pass);
	pass->claims[pass->claim_count++] = claim;
	pass->opens.links[claim->index].site = PLM_OPEN_SITE_OPEN;
	PLM_BIT_SET(pass->opens.open, claim->index);
	link_claim(pass, &pass->opens, claim, false);
}

void plm_opens_grew(struct plm_pass *pass, const struct plm_open *claim)
{
	PLM_ASSERT(PLM_BIT(pass->opens.open, claim->index));
	unlink_claim(&pass->opens, claim->index);
	link_claim(pass, &pass->opens, claim, true);
}

void plm_opens_narrowed(struct plm_pass *pass, const struct plm_open *claim)
{
	if (claim->index < pass->claim_count) {
		pass->opens.links[claim->index].site = PLM_OPEN_SITE_OPEN;
	}
}

static void close_claim(struct plm_open_list *list, uint32_t index)
{
	unlink_claim(list, index);
	list->open[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* ---- walks ------------------------------------------------------------------------------------- */

#define FEW 12U

struct plm_open_walk plm_opens_walk(struct plm_pass *pass, uint32_t try)
{
	struct plm_open_list *list = &pass->opens;
	struct plm_open_walk walk = {.pass = pass};
	uint32_t count = 0;

	if (pass->claim_count == 0) {
		return walk;
	}
	plm_sites_refresh(pass);
	walk.row = row_of(pass, try);
	catch_up(list, walk.row);
	for (uint32_t w = 0; w < list->words && count <= FEW; w++) {
		uint64_t word = list->open[w] & ~walk.row->never[w] & ~walk.row->passed[w];

		for (; word != 0 && count <= FEW; word &= word - 1) {
			count++;
		}
	}
	walk.few = count <= FEW;
	walk.left = count;
	walk.rank = INT64_MIN;
	return walk;
}

static bool is_candidate(const struct plm_open_walk *walk, uint32_t index)
{
	return (PLM_BIT(walk->row->never, index) | PLM_BIT(walk->row->passed, index)) == 0;
}

/* The candidate that comes next in the order of trial, among all of them. */
static uint32_t next_of_few(struct plm_open_walk *walk)
{
	const struct plm_open_list *list = &walk->pass->opens;
	const struct plm_open_link *best = NULL;

	for (uint32_t w = 0; w < list->words; w++) {
		uint64_t word = list->open[w] & ~walk->row->never[w] & ~walk->row->passed[w];

		for (; word != 0; word &= word - 1) {
			const struct plm_open_link *link =
				&list->links[w * 64 + (uint32_t)__builtin_ctzll(word)];
			bool after = link->pods > walk->pods ||
				     (link->pods == walk->pods && link->rank > walk->rank);

			if (after && (best == NULL || link->pods < best->pods ||
				      (link->pods == best->pods && link->rank < best->rank))) {
				best = link;
			}
		}
	}
	if (best == NULL) {
		return 0;
	}
	walk->pods = best->pods;
	walk->rank = best->rank;
	return (uint32_t)(best - list->links) + 1;
}

/* The next claim in the lists, whoever it is. */
static uint32_t next_listed(struct plm_open_walk *walk)
{
	const struct plm_open_list *list = &walk->pass->opens;

	while (walk->next == 0) {
		uint32_t from = walk->begun ? walk->pods + 1 : 0;
		uint64_t word = from < list->ends_room
					? list->some[from / 64] & (~UINT64_C(0) << (from % 64))
					: 0;
		uint32_t w = from / 64;

		while (word == 0 && ++w < list->ends_room / 64) {
			word = list->some[w];
		}
		if (word == 0) {
			return 0;
		}
		walk->begun = true;
		walk->pods = w * 64 + (uint32_t)__builtin_ctzll(word);
		walk->next = list->ends[walk->pods].first;
	}
	return walk->next;
}

static uint32_t next_of_many(struct plm_open_walk *walk)
{
	const struct plm_open_list *list = &walk->pass->opens;

	for (;;) {
		uint32_t self = next_listed(walk);

		if (self == 0) {
			return 0;
		}
		walk->next = list->links[self - 1].next;
		if (is_candidate(walk, self - 1) &&
		    (walk->sites >> list->links[self - 1].site & 1) == 0) {
			return self;
		}
	}
}

/* Full ones are closed on sight, in whatever try they are met. */
struct plm_open *plm_opens_next(struct plm_open_walk *walk)
{
	struct plm_pass *pass = walk->pass;

	while (walk->left > 0) {
		uint32_t self = walk->few ? next_of_few(walk) : next_of_many(walk);
		struct plm_open_link *link = NULL;

		if (self == 0) {
			break;
		}
		if (pass->thrifty && plm_open_is_full(pass, pass->claims[self - 1])) {
			close_claim(&pass->opens, self - 1);
			continue;
		}
		link = &pass->opens.links[self - 1];
		if (link->site == PLM_OPEN_SITE_OPEN) {
			link->site = plm_site_of(pass, &pass->claims[self - 1]->reqs);
		}
		if ((walk->sites >> link->site & 1) == 0) {
			return pass->claims[self - 1];
		}
	}
	return NULL;
}

void plm_opens_not_there(struct plm_open_walk *walk, const struct plm_open *claim)
{
	uint32_t site = walk->pass->opens.links[claim->index].site;

	if (site < PLM_OPEN_SITES) {
		walk->sites |= UINT64_C(1) << site;
	}
}
