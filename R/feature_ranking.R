# The one result class and its methods.

# From what a binding returned to the ranking that the user sees.
#
# fit: `statistic` (column order), and optionally
#   order      columns, best first; those it leaves out follow in column order
#   score      higher is better; without it and with `order` it is p - rank + 1, else +-statistic
#   selected   the method's own choice, one per column; `n_features` overrides it, unless
#              `own_choice` says that the method has taken it into account
#   direction  where it depends on an argument, else the registry's
#   objective, iterations, converged, converge_hint (argument to raise), seconds
#   info, model  lists for the attributes of that name
# Constant columns go last in column order, without a score; so do columns without a score.
new_ranking <- function(method, problem, fit, params, info = list(), model = NULL) {
  p <- problem$p
  direction <- fit$direction %||% registry_entry(method)$direction
  statistic <- as.double(fit$statistic)
  statistic[is.nan(statistic)] <- NA

  score <- if (!is.null(fit$score)) {
    as.double(fit$score)
  } else if (is.null(fit$order)) {
    if (direction == "min") -statistic else statistic
  }
  last <- problem$constant
  if (!is.null(score)) last <- last | is.na(score)
  first <- if (is.null(fit$order)) order(score, decreasing = TRUE, method = "radix") else fit$order
  order <- unique(c(as.integer(first), seq_len(p)))
  order <- c(order[!last[order]], which(last))
  score <- if (is.null(score)) as.double(p - seq_len(p) + 1) else score[order]
  score[last[order]] <- NA

  n_features <- check_n_features(params$n_features, p)
  if (!is.null(n_features)) params$n_features <- n_features
  selected <- if (!is.null(n_features) && !isTRUE(fit$own_choice)) {
    seq_len(p) <= n_features & !last[order]
  } else if (!is.null(fit$selected)) {
    as.logical(fit$selected)[order]
  } else {
    rep(NA, p)
  }

  count <- sum(problem$constant)
  if (count > 0) {
    warn_user(sprintf(
      "%d constant feature(s) ranked last, without a score: %s.", count,
      enumerate(problem$features[problem$constant])
    ), class = "semiselect_warning_constant")
  }
  if (identical(fit$converged, FALSE)) {
    warn_user(sprintf(
      "`rank_%s()` has not converged%s; raise `%s`.", method,
      if (length(fit$iterations)) sprintf(" in %d iteration(s)", max(fit$iterations)) else "",
      fit$converge_hint %||% "max_iter"
    ), class = "semiselect_warning_convergence")
  }

  clipped <- attr(params, "clipped")
  attr(params, "clipped") <- NULL
  common <- list(
    iterations = fit$iterations, converged = fit$converged, objective = fit$objective,
    seconds = fit$seconds, n = problem$n, p = p, n_labelled = problem$n_labelled,
    classes = stats::setNames(tabulate(problem$y, problem$classes), problem$levels),
    constant = problem$features[problem$constant], dropped = problem$dropped_levels,
    clipped = clipped
  )
  extra <- c(fit$info, info)
  common[names(extra)] <- extra

  model <- model %||% fit$model
  if (!is.null(model)) {
    if (is.null(model$levels)) model$levels <- problem$levels
    if (is.null(model$scale)) model$scale <- problem$scale
    if (is.matrix(model$coefficients)) {
      if (is.null(dimnames(model$coefficients))) {
        dimnames(model$coefficients) <- list(problem$features, model$levels)
      }
      if (is.null(names(model$intercept))) names(model$intercept) <- model$levels
    } else if (is.null(names(model$coefficients))) {
      names(model$coefficients) <- problem$features
    }
  }

  structure(
    data.frame(
      rank = seq_len(p), feature = problem$features[order], index = order, score = score,
      statistic = statistic[order], selected = selected
    ),
    class = c("feature_ranking", "data.frame"),
    method = method, direction = direction, params = params, info = common, model = model
  )
}

`%||%` <- function(a, b) if (is.null(a)) b else a

