/* Lab 8: a network of comparisons. */

/* This rank has `key`. The number that belongs here. */
unsigned sort(unsigned key) {
    return key; /* nothing is sorted yet */
}
