# Settings of a selector, chosen by cross-validation on the few labels.

#' Tune a selector
#'
#' Tries every combination of settings of a selector by cross-validation on the labelled rows, and
#' chooses among them and among the numbers of features.
#'
#' Each fold masks the labels of its rows (see [labelled_folds()]); the selector ranks the features
#' from what is left, all rows without a label included, and a classifier that learns from the
#' remaining labels is judged on the held-out ones, see [evaluate_ranking()]. Pairs of a
#' `constraints` setting that touch a held-out row are left out of that fold. `accuracy` is the mean
#' over the folds, `se` the standard deviation over the folds by the root of their number.
#'
#' `rule = "best"` takes the highest accuracy; of equal ones that with fewer features, then the
#' earlier in the grid. `rule = "one_se"` takes, among all within one standard error of the best,
#' that with the fewest features, then the highest accuracy: with few labels the best is often the
#' best by luck.
#'
#' With one or two labels per class there is nothing to tune with: one held-out label is all or
#' nothing, and the other half of the labels is too few to learn from. Then nothing is tried,
#' `best` is the method with its defaults (and the settings in `...`), `tuned` is `FALSE`, and a
#' warning of class `semiselect_warning_untuned` says so.
#'
#' It runs on the plan of the package future, with progress and `resume`, as
#' [compare_selectors()] does. A combination that fails on a fold has its message in `error`, and is
#' not chosen.
#'
#' @param x,y Data and labels, as for [rank_features()]; `NA` for unlabelled rows.
#' @param method Name of a selector, see [selectors()].
#' @param grid Settings to try: a named list of vectors (or lists) whose combinations are taken, or
#'   a data frame with one combination in each row. `NULL`: the defaults alone, to choose a size.
#' @param folds Number of folds, at most the number of labelled rows (fewer are taken if there are
#'   fewer). Or a list of row numbers, from [labelled_folds()].
#' @param sizes Numbers of features to try. `NULL`: some from 5 up to half of the features.
#' @param ... Settings of the method that stay fixed.
#' @param classifier `"svm"`, `"1nn"` or a list of two functions, see [evaluate_ranking()].
#' @param repeats How many times to deal the folds.
#' @param rule How to choose: `"best"` or `"one_se"`.
#' @param resume,verbose As for [compare_selectors()].
#' @return A list of class `selector_tuning` with `best`, the method and its settings, for
#'   `do.call(rank_features, c(list(x, y), fit$best))`; `grid`, a data frame with one row for each
#'   combination and size: the settings, `size`, `accuracy`, `se`, `seconds` (mean of one ranking),
#'   `error`; `chosen`, the row of `grid` that is `best`; `rule`, `tuned`, `folds`.
#' @examples
#' set.seed(1)
#' data <- simulate_g50c(120)
#' y <- data$y
#' y[unlist(lapply(split(1:120, y), function(rows) rows[-(1:8)]))] <- NA
#' fit <- tune_selector(data$x, y, "sselect", grid = list(eta = c(0.1, 0.5), k = c(5, 10)),
#'                      folds = 4, sizes = c(5, 10, 20))
#' fit
#' r <- do.call(rank_features, c(list(data$x, y), fit$best))
#' plot(fit)
#' @export
tune_selector <- function(x, y, method, grid = NULL, folds = 5, sizes = NULL, ...,
                          classifier = c("svm", "1nn"), repeats = 1, rule = c("best", "one_se"),
                          resume = NULL, verbose = interactive()) {
  x <- as_feature_matrix(x)
  labels <- as_labels(y, nrow(x))
  counts <- tabulate(labels$code, length(labels$levels))
  if (length(counts) < 2) {
    abort_input(sprintf(
      "Tuning needs labels of at least two classes, but `y` has %s.",
      if (length(counts)) sprintf("only \"%s\"", labels$levels) else "none"
    ), class = "semiselect_error_classes")
  }
  check_method(method)
  fixed <- list(...)
  check_arguments(names(fixed), length(fixed), method, names(formals(selector_function(method))))
  grid <- as_grid(grid, method, names(fixed))
  for (g in seq_len(grid$count)) {
    check_method_settings(method, c(fixed, grid_row(grid, g)), length(counts))
  }
  check_row_settings(fixed, nrow(x))
  sizes <- check_sizes(sizes, ncol(x))
  classifier <- check_classifier(classifier)
  rule <- check_choice(rule, c("best", "one_se"), "rule")
  repeats <- check_count(repeats, "repeats")
  verbose <- check_flag(verbose, "verbose")
  check_finite(x)
  held_out <- tuning_folds(y, labels, folds, repeats)
  seeds <- draw_seeds(length(held_out) + 1)

  if (max(counts) <= 2) {
    note <- sprintf(
      paste("With at most %d label%s per class there is nothing to tune with: the settings were",
            "not tried, and `best` is \"%s\" with its defaults. Label at least three rows of a",
            "class, or choose settings by what is known of the data."),
      max(counts), if (max(counts) == 1) "" else "s", method
    )
    warn_user(note, class = "semiselect_warning_untuned")
    frame <- tuning_frame(grid, sizes, NULL)
    return(new_tuning(method, fixed, grid, frame, NA_integer_, rule, held_out, note, classifier))
  }

  # The hashes are only computed where there is a file.
  store <- open_store(resume, list(
    task = "tune_selector", x = rlang::hash(x), y = rlang::hash(y), method = method, sizes = sizes,
    fixed = settings_hash(fixed), repeats = repeats,
    folds = if (is.list(folds)) rlang::hash(folds) else folds,
    classifier = if (is.list(classifier)) settings_hash(classifier) else classifier
  ), keep = list(held_out = held_out, seeds = seeds))
  on.exit(store$close())
  held_out <- store$keep$held_out
  seeds <- store$keep$seeds

  tasks <- list()
  for (f in seq_along(held_out)) {
    for (g in seq_len(grid$count)) {
      tasks[[length(tasks) + 1]] <- list(
        key = paste(f, settings_hash(grid_row(grid, g))), seed = seeds[f], group = f, row = g
      )
    }
  }
  specs <- lapply(seq_len(grid$count), function(g) {
    list(method = method, fun = NULL, settings = c(fixed, grid_row(grid, g)))
  })
  shared <- list(x = x, y = y, code = labels$code, levels = labels$levels, specs = specs,
                 held_out = held_out, sizes = sizes, classifier = classifier,
                 graph_seed = seeds[length(seeds)])
  results <- run_tasks(tasks, tune_cell, shared, "Tuning", if (is.list(classifier)) classifier,
                       store, verbose)
  frame <- tuning_frame(grid, sizes, results, vapply(tasks, `[[`, 1L, "row"))
  if (all(!is.na(frame$error))) {
    abort_input(sprintf("Every combination of settings failed. The first: %s", frame$error[1]),
                class = "semiselect_error_failed")
  }
  if (any(!is.na(frame$error))) {
    warn_user(sprintf("%d of %d combinations failed: see `grid$error`. The first: %s",
                      sum(!is.na(frame$error)) / length(sizes), grid$count,
                      frame$error[!is.na(frame$error)][1]), class = "semiselect_warning_failed")
  }
  new_tuning(method, fixed, grid, frame, choose_setting(frame, rule), rule, held_out, NULL,
             classifier)
}

