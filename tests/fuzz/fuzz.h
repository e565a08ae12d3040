/*
 * fuzz.h - what a fuzz harness is
 *
 * One file fuzz_<name>.c with this function, libFuzzer's: with -Dfuzz=true it becomes a fuzzer (clang);
 * in every build it replays tests/fuzz/corpus/<name> and truncations of each file as an ordinary test.
 */
#ifndef PLM_FUZZ_H
#define PLM_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Any bytes: must return 0 and never crash, leak or run for long. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
