# Many selectors on many splits of complete data into a few labels and the rest.

# ---- which methods ----------------------------------------------------------------------------

# Names, or a list of names, of lists of a name and settings, and of functions, as a named list of
# list(method, fun, settings). Everything that can be wrong with them is found here.
as_methods <- function(methods, classes) {
  if (is.function(methods)) {
    abort_input("`methods` must be names of selectors or a named list, not a single function.\n",
                "Name it, as in `list(mine = f)`.")
  }
  if (is.character(methods)) methods <- as.list(methods)
  if (!is.list(methods) || is.data.frame(methods) || length(methods) == 0) {
    abort_input(sprintf("`methods` must be names of selectors or a named list, not %s.\n%s",
                        describe(methods), "See `selectors()` for all names."))
  }
  names <- names(methods) %||% rep("", length(methods))
  specs <- lapply(seq_along(methods), function(m) {
    as_method(methods[[m]], if (nzchar(names[m])) names[m] else sprintf("number %d", m), classes)
  })
  for (m in which(!nzchar(names))) {
    if (is.null(specs[[m]]$method)) {
      abort_input(sprintf("Functions in `methods` need a name; number %d has none.", m),
                  "\nName it, as in `list(mine = f)`.")
    }
    names[m] <- specs[[m]]$method
  }
  if (anyDuplicated(names)) {
    abort_input(sprintf("`methods` has \"%s\" twice.\nGive each a name of its own.",
                        names[anyDuplicated(names)]))
  }
  stats::setNames(specs, names)
}

as_method <- function(value, place, classes) {
  if (is.function(value)) {
    if (length(formals(args(value))) < 2 && !"..." %in% names(formals(args(value)))) {
      abort_input(sprintf("The function `%s` in `methods` must take `x` and `y`.", place))
    }
    return(list(method = NULL, fun = value, settings = list()))
  }
  settings <- list()
  if (is.list(value) && !is.data.frame(value) && length(value)) {
    named <- names(value) %||% rep("", length(value))
    first <- if ("method" %in% named) match("method", named) else match("", named)
    if (!is.na(first)) {
      settings <- value[-first]
      value <- value[[first]]
    }
  }
  if (!is.character(value) || length(value) != 1 || is.na(value)) {
    abort_input(sprintf(
      "`methods`, %s: must be the name of a selector, %s, not %s.", place,
      "a list of a name and settings, or a function", describe(value)
    ))
  }
  check_method(value)
  check_method_settings(value, settings, classes)
  list(method = value, fun = NULL, settings = settings)
}

check_method <- function(method) {
  known <- names(registry$entries)
  if (!is.character(method) || length(method) != 1 || is.na(method)) {
    abort_input(sprintf("`method` must be the name of a selector, not %s.\nSee `selectors()`.",
                        describe(method)), class = "semiselect_error_method")
  }
  if (!method %in% known) {
    abort_input(sprintf("There is no method \"%s\".%s\nSee `selectors()` for all names.", method,
                        suggest(method, known)), class = "semiselect_error_method")
  }
}

check_method_settings <- function(method, settings, classes) {
  arguments <- names(formals(selector_function(method)))
  check_arguments(names(settings), length(settings), method, arguments)
  if (classes > 2 && !registry_entry(method)$multiclass) {
    abort_input(sprintf("The method \"%s\" takes two classes, but `y` has %d.", method, classes),
                class = "semiselect_error_method")
  }
  if ("universum" %in% arguments && is.null(settings$universum)) {
    abort_input(sprintf(
      paste0("The method \"%s\" needs a Universum.\nWrap it in a function, as in `list(%s = ",
             "function(x, y) rank_%s(x, y, universum = universum_mean(x, y, 100)))`."),
      method, method, method
    ), class = "semiselect_error_method")
  }
}

# ---- graphs that methods share ----------------------------------------------------------------

graph_arguments <- c("k", "metric", "weights", "bandwidth", "symmetrize", "search", "scale")

# The settings of the neighbor graph that a method would build for itself, NULL if it would not
# build one or not that one.
graph_wanted <- function(method, settings) {
  if (is.null(method) || !is.null(settings$graph)) return(NULL)
  arguments <- formals(selector_function(method))
  if (!all(c("graph", graph_arguments) %in% names(arguments))) return(NULL)
  in_force <- function(name) {
    if (!is.null(settings[[name]])) return(settings[[name]])
    eval(arguments[[name]], environment(selector_function(method)))[1]
  }
  without <- switch(method,
    spec = TRUE,  # of the rows' similarity, unless told otherwise
    trace_ratio = in_force("criterion") == "fisher",
    csfs = , csfsr = in_force("neighborhood") == "cluster",
    FALSE
  )
  # On prototypes the rows are others.
  if (without || ("som" %in% names(arguments) && !isFALSE(in_force("som")))) return(NULL)
  lapply(stats::setNames(nm = graph_arguments), in_force)
}

# The graph with these settings, from `state` if it is there; with the seconds that it would have
# taken alone. `all`: what other methods want of the same rows, so that one search for neighbors
# serves every number of them and every kind of weights.
shared_graph <- function(wanted, all, x, rows, seed, state) {
  if (!identical(state$graph_rows, rows)) {
    state$graph_rows <- rows
    state$graphs <- list()
  }
  key <- rlang::hash(wanted)
  if (is.null(state$graphs[[key]])) {
    alike <- Filter(function(other) {
      identical(other[c("metric", "scale", "search")], wanted[c("metric", "scale", "search")])
    }, unique(c(list(wanted), all)))
    if (!is_exact_search(wanted$search, nrow(x))) alike <- list(wanted)
    # The bad settings of one method must not be the failure of another.
    built <- if (length(alike) > 1) tryCatch(neighbor_graphs(x, alike), error = function(e) NULL)
    if (is.null(built)) {
      alike <- list(wanted)
      built <- with_seed(seed, neighbor_graphs(x, alike))
    }
    names(built) <- vapply(alike, rlang::hash, "")
    state$graphs[names(built)] <- built
  }
  state$graphs[[key]]
}

is_exact_search <- function(search, n) {
  search == "exact" || (search == "auto" && n <= exact_search_rows_cpp())
}

# Graphs with settings that differ in all but metric, scale and search: a list of list(graph,
# seconds). An approximate search depends on the number of neighbors and is made for one alone.
neighbor_graphs <- function(x, wanted) {
  first <- wanted[[1]]
  begun <- proc.time()[["elapsed"]]
  if (length(wanted) == 1) {
    graph <- do.call(neighbor_graph, c(list(x = x, verbose = FALSE), first))
    return(list(list(graph = graph, seconds = proc.time()[["elapsed"]] - begun)))
  }
  problem <- as_problem(x, scale = first$scale)
  options <- lapply(wanted, function(want) {
    graph_options(problem, NULL, want$k, want$metric, want$weights, want$bandwidth,
                  want$symmetrize, want$search)
  })
  control <- run_control()
  common <- proc.time()[["elapsed"]] - begun
  fit <- run_core(control, neighbor_graphs_cpp(problem, options, control))
  lapply(seq_along(wanted), function(g) {
    list(graph = fit$graphs[[g]], seconds = common + fit$seconds[1] + fit$seconds[g + 1])
  })
}

# ---- one ranking ------------------------------------------------------------------------------

