/* Events that change states, flights that are foreseen, contacts that stay closed. */
#include "model.h"

static int calls; /* of the right-hand side */

/* A ball with restitution p0 under gravity 10: s0 speed, s1 height.
 * Discrete: mode (never active), impacts, flight that is expected, time of the last impact. */
FUNCTION(ball_falls)
{
    calls++;
    res[0][0] = -10;
    res[0][1] = arg[S][0];
}

FUNCTION(ball_is_below) { res[0][0] = -arg[S][1]; }

FUNCTION(ball_bounces)
{
    const double speed = arg[S][0], hit = arg[EXTRA][0] > 0;
    res[0][0] = 0;
    res[0][1] = arg[D][1] + hit;
    res[0][2] = hit ? arg[P][1] * -2 * arg[P][0] * speed / 10 : arg[D][2];
    res[0][3] = hit ? arg[T][0] : arg[D][3];
    res[1][0] = hit ? -arg[P][0] * speed : speed;
    res[1][1] = hit ? 0 : arg[S][1];
}

static const mb_event_kind MEETING[] = {MB_IMPACT};

/* From a height of one; `foretold` is the expected part of each flight, 0 where none is told. */
static mb_instance *ball(double restitution, double foretold, int method, double tolerance)
{
    static const int place[] = {2}, nowhere[] = {-1};
    mb_model *model = make_model((mb_model){.ns = 2, .np = 2, .nd = 4, .ne = 1, .contacts = 1,
                                            .kind = MEETING,
                                            .expected = foretold > 0 ? place : nowhere,
                                            .derivative.call = ball_falls,
                                            .indicator.call = ball_is_below,
                                            .update.call = ball_bounces});
    variable(model, MB_STATE, 1)->start = 1;
    variable(model, MB_PARAMETER, 0)->start = restitution;
    variable(model, MB_PARAMETER, 1)->start = foretold;
    solver(model, 2)->start = 0.25;
    return start(model, method, tolerance);
}

/* Impacts until the n-th, at times and with speeds from energy. */
static void bounce(double restitution, double foretold, int method, int n)
{
    const double e = restitution, first = sqrt(0.2), speed = sqrt(20.0);
    double time = first, flight = 0;
    for (int k = 1; k < n; k++) {
        flight = 2 * speed * pow(e, k) / 10;
        time += flight;
    }
    mb_instance *m = ball(restitution, foretold, method, 1e-10);
    step_to(m, time + flight * e / 2, 1); /* half a flight later */
    near(m->now.d[1], n, 0, "number of impacts");
    near(m->now.d[3], time, 1e-11, "time of the last one");
    const double up = speed * pow(e, n), half = flight * e / 2;
    near(m->now.s[1], up * half - 5 * half * half, 1e-11, "height at the top");
    mb_free(m);
}

CHECK(a_ball_bounces_at_the_right_times)
{
    bounce(0.7, 0, MB_METHOD_RK45, 9);
    bounce(0.7, 0, MB_METHOD_classical, 5);
}

CHECK(flights_that_are_foreseen)
{
    bounce(0.5, 1, MB_METHOD_RK45, 12);
    bounce(0.7, 1, MB_METHOD_classical, 9);
}

CHECK(flights_that_last_longer_than_foretold) { bounce(0.5, 0.3, MB_METHOD_RK45, 12); }
CHECK(flights_that_end_sooner_than_foretold) { bounce(0.5, 1.7, MB_METHOD_RK45, 12); }

/* A step ends just beyond an expected event, near which the interpolant does: a flight costs the
 * right-hand side at its start, six more for the step, and no step that would end at the impact. */
CHECK(a_foreseen_flight_costs_one_step)
{
    mb_instance *m = ball(0.9, 1, MB_METHOD_RK45, 1e-6);
    step_to(m, 1, 1);
    const double impacts = m->now.d[1];
    calls = 0;
    step_to(m, 5, 1);
    const double flights = m->now.d[1] - impacts;
    expect(flights >= 5, "only %g flights", flights);
    expect(calls <= 8 * flights + 16, "%d evaluations for %g flights", calls, flights);
    mb_free(m);
}

CHECK(no_impact_occurs_at_the_start)
{
    mb_instance *m = ball(0.5, 0, MB_METHOD_RK45, 1e-6);
    mb_reset(m);
    m->now.s[1] = -1e-9; /* below the ground by rounding, on its way up */
    m->now.s[0] = 3;
    initialize(m);
    near(m->now.d[1], 0, 0, "number of impacts");
    near(m->now.s[0], 3, 0, "speed");
    mb_free(m);
}

/* A lamp that is lit at the start makes another round of events; the ball is below ground by then. */
FUNCTION(lamp_and_ball)
{
    res[0][0] = 1;
    res[0][1] = -arg[S][1];
}

