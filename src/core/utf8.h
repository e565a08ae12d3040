/*
 * utf8.h - is this text UTF-8
 */
#ifndef PLM_CORE_UTF8_H
#define PLM_CORE_UTF8_H

#include "core/slice.h"

/*
 * Bytes at the beginning of 'text' that are well-formed UTF-8 without NUL (no overlong forms, no
 * surrogates, nothing above U+10FFFF); 'text.size' when all of it is.
 */
size_t plm_utf8_prefix(struct plm_slice text);

#endif
