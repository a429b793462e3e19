# Folds of the few labels, and how well a classifier does on the best features of a ranking.

# ---- folds ------------------------------------------------------------------------------------

#' Folds of the labelled rows
#'
#' Deals the labelled rows into folds for cross-validation. Only labelled rows are ever held out;
#' rows without a label belong to every training set, and so do the held-out rows themselves, with
#' their labels masked: `y[fold] <- NA`.
#'
#' Each class is dealt out evenly and at random, so that every fold has its share of it where it
#' has enough labels. R's generator governs (`set.seed()`).
#'
#' @param y Labels, `NA` for the unlabelled rows.
#' @param folds Number of folds, at most the number of labelled rows.
#' @param repeats How many times to deal.
#' @return A list of `folds * repeats` vectors of row numbers to hold out, ascending; in each
#'   repeat every labelled row is held out once.
#' @examples
#' y <- iris$Species
#' y[-c(1:6, 51:56, 101:106)] <- NA
#' set.seed(1)
#' folds <- labelled_folds(y, folds = 3)
#'
#' # Cross-validated accuracy of the two best features, nothing of the held-out labels seen
#' sapply(folds, function(fold) {
#'   masked <- y
#'   masked[fold] <- NA
#'   r <- rank_laplacian(iris[1:4], masked)
#'   evaluate_ranking(r, iris[1:4], masked, iris[fold, 1:4], y[fold], sizes = 2)$accuracy
#' })
#' @export
labelled_folds <- function(y, folds = 5, repeats = 1) {
  labels <- as_labels(y)
  rows <- which(!is.na(labels$code))
  if (length(rows) < 2) {
    abort_input(sprintf("`y` has %d labelled row(s): folds need at least two.", length(rows)))
  }
  folds <- check_count(folds, "folds", min = 2)
  repeats <- check_count(repeats, "repeats")
  if (folds > length(rows)) {
    abort_input(sprintf("`folds` is %d, but `y` has only %d labelled row(s).\n%s", folds,
                        length(rows), "Take fewer folds, at most one per labelled row."))
  }
  single <- labels$levels[tabulate(labels$code, length(labels$levels)) == 1]
  if (length(single)) {
    warn_user(sprintf("Class %s has a single label: the fold that holds it out trains without it.",
                      enumerate(single, "\"")), class = "semiselect_warning_folds")
  }
  out <- lapply(seq_len(repeats), function(r) deal_rows(rows, labels$code[rows], folds))
  out <- unlist(out, recursive = FALSE)
  names(out) <- sprintf("repeat%d_fold%d", rep(seq_len(repeats), each = folds), seq_len(folds))
  out
}

# Class after class goes round the folds without a break: sizes differ by one at most.
deal_rows <- function(rows, code, folds) {
  order <- order(code, stats::runif(length(rows)))
  fold <- integer(length(rows))
  fold[order] <- rep_len(sample.int(folds), length(rows))
  lapply(seq_len(folds), function(f) rows[fold == f])
}

# ---- checks that all of them share ------------------------------------------------------------

# Ascending whole numbers up to p; NULL: a few, evenly on the scale of logarithms.
check_sizes <- function(sizes, p) {
  if (is.null(sizes)) {
    usual <- c(1, 2, 5, 10, 20, 50, 100, 200)
    sizes <- if (p >= 10) usual[usual >= 5 & usual <= max(5, p / 2)] else seq_len(p)
    return(as.integer(sizes))
  }
  if (!is.numeric(sizes) || length(sizes) == 0 || anyNA(sizes) || any(sizes != round(sizes)) ||
        any(sizes < 1)) {
    abort_input(sprintf("`sizes` must hold whole numbers of features, at least 1, not %s.",
                        describe(sizes)))
  }
  if (any(sizes > p)) {
    abort_input(sprintf("`sizes` has %s, but `x` has only %d feature(s).\nTake sizes up to %d.",
                        format(max(sizes)), p, p), class = "semiselect_error_sizes")
  }
  sort(unique(as.integer(sizes)))
}

classifiers <- c("svm", "1nn")

check_classifier <- function(classifier) {
  if (is.list(classifier)) {
    if (!is.function(classifier$train) || !is.function(classifier$predict)) {
      abort_input(paste0(
        "A `classifier` of your own must be `list(train = function(x, y), ",
        "predict = function(model, x))`.\n`",
        if (is.function(classifier$train)) "predict" else "train", "` is missing or no function."
      ))
    }
    return(classifier[c("train", "predict")])
  }
  if (is.function(classifier)) {
    abort_input(paste0("`classifier` must be \"svm\", \"1nn\" or `list(train = function(x, y), ",
                       "predict = function(model, x))`, not a single function."))
  }
  check_choice(classifier, classifiers, "classifier")
}

classifier_name <- function(classifier) {
  if (is.list(classifier)) return("a classifier of your own")
  c(svm = "linear SVM", `1nn` = "1-NN")[[classifier]]
}

# ---- accuracy ---------------------------------------------------------------------------------

