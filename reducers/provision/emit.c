/* Claims as events: karpenter.md 2.11, names as exact as in 10. */
#include "reducers/provision/emit.h"

#include "core/limits.h"
#include "core/sort.h"
#include "reducers/provision/class_use.h"
#include "reducers/provision/launch.h"

/* ---- parts ------------------------------------------------------------------------------------- */

static struct plm_slice text(const struct plm_sched *sched, plm_sym sym)
{
	return plm_sched_text(sched, sym);
}

struct plm_vec plm_emit_kvs(const struct plm_sched *sched, plm_sym kvs)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(sched->st, kvs, struct plm_kv, &count);
	struct plm_w_kv *rows = PLM_NEW_ARRAY(sched->arena, count, struct plm_w_kv);

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct plm_w_kv){text(sched, list[i].key), text(sched, list[i].value)};
	}
	return (struct plm_vec){rows, count};
}

struct plm_vec plm_emit_taints(const struct plm_sched *sched, plm_sym taints)
{
	uint32_t count = 0;
	const struct plm_taint *list = PLM_SPAN(sched->st, taints, struct plm_taint, &count);
	struct plm_w_taint *rows = PLM_NEW_ARRAY(sched->arena, count, struct plm_w_taint);

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct plm_w_taint){.key = text(sched, list[i].key),
					       .value = text(sched, list[i].value),
					       .effect = list[i].effect};
	}
	return (struct plm_vec){rows, count};
}

struct plm_vec plm_emit_amounts(const struct plm_sched *sched, plm_sym amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(sched->st, amounts, struct plm_amount, &count);
	struct plm_w_amount *rows = PLM_NEW_ARRAY(sched->arena, count, struct plm_w_amount);

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct plm_w_amount){text(sched, list[i].resource), list[i].amount};
	}
	return (struct plm_vec){rows, count};
}

struct plm_slice plm_emit_key(const struct plm_sched *sched, const struct plm_object *object)
{
	struct plm_slice ns = text(sched, object->ns);
	struct plm_slice name = text(sched, object->name);

	return plm_arena_format(sched->arena, "%.*s/%.*s", (int)ns.size, (const char *)ns.ptr,
				(int)name.size, (const char *)name.ptr);
}

static int by_text(const void *context, uint32_t a, uint32_t b)
{
	return plm_sched_compare(context, (plm_sym){a}, (plm_sym){b});
}

/* Symbols in order of their bytes. */
static uint32_t *sorted(const struct plm_sched *sched, const plm_sym *values, uint32_t count)
{
	uint32_t *order = PLM_NEW_ARRAY(sched->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++) {
		order[i] = values[i].n;
	}
	plm_sort(order, count, by_text, sched, sched->arena);
	return order;
}

static struct plm_vec texts_of(const struct plm_sched *sched, const plm_sym *values, uint32_t count)
{
	const uint32_t *order = sorted(sched, values, count);
	struct plm_slice *rows = PLM_NEW_ARRAY(sched->arena, count, struct plm_slice);

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = text(sched, (plm_sym){order[i]});
	}
	return (struct plm_vec){rows, count};
}

/* ---- requirements ------------------------------------------------------------------------------ */

static struct plm_vec one_number(const struct plm_sched *sched, int64_t number)
{
	struct plm_slice *row = PLM_NEW(sched->arena, struct plm_slice);

	*row = plm_arena_format(sched->arena, "%lld", (long long)number);
	return (struct plm_vec){row, 1};
}

/* One or two expressions: both bounds of a range are two (exclusions are lost, as upstream). */
static uint32_t put_req(const struct plm_sched *sched, const struct plm_req *req,
			struct plm_w_expr *rows)
{
	struct plm_w_expr row = {
		.key = text(sched, req->key), .op = plm_req_op(req), .min_values = req->min_values};
	uint32_t count = 0;

