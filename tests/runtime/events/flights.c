/* Impacts that accumulate, under importers of Model Exchange: exact ones, late ones, inaccurate ones. */
#include "model.h"

static const double GRAVITY = 9.81, SETTLING = 1e-6;

/* A ball dropped: s0 speed, s1 height, p0 restitution. The floor is at p1 sin(p2 t + p3). Discrete: mode of
 * the impact, impacts, flight and height that are expected, whether it rests. */
enum { IMPACTS = 1, FLIGHT, HEIGHT, RESTS };

typedef struct {
    double place, speed, acceleration;
} motion;

static motion of_floor(double t, const double *p)
{
    const double phase = p[2] * t + p[3], rate = p[2] * p[1];
    return (motion){p[1] * sin(phase), rate * cos(phase), -rate * p[2] * sin(phase)};
}

FUNCTION(ball_falls)
{
    res[0][0] = arg[D][RESTS] > 0 ? 0 : -GRAVITY;
    res[0][1] = arg[S][0];
}

FUNCTION(ball_is_below)
{
    res[0][0] = arg[D][RESTS] > 0 ? -1 : of_floor(arg[T][0], arg[P]).place - arg[S][1];
}

FUNCTION(ball_bounces)
{
    const motion floor = of_floor(arg[T][0], arg[P]);
    const double e = arg[P][0], speed = floor.speed - arg[S][0], told = arg[D][FLIGHT] < 0;
    const double late = arg[S][1] - floor.place - (told ? arg[D][HEIGHT] : 0);
    const double pull = GRAVITY + floor.acceleration;
    const double at_floor = sqrt(fmax(speed * speed + 2 * fmax(pull, 0) * late, 0));
    const double up = e * (told ? fmin(at_floor, -arg[D][FLIGHT]) : at_floor);
    const double flight = pull > 0 ? 2 * up / pull : INFINITY;
    memcpy(res[0], arg[D], 5 * sizeof(double));
    memcpy(res[1], arg[S], 2 * sizeof(double));
    if (!(arg[EXTRA][0] > 0))
        return;
    res[1][1] = floor.place;
    if (!(speed > 0)) /* it opens already */
        return;
    res[0][IMPACTS]++;
    res[0][RESTS] = flight <= (1 - e) * SETTLING;
    res[0][FLIGHT] = res[0][RESTS] > 0 || !isfinite(flight) ? 0 : flight;
    res[0][HEIGHT] = res[0][FLIGHT] > 0 ? up * flight / 4 : 0;
    res[1][0] = floor.speed + (res[0][RESTS] > 0 ? 0 : up);
}

static mb_instance *ball(double restitution, double height)
{
    static const mb_event_kind kind[] = {MB_IMPACT};
    static const double band[] = {2e-15};
    static const int flight[] = {FLIGHT}, high[] = {HEIGHT};
    mb_model *model = make_model((mb_model){.ns = 2, .nf = 1, .nm = 1, .np = 4, .nd = 5, .ne = 1, .contacts = 1,
                                            .kind = kind, .band = band, .expected = flight,
                                            .height = high, .derivative.call = ball_falls,
                                            .indicator.call = ball_is_below,
                                            .update.call = ball_bounces});
    variable(model, MB_STATE, 1)->start = height;
    variable(model, MB_PARAMETER, 0)->start = restitution;
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    return m;
}

/* An importer: the step of its method, the time to which it finds state events (0: at the step's end),
 * whether it is Euler's method, and an error of places that it makes in the first microseconds after
 * each event, as solvers of variable order do. */
typedef struct {
    double step, found_to;
    int euler;
    double error;
} importer;

typedef struct {
    double t, s[2], since;
    int seen; /* impacts by state events */
} course;

