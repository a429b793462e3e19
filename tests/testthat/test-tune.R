few_labels <- function(n = 60, p = 10, per_class = 6) {
  full <- factor(rep(c("a", "b"), length.out = n))
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  x[, 1:2] <- x[, 1:2] + 2 * (full == "b")
  y <- full
  y[-unlist(lapply(c("a", "b"), function(class) which(full == class)[seq_len(per_class)]))] <- NA
  list(x = x, y = y)
}
tune <- function(...) tune_selector(..., verbose = FALSE)

test_that("the grid holds what a loop over folds gives", {
  set.seed(1)
  d <- few_labels()
  folds <- labelled_folds(d$y, 3)
  fit <- tune(d$x, d$y, "sselect", list(eta = c(0.1, 0.6), k = c(3, 6)), folds, c(2, 5))
  expect_s3_class(fit, "selector_tuning")
  expect_named(fit$grid, c("eta", "k", "size", "accuracy", "se", "seconds", "error"))
  expect_identical(nrow(fit$grid), 8L)
  for (i in 1:8) {
    row <- fit$grid[i, ]
    accuracy <- vapply(folds, function(fold) {
      y <- d$y
      y[fold] <- NA
      r <- rank_sselect(d$x, y, eta = row$eta, k = row$k)
      evaluate_ranking(r, d$x, y, d$x[fold, ], d$y[fold], row$size)$accuracy
    }, 1)
    expect_equal(row$accuracy, mean(accuracy))
    expect_equal(row$se, sd(accuracy) / sqrt(3))
  }
  best <- order(-round(fit$grid$accuracy, 9), fit$grid$size)[1]
  expect_identical(fit$chosen, best)
  expect_identical(fit$best, list(method = "sselect", eta = fit$grid$eta[best],
                                  k = fit$grid$k[best], n_features = fit$grid$size[best]))
  r <- do.call(rank_features, c(list(d$x, d$y), fit$best))
  expect_s3_class(r, "feature_ranking")
  expect_identical(attr(r, "params")$eta, fit$best$eta)
  expect_length(selected(r), fit$best$n_features)
})

test_that("one standard error prefers fewer features", {
  choose <- getFromNamespace("choose_setting", "semiselect")
  frame <- data.frame(size = c(2, 5, 10, 20), accuracy = c(0.70, 0.84, 0.86, 0.90), se = 0.05)
  expect_identical(choose(frame, "best"), 4L)
  expect_identical(choose(frame, "one_se"), 3L)  # 0.86 is within 0.05 of 0.90, 0.84 is not
  frame$accuracy[2] <- 0.85
  expect_identical(choose(frame, "one_se"), 2L)
  # equal ones: fewer features, then the earlier
  even <- data.frame(size = c(5, 2, 2), accuracy = 0.8, se = 0)
  expect_identical(choose(even, "best"), 2L)
  # failed ones are never chosen
  even$accuracy[2] <- NA
  expect_identical(choose(even, "best"), 3L)
  expect_identical(choose(even, "one_se"), 3L)
})

test_that("with one or two labels per class it says that it cannot tune", {
  set.seed(2)
  for (labels in 1:2) {
    d <- few_labels(per_class = labels)
    expect_warning(fit <- tune(d$x, d$y, "cls", list(k = c(3, 6)), sizes = c(2, 4),
                               denominator = "cl"),
                   "nothing to tune with.*defaults", class = "semiselect_warning_untuned")
    expect_false(fit$tuned)
    expect_identical(fit$best, list(method = "cls", denominator = "cl"))
    expect_true(all(is.na(fit$grid$accuracy)))
    expect_identical(nrow(fit$grid), 4L)
    expect_output(print(fit), "not done.*nothing to tune with")
    expect_error(plot(fit), "nothing to plot", class = "semiselect_error_input")
    expect_s3_class(do.call(rank_features, c(list(d$x, d$y), fit$best)), "feature_ranking")
  }
  three <- few_labels(per_class = 3)
  expect_true(tune(three$x, three$y, "cls", sizes = 2)$tuned)
})

