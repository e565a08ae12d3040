#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

void plm_fail_text(struct plm_error *err, enum plm_code code, const char *format, ...)
{
	PLM_ASSERT(code != PLM_OK);
	if (err != NULL) {
		va_list args;

		err->code = code;
		va_start(args, format);
		(void)vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
}

void plm_prefix_text(struct plm_error *err, enum plm_code code, const char *format, ...)
{
	PLM_ASSERT(code != PLM_OK);
	if (err != NULL) {
		char old[PLM_ERROR_TEXT_SIZE];
		va_list args;
		size_t used = 0;

		memcpy(old, err->text, sizeof(old));
		va_start(args, format);
		(void)vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		used = strlen(err->text);
		(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
		err->code = code;
	}
}

const char *plm_code_text(enum plm_code code)
{
	switch (code) {
#define PLM_CODE_TEXT(name, value, text, exit)                                                     \
	case PLM_##name:                                                                           \
		return text;
		PLM_CODES(PLM_CODE_TEXT)
#undef PLM_CODE_TEXT
	}
	PLM_UNREACHABLE();
}

int plm_code_exit(enum plm_code code)
{
	switch (code) {
#define PLM_CODE_EXIT(name, value, text, exit)                                                     \
	case PLM_##name:                                                                           \
		return exit;
		PLM_CODES(PLM_CODE_EXIT)
#undef PLM_CODE_EXIT
	}
	PLM_UNREACHABLE();
}
