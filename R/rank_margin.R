# Selectors that are linear classifiers: a feature is as good as its weight.

#' Semi-supervised elastic-net SVM (SENFS)
#'
#' A linear classifier that is trained on labelled and unlabelled rows and keeps only some of the
#' features. With \eqn{L} the labelled and \eqn{U} the unlabelled rows, \eqn{C} = `cost`,
#' \eqn{C^*} = `cost_unlabelled` and the decision value \eqn{g_i = x_i^\top \beta + \beta_0}, it
#' minimizes
#' \deqn{F(\beta, \beta_0) = C \sum_{i \in L} \max(0, 1 - y_i g_i) + C^* \sum_{i \in U} U_s(g_i)
#'   + \lambda_1 \|\beta\|_1 + \frac{\lambda_2}{2} \|\beta\|_2^2,}
#' \deqn{U_s(g) = \min(1 - s, \max(0, 1 - |g|)),}
#' over the scaled columns, with \eqn{y_i = 1} for the second level. The unlabelled rows are pushed
#' away from the boundary, those within \eqn{|g| \le s} are left alone. With `balance` the mean of
#' \eqn{g} over the unlabelled rows is held at `r`, by default the mean of the labels \eqn{\pm
#' 1}{+-1}. The \eqn{\ell_1}{l1} penalty makes most coefficients exactly zero, the
#' \eqn{\ell_2}{l2} penalty gives correlated features similar ones: identical columns have identical
#' coefficients.
#'
#' @section Ranking: `statistic` is \eqn{|t_j|}, the size of the coefficient on the scaled columns;
#' `selected` means \eqn{t_j \ne 0}. Features that are not selected are ordered by
#' \eqn{|v_j|/\lambda_1 - 1}, their (negative) `score`: how close they are to entering
#' (\eqn{v} is the vector of the dual problem,
#' \eqn{\lambda_2 t = \mathrm{soft}(v, \lambda_1)}). With `path = TRUE` the ranking is by
#' entry: the largest \eqn{\lambda_1} of the path at which a feature
#' is selected, ties by \eqn{|t_j|} there, and those that never enter by \eqn{|v_j|} at the
#' smallest; `score` is then p - rank + 1. With `path = TRUE` and `n_features`, unless `lambda1` is
#' given, the model is that of the largest \eqn{\lambda_1} on the path with so many features.
#'
#' More than two classes: each against the rest, with its own defaults of `lambda1` and `r`.
#' `statistic` is then \eqn{\sqrt{\sum_c t_{jc}^2}}, or what `aggregate` says; `selected` the union;
#' the others are ordered by \eqn{\max_c |v_{jc}|/\lambda_{1c}}.
#'
#' @section Defaults: `lambda2` is \eqn{C l + C^* u} for l labelled and u unlabelled rows. `lambda1`
#' is 0.05 of \eqn{\max_j (C \sum_L |x_{ij} - m_j| + C^* \sum_U |x_{ij} - m_j|)}, m the mean of the
#' unlabelled rows; above that value nothing can be selected, and from it the path descends to a
#' hundredth. 0.2 to 0.3 of it selects fewer and purer features. Without unlabelled rows, or with
#' `cost_unlabelled = 0`, the problem is that of [rank_drsvm()], with its defaults.
#'
#' @section Algorithm: An unlabelled row is either ignored, or counts as one of the positive, or of
#' the negative class. Given that assignment the problem is convex; it is solved to a certified
#' duality gap `tol` by alternating directions (Ye, Chen and Xie 2011), finished on the active sets.
#' Then rows are reassigned by their decision values, which never increases F, until nothing
#' changes. As F is not convex, this is done from several `starts`, and the lowest F wins.
#'
#' @section Departures from the paper: The printed algorithm contains errors and does not converge
#' reliably; its problem is solved here by another one. `solver = "admm"` starts from a corrected
#' form of it: one auxiliary variable per row, the exact proximal operator of the clipped loss,
#' fixed penalties, 300 iterations. The objective is the paper's (3) and (4), without the constant
#' that was lost on the way to (6). The balance constraint is that of (3): the mean over the
#' unlabelled rows. Selected are the non-zero entries of the sparse vector of the split, not of the
#' dense one. The bound of Theorem 1 is used with each unlabelled row counted once. More than two
#' classes, and probabilities, are additions.
#'
#' @section Probabilities: `predict(r, newx, "prob")` gives Platt's sigmoid of the decision value,
#' fitted to the labelled rows; with more than two classes the columns are divided by their sum.
#' With few labels they are rough.
#'
#' @inheritParams selector_arguments
#' @param cost C, the weight of a labelled row. 0 is legal with `cost_unlabelled > 0` and `r`
#'   given: clustering by a large margin, whose sign (which class is the positive one) is arbitrary.
#' @param cost_unlabelled C*, the weight of an unlabelled row.
#' @param lambda1,lambda2 Weights of the two penalties; `NULL`: see Defaults. Not both 0. `lambda1`
#'   may have one value per class. With `path = TRUE` `lambda2` may be a grid: ranking and model are
#'   those of its first value, `info$path` has the paths of all, with a first column `lambda2`.
#' @param s Half the width of the band around the boundary in which unlabelled rows are ignored,
#'   at least 0 and less than 1.
#' @param balance Whether the mean decision value of the unlabelled rows is fixed. `NULL`: if there
#'   are unlabelled rows and they have a weight.
#' @param r The target of `balance`, between -1 and 1: 2q - 1 if a share q of the unlabelled rows is
#'   of the second level. `NULL`: from the labels. Two classes only.
#' @param starts Where to start: some of `"labelled"` (labels only), `"anneal"` (`cost_unlabelled`
#'   rising from 1/64), `"centroid"` (along the difference of the class means), `"pca+"`, `"pca-"`
#'   (along the first principal component of the unlabelled rows). Or, for two classes, a start of
#'   your own: `list(assignment = )` with -1, 0 or 1 for each unlabelled row, or
#'   `list(beta = , intercept = )` on the scale of `x`, such as the parts of another fit's model.
#' @param solver `"mm"`, or `"admm"`: the corrected algorithm of the paper as the only start.
#' @param path Whether to follow the solution over `n_lambda` values of `lambda1` and to rank by
#'   entry.
#' @param n_lambda Length of the path.
#' @param tol Relative duality gap at which a convex problem counts as solved.
#' @param aggregate How the coefficients of more than two classes make one statistic: `"norm"`,
#'   `"max"` or `"sum"` of their absolute values.
#' @return A [feature_ranking]. Its attribute `model` has `coefficients` and `intercept` on the
#'   scale of `x` (a matrix with one column per class for more than two), `standardized` (on the
#'   scaled columns) and `objective` (F; one value per class); `info` has `objective` (F over the
#'   outer iterations), `objective_by_start`, `start`, `iterations`, `inner_iterations`, `gap`,
#'   `converged`, `lambda1`, `lambda2`, `r`, `v`, with `path = TRUE` the data frame `path`
#'   (`lambda1`, `objective`, `n_selected`), and for more than two classes these by class in
#'   `by_class`. `augment()` gives the rows with `label`, `decision`, `class` and `decided`: whether
#'   \eqn{|g| > s}.
#' @references Dai, Yu and Li (2013), A semisupervised feature selection with support vector
#'   machine, Journal of Applied Mathematics 2013, 416320. Collobert, Sinz, Weston and Bottou
#'   (2006), Large scale transductive SVMs, JMLR 7. Ye, Chen and Xie (2011), Efficient variable
#'   selection in support vector machines via the alternating direction method of multipliers,
#'   AISTATS. Platt (1999), Probabilistic outputs for support vector machines.
#' @seealso [rank_drsvm()] for labelled rows only.
#' @examples
#' set.seed(1)
#' data <- simulate_senfs(n = 100, p = 50, rho = 0.5, d = 1)
#' y <- data$y
#' y[-match(levels(y), y)] <- NA  # one label per class
#' r <- rank_senfs(data$x, y)
#' r
#' mean(predict(r, data$x) == data$y)
#' head(generics::augment(r))
#' @export
rank_senfs <- function(x, y, cost = 1, cost_unlabelled = 0.1 * cost, lambda1 = NULL,
                       lambda2 = NULL, s = 0.3, balance = NULL, r = NULL,
                       starts = c("labelled", "anneal", "centroid", "pca+", "pca-"),
                       solver = c("mm", "admm"), path = FALSE, n_lambda = 20, tol = 1e-6,
                       aggregate = c("norm", "max", "sum"), scale = "standardize",
                       n_features = NULL, threads = getOption("semiselect.threads", 2L),
                       verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  cost <- check_number(cost, "cost", min = 0)
  cost_unlabelled <- check_number(cost_unlabelled, "cost_unlabelled", min = 0)
  path <- check_flag(path, "path")
  lambda1 <- check_lambda1(lambda1, problem)
  lambda2 <- check_lambda2(lambda2, path)
  s <- check_number(s, "s", min = 0, max = 1, open = "max")
  balance <- check_flag(balance, "balance", null = TRUE)
  r <- check_number(r, "r", min = -1, max = 1, open = c("min", "max"), null = TRUE)
  solver <- check_choice(solver, c("mm", "admm"), "solver")
  n_lambda <- check_count(n_lambda, "n_lambda")
  tol <- check_number(tol, "tol", min = 0, open = "min")
  aggregate <- check_choice(aggregate, c("norm", "max", "sum"), "aggregate")
  check_count(n_features, "n_features", null = TRUE)
  check_both_penalties(lambda1, lambda2)
  unlabelled <- is.na(problem$y)
  if (length(problem$y) == 0) unlabelled <- rep(TRUE, problem$n)
  check_senfs_labels(problem, cost, cost_unlabelled, r, sum(unlabelled))

  if (!any(unlabelled)) {
    inform_user("There are no unlabelled rows: this is the problem of `rank_drsvm()`.")
    balance <- FALSE
  }
  if (is.null(balance)) balance <- cost_unlabelled > 0
  if (balance && sum(unlabelled) == 1) {
    warn_user("There is one unlabelled row: `balance` fixes its decision value at `r`.")
  }
  own <- own_start(starts, problem, unlabelled, s)

  settings <- list(
    cost = cost, cost_unlabelled = cost_unlabelled, lambda1 = lambda1, lambda2 = lambda2, s = s,
    balance = balance, r = r, starts = own$starts, given = own$assignment, solver = solver,
    path = path, n_lambda = n_lambda, n_features = min(n_features %||% 0L, problem$p), tol = tol,
    aggregate = aggregate, system = "automatic"
  )
  control <- run_control(threads, verbose)
  fit <- margin_grid(settings, lambda2, function(settings) {
    margin_fit(run_core(control, senfs_cpp(problem, settings, control)), problem, s)
  })
  # So that the call can be repeated; but a path that chooses lambda1 itself must choose again.
  if (!(path && !is.null(n_features))) lambda1 <- fit$info$lambda1
  if (is.null(lambda2)) lambda2 <- fit$info$lambda2
  if (length(fit$by_class) == 1) r <- fit$info$r
  new_ranking("senfs", problem, fit, params_in_force())
}

