/* Opens the file that its first word names, in all ways and twice each, and uses none of what it
   gets. */
#include <stdio.h>

int main(int count, char** words) {
    static const char* const modes[] = {"r", "rb", "w", "a+"};
    FILE* file = NULL;
    size_t at;
    for (at = 0; count > 1 && at < sizeof modes / sizeof *modes; ++at) {
        file = fopen(words[1], modes[at]);
        if (file == NULL)
            perror(words[1]);
    }
    printf("%d %d %d\n", fprintf(file, "lost\n"), fgetc(file), fclose(file));
    return 0;
}
