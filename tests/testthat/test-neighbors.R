# The naive witness of helper-witness.R sums distances column by column, as the core must.

test_that("the worked example has its edges, bandwidth and local scales", {
  x <- worked_x()
  edges <- rbind(c(1, 2), c(1, 3), c(2, 3), c(2, 7), c(4, 5), c(4, 6), c(4, 8), c(5, 6), c(5, 8),
                 c(6, 7))
  W <- neighbor_graph(x, k = 2)
  expect_s4_class(W, "dgCMatrix")
  expect_true(Matrix::isSymmetric(W))
  found <- which(as.matrix(W) > 0, arr.ind = TRUE)
  found <- unname(found[found[, 1] < found[, 2], ])
  expect_equal(found[order(found[, 1], found[, 2]), ], edges)
  expect_equal(attr(W, "bandwidth_value"), 11.5)
  expect_identical(attr(W, "k"), 2L)
  expect_identical(attr(W, "bandwidth"), "median")
  expect_identical(attr(W, "metric"), "euclidean")
  expect_identical(attr(W, "scale"), "none")

  s <- sqrt(c(5, 11, 14, 8, 14, 12, 12, 50))
  d2 <- as.matrix(dist(x))^2
  local <- as.matrix(neighbor_graph(x, k = 2, bandwidth = "local"))
  expect_equal(local[edges], exp(-d2 / outer(s, s))[edges])
  expect_equal(as.matrix(neighbor_graph(Matrix::Matrix(x, sparse = TRUE), k = 2, bandwidth = "local")), local)
})

test_that("graphs equal the naive witness, dense and sparse", {
  set.seed(11)
  count <- matrix(rpois(70 * 5, 2), 70)
  for (x in list(matrix(rnorm(80 * 6), 80), count, count / 10, as.matrix(iris[1:4]))) {
    for (symmetrize in c("union", "mutual")) for (weights in c("heat", "binary")) {
      W <- naive_graph(x, 4, symmetrize = symmetrize, weights = weights)$W
      args <- list(k = 4, symmetrize = symmetrize, weights = weights)
      expect_equal(unname(as.matrix(do.call(neighbor_graph, c(list(x), args)))), W, ignore_attr = TRUE)
      sparse <- Matrix::Matrix(x, sparse = TRUE)
      expect_equal(unname(as.matrix(do.call(neighbor_graph, c(list(sparse), args)))), W, ignore_attr = TRUE)
    }
  }
})

test_that("scaled graphs are those of the scaled data", {
  set.seed(12)
  x <- matrix(rexp(60 * 4), 60) %*% diag(c(1, 10, 0.1, 3))
  unit <- x / sqrt(rowSums(x^2))
  range <- apply(x, 2, function(f) (f - min(f)) / (max(f) - min(f)))
  for (pair in list(list("standardize", scale(x)), list("range", range), list("unit", unit))) {
    W <- neighbor_graph(x, k = 3, scale = pair[[1]])
    expect_equal(as.matrix(W), naive_graph(pair[[2]], 3)$W, ignore_attr = TRUE)
  }
})

test_that("cosine distances and weights, rows of zeros included", {
  set.seed(13)
  x <- matrix(rnorm(50 * 5), 50)
  x[7, ] <- 0
  norm <- sqrt(rowSums(x^2))
  cosine <- tcrossprod(x) / outer(norm, norm)
  cosine[!is.finite(cosine)] <- 0
  cosine <- round(cosine, 12)
  near <- t(apply(2 - 2 * cosine + diag(Inf, 50), 1, function(d) rank(d, ties.method = "first") <= 4))
  edge <- near | t(near)
  W <- neighbor_graph(x, k = 4, metric = "cosine", weights = "cosine")
  expect_equal(as.matrix(W), pmax(cosine, 0) * edge, ignore_attr = TRUE)
  W <- neighbor_graph(Matrix::Matrix(x, sparse = TRUE), k = 4, metric = "cosine", bandwidth = 0.3)
  expect_equal(as.matrix(W), exp(-(2 - 2 * cosine) / 0.3) * edge, ignore_attr = TRUE)
})

test_that("neighbors agree with FNN", {
  skip_if_not_installed("FNN")
  set.seed(14)
  x <- matrix(rnorm(700 * 12), 700)
  near <- FNN::get.knn(x, 6, algorithm = "brute")$nn.index
  mine <- matrix(FALSE, 700, 700)
  mine[cbind(rep(1:700, 6), as.vector(near))] <- TRUE
  W <- neighbor_graph(x, k = 6, weights = "binary")
  expect_equal(as.matrix(W) == 1, mine | t(mine), ignore_attr = TRUE)
  expect_identical(W, neighbor_graph(x, k = 6, weights = "binary", threads = 1))
})

