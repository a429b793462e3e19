# Speed of the clustering selectors, of coherence, maps and spanning trees, beside what they should
# cost. CPU seconds of this process (all threads); run on an idle machine.
#
#   Rscript inst/benchmark/clustering.R

library(semiselect)

cpu <- function(expr) sum(system.time(expr, gcFirst = TRUE)[c("user.self", "sys.self")])
# Seconds per unit of work from a short and a long run, so that the setup drops out.
per_unit <- function(run, few, many) (cpu(run(many)) - cpu(run(few))) / (many - few)
results <- list()
report <- function(job, seconds, bound, what) {
  results[[length(results) + 1]] <<- data.frame(job, seconds = signif(seconds, 3), bound,
                                                reached = seconds <= bound, what)
}
labels <- function(n, each, classes = 2) {
  replace(rep(NA_integer_, n), seq_len(each * classes), rep(seq_len(classes), each))
}

set.seed(1)
x <- matrix(rnorm(1920 * 3289), 1920)
y <- labels(1920, 2)
wckm <- function(x, y) function(iterations) {
  rank_wckm(x, y, init = "labels", tol = -1, max_iter = iterations, threads = 1)
}
report("wCKM, one iteration, 1920 x 3289, K = 2", per_unit(wckm(x, y), 5, 105), 0.011,
       "twice the prototype of 40 lines")
x_wide <- matrix(rnorm(192 * 2420), 192)
report("wCKM, one iteration, 192 x 2420, K = 10",
       per_unit(wckm(x_wide, labels(192, 2, 10)), 10, 410), 0.0026, "twice the prototype")
report("L2GFS to convergence, 1920 x 3289, K = 2",
       cpu(rank_l2gfs(x, y, init = "labels", threads = 1)), 1, "a second")

pairs <- constraints_from_labels(labels(1920, 32))
report("coherence of 2016 constraints, 3289 columns", cpu(coherence(pairs, x)), 0.3,
       "well under a second")

tall <- matrix(rnorm(1e5 * 300), 1e5)
by_variance <- rank_variance(tall)
product <- cpu(crossprod(tall[, 1:200]))
report("remove_redundant, h = 200, n = 1e5", cpu(remove_redundant(by_variance, tall)), product,
       "R's own crossprod() of the 200 columns")

# conclust needs 1.5 and 2.7 s for 300 rows and grows with their cube.
few <- matrix(rnorm(300 * 10), 300)
repeated <- function(fun) function(times) {
  for (i in seq_len(times)) suppressWarnings(fun(few, labels(300, 10, 3)))
}
report("cop_kmeans, 300 rows", per_unit(repeated(cop_kmeans), 1, 51), 0.015,
       "a hundredth of conclust")
report("mpc_kmeans, 300 rows", per_unit(repeated(mpc_kmeans), 1, 51), 0.027,
       "a hundredth of conclust")
many <- matrix(rnorm(30000 * 10), 30000)
report("cop_kmeans, 30000 rows", cpu(suppressWarnings(cop_kmeans(many, labels(30000, 10, 3)))), 3,
       "a hundred times more rows")

wide <- matrix(rnorm(100 * 2e5), 100)
y_wide <- labels(100, 5)
report("CSFS, 100 x 200000", cpu(rank_csfs(wide, y_wide, threads = 1)), 1, "a second")
report("CSFSR, 100 x 200000", cpu(rank_csfsr(wide, y_wide, threads = 1)), 5, "five seconds")
report("CLS with a map, 100 x 200000", cpu(rank_cls(wide, y_wide, som = TRUE, threads = 1)), 5,
       "five seconds")
report("BCS, 50 bags, 100 x 200000", cpu(rank_bcs(wide, y_wide, threads = 1)), 5, "five seconds")
report("wCKM, 10 restarts, 100 x 200000", cpu(rank_wckm(wide, y_wide, threads = 1)), 5,
       "five seconds")

square <- matrix(rnorm(4e6), 2000)
report("CSFS, 2000 x 2000", cpu(rank_csfs(square, labels(2000, 100), threads = 1)),
       cpu(dist(square[1:1000, ])), "dist() of half the rows")
report("map of 20000 x 50", cpu(compress_som(matrix(rnorm(1e6), 20000))), 2, "two seconds")

# Growth: wCKM is linear in rows and in columns.
time_of <- function(n, p) per_unit(wckm(x[seq_len(n), seq_len(p)], labels(n, 2)), 5, 55)
slope <- function(a, b, ratio) log(b / a) / log(ratio)
base <- time_of(480, 3200)
cat(sprintf("wCKM: time per iteration grows with n^%.2f (480 to 1920) and p^%.2f (800 to 3200)\n\n",
            slope(base, time_of(1920, 3200), 4), slope(time_of(480, 800), base, 4)))
print(do.call(rbind, results), row.names = FALSE, right = FALSE)
