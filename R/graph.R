# The neighbor graph by itself.

# A graph with more class links than this is a matter for methods that keep them implicit.
most_class_links <- 5e7

#' Neighbor graph
#'
#' The weighted graph that graph methods build for themselves from the same arguments: each row's
#' `k` nearest other rows, made symmetric. Computed once, it can be given to many methods as
#' `graph`.
#'
#' Distances are Euclidean between the scaled rows, or with `metric = "cosine"` their square is
#' \eqn{2 (1 - \cos)}, the cosine rounded to 12 decimals and 0 for a row of zeros. A row is never
#' its own neighbor, and of equally distant rows the lower one is nearer; so that counts and pixels
#' keep their exact ties, distances are summed directly, whatever way they were found. An edge of
#' squared length \eqn{d^2} has the weight \eqn{\exp(-d^2 / \lambda)} (`weights = "heat"`), 1
#' (`"binary"`) or the cosine, 0 if it is negative (`"cosine"`). \eqn{\lambda} is `bandwidth`;
#' `"median"` is the median of the squared lengths of the edges, zero lengths left out; `"local"`
#' is \eqn{s_i s_j}, the product of the two rows' distances to their `k`-th neighbors (if 0, the
#' smallest positive distance). If every weight vanishes that is an error, if more than half of
#' them do a warning.
#'
#' With `y` and `eta` the labels override the edges between labelled rows (Jiang et al. 2019,
#' equation 3): `eta` for two rows of one class, neighbors or not, and 0 for two rows of different
#' classes.
#'
#' Exact search takes about \eqn{n^2 p} operations. `search = "approximate"` (`"auto"` from 30000
#' rows on) follows neighbors of neighbors, starting from random-projection trees, and measures the
#' share of true neighbors on a sample of rows: see the attribute `recall`. Below 0.9 there is a
#' warning.
#'
#' @inheritParams selector_arguments
#' @param y Labels, one per row of `x`, `NA` for the unlabelled rows; only together with `eta`.
#' @param eta Weight of an edge between two labelled rows of one class, a positive number; only
#'   together with `y`.
#' @return A symmetric `dgCMatrix` of weights with a zero diagonal. Its settings are attributes:
#'   `k`, `metric`, `weights`, `bandwidth`, `symmetrize`, `search`, `scale`, `eta`, and with them
#'   `bandwidth_value` (the number in force for heat weights, `NA` for `"local"`) and `recall` (1
#'   for an exact search).
#' @references Dong, Moses and Li (2011), Efficient k-nearest neighbor graph construction for
#'   generic similarity measures, WWW 20.
#'   Jiang, Wu, Yu and Chen (2019), Joint semi-supervised feature selection and
#'   classification through Bayesian approach, AAAI 33.
#' @examples
#' W <- neighbor_graph(iris[1:4], k = 7, scale = "standardize")
#' attr(W, "bandwidth_value")
#' rank_laplacian(iris[1:4], graph = W)
#' @export
neighbor_graph <- function(x, k = 5, metric = c("euclidean", "cosine"),
                           weights = c("heat", "binary", "cosine"), bandwidth = "median",
                           symmetrize = c("union", "mutual"),
                           search = c("auto", "exact", "approximate"), scale = "none", y = NULL,
                           eta = NULL, threads = getOption("semiselect.threads", 2L),
                           verbose = interactive()) {
  problem <- as_problem(x, y, scale = scale)
  options <- graph_options(problem, NULL, k, metric, weights, bandwidth, symmetrize, search)
  eta <- check_number(eta, "eta", min = 0, open = "min", null = TRUE)
  if (is.null(y) != is.null(eta)) {
    abort_input(sprintf(
      "`y` and `eta` belong together, but only `%s` is given.\n%s", if (is.null(y)) "eta" else "y",
      "Give both for class links, or neither for the neighbor graph alone."
    ))
  }
  if (!is.null(eta)) {
    size <- as.double(tabulate(problem$y, problem$classes))
    if (sum(size * (size - 1)) > most_class_links) {
      abort_input(sprintf(
        "The labels would give %.0f class links, more than %.0f.\n%s", sum(size * (size - 1)),
        most_class_links, "Pass `y` and `eta` to the method instead: it keeps them implicit."
      ), class = "semiselect_error_size")
    }
  }
  approximate <- options$search == "approximate" ||
    (options$search == "auto" && problem$n > exact_search_rows_cpp())
  control <- run_control(threads, verbose, seed = approximate)
  fit <- run_core(control, neighbor_graph_cpp(problem, options, control, eta))

  settings <- c(unclass(options)[c("k", "metric", "weights", "bandwidth", "symmetrize")],
                list(search = if (approximate) "approximate" else "exact", scale = problem$scale,
                     eta = eta, bandwidth_value = fit$bandwidth, recall = fit$recall))
  settings$bandwidth_value[is.nan(settings$bandwidth_value)] <- NA
  graph <- fit$w
  for (name in names(settings)) attr(graph, name) <- settings[[name]]
  graph
}
