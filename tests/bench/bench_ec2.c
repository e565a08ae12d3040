/*
 * bench_ec2 - what a launch costs: requests, and processor time of the EC2 end
 *
 * The parts that launch and list, before a played EC2 in the same process: forms are made, answers are parsed and told, time is
 * played. Launches come in waves as a plan makes them. What EC2 itself allows an account (limits.h) is not in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/effect.h"
#include "bench_lib.h"
#include "core/limits.h"
#include "tests/unit/adapters/ec2_bed.h"

#define MS 1000000
#define OFFERS 60

/* As many offers as a claim has: each with its own override. */
static void widen(struct bed *bed)
{
	struct plm_w_offer *offers = PLM_NEW_ARRAY(&bed->arena, OFFERS, struct plm_w_offer);

	for (unsigned i = 0; i < OFFERS; i++) {
		offers[i] = bed->offers[i % 3];
		offers[i].instance_type = plm_arena_format(&bed->arena, "m%u.large", i / 3 + 5);
	}
	bed->request.offers = (struct plm_vec){offers, OFFERS};
}

static void launches(uint64_t count, unsigned percent_lost)
{
	static struct bed bed;
	int64_t cpu_ns = 0;
	char note[128];

	bed_open(&bed);
	widen(&bed);
	played_run(10000);
	played.calls = 0;
	played.lag_ms = 2000;
	played.delay_ms = 300;
	played.weather = percent_lost > 0 ? 7 : 0;
	played.weather_percent = percent_lost;
	cpu_ns = bench_cpu_ns();
	for (uint64_t i = 1; i <= count; i++) {
		bed_launch(&bed, i, false);
		if (i % 50 == 0) {
			played_run(1000);
		}
	}
	played_run(3LL * 60 * 1000);
	cpu_ns = bench_cpu_ns() - cpu_ns;
	for (uint64_t i = 1; i <= count; i++) {
		const struct plm_w_result *result = bed_final(&bed, i);

		bench_check(result != NULL && (result->class == PLM_RESULT_DONE ||
					       result->class == PLM_RESULT_ALREADY_DONE),
			    "every launch is done");
	}
	bench_check(played.count == (int)count, "one instance per launch");
	(void)snprintf(note, sizeof(note), "%llu launches of %d offers, %u percent of calls lost",
		       (unsigned long long)count, OFFERS, percent_lost);
	bench_print(percent_lost == 0 ? "ec2 launches" : "ec2 launches lossy",
		    (int64_t)count * 1000 * MS / cpu_ns, "/s of processor time", 0, note);
	bench_print(percent_lost == 0 ? "ec2 requests" : "ec2 requests lossy",
		    (int64_t)played.calls * 1000 / (int64_t)count, "per 1000 nodes", 0,
		    "templates, launches, looks and lists until all run");
	bed_close(&bed);
}

static void ends(uint64_t count)
{
	static struct bed bed;
	char id[32];
	int calls = 0;

	bed_open(&bed);
	for (uint64_t i = 1; i <= count; i++) {
		(void)snprintf(id, sizeof(id), "i-%017llx", (unsigned long long)i);
		(void)played_add(id, "m5.large");
	}
	played_run(60000);
	calls = played.calls;
	for (uint64_t i = 1; i <= count; i++) {
		bed_terminate(&bed, i,
			      plm_arena_format(&bed.arena, "aws:///us-west-2a/i-%017llx",
					       (unsigned long long)i));
	}
	played_run(60000);
	bench_check(played_alive() == 0, "every instance ends");
	bench_print("ec2 requests of ends", (int64_t)(played.calls - calls) * 1000 / (int64_t)count,
		    "per 1000 nodes", 0, "ends, looks and lists until all are terminated");
	bed_close(&bed);
}

int main(void)
{
	uint64_t count = bench_short() ? 100 : 1000;

	launches(count, 0);
	launches(count, 5);
	ends(count);
	return 0;
}
