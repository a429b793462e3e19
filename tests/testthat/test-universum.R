# Sparsity, UVS, ULS and USS, and the generators of a Universum.

worked_universum <- function() rbind(c(2, 2, 5), c(5, 4, 4), c(3, 1, 6))

test_that("the sparsity score equals the worked example", {
  expect_equal(by_column(rank_sparsity(worked_x())), c(0.6710240782, 0.6164890022, 0.4471025413), tolerance = 1e-9)
})

# Largest violation of the lasso's optimality conditions, relative to lambda.
kkt <- function(z, S, rho, candidates = function(i) setdiff(seq_len(nrow(z)), i)) {
  G <- tcrossprod(z)
  max(vapply(seq_len(nrow(z)), function(i) {
    j <- candidates(i)
    if (length(j) == 0) return(sum(abs(S[i, ])))
    expect_true(all(S[i, -j] == 0))
    lambda <- rho * max(abs(G[i, j]))
    if (lambda == 0) return(sum(abs(S[i, ])))
    slope <- drop(G[j, i] - G[j, , drop = FALSE] %*% S[i, ])
    on <- S[i, j] != 0
    max(ifelse(on, abs(slope - lambda * sign(S[i, j])), pmax(abs(slope) - lambda, 0))) / lambda
  }, 0))
}

test_that("the weights of the sparsity score solve their lasso", {
  set.seed(8)
  for (p in c(4, 80)) {
    x <- matrix(rnorm(50 * p), 50)
    for (rho in c(0.01, 0.1, 0.6)) {
      S <- as.matrix(attr(rank_sparsity(x, rho = rho), "info")$weights)
      expect_lt(kkt(cbind(scale(x), 1), S, rho), 1e-8)
      S <- as.matrix(attr(rank_sparsity(x, rho = rho, affine = FALSE, scale = "none"), "info")$weights)
      expect_lt(kkt(x, S, rho), 1e-8)
    }
  }
  # 20 tied rows: the weights may be shared between copies, the score may not change
  x <- as.matrix(iris[c(1:30, 1:20), 1:4])
  r <- rank_sparsity(x)
  expect_lt(kkt(cbind(scale(x), 1), as.matrix(attr(r, "info")$weights), 0.1), 1e-8)
})

test_that("SS-1 and SS-2 are those of the residuals", {
  set.seed(9)
  x <- matrix(rexp(30 * 6), 30)
  r <- rank_sparsity(x, scale = "range")
  S <- as.matrix(attr(r, "info")$weights)
  z <- apply(x, 2, function(f) (f - min(f)) / diff(range(f)))
  expect_equal(by_column(r), colSums((z - S %*% z)^2))
  expect_equal(by_column(rank_sparsity(x, scale = "range", variant = 2)),
               colSums((z - S %*% z)^2) / apply(z, 2, function(f) mean((f - mean(f))^2)))
  expect_identical(rank_sparsity(x)$feature, rank_sparsity(x, variant = 2)$feature)
})

test_that("a penalty that allows no representation leaves the sum of squares", {
  expect_equal(by_column(rank_sparsity(worked_x(), rho = 1, scale = "none")), unname(colSums(worked_x()^2)))
  expect_equal(by_column(rank_sparsity(worked_x(), rho = 3, scale = "none")), unname(colSums(worked_x()^2)))
})

test_that("the unit of all data does not change the weights", {
  x <- worked_x()
  weights <- function(x) as.matrix(attr(rank_sparsity(x, affine = FALSE, scale = "none"), "info")$weights)
  expect_equal(weights(1000 * x), weights(x))
})

test_that("supervised sparsity stays within a class and with the labelled rows", {
  x <- worked_x()
  y <- c("a", "a", "a", "b", "b", "b", NA, "c")
  r <- rank_sparsity(x, y, supervised = TRUE, scale = "none")
  S <- as.matrix(attr(r, "info")$weights)
  same <- function(i) if (is.na(y[i])) integer() else setdiff(which(y == y[i]), i)
  expect_lt(kkt(cbind(x, 1), S, 0.1, same), 1e-8)
  known <- which(!is.na(y))
  expect_equal(by_column(r), unname(colSums((x - S %*% x)[known, ]^2)))
  expect_error(rank_sparsity(x, supervised = TRUE), "needs labels", class = "semiselect_error")
})

test_that("UVS, ULS and USS equal the worked example", {
  x <- worked_x()
  u <- worked_universum()
  expect_equal(by_column(rank_uvs(x, universum = u, scale = "none")),
               c(-12.17361111, -23.08506944, -3.932291667), tolerance = 1e-9)
  expect_equal(by_column(rank_uls(x, universum = u, k = 2, scale = "none")),
               c(-21.22294768, -27.02904063, -9.711978145), tolerance = 1e-9)
  expect_equal(by_column(rank_uss(x, universum = u, scale = "none")),
               c(-30.30082467, -36.56104673, -12.13662939), tolerance = 1e-9)
})

# Equation 6 without its base, as double sums.
naive_contrast <- function(x, u, alpha, beta, norm) {
  vapply(seq_len(ncol(x)), function(r) {
    between <- outer(u[, r], x[, r], "-")^2
    within <- outer(u[, r], u[, r], "-")^2
    alpha * mean(between) - beta * sum(within) / nrow(u)^(if (norm == "mean") 2 else 1)
  }, 0)
}

