/*
 * window.h - the bytes of one file through a window of bounded size
 *
 * Owns: the descriptor and the window. Positions are counted from the beginning of the file, so that
 * they stay valid while the window moves. Does not: know what the bytes mean.
 */
#ifndef PLM_ADAPTERS_MANIFEST_WINDOW_H
#define PLM_ADAPTERS_MANIFEST_WINDOW_H

#include "core/error.h"
#include "core/slice.h"

struct plm_window {
	const char *name;      /* borrowed; for errors */
	int fd;		       /* owned; -1 for a text in memory */
	const uint8_t *window; /* 'owned', or a borrowed text */
	uint8_t *owned;	       /* NULL for a text in memory */
	size_t capacity;
	size_t size;	/* valid bytes in the window */
	uint64_t base;	/* position of the first of them */
	uint64_t begin; /* position behind a byte order mark */
	bool last;	/* nothing follows them */
};

/* 'path' "-" is standard input. PLM_E_NOT_FOUND, PLM_E_IO; 'source' is then closed. */
enum plm_code plm_window_open(struct plm_window *source, const char *path,
			      struct plm_error *err) PLM_MUST_CHECK;
/* 'text' is borrowed until plm_window_close(). */
void plm_window_open_text(struct plm_window *source, const char *name, struct plm_slice text);
void plm_window_close(struct plm_window *source); /* idempotent */

/*
 * Get more bytes, giving up those before position 'keep'. At the end of the file 'last' is set.
 * PLM_E_LIMIT: what must be kept is longer than PLM_LIMIT_ITEM_BYTES. PLM_E_IO.
 */
enum plm_code plm_window_more(struct plm_window *source, uint64_t keep,
			      struct plm_error *err) PLM_MUST_CHECK;

/* The bytes from 'from' to 'to', which lie in the window; borrowed until the next plm_window_more(). */
static inline struct plm_slice plm_window_bytes(const struct plm_window *source, uint64_t from,
						uint64_t to)
{
	PLM_ASSERT(source->base <= from && from <= to && to <= source->base + source->size);
	return plm_slice_of(source->window + (from - source->base), (size_t)(to - from));
}
/* From 'from' to the end of the window. */
static inline struct plm_slice plm_window_rest(const struct plm_window *source, uint64_t from)
{
	return plm_window_bytes(source, from, source->base + source->size);
}

#endif
