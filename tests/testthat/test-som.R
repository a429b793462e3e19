# The self-organizing map and Ward's clusters, against plain transcriptions and hclust().

plain_som <- function(x) {
  x <- as.matrix(x)
  u <- nrow(x)
  mean <- colMeans(x)
  centred <- sweep(x, 2, mean)
  e <- eigen(crossprod(centred) / u, symmetric = TRUE)
  l1 <- e$values[1]
  l2 <- if (ncol(x) > 1) max(e$values[2], 0) else 0
  K0 <- ceiling(5 * sqrt(u))
  ratio <- if (l1 == 0 || l2 * K0 < l1) 1 else sqrt(l1 / l2)
  half_up <- function(v) floor(v + 0.5)
  b <- min(max(half_up(sqrt(K0 / ratio)), 1), K0)
  a <- min(max(half_up(K0 / b), 1), K0)
  along <- function(side) if (side > 1) seq(-1, 1, length.out = side) else 0
  grid <- expand.grid(j = seq_len(b), i = seq_len(a))
  axis <- function(s) if (s <= ncol(x)) e$vectors[, s] else numeric(ncol(x))
  C <- outer(rep(1, a * b), mean) + outer(along(a)[grid$i] * sqrt(l1), axis(1)) +
    outer(along(b)[grid$j] * sqrt(l2), axis(2))
  K <- a * b
  t0 <- max(1, ceiling(max(a, b) / 8))
  t1 <- max(1, t0 / 4)
  steps <- function(from, to, n) if (n > 1) seq(from, to, length.out = n) else from
  radii <- c(steps(t0, t1, max(1, ceiling(10 * K / u))), steps(t1, 1, max(1, ceiling(40 * K / u))))
  dist <- abs(outer(grid$i, grid$i, "-")) + abs(outer(grid$j, grid$j, "-"))
  winner <- function() {
    apply(x, 1, function(row) which.min(colSums((t(C) - row)^2)))
  }
  for (T in radii) {
    unit <- winner()
    S <- matrix(0, K, ncol(x))
    for (i in seq_len(u)) S[unit[i], ] <- S[unit[i], ] + x[i, ]
    h <- exp(-dist^2 / (2 * T^2))
    C <- (h %*% S) / drop(h %*% tabulate(unit, K))
  }
  unit <- winner()
  list(prototypes = C, size = c(a, b), unit = unit,
       error = mean(sqrt(rowSums((x - C[unit, , drop = FALSE])^2))))
}

sorted <- function(m) {
  m <- unname(round(m, 9))
  m[do.call(order, as.data.frame(m)), , drop = FALSE]
}

test_that("the map equals the plain transcription, up to the mirror images of the grid", {
  set.seed(1)
  for (x in list(as.matrix(iris[1:4]), matrix(rnorm(300), 60), matrix(rnorm(400), 10),
                 matrix(rexp(30), 30), matrix(rnorm(700), 350) %*% diag(c(9, 1)))) {
    ours <- compress_som(x)
    plain <- plain_som(x)
    expect_equal(ours$size, plain$size)
    expect_equal(sorted(ours$prototypes), sorted(plain$prototypes), tolerance = 1e-7)
    expect_equal(ours$quantization_error, plain$error, tolerance = 1e-8)
    won <- ours$prototypes[ours$unit, , drop = FALSE]
    expect_equal(unname(won), unname(plain$prototypes[plain$unit, , drop = FALSE]),
                 tolerance = 1e-7)
    expect_equal(nrow(ours$prototypes), prod(ours$size))
  }
})

