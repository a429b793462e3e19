svm_iris <- function() {
  list(x = as.matrix(iris[c(51:55, 101:105), 1:4]), y = factor(rep(c("b", "a"), each = 5)))
}

# Two classes, l labelled of n rows, p columns, the first three shifted.
svm_toy <- function(l, p, seed, shift = 1) {
  set.seed(seed)
  y <- rep(c(-1, 1), length.out = l)
  x <- matrix(rnorm(l * p), l)
  k <- min(3, p)
  x[, seq_len(k)] <- x[, seq_len(k)] + shift * y
  list(x = x, y = factor(ifelse(y > 0, "pos", "neg"), c("neg", "pos")), sign = y)
}

l1_primal <- function(x, sign, w, b, cost) {
  sum(abs(w)) + cost * sum(pmax(0, 1 - sign * (drop(x %*% w) - b)))
}

test_that("L1-SVM and L0-SVM have the worked values of iris", {
  d <- svm_iris()
  l1 <- function(...) suppressWarnings(rank_l1svm(d$x, d$y, scale = "none", ...))
  check <- function(r, objective, w, b) {
    expect_equal(attr(r, "model")$objective, objective, tolerance = 1e-7)
    expect_equal(unname(attr(r, "model")$coefficients), w, tolerance = 1e-5)
    if (!is.na(b)) expect_equal(attr(r, "model")$intercept, -b, tolerance = 1e-5)
  }
  check(l1(cost = 0.1), 1, c(0, 0, 0, 0), NA)
  check(l1(cost = 1), 3.41860465, c(.697674, 0, -1.860465, 0), -5.02326)
  check(l1(cost = 10), 3.68421053, c(1.403509, 0, -2.280702, 0), -2.49123)
  check(l1(cost = 0.1, loss = "squared"), 0.98835828, c(0, 0, -.166310, 0), -0.849845)
  check(l1(cost = 1, loss = "squared"), 2.78409647, c(.641008, 0, -1.528631, 0), -3.63919)
  l0 <- function(...) rank_l0svm(d$x, d$y, scale = "none", ...)
  weights <- function(r) unname(attr(r, "model")$coefficients)
  expect_equal(weights(l0(cost = 1)), c(0, 0, -2.222222, 0), tolerance = 1e-5)
  expect_equal(weights(l0(cost = 1000)), c(1.403509, 0, -2.280702, 0), tolerance = 1e-5)
  expect_equal(weights(l0(cost = 1000, variant = "l1")), c(1.403509, 0, -2.280702, 0), tolerance = 1e-5)
  expect_identical(l0(cost = 1)$index, c(3L, 1L, 4L, 2L))
  expect_identical(l0(cost = 1000)$index, c(3L, 1L, 4L, 2L))
  # the first round is the ordinary linear SVM
  first <- suppressWarnings(l0(cost = 1, max_rounds = 1))
  expect_equal(weights(first), c(.860787, .200782, -1.479927, -.882431), tolerance = 1e-5)
  first <- suppressWarnings(l0(cost = 1000, max_rounds = 1))
  expect_equal(weights(first), c(1.111111, .092593, -1.574074, -1.064815), tolerance = 1e-5)
})

test_that("the L1-SVM is optimal over all features, by a dual point found in plain R", {
  skip_if_not_installed("quadprog")
  for (case in list(c(20, 5, 1), c(12, 60, 2), c(30, 200, 3))) {
    d <- svm_toy(case[1], case[2], case[3])
    r <- rank_l1svm(d$x, d$y, scale = "none")
    m <- attr(r, "model")
    info <- attr(r, "info")
    w <- unname(m$coefficients)
    b <- -m$intercept
    C <- info$cost
    expect_equal(l1_primal(d$x, d$sign, w, b, C), m$objective, tolerance = 1e-10)
    expect_lt(info$gap, 1e-8)
    # Multipliers from the conditions themselves: rows beyond the margin 0, inside it C, on it free
    # in between; prices 1 where a weight is not zero, at most 1 elsewhere.
    margin <- d$sign * (drop(d$x %*% w) - b)
    free <- abs(margin - 1) < 1e-7
    a <- ifelse(margin < 1 & !free, C, 0)
    A <- rbind(t(d$x[free, w != 0, drop = FALSE] * d$sign[free]), d$sign[free])
    right <- c(sign(w[w != 0]) - drop(crossprod(d$x[, w != 0, drop = FALSE], a * d$sign)), -sum(a * d$sign))
    a[free] <- qr.coef(qr(A), right)
    expect_true(all(a > -1e-7 & a < C + 1e-7))
    price <- drop(crossprod(d$x, a * d$sign))
    expect_equal(price[w != 0], sign(w[w != 0]), tolerance = 1e-7)
    expect_lt(max(abs(price)), 1 + 1e-7)
    expect_equal(sum(a), m$objective, tolerance = 1e-7)
  }
})

