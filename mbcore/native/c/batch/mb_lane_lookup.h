/* Lookups in lanes, one after the other; what includes this has mb_lanes.h and mb_lookup.h. */
#ifndef MB_LANE_LOOKUP_H
#define MB_LANE_LOOKUP_H

MB_LANE mb_each_piece(const mb_lookup *of, mb_lane x)
{
    for (int i = 0; i < MB_LANES; i++)
        x[i] = mb_piece(of, x[i]);
    return x;
}

MB_LANE mb_each_entry(const mb_lookup *of, mb_lane place, int column)
{
    for (int i = 0; i < MB_LANES; i++)
        place[i] = of->row[(int)place[i] + column];
    return place;
}

#endif
