#' Make a Universum
#'
#' Three ways to rows that belong to none of the classes, for [rank_uvs()], [rank_uls()] and
#' [rank_uss()].
#'
#' `universum_mean()` draws a labelled row uniformly, then a labelled row of another class
#' uniformly, and returns `coef` times the first plus `1 - coef` times the second.
#'
#' `universum_rest()` takes the rows of classes that are not those to be told apart.
#'
#' `universum_gene()` draws each column independently: `"normal"` from the normal distribution with
#' its mean and standard deviation, `"permute"` from its own values, with replacement. The paper
#' only says "according to the statistic".
#'
#' All draws come from R's generator, so `set.seed()` makes them repeatable.
#'
#' @inheritParams selector_arguments
#' @param n Number of rows to make.
#' @param coef Weight of the first of the two rows.
#' @param classes Names of the classes whose rows are the Universum.
#' @param method `"normal"` or `"permute"`.
#' @return `universum_mean()` and `universum_gene()`: a matrix with `n` rows and the columns of `x`
#'   (sparse where `x` is, but for `"normal"`). `universum_rest()`: a list of `universum`, the rows
#'   of these classes, and `rows`, their numbers, to be left out of `x`.
#' @references Qiu and Pan (2016), Semisupervised feature selection with Universum.
#' @examples
#' x <- as.matrix(iris[1:4])
#' y <- iris$Species
#' universum_mean(x, y, 5)
#' rest <- universum_rest(x, y, "virginica")
#' rank_uvs(x[-rest$rows, ], universum = rest$universum)
#' universum_gene(x, 5)
#' @export
universum_mean <- function(x, y, n, coef = 0.5) {
  x <- universum_source(x)
  labels <- as_labels(y, nrow(x))
  n <- check_count(n, "n")
  coef <- check_number(coef, "coef", min = 0, max = 1)
  if (length(labels$levels) < 2) {
    abort_input(sprintf(
      "`universum_mean()` needs labelled rows of two classes, but `y` has %d.\n%s",
      length(labels$levels), "Label rows of another class, or use `universum_gene()`."
    ))
  }
  labelled <- which(!is.na(labels$code))
  first <- labelled[sample.int(length(labelled), n, replace = TRUE)]
  second <- vapply(first, function(row) {
    others <- labelled[labels$code[labelled] != labels$code[row]]
    others[sample.int(length(others), 1)]
  }, 0L)
  universum <- coef * x[first, , drop = FALSE] + (1 - coef) * x[second, , drop = FALSE]
  rownames(universum) <- NULL
  universum
}

#' @rdname universum_mean
#' @export
universum_rest <- function(x, y, classes) {
  x <- universum_source(x)
  labels <- as_labels(y, nrow(x))
  classes <- as.character(classes)
  if (length(classes) == 0 || anyNA(classes)) {
    abort_input("`classes` must name at least one class of `y`.")
  }
  unknown <- setdiff(classes, labels$levels)
  if (length(unknown)) {
    abort_input(sprintf("`y` has no class %s.\nIt has %s.", enumerate(unknown, "\""),
                        enumerate(labels$levels, "\"")))
  }
  rows <- which(labels$levels[labels$code] %in% classes)
  list(universum = x[rows, , drop = FALSE], rows = rows)
}

#' @rdname universum_mean
#' @export
universum_gene <- function(x, n, method = c("normal", "permute")) {
  x <- universum_source(x)
  n <- check_count(n, "n")
  method <- check_choice(method, c("normal", "permute"), "method")
  if (method == "permute") {
    # Column by column, so that sparse data stay sparse.
    columns <- lapply(seq_len(ncol(x)), function(j) {
      x[sample.int(nrow(x), n, replace = TRUE), j, drop = FALSE]
    })
    universum <- do.call(cbind, columns)
  } else {
    mean <- Matrix::colMeans(x)
    sd <- sqrt(column_squares(x, mean) / (nrow(x) - 1))
    universum <- matrix(stats::rnorm(n * ncol(x)), n)
    universum <- universum * rep(sd, each = n) + rep(mean, each = n)
  }
  dimnames(universum) <- list(NULL, colnames(x))
  universum
}

# Sums of squared deviations from the means; the zeros of sparse data are counted, not stored.
column_squares <- function(x, mean) {
  if (is.matrix(x)) return(colSums((x - rep(mean, each = nrow(x)))^2))
  column <- rep.int(seq_len(ncol(x)), diff(x@p))
  squares <- vapply(split((x@x - mean[column])^2, factor(column, seq_len(ncol(x)))), sum, 0)
  unname(squares) + (nrow(x) - diff(x@p)) * mean^2
}

universum_source <- function(x) {
  x <- as_feature_matrix(x)
  if (nrow(x) < 2) abort_input(sprintf("`x` must have at least two rows, not %d.", nrow(x)))
  check_finite(x)
  x
}
