#' Margin and manifold: FS-Manifold
#'
#' Selects the features with which a support vector machine separates the labelled rows best, while
#' its decision function is asked to vary little between neighbors among all rows. The weights
#' \eqn{p} of the features and the classifier are found together, as the saddle point of a convex
#' problem that the level method solves with a lower and an upper bound.
#'
#' @section The problem:
#' With \eqn{X_l} the labelled rows (columns centered), \eqn{y} in \eqn{\{-1, +1\}}, \eqn{L} the
#' Laplacian of the neighbor graph on all rows, \eqn{Z = X^\top L X}, \eqn{m} = `n_features`,
#' \eqn{C} = `cost`, \eqn{D = diag(p)} and \eqn{u_i = \alpha_i y_i},
#' \deqn{\min_{0 \le p \le 1, \sum p = m} \ \max_{0 \le \alpha \le C, \alpha^\top y = 0} \
#'   \sum_i \alpha_i - \frac{1}{2} u^\top M(p) u,}
#' \deqn{M(p) = (1 - \tau)^2 X_l D X_l^\top + \frac{\tau^2}{\rho} X_l (Z + \epsilon I)^{-1}
#'   X_l^\top}
#' for `objective = "bound"`, which is equation 11 of the paper, a lower bound of its convex problem
#' 5; and for `objective = "exact"`, that problem itself,
#' \deqn{M(p) = X_l D^{1/2} (I + \rho D^{1/2} Z D^{1/2})^{-1} D^{1/2} X_l^\top,}
#' where there is neither \eqn{\tau} nor \eqn{\epsilon}. Without the manifold term
#' (\eqn{\tau = 0}) it is the SVM whose penalty is half the square of the m-support norm of its
#' weights: \eqn{m = 1} is the L1-SVM, \eqn{m = p} the ordinary one.
#'
#' @section Ranking and classifier:
#' Features are ordered by \eqn{p}, those of equal \eqn{p} by the size of their gradient
#' \eqn{|x_i^\top u|}; `statistic` is \eqn{p}, `selected` are the first `n_features`. Few weights
#' lie strictly between 0 and 1. \eqn{m} is part of the problem: the result for 10 features is not
#' the head of the result for 20, and the paper leaves its choice to the user. With
#' `objective = "bound"` a column that is constant over the labelled rows has \eqn{p = 0}.
#'
#' `predict()` and `coef()` use a linear SVM that is fitted anew to the selected columns of the
#' labelled rows, with a cost of the same relative size; this is how the paper judges its method.
#' Probabilities are Platt's sigmoid fitted to the labelled rows, and rough where these are few.
#'
#' @section Choosing `tau` and `cost`:
#' The manifold term has the share \eqn{\tau^2 tr(H) / \rho} of the kernel, against
#' \eqn{(1 - \tau)^2 tr(K)} of the columns (traces of centered matrices, \eqn{K} at
#' \eqn{p = m / d}). On handwritten digits \eqn{\rho = 10} and \eqn{\tau} up to 0.9 leave it almost
#' without effect, and cross-validation over \eqn{\tau} gains nothing over a fixed value; the exact
#' objective does use the unlabelled rows (with 6 to 20 labelled digits it classifies about one
#' per cent more of them correctly than the bound), while on text and standardized gene expression
#' it does not help.
#'
#' `tau = "cv"` compares relative costs 1, 10 and 100 (only the one given if `cost` is a number)
#' with \eqn{\tau} = 0, 0.1, 0.3, 0.5, 0.7 and 0.9 by stratified cross-validation on the labelled
#' rows with 5 folds, or as many as the smallest class has rows; rows held out stay in the graph.
#' Ties go to the smaller cost, then to the smaller \eqn{\tau}. With `objective = "exact"` only the
#' cost is chosen. A class with a single labelled row cannot be held out: then \eqn{\tau = 0.5} is
#' taken, with a warning.
#'
#' `tau = "max"` is the paper's maximum over \eqn{\tau} of the saddle value, by a grid of 17 values
#' and golden section around the best. It degenerates: on digits the value grows up to
#' \eqn{\tau = 1}, where the kernel no longer depends on \eqn{p} and the ranking rests on the
#' gradient alone. All \eqn{\tau} share one cost, by default that of \eqn{\tau = 0.5}.
#'
#' @section Scale:
#' The default standardizes the columns. Where all columns share one unit, such as pixels, `"none"`
#' is better; for text use `"unit"`.
#'
#' @section Departures from the paper:
#' The matrix between equations 7 and 8 is the one of its Theorem 1, \eqn{(D^{-1} + \rho
#' Z)^{-1}} (equation 8 is not convex in \eqn{p}); the gradient has the factor
#' \eqn{(1 - \tau)^2}; \eqn{f^\top L f} counts each pair once; columns are centered; \eqn{Z} gets a
#' ridge of \eqn{1 / \rho} in place of its pseudo-inverse (`ridge = 0`), which on a graph of several
#' components penalizes functions that the problem leaves free; the upper bound is the primal value
#' of the SVM; the level is 0.5 instead of 0.9, which needs 3.5 times the iterations; features
#' within 1e-6 of 0 or 1 count as such in the order; more than two classes and the default cost are
#' ours. Exchanging the maximum over \eqn{\tau} and the minimum over \eqn{p} (10 to 11) gives a
#' lower bound only.
#'
#' With more than 5000 rows and columns the manifold term is computed by conjugate gradients, with
#' up to 5000 rows by one matrix of the size of the rows; a matrix of the size of the columns is
#' only formed where these are no more than the rows. Time grows with the number of columns and with the
#' cube of the number of labelled rows.
#'
#' @inheritParams selector_arguments
#' @param n_features The number m of features, part of the problem. `NULL`: 20, or all that vary if
#'   these are fewer.
#' @param cost Cost C of the hinge loss. `NULL`: 10 / s with s the mean of the centered diagonal of
#'   the kernel at \eqn{p = m / d}.
#' @param rho Weight of the manifold penalty. `NULL`: 10 for `"bound"`; for `"exact"` 0.3 divided by
#'   the mean diagonal of \eqn{Z}.
#' @param tau Share of the manifold term, from 0 to 1; `"cv"` or `"max"`. Not used by `"exact"`.
#' @param objective `"bound"`, the problem that the paper solves; or `"exact"`, the one it starts
#'   from.
#' @param ridge \eqn{\epsilon}. `NULL`: 1 / `rho`; 0: the pseudo-inverse. Not used by `"exact"`.
#' @param level Where between the bounds the next level lies, between 0 and 1.
#' @param tol Relative difference of the bounds at which to stop.
#' @param max_iter Most iterations of the level method.
#' @param multiclass More than two classes: `"joint"`, one set of weights for all problems of one
#'   class against the rest; or `"separate"`, one run for each class, and features by the sum of
#'   their weights.
#' @inherit selector_arguments return
#' @return `info` has `p` (per column of `x`), `alpha` (per labelled row; a matrix with one column
#'   per class for more than two), `lower`, `upper`, `gap` (relative), `objective` (the trace: a
#'   data frame `iteration`, `dual`, `upper`, `lower`, with `class` in front for `"separate"`),
#'   `components` of the graph (`NA` where \eqn{\tau = 0} needs none), `eps`, `rho`, `cost`, `tau`,
#'   `n_fractional` (weights strictly between 0 and 1), `cv` (what was tried) and `note`. `model`
#'   has the classifier and the relaxed solution: `p`, `alpha`, `alpha_bar` (a combination of all alpha
#'   whose lower bound is at least `lower`), `b` and `w` (for scaled and centered columns).
#' @references Xu, Jin, Lyu and King (2009), Discriminative semi-supervised feature selection via
#'   manifold regularization, IJCAI 21.
#'   Lemarechal, Nemirovskii and Nesterov (1995), New variants of bundle methods, Mathematical
#'   Programming 69.
#'   Platt (1999), Probabilistic outputs for support vector machines, in Advances in Large Margin
#'   Classifiers.
#' @examples
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- factor(iris$Species[51:150])
#' y[-c(1:5, 51:55)] <- NA
#' r <- rank_fs_manifold(x, y, n_features = 2, scale = "none")
#' r
#' attr(r, "info")$objective
#' table(predict(r, x), iris$Species[51:150], exclude = "setosa")
#' @export
rank_fs_manifold <- function(x, y, cost = NULL, rho = NULL, tau = 0.5,
                             objective = c("bound", "exact"), ridge = NULL, level = 0.5,
                             tol = 1e-3, max_iter = 200, multiclass = c("joint", "separate"),
                             graph = NULL, k = 20, metric = c("cosine", "euclidean"),
                             weights = c("binary", "heat", "cosine"), bandwidth = "median",
                             symmetrize = c("union", "mutual"),
                             search = c("auto", "exact", "approximate"), scale = "standardize",
                             n_features = NULL, threads = getOption("semiselect.threads", 2L),
                             verbose = interactive()) {
  objective <- check_choice(objective, c("bound", "exact"), "objective")
  multiclass <- check_choice(multiclass, c("joint", "separate"), "multiclass")
  metric <- check_choice(metric, c("cosine", "euclidean"), "metric")
  weights <- check_choice(weights, c("binary", "heat", "cosine"), "weights")
  cost <- check_number(cost, "cost", 0, open = "min", null = TRUE)
  rho <- check_number(rho, "rho", 0, open = "min", null = TRUE)
  ridge <- check_number(ridge, "ridge", 0, null = TRUE)
  level <- check_number(level, "level", 0, 1, open = c("min", "max"))
  tol <- check_number(tol, "tol", 0, open = "min")
  max_iter <- check_count(max_iter, "max_iter")
  tau <- check_tau(tau, objective)
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  n_features <- check_fs_manifold_size(n_features, problem)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  folds <- list()
  if (identical(tau, "cv")) {
    folds <- stratified_folds(problem)
    if (length(folds) == 0) {
      warn_user("`tau = \"cv\"` needs two labelled rows in every class; `tau = 0.5` and the ",
                "default cost are used.")
      tau <- 0.5
    }
  }
  control <- run_control(threads, verbose)
  fit <- run_core(control, fs_manifold_cpp(problem, options, control, list(
    n_features = n_features, cost = cost %||% 0, rho = rho %||% 0, ridge = ridge %||% -1,
    level = level, tol = tol, max_iter = max_iter, objective = objective, multiclass = multiclass,
    choose_tau = if (is.character(tau)) tau else "fixed", folds = folds,
    tau = if (is.character(tau)) 0.5 else tau
  )))

  # The values that the run has chosen stand in the place of NULL, "cv" and "max".
  cost <- fit$cost
  rho <- fit$rho
  if (objective == "bound") {
    tau <- fit$tau
    ridge <- fit$eps
  }
  if (!fit$converged) {
    warn_user(sprintf(
      "`rank_fs_manifold()` has not converged in %d iteration(s): relative gap %.2g; raise %s.",
      fit$iterations, fit$gap, "`max_iter`"
    ), class = "semiselect_warning_convergence")
  }
  result <- fs_manifold_result(problem, fit, objective, multiclass)
  fit$converged <- NULL  # the warning above has the gap
  new_ranking("fs_manifold", problem, fit, params_in_force(), info = result$info,
              model = result$model)
}

