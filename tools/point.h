/*
 * point.h - points of a log as people write them
 *
 * Owns: the grammar (a number; HEAD, HEAD~20; START; an RFC 3339 instant; -90m before the end of the
 * log; mark:NAME) and ranges A..B. Does not: look anything up (input.h does).
 */
#ifndef PLM_TOOLS_POINT_H
#define PLM_TOOLS_POINT_H

#include "core/error.h"
#include "core/slice.h"

enum plm_point_kind {
	PLM_POINT_SEQ,	    /* 'number' is the event */
	PLM_POINT_HEAD,	    /* 'number' events before the last */
	PLM_POINT_START,    /* before the first */
	PLM_POINT_TIME,	    /* 'time_ms' */
	PLM_POINT_FROM_END, /* 'time_ms' before the last event's time */
	PLM_POINT_MARK,	    /* 'mark' */
};

struct plm_point {
	enum plm_point_kind kind;
	uint64_t number;
	int64_t time_ms;
	struct plm_slice mark; /* borrowed from the text */
};

/* PLM_E_USAGE: 'err' says what a point looks like; '*out' is untouched. */
enum plm_code plm_point_parse(struct plm_slice text, struct plm_point *out,
			      struct plm_error *err) PLM_MUST_CHECK;
/*
 * "A..B"; a missing side is START or HEAD. '*out_range' is false when 'text' is one point, which is then
 * in '*out_to'.
 */
enum plm_code plm_range_parse(struct plm_slice text, struct plm_point *out_from,
			      struct plm_point *out_to, bool *out_range,
			      struct plm_error *err) PLM_MUST_CHECK;

#endif