#' Feature rankings
#'
#' What every `rank_*()` function returns: a data frame of class `feature_ranking` with one row
#' per feature, best first, that knows how it was made.
#'
#' @section Columns:
#' \describe{
#'   \item{`rank`}{1 to p; ties are broken by column order}
#'   \item{`feature`}{column name, or `V1`, `V2`, ...}
#'   \item{`index`}{column number in `x`}
#'   \item{`score`}{higher is better, and it never increases down the rows; `NA` last, and always
#'     `NA` for a constant column. Where the order is not that of one statistic (greedy and subset
#'     methods) it is p - rank + 1}
#'   \item{`statistic`}{the paper's own value, in the paper's own direction; for the weights of a
#'     linear classifier their absolute value (the sign is in `coef()`)}
#'   \item{`selected`}{the method's own choice, or the first `n_features`; `NA` where a method only
#'     ranks and no `n_features` was given}
#' }
#' @section Attributes: `method`, `direction` (`"min"` or `"max"`, of `statistic`), `params`
#' (every value in force, so that the call can be repeated from them), `info` (iterations,
#' convergence, objective, seconds, size of the data, labels, what was dropped or clipped, and
#' what the page of a method adds) and, for methods with a classifier, `model`. Taking rows or
#' columns with `[` gives a plain data frame.
#'
#' @param x,object A `feature_ranking`.
#' @param n For `print()` and `summary()` the number of features to show. For `plot()` and
#'   `autoplot()` the number of ranks to draw; all if `NULL`.
#' @param main,xlab,ylab Title and labels of the axes.
#' @param row.names,optional As for [as.data.frame()].
#' @param ... Passed on: by `plot()` to [graphics::plot()], else ignored.
#' @return `print()`, `plot()`: `x`, invisibly. `summary()`: a list of class
#'   `summary.feature_ranking`. `tidy()` and `as.data.frame()`: a plain data frame of the columns
#'   above. `glance()`: a data frame of one row. `augment()`: a data frame with one row per row of
#'   the data (pseudo-labels or row weights), for methods that have such a thing; an error for the
#'   others. `autoplot()`: a ggplot.
#' @seealso [selected()], [keep_selected()], [predict.feature_ranking()]
#' @examples
#' r <- rank_variance(iris[1:4], n_features = 2)
#' r
#' summary(r)
#' plot(r)
#' attr(r, "params")
#' @name feature_ranking
NULL

# "62 rows, 10 labelled: n (4), t (6); 2000 features"
data_line <- function(r) {
  info <- attr(r, "info")
  p <- nrow(r)  # not `info$p`, which for FS-Manifold is its weights
  classes <- info$classes
  labels <- if (!length(classes)) {
    "no labels"
  } else {
    shown <- sprintf("%s (%d)", shorten(names(classes), 20), classes)
    if (length(shown) > 6) shown <- c(shown[1:5], sprintf("%d more classes", length(shown) - 5))
    sprintf("%d labelled: %s", info$n_labelled, paste(shown, collapse = ", "))
  }
  line <- sprintf("%d rows, %s; %d feature%s", info$n, labels, p, if (p == 1) "" else "s")
  strwrap(line, width = 80, exdent = 2)
}

selection_line <- function(r) {
  selected <- r$selected
  if (all(is.na(selected))) return("Only ranked; `selected(r, n)` takes the n best features.")
  sprintf("%d of %d features selected", sum(selected), length(selected))
}

method_line <- function(r) {
  method <- attr(r, "method")
  reference <- registry_entry(method)$reference
  paste0("Feature ranking by ", method, if (!is.null(reference)) paste0(": ", reference))
}

shorten <- function(text, width) {
  long <- nchar(text) > width
  text[long] <- paste0(substr(text[long], 1, width - 3), "...")
  text
}

# The head of the ranking as lines of text.
head_lines <- function(r, n) {
  top <- as.data.frame(r)[seq_len(min(n, nrow(r))), , drop = FALSE]
  shown <- data.frame(
    rank = top$rank, feature = shorten(top$feature, 30), index = top$index,
    score = format(top$score, digits = 5), statistic = format(top$statistic, digits = 5)
  )
  if (!all(is.na(r$selected))) shown$selected <- ifelse(top$selected, "*", "")
  lines <- utils::capture.output(print.data.frame(shown, row.names = FALSE))
  left <- nrow(r) - nrow(top)
  if (left > 0) lines <- c(lines, sprintf(" ... and %d more", left))
  lines
}

#' @rdname feature_ranking
#' @export
print.feature_ranking <- function(x, n = 10, ...) {
  n <- check_count(n, "n", min = 0)
  if (!is_whole_ranking(x)) return(print(as.data.frame(x), ...))
  cat(method_line(x), data_line(x), selection_line(x), sep = "\n")
  # What a reader of the ranking must know of this fit.
  for (note in attr(x, "info")$note) cat(strwrap(note, 80), sep = "\n")
  if (n > 0) cat("", head_lines(x, n), sep = "\n")
  invisible(x)
}

