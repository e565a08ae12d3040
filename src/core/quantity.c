#include "core/quantity.h"

#include "core/limits.h"
#include "core/units.h"

#include <inttypes.h>
#include <stdio.h>

/* Little-endian limbs: 64 digits are 213 bits, times 2^60 and 10^40 is below 416. */
#define LIMBS 16
/* Beyond these powers of ten every non-zero number of 64 digits is above int64, or a fraction. */
#define POWER_MAX 40
#define POWER_MIN (-200)

struct big {
	uint32_t limb[LIMBS];
	bool rest; /* something non-zero was divided away */
};

static void big_multiply_add(struct big *n, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < LIMBS; i++) {
		carry += (uint64_t)n->limb[i] * factor;
		n->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	PLM_ASSERT(carry == 0);
}

static void big_divide(struct big *n, uint32_t divisor)
{
	uint64_t rest = 0;

	for (size_t i = LIMBS; i > 0; i--) {
		rest = (rest << 32) | n->limb[i - 1];
		n->limb[i - 1] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	n->rest = n->rest || rest != 0;
}

/* Saturation of the exact form: INT64_MAX whole units. */
#define NANO 1000000000
#define EXACT_MAX ((plm_i128)INT64_MAX * NANO)

/* The integer at or above 'n', EXACT_MAX at most. */
static plm_i128 big_ceil(const struct big *n)
{
	plm_i128 value = 0;

	for (size_t i = 3; i < LIMBS; i++) {
		if (n->limb[i] != 0) {
			return EXACT_MAX;
		}
	}
	for (size_t i = 3; i > 0; i--) {
		value = value * ((plm_i128)1 << 32) + n->limb[i - 1];
	}
	value += n->rest ? 1 : 0;
	return value > EXACT_MAX ? EXACT_MAX : value;
}

static int64_t saturate(plm_i128 value)
{
	return value > INT64_MAX ? INT64_MAX : (value < -INT64_MAX ? -INT64_MAX : (int64_t)value);
}

/* A number as written: digits times 10^ten times 2^two. */
struct written {
	bool negative;
	uint8_t digit[PLM_LIMIT_QUANTITY_CHARS];
	size_t digits; /* without leading zeros */
	int64_t ten;
	uint32_t two;
};

static plm_i128 exact(const struct written *number)
{
	struct big n = {0};
	int64_t ten = number->ten;

	if (number->digits == 0) {
		return 0;
	}
	if (ten > POWER_MAX) {
		return EXACT_MAX;
	}
	if (ten < POWER_MIN) {
		return 1;
	}
	for (size_t i = 0; i < number->digits; i++) {
		big_multiply_add(&n, 10, number->digit[i]);
	}
	for (uint32_t two = number->two; two > 0; two -= 10) {
		big_multiply_add(&n, 1024, 0);
	}
	for (; ten > 0; ten--) {
		big_multiply_add(&n, 10, 0);
	}
	for (; ten < 0; ten++) {
		big_divide(&n, 10);
	}
	return big_ceil(&n);
}

/* As exact() for the common case: few digits and a result far below the ends of int64. */
static bool quick(const struct written *number, int64_t *out)
{
	static const int64_t powers[] = {1,	 10,	  100,	    1000,      10000,
					 100000, 1000000, 10000000, 100000000, 1000000000};
	int64_t value = 0;

	if (number->digits > 8 || number->ten > 9 || number->ten < -9 || number->two > 30) {
		return false;
	}
	for (size_t i = 0; i < number->digits; i++) {
		value = value * 10 + number->digit[i];
	}
	value <<= number->two; /* below 2^57 */
	if (number->ten < 0) {
		*out = plm_div_ceil(value, powers[-number->ten]);
		return true;
	}
	return !__builtin_mul_overflow(value, powers[number->ten], out);
}

struct suffix {
	const char *text;
	int8_t ten;
	uint8_t two;
};

static const struct suffix suffixes[] = {
	{"", 0, 0},    {"m", -3, 0},  {"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"k", 3, 0},
	{"M", 6, 0},   {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ti", 0, 40},
	{"Pi", 0, 50}, {"Ei", 0, 60}, {"u", -6, 0},  {"n", -9, 0},
};

static bool read_exponent(struct plm_slice text, int64_t *out_ten)
{
	size_t at = 0;
	bool negative = false;
	int64_t value = 0;

	if (at < text.size && (text.ptr[at] == '-' || text.ptr[at] == '+')) {
		negative = text.ptr[at] == '-';
		at++;
	}
	if (at == text.size) {
		return false;
	}
	for (; at < text.size; at++) {
		if (text.ptr[at] < '0' || text.ptr[at] > '9') {
			return false;
		}
		value = plm_min(value * 10 + (text.ptr[at] - '0'), 1000000);
	}
	*out_ten = negative ? -value : value;
	return true;
}

static bool read_suffix(struct plm_slice text, struct written *number)
{
	int64_t ten = 0;

	for (size_t i = 0; i < PLM_COUNTOF(suffixes); i++) {
		if (plm_slice_is(text, suffixes[i].text)) {
			number->ten += suffixes[i].ten;
			number->two = suffixes[i].two;
			return true;
		}
	}
	if (text.ptr[0] != 'e' && text.ptr[0] != 'E') {
		return false;
	}
	if (!read_exponent(plm_slice_of(text.ptr + 1, text.size - 1), &ten)) {
		return false;
	}
	number->ten += ten;
	return true;
}

/* Digits with at most one point. Returns where they end, 0 when there is no digit. */
static size_t read_digits(struct plm_slice text, size_t at, struct written *number)
{
	bool point = false;
	bool any = false;

	for (; at < text.size; at++) {
		uint8_t byte = text.ptr[at];

		if (byte == '.' && !point) {
			point = true;
			continue;
		}
		if (byte < '0' || byte > '9') {
			break;
		}
		any = true;
		number->ten -= point ? 1 : 0;
		if (number->digits > 0 || byte != '0') {
			number->digit[number->digits++] = (uint8_t)(byte - '0');
		}
	}
	return any ? at : 0;
}

static bool read_number(struct plm_slice text, struct written *number)
{
	size_t at = 0;

	if (text.size > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) {
		number->negative = text.ptr[0] == '-';
		at = 1;
	}
	at = read_digits(text, at, number);
	return at > 0 && read_suffix(plm_slice_of(text.ptr + at, text.size - at), number);
}

enum plm_scale plm_resource_scale(struct plm_slice resource)
{
	if (plm_slice_is(resource, "cpu") || plm_slice_is(resource, "requests.cpu") ||
	    plm_slice_is(resource, "limits.cpu")) {
		return PLM_SCALE_MILLI;
	}
	return PLM_SCALE_WHOLE;
}

static enum plm_code parse(struct plm_slice text, struct written *number, struct plm_error *err)
{
	if (text.size > PLM_LIMIT_QUANTITY_CHARS) {
		return plm_fail(err, PLM_E_INPUT, "a quantity has at most %d characters",
				PLM_LIMIT_QUANTITY_CHARS);
	}
	if (!read_number(text, number)) {
		return plm_fail(err, PLM_E_INPUT,
				"\"%.*s\" is not a quantity (such as 2, 500m, 1.5, 4Gi, 1e3)",
				(int)text.size, (const char *)text.ptr);
	}
	return PLM_OK;
}

enum plm_code plm_quantity_parse(struct plm_slice text, enum plm_scale scale, int64_t *out,
				 struct plm_error *err)
{
	static const int64_t scale_ten[] = {0, 3, 9};
	struct written number = {0};
	enum plm_code code = parse(text, &number, err);
	int64_t value = 0;

	if (code != PLM_OK) {
		return code;
	}
	number.ten += scale_ten[scale];
	if (!quick(&number, &value)) {
		value = saturate(exact(&number));
	}
	*out = number.negative ? -value : value;
	return PLM_OK;
}

enum plm_code plm_quantity_parse_exact(struct plm_slice text, plm_i128 *out_nano,
				       struct plm_error *err)
{
	struct written number = {0};
	enum plm_code code = parse(text, &number, err);
	plm_i128 value = 0;
	int64_t whole = 0;

	if (code != PLM_OK) {
		return code;
	}
	if (number.ten >= 0 && quick(&number, &whole)) {
		value = (plm_i128)whole * NANO;
	} else {
		number.ten += 9;
		value = exact(&number);
	}
	*out_nano = number.negative ? -value : value;
	return PLM_OK;
}

int64_t plm_quantity_round(plm_i128 nano, enum plm_scale scale)
{
	static const int64_t divisors[] = {NANO, NANO / 1000, 1};
	plm_i128 divisor = divisors[scale];
	plm_i128 value = nano / divisor;
	plm_i128 rest = nano % divisor;

	return saturate(value + (rest > 0 ? 1 : (rest < 0 ? -1 : 0)));
}

static bool starts_with(struct plm_slice text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size && memcmp(text.ptr, prefix, size) == 0;
}

static bool is_binary(struct plm_slice resource)
{
	if (starts_with(resource, "requests.") || starts_with(resource, "limits.")) {
		size_t size = resource.ptr[0] == 'r' ? strlen("requests.") : strlen("limits.");

		resource = plm_slice_of(resource.ptr + size, resource.size - size);
	}
	return plm_slice_is(resource, "memory") || plm_slice_is(resource, "ephemeral-storage") ||
	       plm_slice_is(resource, "storage") || starts_with(resource, "hugepages-");
}

const char *plm_quantity_format(struct plm_slice resource, int64_t amount,
				char text[PLM_QUANTITY_SIZE])
{
	static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
	static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
	const char *const *names = decimal;
	int64_t step = 1000;
	size_t level = 0;

	if (plm_resource_scale(resource) == PLM_SCALE_MILLI) {
		if (amount % 1000 != 0) {
			(void)snprintf(text, PLM_QUANTITY_SIZE, "%" PRId64 "m", amount);
			return text;
		}
		amount /= 1000;
	}
	if (is_binary(resource) && (amount >= 1024 || amount <= -1024)) {
		names = binary;
		step = 1024;
	}
	while (amount != 0 && amount % step == 0) {
		amount /= step;
		level++;
	}
	PLM_ASSERT(level < PLM_COUNTOF(binary));
	(void)snprintf(text, PLM_QUANTITY_SIZE, "%" PRId64 "%s", amount, names[level]);
	return text;
}

bool plm_integer_parse(struct plm_slice text, int64_t *out)
{
	bool minus = text.size > 0 && text.ptr[0] == '-';
	bool sign = minus || (text.size > 0 && text.ptr[0] == '+');
	int64_t value = 0;

	if (text.size == (sign ? 1U : 0U)) {
		return false;
	}
	for (size_t i = sign ? 1 : 0; i < text.size; i++) {
		int64_t digit = (int64_t)text.ptr[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, minus ? -digit : digit, &value)) {
			return false;
		}
	}
	*out = value;
	return true;
}
