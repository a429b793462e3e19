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

#' ReliefF
#'
#' Ranks features by whether they tell a row from its nearest rows of other classes better than from
#' its nearest rows of its own, over the labelled rows alone:
#' \deqn{w = \frac{1}{l} \sum_i \Big[ - \mathrm{mean}_{hits} |dx| + \sum_{c \ne y_i}
#'   \frac{P(c)}{1 - P(y_i)} \, \mathrm{mean}_{misses_c} |dx| \Big].}
#' Columns are first scaled to the range 0 to 1 over the labelled rows. Hits are the `k` rows of the
#' same class nearest to row \eqn{i} in Manhattan distance, misses the `k` nearest of class \eqn{c},
#' fewer where a class is smaller; \eqn{P} are the shares of the classes. Weights lie between -1 and
#' 1, high is better.
#'
#' Every labelled row is a probe, without sampling, so nothing is drawn. Ties go to the lower row. A
#' class of one row has no hits. Some implementations divide by the ratio of the shares instead of
#' multiplying by it, which is not what the paper says. The rows' distances take l x l values in
#' memory, less for sparse `x`. `scale` comes before the method's own scaling, so that only `"unit"`
#' has an effect.
#'
#' @inheritParams selector_arguments
#' @param k Number of hits, and of misses of each other class.
#' @inherit selector_arguments return
#' @references Robnik-Sikonja and Kononenko (2003), Theoretical and empirical analysis of ReliefF
#'   and RReliefF, Machine Learning 53.
#' @examples
#' rank_relieff(iris[1:4], iris$Species)
#' @export
rank_relieff <- function(x, y, k = 10, scale = "none", n_features = NULL,
                         threads = getOption("semiselect.threads", 2L),
                         verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  k <- check_count(k, "k")
  control <- run_control(threads, verbose)
  fit <- run_core(control, relieff_cpp(problem, control, k))
  new_ranking("relieff", problem, fit, params_in_force())
}

register_selector("relieff",
  family = "statistics", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Robnik-Sikonja and Kononenko (2003)"
)

#' Minimum redundancy, maximum relevance (mRMR)
#'
#' Picks features one after the other, over the labelled rows alone: first the one with the largest
#' mutual information \eqn{I(f; y)} with the labels, then the one that maximizes
#' \deqn{I(f; y) - \frac{1}{|S|} \sum_{s \in S} I(f; s) \quad \mathrm{(MID)} \qquad
#'   \mathrm{or} \qquad \frac{I(f; y)}{\frac{1}{|S|} \sum_{s \in S} I(f; s) + 0.01}
#'   \quad \mathrm{(MIQ)}}
#' over the features \eqn{S} picked so far.
#'
#' Each column is put into three levels, below mean - `width` sd, above mean + `width` sd and
#' between (strict inequalities, sd with divisor l), and the information is that of the table of
#' counts, in nats. `n_features` are picked, 50 if it is `NULL`, and are `selected`; their
#' `statistic` is the criterion when they were picked, for the first its relevance. The others
#' follow by their relevance \eqn{I(f; y)}, which is their `statistic`. Ties, within 1e-12, go to
#' the lower column. Constant columns are never picked.
#'
#' @inheritParams selector_arguments
#' @param criterion `"MID"`, relevance less redundancy, or `"MIQ"`, relevance over redundancy.
#' @param width Half the width of the middle level, in standard deviations; not negative.
#' @param n_features How many features to pick; `NULL`: 50, or all if there are fewer.
#' @inherit selector_arguments return
#' @references Peng, Long and Ding (2005), Feature selection based on mutual information: criteria
#'   of max-dependency, max-relevance and min-redundancy, IEEE TPAMI 27.
#' @examples
#' rank_mrmr(iris[1:4], iris$Species, n_features = 2)
#' @export
rank_mrmr <- function(x, y, criterion = c("MID", "MIQ"), width = 1, scale = "none",
                      n_features = NULL, threads = getOption("semiselect.threads", 2L),
                      verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "labels")
  criterion <- check_choice(criterion, c("MID", "MIQ"), "criterion")
  width <- check_number(width, "width", min = 0)
  n_features <- check_n_features(n_features, problem$p)
  if (is.null(n_features)) n_features <- as.integer(min(problem$p, 50))
  control <- run_control(threads, verbose)
  fit <- run_core(control, mrmr_cpp(problem, control, criterion, width, n_features))
  new_ranking("mrmr", problem, fit, params_in_force())
}

register_selector("mrmr",
  family = "statistics", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = TRUE, predicts = FALSE, direction = "max", reference = "Peng, Long and Ding (2005)"
)
