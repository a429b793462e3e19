#' Label propagation
#'
#' Spreads the labels of a few rows over a neighbor graph. With \eqn{W} the weights of the graph,
#' \eqn{D} the diagonal matrix of its row sums and \eqn{Y} the n x K indicator of the labelled rows,
#' \describe{
#'   \item{`"lgc"`}{local and global consistency:
#'     \eqn{F = (1 - \alpha)(I - \alpha D^{-1/2} W D^{-1/2})^{-1} Y}; rows without edges have
#'     \eqn{(1 - \alpha) Y}}
#'   \item{`"harmonic"`}{\eqn{F = Y} on the labelled rows; elsewhere every row has the weighted mean
#'     of its neighbors, \eqn{(D - W)_{UU} F_U = W_{UL} Y_L}. `alpha` is not used}
#'   \item{`"random_walk"`}{a walk that starts at row i goes on to a neighbor with probability
#'     `alpha` while it is at an unlabelled row, else it stops as "unknown"; at a labelled row it is
#'     absorbed. \eqn{F_{ic}} is the probability to end at class c,
#'     \eqn{(D_{UU} - \alpha W_{UU}) F_U = \alpha W_{UL} Y_L}, and `unknown` is what is left of 1}
#' }
#' The linear systems are solved by conjugate gradients, one right-hand side per class, until the
#' residual is at most `tol` times the right-hand side. No n x n matrix is ever formed.
#'
#' Labelled rows keep their label, also where `F` disagrees. A row that no path of positive weights
#' joins to a label is not reachable: its row of `F` is 0 and its class `NA`. A row whose two
#' largest entries differ by at most `1e-10 max(F)` is undecided and has class `NA` too: rounding
#' would decide.
#'
#' `eta` puts the labels into the graph (rule (3) of Jiang et al.): two labelled rows get the weight
#' `eta` if they have one class and 0 if not, whatever their distance. These class links are never
#' listed, so thousands of labels do no harm.
#'
#' `class_mass = TRUE` multiplies column c of `F` by the share of class c among the labels, divided
#' by the sum of the column over the reachable unlabelled rows, before `class` and `probability` are
#' taken; `F` itself stays. It helps where classes of equal size come with unequal numbers of labels
#' or the reverse.
#'
#' @inheritParams selector_arguments
#' @param x Samples in rows, features in columns, as for [rank_features()]. May be missing if
#'   `graph` is given.
#' @param method `"lgc"`, `"harmonic"` or `"random_walk"`.
#' @param alpha In (0, 1): how far labels travel.
#' @param eta Weight of links between labelled rows of one class; `NULL`: the graph as it is.
#' @param class_mass Whether to correct the classes for their shares among the labels.
#' @param tol,max_iter Relative residual at which a system is solved, and the most iterations.
#' @return A list of class `label_propagation`:
#'   \item{class}{factor, one per row}
#'   \item{F}{n x K, columns named by class}
#'   \item{probability}{rows of `F` divided by their sums, `NA` for rows that are not reachable}
#'   \item{reachable}{whether a label is in the same component of the graph}
#'   \item{unknown}{for `"random_walk"`: probability to end nowhere}
#'   \item{info}{`iterations` (largest over the classes), `residuals` (relative, by class),
#'     `converged`, `method`, `n_undecided` (unlabelled rows without a class), `seconds`}
#'   \item{params}{every value in force}
#'
#'   `as.data.frame()` gives `row`, `class`, `reachable` and one column of `F` per class.
#' @references Zhou, Bousquet, Lal, Weston and Schoelkopf (2004), Learning with local and global
#'   consistency, NIPS 16.
#'
#'   Zhu, Ghahramani and Lafferty (2003), Semi-supervised learning using Gaussian fields and
#'   harmonic functions, ICML.
#'
#'   Jiang, Wu, Yu and Chen (2019), Joint semi-supervised feature selection and classification
#'   through Bayesian approach, AAAI, equation 3.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' spread <- label_propagation(iris[1:4], y)
#' spread
#' mean(spread$class == iris$Species, na.rm = TRUE)
#' @export
label_propagation <- function(x, y, method = c("lgc", "harmonic", "random_walk"), alpha = 0.99,
                              eta = NULL, class_mass = FALSE, graph = NULL, k = 5,
                              metric = c("euclidean", "cosine"),
                              weights = c("binary", "heat", "cosine"), bandwidth = "median",
                              symmetrize = c("union", "mutual"),
                              search = c("auto", "exact", "approximate"), scale = "none",
                              tol = 1e-12, max_iter = 10000,
                              threads = getOption("semiselect.threads", 2L),
                              verbose = interactive()) {
  if (missing(x) || is.null(x)) {
    if (is.null(dim(graph))) abort_input("`x` may be missing only if `graph` is given.")
    x <- matrix(0, nrow(graph), 1)
  }
  if (missing(y)) y <- NULL
  problem <- as_problem(x, y, scale = scale, needs = "labels")
  scale <- problem$scale
  method <- check_choice(method, c("lgc", "harmonic", "random_walk"), "method")
  alpha <- check_number(alpha, "alpha", 0, 1, open = c("min", "max"))
  eta <- check_number(eta, "eta", 0, open = "min", null = TRUE)
  class_mass <- check_flag(class_mass, "class_mass")
  tol <- check_number(tol, "tol", 0)
  max_iter <- check_count(max_iter, "max_iter")
  weights <- check_choice(weights, c("binary", "heat", "cosine"), "weights")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  inform_dropped_levels(problem)
  fit <- run_core(control, label_propagation_cpp(problem, options, control, method, alpha, eta,
                                                 class_mass, tol, max_iter))
  new_propagation(problem, fit, method, params_in_force())
}