static void move(mb_instance *m, const importer *by, const course *from, double h)
{
    double rate[2], s[2];
    mb_begin_work(m); /* as each call of an importer does */
    expect(!mb_set_time(m, from->t) && !mb_set_states(m, from->s, 2), "%s", m->message);
    expect(!mb_get_rates(m, rate, 2), "%s", m->message);
    const double before = fmin(1, (from->t - from->since) / 1e-6);
    const double after = fmin(1, (from->t + h - from->since) / 1e-6);
    s[0] = from->s[0] + h * rate[0];
    s[1] = from->s[1] + h * rate[1] + (by->euler ? 0 : h * h / 2 * rate[0]);
    s[1] += rate[0] < 0 ? by->error * (after - before) : 0;
    expect(!mb_set_time(m, from->t + h) && !mb_set_states(m, s, 2), "%s", m->message);
}

static double indicator_of(mb_instance *m)
{
    double z;
    expect(!mb_get_indicators(m, &z, 1), "%s", m->message);
    return z;
}

/* Moves to the next event or by a step; returns whether a state event was met. */
static int advance(mb_instance *m, const importer *by, course *c, double until)
{
    double low = 0, high = fmin(by->step, until - c->t);
    const int sign = indicator_of(m) > 0;
    move(m, by, c, high);
    const int met = (indicator_of(m) > 0) != sign;
    while (met && by->found_to > 0 && high - low > by->found_to) {
        const double middle = (low + high) / 2;
        move(m, by, c, middle);
        *((indicator_of(m) > 0) != sign ? &high : &low) = middle;
    }
    move(m, by, c, high);
    c->t = high == until - c->t ? until : c->t + high;
    expect(!mb_set_time(m, c->t) && !mb_get_states(m, c->s, 2), "%s", m->message);
    return met;
}

static double energy(const mb_instance *m)
{
    return m->now.s[0] * m->now.s[0] / 2 + GRAVITY * m->now.s[1];
}

/* Events until no more happens; returns the next time event, at most `end`. */
static double handle_events(mb_instance *m, double end)
{
    int changed;
    expect(!mb_update_discrete_states(m, &changed), "%s", m->message);
    const double next = mb_next_event_time(m);
    expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    return fmin(next, end);
}

/* Lets the ball come to rest. Bounces make no energy, but for errors that the importer makes itself. */
static course until_rest(mb_instance *m, const importer *by, double end)
{
    course c = {.s = {m->now.s[0], m->now.s[1]}};
    double next = handle_events(m, end);
    while (c.t < end && !(m->now.d[RESTS] > 0)) {
        int wanted;
        const int met = advance(m, by, &c, next);
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        if (!met && !wanted && c.t < next)
            continue;
        const double before = energy(m), impacts = m->now.d[IMPACTS];
        expect(!mb_enter_event_mode(m), "%s", m->message);
        next = handle_events(m, end);
        c.seen += met && m->now.d[IMPACTS] > impacts;
        expect(energy(m) <= before + 1e-14 + GRAVITY * fabs(by->error), "energy %g after %g at t = %.9g",
               energy(m), before, c.t);
        expect(!mb_get_states(m, c.s, 2), "%s", m->message);
        c.since = c.t;
    }
    near(m->now.d[RESTS], 1, 0, "whether it rests");
    near(m->now.s[0], 0, 0, "speed at rest");
    near(m->now.s[1], 0, 0, "height at rest");
    return c;
}

/* The number of impacts and the time of the last one, impact by impact. */
static double rests_at(double e, double height, double *impacts)
{
    double speed = sqrt(2 * GRAVITY * height), t = speed / GRAVITY;
    for (*impacts = 1; speed *= e, 2 * speed / GRAVITY > (1 - e) * SETTLING; ++*impacts)
        t += 2 * speed / GRAVITY;
    return t;
}

static const double DROPS[][2] = {{0.3, 1},  {0.5, 1},  {0.7, 1},   {0.9, 1},
                                  {0.95, 1}, {0.98, 1}, {0.7, 100}, {0.85, 0.01}};
enum { DROPPED = sizeof DROPS / sizeof DROPS[0] };

CHECK(a_ball_rests_where_events_are_found)
{
    for (int i = 0; i < DROPPED; i++) {
        double impacts;
        const double e = DROPS[i][0], rest = rests_at(e, DROPS[i][1], &impacts);
        mb_instance *m = ball(e, DROPS[i][1]);
        const course c = until_rest(m, &(importer){.step = 0.05, .found_to = 1e-13}, 2 * rest);
        near(c.t, rest, 1e-9, "time of rest");
        near(m->now.d[IMPACTS], impacts, 0, "number of impacts");
        mb_free(m);
    }
}