test_that("the squared loss meets its subgradient condition", {
  for (case in list(c(40, 6, 4), c(20, 80, 5))) {
    d <- svm_toy(case[1], case[2], case[3], shift = 0.5)
    r <- rank_l1svm(d$x, d$y, loss = "squared", scale = "none")
    w <- unname(attr(r, "model")$coefficients)
    res <- pmax(0, 1 - d$sign * (drop(d$x %*% w) + attr(r, "model")$intercept))
    C <- attr(r, "info")$cost
    expect_lt(abs(sum(d$sign * res)), 1e-8 * sum(res)) # b is free
    g <- -2 * C * drop(crossprod(d$x, d$sign * res))
    expect_lt(max(abs(g[w != 0] + sign(w[w != 0]))), 2e-6)
    expect_true(all(abs(g[w == 0]) < 1 + 2e-6))
  }
})

test_that("at cost C0 the weights are zero, just above it they are not", {
  d <- svm_toy(16, 30, 6)
  means <- apply(d$x, 2, function(f) diff(tapply(f, d$y, mean)))
  C0 <- 1 / (8 * max(abs(means)))
  weights <- function(cost, ...) unname(attr(rank_l1svm(d$x, d$y, cost, scale = "none", ...), "model")$coefficients)
  expect_true(all(weights(0.999 * C0) == 0))
  expect_false(all(weights(1.001 * C0) == 0))
  expect_equal(attr(rank_l1svm(d$x, d$y, scale = "none"), "info")$cost, 20 * C0)
})

test_that("L1-SVM: origin, sign, copies and units of columns", {
  d <- svm_toy(24, 10, 7)
  fit <- function(x, ...) attr(rank_l1svm(x, d$y, cost = 0.2, scale = "none", ...), "model")
  base <- fit(d$x)
  moved <- fit(sweep(d$x, 2, 1:10 * 100, "+"))
  expect_equal(moved$coefficients, base$coefficients, tolerance = 1e-6)
  expect_equal(moved$objective, base$objective)
  flipped <- fit(d$x %*% diag(c(-1, rep(1, 9))))
  expect_equal(unname(flipped$coefficients[1]), -unname(base$coefficients[1]), tolerance = 1e-7)
  twice <- fit(cbind(d$x, d$x[, 1]))
  expect_equal(sum(abs(twice$coefficients[c(1, 11)])), unname(abs(base$coefficients[1])), tolerance = 1e-6)
  expect_equal(twice$objective, base$objective)
  expect_false(isTRUE(all.equal(fit(d$x %*% diag(c(3, rep(1, 9))))$objective, base$objective)))
})

test_that("separable data: the solution stops changing beyond some cost", {
  d <- svm_toy(20, 5, 8, shift = 4)
  at <- function(cost) attr(rank_l1svm(d$x, d$y, cost, scale = "none"), "model")$coefficients
  expect_equal(at(1e3), at(1e6), tolerance = 1e-7)
})

test_that("column generation gives what the full program gives, and sparse x the same", {
  set.seed(9)
  l <- 20
  x <- matrix(rbinom(l * 800, 2, 0.1), l)
  x <- x[, colSums(x) > 0]
  y <- factor(rep(c("a", "b"), l / 2))
  x[y == "b", 1:4] <- x[y == "b", 1:4] + rbinom(l * 2, 2, 0.6)
  r <- rank_l1svm(x, y, scale = "none")
  w <- attr(r, "model")$coefficients
  few <- rank_l1svm(x[, c(which(w != 0), 5:9)], y, cost = attr(r, "info")$cost, scale = "none")
  expect_equal(attr(few, "model")$objective, attr(r, "model")$objective, tolerance = 1e-8)
  s <- rank_l1svm(Matrix::Matrix(x, sparse = TRUE), y, scale = "none")
  expect_equal(attr(s, "model")$objective, attr(r, "model")$objective, tolerance = 1e-10)
})

test_that("the path ranks by entry and passes through the single fits", {
  d <- svm_toy(20, 15, 10)
  r <- rank_l1svm(d$x, d$y, path = TRUE, n_lambda = 8, scale = "none")
  path <- attr(r, "info")$path
  expect_named(path, c("lambda1", "objective", "n_selected"))
  expect_equal(path$lambda1[1] / path$lambda1[8], 200)
  entry <- rep(Inf, 15)
  for (k in 1:8) {
    one <- rank_l1svm(d$x, d$y, cost = 1 / path$lambda1[k], scale = "none")
    expect_equal(attr(one, "model")$objective, path$objective[k], tolerance = 1e-8)
    w <- attr(one, "model")$coefficients
    entry[w != 0 & is.infinite(entry)] <- k
  }
  expect_false(is.unsorted(entry[r$index]))
  # the model is that of the default cost
  expect_equal(attr(r, "model")$coefficients, attr(rank_l1svm(d$x, d$y, scale = "none"), "model")$coefficients)
  expect_error(rank_l1svm(d$x, d$y, loss = "squared", path = TRUE), "path", class = "semiselect_error")
})

