/* Intermediate Update Mode of FMI 3.0: the importer gives inputs, takes outputs, asks to return. */
#include "fmi3Functions.h"
#include "model.h"

#include <stdio.h>

static char said[2 * MB_MESSAGE];

static void listen(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message)
{
    (void)environment, (void)status, (void)category;
    snprintf(said, sizeof said, "%s", message);
}

static double signal(double t) { return 1 + sin(3 * t); }

/* s0' = -s0^2 + u0, y0 = 2 s0, active above p0, noting the time. */
FUNCTION(driven) { res[0][0] = arg[U][0] - arg[S][0] * arg[S][0]; }
FUNCTION(driven_by_time) { res[0][0] = signal(arg[T][0]) - arg[S][0] * arg[S][0]; }
FUNCTION(twice) { res[0][0] = 2 * arg[S][0]; }
FUNCTION(above) { res[0][0] = arg[U][0] - arg[P][0]; }

FUNCTION(change)
{
    res[0][0] = -2 * arg[S][0] * arg[EXTRA][0] + arg[EXTRA][2];
    if (res[1])
        res[1][0] = 2 * arg[EXTRA][0];
}

FUNCTION(change_in_time)
{
    res[0][0] = -2 * arg[S][0] * arg[EXTRA][0] + 3 * cos(3 * arg[T][0]) * arg[EXTRA][1];
}

FUNCTION(notes_the_time)
{
    res[0][0] = arg[D][0] + arg[EXTRA][0];
    res[0][1] = arg[EXTRA][0] > 0 ? arg[T][0] : arg[D][1];
}

/* What an importer does when it is called, and what it has seen. */
typedef struct {
    fmi3Instance m;
    int gives;                         /* inputs, by the signal */
    double returns_from, returns_at;   /* asks for an early return from a time on */
    void (*misbehave)(fmi3Instance m); /* at the first call */
    int calls, finished;
    double from, until, last; /* bounds of times, the latest finished one */
    double worst;             /* largest error of an output's derivative */
} importer;

static void set_input(fmi3Instance m, double value)
{
    const fmi3ValueReference vr = reference(tested_model, MB_INPUT, 0);
    expect(!fmi3SetFloat64(m, &vr, 1, &value, 1), "%s", said);
}

static double get(fmi3Instance m, mb_kind kind)
{
    const fmi3ValueReference vr = reference(tested_model, kind, 0);
    double value = NAN;
    expect(!fmi3GetFloat64(m, &vr, 1, &value, 1), "%s", said);
    return value;
}

static void take(importer *i, double t)
{
    const fmi3ValueReference vr = reference(tested_model, MB_OUTPUT, 0);
    const fmi3Int32 order = 1;
    double rate, y = get(i->m, MB_OUTPUT);
    expect(!fmi3GetOutputDerivatives(i->m, &vr, 1, &order, &rate, 1), "%s", said);
    const double u = i->gives ? signal(t) : ((mb_instance *)i->m)->now.u[0];
    near(rate, 2 * (u - y * y / 4), 1e-13, "derivative of the output");
    near(((mb_instance *)i->m)->now.t, t, 0, "time");
}

static void update(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean gives,
                   fmi3Boolean takes, fmi3Boolean finished, fmi3Boolean may_return,
                   fmi3Boolean *returns, fmi3Float64 *return_time)
{
    importer *i = environment;
    expect(t >= i->last && t >= i->from && t <= i->until, "a call at %.17g after %.17g", t, i->last);
    if (i->misbehave && i->calls == 0)
        i->misbehave(i->m);
    i->calls++;
    if (takes && !i->misbehave)
        take(i, t);
    if (i->gives && gives && !i->misbehave)
        set_input(i->m, signal(t));
    if (finished) {
        i->finished++;
        i->last = t;
    }
    if (may_return && t >= i->returns_from) {
        *returns = fmi3True;
        *return_time = i->returns_at;
    }
}

static mb_model *visited_model(int events)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .ny = 1, .nd = 2, .ne = events,
                                            .derivative.call = driven, .output.call = twice,
                                            .change.call = change, .indicator.call = above,
                                            .update.call = notes_the_time});
    variable(model, MB_PARAMETER, 0)->start = 1.5;
    variable(model, MB_INPUT, 0)->start = 1;
    return model;
}

static fmi3Instance visited(mb_model *model, int method, importer *i)
{
    const fmi3ValueReference required[] = {reference(model, MB_OUTPUT, 0),
                                           reference(model, MB_INPUT, 0)};
    tested_model = model;
    solver(model, 0)->start = method;
    solver(model, 1)->start = 1e-10;
    said[0] = '\0';
    i->m = fmi3InstantiateCoSimulation("name", "token", "", 0, 0, 0, i->returns_at < INFINITY, required,
                                       i->gives ? 2 : 1, i, listen, update);
    expect(i->m && !fmi3EnterInitializationMode(i->m, 0, 0, 0, 0, 0), "%s", said);
    expect(!fmi3ExitInitializationMode(i->m), "%s", said);
    return i->m;
}

static fmi3Status step(importer *i, double to, int *early, double *last)
{
    fmi3Boolean event, terminate, returned = fmi3False;
    const double t = ((mb_instance *)i->m)->now.t;
    i->from = i->last = t;
    i->until = to;
    const fmi3Status status =
        fmi3DoStep(i->m, t, to - t, fmi3True, &event, &terminate, &returned, last);
    *early = returned;
    return status;
}

