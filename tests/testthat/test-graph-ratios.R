# Worked example of the ratio criteria: 12 x 5, six labels, k = 3, binary.
ratio_x <- function() {
  matrix(c(
    7.0, -1.6, 1.4, 2.3, -0.3, 1.8, -1.0, -0.2, 2.0, 2.0, 2.2, 3.6, -1.3, 2.2, -0.6,
    4.6, 1.5, 0.8, 4.1, -0.1, 2.0, 2.5, 0.5, 2.4, -0.1, 2.5, 5.9, -1.3, 2.7, 0.6,
    4.1, 0.7, 1.9, 3.7, 0.1, 2.7, -1.8, 1.0, 1.8, -1.0, 2.3, 4.7, -1.4, 1.7, 0.0,
    4.9, 2.4, 1.7, 3.2, 0.7, 1.8, 0.1, 0.6, 3.7, -0.1, 1.2, 4.2, -3.5, 3.8, 0.3
  ), ncol = 5, byrow = TRUE, dimnames = list(NULL, paste0("x", 1:5)))
}
ratio_y <- function() c("a", "b", "c", "a", "b", "c", rep(NA, 6))

test_that("LSDF, TRCFS and trace ratio equal the worked example", {
  x <- ratio_x()
  y <- ratio_y()
  expect_equal(
    by_column(rank_fisher(x, y)), c(6.183361630, 1.948680172, 13.74901961, 0.5936073059, 0.5127334465),
    tolerance = 1e-9
  )
  expect_equal(
    by_column(rank_lsdf(x, y, k = 3, scale = "none")),
    c(0.1873452204, 0.07730832601, 0.3299228146, 0.03529502033, 0.03424702557), tolerance = 1e-9
  )
  expect_equal(
    by_column(rank_trcfs(x, y, alpha = 0.9, k = 3, scale = "none")),
    c(1.025762640, 1.531457696, 2.498644630, 0.1385546915, 0.1346443754), tolerance = 1e-9
  )
  expect_equal(
    by_column(rank_trcfs(x, y, k = 3, scale = "none")),
    c(0.9096639569, 1.502171536, 2.426392485, 0.1212622558, 0.1156939668), tolerance = 1e-9
  )
  fisher <- function(m) rank_trace_ratio(x, y, scale = "none", n_features = m)
  expect_equal(
    by_column(fisher(2)), c(-2.809901088, -70.43806133, 2.809901088, -11.94258160, -19.50990109),
    tolerance = 1e-9
  )
  trace <- function(r) attr(r, "info")$objective
  expect_equal(trace(fisher(1)), c(1.948680172, 6.183361630, 13.74901961, 13.74901961), tolerance = 1e-9)
  expect_equal(trace(fisher(2)), c(2.703591606, 7.137487636, 7.137487636), tolerance = 1e-9)
  expect_equal(trace(fisher(3)), c(2.980623586, 4.838626885, 4.838626885), tolerance = 1e-9)
  r <- rank_trace_ratio(x, criterion = "laplacian", weights = "binary", k = 3, scale = "none", n_features = 2)
  expect_equal(
    by_column(r), c(-112.7180956, 8.332383622, -8.332383622, -71.40481233, -68.89303958),
    tolerance = 1e-8
  )
  expect_equal(trace(r), c(2.694776540, 3.486597157, 3.486597157), tolerance = 1e-9)
  expect_equal(attr(r, "info")$lambda, 3.486597157, tolerance = 1e-9)
  expect_identical(r$selected, c(TRUE, TRUE, FALSE, FALSE, FALSE))
})

test_that("TRCFS returns the soft labels of the random walk", {
  F <- attr(rank_trcfs(ratio_x(), ratio_y(), alpha = 0.9, k = 3, scale = "none"), "info")$soft_labels
  expect_identical(colnames(F), c("a", "b", "c"))
  expect_equal(unname(F[7, ]), c(0.5909642322, 0.2182168648, 0), tolerance = 1e-9)
  expect_equal(unname(F[1:3, ]), diag(3))
})

test_that("LSDF agrees with the two graphs written plainly", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(1, 7, 30, 60, 71, 99, 120, 139, 140)] <- NA
  known <- !is.na(y)
  both <- outer(known, known)
  same <- outer(as.character(y), as.character(y), function(a, b) !is.na(a) & !is.na(b) & a == b)
  neighbors <- naive_graph(x, 5, weights = "binary")$W
  Sw <- 7 * same + neighbors * (1 - both)
  Sb <- both * !same
  diag(Sw) <- diag(Sb) <- 0
  form <- function(f, S) sum(S * outer(f, f, "-")^2) / 2
  naive <- apply(x, 2, function(f) form(f, Sb) / form(f, Sw))
  expect_equal(by_column(rank_lsdf(x, y, gamma = 7, scale = "none")), unname(naive))
})

