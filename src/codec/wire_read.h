/*
 * wire_read.h - reading a wire struct from the middle of a payload
 */
#ifndef PLM_CODEC_WIRE_READ_H
#define PLM_CODEC_WIRE_READ_H

#include "codec/unpack.h"
#include "core/arena.h"
#include "core/wire.h"

struct plm_wire_reader {
	struct plm_unpack in;
	struct plm_arena *arena;  /* borrowed */
	bool full;		  /* the arena has no room */
	const char *type, *field; /* static: where it went wrong, innermost */
};

/* Read one struct of 'type' into arena memory; false: 'in.why' and the place are set. */
bool plm_wire_read(struct plm_wire_reader *reader, const struct plm_wire_type *type,
		   const void **out);
/* The failure as an error: PLM_E_CORRUPT, or PLM_E_LIMIT when the arena is full. */
enum plm_code plm_wire_read_fail(const struct plm_wire_reader *reader, struct plm_slice bytes,
				 struct plm_error *err);

#endif