#' Accuracy on the best features
#'
#' Trains a classifier on the `size` best features of a ranking and counts how many labels of test
#' data it gets right, for several sizes.
#'
#' The classifier learns from the labelled rows of `x_train` alone. Each feature is centered and
#' divided by its standard deviation, both taken from those rows (a feature that is constant there
#' is only centered), and the test rows are treated with the same numbers: nothing of the test data
#' enters. `"svm"` is a linear support vector machine with cost 1, one class against the rest for
#' more than two; `"1nn"` takes the class of the nearest row in Euclidean distance, the first of
#' several. A classifier of your own is a list of two functions, which get the scaled matrices with
#' their column names and the labels as a factor.
#'
#' @param r A [feature_ranking] of the columns of `x_train`.
#' @param x_train,y_train The training data: rows without a label (`NA`) are left out.
#' @param x_test,y_test The test data, with all labels.
#' @param sizes Numbers of features. `NULL`: some from 5 up to half of the features.
#' @param classifier `"svm"`, `"1nn"`, or `list(train = function(x, y), predict = function(model,
#'   x))`.
#' @return A data frame of class `ranking_evaluation` with the columns `size` (ascending) and
#'   `accuracy` (share of right predictions).
#' @seealso [compare_selectors()], which does this for many methods and splits.
#' @examples
#' set.seed(1)
#' test <- sample(150, 75)
#' y <- iris$Species
#' y[-test][-sample(75, 15)] <- NA
#' r <- rank_fisher(iris[-test, 1:4], y[-test])
#' e <- evaluate_ranking(r, iris[-test, 1:4], y[-test], iris[test, 1:4], iris$Species[test],
#'                       sizes = 1:4)
#' e
#' plot(e)
#'
#' # The nearest class mean as the judge
#' centroid <- list(
#'   train = function(x, y) rowsum(x, y) / as.vector(table(y)),
#'   predict = function(model, x) {
#'     rownames(model)[apply(x, 1, function(row) which.min(colSums((t(model) - row)^2)))]
#'   }
#' )
#' evaluate_ranking(r, iris[-test, 1:4], y[-test], iris[test, 1:4], iris$Species[test],
#'                  sizes = 1:4, classifier = centroid)
#' @export
evaluate_ranking <- function(r, x_train, y_train, x_test, y_test, sizes = NULL,
                             classifier = c("svm", "1nn")) {
  check_ranking(r)
  x_train <- as_feature_matrix(x_train, "x_train")
  x_test <- as_feature_matrix(x_test, "x_test")
  if (ncol(x_train) != nrow(r)) {
    abort_input(sprintf("`r` ranks %d feature(s), but `x_train` has %d column(s).", nrow(r),
                        ncol(x_train)))
  }
  if (!is.null(colnames(x_train)) &&
        !identical(feature_names(x_train)[r$index], as.character(r$feature))) {
    abort_input("The columns of `x_train` are not those that `r` ranks.\nGive the same data.")
  }
  x_test <- same_columns(x_test, x_train)
  sizes <- check_sizes(sizes, nrow(r))
  classifier <- check_classifier(classifier)
  labels <- name_argument(as_labels(y_train, nrow(x_train)), "y_train", "x_train")
  if (length(labels$levels) < 2) {
    abort_input(sprintf("`y_train` must have labels of at least two classes, not of %d.",
                        length(labels$levels)))
  }
  truth <- name_argument(as_labels(y_test, nrow(x_test)), "y_test", "x_test")
  if (nrow(x_test) < 1) abort_input("`x_test` must have at least one row.")
  if (anyNA(truth$code)) {
    abort_input(sprintf("`y_test` must be complete; element %d is missing.\n%s",
                        which(is.na(truth$code))[1], "Leave out test rows without a label."))
  }
  check_finite(x_train, "x_train")
  check_finite(x_test, "x_test")
  rows <- which(!is.na(labels$code))
  accuracy <- accuracy_by_size(
    r$index, x_train, rows, factor(labels$levels[labels$code[rows]], labels$levels), x_test,
    seq_len(nrow(x_test)), truth$levels[truth$code], sizes, classifier
  )
  structure(data.frame(size = sizes, accuracy = accuracy),
            class = c("ranking_evaluation", "data.frame"), method = attr(r, "method"),
            classifier = classifier_name(classifier), n_train = length(rows),
            n_test = nrow(x_test))
}

# Errors on labels speak of `y` and `x`; here these have other names.
name_argument <- function(labels, y, x) {
  tryCatch(labels, semiselect_error_input = function(error) {
    message <- gsub("`y`", sprintf("`%s`", y), conditionMessage(error), fixed = TRUE)
    abort_input(gsub("`x`", sprintf("`%s`", x), message, fixed = TRUE))
  })
}

