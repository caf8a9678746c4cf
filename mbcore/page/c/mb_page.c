/* What the page needs in addition to the functions of FMI 3.0: an instance whose log goes to the page,
 * and the numbers of its scene at the instance's present point. */
#include "fmi3Functions.h"
#include "mb_calls.h"

/* generated beside the model */
extern const int mb_scene_size;
void mb_scene(const double **arg, double *numbers);

/* the page's */
__attribute__((import_module("page"), import_name("log"))) void mb_page_log(int status,
                                                                            const char *message);

static void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                        fmi3String message)
{
    (void)environment, (void)category;
    mb_page_log((int)status, message);
}

fmi3Instance mb_page_instantiate(void)
{
    const fmi3String events[] = {"logEvents"};
    const fmi3Instance m =
        fmi3InstantiateCoSimulation("page", mb_generated_model.token, NULL, fmi3False, fmi3True,
                                    fmi3False, fmi3False, NULL, 0, NULL, log_message, NULL);
    if (m)
        fmi3SetDebugLogging(m, fmi3False, 1, events);
    return m;
}

/* Lets an input move at a rate in the next step, which FMI 3.0 has no function for. */
int mb_page_move(mb_instance *m, unsigned reference, double rate)
{
    if (!mb_enter(m, "moving an input", MB_STEP))
        return MB_ERROR;
    const mb_status status = mb_check_input_derivative(m, reference, 1, rate);
    if (!status)
        mb_set_input_derivative(m, reference, 1, rate);
    return mb_leave(m, status);
}

int mb_page_scene_size(void) { return mb_scene_size; }

int mb_page_scene(mb_instance *m, double *numbers)
{
    if (!mb_enter(m, "the scene", MB_CALCULATING))
        return MB_ERROR;
    mb_status status = mb_initialize(m);
    if (!status)
        status = mb_configure(m);
    if (!status) {
        const mb_point *at = &m->now;
        const double *arg[] = {&at->t, at->s, at->d, at->u, at->p, at->x};
        mb_scene(arg, numbers);
    }
    return mb_leave(m, status);
}
