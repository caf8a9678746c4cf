/* How much energy an importer's solver has gained in a flight, in Model Exchange.
 *
 * v dv = a dq in each coordinate, whatever the forces are. Along a path of the solver, from the speed v0 to
 * v1, what is left of that is an error:
 *
 *     E = (v1^2 - v0^2)/2 - integral of a dq,
 *
 * an energy for each unit of the coordinate's inertia. The integral is that of trapezoids between the points
 * whose rates the importer has read: exact for constant forces and for linear springs.
 *
 * A place that is wrong by d, with the right speed, is E = -a d. So E is as much as a place that is wrong by
 * -E/a, and an impact gives back no more of the errors of places than that.
 */
#include <math.h>
#include <string.h>

#include "mb_evaluation.h"

static const double OF_ENERGY = 1e-15; /* rounding, in parts of what is added up */
static const double FARTHEST = 0.1;    /* in sizes of a place: solvers' errors are smaller */

static double place_on_path(const mb_instance *m, int dof) { return m->now.s[MB_MODEL->nf + dof]; }

static void end_path_here(mb_instance *m, int dof)
{
    m->path_place[dof] = place_on_path(m, dof);
    m->path_speed[dof] = m->now.s[dof];
    m->path_rate[dof] = m->rate[dof];
}

/* The path goes to the present point, whose rates are known. What importers move themselves is no gain. */
void mb_follow_path(mb_instance *m)
{
    const int moved = m->displaced && m->now.t == m->accepted.t;
    for (int i = 0; m->path_watched && i < MB_MODEL->nm; i++) {
        const double v0 = m->path_speed[i], v1 = m->now.s[i];
        const double work = (m->path_rate[i] + m->rate[i]) / 2 * (place_on_path(m, i) - m->path_place[i]);
        if (!moved)
            m->gained[i] += (v1 - v0) * (v1 + v0) / 2 - work;
        end_path_here(m, i);
    }
}

/* The solver goes on from the present point, whose rates are known; after a jump its path begins here. */
void mb_begin_path(mb_instance *m)
{
    mb_follow_path(m);
    for (int i = 0; !m->path_watched && i < MB_MODEL->nm; i++) {
        m->gained[i] = 0;
        end_path_here(m, i);
    }
    m->path_watched = 1;
}

/* The errors of places that are as much as what has been gained, which begins anew; returns whether any is. */
int mb_take_gain(mb_instance *m, double *place_error)
{
    int any = 0;
    for (int i = 0; i < MB_MODEL->nm; i++) {
        const double a = m->path_rate[i], v = m->path_speed[i], q = m->path_place[i], by = m->gained[i];
        const double most = FARTHEST * (fabs(q) + m->nominal[MB_MODEL->nf + i]);
        const int counts = m->path_watched && a != 0 && fabs(by) > OF_ENERGY * (v * v + fabs(a * q));
        place_error[i] = counts ? fmin(fmax(-by / a, -most), most) : 0;
        any |= counts;
        m->gained[i] = 0;
    }
    return any;
}
