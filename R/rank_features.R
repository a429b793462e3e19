# The common door to all selectors, and the help text that they share.

#' Arguments of the selectors
#'
#' The arguments that `rank_*()` functions share, each described once. Which of them a function
#' has, and its defaults, are in its own usage.
#'
#' @param x Samples in rows, features in columns: a numeric matrix, a data frame of numeric
#'   columns, or a sparse matrix of the package Matrix (best a `dgCMatrix`), which stays sparse.
#'   Missing and infinite values are errors.
#' @param y Labels, one per row of `x`, `NA` for the unlabelled rows: factor, character, logical
#'   or whole numbers. With two classes the second level is the positive one. Methods that use no
#'   labels check its length and ignore it.
#' @param constraints Pairs of rows, from [pairwise_constraints()]; used together with those that
#'   follow from `y`, and closed transitively. Contradictions are errors.
#' @param universum A matrix with the columns of `x`: rows that belong to none of the classes, see
#'   [universum_mean()].
#' @param graph A ready neighbor graph: a result of [neighbor_graph()], or a symmetric sparse
#'   matrix of non-negative weights with one row and column per row of `x`. `NULL`: built from
#'   `k`, `metric`, `weights`, `bandwidth`, `symmetrize` and `search`.
#' @param k Number of neighbors of each row. Values above n - 1 are clipped with a warning.
#' @param metric Distance between rows: `"euclidean"` or `"cosine"`.
#' @param weights Weights of the edges: `"heat"`, \eqn{\exp(-d^2 / bandwidth)}; `"binary"`, 1; or
#'   `"cosine"`, the cosine or 0 if it is negative.
#' @param bandwidth Of the heat weights: a positive number, `"median"` (median of the squared
#'   lengths of the edges) or `"local"` (product of the two rows' distances to their k-th
#'   neighbors).
#' @param symmetrize An edge joins two rows if one is among the neighbors of the other
#'   (`"union"`), or only if both are (`"mutual"`).
#' @param search How to find neighbors: `"exact"`, `"approximate"`, or `"auto"`, exact unless the
#'   data are so large that it would be slow.
#' @param scale What is done to `x` first: `"none"`; `"standardize"`, mean 0 and standard
#'   deviation 1; `"range"`, from 0 to 1; or `"unit"`, rows of unit length. Sparse data are scaled
#'   implicitly and stay sparse. See the Details for what a method applies it to.
#' @param n_features How many features to select; `NULL`: the method's own choice, if it makes
#'   one. Larger than the number of features: all of them, with a warning.
#' @param threads Number of threads. Results are identical for any value.
#' @param verbose Whether to show a progress bar for work that takes longer than about two
#'   seconds.
#' @return A [feature_ranking]: a data frame with one row per feature, best first, and the columns
#'   `rank`, `feature`, `index`, `score` (higher is better), `statistic` (the paper's own value)
#'   and `selected`. Constant columns come last, without a score, and with a warning.
#' @seealso [selectors()] for all methods, [rank_features()] to call them by name.
#' @name selector_arguments
#' @keywords internal
NULL

#' Rank features by a method of any name
#'
#' The common door to all selectors: `rank_features(x, y, method = "cls")` is `rank_cls(x, y)`.
#'
#' The formula door `rank_features(y ~ ., data = d)` takes the columns of a data frame. `.` means
#' all columns but those on the left-hand side; single columns are taken out by `-` or listed with
#' `+`. Other terms (interactions, functions) are refused: compute such columns first. Rows
#' without a label stay.
#'
#' @param x Samples in rows, features in columns: a numeric matrix, a data frame of numeric
#'   columns or a sparse matrix; or a formula such as `y ~ .`, with `data`.
#' @param y Labels, one per row of `x`, `NA` for the unlabelled rows.
#' @param method Name of a selector, see [selectors()].
#' @param ... Arguments of that selector.
#' @param data A data frame, for a formula.
#' @inherit selector_arguments return
#' @examples
#' y <- iris$Species
#' y[-c(1:3, 51:53, 101:103)] <- NA
#' rank_features(iris[1:4], y, method = "fisher")
#'
#' few <- transform(iris, Species = y)
#' rank_features(Species ~ . - Sepal.Width, data = few, method = "laplacian", k = 7)
#' @export
rank_features <- function(x, y = NULL, method = "cls", ..., data = NULL) {
  known <- names(registry$entries)
  if (!is.character(method) || length(method) != 1 || is.na(method)) {
    abort_input(sprintf("`method` must be the name of a selector, not %s.\nSee `selectors()`.",
                        describe(method)))
  }
  if (!method %in% known) {
    abort_input(sprintf("There is no method \"%s\".%s\nSee `selectors()` for all names.", method,
                        suggest(method, known)))
  }
  fun <- selector_function(method)
  check_arguments(names(list(...)), ...length(), method, names(formals(fun)))

  if (inherits(x, "formula")) {
    if (is.null(data) && is.data.frame(y)) {
      data <- y
      y <- NULL
    }
    if (!is.null(y)) abort_input("With a formula the labels come from its left-hand side, not `y`.")
    parts <- read_formula(x, data)
    x <- parts$x
    y <- parts$y
  } else if (!is.null(data)) {
    abort_input("`data` is for a formula, as in `rank_features(y ~ ., data = d)`.")
  }
  fun(x = x, y = y, ...)
}

