# Can one trust the features? Selection frequencies over subsamples, and measures of how much
# several rankings agree.

# ---- stability selection ----------------------------------------------------------------------

#' Stability selection
#'
#' Ranks the features of many random halves of the rows and counts how often each is among the
#' `n_features` best (Meinshausen and Buehlmann 2010). Features that depend on single rows do not
#' come back; what comes back most of the time can be trusted more than one ranking can.
#'
#' A subsample has half of the labelled rows of each class (rounded down, at least one) and half of
#' the unlabelled rows. With q = `n_features` of p features, the expected number of irrelevant
#' features among those of frequency at least \eqn{\pi > 1/2} is at most
#' \deqn{\frac{q^2}{(2 \pi - 1) p},}
#' provided that the irrelevant features are exchangeable and the method is not worse than
#' guessing. That holds for subsamples of half of the rows; `summary()` gives the bound there and
#' `NA` elsewhere. A class with a single label is in every subsample, which the theory does not
#' cover: then, too, there is no bound.
#'
#' It runs on the plan of the package future, with progress and `resume`, as
#' [compare_selectors()] does: a subsample that fails is left out and reported.
#'
#' @param x,y Data and labels, as for [rank_features()].
#' @param method Name of a selector (see [selectors()]), or a function `f(x, y)` that returns a
#'   ranking.
#' @param resamples Number of subsamples.
#' @param n_features How many features each of them selects. `NULL`: as many as keep the bound at 1
#'   for a frequency of 0.75, which is \eqn{\sqrt{p / 2}}, rounded down.
#' @param ... Settings of the method.
#' @param fraction Share of the rows in a subsample.
#' @param resume,verbose As for [compare_selectors()].
#' @return A data frame of class `stability_selection` with the columns `feature` and `frequency`,
#'   most frequent first (ties in column order). Attributes: `index` (column numbers), `settings`,
#'   `errors`, `selections` (the columns of each subsample).
#' @references Meinshausen and Buehlmann (2010), Stability selection, Journal of the Royal
#'   Statistical Society B 72.
#' @examples
#' set.seed(1)
#' data <- simulate_senfs(60, 40, rho = 0.5, d = 1)
#' y <- data$y
#' y[-c(1:10, 51:60)] <- NA
#' s <- stability_selection(data$x, y, "fisher", resamples = 20, n_features = 5)
#' s
#' summary(s, threshold = 0.7)
#' plot(s)
#' @export
stability_selection <- function(x, y = NULL, method = "cls", resamples = 100, n_features = NULL,
                                ..., fraction = 0.5, resume = NULL, verbose = interactive()) {
  x <- as_feature_matrix(x)
  labels <- as_labels(y, nrow(x))
  p <- ncol(x)
  given <- list(...)
  spec <- single_method(method, given, length(labels$levels))
  check_row_settings(spec$settings, nrow(x))
  resamples <- check_count(resamples, "resamples", min = 2)
  fraction <- check_number(fraction, "fraction", min = 0, max = 1, open = c("min", "max"))
  verbose <- check_flag(verbose, "verbose")
  n_features <- check_n_features(n_features, p) %||% max(1L, as.integer(sqrt(p / 2)))
  check_finite(x)
  if (floor(fraction * nrow(x)) < 2) {
    abort_input(sprintf("`x` has %d row(s): too few for subsamples of the share %s.", nrow(x),
                        format(fraction)))
  }
  needs_labels <- !is.null(spec$method) && registry_entry(spec$method)$supervision == "supervised"
  if (needs_labels && length(labels$levels) < 2) {
    abort_input(sprintf("The method \"%s\" needs labels of two classes, but `y` has %d class(es).",
                        spec$method, length(labels$levels)), class = "semiselect_error_classes")
  }

  rows <- lapply(seq_len(resamples), function(r) draw_subsample(labels, fraction))
  seeds <- draw_seeds(resamples + 1)
  # The hashes are only computed where there is a file.
  store <- open_store(resume, list(
    task = "stability_selection", x = rlang::hash(x), y = rlang::hash(y), resamples = resamples,
    n_features = n_features, fraction = fraction,
    method = settings_hash(c(spec$method, spec$fun, spec$settings))
  ), keep = list(rows = rows, seeds = seeds))
  on.exit(store$close())
  rows <- store$keep$rows
  seeds <- store$keep$seeds

  tasks <- lapply(seq_len(resamples), function(r) {
    list(key = as.character(r), seed = seeds[r], group = r, rows = rows[[r]])
  })
  shared <- list(x = x, y = y, spec = spec, n_features = n_features,
                 graph_seed = seeds[resamples + 1])
  results <- run_tasks(tasks, stability_cell, shared, "Resampling", list(spec$fun), store, verbose)
  errors <- vapply(results, `[[`, "", "error")
  if (all(!is.na(errors))) {
    abort_input(sprintf("The method failed on all %d subsamples. The first: %s", resamples,
                        errors[1]), class = "semiselect_error_failed")
  }
  if (any(!is.na(errors))) {
    warn_user(sprintf("%d of %d subsamples failed and are left out. The first: %s",
                      sum(!is.na(errors)), resamples, errors[!is.na(errors)][1]),
              class = "semiselect_warning_failed")
  }
  selections <- lapply(results[is.na(errors)], `[[`, "value")
  frequency <- tabulate(unlist(selections), p) / length(selections)
  order <- order(-frequency, seq_len(p))
  singles <- labels$levels[tabulate(labels$code, length(labels$levels)) == 1]
  structure(
    data.frame(feature = feature_names(x)[order], frequency = frequency[order]),
    class = c("stability_selection", "data.frame"), index = order, errors = errors,
    selections = selections,
    settings = list(method = spec$method %||% "your function", resamples = length(selections),
                    n_features = n_features, fraction = fraction, p = p, n = nrow(x),
                    singles = singles)
  )
}

