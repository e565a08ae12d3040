/*
 * term.h - what a terminal may see that a pipe may not: colour, widths, progress
 *
 * Owns: the decision whether there is a terminal, NO_COLOR, and the one line of progress on stderr.
 * Colour goes only to a terminal and never with NO_COLOR set; progress appears after one second, only
 * when stderr is a terminal.
 */
#ifndef PLM_TOOLS_TERM_H
#define PLM_TOOLS_TERM_H

#include <stdio.h>

#include "core/base.h"

enum plm_colour {
	PLM_COLOUR_NONE,
	PLM_COLOUR_GOOD,  /* green */
	PLM_COLOUR_WAIT,  /* yellow */
	PLM_COLOUR_BAD,	  /* red */
	PLM_COLOUR_FAINT, /* dim */
	PLM_COLOUR_BOLD,
};

/* The sequence that begins 'colour', "" when 'out' must not be coloured; plm_colour_end() ends it. */
const char *plm_colour_begin(FILE *out, enum plm_colour colour);
const char *plm_colour_end(FILE *out, enum plm_colour colour);

/* Columns that UTF-8 'text' of 'size' bytes takes. */
size_t plm_text_width(const char *text, size_t size);

/* Progress of one piece of work. Zeroed = nothing shown yet. */
struct plm_progress {
	const char *what; /* static: "reading", "replaying" */
	int64_t started_ms;
	int64_t shown_ms;
	bool terminal, shown;
};

void plm_progress_begin(struct plm_progress *progress, const char *what);
/* 'done' of 'total' (0 = unknown); cheap enough for every event. */
void plm_progress_tick(struct plm_progress *progress, uint64_t done, uint64_t total);
/* Wipe the line. */
void plm_progress_end(struct plm_progress *progress);

#endif
