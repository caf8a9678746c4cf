/* Chooses calls, makes them, and checks what every one of them leaves. See fuzz.h. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum {
    EPISODE = 2000,      /* calls after which everything begins anew, from a seed of its own */
    LAST_EPISODE = 200,  /* calls at least; those that make and free instances are not counted */
    DRAWN_ONE_IN = 4     /* calls at least; others are in steps of Model Exchange and mostly succeed */
};

slot slots[SLOTS];
const face *chosen;

static unsigned long long seed = 1, episode, calls_made, calls_drawn, in_episode;
static double limit = 1; /* of one call, s */
static const char *version = "2", *present = "nothing yet";
static int messages, trace;
static double slowest;
static const char *slowest_name = "none";
static unsigned long long by_status[4];

static void say_where(void)
{
    fprintf(stderr,
            "\n%s FMI %s: seed %llu, episode %llu, call %llu of it: %s\n"
            "to repeat: --model %s --fmi %s --seed %llu --episode %llu --trace\n",
            mb_generated_model.name, version, seed, episode, in_episode, present,
            mb_generated_model.name, version, seed, episode);
}

void finding(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "\nFINDING: ");
    vfprintf(stderr, format, values);
    va_end(values);
    say_where();
    _exit(1);
}

static void hang(int signal)
{
    (void)signal;
    finding("the call does not return");
}

slot *slot_of(const mb_instance *instance)
{
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].instance == instance)
            return &slots[i];
    return NULL;
}

void told(mb_instance *instance, int status, const char *category, const char *message)
{
    static const char *const known[] = {"logEvents", "logStatusWarning", "logStatusDiscard",
                                        "logStatusError", "logStatusFatal"};
    int i = 0;
    while (i < 5 && strcmp(category, known[i]) != 0)
        i++;
    if (i == 5 || !message || !*message)
        finding("a message \"%s\" of category %s", message ? message : "(null)", category);
    if (strstr(message, "= nan") && status == 0)
        finding("a message tells of NaN: %s", message);
    (void)instance;
    messages++;
    if (trace)
        fprintf(stderr, "        %s\n", message);
}

/* What no refused call may change. */
typedef struct {
    double t, *values;
    mb_mode mode;
} snapshot;

static size_t compared(void)
{
    return (size_t)(MB_MODEL->ns + MB_MODEL->nd + MB_MODEL->nu + MB_MODEL->np);
}

/* One of s, d, u and p. */
static const double *value_of(const mb_instance *m, size_t i)
{
    const size_t others = compared() - (size_t)MB_MODEL->np;
    return i < others ? &m->now.values[i] : &m->now.p[i - others];
}

/* States as they were given, which events at the start may change, and give back. */
static const double *given_states(const mb_instance *m)
{
    return m->start_changed && !m->initialized ? m->start_state : m->now.s;
}

static snapshot look(const mb_instance *m)
{
    snapshot s = {m->now.t, malloc(compared() * sizeof(double) + 1), m->mode};
    for (size_t i = 0; i < compared(); i++)
        s.values[i] = *value_of(m, i);
    memcpy(s.values, given_states(m), (size_t)MB_MODEL->ns * sizeof(double));
    return s;
}

static void check_unchanged(const mb_instance *m, const snapshot *before, int status)
{
    const mb_model *model = MB_MODEL;
    if (m->now.t != before->t)
        finding("a refused call has changed the time from %.17g to %.17g", before->t, m->now.t);
    for (size_t i = 0; i < compared(); i++) {
        const int discrete = (int)i >= model->ns && (int)i < model->ns + model->nd;
        const double *is = (int)i < model->ns ? given_states(m) + i : value_of(m, i);
        if (memcmp(is, &before->values[i], sizeof(double)) != 0 &&
            (m->initialized || !discrete))
            finding("a refused call (status %d) has changed value %lu of s, d, u, p (%d, %d, %d, %d) "
                    "from %.17g to %.17g",
                    status, (unsigned long)i, model->ns, model->nd, model->nu, model->np,
                    before->values[i], *is);
    }
    if (m->mode != before->mode)
        finding("a refused call has changed the mode from %d to %d", before->mode, m->mode);
    if (status == MB_ERROR && !m->failed && nulled != 2)
        finding("after an error calls are still allowed");
}