FUNCTION(lamp_is_lit)
{
    res[0][0] = arg[D][0] + arg[EXTRA][0];
    res[0][1] = arg[D][1];
    res[0][2] = arg[D][2] + arg[EXTRA][1];
    res[1][0] = arg[S][0];
    res[1][1] = arg[S][1];
}

CHECK(no_impact_occurs_in_later_rounds_at_the_start)
{
    static const mb_event_kind kinds[] = {MB_SWITCH, MB_IMPACT};
    mb_model *model = make_model((mb_model){.ns = 2, .nd = 3, .ne = 2, .contacts = 1, .kind = kinds,
                                            .derivative.call = ball_falls,
                                            .indicator.call = lamp_and_ball,
                                            .update.call = lamp_is_lit});
    variable(model, MB_STATE, 1)->start = -1e-9;
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    near(m->now.d[0], 1, 0, "mode of the lamp");
    near(m->now.d[2], 0, 0, "number of impacts");
    mb_free(m);
}

FUNCTION(ball_breaks)
{
    ball_bounces(arg, res, w);
    const int state = arg[P][1] < 0; /* else a discrete variable */
    if (arg[EXTRA][0] > 0)
        res[state][state ? 1 : 2] = NAN;
}

static void breaks(double which, const char *name)
{
    mb_instance *m = ball(0.5, 0, MB_METHOD_RK45, 1e-6);
    ((mb_model *)MB_MODEL)->update.call = ball_breaks;
    m->now.p[1] = which;
    m->fresh = 0;
    int event;
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "NaN passed");
    says(m, name);
    says(m, "not finite");
    near(m->now.t, 0, 0, "time");
    mb_free(m);
}

CHECK(an_event_that_sets_nan_is_refused)
{
    breaks(0, "d2");
    breaks(-1, "s1");
}

/* A slider in a guide that it drifts from at a speed of p0; a contact holds it, in the guide's size
 * a drift of 1e-13 is good. What indicates while the contact is closed sees its force. */
static const mb_event_kind CLOSED[] = {MB_CLOSED_CONTACT};

FUNCTION(slider_drifts) { res[0][0] = arg[P][0]; }
FUNCTION(slider_closed_indicator) { res[0][0] = 1; }
FUNCTION(slider_free_indicator) { res[0][0] = arg[T][0] > 0.5 ? -1 : 1; } /* it knows no force */

FUNCTION(slider_is_put_back)
{
    res[0][0] = arg[P][1] * arg[S][0];
    res[1][0] = fabs(arg[S][0]) / 1e-13;
}

static mb_model *slider(double drift)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 2, .nd = 1, .ne = 1, .contacts = 1,
                                            .kind = CLOSED, .derivative.call = slider_drifts,
                                            .indicator.call = slider_closed_indicator,
                                            .free_indicator.call = slider_free_indicator,
                                            .project.call = slider_is_put_back});
    variable(model, MB_PARAMETER, 0)->start = drift;
    return model;
}

CHECK(closed_contacts_are_kept_closed)
{
    const double drifts[] = {3e-14, 1e-12, 3e-11, 1e-6, 1};
    for (int i = 0; i < 5; i++) {
        mb_model *model = slider(drifts[i]);
        mb_instance *m = start(model, MB_METHOD_classical, 1);
        near(m->now.d[0], 1, 0, "mode of the contact");
        for (int k = 1; k <= 5; k++) {
            step_to(m, k, 1);
            near(m->now.s[0], 0, 1e-13, "gap");
            near(m->now.d[0], 1, 0, "mode of the contact later");
        }
        mb_free(m);
    }
}

CHECK(a_contact_that_cannot_be_closed_is_refused)
{
    mb_model *model = slider(1);
    variable(model, MB_PARAMETER, 1)->start = 0.9;
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    int event;
    expect(mb_do_step(m, 0, 1, &event) == MB_DISCARD, "it was closed");
    says(m, "closed contacts cannot be kept closed");
    mb_free(m);
}

/* Model Exchange is asked for Event Mode where the gap has become 1e-7 of the size. */
CHECK(importers_mend_what_has_drifted_far)
{
    const double gaps[] = {0, 9e-8, 1.1e-7, -1.1e-7};
    mb_model *model = slider(0);
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    int changed, wanted;
    expect(!mb_update_discrete_states(m, &changed) && !mb_leave_event_mode(m, MB_CONTINUOUS_TIME),
           "%s", m->message);
    for (int i = 0; i < 4; i++) {
        expect(!mb_set_states(m, &gaps[i], 1) && !mb_completed_step(m, &wanted), "%s", m->message);
        near(wanted, fabs(gaps[i]) > 1e-7, 0, "Event Mode wanted");
    }
    expect(!mb_enter_event_mode(m) && !mb_update_discrete_states(m, &changed), "%s", m->message);
    near(changed, 1, 0, "states changed");
    near(m->now.s[0], 0, 0, "gap");
    expect(!mb_update_discrete_states(m, &changed), "%s", m->message);
    near(changed, 0, 0, "states changed again");
    mb_free(m);
}
