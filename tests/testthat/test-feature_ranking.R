test_that("the order is that of the statistic, in its direction, ties by column", {
  r <- wrap(statistic = c(1, 3, 2, 3, -Inf))
  expect_identical(r$feature, c("b", "d", "c", "a", "e"))
  expect_identical(r$index, c(2L, 4L, 3L, 1L, 5L))
  expect_identical(r$score, c(3, 3, 2, 1, -Inf))
  r <- wrap(statistic = c(1, 3, 2, 3, Inf), direction = "min")
  expect_identical(r$feature, c("a", "c", "b", "d", "e"))
  expect_identical(r$score, c(-1, -2, -3, -3, -Inf))
  expect_identical(r$statistic, c(1, 2, 3, 3, Inf))
  expect_identical(attr(r, "direction"), "min")
})

test_that("a score of its own decides over the statistic, an order over both", {
  r <- wrap(statistic = c(1, 2, 3, 4, 5), score = c(5, 1, 4, 2, 3))
  expect_identical(r$feature, c("a", "c", "e", "d", "b"))
  expect_identical(r$score, c(5, 4, 3, 2, 1))
  expect_identical(r$statistic, c(1, 3, 5, 4, 2))
  r <- wrap(statistic = c(1, 2, 3, 4, 5), order = c(2, 5, 1, 4, 3))
  expect_identical(r$feature, c("b", "e", "a", "d", "c"))
  expect_identical(r$score, c(5, 4, 3, 2, 1))
  r <- wrap(statistic = c(1, 2, 3, 4, 5), order = c(2, 5, 1, 4, 3), score = c(0, 9, 0, 0, 9))
  expect_identical(r$score, c(9, 9, 0, 0, 0))
})

test_that("columns that a greedy search did not reach follow in column order", {
  expect_identical(wrap(statistic = 1:5, order = c(4, 2))$feature, c("d", "b", "a", "c", "e"))
})

test_that("constant columns and those without a value come last, in column order", {
  problem <- toy_problem(constant = c(1, 4))
  expect_warning(r <- wrap(statistic = c(9, 1, NaN, 0, 2), problem = problem),
                 "^2 constant feature.*`a`, `d`", class = "semiselect_warning_constant")
  expect_identical(r$feature, c("e", "b", "a", "c", "d"))
  expect_identical(r$score, c(2, 1, NA, NA, NA))
  expect_identical(r$statistic, c(2, 1, 9, NA, 0))
  expect_false(any(is.nan(r$statistic)))
  expect_warning(r <- wrap(statistic = 1:5, order = c(4, 3, 1, 2, 5), problem = problem))
  expect_identical(r$feature, c("c", "b", "e", "a", "d"))
  expect_identical(r$score, c(5, 4, 3, NA, NA))
})

test_that("everything constant leaves a ranking without scores", {
  expect_warning(r <- wrap(statistic = rep(0, 5), problem = toy_problem(constant = 1:5)), "^5")
  expect_identical(r$index, 1:5)
  expect_true(all(is.na(r$score)))
})

test_that("n_features fills `selected` and overrules the method; constants are never selected", {
  expect_identical(wrap(statistic = 1:5)$selected, rep(NA, 5))
  own <- c(TRUE, FALSE, FALSE, TRUE, FALSE)
  expect_identical(wrap(statistic = 1:5, selected = own)$selected, own[5:1])
  two <- list(n_features = 2)
  expect_identical(wrap(statistic = 1:5, params = two)$selected, c(TRUE, TRUE, FALSE, FALSE, FALSE))
  expect_identical(wrap(statistic = 1:5, selected = own, params = two)$selected,
                   c(TRUE, TRUE, FALSE, FALSE, FALSE))
  expect_warning(r <- wrap(statistic = 1:5, params = list(n_features = 8)),
                 "`n_features` is 8.*only 5", class = "semiselect_warning")
  expect_identical(attr(r, "params")$n_features, 5L)
  suppressWarnings(
    r <- wrap(statistic = 1:5, params = list(n_features = 5), problem = toy_problem(constant = 2))
  )
  expect_identical(r$selected, rep(c(TRUE, FALSE), c(4, 1)))
})

