# Redundancy among the best features: the spanning-tree step of CSFSR, and the redundancy rate.

#' Remove redundant features from a ranking
#'
#' The last step of [rank_csfsr()], for any ranking. The `h` best features are joined by the maximum
#' spanning tree of their mutual informations
#' \deqn{I(f, g) = -\tfrac12 \log(1 - \rho_{fg}^2)}
#' (that of two normal variables with the Pearson correlation \eqn{\rho} over all rows). Then, by
#' falling relevance, a feature is kept if it is still there, and its neighbors in the tree are
#' dropped. So no two kept features are joined in the tree, and every dropped one is joined to a
#' better one that is kept.
#'
#' A spanning tree joins *every* feature, so independent features are dropped too: of 20
#' independent columns (200 rows) only about 11 are kept. `min_mi` ignores edges of the tree below
#' it; 0.05 keeps all 20. The default, 0, is the paper's.
#'
#' @param r A [feature_ranking].
#' @param x The data it was made from (columns are found by name, or by position where there are no
#'   names): a matrix, data frame or sparse matrix.
#' @param h How many of the best features enter; at most all. Constant columns never do.
#' @param min_mi Mutual information below which two neighbors in the tree do not exclude each other.
#' @return The ranking with the kept features first, by relevance, then all others by relevance
#'   (constant columns last). `selected` says which are kept, `score` is p - rank + 1 and
#'   `statistic` that of `r`. `info$tree` is a data frame `from`, `to`, `mi` of the edges, in the
#'   order in which they were found.
#' @references Hindawi (2013), section 3.5, Algorithms 11 and 12.
#' @seealso [redundancy_rate()]
#' @examples
#' r <- rank_variance(iris[1:4])
#' remove_redundant(r, iris[1:4])
#' @export
remove_redundant <- function(r, x, h = 200, min_mi = 0) {
  check_ranking(r)
  h <- check_count(h, "h")
  min_mi <- check_number(min_mi, "min_mi", min = 0)
  x <- as_feature_matrix(x)
  constant <- check_finite(x)
  columns <- match_columns(r, x, seq_len(nrow(r)))
  control <- run_control()
  found <- redundancy_fit(x, columns, is.na(r$score) | constant[columns], h, min_mi, control)

  place <- c(which(found$kept), which(!found$kept))
  p <- nrow(r)
  frame <- data.frame(
    rank = seq_len(p), feature = r$feature[place], index = r$index[place],
    score = replace(as.double(p - seq_len(p) + 1), is.na(r$score)[place], NA),
    statistic = r$statistic[place], selected = found$kept[place]
  )
  info <- attr(r, "info")
  info$tree <- data.frame(from = r$feature[found$from], to = r$feature[found$to], mi = found$mi)
  info$redundancy <- list(h = h, min_mi = min_mi)
  structure(frame, class = class(r), method = attr(r, "method"), direction = attr(r, "direction"),
            params = attr(r, "params"), info = info, model = attr(r, "model"))
}

# `columns`: all features by falling relevance; `last`: those that never enter. `kept`, `from` and
# `to` speak of places in `columns`.
redundancy_fit <- function(x, columns, last, h, min_mi, control) {
  entering <- which(!last)
  entering <- entering[seq_len(min(h, length(entering)))]
  kept <- logical(length(columns))
  if (length(entering) == 0) return(list(kept = kept, from = integer(), to = integer(), mi = double()))
  found <- run_core(control, remove_redundant_cpp(x, columns[entering], min_mi, control))
  kept[entering] <- found$kept
  list(kept = kept, from = entering[found$from], to = entering[found$to], mi = found$mi)
}

#' Redundancy rate of a set of features
#'
#' The mean absolute correlation over all pairs of m features,
#' \deqn{\frac{2}{m(m-1)} \sum_{i < j} |\rho_{ij}|.}
#' (3.33) of the thesis divides the sum over half of the pairs by m(m - 1), which is at most 0.5,
#' yet its tables have larger values.
#'
#' @param x Samples in rows, features in columns: a matrix, data frame or sparse matrix.
#' @param features Names or numbers of columns, for example from [selected()].
#' @param signed `TRUE`: the mean of the correlations themselves.
#' @return A number; `NA` for fewer than two features. The correlation with a constant column counts
#'   as 0, with a warning.
#' @references Zhao, Wang, Liu and Ye (2012), On similarity preserving feature selection, IEEE
#'   Transactions on Knowledge and Data Engineering. Hindawi (2013), equation 3.33.
#' @examples
#' redundancy_rate(iris[1:4], c("Petal.Length", "Petal.Width"))
#' redundancy_rate(iris[1:4], 1:4, signed = TRUE)
#' @export
redundancy_rate <- function(x, features, signed = FALSE) {
  signed <- check_flag(signed, "signed")
  x <- as_feature_matrix(x)
  constant <- check_finite(x)
  columns <- find_columns(features, x)
  m <- length(columns)
  if (m < 2) return(NA_real_)
  varying <- columns[!constant[columns]]
  v <- length(varying)
  if (v < m) {
    warn_user(sprintf("%d constant feature(s): their correlations count as 0.", m - v))
  }
  if (v < 2) return(0)
  control <- run_control()
  rate <- run_core(control, mean_correlation_cpp(x, varying, signed, control))
  rate * v * (v - 1) / (as.double(m) * (m - 1))
}

# Column numbers of `features`, given by name or number.
find_columns <- function(features, x) {
  p <- ncol(x)
  if (is.factor(features)) features <- as.character(features)
  if (is.character(features)) {
    columns <- match(features, feature_names(x))
    if (anyNA(columns)) {
      abort_input(sprintf("`x` has no column %s.", enumerate(features[is.na(columns)])))
    }
    return(columns)
  }
  if (!is.numeric(features) || anyNA(features) ||
        any(features != round(features) | features < 1 | features > p)) {
    abort_input(sprintf("`features` must hold names or numbers (1 to %d) of columns, not %s.", p,
                        describe(features)))
  }
  as.integer(features)
}
