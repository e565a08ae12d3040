/*
 * harness.h - what a fuzz harness defines
 *
 * The name is libFuzzer's. A harness must hold for any bytes: it returns, and nothing is leaked or read
 * out of bounds; what it decodes successfully must survive a round trip where there is an encoder.
 */
#ifndef PLM_FUZZ_HARNESS_H
#define PLM_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* Decode 'data' (borrowed); always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