# A method by name with settings, or a function, as one entry of as_methods().
single_method <- function(method, settings, classes) {
  if (is.function(method)) {
    if (length(settings)) {
      abort_input("Settings in `...` are for a method by name.\nPut them into your function.")
    }
    return(as_method(method, "method", classes))
  }
  check_method(method)
  if (length(settings) && is.null(names(settings))) names(settings) <- rep("", length(settings))
  check_method_settings(method, settings, classes)
  list(method = method, fun = NULL, settings = settings)
}

draw_subsample <- function(labels, fraction) {
  code <- labels$code
  parts <- c(split(seq_along(code), code), list(which(is.na(code))))
  sort(unlist(lapply(seq_along(parts), function(part) {
    rows <- parts[[part]]
    least <- if (part < length(parts)) 1 else 0
    if (length(rows)) draw(rows, max(least, floor(fraction * length(rows))))
  }), use.names = FALSE))
}

stability_cell <- function(shared, task, state) {
  rows <- task$rows
  done <- rank_by(shared$spec, shared$x[rows, , drop = FALSE], shared$y[rows], rows, integer(),
                  shared$graph_seed, state)
  done$ranking$index[seq_len(shared$n_features)]
}

#' Methods for stability selection
#'
#' `summary()` takes the features of at least a certain frequency, with the bound on the expected
#' number of false ones where it holds; `plot()` and `autoplot()` draw the frequencies.
#'
#' @param x,object A result of [stability_selection()].
#' @param threshold Frequency from which on a feature counts as stable, above 0.5 for the bound. In
#'   `summary()` `NULL`: the least with a bound of at most `max_false`, if there is one, else 0.75.
#' @param max_false Bound on the expected number of false selections that `threshold = NULL` is
#'   chosen for.
#' @param n How many features to show.
#' @param ... Ignored.
#' @return `summary()`: a list of class `summary.stability_selection` with `threshold`, `bound`,
#'   `features` (data frame) and `n_features`. `tidy()`: a plain data frame. `print()`, `plot()`:
#'   `x`, invisibly. `autoplot()`: a ggplot.
#' @name stability_selection_methods
NULL

