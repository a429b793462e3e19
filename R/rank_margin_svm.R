# The supervised SVMs that set weights to zero.

#' L1-SVM
#'
#' A linear support vector machine whose 1-norm penalty sets most weights to zero, on the labelled
#' rows. With the decision value \eqn{f(x) = w^\top x - b} on the scaled columns and \eqn{C} = `cost`,
#' \deqn{\min_{w,b} \|w\|_1 + C \sum_i \max(0, 1 - y_i f(x_i))^q,}
#' \eqn{q = 1} for `loss = "hinge"`, the linear program of Fung and Mangasarian, and \eqn{q = 2} for
#' `loss = "squared"`, offered for many labelled rows. \eqn{b} is not penalized.
#'
#' The linear program is solved by column generation: all features are priced with the dual
#' solution, and the ones that would help join, until none does. `info` has `primal`, `dual` and
#' their relative difference `gap`.
#'
#' @section Ranking: By \eqn{|w_j|}, the `statistic`; at most about as many as there are labelled rows
#' are not zero. The others follow by \eqn{|x_j^\top (a * y)|}, \eqn{a} the dual solution: the order
#' in which they would enter (ours; the source says nothing of them). `score` is p - rank + 1;
#' `selected` are the non-zero weights, or the first `n_features`. With `path = TRUE` the ranking is
#' by entry, the smallest of `n_lambda` costs from \eqn{C_0} to 200 \eqn{C_0} at which a weight is not
#' zero, while the model stays that of `cost`. More than two classes: each against the rest;
#' `statistic` is the sum over the classes of \eqn{|w_j|} over that class's largest.
#'
#' @section Default cost: 20 \eqn{C_0}, with
#' \eqn{C_0 = 1/(n_{min} \max_j |\bar x_{+j} - \bar x_{-j}|)}, at or below which all weights are zero.
#'
#' `predict()` uses the sparse classifier itself, or with `n_features` a linear SVM refitted on the
#' selected columns. Probabilities are Platt's, fitted to the labelled rows; with few labels they are
#' rough. The working set of columns is made dense, never the whole of a sparse `x`.
#'
#' @inheritParams selector_arguments
#' @param cost C, positive; `NULL`: see Default cost.
#' @param loss `"hinge"` or `"squared"`.
#' @param path Whether to rank by entry over a path of costs; hinge loss only.
#' @param n_lambda Number of costs on the path.
#' @param tol Relative duality gap below which the linear program counts as solved.
#' @return A [feature_ranking]. `model` has `coefficients`, `intercept` (the \eqn{-b} of the scale of
#'   `x`), `objective` and `standardized`; `info` has `primal`, `dual`, `gap`, `cost` and with
#'   `path = TRUE` the data frame `path` (`lambda1`, which is 1/cost, `objective`, `n_selected`); for
#'   more than two classes these by class in `by_class`.
#' @references Fung and Mangasarian (2000), Data selection for support vector machine classifiers,
#'   KDD. Xu, Jin, Lyu and King (2009), Discriminative semi-supervised feature selection via manifold
#'   regularization, IJCAI.
#' @examples
#' y <- droplevels(iris$Species[51:150])
#' r <- rank_l1svm(iris[51:150, 1:4], y)
#' r
#' coef(r)
#' @export
rank_l1svm <- function(x, y, cost = NULL, loss = c("hinge", "squared"), path = FALSE,
                       n_lambda = 20, tol = 1e-8, scale = "standardize", n_features = NULL,
                       threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  cost <- check_number(cost, "cost", min = 0, open = "min", null = TRUE)
  loss <- check_choice(loss, c("hinge", "squared"), "loss")
  path <- check_flag(path, "path")
  n_lambda <- check_count(n_lambda, "n_lambda")
  tol <- check_number(tol, "tol", min = 0, open = "min")
  n_features <- check_n_features(n_features, problem$p)
  if (path && loss == "squared") {
    abort_input("`path = TRUE` is for `loss = \"hinge\"`.\nLeave `path` FALSE, or change `loss`.")
  }
  settings <- list(cost = cost, loss = loss, path = path, n_lambda = n_lambda, tol = tol,
                   n_features = n_features %||% 0L)
  control <- run_control(threads, verbose)
  fit <- run_core(control, l1svm_cpp(problem, settings, control))
  fit <- sparse_svm_fit(fit, problem, c("primal", "dual", "gap", "cost"))
  fit$converge_hint <- "tol"
  if (length(problem$levels) == 2) cost <- fit$info$cost
  new_ranking("l1svm", problem, fit, params_in_force())
}

register_selector("l1svm",
  family = "margin", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = TRUE, predicts = TRUE, direction = "max", reference = "Fung and Mangasarian (2000)"
)

