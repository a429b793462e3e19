# Selectors that cluster: weights of the features are learned by k-means under constraints.

# ---- what both share --------------------------------------------------------------------------

# Number of clusters: that of the classes in `y`, unless given.
check_clusters <- function(n_clusters, problem) {
  n_clusters <- check_count(n_clusters, "n_clusters", null = TRUE)
  if (is.null(n_clusters)) {
    if (problem$classes < 2) {
      abort_input(sprintf(
        "`n_clusters` is needed: `y` has %s, which does not tell the number of clusters.\n%s",
        if (problem$classes == 0) "no label" else "a single class",
        "Give `n_clusters`, at least 2."
      ))
    }
    n_clusters <- problem$classes
  }
  if (n_clusters < 2 || n_clusters > problem$n) {
    abort_input(sprintf("`n_clusters` must be between 2 and the number of rows, %d, not %d.",
                        problem$n, n_clusters))
  }
  if (n_clusters < problem$classes) {
    abort_input(sprintf(
      "`n_clusters` must be at least the number of classes in `y`, %d, not %d.", problem$classes,
      n_clusters
    ))
  }
  as.integer(n_clusters)
}

check_beta <- function(beta) {
  beta <- check_number(beta, "beta")
  if (beta >= 0 && beta <= 1) {
    abort_input(sprintf(
      "`beta` must be below 0 or above 1, not %s.\n%s", format(beta),
      "Between 0 and 1 the weights would maximize the objective instead of minimizing it."
    ))
  }
  beta
}

# A matrix of centroids, clusters in rows.
check_centroids <- function(init, n_clusters, p, name = "init") {
  if (is.data.frame(init)) init <- as.matrix(init)
  if (!is.matrix(init) || !is.numeric(init) || nrow(init) != n_clusters || ncol(init) != p) {
    abort_input(sprintf(
      "`%s` must have one row per cluster and one column per feature, %d x %d, not %s.", name,
      n_clusters, p, describe(init)
    ))
  }
  if (!all(is.finite(init))) abort_input(sprintf("`%s` must be finite.", name))
  storage.mode(init) <- "double"
  unname(init)
}

check_init <- function(init, n_clusters, problem) {
  if (is.character(init) && length(init) == 1 && init %in% c("random", "labels")) {
    if (init == "labels" && problem$classes == 0) {
      abort_input("`init = \"labels\"` starts from class means, but `y` has no label.\n",
                  "Use `init = \"random\"`.")
    }
    return(init)
  }
  if (is.matrix(init) || is.data.frame(init)) {
    return(check_centroids(init, n_clusters, problem$p))
  }
  abort_input(sprintf(
    "`init` must be \"random\", \"labels\" or a matrix of centroids, not %s.", describe(init)
  ))
}

# `rows`: 1 for weights of the features, n_clusters for weights of features in clusters.
check_weights <- function(init_weights, rows, problem, beta) {
  if (is.character(init_weights) && length(init_weights) == 1 &&
        init_weights %in% c("uniform", "random")) {
    return(init_weights)
  }
  given <- init_weights
  if (rows == 1 && is.numeric(given) && is.null(dim(given))) given <- matrix(given, 1)
  if (!is.matrix(given) || !is.numeric(given) || nrow(given) != rows || ncol(given) != problem$p) {
    abort_input(sprintf(
      "`init_weights` must be \"uniform\", \"random\" or %s, not %s.",
      if (rows == 1) {
        sprintf("a vector of length %d, one weight per feature", problem$p)
      } else {
        sprintf("a %d x %d matrix, clusters in rows", rows, problem$p)
      }, describe(init_weights)
    ))
  }
  used <- given[, !problem$constant]
  if (!all(is.finite(used)) || any(used < 0) || (beta < 0 && any(used == 0))) {
    abort_input("`init_weights` must be finite and ",
                if (beta < 0) "positive" else "at least 0", " for every feature.")
  }
  init_weights
}

