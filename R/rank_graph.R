#' Laplacian score
#'
#' Ranks features by how well they keep the neighborhoods of the data. With \eqn{W} the weights of
#' the neighbor graph, \eqn{D} the diagonal matrix of its row sums, \eqn{L = D - W} and \eqn{f_r}
#' column \eqn{r} of `x`,
#' \deqn{LS_r = \frac{g^\top L g}{g^\top D g}, \qquad g = f_r - \frac{f_r^\top D 1}{1^\top D 1} 1,}
#' and low scores are better. Scores lie between 0 and 2 and change neither with the unit nor with
#' the origin of a column: `scale` decides only from which copy of `x` the neighbors are found.
#'
#' With labels, `link_labels = TRUE` adds an edge between any two rows of one class (the
#' semi-supervised version of He, Cai and Niyogi); pairs of different classes are not used, see
#' [rank_cls()] for that.
#'
#' The thesis prints in equation 2.7 the plain mean in place of the degree-weighted one and counts
#' each pair twice; we follow equation 2.6. Its fixed bandwidth of 0.1 underflows on data with more
#' than a few columns; the default here is the median squared edge length.
#'
#' A feature that is constant wherever the graph has weight has no score and is ranked last. For
#' text, `scale = "unit"` is usually the better graph.
#'
#' @inheritParams selector_arguments
#' @param link_labels Whether rows of one class are linked in the graph; without effect if `y` is
#'   missing.
#' @inherit selector_arguments return
#' @references He, Cai and Niyogi (2005), Laplacian score for feature selection, NIPS 18.
#'   Hindawi (2013), Feature selection for semi-supervised data analysis in decisional information
#'   systems, PhD thesis, INSA Lyon, equation 2.6.
#' @examples
#' rank_laplacian(iris[1:4])
#'
#' # The order published for iris needs the cosine graph of the raw columns
#' rank_laplacian(iris[1:4], metric = "cosine", scale = "none")
#' @export
rank_laplacian <- function(x, y = NULL, link_labels = TRUE, graph = NULL, k = 5,
                           metric = c("euclidean", "cosine"),
                           weights = c("heat", "binary", "cosine"), bandwidth = "median",
                           symmetrize = c("union", "mutual"),
                           search = c("auto", "exact", "approximate"), scale = "standardize",
                           n_features = NULL, threads = getOption("semiselect.threads", 2L),
                           verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  link_labels <- check_flag(link_labels, "link_labels")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, laplacian_cpp(problem, options, control, link_labels))
  new_ranking("laplacian", problem, fit, params_in_force())
}

register_selector("laplacian",
  family = "graph", supervision = "unsupervised", uses = c("unlabelled", "labels"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "He, Cai and Niyogi (2005)"
)

#' LSDF, locality sensitive discriminant features
#'
#' Ranks features by how far they take rows of different classes apart, compared with how close they
#' keep rows of one class and neighbors:
#' \deqn{LSDF_r = \frac{f_r^\top L_b f_r}{f_r^\top L_w f_r}.}
#' The between graph links any two labelled rows of different classes with weight 1. The within graph
#' links any two labelled rows of one class with weight `gamma`, and neighbors of which at least one
#' is unlabelled with the weight of the neighbor graph. High scores are better. The score changes
#' neither with the unit nor with the origin of a column: `scale` decides only from which copy of `x`
#' the neighbors are found. With all rows labelled it is `1 / (gamma * CS1)`, see
#' [rank_constraint()].
#'
#' @inheritParams selector_arguments
#' @param gamma Weight of a pair of labelled rows of one class.
#' @inherit selector_arguments return
#' @references Zhao, Lu and He (2008), Locality sensitive semi-supervised feature selection,
#'   Neurocomputing 71.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_lsdf(iris[1:4], y)
#' @export
rank_lsdf <- function(x, y, gamma = 100, graph = NULL, k = 5, metric = c("euclidean", "cosine"),
                      weights = "binary", bandwidth = "median",
                      symmetrize = c("union", "mutual"),
                      search = c("auto", "exact", "approximate"), scale = "standardize",
                      n_features = NULL, threads = getOption("semiselect.threads", 2L),
                      verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  gamma <- check_number(gamma, "gamma", min = 0)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, lsdf_cpp(problem, options, control, gamma))
  new_ranking("lsdf", problem, fit, params_in_force())
}