# The ranking by a method of as_methods() of the rows `rows` of a larger x, and its seconds.
# judged: rows (of the larger x) whose labels nothing may tell: pairs with them are left out.
# others: the methods that will be run on the same rows.
rank_by <- function(spec, x, y, rows, judged, graph_seed, state, others = list()) {
  settings <- spec$settings
  if (!is.null(spec$fun)) {
    begun <- proc.time()[["elapsed"]]
    r <- spec$fun(x, y)
    seconds <- proc.time()[["elapsed"]] - begun
  } else {
    arguments <- names(formals(selector_function(spec$method)))
    settings <- settings_for_rows(settings, rows, judged)
    graph <- graph_wanted(spec$method, settings)
    graph_seconds <- 0
    if (!is.null(graph)) {
      if (is.null(state$wanted)) {
        state$wanted <- Filter(Negate(is.null), unname(lapply(others, function(other) {
          graph_wanted(other$method, other$settings)
        })))
      }
      shared <- shared_graph(graph, state$wanted, x, rows, graph_seed, state)
      settings$graph <- shared$graph
      graph_seconds <- shared$seconds
    }
    if ("threads" %in% arguments) settings$threads <- getOption("semiselect.threads", 2L)
    if ("verbose" %in% arguments) settings$verbose <- FALSE
    begun <- proc.time()[["elapsed"]]
    r <- do.call(rank_features, c(list(x, y, spec$method), settings))
    seconds <- proc.time()[["elapsed"]] - begun + graph_seconds
  }
  if (!inherits(r, "feature_ranking") || nrow(r) != ncol(x)) {
    abort_input(sprintf("The function must give a ranking of the %d features, not %s.", ncol(x),
                        describe(r)))
  }
  list(ranking = r, seconds = seconds)
}

# Settings that speak of rows, for a part of the rows.
settings_for_rows <- function(settings, rows, judged) {
  if (!is.null(settings$constraints)) {
    pairs <- settings$constraints
    keep <- function(pairs) {
      if (is.null(pairs) || NROW(pairs) == 0) return(NULL)
      pairs <- matrix(as.integer(pairs), ncol = 2)
      good <- !pairs[, 1] %in% judged & !pairs[, 2] %in% judged &
        pairs[, 1] %in% rows & pairs[, 2] %in% rows
      matrix(match(pairs[good, ], rows), ncol = 2)
    }
    settings$constraints <- pairwise_constraints(keep(pairs$must_link), keep(pairs$cannot_link))
  }
  if (!is.null(settings$graph) && nrow(settings$graph) != length(rows)) {
    settings$graph <- settings$graph[rows, rows]
  }
  settings
}

check_row_settings <- function(settings, n) {
  if (!is.null(settings$constraints)) as_pairs(settings$constraints, n)
  if (!is.null(settings$graph)) {
    if (!is.null(attr(settings$graph, "eta"))) {
      abort_input("The `graph` of a method was made with labels (`eta`), which would tell those ",
                  "that are held out.\nMake it without `y` and `eta`.")
    }
    as_graph(settings$graph, n)
  }
}

# ---- splits -----------------------------------------------------------------------------------

# labelled: rows per class; below 1 their share; or a list of row numbers, one per repeat.
# test: NULL; a share of the rows; row numbers; or a list of them. Returns a list of
# list(labelled, seen, judged), row numbers ascending.
draw_splits <- function(code, levels, labelled, repeats, test) {
  n <- length(code)
  counts <- tabulate(code, length(levels))
  aside <- check_test(test, n, repeats)
  fixed <- is.list(labelled)
  if (fixed) {
    labelled <- check_row_list(labelled, "labelled", n, repeats)
  } else {
    labelled <- check_labelled(labelled, levels)
    left <- counts
    if (is.numeric(aside)) left <- counts - pmax(1, round(aside * counts))
    wanted <- if (labelled[1] < 1) pmax(1, round(labelled * counts)) else labelled
    few <- which(left < wanted)
    if (length(few) && !is.list(aside)) {
      abort_input(sprintf(
        "Class \"%s\" has %d row(s)%s, fewer than the %d that `labelled` asks for.\n%s",
        levels[few[1]], counts[few[1]],
        if (left[few[1]] < counts[few[1]]) sprintf(" (%d beside the test rows)", left[few[1]])
        else "", wanted[few[1]], "Lower `labelled`, or leave this class out."
      ), class = "semiselect_error_labelled")
    }
  }

  lapply(seq_len(repeats), function(r) {
    out <- integer()
    if (is.list(aside)) {
      out <- aside[[r]]
    } else if (is.numeric(aside)) {
      out <- sort(unlist(lapply(seq_along(levels), function(c) {
        draw(which(code == c), max(1, round(aside * counts[c])))
      })))
    }
    seen <- setdiff(seq_len(n), out)
    known <- if (fixed) {
      labelled[[r]]
    } else {
      sort(unlist(lapply(seq_along(levels), function(c) {
        rows <- seen[code[seen] == c]
        size <- if (labelled[c] < 1) max(1, round(labelled[c] * length(rows))) else labelled[c]
        if (size > length(rows)) {
          abort_input(sprintf(
            "Class \"%s\" has %d row(s) beside the test rows, fewer than the %d of `labelled`.",
            levels[c], length(rows), size
          ), class = "semiselect_error_labelled")
        }
        draw(rows, size)
      })))
    }
    if (any(known %in% out)) {
      abort_input(sprintf("Row %d is in both `labelled` and `test`.", known[known %in% out][1]))
    }
    if (length(unique(code[known])) < 2) {
      abort_input(sprintf("The rows of `labelled`, repeat %d, are of one class only.", r),
                  class = "semiselect_error_labelled")
    }
    judged <- if (is.null(aside)) setdiff(seen, known) else out
    if (length(judged) == 0) {
      abort_input("All rows keep their label, and none is left to judge on.\nLower `labelled`.",
                  class = "semiselect_error_labelled")
    }
    list(labelled = known, seen = seen, judged = judged)
  })
}

# sample() takes a single number for a range.
draw <- function(rows, size) rows[sample.int(length(rows), size)]

check_labelled <- function(labelled, levels) {
  expected <- paste("`labelled` must be a number of rows per class, a share below 1, or a list of",
                    "row numbers")
  if (!is.numeric(labelled) || !length(labelled) %in% c(1, length(levels)) || anyNA(labelled) ||
        any(labelled <= 0) || any(labelled >= 1 & labelled != round(labelled)) ||
        length(unique(labelled < 1)) != 1) {
    abort_input(sprintf("%s, not %s.", expected, describe(labelled)))
  }
  if (length(labelled) == 1) return(rep(labelled, length(levels)))
  if (!is.null(names(labelled))) {
    if (!setequal(names(labelled), levels)) {
      abort_input(sprintf("The names of `labelled` must be the classes: %s.",
                          enumerate(levels, "\"")))
    }
    labelled <- labelled[levels]
  }
  unname(labelled)
}

check_test <- function(test, n, repeats) {
  if (is.null(test)) return(NULL)
  if (is.list(test)) return(check_row_list(test, "test", n, repeats))
  if (is_number(test) && test > 0 && test < 1) return(test)
  if (is.numeric(test)) return(check_row_list(rep(list(test), repeats), "test", n, repeats))
  abort_input(sprintf("`test` must be NULL, a share of the rows below 1, or row numbers, not %s.",
                      describe(test)))
}

check_row_list <- function(rows, name, n, repeats) {
  if (length(rows) != repeats) {
    abort_input(sprintf("`%s` must have one vector of row numbers per repeat: %d, not %d.", name,
                        repeats, length(rows)))
  }
  lapply(seq_along(rows), function(r) {
    value <- rows[[r]]
    if (!is.numeric(value) || length(value) == 0 || anyNA(value) || any(value != round(value)) ||
          any(value < 1 | value > n) || anyDuplicated(value)) {
      abort_input(sprintf("`%s`, repeat %d: must hold different row numbers from 1 to %d, not %s.",
                          name, r, n, describe(value)))
    }
    sort(as.integer(value))
  })
}

# ---- one cell: a method on a split ------------------------------------------------------------