# list(values = list of columns, each a list; count; names)
as_grid <- function(grid, method, fixed) {
  if (is.null(grid)) return(list(values = list(), count = 1L, names = character()))
  if (!is.list(grid) || length(grid) == 0 || is.null(names(grid)) || !all(nzchar(names(grid)))) {
    abort_input(sprintf(
      "`grid` must be a named list of values to try, or a data frame, not %s.\n%s", describe(grid),
      "For example `list(k = c(5, 10))`."
    ))
  }
  if (anyDuplicated(names(grid))) {
    abort_input(sprintf("`grid` has `%s` twice.", names(grid)[anyDuplicated(names(grid))]))
  }
  both <- intersect(names(grid), fixed)
  if (length(both)) {
    abort_input(sprintf("`%s` is both in `grid` and among the fixed settings.", both[1]))
  }
  check_arguments(names(grid), length(grid), method, names(formals(selector_function(method))))
  values <- lapply(grid, function(value) {
    if (is.factor(value)) value <- as.character(value)
    as.list(value)
  })
  if (any(lengths(values) == 0)) {
    abort_input(sprintf("`grid` has no values for `%s`.", names(values)[lengths(values) == 0][1]))
  }
  if (!is.data.frame(grid)) {
    place <- expand.grid(lapply(values, seq_along), KEEP.OUT.ATTRS = FALSE)
    values <- stats::setNames(lapply(names(values), function(name) values[[name]][place[[name]]]),
                              names(values))
  }
  list(values = values, count = length(values[[1]]), names = names(values))
}

grid_row <- function(grid, g) lapply(grid$values, `[[`, g)