/* The first impact is late by up to a step; the others are foreseen. */
CHECK(a_ball_rests_where_events_are_found_late)
{
    for (int i = 0; i < DROPPED; i++) {
        double impacts;
        const double e = DROPS[i][0], rest = rests_at(e, DROPS[i][1], &impacts), step = 1e-3;
        mb_instance *m = ball(e, DROPS[i][1]);
        const course c = until_rest(m, &(importer){.step = step}, 2 * rest);
        expect(c.t > rest - 1e-9 && c.t < rest + step, "rest at %g after %g by %d impacts", c.t, rest,
               c.seen);
        near(m->now.d[IMPACTS], impacts, 0, "number of impacts");
        mb_free(m);
    }
}

/* Each step h of Euler's method leaves the ball too high by g h^2/2 at the right speed. The error is seen,
 * so that only the first impact is late, by up to a step. If flights ended as they are found, bounces of
 * e g h/(1 - e) would last for ever. */
CHECK(a_ball_rests_under_the_method_of_euler)
{
    for (int i = 0; i < DROPPED; i++) {
        double impacts;
        const double e = DROPS[i][0], rest = rests_at(e, DROPS[i][1], &impacts);
        mb_instance *m = ball(e, DROPS[i][1]);
        for (double step = 1e-4; step < 0.03; step *= 3) {
            const course c = until_rest(m, &(importer){.step = step, .euler = 1}, 4 * rest);
            expect(c.t > rest - 1e-9 && c.t < rest + step, "rest at %.9g, exactly at %.9g", c.t, rest);
            mb_reset(m);
            initialize(m);
        }
        mb_free(m);
    }
}

/* With errors of 1e-9 m, bounces would be lost in them from 1e-9 m on, 6e-5 s before the rest. */
static void rest_with_errors(double error, double accuracy)
{
    for (int i = 0; i < DROPPED; i++) {
        double impacts;
        const double e = DROPS[i][0], rest = rests_at(e, DROPS[i][1], &impacts);
        mb_instance *m = ball(e, DROPS[i][1]);
        const importer by = {.step = 0.05, .found_to = 1e-13, .error = error};
        const course c = until_rest(m, &by, 2 * rest);
        near(c.t, rest, accuracy / ((1 - e) * (1 - e)), "time of rest");
        expect(m->now.d[IMPACTS] <= impacts + 1, "%g impacts for %g", m->now.d[IMPACTS], impacts);
        mb_free(m);
    }
}

CHECK(a_ball_rests_where_a_solver_is_above) { rest_with_errors(1e-9, 1e-7); }
CHECK(a_ball_rests_where_a_solver_is_below) { rest_with_errors(-1e-9, 1e-7); }
CHECK(a_ball_rests_where_a_solver_is_inaccurate) { rest_with_errors(-1e-6, 1e-3); }

/* The first time after `t` at which a ball, from a place with a speed, is at its floor: by steps, halved. */
static double meets(double t, double place, double speed, const double *p)
{
    double low = 1e-6, high = low, gap = 1;
    for (; gap > 0; high += gap > 0 ? 1e-6 : 0) {
        low = fmax(high - 1e-6, 1e-6);
        gap = place + speed * high - GRAVITY / 2 * high * high - of_floor(t + high, p).place;
    }
    while (high - low > 1e-16) {
        const double middle = (low + high) / 2;
        gap = place + speed * middle - GRAVITY / 2 * middle * middle - of_floor(t + middle, p).place;
        *(gap > 0 ? &low : &high) = middle;
    }
    return t + high;
}

/* A floor that shakes with more than gravity throws its ball off where its acceleration is that of
 * gravity. From there on forces change much in each flight, and each impact has the speed that parts
 * have. */
