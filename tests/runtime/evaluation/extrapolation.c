/* Newton's iteration begins where the steps before lead one to expect a stage, and ends at the same
 * configuration. */
#include "model.h"

static const double E = 0.3; /* eccentricity */
static int newton_steps;

/* Kepler's equation, x - E sin x = s1. */
FUNCTION(kepler)
{
    const double x = arg[X][0], violated = x - E * sin(x) - arg[S][1];
    newton_steps++;
    res[0][0] = x - violated / (1 - E * cos(x));
    res[1][0] = violated;
}

FUNCTION(kepler_conditioning) { res[0][0] = 1 - E * cos(arg[X][0]); }

FUNCTION(kepler_start)
{
    res[0][0] = 0;
    res[1][0] = 1;
}

FUNCTION(attraction)
{
    res[0][0] = -sin(arg[X][0]) + arg[U][0];
    res[0][1] = arg[S][0];
}

static mb_instance *orbit(void)
{
    mb_model *model = make_model((mb_model){.nx = 1, .nc = 1, .ns = 2, .nr = 1, .nu = 1,
                                            .newton.call = kepler, .start.call = kepler_start,
                                            .conditioning.call = kepler_conditioning,
                                            .derivative.call = attraction});
    variable(model, MB_STATE, 0)->start = 1;
    solver(model, MB_SOLVER_STEP)->start = 1e-3;
    return start(model, MB_METHOD_classical, 1e-6);
}

static void step(mb_instance *m, int k)
{
    int event;
    m->now.u[0] = 0.1 * sin(0.01 * k); /* as an importer sets it */
    m->fresh = 0;
    expect(!mb_do_step(m, k * 1e-3, 1e-3, &event), "%s", m->message);
}

CHECK(five_configurations_take_few_newton_steps)
{
    mb_instance *m = orbit();
    for (int k = 0; k < 10; k++)
        step(m, k);
    newton_steps = 0;
    for (int k = 10; k < 1010; k++)
        step(m, k);
    expect(newton_steps <= 5100, "%d Newton steps for 5000 configurations", newton_steps);
    near(m->now.x[0] - E * sin(m->now.x[0]), m->now.s[1], 1e-15, "the equation");
    mb_free(m);
}

CHECK(configurations_do_not_depend_on_where_newton_begins)
{
    mb_instance *m = orbit(), *forgetful = orbit();
    for (int k = 0; k < 3000; k++) {
        step(m, k);
        mb_forget_steps(forgetful);
        step(forgetful, k);
        same_bytes(m->now.x, forgetful->now.x, 1, "x");
        same_bytes(m->now.s, forgetful->now.s, 2, "s");
    }
    mb_free(m);
    mb_free(forgetful);
}

/* A jump of a state, a step of another length. */
CHECK(what_was_extrapolated_may_be_wrong)
{
    mb_instance *m = orbit();
    int event;
    for (int k = 0; k < 10; k++)
        step(m, k);
    m->now.s[1] += 2;
    m->fresh = 0;
    expect(!mb_do_step(m, 0.01, 1e-3, &event), "%s", m->message);
    near(m->now.x[0] - E * sin(m->now.x[0]), m->now.s[1], 1e-15, "after a jump");
    expect(!mb_do_step(m, 0.011, 4e-4, &event), "%s", m->message);
    near(m->now.x[0] - E * sin(m->now.x[0]), m->now.s[1], 1e-15, "after a short step");
    mb_free(m);
}

CHECK(a_refused_step_leaves_what_is_remembered)
{
    mb_instance *m = orbit(), *other = orbit();
    int event;
    for (int k = 0; k < 10; k++) {
        step(m, k);
        step(other, k);
    }
    m->now.u[0] = NAN;
    m->fresh = 0;
    expect(mb_do_step(m, 0.01, 1e-3, &event) == MB_DISCARD, "a rate that is no number");
    same_bytes(m->remembered, other->remembered, MB_DIFFERENCES * MB_REMEMBERED, "differences");
    expect(m->steps_remembered == MB_DIFFERENCES, "%d steps", m->steps_remembered);
    step(m, 10);
    step(other, 10);
    same_bytes(m->now.s, other->now.s, 2, "s");
    mb_free(m);
    mb_free(other);
}
