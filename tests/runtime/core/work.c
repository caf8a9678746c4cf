/* One call does not work without end, whatever the values are. */
#include "model.h"

static int calls; /* of any function of the model */

/* A coordinate that follows s0, if that is no farther than a hundredth; s1 trembles at a frequency of
 * p0. */
FUNCTION(shy)
{
    const double away = arg[S][0] - arg[X][0];
    calls++;
    res[0][0] = fabs(away) <= 0.01 ? arg[S][0] : NAN;
    res[1][0] = away;
}

FUNCTION(shy_conditioning)
{
    calls++;
    res[0][0] = 1;
}

FUNCTION(shy_start)
{
    res[0][0] = 0;
    res[1][0] = 1;
}

FUNCTION(tremble)
{
    calls++;
    res[0][0] = arg[U][0];
    res[0][1] = arg[P][0] * arg[S][2];
    res[0][2] = -arg[P][0] * arg[S][1];
}

FUNCTION(tremble_change)
{
    calls++;
    res[0][0] = 0;
    res[0][1] = arg[P][0] * arg[EXTRA][2];
    res[0][2] = -arg[P][0] * arg[EXTRA][1];
}

static mb_model *toy(double most)
{
    mb_model *model = make_model((mb_model){.nx = 1, .nc = 1, .ns = 3, .np = 1, .nu = 1, .nr = 1,
                                            .newton.call = shy, .conditioning.call = shy_conditioning,
                                            .start.call = shy_start, .derivative.call = tremble,
                                            .change.call = tremble_change});
    variable(model, MB_STATE, 1)->start = 1;
    variable(model, MB_PARAMETER, 0)->start = 1e4;
    solver(model, MB_SOLVER_STEP)->start = 1e-5;
    solver(model, MB_SOLVER_MOST_EVALUATIONS)->start = most;
    return model;
}

/* Ten thousand oscillations take more than a million evaluations. */
static void gives_up(int method)
{
    int event;
    for (double most = 1000; most < 1e5; most *= 10) {
        mb_instance *m = start(toy(most), method, 1e-6);
        calls = 0;
        const mb_status status = mb_do_step(m, 0, 6, &event);
        expect(status == MB_DISCARD, "a step that takes longer than %g evaluations", most);
        expect(calls <= 1.1 * most + 100, "%d calls for %g evaluations", calls, most);
        expect(calls >= 0.9 * most, "only %d calls for %g evaluations", calls, most);
        says(m, "solver.most_evaluations");
        says(m, "changes fastest");
        near(m->now.t, 0, 0, "time");
        near(m->now.s[1], 1, 0, "state");
        calls = 0;
        expect(!mb_do_step(m, 0, 1e-5, &event), "a short step after it: %s", m->message);
        mb_free(m);
    }
}

CHECK(runge_kutta_works_only_so_much) { gives_up(MB_METHOD_RK45); }
CHECK(rosenbrock_works_only_so_much) { gives_up(MB_METHOD_rosenbrock); }
CHECK(fixed_steps_work_only_so_much) { gives_up(MB_METHOD_classical); }

CHECK(more_work_is_done_where_it_is_allowed)
{
    mb_instance *m = start(toy(1e9), MB_METHOD_RK45, 1e-6);
    step_to(m, 0.06, 1);
    near(hypot(m->now.s[1], m->now.s[2]), 1, 1e-2, "amplitude");
    mb_free(m);
}

/* Model Exchange: a configuration to which a thousand substeps lead. */
CHECK(ways_to_configurations_are_not_endless)
{
    mb_instance *m = create(toy(1e3), MB_MODEL_EXCHANGE);
    double rate[3], far[3] = {8, 1, 0}, near_by[3] = {0.1, 1, 0};
    initialize(m);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    calls = 0;
    mb_enter(m, "GetDerivatives", MB_CONTINUOUS_TIME);
    expect(!mb_set_states(m, far, 3), "%s", m->message);
    expect(mb_get_rates(m, rate, 3) == MB_DISCARD, "it arrived");
    says(m, "solver.most_evaluations");
    expect(calls < 1200, "%d calls", calls);
    mb_enter(m, "GetDerivatives", MB_CONTINUOUS_TIME);
    expect(!mb_set_states(m, near_by, 3) && !mb_get_rates(m, rate, 3), "%s", m->message);
    near(m->now.x[0], 0.1, 1e-14, "x");
    mb_free(m);
}

CHECK(the_way_to_the_start_is_not_endless)
{
    mb_instance *m = create(toy(1e3), MB_CO_SIMULATION);
    m->now.s[0] = 8;
    calls = 0;
    expect(!mb_enter_initialization(m), "%s", m->message);
    mb_enter(m, "ExitInitializationMode", MB_INITIALIZATION);
    const mb_status status = mb_exit_initialization(m);
    expect(calls < 1200, "%d calls, %s", calls, m->message);
    expect(status != MB_OK, "it arrived");
    says(m, "solver.most_evaluations");
    mb_free(m);
}

/* A gap that flutters: each step ends at an event. */
FUNCTION(flutters)
{
    calls++;
    res[0][0] = sin(arg[P][0] * arg[T][0]);
}

CHECK(chattering_is_named)
{
    static const double band[] = {0};
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nd = 1, .ne = 1, .band = band,
                                            .indicator.call = flutters});
    variable(model, MB_PARAMETER, 0)->start = 1e4;
    solver(model, MB_SOLVER_STEP)->start = 1e-4;
    solver(model, MB_SOLVER_MOST_EVALUATIONS)->start = 1e5;
    mb_instance *m = start(model, MB_METHOD_classical, 1e-6);
    int event;
    calls = 0;
    expect(mb_do_step(m, 0, 1e3, &event) == MB_DISCARD, "it goes on");
    says(m, "chatters");
    says(m, "part0");
    expect(calls < 1.1e5, "%d calls", calls);
    mb_free(m);
}

CHECK(a_search_that_is_given_up_finds_no_singular_configuration)
{
    int wanted;
    mb_instance *m = create(toy(1e6), MB_MODEL_EXCHANGE);
    initialize(m);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    const double s[] = {0.001, 1, 0};
    expect(!mb_set_time(m, 0.01) && !mb_set_states(m, s, 3), "%s", m->message);
    m->now.p[MB_MODEL->np - MB_SOLVER_PARAMETERS + MB_SOLVER_MOST_EVALUATIONS] = 5;
    mb_begin_work(m); /* the first step after an event has no trend, so it is looked into */
    expect(mb_completed_step(m, &wanted) == MB_DISCARD, "it takes few evaluations");
    says(m, "takes more than 5 evaluations");
    mb_free(m);
}
