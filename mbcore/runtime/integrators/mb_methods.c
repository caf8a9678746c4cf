/* Which integration method a Co-Simulation uses. */
#include <string.h>

#include "mb_integrator.h"

static const double TIGHT = 1e-7; /* below it, a method of higher order needs less work */

#define MB_NUMBERED(name, method, tighter) {name, &method, tighter},
static const struct {
    const char *name;
    const mb_method *method; /* of an automatic choice the explicit one */
    int tighter; /* number of the method where the tolerance is tight, or 0 */
} METHOD[MB_METHODS] = {{"", NULL, 0}, MB_EACH_METHOD(MB_NUMBERED)};

static void use(mb_instance *m, int number, int tight, const mb_method *implicit)
{
    const int tighter = METHOD[number].tighter;
    const mb_method *method = METHOD[tight && tighter ? tighter : number].method;
    m->explicit_method = number == MB_METHOD_auto ? method : NULL;
    m->implicit_method = number == MB_METHOD_auto ? implicit : NULL;
    m->method = m->explicit_method && m->stiffness.implicit ? implicit : method;
}

/* A method by its name; an automatic choice is between those for tight tolerances. */
void mb_use_method(mb_instance *m, const char *name)
{
    int number = MB_METHODS - 1;
    while (number > 1 && strcmp(METHOD[number].name, name) != 0)
        number--;
    use(m, number, number == MB_METHOD_auto, &mb_method_Rodas5P);
}

/* That of solver.method. */
void mb_choose_method(mb_instance *m)
{
    const double given = mb_solver(m, MB_SOLVER_METHOD);
    const int item = given >= 1 && given <= MB_METHOD_ITEMS ? (int)given : MB_METHOD_RK45;
    use(m, item, mb_relative_tolerance(m) < TIGHT, &mb_method_rosenbrock);
}
