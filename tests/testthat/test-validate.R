`%||%` <- function(a, b) if (is.null(a)) b else a

problem_of <- function(x, ...) semiselect:::as_problem(x, ...)

test_that("all kinds of data with the same values give the same problem", {
  x <- matrix(c(0, 1, 2, 0, 0, 3), 3, dimnames = list(NULL, c("a", "b")))
  whole <- x
  storage.mode(whole) <- "integer"
  expect_identical(problem_of(x)$x, x)
  expect_identical(problem_of(whole)$x, x)
  expect_identical(problem_of(as.data.frame(whole))$x, x)
  expect_identical(problem_of(data.frame(a = c(TRUE, FALSE), b = 1:2))$x,
                   cbind(a = c(1, 0), b = c(1, 2)))
  expect_identical(problem_of(x > 0)$x, (x > 0) + 0)
  expect_identical(problem_of(Matrix::Matrix(x, sparse = FALSE))$x, x)
})

test_that("every sparse class becomes a dgCMatrix, and stays sparse", {
  square <- matrix(c(2, 0, 1, 0, 3, 0, 1, 0, 4), 3, dimnames = list(NULL, c("a", "b", "c")))
  general <- as(square, "CsparseMatrix")
  expect_s4_class(general, "dgCMatrix")
  symmetric <- Matrix::forceSymmetric(general)
  for (x in list(general, as(general, "TsparseMatrix"), as(general, "RsparseMatrix"), general > 0,
                 symmetric, as(general, "nMatrix"), Matrix::Diagonal(3), Matrix::Diagonal(x = 1:3),
                 as(3:1, "pMatrix"), Matrix::triu(general))) {
    result <- problem_of(x)
    expect_s4_class(result$x, "dgCMatrix")
    expect_equal(unname(as.matrix(result$x)), unname(as.matrix(x) + 0))
    expect_identical(result$features, colnames(x) %||% c("V1", "V2", "V3"))
  }
  expect_identical(problem_of(as(general, "RsparseMatrix"))$features, c("a", "b", "c"))
  expect_identical(problem_of(symmetric)$features, c("a", "b", "c"))
})

test_that("features without a name are V1, V2, ...", {
  expect_identical(problem_of(matrix(1:4, 2))$features, c("V1", "V2"))
  expect_identical(problem_of(matrix(1:6, 2, dimnames = list(NULL, c("a", "", NA))))$features,
                   c("a", "V2", "V3"))
})

test_that("x of a wrong kind or size is refused with its kind and size", {
  refuse <- function(x, pattern) expect_error(problem_of(x), pattern, class = "semiselect_error")
  refuse(1:5, "not an integer vector of length 5.*matrix\\(x, ncol = 1\\)")
  refuse(letters, "`x` must be a numeric matrix")
  refuse(matrix("a", 2, 2), "`x` must be a numeric matrix")
  refuse(list(1, 2), "`x` must be a numeric matrix")
  refuse(NULL, "not NULL")
  refuse(data.frame(a = 1:2, b = factor(1:2), c = "x"), "column `b` is a factor")
  refuse(data.frame(a = 1:2, when = as.Date("2024-01-01")), "column `when` is a Date")
  refuse(matrix(1, 1, 3), "at least two rows.*not 1")
  refuse(matrix(1, 3, 0), "at least one column")
  refuse(data.frame(a = 1:2)[0], "at least one column")
})

test_that("missing and infinite values are counted and the first is named", {
  x <- matrix(0, 4, 3, dimnames = list(NULL, c("a", "b", "c")))
  x[3, 2] <- NaN
  x[1, 3] <- NA
  x[4, 2] <- Inf
  message <- paste0("`x` must be finite; 3 value(s) are missing or infinite, the first in column ",
                    "`b`, row 3.\nImpute or drop these rows first.")
  expect_error(problem_of(x), message, fixed = TRUE, class = "semiselect_error_input")
  expect_error(problem_of(as(x, "CsparseMatrix")), message, fixed = TRUE)
  expect_error(problem_of(as.data.frame(x)), message, fixed = TRUE)
})

test_that("constant columns are found at any offset, dense or sparse", {
  set.seed(4)
  x <- cbind(1e8 + rnorm(20), 0, 7, 1e8, rep(c(0, 5), 10), 1e8 + 1e-6 * rnorm(20))
  expected <- c(FALSE, TRUE, TRUE, TRUE, FALSE, TRUE)
  expect_identical(problem_of(x)$constant, expected)
  expect_identical(problem_of(as(x, "CsparseMatrix"))$constant, expected)
})