	if (req->gte != PLM_NO_GTE) {
		row.op = PLM_OP_GTE;
		row.values = one_number(sched, req->gte);
		rows[count++] = row;
	}
	if (req->lte != PLM_NO_LTE) {
		row.op = PLM_OP_LTE;
		row.values = one_number(sched, req->lte);
		rows[count++] = row;
	}
	if (count == 0) {
		row.values = texts_of(sched, req->values, req->count);
		rows[count++] = row;
	}
	return count;
}

struct plm_vec plm_emit_reqs(const struct plm_sched *sched, const struct plm_reqs *reqs)
{
	plm_sym *keys = PLM_NEW_ARRAY(sched->arena, reqs->count, plm_sym);
	struct plm_w_expr *rows =
		PLM_NEW_ARRAY(sched->arena, (size_t)reqs->count * 2, struct plm_w_expr);
	const uint32_t *order = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < reqs->count; i++) {
		keys[i] = reqs->list[i].key;
	}
	order = sorted(sched, keys, reqs->count);
	for (uint32_t i = 0; i < reqs->count; i++) {
		plm_sym key = {order[i]};

		if (!plm_sym_equal(key, sched->known[PLM_KNOWN_HOSTNAME])) {
			count += put_req(sched, plm_reqs_get(reqs, key), rows + count);
		}
	}
	return (struct plm_vec){rows, count};
}

/* Capacity types that the options have in stock within the requirements: written into the claim. */
static struct plm_reqs pin_capacity_type(const struct plm_pass *pass, const struct plm_open *claim)
{
	const struct plm_types *types = &pass->types;
	plm_sym *values = PLM_NEW_ARRAY(pass->arena, types->offer_count, plm_sym);
	uint32_t count = 0;
	struct plm_req req;

	for (uint32_t c = 0; c < types->offer_count; c++) {
		bool used = false;

		if (!plm_reqs_compatible(&pass->sched, &claim->reqs, &types->offers[c].reqs, true,
					 NULL)) {
			continue;
		}
		for (uint32_t t = 0; t < types->count && !used; t++) {
			used = PLM_BIT(claim->bits, t) &&
			       PLM_BIT(types->available + (size_t)t * types->offer_words, c);
		}
		if (used) {
			values[count++] = types->offers[c].capacity_type;
		}
	}
	req = plm_req_make(&pass->sched, pass->sched.known[PLM_KNOWN_CAPACITY_TYPE], PLM_OP_IN,
			   values, count);
	return plm_reqs_add(&pass->sched, &claim->reqs, &req);
}

/* ---- labels ------------------------------------------------------------------------------------ */

/* The smallest number that is admitted (karpenter.md 10). */
static struct plm_slice least_number(const struct plm_sched *sched, const struct plm_req *req)
{
	uint64_t number = req->gte == PLM_NO_GTE ? 0 : (uint64_t)req->gte;
	struct plm_slice word = {0};
	bool excluded = true;

	while (excluded) {
		word = plm_arena_format(sched->arena, "%lld", (long long)number);
		number++;
		excluded = false;
		for (uint32_t i = 0; i < req->count; i++) {
			excluded = excluded || plm_slice_equal(text(sched, req->values[i]), word);
		}
	}
	return word;
}

/*
 * What the node will be called for sure: template labels, the pool, and for labels of the user's own
 * one admissible value (karpenter.md 2.4, Any). Sorted by key.
 */
static bool any_value(const struct plm_sched *sched, const struct plm_req *req,
		      struct plm_slice *out)
{
	if (req->complement == 0) {
		if (req->count == 0 || (req->count > 1 && plm_known_label(sched, req->key))) {
			return false;
		}
		*out = text(sched, (plm_sym){sorted(sched, req->values, req->count)[0]});
		return true;
	}
	if (plm_known_label(sched, req->key)) {
		return false;
	}
	*out = least_number(sched, req);
	return true;
}

