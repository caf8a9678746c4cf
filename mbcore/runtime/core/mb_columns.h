/* Variations of states, time, inputs and parameters, the columns of a matrix of which most rows are zero. */
#ifndef MB_COLUMNS_H
#define MB_COLUMNS_H

typedef struct {
    int count, states;   /* numbers: of columns, of rows of */
    const double *state; /* the first entries of all columns, row by row */
    const int *value;    /* of each column the place of an entry that is 1 besides, -1 for none */
} mb_columns;

#endif
