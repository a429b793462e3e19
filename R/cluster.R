# Clustering under constraints, to compare with, and the Rand index.

#' K-means under must-link and cannot-link constraints
#'
#' `cop_kmeans()` treats the constraints as hard: rows in turn go to the nearest cluster that holds
#' no row in cannot-link with them, and rows that are must-linked follow each other. It minimizes
#' nothing: it may run out of clusters, and it may cycle (then `converged` is `FALSE`).
#'
#' `mpc_kmeans()` treats them as soft and learns a diagonal metric \eqn{M_q} per cluster. Row i in
#' cluster q costs
#' \deqn{\|x_i - c_q\|^2_{M_q} - \sum_d \log M_{qd}
#' + \sum_{r \in ML(i), h \ne q} \tfrac12 \big( \|x_i - x_r\|^2_{M_q} + \|x_i - x_r\|^2_{M_h} \big)
#' + \sum_{r \in CL(i), h = q} \big( far_q - \|x_i - x_r\|^2_{M_q} \big),}
#' h being the cluster of row r and \eqn{far_q} the largest squared distance between two
#' constrained rows under \eqn{M_q}.
#'
#' Both take the pairs of `y` and of `constraints`, closed transitively; pairs that contradict each
#' other are an error that names the rows.
#'
#' @inheritParams selector_arguments
#' @param n_clusters Number of clusters; `NULL`: the number of classes in `y`.
#' @param init Initial centroids: a matrix, clusters in rows; or `"random"` rows for
#'   `cop_kmeans()`, `"neighborhoods"` for `mpc_kmeans()`: the means of groups of must-linked rows
#'   (and single rows with a cannot-link), chosen by weighted farthest-first traversal, and random
#'   rows where there are too few.
#' @param order Rows are visited by row number (`"index"`) or in a new `"random"` order in each
#'   iteration.
#' @param on_fail When no cluster is left for a row: `"restart"` from other random rows, up to ten
#'   times, or stop with an `"error"`. With given centroids always an error.
#' @param max_iter Largest number of iterations.
#' @return A list with `cluster` (one number per row), `centroids` (clusters in rows),
#'   `iterations` and `converged` (the clusters repeated); for `mpc_kmeans()` also `metric`, the
#'   diagonals \eqn{M_q}, clusters in rows.
#' @references Wagstaff, Cardie, Rogers and Schroedl (2001), Constrained k-means clustering with
#'   background knowledge, ICML. Bilenko, Basu and Mooney (2004), Integrating constraints and
#'   metric learning in semi-supervised clustering, ICML.
#' @seealso [rank_wckm()] and [rank_l2gfs()], which learn weights of the features.
#' @examples
#' y <- iris$Species
#' y[-c(1:5, 51:55, 101:105)] <- NA
#' set.seed(1)
#' rand_index(cop_kmeans(iris[1:4], y)$cluster, iris$Species)
#' rand_index(mpc_kmeans(iris[1:4], y)$cluster, iris$Species)
#' @name constrained_kmeans
NULL

#' @rdname constrained_kmeans
#' @export
cop_kmeans <- function(x, y = NULL, constraints = NULL, n_clusters = NULL, init = "random",
                       order = c("index", "random"), on_fail = c("restart", "error"),
                       max_iter = 100) {
  problem <- as_problem(x, y, constraints)
  n_clusters <- check_clusters(n_clusters, problem)
  order <- check_choice(order, c("index", "random"), "order")
  on_fail <- check_choice(on_fail, c("restart", "error"), "on_fail")
  max_iter <- check_count(max_iter, "max_iter")
  given <- is.matrix(init) || is.data.frame(init)
  if (given) {
    init <- check_centroids(init, n_clusters, problem$p)
  } else if (!identical(init, "random")) {
    abort_input(sprintf("`init` must be \"random\" or a matrix of centroids, not %s.",
                        describe(init)))
  }

  control <- run_control()
  tries <- if (given || on_fail == "error") 1 else 11
  for (try in seq_len(tries)) {
    centroids <- if (given) init else row_matrix(problem$x, sample.int(problem$n, n_clusters))
    fit <- run_core(control, cop_kmeans_cpp(problem, control, centroids,
                                            visit_order(order, problem$n), max_iter))
    if (length(fit$failed) == 0) break
  }
  if (length(fit$failed) > 0) {
    abort_input(
      sprintf("COP-KMeans found no cluster for row %d%s: it is in cannot-link with row(s) %s, %s",
              fit$failed[1],
              if (tries > 1) sprintf(" from %d random starts (this is the last)", tries) else "",
              paste(fit$failed[-1], collapse = ", "),
              sprintf("one in each of the %d clusters.\n", n_clusters)),
      "Raise `n_clusters`, start elsewhere, drop pairs, or take `mpc_kmeans()` or `rank_wckm()`, ",
      "whose constraints are soft.", class = "semiselect_error_infeasible"
    )
  }
  warn_unsettled("cop_kmeans", fit)
  colnames(fit$centroids) <- problem$features
  fit[c("cluster", "centroids", "iterations", "converged")]
}