# Expected number of false selections; NA where the theorem does not apply.
false_selections_bound <- function(settings, threshold) {
  if (threshold <= 0.5 || settings$fraction != 0.5 || length(settings$singles)) return(NA_real_)
  min(settings$n_features^2 / ((2 * threshold - 1) * settings$p), settings$n_features)
}

#' @rdname stability_selection_methods
#' @export
summary.stability_selection <- function(object, threshold = NULL, max_false = 1, ...) {
  settings <- attr(object, "settings")
  max_false <- check_number(max_false, "max_false", min = 0, open = "min")
  threshold <- check_number(threshold, "threshold", min = 0, max = 1, open = "min", null = TRUE)
  if (is.null(threshold)) {
    threshold <- (1 + settings$n_features^2 / (max_false * settings$p)) / 2
    if (threshold > 1 || is.na(false_selections_bound(settings, threshold))) threshold <- 0.75
  }
  taken <- object$frequency >= threshold - 1e-12
  structure(
    list(threshold = threshold, bound = false_selections_bound(settings, threshold),
         features = plain_frame(object)[taken, , drop = FALSE], n_features = settings$n_features,
         settings = settings),
    class = "summary.stability_selection"
  )
}

#' @export
print.summary.stability_selection <- function(x, ...) {
  cat(sprintf("%d of %d features are selected with a frequency of at least %s\n",
              nrow(x$features), x$settings$p, format(x$threshold, digits = 3)))
  cat(if (!is.na(x$bound)) {
    sprintf("Expected number of false ones among them: at most %s (Meinshausen and Buehlmann)\n",
            format(x$bound, digits = 3))
  } else {
    reason <- if (x$threshold <= 0.5) {
      "the threshold is not above 0.5"
    } else if (x$settings$fraction != 0.5) {
      "the subsamples are not halves"
    } else {
      sprintf("class %s has a single label, which is in every subsample",
              enumerate(x$settings$singles, "\""))
    }
    sprintf("No bound on the number of false ones: %s\n", reason)
  })
  if (nrow(x$features)) print.data.frame(x$features, row.names = FALSE, digits = 3)
  invisible(x)
}

#' @rdname stability_selection_methods
#' @export
print.stability_selection <- function(x, n = 10, ...) {
  settings <- attr(x, "settings")
  if (is.null(settings)) return(print(plain_frame(x)))
  cat(sprintf("Stability selection by %s: %d subsamples of %s of %d rows, %d of %d features each\n",
              settings$method, settings$resamples, format(settings$fraction), settings$n,
              settings$n_features, settings$p))
  shown <- plain_frame(x)[seq_len(min(n, nrow(x))), , drop = FALSE]
  print.data.frame(shown, row.names = FALSE, digits = 3)
  if (nrow(x) > nrow(shown)) cat(sprintf(" ... and %d more\n", nrow(x) - nrow(shown)))
  cat("`summary()` takes those above a threshold and bounds the false ones among them.\n")
  invisible(x)
}

#' @export
`[.stability_selection` <- function(x, ...) {
  taken <- NextMethod()
  if (is.data.frame(taken)) plain_frame(taken) else taken
}

#' @rdname stability_selection_methods
#' @method tidy stability_selection
#' @export
tidy.stability_selection <- function(x, ...) plain_frame(x)