# Whether runs can differ at all.
is_repeatable <- function(init, init_weights, n_clusters, problem) {
  random_rows <- identical(init, "random") ||
    (identical(init, "labels") && n_clusters > problem$classes)
  !random_rows && !identical(init_weights, "random")
}

# Where each run starts. All that is random is drawn here.
cluster_starts <- function(problem, n_clusters, init, init_weights, restarts, weight_rows) {
  lapply(seq_len(restarts), function(run) {
    rows <- if (identical(init, "random")) {
      sample.int(problem$n, n_clusters)
    } else if (identical(init, "labels")) {
      c(rep(0L, problem$classes), sample.int(problem$n, n_clusters - problem$classes))
    }
    weights <- if (identical(init_weights, "random")) {
      drawn <- matrix(stats::rexp(weight_rows * problem$p), weight_rows, problem$p)
      drawn / rowSums(drawn[, !problem$constant, drop = FALSE])
    } else if (!is.character(init_weights)) {
      matrix(as.double(init_weights), weight_rows, problem$p)
    }
    list(centroids = if (is.matrix(init)) init, rows = rows, weights = weights)
  })
}

# Each cluster by the class whose labelled rows weigh most in it; by its number without one.
name_clusters <- function(memberships, problem) {
  names <- as.character(seq_len(ncol(memberships)))
  labelled <- !is.na(problem$y)
  if (!any(labelled)) return(names)
  mass <- rowsum(memberships[labelled, , drop = FALSE], problem$y[labelled])
  found <- colSums(mass) > 0
  names[found] <- problem$levels[max.col(t(mass), ties.method = "first")[found]]
  names
}

# ---- wCKM -------------------------------------------------------------------------------------