# Columns can be removed with `$<-`, and then the methods below have nothing to show.
is_whole_ranking <- function(r) {
  all(c("rank", "feature", "index", "score", "statistic", "selected") %in% names(r)) &&
    is.list(attr(r, "info"))
}

#' @rdname feature_ranking
#' @export
summary.feature_ranking <- function(object, n = 5, ...) {
  n <- check_count(n, "n", min = 0)
  finite <- object$score[is.finite(object$score)]
  structure(
    list(
      method = attr(object, "method"), title = method_line(object),
      direction = attr(object, "direction"), data = data_line(object),
      selection = selection_line(object), top = head_lines(object, n),
      scores = if (length(finite)) stats::quantile(finite, names = TRUE),
      without_score = sum(is.na(object$score)), params = attr(object, "params"),
      info = attr(object, "info"), model = !is.null(attr(object, "model"))
    ),
    class = "summary.feature_ranking"
  )
}

#' @export
print.summary.feature_ranking <- function(x, ...) {
  cat(x$title, x$data, x$selection, sep = "\n")
  cat("\nScores (higher is better; the statistic is better when ",
      if (x$direction == "min") "low" else "high", "):\n", sep = "")
  if (!is.null(x$scores)) print(signif(x$scores, 5))
  if (x$without_score > 0) cat(x$without_score, "feature(s) without a score\n")
  cat("\nSettings:\n")
  settings <- paste(describe_params(x$params), collapse = ", ")
  cat(strwrap(settings, indent = 2, exdent = 2), sep = "\n")
  info <- x$info
  iterative <- length(info$iterations) == 1 && info$iterations > 0
  run <- c(
    if (iterative) sprintf("%s iteration(s)", format(info$iterations)),
    if (iterative && length(info$converged) == 1) {
      if (info$converged) "converged" else "not converged"
    },
    if (length(info$seconds)) sprintf("%.2f seconds", info$seconds)
  )
  if (length(run)) cat("\nRun: ", paste(run, collapse = ", "), "\n", sep = "")
  if (x$model) cat("A classifier was fitted: see `coef()` and `predict()`.\n")
  cat("", x$top, sep = "\n")
  invisible(x)
}

describe_params <- function(params) {
  values <- vapply(params, function(value) {
    if (is.atomic(value) && length(value) > 1 && is.null(dim(value))) {
      enumerate(value, if (is.character(value)) "\"" else "", most = 5)
    } else {
      describe(value)
    }
  }, "")
  sprintf("%s = %s", names(params), values)
}

#' @rdname feature_ranking
#' @export
as.data.frame.feature_ranking <- function(x, row.names = NULL, optional = FALSE, ...) {
  plain_frame(x, row.names)
}

plain_frame <- function(x, row.names = NULL) {
  attributes(x) <- list(names = names(x), row.names = row.names %||% attr(x, "row.names"),
                        class = "data.frame")
  x
}

#' @export
`[.feature_ranking` <- function(x, ...) {
  taken <- NextMethod()
  if (is.data.frame(taken)) plain_frame(taken) else taken
}

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' @rdname feature_ranking
#' @method tidy feature_ranking
#' @export
tidy.feature_ranking <- function(x, ...) plain_frame(x)

#' @rdname feature_ranking
#' @method glance feature_ranking
#' @export
glance.feature_ranking <- function(x, ...) {
  info <- attr(x, "info")
  objective <- attr(x, "model")$objective %||% info$objective
  single <- function(value, type) {
    if (is.atomic(value) && length(value) == 1) value else type
  }
  data.frame(
    method = attr(x, "method"), direction = attr(x, "direction"), n = info$n, p = nrow(x),
    n_labelled = info$n_labelled, n_classes = length(info$classes),
    n_selected = if (all(is.na(x$selected))) NA_integer_ else sum(x$selected),
    iterations = single(info$iterations, NA_integer_), converged = single(info$converged, NA),
    objective = if (is.numeric(objective) && length(objective)) last_value(objective) else NA_real_,
    seconds = single(info$seconds, NA_real_)
  )
}

last_value <- function(objective) as.double(objective[length(objective)])

#' @rdname feature_ranking
#' @method augment feature_ranking
#' @export
augment.feature_ranking <- function(x, ...) {
  rows <- attr(x, "info")$rows
  if (is.null(rows)) {
    abort_input(sprintf(
      "`rank_%s()` gives no results for the rows of the data.\n%s", attr(x, "method"),
      "Methods that propagate labels or weigh rows do; see the Value section of their help pages."
    ))
  }
  rows
}

