/* Reads standard input, or the file that the second word names, in the way of the first word, and
   prints what it has read. By scanf() by turns, line by line, letter by letter, and so on. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void numbers(FILE* file) {
    int count = 0, got;
    double number, sum = 0;
    printf("numbers, please: ");
    while ((got = fscanf(file, "%lf", &number)) == 1) {
        sum += number;
        ++count;
    }
    printf("%d of sum %.17g, then %d\n", count, sum, got);
}

static void words(FILE* file) {
    char word[16];
    while (fscanf(file, "%15s", word) == 1)
        printf("<%s>\n", word);
    printf("at the end: %d\n", feof(file) != 0);
}

static void lines(FILE* file) {
    char line[20];
    while (!feof(file)) {
        if (fgets(line, sizeof line, file) == NULL)
            break;
        printf("%zu: %s\n", strlen(line), line);
    }
    printf("at the end: %d\n", feof(file) != 0);
}

static void whole_lines(FILE* file) {
    char* line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) != -1)
        printf("%ld, %.10s\n", (long)length, line);
    free(line);
}

static void letters(FILE* file) {
    unsigned sum = 0, count = 0;
    int letter;
    while ((letter = file == stdin ? getchar() : getc(file)) != EOF) {
        sum = sum * 31 + (unsigned)letter;
        ++count;
        if (letter == '7')
            ungetc('x', file);
    }
    printf("%u letters, %u; again %d\n", count, sum, fgetc(file));
    clearerr(file);
    printf("at the end: %d\n", feof(file) != 0);
}

static void unlocked(FILE* file) {
    unsigned sum = 0;
    int letter;
    while ((letter = file == stdin ? getchar_unlocked() : getc_unlocked(file)) != EOF)
        sum = sum * 31 + (unsigned)letter;
    printf("%u\n", sum);
}

static void blocks(FILE* file) {
    char block[96];
    size_t got;
    while ((got = fread(block, 8, sizeof block / 8, file)) != 0)
        printf("%zu %.4s\n", got, block);
}

/* At its place behind a move, which may be none. */
static void look(FILE* file, long offset, int from) {
    const int moved = fseek(file, offset, from);
    const int letter = getc(file);
    printf("%d %d %ld\n", moved, letter, ftell(file));
}

static void places(FILE* file) {
    look(file, 0, SEEK_END);
    rewind(file);
    look(file, 0, SEEK_CUR);
    look(file, -3, SEEK_END);
    look(file, -2, SEEK_CUR);
    look(file, 700, SEEK_SET);
    look(file, -5, SEEK_SET);
}

int main(int count, char** given) {
    static const struct {
        const char* name;
        void (*read)(FILE*);
    } ways[] = {{"numbers", numbers}, {"words", words},       {"lines", lines},
                {"getline", whole_lines}, {"letters", letters}, {"unlocked", unlocked},
                {"blocks", blocks},   {"places", places}};
    FILE* file = stdin;
    size_t way;
    if (count > 2 && (file = fopen(given[2], "r")) == NULL) {
        perror(given[2]);
        return 0;
    }
    for (way = 0; way < sizeof ways / sizeof *ways; ++way)
        if (count > 1 && strcmp(ways[way].name, given[1]) == 0)
            ways[way].read(file);
    return fclose(file);
}