test_that("the map is near those of kohonen in how closely it represents the rows", {
  skip_if_not_installed("kohonen")
  x <- scale(as.matrix(iris[1:4]))
  ours <- compress_som(x)
  set.seed(1)
  grid <- kohonen::somgrid(ours$size[1], ours$size[2], "rectangular", "gaussian")
  # The same final radius: a map that may shrink to single units fits more closely.
  theirs <- kohonen::som(x, grid, radius = c(2, 1), rlen = 100, mode = "batch")
  codes <- theirs$codes[[1]]
  error <- mean(sqrt(rowSums((x - codes[theirs$unit.classif, ])^2)))
  expect_lt(ours$quantization_error, 1.1 * error)
  expect_gt(ours$quantization_error, 0.7 * error)
})

test_that("scaling, sparse rows, empty units and few rows", {
  set.seed(2)
  x <- matrix(rpois(600, 0.5), 100)
  expect_equal(compress_som(x, scale = "standardize")$prototypes,
               compress_som(scale(x))$prototypes, ignore_attr = TRUE)
  for (scale in c("none", "standardize", "unit")) {
    dense <- compress_som(x + 0.01 * seq_len(100) * (x > 0), scale = scale)
    sparse <- compress_som(Matrix::Matrix(x + 0.01 * seq_len(100) * (x > 0), sparse = TRUE),
                           scale = scale)
    expect_equal(sorted(sparse$prototypes), sorted(dense$prototypes), tolerance = 1e-6)
    expect_equal(sparse$quantization_error, dense$quantization_error)
  }
  all <- compress_som(x)
  used <- compress_som(x, keep_empty = FALSE)
  expect_equal(nrow(used$prototypes), length(unique(all$unit)))
  expect_equal(used$prototypes[used$unit, ], all$prototypes[all$unit, ])
  few <- compress_som(x[1:3, ])
  expect_equal(few$prototypes, x[1:3, ])
  expect_identical(few$quantization_error, 0)
  expect_error(compress_som("a"), class = "semiselect_error")
  expect_error(compress_som(x, keep_empty = NA), "`keep_empty`", class = "semiselect_error")
})

test_that("the map of the waveform is 25 x 14", {
  # The UCI set has 5000 rows, of which 8 are labelled in the thesis; its map was 26 x 14.
  set.seed(1)
  expect_equal(prod(compress_som(simulate_waveform(4992, noise = 19)$x)$size), 350, tolerance = 0.03)
})

# ---- Ward -------------------------------------------------------------------------------------

test_that("Ward's hierarchy is that of hclust(method = \"ward.D2\")", {
  control <- semiselect:::run_control()
  set.seed(3)
  for (size in list(c(50, 4), c(30, 80), c(200, 3))) {
    x <- matrix(rnorm(prod(size)), size[1])
    theirs <- hclust(dist(x), "ward.D2")
    for (K in c(2, 5, 11)) {
      ours <- semiselect:::ward_cpp(semiselect:::as_problem(x), control, K, 5)
      expect_equal(ours$height, theirs$height)
      expect_equal(ours$cluster, cutree(theirs, K))
    }
  }
})

test_that("the number of clusters has the smallest Davies-Bouldin index", {
  plain <- function(x, cluster) {
    K <- max(cluster)
    center <- t(sapply(seq_len(K), function(q) colMeans(x[cluster == q, , drop = FALSE])))
    s <- sapply(seq_len(K), function(q) {
      mean(sqrt(colSums((t(x[cluster == q, , drop = FALSE]) - center[q, ])^2)))
    })
    d <- as.matrix(dist(center))
    mean(sapply(seq_len(K), function(q) max(((s[q] + s) / d[q, ])[-q])))
  }
  control <- semiselect:::run_control()
  for (seed in 1:4) {
    set.seed(seed)
    x <- matrix(rnorm(240), 60) + 4 * rep(1:3, 20)
    tree <- hclust(dist(x), "ward.D2")
    index <- sapply(2:7, function(K) plain(x, cutree(tree, K)))
    ours <- semiselect:::ward_cpp(semiselect:::as_problem(x), control, 2, 7)
    expect_equal(ours$index, index)
    expect_equal(ours$chosen, cutree(tree, 1 + which.min(index)))
  }
})
