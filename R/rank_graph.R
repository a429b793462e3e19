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
