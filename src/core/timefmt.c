#include "core/timefmt.h"

#include "core/units.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_MS 1000000LL

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar (March-based years). */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2 ? 1 : 0);
	int64_t era = plm_div_floor(y, 400);
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct date {
	int64_t year, month, day;
};

static struct date date_of(int64_t days)
{
	int64_t z = days + 719468;
	int64_t era = plm_div_floor(z, 146097);
	int64_t of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	struct date date = {
		.year = year + era * 400,
		.month = month + (month < 10 ? 3 : -9),
		.day = of_year - (153 * month + 2) / 5 + 1,
	};

	date.year += date.month <= 2 ? 1 : 0;
	return date;
}

static int64_t days_in(int64_t year, int64_t month)
{
	static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && leap ? 29 : days[month - 1];
}

/* Text that is read from the left; 'bad' stays once something did not fit. */
struct scan {
	struct plm_slice text;
	size_t at;
	bool bad;
};

static uint8_t peek(const struct scan *s)
{
	return s->at < s->text.size ? s->text.ptr[s->at] : 0;
}

static int64_t fixed(struct scan *s, size_t digits)
{
	int64_t value = 0;

	for (size_t i = 0; i < digits; i++) {
		uint8_t byte = peek(s);

		if (byte < '0' || byte > '9') {
			s->bad = true;
			return 0;
		}
		value = value * 10 + (byte - '0');
		s->at++;
	}
	return value;
}

static void expect(struct scan *s, char wanted)
{
	if (peek(s) == (uint8_t)wanted) {
		s->at++;
	} else {
		s->bad = true;
	}
}

/* ".123456": milliseconds of it, the rest cut; 0 when there is no fraction. */
static int64_t fraction_ms(struct scan *s)
{
	int64_t ms = 0;
	int64_t unit = 100;
	size_t digits = 0;

	if (peek(s) != '.') {
		return 0;
	}
	for (s->at++; peek(s) >= '0' && peek(s) <= '9'; s->at++) {
		ms += (peek(s) - '0') * unit;
		unit /= 10;
		digits++;
	}
	s->bad = s->bad || digits == 0;
	return ms;
}

/* "Z" or "+02:00" in milliseconds to take away. */
static int64_t offset_ms(struct scan *s)
{
	int64_t sign = peek(s) == '-' ? -1 : 1;
	int64_t hours = 0;
	int64_t minutes = 0;

	if (peek(s) == 'Z' || peek(s) == 'z') {
		s->at++;
		return 0;
	}
	if (peek(s) != '+' && peek(s) != '-') {
		s->bad = true;
		return 0;
	}
	s->at++;
	hours = fixed(s, 2);
	expect(s, ':');
	minutes = fixed(s, 2);
	s->bad = s->bad || hours > 23 || minutes > 59;
	return sign * (hours * PLM_MS_PER_HOUR + minutes * PLM_MS_PER_MINUTE);
}

static struct date read_date(struct scan *s)
{
	struct date date = {0};

	date.year = fixed(s, 4);
	expect(s, '-');
	date.month = fixed(s, 2);
	expect(s, '-');
	date.day = fixed(s, 2);
	if (s->bad || date.year < 1 || date.month < 1 || date.month > 12 || date.day < 1 ||
	    date.day > days_in(date.year, date.month)) {
		s->bad = true;
		return (struct date){1970, 1, 1};
	}
	return date;
}

/* Milliseconds of the day. */
static int64_t read_clock(struct scan *s)
{
	int64_t hours = fixed(s, 2);
	int64_t minutes = 0;
	int64_t seconds = 0;

	expect(s, ':');
	minutes = fixed(s, 2);
	expect(s, ':');
	seconds = fixed(s, 2);
	s->bad = s->bad || hours > 23 || minutes > 59 || seconds > 60;
	seconds = plm_min(seconds, 59);
	return hours * PLM_MS_PER_HOUR + minutes * PLM_MS_PER_MINUTE + seconds * PLM_MS_PER_SECOND +
	       fraction_ms(s);
}

enum plm_code plm_time_parse(struct plm_slice text, int64_t *out_ms, struct plm_error *err)
{
	struct scan s = {.text = text};
	struct date date = read_date(&s);
	int64_t ms = 0;

	if (peek(&s) == 't' || peek(&s) == ' ') {
		s.at++;
	} else {
		expect(&s, 'T');
	}
	ms = read_clock(&s);
	ms -= offset_ms(&s);
	if (s.bad || s.at != text.size) {
		return plm_fail(err, PLM_E_INPUT,
				"\"%.*s\" is not a time such as 2026-01-01T00:00:00Z",
				(int)plm_min((int64_t)text.size, 40), (const char *)text.ptr);
	}
	*out_ms = days_of(date.year, date.month, date.day) * PLM_MS_PER_DAY + ms;
	return PLM_OK;
}

const char *plm_time_format(int64_t ms, char text[PLM_TIME_SIZE])
{
	int64_t days = plm_div_floor(ms, PLM_MS_PER_DAY);
	int64_t of_day = ms - days * PLM_MS_PER_DAY;
	struct date date = date_of(days);
	char fraction[8] = "";

	if (of_day % 1000 != 0) {
		(void)snprintf(fraction, sizeof(fraction), ".%03d", (int)(of_day % 1000));
	}
	(void)snprintf(text, PLM_TIME_SIZE, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d%sZ", date.year,
		       (int)date.month, (int)date.day, (int)(of_day / PLM_MS_PER_HOUR),
		       (int)(of_day / PLM_MS_PER_MINUTE % 60),
		       (int)(of_day / PLM_MS_PER_SECOND % 60), fraction);
	return text;
}