# ---- pictures ---------------------------------------------------------------------------------

# The points of the score curve. Infinite scores are put beside the finite ones, and flagged.
curve_points <- function(r, n = NULL) {
  n <- check_count(n, "n", null = TRUE)
  points <- as.data.frame(r)[!is.na(r$score), , drop = FALSE]
  if (!is.null(n)) points <- points[seq_len(min(n, nrow(points))), , drop = FALSE]
  finite <- points$score[is.finite(points$score)]
  finite <- if (length(finite)) range(finite) else c(0, 1)
  step <- if (diff(finite) > 0) 0.08 * diff(finite) else 1
  points$infinite <- is.infinite(points$score)
  points$shown <- pmin(pmax(points$score, finite[1] - step), finite[2] + step)
  points$marked <- !is.na(points$selected) & points$selected
  points
}

#' @rdname feature_ranking
#' @export
plot.feature_ranking <- function(x, n = NULL, main = NULL, xlab = "Rank", ylab = "Score", ...) {
  points <- curve_points(x, n)
  if (nrow(points) == 0) {
    abort_input("There is nothing to plot: no feature has a score (all are constant).")
  }
  named <- nrow(points) <= 12  # room for the names of the features
  margin <- if (named) 0.06 * c(-1, 1) else 0
  settings <- list(
    x = points$rank, y = points$shown, type = "n", xaxt = "n",
    main = main %||% sprintf("Ranking by %s", attr(x, "method")), xlab = xlab, ylab = ylab,
    xlim = range(points$rank) + margin * max(1, diff(range(points$rank))),
    ylim = range(points$shown) + margin * diff(range(points$shown))
  )
  given <- list(...)
  settings[names(given)] <- given
  do.call(graphics::plot, settings)
  ticks <- pretty(settings$xlim)
  graphics::axis(1, at = ticks[ticks == round(ticks) & ticks > 0])
  graphics::grid(nx = NA, ny = NULL, col = "gray90", lty = 1)
  few <- nrow(points) <= 60
  graphics::lines(points$rank, points$shown, col = "gray55")
  symbol <- ifelse(points$infinite, 17, 19)
  open <- ifelse(points$infinite, 2, 1)
  size <- if (few) 1 else 0.5
  graphics::points(points$rank[!points$marked], points$shown[!points$marked], cex = size,
                   pch = open[!points$marked], col = "gray35")
  graphics::points(points$rank[points$marked], points$shown[points$marked], cex = size,
                   pch = symbol[points$marked], col = "#0072B2")
  key <- data.frame(
    text = c(sprintf("selected (%d)", sum(points$marked)), "not selected", "infinite"),
    symbol = c(19, 1, 2), color = c("#0072B2", "gray35", "gray35")
  )
  key <- key[c(any(points$marked), any(points$marked) && !all(points$marked),
               any(points$infinite)), ]
  if (nrow(key)) {
    graphics::legend("topright", key$text, pch = key$symbol, col = key$color, bty = "n")
  }
  if (named) {
    graphics::text(points$rank, points$shown, shorten(points$feature, 14), pos = 3, cex = 0.75,
                   xpd = NA)
  }
  invisible(x)
}

#' @rdname feature_ranking
#' @importFrom rlang .data
#' @exportS3Method ggplot2::autoplot
autoplot.feature_ranking <- function(object, n = NULL, ...) {
  points <- curve_points(object, n)
  points$choice <- factor(ifelse(points$marked, "selected", "not selected"),
                          levels = c("selected", "not selected"))
  marked <- any(points$marked)
  # Columns by their position in the data: a bare name would be an unknown variable to the check.
  ggplot2::ggplot(points, ggplot2::aes(x = .data[["rank"]], y = .data[["shown"]])) +
    ggplot2::geom_line(colour = "gray55") +
    ggplot2::geom_point(ggplot2::aes(colour = .data[["choice"]]),
                        shape = ifelse(points$infinite, 17, 19),
                        size = if (nrow(points) <= 60) 2 else 1, show.legend = marked) +
    ggplot2::scale_colour_manual(
      values = c("selected" = "#0072B2", "not selected" = "gray35"), name = NULL, drop = TRUE
    ) +
    ggplot2::labs(x = "Rank", y = "Score",
                  title = sprintf("Ranking by %s", attr(object, "method")),
                  caption = if (any(points$infinite)) "Triangles: infinite scores") +
    ggplot2::theme_minimal()
}

