# rank_spec and rank_sselect against their definitions written plainly.

full_rbf <- function(z) {
  d2 <- Reduce(`+`, lapply(seq_len(ncol(z)), function(r) outer(z[, r], z[, r], "-")^2))
  lambda <- median(d2[upper.tri(d2)][d2[upper.tri(d2)] > 0])
  list(S = exp(-d2 / lambda), lambda = lambda)
}

class_similarity <- function(y) {
  same <- outer(y, y, "==")
  same[is.na(same)] <- FALSE
  same / ifelse(rowSums(same) > 0, rowSums(same), 1)
}

# All eigenvectors, as printed. v_1 is D^1/2 1; the others are orthogonal to it.
naive_spec <- function(x, S, phi, r, m = 2) {
  d <- rowSums(S)
  half <- ifelse(d > 0, 1 / sqrt(d), 0)
  N <- diag(as.numeric(d > 0)) - half * t(half * t(S))
  first <- sqrt(d) / sqrt(sum(d))
  e <- eigen(N + 3 * outer(first, first), symmetric = TRUE)
  last <- nrow(x)
  values <- pmax(rev(e$values)[-last], 0)
  vectors <- e$vectors[, last:2]
  unname(apply(x, 2, function(f) {
    h <- sqrt(d) * f
    h <- h / sqrt(sum(h^2))
    a2 <- drop(crossprod(vectors, h))^2
    switch(phi,
      sum(a2 * values^r),
      sum(a2 * values^r) / sum(a2),
      sum((2^r - values[seq_len(m - 1)]^r) * a2[seq_len(m - 1)])
    )
  }))
}

test_that("SPEC equals the worked example", {
  x <- worked_x()
  score <- function(...) by_column(rank_spec(x, scale = "none", ...))
  expect_equal(score(phi = 1), c(0.1962435969, 0.2204837867, 0.06875901815), tolerance = 1e-9)
  expect_equal(score(phi = 2, r = 4), c(0.05532206177, 0.1969349116, 0.2439585124), tolerance = 1e-9)
  expect_equal(score(phi = 3, n_eigen = 3), c(0.6910203816, 0.4396428470, 0.1015370532), tolerance = 1e-9)
  expect_equal(attr(rank_spec(x, scale = "none"), "info")$bandwidth, 29)
  expect_identical(attr(rank_spec(x, phi = 3), "direction"), "max")
  expect_identical(attr(rank_spec(x, phi = 1), "direction"), "min")
})

test_that("SPEC is the sum over eigenvectors for every phi, r and similarity", {
  set.seed(31)
  x <- matrix(rexp(40 * 5), 40)
  y <- rep(c("a", "b", "c", NA), 10)
  rbf <- full_rbf(scale(x))$S
  knn <- naive_graph(scale(x), 4)$W
  classes <- class_similarity(y)
  for (phi in 1:3) for (r in c(1, 2, 3, 1.5)) {
    expect_equal(by_column(rank_spec(x, phi = phi, r = r)), naive_spec(x, rbf, phi, r))
    expect_equal(by_column(rank_spec(x, y, phi = phi, r = r, similarity = "knn", k = 4)),
                 naive_spec(x, knn, phi, r, m = 3))
    # eigenvalue 0 on 3 classes and 10 rows without a label: all of them or none
    expect_equal(by_column(rank_spec(x, y, phi = phi, r = r, similarity = "class")),
                 naive_spec(x, classes, phi, r, m = 13))
  }
})

test_that("SPEC phi 2 with r = 1 is the Laplacian score on the same graph", {
  x <- as.matrix(iris[1:4])
  laplacian <- by_column(rank_laplacian(x, k = 7))
  expect_equal(by_column(rank_spec(x, similarity = "knn", k = 7)), laplacian)
  W <- naive_graph(scale(x), 7)$W
  expect_equal(by_column(rank_spec(x, graph = Matrix::Matrix(W, sparse = TRUE))), laplacian)
  # and on the full kernel, whose diagonal drops out of D - S
  expect_equal(by_column(rank_spec(x)), naive_laplacian(x, full_rbf(scale(x))$S))
})