test_that("labels of every type give codes in the order of their levels", {
  x <- matrix(0:5, 6, 2)
  codes <- function(y) problem_of(x, y)[c("y", "levels", "classes", "n_labelled")]
  expected <- list(y = c(2L, NA, 1L, 1L, NA, 2L), levels = c("a", "b"), classes = 2L,
                   n_labelled = 4L)
  expect_identical(codes(c("b", NA, "a", "a", NA, "b")), expected)
  expect_identical(codes(factor(c("b", NA, "a", "a", NA, "b"))), expected)
  backwards <- factor(c("b", NA, "a", "a", NA, "b"), levels = c("b", "a"))
  expect_identical(codes(backwards)$y, c(1L, NA, 2L, 2L, NA, 1L))
  expect_identical(codes(backwards)$levels, c("b", "a"))
  expect_identical(codes(c(TRUE, NA, FALSE, FALSE, NA, TRUE))$levels, c("FALSE", "TRUE"))
  expect_identical(codes(c(10, NA, 9, 9, NaN, 10))$levels, c("9", "10"))
  expect_identical(codes(c(10L, NA, 9L, 9L, NA, 10L))$y, expected$y)
  expect_identical(codes(c(0, NA, 1, 1, NA, 0))$levels, c("0", "1"))
  expect_identical(codes(addNA(factor(c("b", NA, "a", "a", NA, "b")))), expected)
  none <- list(y = rep(NA_integer_, 6), levels = character(), classes = 0L, n_labelled = 0L)
  expect_identical(codes(NULL), none)
  expect_identical(codes(rep(NA, 6)), none)
})

test_that("levels without a labelled row are dropped", {
  y <- factor(c("b", NA, "d", "d"), levels = c("a", "b", "c", "d"))
  problem <- problem_of(matrix(0:3, 4, 2), y)
  expect_identical(problem$levels, c("b", "d"))
  expect_identical(problem$y, c(1L, NA, 2L, 2L))
  expect_identical(problem$dropped_levels, c("a", "c"))
  expect_message(semiselect:::inform_dropped_levels(problem), "\"a\", \"c\"")
})

test_that("labels of a wrong kind or length are refused", {
  x <- matrix(0:5, 6, 2)
  refuse <- function(y, pattern) expect_error(problem_of(x, y), pattern, class = "semiselect_error")
  refuse(1:5, "`x` has 6 rows, `y` has length 5")
  refuse(1:7, "`x` has 6 rows, `y` has length 7")
  refuse(matrix(1:6, 6, 1), "`y` must be a vector")
  refuse(data.frame(y = 1:6), "y\\[\\[1\\]\\]")
  refuse(list(1, 2, 3, 4, 5, 6), "`y` must be a vector")
  refuse(c(1, 2, 1.5, 2, 1, 2), "element 3 is 1.5")
  refuse(c(1, 2, Inf, 2, 1, 2), "element 3 is Inf")
  refuse(as.Date("2024-01-01") + 0:5, "factor\\(\\)")
  refuse(1:6 + 1i, "`y` must be a factor")
})

test_that("the label -1 beside others gets a hint, alone or as text it does not", {
  x <- matrix(0:3, 4, 2)
  expect_message(problem_of(x, c(-1, 1, 2, -1)), "NA marks unlabelled rows")
  expect_message(problem_of(x, c(-1L, 1L, NA, -1L)), "NA marks unlabelled rows")
  expect_silent(problem_of(x, c(-1, NA, NA, -1)))
  expect_silent(problem_of(x, c("-1", "1", "1", NA)))
  expect_silent(problem_of(x, c(0, 1, 1, NA)))
})

test_that("a method gets the labels that it needs or says so", {
  x <- matrix(0:3, 4, 2)
  expect_error(problem_of(x, needs = "labels"), "needs labels", class = "semiselect_error")
  expect_error(problem_of(x, needs = "classes"), "two classes.*none", class = "semiselect_error")
  expect_error(problem_of(x, c("a", NA, "a", NA), needs = "classes"), "two classes.*only \"a\"",
               class = "semiselect_error")
  expect_error(problem_of(x, needs = "constraints"), "labels or pairs", class = "semiselect_error")
  pairs <- pairwise_constraints(c(1, 2))
  expect_identical(problem_of(x, constraints = pairs, needs = "constraints")$must_link,
                   matrix(1:2, 1))
  expect_identical(problem_of(x, c("a", NA, "b", NA), needs = "classes")$classes, 2L)
})

