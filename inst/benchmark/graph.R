# Exact neighbors and the Laplacian score against FNN, one thread, CPU seconds of one run.
#
#   Rscript inst/benchmark/graph.R          500 x 1000 and 2000 x 2000
#   Rscript inst/benchmark/graph.R all      2000 x 10 000 too
#
# scikit-feature and Rdimtools are not always at hand: their recorded times are scaled by what FNN
# takes here over what it took where they were recorded, and marked so.

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
  n = c(500, 2000, 2000), p = c(1000, 2000, 10000),
  fnn_recorded = c(0.22, 7.4, 40.7), scikit = c(0.49, 19.6, 136), rdimtools = c(0.88, 79.7, 508),
  fnn_target = c(12, 30, 35), scikit_target = c(20, 70, 100), rdimtools_target = c(40, 250, 400)
)
if (!"all" %in% commandArgs(TRUE)) sizes <- sizes[1:2, ]

line <- function(what, ratio, target, note = "") {
  cat(sprintf("  %-38s %8.1f  target %5.0f  %s%s\n", what, ratio, target,
              if (ratio >= target) "reached" else "NOT REACHED", note))
}

set.seed(1)
for (s in seq_len(nrow(sizes))) {
  size <- sizes[s, ]
  x <- matrix(rnorm(size$n * size$p), size$n)
  runs <- if (size$p > 5000) 2 else 4
  ours <- cpu(neighbor_graph(x, weights = "binary", threads = 1, verbose = FALSE), runs)
  score <- cpu(rank_laplacian(x, threads = 1, verbose = FALSE), runs)
  fnn <- cpu(FNN::get.knn(x, 5, algorithm = "brute"), 1)
  cat(sprintf("%d x %d: neighbor graph %.4f s, Laplacian score %.4f s, FNN brute %.3f s\n", size$n,
              size$p, ours, score, fnn))
  line("neighbors, FNN over ours", fnn / ours, size$fnn_target)
  here <- fnn / size$fnn_recorded
  line("Laplacian, scikit-feature over ours", here * size$scikit / score, size$scikit_target,
       " (recorded)")
  line("Laplacian, Rdimtools over ours", here * size$rdimtools / score, size$rdimtools_target,
       " (recorded)")
}
