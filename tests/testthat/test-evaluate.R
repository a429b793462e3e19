two_groups <- function(n = 40, p = 8, shift = 2) {
  y <- factor(rep(c("u", "v"), length.out = n))
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  x[, 1:2] <- x[, 1:2] + shift * (y == "v")
  list(x = x, y = y)
}

test_that("folds hold out each labelled row once per repeat, and no other row", {
  set.seed(1)
  y <- rep(c("a", "b", NA), c(7, 12, 30))[sample(49)]
  folds <- labelled_folds(y, folds = 4, repeats = 3)
  expect_type(folds, "list")
  expect_length(folds, 12)
  for (r in 1:3) {
    part <- folds[4 * (r - 1) + 1:4]
    expect_setequal(unlist(part), which(!is.na(y)))
    expect_identical(anyDuplicated(unlist(part)), 0L)
    expect_lte(diff(range(lengths(part))), 1)
    # each class as evenly as its count allows
    for (class in c("a", "b")) {
      count <- vapply(part, function(rows) sum(y[rows] == class), 1)
      expect_lte(diff(range(count)), 1)
    }
  }
  expect_false(identical(folds[[1]], folds[[5]]))
  set.seed(3)
  again <- labelled_folds(y, 4)
  set.seed(3)
  expect_identical(labelled_folds(y, 4), again)
})

test_that("folds that cannot be dealt are refused", {
  expect_error(labelled_folds(c("a", "b", NA), folds = 3), "only 2 labelled",
               class = "semiselect_error_input")
  expect_error(labelled_folds(c("a", NA, NA), folds = 2), class = "semiselect_error_input")
  expect_error(labelled_folds(c("a", "b"), folds = 1), "`folds`", class = "semiselect_error_input")
  expect_error(labelled_folds(c("a", "b"), 2, repeats = 0), class = "semiselect_error_input")
  expect_warning(labelled_folds(c("a", "b", "b", "b"), folds = 2), "\"a\" has a single label",
                 class = "semiselect_warning_folds")
})

test_that("the SVM is that of e1071 on columns scaled by the training rows", {
  skip_if_not_installed("e1071")
  set.seed(2)
  for (classes in 2:3) {
    n <- 90
    y <- factor(rep(letters[seq_len(classes)], length.out = n))
    x <- matrix(rnorm(n * 6), n, 6) * rep(c(1, 100, 0.01, 1, 5, 1), each = n) + 10
    x[, 1] <- x[, 1] + as.integer(y)
    x[, 2] <- x[, 2] + 150 * (y == "b")
    train <- 1:30
    r <- rank_fisher(x[train, ], y[train])
    got <- evaluate_ranking(r, x[train, ], y[train], x[-train, ], y[-train], sizes = c(6, 1, 3))
    expect_named(got, c("size", "accuracy"))
    expect_identical(got$size, c(1L, 3L, 6L))
    if (classes > 2) next  # e1071 votes one against one
    expected <- vapply(c(1, 3, 6), function(size) {
      top <- r$index[seq_len(size)]
      center <- colMeans(x[train, top, drop = FALSE])
      spread <- apply(x[train, top, drop = FALSE], 2, sd)
      a <- scale(x[train, top, drop = FALSE], center, spread)
      b <- scale(x[-train, top, drop = FALSE], center, spread)
      fit <- e1071::svm(a, y[train], kernel = "linear", cost = 1, scale = FALSE, tolerance = 1e-8)
      mean(predict(fit, b) == y[-train])
    }, 1)
    expect_equal(got$accuracy, expected)
  }
})

test_that("1-NN is the nearest scaled row, the first of equals", {
  set.seed(4)
  x <- matrix(sample(0:3, 60 * 5, TRUE), 60, 5)  # counts: many exact ties
  y <- sample(c("a", "b", "c"), 60, TRUE)
  train <- 1:25
  r <- rank_variance(x)
  got <- evaluate_ranking(r, x[train, ], y[train], x[-train, ], y[-train], 1:5, "1nn")
  expected <- vapply(1:5, function(size) {
    top <- r$index[seq_len(size)]
    spread <- apply(x[train, top, drop = FALSE], 2, sd)
    a <- sweep(x[train, top, drop = FALSE], 2, spread, "/")
    b <- sweep(x[-train, top, drop = FALSE], 2, spread, "/")
    predicted <- apply(b, 1, function(row) {
      d <- colSums((t(a) - row)^2)
      y[train][which(d <= min(d) * (1 + 1e-12))[1]]
    })
    mean(predicted == y[-train])
  }, 1)
  expect_equal(got$accuracy, expected)
})

test_that("nearest_rows gives the lower of equal rows at every size and for any threads", {
  nearest <- getFromNamespace("nearest_rows_cpp", "semiselect")
  control <- getFromNamespace("run_control", "semiselect")
  train <- rbind(c(0, 0), c(0, 5), c(0, 0), c(3, 1))
  test <- rbind(c(0, 4), c(3, 0), c(1, 0))
  for (threads in 1:2) {
    found <- matrix(nearest(train, test, 1:2, control(threads)), 3)
    expect_identical(found, cbind(c(1L, 4L, 1L), c(2L, 4L, 1L)))
  }
})

