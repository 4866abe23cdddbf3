/*
 * golden [workers [fused]]: prints the hash of the golden world after a run with so many workers (0: alone), fused
 * unless the second number is 0. Exits with 77 where the library was built without what hashes need.
 * scripts/check_golden builds it with other compilers and optimisations and compares.
 */
#include "golden_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    uint32_t workers = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    bool fused = argc <= 2 || strtoul(argv[2], NULL, 10) != 0;
    golden_result result =
        golden_run(&(shoal_schedule_def){.worker_count = workers, .alone = workers == 0, .no_fusion = !fused});
    if (result.status == SHOAL_UNSUPPORTED) {
        return 77;
    }
    if (result.status != SHOAL_OK) {
        fprintf(stderr, "%s\n", result.message);
        return 1;
    }
    printf("%016" PRIx64 "\n", result.canonical);
    return 0;
}
