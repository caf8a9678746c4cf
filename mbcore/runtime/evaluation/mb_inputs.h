/* Inputs within a step, and their rates. */
#ifndef MB_INPUTS_H
#define MB_INPUTS_H

#include "mb_evaluate.h"

void mb_compare_rates(mb_instance *m, double since, const double *before, mb_span over);
mb_status mb_check_input_derivative(mb_instance *m, unsigned reference, int order, double value);
void mb_set_input_derivative(mb_instance *m, unsigned reference, int order, double value);
void mb_move_inputs(mb_instance *m);

/* Changes the time within a step, and the inputs with it. */
static inline void mb_go_to(mb_instance *m, double t)
{
    m->now.t = t;
    m->fresh = 0;
    if (m->input_mode != MB_INPUTS_CONSTANT)
        mb_move_inputs(m);
}

void mb_input_rates(const mb_instance *m, double *rate);
mb_status mb_begin_inputs(mb_instance *m, double end);
void mb_end_inputs(mb_instance *m, int succeeded);

#endif
