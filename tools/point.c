#include "tools/point.h"

#include "core/timefmt.h"
#include "core/units.h"

static bool all_digits(struct plm_slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9') {
			return false;
		}
	}
	return text.size > 0;
}

/* Saturates: beyond int64 nothing is in a log either. */
static uint64_t number_of(struct plm_slice digits)
{
	int64_t value = 0;

	for (size_t i = 0; i < digits.size; i++) {
		value = plm_add_sat(plm_mul_sat(value, 10), digits.ptr[i] - '0');
	}
	return (uint64_t)value;
}

static bool begins(struct plm_slice text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size && memcmp(text.ptr, prefix, size) == 0;
}

static struct plm_slice behind(struct plm_slice text, size_t skip)
{
	return plm_slice_of(text.ptr + skip, text.size - skip);
}

static enum plm_code no_point(struct plm_slice text, struct plm_error *err)
{
	return plm_fail(err, PLM_E_USAGE,
			"'%.*s' is no point: a number, HEAD, HEAD~20, START, a time such as "
			"2026-01-01T10:00:00Z, -90m, or mark:NAME",
			(int)text.size, (const char *)text.ptr);
}

static enum plm_code parse_head(struct plm_slice text, struct plm_point *out, struct plm_error *err)
{
	struct plm_slice rest = behind(text, strlen("HEAD"));

	if (rest.size == 0) {
		*out = (struct plm_point){.kind = PLM_POINT_HEAD};
		return PLM_OK;
	}
	if (rest.ptr[0] != '~' || !all_digits(behind(rest, 1))) {
		return no_point(text, err);
	}
	*out = (struct plm_point){.kind = PLM_POINT_HEAD, .number = number_of(behind(rest, 1))};
	return PLM_OK;
}

enum plm_code plm_point_parse(struct plm_slice text, struct plm_point *out, struct plm_error *err)
{
	int64_t ms = 0;

	if (all_digits(text)) {
		*out = (struct plm_point){.kind = PLM_POINT_SEQ, .number = number_of(text)};
		return PLM_OK;
	}
	if (begins(text, "HEAD")) {
		return parse_head(text, out, err);
	}
	if (plm_slice_is(text, "START")) {
		*out = (struct plm_point){.kind = PLM_POINT_START};
		return PLM_OK;
	}
	if (begins(text, "mark:") && text.size > strlen("mark:")) {
		*out = (struct plm_point){.kind = PLM_POINT_MARK,
					  .mark = behind(text, strlen("mark:"))};
		return PLM_OK;
	}
	if (begins(text, "-") && plm_duration_parse_ms(behind(text, 1), &ms, NULL) == PLM_OK &&
	    ms >= 0) {
		*out = (struct plm_point){.kind = PLM_POINT_FROM_END, .time_ms = ms};
		return PLM_OK;
	}
	if (plm_time_parse(text, &ms, NULL) == PLM_OK) {
		*out = (struct plm_point){.kind = PLM_POINT_TIME, .time_ms = ms};
		return PLM_OK;
	}
	return no_point(text, err);
}

/* Where ".." begins, or text.size. */
static size_t find_dots(struct plm_slice text)
{
	for (size_t i = 0; i + 1 < text.size; i++) {
		if (text.ptr[i] == '.' && text.ptr[i + 1] == '.') {
			return i;
		}
	}
	return text.size;
}

enum plm_code plm_range_parse(struct plm_slice text, struct plm_point *out_from,
			      struct plm_point *out_to, bool *out_range, struct plm_error *err)
{
	struct plm_point from = {.kind = PLM_POINT_START};
	struct plm_point to = {.kind = PLM_POINT_HEAD};
	size_t dots = find_dots(text);
	enum plm_code code = PLM_OK;

	if (dots == text.size) {
		code = plm_point_parse(text, &to, err);
	} else {
		struct plm_slice left = plm_slice_of(text.ptr, dots);
		struct plm_slice right = behind(text, dots + 2);

		if (left.size > 0) {
			code = plm_point_parse(left, &from, err);
		}
		if (code == PLM_OK && right.size > 0) {
			code = plm_point_parse(right, &to, err);
		}
	}
	if (code == PLM_OK) {
		*out_from = from;
		*out_to = to;
		*out_range = dots != text.size;
	}
	return code;
}
