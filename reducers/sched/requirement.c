#include "reducers/sched/requirement.h"

/* Insertion by number: sets are small, and those of catalogues are folded once per pass. */
static uint32_t order_values(plm_sym *values, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		plm_sym value = values[i];
		uint32_t at = kept;

		while (at > 0 && values[at - 1].n > value.n) {
			at--;
		}
		if (at > 0 && values[at - 1].n == value.n) {
			continue;
		}
		memmove(&values[at + 1], &values[at], (kept - at) * sizeof(*values));
		values[at] = value;
		kept++;
	}
	return kept;
}

static bool find_value(const struct plm_req *req, plm_sym value)
{
	uint32_t low = 0;
	uint32_t high = req->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (req->values[middle].n == value.n) {
			return true;
		}
		if (req->values[middle].n < value.n) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return false;
}

static struct plm_req empty_of(plm_sym key)
{
	return (struct plm_req){.key = key, .gte = PLM_NO_GTE, .lte = PLM_NO_LTE};
}

struct plm_req plm_req_exists(plm_sym key)
{
	return (struct plm_req){.key = key, .complement = 1, .gte = PLM_NO_GTE, .lte = PLM_NO_LTE};
}

static struct plm_req make_bound(const struct plm_sched *sched, plm_sym key, enum plm_op op,
				 plm_sym value)
{
	struct plm_req req = plm_req_exists(key);
	int64_t number = 0;

	if (!plm_sched_integer(sched, value, &number)) {
		return empty_of(key);
	}
	if (op == PLM_OP_GT) {
		if (number == INT64_MAX) {
			return empty_of(key);
		}
		req.gte = number + 1;
	} else if (op == PLM_OP_GTE) {
		req.gte = number;
	} else if (op == PLM_OP_LT) {
		if (number == INT64_MIN) {
			return empty_of(key);
		}
		req.lte = number - 1;
	} else {
		PLM_ASSERT(op == PLM_OP_LTE);
		req.lte = number;
	}
	return req;
}

static struct plm_req make_set(const struct plm_sched *sched, plm_sym key, const plm_sym *values,
			       uint32_t count)
{
	struct plm_req req = empty_of(key);
	plm_sym *copy = PLM_NEW_ARRAY(sched->arena, count, plm_sym);

	if (count > 0) {
		memcpy(copy, values, count * sizeof(*copy));
	}
	req.count = order_values(copy, count);
	req.values = copy;
	return req;
}

struct plm_req plm_req_make(const struct plm_sched *sched, plm_sym key, enum plm_op op,
			    const plm_sym *values, uint32_t count)
{
	struct plm_req req;

	key = plm_known_key(sched, key);
	switch (op) {
	case PLM_OP_IN:
		return make_set(sched, key, values, count);
	case PLM_OP_NOT_IN:
		req = make_set(sched, key, values, count);
		req.complement = 1;
		return req;
	case PLM_OP_EXISTS:
		return plm_req_exists(key);
	case PLM_OP_DOES_NOT_EXIST:
		return empty_of(key);
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		return count == 1 ? make_bound(sched, key, op, values[0]) : empty_of(key);
	}
	PLM_UNREACHABLE();
}

static bool in_order(const plm_sym *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		if (values[i - 1].n >= values[i].n) {
			return false;
		}
	}
	return true;
}

struct plm_req plm_req_of(const struct plm_sched *sched, const struct plm_expr *expr)
{
	uint32_t count = 0;
	const plm_sym *values = PLM_SPAN(sched->st, expr->values, plm_sym, &count);
	struct plm_req req;

	if (expr->op == PLM_OP_IN && in_order(values, count)) {
		req = empty_of(plm_known_key(sched, expr->key));
		req.count = count;
		req.values = values; /* in the heap of state */
	} else {
		req = plm_req_make(sched, expr->key, (enum plm_op)expr->op, values, count);
	}
	req.min_values = expr->min_values;
	return req;
}

enum plm_op plm_req_op(const struct plm_req *req)
{
	if (req->complement != 0) {
		return req->count > 0 ? PLM_OP_NOT_IN : PLM_OP_EXISTS;
	}
	return req->count > 0 ? PLM_OP_IN : PLM_OP_DOES_NOT_EXIST;
}

static bool bounded(const struct plm_req *req)
{
	return req->gte != PLM_NO_GTE || req->lte != PLM_NO_LTE;
}

