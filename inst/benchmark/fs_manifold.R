# Time and memory of rank_fs_manifold(): Rscript inst/benchmark/fs_manifold.R [quick]
#
# Sizes of its page: digits (n = 400, d = 256), wide dense data, and sparse text with p = 50 000
# words in n = 2 000 documents. Peak memory is that of the process above the start of the job, from
# the system where it tells (Linux), so each job runs in a process of its own.

library(semiselect)

dense_job <- function(n, p, l, m, ...) {
  set.seed(1)
  x <- matrix(rnorm(n * p), n, p)
  class <- rep(1:2, length.out = n)
  x[, 1:30] <- x[, 1:30] + 0.8 * class
  y <- class
  y[-seq_len(l)] <- NA
  list(x = x, y = y, n_features = m, ...)
}

# Words of Zipf's law, and a few that belong to one class.
text_job <- function(n, p, l, m, ...) {
  set.seed(1)
  class <- rep(1:2, length.out = n)
  common <- sample.int(p, 150 * n, replace = TRUE, prob = 1 / seq_len(p))
  own <- 200 + 100 * (rep(class, each = 15) - 1) + sample.int(100, 15 * n, replace = TRUE)
  x <- Matrix::sparseMatrix(i = c(rep(seq_len(n), each = 150), rep(seq_len(n), each = 15)),
                            j = c(common, own), x = 1, dims = c(n, p))
  y <- class
  y[-seq_len(l)] <- NA
  list(x = x, y = y, n_features = m, scale = "unit", ...)
}

jobs <- list(
  "digits, l = 20" = function() dense_job(400, 256, 20, 20, scale = "none"),
  "digits, l = 40, exact" = function() dense_job(400, 256, 40, 20, objective = "exact"),
  "digits, l = 20, cv" = function() dense_job(400, 256, 20, 20, tau = "cv"),
  "l = 50, d = 5000, m = 50" = function() dense_job(400, 5000, 50, 50),
  "l = 100, d = 5000, m = 100" = function() dense_job(400, 5000, 100, 100),
  "text, m = 50" = function() text_job(2000, 50000, 50, 50),
  "text, m = 100" = function() text_job(2000, 50000, 50, 100),
  "text, m = 50, exact" = function() text_job(2000, 50000, 50, 50, objective = "exact"),
  "l = 50, d = 50000, m = 100" = function() dense_job(400, 50000, 50, 100),
  "l = 500, d = 2000, m = 50" = function() dense_job(2000, 2000, 500, 50),
  "wide, n = 100, d = 200000" = function() dense_job(100, 200000, 50, 20)
)

peak_mb <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character(),
                     warning = function(w) character())
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

run_job <- function(name) {
  arguments <- c(jobs[[name]](), list(threads = 1, verbose = FALSE))
  invisible(gc())
  before <- peak_mb()
  time <- system.time(r <- suppressWarnings(do.call(rank_fs_manifold, arguments)))
  info <- attr(r, "info")
  cat(sprintf("%-28s %8.2f s CPU %8.2f s %5d iterations  gap %.1e  %6.0f MB above %.0f\n", name,
              time[["user.self"]], time[["elapsed"]], info$iterations, info$gap,
              peak_mb() - before, before))
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 2 && arguments[1] == "job") {
  run_job(arguments[2])
} else {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  names <- if (identical(arguments, "quick")) names(jobs)[1:8] else names(jobs)
  for (name in names) {
    system2(file.path(R.home("bin"), "Rscript"), shQuote(c(script, "job", name)))
  }
}
