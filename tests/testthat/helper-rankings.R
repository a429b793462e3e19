# A problem and a fit as a binding returns it, to test what new_ranking() makes of them.

toy_problem <- function(p = 5, constant = integer(), y = c(1L, 1L, 2L, NA)) {
  list(
    x = matrix(0, 4, p), y = y, classes = 2L, levels = c("no", "yes"), dropped_levels = character(),
    scale = "none", constant = seq_len(p) %in% constant, features = letters[seq_len(p)], n = 4L,
    p = p, n_labelled = 3L
  )
}

# direction "max", as of `variance` in the registry.
wrap <- function(..., problem = toy_problem(), params = list(n_features = NULL)) {
  semiselect:::new_ranking("variance", problem, list(...), params)
}

# A ranking with a linear classifier.
classified <- function(coefficients, intercept, ..., levels = c("no", "yes"), scale = "none") {
  p <- NROW(coefficients)
  problem <- toy_problem(p)
  problem$levels <- levels
  problem$classes <- length(levels)
  problem$scale <- scale
  wrap(statistic = rowSums(abs(as.matrix(coefficients))), problem = problem,
       model = list(coefficients = coefficients, intercept = intercept, ...))
}