test_that("a run that has not converged warns with the argument to raise", {
  expect_warning(wrap(statistic = 1:5, converged = FALSE, iterations = 17L),
                 "not converged in 17 iteration.*raise `max_iter`",
                 class = "semiselect_warning_convergence")
  expect_warning(wrap(statistic = 1:5, converged = FALSE, converge_hint = "max_rounds"),
                 "raise `max_rounds`")
})

test_that("info has the common entries and those of the method", {
  r <- wrap(statistic = 1:5, iterations = 3L, converged = TRUE, objective = c(2, 1), seconds = 0.5,
            info = list(gap = 1e-9))
  info <- attr(r, "info")
  expect_identical(info$classes, c(no = 2L, yes = 1L))
  expect_identical(info[c("n", "p", "n_labelled")], list(n = 4L, p = 5, n_labelled = 3L))
  expect_identical(info$gap, 1e-9)
  expect_identical(info$objective, c(2, 1))
})

test_that("`[` and as.data.frame() give plain data frames, head() too", {
  r <- wrap(statistic = 1:5)
  for (plain in list(r[1:2, ], r["feature"], r[, c("rank", "score")], r[], head(r, 2),
                     subset(r, score > 2), as.data.frame(r), tidy(r))) {
    expect_identical(class(plain), "data.frame")
    expect_setequal(names(attributes(plain)), c("names", "row.names", "class"))
  }
  expect_identical(r[2, "feature"], "d")
  expect_identical(r[["feature"]], r$feature)
  expect_identical(dim(r[r$score > 2, c("rank", "feature")]), c(3L, 2L))
  expect_identical(nrow(as.data.frame(r)), 5L)
})

test_that("print fits on a screen and tells method, size, labels and selection", {
  set.seed(3)
  x <- matrix(rnorm(20 * 300), 20)
  y <- rep(c("tumor", "normal", NA, NA), 5)
  text <- capture.output(print(rank_fisher(x, y, n_features = 7)))
  expect_lt(length(text), 24)
  expect_lt(max(nchar(text)), 81)
  text <- paste(text, collapse = "\n")
  expect_match(text, "fisher")
  expect_match(text, "20 rows, 10 labelled: normal (5), tumor (5); 300 features", fixed = TRUE)
  expect_match(text, "7 of 300 features selected", fixed = TRUE)
  expect_match(text, "... and 290 more", fixed = TRUE)
  expect_length(capture.output(print(rank_fisher(x, y), n = 3)), 9)
  expect_output(expect_invisible(print(rank_fisher(x, y))))
  expect_error(print(rank_fisher(x, y), n = -1), "`n`", class = "semiselect_error")
})

test_that("print shortens long names and many classes", {
  x <- matrix(rnorm(40), 20, dimnames = list(NULL, c(strrep("long", 30), "b")))
  text <- capture.output(print(rank_fisher(x, rep(letters[1:10], 2))))
  expect_lt(max(nchar(text)), 81)
  expect_match(text[2], "5 more classes")
})

test_that("summary shows settings and run", {
  r <- rank_variance(iris[1:4], n_features = 2)
  text <- paste(capture.output(print(summary(r))), collapse = "\n")
  expect_match(text, "scale = \"none\"", fixed = TRUE)
  expect_match(text, "n_features = 2", fixed = TRUE)
  expect_match(text, "better when high")
  expect_match(text, "2 of 4 features selected")
  expect_s3_class(summary(r), "summary.feature_ranking")
})

test_that("glance is one row", {
  g <- glance(wrap(statistic = 1:5, iterations = 3L, converged = TRUE, objective = c(2, 1),
                   params = list(n_features = 2)))
  expect_identical(nrow(g), 1L)
  expect_identical(g$method, "variance")
  expect_identical(g$n_selected, 2L)
  expect_identical(g$objective, 1)
  expect_identical(glance(wrap(statistic = 1:5))$n_selected, NA_integer_)
})

test_that("augment gives the rows of methods that have them and an error for the others", {
  rows <- data.frame(.row = 1:4, .weight = c(1, 1, 0.5, 0))
  expect_identical(augment(wrap(statistic = 1:5, info = list(rows = rows))), rows)
  expect_error(augment(wrap(statistic = 1:5)), "no results for the rows",
               class = "semiselect_error")
})

