# Every check of user input, and the bundles that the bindings take: as_problem(), graph_options(),
# run_control(). A message says what was expected, what came, where, and what to do.

# ---- conditions -------------------------------------------------------------------------------

# The name of the outermost function of this package on the stack, as a call without arguments:
# those may hold the whole data.
user_call <- function() {
  home <- environment(register_selector)
  for (frame in seq_len(sys.nframe())) {
    fun <- sys.function(frame)
    if (!is.primitive(fun) && identical(topenv(environment(fun)), home)) {
      name <- sys.call(frame)[[1]]
      return(if (is.symbol(name)) as.call(list(name)) else NULL)
    }
  }
  NULL
}

# The message may come in pieces.
abort_input <- function(..., class = NULL) {
  stop(errorCondition(
    paste0(...),
    class = c(class, "semiselect_error_input", "semiselect_error"),
    call = user_call()
  ))
}

warn_user <- function(..., class = NULL) {
  warning(warningCondition(paste0(...), class = c(class, "semiselect_warning"),
                           call = user_call()))
}

inform_user <- function(...) rlang::inform(paste0(...), class = "semiselect_message")

# "a", "b", "c" and 4 more
enumerate <- function(values, quote = "`", most = 5) {
  shown <- paste0(quote, values, quote)
  if (length(shown) <= most) return(paste(shown, collapse = ", "))
  paste0(paste(shown[seq_len(most)], collapse = ", "), " and ", length(shown) - most, " more")
}

with_article <- function(noun) paste(if (grepl("^[aeiouAEIOU]", noun)) "an" else "a", noun)

# What came instead, in a few words.
describe <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.function(value)) return("a function")
  if (is.atomic(value) && length(value) == 1 && is.null(dim(value))) {
    return(if (is.character(value) && !is.na(value)) dQuote(value, FALSE) else format(value))
  }
  if (is.data.frame(value)) {
    return(sprintf("a data frame with %d rows and %d columns", nrow(value), ncol(value)))
  }
  if (!is.null(dim(value))) {
    return(sprintf("%s with dimensions %s", with_article(class(value)[1]),
                   paste(dim(value), collapse = " x ")))
  }
  if (is.atomic(value)) {
    kind <- if (is.factor(value)) "factor" else paste(typeof(value), "vector")
    return(sprintf("%s of length %d", with_article(kind), length(value)))
  }
  sprintf("an object of class %s", dQuote(class(value)[1], FALSE))
}

# The nearest of `choices`, as a question; "" if none is near.
suggest <- function(value, choices) {
  if (!is.character(value) || length(value) != 1 || is.na(value)) return("")
  distance <- drop(utils::adist(tolower(value), tolower(choices), partial = FALSE))
  best <- which.min(distance)
  if (length(best) && distance[best] <= max(2, nchar(value) / 3)) {
    return(sprintf(" Did you mean %s?", dQuote(choices[best], FALSE)))
  }
  inside <- choices[grepl(tolower(value), tolower(choices), fixed = TRUE)]
  if (length(inside)) sprintf(" Did you mean %s?", dQuote(inside[1], FALSE)) else ""
}

# ---- single values ----------------------------------------------------------------------------

is_number <- function(value) {
  is.numeric(value) && length(value) == 1 && is.null(dim(value)) && !is.na(value)
}

# One finite number in [min, max]; `open` excludes the ends ("min", "max" or both). Infinity passes
# where `infinite = TRUE`. NULL passes where `null = TRUE`.
check_number <- function(value, name, min = -Inf, max = Inf, open = character(), null = FALSE,
                         infinite = FALSE) {
  if (null && is.null(value)) return(NULL)
  good <- is_number(value) && (infinite || is.finite(value)) &&
    (if ("min" %in% open) value > min else value >= min) &&
    (if ("max" %in% open) value < max else value <= max)
  if (good) return(as.double(value))

  bounds <- c(
    if (min > -Inf) paste(if ("min" %in% open) "greater than" else "at least", format(min)),
    if (max < Inf) paste(if ("max" %in% open) "less than" else "at most", format(max))
  )
  abort_input(sprintf("`%s` must be %s%s%s, not %s.", name,
                      if (infinite) "a number" else "a finite number",
                      if (length(bounds)) paste0(" ", paste(bounds, collapse = " and ")) else "",
                      if (null) ", or NULL" else "", describe(value)))
}

