#include "core/exact.h"

#define NANO 1000000000

/* The greatest number of digits of a decimal; 10^38 does not fit. */
#define DIGITS_MAX ((((plm_i128)1 << 126) - 1) * 2 + 1)

static plm_i128 nano_per_unit(enum plm_scale scale)
{
	static const int64_t nanos[] = {NANO, NANO / 1000, 1};

	return nanos[scale];
}

static plm_i128 divide_up(plm_i128 a, plm_i128 b)
{
	PLM_ASSERT(b > 0);
	return a / b + (a % b > 0 ? 1 : 0);
}

static int64_t saturate(plm_i128 value)
{
	if (value > INT64_MAX) {
		return INT64_MAX;
	}
	return value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

plm_i128 plm_exact_nano(int64_t amount, int64_t excess_nano, enum plm_scale scale)
{
	PLM_ASSERT(excess_nano >= 0 && excess_nano < nano_per_unit(scale));
	return (plm_i128)amount * nano_per_unit(scale) - excess_nano;
}

void plm_exact_split(plm_i128 nano, enum plm_scale scale, int64_t *out_amount,
		     int64_t *out_excess_nano)
{
	plm_i128 unit = nano_per_unit(scale);
	plm_i128 whole = divide_up(nano, unit);

	*out_amount = saturate(whole);
	*out_excess_nano = whole == *out_amount ? (int64_t)(whole * unit - nano) : 0;
	PLM_ASSERT(*out_excess_nano >= 0 && *out_excess_nano < unit);
}

/* ---- sums by resource -------------------------------------------------------------------------- */

struct plm_asks plm_asks_make(struct plm_arena *arena, uint32_t capacity)
{
	return (struct plm_asks){.list = PLM_NEW_ARRAY(arena, capacity, struct plm_ask),
				 .capacity = capacity};
}

struct plm_ask *plm_asks_find(const struct plm_asks *asks, uint32_t key)
{
	for (uint32_t i = 0; i < asks->count; i++) {
		if (asks->list[i].key == key) {
			return &asks->list[i];
		}
	}
	return NULL;
}

static void append(struct plm_asks *to, uint32_t key, plm_i128 nano)
{
	PLM_ASSERT(to->count < to->capacity);
	to->list[to->count++] = (struct plm_ask){key, nano};
}

void plm_asks_add(struct plm_asks *to, uint32_t key, plm_i128 nano)
{
	struct plm_ask *there = plm_asks_find(to, key);

	if (there == NULL) {
		append(to, key, nano);
	} else {
		there->nano += nano;
	}
}

void plm_asks_raise(struct plm_asks *to, uint32_t key, plm_i128 nano)
{
	struct plm_ask *there = plm_asks_find(to, key);

	if (there == NULL) {
		append(to, key, nano);
	} else if (there->nano < nano) {
		there->nano = nano;
	}
}

void plm_asks_put(struct plm_asks *to, uint32_t key, plm_i128 nano)
{
	struct plm_ask *there = plm_asks_find(to, key);

	if (there == NULL) {
		append(to, key, nano);
	} else {
		there->nano = nano;
	}
}

void plm_asks_fill(struct plm_asks *to, uint32_t key, plm_i128 nano)
{
	if (plm_asks_find(to, key) == NULL) {
		append(to, key, nano);
	}
}

static void add_all(struct plm_asks *to, const struct plm_asks *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		plm_asks_add(to, from->list[i].key, from->list[i].nano);
	}
}

static void raise_all(struct plm_asks *to, const struct plm_asks *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		plm_asks_raise(to, from->list[i].key, from->list[i].nano);
	}
}

struct plm_pod_sum plm_pod_sum_begin(struct plm_arena *arena, uint32_t capacity)
{
	return (struct plm_pod_sum){
		.total = plm_asks_make(arena, capacity),
		.sidecars = plm_asks_make(arena, capacity),
		.highest = plm_asks_make(arena, capacity),
		.one = plm_asks_make(arena, capacity),
	};
}