static struct plm_vec emit_labels(const struct plm_sched *sched, const struct plm_reqs *reqs)
{
	plm_sym *keys = PLM_NEW_ARRAY(sched->arena, reqs->count, plm_sym);
	struct plm_w_kv *rows = PLM_NEW_ARRAY(sched->arena, reqs->count, struct plm_w_kv);
	const uint32_t *order = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < reqs->count; i++) {
		keys[i] = reqs->list[i].key;
	}
	order = sorted(sched, keys, reqs->count);
	for (uint32_t i = 0; i < reqs->count; i++) {
		const struct plm_req *req = plm_reqs_get(reqs, (plm_sym){order[i]});

		if (plm_sym_equal(req->key, sched->known[PLM_KNOWN_HOSTNAME]) ||
		    !any_value(sched, req, &rows[count].value)) {
			continue;
		}
		rows[count++].key = text(sched, req->key);
	}
	return (struct plm_vec){rows, count};
}

/* ---- amounts ----------------------------------------------------------------------------------- */

/* Pods plus the least that daemons take on the types that are left. */
static int64_t *claim_requests(const struct plm_pass *pass, const struct plm_open *claim)
{
	const struct plm_pool *pool = &pass->pools[claim->pool];
	int64_t *sum = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);

	for (uint32_t r = 0; r < pass->res.count; r++) {
		sum[r] = INT64_MAX;
	}
	for (uint32_t g = 0; g < pool->overhead_count; g++) {
		uint64_t left = 0;

		for (uint32_t w = 0; w < pass->types.words; w++) {
			left |= pool->overheads[g].bits[w] & claim->bits[w];
		}
		for (uint32_t r = 0; left != 0 && r < pass->res.count; r++) {
			sum[r] = plm_min(sum[r], pool->overheads[g].requests[r]);
		}
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		sum[r] = plm_add_sat(sum[r] == INT64_MAX ? 0 : sum[r], claim->total[r]);
	}
	return sum;
}

static struct plm_vec emit_vector(const struct plm_pass *pass, const int64_t *amounts)
{
	const uint32_t *order = sorted(&pass->sched, pass->res.names, pass->res.count);
	struct plm_w_amount *rows =
		PLM_NEW_ARRAY(pass->arena, pass->res.count, struct plm_w_amount);
	uint32_t count = 0;

	for (uint32_t i = 0; i < pass->res.count; i++) {
		uint32_t r = plm_res_find(&pass->res, (plm_sym){order[i]});

		if (amounts[r] != 0) {
			rows[count++] = (struct plm_w_amount){
				.resource = text(&pass->sched, pass->res.names[r]),
				.amount = amounts[r]};
		}
	}
	return (struct plm_vec){rows, count};
}

/* ---- names ------------------------------------------------------------------------------------- */

/* What Kubernetes keeps of the base of a generated name, and how many endings of 5 there are. */
#define BASE_MAX 58
#define ENDINGS (27U * 27 * 27 * 27 * 27)

/* Part of what is decided: fixed for ever, unlike the hash of indexes (splitmix64's finalizer). */
static uint64_t spread_bits(uint64_t bits)
{
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

/* Is the name free? Not when a claim has it, nor when one of this pass has its last characters. */
static bool is_free_name(struct plm_pass *pass, struct plm_slice name, uint32_t ending)
{
	plm_sym sym = plm_sym_find(pass->st, name);

	if (sym.n != 0 && plm_find(pass->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, sym).n != 0) {
		return false;
	}
	if (pass->claim_count <= 1) {
		return true; /* it is alone */
	}
	if (pass->endings == NULL) {
		pass->endings = PLM_NEW_ARRAY(pass->arena, ENDINGS / 64 + 1, uint64_t);
	}
	if (PLM_BIT(pass->endings, ending)) {
		return false;
	}
	PLM_BIT_SET(pass->endings, ending);
	return true;
}

/* "<pool>-<5 characters>" as Kubernetes' generated names, of 63 characters at most. */
static struct plm_slice claim_name(struct plm_pass *pass, plm_sym pool, uint64_t number)
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	struct plm_slice base =
		plm_arena_format(pass->arena, "%.*s-", (int)text(&pass->sched, pool).size,
				 (const char *)text(&pass->sched, pool).ptr);
	char suffix[6] = {0};

	base.size = base.size < BASE_MAX ? base.size : BASE_MAX;
	for (uint64_t salt = 0;; salt++) {
		uint64_t hash = spread_bits((number + 1) * 0x9e3779b97f4a7c15ULL + salt);
		uint32_t ending = (uint32_t)(hash % ENDINGS);
		struct plm_slice name = {0};

		for (uint32_t i = 0; i < 5; i++) {
			suffix[i] = alphabet[hash % (sizeof(alphabet) - 1)];
			hash /= sizeof(alphabet) - 1;
		}
		name = plm_arena_format(pass->arena, "%.*s%s", (int)base.size,
					(const char *)base.ptr, suffix);
		if (is_free_name(pass, name, ending)) {
			return name;
		}
	}
}

