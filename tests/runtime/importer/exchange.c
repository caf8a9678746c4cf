/* Model Exchange: indicators as importers see them, Event Mode, what changes there. */
#include "model.h"

/* A stone: s0 speed, s1 height, active above p0; an impact at the ground where there are contacts. */
FUNCTION(stone_falls)
{
    res[0][0] = -10;
    res[0][1] = arg[S][0];
}

FUNCTION(stone_is_above) { res[0][0] = arg[S][1] - arg[P][0]; }
FUNCTION(stone_is_below) { res[0][0] = -arg[S][1]; }

FUNCTION(stone_bounces)
{
    const int hit = arg[EXTRA][0] > 0;
    res[0][0] = 0;
    res[1][0] = hit ? -arg[S][0] / 2 : arg[S][0];
    res[1][1] = hit ? 0 : arg[S][1];
}

static const double BAND[] = {0.25};
static const double NO_BAND[] = {0};
static const mb_event_kind MEETING[] = {MB_IMPACT};

static void update(mb_instance *m, int changed)
{
    int told;
    expect(!mb_update_discrete_states(m, &told), "%s", m->message);
    near(told, changed, 0, "states have changed");
}

static mb_instance *exchange(const mb_model *model)
{
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    update(m, 0);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    return m;
}

static mb_instance *switching(const double *band)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 1, .nd = 1, .ne = 1, .band = band,
                                            .derivative.call = stone_falls,
                                            .indicator.call = stone_is_above});
    variable(model, MB_PARAMETER, 0)->start = 1;
    return exchange(model);
}

static double indicator_at(mb_instance *m, double t, double height)
{
    const double s[] = {1, height};
    double indicator;
    expect(!mb_set_time(m, t) && !mb_set_states(m, s, 2), "%s", m->message);
    expect(!mb_get_indicators(m, &indicator, 1), "%s", m->message);
    return indicator;
}

static int wants_event_mode(mb_instance *m)
{
    int wanted;
    expect(!mb_completed_step(m, &wanted), "%s", m->message);
    return wanted;
}

/* Where the mode changes, importers are made to start their solvers anew. */
static void event_mode(mb_instance *m, double mode_afterwards)
{
    const int changes = m->now.d[0] != mode_afterwards;
    expect(!mb_enter_event_mode(m), "%s", m->message);
    update(m, changes);
    near(m->now.d[0], mode_afterwards, 0, "mode");
    update(m, 0);
    near(m->now.d[0], mode_afterwards, 0, "mode after another update");
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
}

CHECK(indicators_vanish_at_the_threshold_of_the_present_mode)
{
    mb_instance *m = switching(BAND);
    near(indicator_at(m, 0.1, 0), 1.25, 1e-15, "far below");
    near(indicator_at(m, 0.2, 1.25), 0, 1e-15, "at the upper threshold");
    near(indicator_at(m, 0.3, 1.5), -0.25, 1e-15, "above");
    expect(wants_event_mode(m), "a step ends beyond the threshold, and nobody says so");
    event_mode(m, 1);
    near(indicator_at(m, 0.3, 1.5), -0.75, 1e-15, "in the new mode");
    expect(!wants_event_mode(m), "the event occurs again");
    near(indicator_at(m, 0.4, 1), -0.25, 1e-15, "in the band");
    expect(!wants_event_mode(m), "the band counts for nothing");
    near(indicator_at(m, 0.5, 0.7), 0.05, 1e-15, "below the lower threshold");
    expect(wants_event_mode(m), "a step ends beyond the lower threshold, and nobody says so");
    event_mode(m, 0);
    near(indicator_at(m, 0.5, 0.7), 0.55, 1e-15, "in the old mode");
    mb_free(m);
}

CHECK(a_root_that_lies_a_rounding_error_early_is_an_event)
{
    mb_instance *m = switching(NO_BAND);
    indicator_at(m, 0.1, 0);
    indicator_at(m, 0.2, 1 - 1e-14);
    expect(!wants_event_mode(m), "the threshold is not passed");
    event_mode(m, 1); /* the importer has found the root there */
    indicator_at(m, 0.2, 1 - 1e-14);
    expect(!wants_event_mode(m), "and not passed back");
    event_mode(m, 1);
    indicator_at(m, 0.3, 3);
    wants_event_mode(m);
    indicator_at(m, 0.4, 1 + 1e-14);
    event_mode(m, 0);
    mb_free(m);
}