test_that("plot draws, also with infinite and missing scores, and refuses nothing at all", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  r <- wrap(statistic = 1:5, params = list(n_features = 2))
  expect_identical(withVisible(plot(r))$visible, FALSE)
  expect_s3_class(plot(wrap(statistic = c(Inf, 2, NaN, 1, -Inf))), "feature_ranking")
  expect_s3_class(plot(wrap(statistic = rep(1, 5)), main = "", n = 2), "feature_ranking")
  suppressWarnings(none <- wrap(statistic = 1:5, problem = toy_problem(constant = 1:5)))
  expect_error(plot(none), "nothing to plot", class = "semiselect_error")
})

test_that("infinite scores are drawn beside the finite ones", {
  points <- semiselect:::curve_points(wrap(statistic = c(Inf, 2, NaN, 1, -Inf)))
  expect_equal(points$shown, c(2.08, 2, 1, 0.92))
  expect_identical(points$infinite, c(TRUE, FALSE, FALSE, TRUE))
})

test_that("autoplot gives a ggplot that can be drawn", {
  skip_if_not_installed("ggplot2")
  r <- wrap(statistic = c(Inf, 2, NaN, 1, 0), params = list(n_features = 2))
  picture <- ggplot2::autoplot(r)
  expect_s3_class(picture, "ggplot")
  drawn <- ggplot2::ggplot_build(picture)$data[[2]]
  expect_identical(nrow(drawn), 4L)
  expect_identical(length(unique(drawn$colour)), 2L)
  expect_identical(nrow(ggplot2::ggplot_build(ggplot2::autoplot(r, n = 3))$data[[2]]), 3L)
})

test_that("selected() takes the n best or the method's own choice", {
  r <- wrap(statistic = 1:5)
  expect_identical(selected(r, 2), c("e", "d"))
  expect_identical(selected(r, 0), character())
  expect_error(selected(r), "how many", class = "semiselect_error")
  expect_warning(all <- selected(r, 9), "only 5", class = "semiselect_warning")
  expect_identical(all, c("e", "d", "c", "b", "a"))
  own <- wrap(statistic = 1:5, selected = c(TRUE, FALSE, TRUE, FALSE, FALSE))
  expect_identical(selected(own), c("c", "a"))
  expect_identical(selected(own, 1), "e")
  expect_error(selected(as.data.frame(r), 2), "plain data frame", class = "semiselect_error")
  expect_error(selected("cls", 2), "not \"cls\"", class = "semiselect_error")
})

test_that("keep_selected() finds the columns by name in any kind of data", {
  x <- matrix(1:12, 2, dimnames = list(NULL, c("other", letters[5:1])))
  r <- wrap(statistic = 1:5)
  expect_identical(keep_selected(r, x, 2), x[, c("e", "d")])
  expect_identical(keep_selected(r, as.data.frame(x), 2), as.data.frame(x)[c("e", "d")])
  sparse <- Matrix::Matrix(x + 0, sparse = TRUE)
  expect_s4_class(keep_selected(r, sparse, 1), "dgCMatrix")
  expect_identical(as.matrix(keep_selected(r, sparse, 1)), x[, "e", drop = FALSE] + 0)
  expect_error(keep_selected(r, x[, 1:3], 3), "lacks 1 column.*`c`", class = "semiselect_error")
  expect_error(keep_selected(r, 1:5, 3), "`newx` must be", class = "semiselect_error")
})

test_that("keep_selected() goes by position where there are no names", {
  r <- wrap(statistic = 1:5)
  x <- matrix(1:10, 2)
  expect_identical(keep_selected(r, x, 2), x[, 5:4])
  expect_error(keep_selected(r, x[, 1:4], 2), "no column names.*5 column.*not 4",
               class = "semiselect_error")
})