register_selector("senfs",
  family = "margin", supervision = "semi-supervised", uses = c("labels", "unlabelled"),
  multiclass = TRUE, selects = TRUE, predicts = TRUE, direction = "max",
  reference = "Dai, Yu and Li (2013)"
)

#' Doubly regularized SVM (DrSVM)
#'
#' The support vector machine with an elastic-net penalty, on the labelled rows:
#' \deqn{\min_{\beta, \beta_0} C \sum_{i} \max(0, 1 - y_i (x_i^\top \beta + \beta_0))
#'   + \lambda_1 \|\beta\|_1 + \frac{\lambda_2}{2} \|\beta\|_2^2,}
#' over the scaled columns, with C = `cost` and \eqn{y_i = 1} for the second level. Unlabelled rows
#' take part in the scaling, and are then left out. The first penalty makes coefficients exactly
#' zero, the second lets correlated features in or out together. `lambda1 = 0` is the ordinary
#' linear SVM, `lambda2 = 0` the L1-SVM (its solution need not be unique).
#'
#' The problem is convex and solved to a certified relative duality gap of `tol`, usually exactly:
#' by alternating directions, finished on the active sets.
#'
#' @section Ranking: As for [rank_senfs()]: by \eqn{|t_j|}, the coefficient on the scaled columns,
#' features with \eqn{t_j = 0} by \eqn{|v_j|/\lambda_1 - 1}; with `path = TRUE` by entry. More than
#' two classes: each against the rest.
#'
#' @section Defaults: `lambda2` is C l for l labelled rows. `lambda1` is 0.1 of
#' \eqn{C \min(n_+, n_-) \max_j |\bar x_{+j} - \bar x_{-j}|}, at and above which nothing is
#' selected; the path descends from there to a hundredth.
#'
#' @section Probabilities: As for [rank_senfs()].
#'
#' @inheritParams rank_senfs
#' @param cost C, the weight of a row; positive.
#' @return A [feature_ranking] with `model` and `info` as for [rank_senfs()]; `iterations` are those
#'   of the solver. `augment()` gives the rows with `label`, `decision` and `class`.
#' @references Wang, Zhu and Zou (2006), The doubly regularized support vector machine, Statistica
#'   Sinica 16. Ye, Chen and Xie (2011), Efficient variable selection in support vector machines
#'   via the alternating direction method of multipliers, AISTATS.
#' @examples
#' rank_drsvm(iris[51:150, 1:4], droplevels(iris$Species[51:150]))
#' path <- rank_drsvm(iris[1:4], iris$Species, path = TRUE)
#' head(attr(path, "info")$path)
#' @export
rank_drsvm <- function(x, y, cost = 1, lambda1 = NULL, lambda2 = NULL, path = FALSE,
                       n_lambda = 20, tol = 1e-6, aggregate = c("norm", "max", "sum"),
                       scale = "standardize", n_features = NULL,
                       threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  cost <- check_number(cost, "cost", min = 0, open = "min")
  path <- check_flag(path, "path")
  lambda1 <- check_lambda1(lambda1, problem)
  lambda2 <- check_lambda2(lambda2, path)
  n_lambda <- check_count(n_lambda, "n_lambda")
  tol <- check_number(tol, "tol", min = 0, open = "min")
  aggregate <- check_choice(aggregate, c("norm", "max", "sum"), "aggregate")
  check_count(n_features, "n_features", null = TRUE)
  check_both_penalties(lambda1, lambda2)
  check_both_classes(problem)

  settings <- list(
    cost = cost, lambda1 = lambda1, lambda2 = lambda2, path = path, n_lambda = n_lambda,
    n_features = min(n_features %||% 0L, problem$p), tol = tol, aggregate = aggregate,
    system = "automatic"
  )
  control <- run_control(threads, verbose)
  fit <- margin_grid(settings, lambda2, function(settings) {
    margin_fit(run_core(control, drsvm_cpp(problem, settings, control)), problem)
  })
  if (!(path && !is.null(n_features))) lambda1 <- fit$info$lambda1
  if (is.null(lambda2)) lambda2 <- fit$info$lambda2
  new_ranking("drsvm", problem, fit, params_in_force())
}