# ---- what to keep -----------------------------------------------------------------------------

check_ranking <- function(r, name = "r") {
  if (!inherits(r, "feature_ranking")) {
    abort_input(sprintf("`%s` must be a result of a `rank_*()` function, not %s.%s", name,
                        describe(r),
                        if (is.data.frame(r)) "\nTaking rows with `[` gives a plain data frame."
                        else ""))
  }
}

# Rows of r that are wanted, in rank order.
selected_rows <- function(r, n) {
  check_ranking(r)
  if (is.null(n)) {
    if (all(is.na(r$selected))) {
      abort_input(sprintf(
        "`rank_%s()` ranks the features but does not choose among them.\n%s", attr(r, "method"),
        "Say how many to take: `selected(r, n)`, or `n_features` in the call of the ranking."
      ))
    }
    return(which(r$selected))
  }
  n <- check_count(n, "n", min = 0)
  if (n > nrow(r)) {
    warn_user(sprintf("`n` is %d, but there are only %d feature(s): all are taken.", n, nrow(r)))
    n <- nrow(r)
  }
  seq_len(n)
}

#' The best features
#'
#' `selected()` gives the names of the best features, `keep_selected()` those columns of new data.
#'
#' @param r A [feature_ranking].
#' @param n How many features to take. `NULL`: the method's own choice, or the `n_features` of the
#'   call; an error where there is neither.
#' @param newx New data: a matrix, data frame or sparse matrix. Its columns are found by name, or,
#'   where it has no names, by position; then it must have as many columns as the data had.
#' @return `selected()`: a character vector of names, in rank order. `keep_selected()`: the
#'   columns of `newx`, in rank order, in the form that `newx` has.
#' @examples
#' r <- rank_variance(iris[1:4])
#' selected(r, 2)
#' head(keep_selected(r, iris, 2))
#' @export
selected <- function(r, n = NULL) {
  rows <- selected_rows(r, n)
  r$feature[rows]
}

#' @rdname selected
#' @export
keep_selected <- function(r, newx, n = NULL) {
  rows <- selected_rows(r, n)
  if (!is.data.frame(newx) && !is.matrix(newx) && !inherits(newx, "Matrix")) {
    abort_input(sprintf("`newx` must be a matrix, a data frame or a sparse matrix, not %s.",
                        describe(newx)))
  }
  columns <- match_columns(r, newx, rows)
  if (is.data.frame(newx)) {
    if (inherits(newx, "data.table")) newx <- as.data.frame(newx)
    return(newx[columns])
  }
  newx[, columns, drop = FALSE]
}

# Columns of newx that hold the features in rows `rows` of r.
match_columns <- function(r, newx, rows) {
  trained <- r$feature[order(r$index)]
  names <- colnames(newx)
  same_size <- ncol(newx) == nrow(r)
  # By position where there are no names to go by, or the very same ones (which may repeat).
  unnamed <- is.null(names) ||
    (same_size && identical(trained, paste0("V", seq_along(trained))) && !any(trained %in% names))
  if (unnamed && !same_size) {
    abort_input(sprintf(
      "`newx` has no column names, so it must have the %d column(s) of the ranked data, not %d.",
      nrow(r), ncol(newx)
    ))
  }
  if (unnamed || identical(names, trained)) return(r$index[rows])

  wanted <- r$feature[rows]
  place <- match(wanted, names)
  if (anyNA(place)) {
    abort_input(sprintf("`newx` lacks %d column(s) of the ranked data: %s.", sum(is.na(place)),
                        enumerate(wanted[is.na(place)])))
  }
  twice <- wanted %in% names[duplicated(names)] | wanted %in% trained[duplicated(trained)]
  if (any(twice)) {
    abort_input(sprintf(
      "The column name `%s` occurs more than once, so columns cannot be found by name.\n%s",
      wanted[twice][1], "Make the names unique, or give `newx` with all columns in their order."
    ))
  }
  place
}

# ---- classifiers ------------------------------------------------------------------------------

ranking_model <- function(r) {
  model <- attr(r, "model")
  if (is.null(model) || is.null(model$coefficients)) {
    abort_input(sprintf(
      "`rank_%s()` fits no classifier.\n%s", attr(r, "method"),
      paste("Train one on the best columns, `keep_selected(r, x, n)`, or take a method that has",
            "one: `subset(selectors(), predicts)`.")
    ), class = "semiselect_error_no_model")
  }
  model
}

