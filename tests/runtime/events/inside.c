/* What a search inside a step finds first, and what it leaves. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdio.h>

/* Two measures that touch zero within a step of one second, the second one first; the state rests. */
FUNCTION(touching)
{
    const double t = arg[T][0];
    res[0][0] = 1e-12 + (t - 0.8) * (t - 0.8);
    res[0][1] = 1e-12 + (t - 0.6) * (t - 0.6);
}

FUNCTION(found_at_once)
{
    res[0][0] = 1;
    if (res[1])
        res[1][0] = 0;
}

FUNCTION(first_guess)
{
    res[0][0] = 1;
    res[1][0] = 1;
}

FUNCTION(oscillates) { res[0][0] = cos(arg[T][0]); }

CHECK(of_two_singular_places_in_a_step_the_first_is_named)
{
    mb_model *model = make_model((mb_model){.ns = 1, .nx = 1, .nc = 1, .nr = 2,
                                            .newton.call = found_at_once, .start.call = first_guess,
                                            .derivative.call = oscillates,
                                            .conditioning.call = touching});
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-2);
    int event;
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "it passes both");
    says(m, "part1");
    double t = 0;
    expect(sscanf(strstr(m->message, "t = "), "t = %lf", &t) == 1, "%s", m->message);
    near(t, 0.6, 1e-5, "where it is singular");
    mb_free(m);
}

/* An indicator that comes near to zero in the middle of a step, where it is sought; the output is the
 * input. */
FUNCTION(drives) { res[0][0] = arg[U][0]; }
FUNCTION(comes_near) { res[0][0] = -1e-3 - (arg[T][0] - 0.5) * (arg[T][0] - 0.5); }
FUNCTION(shows_input) { res[0][0] = arg[U][0]; }

CHECK(inputs_after_a_search_are_those_at_the_end_of_the_step)
{
    mb_model *model = make_model((mb_model){.ns = 1, .nu = 1, .ny = 1, .nd = 1, .ne = 1,
                                            .derivative.call = drives, .output.call = shows_input,
                                            .indicator.call = comes_near});
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    const fmi2ValueReference u = reference(model, MB_INPUT, 0), y = reference(model, MB_OUTPUT, 0);
    const double begin = 1, slope = 2;
    const fmi2Integer first = 1;
    double value;
    expect(!fmi2SetReal(m, &u, 1, &begin), "%s", m->message);
    expect(!fmi2SetRealInputDerivatives(m, &u, 1, &first, &slope), "%s", m->message);
    expect(!fmi2DoStep(m, 0, 1, fmi2True), "%s", m->message);
    expect(!fmi2GetReal(m, &y, 1, &value), "%s", m->message);
    near(value, begin + slope, 1e-15, "output");
    near(m->now.s[0], begin + slope / 2, 1e-12, "state");
    near(m->now.d[0], 0, 0, "mode");
    mb_free(m);
}
