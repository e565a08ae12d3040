#include "reducers/disruption/cron.h"

#define MINUTE_MS 60000LL
/* A year of minutes: no window is longer than the longest gap between two times of a schedule. */
#define LOOK_BACK_MINUTES (366LL * 24 * 60)

enum field {
	FIELD_MINUTE,
	FIELD_HOUR,
	FIELD_DAY,
	FIELD_MONTH,
	FIELD_WEEKDAY,
	FIELD_COUNT
};

struct schedule {
	uint64_t allowed[FIELD_COUNT]; /* bits */
	bool any_day, any_weekday;
};

static const struct range {
	int64_t low, high;
} ranges[FIELD_COUNT] = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}};

static bool number(struct plm_slice *text, int64_t *out)
{
	size_t digits = 0;

	*out = 0;
	while (digits < text->size && digits < 4 && text->ptr[digits] >= '0' &&
	       text->ptr[digits] <= '9') {
		*out = *out * 10 + (text->ptr[digits] - '0');
		digits++;
	}
	text->ptr += digits;
	text->size -= digits;
	return digits > 0;
}

static bool word(struct plm_slice *text, const char *const *words, int64_t count, int64_t *out)
{
	for (int64_t i = 0; i < count; i++) {
		if (text->size >= 3 && (text->ptr[0] | 0x20) == words[i][0] &&
		    (text->ptr[1] | 0x20) == words[i][1] && (text->ptr[2] | 0x20) == words[i][2]) {
			text->ptr += 3;
			text->size -= 3;
			*out = i;
			return true;
		}
	}
	return false;
}

static bool value(struct plm_slice *text, enum field field, int64_t *out)
{
	static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
					     "jul", "aug", "sep", "oct", "nov", "dec"};
	static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

	if (number(text, out)) {
		return *out >= ranges[field].low && *out <= ranges[field].high;
	}
	if (field == FIELD_MONTH && word(text, months, 12, out)) {
		(*out)++;
		return true;
	}
	return field == FIELD_WEEKDAY && word(text, days, 7, out);
}

static bool take_char(struct plm_slice *text, char c)
{
	if (text->size == 0 || text->ptr[0] != (uint8_t)c) {
		return false;
	}
	text->ptr++;
	text->size--;
	return true;
}

/* One of the comma-separated parts: "*", "a", "a-b", each with "/step". */
static bool part(struct plm_slice *text, enum field field, struct schedule *out)
{
	int64_t low = ranges[field].low;
	int64_t high = ranges[field].high;
	int64_t step = 1;
	bool star = take_char(text, '*') || take_char(text, '?');

	if (!star) {
		if (!value(text, field, &low)) {
			return false;
		}
		high = low;
		if (take_char(text, '-') && !value(text, field, &high)) {
			return false;
		}
	}
	if (take_char(text, '/')) {
		if (!number(text, &step) || step <= 0) {
			return false;
		}
		high = !star && high == low ? ranges[field].high : high;
	} else if (star) {
		out->any_day = out->any_day || field == FIELD_DAY;
		out->any_weekday = out->any_weekday || field == FIELD_WEEKDAY;
	}
	for (int64_t i = low; i <= high; i += step) {
		out->allowed[field] |= (uint64_t)1 << (field == FIELD_WEEKDAY ? i % 7 : i);
	}
	return true;
}

static bool parse_fields(struct plm_slice text, struct schedule *out)
{
	for (uint32_t field = 0; field < FIELD_COUNT; field++) {
		while (take_char(&text, ' ')) {
		}
		do {
			if (!part(&text, (enum field)field, out)) {
				return false;
			}
		} while (take_char(&text, ','));
		if (text.size > 0 && text.ptr[0] != ' ') {
			return false;
		}
	}
	while (take_char(&text, ' ')) {
	}
	return text.size == 0;
}

static bool parse(struct plm_slice text, struct schedule *out)
{
	static const struct macro {
		const char *name, *fields;
	} macros[] = {
		{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
		{"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
		{"@hourly", "0 * * * *"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(macros); i++) {
		if (plm_slice_is(text, macros[i].name)) {
			return parse_fields(plm_slice_str(macros[i].fields), out);
		}
	}
	return parse_fields(text, out);
}

/* Day and month of a count of days since 1970 (proleptic Gregorian, era of 400 years). */
static void civil(int64_t days, int64_t *out_month, int64_t *out_day)
{
	int64_t shifted = days + 719468;
	int64_t era = plm_div_floor(shifted, 146097);
	int64_t of_era = shifted - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;

	*out_day = of_year - (153 * month + 2) / 5 + 1;
	*out_month = month < 10 ? month + 3 : month - 9;
}

static bool has(const struct schedule *schedule, enum field field, int64_t at)
{
	return (schedule->allowed[field] >> at & 1) != 0;
}

static bool matches_day(const struct schedule *schedule, int64_t days)
{
	int64_t month = 0;
	int64_t day = 0;
	int64_t weekday = (days % 7 + 11) % 7; /* 1970-01-01 was a Thursday */
	bool by_day = false;
	bool by_weekday = false;

	civil(days, &month, &day);
	if (!has(schedule, FIELD_MONTH, month)) {
		return false;
	}
	by_day = has(schedule, FIELD_DAY, day);
	by_weekday = has(schedule, FIELD_WEEKDAY, weekday);
	/* When both are restricted either will do: cron's rule. */
	if (schedule->any_day || schedule->any_weekday) {
		return by_day && by_weekday;
	}
	return by_day || by_weekday;
}

bool plm_cron_active(struct plm_slice text, int64_t duration_ms, int64_t now_ms)
{
	struct schedule schedule = {0};
	int64_t last = plm_div_floor(now_ms, MINUTE_MS);
	int64_t span = duration_ms == PLM_UNSET ? 0 : plm_div_floor(duration_ms, MINUTE_MS);

	if (text.size == 0 || !parse(text, &schedule)) {
		return true;
	}
	span = plm_min(span, LOOK_BACK_MINUTES);
	for (int64_t minute = last; minute >= last - span; minute--) {
		int64_t days = plm_div_floor(minute, 1440);
		int64_t of_day = minute - days * 1440;

		if (plm_sub_sat(now_ms, minute * MINUTE_MS) > duration_ms) {
			break;
		}
		if (!matches_day(&schedule, days)) {
			minute = days * 1440; /* the loop goes on with the day before */
			continue;
		}
		if (has(&schedule, FIELD_HOUR, of_day / 60) &&
		    has(&schedule, FIELD_MINUTE, of_day % 60)) {
			return true;
		}
	}
	return false;
}