test_that("SPEC by Lanczos agrees with all eigenvectors", {
  set.seed(5)
  x <- rbind(matrix(rnorm(300 * 4), 300), matrix(rnorm(320 * 4, 3), 320))
  r <- rank_spec(x, phi = 3, n_eigen = 4, scale = "none")
  expect_true(attr(r, "info")$converged)
  expect_equal(by_column(r), naive_spec(x, full_rbf(x)$S, 3, 1, m = 4), tolerance = 1e-7)
})

test_that("SPEC refuses what does not fit together", {
  x <- worked_x()
  expect_error(rank_spec(x, similarity = "class"), "needs labels", class = "semiselect_error")
  expect_error(rank_spec(x, phi = 4), "`phi` must be 1, 2 or 3", class = "semiselect_error")
  expect_error(rank_spec(x, r = 0), "`r`", class = "semiselect_error")
  expect_error(rank_spec(x, n_eigen = 1), "`n_eigen`", class = "semiselect_error")
  expect_error(rank_spec(x, bandwidth = 1e-9), "bandwidth", class = "semiselect_error")
  W <- Matrix::Matrix(naive_graph(x, 2)$W, sparse = TRUE)
  expect_error(rank_spec(x, graph = W, similarity = "rbf"), "knn", class = "semiselect_error")
})

test_that("SPEC keeps duplicates of rows out of its median", {
  x <- worked_x()
  expect_equal(attr(rank_spec(x[c(1:8, 8, 8), ], scale = "none"), "info")$bandwidth,
               full_rbf(x[c(1:8, 8, 8), ])$lambda)
})

nmi <- function(a, b) {
  joint <- table(a, b) / length(a)
  h <- function(q) -sum(q[q > 0] * log(q[q > 0]))
  both <- sqrt(h(rowSums(joint)) * h(colSums(joint)))
  if (both == 0) 0 else (h(rowSums(joint)) + h(colSums(joint)) - h(joint)) / both
}

test_that("sSelect equals the worked example", {
  r <- rank_sselect(worked_x(), worked_y(), k = 2, scale = "none")
  expect_equal(by_column(r), c(0.01809182826, 0.03547980921, 0.6599827470), tolerance = 1e-9)
})

test_that("sSelect agrees with equation 2.9 written plainly", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(1:5, 51:56, 101:107)] <- NA
  W <- naive_graph(x, 5)$W
  d <- rowSums(W)
  known <- !is.na(y)
  second <- apply(x, 2, function(f) 1 - nmi(f[known] >= sum(d * f) / sum(d), y[known]))
  for (eta in c(0, 0.1, 0.5)) {
    expect_equal(by_column(rank_sselect(x, y, eta = eta, scale = "none")),
                 eta * naive_laplacian(x, W) + (1 - eta) * unname(second))
  }
  expect_equal(by_column(rank_sselect(x, y, eta = 1)), by_column(rank_laplacian(x)))
})

test_that("sSelect without labels of two classes is the Laplacian score, with a warning", {
  x <- as.matrix(iris[1:4])
  expect_warning(r <- rank_sselect(x), "Laplacian", class = "semiselect_warning")
  expect_equal(by_column(r), 0.1 * by_column(rank_laplacian(x)) + 0.9)
  expect_warning(rank_sselect(x, c("a", rep(NA, 149))), "Laplacian", class = "semiselect_warning")
})

test_that("a perfect split of two classes leaves sSelect the graph term alone", {
  x <- cbind(split = rep(c(-1, 1), each = 6) + rep(c(0, 0.1, 0.2), 4), other = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8))
  y <- rep(c("a", "b"), each = 6)
  r <- rank_sselect(x, y, k = 2)
  expect_equal(by_column(r)[1], 0.1 * by_column(rank_laplacian(x, k = 2))[1])
  expect_true(all(r$statistic >= 0 & r$statistic <= 1.1))
})
