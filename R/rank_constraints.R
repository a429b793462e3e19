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
#' With few labels the mean terms dominate, and the ranking is close to that of the Laplacian score.
#'
#' With `som = TRUE` the labelled rows are few among prototypes and far from them: nearly all weight
#' lies between prototypes. `bandwidth = "local"` then gives labelled rows more weight.
#'
#' @inheritParams selector_arguments
#' @param denominator `"sum"`, the formula above, or `"cl"`, its first sum alone.
#' @param drop_cl_edges Whether edges between cannot-linked rows are removed from the graph.
#' @param som Whether rows without label or constraint are first replaced by the prototypes of a
#'   self-organizing map ([compress_som()]). The graph and the score then see the other rows and the
#'   prototypes, both in scaled units; prototypes are dense also where `x` is sparse.
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
                     drop_cl_edges = TRUE, som = FALSE, graph = NULL, k = 10,
                     metric = c("euclidean", "cosine"), weights = c("heat", "binary", "cosine"),
                     bandwidth = "median", symmetrize = c("union", "mutual"),
                     search = c("auto", "exact", "approximate"), scale = "standardize",
                     n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale)
  denominator <- check_choice(denominator, c("sum", "cl"), "denominator")
  drop_cl_edges <- check_flag(drop_cl_edges, "drop_cl_edges")
  som <- check_som(som, graph)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- run_core(control, cls_cpp(problem, options, control, denominator, drop_cl_edges, som))
  new_ranking("cls", problem, fit, params_in_force())
}

register_selector("cls",
  family = "constraints", supervision = "semi-supervised",
  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE, selects = FALSE,
  predicts = FALSE, direction = "min", reference = "Hindawi (2013)"
)

# A graph on the rows says nothing of prototypes.
check_som <- function(som, graph) {
  som <- check_flag(som, "som")
  if (som && !is.null(graph)) {
    abort_input("`graph` joins the rows of `x`, but `som = TRUE` replaces them by prototypes.\n",
                "Use one of the two.")
  }
  som
}

#' BCS, bagging constraint score
#'
#' Ranks features by the mean of their ranks over bags of constraints. Each bag draws as many
#' must-links and as many cannot-links as there are, with replacement, and ranks the features by
#' constraint score 1 or 2 of these pairs (see [rank_constraint()]). The `statistic` is the mean
#' rank, and low values are better.
#'
#' The paper lets classifiers vote and has no single ranking: the mean rank is our choice. Its
#' algorithm takes the highest scores, but the lowest are best. With `vote = TRUE` each bag
#' classifies the unlabelled rows by the label of the nearest labelled row on its own best
#' `n_features` features, and the majority of the bags (ties: the first class) is in
#' `generics::augment()`.
#'
#' The pairs are listed (l (l - 1) / 2 for l labels) and weighed in every bag: meant for few labels.
#'
#' @inheritParams selector_arguments
#' @inheritParams rank_constraint
#' @param bags Number of bags.
#' @param vote Whether the bags vote on the labels of the unlabelled rows; needs labels of two
#'   classes.
#' @param n_features How many features to select, also in each bag for `info$share` and `vote`;
#'   there `NULL` means min(p, 50).
#' @return A [feature_ranking]. `info$share` is the share of bags in which a feature is among the
#'   best `n_features`, in column order.
#' @references Sun and Zhang (2010), Bagging constraint score for feature selection with pairwise
#'   constraints, Pattern Recognition 43. Hindawi (2013), Algorithm 5.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' set.seed(1)
#' r <- rank_bcs(iris[1:4], y, n_features = 2, vote = TRUE)
#' r
#' table(generics::augment(r)$label, iris$Species)
#' @export
rank_bcs <- function(x, y = NULL, constraints = NULL, bags = 50, score = 1, nu = 0.1, vote = FALSE,
                     scale = NULL, n_features = NULL, threads = getOption("semiselect.threads", 2L),
                     verbose = interactive()) {
  bags <- check_count(bags, "bags")
  score <- check_choice(score, c(1, 2), "score")
  nu <- check_number(nu, "nu", min = 0)
  vote <- check_flag(vote, "vote")
  if (is.null(scale)) scale <- if (score == 1) "none" else "standardize"
  problem <- as_problem(x, y, constraints, scale = scale,
                        needs = if (vote) "classes" else "constraints")
  pairs <- count_pairs_cpp(problem)
  if (sum(pairs) * bags > 2e8) {
    abort_input(sprintf(
      "%.0f pairs in %d bags are too many to list.\nUse fewer labels or bags, or `%s`.",
      sum(pairs), bags, "rank_constraint()"
    ))
  }
  if (score == 1 && any(pairs == 0)) {
    abort_input(sprintf(
      "Constraint score 1 needs must-links and cannot-links, but there are no %s.\n%s",
      if (pairs[1] == 0) "must-links" else "cannot-links", "Label more rows, or use `score = 2`."
    ))
  }
  if (any(pairs == 0)) {
    warn_user(sprintf("There are no %s: only the other pairs count.",
                      if (pairs[1] == 0) "must-links" else "cannot-links"))
  }
  draw <- function(count) {
    vapply(seq_len(bags), function(bag) {
      as.double(tabulate(sample.int(count, count, replace = TRUE), count))
    }, double(count))
  }
  counts <- lapply(pairs, function(count) {
    matrix(if (count > 0) draw(count) else double(), count, bags)
  })
  best <- min(problem$p, n_features %||% 50L)
  control <- run_control(threads, verbose)
  fit <- run_core(control, bcs_cpp(problem, control, counts[[1]], counts[[2]], score, nu, best,
                                   vote))
  fit$info <- list(
    share = stats::setNames(fit$share, problem$features),
    rows = if (vote) data.frame(label = factor(problem$levels[fit$vote], problem$levels))
  )
  new_ranking("bcs", problem, fit, params_in_force())
}