test_that("an offset of 1e8 changes no neighbor", {
  set.seed(15)
  x <- round(matrix(rnorm(90 * 6), 90) * 64) / 64
  expect_identical(neighbor_graph(x + 1e8), neighbor_graph(x))
  expect_equal(neighbor_graph(Matrix::Matrix(x + 1e8, sparse = TRUE)), neighbor_graph(x))
})

test_that("labels override the edges between labelled rows", {
  x <- rbind(c(-0.9, -0.8, -0.6, 0.5), c(0.4, -0.4, 0.3, 0.7), c(0.6, -1.3, 0.7, 1.6),
             c(-3.2, 0.1, 1.1, 0.3), c(1.5, -2, 0.5, 1.3), c(-0.3, -0.3, 0.5, -0.1),
             c(2.4, 0.6, 1.5, -1.2), c(0.4, -0.3, 0.6, -0.5), c(3.3, -0.4, 0.2, 1.8),
             c(2, 2.4, 1.2, 1.3), c(2, 0.4, 2, -0.7), c(1.6, 0.2, 0.6, 0.3))
  y <- c("a", "a", NA, NA, NA, NA, "b", "b", NA, NA, NA, NA)
  W <- as.matrix(neighbor_graph(x, k = 2, weights = "binary", y = y, eta = 10))
  tens <- rbind(c(1, 2), c(7, 8))
  ones <- rbind(c(1, 4), c(1, 6), c(2, 3), c(2, 5), c(2, 6), c(2, 12), c(3, 5), c(4, 6), c(5, 9),
                c(6, 8), c(7, 11), c(7, 12), c(8, 12), c(9, 12), c(10, 11), c(10, 12), c(11, 12))
  expected <- matrix(0, 12, 12)
  expected[tens] <- 10
  expected[ones] <- 1
  expect_equal(W, expected + t(expected), ignore_attr = TRUE)

  expect_error(neighbor_graph(x, k = 2, y = y), "eta", class = "semiselect_error_input")
  expect_error(neighbor_graph(x, k = 2, eta = 10), "`y`", class = "semiselect_error_input")
  expect_error(neighbor_graph(x, k = 2, y = y, eta = 0), "eta", class = "semiselect_error_input")
  many <- matrix(0, 7100, 1)
  many[1] <- 1
  expect_error(neighbor_graph(many, y = rep("a", 7100), eta = 10), "implicit",
               class = "semiselect_error")
})

test_that("a graph serves in place of its arguments", {
  set.seed(16)
  x <- matrix(rnorm(60 * 5), 60)
  W <- neighbor_graph(scale(x), k = 4, bandwidth = "local")
  expect_equal(rank_laplacian(x, graph = W)$statistic,
               rank_laplacian(x, k = 4, bandwidth = "local")$statistic)
})

test_that("k is clipped with a warning and vanishing weights are refused or told", {
  x <- matrix(c(0, 1, 100, 300, 700), 5)
  expect_warning(W <- neighbor_graph(x, k = 9, weights = "binary"), "k = 4")
  expect_identical(attr(W, "k"), 4L)
  expect_equal(sum(W), 20)
  expect_error(neighbor_graph(x, k = 1, bandwidth = 1e-6), "Raise `bandwidth`",
               class = "semiselect_error")
  expect_warning(neighbor_graph(x, k = 1, bandwidth = 1), "3 of 4", class = "semiselect_warning")
  expect_error(neighbor_graph(x, k = 0), "`k`", class = "semiselect_error_input")
})

test_that("an approximate search repeats with the seed, measures itself and is nearly exact", {
  set.seed(17)
  x <- sin(matrix(rnorm(2500 * 3), 2500) %*% matrix(rnorm(3 * 12), 3))
  exact <- neighbor_graph(x, weights = "binary")
  expect_identical(attr(exact, "search"), "exact")
  expect_identical(attr(exact, "recall"), 1)
  near <- function(seed, ...) {
    set.seed(seed)
    neighbor_graph(x, weights = "binary", search = "approximate", ...)
  }
  W <- near(1)
  expect_identical(attr(W, "search"), "approximate")
  expect_gt(attr(W, "recall"), 0.97)
  expect_gt(sum(W * exact) / sum(exact), 0.97)
  expect_identical(near(1, threads = 1), W)
  rough <- matrix(rnorm(3000 * 150), 3000)
  expect_warning(neighbor_graph(rough, search = "approximate"), "approximate search",
                 class = "semiselect_warning")
})

test_that("an exact search leaves R's generator alone", {
  set.seed(18)
  before <- .Random.seed
  neighbor_graph(worked_x(), k = 2)
  expect_identical(.Random.seed, before)
})
