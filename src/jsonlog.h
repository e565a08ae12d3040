/*
 * jsonlog.h - the daemon's own words: one JSON object a line
 *
 * Owns: the line and its keys, which are Karpenter's (level, time, logger, message, commit; then what
 * the line is about: namespace, name, NodeClaim, Node, ...), so that existing log queries go on working.
 * Does not: explain decisions; the event log does.
 * Any thread may call it; a line is one write. A reader that went away is no failure.
 */
#ifndef PLM_JSONLOG_H
#define PLM_JSONLOG_H

#include "core/error.h"
#include "core/slice.h"

enum plm_log_level {
	PLM_LOG_DEBUG,
	PLM_LOG_INFO,
	PLM_LOG_WARN,
	PLM_LOG_ERROR,
};

struct plm_log_field {
	const char *key; /* NULL ends the list */
	struct plm_slice text;
	int64_t number; /* when 'text.ptr' is NULL */
};

#define PLM_LOG_TEXT(name, value) {.key = (name), .text = (value)}
#define PLM_LOG_STR(name, value) {.key = (name), .text = plm_slice_str(value)}
#define PLM_LOG_INT(name, value) {.key = (name), .number = (int64_t)(value)}
#define PLM_LOG_END {.key = NULL}

/* Lines below 'level' are not written. Where they go: 'fd', 1 at first. Before any thread starts. */
void plm_jsonlog_setup(enum plm_log_level level, int fd);
bool plm_jsonlog_on(enum plm_log_level level);

/* 'fields' (may be NULL) ends with PLM_LOG_END. What makes a line too long is cut. */
void plm_jsonlog(enum plm_log_level level, const char *logger, const char *message,
		 const struct plm_log_field *fields);

#endif
