/*
 * pack.h - canonical msgpack into a buffer of exactly the right size
 *
 * Owns: the size of every token and its writing through msgpack-c, whose packer always takes the
 * shortest form. Sizes are computed first, so that one allocation holds the whole value and a packer
 * that disagrees with them is caught at once.
 */
#ifndef PLM_CODEC_PACK_H
#define PLM_CODEC_PACK_H

#include <msgpack/pack.h>

#include "core/arena.h"
#include "core/wire.h"

struct plm_pack {
	msgpack_packer packer;
	uint8_t *at; /* borrowed; bytes up to 'end' are free */
	uint8_t *end;
};

/* Take 'size' bytes of 'arena' to be filled; 'pack' must not move. */
void plm_pack_begin(struct plm_pack *pack, size_t size, struct plm_arena *arena);
/* All 'size' bytes, which must be filled by now. */
struct plm_slice plm_pack_end(const struct plm_pack *pack, size_t size);

size_t plm_pack_uint_size(uint64_t value);
size_t plm_pack_int_size(int64_t value); /* PLM_UNSET is nil */
size_t plm_pack_text_size(size_t size);
size_t plm_pack_bytes_size(size_t size);
size_t plm_pack_array_size(size_t count);

void plm_pack_uint(struct plm_pack *pack, uint64_t value);
void plm_pack_int(struct plm_pack *pack, int64_t value);
void plm_pack_nil(struct plm_pack *pack);
void plm_pack_text(struct plm_pack *pack, struct plm_slice text);
void plm_pack_bytes(struct plm_pack *pack, struct plm_slice bytes);
void plm_pack_array(struct plm_pack *pack, size_t count);

/* A whole wire struct. */
size_t plm_pack_wire_size(const struct plm_wire_type *type, const void *value);
void plm_pack_wire(struct plm_pack *pack, const struct plm_wire_type *type, const void *value);

#endif