static bool within(const struct plm_sched *sched, int64_t gte, int64_t lte, plm_sym value)
{
	int64_t number = 0;

	if (gte == PLM_NO_GTE && lte == PLM_NO_LTE) {
		return true;
	}
	return plm_sched_integer(sched, value, &number) && number >= gte && number <= lte;
}

bool plm_req_has(const struct plm_sched *sched, const struct plm_req *req, plm_sym value)
{
	return find_value(req, value) != (req->complement != 0) &&
	       within(sched, req->gte, req->lte, value);
}

/* Values of both by number; 'keep' picks from (in a, in b): bit 0 only a, bit 1 only b, bit 2 both. */
static uint32_t combine(const struct plm_req *a, const struct plm_req *b, uint32_t keep,
			plm_sym *out)
{
	uint32_t i = 0;
	uint32_t j = 0;
	uint32_t count = 0;

	while (i < a->count || j < b->count) {
		bool only_a = j == b->count || (i < a->count && a->values[i].n < b->values[j].n);
		bool only_b = i == a->count || (j < b->count && b->values[j].n < a->values[i].n);
		plm_sym value = only_b ? b->values[j] : a->values[i];
		uint32_t bit = only_a ? 1 : (only_b ? 2 : 4);

		i += only_b ? 0 : 1;
		j += only_a ? 0 : 1;
		if ((keep & bit) != 0) {
			out[count++] = value;
		}
	}
	return count;
}

struct plm_req plm_req_intersect(const struct plm_sched *sched, const struct plm_req *a,
				 const struct plm_req *b)
{
	struct plm_req req = {
		.key = a->key,
		.complement = a->complement & b->complement,
		.min_values = a->min_values > b->min_values ? a->min_values : b->min_values,
		.gte = plm_max(a->gte, b->gte),
		.lte = plm_min(a->lte, b->lte),
	};
	static const uint32_t keep[2][2] = {{4, 1}, {2, 1 | 2 | 4}};
	plm_sym *values = NULL;
	uint32_t count = 0;

	PLM_ASSERT(plm_sym_equal(a->key, b->key));
	if (req.gte > req.lte) {
		struct plm_req none = empty_of(a->key);

		none.min_values = req.min_values;
		return none;
	}
	values = PLM_NEW_ARRAY(sched->arena, a->count + b->count, plm_sym);
	count = combine(a, b, keep[a->complement][b->complement], values);
	for (uint32_t i = 0; i < count; i++) {
		if (within(sched, req.gte, req.lte, values[i])) {
			values[req.count++] = values[i];
		}
	}
	req.values = values;
	if (req.complement == 0) {
		req.gte = PLM_NO_GTE;
		req.lte = PLM_NO_LTE;
	}
	return req;
}

/* Is there a value of 'set' (not a complement) that 'other' has, within the bounds of both? */
static bool any_value(const struct plm_sched *sched, const struct plm_req *set,
		      const struct plm_req *other)
{
	bool check = bounded(set) || bounded(other);

	for (uint32_t i = 0; i < set->count; i++) {
		if (find_value(other, set->values[i]) == (other->complement != 0)) {
			continue;
		}
		if (!check || (within(sched, set->gte, set->lte, set->values[i]) &&
			       within(sched, other->gte, other->lte, set->values[i]))) {
			return true;
		}
	}
	return false;
}

bool plm_req_meets(const struct plm_sched *sched, const struct plm_req *a, const struct plm_req *b)
{
	if (plm_max(a->gte, b->gte) > plm_min(a->lte, b->lte)) {
		return false;
	}
	if (a->complement != 0 && b->complement != 0) {
		return true;
	}
	if (a->complement == 0 && (b->complement != 0 || a->count <= b->count)) {
		return any_value(sched, a, b);
	}
	return any_value(sched, b, a);
}

bool plm_req_equal(const struct plm_req *a, const struct plm_req *b)
{
	return plm_sym_equal(a->key, b->key) && a->complement == b->complement &&
	       a->count == b->count && a->min_values == b->min_values && a->gte == b->gte &&
	       a->lte == b->lte &&
	       (a->count == 0 || memcmp(a->values, b->values, a->count * sizeof(plm_sym)) == 0);
}

/* ---- sets -------------------------------------------------------------------------------------- */

