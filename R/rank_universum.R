#' Sparsity score
#'
#' Ranks features by how well they survive when each row is represented by a few others. Row
#' \eqn{i} of the weights \eqn{S} is the lasso
#' \deqn{\min_s \; \tfrac12 \Big| z_i - \sum_{j \ne i} s_j z_j \Big|^2 + \lambda_i |s|_1, \qquad
#'   \lambda_i = \rho \max_{j \ne i} |z_i^\top z_j|,}
#' with \eqn{z} the scaled rows, a constant 1 appended where `affine = TRUE`, and the score of a
#' scaled column \eqn{f} is
#' \deqn{SS_1 = \sum_i \Big( f_i - \sum_j s_{ij} f_j \Big)^2, \qquad SS_2 = SS_1 / VS,}
#' with \eqn{VS} the variance (divisor n). Low scores are better. On standardized data, the
#' default, both variants give the same order.
#'
#' The paper minimizes \eqn{|s|_1} under \eqn{x_i = \sum_j s_j x_j}, which has in general no
#' solution when there are at least as many features as rows, and where it has one every residual,
#' hence every score, is 0. Some slack is needed, and the lasso is our choice; `affine` is the soft
#' version of the paper's constraint \eqn{\sum_j s_j = 1}. The inner sum of Qiu and Pan's
#' equation 4 runs over \eqn{j}, not over \eqn{i} as printed. `rho >= 1` gives \eqn{S = 0}.
#'
#' `supervised = TRUE` uses the labelled rows alone and lets only rows of the same class represent
#' each other; a class of one row is represented by nothing.
#'
#' The cost grows with the square of the number of rows; above 5000 rows the function says so. The
#' weights are in `attr(r, "info")$weights`, a sparse n x n matrix.
#'
#' @inheritParams selector_arguments
#' @param rho Penalty relative to the smallest one that gives no representation at all; positive.
#' @param affine Whether a constant 1 is appended to the rows.
#' @param variant 1 for \eqn{SS_1}, 2 for \eqn{SS_2}.
#' @param supervised Whether rows are represented within their class only.
#' @inherit selector_arguments return
#' @references Liu, Sun and Zhang (2012), Sparsity score: a new filter feature selection method
#'   based on graph, ICPR 21. Qiu and Pan (2016), Semisupervised feature selection with Universum,
#'   equation 4.
#' @examples
#' rank_sparsity(iris[1:4])
#' @export
rank_sparsity <- function(x, y = NULL, rho = 0.1, affine = TRUE, variant = 1, supervised = FALSE,
                          scale = "standardize", n_features = NULL,
                          threads = getOption("semiselect.threads", 2L),
                          verbose = interactive()) {
  supervised <- check_flag(supervised, "supervised")
  problem <- as_problem(x, y, scale = scale, needs = if (supervised) "labels" else "nothing")
  rho <- check_number(rho, "rho", min = 0, open = "min")
  affine <- check_flag(affine, "affine")
  variant <- check_choice(variant, c(1, 2), "variant")
  warn_many_rows(if (supervised) problem$n_labelled else problem$n)
  control <- run_control(threads, verbose)
  fit <- run_core(control, sparsity_cpp(problem, control, rho, affine, variant, supervised))
  fit$info <- list(weights = Matrix::sparseMatrix(
    i = fit$weights$i, j = fit$weights$j, x = fit$weights$x, dims = c(problem$n, problem$n)
  ))
  fit$converge_hint <- "rho"
  new_ranking("sparsity", problem, fit, params_in_force())
}