# Test columns in the order of the training columns, found by name where both have names.
same_columns <- function(x_test, x_train) {
  if (is.null(colnames(x_test)) || is.null(colnames(x_train)) ||
        identical(colnames(x_test), colnames(x_train))) {
    if (ncol(x_test) != ncol(x_train)) {
      abort_input(sprintf("`x_test` must have the %d column(s) of `x_train`, not %d.",
                          ncol(x_train), ncol(x_test)))
    }
    return(x_test)
  }
  place <- match(colnames(x_train), colnames(x_test))
  if (anyNA(place)) {
    abort_input(sprintf("`x_test` has no column `%s`.", colnames(x_train)[which(is.na(place))[1]]))
  }
  x_test[, place, drop = FALSE]
}

# The shares of right predictions for the first sizes[k] of `columns`. y_train: factor, for
# train_rows of x_train; truth: strings, for test_rows of x_test.
accuracy_by_size <- function(columns, x_train, train_rows, y_train, x_test, test_rows, truth,
                             sizes, classifier) {
  columns <- columns[seq_len(max(sizes))]
  train <- as.matrix(x_train[train_rows, columns, drop = FALSE])
  center <- colMeans(train)
  train <- sweep(train, 2, center)
  spread <- sqrt(colSums(train^2) / max(1, nrow(train) - 1))
  # Rounding leaves a little of a constant column.
  spread[spread <= 8 * .Machine$double.eps * abs(center)] <- 1
  train <- sweep(train, 2, spread, `/`)

  models <- if (identical(classifier, "1nn")) {
    NULL
  } else {
    lapply(sizes, function(size) {
      part <- train[, seq_len(size), drop = FALSE]
      if (is.list(classifier)) classifier$train(part, y_train) else linear_svm(part, y_train)
    })
  }
  # In blocks of rows, so that a sparse matrix never becomes a large dense one.
  at_once <- max(1, floor(4e6 / max(sizes)))
  right <- numeric(length(sizes))
  for (rows in split(seq_along(test_rows), ceiling(seq_along(test_rows) / at_once))) {
    test <- as.matrix(x_test[test_rows[rows], columns, drop = FALSE])
    test <- sweep(sweep(test, 2, center), 2, spread, `/`)
    nearest <- if (is.null(models)) {
      matrix(nearest_rows_cpp(train, test, sizes, run_control()), nrow(test))
    }
    for (k in seq_along(sizes)) {
      part <- test[, seq_len(sizes[k]), drop = FALSE]
      predicted <- if (is.null(models)) {
        y_train[nearest[, k]]
      } else if (is.list(classifier)) {
        own_prediction(classifier$predict(models[[k]], part), nrow(part))
      } else {
        predict_linear_svm(models[[k]], part)
      }
      right[k] <- right[k] + sum(as.character(predicted) == truth[rows], na.rm = TRUE)
    }
  }
  right / length(test_rows)
}

own_prediction <- function(predicted, n) {
  if (!is.atomic(predicted) || length(predicted) != n) {
    abort_input(sprintf(
      "`predict()` of the `classifier` must give one class per row: %d, not %s.", n,
      describe(predicted)
    ), class = "semiselect_error_classifier")
  }
  predicted
}

# ---- methods ----------------------------------------------------------------------------------

#' @export
print.ranking_evaluation <- function(x, ...) {
  if (!is.null(attr(x, "n_test"))) {
    cat(sprintf("Accuracy of a %s on the best features by %s: %d training, %d test rows\n",
                attr(x, "classifier"), attr(x, "method"), attr(x, "n_train"), attr(x, "n_test")))
  }
  print.data.frame(plain_frame(x), row.names = FALSE, digits = 4)
  invisible(x)
}

#' @export
`[.ranking_evaluation` <- function(x, ...) {
  taken <- NextMethod()
  if (is.data.frame(taken)) plain_frame(taken) else taken
}

#' @method tidy ranking_evaluation
#' @export
tidy.ranking_evaluation <- function(x, ...) plain_frame(x)

#' @export
plot.ranking_evaluation <- function(x, main = NULL, xlab = "Number of features",
                                    ylab = "Accuracy", ...) {
  graphics::plot(x$size, x$accuracy, type = "b", pch = 19, col = "#0072B2", xlab = xlab,
                 ylab = ylab, main = main %||% sprintf("Best features by %s, %s",
                                                       attr(x, "method"), attr(x, "classifier")),
                 log = if (spans_decades(x$size)) "x" else "", ...)
  graphics::grid(nx = NA, ny = NULL, col = "gray90", lty = 1)
  invisible(x)
}

spans_decades <- function(sizes) max(sizes) >= 20 * min(sizes)

#' @exportS3Method ggplot2::autoplot
autoplot.ranking_evaluation <- function(object, ...) {
  picture <- ggplot2::ggplot(plain_frame(object), ggplot2::aes(x = .data[["size"]],
                                                               y = .data[["accuracy"]])) +
    ggplot2::geom_line(colour = "#0072B2") +
    ggplot2::geom_point(colour = "#0072B2", size = 2) +
    ggplot2::labs(x = "Number of features", y = "Accuracy",
                  title = sprintf("Best features by %s", attr(object, "method"))) +
    ggplot2::theme_minimal()
  if (spans_decades(object$size)) picture + ggplot2::scale_x_log10() else picture
}