test_that("unlabelled training rows and the scale of test rows have no influence", {
  set.seed(5)
  d <- two_groups(60)
  train <- 1:30
  y <- d$y[train]
  y[11:30] <- NA
  r <- rank_fisher(d$x[train, ], y)
  for (classifier in c("svm", "1nn")) {
    whole <- evaluate_ranking(r, d$x[train, ], y, d$x[-train, ], d$y[-train], 1:8, classifier)
    part <- evaluate_ranking(r, d$x[1:10, ], y[1:10], d$x[-train, ], d$y[-train], 1:8, classifier)
    expect_identical(tidy(whole), tidy(part))
    # One test row changed beyond measure must not move the others.
    wild <- d$x[-train, ]
    wild[1, ] <- 1e6
    moved <- evaluate_ranking(r, d$x[train, ], y, wild, d$y[-train], 1:8, classifier)
    expect_lte(max(abs(moved$accuracy - whole$accuracy)), 1 / 30 + 1e-12)
    sparse <- evaluate_ranking(r, Matrix::Matrix(d$x[train, ], sparse = TRUE), y,
                               Matrix::Matrix(d$x[-train, ], sparse = TRUE), d$y[-train], 1:8,
                               classifier)
    expect_equal(tidy(sparse), tidy(whole))
  }
})

test_that("a classifier of the user's gets scaled training rows and predicts", {
  set.seed(6)
  d <- two_groups(40)
  seen <- NULL
  mean_rule <- list(
    train = function(x, y) {
      seen <<- list(x = x, y = y)
      rowsum(x, y) / as.vector(table(y))
    },
    predict = function(model, x) {
      rownames(model)[apply(x, 1, function(row) which.min(colSums((t(model) - row)^2)))]
    }
  )
  r <- rank_fisher(d$x[1:20, ], d$y[1:20])
  got <- evaluate_ranking(r, d$x[1:20, ], d$y[1:20], d$x[21:40, ], d$y[21:40], 2, mean_rule)
  expect_gt(got$accuracy, 0.75)
  expect_equal(unname(colMeans(seen$x)), c(0, 0))
  expect_equal(unname(apply(seen$x, 2, sd)), c(1, 1))
  expect_identical(colnames(seen$x), r$feature[1:2])
  expect_identical(seen$y, d$y[1:20])

  broken <- list(train = function(x, y) 1, predict = function(model, x) "u")
  expect_error(evaluate_ranking(r, d$x[1:20, ], d$y[1:20], d$x[21:40, ], d$y[21:40], 2, broken),
               "one class per row", class = "semiselect_error_input")
  expect_error(evaluate_ranking(r, d$x, d$y, d$x, d$y, 2, list(train = identity)), "`predict`",
               class = "semiselect_error_input")
  expect_error(evaluate_ranking(r, d$x, d$y, d$x, d$y, 2, mean), "single function",
               class = "semiselect_error_input")
  expect_error(evaluate_ranking(r, d$x, d$y, d$x, d$y, 2, "lda"), "classifier",
               class = "semiselect_error_input")
})

test_that("test columns are found by name", {
  set.seed(7)
  d <- two_groups(40)
  r <- rank_fisher(d$x[1:20, ], d$y[1:20])
  straight <- evaluate_ranking(r, d$x[1:20, ], d$y[1:20], d$x[21:40, ], d$y[21:40], 1:8)
  turned <- evaluate_ranking(r, d$x[1:20, ], d$y[1:20], d$x[21:40, 8:1], d$y[21:40], 1:8)
  expect_identical(tidy(turned), tidy(straight))
  frame <- evaluate_ranking(r, as.data.frame(d$x[1:20, ]), d$y[1:20],
                            as.data.frame(d$x[21:40, ]), d$y[21:40], 1:8)
  expect_identical(tidy(frame), tidy(straight))
})

test_that("what cannot be evaluated is refused by name", {
  d <- two_groups()
  r <- rank_variance(d$x)
  refused <- function(expr, message) {
    expect_error(expr, message, class = "semiselect_error_input")
  }
  refused(evaluate_ranking(r, d$x, d$y, d$x, d$y, sizes = 9), "only 8 feature")
  refused(evaluate_ranking(r, d$x, d$y, d$x, d$y, sizes = 0), "`sizes`")
  refused(evaluate_ranking(r, d$x, d$y, d$x, d$y, sizes = 1.5), "`sizes`")
  refused(evaluate_ranking(1, d$x, d$y, d$x, d$y, sizes = 2), "`r` must be")
  refused(evaluate_ranking(r, d$x[, 1:3], d$y, d$x, d$y, sizes = 2), "8 feature")
  refused(evaluate_ranking(r, d$x[, 8:1], d$y, d$x, d$y, sizes = 2), "not those")
  refused(evaluate_ranking(r, d$x, d$y[-1], d$x, d$y, sizes = 2), "`y_train` has length 39")
  refused(evaluate_ranking(r, d$x, d$y, d$x, d$y[-1], sizes = 2), "`y_test` has length 39")
  refused(evaluate_ranking(r, d$x, rep("u", 40), d$x, d$y, sizes = 2), "two classes")
  refused(evaluate_ranking(r, d$x, d$y, d$x, replace(d$y, 3, NA), sizes = 2), "element 3")
  refused(evaluate_ranking(r, d$x, d$y, d$x[, 1:7], d$y, sizes = 2), "column")
  bad <- d$x
  bad[2, 3] <- NA
  refused(evaluate_ranking(r, d$x, d$y, bad, d$y, sizes = 2), "`x_test` must be finite")
})

test_that("an evaluation prints and is drawn", {
  d <- two_groups()
  r <- rank_fisher(d$x, d$y)
  e <- evaluate_ranking(r, d$x, d$y, d$x, d$y, 1:8)
  expect_output(print(e), "linear SVM.*40 training, 40 test rows.*accuracy")
  expect_identical(class(e[1:2, ]), "data.frame")
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(e))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(e), "ggplot")
})
