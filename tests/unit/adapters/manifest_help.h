/*
 * manifest_help.h - read a text and look at what became of it
 */
#ifndef PLM_TEST_MANIFEST_HELP_H
#define PLM_TEST_MANIFEST_HELP_H

#include "plm_test.h"

#include "adapters/manifest/manifest.h"

/* What a reader said: facts as JSON, one a line, and warnings, one a line. Zero-terminated. */
struct plm_heard {
	char facts[65536];
	char warnings[8192];
	char places[4096];	/* "FILE:LINE " of each fact */
	struct plm_sha256 hash; /* of the last fact's object */
	struct plm_manifest *reader;
	int settings; /* documents */
	struct plm_w_config config;
};

/* A reader that fills '*heard'. Close it with plm_heard_close(). */
void plm_heard_open(struct plm_heard *heard, bool updates);
void plm_heard_close(struct plm_heard *heard);

/* Read 'text' as file 'name' with a new reader; the text of the failure, or "" (static). */
const char *plm_heard_read(struct plm_heard *heard, const char *name, const char *text);
/* As plm_heard_read() with the reader of 'heard', which goes on. */
const char *plm_heard_more(struct plm_heard *heard, const char *name, const char *text);

/* A text, and parts of what must be said of it: of the JSON of its facts, or of the failure. */
struct plm_said_case {
	const char *why;
	const char *text;
	const char *parts[6]; /* of the facts; NULL ends them */
	const char *failure;  /* part of it; NULL = none */
	const char *absent;   /* must not be in the facts; may be NULL */
};
void plm_said_row(const struct plm_said_case *row);

#endif