test_that("single values are checked with their bounds", {
  number <- semiselect:::check_number
  expect_identical(number(2L, "nu"), 2)
  expect_identical(number(0, "nu", min = 0), 0)
  expect_identical(number(NULL, "nu", null = TRUE), NULL)
  expect_identical(number(Inf, "nu", infinite = TRUE), Inf)
  refuse <- function(expr, pattern) expect_error(expr, pattern, class = "semiselect_error")
  refuse(number(-1, "nu", min = 0), "`nu` must be a finite number at least 0, not -1")
  refuse(number(0, "nu", min = 0, open = "min"), "greater than 0")
  refuse(number(1, "nu", max = 1, open = "max"), "less than 1")
  refuse(number(Inf, "nu"), "finite")
  refuse(number(NA, "nu"), "not NA")
  refuse(number(1:2, "nu"), "integer vector of length 2")
  refuse(number("1", "nu"), "not \"1\"")
  refuse(number(NULL, "nu"), "not NULL")
  count <- semiselect:::check_count
  expect_identical(count(3, "k"), 3L)
  refuse(count(2.5, "k"), "`k` must be a whole number of at least 1, not 2.5")
  refuse(count(0, "k", max = 9), "between 1 and 9, not 0")
  refuse(count(1e10, "k"), "whole number")
  flag <- semiselect:::check_flag
  expect_true(flag(TRUE, "som"))
  refuse(flag(NA, "som"), "`som` must be TRUE or FALSE, not NA")
  refuse(flag(1, "som"), "TRUE or FALSE")
  choice <- semiselect:::check_choice
  sides <- c("left", "right")
  expect_identical(choice(sides, sides, "side"), "left")
  expect_identical(choice("right", sides, "side"), "right")
  expect_identical(choice(2L, c(1, 2), "phi"), 2)
  refuse(choice("lefd", sides, "side"), "must be \"left\" or \"right\", not \"lefd\". Did you mean")
  refuse(choice(c("right", "left"), sides, "side"), "`side` must be")
  refuse(choice(3, c(1, 2), "phi"), "`phi` must be 1 or 2, not 3")
})

test_that("graph options are resolved, and k is clipped with a warning", {
  problem <- problem_of(matrix(1:10, 5))
  options <- semiselect:::graph_options(
    problem, NULL, 3, c("euclidean", "cosine"), c("heat", "binary", "cosine"), "local",
    c("union", "mutual"), c("auto", "exact", "approximate")
  )
  expect_identical(options[c("k", "metric", "weights", "bandwidth", "symmetrize", "search")],
                   list(k = 3L, metric = "euclidean", weights = "heat", bandwidth = "local",
                        symmetrize = "union", search = "auto"))
  expect_warning(options <- semiselect:::graph_options(problem, k = 5), "`k` is 5.*`k = 4`",
                 class = "semiselect_warning")
  expect_identical(options$k, 4L)
  expect_identical(attr(options, "clipped"), list(k = 5L))
  expect_silent(semiselect:::graph_options(problem, k = 4))
  refuse <- function(..., pattern) {
    expect_error(semiselect:::graph_options(problem, ...), pattern, class = "semiselect_error")
  }
  refuse(k = 0, pattern = "`k`")
  refuse(k = NA, pattern = "`k`")
  refuse(bandwidth = 0, pattern = "`bandwidth` must be a positive number")
  refuse(bandwidth = "mean", pattern = "`bandwidth` must be")
  refuse(metric = "manhattan", pattern = "`metric` must be")
})

test_that("a graph of the user becomes symmetric, without diagonal and zeros", {
  w <- matrix(c(9, 1, 0, 1, 0, 2, 0, 2, 0), 3)
  bare <- w
  diag(bare) <- 0
  clean <- function(graph) semiselect:::as_graph(graph, 3)
  general <- as(w, "generalMatrix")
  stored_zero <- Matrix::sparseMatrix(i = c(1, 2, 2, 3, 1, 3), j = c(2, 1, 3, 2, 3, 1),
                                      x = c(1, 1, 2, 2, 0, 0))
  for (graph in list(w, as(general, "CsparseMatrix"), Matrix::Matrix(w, sparse = TRUE), stored_zero,
                     as(as(general, "CsparseMatrix"), "TsparseMatrix"))) {
    result <- clean(graph)
    expect_s4_class(result, "dgCMatrix")
    expect_equal(unname(as.matrix(result)), bare)
    expect_true(all(result@x > 0))
  }
  nearly <- w
  nearly[1, 2] <- 1 + 1e-12
  expect_true(Matrix::isSymmetric(clean(nearly), tol = 0))

  refuse <- function(graph, pattern) {
    expect_error(clean(graph), pattern, class = "semiselect_error")
  }
  lopsided <- as(w, "CsparseMatrix")
  lopsided[1, 2] <- 3
  refuse(lopsided, "rows 2 and 1 have the weights 1 and 3.*Make it symmetric")
  refuse(-w, "weight of rows 1 and 1 is -9")
  w[3, 2] <- w[2, 3] <- NA
  refuse(w, "weight of rows 3 and 2 is NA")
  refuse(matrix(1, 2, 2), "3 x 3, not 2 x 2")
  refuse("knn", "`graph` must be.*not \"knn\"")
  refuse(matrix(0, 3, 3), "no positive weight")
})

