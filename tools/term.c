#include "tools/term.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_MS 1000
#define AGAIN_AFTER_MS 200

static bool coloured(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if ((no_color != NULL && no_color[0] != '\0') || isatty(fileno(out)) != 1) {
		return false;
	}
	return term == NULL || strcmp(term, "dumb") != 0;
}

const char *plm_colour_begin(FILE *out, enum plm_colour colour)
{
	if (colour == PLM_COLOUR_NONE || !coloured(out)) {
		return "";
	}
	switch (colour) {
	case PLM_COLOUR_GOOD:
		return "\033[32m";
	case PLM_COLOUR_WAIT:
		return "\033[33m";
	case PLM_COLOUR_BAD:
		return "\033[31m";
	case PLM_COLOUR_FAINT:
		return "\033[2m";
	case PLM_COLOUR_BOLD:
		return "\033[1m";
	case PLM_COLOUR_NONE:
		break;
	}
	return "";
}

const char *plm_colour_end(FILE *out, enum plm_colour colour)
{
	return colour == PLM_COLOUR_NONE || !coloured(out) ? "" : "\033[0m";
}

/* Code points; the names of Kubernetes objects are ASCII, so wide characters are not looked up. */
size_t plm_text_width(const char *text, size_t size)
{
	size_t width = 0;

	for (size_t i = 0; i < size; i++) {
		width += ((uint8_t)text[i] & 0xc0U) != 0x80U ? 1 : 0;
	}
	return width;
}

static int64_t now_ms(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void plm_progress_begin(struct plm_progress *progress, const char *what)
{
	*progress = (struct plm_progress){
		.what = what,
		.started_ms = now_ms(),
		.terminal = isatty(STDERR_FILENO) == 1,
	};
	progress->shown_ms = progress->started_ms + FIRST_AFTER_MS - AGAIN_AFTER_MS;
}

void plm_progress_tick(struct plm_progress *progress, uint64_t done, uint64_t total)
{
	int64_t now = 0;

	if (!progress->terminal) {
		return;
	}
	now = now_ms();
	if (now - progress->shown_ms < AGAIN_AFTER_MS) {
		return;
	}
	progress->shown_ms = now;
	progress->shown = true;
	if (total > 0) {
		(void)fprintf(stderr, "\r%s %" PRIu64 " of %" PRIu64 " (%" PRIu64 " %%)\033[K",
			      progress->what, done, total, done * 100 / total);
	} else {
		(void)fprintf(stderr, "\r%s %" PRIu64 "\033[K", progress->what, done);
	}
	(void)fflush(stderr);
}

void plm_progress_end(struct plm_progress *progress)
{
	if (progress->shown) {
		(void)fputs("\r\033[K", stderr);
		progress->shown = false;
	}
}
