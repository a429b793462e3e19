# The package's own linear SVM, for judging rankings: many fits on few rows.

# min 1/2 |w|^2 + cost * sum of hinge losses, free intercept. x: double matrix or dgCMatrix, y:
# factor or what makes one, without NA. Two classes: the second level is the positive one. More:
# each against the rest, in columns. Relative duality gap at most `tol`.
linear_svm <- function(x, y, cost = 1, tol = 1e-6) {
  y <- droplevels(as.factor(y))
  levels <- levels(y)
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is.matrix(x) && !is.double(x)) storage.mode(x) <- "double"
  sign <- if (length(levels) <= 2) {
    matrix(2 * (as.integer(y) == length(levels)) - 1)
  } else {
    2 * outer(as.integer(y), seq_along(levels), `==`) - 1
  }
  fit <- linear_svm_cpp(x, sign, cost, tol)
  several <- length(levels) > 2
  list(
    coefficients = if (several) {
      matrix(fit$w, ncol(x), dimnames = list(colnames(x), levels))
    } else {
      stats::setNames(as.vector(fit$w), colnames(x))
    },
    intercept = if (several) stats::setNames(fit$b, levels) else fit$b,
    levels = levels, gap = fit$gap
  )
}

# The class of each row of newx, whose columns are those of the fit.
predict_linear_svm <- function(fit, newx) {
  if (is.data.frame(newx)) newx <- as.matrix(newx)
  levels <- fit$levels
  link <- as.matrix(newx %*% unname(as.matrix(fit$coefficients)))
  link <- sweep(link, 2, as.vector(fit$intercept), `+`)
  code <- if (length(levels) <= 2) {
    if (length(levels) == 1) rep(1L, nrow(link)) else 1L + (link[, 1] >= 0)
  } else {
    max.col(link, ties.method = "first")
  }
  factor(levels[code], levels)
}