CHECK(inputs_given_on_the_way_act_as_ones_that_are_built_in)
{
    for (int method = MB_METHOD_RK45; method <= MB_METHOD_classical; method++) {
        mb_model *model = make_model((mb_model){.ns = 1, .derivative.call = driven_by_time,
                                                .change.call = change_in_time});
        mb_instance *right = start(model, method, 1e-10);
        right->update_callback = NULL;
        step_to(right, 2, 32);
        importer i = {.gives = 1, .returns_at = INFINITY};
        visited(visited_model(0), method, &i);
        double last;
        int early;
        expect(!step(&i, 0.5, &early, &last) && !step(&i, 2, &early, &last), "%s", said);
        near(last, 2, 0, "time");
        near(get(i.m, MB_STATE), right->now.s[0], 2e-9, "state");
        near(get(i.m, MB_INPUT), signal(2), 1e-15, "input");
        expect(i.finished >= 8 && i.calls > 2 * i.finished, "%d calls", i.calls);
        mb_free(right);
        fmi3FreeInstance(i.m);
    }
}

CHECK(outputs_alone_may_be_taken_on_the_way)
{
    importer i = {.returns_at = INFINITY};
    double last;
    int early;
    visited(visited_model(0), MB_METHOD_RK45, &i);
    expect(!step(&i, 1, &early, &last), "%s", said);
    expect(i.calls == i.finished && i.finished >= 4 && i.last == 1, "%d calls", i.calls);
    near(get(i.m, MB_STATE), tanh(1), 1e-9, "state with the input held");
    fmi3FreeInstance(i.m);
}

CHECK(an_early_return_is_made_where_the_importer_asks_for_it)
{
    const double times[] = {0.6, 0, 7}; /* later, before what is reached, after the end */
    for (int k = 0; k < 3; k++) {
        importer i = {.gives = 1, .returns_from = 0.3, .returns_at = times[k]};
        double last;
        int early;
        visited(visited_model(0), MB_METHOD_RK45, &i);
        expect(!step(&i, 1, &early, &last), "%s", said);
        near(early, k < 2, 0, "early return");
        if (k == 1)
            expect(last >= 0.3 && last < 0.6, "it goes on to %.17g", last);
        else
            near(last, k == 0 ? 0.6 : 1, 0, "time");
        near(i.last, last, 0, "time of the last call");
        i.returns_from = INFINITY;
        expect(!step(&i, 2, &early, &last) && !early, "%s", said);
        mb_instance *right = start(make_model((mb_model){.ns = 1, .derivative.call = driven_by_time}),
                                   MB_METHOD_RK45, 1e-10);
        step_to(right, 2, 4);
        near(((mb_instance *)i.m)->now.s[0], right->now.s[0], 2e-9, "state");
        mb_free(right);
        fmi3FreeInstance(i.m);
    }
}

CHECK(an_event_is_found_where_an_input_given_on_the_way_brings_it_about)
{
    importer i = {.gives = 1, .returns_at = INFINITY};
    double last;
    int early;
    mb_instance *m = visited(visited_model(1), MB_METHOD_RK45, &i);
    expect(!step(&i, 1, &early, &last), "%s", said);
    near(m->now.d[1], asin(0.5) / 3, 1e-12, "time of the event");
    fmi3FreeInstance(m);
}

/* What must not be done in a call, each ends the step with an error. */
static void reads_early(fmi3Instance m)
{
    const fmi3ValueReference vr = reference(tested_model, MB_OUTPUT, 0);
    double value;
    expect(fmi3GetFloat64(m, &vr, 1, &value, 1) == fmi3Error, "a tentative output is given");
}

static void reads_another(fmi3Instance m)
{
    const fmi3ValueReference vr = reference(tested_model, MB_STATE, 0);
    double value;
    expect(fmi3GetFloat64(m, &vr, 1, &value, 1) == fmi3Error, "what was not required is given");
    expect(strstr(said, "s0") != NULL, "%s", said);
}

static void writes_a_parameter(fmi3Instance m)
{
    const fmi3ValueReference vr = reference(tested_model, MB_PARAMETER, 0);
    const double value = 1;
    expect(fmi3SetFloat64(m, &vr, 1, &value, 1) == fmi3Error, "a parameter is set");
}

static void starts_anew(fmi3Instance m)
{
    fmi3Boolean a, b, c;
    double last;
    expect(fmi3Reset(m) == fmi3Error && fmi3Reset(m) == fmi3Error, "it is reset");
    expect(fmi3DoStep(m, 0, 1, fmi3True, &a, &b, &c, &last) == fmi3Error, "it steps");
    fmi3FreeInstance(m);
}

CHECK(what_is_not_allowed_on_the_way_ends_the_step)
{
    void (*const mistakes[])(fmi3Instance) = {reads_early, reads_another, writes_a_parameter,
                                              starts_anew};
    for (int k = 0; k < 4; k++) {
        importer i = {.gives = 1, .returns_at = INFINITY, .misbehave = mistakes[k]};
        double last;
        int early;
        mb_instance *m = visited(visited_model(0), MB_METHOD_RK45, &i);
        expect(step(&i, 1, &early, &last) == fmi3Error, "the step succeeds");
        expect(strstr(said, "intermediate update") != NULL, "%s", said);
        near(m->now.t + m->now.s[0], 0, 0, "time and state");
        expect(mb_mode_of(m) == MB_FAILED, "it goes on");
        fmi3FreeInstance(m);
    }
}

CHECK(variables_that_cannot_be_had_on_the_way_are_refused)
{
    tested_model = visited_model(0);
    const fmi3ValueReference wrong[] = {reference(tested_model, MB_PARAMETER, 0), 1000};
    for (int k = 0; k < 2; k++) {
        expect(!fmi3InstantiateCoSimulation("name", "token", "", 0, 0, 0, 0, wrong + k, 1, NULL, listen,
                                            update),
               "there is an instance");
        expect(strstr(said, k ? "1000" : "p0") != NULL, "%s", said);
    }
}
