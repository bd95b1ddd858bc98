/* What textbook programs take from the C library besides printf() and the heap. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void scans(void) {
    int year, month, day, taken = 0;
    unsigned mask;
    long long large;
    float x;
    double y;
    char name[8], rest[8];
    printf("%d", sscanf("2026-11-29", "%d-%d-%d", &year, &month, &day));
    printf(" %d %d %d\n", year, month, day);
    printf("%d", sscanf("key = 0xff ; -9223372036854775807", "%7[a-z] = %x %1s %lld%n", name, &mask,
                        rest, &large, &taken));
    printf(" %s %x %s %lld %d\n", name, mask, rest, large, taken);
    printf("%d", sscanf("1.5e3,3.14159265358979323846264338327950288", "%f,%lf", &x, &y));
    printf(" %.9g %.17g\n", x, y);
    printf("%d %d\n", sscanf("none", "%d", &day), sscanf("", "%d", &day));
}

static void numbers(void) {
    static const char* const texts[] = {
        "0.1", "3.141592653589793238462643383279", "1e23", "8.5e-17", "2.2250738585072011e-308",
        "5e-324", "1.7976931348623157e308", "123456789012345678901234567890", "1e400", "0x1.8p3"};
    size_t at;
    for (at = 0; at < sizeof texts / sizeof *texts; ++at)
        printf("%.17g %.9g\n", strtod(texts[at], NULL), strtof(texts[at], NULL));
}

static void calendar(void) {
    static const time_t times[] = {0, 86399, 951782400, 1709210096, 4102444799, -1};
    static const char conversions[] = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%";
    char text[64], format[] = "%?,";
    size_t at;
    const char* one;
    struct tm fields = {.tm_year = 126, .tm_mon = 14, .tm_mday = -3, .tm_hour = 30, .tm_sec = 61};
    for (at = 0; at < sizeof times / sizeof *times; ++at) {
        const struct tm* const now = at % 2 ? gmtime(&times[at]) : localtime(&times[at]);
        for (one = conversions; *one != '\0'; ++one) {
            format[1] = *one;
            printf("%zu%s", strftime(text, sizeof text, format, now), text);
        }
        printf("\n%zu%s", strftime(text, 4, "%Y", now), asctime(now));
        printf("%s", ctime(&times[at]));
    }
    printf("%lld", (long long)mktime(&fields));
    printf(" %d %d %d\n", fields.tm_mon, fields.tm_mday, fields.tm_wday);
}

static void memory(void) {
    size_t alignment;
    for (alignment = 8; alignment <= 4096; alignment *= 2) {
        void *one = NULL, *other = aligned_alloc(alignment, alignment), *between = malloc(24);
        const int refused = posix_memalign(&one, alignment, 100);
        printf("%d%d%d ", refused, (int)((uintptr_t)one % alignment),
               (int)((uintptr_t)other % alignment));
        memset(one, 1, 100);
        memset(other, 2, alignment);
        memset(between, 3, 24);
        free(other);
        free(one);
        free(between);
    }
    printf("%d\n", posix_memalign(&(void*){NULL}, 3, 100) != 0);
}

static void rest(void) {
    static char buffer[BUFSIZ];
    struct rusage used;
    printf("%d ", setvbuf(stdout, NULL, _IONBF, 0));
    setbuf(stdout, buffer);
    printf("%d ", getrusage(RUSAGE_SELF, &used));
    printf("%d\n", clock() != (clock_t)-1 && used.ru_utime.tv_sec >= 0);
}

int main(void) {
    scans();
    numbers();
    calendar();
    memory();
    rest();
    return 0;
}