register_selector("drsvm",
  family = "margin", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = TRUE, predicts = TRUE, direction = "max", reference = "Wang, Zhu and Zou (2006)"
)

# One number, or one for each of more than two classes; NULL for the defaults.
check_lambda1 <- function(lambda1, problem) {
  if (is.null(lambda1)) return(NULL)
  classes <- length(problem$levels)
  if (is.numeric(lambda1) && length(lambda1) == classes && classes > 2) {
    for (value in as.vector(lambda1)) check_number(value, "lambda1", min = 0)
    return(stats::setNames(as.double(lambda1), problem$levels))
  }
  check_number(lambda1, "lambda1", min = 0)
}

# One number, with a path also a grid; NULL for the default.
check_lambda2 <- function(lambda2, path) {
  if (!path || !is.numeric(lambda2) || length(lambda2) < 2) {
    return(check_number(lambda2, "lambda2", min = 0, null = TRUE))
  }
  vapply(as.vector(lambda2), check_number, 0, name = "lambda2", min = 0)
}

# A path for each lambda2 of a grid. Ranking and model are those of the first; `info$path` has all.
margin_grid <- function(settings, lambda2, run) {
  if (length(lambda2) < 2) return(run(settings))
  fits <- lapply(lambda2, function(value) {
    settings$lambda2 <- value
    run(settings)
  })
  fit <- fits[[1]]
  fit$info$path <- do.call(rbind, Map(function(value, other) {
    cbind(lambda2 = value, other$info$path)
  }, lambda2, fits))
  fit$converged <- all(vapply(fits, `[[`, NA, "converged"))
  fit
}

