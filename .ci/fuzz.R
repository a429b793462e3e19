# make fuzz [SECONDS=60]: every selector on small random input, of the kinds that break things: few
# rows, few columns, constant and duplicated columns, huge and tiny values, ties, one class, no
# labels, sparse storage. It must rank every feature once, or refuse with a semiselect_error;
# anything else is reported with the seed that repeats it, and the run fails.
#   Rscript .ci/fuzz.R [seconds] [seed]     with a seed: only that case, and its error in full

suppressPackageStartupMessages(library(semiselect))
arguments <- as.numeric(commandArgs(trailingOnly = TRUE))
seconds <- if (length(arguments) > 0) arguments[[1]] else 60
only <- if (length(arguments) > 1) arguments[[2]]

random_x <- function(n, p) {
  x <- matrix(switch(sample(5, 1),
    rnorm(n * p),
    sample(0:2, n * p, replace = TRUE),
    rnorm(n * p) * 10^sample(-8:8, 1) + 10^sample(-8:8, 1),
    rbinom(n * p, 1, 0.1) * rexp(n * p),
    round(rnorm(n * p), 1)
  ), n, p)
  if (runif(1) < 0.3) x[, sample(p, 1)] <- sample(c(0, 1, 1e8, 0.1), 1)
  if (runif(1) < 0.3) x[, sample(p, 1)] <- x[, sample(p, 1)]
  if (runif(1) < 0.3) x[sample(n, 1), ] <- x[sample(n, 1), ]
  if (runif(1) < 0.1) x[sample(n, 1), ] <- 0
  if (runif(1) < 0.05) x[sample(length(x), 1)] <- sample(c(NA, NaN, Inf), 1)
  if (runif(1) < 0.5) colnames(x) <- paste0("f", seq_len(p))
  switch(sample(3, 1),
    x,
    as.data.frame(x),
    methods::as(methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), "CsparseMatrix")
  )
}

random_y <- function(n) {
  y <- factor(sample(letters[seq_len(sample(4, 1))], n, replace = TRUE))
  y[runif(n) < sample(c(0, 0.5, 0.8, 1), 1)] <- NA
  y
}

random_case <- function(seed) {
  set.seed(seed)
  n <- sample(c(1:5, 6:40), 1)
  p <- sample(c(1:3, 4:30), 1)
  method <- sample(selectors()$method, 1)
  case <- list(x = random_x(n, p), y = random_y(n), method = method)
  formals <- names(formals(get(paste0("rank_", method), asNamespace("semiselect"))))
  if ("universum" %in% formals) case$universum <- matrix(rnorm(5 * p), 5, p)
  if ("constraints" %in% formals && n > 2 && runif(1) < 0.5) {
    pairs <- function() matrix(sample(n, 2 * sample(3, 1), replace = TRUE), ncol = 2)
    case$constraints <- list(must_link = pairs(), cannot_link = pairs())
  }
  if ("k" %in% formals && runif(1) < 0.5) case$k <- sample(n + 2, 1)
  if (runif(1) < 0.3) case$n_features <- sample(p + 1, 1)
  c(case, threads = sample(2, 1), verbose = FALSE)
}

run_case <- function(case) {
  if (!is.null(case$constraints)) {
    case$constraints <- do.call(pairwise_constraints, case$constraints)
  }
  suppressMessages(suppressWarnings(do.call(rank_features, case)))
}

# NULL, "refused", or what is wrong with the answer.
complaint <- function(case) {
  answer <- tryCatch(run_case(case), error = identity)
  if (inherits(answer, "semiselect_error")) {
    return("refused")
  }
  if (inherits(answer, "error")) {
    return(paste("error:", conditionMessage(answer)))
  }
  score <- answer$score
  if (!setequal(answer$index, seq_len(ncol(case$x)))) return("not every feature is ranked once")
  if (any(is.nan(c(score, answer$statistic)))) return("NaN")
  if (is.unsorted(-score[!is.na(score)])) return("the score increases down the rows")
  if (is.unsorted(is.na(score))) return("a missing score is not last")
  NULL
}

if (!is.null(only)) {
  case <- random_case(only)
  utils::str(case)
  print(run_case(case))
  quit()
}

start <- proc.time()[["elapsed"]]
seed <- 0
refused <- 0
wrong <- 0
while (proc.time()[["elapsed"]] - start < seconds) {
  seed <- seed + 1
  case <- random_case(seed)
  found <- complaint(case)
  if (identical(found, "refused")) {
    refused <- refused + 1
  } else if (!is.null(found)) {
    wrong <- wrong + 1
    cat("seed ", seed, ", ", case$method, ": ", found, "\n", sep = "")
  }
}
cat(seed, "cases,", refused, "refused,", wrong, "wrong\n")
quit(status = wrong > 0)
