#include "reducers/provision/stock.h"

#include "core/limits.h"
#include "reducers/provision/codes.h"

/* What a row is about; 0 = any. */
struct covered {
	plm_sym type, zone, capacity_type, reservation;
};

static struct covered covered_by(struct plm_state *st, const struct plm_w_refusal *w,
				 enum plm_launch_mark mark)
{
	struct covered covered = {{0}, {0}, {0}, {0}};

	switch (mark) {
	case PLM_MARK_NOTHING:
		break;
	case PLM_MARK_OFFERING:
		covered.type = plm_intern(st, w->instance_type);
		covered.zone = plm_intern(st, w->zone);
		covered.capacity_type = plm_intern(st, w->capacity_type);
		break;
	case PLM_MARK_CAPACITY_TYPE:
		covered.capacity_type = plm_intern(st, w->capacity_type);
		break;
	case PLM_MARK_ZONE:
		covered.zone = plm_intern(st, w->zone);
		break;
	case PLM_MARK_RESERVATION:
		covered.reservation = plm_intern(st, w->reservation);
		break;
	}
	return covered;
}

static bool is_about(const struct plm_stock_out *row, const struct covered *covered)
{
	return plm_sym_equal(row->instance_type, covered->type) &&
	       plm_sym_equal(row->zone, covered->zone) &&
	       plm_sym_equal(row->capacity_type, covered->capacity_type) &&
	       plm_sym_equal(row->reservation, covered->reservation);
}

static plm_id row_about(const struct plm_state *st, const struct covered *covered)
{
	PLM_EACH(st, stock_out, id)
	{
		if (is_about(plm_stock_out_at(st, id), covered)) {
			return id;
		}
	}
	return (plm_id){0};
}

/* How long the 'times'-th refusal in a row counts. */
static int64_t how_long(const struct plm_root *root, uint32_t times)
{
	uint32_t doublings = times - 1;

	PLM_ASSERT(times > 0);
	if (root->compat == PLM_COMPAT_STRICT) {
		return root->stock_out_ms;
	}
	if (doublings > PLM_LIMIT_STOCK_OUT_DOUBLINGS) {
		doublings = PLM_LIMIT_STOCK_OUT_DOUBLINGS;
	}
	return plm_mul_sat(root->stock_out_ms, (int64_t)1 << doublings);
}

void plm_stock_note(struct plm_state *st, const struct plm_w_refusal *refusal,
		    struct plm_slice code, int64_t now_ms)
{
	struct plm_slice word = refusal->code.size > 0 ? refusal->code : code;
	enum plm_launch_mark mark = plm_launch_code(word, (struct plm_slice){0})->mark;
	struct covered covered = covered_by(st, refusal, mark);
	struct plm_stock_out *row = NULL;
	plm_id id = {0};
	int64_t lasts = 0;

	if (mark == PLM_MARK_NOTHING) {
		return;
	}
	if (covered.type.n == 0 && covered.zone.n == 0 && covered.capacity_type.n == 0 &&
	    covered.reservation.n == 0) {
		return; /* it does not say of what: that is not everything */
	}
	id = row_about(st, &covered);
	if (id.n == 0) {
		id = plm_slot_new(st, PLM_TABLE_STOCK_OUT);
	}
	row = plm_stock_out_edit(st, id);
	if (row->times == 0 || row->until_ms <= now_ms) {
		row->times++; /* once for all that were refused while it was known */
	}
	lasts = how_long(plm_root(st), row->times);
	row->instance_type = covered.type;
	row->zone = covered.zone;
	row->capacity_type = covered.capacity_type;
	row->reservation = covered.reservation;
	row->until_ms = plm_add_sat(now_ms, lasts);
	row->lapsed = 0;
	row->forget_ms = plm_root(st)->compat == PLM_COMPAT_STRICT
				 ? row->until_ms
				 : plm_add_sat(row->until_ms, lasts);
	PLM_ASSERT(row->forget_ms >= row->until_ms);
}

void plm_stock_had(struct plm_state *st, plm_sym type, plm_sym zone, plm_sym capacity_type)
{
	struct covered covered = {type, zone, capacity_type, {0}};
	plm_id id = type.n == 0 ? (plm_id){0} : row_about(st, &covered);

	if (id.n != 0) {
		plm_slot_free(st, PLM_TABLE_STOCK_OUT, id);
	}
}

void plm_stock_expire(struct plm_state *st, int64_t now_ms)
{
	plm_id id = plm_stock_out_next(st, (plm_id){0});

	while (id.n != 0) {
		plm_id next = plm_stock_out_next(st, id);

		if (plm_stock_out_at(st, id)->forget_ms <= now_ms) {
			plm_slot_free(st, PLM_TABLE_STOCK_OUT, id);
		} else if (plm_stock_out_at(st, id)->until_ms <= now_ms) {
			plm_stock_out_edit(st, id)->lapsed = 1;
		}
		id = next;
	}
}

static bool covers(plm_sym row, plm_sym value)
{
	return row.n == 0 || plm_sym_equal(row, value);
}

bool plm_stock_is_out(const struct plm_state *st, plm_sym type, const struct plm_offering *offering,
		      int64_t now_ms)
{
	PLM_EACH(st, stock_out, id)
	{
		const struct plm_stock_out *row = plm_stock_out_at(st, id);

		if (row->until_ms > now_ms && covers(row->instance_type, type) &&
		    covers(row->zone, offering->zone) &&
		    covers(row->capacity_type, offering->capacity_type) &&
		    covers(row->reservation, offering->reservation)) {
			return true;
		}
	}
	return false;
}

int64_t plm_stock_next_due(const struct plm_state *st)
{
	int64_t now_ms = plm_root(st)->now_ms;
	int64_t due = PLM_UNSET;

	PLM_EACH(st, stock_out, id)
	{
		int64_t until_ms = plm_stock_out_at(st, id)->until_ms;

		if (until_ms > now_ms && (due == PLM_UNSET || until_ms < due)) {
			due = until_ms;
		}
	}
	return due;
}
