/* Which integration method a Co-Simulation uses. */
#include "mb_integrator.h"

static const double TIGHT = 1e-7; /* below it, a method of higher order needs less work */

const mb_method *mb_chosen_method(const mb_instance *m)
{
    const double method = mb_solver(m, MB_SOLVER_METHOD);
    if (method == MB_ROSENBROCK)
        return &mb_rosenbrock;
    if (method == MB_FIXED_STEP)
        return &mb_fixed_step;
    return mb_relative_tolerance(m) < TIGHT ? &mb_runge_kutta_8 : &mb_runge_kutta;
}