#' Weighted constrained k-means (wCKM)
#'
#' Fuzzy k-means that learns one weight per feature, under soft must-link (ML) and cannot-link
#' (CL) pairs. It minimizes
#' \deqn{F(A, C, w) = \sum_q \sum_i a_{iq}^m d_{iq} + \lambda \Big( \sum_{(i,r) \in ML}
#' (1 - a_i \cdot a_r) + \sum_{(i,r) \in CL} a_i \cdot a_r \Big), \qquad
#' d_{iq} = \sum_j w_j^\beta (x_{ij} - c_{qj})^2,}
#' over memberships \eqn{a_i} on the simplex, centroids \eqn{c_q} and weights \eqn{w} that sum to
#' one. Given the dispersion \eqn{S_j = \sum_q \sum_i a_{iq}^m (x_{ij} - c_{qj})^2} of a feature,
#' \eqn{w_j} is proportional to \eqn{S_j^{1/(1-\beta)}}.
#'
#' @section What the ranking means:
#' The thesis states that for \eqn{\beta < 0} a feature of large dispersion gets a small weight.
#' The formula says the opposite: for every \eqn{\beta < 1} the weight *increases* with
#' \eqn{S_j} (with the default, \eqn{w_j \propto S_j^{0.909}}); only the factor
#' \eqn{w_j^\beta} in the distance decreases. Ranking by falling weight therefore puts the most
#' dispersed features first. In high dimension and with fuzzifier 2 all memberships moreover
#' approach 1/K, \eqn{S_j} becomes the total variance up to a factor, and the ranking that of
#' [rank_variance()]: rank correlations of 0.91 to 1.0000 on five data sets of the thesis, with
#' the same 100 best features on three of them. `print()` says so when a fit has collapsed this
#' way (`info$fuzziness` below 0.01); a `fuzzifier` of 1.1 to 1.3 counteracts it.
#'
#' `statistic = "weight"` on unscaled data is what was published, and the default. The reading
#' that is consistent with the stated principle is `scale = "standardize"` with
#' `statistic = "relevance"`: \eqn{w_j} for \eqn{\beta > 1} and \eqn{w_j^\beta / \sum_t w_t^\beta}
#' for \eqn{\beta < 0}, which falls with \eqn{S_j}. Neither is uniformly better: in our
#' measurements (linear SVM, three labels per class) the printed order was ahead on text
#' and gene expression data (there it equals the variance), the other on one of two image sets.
#' Standardizing and ranking by weight puts pure noise first.
#'
#' @section Departures from the thesis:
#' * Memberships by (4.15) sum to one but can be negative, and iterating them diverges; the exact
#'   minimizer on the simplex is used. It equals (4.15) where that is non-negative.
#' * The penalty couples rows, so constrained rows are updated one after the other: a simultaneous
#'   update can raise the objective. Here it never rises (`info$objective`) while no dispersion is
#'   at its floor of 1e-12 of the sum.
#' * Penalties are counts while distances grow with the number and the units of the features.
#'   `lambda` weighs them; `penalty_scale = "variance"` multiplies it by
#'   \eqn{p^{-\beta} \sum_j v_j} (\eqn{v_j} the variances), without which constraints have
#'   practically no effect on wide scaled data.
#' * Distances are floored at 1e-12 of their mean, since centroids start at rows.
#' * \eqn{0 \le \beta \le 1} is refused: there the update maximizes.
#'
#' The pairs are those of `y` (every two labelled rows) and of `constraints`, each counted once;
#' they are soft, so they are not closed and may contradict each other.
#'
#' @inheritParams selector_arguments
#' @param constraints Pairs of rows, from [pairwise_constraints()], used as they are together with
#'   those of `y`.
#' @param n_clusters Number of clusters K; `NULL`: the number of classes in `y`.
#' @param beta Exponent of the weights, below 0 or above 1.
#' @param lambda Weight of the constraints, at least 0.
#' @param fuzzifier The exponent m of the memberships, above 1.
#' @param statistic `"weight"` or `"relevance"`, see below.
#' @param penalty_scale `"none"`, or `"variance"` to bring the penalties to the scale of the
#'   distances.
#' @param init Initial centroids: `"random"` rows; `"labels"`, the class means of the labelled
#'   rows (further clusters: random rows); or a matrix on the scale of `x`, clusters in rows.
#' @param init_weights `"uniform"`, `"random"` (normalized unit exponentials), or the weights
#'   themselves, used as given.
#' @param restarts Number of runs; 1 if nothing is random.
#' @param combine `"mean"`: the statistic is averaged over the runs; `"best"`: that of the run with
#'   the smallest objective. The clustering in `info` is always that of the best run.
#' @param max_iter,tol A run stops when the objective falls by less than `tol` relatively, or after
#'   `max_iter` iterations. `tol < 0`: exactly `max_iter` iterations.
#' @return A [feature_ranking]. `info` has `memberships` (n x K), `cluster` (the largest
#'   membership), `cluster_names` (each cluster by the class whose labelled rows weigh most in
#'   it), `centroids` (on the scale of `x`), `objective`, `violations` (data frame `must_link`,
#'   `cannot_link`, one row per iteration), `fuzziness` (mean over rows of the largest
#'   \eqn{|a_{iq} - 1/K|}) and `objective_by_start`.
#' @references Hindawi (2013), Feature selection for semi-supervised data analysis in decisional
#'   information systems, PhD thesis, INSA Lyon, section 4.3.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' set.seed(1)
#' r <- rank_wckm(iris[1:4], y, scale = "standardize", statistic = "relevance")
#' r
#' rand_index(attr(r, "info")$cluster, iris$Species)
#' @export
rank_wckm <- function(x, y = NULL, constraints = NULL, n_clusters = NULL, beta = -0.1, lambda = 1,
                      fuzzifier = 2, statistic = c("weight", "relevance"),
                      penalty_scale = c("none", "variance"), init = "random",
                      init_weights = "uniform", restarts = 10, combine = c("mean", "best"),
                      max_iter = 100, tol = 1e-6, scale = "none", n_features = NULL,
                      threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale, soft = TRUE)
  n_clusters <- check_clusters(n_clusters, problem)
  beta <- check_beta(beta)
  lambda <- check_number(lambda, "lambda", min = 0)
  fuzzifier <- check_number(fuzzifier, "fuzzifier", min = 1, open = "min")
  statistic <- check_choice(statistic, c("weight", "relevance"), "statistic")
  penalty_scale <- check_choice(penalty_scale, c("none", "variance"), "penalty_scale")
  init <- check_init(init, n_clusters, problem)
  init_weights <- check_weights(init_weights, 1, problem, beta)
  restarts <- check_count(restarts, "restarts")
  combine <- check_choice(combine, c("mean", "best"), "combine")
  max_iter <- check_count(max_iter, "max_iter")
  tol <- check_number(tol, "tol")
  if (is_repeatable(init, init_weights, n_clusters, problem)) restarts <- 1L

  starts <- cluster_starts(problem, n_clusters, init, init_weights, restarts, 1)
  control <- run_control(threads, verbose)
  fit <- run_core(control, wckm_cpp(problem, control, starts, beta, lambda, fuzzifier, max_iter,
                                    tol, penalty_scale == "variance"))
  best <- if (combine == "best") "best_" else ""
  fit$statistic <- fit[[paste0(best, if (statistic == "weight") "weights" else "relevance")]]
  cluster <- max.col(fit$memberships, ties.method = "first")
  names <- name_clusters(fit$memberships, problem)
  colnames(fit$centroids) <- problem$features
  fuzziness <- mean(do.call(pmax, as.data.frame(abs(fit$memberships - 1 / n_clusters))))
  fit$info <- list(
    memberships = fit$memberships, cluster = cluster, cluster_names = names,
    centroids = fit$centroids,
    violations = data.frame(must_link = fit$must_link, cannot_link = fit$cannot_link),
    fuzziness = fuzziness, objective_by_start = fit$objective_by_start,
    rows = data.frame(cluster = names[cluster],
                      membership = fit$memberships[cbind(seq_len(problem$n), cluster)]),
    note = if (fuzziness < 0.01) {
      sprintf(paste("The memberships have collapsed to 1/K (fuzziness %.1g): the ranking is close",
                    "to one by variance. A smaller `fuzzifier` counteracts this."), fuzziness)
    }
  )
  new_ranking("wckm", problem, fit, params_in_force())
}