check_arguments <- function(names, count, method, arguments) {
  if (count == 0) return(invisible())
  if (is.null(names) || !all(nzchar(names))) {
    abort_input(sprintf("Arguments for the method \"%s\" must be named.", method))
  }
  own <- setdiff(arguments, c("x", "y"))
  unknown <- setdiff(names, own)
  if (length(unknown)) {
    abort_input(sprintf(
      "`rank_%s()` has no argument %s.%s\nIt has %s.", method, enumerate(unknown),
      suggest(unknown[1], own), enumerate(own, most = length(own))
    ), class = "semiselect_error_argument")
  }
  if (anyDuplicated(names)) {
    abort_input(sprintf("The argument `%s` is given twice.", names[anyDuplicated(names)]))
  }
}

# Columns and labels that a formula asks for. Not through terms(), whose work grows with the square
# of the number of columns.
read_formula <- function(formula, data) {
  if (!is.data.frame(data)) {
    abort_input(sprintf("With a formula `data` must be a data frame, not %s.", describe(data)))
  }
  two_sided <- length(formula) == 3
  right <- formula[[length(formula)]]
  left <- if (two_sided) formula[[2]]
  y <- NULL
  if (two_sided) {
    y <- tryCatch(
      eval(left, data, environment(formula)),
      error = function(error) {
        abort_input(sprintf("The left-hand side of the formula cannot be evaluated: %s.\n%s",
                            conditionMessage(error), "Name the column of `data` with the labels."))
      }
    )
  }
  labels <- intersect(all.vars(left), names(data))
  columns <- formula_columns(right, names(data), labels)
  if (length(columns) == 0) abort_input("The formula leaves no feature.")
  list(x = data[columns], y = y)
}

formula_columns <- function(right, names, labels) {
  # The left spine of a + b - c + ..., taken apart by a loop: thousands of terms would exceed the
  # depth of recursion.
  terms <- list()
  signs <- logical()
  while (is.call(right) && length(right) == 3 && (right[[1]] == "+" || right[[1]] == "-")) {
    terms <- c(terms, right[[3]])
    signs <- c(signs, right[[1]] == "+")
    right <- right[[2]]
  }
  if (is.call(right) && length(right) == 2 && right[[1]] == "-") {
    terms <- c(terms, right[[2]], quote(.))
    signs <- c(signs, FALSE, TRUE)
  } else {
    terms <- c(terms, right)
    signs <- c(signs, TRUE)
  }

  columns <- integer()
  for (t in rev(seq_along(terms))) {
    named <- term_columns(terms[[t]], names, labels)
    columns <- if (signs[t]) c(columns, setdiff(named, columns)) else setdiff(columns, named)
  }
  columns
}

term_columns <- function(term, names, labels) {
  if (is.call(term) && length(term) == 2 && term[[1]] == "(") {
    return(formula_columns(term[[2]], names, labels))
  }
  if (identical(term, quote(.))) return(which(!names %in% labels))
  if (is.numeric(term) && length(term) == 1 && term %in% c(0, 1)) return(integer())  # intercept
  if (!is.symbol(term)) {
    abort_input(sprintf(
      "A formula may only list columns of `data`, not `%s`.\nCompute that column first.",
      paste(deparse(term), collapse = " ")
    ))
  }
  found <- which(names == as.character(term))
  if (length(found) == 0) {
    abort_input(sprintf("`data` has no column `%s`.%s", as.character(term),
                        suggest(as.character(term), names)))
  }
  found
}
