/* Weighted sums of long arrays, entry by entry in the order of the arrays, so that they have the bits of a sum
 * for each entry. Blocks are of constant length, for which compilers calculate with vectors. */
#ifndef MB_LONG_H
#define MB_LONG_H

enum { MB_LONG = 64, MB_BLOCK = 16 };

static inline void mb_add_one(double *restrict sum, const double *restrict a, double weight)
{
    for (int i = 0; i < MB_BLOCK; i++)
        sum[i] = sum[i] + weight * a[i];
}

static inline void mb_add_some(double *restrict sum, const double *restrict a, const double *restrict b,
                               const double *restrict c, const double *restrict d, const double *weight)
{
    const double wa = weight[0], wb = weight[1], wc = weight[2], wd = weight[3];
    for (int i = 0; i < MB_BLOCK; i++)
        sum[i] = sum[i] + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
}

/* Adds the arrays from `first` to before `end` to sums, each n long. */
static inline void mb_add_long(double *sum, const double *const *array, const double *weight, int first, int end,
                               int n)
{
    int i = 0;
    for (; i + MB_BLOCK <= n; i += MB_BLOCK) {
        int j = first;
        for (; j + 4 <= end; j += 4)
            mb_add_some(sum + i, array[j] + i, array[j + 1] + i, array[j + 2] + i, array[j + 3] + i, weight + j);
        for (; j < end; j++)
            mb_add_one(sum + i, array[j] + i, weight[j]);
    }
    for (; i < n; i++)
        for (int j = first; j < end; j++)
            sum[i] = sum[i] + weight[j] * array[j][i];
}

#endif