register_selector("sparsity",
  family = "universum", supervision = "unsupervised", uses = c("unlabelled", "labels"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "Liu, Sun and Zhang (2012)"
)

warn_many_rows <- function(n) {
  if (n > 5000) {
    warn_user(sprintf(
      "Each of %d rows is represented by all others: time and memory grow with the square.\n%s", n,
      "Take a sample of the rows, or compress them with `compress_som()`."
    ))
  }
}

#' Variance score with a Universum (UVS)
#'
#' A Universum is a set of rows that belong to none of the classes. A good feature puts them apart
#' from the data, yet close to each other, and has itself a large variance:
#' \deqn{UVS = \alpha B - \beta V + VS}
#' on the scaled columns, where \eqn{B} is the mean squared difference between a Universum row and a
#' row of `x`, \eqn{V} that between two Universum rows and \eqn{VS} the variance score of `x`. High
#' scores are better. Labels are not used.
#'
#' The double sums are computed as
#' \eqn{B = \mathrm{var}_u + \mathrm{var}_x + (\bar u - \bar x)^2} and
#' \eqn{V = 2 \, \mathrm{var}_u}, with variances that divide by the number of rows. The Universum is
#' scaled with the parameters of `x`. A single Universum row has \eqn{V = 0}.
#'
#' Equations 6 to 8 of the paper divide the sum of \eqn{V} by the number \eqn{u} of Universum rows
#' once, that of \eqn{B} by all its pairs, so that \eqn{V} weighs \eqn{u} times what it should;
#' with 150 Universum rows the ranking then no longer depends on `alpha`, nor on `beta` from 0.05
#' up. The default `beta_norm = "mean"` divides by \eqn{u^2}; `"paper"` is the printed formula.
#'
#' What to expect: the paper tunes `alpha` and `beta` over the grid 0.01, 0.05, 0.1, 0.5, 1, 5, 10,
#' 50, 100 and prints the best result. With `alpha = 1` and `beta = 10` fixed, a comparison over 11
#' tasks (mean accuracy of 1-nearest-neighbor classifiers) gave 81.5 for the variance score and 81.2
#' for UVS, 82.1 for the Laplacian score and 81.4 for ULS, 80.6 for the sparsity score and 82.3 for
#' USS: only USS gains over its base, and part of the published gain is the search over the grid.
#' Tune them, by cross-validation on the labelled rows.
#'
#' @inheritParams selector_arguments
#' @param alpha Weight of \eqn{B}, not negative.
#' @param beta Weight of \eqn{V}, not negative.
#' @param beta_norm `"mean"`: \eqn{V} is a mean over pairs; `"paper"`: \eqn{u} times that.
#' @inherit selector_arguments return
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum, equation 6.
#' @seealso [rank_uls()] and [rank_uss()] for other base scores; [universum_mean()],
#'   [universum_rest()] and [universum_gene()] for making a Universum.
#' @examples
#' x <- iris[51:150, 1:4]
#' u <- universum_rest(iris[1:4], iris$Species, "setosa")$universum
#' rank_uvs(x, universum = u)
#' @export
rank_uvs <- function(x, y = NULL, universum = NULL, alpha = 1, beta = 10,
                     beta_norm = c("mean", "paper"), scale = "range", n_features = NULL,
                     threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  universum <- as_universum(universum, problem)
  alpha <- check_number(alpha, "alpha", min = 0)
  beta <- check_number(beta, "beta", min = 0)
  beta_norm <- check_choice(beta_norm, c("mean", "paper"), "beta_norm")
  control <- run_control(threads, verbose)
  fit <- run_core(control, uvs_cpp(problem, universum, control, alpha, beta, beta_norm))
  new_ranking("uvs", problem, fit, params_in_force())
}

register_selector("uvs",
  family = "universum", supervision = "semi-supervised", uses = c("unlabelled", "universum"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Qiu and Pan (2016)"
)

#' Laplacian score with a Universum (ULS)
#'
#' The contrast to a Universum of [rank_uvs()], with the Laplacian score \eqn{LS} as its base:
#' \deqn{ULS = \alpha B - \beta V - 2 LS}
#' on the scaled columns; the graph is that of the rows of `x` alone. High scores are better.
#' See [rank_uvs()] for \eqn{B}, \eqn{V}, the misprint in the paper's normalization and what gain
#' to expect of a Universum with fixed `alpha` and `beta`.
#'
#' The Laplacian score uses the degree-weighted mean (see [rank_laplacian()]), which the paper's
#' equation 2 replaces by the plain one; its equation 7 sums ordered pairs, hence the factor 2. A
#' feature that is constant wherever the graph has weight has no score.
#'
#' @inheritParams rank_uvs
#' @inheritParams selector_arguments
#' @inherit selector_arguments return
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum, equation 7.
#' @examples
#' x <- iris[51:150, 1:4]
#' u <- universum_rest(iris[1:4], iris$Species, "setosa")$universum
#' rank_uls(x, universum = u)
#' @export
rank_uls <- function(x, y = NULL, universum = NULL, alpha = 1, beta = 10,
                     beta_norm = c("mean", "paper"), graph = NULL, k = 5,
                     metric = c("euclidean", "cosine"), weights = c("heat", "binary", "cosine"),
                     bandwidth = "median", symmetrize = c("union", "mutual"),
                     search = c("auto", "exact", "approximate"), scale = "range",
                     n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  universum <- as_universum(universum, problem)
  alpha <- check_number(alpha, "alpha", min = 0)
  beta <- check_number(beta, "beta", min = 0)
  beta_norm <- check_choice(beta_norm, c("mean", "paper"), "beta_norm")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, uls_cpp(problem, universum, options, control, alpha, beta, beta_norm))
  new_ranking("uls", problem, fit, params_in_force())
}

register_selector("uls",
  family = "universum", supervision = "semi-supervised", uses = c("unlabelled", "universum"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Qiu and Pan (2016)"
)

#' Sparsity score with a Universum (USS)
#'
#' The contrast to a Universum of [rank_uvs()], with the sparsity score \eqn{SS_1} as its base:
#' \deqn{USS = \alpha B - \beta V - SS_1}
#' on the scaled columns; rows of `x` are represented by rows of `x` alone, see [rank_sparsity()].
#' High scores are better. See [rank_uvs()] for \eqn{B}, \eqn{V}, the misprint in the paper's
#' normalization and what gain to expect of a Universum with fixed `alpha` and `beta`.
#'
#' @inheritParams rank_uvs
#' @inheritParams rank_sparsity
#' @inheritParams selector_arguments
#' @inherit selector_arguments return
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum, equation 8,
#'   whose inner sum runs over \eqn{j}.
#' @examples
#' x <- iris[51:150, 1:4]
#' u <- universum_rest(iris[1:4], iris$Species, "setosa")$universum
#' rank_uss(x, universum = u)
#' @export
rank_uss <- function(x, y = NULL, universum = NULL, alpha = 1, beta = 10,
                     beta_norm = c("mean", "paper"), rho = 0.1, affine = TRUE, scale = "range",
                     n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  universum <- as_universum(universum, problem)
  alpha <- check_number(alpha, "alpha", min = 0)
  beta <- check_number(beta, "beta", min = 0)
  beta_norm <- check_choice(beta_norm, c("mean", "paper"), "beta_norm")
  rho <- check_number(rho, "rho", min = 0, open = "min")
  affine <- check_flag(affine, "affine")
  warn_many_rows(problem$n)
  control <- run_control(threads, verbose)
  fit <- run_core(control, uss_cpp(problem, universum, control, alpha, beta, beta_norm, rho,
                                   affine))
  fit$converge_hint <- "rho"
  new_ranking("uss", problem, fit, params_in_force())
}

register_selector("uss",
  family = "universum", supervision = "semi-supervised", uses = c("unlabelled", "universum"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Qiu and Pan (2016)"
)