test_that("with all rows labelled LSDF is 1 / (gamma CS1), and TRCFS the Fisher score", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  expect_equal(by_column(rank_lsdf(x, y)), 1 / (100 * by_column(rank_constraint(x, y))))
  expect_equal(by_column(rank_trcfs(x, y)), by_column(rank_fisher(x, y)))
  y[c(2:40, 52:99, 120:150)] <- NA
  expect_equal(by_column(rank_trcfs(x, y, alpha = 0)), by_column(rank_fisher(x, y)))
})

test_that("TRCFS agrees with weighted scatters written plainly, and is affine invariant", {
  x <- ratio_x()
  r <- rank_trcfs(x, ratio_y(), k = 3)
  F <- attr(r, "info")$soft_labels
  naive <- apply(x, 2, function(f) {
    mu_a <- colSums(F * f) / colSums(F)
    mu <- sum(F * f) / sum(F)
    total <- sum(rowSums(F) * (f - mu)^2)
    between <- sum(colSums(F) * (mu_a - mu)^2)
    between / (total - between) # S_b + S_w = total scatter
  })
  expect_equal(by_column(r), unname(naive))
  moved <- sweep(sweep(x, 2, c(3, -2, 1, 5, 0.1), "*"), 2, 1:5 * 10, "+")
  expect_equal(by_column(rank_trcfs(moved, ratio_y(), k = 3)), by_column(r))
})

test_that("trace ratio finds the best subset of every size", {
  set.seed(3)
  x <- matrix(rnorm(30 * 8), 30) %*% diag(c(1, 5, 0.2, 1, 3, 1, 1, 9))
  y <- factor(rep(1:3, 10))
  x[y == "2", 1:3] <- x[y == "2", 1:3] + 1
  a <- apply(x, 2, function(f) sum(10 * (tapply(f, y, mean) - mean(f))^2))
  b <- apply(x, 2, function(f) sum((f - ave(f, y))^2))
  for (m in 1:8) {
    sets <- combn(8, m)
    best <- apply(sets, 2, function(s) sum(a[s]) / sum(b[s]))
    r <- rank_trace_ratio(x, y, scale = "none", n_features = m)
    expect_equal(attr(r, "info")$lambda, max(best))
    expect_setequal(r$index[r$selected], sets[, which.max(best)])
  }
  # columns of equal scatter: the best Fisher scores, for every m
  z <- apply(x, 2, function(f) (f - mean(f)) / sqrt(sum((f - mean(f))^2)))
  fisher <- rank_fisher(z, y)$index
  for (m in 1:8) {
    expect_setequal(selected(rank_trace_ratio(z, y, scale = "none", n_features = m)), paste0("V", fisher[1:m]))
  }
})

test_that("trace ratio with a perfect feature ranks by single ratios, constants of the labels last", {
  set.seed(4)
  x <- matrix(rnorm(24), 8)
  x[, 2] <- rep(0:1, each = 4)
  x <- cbind(x, c(1, 1, 1, 1, 1, 1, 1, 2))
  y <- c("a", "a", "a", "a", "b", "b", "b", NA)
  r <- rank_trace_ratio(x, y, n_features = 1)
  expect_identical(r$index[c(1, 4)], c(2L, 4L))
  expect_identical(r$statistic[1], Inf)
  expect_true(is.na(r$score[4]))
})

test_that("one class is refused where the ratio has no meaning", {
  y <- c("a", "a", rep(NA, 10))
  expect_error(rank_lsdf(ratio_x(), y), "two classes", class = "semiselect_error")
  expect_error(rank_trace_ratio(ratio_x(), y), "two classes", class = "semiselect_error")
  expect_error(rank_trcfs(ratio_x(), y), "two classes", class = "semiselect_error")
  expect_s3_class(rank_trace_ratio(ratio_x(), criterion = "laplacian"), "feature_ranking")
  expect_error(rank_lsdf(ratio_x(), ratio_y(), gamma = -1), "gamma", class = "semiselect_error")
  expect_error(rank_trcfs(ratio_x(), ratio_y(), alpha = 1), "alpha", class = "semiselect_error")
})
