/*
 * error.h - the world failed: one small set of codes, one text
 *
 * Owns: the codes and the text that goes with them. A function that can meet a failure of the world
 * returns enum plm_code, takes an optional caller-owned struct plm_error last, and leaves its outputs
 * untouched on failure. Codes of LMDB, libuv, curl and errno are translated at the edge of their layer.
 * Does not: bugs (base.h) and domain answers ("waits for quota" is an enum of its own).
 */
#ifndef PLM_CORE_ERROR_H
#define PLM_CORE_ERROR_H

#include "core/base.h"

/* X(NAME, value, text, exit code of a verb that ends with it: CLI.md) */
#define PLM_CODES(X)                                                                               \
	X(OK, 0, "done", 0)                                                                        \
	X(E_USAGE, -1, "usage", 2)                                                                 \
	X(E_INPUT, -2, "input cannot be read as what it should be", 2)                             \
	X(E_NOT_FOUND, -3, "no such thing at that point", 3)                                       \
	X(E_UNREACHABLE, -4, "source unreachable", 4)                                              \
	X(E_CORRUPT, -5, "log damaged", 5)                                                         \
	X(E_DIVERGED, -6, "replay diverged", 6)                                                    \
	X(E_VERSION, -7, "version not supported", 7)                                               \
	X(E_REFUSED, -8, "refused for safety", 8)                                                  \
	X(E_INCOMPLETE, -9, "input incomplete", 9)                                                 \
	X(E_FULL, -10, "no room left", 75)                                                         \
	X(E_IO, -11, "input or output failed", 75)                                                 \
	X(E_LIMIT, -12, "a named limit was reached", 75)                                           \
	X(E_CONFIG, -13, "configuration invalid", 78)                                              \
	X(E_TIMEOUT, -14, "timed out", 124)                                                        \
	X(E_AGAIN, -15, "not now, try again", 75)

enum plm_code {
#define PLM_CODE_ENUM(name, value, text, exit) PLM_##name = (value),
	PLM_CODES(PLM_CODE_ENUM)
#undef PLM_CODE_ENUM
};

#define PLM_ERROR_TEXT_SIZE 512

struct plm_error {
	enum plm_code code;
	char text[PLM_ERROR_TEXT_SIZE]; /* one line, cut at the end when longer */
};

/*
 * Fill 'err' (may be NULL) and give 'code': "return plm_fail(err, PLM_E_IO, ...)". A macro, so that the
 * reader of the code, the analyzer among them, sees that the result is 'code' and never PLM_OK.
 */
#define plm_fail(err, code, ...) (plm_fail_text((err), (code), __VA_ARGS__), (code))
void plm_fail_text(struct plm_error *err, enum plm_code code, const char *format, ...)
	PLM_PRINTF(3, 4);

/* Put "prefix: " before the text that 'err' (may be NULL) already holds; gives 'code'. */
#define plm_fail_prefix(err, code, ...) (plm_prefix_text((err), (code), __VA_ARGS__), (code))
void plm_prefix_text(struct plm_error *err, enum plm_code code, const char *format, ...)
	PLM_PRINTF(3, 4);

const char *plm_code_text(enum plm_code code); /* static */
int plm_code_exit(enum plm_code code);

#endif