compare_cell <- function(shared, task, state) {
  split <- shared$splits[[task$group]]
  whole <- length(split$seen) == nrow(shared$x)
  if (!identical(state$group, task$group)) {
    state$group <- task$group
    state$x <- if (whole) shared$x else shared$x[split$seen, , drop = FALSE]
  }
  masked <- shared$y
  masked[setdiff(seq_along(masked), split$labelled)] <- NA
  masked <- masked[split$seen]
  done <- rank_by(shared$methods[[task$method]], state$x, masked, split$seen, split$judged,
                  shared$graph_seed, state, shared$methods)

  sizes <- shared$sizes
  top <- done$ranking$index[seq_len(max(sizes))]
  label <- shared$levels[shared$code]
  list(
    seconds = done$seconds, top = top,
    accuracy = accuracy_by_size(
      top, shared$x, split$labelled, factor(label[split$labelled], shared$levels), shared$x,
      split$judged, label[split$judged], sizes, shared$classifier
    ),
    rand = if (shared$rand) {
      rand_by_size(top, shared$x, split$judged, shared$code, sizes, task$seed)
    },
    redundancy = redundancy_by_size(top, state$x, sizes)
  )
}

# A k-means of more values than this takes longer than most rankings.
most_kmeans_values <- 2e6

# Rand index of k-means on the judged rows, as many clusters as classes, against the classes.
rand_by_size <- function(columns, x, rows, code, sizes, seed) {
  k <- length(unique(code[rows]))
  out <- rep(NA_real_, length(sizes))
  affordable <- which(sizes * as.double(length(rows)) <= most_kmeans_values)
  if (length(rows) <= k || length(affordable) == 0) return(out)
  part <- as.matrix(x[rows, columns[seq_len(max(sizes[affordable]))], drop = FALSE])
  part <- sweep(part, 2, colMeans(part))
  spread <- sqrt(colSums(part^2) / (length(rows) - 1))
  part <- sweep(part, 2, ifelse(spread > 0, spread, 1), `/`)
  for (s in affordable) {
    cluster <- tryCatch(
      with_seed(seed, suppressWarnings(
        stats::kmeans(part[, seq_len(sizes[s]), drop = FALSE], k, iter.max = 50, nstart = 5)$cluster
      )),
      error = function(error) if (is_time_limit(error)) stop(error)  # fewer distinct rows than k
    )
    if (!is.null(cluster)) out[s] <- rand_index(cluster, code[rows])
  }
  out
}

redundancy_by_size <- function(columns, x, sizes) {
  part <- x[, columns, drop = FALSE]
  vapply(sizes, function(size) suppressWarnings(redundancy_rate(part, seq_len(size))), 1)
}

# ---- the comparison ---------------------------------------------------------------------------

#' Compare selectors on your data
#'
#' Takes complete data, hides all but a few labels, lets every method rank the features, and judges
#' the best features by a classifier that learns from those few labels: which of the methods would
#' have served best?
#'
#' Each repeat draws the rows that keep their label. With `test = NULL` all other rows stay in the
#' data without a label, and are what the classifier is judged on. With a share or row numbers in
#' `test` these rows are set aside before anything sees them, and are what it is judged on. Labels
#' of judged rows never reach a method: pairs of a `constraints` setting that touch such a row are
#' left out. The classifier is scaled by the rows it learns from, see [evaluate_ranking()].
#'
#' Every method starts from the same random numbers in a repeat, drawn up front from R's generator:
#' after `set.seed()` the results are the same on one process and on many, and adding a method
#' changes nothing for the others. Methods that would build the same neighbor graph share one, and
#' all graphs of one metric and scale come from one search for neighbors; the `seconds` of a method
#' are still what it would have taken alone.
#'
#' @section The null:
#' A semi-supervised method looks at unlabelled rows, and should be better for it than a plain
#' filter that looks at the labelled rows alone. `null` names that filter. It runs on the same
#' splits, and `summary()` and `plot()` show it beside the methods; it is not among the rows of
#' the result unless it is one of `methods`.
#'
#' @section On several cores and machines:
#' The work runs on the workers of the package future, if a plan is set. Ten selectors over twenty
#' splits on two cores, with a progress bar:
#' ```
#' future::plan("multisession", workers = 2)
#' ten <- c("cls", "csfs", "sselect", "lsdf", "trcfs", "laplacian", "senfs", "relieff", "mrmr",
#'          "l1svm")
#' result <- compare_selectors(x, y, ten, labelled = 5, repeats = 20, verbose = TRUE)
#' plot(result)
#' summary(result)
#' ```
#' On other machines one line changes, and the numbers are the same:
#' ```
#' future::plan("multisession", workers = 2)                  # the cores of this machine
#' future::plan("cluster", workers = c("node1", "node2"))     # machines, through sockets
#' future::plan(future.batchtools::batchtools_slurm)          # jobs of a Slurm cluster
#' future::plan(future.mirai::mirai_multisession)             # daemons of mirai
#' ```
#' Each worker gets the data once, runs its share of the splits with `threads = 1`, and
#' reports each result when it is there. For a progress bar of your choice use the package
#' progressr, as in `progressr::with_progress(compare_selectors(...))`, or
#' `progressr::handlers(global = TRUE)` once; otherwise `verbose` draws one.
#'
#' A method that fails, by an error or by the end of its worker, is reported in the column `error`,
#' and the others go on. With `resume` each result is written to a file at once. The same call with
#' the same file later computes only what is missing (or has failed), on the splits of the first
#' run; methods may be added. A file that was cut off in the middle of a record is recognized, and
#' one from other data or settings is refused.
#'
#' @param x Samples in rows, features in columns.
#' @param y The label of every row.
#' @param methods Names of selectors (see [selectors()]), or a named list whose elements are names,
#'   lists of a name and settings such as `list("cls", k = 7)`, or functions `f(x, y)` that return
#'   a ranking.
#' @param labelled How many rows of each class keep their label; below 1, their share. One number,
#'   or one per class. Or a list with the row numbers for each repeat.
#' @param repeats Number of splits.
#' @param sizes Numbers of features to judge. `NULL`: some from 5 up to half of the features.
#' @param classifier `"svm"`, `"1nn"` or a list of two functions, see [evaluate_ranking()].
#' @param test `NULL`: judge on all rows without a label. A share below 1: that share of each class
#'   is set aside and judged on. Or row numbers to set aside, or a list of them for each repeat.
#' @param null Name of the filter that methods have to beat, `NULL` for none.
#' @param rand Whether to compute the column `rand`, which for many rows takes longer than the
#'   rankings do.
#' @param resume Name of a file for the results, or `NULL`.
#' @param verbose Whether to show a progress bar.
#' @return A data frame of class `selector_comparison`, one row per method, repeat and size:
#'   \describe{
#'     \item{`method`}{its name}
#'     \item{`repeat`}{number of the split}
#'     \item{`size`}{number of features}
#'     \item{`accuracy`}{share of judged rows whose class was predicted}
#'     \item{`rand`}{[rand_index()] of the classes and a k-means of the judged rows (standardized,
#'       as many clusters as classes, five starts); `NA` above 2e6 values}
#'     \item{`redundancy`}{[redundancy_rate()] of the features}
#'     \item{`seconds`}{for the ranking, its neighbor graph included}
#'     \item{`error`}{the message of a failure, else `NA`}
#'   }
#'   Attributes: `settings`; `splits` (for each repeat the rows `labelled`, `seen`, `judged`);
#'   `selections` (for each method and repeat the best columns); `null`, the same data frame for
#'   the null; `warnings` (of the methods, with their count).
#' @seealso [summary.selector_comparison()] for the table and the pictures, [tune_selector()],
#'   [stability_selection()].
#' @examples
#' set.seed(1)
#' data <- simulate_g50c(150)
#' result <- compare_selectors(data$x, data$y, c("laplacian", "cls", "variance"),
#'                             labelled = 5, repeats = 3, sizes = c(5, 10, 20))
#' result
#' plot(result)
#' @export
compare_selectors <- function(x, y, methods, labelled = 5, repeats = 10, sizes = NULL,
                              classifier = c("svm", "1nn"), test = NULL, null = "fisher",
                              rand = TRUE, resume = NULL, verbose = interactive()) {
  x <- as_feature_matrix(x)
  labels <- as_labels(y, nrow(x))
  if (anyNA(labels$code)) {
    abort_input(sprintf(
      "`y` must be complete, so that labels can be hidden and compared; element %d is missing.\n%s",
      which(is.na(labels$code))[1], paste("Leave out rows without a label; `tune_selector()` works",
                                          "with a few labels.")
    ))
  }
  if (length(labels$levels) < 2) {
    abort_input("`y` has a single class: there is nothing to tell apart.",
                class = "semiselect_error_classes")
  }
  methods <- as_methods(methods, length(labels$levels))
  for (spec in methods) check_row_settings(spec$settings, nrow(x))
  if (missing(repeats) && is.list(labelled)) repeats <- length(labelled)
  repeats <- check_count(repeats, "repeats")
  sizes <- check_sizes(sizes, ncol(x))
  classifier <- check_classifier(classifier)
  verbose <- check_flag(verbose, "verbose")
  rand <- check_flag(rand, "rand")
  null_spec <- if (!is.null(null)) as_methods(null, length(labels$levels))
  check_finite(x)
  splits <- draw_splits(labels$code, labels$levels, labelled, repeats, test)
  seeds <- draw_seeds(repeats + 1)

  # The null may be one of the methods already.
  same <- vapply(methods, function(spec) identical(spec, null_spec[[1]]), NA)
  null_name <- if (any(same)) names(methods)[same][1] else if (!is.null(null)) "(null)"
  all <- c(methods, if (!is.null(null) && !any(same)) stats::setNames(null_spec, "(null)"))

  # The hashes are only computed where there is a file.
  store <- open_store(resume, list(
    task = "compare_selectors", x = rlang::hash(x), y = rlang::hash(y), labelled = labelled,
    repeats = repeats, sizes = sizes, test = test, rand = rand,
    classifier = if (is.list(classifier)) settings_hash(classifier) else classifier
  ), keep = list(splits = splits, seeds = seeds))
  on.exit(store$close())
  splits <- store$keep$splits
  seeds <- store$keep$seeds

  # The settings of a method are part of its key: under other settings it is another cell.
  key <- vapply(names(all), function(name) {
    spec <- all[[name]]
    paste(name, settings_hash(c(spec$method, spec$fun, spec$settings)))
  }, "")
  tasks <- list()
  for (r in seq_len(repeats)) {
    for (name in names(all)) {
      tasks[[length(tasks) + 1]] <- list(key = paste(r, key[[name]]), seed = seeds[r], group = r,
                                         method = name)
    }
  }
  shared <- list(x = x, y = y, code = labels$code, levels = labels$levels, methods = all,
                 splits = splits, sizes = sizes, classifier = classifier, rand = rand,
                 graph_seed = seeds[repeats + 1])
  functions <- c(lapply(methods, `[[`, "fun"), if (is.list(classifier)) classifier)
  results <- run_tasks(tasks, compare_cell, shared, "Comparing selectors", functions, store,
                       verbose)
  new_comparison(tasks, results, names(methods), null_name, null, splits, list(
    labelled = labelled, repeats = repeats, sizes = sizes, test = test,
    classifier = classifier_name(classifier), n = nrow(x), p = ncol(x), classes = labels$levels,
    features = feature_names(x)
  ))
}