const struct plm_req *plm_reqs_get(const struct plm_reqs *set, plm_sym key)
{
	uint32_t low = 0;
	uint32_t high = set->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (set->list[middle].key.n == key.n) {
			return &set->list[middle];
		}
		if (set->list[middle].key.n < key.n) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

struct plm_reqs plm_reqs_merge(const struct plm_sched *sched, const struct plm_reqs *a,
			       const struct plm_reqs *b)
{
	struct plm_req *list = NULL;
	uint32_t count = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	if (a->count == 0 || b->count == 0) {
		return a->count == 0 ? *b : *a;
	}
	list = PLM_NEW_ARRAY(sched->arena, a->count + b->count, struct plm_req);
	while (i < a->count || j < b->count) {
		if (j == b->count || (i < a->count && a->list[i].key.n < b->list[j].key.n)) {
			list[count++] = a->list[i++];
		} else if (i == a->count || b->list[j].key.n < a->list[i].key.n) {
			list[count++] = b->list[j++];
		} else {
			list[count++] = plm_req_intersect(sched, &a->list[i++], &b->list[j++]);
		}
	}
	return (struct plm_reqs){list, count};
}

struct plm_reqs plm_reqs_add(const struct plm_sched *sched, const struct plm_reqs *set,
			     const struct plm_req *req)
{
	struct plm_req *copy = PLM_NEW(sched->arena, struct plm_req);
	struct plm_reqs one = {copy, 1};

	*copy = *req;
	return plm_reqs_merge(sched, set, &one);
}

/* Put 'req' in its place among the first '*count' of 'list', or into the one of its key. */
static void put(const struct plm_sched *sched, struct plm_req *list, uint32_t *count,
		const struct plm_req *req)
{
	uint32_t at = *count;

	while (at > 0 && list[at - 1].key.n > req->key.n) {
		at--;
	}
	if (at > 0 && plm_sym_equal(list[at - 1].key, req->key)) {
		list[at - 1] = plm_req_intersect(sched, &list[at - 1], req);
		return;
	}
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = *req;
	(*count)++;
}

struct plm_reqs plm_reqs_of_exprs(const struct plm_sched *sched, plm_sym exprs)
{
	uint32_t count = 0;
	const struct plm_expr *from = PLM_SPAN(sched->st, exprs, struct plm_expr, &count);
	struct plm_req *list = PLM_NEW_ARRAY(sched->arena, count, struct plm_req);
	uint32_t made = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct plm_req req = plm_req_of(sched, &from[i]);

		put(sched, list, &made, &req);
	}
	return (struct plm_reqs){list, made};
}

struct plm_reqs plm_reqs_of_labels(const struct plm_sched *sched, plm_sym labels)
{
	uint32_t count = 0;
	const struct plm_kv *from = PLM_SPAN(sched->st, labels, struct plm_kv, &count);
	struct plm_req *list = PLM_NEW_ARRAY(sched->arena, count, struct plm_req);
	uint32_t made = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct plm_req req = plm_req_exists(plm_known_key(sched, from[i].key));

		req.complement = 0;
		req.values = &from[i].value; /* in the heap of state */
		req.count = 1;
		put(sched, list, &made, &req);
	}
	return (struct plm_reqs){list, made};
}

static bool is_negative(const struct plm_req *req)
{
	enum plm_op op = plm_req_op(req);

	return op == PLM_OP_NOT_IN || op == PLM_OP_DOES_NOT_EXIST;
}

static bool fails(plm_sym *bad, plm_sym key)
{
	if (bad != NULL) {
		*bad = key;
	}
	return false;
}

bool plm_reqs_meet(const struct plm_sched *sched, const struct plm_reqs *a,
		   const struct plm_reqs *b, plm_sym *bad)
{
	for (uint32_t j = 0; j < b->count; j++) {
		const struct plm_req *left = plm_reqs_get(a, b->list[j].key);

		if (left == NULL || plm_req_meets(sched, left, &b->list[j])) {
			continue;
		}
		if (!is_negative(left) || !is_negative(&b->list[j])) {
			return fails(bad, b->list[j].key);
		}
	}
	return true;
}

bool plm_reqs_compatible(const struct plm_sched *sched, const struct plm_reqs *a,
			 const struct plm_reqs *b, bool known_ok, plm_sym *bad)
{
	for (uint32_t j = 0; j < b->count; j++) {
		const struct plm_req *ask = &b->list[j];

		if ((known_ok && plm_known_label(sched, ask->key)) ||
		    plm_reqs_get(a, ask->key) != NULL || is_negative(ask)) {
			continue;
		}
		return fails(bad, ask->key);
	}
	return plm_reqs_meet(sched, a, b, bad);
}