# One whole number in [min, max], as an integer.
check_count <- function(value, name, min = 1, max = .Machine$integer.max, null = FALSE) {
  if (null && is.null(value)) return(NULL)
  if (is_number(value) && is.finite(value) && value == round(value) &&
        value >= min && value <= max) {
    return(as.integer(value))
  }
  range <- if (max < .Machine$integer.max) {
    sprintf("between %s and %s", format(min), format(max))
  } else {
    sprintf("of at least %s", format(min))
  }
  abort_input(sprintf("`%s` must be a whole number %s%s, not %s.", name, range,
                      if (null) ", or NULL" else "", describe(value)))
}

check_flag <- function(value, name, null = FALSE) {
  if (null && is.null(value)) return(NULL)
  if (is.logical(value) && length(value) == 1 && !is.na(value)) return(as.vector(value))
  abort_input(sprintf("`%s` must be TRUE or FALSE%s, not %s.", name, if (null) ", or NULL" else "",
                      describe(value)))
}

# One of `choices` (strings, or the paper's own numbers). The whole vector, as it stands in the
# signature of the caller, means its first element.
check_choice <- function(value, choices, name) {
  if (identical(value, choices)) return(choices[1])
  if (length(value) == 1 && is.atomic(value) && !is.na(value) &&
        is.character(value) == is.character(choices)) {
    found <- match(value, choices)
    if (!is.na(found)) return(choices[found])
  }
  shown <- if (is.character(choices)) dQuote(choices, FALSE) else format(choices)
  last <- length(shown)
  abort_input(sprintf(
    "`%s` must be %s, not %s.%s", name,
    if (last == 1) shown else paste(paste(shown[-last], collapse = ", "), "or", shown[last]),
    describe(value), if (is.character(choices)) suggest(value, choices) else ""
  ))
}

scales <- c("none", "standardize", "range", "unit")

# At most p, with a warning; NULL stays NULL.
check_n_features <- function(n_features, p) {
  n_features <- check_count(n_features, "n_features", null = TRUE)
  if (!is.null(n_features) && n_features > p) {
    warn_user(sprintf("`n_features` is %d, but `x` has only %d feature(s): all are taken.",
                      n_features, p))
    n_features <- as.integer(p)
  }
  n_features
}

# ---- data -------------------------------------------------------------------------------------

# Column names, V<j> where there are none.
feature_names <- function(x) {
  names <- colnames(x)
  default <- paste0("V", seq_len(ncol(x)))
  if (is.null(names)) return(default)
  missing <- is.na(names) | !nzchar(names)
  names[missing] <- default[missing]
  names
}

# A double matrix or a dgCMatrix with the values of x; both come back untouched.
as_feature_matrix <- function(x, name = "x") {
  if (is.data.frame(x)) {
    for (column in seq_along(x)) {
      value <- x[[column]]
      good <- (is.numeric(value) || is.logical(value)) && is.null(dim(value)) &&
        !inherits(value, c("integer64", "Date", "POSIXt"))
      if (!good) {
        abort_input(sprintf(
          "Every column of `%s` must be numeric; column `%s` is %s.\n%s", name,
          feature_names(x)[column], with_article(class(value)[1]),
          "Drop it, or code it as numbers first (see `model.matrix()`)."
        ))
      }
    }
    rows <- nrow(x)
    columns <- names(x)
    x <- matrix(as.double(unlist(x, use.names = FALSE)), rows, length(x))
    colnames(x) <- columns
  } else if (inherits(x, "Matrix")) {
    x <- as_plain_matrix(x)
  } else if (is.matrix(x) && (is.numeric(x) || is.logical(x)) && !inherits(x, "integer64")) {
    if (!is.double(x)) storage.mode(x) <- "double"
  } else {
    abort_input(sprintf(
      "`%s` must be a numeric matrix, a data frame of numeric columns or a %s, not %s.%s",
      name, "sparse matrix", describe(x),
      if (is.numeric(x)) "\nFor a single feature use `matrix(x, ncol = 1)`." else ""
    ))
  }
  x
}