/* ---- claims ------------------------------------------------------------------------------------ */

static struct plm_vec type_names(const struct plm_pass *pass, const uint32_t *types, uint32_t count)
{
	struct plm_slice *rows = PLM_NEW_ARRAY(pass->arena, count, struct plm_slice);

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = text(&pass->sched, pass->types.slots[types[i]]->name);
	}
	return (struct plm_vec){rows, count};
}

/* The types that were considered, with their prices: at most eight. */
static struct plm_vec considered(struct plm_pass *pass, const struct plm_open *claim,
				 const uint32_t *types, uint32_t count)
{
	uint32_t shown = count < PLM_EXPLAIN_MAX_CANDIDATES ? count : PLM_EXPLAIN_MAX_CANDIDATES;
	struct plm_w_candidate *rows = PLM_NEW_ARRAY(pass->arena, shown, struct plm_w_candidate);
	const int64_t *prices = plm_types_prices(pass, &claim->reqs)->prices;

	for (uint32_t i = 0; i < shown; i++) {
		rows[i] = (struct plm_w_candidate){
			.candidate = text(&pass->sched, pass->types.slots[types[i]]->name),
			.rule = i == 0 ? PLM_RULE_FITS : PLM_RULE_CHEAPEST,
			.resource = plm_slice_str("priceMicroUSDPerHour"),
			.need = PLM_UNSET,
			.have = prices[types[i]]};
	}
	return (struct plm_vec){rows, shown};
}

static plm_id find_class(const struct plm_state *st, uint32_t kind, plm_sym name)
{
	return name.n == 0 ? (plm_id){0}
			   : plm_find(st,
				      kind == PLM_KIND_NODE_TEMPLATE ? PLM_KIND_NODE_TEMPLATE
								     : PLM_KIND_NODE_CLASS,
				      (plm_sym){0}, name);
}