static void check_instance(const mb_instance *m)
{
    const int configured = m->fresh & MB_CONFIGURED;
    if (!isfinite(m->now.t))
        finding("the time is %g", m->now.t);
    for (size_t i = 0; i < compared(); i++)
        if (!isfinite(*value_of(m, i)))
            finding("value %lu of the instance is %g", (unsigned long)i, *value_of(m, i));
    for (int i = 0; configured && i < MB_MODEL->nx; i++)
        if (!isfinite(m->now.x[i]))
            finding("coordinate %d of the instance is %g", i, m->now.x[i]);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check_duration(double taken)
{
    if (taken > slowest) {
        slowest = taken;
        slowest_name = present;
    }
    if (taken > limit)
        finding("the call has taken %.3g s", taken);
}

/* Outputs as reals; those of other types are no reals, so that the status is kept instead. */
static int outputs(slot *s, double *values)
{
    const mb_model *model = &mb_generated_model;
    for (int i = 0; i < model->variables; i++) {
        const unsigned reference = (unsigned)i;
        const mb_variable *v = &model->variable[i];
        if (v->type != MB_REAL)
            continue;
        if (chosen->get_reals(s->instance, &reference, 1, values++))
            return 0;
    }
    return 1;
}

static int fits(const call *c, const slot *s)
{
    const int exchange = s->instance->interface == MB_MODEL_EXCHANGE;
    return c->modes & (unsigned)mb_mode_of(s->instance) &&
           !(c->modes & (exchange ? MB_CO_SIMULATION_ONLY : MB_MODEL_EXCHANGE_ONLY));
}

/* By weight, of those that fit the mode; seldom of all. */
const call *draw_call(const slot *s)
{
    const int any = chance(25);
    int total = 0;
    for (int i = 0; i < chosen->count; i++)
        total += any || fits(&chosen->calls[i], s) ? chosen->calls[i].weight : 0;
    int at = (int)draw((uint64_t)total);
    for (int i = 0; i < chosen->count; i++)
        if ((any || fits(&chosen->calls[i], s)) && (at -= chosen->calls[i].weight) < 0)
            return &chosen->calls[i];
    return chosen->calls;
}

/* Most instances give up early, for the time of a run is that of its longest calls. A step after an event
 * is looked into at some thirty places for each conditioning measure. */
static void limit_work(slot *s)
{
    const double few = 500 + 100 * mb_generated_model.nr;
    const int most = find_variable("solver.most_evaluations");
    if (s->instance && most >= 0 && !chance(20) && s->instance->mode == MB_INSTANTIATED)
        s->instance->now.p[mb_generated_model.variable[most].index] = few;
}

void count_call(int status)
{
    if (status < 0 || status > MB_ERROR)
        return;
    by_status[status]++;
    calls_made++;
}

static int make(slot *s, const call *c)
{
    const int logs = s->instance->logged & (MB_LOG_DISCARD | MB_LOG_ERROR);
    const snapshot before = look(s->instance);
    const int deep = chance(40) && s->instance->initialized;
    const size_t size = (size_t)mb_generated_model.variables;
    double *was = deep ? array(size, sizeof *was) : NULL, *is = deep ? array(size, sizeof *is) : NULL;
    const int had = deep && outputs(s, was);
    const char *lasting = lasting_of(s->instance);
    if (trace)
        fprintf(stderr, "%6llu slot %d mode %d t %.17g %s\n", in_episode, (int)(s - slots),
                s->instance->mode, s->instance->now.t, c->name);
    present = c->name;
    nulled = messages = 0;
    const double begin = seconds();
    const int status = c->make(s);
    check_duration(seconds() - begin);
    if (trace)
        fprintf(stderr, "       status %d\n", status);
    if (status < -1 || status > MB_ERROR)
        finding("status %d", status);
    count_call(status);
    calls_drawn += status >= 0;
    if (nulled && status >= 0 && status < MB_DISCARD)
        finding("a null pointer is accepted");
    if (status >= MB_DISCARD && s->instance) {
        check_unchanged(s->instance, &before, status);
        if (logs == (MB_LOG_DISCARD | MB_LOG_ERROR) && !messages && !nulled && s->instance->log)
            finding("status %d without a message", status);
        if (had && !outputs(s, is))
            finding("outputs cannot be had after a refused call");
        if (had && memcmp(was, is, size * sizeof *is) != 0)
            finding("outputs have changed with a refused call");
        check_refused(s, lasting, status);
    }
    check_instance(s->instance);
    if (strstr(c->name, "Reset"))
        limit_work(s);
    free(before.values);
    return status;
}

/* Calls from within a callback; the arrays of the outer call stay. */
int visit_calls(slot *s)
{
    static int depth;
    if (depth || !s || !s->instance || !chance(3))
        return 0;
    depth = 1;
    for (uint64_t n = draw(3); n > 0; n--) {
        const call *c = &chosen->calls[draw((uint64_t)chosen->count)];
        if (strstr(c->name, "Instance") || (!strstr(c->name, "Get") && !chance(20)))
            continue;
        const int was = nulled;
        if (trace)
            fprintf(stderr, "       in a visit: %s\n", c->name);
        (void)c->make(s);
        nulled = was;
    }
    depth = 0;
    return 1;
}

static void forget(slot *s)
{
    for (int i = 0; i < STATES; i++)
        free(s->states[i].persistent);
    memset(s, 0, sizeof *s);
}

void keep(slot *s, kept *k)
{
    const size_t size = mb_persistent_size(s->instance);
    if (!k->persistent)
        k->persistent = malloc(size);
    mb_save(s->instance, k->persistent);
}

/* The same calls twice from one state must give the same bytes. */
static void repeat(slot *s)
{
    const size_t size = mb_persistent_size(s->instance);
    char *first = array(size, 1), *second = array(size, 1);
    void *state = NULL;
    present = "the same calls from one state";
    if (chosen->get_state(s->instance, &state))
        return;
    const uint64_t from = draw_state;
    const unsigned logged = s->instance->logged;
    const double pace = s->pace;
    s->instance->logged = 0;
    for (int run = 0; run < 2; run++) {
        draw_state = from;
        s->pace = pace;
        for (int i = 0; i < 12; i++) {
            const call *c = draw_call(s);
            if (strstr(c->name, "Instance") || strstr(c->name, "FMU") || strstr(c->name, "Reset") ||
                strstr(c->name, "Logging"))
                continue;
            (void)c->make(s);
        }
        mb_save(s->instance, run ? second : first);
        if (chosen->set_state(s->instance, state))
            finding("a state that was saved cannot be restored");
    }
    s->instance->logged = logged;
    if (memcmp(first, second, size) != 0)
        finding("the same calls from one state give other bytes");
    if (chosen->free_state(s->instance, &state))
        finding("a state that was saved cannot be freed");
}

static void one_call(void)
{
    slot *s = &slots[draw(SLOTS)];
    if (!s->instance) {
        present = "instantiate";
        s->instance = chosen->instantiate(s);
        limit_work(s);
    } else if (chance(400)) {
        present = "free";
        chosen->free_instance(s->instance);
        forget(s);
    } else if (chance(60) && s->instance->initialized)
        repeat(s);
    else
        (void)make(s, draw_call(s));
    free_arrays();
}

/* Seconds of this process, so that others that run do not count. */
static void watch(void)
{
    const struct itimerval time = {{0, 0}, {(long)(3 * limit) + 1, 0}};
    setitimer(ITIMER_PROF, &time, NULL);
}

static void run_episode(unsigned long long calls)
{
    draw_state = seed * 0x9e3779b97f4a7c15u + episode * 0xbf58476d1ce4e5b9u;
    for (in_episode = 0; in_episode < calls; in_episode++) {
        watch();
        one_call();
    }
    for (int i = 0; i < SLOTS; i++) {
        chosen->free_instance(slots[i].instance);
        forget(&slots[i]);
    }
}

/* Episodes until there are as many calls as are asked for, and enough of them drawn. */
static void run_episodes(unsigned long long calls)
{
    const unsigned long long own = calls / DRAWN_ONE_IN;
    for (episode = 0; calls_made < calls || calls_drawn < own; episode++) {
        const unsigned long long left = calls_made < calls ? calls - calls_made : own - calls_drawn;
        run_episode(left > EPISODE ? EPISODE : left < LAST_EPISODE ? LAST_EPISODE : left);
    }
}

#if defined(__SANITIZE_ADDRESS__)
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

int main(int argc, char **argv)
{
    unsigned long long calls = 20000, only = 0, steps = 0;
    int one = 0, threads = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--trace"))
            trace = 1;
        else if (!strcmp(argv[i], "--fmi"))
            version = value, i++;
        else if (!strcmp(argv[i], "--seed"))
            seed = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--calls"))
            calls = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--soak"))
            steps = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--threads"))
            threads = atoi(value), i++;
        else if (!strcmp(argv[i], "--limit"))
            limit = atof(value), i++;
        else if (!strcmp(argv[i], "--episode"))
            only = strtoull(value, NULL, 10), one = 1, i++;
    }
    chosen = version[0] == '2' && !threads ? &fmi2_face : &fmi3_face;
    signal(SIGPROF, hang);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(say_where);
#endif
    list_variables();
    if (threads)
        return run_threads(threads);
    if (steps)
        return soak(steps);
    if (one)
        episode = only, run_episode(EPISODE);
    else
        run_episodes(calls);
    printf("%s FMI %s: %llu calls, %llu drawn, seed %llu: %llu OK, %llu discarded, %llu errors; "
           "%llu steps of Model Exchange, %llu refused; %llu states read; slowest %.3g s: %s\n",
           mb_generated_model.name, version, calls_made, calls_drawn, seed, by_status[0], by_status[2],
           by_status[3], steps_made, steps_refused, states_read, slowest, slowest_name);
    return 0;
}