register_selector("wckm", family = "clustering", supervision = "semi-supervised",
                  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE,
                  direction = "max", reference = "Hindawi (2013)")

# ---- L2GFS ------------------------------------------------------------------------------------

#' Local-to-global feature selection (L2GFS)
#'
#' K-means under hard must-link and cannot-link constraints that learns one weight per feature and
#' cluster. It minimizes
#' \deqn{Q = \sum_i \sum_j w_{qj}^\beta \big( (x_{ij} - c_{qj})^2 + \tau v_j \big), \qquad
#' q = \mathrm{cluster}(i), \quad \sum_j w_{qj} = 1,}
#' with \eqn{v_j} the variance of feature j. The local weights \eqn{w_{qj}} rank the features
#' within a cluster, their mean over the clusters (4.37) ranks them overall.
#'
#' @section What the ranking means:
#' As for [rank_wckm()], and for the same reason: for \eqn{\beta < 1} the weight *increases* with
#' the dispersion of a feature within the cluster, contrary to what the thesis states, so
#' `statistic = "weight"` on unscaled data (what was published, and the default) is close to a
#' ranking by variance. `scale = "standardize"` with `statistic = "relevance"` is the reading that
#' follows the stated principle: per cluster \eqn{w_{qj}} for \eqn{\beta > 1} and
#' \eqn{w_{qj}^\beta / \sum_t w_{qt}^\beta} for \eqn{\beta < 0}, then the mean over the clusters.
#'
#' With `statistic = "weight"` features that are constant inside every cluster, in every run, but
#' not overall come first, by decreasing variance, as the thesis asks; `score` is then
#' p - rank + 1.
#'
#' @section Departures from the thesis:
#' * Rows joined by must-links (a chunklet) are assigned together. A set of chunklets that are all
#'   in cannot-link with each other (with labels: the classes) is assigned optimally (Hungarian
#'   method); other components of the cannot-link graph by depth-first coloring and improvement
#'   sweeps. The greedy rule (4.26) depends on the order of the rows, may raise the objective and
#'   may cycle, so that Lemma 4 does not hold for it.
#' * Labels of the iteration before are kept unless the new ones are cheaper. With `tau > 0` the
#'   objective never rises (`info$objective`).
#' * A feature without dispersion in a cluster has weight 0 in (4.28), where \eqn{0^\beta} is
#'   infinite; `tau` adds a share of its variance instead. `tau = 0` gives the printed rule, which
#'   may cycle.
#' * An empty cluster takes the unconstrained row that is farthest from its own centroid.
#'
#' Constraints that contradict each other, or that cannot hold with `n_clusters` clusters, are
#' errors that name the rows.
#'
#' @inheritParams selector_arguments
#' @inheritParams rank_wckm
#' @param constraints Pairs of rows, from [pairwise_constraints()], used together with those of
#'   `y` and closed transitively.
#' @param tau Share of a feature's variance that is added to its dispersions, at least 0.
#' @param init_weights `"uniform"`, `"random"` (normalized unit exponentials), or a matrix of
#'   weights with clusters in rows, used as given.
#' @param max_iter A run stops when the clusters repeat, or after `max_iter` iterations.
#' @return A [feature_ranking]. `info` has `cluster`, `cluster_names` (each cluster by the class
#'   with most labelled rows in it), `centroids` (on the scale of `x`), `local_weights` (K x p, the
#'   local ranking), `objective` and `objective_by_start`.
#' @references Hindawi (2013), Feature selection for semi-supervised data analysis in decisional
#'   information systems, PhD thesis, INSA Lyon, section 4.4.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' set.seed(1)
#' r <- rank_l2gfs(iris[1:4], y, scale = "standardize", statistic = "relevance")
#' r
#' attr(r, "info")$local_weights
#' @export
rank_l2gfs <- function(x, y = NULL, constraints = NULL, n_clusters = NULL, beta = -0.1, tau = 0.01,
                       statistic = c("weight", "relevance"), init = "random",
                       init_weights = "uniform", restarts = 10, combine = c("mean", "best"),
                       max_iter = 100, scale = "none", n_features = NULL,
                       threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale)
  n_clusters <- check_clusters(n_clusters, problem)
  beta <- check_beta(beta)
  tau <- check_number(tau, "tau", min = 0)
  statistic <- check_choice(statistic, c("weight", "relevance"), "statistic")
  init <- check_init(init, n_clusters, problem)
  init_weights <- check_weights(init_weights, n_clusters, problem, beta)
  restarts <- check_count(restarts, "restarts")
  combine <- check_choice(combine, c("mean", "best"), "combine")
  max_iter <- check_count(max_iter, "max_iter")
  if (is_repeatable(init, init_weights, n_clusters, problem)) restarts <- 1L

  starts <- cluster_starts(problem, n_clusters, init, init_weights, restarts, n_clusters)
  control <- run_control(threads, verbose)
  fit <- run_core(control, l2gfs_cpp(problem, control, starts, beta, tau, max_iter))
  best <- if (combine == "best") "best_" else ""
  fit$statistic <- fit[[paste0(best, if (statistic == "weight") "weights" else "relevance")]]
  if (statistic == "weight" && length(fit$pure) > 0) {
    fit$order <- c(fit$pure, order(fit$statistic, decreasing = TRUE, method = "radix"))
  }
  member <- matrix(0, problem$n, n_clusters)
  member[cbind(seq_len(problem$n), fit$cluster)] <- 1
  names <- name_clusters(member, problem)
  colnames(fit$centroids) <- colnames(fit$local_weights) <- problem$features
  fit$info <- list(
    cluster = fit$cluster, cluster_names = names, centroids = fit$centroids,
    local_weights = fit$local_weights, objective_by_start = fit$objective_by_start,
    rows = data.frame(cluster = names[fit$cluster])
  )
  new_ranking("l2gfs", problem, fit, params_in_force())
}

register_selector("l2gfs", family = "clustering", supervision = "semi-supervised",
                  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE,
                  direction = "max", reference = "Hindawi (2013)")