CHECK(event_mode_for_another_reason_changes_no_mode)
{
    mb_instance *m = switching(NO_BAND);
    indicator_at(m, 0.1, 0);
    indicator_at(m, 0.2, 1 - 1e-9);
    event_mode(m, 0);
    indicator_at(m, 0.2, 1 + 1e-9);
    event_mode(m, 1);
    mb_free(m);
}

CHECK(an_impact_changes_states_and_says_so_once)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 1, .nd = 1, .ne = 1, .contacts = 1,
                                            .kind = MEETING, .derivative.call = stone_falls,
                                            .indicator.call = stone_is_below,
                                            .update.call = stone_bounces});
    variable(model, MB_STATE, 1)->start = 1;
    mb_instance *m = exchange(model);
    const double s[] = {-4, -1e-3};
    double after[2];
    expect(!mb_set_time(m, 0.4) && !mb_set_states(m, s, 2), "%s", m->message);
    expect(wants_event_mode(m), "the ground is passed");
    expect(!mb_enter_event_mode(m), "%s", m->message);
    update(m, 1);
    expect(!mb_get_states(m, after, 2), "%s", m->message);
    near(after[0], 2, 0, "speed after the impact");
    near(after[1], 0, 0, "height after the impact");
    update(m, 0);
    mb_free(m);
}

CHECK(a_reset_forgets_events)
{
    mb_model *model = make_model((mb_model){.ns = 2, .np = 1, .nd = 1, .ne = 1, .band = NO_BAND,
                                            .derivative.call = stone_falls,
                                            .indicator.call = stone_is_above});
    variable(model, MB_PARAMETER, 0)->start = 1;
    mb_instance *m = exchange(model);
    indicator_at(m, 0.1, -1e6); /* so that 1e-6 of the threshold would be rounding */
    expect(!mb_enter_event_mode(m), "%s", m->message);
    m->states_changed = 1;
    mb_reset(m);
    initialize(m);
    update(m, 0);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    indicator_at(m, 0.1, 1 - 1e-8);
    event_mode(m, 0);
    mb_free(m);
}

CHECK(states_and_times_that_are_no_numbers_are_discarded)
{
    mb_instance *m = switching(BAND);
    const double s[] = {1, 0.5}, wrong[] = {2, NAN};
    double rates[2], same[2];
    expect(!mb_set_states(m, s, 2), "%s", m->message);
    expect(mb_set_states(m, wrong, 2) == MB_DISCARD, "NaN is accepted");
    says(m, "s1");
    expect(mb_set_time(m, INFINITY) == MB_DISCARD, "an infinite time is accepted");
    expect(mb_set_states(m, s, 1) == MB_ERROR, "one value for two states is accepted");
    expect(mb_get_rates(m, rates, 3) == MB_ERROR, "three values for two states are given");
    expect(!mb_get_states(m, same, 2), "%s", m->message);
    same_bytes(same, s, 2, "states");
    expect(!mb_get_rates(m, rates, 2), "%s", m->message);
    near(rates[1], 1, 0, "rate of the height");
    mb_free(m);
}

/* A solver that starts anew after an impact may interpolate the way up as one further down. */
CHECK(a_contact_that_has_just_met_may_be_a_little_beyond)
{
    static const double band[] = {1e-15};
    mb_model *model = make_model((mb_model){.ns = 2, .np = 1, .nd = 1, .ne = 1, .contacts = 1,
                                            .kind = MEETING, .band = band,
                                            .derivative.call = stone_falls,
                                            .indicator.call = stone_is_below,
                                            .update.call = stone_bounces});
    variable(model, MB_STATE, 1)->start = 1;
    mb_instance *m = exchange(model);
    expect(indicator_at(m, 0.1, 1e-9) > 0 && indicator_at(m, 0.2, -1e-14) < 0, "the ground is elsewhere");
    double depth = 5e-11; /* below what is let through at first */
    for (int k = 0; k < 4; k++, depth *= 10) {
        expect(!mb_enter_event_mode(m), "%s", m->message);
        update(m, 1);
        expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
        expect(indicator_at(m, 0.2, -depth) > 0 && !wants_event_mode(m), "%g is too deep", depth);
        expect(indicator_at(m, 0.2, -2.5 * depth) < 0 && wants_event_mode(m), "%g is let through",
               2.5 * depth);
    }
    expect(!mb_enter_event_mode(m), "%s", m->message);
    update(m, 1);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    expect(indicator_at(m, 0.3, 1e-3) > 0 && indicator_at(m, 0.4, -1e-14) < 0, "it stays slack");
    mb_free(m);
}

