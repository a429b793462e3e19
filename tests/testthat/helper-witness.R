# Formulas written plainly, once, as independent witnesses.

# The public worked example: 8 x 3, labels a, a, NA, b, b, NA, NA, NA.
worked_x <- function() {
  x <- rbind(c(0, 0, 5), c(1, 0, 7), c(0, 2, 4), c(4, 4, 5), c(6, 4, 3), c(4, 5, 6), c(2, 3, 8), c(9, 1, 1))
  colnames(x) <- c("f1", "f2", "f3")
  x
}
worked_y <- function() c("a", "a", NA, "b", "b", NA, NA, NA)

# `statistic` in the order of the columns of x.
by_column <- function(r, column = "statistic") r[[column]][order(r$index)]

# Weights of the neighbor graph by the book: squared Euclidean distances, k nearest (ties to the
# lower row), union, heat weights. Returns W, the squared distances and the bandwidth.
naive_graph <- function(x, k, bandwidth = "median", weights = "heat", symmetrize = "union") {
  # summed directly: the root and square of dist() break exact ties
  d2 <- Reduce(`+`, lapply(seq_len(ncol(x)), function(r) outer(x[, r], x[, r], "-")^2))
  near <- t(apply(d2 + diag(Inf, nrow(d2)), 1, function(d) rank(d, ties.method = "first") <= k))
  edge <- if (symmetrize == "union") near | t(near) else near & t(near)
  len <- d2[edge & upper.tri(edge)]
  lambda <- if (identical(bandwidth, "median")) median(len[len > 0]) else bandwidth
  W <- if (weights == "heat") exp(-d2 / lambda) else matrix(1, nrow(d2), ncol(d2))
  list(W = unname(W * edge), d2 = unname(d2), bandwidth = lambda)
}

naive_laplacian <- function(x, W) {
  D <- diag(rowSums(W))
  one <- rep(1, nrow(x))
  unname(apply(x, 2, function(f) {
    g <- f - drop(f %*% D %*% one / one %*% D %*% one)
    drop(g %*% (D - W) %*% g / g %*% D %*% g)
  }))
}

# All pairs that labels imply, as two-column matrices.
naive_pairs <- function(y) {
  all <- t(combn(which(!is.na(y)), 2))
  same <- y[all[, 1]] == y[all[, 2]]
  list(must_link = all[same, , drop = FALSE], cannot_link = all[!same, , drop = FALSE])
}

pair_sum <- function(f, pairs) sum((f[pairs[, 1]] - f[pairs[, 2]])^2)