register_selector("fs_manifold",
  family = "margin", supervision = "semi-supervised", uses = c("labels", "unlabelled"),
  multiclass = TRUE, selects = TRUE, predicts = TRUE, direction = "max",
  reference = "Xu, Jin, Lyu and King (2009)"
)

check_tau <- function(tau, objective) {
  if (!is.character(tau)) return(check_number(tau, "tau", 0, 1))
  tau <- check_choice(tau, c("cv", "max"), "tau")
  if (objective == "exact" && tau == "max") {
    abort_input("`tau = \"max\"` belongs to `objective = \"bound\"`: the exact objective has no ",
                "`tau`.\nLeave `tau` out.")
  }
  tau
}

# m: at most the number of columns that vary.
check_fs_manifold_size <- function(n_features, problem) {
  varying <- problem$p - sum(problem$constant)
  if (is.null(n_features)) return(min(20L, max(varying, 1L)))
  n_features <- check_n_features(n_features, problem$p)
  if (n_features > varying && varying > 0) {
    if (varying < problem$p) {
      warn_user(sprintf("`n_features` is %d, but only %d feature(s) are not constant: %s.",
                        n_features, varying, "these are taken"))
    }
    n_features <- as.integer(varying)
  }
  n_features
}

# Rows to hold out, each labelled row once, every class spread over all folds; none if a class has
# a single row.
stratified_folds <- function(problem) {
  smallest <- min(tabulate(problem$y, problem$classes))
  if (smallest < 2) return(list())
  count <- min(5L, smallest)
  rows <- which(!is.na(problem$y))
  rows <- rows[sample.int(length(rows))]
  rows <- rows[order(problem$y[rows])]
  lapply(seq_len(count), function(fold) rows[seq_along(rows) %% count == fold %% count])
}