register_selector("bcs",
  family = "constraints", supervision = "supervised", uses = c("labels", "constraints"),
  multiclass = TRUE, selects = FALSE, predicts = FALSE, direction = "min",
  reference = "Sun and Zhang (2010)"
)

#' CSFS, constraint selection-based feature selection
#'
#' Ranks features by a Laplacian score in which coherent constraints change the weights of the
#' graph. Of all must-link and cannot-link pairs those are selected that are not at odds with the
#' others ([coherent_constraints()]). With \eqn{S} the weights \eqn{w} between neighbors,
#' \deqn{\phi_r = \frac{f_r^\top (D_{SN} - SN) f_r}{\sum_{(i,j) \in CL} (d_i + d_j)
#'       (f_{ri} - f_{rj})^2 + \sum_i (c - c_i) d_i (f_{ri} - \mu_r)^2}, \qquad SN = S + N,}
#' where \eqn{D_{SN}} has the row sums of \eqn{SN}, and \eqn{d}, \eqn{\mu}, \eqn{c} and
#' \eqn{c_i} are those of [rank_cls()], with the degrees of \eqn{S} alone and the selected
#' cannot-links. Low scores are better. \eqn{N} is
#'
#' | pair | `conflict = "corrected"` | `conflict = "printed"` |
#' |---|---|---|
#' | neighbors, must-link | \eqn{w^2} | \eqn{-w} |
#' | neighbors, cannot-link | \eqn{-w} | \eqn{w^2} |
#' | must-link, no neighbors | \eqn{w^2} | \eqn{w^2} |
#' | other neighbors | 0 | 0 |
#'
#' Without labels and constraints it is the Laplacian score on that graph.
#'
#' Neighbors are the rows of one cluster (`neighborhood = "cluster"`) or the `k` nearest. Clusters
#' come from Ward's linkage on the scaled rows, as many (2 to \eqn{\sqrt{n}}) as give the smallest
#' Davies-Bouldin index; both are our choice. Every pair of a cluster is an edge, so more than 5000
#' rows need `som = TRUE` or `neighborhood = "knn"`. A `graph` takes the place of either.
#'
#' @section Departures from the thesis:
#' As printed in (3.20), must-linked neighbors cancel and cannot-linked neighbors attract, the
#' opposite of the stated aim: with all rows labelled and clusters equal to classes every score is
#' 0. `"corrected"` swaps the two; with all labels it was the more accurate in all eight comparisons
#' made, with eight labels the two hardly differ. (3.18) leaves an index unbound in the denominator:
#' the double sum of CLS is meant. The bandwidth is the median over the edges, not 0.1.
#'
#' @inheritParams selector_arguments
#' @inheritParams rank_cls
#' @param neighborhood `"cluster"` or `"knn"`.
#' @param conflict How constraints enter, see the table.
#' @param coherence How constraints are selected: rule of [coherence()], or `"none"`: all of them.
#' @param k Number of neighbors for `neighborhood = "knn"` and for `bandwidth = "local"`.
#' @return A [feature_ranking]. `info` has `constraints` (the selected pairs, with `som = FALSE`),
#'   `n_selected` (their numbers), `coherence` (of the whole set) and `clusters` (their number).
#' @references Hindawi (2013), Feature selection for semi-supervised data analysis in decisional
#'   information systems, PhD thesis, INSA Lyon, section 3.4. Hindawi, Allab and Benabdeslem (2011),
#'   Constraint selection-based semi-supervised feature selection, ICDM.
#' @seealso [rank_csfsr()], which also removes redundant features.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_csfs(iris[1:4], y)
#' @export
rank_csfs <- function(x, y = NULL, constraints = NULL, neighborhood = c("cluster", "knn"),
                      conflict = c("corrected", "printed"),
                      coherence = c("directional", "mutual", "none"), som = FALSE, graph = NULL,
                      k = 10, metric = c("euclidean", "cosine"),
                      weights = c("heat", "binary", "cosine"), bandwidth = "median",
                      symmetrize = c("union", "mutual"),
                      search = c("auto", "exact", "approximate"), scale = "standardize",
                      n_features = NULL, threads = getOption("semiselect.threads", 2L),
                      verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale)
  neighborhood <- check_choice(neighborhood, c("cluster", "knn"), "neighborhood")
  conflict <- check_choice(conflict, c("corrected", "printed"), "conflict")
  coherence <- check_choice(coherence, c("directional", "mutual", "none"), "coherence")
  som <- check_som(som, graph)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- csfs_fit(problem, options, control, neighborhood, conflict, coherence, som)
  new_ranking("csfs", problem, fit, params_in_force())
}