static void thrown_off(double error, double accuracy)
{
    enum { THROWN = 8 };
    const double e = 0.5, rate = 107, amplitude = 1e-3;
    const double p[] = {e, amplitude, rate, asin(GRAVITY / (amplitude * rate * rate))};
    mb_instance *m = ball(e, 0);
    const motion floor = of_floor(0, p);
    for (int i = 0; i < 4; i++)
        variable(MB_MODEL, MB_PARAMETER, i)->start = p[i];
    variable(MB_MODEL, MB_STATE, 0)->start = floor.speed;
    variable(MB_MODEL, MB_STATE, 1)->start = floor.place + 1e-9;
    mb_reset(m);
    initialize(m);
    const importer by = {.step = 1e-5, .found_to = 1e-14, .error = error};
    course c = {.s = {m->now.s[0], m->now.s[1]}};
    double next = handle_events(m, 1), t = 0, place = c.s[1], speed = c.s[0];
    for (int k = 0; k < THROWN;) {
        int wanted;
        const int met = advance(m, &by, &c, next);
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        if (!met && !wanted && c.t < next)
            continue;
        expect(!mb_enter_event_mode(m), "%s", m->message);
        next = handle_events(m, 1);
        expect(!mb_get_states(m, c.s, 2), "%s", m->message);
        c.since = c.t;
        if (m->now.d[IMPACTS] == k)
            continue;
        const double arrives = speed - GRAVITY * (meets(t, place, speed, p) - t);
        t = meets(t, place, speed, p);
        const motion there = of_floor(t, p);
        near(c.t, t, accuracy, "time of an impact");
        near(c.s[0] - there.speed, e * (there.speed - arrives), 10 * accuracy, "speed after it");
        place = there.place;
        speed = there.speed + e * (there.speed - arrives);
        k++;
    }
    mb_free(m);
}

CHECK(a_floor_that_shakes_throws_its_ball_off) { thrown_off(0, 1e-9); }
CHECK(a_ball_is_thrown_off_where_a_solver_is_below) { thrown_off(-1e-9, 1e-9); }
CHECK(a_ball_is_thrown_off_where_a_solver_is_above) { thrown_off(1e-9, 1e-9); }

/* What is remembered of a flight belongs to the state. */
CHECK(a_flight_goes_on_in_a_restored_instance)
{
    mb_instance *m = ball(0.7, 1), *other = create(MB_MODEL, MB_MODEL_EXCHANGE);
    const importer by = {.step = 1e-3};
    course c = {.s = {0, 1}};
    double next = handle_events(m, 3);
    for (int k = 0; k < 20;) { /* impacts, so that the flight is blind */
        int wanted, met = advance(m, &by, &c, next);
        expect(!mb_completed_step(m, &wanted), "%s", m->message);
        if (!met && !wanted && c.t < next)
            continue;
        expect(!mb_enter_event_mode(m), "%s", m->message);
        next = handle_events(m, 3);
        expect(!mb_get_states(m, c.s, 2), "%s", m->message);
        k = (int)m->now.d[IMPACTS];
    }
    const mb_event_memory *memory = &m->event_memory[0];
    expect(memory->foretold && memory->late > 0 && memory->end > m->now.t, "its end is not known");
    expect(memory->slack <= 2e-10, "slack %g", memory->slack);
    size_t size;
    void *state = NULL, *read = NULL;
    static unsigned char bytes[4096];
    expect(!mb_get_state(m, &state) && !mb_serialized_size(m, state, &size), "%s", m->message);
    expect(size <= sizeof bytes && !mb_serialize(m, state, bytes, size), "%s", m->message);
    expect(!mb_deserialize(other, bytes, size, &read) && !mb_set_state(other, read), "%s", other->message);
    same_bytes(&other->event_memory[0].end, &memory->end, 1, "end of the flight");
    near(other->event_memory[0].slack, memory->slack, 0, "slack");
    near(other->event_memory[0].late, memory->late, 0, "lateness");
    near(mb_next_end_of_flight(other), memory->end, 0, "next time event");
    expect(!mb_free_state(m, &state) && !mb_free_state(other, &read), "%s", m->message);
    mb_free(m);
    mb_free(other);
}