new_comparison <- function(tasks, results, methods, null_name, null, splits, settings) {
  sizes <- settings$sizes
  name <- vapply(tasks, `[[`, "", "method")
  split <- vapply(tasks, `[[`, 1L, "group")
  frame <- do.call(rbind, lapply(seq_along(tasks), function(t) {
    value <- results[[t]]$value
    none <- rep(NA_real_, length(sizes))
    data.frame(
      method = name[t], `repeat` = split[t], size = sizes, accuracy = value$accuracy %||% none,
      rand = value$rand %||% none, redundancy = value$redundancy %||% none,
      seconds = value$seconds %||% NA_real_, error = results[[t]]$error, check.names = FALSE
    )
  }))
  by <- order(match(frame$method, c(methods, "(null)")), frame[["repeat"]])
  frame <- frame[by, ]
  selections <- lapply(stats::setNames(nm = unique(name)), function(method) {
    lapply(results[name == method], function(result) result$value$top)
  })
  null_frame <- NULL
  if (!is.null(null_name)) {
    null_frame <- frame[frame$method == null_name, ]
    null_frame$method <- null
    rownames(null_frame) <- NULL
    attr(null_frame, "among_methods") <- null_name != "(null)"
    attr(null_frame, "selections") <- selections[[null_name]]
  }
  frame <- frame[frame$method != "(null)", ]
  rownames(frame) <- NULL
  warnings <- do.call(rbind, lapply(seq_along(tasks), function(t) {
    if (length(results[[t]]$warnings)) {
      data.frame(method = name[t], message = results[[t]]$warnings)
    }
  }))
  if (!is.null(warnings)) {
    warnings <- stats::aggregate(list(count = rep(1L, nrow(warnings))), warnings, sum)
  }
  failed <- unique(frame$method[!is.na(frame$error)])
  if (length(failed)) {
    first <- frame$error[!is.na(frame$error)][1]
    warn_user(sprintf("%s failed on some splits or all: see the column `error`. The first: %s",
                      enumerate(failed, "\""), first), class = "semiselect_warning_failed")
  }
  structure(frame, class = c("selector_comparison", "data.frame"), settings = settings,
            splits = splits, selections = selections[methods], null = null_frame,
            warnings = warnings)
}

# ---- what it says -----------------------------------------------------------------------------

#' Judge a comparison of selectors
#'
#' `summary()` makes a ranked table, `plot()` and `autoplot()` draw the accuracy against the number
#' of features, `rbind()` puts comparisons on several data sets together, and then `summary()` adds
#' a test over the data sets and `plot()` draws mean ranks.
#'
#' The accuracy of a method on a split is averaged over the sizes, unless one `size` is asked for
#' (redundancy and stability over the sizes where they are defined: not 1, and not all features);
#' `mean` and `se` are the mean of that over the splits and its standard error, the spread of the
#' splits by the root of their number. Splits of one data set overlap, so that `se` tells how well
#' the mean over splits is known, and not how the methods would do on other data. `gain` is the mean
#' difference to the null on the same splits, `gain_se` its standard error. `stability` is the
#' measure of Nogueira et al. (see [ranking_stability()]) of the sets of best features over the
#' splits.
#'
#' Over several data sets, bound together by `rbind(colon = a, prostate = b, ...)`, the table is
#' ordered by the mean rank. The Friedman test (with the correction of Iman and Davenport) asks
#' whether the methods differ at all; two methods differ at the level `alpha` if their mean ranks
#' are further apart than the critical difference of Nemenyi,
#' \eqn{q_\alpha \sqrt{k (k + 1) / (6 N)}} for k methods and N data sets (Demsar 2006). Methods
#' that failed on a whole data set are left out of it.
#'
#' @param x,object A result of [compare_selectors()], or several bound together.
#' @param size One of the sizes; `NULL`: the mean over all of them.
#' @param alpha Level of the critical difference.
#' @param type `"curves"`: accuracy against the number of features, with bands of one standard
#'   error. `"ranks"`: mean ranks over data sets, with bars that join methods which do not differ.
#'   By default `"ranks"` for several data sets.
#' @param value For curves, what to draw: `"accuracy"`, `"rand"` or `"redundancy"`.
#' @param ... For `rbind()`: comparisons, best with names for the data sets. Else ignored.
#' @param deparse.level As for [rbind()].
#' @return `summary()`: a list of class `summary.selector_comparison` with `table` (one row per
#'   method, best first, the null among them), `null` (its name) and for several data sets `ranks`
#'   (data sets in rows), `friedman` and `critical_difference`. `tidy()`: a data frame with the
#'   mean and standard error for each method and size. `rbind()`: a comparison with one more
#'   column, `data`.
#' @references Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
#'   Journal of Machine Learning Research 7.
#' @examples
#' set.seed(1)
#' compare <- function(data) {
#'   compare_selectors(data$x, data$y, c("laplacian", "variance", "cls"), labelled = 5,
#'                     repeats = 2, sizes = c(5, 20))
#' }
#' results <- lapply(list(g50c = simulate_g50c(100), waves = simulate_waveform(100, 20)), compare)
#' summary(results$g50c)
#' all <- rbind(g50c = results$g50c, waves = results$waves)
#' summary(all)
#' plot(all)
#' @name summary.selector_comparison
NULL

