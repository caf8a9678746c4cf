/* Which integration method a Co-Simulation uses. */
#include "mb_integrator.h"

static const double TIGHT = 1e-7; /* below it, a method of higher order needs less work */

#define MB_NUMBERED(name, tighter) {&name, tighter},
static const struct {
    const mb_method *method;
    int tighter; /* number of the method where the tolerance is tight, or 0 */
} METHOD[MB_METHODS] = {{NULL, 0}, MB_EACH_METHOD(MB_NUMBERED)};

const mb_method *mb_numbered_method(int number) { return METHOD[number].method; }

const mb_method *mb_chosen_method(const mb_instance *m)
{
    const double given = mb_solver(m, MB_SOLVER_METHOD);
    const int item = given >= 1 && given <= MB_METHOD_ITEMS ? (int)given : MB_METHOD_RK45;
    const int tighter = METHOD[item].tighter;
    const int tight = tighter && mb_relative_tolerance(m) < TIGHT;
    return mb_numbered_method(tight ? tighter : item);
}