struct unit {
	const char *text;
	int64_t ns;
};

/* The longer name first where one begins with another. */
static const struct unit units[] = {
	{"ns", 1},
	{"us", 1000},
	{"\xC2\xB5s", 1000}, /* micro sign */
	{"\xCE\xBCs", 1000}, /* Greek mu */
	{"ms", NS_PER_MS},
	{"s", PLM_MS_PER_SECOND *NS_PER_MS},
	{"m", PLM_MS_PER_MINUTE *NS_PER_MS},
	{"h", PLM_MS_PER_HOUR *NS_PER_MS},
};

static int64_t read_unit(struct scan *s)
{
	for (size_t i = 0; i < PLM_COUNTOF(units); i++) {
		size_t size = strlen(units[i].text);

		if (s->text.size - s->at >= size &&
		    memcmp(s->text.ptr + s->at, units[i].text, size) == 0) {
			s->at += size;
			return units[i].ns;
		}
	}
	s->bad = true;
	return 0;
}

static bool is_digit(const struct scan *s)
{
	return peek(s) >= '0' && peek(s) <= '9';
}

/* The digits of a fraction as a number of '*out_scale'-ths; what is below 10^-15 is cut, as Go does. */
static int64_t read_fraction(struct scan *s, int64_t *out_scale)
{
	int64_t fraction = 0;
	int64_t scale = 1;

	for (; is_digit(s); s->at++) {
		if (scale < 1000000000000000LL) {
			fraction = fraction * 10 + (peek(s) - '0');
			scale *= 10;
		}
	}
	*out_scale = scale;
	return fraction;
}

/* One "1.5h" in nanoseconds. */
static int64_t read_part(struct scan *s)
{
	size_t start = s->at;
	int64_t whole = 0;
	int64_t fraction = 0;
	int64_t scale = 1;
	int64_t unit = 0;

	for (; is_digit(s); s->at++) {
		s->bad = s->bad || __builtin_mul_overflow(whole, 10, &whole) ||
			 __builtin_add_overflow(whole, peek(s) - '0', &whole);
	}
	if (peek(s) == '.') {
		s->at++;
		start++; /* the point is no digit: "." alone is no number */
		fraction = read_fraction(s, &scale);
	}
	s->bad = s->bad || s->at == start;
	unit = read_unit(s);
	fraction = (int64_t)((plm_i128)fraction * unit / scale);
	s->bad = s->bad || __builtin_mul_overflow(whole, unit, &whole) ||
		 __builtin_add_overflow(whole, fraction, &whole);
	return whole;
}

enum plm_code plm_duration_parse(struct plm_slice text, int64_t *out_ns, struct plm_error *err)
{
	struct scan s = {.text = text};
	bool negative = peek(&s) == '-';
	int64_t sum = 0;

	if (peek(&s) == '-' || peek(&s) == '+') {
		s.at++;
	}
	if (text.size - s.at == 1 && peek(&s) == '0') {
		*out_ns = 0;
		return PLM_OK;
	}
	s.bad = s.at == text.size;
	while (!s.bad && s.at < text.size) {
		int64_t part = read_part(&s);

		s.bad = s.bad || __builtin_add_overflow(sum, part, &sum);
	}
	if (s.bad) {
		return plm_fail(err, PLM_E_INPUT,
				"\"%.*s\" is not a duration such as 90s, 1h30m or 250ms",
				(int)plm_min((int64_t)text.size, 40), (const char *)text.ptr);
	}
	*out_ns = negative ? -sum : sum;
	return PLM_OK;
}

enum plm_code plm_duration_parse_ms(struct plm_slice text, int64_t *out_ms, struct plm_error *err)
{
	int64_t ns = 0;
	enum plm_code code = plm_duration_parse(text, &ns, err);

	if (code == PLM_OK) {
		*out_ms = ns < 0 ? plm_div_floor(ns, NS_PER_MS) : plm_div_ceil(ns, NS_PER_MS);
	}
	return code;
}

/* Seconds with milliseconds, without zeros at the end: "1.5", "0.25". */
static int format_seconds(char *text, size_t size, int64_t ms)
{
	int64_t rest = ms % 1000;
	int digits = 3;

	if (rest == 0) {
		return snprintf(text, size, "%" PRId64, ms / 1000);
	}
	for (; rest % 10 == 0; rest /= 10) {
		digits--;
	}
	return snprintf(text, size, "%" PRId64 ".%0*d", ms / 1000, digits, (int)rest);
}

const char *plm_duration_format(int64_t ms, char text[PLM_TIME_SIZE])
{
	char seconds[24];
	const char *sign = ms < 0 ? "-" : "";
	int64_t hours = 0;
	int64_t minutes = 0;

	ms = ms == INT64_MIN ? INT64_MAX : (ms < 0 ? -ms : ms);
	if (ms > 0 && ms < 1000) {
		(void)snprintf(text, PLM_TIME_SIZE, "%s%" PRId64 "ms", sign, ms);
		return text;
	}
	hours = ms / PLM_MS_PER_HOUR;
	minutes = ms / PLM_MS_PER_MINUTE % 60;
	(void)format_seconds(seconds, sizeof(seconds), ms % PLM_MS_PER_MINUTE);
	if (hours > 0) {
		(void)snprintf(text, PLM_TIME_SIZE, "%s%" PRId64 "h%dm%ss", sign, hours,
			       (int)minutes, seconds);
	} else if (minutes > 0) {
		(void)snprintf(text, PLM_TIME_SIZE, "%s%dm%ss", sign, (int)minutes, seconds);
	} else {
		(void)snprintf(text, PLM_TIME_SIZE, "%s%ss", sign, seconds);
	}
	return text;
}
