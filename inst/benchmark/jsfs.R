# Time and memory of rank_jsfs(): Rscript jsfs.R [largest]. Normal noise with 20 shifted columns, a
# tenth of the rows labelled. With "largest" also n = 2000, p = 50 000.
#
# The guides of the method's page are CPU seconds of an interpreted prototype on a fast BLAS:
# 1.3 s at 100 x 50 000, 6.1 s at 100 x 200 000, 4.1 s at 400 x 20 000, and 156 s for the first 25
# iterations at 2000 x 50 000.

suppressMessages(library(semiselect))
peak_mb <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA)
  line <- grep("VmHWM", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

sizes <- list(c(100, 50000), c(100, 200000), c(400, 20000), c(1000, 3000))
if ("largest" %in% commandArgs(TRUE)) sizes <- c(sizes, list(c(2000, 50000)))
for (size in sizes) {
  n <- size[1]
  p <- size[2]
  set.seed(1)
  y <- rep(1:2, length.out = n)
  x <- matrix(rnorm(n * p), n, p)
  x[, 1:20] <- x[, 1:20] + 0.8 * (y == 2)
  few <- replace(y, -seq_len(n %/% 10), NA)
  for (threads in 1:2) {
    time <- system.time(r <- suppressWarnings(rank_jsfs(x, few, threads = threads)))
    info <- attr(r, "info")
    cat(sprintf(
      paste("%5d x %6d, %d thread(s): %6.1f s elapsed, %6.1f s CPU, %d iterations, %d features,",
            "peak %.0f MB (x: %.0f MB)\n"),
      n, p, threads, time[["elapsed"]], time[["user.self"]] + time[["sys.self"]], info$iterations,
      sum(r$selected), peak_mb(), 8 * n * p / 2^20
    ))
  }
}