test_that("L0-SVM lowers its objective while nothing dies, and ends at a fixed point", {
  d <- svm_toy(40, 6, 11, shift = 0.7)
  r <- rank_l0svm(d$x, d$y, scale = "none")
  alive <- attr(r, "info")$rounds_alive
  J <- attr(r, "info")$objective
  before <- min(alive[alive > 0], length(J)) - 1
  expect_true(all(diff(J[seq_len(before)]) < 1e-8 * abs(J[seq_len(before)][-1]) + 1e-10))
  v <- attr(r, "model")$coefficients
  # survivors alone, columns multiplied by |v|: an SVM that gives every weight 1
  keep <- v != 0
  skip_if_not_installed("e1071")
  s <- e1071::svm(d$x[, keep, drop = FALSE] %*% diag(abs(v[keep]), sum(keep)), d$y,
    kernel = "linear", scale = FALSE, cost = attr(r, "info")$cost, tolerance = 1e-8
  )
  w <- drop(t(s$coefs) %*% s$SV)
  expect_equal(abs(w), rep(1, sum(keep)), tolerance = 1e-3, ignore_attr = TRUE)
})

test_that("L0-SVM keeps one column that separates alone, and treats copies alike", {
  set.seed(12)
  y <- factor(rep(c("a", "b"), 10))
  x <- matrix(rnorm(20 * 8), 20)
  x[, 5] <- ifelse(y == "a", -1, 1) * runif(20, 2, 3)
  for (variant in c("l2", "l1")) {
    r <- rank_l0svm(x, y, variant = variant, cost = 100)
    expect_identical(r$index[r$selected], 5L)
  }
  r <- rank_l0svm(cbind(x, x[, 1:3]), y)
  alive <- attr(r, "info")$rounds_alive
  expect_identical(unname(alive[1:3]), unname(alive[9:11]))
  w <- abs(attr(r, "model")$coefficients)
  expect_equal(unname(w[1:3]), unname(w[9:11]))
})

test_that("several classes: each against the rest, combined by their largest weight", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(1:6, 51:56, 101:106)] <- NA
  for (method in c("l1svm", "l0svm")) {
    r <- rank_features(x, y, method)
    w <- abs(attr(r, "model")$standardized)
    expect_equal(by_column(r), unname(rowSums(sweep(w, 2, apply(w, 2, max), "/"))))
    expect_gt(mean(predict(r, x) == iris$Species), 0.8)
    expect_equal(rowSums(predict(r, x, "prob")), rep(1, 150))
    expect_identical(dim(predict(r, x, "link")), c(150L, 3L))
  }
  one <- factor(ifelse(is.na(y), NA, y == "setosa"))
  setosa <- rank_l1svm(x, one)
  expect_equal(
    abs(attr(rank_l1svm(x, y), "model")$standardized[, "setosa"]),
    abs(attr(setosa, "model")$standardized), tolerance = 1e-6
  )
})

test_that("predict: the sparse classifier, or with n_features one refitted on those columns", {
  d <- svm_toy(60, 12, 13)
  y <- d$y
  y[25:60] <- NA
  r <- rank_l1svm(d$x, y)
  expect_equal(predict(r, d$x, "link"), drop(d$x %*% attr(r, "model")$coefficients) + attr(r, "model")$intercept,
    ignore_attr = TRUE
  )
  expect_identical(selected(r), r$feature[r$statistic > 0])
  three <- rank_l1svm(d$x, y, n_features = 3)
  expect_identical(three$index, r$index)
  w <- attr(three, "model")$coefficients
  expect_setequal(names(w)[w != 0], selected(three))
  skip_if_not_installed("e1071")
  z <- scale(d$x)[1:24, three$index[1:3]]
  s <- sum(scale(z, scale = FALSE)^2) / 24
  peer <- e1071::svm(z, y[1:24], kernel = "linear", scale = FALSE, cost = 10 / s, tolerance = 1e-8)
  f <- attr(predict(peer, scale(d$x)[, three$index[1:3]], decision.values = TRUE), "decision.values")
  expect_equal(abs(unname(predict(three, d$x, "link"))), abs(as.vector(f)), tolerance = 1e-4)
})

test_that("bad costs and too few classes are refused", {
  d <- svm_iris()
  expect_error(rank_l1svm(d$x, d$y, cost = 0), "cost", class = "semiselect_error")
  expect_error(rank_l0svm(d$x, d$y, cost = -1), "cost", class = "semiselect_error")
  expect_error(rank_l1svm(d$x, rep("a", 10)), "two classes", class = "semiselect_error")
  expect_error(rank_l0svm(d$x, rep(NA, 10)), "two classes", class = "semiselect_error")
})