register_selector("lsdf",
  family = "graph", supervision = "semi-supervised", uses = c("labels", "unlabelled"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Zhao, Lu and He (2008)"
)

#' Trace ratio
#'
#' Chooses the `n_features` features that together maximize a ratio of two sums,
#' \deqn{\lambda = \frac{\sum_j a_j}{\sum_j b_j},}
#' and ranks all features by \eqn{a_j - \lambda b_j} at the optimum; high is better. With
#' `criterion = "fisher"`, \eqn{a} is the scatter between the classes and \eqn{b} the scatter within
#' them, over the labelled rows. With `"laplacian"`, \eqn{a_j = \sum_i d_i (f_{ji} - \mu_j)^2} and
#' \eqn{b_j = f_j^\top L f_j} on the neighbor graph, and labels are not used.
#'
#' \eqn{\lambda} is iterated: take the `n_features` largest \eqn{a - \lambda b}, set
#' \eqn{\lambda} to their ratio, until it stands still. The trace in `attr(r, "info")$objective`
#' never falls, and its limit is the global optimum over all subsets of that size. Another
#' `n_features` gives another ranking. Unlike single ratios the result depends on the units of the
#' columns, hence `scale = "standardize"`. If the chosen features have no denominator at all,
#' \eqn{\lambda} is `Inf` and the statistic \eqn{a_j / b_j}.
#'
#' @inheritParams selector_arguments
#' @param criterion `"fisher"` or `"laplacian"`.
#' @param n_features How many features are chosen; `NULL` is 10, at most all.
#' @inherit selector_arguments return
#' @references Nie, Xiang, Jia, Zhang and Yan (2008), Trace ratio criterion for feature selection,
#'   AAAI.
#' @examples
#' rank_trace_ratio(iris[1:4], iris$Species, n_features = 2)
#' @export
rank_trace_ratio <- function(x, y = NULL, criterion = c("fisher", "laplacian"), graph = NULL,
                             k = 5, metric = c("euclidean", "cosine"),
                             weights = c("heat", "binary", "cosine"), bandwidth = "median",
                             symmetrize = c("union", "mutual"),
                             search = c("auto", "exact", "approximate"), scale = "standardize",
                             n_features = NULL, threads = getOption("semiselect.threads", 2L),
                             verbose = interactive()) {
  criterion <- check_choice(criterion, c("fisher", "laplacian"), "criterion")
  needs <- if (criterion == "fisher") "classes" else "nothing"
  problem <- as_problem(x, y, scale = scale, needs = needs)
  if (is.null(n_features)) n_features <- min(problem$p, 10L)
  n_features <- check_n_features(n_features, problem$p)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, trace_ratio_cpp(problem, options, control, criterion, n_features))
  fit$info <- list(lambda = fit$objective[length(fit$objective)])
  new_ranking("trace_ratio", problem, fit, params_in_force())
}

register_selector("trace_ratio",
  family = "graph", supervision = "supervised", uses = "labels", multiclass = TRUE,
  selects = TRUE, predicts = FALSE, direction = "max",
  reference = "Nie, Xiang, Jia, Zhang and Yan (2008)"
)

#' TRCFS, the Fisher score of propagated labels
#'
#' Spreads the labels over the neighbor graph by a random walk that stops at labelled rows, and ranks
#' features by the ratio of the scatters between and within the resulting soft classes:
#' \deqn{TRCFS_r = \frac{\sum_a n_a (\mu_{ra} - \mu_r)^2}{\sum_{ia} F_{ia} (f_{ri} - \mu_{ra})^2},}
#' with \eqn{F_{ia}} the probability that the walk from row \eqn{i} ends at class \eqn{a} (see
#' [label_propagation()], method `"random_walk"`), \eqn{n_a = \sum_i F_{ia}} and \eqn{\mu_{ra}} the
#' mean of the feature with weights \eqn{F_{ia}}. High scores are better. Rows that no label reaches
#' carry no weight. With all rows labelled, or `alpha = 0`, it is [rank_fisher()].
#'
#' The score changes neither with the unit nor with the origin of a column, so its order solves the
#' trace-ratio problem for every number of features at once when the columns have equal scatter: no
#' search is needed, and `n_features` only marks `selected`. `attr(r, "info")$soft_labels` holds
#' \eqn{F}.
#'
#' @inheritParams selector_arguments
#' @param alpha Probability that the walk goes on at an unlabelled row, at least 0 and below 1.
#' @inherit selector_arguments return
#' @references Liu, Nie, Wu and Chen (2013), Efficient semi-supervised feature selection with noise
#'   insensitive trace ratio criterion, Neurocomputing 105.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_trcfs(iris[1:4], y)
#' @export
rank_trcfs <- function(x, y, alpha = 0.99, graph = NULL, k = 5, metric = c("euclidean", "cosine"),
                       weights = "binary", bandwidth = "median",
                       symmetrize = c("union", "mutual"),
                       search = c("auto", "exact", "approximate"), scale = "standardize",
                       n_features = NULL, threads = getOption("semiselect.threads", 2L),
                       verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale, needs = "classes")
  alpha <- check_number(alpha, "alpha", min = 0, max = 1, open = "max")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, trcfs_cpp(problem, options, control, alpha))
  colnames(fit$info$soft_labels) <- problem$levels
  new_ranking("trcfs", problem, fit, params_in_force())
}