static void launch(struct plm_pass *pass, const struct plm_w_claim *claim,
		   const struct plm_launch_choice *choice, uint32_t cause, struct plm_out *out)
{
	struct plm_w_intent *intent = PLM_NEW(pass->arena, struct plm_w_intent);
	struct plm_w_req_launch *request = PLM_NEW(pass->arena, struct plm_w_req_launch);
	plm_id class_id = find_class(pass->st, (uint32_t)claim->class_kind,
				     plm_sym_find(pass->st, claim->class_name));
	const struct plm_node_class *class = plm_node_class_at(pass->st, class_id);

	if (plm_root(pass->st)->observe_only != 0) {
		return;
	}
	*intent = (struct plm_w_intent){.call = PLM_CALL_LAUNCH,
					.kind = PLM_KIND_NODE_CLAIM,
					.name = claim->name,
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	*request = (struct plm_w_req_launch){.claim = claim->name,
					     .pool = claim->pool,
					     .class_name = claim->class_name,
					     .offers = choice->offers,
					     .labels = claim->labels,
					     .taints = claim->taints,
					     .startup_taints = claim->startup_taints,
					     .strategy = choice->strategy,
					     .tenancy = choice->tenancy};
	if (class_id.n != 0) {
		request->tags = plm_emit_kvs(&pass->sched, class->tags);
		request->sync_taints =
			plm_slice_is(text(&pass->sched, class->ami_family), "Custom");
		plm_class_launch(pass, class_id, claim->requests, request);
	}
	(void)plm_out_intent(out, intent, request, cause);
}

/* Do these types have as many values as minValues asks for? */
static bool has_values(const struct plm_pass *pass, const struct plm_open *claim,
		       const uint32_t *types, uint32_t count)
{
	size_t mark = plm_arena_mark(pass->arena);
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	plm_sym bad = {0};
	bool has = false;

	for (uint32_t i = 0; i < count; i++) {
		PLM_BIT_SET(bits, types[i]);
	}
	has = plm_types_min_values(pass, bits, &claim->reqs, &bad);
	plm_arena_rewind(pass->arena, mark);
	return has;
}

/* The cheapest ones. Fewer than upstream names, but never fewer values than minValues asks for. */
static uint32_t *named_types(struct plm_pass *pass, const struct plm_open *claim, uint32_t *count,
			     int64_t *price)
{
	uint32_t most = pass->strict ? PLM_LIMIT_CLAIM_TYPES : PLM_LIMIT_CLAIM_TYPES_BETTER;
	uint32_t *types = plm_open_types(pass, claim, most, count, price);

	while (*count == most && most < PLM_LIMIT_CLAIM_TYPES &&
	       !has_values(pass, claim, types, *count)) {
		most = most * 2 < PLM_LIMIT_CLAIM_TYPES ? most * 2 : PLM_LIMIT_CLAIM_TYPES;
		types = plm_open_types(pass, claim, most, count, price);
	}
	return types;
}

/* What the pool and its class give the claim besides requirements. */
static void fill_class(const struct plm_pass *pass, const struct plm_pool *pool,
		       struct plm_w_claim *w)
{
	w->class_kind = pool->slot->class_kind;
	w->pool_hash = text(&pass->sched, pool->slot->hash);
	w->grace_ms = pool->slot->grace_ms;
	w->expire_ms = pool->slot->expire_ms;
	if (pool->class_id.n != 0) {
		w->class_hash =
			text(&pass->sched, plm_node_class_at(pass->st, pool->class_id)->hash);
	}
}

bool plm_emit_choose(struct plm_pass *pass, struct plm_open *claim)
{
	struct plm_launch_choice *choice = PLM_NEW(pass->arena, struct plm_launch_choice);
	int64_t price = PLM_UNSET;

	plm_reserve_pin(pass, claim);
	claim->named = named_types(pass, claim, &claim->named_count, &price);
	plm_launch_choose(pass, claim->named, claim->named_count, &claim->reqs, choice);
	claim->choice = choice;
	return choice->offers.count > 0;
}

uint32_t plm_emit_claim(struct plm_pass *pass, struct plm_open *claim, uint32_t ordinal,
			const struct plm_purpose *purpose, struct plm_out *out)
{
	const struct plm_pool *pool = &pass->pools[claim->pool];
	struct plm_w_claim *w = PLM_NEW(pass->arena, struct plm_w_claim);
	struct plm_reqs pinned = pin_capacity_type(pass, claim);
	uint32_t count = claim->named_count;
	const uint32_t *types = claim->named;
	uint32_t handle = 0;

	PLM_ASSERT(claim->choice != NULL && claim->choice->offers.count > 0);
	w->name = claim_name(pass, pool->slot->object.name,
			     plm_root(pass->st)->claims_made + ordinal);
	w->pool = text(&pass->sched, pool->slot->object.name);
	w->class_name = text(&pass->sched, pool->slot->class_name);
	w->requirements = plm_emit_reqs(&pass->sched, &pinned);
	w->types = type_names(pass, types, count);
	w->requests = emit_vector(pass, claim_requests(pass, claim));
	w->labels = emit_labels(&pass->sched, &pinned);
	w->taints = plm_emit_taints(&pass->sched, pool->slot->taints);
	w->startup_taints = plm_emit_taints(&pass->sched, pool->slot->startup_taints);
	w->price_micro = claim->choice->price_micro;
	w->min_values_relaxed = claim->relaxed && !has_values(pass, claim, types, count);
	fill_class(pass, pool, w);
	if (purpose->workload.n != 0) {
		const struct plm_object *gang =
			&plm_workload_at(pass->st, purpose->workload)->object;

		w->for_ns = text(&pass->sched, gang->ns);
		w->for_name = text(&pass->sched, gang->name);
	}
	w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
					.name = w->name,
					.rule = purpose->rule,
					.reason = purpose->reason,
					.object = w->pool,
					.resource = plm_slice_str("pods"),
					.need = claim->pods,
					.have = PLM_UNSET,
					.limit = PLM_UNSET,
					.detail = ((const struct plm_slice *)w->types.ptr)[0],
					.considered = considered(pass, claim, types, count)};
	handle = plm_out_add(out, PLM_EV_CLAIM, w, PLM_CAUSE_CYCLE);
	launch(pass, w, claim->choice, handle, out);
	claim->name_text = w->name;
	return handle;
}