comparison_columns <- c("method", "repeat", "size", "accuracy", "rand", "redundancy", "seconds",
                        "error")

is_whole_comparison <- function(x) {
  all(comparison_columns %in% names(x)) && is.list(attr(x, "settings"))
}

check_comparison <- function(x) {
  if (!is_whole_comparison(x)) {
    abort_input("This is no longer a whole comparison: columns or attributes are missing.\n",
                "Use the result of `compare_selectors()` as it came.")
  }
}

#' @export
`[.selector_comparison` <- function(x, ...) {
  taken <- NextMethod()
  if (!is.data.frame(taken)) return(taken)
  taken <- plain_frame(taken)
  # Some rows of it, all columns: still a comparison, which can be drawn.
  if (!all(comparison_columns %in% names(taken))) return(taken)
  for (name in c("settings", "splits", "selections", "null", "warnings")) {
    attr(taken, name) <- attr(x, name)
  }
  class(taken) <- class(x)
  taken
}

#' @export
as.data.frame.selector_comparison <- function(x, row.names = NULL, optional = FALSE, ...) {
  plain_frame(x, row.names)
}

# Rows of the methods and of the null, with a column `null`; `data` is "" for a single data set.
with_null <- function(x) {
  frame <- plain_frame(x)
  if (is.null(frame$data)) frame$data <- rep("", nrow(frame))
  frame$null <- rep(FALSE, nrow(frame))
  null <- attr(x, "null")
  if (is.null(null)) return(frame)
  if (is.null(null$data)) null$data <- rep("", nrow(null))
  among <- attr(null, "among_methods")
  if (isTRUE(among)) {
    frame$null <- frame$method == null$method[1]
  } else {
    null <- plain_frame(null)
    null$null <- rep(TRUE, nrow(null))
    # A method of the user's may have the name of the null.
    if (null$method[1] %in% frame$method) null$method <- paste(null$method, "(null)")
    frame <- rbind(frame, null[names(frame)])
  }
  frame
}

# One row per method and split: the mean over the sizes, or at one size.
by_split <- function(frame, size = NULL) {
  if (!is.null(size)) frame <- frame[frame$size %in% size, ]
  key <- paste(frame$data, frame$method, frame[["repeat"]], sep = "\r")
  first <- !duplicated(key)
  group <- match(key, key[first])
  # A single feature has no redundancy: over the sizes that have a value.
  average <- function(value) {
    known <- !is.na(value)
    mean <- as.vector(rowsum(ifelse(known, value, 0), group)) / as.vector(rowsum(+known, group))
    ifelse(is.nan(mean), NA, mean)
  }
  data.frame(
    data = frame$data[first], method = frame$method[first], split = frame[["repeat"]][first],
    null = frame$null[first], accuracy = average(frame$accuracy), rand = average(frame$rand),
    redundancy = average(frame$redundancy), seconds = frame$seconds[first],
    failed = !is.na(frame$error[first])
  )
}

standard_error <- function(value) {
  value <- value[!is.na(value)]
  if (length(value) < 2) NA_real_ else stats::sd(value) / sqrt(length(value))
}

mean_known <- function(value) if (all(is.na(value))) NA_real_ else mean(value, na.rm = TRUE)

# Nogueira's measure over the splits, averaged over the sizes.
stability_over_splits <- function(tops, sizes, p) {
  tops <- Filter(Negate(is.null), tops)
  if (length(tops) < 2) return(NA_real_)
  mean_known(vapply(sizes, function(size) {
    sets <- t(vapply(tops, function(top) seq_len(p) %in% top[seq_len(size)], logical(p)))
    nogueira_measure(matrix(sets, length(tops)))[["value"]]
  }, 1))
}

comparison_table <- function(x, size) {
  settings <- attr(x, "settings")
  sizes <- size %||% settings$sizes
  frame <- with_null(x)
  splits <- by_split(frame, size)
  null <- splits[splits$null, ]
  methods <- unique(splits$method)
  table <- do.call(rbind, lapply(methods, function(method) {
    mine <- splits[splits$method == method, ]
    gain <- mine$accuracy - null$accuracy[match(mine$split, null$split)]
    curve <- frame[frame$method == method & (is.null(size) | frame$size %in% sizes), ]
    by_size <- tapply(curve$accuracy, curve$size, mean_known)
    best <- if (all(is.na(by_size))) NA else which.max(by_size)
    tops <- if (mine$null[1] && is.null(attr(x, "selections")[[method]])) {
      attr(attr(x, "null"), "selections")
    } else {
      attr(x, "selections")[[method]]
    }
    data.frame(
      method = method, mean = mean_known(mine$accuracy), se = standard_error(mine$accuracy),
      gain = if (nrow(null)) mean_known(gain) else NA_real_,
      gain_se = if (nrow(null)) standard_error(gain) else NA_real_,
      best = if (is.na(best)) NA_real_ else by_size[[best]],
      best_size = if (is.na(best)) NA_integer_ else as.integer(names(by_size)[best]),
      rand = mean_known(mine$rand), redundancy = mean_known(mine$redundancy),
      stability = stability_over_splits(tops, sizes, settings$p),
      seconds = mean_known(mine$seconds), failed = sum(mine$failed), null = mine$null[1]
    )
  }))
  table$gain[table$null] <- table$gain_se[table$null] <- NA
  table <- table[order(-table$mean, seq_along(methods)), ]
  rownames(table) <- NULL
  table
}

check_one_size <- function(size, x) {
  if (is.null(size)) return(NULL)
  sizes <- sort(unique(x$size))
  if (!is_number(size) || !size %in% sizes) {
    abort_input(sprintf("`size` must be one of the sizes compared (%s), not %s.",
                        paste(sizes, collapse = ", "), describe(size)))
  }
  as.integer(size)
}

#' @rdname summary.selector_comparison
#' @export
summary.selector_comparison <- function(object, size = NULL, alpha = 0.05, ...) {
  check_comparison(object)
  size <- check_one_size(size, object)
  alpha <- check_number(alpha, "alpha", min = 0, max = 1, open = c("min", "max"))
  null <- attr(object, "null")
  out <- list(size = size, settings = attr(object, "settings"), null = null$method[1],
              warnings = attr(object, "warnings"), splits = length(unique(object[["repeat"]])))
  if (is.null(object$data)) {
    out$table <- comparison_table(object, size)
  } else {
    out <- c(out, ranks_over_data(object, size, alpha))
  }
  structure(out, class = "summary.selector_comparison")
}