/* A clock switches the first event, whose number brings the second one just above its threshold. */
FUNCTION(clock_runs) { res[0][0] = 1; }

FUNCTION(clock_and_follower)
{
    res[0][0] = arg[S][0] - 0.5;
    res[0][1] = arg[D][2] > 0 ? 1e-14 : -1;
}

FUNCTION(clock_tells)
{
    for (int i = 0; i < 2; i++)
        res[0][i] = arg[D][i] + arg[EXTRA][i];
    res[0][2] = arg[EXTRA][0] > 0 ? 1 : arg[D][2];
    res[1][0] = arg[S][0];
}

CHECK(an_event_brings_about_one_that_no_importer_would_find)
{
    static const double none[] = {0, 0};
    mb_model *model = make_model((mb_model){.ns = 1, .nd = 3, .ne = 2, .band = none,
                                            .derivative.call = clock_runs,
                                            .indicator.call = clock_and_follower,
                                            .update.call = clock_tells});
    mb_instance *m = exchange(model);
    const double late = 0.5 + 1e-9;
    expect(!mb_set_time(m, late) && !mb_set_states(m, &late, 1), "%s", m->message);
    expect(wants_event_mode(m) && !mb_enter_event_mode(m), "%s", m->message);
    update(m, 1);
    near(m->now.d[0], 1, 0, "mode of the clock");
    near(m->now.d[1], 1, 0, "mode of the event that follows it");
    mb_free(m);
}

/* s0' = u0 */
FUNCTION(follows) { res[0][0] = arg[U][0]; }

CHECK(inputs_that_jump_make_importers_start_anew)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .derivative.call = follows});
    mb_instance *m = exchange(model);
    int wanted;
    m->now.u[0] = 1; /* on the way, as a continuous input */
    m->fresh = 0;
    expect(!mb_set_time(m, 0.1) && !mb_completed_step(m, &wanted), "%s", m->message);
    expect(!mb_enter_event_mode(m), "%s", m->message);
    update(m, 0);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    for (int k = 0; k < 2; k++) {
        expect(!mb_enter_event_mode(m), "%s", m->message);
        *(k ? &m->now.p[0] : &m->now.u[0]) = 2;
        m->fresh = 0;
        update(m, 1);
        update(m, 0);
        expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    }
    mb_free(m);
}

FUNCTION(never) { res[0][0] = -1 + 0 * arg[U][0]; }

static mb_model *make_follower(void)
{
    return make_model((mb_model){.ns = 1, .nu = 1, .nd = 1, .ne = 1, .band = NO_BAND,
                                 .derivative.call = follows, .indicator.call = never,
                                 .free_indicator.call = never});
}

CHECK(the_next_event_is_farther_off_after_a_quiet_way)
{
    mb_model *model = make_follower();
    solver(model, 2)->start = 0.02;
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    double rate;
    near(mb_next_event_time(m), 1, 1e-15, "at first");
    m->now.t = 0.5;
    near(mb_next_event_time(m), 1.5, 1e-15, "after another event");
    m->now.t = 1.5;
    near(mb_next_event_time(m), 3.5, 1e-15, "after a quiet way");
    for (int i = 0; i < 500; i++)
        mb_get_rates(m, &rate, 1);
    m->now.t = 3.5;
    near(mb_next_event_time(m), 4.5, 1e-15, "after a way of many steps");
    mb_free(m);
}

CHECK(the_next_event_is_never_far_away)
{
    mb_model *model = make_follower();
    solver(model, 2)->start = 0.02;
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    expect(!mb_set_experiment(m, 1, 0, 0) && !mb_set_stop_time(m, 1, 4), "%s", m->message);
    initialize(m);
    near(mb_next_event_time(m), 2, 1e-15, "next event");
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME) && !mb_set_time(m, 3), "%s", m->message);
    expect(mb_next_event_time(m) == INFINITY, "an event past the stop time");
    mb_free(m);
    m = start(model, MB_METHOD_RK45, 1e-6);
    expect(mb_next_event_time(m) == INFINITY, "a time event in Co-Simulation");
    mb_free(m);
}