test_that("the values in force are those after validation", {
  fun <- function(x, y = NULL, universum, variant = c("one", "two"), graph = NULL, k = 5,
                  search = c("forward", "lar"), weights = c("heat", "binary", "cosine"),
                  n_features = NULL) {
    problem <- semiselect:::as_problem(x, y)
    variant <- semiselect:::check_choice(variant, c("one", "two"), "variant")
    options <- semiselect:::graph_options(problem, graph, k = k, weights = weights)
    semiselect:::params_in_force()
  }
  x <- matrix(1:8, 4)
  expect_warning(params <- fun(x, universum = 0, k = 7), "`k = 3`")
  expect_identical(attr(params, "clipped"), list(k = 7L))
  attr(params, "clipped") <- NULL
  # `search` did not go through graph_options(): it is another one, and stays.
  expect_identical(params, list(universum = 0, variant = "one", graph = NULL, k = 3L,
                                search = c("forward", "lar"), weights = "heat", n_features = NULL))
})

test_that("a seed is drawn only on demand, and set.seed() governs it", {
  control <- semiselect:::run_control
  set.seed(5)
  before <- .Random.seed
  expect_identical(control(1L, FALSE)$seed, 0L)
  expect_identical(.Random.seed, before)
  first <- control(1L, FALSE, seed = TRUE)$seed
  set.seed(5)
  expect_identical(control(2L, FALSE, seed = TRUE)$seed, first)
  expect_false(identical(control(2L, FALSE, seed = TRUE)$seed, first))
  expect_error(control(0, FALSE), "`threads`", class = "semiselect_error")
  expect_error(control(1, "yes"), "`verbose`", class = "semiselect_error")
})

test_that("errors of the core get our classes, its warnings come once each after the run", {
  raise <- function(class) {
    control <- semiselect:::run_control(1L, FALSE)
    semiselect:::run_core(control, stop(errorCondition("all weights are 0", class = class)))
  }
  expect_error(raise("semiselect::InputError"), "all weights are 0",
               class = "semiselect_error_input")
  expect_error(raise("std::runtime_error"), "all weights are 0",
               class = "semiselect_error_numerical")
  expect_error(raise("std::bad_alloc"), "not enough memory", class = "semiselect_error")

  control <- semiselect:::run_control(1L, FALSE)
  warnings <- list()
  fit <- withCallingHandlers(
    semiselect:::run_core(control, {
      control$warn("half of the edges vanish")
      control$warn("half of the edges vanish")
      list(statistic = 1)
    }),
    warning = function(warning) {
      warnings <<- c(warnings, list(warning))
      invokeRestart("muffleWarning")
    }
  )
  expect_length(warnings, 1)
  expect_s3_class(warnings[[1]], "semiselect_warning")
  expect_identical(fit$statistic, 1)
  expect_gte(fit$seconds, 0)
})

test_that("the progress bar waits for two seconds, shows how far it is, and goes away", {
  old <- options(cli.dynamic = TRUE, cli.progress_show_after = 0)
  on.exit(options(old))
  control <- semiselect:::run_control(1L, verbose = TRUE)
  control$progress(0.1)
  expect_null(control$state$bar)
  shown <- utils::capture.output(type = "message", invisible(semiselect:::run_core(control, {
    control$state$last <- control$state$last - 10
    control$progress(0.5)
    expect_false(is.null(control$state$bar))
    list()
  })))
  expect_match(paste(shown, collapse = ""), "Ranking features.* 50%")
  expect_null(control$state$bar)
  expect_null(semiselect:::run_control(1L, verbose = FALSE)$progress)
})

test_that("an error names the function that the user called, without its data", {
  error <- tryCatch(rank_features(matrix(NA_real_, 3, 3), method = "variance"),
                    error = identity)
  expect_identical(conditionCall(error), quote(rank_features()))
  error <- tryCatch(do.call(rank_variance, list(matrix(NA_real_, 3, 3))), error = identity)
  expect_null(conditionCall(error))
})

test_that("a Universum has the columns of x", {
  x <- matrix(c(1:5, 0), 3, 2, dimnames = list(NULL, c("a", "b")))
  problem <- problem_of(x)
  check <- function(universum) semiselect:::as_universum(universum, problem)
  expect_identical(check(x[, 2:1]), x)
  expect_identical(check(unname(x)), unname(x))
  refuse <- function(universum, pattern) {
    expect_error(check(universum), pattern, class = "semiselect_error")
  }
  refuse(NULL, "`universum` is needed")
  refuse(x[, 1, drop = FALSE], "2 column.*not 1")
  refuse(cbind(a = 1, z = 2), "`b` is missing")
  refuse(cbind(a = 1, b = Inf), "`universum` must be finite.*column `b`, row 1")
  refuse(x[0, ], "at least one row")
})