# Mean ranks, the Friedman test and the critical difference over data sets.
ranks_over_data <- function(x, size, alpha) {
  splits <- by_split(with_null(x), size)
  data <- unique(splits$data)
  methods <- unique(splits$method)
  means <- function(column) {
    value <- tapply(splits[[column]], list(factor(splits$data, data),
                                           factor(splits$method, methods)), mean_known)
    matrix(as.vector(value), length(data), dimnames = list(data, methods))
  }
  accuracy <- means("accuracy")
  everywhere <- colSums(is.na(accuracy)) == 0
  complete <- accuracy[, everywhere, drop = FALSE]
  N <- nrow(complete)
  k <- ncol(complete)
  # The best has rank 1; methods that are equal share the mean of their ranks.
  ranks <- if (k > 0) t(apply(-complete, 1, rank)) else complete
  ranks <- matrix(ranks, N, k, dimnames = dimnames(complete))
  friedman <- NULL
  difference <- NA_real_
  if (N > 1 && k > 1) {
    friedman <- friedman_test(ranks)
    difference <- stats::qtukey(1 - alpha, k, Inf) / sqrt(2) * sqrt(k * (k + 1) / (6 * N))
  }
  table <- data.frame(
    method = methods, mean_rank = unname(colMeans(ranks)[methods]),
    mean = unname(colMeans(accuracy)), seconds = unname(colMeans(means("seconds"))),
    failed = vapply(methods, function(m) sum(splits$failed[splits$method == m]), 1L),
    null = vapply(methods, function(m) any(splits$null[splits$method == m]), NA)
  )
  table <- table[order(table$mean_rank, -table$mean), ]
  rownames(table) <- NULL
  list(table = table, ranks = ranks, friedman = friedman, critical_difference = difference,
       alpha = alpha, left_out = methods[!everywhere])
}

# As stats::friedman.test(), ties included, with the F statistic of Iman and Davenport beside it.
friedman_test <- function(ranks) {
  N <- nrow(ranks)
  k <- ncol(ranks)
  test <- stats::friedman.test(ranks)
  chi <- unname(test$statistic)
  most <- N * (k - 1)  # all data sets agree
  f <- if (is.nan(chi)) NaN else if (most - chi < 1e-9) Inf else (N - 1) * chi / (most - chi)
  data.frame(
    chi_squared = chi, df = k - 1, p_value = unname(test$p.value), f = f, df1 = k - 1,
    df2 = (k - 1) * (N - 1),
    f_p_value = stats::pf(f, k - 1, (k - 1) * (N - 1), lower.tail = FALSE)
  )
}

labels_kept <- function(labelled) {
  if (is.list(labelled)) return("given labelled rows")
  if (all(labelled < 1)) {
    return(sprintf("%s %% of the labels", paste(format(100 * unique(labelled)), collapse = ", ")))
  }
  sprintf("%s label%s per class", paste(unique(labelled), collapse = ", "),
          if (all(labelled == 1)) "" else "s")
}

comparison_line <- function(settings) {
  test <- settings$test
  judged <- if (is.null(test)) {
    "all others"
  } else if (is_number(test) && test < 1) {
    sprintf("%s %% of the rows, set aside", format(100 * test))
  } else {
    "given rows, set aside"
  }
  sprintf("%d rows, %d features, %d classes; %d splits, %s; %s judged on %s", settings$n,
          settings$p, length(settings$classes), settings$repeats,
          labels_kept(settings$labelled), settings$classifier, judged)
}

#' @export
print.summary.selector_comparison <- function(x, ...) {
  several <- !is.null(x$table$mean_rank)
  shown <- x$table
  cat(strwrap(if (several) {
    sprintf("Comparison of %d selectors on %d data sets: %s", sum(!shown$null), nrow(x$ranks),
            paste(rownames(x$ranks), collapse = ", "))
  } else {
    comparison_line(x$settings)
  }, 80), sep = "\n")
  cat(if (is.null(x$size)) {
    sprintf("Accuracy averaged over the sizes %s\n",
            paste(unique(unlist(x$settings$sizes)), collapse = ", "))
  } else {
    sprintf("Accuracy on the %d best features\n", x$size)
  })
  marked <- any(shown$null)
  shown$method <- paste0(shorten(shown$method, 24), ifelse(shown$null, " *", ""))
  shown$null <- NULL
  if (all(shown$failed == 0)) shown$failed <- NULL
  number <- function(value, digits) {
    ifelse(is.na(value), "", sprintf(paste0("%.", digits, "f"), value))
  }
  three <- intersect(c("mean", "se", "gain", "gain_se", "best", "rand", "redundancy", "stability"),
                     names(shown))
  shown[three] <- lapply(shown[three], number, 3)
  if (several) shown$mean_rank <- number(shown$mean_rank, 2)
  if (!several && is.null(x$null)) shown$gain <- shown$gain_se <- NULL
  shown$seconds <- ifelse(is.na(shown$seconds), "", format(signif(shown$seconds, 2)))
  short <- c(best_size = "at", redundancy = "redund", stability = "stable", gain_se = "+-")
  renamed <- names(shown) %in% names(short)
  names(shown)[renamed] <- short[names(shown)[renamed]]
  cat("\n")
  print.data.frame(shown, row.names = FALSE)
  if (marked) {
    cat(strwrap(sprintf(
      "* the null: %s sees the labelled rows alone; what looks at the others should beat it%s.",
      x$null, if (several) "" else " (gain)"
    ), 80, exdent = 2), sep = "\n")
  }
  if (!is.null(x$friedman)) {
    cat(sprintf("\nFriedman test: chi-squared %.2f, df %d, p = %s; Iman-Davenport F %.2f, p = %s\n",
                x$friedman$chi_squared, x$friedman$df, format.pval(x$friedman$p_value, 2),
                x$friedman$f, format.pval(x$friedman$f_p_value, 2)))
    cat(sprintf("Critical difference of mean ranks (Nemenyi, %s): %.2f\n", format(x$alpha),
                x$critical_difference))
  } else if (several) {
    cat("\nA test over data sets needs two of them with results of at least two methods.\n")
  }
  if (length(x$left_out)) {
    cat("Without a rank, as they failed on a data set: ", paste(x$left_out, collapse = ", "), "\n",
        sep = "")
  }
  invisible(x)
}

#' @rdname summary.selector_comparison
#' @export
print.selector_comparison <- function(x, ...) {
  if (!is_whole_comparison(x) || nrow(x) == 0) return(print(plain_frame(x)))
  print(summary(x))
  failed <- x[["error"]][!is.na(x[["error"]])]
  if (length(failed)) {
    cat("\nThe first failure: ", failed[1], "\n", sep = "")
  }
  warnings <- attr(x, "warnings")
  if (!is.null(warnings)) {
    cat(sprintf("\n%d warning(s) of the methods: see attr(, \"warnings\").\n",
                sum(warnings$count)))
  }
  cat("\nplot() draws the curves; as.data.frame() has every split.\n")
  invisible(x)
}

#' @rdname summary.selector_comparison
#' @method tidy selector_comparison
#' @export
tidy.selector_comparison <- function(x, ...) {
  check_comparison(x)
  out <- curve_means(x, "accuracy")
  names(out)[names(out) == "value"] <- "accuracy"
  if (is.null(x$data)) out$data <- NULL
  out
}

# Mean and standard error over the splits, by data set, method and size.
curve_means <- function(x, column) {
  frame <- with_null(x)
  key <- paste(frame$data, frame$method, frame$size, sep = "\r")
  first <- !duplicated(key)
  group <- split(frame[[column]], factor(key, key[first]))
  data.frame(
    data = frame$data[first], method = frame$method[first], size = frame$size[first],
    value = vapply(group, mean_known, 1), se = vapply(group, standard_error, 1),
    splits = vapply(group, function(value) sum(!is.na(value)), 1L), null = frame$null[first],
    row.names = NULL
  )
}