register_selector("trcfs",
  family = "graph", supervision = "semi-supervised", uses = c("labels", "unlabelled"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "max",
  reference = "Liu, Nie, Wu and Chen (2013)"
)

#' Spectral feature selection (SPEC)
#'
#' Ranks features by how smooth they are on a graph of the rows. With \eqn{S} the similarities of
#' the rows, \eqn{D} the diagonal matrix of their sums and
#' \eqn{N = I - D^{-1/2} S D^{-1/2}} the normalized Laplacian with eigenpairs
#' \eqn{(\lambda_j, v_j)} in ascending order, a feature \eqn{f} is seen through
#' \eqn{h = D^{1/2} f / |D^{1/2} f|} and \eqn{a_j = v_j^\top h}:
#' \deqn{\varphi_1 = \sum_j a_j^2 \lambda_j^r, \qquad
#'   \varphi_2 = \frac{\sum_{j \ge 2} a_j^2 \lambda_j^r}{\sum_{j \ge 2} a_j^2}, \qquad
#'   \varphi_3 = \sum_{j = 2}^{m} (2^r - \lambda_j^r) a_j^2.}
#' Low values of `phi = 1` and `phi = 2`, high values of `phi = 3` are better.
#'
#' `scale` decides only from which copy of `x` similarities and neighbors are found; the score is
#' that of the columns as given. `phi = 2` changes neither with the unit nor with the origin of a
#' column, and with an `r` of 1 it is the Laplacian score on the same graph. `phi = 1` and `phi = 3`
#' depend on the origin.
#'
#' The similarity is the full RBF kernel \eqn{\exp(-d^2 / bandwidth)} of all pairs of rows with 1
#' on the diagonal (`"rbf"`; n x n values in memory; `"median"` is the median of all positive
#' squared distances), the neighbor graph (`"knn"`, the default where a `graph` is given) or, for
#' labelled rows, \eqn{1 / n_c} within class \eqn{c} (`"class"`, which needs labels; rows without
#' one carry no weight).
#'
#' `phi = 1` and `phi = 2` take \eqn{r / 2} products with \eqn{N}, no eigenvectors; only a
#' fractional `r` needs them all. `phi = 3` finds its eigenpairs by a dense solver for up to 500
#' rows, above by Lanczos iterations; where \eqn{\lambda_m} is a multiple eigenvalue (within 1e-10)
#' its whole eigenspace counts, because the score would else depend on the choice of a basis. On a
#' disconnected graph \eqn{v_1} is still \eqn{D^{1/2} 1}, and the other vectors of eigenvalue 0 are
#' orthogonal to it.
#'
#' The thesis' "F2+r4" is `phi = 2, r = 4`, its "F3+r" is `phi = 3, r = 1`. Some implementations
#' rank `phi = 1` and `phi = 2` in descending order, which is the wrong way round.
#'
#' @inheritParams selector_arguments
#' @param phi The ranking function: 1, 2 or 3.
#' @param r The power of the eigenvalues, a positive number.
#' @param similarity `"rbf"`, `"knn"` or `"class"`, see the Details.
#' @param n_eigen For `phi = 3` the number \eqn{m} of eigenpairs, the first included; `NULL`: the
#'   number of classes, at least 2.
#' @inherit selector_arguments return
#' @references Zhao and Liu (2007), Spectral feature selection for supervised and unsupervised
#'   learning, ICML 24.
#' @examples
#' rank_spec(iris[1:4])
#' rank_spec(iris[1:4], phi = 3, n_eigen = 3)
#' @export
rank_spec <- function(x, y = NULL, phi = 2, r = 1, similarity = c("rbf", "knn", "class"),
                      n_eigen = NULL, graph = NULL, k = 5, metric = c("euclidean", "cosine"),
                      weights = c("heat", "binary", "cosine"), bandwidth = "median",
                      symmetrize = c("union", "mutual"),
                      search = c("auto", "exact", "approximate"), scale = "standardize",
                      n_features = NULL, threads = getOption("semiselect.threads", 2L),
                      verbose = interactive()) {
  if (missing(similarity) && !is.null(graph)) similarity <- "knn"
  similarity <- check_choice(similarity, c("rbf", "knn", "class"), "similarity")
  problem <- as_problem(x, y, scale = scale,
                        needs = if (similarity == "class") "labels" else "nothing")
  phi <- check_choice(phi, c(1, 2, 3), "phi")
  r <- check_number(r, "r", min = 0, max = 1000, open = "min")
  n_eigen <- check_count(n_eigen, "n_eigen", min = 2, null = TRUE)
  if (is.null(n_eigen)) n_eigen <- max(2L, problem$classes)
  n_eigen <- min(n_eigen, problem$n)
  if (!is.null(graph) && similarity != "knn") {
    abort_input(sprintf("A `graph` is for `similarity = \"knn\"`, not \"%s\".\n%s", similarity,
                        "Leave out one of the two."))
  }
  # The other similarities have no neighbors to run out of.
  near <- if (similarity == "knn") k else min(check_count(k, "k"), problem$n - 1L)
  options <- graph_options(problem, graph, near, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, spec_cpp(problem, options, control, phi, r, similarity, n_eigen))
  fit$direction <- if (phi == 3) "max" else "min"
  new_ranking("spec", problem, fit, params_in_force())
}

register_selector("spec",
  family = "graph", supervision = "unsupervised", uses = c("unlabelled", "labels"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "Zhao and Liu (2007)"
)

#' Semi-supervised selection by spectral analysis (sSelect)
#'
#' Ranks features by their Laplacian score together with how well the two sides of their mean
#' agree with the labels:
#' \deqn{\eta \, LS_r + (1 - \eta) \left(1 - NMI(\mathrm{sign}(g), y)\right), \qquad
#'   g = f_r - \mu_D,}
#' with \eqn{LS} the Laplacian score (see [rank_laplacian()]) on the graph without label edges,
#' \eqn{\mu_D} the degree-weighted mean and \eqn{NMI = I / \sqrt{H H}} the normalized mutual
#' information over the labelled rows. Low values are better; they lie between 0 and
#' \eqn{1 + \eta}.
#'
#' A value at the mean counts as above it. The information is 0 when either entropy is, so that
#' without labels, or with one class, the order is that of the Laplacian score, with a warning.
#' With more than two classes the indicator still has two values, and the information cannot
#' reach 1.
#'
#' The thesis sorts in descending order in its algorithm 2; the formula is a cost, so the order
#' here is ascending. It gives no value for `eta`; 0.1 is ours. `scale` decides only from which
#' copy of `x` the neighbors are found.
#'
#' @inheritParams selector_arguments
#' @param eta Weight of the graph against the labels, between 0 and 1.
#' @inherit selector_arguments return
#' @references Zhao and Liu (2007), Semi-supervised feature selection via spectral analysis, SDM.
#'   Hindawi (2013), Feature selection for semi-supervised data analysis in decisional information
#'   systems, PhD thesis, INSA Lyon, equations 2.8 and 2.9.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_sselect(iris[1:4], y)
#' @export
rank_sselect <- function(x, y = NULL, eta = 0.1, graph = NULL, k = 5,
                         metric = c("euclidean", "cosine"),
                         weights = c("heat", "binary", "cosine"), bandwidth = "median",
                         symmetrize = c("union", "mutual"),
                         search = c("auto", "exact", "approximate"), scale = "standardize",
                         n_features = NULL, threads = getOption("semiselect.threads", 2L),
                         verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  eta <- check_number(eta, "eta", min = 0, max = 1)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, sselect_cpp(problem, options, control, eta))
  if (problem$classes < 2) {
    warn_user("Without labels of two classes the order is that of the Laplacian score.\n",
              "Label rows of another class, or use `rank_laplacian()`.")
  }
  new_ranking("sselect", problem, fit, params_in_force())
}

register_selector("sselect",
  family = "graph", supervision = "semi-supervised", uses = c("unlabelled", "labels"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "Zhao and Liu (2007)"
)

#' Similarity preserving feature selection (SPFS)
#'
#' Looks for features whose inner products keep the similarities of the rows. With \eqn{Z} the
#' columns of `x`, centered and of unit norm, and \eqn{K = Y Y^\top} the similarities, the three
#' searches of the paper are
#' \itemize{
#'   \item `"forward"`: picks the feature with the largest \eqn{q_f = z_f^\top R z_f}, where \eqn{R
#'     = K - \sum_s z_s z_s^\top} over those picked: the one that leaves the least \eqn{|R - z_f
#'     z_f^\top|_F^2}. A negative \eqn{q_f} means that the feature makes the error grow: it is
#'     ranked, but not `selected`. `statistic` is \eqn{q_f} when picked.
#'   \item `"nesterov"`: \eqn{\min_W \frac12 |Y - Z W|_F^2 + \lambda \sum_f |w_f|},
#'     \eqn{\lambda = \rho \max_f |z_f^\top Y|}; `statistic` is \eqn{|w_f|}, and features with a
#'     weight are `selected`.
#'   \item `"lar"`: least angle regression of all columns of \eqn{Y} together; `statistic` is the
#'     correlation \eqn{|z_f^\top (Y - F)|} at entry over the first one.
#' }
#' High values are better.
#'
#' The similarity is \eqn{1 / n_c} within class \eqn{c} over the labelled rows (`"class"`, the
#' default with labels; columns that are constant over these rows have no score), or \eqn{\exp(-d^2
#' / bandwidth)} of all pairs of rows (`"rbf"`, the default without; n x n values in memory).
#' `scale` concerns the distances of `"rbf"` only; `"median"` is the median of all positive squared
#' distances.
#'
#' `"forward"` and `"lar"` pick `n_features`, 50 if it is `NULL`, ties (within 1e-12) to the lower
#' column; the others follow by the criterion as it then stands, which is their `statistic`.
#' `"nesterov"` is solved by block coordinate descent to a relative duality gap of 1e-10, in
#' `attr(r, "info")$gap`, whatever its name says of the paper's solver: the minimizer is the same.
#' The names of the searches are the paper's; the details of `"nesterov"` and `"lar"` are our
#' reading.
#'
#' @inheritParams selector_arguments
#' @param search `"forward"`, `"nesterov"` or `"lar"`, see above.
#' @param similarity `"class"` or `"rbf"`; without labels `"rbf"`.
#' @param rho For `"nesterov"`: the penalty relative to the smallest one that selects nothing;
#'   positive.
#' @param bandwidth Of the RBF similarity: a positive number or `"median"`.
#' @param n_features How many features `"forward"` and `"lar"` pick; `NULL`: 50, or all if there are
#'   fewer. For `"nesterov"` how many are `selected`; `NULL`: those with a weight.
#' @inherit selector_arguments return
#' @references Zhao, Wang, Liu and Ye (2012), On similarity preserving feature selection, IEEE TKDE
#'   25.
#' @examples
#' rank_spfs(iris[1:4], iris$Species)
#' rank_spfs(iris[1:4], search = "lar")
#' @export
rank_spfs <- function(x, y = NULL, search = c("forward", "nesterov", "lar"),
                      similarity = c("class", "rbf"), rho = 0.1, bandwidth = "median",
                      scale = "standardize", n_features = NULL,
                      threads = getOption("semiselect.threads", 2L), verbose = interactive()) {
  if (missing(similarity) && all(is.na(y))) similarity <- "rbf"
  similarity <- check_choice(similarity, c("class", "rbf"), "similarity")
  problem <- as_problem(x, y, scale = scale,
                        needs = if (similarity == "class") "classes" else "nothing")
  search <- check_choice(search, c("forward", "nesterov", "lar"), "search")
  rho <- check_number(rho, "rho", min = 0, open = "min")
  if (identical(bandwidth, "local")) {
    abort_input("`bandwidth` must be a positive number or \"median\", not \"local\".")
  }
  n_features <- check_n_features(n_features, problem$p)
  if (is.null(n_features) && search != "nesterov") n_features <- as.integer(min(problem$p, 50))
  kernel <- graph_options(problem, k = 1, bandwidth = bandwidth)
  bandwidth <- kernel$bandwidth
  control <- run_control(threads, verbose)
  fit <- run_core(control, spfs_cpp(problem, kernel, control, search, similarity, rho,
                                    if (is.null(n_features)) 0L else n_features))
  fit$own_choice <- search == "forward"
  fit$converge_hint <- "rho"
  # The searches are no neighbor searches: nothing of `kernel` but its bandwidth is in force.
  rm(kernel)
  new_ranking("spfs", problem, fit, params_in_force())
}

register_selector("spfs",
  family = "graph", supervision = "semi-supervised", uses = c("labels", "unlabelled"),
  multiclass = TRUE, selects = TRUE, predicts = FALSE, direction = "max",
  reference = "Zhao, Wang, Liu and Ye (2012)"
)
