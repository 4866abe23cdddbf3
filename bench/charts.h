/*
 * The charts that the benchmark program makes itself: threads.svg, the time of eight light systems on one thread and on
 * two, and rows.svg, entities per second from one row to ten million.
 */
#ifndef BENCH_CHARTS_H
#define BENCH_CHARTS_H

#include <cstddef>
#include <string>

namespace bench {

/* Measures, `repeats` runs of each point, and writes both into a directory, which is made. False, with a line in the
   error stream, when a result was wrong or a file cannot be written. */
bool write_charts(const std::string &directory, size_t repeats);

} // namespace bench

#endif