test_that("the closed forms are the double sums, in the scale of x", {
  set.seed(12)
  x <- matrix(rnorm(25 * 5), 25)
  u <- matrix(rnorm(9 * 5, 1), 9)
  low <- apply(x, 2, min)
  width <- apply(x, 2, max) - low
  zx <- sweep(sweep(x, 2, low), 2, width, "/")
  zu <- sweep(sweep(u, 2, low), 2, width, "/")
  variance <- apply(zx, 2, function(f) mean((f - mean(f))^2))
  for (norm in c("mean", "paper")) {
    contrast <- naive_contrast(zx, zu, 2, 3, norm)
    rank <- function(f, ...) by_column(f(x, universum = u, alpha = 2, beta = 3, beta_norm = norm, ...))
    expect_equal(rank(rank_uvs), contrast + variance, tolerance = 1e-12)
    expect_equal(rank(rank_uls), contrast - 2 * naive_laplacian(zx, naive_graph(zx, 5)$W))
    expect_equal(rank(rank_uss), contrast - by_column(rank_sparsity(x, scale = "range")))
  }
})

test_that("without weight on the Universum the base scores are left", {
  x <- worked_x()
  u <- worked_universum()
  base <- function(f, ...) by_column(f(x, universum = u, alpha = 0, beta = 0, ...))
  expect_equal(base(rank_uvs), by_column(rank_variance(x, scale = "range")))
  expect_equal(base(rank_uls, k = 2), -2 * by_column(rank_laplacian(x, k = 2, scale = "range")))
  expect_equal(base(rank_uss), -by_column(rank_sparsity(x, scale = "range")))
})

test_that("the rows of x as Universum: B and V are twice the variance", {
  x <- worked_x()
  v <- by_column(rank_variance(x))
  expect_equal(by_column(rank_uvs(x, universum = x, alpha = 1, beta = 0, scale = "none")), 3 * v)
  expect_equal(by_column(rank_uvs(x, universum = x, alpha = 0, beta = 1, scale = "none")), -v)
  one <- worked_universum()[1, , drop = FALSE]
  expect_equal(by_column(rank_uvs(x, universum = one, beta = 10)), by_column(rank_uvs(x, universum = one, beta = 0)))
})

test_that("a missing or ill-fitting Universum is refused with advice", {
  x <- worked_x()
  for (f in list(rank_uvs, rank_uls, rank_uss)) {
    expect_error(f(x), "universum_mean.*universum_rest.*universum_gene", class = "semiselect_error")
    expect_error(f(x, universum = x[, 1:2]), "3 column", class = "semiselect_error")
    expect_error(f(x, universum = worked_universum() * NA), "finite", class = "semiselect_error")
  }
})

test_that("universum_mean joins labelled rows of two classes", {
  x <- worked_x()
  y <- worked_y()
  set.seed(1)
  u <- universum_mean(x, y, 200, coef = 0.25)
  set.seed(1)
  expect_identical(universum_mean(x, y, 200, coef = 0.25), u)
  pairs <- rbind(expand.grid(a = 1:2, b = 4:5), expand.grid(a = 4:5, b = 1:2))
  all <- 0.25 * x[pairs$a, ] + 0.75 * x[pairs$b, ]
  keys <- function(m) apply(round(m, 8), 1, paste, collapse = " ")
  expect_setequal(unique(keys(u)), keys(all))  # every pair is drawn in 200 draws, nothing else
  expect_identical(colnames(u), colnames(x))
  expect_equal(as.matrix({set.seed(1); universum_mean(Matrix::Matrix(x, sparse = TRUE), y, 200, 0.25)}), u)
  expect_error(universum_mean(x, ifelse(y == "a", y, NA), 3), "two classes", class = "semiselect_error")
})

test_that("universum_rest takes the rows of other classes and says which", {
  x <- as.matrix(iris[1:4])
  u <- universum_rest(x, iris$Species, c("setosa", "virginica"))
  expect_identical(u$rows, c(1:50, 101:150))
  expect_equal(u$universum, x[c(1:50, 101:150), ])
  y <- iris$Species
  y[1:10] <- NA
  expect_identical(universum_rest(x, y, "setosa")$rows, 11:50)
  expect_error(universum_rest(x, y, "rose"), "no class \"rose\"", class = "semiselect_error")
})

test_that("universum_gene keeps the columns' moments or values, one by one", {
  set.seed(3)
  x <- cbind(a = rnorm(100, 5, 2), b = rexp(100), c = 7)
  u <- universum_gene(x, 20000)
  expect_equal(colMeans(u), colMeans(x), tolerance = 0.02)
  expect_equal(apply(u, 2, sd), apply(x, 2, sd), tolerance = 0.02)
  expect_lt(abs(cor(u[, "a"], u[, "b"])), 0.03)
  u <- universum_gene(x, 500, "permute")
  for (column in colnames(x)) expect_true(all(u[, column] %in% x[, column]))
  expect_gt(length(unique(u[, "a"])), 90)
  sparse <- Matrix::rsparsematrix(50, 6, 0.2)
  set.seed(4)
  dense <- universum_gene(as.matrix(sparse), 7)
  set.seed(4)
  expect_equal(universum_gene(sparse, 7), dense)
  expect_s4_class(universum_gene(sparse, 7, "permute"), "dgCMatrix")
  expect_identical(dim(universum_gene(sparse, 7, "permute")), c(7L, 6L))
})