test_that("duplicate column names work as long as the columns are the same", {
  x <- cbind(a = c(1, 2, 3), a = c(1, 5, 9), b = c(0, 0, 1))
  r <- rank_variance(x)
  expect_identical(r$feature, c("a", "a", "b"))
  expect_identical(r$index, c(2L, 1L, 3L))
  expect_identical(keep_selected(r, x, 1), x[, 2, drop = FALSE])
  expect_error(keep_selected(r, x[, 3:1], 1), "more than once", class = "semiselect_error")
})

test_that("two classes: link, class and coefficients of a linear classifier", {
  r <- classified(c(1, -2, 0), 0.5)
  x <- rbind(c(1, 0, 9), c(0, 1, 9), c(1, 0.75, 9), c(0, 0, 0))
  link <- c(1.5, -1.5, 0, 0.5)
  expect_equal(predict(r, x, "link"), link)
  expect_identical(predict(r, x), factor(c("yes", "no", "yes", "yes"), c("no", "yes")))
  expect_equal(predict(r, Matrix::Matrix(x, sparse = TRUE), "link"), link)
  named <- as.data.frame(x)
  names(named) <- c("a", "b", "c")
  expect_equal(predict(r, named[c("c", "a", "b")], "link"), link)
  expect_identical(coef(r), c(`(Intercept)` = 0.5, a = 1, b = -2, c = 0))
  expect_error(predict(r, named[1:2]), "lacks 1 column.*`c`", class = "semiselect_error")
  expect_error(predict(r, x[, 1:2]), "3 column", class = "semiselect_error")
  x[2, 2] <- NA
  expect_error(predict(r, x), "`newx` must be finite.*row 2", class = "semiselect_error")
  expect_error(predict(r), "`newx` is needed", class = "semiselect_error")
  expect_error(predict(r, x, "response"), "`type` must be", class = "semiselect_error")
  expect_length(predict(r, x[0, ]), 0)
})

test_that("several classes: one column each, ties to the first level", {
  weights <- cbind(c(1, 0), c(0, 1), c(0, 0))
  r <- classified(weights, c(0, 0, 0.5), levels = c("p", "q", "s"))
  x <- rbind(c(1, 1), c(0, 1), c(0, 0))
  link <- predict(r, x, "link")
  expect_equal(unname(link), rbind(c(1, 1, 0.5), c(0, 1, 0.5), c(0, 0, 0.5)))
  expect_identical(colnames(link), c("p", "q", "s"))
  expect_identical(as.character(predict(r, x)), c("p", "q", "s"))
  expect_identical(dimnames(coef(r)), list(c("(Intercept)", "a", "b"), c("p", "q", "s")))
})

test_that("scale = \"unit\" normalizes the new rows, and a row of zeros stays", {
  x <- rbind(c(3, 4), c(0, 0), c(0, 2))
  r <- classified(c(1, 1), 1, scale = "unit")
  expect_equal(predict(r, x, "link"), c(0.6 + 0.8, 0, 1) + 1)
  expect_equal(predict(r, Matrix::Matrix(x, sparse = TRUE), "link"), c(1.4, 0, 1) + 1)
})

test_that("probabilities: Platt's sigmoid, the logistic one, or a refusal", {
  x <- rbind(0, 1, -1000)
  r <- classified(1, 0, platt = c(-2, 0.5))
  prob <- predict(r, x, "prob")
  expect_equal(prob[, "yes"], 1 / (1 + exp(c(0.5, -1.5, 2000.5))))
  expect_equal(rowSums(prob), rep(1, 3))
  expect_identical(colnames(prob), c("no", "yes"))
  expect_equal(predict(classified(1, 0, prob = "logistic"), x, "prob")[, "yes"], plogis(x[, 1]))

  several <- classified(matrix(c(1, 0, -1), 1), c(0, 0, 0), levels = c("p", "q", "s"),
                        platt = list(p = c(-1, 0), q = c(-1, 1), s = c(-2, 0)))
  each <- c(1 / (1 + exp(-1)), 1 / (1 + exp(1)), 1 / (1 + exp(2)))
  expect_equal(unname(predict(several, matrix(1), "prob")[1, ]), each / sum(each))

  refused <- classified(1, 0, prob = "refused", prob_message = "Least squares gives none.")
  expect_error(predict(refused, x, "prob"), "Least squares gives none.*type = \"link\"",
               class = "semiselect_error")
})
