/* Rows of numbers that an argument chooses: data of a model, and the search for a row.
 *
 * Rising numbers, the ends, part the axis; the row of an argument is the one with the number of
 * ends up to it. A place is first bounded by equal intervals between the first and the last end,
 * then halved: one or two comparisons where points are about equally far apart, however many there
 * are. Nothing is remembered, so that a result depends on the argument alone. */
#ifndef MB_LOOKUP_H
#define MB_LOOKUP_H

typedef struct {
    const double *end, *row; /* ends; rows, one more than there are ends */
    const int *before;       /* by intervals, one more: ends before each; the last end is in one */
    int ends, width;
    double scale; /* intervals by the distance from the first to the last end */
} mb_lookup;

/* Where the row of an argument begins; that of NaN is the first. */
static inline double mb_piece(const mb_lookup *of, double x)
{
    const double first = of->end[0];
    int low, high;
    const int *before;
    if (!(x >= first))
        return 0;
    if (x >= of->end[of->ends - 1])
        return (double)of->ends * of->width;
    /* Rounding keeps the order, so ends in other intervals are below or above. */
    before = of->before + (int)((x - first) * of->scale);
    low = before[0];
    high = before[1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (of->end[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low * of->width;
}

#endif
