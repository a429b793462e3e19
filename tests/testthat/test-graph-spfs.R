# rank_spfs against its definitions written plainly.

unit_columns <- function(x) apply(x, 2, function(f) (f - mean(f)) / sqrt(sum((f - mean(f))^2)))
all_labels <- c("a", "a", "a", "b", "b", "b", "a", "b")

test_that("SPFS equals the worked example", {
  x <- worked_x()
  r <- rank_spfs(x, all_labels)
  expect_identical(r$index, 1:3)
  expect_equal(r$statistic, c(0.7194244604, 0.2936781010, -0.1584386846), tolerance = 1e-9)
  expect_identical(r$selected, c(TRUE, TRUE, FALSE))  # the third would make the error grow
  r <- rank_spfs(x, all_labels, search = "lar")
  expect_identical(r$index, 1:3)
  expect_equal(r$statistic, c(1, 0.6182151778, 0.1900740387), tolerance = 1e-9)
  r <- rank_spfs(x, all_labels, search = "nesterov", rho = 0.3)
  expect_equal(by_column(r), c(0.5294762990, 0.2056506393, 0), tolerance = 1e-8)
  expect_lt(attr(r, "info")$gap, 1e-10)
})

test_that("SPFS forward leaves the least error at each step, on classes and on the full kernel", {
  x <- as.matrix(cbind(iris[1:4], iris[1:4]^2))
  colnames(x) <- letters[1:8]
  y <- iris$Species
  z <- unit_columns(x)
  d2 <- as.matrix(dist(scale(x)))^2
  K <- list(
    class = outer(y, y, "==") / 50,
    rbf = exp(-d2 / median(d2[upper.tri(d2)][d2[upper.tri(d2)] > 0]))
  )
  for (similarity in names(K)) {
    r <- rank_spfs(x, y, similarity = similarity, n_features = 5)
    R <- K[[similarity]]
    picked <- integer()
    for (step in 1:5) {
      error <- apply(z, 2, function(f) sum((R - outer(f, f))^2))
      error[picked] <- Inf
      best <- which.min(error)[[1]]
      picked <- c(picked, best)
      expect_identical(r$index[step], best)
      expect_equal(r$statistic[step], drop(z[, best] %*% R %*% z[, best]))
      R <- R - outer(z[, best], z[, best])
    }
    rest <- apply(z[, r$index[6:8]], 2, function(f) drop(f %*% R %*% f))
    expect_equal(r$statistic[6:8], unname(rest))
    expect_false(is.unsorted(-rest))
  }
})

test_that("SPFS uses the labelled rows alone, and without labels all rows", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  keep <- c(1:5, 51:57, 101:109)
  few <- y
  few[-keep] <- NA
  for (search in c("forward", "nesterov", "lar")) {
    expect_equal(by_column(rank_spfs(x, few, search = search)), by_column(rank_spfs(x[keep, ], y[keep], search = search)))
  }
  r <- rank_spfs(x)
  expect_identical(attr(r, "params")$similarity, "rbf")
  expect_equal(by_column(r), by_column(rank_spfs(x, y, similarity = "rbf")))
  expect_error(rank_spfs(x, similarity = "class"), "Labels", class = "semiselect_error")
  expect_error(rank_spfs(x, bandwidth = "local"), "bandwidth", class = "semiselect_error")
})

test_that("SPFS nesterov satisfies the optimality conditions with two classes", {
  set.seed(41)
  x <- matrix(rnorm(40 * 90), 40)
  y <- rep(0:1, each = 20)
  r <- rank_spfs(x, y, search = "nesterov", rho = 0.2)
  # Centered, the two columns of Y are opposite: W = w (1, -1) / sqrt(2), a lasso in one response.
  z <- unit_columns(x)
  target <- sqrt(2) * (ifelse(y == 0, 1, -1) / sqrt(20)) / 2
  lambda <- 0.2 * max(abs(crossprod(z, target)))
  w <- by_column(r)
  on <- which(w > 0)
  # signs from the least-squares equations of the support
  signs <- sign(drop(crossprod(z[, on], target)))
  solved <- drop(solve(crossprod(z[, on]), crossprod(z[, on], target) - lambda * signs))
  residual <- target - z[, on] %*% solved
  expect_equal(abs(solved), w[on], tolerance = 1e-7)
  expect_lte(max(abs(crossprod(z, residual))), lambda * (1 + 1e-8))
  expect_identical(r$selected, r$statistic > 0)
})