#' @rdname summary.selector_comparison
#' @export
rbind.selector_comparison <- function(..., deparse.level = 1) {
  parts <- list(...)
  given <- names(parts) %||% rep("", length(parts))
  written <- vapply(as.list(substitute(list(...)))[-1], function(argument) {
    if (is.symbol(argument)) as.character(argument) else ""
  }, "")
  if (length(written) != length(parts)) written <- rep("", length(parts))
  keep <- !vapply(parts, is.null, NA)
  parts <- parts[keep]
  given <- given[keep]
  written <- written[keep]
  for (part in parts) check_comparison(part)
  label <- ifelse(nzchar(given), given, written)
  label[!nzchar(label)] <- sprintf("data %d", seq_along(parts))[!nzchar(label)]
  frames <- nulls <- settings <- selections <- warnings <- list()
  for (i in seq_along(parts)) {
    part <- parts[[i]]
    null <- attr(part, "null")
    frame <- plain_frame(part)
    bound <- !is.null(frame$data)
    if (!bound) frame <- cbind(data = rep(label[i], nrow(frame)), frame)
    frames[[i]] <- frame
    if (!is.null(null)) {
      among <- isTRUE(attr(null, "among_methods"))
      if (!bound) null <- cbind(data = rep(label[i], nrow(null)), null)
      nulls[[i]] <- structure(plain_frame(null), among_methods = among)
    }
    own <- attr(part, "settings")
    settings <- c(settings, if (bound) own$each else stats::setNames(list(own), label[i]))
  }
  if (anyDuplicated(names(settings))) {
    abort_input(sprintf(
      "Two comparisons have the name \"%s\".\nName them, as in `rbind(colon = a, prostate = b)`.",
      names(settings)[anyDuplicated(names(settings))]
    ))
  }
  frame <- do.call(rbind, frames)
  among <- vapply(nulls, function(null) isTRUE(attr(null, "among_methods")), NA)
  null <- do.call(rbind, lapply(nulls, plain_frame))
  if (!is.null(null)) {
    if (length(unique(null$method)) > 1) {
      null <- NULL
      warn_user("The comparisons have different nulls, which are left out.")
    } else {
      # Among the methods of some data sets but not of others: then among them everywhere.
      if (any(among) && !all(among)) {
        extra <- do.call(rbind, lapply(nulls[!among], plain_frame))
        frame <- rbind(frame, extra[names(frame)])
      }
      rownames(null) <- NULL
      attr(null, "among_methods") <- any(among)
    }
  }
  rownames(frame) <- NULL
  sizes <- sort(unique(unlist(lapply(settings, `[[`, "sizes"))))
  structure(frame, class = c("selector_comparison", "data.frame"),
            settings = list(each = settings, sizes = sizes), null = null)
}

# ---- pictures ---------------------------------------------------------------------------------

# Colors that people with any color vision tell apart (Okabe and Ito), then again with other lines.
curve_style <- function(count) {
  colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
  i <- seq_len(count) - 1
  data.frame(color = colors[i %% 7 + 1], line = c(1, 5, 4)[i %/% 7 %% 3 + 1],
             symbol = c(19, 17, 15, 18, 8, 4, 3)[(i %% 7 + i %/% 7) %% 7 + 1])
}

# Best first in the legend; the null last.
curve_order <- function(curves) {
  level <- tapply(curves$value, curves$method, mean_known)
  null <- unique(curves$method[curves$null])
  level <- sort(level[setdiff(names(level), null)], decreasing = TRUE, na.last = TRUE)
  c(names(level), null)
}

value_labels <- c(accuracy = "Accuracy", rand = "Rand index of k-means",
                  redundancy = "Redundancy rate")

#' @rdname summary.selector_comparison
#' @export
plot.selector_comparison <- function(x, type = NULL, value = c("accuracy", "rand", "redundancy"),
                                     size = NULL, alpha = 0.05, ...) {
  check_comparison(x)
  type <- check_choice(type %||% if (is.null(x$data)) "curves" else "ranks", c("curves", "ranks"),
                       "type")
  value <- check_choice(value, names(value_labels), "value")
  if (type == "ranks") {
    plot_ranks(summary(x, size = size, alpha = alpha))
  } else {
    curves <- curve_means(x, value)
    if (all(is.na(curves$value))) {
      abort_input("There is nothing to plot: every method failed. See the column `error`.")
    }
    order <- curve_order(curves)
    data <- unique(curves$data)
    rows <- ceiling(length(data) / ceiling(sqrt(length(data))))
    old <- graphics::par(mar = c(4, 4, 3, 1), no.readonly = TRUE)
    on.exit({
      graphics::layout(1)
      graphics::par(old)
    })
    columns <- ceiling(length(data) / rows)
    panels <- matrix(c(seq_along(data), rep(0, rows * columns - length(data))), rows, byrow = TRUE)
    panels <- cbind(panels, length(data) + 1)
    width <- legend_width(order)
    graphics::layout(panels, widths = c(rep((1 - width) / columns, columns), width))
    graphics::par(mar = c(4, 4.5, 3, 0.5))
    for (part in data) {
      plot_curves(curves[curves$data == part, ], order,
                  main = if (nzchar(part)) part else curves_title(attr(x, "settings")),
                  ylab = value_labels[[value]])
    }
    curve_legend(curves, order)
  }
  invisible(x)
}

# Share of the width of the device that the legend takes.
legend_width <- function(names) {
  inches <- 0.7 + 0.62 * graphics::par("cin")[1] * (max(nchar(shorten(names, 20))) + 7)
  min(0.45, inches / graphics::par("din")[1])
}

curves_title <- function(settings) {
  sprintf("%d splits, %s, %s", settings$repeats, labels_kept(settings$labelled),
          settings$classifier)
}

plot_curves <- function(curves, order, main, ylab) {
  style <- curve_style(length(order))
  low <- curves$value - ifelse(is.na(curves$se), 0, curves$se)
  high <- curves$value + ifelse(is.na(curves$se), 0, curves$se)
  log <- spans_decades(curves$size)
  graphics::plot(range(curves$size), range(low, high, na.rm = TRUE), type = "n", xaxt = "n",
                 xlab = "Number of features", ylab = "", main = main, las = 1,
                 cex.main = 1, log = if (log) "x" else "")
  graphics::title(ylab = ylab, line = 3.2)
  graphics::axis(1, sort(unique(curves$size)))
  graphics::grid(nx = NA, ny = NULL, col = "gray90", lty = 1)
  # The best above the others; the null above all, as a thin line that hides none.
  null <- order %in% curves$method[curves$null]
  for (m in c(rev(which(!null)), which(null))) {
    mine <- curves[curves$method == order[m] & !is.na(curves$value), ]
    mine <- mine[order(mine$size), ]
    if (nrow(mine) == 0) next
    null <- mine$null[1]
    color <- if (null) "gray20" else style$color[m]
    band <- ifelse(is.na(mine$se), 0, mine$se)
    if (!null && any(band > 0) && nrow(mine) > 1) {
      graphics::polygon(c(mine$size, rev(mine$size)),
                        c(mine$value - band, rev(mine$value + band)), border = NA,
                        col = fade(color, if (length(order) > 4) 0.08 else 0.15))
    }
    graphics::lines(mine$size, mine$value, col = color, lwd = if (null) 1.5 else 2,
                    lty = if (null) 3 else style$line[m])
    graphics::points(mine$size, mine$value, col = color, cex = if (null) 1.5 else 0.9,
                     pch = if (null) 1 else style$symbol[m])
  }
}