#' Classifiers of embedded methods
#'
#' Methods that select features by fitting a linear classifier keep it: `coef()` shows it,
#' `predict()` applies it to new data. Other methods fail with advice; `subset(selectors(),
#' predicts)` lists those that work.
#'
#' With two classes the decision value ("link") is that of the second level: a row belongs to it
#' where the value is at least 0. With one column of values per class the largest decides, ties
#' going to the first level. Probabilities come from Platt's sigmoid, fitted to the labelled rows,
#' unless the page of a method says otherwise; with few labels they are rough.
#'
#' @param object A [feature_ranking] of a method with a classifier.
#' @param newx New data with the columns of the ranked data: matrix, data frame or sparse matrix.
#'   Columns are found by name, or by position where there are no names.
#' @param type `"class"`, `"link"` (decision values) or `"prob"` (probabilities).
#' @param ... Ignored.
#' @return `predict()`: for `"class"` a factor; for `"link"` a numeric vector, or a matrix with
#'   one column per class; for `"prob"` a matrix with one column per class. `coef()`: the
#'   intercept and the weights of the columns of `x`, on their scale (for `scale = "unit"`: of
#'   rows of unit length, which `predict()` makes by itself); a matrix with one column per class
#'   where there is one classifier for each.
#' @export
predict.feature_ranking <- function(object, newx, type = c("class", "link", "prob"), ...) {
  type <- check_choice(type, c("class", "link", "prob"), "type")
  model <- ranking_model(object)
  if (missing(newx)) {
    abort_input("`newx` is needed: the data to predict, with the columns of the ranked data.")
  }
  newx <- as_feature_matrix(newx, "newx")
  columns <- match_columns(object, newx, order(object$index))
  if (!identical(columns, seq_len(ncol(newx)))) newx <- newx[, columns, drop = FALSE]
  if (nrow(newx) > 0) check_finite(newx, "newx")

  if (identical(model$scale, "unit")) {
    norm <- sqrt(Matrix::rowSums(newx^2))
    norm[norm == 0] <- 1
    newx <- newx / norm
  }
  coefficients <- model$coefficients
  several <- is.matrix(coefficients)
  link <- as.matrix(newx %*% unname(as.matrix(coefficients)))
  link <- sweep(link, 2, as.vector(model$intercept), `+`)
  rownames(link) <- rownames(newx)
  levels <- model$levels
  if (several) colnames(link) <- levels else link <- drop_column(link)

  if (type == "link") return(link)
  if (type == "class") {
    code <- if (several) max.col(link, ties.method = "first") else 1L + (link >= 0)
    return(factor(levels[code], levels = levels))
  }
  probabilities(model, link, attr(object, "method"))
}

drop_column <- function(matrix) stats::setNames(as.vector(matrix), rownames(matrix))

probabilities <- function(model, link, method) {
  rule <- model$prob %||% model$platt
  if (identical(rule, "refused") || is.null(rule)) {
    abort_input(sprintf("%s\n%s", model$prob_message %||% sprintf(
      "The decision values of `rank_%s()` are not probabilities.", method
    ), "Use `type = \"link\"` or `type = \"class\"`."))
  }
  several <- is.matrix(link)
  sigmoid <- function(g, rule) {
    # 1 / (1 + exp(A g + B)), without overflow.
    stats::plogis(-(rule[[1]] * g + rule[[2]]))
  }
  if (identical(rule, "logistic")) rule <- c(-1, 0)
  values <- if (!several) {
    if (is.list(rule) && length(rule) == 1) rule <- rule[[1]]
    positive <- sigmoid(link, rule)
    cbind(1 - positive, positive)
  } else {
    each <- vapply(seq_len(ncol(link)), function(c) {
      sigmoid(link[, c], if (is.list(rule)) rule[[c]] else rule)
    }, numeric(nrow(link)))
    each <- matrix(each, nrow(link))
    total <- rowSums(each)
    each[total == 0, ] <- 1  # no class has any: all alike
    each / ifelse(total == 0, ncol(each), total)
  }
  dimnames(values) <- list(if (several) rownames(link) else names(link), model$levels)
  values
}

#' @rdname predict.feature_ranking
#' @export
coef.feature_ranking <- function(object, ...) {
  model <- ranking_model(object)
  if (is.matrix(model$coefficients)) {
    return(rbind(`(Intercept)` = as.vector(model$intercept), model$coefficients))
  }
  c(`(Intercept)` = as.vector(model$intercept), model$coefficients)
}
