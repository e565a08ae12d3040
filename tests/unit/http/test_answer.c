/* Retry-After and request ids, line by line. */
#include "adapters/http/inner.h"
#include "core/event.h"
#include "core/limits.h"
#include "plm_test.h"

static const struct retry_case {
	const char *why;
	const char *line; /* the header */
	const char *date; /* a Date header; NULL = none */
	int64_t want_ms;
} retry_table[] = {
	{"now", "Retry-After: 0", NULL, 0},
	{"a second", "Retry-After: 1", NULL, 1000},
	{"spaces", "retry-after:\t120 \r\n", NULL, 120000},
	{"an hour", "RETRY-AFTER: 3600", NULL, 3600000},
	{"more than an hour", "Retry-After: 3601", NULL, 3600000},
	{"more than a number", "Retry-After: 99999999999999999999999", NULL, 3600000},
	{"a date", "Retry-After: Fri, 21 Oct 2033 07:28:00 GMT",
	 "Date: Fri, 21 Oct 2033 07:27:30 GMT", 30000},
	{"a date that has passed", "Retry-After: Fri, 21 Oct 2033 07:28:00 GMT",
	 "Date: Fri, 21 Oct 2033 07:29:00 GMT", 0},
	{"an RFC 850 date", "Retry-After: Friday, 21-Oct-33 07:28:00 GMT",
	 "Date: Fri, 21 Oct 2033 07:27:59 GMT", 1000},
	{"an asctime date", "Retry-After: Fri Oct 21 07:28:00 2033",
	 "Date: Fri, 21 Oct 2033 07:27:59 GMT", 1000},
	{"a date by the own clock", "Retry-After: Sat, 01 Jan 2000 00:00:10 GMT", NULL,
	 10000}, /* the clock says 00:00:00 */
	{"a date beside nonsense", "Retry-After: Sat, 01 Jan 2000 00:00:10 GMT", "Date: nonsense",
	 10000},
	{"negative", "Retry-After: -1", NULL, PLM_UNSET},
	{"a fraction", "Retry-After: 1.5", NULL, PLM_UNSET},
	{"a word", "Retry-After: soon", NULL, PLM_UNSET},
	{"empty", "Retry-After:", NULL, PLM_UNSET},
	{"another header", "X-Retry-After: 1", NULL, PLM_UNSET},
	{"a longer header", "Retry-Afterwards: 1", NULL, PLM_UNSET},
};

#define YEAR_2000_S 946684800

static void retry_row(const struct retry_case *row)
{
	struct plm_http_answer answer = {0};

	plm_http_answer_line(&answer, plm_slice_str("HTTP/1.1 429 Too Many Requests\r\n"));
	plm_http_answer_line(&answer, plm_slice_str(row->line));
	plm_http_answer_line(&answer, plm_slice_str(row->date));
	assert_true(plm_http_answer_retry_ms(&answer, YEAR_2000_S) == row->want_ms);
}
PLM_TEST_ROWS(retry_row, struct retry_case)

static const struct id_case {
	const char *why;
	const char *first, *second;
	const char *want;
} id_table[] = {
	{"audit id", "Audit-Id: one", "", "one"},
	{"audit id first", "audit-id: one", "X-Request-Id: two", "one"},
	{"audit id last", "X-Request-Id: two", "Audit-Id: one", "one"},
	{"request id alone", "X-Request-Id: two", "Content-Length: 1", "two"},
	{"of AWS", "x-amzn-requestid: three", "x-request-id: two", "three"},
	{"cut at a control character",
	 "Audit-Id: a\x01"
	 "b",
	 "", "a"},
	{"cut at its room",
	 "Audit-Id: 0123456789012345678901234567890123456789012345678901234567890123456789", "",
	 "012345678901234567890123456789012345678901234567890123456789012"},
	{"of an interim answer", "Audit-Id: one", "HTTP/1.1 200 OK", ""},
};

static void id_row(const struct id_case *row)
{
	struct plm_http_answer answer = {0};

	plm_http_answer_line(&answer, plm_slice_str(row->first));
	plm_http_answer_line(&answer, plm_slice_str(row->second));
	assert_string_equal(answer.request_id, row->want);
}
PLM_TEST_ROWS(id_row, struct id_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, retry_row, retry_table);
	PLM_TEST_TABLE(&tests, id_row, id_table);
	return plm_tests_run(&tests, "http answer");
}