check_both_penalties <- function(lambda1, lambda2) {
  if (!is.null(lambda1) && !is.null(lambda2) && any(lambda1 == 0) && any(lambda2 == 0)) {
    abort_input("`lambda1` and `lambda2` must not both be 0.\nMake one of them positive.")
  }
}

check_both_classes <- function(problem) {
  classes <- length(problem$levels)
  if (classes >= 2) return(invisible())
  abort_input(sprintf(
    "This method separates classes, so labels of both classes are needed, but `y` has %s.\n%s",
    if (classes == 0) "none" else sprintf("only \"%s\"", problem$levels),
    "Label rows of another class, or take a method that needs no labels (see `selectors()`)."
  ))
}

check_senfs_labels <- function(problem, cost, cost_unlabelled, r, n_unlabelled) {
  classes <- length(problem$levels)
  if (!is.null(r) && classes > 2) {
    abort_input(sprintf("`r` is for two classes, but `y` has %d.\nLeave it NULL.", classes))
  }
  if (cost > 0) return(check_both_classes(problem))
  if (cost_unlabelled == 0 || n_unlabelled == 0 || is.null(r)) {
    abort_input(paste0(
      "`cost = 0` leaves the labels out: it needs unlabelled rows, `cost_unlabelled > 0` and ",
      "`r`.\n",
      "Give these, or a positive `cost`."
    ))
  }
  if (classes > 2) abort_input("`cost = 0` is for two classes.\nGive a positive `cost`.")
}