#' @rdname constrained_kmeans
#' @export
mpc_kmeans <- function(x, y = NULL, constraints = NULL, n_clusters = NULL, init = "neighborhoods",
                       order = c("index", "random"), max_iter = 100) {
  problem <- as_problem(x, y, constraints)
  n_clusters <- check_clusters(n_clusters, problem)
  order <- check_choice(order, c("index", "random"), "order")
  max_iter <- check_count(max_iter, "max_iter")
  if (is.matrix(init) || is.data.frame(init)) {
    init <- check_centroids(init, n_clusters, problem$p)
  } else if (identical(init, "neighborhoods")) {
    init <- neighborhood_means_cpp(problem, n_clusters)
    missing <- n_clusters - nrow(init)
    if (missing > 0) {
      init <- rbind(init, row_matrix(problem$x, sample.int(problem$n, missing)))
    }
  } else {
    abort_input(sprintf("`init` must be \"neighborhoods\" or a matrix of centroids, not %s.",
                        describe(init)))
  }
  control <- run_control()
  fit <- run_core(control, mpc_kmeans_cpp(problem, control, init, visit_order(order, problem$n),
                                          max_iter))
  warn_unsettled("mpc_kmeans", fit)
  colnames(fit$centroids) <- colnames(fit$metric) <- problem$features
  fit[c("cluster", "centroids", "metric", "iterations", "converged")]
}

row_matrix <- function(x, rows) unname(as.matrix(x[rows, , drop = FALSE]))

visit_order <- function(order, n) if (order == "random") function() sample.int(n)

warn_unsettled <- function(method, fit) {
  if (fit$converged) return(invisible())
  warn_user(sprintf(
    "`%s()` has not settled in %d iteration(s); it may cycle. Raise `max_iter`.", method,
    fit$iterations
  ), class = "semiselect_warning_convergence")
}

#' Rand index of two clusterings
#'
#' The share of pairs of rows on which two partitions agree: together in both, or apart in both.
#' With the contingency table T,
#' \deqn{\frac{n(n-1) + 2 \sum T^2 - \sum_{rows} T_{r.}^2 - \sum_{columns} T_{.c}^2}{n(n-1)}.}
#'
#' @param a,b Cluster numbers or labels, one per row, without missing values.
#' @return A number between 0 and 1; `NA` for fewer than two rows.
#' @references Rand (1971), Objective criteria for the evaluation of clustering methods, JASA 66.
#' @examples
#' rand_index(c(1, 1, 2, 2, 3, 3), c(2, 2, 1, 3, 3, 3))
#' @export
rand_index <- function(a, b) {
  if (!is.atomic(a) || !is.atomic(b) || length(a) != length(b)) {
    abort_input(sprintf("`a` and `b` must be vectors of the same length, not %s and %s.",
                        describe(a), describe(b)))
  }
  if (anyNA(a) || anyNA(b)) {
    abort_input("`a` and `b` must not have missing values.\nLeave out the rows without a label.")
  }
  n <- as.double(length(a))
  if (n < 2) return(NA_real_)
  squares <- function(code) sum(as.double(tabulate(code))^2)
  code_a <- match(a, unique(a))
  code_b <- match(b, unique(b))
  # Only cells that occur: the table may be large.
  cell <- code_a + (code_b - 1) * as.double(max(code_a))
  agreement <- 2 * squares(match(cell, unique(cell))) - squares(code_a) - squares(code_b)
  (n * (n - 1) + agreement) / (n * (n - 1))
}