#' @rdname stability_selection_methods
#' @export
plot.stability_selection <- function(x, n = 30, threshold = 0.75, ...) {
  shown <- rev(seq_len(min(check_count(n, "n"), nrow(x))))
  names <- shorten(x$feature[shown], 20)
  old <- graphics::par(mar = c(4, max(4, 0.55 * max(nchar(names)) + 1.5), 3, 1))
  on.exit(graphics::par(old))
  settings <- attr(x, "settings")
  above <- x$frequency[shown] >= threshold
  at <- graphics::barplot(
    x$frequency[shown], names.arg = names, horiz = TRUE, las = 1, xlim = c(0, 1), border = NA,
    cex.names = if (length(shown) > 20) 0.7 else 0.9, col = ifelse(above, "#0072B2", "gray75"),
    xlab = "Selection frequency",
    main = sprintf("%s: top %d in %d subsamples", settings$method, settings$n_features,
                   settings$resamples)
  )
  graphics::abline(v = threshold, lty = 2)
  # What chance alone would give.
  graphics::abline(v = settings$n_features / settings$p, lty = 3, col = "gray40")
  graphics::legend("bottomright", c(sprintf("threshold %s", format(threshold)), "chance"),
                   lty = 2:3, col = c("black", "gray40"), bty = "n", inset = c(0, 0.06))
  invisible(x)
}

#' @rdname stability_selection_methods
#' @exportS3Method ggplot2::autoplot
autoplot.stability_selection <- function(object, n = 30, threshold = 0.75, ...) {
  settings <- attr(object, "settings")
  shown <- plain_frame(object)[seq_len(min(check_count(n, "n"), nrow(object))), ]
  shown$feature <- factor(shown$feature, rev(shown$feature))
  shown$stable <- ifelse(shown$frequency >= threshold, "stable", "not stable")
  ggplot2::ggplot(shown, ggplot2::aes(x = .data[["frequency"]], y = .data[["feature"]],
                                      fill = .data[["stable"]])) +
    ggplot2::geom_col() +
    ggplot2::geom_vline(xintercept = threshold, linetype = 2) +
    ggplot2::geom_vline(xintercept = settings$n_features / settings$p, linetype = 3) +
    ggplot2::scale_fill_manual(values = c("stable" = "#0072B2", "not stable" = "gray75"),
                               name = NULL) +
    ggplot2::coord_cartesian(xlim = c(0, 1)) +
    ggplot2::labs(
      x = "Selection frequency", y = NULL,
      title = sprintf("%s: top %d in %d subsamples", settings$method, settings$n_features,
                      settings$resamples),
      caption = "Dashed: threshold. Dotted: chance."
    ) +
    ggplot2::theme_minimal()
}

# ---- agreement of rankings --------------------------------------------------------------------