csfs_fit <- function(problem, options, control, neighborhood, conflict, coherence, som) {
  fit <- run_core(control, csfs_cpp(problem, options, control, neighborhood, conflict, coherence,
                                    som))
  fit$info <- list(
    n_selected = c(must_link = nrow(fit$must_link), cannot_link = nrow(fit$cannot_link)),
    coherence = not_nan(fit$overall), clusters = if (fit$clusters > 0) fit$clusters,
    constraints = if (!som) pairwise_constraints(fit$must_link, fit$cannot_link),
    rows_compressed = if (som) fit$rows_compressed
  )
  fit
}

register_selector("csfs",
  family = "constraints", supervision = "semi-supervised",
  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE, selects = FALSE,
  predicts = FALSE, direction = "min", reference = "Hindawi (2013)"
)

#' CSFSR, CSFS without redundant features
#'
#' Ranks features by [rank_csfs()] and then drops, among the `h` best, those that are redundant:
#' neighbors of a better feature in the maximum spanning tree of mutual informations, see
#' [remove_redundant()]. The kept features are `selected` and come first, by relevance; all others
#' follow, by relevance. `score` is p - rank + 1 and `statistic` that of CSFS.
#'
#' @inheritParams selector_arguments
#' @inheritParams rank_csfs
#' @param h How many of the best features enter the tree.
#' @param min_mi Mutual information below which two neighbors in the tree do not exclude each
#'   other. With the paper's 0 independent features are dropped too.
#' @inheritSection rank_csfs Departures from the thesis
#' @return A [feature_ranking]. Beside that of [rank_csfs()], `info$tree` has the edges of the tree.
#' @references Hindawi (2013), section 3.5. Benabdeslem and Hindawi (2014), Efficient
#'   semi-supervised feature selection: constraint, relevance, and redundancy, IEEE Transactions on
#'   Knowledge and Data Engineering 26.
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' r <- rank_csfsr(iris[1:4], y)
#' r
#' selected(r)
#' @export
rank_csfsr <- function(x, y = NULL, constraints = NULL, neighborhood = c("cluster", "knn"),
                       conflict = c("corrected", "printed"),
                       coherence = c("directional", "mutual", "none"), som = FALSE, h = 200,
                       min_mi = 0, graph = NULL, k = 10, metric = c("euclidean", "cosine"),
                       weights = c("heat", "binary", "cosine"), bandwidth = "median",
                       symmetrize = c("union", "mutual"),
                       search = c("auto", "exact", "approximate"), scale = "standardize",
                       n_features = NULL, threads = getOption("semiselect.threads", 2L),
                       verbose = interactive()) {
  problem <- as_problem(x, y, constraints, scale = scale)
  neighborhood <- check_choice(neighborhood, c("cluster", "knn"), "neighborhood")
  conflict <- check_choice(conflict, c("corrected", "printed"), "conflict")
  coherence <- check_choice(coherence, c("directional", "mutual", "none"), "coherence")
  som <- check_som(som, graph)
  h <- check_count(h, "h")
  min_mi <- check_number(min_mi, "min_mi", min = 0)
  options <- graph_options(problem, graph, k, metric, weights, bandwidth, symmetrize, search)
  control <- run_control(threads, verbose)
  fit <- csfs_fit(problem, options, control, neighborhood, conflict, coherence, som)

  last <- problem$constant | is.na(fit$statistic)
  columns <- order(last, fit$statistic, method = "radix")
  found <- redundancy_fit(problem$x, columns, last[columns], h, min_mi, control)
  names <- problem$features[columns]
  fit$info$tree <- data.frame(from = names[found$from], to = names[found$to], mi = found$mi)
  fit$order <- columns[order(!found$kept)]
  fit$selected <- logical(problem$p)
  fit$selected[columns] <- found$kept
  fit$seconds <- proc.time()[["elapsed"]] - control$state$started
  new_ranking("csfsr", problem, fit, params_in_force())
}

register_selector("csfsr",
  family = "constraints", supervision = "semi-supervised",
  uses = c("labels", "constraints", "unlabelled"), multiclass = TRUE, selects = TRUE,
  predicts = FALSE, direction = "min", reference = "Benabdeslem and Hindawi (2014)"
)
