/*
 * text.h - a text that grows in an arena
 */
#ifndef PLM_EC2_TEXT_H
#define PLM_EC2_TEXT_H

#include "core/arena.h"

struct plm_text {
	struct plm_arena *arena; /* borrowed */
	char *bytes;
	size_t size, room;
};

void plm_text_put(struct plm_text *text, struct plm_slice bytes);
void plm_text_putf(struct plm_text *text, const char *format, ...) PLM_PRINTF(2, 3);
/* In double quotes, escaped as JSON and TOML both read it. */
void plm_text_quote(struct plm_text *text, struct plm_slice bytes);
struct plm_slice plm_text_slice(const struct plm_text *text);

#endif
