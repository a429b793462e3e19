# What test-contract.R needs to know of single selectors. Short lists, extended as selectors come.

# Two classes that differ in the columns a and b, a third of the rows labelled.
toy <- function() {
  set.seed(20)
  n <- 36
  y <- rep(c("u", "v"), length.out = n)
  x <- matrix(rnorm(n * 6), n, 6, dimnames = list(NULL, letters[1:6]))
  x[, c("a", "b")] <- x[, c("a", "b")] + 4 * (y == "v")
  full <- y
  y[13:n] <- NA
  list(x = x, y = y, full = full, planted = c("a", "b"))
}

# What a method cannot run without, or what keeps it quick on the toy data.
needs <- function(method, x) {
  takes <- function(argument) argument %in% names(formals(paste0("rank_", method)))
  c(
    # Rows between the classes, with the columns of x as they come.
    if (takes("universum")) list(universum = universum_of(x)),
    list()
  )
}

universum_of <- function(x) {
  x <- as.matrix(x)
  suppressWarnings(storage.mode(x) <- "double")  # words become 0 as well
  x[!is.finite(x)] <- 0
  n <- nrow(x)
  rows <- seq_len(min(6, n))
  (x[rows, , drop = FALSE] + x[n + 1 - rows, , drop = FALSE]) / 2
}

# Promises that a method cannot keep: c(method = "the reason", ...) for each.
exemptions <- list(
  # `info$p` is the number of features.
  "info p" = c(fs_manifold = "there `p` are the weights of the features, as the interface has it"),
  "column order" = c(),
  "row order" = c(
    wckm = "starts at rows drawn by their number",
    l2gfs = "starts at rows drawn by their number",
    bcs = "draws pairs by their number"
  ),
  "storage" = c(),
  # Not all methods look for what separates classes, and some leave out what says the same twice.
  "planted" = c(
    sparsity = "a column that other columns predict through their rows scores low, classes or not",
    wckm = "the printed weight rises with the dispersion; relevance is tested in test-clustering.R",
    l2gfs = "the same"
  ),
  "both planted" = c(csfsr = "drops a feature that says the same as a better one"),
  # `selected` is more than the first n_features, or less.
  "n_features" = c(
    spfs = "a feature that makes the error grow is ranked, not selected"
  )
)

exempt <- function(method, promise) {
  stopifnot(promise %in% names(exemptions))
  method %in% names(exemptions[[promise]])
}

# A ranking, or an error that is meant for the user; warnings too must be ours.
answer <- function(expr) {
  withCallingHandlers(
    tryCatch(suppressMessages(expr), semiselect_error = identity),
    warning = function(warning) {
      expect_s3_class(warning, "semiselect_warning")
      invokeRestart("muffleWarning")
    }
  )
}

expect_ranking <- function(r, x) {
  p <- ncol(x)
  expect_s3_class(r, c("feature_ranking", "data.frame"), exact = TRUE)
  expect_named(r, c("rank", "feature", "index", "score", "statistic", "selected"))
  expect_identical(r$rank, seq_len(p))
  expect_identical(sort(r$index), seq_len(p))
  expect_identical(r$feature, colnames(x)[r$index])
  expect_type(r$selected, "logical")
  expect_false(any(is.nan(r$score)))
  expect_false(any(is.nan(r$statistic)))
  expect_false(is.unsorted(is.na(r$score)))             # NA last
  expect_false(is.unsorted(-r$score, na.rm = TRUE))     # higher is better, best first
}

expect_answer <- function(expr, x) {
  result <- answer(expr)
  if (!inherits(result, "semiselect_error")) expect_ranking(result, x)
  invisible(result)
}

# The expression is long work: stopped after a moment, it must end within a second, as an interrupt.
# A time limit reaches the core by the same way as Ctrl-C.
expect_interruptible <- function(expr, after = 0.5) {
  begun <- proc.time()[["elapsed"]]
  noise <- utils::capture.output(type = "message", {
    setTimeLimit(elapsed = after, transient = TRUE)
    outcome <- tryCatch(
      {
        force(expr)
        "finished"
      },
      interrupt = function(condition) "interrupted",
      error = function(error) conditionMessage(error)
    )
    setTimeLimit()
  })
  if (grepl("time limit", outcome)) outcome <- "interrupted"  # caught between two calls of the core
  expect_identical(outcome, "interrupted")
  expect_lt(proc.time()[["elapsed"]] - begun, after + 1)
}