tuning_folds <- function(y, labels, folds, repeats) {
  rows <- which(!is.na(labels$code))
  if (is.list(folds)) {
    for (f in seq_along(folds)) {
      if (!is.numeric(folds[[f]]) || length(folds[[f]]) == 0 || !all(folds[[f]] %in% rows)) {
        abort_input(sprintf("`folds[[%d]]` must hold numbers of labelled rows.", f))
      }
      if (length(unique(labels$code[setdiff(rows, folds[[f]])])) < 2) {
        abort_input(sprintf("`folds[[%d]]` leaves labels of fewer than two classes.", f))
      }
    }
    return(lapply(folds, as.integer))
  }
  folds <- min(check_count(folds, "folds", min = 2), length(rows))
  # Two classes, one of them with a single label: never held out, or one class would be left.
  counts <- tabulate(labels$code, length(labels$levels))
  single <- which(counts == 1)
  if (length(single) && max(counts) > 2) {
    warn_user(sprintf("Class %s has a single label, which is never held out.",
                      enumerate(labels$levels[single], "\"")), class = "semiselect_warning_folds")
    y[labels$code %in% single] <- NA
    folds <- min(folds, sum(!is.na(y)))
  }
  suppressWarnings(labelled_folds(y, folds, repeats), classes = "semiselect_warning_folds")
}

tune_cell <- function(shared, task, state) {
  fold <- shared$held_out[[task$group]]
  masked <- shared$y
  masked[fold] <- NA
  rows <- seq_len(nrow(shared$x))
  done <- rank_by(shared$specs[[task$row]], shared$x, masked, rows, fold, shared$graph_seed, state,
                  shared$specs)
  known <- setdiff(which(!is.na(shared$code)), fold)
  label <- shared$levels[shared$code]
  list(seconds = done$seconds, accuracy = accuracy_by_size(
    done$ranking$index, shared$x, known, factor(label[known], shared$levels), shared$x, fold,
    label[fold], shared$sizes, shared$classifier
  ))
}

# One row per combination and size; `results` in the order of tasks, `row` their combination.
tuning_frame <- function(grid, sizes, results, row = NULL) {
  settings <- lapply(grid$values, function(value) {
    simple <- all(vapply(value, function(v) is.atomic(v) && length(v) == 1, NA))
    value <- if (simple) unlist(value) else I(value)
    rep(value, each = length(sizes))
  })
  count <- grid$count * length(sizes)
  frame <- data.frame(size = rep(sizes, grid$count), accuracy = NA_real_, se = NA_real_,
                      seconds = NA_real_, error = NA_character_)[seq_len(count), ]
  for (g in if (!is.null(results)) seq_len(grid$count)) {
    mine <- results[row == g]
    at <- (g - 1) * length(sizes) + seq_along(sizes)
    errors <- vapply(mine, `[[`, "", "error")
    if (any(!is.na(errors))) {
      frame$error[at] <- errors[!is.na(errors)][1]
      next
    }
    accuracy <- vapply(mine, function(m) m$value$accuracy, numeric(length(sizes)))
    accuracy <- matrix(accuracy, length(sizes))
    frame$accuracy[at] <- rowMeans(accuracy)
    frame$se[at] <- apply(accuracy, 1, stats::sd) / sqrt(ncol(accuracy))
    frame$seconds[at] <- mean(vapply(mine, function(m) m$value$seconds, 1))
  }
  if (length(settings)) {
    frame <- cbind(as.data.frame(settings, stringsAsFactors = FALSE, optional = TRUE), frame)
  }
  rownames(frame) <- NULL
  frame
}

choose_setting <- function(frame, rule) {
  # Sums of folds in another order may differ in the last bit.
  accuracy <- round(frame$accuracy, 10)
  best <- order(-accuracy, frame$size, seq_len(nrow(frame)))[1]
  if (rule == "best") return(best)
  near <- which(accuracy >= round(frame$accuracy[best] - frame$se[best], 10))
  near[order(frame$size[near], -accuracy[near], near)[1]]
}

new_tuning <- function(method, fixed, grid, frame, chosen, rule, held_out, note, classifier) {
  best <- c(list(method = method), fixed)
  if (!is.na(chosen)) {
    sizes <- nrow(frame) / grid$count
    best <- c(best, grid_row(grid, (chosen - 1) %/% sizes + 1))
    takes <- "n_features" %in% names(formals(selector_function(method)))
    if (takes && is.null(best$n_features)) best$n_features <- frame$size[chosen]
  }
  structure(
    list(best = best, grid = frame, chosen = chosen, rule = rule, tuned = !is.na(chosen),
         note = note, folds = held_out, settings = grid$names,
         classifier = classifier_name(classifier)),
    class = "selector_tuning"
  )
}

# ---- methods ----------------------------------------------------------------------------------

#' Methods for a tuned selector
#'
#' @param x,object A result of [tune_selector()].
#' @param n How many rows of the grid to show, best first.
#' @param ... Ignored.
#' @return `print()`, `plot()`: `x`, invisibly. `summary()`: the rows of the grid, best first.
#'   `tidy()`: the grid. `autoplot()`: a ggplot.
#' @name selector_tuning
NULL

