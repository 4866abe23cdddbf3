/*
 * The systems of the gas, in the order of a step:
 *
 *     move      each ball flies straight on                     row by row, fused with
 *     walls     and is reflected where it has left the box      WallKick
 *     grid      all balls sorted by cell                        Grid
 *     choose    each ball looks for the one that it met first   Partner, Overlap
 *     collide   where two chose each other: the impulse         Impulse, Hits
 *     apply     velocity and place after it                     row by row, fused with
 *     measure   energy and momentum                             Totals
 *     tally     what walls and collisions did so far            Ledger
 *
 * Nobody reads what another row writes in the same system: collide looks at the partner's place and velocity, which
 * only apply changes. A ball takes part in one collision a step at most, so each is that of two balls alone, which
 * keeps energy and momentum to rounding; one that met two others settles with the second one step later.
 */
#ifndef BOUNCE_SYSTEMS_H
#define BOUNCE_SYSTEMS_H

#include <shoal/shoal.h>

/* Adds all of them to a world with the uniques Box, Grid and Ledger. */
shoal_status systems_add(shoal_world *world);

#endif
