# What every selector promises, held to from the moment it is registered.

for (method in selectors()$method) local({
  method <- method
  entry <- selectors()[selectors()$method == method, ]
  data <- toy()
  # A call by name, from the same seed each time; the needs of a method follow the data.
  rank <- function(x = data$x, y = data$y, ...) {
    arguments <- needs(method, x)
    given <- list(...)
    arguments[names(given)] <- given
    set.seed(7)
    suppressMessages(do.call(rank_features, c(list(x, y, method), arguments)))
  }

  test_that(paste(method, "gives a ranking that says how it was made"), {
    r <- rank()
    expect_ranking(r, data$x)
    expect_identical(attr(r, "method"), method)
    expect_true(attr(r, "direction") %in% c("min", "max"))
    expect_setequal(names(attr(r, "params")),
                    setdiff(names(formals(entry$fun)), c("x", "y")))
    info <- attr(r, "info")
    expect_identical(info[c("n", "n_labelled")], list(n = 36L, n_labelled = 12L))
    if (!exempt(method, "info p")) expect_identical(info$p, 6L)
    expect_identical(info$classes, c(u = 6L, v = 6L))
    expect_gte(info$seconds, 0)

    set.seed(7)
    again <- suppressMessages(do.call(entry$fun, c(list(data$x, data$y), attr(r, "params"))))
    expect_identical(again$score, r$score)
    expect_identical(attr(again, "params"), attr(r, "params"))
  })

  test_that(paste(method, "does not depend on threads, storage or the order of columns and rows"), {
    r <- rank()
    expect_identical(as.data.frame(rank(threads = 2)), as.data.frame(rank(threads = 1)))
    expect_identical(as.data.frame(rank(as.data.frame(data$x))), as.data.frame(r))
    if (!exempt(method, "storage")) {
      sparse <- rank(Matrix::Matrix(data$x, sparse = TRUE))
      expect_equal(sparse$score, r$score, tolerance = 1e-7)
      expect_identical(sparse$feature, r$feature)
    }
    if (!exempt(method, "column order")) {
      turned <- rank(data$x[, 6:1])
      expect_equal(turned$score, r$score, tolerance = 1e-6)
      expect_identical(turned$feature, r$feature)
    }
    if (!exempt(method, "row order")) {
      shuffled <- c(seq(2, 36, 2), seq(1, 35, 2))
      extra <- needs(method, data$x)["universum"]
      moved <- do.call(rank, c(list(data$x[shuffled, ], data$y[shuffled]),
                               extra[!vapply(extra, is.null, NA)]))
      expect_equal(moved$score, r$score, tolerance = 1e-6)
      expect_identical(moved$feature, r$feature)
    }
  })

  if (!exempt(method, "planted")) {
    test_that(paste(method, "finds the planted features"), {
      r <- rank()
      expect_true(r$feature[1] %in% data$planted)
      if (!exempt(method, "both planted")) expect_true(all(data$planted %in% r$feature[1:3]))
    })
  }

  test_that(paste(method, "puts constant columns last, with one warning"), {
    x <- cbind(data$x, still = 2)[, c(1:3, 7, 4:6)]
    warned <- character()
    r <- withCallingHandlers(
      rank(x),
      semiselect_warning_constant = function(warning) {
        warned <<- c(warned, conditionMessage(warning))
        invokeRestart("muffleWarning")
      }
    )
    expect_ranking(r, x)
    expect_length(warned, 1)
    expect_match(warned, "^1 constant feature.*`still`")
    expect_identical(r$feature[7], "still")
    expect_true(is.na(r$score[7]))
    expect_false(anyNA(r$score[1:6]))
  })

  test_that(paste(method, "selects as many as it is told"), {
    expect_identical(is.na(rank()$selected), rep(!entry$selects, 6))
    if (!exempt(method, "n_features")) {
      expect_identical(rank(n_features = 2)$selected, rep(c(TRUE, FALSE), c(2, 4)))
      expect_warning(r <- rank(n_features = 99), "`n_features` is 99", class = "semiselect_warning")
      expect_identical(r$selected, rep(TRUE, 6))
      expect_identical(attr(r, "params")$n_features, 6L)
    }
    expect_error(rank(n_features = 0), "`n_features`", class = "semiselect_error")
    expect_error(rank(n_features = "two"), "`n_features`", class = "semiselect_error")
  })

  test_that(paste(method, "names what is wrong with the input and says what to do"), {
    bad <- data$x
    bad[3, "b"] <- NA
    expect_error(rank(bad), "column `b`, row 3.*Impute", class = "semiselect_error")
    bad[3, "b"] <- -Inf
    expect_error(rank(bad), "column `b`, row 3.*Impute", class = "semiselect_error")
    expect_error(rank(as(bad, "CsparseMatrix")), "column `b`, row 3", class = "semiselect_error")
    expect_error(rank(y = data$y[-1]), "36 rows.*length 35", class = "semiselect_error")
    expect_error(rank(y = as.list(data$y)), "`y` must be a vector", class = "semiselect_error")
    expect_error(rank(data.frame(data$x, word = "x")), "column `word`", class = "semiselect_error")
    expect_error(rank(threads = 0), "`threads`", class = "semiselect_error")
    expect_error(rank(verbose = NA), "`verbose`", class = "semiselect_error")
    expect_error(rank(scale = "log"), "`scale`", class = "semiselect_error")
    expect_error(rank(data$x[1, , drop = FALSE], data$y[1]), "two rows", class = "semiselect_error")
  })

  test_that(paste(method, "has an answer for degenerate input"), {
    x <- data$x
    expect_answer(rank(x[, "a", drop = FALSE]), x[, "a", drop = FALSE])
    expect_answer(rank(y = NULL), x)
    expect_answer(rank(y = rep(NA, 36)), x)
    expect_answer(rank(y = ifelse(data$y == "u", "u", NA)), x)
    expect_answer(rank(x[rep(1:18, 2), ], data$y), x)                # every row twice
    expect_answer(rank(cbind(x, g = x[, "a"])), cbind(x, g = 0))     # a column twice
    expect_answer(rank(x[1:4, ], c("u", "v", NA, NA)), x)
    expect_answer(rank(x * 0 + 1), x)
    if (!entry$multiclass) {
      expect_answer(rank(y = rep(c("u", "v", "w", NA), 9)), x)
    } else {
      expect_ranking(rank(y = rep(c("u", "v", "w", NA), 9)), x)
    }
    expect_s3_class(expect_answer(rank(y = data$full), x), "feature_ranking")
    if ("k" %in% names(formals(entry$fun))) {
      expect_answer(rank(k = 36), x)
      expect_error(rank(k = 0), "`k`", class = "semiselect_error")
    }
  })

  test_that(paste(method, "predicts, or says why not"), {
    r <- rank()
    if (entry$predicts) {
      expect_s3_class(predict(r, data$x), "factor")
      expect_identical(levels(predict(r, data$x)), c("u", "v"))
      expect_gt(mean(predict(r, data$x) == data$full), 0.7)
      weights <- as.matrix(coef(r))
      link <- cbind(1, data$x) %*% weights
      if (attr(r, "model")$scale != "unit") {
        expect_equal(as.vector(predict(r, data$x, "link")), as.vector(link))
      }
      prob <- answer(predict(r, data$x, "prob"))
      if (!inherits(prob, "semiselect_error")) expect_equal(unname(rowSums(prob)), rep(1, 36))
      expect_identical(predict(r, Matrix::Matrix(data$x, sparse = TRUE)), predict(r, data$x))
    } else {
      expect_error(predict(r, data$x), "fits no classifier.*keep_selected",
                   class = "semiselect_error")
      expect_error(coef(r), class = "semiselect_error_no_model")
    }
  })
})

test_that("long work can be interrupted, by one thread and by two, and leaves nothing behind", {
  set.seed(1)
  x <- matrix(rnorm(3e6), 30000)
  expect_interruptible(rank_laplacian(x, threads = 1, verbose = FALSE))
  expect_interruptible(rank_laplacian(x, threads = 2, verbose = FALSE))
  expect_ranking(rank_features(toy()$x, method = "laplacian"), toy()$x)
})