fs_manifold_result <- function(problem, fit, objective, multiclass) {
  several <- problem$classes > 2
  named <- function(values, rows = NULL) {
    if (!several) return(stats::setNames(as.vector(values), rows))
    matrix(values, nrow(values), dimnames = list(rows, problem$levels))
  }
  trace <- as.data.frame(fit$trace)
  class <- problem$levels[trace$run + 1]
  trace$run <- NULL
  if (several && multiclass == "separate") trace <- cbind(class = class, trace)
  p <- stats::setNames(fit$p, problem$features)
  alpha <- named(fit$alpha)
  info <- list(
    converged = fit$converged, p = p, alpha = alpha, lower = fit$lower, upper = fit$upper,
    gap = fit$gap, objective = trace,
    components = if (fit$components < 0) NA_integer_ else fit$components,
    eps = if (objective == "bound") fit$eps else NA_real_, rho = fit$rho, cost = fit$cost,
    tau = if (objective == "bound") fit$tau else NA_real_, n_fractional = fit$n_fractional
  )
  if (length(fit$candidates$error)) info$cv <- as.data.frame(fit$candidates)
  if (nzchar(fit$note)) info$note <- fit$note
  model <- list(
    coefficients = named(fit$coefficients, problem$features),
    intercept = if (several) stats::setNames(fit$intercept, problem$levels) else fit$intercept,
    objective = fit$upper, levels = problem$levels, scale = problem$scale, p = p, alpha = alpha,
    alpha_bar = named(fit$alpha_bar),
    b = if (several) stats::setNames(fit$b, problem$levels) else fit$b,
    w = named(fit$w, problem$features),
    prob = lapply(seq_len(ncol(fit$platt)), function(c) fit$platt[, c])
  )
  list(info = info, model = model)
}
