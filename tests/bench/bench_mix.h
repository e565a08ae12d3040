/*
 * bench_mix.h - the mix of pods of Karpenter's scheduling benchmark, as facts (karpenter.md 6)
 *
 * One fifth each: plain, spread over zones, spread over hosts, together in a zone, apart by host; sizes
 * and labels drawn from a seed. 400 types of i cpu, 2 i GiB and 10 i pods with five offerings each, one
 * pool with limits that nobody meets. The draw is our own: equal seeds give equal facts, and no other
 * program's stream is followed. Owns: nothing but its arena; facts go to 'fold' one by one.
 */
#ifndef PLM_BENCH_MIX_H
#define PLM_BENCH_MIX_H

#include "core/arena.h"
#include "core/event.h"

#define BENCH_MIX_TYPES 400U
#define BENCH_MIX_NOW_MS INT64_C(1767225600000)

struct bench_mix {
	void (*fold)(void *self, enum plm_event_type type, const void *payload);
	void *self;
	struct plm_arena texts; /* owned */
	uint64_t draw;		/* the state of the generator */
	enum plm_compat compat;
	enum plm_preference_policy preferences;
};

/* Open with fold, self, compat and preferences set. */
void bench_mix_open(struct bench_mix *mix, uint64_t seed);
void bench_mix_close(struct bench_mix *mix);
/* GENESIS, CONFIG, CATALOG, a namespace, a class and a pool. */
void bench_mix_cluster(struct bench_mix *mix);
/* The mix: pods named from 'from' on, all pending. */
void bench_mix_pods(struct bench_mix *mix, uint32_t from, uint32_t count);
/* Pods of one size that prefer a zone, and to be apart by zone and by host. */
void bench_mix_wishes(struct bench_mix *mix, uint32_t count);
/* Pending pods that ask for room alone. */
void bench_mix_plain(struct bench_mix *mix, uint32_t count);
/*
 * 'nodes' nodes of 16 cpu, with their claims, and as many pods on each of them: plain ones, or one that is
 * apart from its like and others as in the mix. 20 of them leave room for a pod or two more.
 */
void bench_mix_running(struct bench_mix *mix, uint32_t nodes, uint32_t pods_each, bool mixed);

#endif
