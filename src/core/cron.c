#include "core/cron.h"

#define MINUTE_MS 60000LL
#define DAY_MINUTES 1440LL
#define YEARS_AHEAD 5
/* More digits than any value has. */
#define DIGITS_MAX 6U

static const struct range {
	int64_t low, high;
	const char *name;
} ranges[PLM_CRON_FIELDS] = {{0, 59, "minute"},
			     {0, 23, "hour"},
			     {1, 31, "day of month"},
			     {1, 12, "month"},
			     {0, 6, "day of week"}};

/* ---- the grammar ------------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool number(struct plm_slice text, int64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i == DIGITS_MAX) {
			return false;
		}
		*out = *out * 10 + (text.ptr[i] - '0');
	}
	return text.size > 0;
}

static bool word(struct plm_slice text, const char *const *words, int64_t count, int64_t *out)
{
	for (int64_t i = 0; text.size == 3 && i < count; i++) {
		if ((text.ptr[0] | 0x20) == words[i][0] && (text.ptr[1] | 0x20) == words[i][1] &&
		    (text.ptr[2] | 0x20) == words[i][2]) {
			*out = i;
			return true;
		}
	}
	return false;
}

static bool value(struct plm_slice text, enum plm_cron_field field, int64_t *out)
{
	static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
					     "jul", "aug", "sep", "oct", "nov", "dec"};
	static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

	if (number(text, out)) {
		return *out >= ranges[field].low && *out <= ranges[field].high;
	}
	if (field == PLM_CRON_MONTH && word(text, months, 12, out)) {
		(*out)++;
		return true;
	}
	return field == PLM_CRON_WEEKDAY && word(text, days, 7, out);
}

/* What stands before the first 'c', or all; 'text' becomes what follows it, NULL when there is no 'c'. */
static struct plm_slice cut(struct plm_slice *text, char c)
{
	struct plm_slice head = *text;

	for (size_t i = 0; i < text->size; i++) {
		if (text->ptr[i] == (uint8_t)c) {
			head.size = i;
			*text = plm_slice_of(text->ptr + i + 1, text->size - i - 1);
			return head;
		}
	}
	*text = (struct plm_slice){0};
	return head;
}

/* One of the comma-separated parts: "*", "a", "a-b", each with "/step"; "a/step" goes on to the end. */
static bool part(struct plm_slice text, enum plm_cron_field field, struct plm_cron *out)
{
	int64_t low = ranges[field].low;
	int64_t high = ranges[field].high;
	int64_t step = 1;
	struct plm_slice to = cut(&text, '/');
	struct plm_slice from = cut(&to, '-');
	bool star = plm_slice_is(from, "*") || plm_slice_is(from, "?");

	if (text.ptr != NULL && (!number(text, &step) || step == 0)) {
		return false;
	}
	if (!star && !value(from, field, &low)) {
		return false;
	}
	if (!star && to.ptr != NULL && !value(to, field, &high)) {
		return false;
	}
	if (!star && to.ptr == NULL && text.ptr == NULL) {
		high = low;
	}
	if (low > high) {
		return false;
	}
	if (star && step == 1) {
		out->any_day = out->any_day || field == PLM_CRON_DAY;
		out->any_weekday = out->any_weekday || field == PLM_CRON_WEEKDAY;
	}
	for (int64_t i = low; i <= high; i += step) {
		out->allowed[field] |= (uint64_t)1 << i;
	}
	return true;
}

static struct plm_slice next_field(struct plm_slice *text)
{
	struct plm_slice field = {0};

	while (text->size > 0 && is_space(*text->ptr)) {
		*text = plm_slice_of(text->ptr + 1, text->size - 1);
	}
	field = plm_slice_of(text->ptr, 0);
	while (text->size > 0 && !is_space(*text->ptr)) {
		*text = plm_slice_of(text->ptr + 1, text->size - 1);
		field.size++;
	}
	return field;
}

static enum plm_code parse_field(struct plm_slice text, enum plm_cron_field field,
				 struct plm_cron *out, struct plm_error *err)
{
	struct plm_slice all = text;

	while (text.size > 0) {
		struct plm_slice one = cut(&text, ',');

		if (one.size > 0 && !part(one, field, out)) {
			return plm_fail(err, PLM_E_INPUT, "\"%.*s\" is no %s (%lld to %lld)",
					(int)one.size, (const char *)one.ptr, ranges[field].name,
					(long long)ranges[field].low,
					(long long)ranges[field].high);
		}
	}
	if (out->allowed[field] == 0) {
		return plm_fail(err, PLM_E_INPUT, "\"%.*s\" is no %s", (int)all.size,
				(const char *)all.ptr, ranges[field].name);
	}
	return PLM_OK;
}