#' How much rankings agree
#'
#' Four measures of the agreement of several rankings of the same features, for example over
#' resamples of the data.
#'
#' With M rankings of p features and the sets of their best features:
#' \describe{
#'   \item{`nogueira`}{\eqn{1 - \frac{1}{p} \sum_f s_f^2 / (\frac{\bar k}{p} (1 - \frac{\bar
#'     k}{p}))}, where \eqn{s_f^2} is the unbiased variance over the rankings of whether feature f
#'     is selected and \eqn{\bar k} the mean size of the sets: 1 for identical sets, 0 on average
#'     for random ones, whatever the sizes (Nogueira, Sechidis and Brown 2018), with their
#'     asymptotic confidence interval}
#'   \item{`kuncheva`}{mean over all pairs of \eqn{(r p - k^2) / (k (p - k))}, r features in common;
#'     for sets of one size k below p, else `NA`. It equals `nogueira` for such sets}
#'   \item{`jaccard`}{mean over all pairs of the size of the intersection by that of the union; not
#'     corrected for chance}
#'   \item{`spearman`}{mean over all pairs of the rank correlation of the whole rankings}
#' }
#'
#' @param rankings A list of at least two [feature_ranking]s of the same features.
#' @param n_features Size of the sets. `NULL`: what each ranking selected by itself; where they only
#'   rank, the 20 best, at most half of the features.
#' @param level Of the confidence interval.
#' @param x,object A result of `ranking_stability()`.
#' @param ... Ignored.
#' @return A data frame of class `ranking_stability` with the columns `measure`, `value`, `lower`
#'   and `upper` (the interval, only for `nogueira`).
#' @references Kuncheva (2007), A stability index for feature selection. Nogueira, Sechidis and
#'   Brown (2018), On the stability of feature selection algorithms, Journal of Machine Learning
#'   Research 18.
#' @examples
#' set.seed(1)
#' rankings <- lapply(1:10, function(i) rank_variance(iris[sample(150, 75), 1:4]))
#' ranking_stability(rankings, n_features = 2)
#' @export
ranking_stability <- function(rankings, n_features = NULL, level = 0.95) {
  if (inherits(rankings, "feature_ranking") || !is.list(rankings) || is.data.frame(rankings)) {
    abort_input(sprintf("`rankings` must be a list of rankings, not %s.", describe(rankings)))
  }
  if (length(rankings) < 2) {
    abort_input(sprintf("`rankings` must hold at least two rankings, not %d.", length(rankings)))
  }
  for (i in seq_along(rankings)) check_ranking(rankings[[i]], sprintf("rankings[[%d]]", i))
  level <- check_number(level, "level", min = 0, max = 1, open = c("min", "max"))
  features <- rankings[[1]]$feature[order(rankings[[1]]$index)]
  for (i in seq_along(rankings)) {
    if (!setequal(rankings[[i]]$feature, features) || nrow(rankings[[i]]) != length(features)) {
      abort_input(sprintf("`rankings[[%d]]` is not of the same features as the first.", i))
    }
  }
  p <- length(features)
  own <- all(vapply(rankings, function(r) !anyNA(r$selected), NA))
  n_features <- if (is.null(n_features) && !own) {
    max(1L, min(20L, p %/% 2L))
  } else {
    check_n_features(n_features, p)
  }
  # Duplicated names: by their columns then.
  place <- if (anyDuplicated(features)) {
    function(r) order(r$index)
  } else {
    function(r) match(features, r$feature)
  }
  sets <- do.call(rbind, lapply(rankings, function(r) {
    taken <- if (is.null(n_features)) r$selected else r$rank <= n_features
    taken[place(r)]
  }))
  ranks <- vapply(rankings, function(r) as.double(r$rank[place(r)]), numeric(p))
  nogueira <- nogueira_measure(sets, level)
  structure(
    data.frame(
      measure = c("nogueira", "kuncheva", "jaccard", "spearman"),
      value = c(nogueira[["value"]], kuncheva_measure(sets), jaccard_measure(sets),
                spearman_measure(matrix(ranks, p))),
      lower = c(nogueira[["lower"]], NA, NA, NA), upper = c(nogueira[["upper"]], NA, NA, NA)
    ),
    class = c("ranking_stability", "data.frame"), n_features = n_features, level = level,
    rankings = length(rankings), p = p
  )
}

# sets: rankings in rows, features in columns, TRUE where selected. All in closed form over the
# counts: the pairs of rankings are never listed.
nogueira_measure <- function(sets, level = 0.95) {
  M <- nrow(sets)
  p <- ncol(sets)
  size <- rowSums(sets)
  share <- colMeans(sets)
  mean_share <- mean(size) / p
  chance <- mean_share * (1 - mean_share)
  if (chance == 0) return(c(value = NA_real_, lower = NA_real_, upper = NA_real_))
  value <- 1 - mean(M / (M - 1) * share * (1 - share)) / chance
  # Theorem 7 of the paper.
  single <- (as.vector(sets %*% share) / p - size * mean_share / p +
               value / 2 * (2 * mean_share * size / p - size / p - mean_share + 1)) / chance
  error <- sqrt(4 / M^2 * sum((single - mean(single))^2))
  z <- stats::qnorm(1 - (1 - level) / 2)
  c(value = value, lower = value - z * error, upper = value + z * error)
}