#' L0-SVM (AROM)
#'
#' Approximates the linear support vector machine with the fewest weights, on the labelled rows. The
#' number of non-zero weights is replaced by \eqn{\sum_j \ln |v_j|}, which is lowered by rescaling:
#' train an SVM on columns multiplied by \eqn{u_j} (1 at first), with weights \eqn{w_j} there and
#' \eqn{v_j = u_j w_j} on the columns themselves; set \eqn{u = |v|}; repeat. At a fixed point all
#' surviving \eqn{|w_j| = 1}, so that the penalty \eqn{\frac12 \|w\|^2} is half the number of features.
#'
#' `variant = "l2"` trains the ordinary linear SVM each time, `"l1"` the linear program of
#' [rank_l1svm()]. The original is for separable data; here the margin is soft with cost \eqn{C},
#' large by default: 100/s, s the mean squared distance of the labelled rows from their mean. Not
#' convex: the result depends on the start, and there are no restarts.
#'
#' @section Ranking: Survivors by \eqn{|v_j|}, the `statistic`; then the dead, the latest first,
#' within a round by their last \eqn{|v_j|} (`"l1"`: by \eqn{|u_j x_j^\top (a * y)|}). `score` is
#' p - rank + 1; `selected` are the survivors, or the first `n_features`, which does not change the
#' run. More than two classes: each against the rest, as for [rank_l1svm()].
#'
#' `predict()` uses the surviving weights, or with `n_features` a linear SVM refitted on the selected
#' columns; probabilities as for [rank_l1svm()]. The labelled rows of a sparse `x` are made dense.
#'
#' @inheritParams rank_l1svm
#' @param cost C, positive; `NULL`: 100/s, see Details.
#' @param variant `"l2"` or `"l1"`.
#' @param tol How far surviving weights may be from 1 at the fixed point (`"l2"`).
#' @param max_rounds Limit on the rounds.
#' @return A [feature_ranking]. `model` has `coefficients`, `intercept`, `objective` and
#'   `standardized`; `info` has `objective` (`"l2"`: \eqn{\sum_j \ln |v_j| + C \sum_i \xi_i} by round),
#'   `rounds_alive` (the last round in which a feature lived, 0: to the end) and `cost`; for more
#'   than two classes these by class in `by_class`.
#' @references Weston, Elisseeff, Schoelkopf and Tipping (2003), Use of the zero-norm with linear
#'   models and kernel methods, JMLR 3.
#' @examples
#' y <- droplevels(iris$Species[51:150])
#' rank_l0svm(iris[51:150, 1:4], y)
#' @export
rank_l0svm <- function(x, y, cost = NULL, variant = c("l2", "l1"), tol = 1e-4, max_rounds = 100,
                       scale = "standardize", n_features = NULL,
                       threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  cost <- check_number(cost, "cost", min = 0, open = "min", null = TRUE)
  variant <- check_choice(variant, c("l2", "l1"), "variant")
  tol <- check_number(tol, "tol", min = 0, open = "min")
  max_rounds <- check_count(max_rounds, "max_rounds")
  n_features <- check_n_features(n_features, problem$p)
  settings <- list(cost = cost, variant = variant, tol = tol, max_rounds = max_rounds,
                   n_features = n_features %||% 0L)
  control <- run_control(threads, verbose)
  fit <- run_core(control, l0svm_cpp(problem, settings, control))
  fit <- sparse_svm_fit(fit, problem, c("gap", "cost"))
  fit$converge_hint <- "max_rounds"
  if (is.null(cost)) cost <- fit$by_class[[1]]$cost
  new_ranking("l0svm", problem, fit, params_in_force())
}

register_selector("l0svm",
  family = "margin", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = TRUE, predicts = TRUE, direction = "max",
  reference = "Weston, Elisseeff, Schoelkopf and Tipping (2003)"
)

# From what the core says of each two-class problem to `model` and `info`; `entries` are single
# numbers of each problem.
sparse_svm_fit <- function(fit, problem, entries) {
  parts <- fit$by_class
  several <- length(parts) > 1
  if (several) names(parts) <- problem$levels
  pick <- function(name) {
    values <- lapply(parts, `[[`, name)
    if (!several) return(values[[1]])
    if (all(lengths(values) == 1)) unlist(values) else do.call(cbind, values)
  }
  named <- function(values) {
    if (is.null(values)) return(NULL)
    if (several) rownames(values) <- problem$features else names(values) <- problem$features
    values
  }

  fit$model <- list(
    coefficients = named(pick("coefficients")), intercept = pick("intercept"),
    objective = pick("primal"), standardized = named(pick("standardized")),
    levels = problem$levels, prob = if (several) lapply(parts, `[[`, "prob") else parts[[1]]$prob
  )
  info <- list()
  for (entry in entries) info[[entry]] <- pick(entry)
  info$gap <- max(info$gap)
  info$rounds_alive <- named(pick("death"))
  if (several) {
    keep <- c("objective", "iterations", "converged", "primal", "dual", "gap", "cost", "path")
    info$by_class <- lapply(parts, function(part) part[intersect(keep, names(part))])
    info$objective <- lapply(parts, `[[`, "objective")
  }
  paths <- lapply(parts, `[[`, "path")
  if (!is.null(paths[[1]])) {
    info$path <- paths[[1]]
    if (several) {
      info$path <- do.call(rbind, lapply(problem$levels, function(level) {
        cbind(class = factor(level, problem$levels), paths[[level]])
      }))
    }
  }
  info$rows <- margin_rows(pick("decision"), problem, problem$levels, NULL)
  fit$info <- info
  fit
}
