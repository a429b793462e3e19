# SPEC, ReliefF and mRMR against the recorded times of their peers, and how the time of the filter
# scores grows, one thread, CPU seconds of one run.
#
#   Rscript inst/benchmark/filters.R          500 x 1000 and 2000 x 2000
#   Rscript inst/benchmark/filters.R all      2000 x 10 000 too
#
# scikit-feature, Rdimtools and praznik are not always at hand: their recorded times are scaled by
# what FNN takes here over what it took where they were recorded. The exponents are slopes of log
# time against log size over the largest doublings; below the stated one, fixed costs still show.

library(semiselect)
stopifnot(requireNamespace("FNN", quietly = TRUE))

cpu <- function(expr, runs = 3) {
  call <- substitute(expr)
  frame <- parent.frame()
  min(vapply(seq_len(runs), function(run) {
    gc(FALSE)
    sum(system.time(eval(call, frame))[c("user.self", "sys.self")])
  }, 0))
}

sizes <- data.frame(
  n = c(500, 2000, 2000), p = c(1000, 2000, 10000), fnn_recorded = c(0.22, 7.4, 40.7),
  spec = c(0.58, 42.0, 186), relieff = c(0.31, 9.0, 26.1), mrmr = c(0.019, 0.11, 0.48),
  spec_target = c(20, 50, 40), relieff_target = c(15, 20, 12), mrmr_target = c(1, 1, 1)
)
if (!"all" %in% commandArgs(TRUE)) sizes <- sizes[1:2, ]

data_of <- function(n, p) {
  set.seed(1)
  list(x = matrix(rnorm(n * p), n), y = rep(c("a", "b"), length.out = n))
}

for (s in seq_len(nrow(sizes))) {
  size <- sizes[s, ]
  d <- data_of(size$n, size$p)
  here <- cpu(FNN::get.knn(d$x, 5, algorithm = "brute"), 1) / size$fnn_recorded
  ours <- list(
    spec = cpu(rank_spec(d$x, threads = 1, verbose = FALSE)),
    relieff = cpu(rank_relieff(d$x, d$y, threads = 1, verbose = FALSE)),
    mrmr = cpu(rank_mrmr(d$x, d$y, n_features = 3, threads = 1, verbose = FALSE))
  )
  cat(sprintf("%d x %d\n", size$n, size$p))
  for (method in names(ours)) {
    ratio <- here * size[[method]] / ours[[method]]
    target <- size[[paste0(method, "_target")]]
    cat(sprintf("  %-8s %8.4f s  peer over ours %7.1f  target %4.0f  %s (recorded)\n", method,
                ours[[method]], ratio, target, if (ratio >= target) "reached" else "NOT REACHED"))
  }
}

# Slope of the time of `run(size)` over the sizes given.
grow <- function(what, stated, sizes, run) {
  seconds <- vapply(sizes, function(size) {
    task <- run(size)
    cpu(task(), 2)
  }, 0)
  slope <- stats::coef(stats::lm(log(pmax(seconds, 1e-3)) ~ log(sizes)))[[2]]
  cat(sprintf("  %-34s exponent %5.2f  stated %s  (%s s)\n", what, slope, stated,
              paste(format(round(seconds, 3)), collapse = ", ")))
}

cat("growth\n")
quiet <- function(f, ...) {
  force(f)
  arguments <- list(..., threads = 1, verbose = FALSE)
  function() suppressWarnings(do.call(f, arguments))
}
grow("SPEC phi 2, n", "2", c(500, 1000, 2000), function(n) quiet(rank_spec, data_of(n, 1000)$x))
grow("SPEC phi 2, p", "1", c(1000, 2000, 4000), function(p) quiet(rank_spec, data_of(1000, p)$x))
grow("SPEC phi 2 on a graph, edges", "1", c(50, 100, 200), function(k) {
  d <- data_of(1000, 4000)
  quiet(rank_spec, d$x, graph = neighbor_graph(d$x, k = k))
})
grow("sSelect on a graph, edges", "1", c(50, 100, 200), function(k) {
  d <- data_of(1000, 4000)
  quiet(rank_sselect, d$x, d$y, graph = neighbor_graph(d$x, k = k))
})
grow("ReliefF, labelled rows", "2", c(500, 1000, 2000), function(n) {
  d <- data_of(n, 1000)
  quiet(rank_relieff, d$x, d$y)
})
grow("ReliefF, p", "1", c(1000, 2000, 4000), function(p) {
  d <- data_of(1000, p)
  quiet(rank_relieff, d$x, d$y)
})
grow("mRMR, labelled rows", "1", c(1000, 2000, 4000), function(n) {
  d <- data_of(n, 4000)
  quiet(rank_mrmr, d$x, d$y)
})
grow("mRMR, features picked", "1", c(500, 1000, 2000), function(h) {
  d <- data_of(1000, 4000)
  quiet(rank_mrmr, d$x, d$y, n_features = h)
})
grow("SPFS forward, features picked", "1", c(100, 200, 400), function(h) {
  d <- data_of(1000, 2000)
  quiet(rank_spfs, d$x, d$y, n_features = h)
})
grow("UVS, p", "1", c(4000, 8000, 16000), function(p) {
  d <- data_of(1000, p)
  quiet(rank_uvs, d$x, universum = d$x[1:200, ])
})
# Rows around a few centers: on pure noise every row needs most of the others, and the lassos grow
# with the cube of n.
grow("sparsity, n", "2", c(500, 1000, 2000), function(n) {
  set.seed(1)
  x <- matrix(rnorm(n * 5), n) %*% matrix(rnorm(5 * 500), 5) + 0.3 * matrix(rnorm(n * 500), n)
  quiet(rank_sparsity, x)
})
