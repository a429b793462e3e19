test_that("Laplacian score equals the worked example", {
  x <- worked_x()
  score <- function(...) by_column(rank_laplacian(x, k = 2, scale = "none", ...))
  expect_equal(score(weights = "binary"), c(0.3212061619, 0.5946337926, 0.6713109563), tolerance = 1e-9)
  expect_equal(score(), c(0.1809182826, 0.3547980921, 0.7101557392), tolerance = 1e-9)
  expect_equal(score(bandwidth = "local"), c(0.2136592228, 0.4587508160, 0.5937782901), tolerance = 1e-9)
})

test_that("Laplacian score agrees with equation 2.6 written plainly", {
  set.seed(4)
  x <- matrix(rnorm(60 * 7), 60)
  W <- naive_graph(x, 3, 1)$W
  expect_equal(by_column(rank_laplacian(x, k = 3, bandwidth = 1, scale = "none")), naive_laplacian(x, W))
  W <- naive_graph(scale(x), 4)$W
  expect_equal(by_column(rank_laplacian(x, k = 4)), naive_laplacian(x, W))
  W <- naive_graph(x, 4, symmetrize = "mutual", weights = "binary")$W
  expect_equal(
    by_column(rank_laplacian(x, k = 4, symmetrize = "mutual", weights = "binary", scale = "none")),
    naive_laplacian(x, W)
  )
})

test_that("labels add an edge within a class, with its heat weight", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(1, 30, 60, 99, 140)] <- NA
  g <- naive_graph(x, 5)
  linked <- g$W
  for (p in list(c(1, 30), c(60, 99))) {
    linked[p[1], p[2]] <- linked[p[2], p[1]] <- exp(-g$d2[p[1], p[2]] / g$bandwidth)
  }
  expect_equal(by_column(rank_laplacian(x, y, scale = "none")), naive_laplacian(x, linked))
  expect_equal(by_column(rank_laplacian(x, y, link_labels = FALSE, scale = "none")), naive_laplacian(x, g$W))
})

test_that("an offset of 1e8 changes nothing, dense or sparse", {
  set.seed(5)
  x <- matrix(rnorm(50 * 6), 50)
  r <- by_column(rank_laplacian(x))
  expect_equal(by_column(rank_laplacian(x + 1e8)), r, tolerance = 1e-6)
  expect_equal(by_column(rank_laplacian(Matrix::Matrix(x + 1e8, sparse = TRUE))), r, tolerance = 1e-6)
})

test_that("the published iris order holds on the cosine graph", {
  x <- as.matrix(iris[1:4])
  order_at <- function(k) rank_laplacian(x, k = k, metric = "cosine", scale = "none", bandwidth = 0.1)$index
  for (k in c(3, 5, 10, 14)) expect_identical(order_at(k), c(4L, 3L, 1L, 2L))
  for (k in c(15, 17, 20, 30)) expect_identical(order_at(k), c(3L, 4L, 1L, 2L))
})

test_that("the indicator of a component scores 0, and a user's graph is taken as it is", {
  W <- methods::as(Matrix::bdiag(matrix(1, 3, 3) - diag(3), matrix(1, 4, 4) - diag(4)), "CsparseMatrix")
  x <- cbind(side = rep(0:1, c(3, 4)), other = c(1, 5, 2, 8, 3, 9, 4))
  r <- rank_laplacian(x, graph = W)
  expect_identical(r$feature[1], "side")
  expect_equal(r$statistic[1], 0)
  expect_equal(by_column(rank_laplacian(x, graph = 7 * W)), by_column(r))
})

test_that("a bandwidth at which every weight underflows is refused with advice", {
  set.seed(6)
  x <- matrix(rnorm(30 * 1000), 30)
  expect_error(rank_laplacian(x, bandwidth = 0.1), "bandwidth", class = "semiselect_error")
  expect_false(anyNA(rank_laplacian(x)$score))
})