test_that("a class with a single label is never held out", {
  set.seed(3)
  d <- few_labels(per_class = 6)
  d$y[which(d$y == "b")[-1]] <- NA
  expect_warning(fit <- tune(d$x, d$y, "fisher", sizes = 2, folds = 3), "never held out",
                 class = "semiselect_warning_folds")
  expect_false(which(d$y == "b") %in% unlist(fit$folds))
  expect_false(anyNA(fit$grid$accuracy))
})

test_that("held-out labels do not leak through pairs", {
  set.seed(4)
  d <- few_labels()
  pairs <- constraints_from_labels(d$y)
  folds <- labelled_folds(d$y, 3)
  with <- tune(d$x, d$y, "constraint", folds = folds, sizes = c(1, 3), constraints = pairs)
  without <- tune(d$x, d$y, "constraint", folds = folds, sizes = c(1, 3))
  expect_identical(with$grid$accuracy, without$grid$accuracy)
  expect_identical(with$best$constraints, pairs)
})

test_that("grids of lists, data frames and none", {
  set.seed(5)
  d <- few_labels()
  frame <- tune(d$x, d$y, "sselect", data.frame(eta = c(0.1, 0.9), k = c(3, 5)), 3, 2)
  expect_identical(nrow(frame$grid), 2L)
  values <- list(weights = c("heat", "binary"), bandwidth = list("median", 3))
  words <- tune(d$x, d$y, "laplacian", values, 3, 2)
  expect_identical(nrow(words$grid), 4L)
  expect_true(words$best$weights %in% c("heat", "binary"))
  none <- tune(d$x, d$y, "fisher", folds = 3, sizes = c(1, 4))
  expect_named(none$best, c("method", "n_features"))
  expect_identical(nrow(none$grid), 2L)
  expect_output(print(frame), "Tuning of sselect: 2 combination\\(s\\), 1 size\\(s\\), 3 folds")
  expect_identical(tidy(frame), frame$grid)
  expect_false(is.unsorted(-summary(frame)$accuracy))
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(words))
  expect_invisible(plot(none))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(words)), "ggplot_built")
})

test_that("a combination that fails is reported and not chosen", {
  set.seed(6)
  d <- few_labels()
  expect_warning(fit <- tune(d$x, d$y, "laplacian", list(bandwidth = list("median", -1)), 3, 2),
                 "1 of 2 combinations failed", class = "semiselect_warning_failed")
  expect_identical(is.na(fit$grid$error), c(TRUE, FALSE))
  expect_identical(fit$best$bandwidth, "median")
  expect_error(tune(d$x, d$y, "laplacian", list(bandwidth = list(-2, -1)), 3, 2),
               "Every combination", class = "semiselect_error_input")
})

test_that("wrong input is an error before any work", {
  d <- few_labels()
  refused <- function(message, ..., x = d$x, y = d$y, method = "cls", grid = list(k = 3:4)) {
    expect_error(tune(x, y, method, grid, ...), message, class = "semiselect_error_input")
  }
  refused("no method \"clls\"", method = "clls")
  refused("no argument `kk`", grid = list(kk = 1))
  refused("named list", grid = list(1, 2))
  refused("no values for `k`", grid = list(k = integer()))
  refused("both in `grid`", k = 5)
  refused("only 10 feature", sizes = 11)
  refused("only \"a\"", y = replace(d$y, d$y %in% "b", NA))
  refused("none", y = rep(NA, 60))
  refused("`folds`", folds = 1)
  refused("labelled rows", folds = list(c(1, 60)))
  refused("fewer than two classes", folds = list(which(d$y == "a")))
  refused("`rule`", rule = "two_se")
  refused("Universum", method = "uvs", grid = list(alpha = 1:2))
})