curve_legend <- function(curves, order) {
  style <- curve_style(length(order))
  null <- order %in% curves$method[curves$null]
  graphics::par(mar = c(0, 0, 3, 0))
  graphics::plot.new()
  graphics::legend(
    "left", paste0(shorten(order, 20), ifelse(null, " (null)", "")), bty = "n", lwd = 2,
    col = ifelse(null, "gray20", style$color), lty = ifelse(null, 3, style$line),
    pch = ifelse(null, 1, style$symbol), xpd = NA
  )
}

# Sets of methods next to each other in rank that do not differ: the longest ones only.
rank_groups <- function(ranks, difference) {
  ranks <- sort(ranks)
  last <- vapply(seq_along(ranks), function(i) max(which(ranks <= ranks[i] + difference)), 1L)
  keep <- last > seq_along(ranks) & !duplicated(last)
  data.frame(from = which(keep), to = last[keep])
}

# The critical-difference picture of Demsar (2006).
plot_ranks <- function(summary) {
  table <- summary$table
  if (is.null(table$mean_rank) || is.na(summary$critical_difference)) {
    abort_input("Mean ranks need comparisons on at least two data sets.\n",
                "Bind them together: `rbind(colon = a, prostate = b)`.")
  }
  table <- table[!is.na(table$mean_rank), ]
  k <- nrow(table)
  groups <- rank_groups(table$mean_rank, summary$critical_difference)
  left <- ceiling(k / 2)
  depth <- max(left, k - left)
  top <- 1.6 + 0.35 * nrow(groups)
  old <- graphics::par(mar = c(1, 1, 3, 1), no.readonly = TRUE)
  on.exit(graphics::par(old))
  margin <- 0.45 * (k - 1)
  graphics::plot(NULL, xlim = c(1 - margin, k + margin), ylim = c(-top - depth, 1.8), axes = FALSE,
                 xlab = "", ylab = "")
  graphics::title(sprintf("Mean ranks over %d data sets (1 is best)", nrow(summary$ranks)))
  graphics::segments(1, 0, k, 0)
  graphics::segments(seq_len(k), 0, seq_len(k), 0.2)
  graphics::text(seq_len(k), 0.55, seq_len(k), cex = 0.9)
  cd <- summary$critical_difference
  graphics::arrows(1, 1.2, 1 + min(cd, k - 1), 1.2, code = 3, angle = 90, length = 0.04)
  graphics::text(1 + min(cd, k - 1) / 2, 1.6,
                 sprintf("critical difference %.2f (level %s)", cd, format(summary$alpha)),
                 cex = 0.8)
  for (g in seq_len(nrow(groups))) {
    graphics::segments(table$mean_rank[groups$from[g]] - 0.04, -0.35 * g,
                       table$mean_rank[groups$to[g]] + 0.04, -0.35 * g, lwd = 4, col = "gray40")
  }
  name <- paste0(shorten(table$method, 20), ifelse(table$null, " (null)", ""))
  for (m in seq_len(k)) {
    on_left <- m <= left
    row <- -top - (if (on_left) m else k - m + 1) + 1
    side <- if (on_left) 1 - 0.08 * (k - 1) else k + 0.08 * (k - 1)
    graphics::lines(c(table$mean_rank[m], table$mean_rank[m], side), c(0, row, row),
                    col = if (table$null[m]) "gray45" else "#0072B2",
                    lty = if (table$null[m]) 3 else 1)
    graphics::text(side, row, sprintf("%s  %.2f", name[m], table$mean_rank[m]),
                   pos = if (on_left) 2 else 4, xpd = NA, cex = 0.9)
  }
}

#' @rdname summary.selector_comparison
#' @exportS3Method ggplot2::autoplot
autoplot.selector_comparison <- function(object, type = NULL,
                                         value = c("accuracy", "rand", "redundancy"),
                                         size = NULL, alpha = 0.05, ...) {
  check_comparison(object)
  type <- check_choice(type %||% if (is.null(object$data)) "curves" else "ranks",
                       c("curves", "ranks"), "type")
  value <- check_choice(value, names(value_labels), "value")
  if (type == "ranks") return(autoplot_ranks(summary(object, size = size, alpha = alpha)))
  curves <- curve_means(object, value)
  order <- curve_order(curves)
  style <- curve_style(length(order))
  null <- order %in% curves$method[curves$null]
  curves$method <- factor(curves$method, order)
  labels <- paste0(order, ifelse(null, " (null)", ""))
  curves$low <- curves$value - curves$se
  curves$high <- curves$value + curves$se
  picture <- ggplot2::ggplot(curves, ggplot2::aes(
    x = .data[["size"]], y = .data[["value"]], colour = .data[["method"]],
    linetype = .data[["method"]]
  )) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]],
                                      fill = .data[["method"]]),
                         data = curves[!curves$null & !is.na(curves$se), ], alpha = 0.1,
                         colour = NA, show.legend = FALSE) +
    ggplot2::geom_line(na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(shape = .data[["method"]]), na.rm = TRUE) +
    ggplot2::scale_colour_manual(values = ifelse(null, "gray20", style$color), labels = labels,
                                 name = NULL) +
    ggplot2::scale_fill_manual(values = stats::setNames(style$color, order)) +
    ggplot2::scale_linetype_manual(values = ifelse(null, 3, style$line), labels = labels,
                                   name = NULL) +
    ggplot2::scale_shape_manual(values = ifelse(null, 1, style$symbol), labels = labels,
                                name = NULL) +
    ggplot2::labs(x = "Number of features", y = value_labels[[value]],
                  caption = "Bands: one standard error over the splits") +
    ggplot2::theme_minimal()
  if (!is.null(object$data)) {
    picture <- picture + ggplot2::facet_wrap("data", scales = "free")
  }
  if (spans_decades(curves$size)) {
    picture <- picture + ggplot2::scale_x_log10(breaks = sort(unique(curves$size)))
  }
  picture
}

autoplot_ranks <- function(summary) {
  table <- summary$table[!is.na(summary$table$mean_rank), ]
  cd <- summary$critical_difference
  if (is.na(cd)) {
    abort_input("Mean ranks need comparisons on at least two data sets.\n",
                "Bind them together: `rbind(colon = a, prostate = b)`.")
  }
  table$name <- factor(paste0(table$method, ifelse(table$null, " (null)", "")))
  table$name <- stats::reorder(table$name, -table$mean_rank)
  table$low <- pmax(1, table$mean_rank - cd / 2)
  table$high <- pmin(nrow(table), table$mean_rank + cd / 2)
  groups <- rank_groups(table$mean_rank, cd)
  bars <- data.frame(from = table$mean_rank[groups$from], to = table$mean_rank[groups$to],
                     height = nrow(table) + 0.5 + 0.3 * seq_len(nrow(groups)))
  ggplot2::ggplot(table, ggplot2::aes(x = .data[["mean_rank"]], y = .data[["name"]])) +
    ggplot2::geom_segment(ggplot2::aes(x = .data[["low"]], xend = .data[["high"]],
                                       yend = .data[["name"]]), colour = "gray75", linewidth = 2) +
    ggplot2::geom_point(colour = "#0072B2", size = 2.5) +
    ggplot2::geom_segment(data = bars, ggplot2::aes(
      x = .data[["from"]], xend = .data[["to"]], y = .data[["height"]], yend = .data[["height"]]
    ), linewidth = 1.5, colour = "gray40", inherit.aes = FALSE) +
    ggplot2::labs(
      x = "Mean rank (1 is best)", y = NULL,
      title = sprintf("Mean ranks over %d data sets", nrow(summary$ranks)),
      caption = sprintf("Gray: one critical difference (%.2f, level %s). %s", cd,
                        format(summary$alpha), "Above: groups that do not differ.")
    ) +
    ggplot2::theme_minimal()
}

# A color made transparent, without the package grDevices for one function.
fade <- function(color, alpha) sprintf("%s%02X", color, as.integer(round(255 * alpha)))
