/* Modes of events at the start. */
#include "model.h"

/* Two events; where the first is active, the second must not be. */
FUNCTION(exclusive)
{
    res[0][0] = arg[P][0];
    res[0][1] = arg[D][0] > 0.5 ? -1 : 1;
}

static void modes_at_start(double indicator, double first, double second)
{
    static const double band[] = {0.25, 0};
    mb_model *model = make_model((mb_model){
        .ns = 1, .np = 1, .nd = 2, .ne = 2, .band = band, .indicator.call = exclusive});
    variable(model, MB_PARAMETER, 0)->start = indicator;
    mb_instance *m = start(model, MB_METHOD_classical, 1);
    near(m->now.d[0], first, 0, "mode of the first");
    near(m->now.d[1], second, 0, "mode of the second");
    mb_free(m);
}

CHECK(initial_modes_follow_the_sign_inside_the_band_too)
{
    modes_at_start(0.1, 1, 0);
    modes_at_start(-0.1, 0, 1);
    modes_at_start(0.5, 1, 0);
    modes_at_start(-0.5, 0, 1);
    modes_at_start(0, 0, 1);
}