# The starts by name, and the assignment of a start of the user's own.
own_start <- function(starts, problem, unlabelled, s) {
  known <- c("labelled", "anneal", "centroid", "pca+", "pca-")
  if (is.character(starts) && length(starts) > 0 && all(starts %in% known)) {
    return(list(starts = unique(starts), assignment = integer()))
  }
  expected <- sprintf(
    "`starts` must be some of %s, or a list with `assignment`, or with `beta` and `intercept`",
    enumerate(known, "\"")
  )
  if (!is.list(starts) || is.null(names(starts))) {
    bad <- if (is.character(starts)) setdiff(starts, known)[1] else starts
    abort_input(sprintf("%s, not %s.", expected, describe(bad)))
  }
  if (length(problem$levels) > 2) abort_input("A start of your own is for two classes.")
  if (!is.null(starts$assignment)) {
    e <- starts$assignment
    if (!is.numeric(e) || length(e) != sum(unlabelled) || !all(e %in% c(-1, 0, 1))) {
      abort_input(sprintf("`starts$assignment` must be -1, 0 or 1 for each of the %d %s.",
                          sum(unlabelled), "unlabelled rows"))
    }
    return(list(starts = "given", assignment = as.integer(e)))
  }
  beta <- starts$beta
  if (!is.numeric(beta) || length(beta) != problem$p || !all(is.finite(beta))) {
    abort_input(sprintf("%s; `beta` must have one finite number for each of the %d features.",
                        expected, problem$p))
  }
  intercept <- check_number(starts$intercept %||% 0, "starts$intercept")
  x <- problem$x
  if (problem$scale == "unit") {
    norm <- sqrt(Matrix::rowSums(x^2))
    x <- x / ifelse(norm == 0, 1, norm)
  }
  g <- as.vector(x %*% as.vector(beta))[unlabelled] + intercept
  list(starts = "given", assignment = as.integer(ifelse(abs(g) > s, sign(g), 0)))
}

