/* Runs checks and says how they went: main NAME... What checks are made of stands here too. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h" /* generated: EACH_CHECK(USE) is USE(name) for each check */
#include "model.h"

#define DECLARE(name) void check_##name(void);
EACH_CHECK(DECLARE)

static const char *running;

void expect(int condition, const char *format, ...)
{
    if (condition)
        return;
    va_list values;
    va_start(values, format);
    printf("FAILED %s: ", running);
    vprintf(format, values);
    printf("\n");
    va_end(values);
    exit(1);
}

void near(double value, double right, double tolerance, const char *what)
{
    expect(fabs(value - right) <= tolerance, "%s is %.17g, not %.17g, and off by %.3g", what, value,
           right, value - right);
}

void same_bytes(const double *values, const double *right, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        expect(!memcmp(values + i, right + i, sizeof *values), "%s: value %d is %a, not %a", what,
               i, values[i], right[i]);
}

void says(const mb_instance *m, const char *words)
{
    expect(strstr(m->message, words) != NULL, "\"%s\" says nothing of \"%s\"", m->message, words);
}

double random_between(double low, double high)
{
    static unsigned long state = 12345; /* Park and Miller's generator */
    state = state * 16807ul % 2147483647ul;
    return low + (high - low) * (double)state / 2147483647.0;
}

mb_instance *create(const mb_model *model, mb_interface interface)
{
    char message[MB_MESSAGE];
    tested_model = model;
    mb_instance *m = mb_create("create", "instance", model->token, interface, message);
    expect(m != NULL, "there is no instance: %s", message);
    return m;
}

void initialize(mb_instance *m)
{
    expect(!mb_enter_initialization(m) && !mb_exit_initialization(m), "initialization: %s",
           m->message);
}

mb_instance *start(mb_model *model, int method, double tolerance)
{
    solver(model, 0)->start = method;
    solver(model, 1)->start = tolerance;
    mb_instance *m = create(model, MB_CO_SIMULATION);
    initialize(m);
    return m;
}

void step_to(mb_instance *m, double time, int steps)
{
    const double begin = m->now.t;
    for (int k = 0; k < steps; k++) {
        const double to = begin + (k + 1) * (time - begin) / steps;
        int event;
        expect(!mb_do_step(m, m->now.t, to - m->now.t, &event), "step to t = %.9g: %s", to,
               m->message);
    }
}

mb_instance *integrate(mb_model *model, const mb_method *method, double time, int steps)
{
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    m->method = method;
    for (int k = 0; k < steps; k++) {
        double error;
        int failed = mb_evaluate(m, MB_DERIVED) || (method->prepare && method->prepare(m));
        memcpy(m->stage[0], m->rate, (size_t)model->ns * sizeof(double));
        failed = failed || method->attempt(m, time / steps, (k + 1) * time / steps, &error);
        expect(!failed && !mb_accept(m), "step %d: %s", k, m->message);
    }
    return m;
}

static int check(const char *name)
{
    running = name;
#define RUN(name)                                                                                  \
    if (!strcmp(running, #name)) {                                                                 \
        check_##name();                                                                            \
        return 0;                                                                                  \
    }
    EACH_CHECK(RUN)
    printf("FAILED %s: there is no such check\n", running);
    return 1;
}

/* Each check has a process of its own, which begins as fresh as the program and which the
   sanitizers examine at its end. Forked, it need not be loaded again. */
int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        fflush(stdout);
        const pid_t process = fork();
        if (!process)
            return check(argv[i]);
        int status;
        if (process < 0 || waitpid(process, &status, 0) != process || status)
            failed = 1;
        else
            printf("ok %s\n", argv[i]);
    }
    return failed;
}