#' @rdname selector_tuning
#' @export
print.selector_tuning <- function(x, n = 6, ...) {
  best <- x$best
  cat(sprintf("Tuning of %s", best$method))
  if (!x$tuned) {
    cat(": not done\n")
    cat(strwrap(x$note, 80), sep = "\n")
    return(invisible(x))
  }
  cat(sprintf(": %d combination(s), %d size(s), %d folds, %s\n",
              nrow(x$grid) / length(unique(x$grid$size)), length(unique(x$grid$size)),
              length(x$folds), x$classifier))
  row <- x$grid[x$chosen, ]
  cat(strwrap(sprintf(
    "%s: %s; accuracy %.3f%s", if (x$rule == "best") "Best" else "Within one standard error",
    paste(describe_params(best[-1]), collapse = ", "), row$accuracy,
    if (is.na(row$se)) "" else sprintf(", standard error %.3f", row$se)
  ), 80, exdent = 2), sep = "\n")
  cat("\n")
  shown <- summary(x)
  print.data.frame(shown[seq_len(min(n, nrow(shown))), ], row.names = FALSE, digits = 3)
  if (nrow(shown) > n) cat(sprintf(" ... and %d more in `$grid`\n", nrow(shown) - n))
  cat("\nRun it: do.call(rank_features, c(list(x, y), fit$best))\n")
  invisible(x)
}

#' @rdname selector_tuning
#' @export
summary.selector_tuning <- function(object, ...) {
  frame <- object$grid[order(-object$grid$accuracy, object$grid$size), ]
  if (all(is.na(frame$error))) frame$error <- NULL
  rownames(frame) <- NULL
  frame
}

#' @rdname selector_tuning
#' @method tidy selector_tuning
#' @export
tidy.selector_tuning <- function(x, ...) x$grid

tuning_curves <- function(x) {
  if (!x$tuned) {
    abort_input("There is nothing to plot: the settings were not tried. ", x$note)
  }
  frame <- x$grid
  sizes <- length(unique(frame$size))
  setting <- if (length(x$settings)) {
    parts <- lapply(x$settings, function(name) {
      value <- frame[[name]]
      if (is.list(value)) value <- vapply(value, function(v) shorten(deparse(v)[1], 20), "")
      paste(name, "=", format(value, trim = TRUE, digits = 3))
    })
    do.call(paste, c(parts, sep = ", "))
  } else {
    rep("defaults", nrow(frame))
  }
  data.frame(method = setting, size = frame$size, value = frame$accuracy, se = frame$se,
             null = FALSE, chosen = seq_len(nrow(frame)) == x$chosen)
}

#' @rdname selector_tuning
#' @export
plot.selector_tuning <- function(x, ...) {
  curves <- tuning_curves(x)
  order <- curve_order(curves)
  order <- order[seq_len(min(14, length(order)))]  # the best ones: more would be a thicket
  old <- graphics::par(mar = c(4, 4, 3, 1), no.readonly = TRUE)
  on.exit({
    graphics::layout(1)
    graphics::par(old)
  })
  width <- legend_width(order)
  graphics::layout(matrix(1:2, 1), widths = c(1 - width, width))
  graphics::par(mar = c(4, 4.5, 3, 0.5))
  plot_curves(curves[curves$method %in% order, ], order,
              sprintf("Tuning of %s, %d folds", x$best$method, length(x$folds)), "Accuracy")
  graphics::points(curves$size[curves$chosen], curves$value[curves$chosen], cex = 2.4, lwd = 2)
  curve_legend(curves, order)
  invisible(x)
}

#' @rdname selector_tuning
#' @exportS3Method ggplot2::autoplot
autoplot.selector_tuning <- function(object, ...) {
  curves <- tuning_curves(object)
  curves$method <- factor(curves$method, curve_order(curves))
  picture <- ggplot2::ggplot(curves, ggplot2::aes(x = .data[["size"]], y = .data[["value"]],
                                                  colour = .data[["method"]])) +
    ggplot2::geom_errorbar(ggplot2::aes(ymin = .data[["value"]] - .data[["se"]],
                                        ymax = .data[["value"]] + .data[["se"]]),
                           width = 0, alpha = 0.3, na.rm = TRUE) +
    ggplot2::geom_line(na.rm = TRUE) +
    ggplot2::geom_point(na.rm = TRUE) +
    ggplot2::geom_point(data = curves[curves$chosen, ], shape = 1, size = 5, colour = "black") +
    ggplot2::labs(x = "Number of features", y = "Accuracy", colour = NULL,
                  title = sprintf("Tuning of %s", object$best$method),
                  caption = "Circle: the choice. Bars: one standard error over the folds") +
    ggplot2::theme_minimal()
  if (spans_decades(curves$size)) picture + ggplot2::scale_x_log10() else picture
}