new_propagation <- function(problem, fit, method, params) {
  attr(params, "clipped") <- NULL
  levels <- problem$levels
  classes <- factor(levels[fit$class], levels = levels)
  colnames(fit$F) <- levels
  total <- rowSums(fit$weighted)
  probability <- fit$weighted / total
  probability[!fit$reachable | total <= 0, ] <- NA
  colnames(probability) <- levels
  undecided <- sum(is.na(classes))
  inform_undecided(undecided, sum(is.na(problem$y)))
  if (!fit$converged) {
    warn_user(sprintf(
      "`label_propagation()` has not converged in %d iteration(s); raise `max_iter`.",
      max(fit$iterations)
    ), class = "semiselect_warning_convergence")
  }
  out <- list(class = classes, F = fit$F, probability = probability, reachable = fit$reachable)
  if (method == "random_walk") out$unknown <- pmin(pmax(1 - rowSums(fit$F), 0), 1)
  out$info <- list(
    iterations = max(fit$iterations), residuals = stats::setNames(fit$residuals, levels),
    converged = fit$converged, method = method, n_undecided = undecided, seconds = fit$seconds
  )
  out$params <- params
  structure(out, class = "label_propagation")
}

# A word on unlabelled rows that the propagation leaves without a class: loud if these are all.
inform_undecided <- function(undecided, unlabelled) {
  if (undecided == 0) return(invisible())
  text <- sprintf("%d of %d unlabelled row(s) get no pseudo-label: no label reaches them, or %s.",
                  undecided, unlabelled, "two classes are tied")
  if (undecided == unlabelled) {
    warn_user(text, class = "semiselect_warning_undecided")
  } else {
    inform_user(text)
  }
}

#' @export
print.label_propagation <- function(x, ...) {
  labels <- c(lgc = "local and global consistency", harmonic = "harmonic function",
              random_walk = "random walk")
  cat(sprintf("Label propagation (%s): %d rows\n", labels[[x$info$method]], length(x$class)))
  count <- table(x$class)
  cat("Classes: ", paste(sprintf("%s (%d)", names(count), count), collapse = ", "), "\n", sep = "")
  if (x$info$n_undecided > 0) {
    cat(x$info$n_undecided, "row(s) without a class, of which", sum(!x$reachable),
        "cannot be reached from a label\n")
  }
  cat(sprintf("%d iteration(s), largest relative residual %.1e\n", x$info$iterations,
              max(x$info$residuals)))
  invisible(x)
}

#' @export
as.data.frame.label_propagation <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(row = seq_along(x$class), class = x$class, reachable = x$reachable, x$F,
             row.names = row.names, check.names = FALSE)
}
