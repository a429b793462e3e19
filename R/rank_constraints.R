#' Constraint score
#'
#' Ranks features by how close must-linked rows and how far apart cannot-linked rows are on them.
#' Over the unordered pairs of the must-link set ML and the cannot-link set CL,
#' \deqn{CS1_r = \frac{\sum_{ML} (f_{ri} - f_{rj})^2}{\sum_{CL} (f_{ri} - f_{rj})^2}, \qquad
#'       CS2_r = \sum_{ML} (f_{ri} - f_{rj})^2 - \nu \sum_{CL} (f_{ri} - f_{rj})^2,}
#' and low scores are better. Labels imply all pairs of labelled rows; explicit `constraints` are
#' closed under transitivity and joined with them. Rows in no pair are not used (except by
#' `scale`).
#'
#' CS1 needs both kinds of pairs and changes neither with the unit nor with the origin of a column.
#' CS2 depends on the units: `scale = NULL`, the default, means `"none"` for score 1 and
#' `"standardize"` for score 2. The paper gives no value for `nu`; 0.1 is ours.
#'
#' @inheritParams selector_arguments
#' @param score 1 or 2: CS1 or CS2.
#' @param nu Weight of the cannot-links in CS2.
#' @param scale As for every selector; `NULL` chooses by `score`, see Details.
#' @inherit selector_arguments return
#' @references Zhang, Chen and Zhou (2008), Constraint score: a new filter method for feature
#'   selection with pairwise constraints, Pattern Recognition 41. Hindawi (2013), equations 2.17 to
#'   2.22.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_constraint(iris[1:4], y)
#'
#' pairs <- pairwise_constraints(must_link = cbind(1, 2), cannot_link = cbind(1, c(60, 120)))
#' rank_constraint(iris[1:4], constraints = pairs)
#' @export
rank_constraint <- function(x, y = NULL, constraints = NULL, score = 1, nu = 0.1, scale = NULL,
                            n_features = NULL, threads = getOption("semiselect.threads", 2L),
                            verbose = interactive()) {
  score <- check_choice(score, c(1, 2), "score")
  nu <- check_number(nu, "nu", min = 0)
  if (is.null(scale)) scale <- if (score == 1) "none" else "standardize"
  problem <- as_problem(x, y, constraints, scale = scale, needs = "constraints")
  control <- run_control(threads, verbose)
  fit <- run_core(control, constraint_cpp(problem, control, score, nu))
  new_ranking("constraint", problem, fit, params_in_force())
}

register_selector("constraint",
  family = "constraints", supervision = "supervised", uses = c("labels", "constraints"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "Zhang, Chen and Zhou (2008)"
)

#' SC4, Laplacian times constraint score
#'
#' Ranks features by the product of the Laplacian score of all rows (see [rank_laplacian()], without
#' label edges) and constraint score 1 of the labels or constraints (see [rank_constraint()]),
#' \deqn{SC4_r = LS_r \cdot CS1_r,}
#' and low scores are better. It needs must-link and cannot-link pairs, as CS1 does. A feature
#' without one of the two scores has none and is ranked last.
#'
#' @inheritParams selector_arguments
#' @inherit selector_arguments return
#' @references Kalakech, Biela, Macaire and Hamad (2011), Constraint scores for semi-supervised
#'   feature selection: a comparative study, Pattern Recognition Letters 32. Hindawi (2013),
#'   equation 2.23.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_sc4(iris[1:4], y)
#' @export
rank_sc4 <- function(x, y = NULL, constraints = NULL, graph = NULL, k = 5,
                     metric = c("euclidean", "cosine"), weights = c("heat", "binary", "cosine"),
                     bandwidth = "median", symmetrize = c("union", "mutual"),
                     search = c("auto", "exact", "approximate"), scale = "standardize",
                     n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale, needs = "constraints")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, sc4_cpp(problem, options, control))
  new_ranking("sc4", problem, fit, params_in_force())
}

register_selector("sc4",
  family = "constraints", supervision = "semi-supervised",
  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE, selects = FALSE,
  predicts = FALSE, direction = "min", reference = "Kalakech, Biela, Macaire and Hamad (2011)"
)

#' CLS, constrained Laplacian score
#'
#' Ranks features by how well they keep the neighborhoods of the data and the must-links, compared
#' with how far they take cannot-linked rows apart:
#' \deqn{CLS_r = \frac{f_r^\top L f_r}{\sum_{(i,j) \in CL} (d_i + d_j)(f_{ri} - f_{rj})^2 +
#'       \sum_i (c - c_i) d_i (f_{ri} - \mu_r)^2},}
#' where \eqn{L = D - W}, \eqn{W} is the neighbor graph plus an edge for every must-link and minus
#' every edge between cannot-linked rows, \eqn{d} its degrees, \eqn{\mu_r} the degree-weighted mean
#' of the feature, \eqn{c} the number of rows in a cannot-link and \eqn{c_i} the number of
#' cannot-link partners of row \eqn{i}. Low scores are better. Without any cannot-link it is the
#' Laplacian score (with must-link edges); without labels and constraints exactly
#' [rank_laplacian()].
#'
#' @section Departures from the thesis:
#' The score is half of the printed sum (3.1), so that it meets the Laplacian score. Equations 3.12
#' and 3.13 rewrite the cannot-link part as \eqn{f^\top L_{CL} D f}, which is not an identity and may
#' be negative: the double sum is used here, or, with `denominator = "cl"`, its cannot-link part
#' alone. Equation 3.4 keeps cannot-linked neighbors as neighbors while section 3.6.2 says they
#' never are: `drop_cl_edges = FALSE` keeps them. The bandwidth of the thesis is 0.1, which
#' underflows with many columns.
#'
#' @section Know its limits:
#' With few labels the mean terms dominate, and the ranking is close to that of the Laplacian score
#' (rank correlations of 0.995 with five labels were measured on four data sets).
#'
#' @inheritParams selector_arguments
#' @param denominator `"sum"`, the formula above, or `"cl"`, its first sum alone.
#' @param drop_cl_edges Whether edges between cannot-linked rows are removed from the graph.
#' @inherit selector_arguments return
#' @references Hindawi (2013), Feature selection for semi-supervised data analysis in decisional
#'   information systems, PhD thesis, INSA Lyon, section 3.3. Benabdeslem and Hindawi (2011),
#'   Constrained Laplacian score for semi-supervised feature selection, ECML PKDD.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_cls(iris[1:4], y)
#' @export
rank_cls <- function(x, y = NULL, constraints = NULL, denominator = c("sum", "cl"),
                     drop_cl_edges = TRUE, graph = NULL, k = 10,
                     metric = c("euclidean", "cosine"), weights = c("heat", "binary", "cosine"),
                     bandwidth = "median", symmetrize = c("union", "mutual"),
                     search = c("auto", "exact", "approximate"), scale = "standardize",
                     n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale)
  denominator <- check_choice(denominator, c("sum", "cl"), "denominator")
  drop_cl_edges <- check_flag(drop_cl_edges, "drop_cl_edges")
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, cls_cpp(problem, options, control, denominator, drop_cl_edges))
  new_ranking("cls", problem, fit, params_in_force())
}

register_selector("cls",
  family = "constraints", supervision = "semi-supervised",
  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE, selects = FALSE,
  predicts = FALSE, direction = "min", reference = "Hindawi (2013)"
)
