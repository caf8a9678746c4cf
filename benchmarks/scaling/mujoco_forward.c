/* Times MuJoCo's forward dynamics, mj_forward, for an open chain without contacts.
 *
 *     mujoco_forward MODEL.xml STATES BLOCKS SECONDS
 *
 * A state is the joints' rates, then their angles. Without blocks it prints the accelerations
 * instead. */
#define _POSIX_C_SOURCE 199309L
#include <mujoco/mujoco.h>
#include <string.h>

#include "rounds.h"

static mjModel *model;
static mjData *data;

static void evaluate(const double *state)
{
    memcpy(data->qvel, state, sizeof(double) * (size_t)model->nv);
    memcpy(data->qpos, state + model->nv, sizeof(double) * (size_t)model->nq);
    mj_forward(model, data);
}

int main(int arguments, char **argument)
{
    char message[1000] = "";
    if (arguments != 5)
        die("see the comment at the top for the arguments");
    model = mj_loadXML(argument[1], NULL, message, sizeof message);
    if (!model)
        die(message);
    data = mj_makeData(model);
    const number_table states = read_table(argument[2]);
    if (states.columns != model->nv + model->nq)
        die("model and states do not fit together");
    const int blocks = atoi(argument[3]);
    if (blocks > 0)
        time_blocks("forward", evaluate, &states, blocks, atof(argument[4]));
    else
        print_rows(evaluate, &states, data->qacc, (int)model->nv);
    return 0;
}
