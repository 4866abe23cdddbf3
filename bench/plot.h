/*
 * Charts as SVG: bars in groups, and lines over two logarithmic axes. The text of a chart comes with it, fonts are the
 * reader's, and colours follow the reader's light or dark scheme where a viewer tells it; paper is white elsewhere.
 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct plot_text {
    std::string title;
    std::string note; /* below the title */
    std::string x_label;
    std::string y_label;
};

struct plot_series {
    std::string name;
    std::vector<std::pair<double, double>> points; /* x and y; for bars x is the number of the group */
};

/* Up to five series. */
std::string plot_bars(const plot_text &text, const std::vector<std::string> &groups,
                      const std::vector<plot_series> &series);

/* The same; all numbers are positive. */
std::string plot_lines(const plot_text &text, const std::vector<plot_series> &series);

} // namespace bench

#endif