# From what the core says of each two-class problem to `model` and `info`. s: the band of SENFS.
margin_fit <- function(fit, problem, s = NULL) {
  parts <- fit$by_class
  several <- length(parts) > 1
  levels <- problem$levels
  if (length(levels) < 2) levels <- c("-1", "1")  # cost = 0 without labels
  if (several) names(parts) <- levels
  pick <- function(name) {
    if (!several) return(parts[[1]][[name]])
    values <- lapply(parts, `[[`, name)
    if (all(lengths(values) == 1)) unlist(values) else do.call(cbind, values)
  }
  named <- function(values) {
    if (!several) return(stats::setNames(values, problem$features))
    matrix(values, nrow = problem$p, dimnames = list(problem$features, levels))
  }

  fit$model <- list(
    coefficients = named(pick("coefficients")), intercept = pick("intercept"),
    objective = pick("value"), standardized = named(pick("standardized")), levels = levels,
    prob = if (problem$n_labelled > 0) {
      if (several) lapply(parts, `[[`, "prob") else parts[[1]]$prob
    },
    prob_message = "Without labelled rows there is nothing to fit probabilities to."
  )
  info <- list(
    gap = max(pick("gap")), inner_iterations = sum(pick("inner_iterations")),
    lambda1 = pick("lambda1"), lambda2 = parts[[1]]$lambda2, v = named(pick("v"))
  )
  if (!is.null(s)) info$r <- pick("r")
  entries <- c("objective", "objective_by_start", "start", "iterations", "inner_iterations", "gap",
               "converged", "lambda1", "lambda2", if (!is.null(s)) "r", "path")
  if (several) {
    info$by_class <- lapply(parts, function(part) part[intersect(entries, names(part))])
    info$objective <- lapply(parts, `[[`, "objective")
  } else {
    info$objective_by_start <- parts[[1]]$objective_by_start
    info$start <- parts[[1]]$start
  }
  paths <- lapply(parts, `[[`, "path")
  if (!is.null(paths[[1]])) {
    info$path <- paths[[1]]
    if (several) {
      info$path <- do.call(rbind, lapply(levels, function(level) {
        cbind(class = factor(level, levels), paths[[level]])
      }))
    }
  }
  info$rows <- margin_rows(pick("decision"), problem, levels, s)
  fit$info <- info
  fit$converge_hint <- "tol"

  if (all(pick("standardized") == 0) && !all(problem$constant)) {
    warn_user("No feature is selected: `lambda1` is too large for these labels.\n",
              "Give a smaller one.")
  }
  fit
}

# What augment() shows.
margin_rows <- function(decision, problem, levels, s) {
  several <- is.matrix(decision)
  code <- if (several) max.col(decision, ties.method = "first") else 1L + (decision >= 0)
  g <- if (several) decision[cbind(seq_along(code), code)] else as.vector(decision)
  label <- if (length(problem$y)) problem$y else rep(NA_integer_, problem$n)
  rows <- data.frame(
    row = seq_len(problem$n), label = factor(problem$levels[label], problem$levels), decision = g,
    class = factor(levels[code], levels)
  )
  if (!is.null(s)) rows$decided <- abs(g) > s
  rows
}
