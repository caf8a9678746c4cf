/* Energy that an importer's solver gains in a flight is not given back once more: `mb_solver_gain.c`. */
#include "model.h"

/* A mass that is pressed to a floor at 0 by a constant force and a spring: s0 speed, s1 height; p0 frequency,
 * squared. Its impacts lose nothing. Discrete: mode of the impact, flight and height, told at impacts. */
enum { FLIGHT = 1, HEIGHT };
static const double PULL = 30;

static double acceleration(double y, double stiffness) { return -PULL - stiffness * y; }

FUNCTION(is_pressed)
{
    res[0][0] = acceleration(arg[S][1], arg[P][0]);
    res[0][1] = arg[S][0];
}

FUNCTION(is_in_the_floor) { res[0][0] = -arg[S][1]; }

FUNCTION(turns)
{
    const double speed = -arg[S][0], told = arg[D][FLIGHT] < 0;
    const double late = arg[S][1] - (told ? arg[D][HEIGHT] : 0);
    memcpy(res[0], arg[D], 3 * sizeof(double));
    memcpy(res[1], arg[S], 2 * sizeof(double));
    if (!(arg[EXTRA][0] > 0 && speed > 0))
        return;
    res[0][FLIGHT] = res[0][HEIGHT] = 0;
    res[1][0] = sqrt(speed * speed - 2 * acceleration(arg[S][1], arg[P][0]) * late);
    res[1][1] = 0;
}

static const mb_model *pressed(double stiffness)
{
    static const mb_event_kind kind[] = {MB_IMPACT};
    static const double band[] = {2e-15};
    static const int flight[] = {FLIGHT}, high[] = {HEIGHT};
    mb_model *model = make_model((mb_model){
        .ns = 2, .nf = 1, .nm = 1, .np = 1, .nd = 3, .ne = 1, .contacts = 1, .kind = kind, .band = band,
        .expected = flight, .height = high, .derivative.call = is_pressed,
        .indicator.call = is_in_the_floor, .update.call = turns});
    variable(model, MB_PARAMETER, 0)->start = stiffness;
    return model;
}

static double energy_of(const double *s, double stiffness)
{
    return s[0] * s[0] / 2 + PULL * s[1] + stiffness * s[1] * s[1] / 2;
}

/* The exact motion from the floor at a speed. */
static void flies(double t, double speed, double stiffness, double *s)
{
    const double w = sqrt(stiffness), rest = -PULL / stiffness;
    s[0] = rest * w * sin(w * t) + speed * cos(w * t);
    s[1] = rest * (1 - cos(w * t)) + speed / w * sin(w * t);
}

static void go_there(mb_instance *m, double t, const double *s)
{
    double rate[2];
    int wanted;
    mb_begin_work(m);
    expect(!mb_set_time(m, t) && !mb_set_states(m, s, 2) && !mb_get_rates(m, rate, 2), "%s", m->message);
    expect(!mb_completed_step(m, &wanted), "%s", m->message);
}

/* The energies at the start of a flight, at its end and after its impact. The first step loses `places` of
 * the place, as one of order one does, and the others gain the part `speeds` of the speed. */
typedef struct {
    double start, end, after, given;
} energies;

static energies fly(double stiffness, double places, double speeds)
{
    const double speed = 2, first = 1e-5, w = sqrt(stiffness);
    const double flight = 2 * atan2(speed * w, PULL) / w;
    enum { STEPS = 40 };
    const mb_model *model = pressed(stiffness);
    double s[2];
    int changed;
    variable(model, MB_STATE, 0)->start = speed;
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    expect(!mb_update_discrete_states(m, &changed), "%s", m->message);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    energies of = {.start = energy_of(m->now.s, stiffness)};
    for (int i = 0; i <= STEPS; i++) {
        const double t = first + (flight - first) * i / STEPS;
        flies(t, speed, stiffness, s);
        s[0] *= 1 + speeds * i / STEPS;
        s[1] -= places;
        go_there(m, t, s);
    }
    near(m->event_memory[0].error, -places, 1e-10, "error of places");
    of.given = -m->event_memory[0].error * PULL;
    of.end = energy_of(s, stiffness);
    expect(!mb_enter_event_mode(m) && !mb_update_discrete_states(m, &changed), "%s", m->message);
    near(m->now.s[1], 0, 0, "place after the impact");
    expect(m->now.s[0] > 0, "no impact");
    of.after = energy_of(m->now.s, stiffness);
    near(m->event_memory[0].error + m->event_memory[0].lost, 0, 0, "errors after the impact");
    mb_free(m);
    return of;
}

/* To put the place back follows the spring to first order: STIFFNESS PLACES^2 is left. */
static const double STIFFNESS = 80, PLACES = 1e-6, SQUARES = 80e-12;

CHECK(a_place_that_is_lost_is_given_back)
{
    const energies of = fly(STIFFNESS, PLACES, 0);
    expect(of.end < of.start - PULL * PLACES / 2, "the solver has lost nothing");
    near(of.after, of.start, 2 * PULL * 1e-10 + SQUARES, "energy after the impact");
}

CHECK(energy_gained_in_a_flight_is_not_given_back_again)
{
    for (double part = 2; part < 100; part *= 3) { /* of the energy of the places, as speed */
        const energies of = fly(STIFFNESS, PLACES, part * PULL * PLACES / 4);
        expect(of.end > of.start, "the solver has gained nothing");
        near(of.after, of.end, SQUARES, "energy after the impact");
    }
}

CHECK(what_is_left_of_a_loss_is_given_back)
{
    for (double part = 0.1; part < 1; part += 0.2) {
        const energies of = fly(STIFFNESS, PLACES, part * PULL * PLACES / 4);
        expect(of.end < of.start, "the solver has gained in all");
        near(of.after, of.start, 2 * PULL * 1e-10 + SQUARES, "energy after the impact");
    }
}

/* Energy that speeds have lost is not the impact's: it may have gone to forces that the path does not show. */
CHECK(a_loss_of_speed_is_left)
{
    const energies of = fly(STIFFNESS, PLACES, -10 * PULL * PLACES / 4);
    near(of.after, of.end + of.given, 2 * PULL * 1e-10 + SQUARES, "energy after the impact");
}