static bool has_image(const struct plm_capacity *has, uint32_t type)
{
	return has->images == NULL || has->images[type] != 0;
}

/* The types that a claim names, or, if it names none, all that hold what it asks for. */
static uint32_t types_of(struct plm_pass *pass, const struct plm_node_claim *slot,
			 const struct plm_reqs *reqs, uint32_t *types)
{
	uint32_t count = 0;
	const plm_sym *names = PLM_SPAN(pass->st, slot->types, plm_sym, &count);
	const int64_t *ask = plm_res_vector(pass, slot->requests);
	const struct plm_capacity *has =
		plm_pass_capacity(pass, find_class(pass->st, slot->class_kind, slot->class_name));
	uint32_t known = 0;

	for (uint32_t i = 0; i < count; i++) {
		types[known] = plm_types_find(pass, names[i]);
		known += types[known] < pass->types.count && has_image(has, types[known]) ? 1 : 0;
	}
	for (uint32_t t = 0; count == 0 && t < pass->types.count; t++) {
		const int64_t *have = has->allocatable + (size_t)t * pass->res.count;

		if (has_image(has, t) && plm_res_fits(pass, ask, have) &&
		    plm_reqs_compatible(&pass->sched, reqs, &pass->types.reqs[t], true, NULL)) {
			types[known++] = t;
		}
	}
	return known;
}

bool plm_emit_launch(struct plm_pass *pass, plm_id id, struct plm_out *out)
{
	const struct plm_node_claim *slot = plm_node_claim_at(pass->st, id);
	struct plm_reqs reqs = plm_reqs_of_exprs(&pass->sched, slot->requirements);
	uint32_t *types = PLM_NEW_ARRAY(pass->arena, (size_t)pass->types.count + 1, uint32_t);
	struct plm_launch_choice choice;
	struct plm_w_claim claim = {0};

	(void)plm_class_zones(&pass->sched,
			      find_class(pass->st, slot->class_kind, slot->class_name), &reqs);
	plm_launch_choose(pass, types, types_of(pass, slot, &reqs, types), &reqs, &choice);
	if (choice.offers.count == 0) {
		return false;
	}
	claim.name = text(&pass->sched, slot->object.name);
	claim.pool = text(&pass->sched, slot->pool);
	claim.class_name = text(&pass->sched, slot->class_name);
	claim.class_kind = slot->class_kind;
	claim.labels = plm_emit_kvs(&pass->sched, slot->object.labels);
	claim.taints = plm_emit_taints(&pass->sched, slot->taints);
	claim.startup_taints = plm_emit_taints(&pass->sched, slot->startup_taints);
	claim.requests = plm_emit_amounts(&pass->sched, slot->requests);
	launch(pass, &claim, &choice, PLM_CAUSE_CYCLE, out);
	return true;
}
