#include "adapters/ec2/text.h"

#include <stdarg.h>
#include <stdio.h>

static void reserve(struct plm_text *text, size_t more)
{
	size_t room = (text->size + more) * 2 + 256;
	char *grown = NULL;

	if (text->size + more <= text->room) {
		return;
	}
	grown = PLM_NEW_ARRAY(text->arena, room, char);
	if (text->size > 0) {
		memcpy(grown, text->bytes, text->size);
	}
	text->bytes = grown;
	text->room = room;
}

void plm_text_put(struct plm_text *text, struct plm_slice bytes)
{
	reserve(text, bytes.size);
	if (bytes.size > 0) {
		memcpy(text->bytes + text->size, bytes.ptr, bytes.size);
	}
	text->size += bytes.size;
}

void plm_text_putf(struct plm_text *text, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	reserve(text, (size_t)size + 1);
	va_start(args, format);
	(void)vsnprintf(text->bytes + text->size, (size_t)size + 1, format, args);
	va_end(args);
	text->size += (size_t)size;
}

void plm_text_quote(struct plm_text *text, struct plm_slice bytes)
{
	const uint8_t *at = bytes.ptr;

	plm_text_putf(text, "\"");
	for (size_t i = 0; i < bytes.size; i++) {
		if (at[i] == '"' || at[i] == '\\') {
			plm_text_putf(text, "\\%c", at[i]);
		} else if (at[i] == '\n') {
			plm_text_putf(text, "\\n");
		} else if (at[i] < 0x20 || at[i] == 0x7f) {
			plm_text_putf(text, "\\u%04x", at[i]);
		} else {
			plm_text_put(text, plm_slice_of(&at[i], 1));
		}
	}
	plm_text_putf(text, "\"");
}

struct plm_slice plm_text_slice(const struct plm_text *text)
{
	return plm_slice_of(text->bytes, text->size);
}