# Any class of the Matrix package as dgCMatrix, or as a matrix where it is dense.
as_plain_matrix <- function(x) {
  if (inherits(x, "dgCMatrix")) return(x)
  if (!inherits(x, "sparseMatrix")) {
    x <- as.matrix(x)
    storage.mode(x) <- "double"
    return(x)
  }
  if (inherits(x, "indMatrix")) x <- methods::as(x, "nMatrix")
  methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

# Finite values, or an error that names the first place; returns which columns are constant.
check_finite <- function(x, name = "x") {
  report <- report_columns_cpp(x)
  if (report$not_finite > 0) {
    abort_input(sprintf(
      paste0("`%s` must be finite; %.0f value(s) are missing or infinite, the first in column ",
             "`%s`, row %d.\nImpute or drop these rows first."),
      name, report$not_finite, feature_names(x)[report$first_column], as.integer(report$first_row)
    ))
  }
  report$constant
}

# Labels as codes 1, 2, ... (NA: unlabelled) of the classes that have a row. NULL: all unlabelled.
as_labels <- function(y, n = length(y)) {
  if (is.null(y)) {
    return(list(code = rep(NA_integer_, n), levels = character(), dropped = character()))
  }
  if (is.list(y) || length(dim(y)) > 1) {
    abort_input(paste0(
      "`y` must be a vector or factor of labels, not ", describe(y), ".\n",
      if (is.data.frame(y)) "Take its column, as in `y[[1]]`." else "Use one label per row of `x`."
    ))
  }
  if (length(y) != n) {
    abort_input(sprintf(
      "`y` must have one label per row of `x`: `x` has %d rows, `y` has length %d.\n%s", n,
      length(y), "Mark the rows without a label by NA."
    ))
  }

  dropped <- character()
  if (is.factor(y)) {
    all <- levels(y)
    code <- as.integer(y)
    code[is.na(all[code])] <- NA
    used <- sort(unique(code[!is.na(code)]))
    dropped <- setdiff(all[!is.na(all)], all[used])
    return(list(code = match(code, used, incomparables = NA), levels = all[used],
                dropped = dropped))
  }
  if (inherits(y, c("Date", "POSIXt", "difftime", "integer64")) ||
        !(is.character(y) || is.logical(y) || is.numeric(y))) {
    abort_input(paste0("`y` must be a factor or a character, logical or integer vector, not ",
                       describe(y), ".\nConvert it with `factor()`."))
  }
  y <- as.vector(y)
  if (is.numeric(y)) {
    bad <- which(!is.na(y) & (is.infinite(y) | y != round(y)))
    if (length(bad)) {
      abort_input(sprintf(
        "`y` must hold class labels, but element %d is %s.\n%s", bad[1], format(y[bad[1]]),
        "These methods classify; if the numbers are classes, convert them with `factor()`."
      ))
    }
    if (any(y == -1, na.rm = TRUE) && any(y != -1, na.rm = TRUE)) {
      inform_user(paste("`y` has the label -1, which is taken as a class like any other.",
                        "NA marks unlabelled rows."))
    }
  }
  values <- sort(unique(y))
  list(code = match(y, values, incomparables = NA), levels = as.character(values),
       dropped = dropped)
}

# What every selector is given, checked. See src/convert.h for what the core makes of it.
#
# needs: "labels", at least one; "classes", labels of at least two classes; "constraints", labels or
# pairs. soft: contradictions are allowed (methods that weigh the pairs instead of obeying them).
as_problem <- function(x, y = NULL, constraints = NULL, scale = "none",
                       needs = c("nothing", "labels", "classes", "constraints"), soft = FALSE) {
  needs <- match.arg(needs)
  # Bad values of the arguments that only new_ranking() looks at must not cost a long run.
  caller <- parent.frame()
  if (exists("n_features", envir = caller, inherits = FALSE)) {
    check_count(get("n_features", envir = caller), "n_features", null = TRUE)
  }

  x <- as_feature_matrix(x)
  n <- nrow(x)
  p <- ncol(x)
  if (n < 2) {
    abort_input(sprintf("`x` must have at least two rows, one per sample, not %d.", n))
  }
  if (p < 1) abort_input("`x` must have at least one column, one per feature, not 0.")
  scale <- check_choice(scale, scales, "scale")
  labels <- as_labels(y, n)
  pairs <- as_pairs(constraints, n)
  constant <- check_finite(x)

  classes <- length(labels$levels)
  n_labelled <- sum(!is.na(labels$code))
  if (needs == "labels" && n_labelled == 0) {
    abort_input("This method needs labels, but `y` has none.\nGive at least one label in `y`.")
  }
  if (needs == "classes" && classes < 2) {
    abort_input(sprintf(
      "Labels of at least two classes are needed, but `y` has %s.\n%s",
      if (classes == 0) "none" else sprintf("only \"%s\"", labels$levels),
      "Label rows of another class, or take a method that needs no labels (see `selectors()`)."
    ))
  }
  if (needs == "constraints" && n_labelled == 0 && nrow(pairs$must_link) == 0 &&
        nrow(pairs$cannot_link) == 0) {
    abort_input(paste0("This method needs labels or pairs of rows, but has neither.\n",
                       "Give labels in `y`, or `constraints = pairwise_constraints(...)`."))
  }
  if (!soft && nrow(pairs$cannot_link) + nrow(pairs$must_link) > 0) {
    refuse_contradiction(check_contradiction_cpp(n, labels$code, classes, pairs$must_link,
                                                 pairs$cannot_link))
  }

  list(
    x = x, y = labels$code, classes = classes, must_link = pairs$must_link,
    cannot_link = pairs$cannot_link, scale = scale, constant = constant,
    features = feature_names(x), levels = labels$levels, dropped_levels = labels$dropped,
    n = n, p = p, n_labelled = n_labelled
  )
}

# A word on factor levels without a labelled row, for methods whose page asks for it.
inform_dropped_levels <- function(problem) {
  if (length(problem$dropped_levels)) {
    inform_user(sprintf("Level(s) of `y` without a labelled row are dropped: %s.",
                        enumerate(problem$dropped_levels, "\"")))
  }
}

refuse_contradiction <- function(pair) {
  if (is.null(pair)) return(invisible())
  abort_input(sprintf(
    paste0("The constraints contradict each other: rows %d and %d must not be linked, but ",
           "must-links or equal labels join them.\nRemove one of these pairs."),
    as.integer(pair[1]), as.integer(pair[2])
  ), class = "semiselect_error_contradiction")
}

# The Universum of a problem: finite, with the columns of x, in their order.
as_universum <- function(universum, problem) {
  if (is.null(universum)) {
    abort_input(paste0("`universum` is needed: a matrix with the columns of `x`.\n",
                       "See `universum_mean()`, `universum_rest()` and `universum_gene()`."))
  }
  universum <- as_feature_matrix(universum, "universum")
  if (ncol(universum) != problem$p) {
    abort_input(sprintf("`universum` must have the %d column(s) of `x`, not %d.", problem$p,
                        ncol(universum)))
  }
  if (nrow(universum) < 1) abort_input("`universum` must have at least one row.")
  if (!is.null(colnames(universum)) && !is.null(colnames(problem$x)) &&
        !identical(colnames(universum), colnames(problem$x))) {
    place <- match(colnames(problem$x), colnames(universum))
    if (anyNA(place) || anyDuplicated(place)) {
      abort_input(sprintf("`universum` must have the columns of `x`; `%s` is missing.",
                          problem$features[which(is.na(place) | duplicated(place))[1]]))
    }
    universum <- universum[, place, drop = FALSE]
  }
  check_finite(universum, "universum")
  universum
}

# ---- the neighbor graph -----------------------------------------------------------------------

metrics <- c("euclidean", "cosine")
edge_weights <- c("heat", "binary", "cosine")
symmetrizations <- c("union", "mutual")
searches <- c("auto", "exact", "approximate")

# The graph's arguments, checked; see neighbor_graph() for their meaning. params_in_force() finds
# the result by its class.
graph_options <- function(problem, graph = NULL, k = 5, metric = "euclidean", weights = "heat",
                          bandwidth = "median", symmetrize = "union", search = "auto") {
  given <- list(k = k, metric = metric, weights = weights, bandwidth = bandwidth,
                symmetrize = symmetrize, search = search)
  options <- list(
    k = check_count(k, "k"),
    metric = check_choice(metric, metrics, "metric"),
    weights = check_choice(weights, edge_weights, "weights"),
    bandwidth = check_bandwidth(bandwidth),
    symmetrize = check_choice(symmetrize, symmetrizations, "symmetrize"),
    search = check_choice(search, searches, "search"),
    graph = NULL
  )
  clipped <- list()
  if (options$k >= problem$n) {
    if (is.null(graph)) {
      warn_user(sprintf(
        "`k` is %d, but a row has only %d other row(s): `k = %d` is used.", options$k,
        problem$n - 1L, problem$n - 1L
      ))
      clipped$k <- options$k
    }
    options$k <- problem$n - 1L
  }
  if (!is.null(graph)) options$graph <- as_graph(graph, problem$n)
  structure(options, class = "graph_options", given = given, clipped = clipped)
}

check_bandwidth <- function(bandwidth) {
  if (is.character(bandwidth)) {
    return(check_choice(bandwidth, c("median", "local"), "bandwidth"))
  }
  if (is_number(bandwidth) && is.finite(bandwidth) && bandwidth > 0) return(as.double(bandwidth))
  abort_input(sprintf("`bandwidth` must be a positive number, \"median\" or \"local\", not %s.",
                      describe(bandwidth)))
}

# A user's graph as a symmetric dgCMatrix of positive weights without a diagonal.
as_graph <- function(graph, n) {
  expected <- paste("`graph` must be a result of `neighbor_graph()` or a symmetric sparse matrix",
                    "of non-negative weights")
  if (is.matrix(graph) && (is.numeric(graph) || is.logical(graph))) {
    storage.mode(graph) <- "double"
    graph <- methods::as(methods::as(graph, "CsparseMatrix"), "generalMatrix")
  }
  if (!inherits(graph, "Matrix")) abort_input(sprintf("%s, not %s.", expected, describe(graph)))
  if (!identical(dim(graph), c(as.integer(n), as.integer(n)))) {
    abort_input(sprintf("%s, with one row and one column per row of `x`: %d x %d, not %d x %d.",
                        expected, n, n, nrow(graph), ncol(graph)))
  }
  if (!inherits(graph, "sparseMatrix")) graph <- methods::as(graph, "CsparseMatrix")
  graph <- as_plain_matrix(graph)

  i <- graph@i
  j <- rep.int(seq_len(n) - 1L, diff(graph@p))
  w <- graph@x
  bad <- which(!is.finite(w) | w < 0)
  if (length(bad)) {
    abort_input(sprintf("%s; the weight of rows %d and %d is %s.", expected, i[bad[1]] + 1L,
                        j[bad[1]] + 1L, format(w[bad[1]])))
  }
  reflected <- Matrix::t(graph)
  difference <- graph - reflected
  apart <- which(abs(difference@x) > 1e-8 * max(w, 0))
  if (length(apart)) {
    column <- findInterval(apart[1] - 1L, difference@p)
    row <- difference@i[apart[1]] + 1L
    abort_input(sprintf(
      "%s; rows %d and %d have the weights %s and %s.\n%s", expected, row, column,
      format(graph[row, column]), format(graph[column, row]),
      "Make it symmetric, for example by `(graph + Matrix::t(graph)) / 2`."
    ))
  }
  if (any(difference@x != 0)) {
    graph <- methods::as((graph + reflected) / 2, "generalMatrix")
    i <- graph@i
    j <- rep.int(seq_len(n) - 1L, diff(graph@p))
    w <- graph@x
  }
  keep <- i != j & w > 0
  if (!any(keep)) {
    abort_input("`graph` has no positive weight between two rows.\nGive a graph with edges.")
  }
  if (all(keep)) return(graph)
  Matrix::sparseMatrix(i = i[keep] + 1L, j = j[keep] + 1L, x = w[keep], dims = c(n, n))
}

# ---- the run ----------------------------------------------------------------------------------

# What the core is lent for one run. seed = TRUE draws a seed from R's generator, so that
# set.seed() governs; methods without chance must not touch it.
run_control <- function(threads = getOption("semiselect.threads", 2L), verbose = FALSE,
                        seed = FALSE) {
  threads <- check_count(threads, "threads")
  verbose <- check_flag(verbose, "verbose")
  state <- new.env()  # cli evaluates the format of its bar here, and needs `::` for it
  state$started <- proc.time()[["elapsed"]]
  state$warnings <- character()
  list(
    threads = threads,
    seed = if (isTRUE(seed)) sample.int(.Machine$integer.max, 1) else 0L,
    progress = if (verbose) progress_bar(state),
    warn = function(message) state$warnings <- c(state$warnings, message),
    state = state
  )
}

# A bar that appears once the work has taken two seconds.
progress_bar <- function(state) {
  state$last <- state$started + 1.8
  force(state)
  function(fraction) {
    now <- proc.time()[["elapsed"]]
    if (now - state$last < 0.2) return(invisible())
    state$last <- now
    if (is.null(state$bar)) {
      state$bar <- cli::cli_progress_bar(
        "Ranking features", total = 1000, format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent}",
        .auto_close = FALSE, .envir = state
      )
    }
    cli::cli_progress_update(set = round(1000 * fraction), id = state$bar, force = TRUE,
                             .envir = state)
    invisible()
  }
}

