/*
 * base.h - what every file may use: asserts, cleanup, attributes
 *
 * Owns: the bug channel. A broken invariant ends the process (PLM_ASSERT, on in every build), since
 * nothing that was not durable has happened and replay is the way back.
 * Does not: report failures of the world (error.h) or domain answers (enums of their own).
 */
#ifndef PLM_CORE_BASE_H
#define PLM_CORE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef NDEBUG
#error "asserts are part of the program: build without NDEBUG"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "state images are little-endian: this machine is not supported"
#endif

#define PLM_MUST_CHECK __attribute__((warn_unused_result))
#define PLM_NORETURN __attribute__((noreturn))
#define PLM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define PLM_CLEANUP(fn) __attribute__((cleanup(fn##_cleanup)))
#define PLM_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))
#define PLM_STATIC_ASSERT(what, why) _Static_assert(what, why)

/* Defines fn##_cleanup() for PLM_CLEANUP(fn): calls the NULL-safe destructor 'fn' on a variable of 'type'. */
#define PLM_DEFINE_CLEANUP(type, fn)                                                               \
	static inline void fn##_cleanup(type *owned)                                               \
	{                                                                                          \
		fn(*owned);                                                                        \
	}

__extension__ typedef __int128 plm_i128;

/* Print what broke and where on stderr, then abort. */
PLM_NORETURN void plm_panic(const char *file, int line, const char *what);

/* An expression, so that it adds no level of nesting where it stands. */
#define PLM_ASSERT(condition)                                                                      \
	(__builtin_expect(!(condition), 0) ? plm_panic(__FILE__, __LINE__, #condition) : (void)0)

#define PLM_UNREACHABLE() plm_panic(__FILE__, __LINE__, "unreachable")

#endif
