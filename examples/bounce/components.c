/*
 * The definitions of the component types. Each has its fields, so that a hash of the world goes by numbers and not by
 * bytes, and so that reductions know what to add. Grid, which owns memory, is defined in grid.c.
 */
#include "components.h"

SHOAL_COMPONENT_DEFINE(Position, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Position, x), SHOAL_FIELD(Position, y)))
SHOAL_COMPONENT_DEFINE(Velocity, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Velocity, x), SHOAL_FIELD(Velocity, y)))
SHOAL_COMPONENT_DEFINE(Disc, .version = 1, .storage = SHOAL_STORAGE_SHARED,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Disc, radius), SHOAL_FIELD(Disc, mass)))
SHOAL_COMPONENT_DEFINE(Partner, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Partner, ball), SHOAL_FIELD(Partner, since)))
SHOAL_COMPONENT_DEFINE(Impulse, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Impulse, x), SHOAL_FIELD(Impulse, y),
                                              SHOAL_FIELD(Impulse, since)))

SHOAL_COMPONENT_DEFINE(Box, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Box, width), SHOAL_FIELD(Box, height)))
SHOAL_COMPONENT_DEFINE(Totals, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Totals, energy), SHOAL_FIELD(Totals, momentum_x),
                                              SHOAL_FIELD(Totals, momentum_y)))
SHOAL_COMPONENT_DEFINE(WallKick, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(WallKick, x), SHOAL_FIELD(WallKick, y),
                                              SHOAL_FIELD(WallKick, hits)))
SHOAL_COMPONENT_DEFINE(Hits, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Hits, balls)))
SHOAL_COMPONENT_DEFINE(Overlap, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Overlap, deepest)))
SHOAL_COMPONENT_DEFINE(Ledger, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Ledger, wall_x), SHOAL_FIELD(Ledger, wall_y),
                                              SHOAL_FIELD(Ledger, deepest), SHOAL_FIELD(Ledger, wall_hits),
                                              SHOAL_FIELD(Ledger, collisions)))