# Runs `expr`, a call of a binding with this control. Errors that the core words for the user get
# the classes of abort_input(); its warnings come after the run, each once. Adds `seconds`, counted
# from run_control().
run_core <- function(control, expr) {
  state <- control$state
  on.exit(if (!is.null(state$bar)) {
    cli::cli_progress_done(id = state$bar, .envir = state)
    state$bar <- NULL
  })
  fit <- tryCatch(
    expr,
    `semiselect::InputError` = function(error) abort_input(conditionMessage(error)),
    `std::bad_alloc` = function(error) {
      abort_input("There is not enough memory for this method on data of this size.",
                  class = "semiselect_error_memory")
    },
    `std::runtime_error` = function(error) {
      stop(errorCondition(conditionMessage(error), call = user_call(),
                          class = c("semiselect_error_numerical", "semiselect_error")))
    }
  )
  messages <- unique(state$warnings)
  state$warnings <- character()
  for (message in messages) warn_user(message)
  if (is.list(fit) && is.null(fit$seconds)) {
    fit$seconds <- proc.time()[["elapsed"]] - state$started
  }
  fit
}

# The values of all arguments of the calling rank_*() function but x and y, so that the call can be
# repeated from them. Arguments that went through graph_options() are given as they came out of it;
# others as they are at the time, so a selector resolves `NULL` and choices by assigning to them.
params_in_force <- function() {
  frame <- parent.frame()
  names <- setdiff(names(formals(sys.function(sys.parent()))), c("x", "y", "..."))
  params <- lapply(stats::setNames(nm = names), function(name) get(name, envir = frame))

  clipped <- list()
  for (variable in ls(frame)) {
    options <- get(variable, envir = frame)
    if (!inherits(options, "graph_options")) next
    for (name in names(attr(options, "given"))) {
      if (name %in% names && identical(params[[name]], attr(options, "given")[[name]])) {
        params[[name]] <- options[[name]]
      }
    }
    clipped <- c(clipped, attr(options, "clipped"))
    if (variable == "graph") params["graph"] <- list(options$graph)
  }
  structure(params, clipped = clipped)
}