static enum plm_code parse_fields(struct plm_slice text, struct plm_cron *out,
				  struct plm_error *err)
{
	for (uint32_t f = 0; f < PLM_CRON_FIELDS; f++) {
		struct plm_slice field = next_field(&text);
		enum plm_code code = PLM_OK;

		if (field.size == 0) {
			return plm_fail(err, PLM_E_INPUT, "%u of 5 fields (the %s is missing)", f,
					ranges[f].name);
		}
		code = parse_field(field, (enum plm_cron_field)f, out, err);
		if (code != PLM_OK) {
			return code;
		}
	}
	if (next_field(&text).size > 0) {
		return plm_fail(err, PLM_E_INPUT, "more than 5 fields");
	}
	return PLM_OK;
}

enum plm_code plm_cron_parse(struct plm_slice text, struct plm_cron *out, struct plm_error *err)
{
	static const struct macro {
		const char *name, *fields;
	} macros[] = {
		{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
		{"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
		{"@hourly", "0 * * * *"},
	};

	*out = (struct plm_cron){0};
	for (size_t i = 0; i < PLM_COUNTOF(macros); i++) {
		if (plm_slice_is(text, macros[i].name)) {
			return parse_fields(plm_slice_str(macros[i].fields), out, err);
		}
	}
	if (text.size > 0 && *text.ptr == '@') {
		return plm_fail(err, PLM_E_INPUT,
				"\"%.*s\" is none of @yearly, @annually, @monthly, @weekly, "
				"@daily, @midnight, @hourly",
				(int)text.size, (const char *)text.ptr);
	}
	return parse_fields(text, out, err);
}

/* ---- time -------------------------------------------------------------------------------------- */

struct date {
	int64_t year, month, day;
};

/* The date of a count of days since 1970 (proleptic Gregorian, era of 400 years). */
static struct date civil(int64_t days)
{
	int64_t shifted = days + 719468;
	int64_t era = plm_div_floor(shifted, 146097);
	int64_t of_era = shifted - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	struct date date = {.day = of_year - (153 * month + 2) / 5 + 1,
			    .month = month < 10 ? month + 3 : month - 9};

	date.year = year + era * 400 + (date.month <= 2 ? 1 : 0);
	return date;
}

static bool has(const struct plm_cron *cron, enum plm_cron_field field, int64_t at)
{
	return (cron->allowed[field] >> at & 1) != 0;
}

static bool matches_day(const struct plm_cron *cron, int64_t days, const struct date *date)
{
	int64_t weekday = (days % 7 + 11) % 7; /* 1970-01-01 was a Thursday */
	bool by_day = has(cron, PLM_CRON_DAY, date->day);
	bool by_weekday = has(cron, PLM_CRON_WEEKDAY, weekday);

	if (!has(cron, PLM_CRON_MONTH, date->month)) {
		return false;
	}
	/* When both are restricted either will do: cron's rule. */
	if (cron->any_day || cron->any_weekday) {
		return by_day && by_weekday;
	}
	return by_day || by_weekday;
}

/* The first minute of a day from 'from' on, DAY_MINUTES when there is none. */
static int64_t first_of_day(const struct plm_cron *cron, int64_t from)
{
	for (int64_t at = from; at < DAY_MINUTES; at++) {
		if (has(cron, PLM_CRON_HOUR, at / 60) && has(cron, PLM_CRON_MINUTE, at % 60)) {
			return at;
		}
	}
	return DAY_MINUTES;
}

int64_t plm_cron_next(const struct plm_cron *cron, int64_t after_ms)
{
	int64_t minute = plm_div_floor(after_ms, MINUTE_MS) + 1;
	int64_t days = plm_div_floor(minute, DAY_MINUTES);
	int64_t from = minute - days * DAY_MINUTES;
	struct date date = civil(days);
	int64_t last_year = date.year + YEARS_AHEAD;

	for (; date.year <= last_year; date = civil(++days), from = 0) {
		int64_t at =
			matches_day(cron, days, &date) ? first_of_day(cron, from) : DAY_MINUTES;

		if (at < DAY_MINUTES) {
			return (days * DAY_MINUTES + at) * MINUTE_MS;
		}
	}
	return PLM_UNSET;
}
