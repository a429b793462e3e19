test_that("variance and Fisher score equal the worked example", {
  x <- worked_x()
  expect_equal(by_column(rank_variance(x)), c(8.6875, 3.234375, 4.359375))
  expect_equal(by_column(rank_fisher(x, worked_y())), c(8.1, Inf, 1))
})

test_that("variance agrees with the formula, under every scaling, and with the published iris order", {
  x <- as.matrix(iris[1:4])
  expect_equal(by_column(rank_variance(x)), unname(apply(x, 2, function(f) mean((f - mean(f))^2))))
  range01 <- apply(x, 2, function(f) (f - min(f)) / diff(range(f)))
  expect_equal(by_column(rank_variance(x, scale = "range")), unname(apply(range01, 2, var)) * 149 / 150)
  unit <- x / sqrt(rowSums(x^2))
  expect_equal(by_column(rank_variance(x, scale = "unit")), unname(apply(unit, 2, var)) * 149 / 150)
  # Qiu and Pan (2016), section 4: F3, F1, F4, F2
  expect_identical(rank_variance(x)$index, c(3L, 1L, 4L, 2L))
})

test_that("variance says that it is useless after standardizing", {
  expect_warning(rank_variance(iris[1:4], scale = "standardize"), "every variance is the same")
})

test_that("Fisher score agrees with the formula over the labelled rows of several classes", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[c(1:40, 60:99, 120:150)] <- NA
  keep <- !is.na(y)
  naive <- apply(x[keep, ], 2, function(f) {
    g <- y[keep]
    n <- table(g)
    m <- tapply(f, g, mean)
    v <- tapply(f, g, function(u) mean((u - mean(u))^2))
    sum(n * (m - mean(f))^2) / sum(n * v)
  })
  expect_equal(by_column(rank_fisher(x, y)), unname(naive))
  expect_equal(by_column(rank_fisher(x + 1e8, y)), unname(naive), tolerance = 1e-6)
})

test_that("Fisher score equals 1/LS - 1 on the class graph", {
  x <- as.matrix(iris[1:4])
  # W_ij = 1/n_c within class, diagonal kept: D = I
  W <- outer(iris$Species, iris$Species, "==") / 50
  LS <- apply(x, 2, function(f) {
    g <- f - mean(f)
    drop(g %*% (diag(150) - W) %*% g) / sum(g^2)
  })
  expect_equal(by_column(rank_fisher(x, iris$Species)), unname(1 / LS - 1))
})

test_that("Fisher score has the worked iris values; pairwise orders equal classes alike, refuses three", {
  d <- iris[c(51:55, 101:105), ]
  y <- factor(rep(c("b", "a"), each = 5))
  expect_equal(by_column(rank_fisher(d[1:4], y)), c(0.0039267, 0.0115979, 3.384375, 3.280120), tolerance = 1e-5)
  expect_identical(rank_fisher(d[1:4], y, variant = "pairwise")$index, rank_fisher(d[1:4], y)$index)
  expect_error(rank_fisher(iris[1:4], iris$Species, variant = "pairwise"), "two classes", class = "semiselect_error")
})

test_that("a column constant over the labelled rows cannot win by rounding", {
  set.seed(1)
  x <- matrix(rnorm(40), 10)
  y <- c("a", "a", "b", "b", rep(NA, 6))
  x[1:4, 2] <- 0.1 + 1e8
  r <- rank_fisher(x, y)
  expect_identical(r$index[4], 2L)
  expect_true(is.na(r$score[4]))
})