kuncheva_measure <- function(sets) {
  M <- nrow(sets)
  p <- ncol(sets)
  k <- unique(rowSums(sets))
  if (length(k) != 1 || k == 0 || k == p) return(NA_real_)
  count <- colSums(sets)
  common <- sum(count * (count - 1)) / (M * (M - 1))  # mean over the pairs
  (common * p - k^2) / (k * (p - k))
}

jaccard_measure <- function(sets) {
  common <- tcrossprod(sets * 1)
  size <- diag(common)
  union <- outer(size, size, `+`) - common
  pair <- upper.tri(common)
  if (any(union[pair] == 0)) return(NA_real_)
  mean((common / union)[pair])
}

spearman_measure <- function(ranks) {
  if (nrow(ranks) < 2) return(NA_real_)
  rho <- stats::cor(ranks)
  mean(rho[upper.tri(rho)])
}

#' @rdname ranking_stability
#' @export
print.ranking_stability <- function(x, ...) {
  n <- attr(x, "n_features")
  if (!is.null(attr(x, "p"))) {
    cat(sprintf("Agreement of %d rankings of %d features (%s)\n", attr(x, "rankings"),
                attr(x, "p"),
                if (is.null(n)) "their own selections" else sprintf("the %d best", n)))
  }
  shown <- plain_frame(x)
  shown[-1] <- lapply(shown[-1], function(value) {
    ifelse(is.na(value), "", format(value, digits = 3, nsmall = 2))
  })
  print.data.frame(shown, row.names = FALSE)
  if (!is.null(attr(x, "level"))) {
    cat(sprintf("lower, upper: %s %% confidence interval\n", format(100 * attr(x, "level"))))
  }
  invisible(x)
}

#' @rdname ranking_stability
#' @method tidy ranking_stability
#' @export
tidy.ranking_stability <- function(x, ...) plain_frame(x)

#' @rdname ranking_stability
#' @export
summary.ranking_stability <- function(object, ...) object

#' @rdname ranking_stability
#' @export
plot.ranking_stability <- function(x, ...) {
  y <- rev(seq_len(nrow(x)))
  limits <- range(0, 1, x$value, x$lower, x$upper, na.rm = TRUE)
  old <- graphics::par(mar = c(4, 6, 3, 1))
  on.exit(graphics::par(old))
  graphics::plot(x$value, y, xlim = limits, ylim = c(0.5, nrow(x) + 0.5), yaxt = "n", pch = 19,
                 col = "#0072B2", xlab = "Agreement", ylab = "",
                 main = sprintf("Agreement of %d rankings", attr(x, "rankings")))
  graphics::axis(2, y, x$measure, las = 1)
  graphics::abline(v = 0, lty = 3)
  known <- !is.na(x$lower)
  graphics::segments(x$lower[known], y[known], x$upper[known], y[known], col = "#0072B2", lwd = 2)
  invisible(x)
}

#' @rdname ranking_stability
#' @exportS3Method ggplot2::autoplot
autoplot.ranking_stability <- function(object, ...) {
  shown <- plain_frame(object)
  shown$measure <- factor(shown$measure, rev(shown$measure))
  ggplot2::ggplot(shown, ggplot2::aes(x = .data[["value"]], y = .data[["measure"]])) +
    ggplot2::geom_vline(xintercept = 0, linetype = 3) +
    ggplot2::geom_segment(ggplot2::aes(x = .data[["lower"]], xend = .data[["upper"]],
                                       yend = .data[["measure"]]),
                          colour = "#0072B2", na.rm = TRUE) +
    ggplot2::geom_point(colour = "#0072B2", size = 2.5, na.rm = TRUE) +
    ggplot2::labs(x = "Agreement", y = NULL,
                  title = sprintf("Agreement of %d rankings", attr(object, "rankings"))) +
    ggplot2::theme_minimal()
}
