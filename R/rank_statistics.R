#' Variance score
#'
#' Ranks features by their variance, the plainest unsupervised score:
#' \deqn{VS_r = \frac{1}{n} \sum_i (f_{ri} - \bar f_r)^2,}
#' with \eqn{f_r} column \eqn{r} of `x`. High scores are better. Labels are not used. The score
#' depends on the unit of each column; after `scale = "standardize"` all scores are equal, and the
#' function says so.
#'
#' @inheritParams selector_arguments
#' @inherit selector_arguments return
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum, equation 1.
#' @examples
#' rank_variance(iris[1:4])
#' @export
rank_variance <- function(x, y = NULL, scale = "none", n_features = NULL,
                          threads = getOption("semiselect.threads", 2L),
                          verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  control <- run_control(threads, verbose)
  if (problem$scale == "standardize") {
    warn_user(paste(
      "After `scale = \"standardize\"` every variance is the same: the ranking is the order of the",
      "columns. Use `scale = \"none\"` or \"range\"."
    ))
  }
  fit <- run_core(control, variance_cpp(problem, control))
  new_ranking("variance", problem, fit, params_in_force())
}

register_selector("variance",
  family = "statistics", supervision = "unsupervised", uses = "unlabelled", multiclass = TRUE,
  selects = FALSE, predicts = FALSE, direction = "max", reference = "Qiu and Pan (2016)"
)

#' Fisher score
#'
#' Ranks features by how far the classes lie apart compared with their spread, over the labelled
#' rows alone:
#' \deqn{FS_r = \frac{\sum_c n_c (\bar f_{rc} - \bar f_r)^2}{\sum_c n_c \mathrm{var}_{rc}},}
#' where \eqn{\bar f_{rc}} and \eqn{\mathrm{var}_{rc}} (divisor \eqn{n_c}) are mean and variance of
#' feature \eqn{r} within class \eqn{c}. High scores are better. It is the null that every
#' semi-supervised score must beat.
#'
#' `variant = "pairwise"`, for two classes, is
#' \eqn{(\bar f_{r+} - \bar f_{r-})^2 / (\mathrm{var}_{r+} + \mathrm{var}_{r-})}; it gives the same
#' order as the default when both classes have the same number of labelled rows.
#'
#' A feature that separates the classes without any spread scores `Inf`. One that is constant over
#' the labelled rows, yet not over all rows, has no score and is ranked with the constant columns.
#' The score changes neither with the unit nor with the origin of a column, so `scale` has no
#' effect.
#'
#' @inheritParams selector_arguments
#' @param variant `"multiclass"`, or for two classes `"pairwise"`.
#' @inherit selector_arguments return
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum, equation 5.
#'   Bishop (1995), Neural networks for pattern recognition.
#' @examples
#' rank_fisher(iris[1:4], iris$Species)
#' @export
rank_fisher <- function(x, y, variant = c("multiclass", "pairwise"), scale = "none",
                        n_features = NULL, threads = getOption("semiselect.threads", 2L),
                        verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  variant <- check_choice(variant, c("multiclass", "pairwise"), "variant")
  if (variant == "pairwise" && length(problem$levels) != 2) {
    abort_input(sprintf(
      "`variant = \"pairwise\"` is for two classes, but `y` has %d. Use `variant = \"multiclass\"`.",
      length(problem$levels)
    ))
  }
  control <- run_control(threads, verbose)
  fit <- run_core(control, fisher_cpp(problem, control, variant))
  new_ranking("fisher", problem, fit, params_in_force())
}

register_selector("fisher",
  family = "statistics", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = FALSE, predicts = FALSE, direction = "max", reference = "Qiu and Pan (2016)"
)
