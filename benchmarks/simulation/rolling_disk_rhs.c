/* Times the rolling disk's right-hand side: generated C with the FMU's own Newton iteration, and
 * equations derived by hand. Linked with the generated model and the runtime.
 * Prints lines `name seconds-per-call ...`, one number each repetition. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hand_disk.h"
#include "mb_calls.h"

enum { CALLS = 200000, REPETITIONS = 9, STATES = 8, MOST_COORDINATES = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Two states 1e-2 apart and the configurations that belong to them. */
static double state[2][STATES] = {{0.11, -0.01, 0.42, 0.3, 0.2, 0.5, 0.7, -0.2}};
static double configuration[2][MOST_COORDINATES];
static double rate[STATES], output[8];
static mb_instance *m;

/* Each call begins at the other state's configuration. */
static int converge(int i)
{
    memcpy(m->now.s, state[i & 1], sizeof state[0]);
    memcpy(m->now.x, configuration[~i & 1], (size_t)MB_MODEL->nx * sizeof(double));
    return mb_converge(m, &m->now);
}

static void newton(int i)
{
    converge(i);
}

static void right_hand_side(int i)
{
    converge(i);
    mb_run(m, &MB_MODEL->derivative, &m->now, rate, NULL);
}

static void with_forces(int i)
{
    right_hand_side(i);
    mb_run(m, &MB_MODEL->output, &m->now, output, NULL);
}

static void one_newton_step(int i)
{
    (void)i;
    mb_run(m, &MB_MODEL->newton, &m->now, m->next_coordinates, NULL);
}

static void derivative(int i)
{
    (void)i;
    mb_run(m, &MB_MODEL->derivative, &m->now, rate, NULL);
}

static void by_hand(int i)
{
    hand_disk(state[i & 1], rate);
}

static void by_hand_with_forces(int i)
{
    hand_disk_with_forces(state[i & 1], rate, output);
}

static void measure(const char *name, void (*action)(int))
{
    printf("%s", name);
    for (int i = 0; i < CALLS / 10; i++) /* caches and clock rate settle */
        action(i);
    for (int k = 0; k < REPETITIONS; k++) {
        const double start = now();
        for (int i = 0; i < CALLS; i++)
            action(i);
        printf(" %.6g", (now() - start) / CALLS);
    }
    printf("\n");
}

static int prepare(void)
{
    char message[MB_MESSAGE];
    const mb_model *model = &mb_generated_model;
    m = mb_create("benchmark", "disk", model->token, MB_CO_SIMULATION, message);
    if (!m || model->ns != STATES || model->nx > MOST_COORDINATES)
        return 0;
    if (mb_enter_initialization(m) || mb_exit_initialization(m))
        return 0;
    for (int i = 0; i < STATES; i++)
        state[1][i] = state[0][i] + 0.01;
    for (int i = 0; i < 2; i++) {
        mb_point from = m->accepted;
        memcpy(m->now.s, state[i], sizeof state[i]);
        if (!mb_reach_in_substeps(m, &from, &m->now))
            return 0;
        memcpy(configuration[i], m->now.x, (size_t)model->nx * sizeof(double));
    }
    return 1;
}

int main(void)
{
    if (!prepare() || !converge(0) || !converge(1)) {
        fprintf(stderr, "the disk cannot be assembled\n");
        return 1;
    }
    double largest = 0;
    for (int i = 0; i < MB_MODEL->nx; i++)
        largest = fmax(largest, fabs(configuration[1][i] - configuration[0][i]));
    printf("distance %.6g\n", largest);
    measure("newton_step", one_newton_step);
    measure("derivative", derivative);
    measure("newton", newton);
    measure("right_hand_side", right_hand_side);
    measure("with_forces", with_forces);
    measure("by_hand", by_hand);
    measure("by_hand_with_forces", by_hand_with_forces);
    mb_free(m);
    return 0;
}