void plm_pod_sum_add(struct plm_pod_sum *sum, enum plm_pod_part part, const struct plm_asks *asks)
{
	switch (part) {
	case PLM_POD_PART_MAIN:
		add_all(&sum->total, asks);
		break;
	case PLM_POD_PART_INIT:
		sum->one.count = 0;
		add_all(&sum->one, asks);
		add_all(&sum->one, &sum->sidecars);
		raise_all(&sum->highest, &sum->one);
		break;
	case PLM_POD_PART_SIDECAR:
		add_all(&sum->sidecars, asks);
		raise_all(&sum->highest, &sum->sidecars);
		break;
	}
}

const struct plm_asks *plm_pod_sum_end(struct plm_pod_sum *sum, const struct plm_asks *whole,
				       const struct plm_asks *overhead)
{
	add_all(&sum->total, &sum->sidecars);
	raise_all(&sum->total, &sum->highest);
	for (uint32_t i = 0; whole != NULL && i < whole->count; i++) {
		plm_asks_put(&sum->total, whole->list[i].key, whole->list[i].nano);
	}
	if (overhead != NULL) {
		add_all(&sum->total, overhead);
	}
	return &sum->total;
}

/* ---- decimals ---------------------------------------------------------------------------------- */

static struct plm_decimal shorten(struct plm_decimal a)
{
	while (a.places > 0 && a.digits % 10 == 0) {
		a.digits /= 10;
		a.places--;
	}
	return a;
}

/* One digit behind the point less. */
static struct plm_decimal drop_digit(struct plm_decimal a)
{
	PLM_ASSERT(a.places > 0);
	return shorten((struct plm_decimal){divide_up(a.digits, 10), a.places - 1});
}

static plm_i128 magnitude(plm_i128 value)
{
	return value < 0 ? -value : value;
}

struct plm_decimal plm_decimal_of(plm_i128 nano)
{
	PLM_ASSERT(magnitude(nano) <= DIGITS_MAX);
	return shorten((struct plm_decimal){nano, 9});
}

static bool product_fits(plm_i128 a, plm_i128 b)
{
	return a == 0 || b == 0 || magnitude(a) <= DIGITS_MAX / magnitude(b);
}

struct plm_decimal plm_decimal_mul(struct plm_decimal a, struct plm_decimal b)
{
	bool negative = (a.digits < 0) != (b.digits < 0);

	while (!product_fits(a.digits, b.digits) && a.places + b.places > 0) {
		if (a.places > 0 && (b.places == 0 || magnitude(a.digits) > magnitude(b.digits))) {
			a = drop_digit(a);
		} else {
			b = drop_digit(b);
		}
	}
	if (!product_fits(a.digits, b.digits)) {
		return (struct plm_decimal){negative ? -DIGITS_MAX : DIGITS_MAX, 0};
	}
	return shorten((struct plm_decimal){a.digits * b.digits, a.places + b.places});
}

struct plm_decimal plm_decimal_add(struct plm_decimal a, struct plm_decimal b)
{
	struct plm_decimal less = a.places < b.places ? a : b;
	struct plm_decimal more = a.places < b.places ? b : a;

	while (less.places < more.places) {
		if (product_fits(less.digits, 10)) {
			less = (struct plm_decimal){less.digits * 10, less.places + 1};
		} else {
			more = (struct plm_decimal){divide_up(more.digits, 10), more.places - 1};
		}
	}
	if ((less.digits > 0 && more.digits > DIGITS_MAX - less.digits) ||
	    (less.digits < 0 && more.digits < -DIGITS_MAX - less.digits)) {
		return (struct plm_decimal){less.digits > 0 ? DIGITS_MAX : -DIGITS_MAX, 0};
	}
	return shorten((struct plm_decimal){less.digits + more.digits, less.places});
}

int64_t plm_decimal_round(struct plm_decimal a, enum plm_scale scale)
{
	static const uint32_t digits_per_unit[] = {0, 3, 9};
	uint32_t want = digits_per_unit[scale];

	while (a.places < want && product_fits(a.digits, 10)) {
		a.digits *= 10;
		a.places++;
	}
	if (a.places < want) {
		return a.digits < 0 ? -INT64_MAX : INT64_MAX;
	}
	for (; a.places > want; a.places--) {
		a.digits = divide_up(a.digits, 10);
	}
	return saturate(a.digits);
}
