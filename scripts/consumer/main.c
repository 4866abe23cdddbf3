/*
 * A program outside of the project, built against an installed Shoal: one component, one entity, one read, and a pool,
 * which needs what the library itself links with. It returns 0 when the value comes back, the pool has come and gone
 * and the header's version is the library's.
 */
#include <shoal/shoal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    float x, y, z;
} Position;
SHOAL_COMPONENT(Position)

int main(void) {
    shoal_world *world = shoal_world_create(NULL);
    if (world == NULL) {
        fprintf(stderr, "%s\n", shoal_last_error(NULL).message);
        return 1;
    }
    shoal_entity entity = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3)));
    const Position *position = SHOAL_GET(world, entity, Position);
    int failed = position == NULL || position->y != 2.0f || strcmp(shoal_version(), SHOAL_VERSION) != 0;
    shoal_pool *pool = shoal_pool_create(NULL);
    failed |= shoal_pool_worker_count(pool) != shoal_core_count() || shoal_pool_destroy(pool) != SHOAL_OK;
    printf("shoal %s: %s\n", shoal_version(), failed ? "failed" : "ok");
    return shoal_world_destroy(world) != SHOAL_OK || failed;
}
