test_that("constraint scores, SC4 and CLS equal the worked example", {
  x <- worked_x()
  y <- worked_y()
  expect_equal(by_column(rank_constraint(x, y)), c(0.05813953488, 0, 1 / 3), tolerance = 1e-9)
  expect_equal(by_column(rank_constraint(x, y, score = 2, scale = "none")), c(-3.6, -6.4, 5.6))
  expect_equal(by_column(rank_sc4(x, y, k = 2, scale = "none")), c(0.0105185048, 0, 0.2367185797), tolerance = 1e-8)
  cls <- function(...) by_column(rank_cls(x, y, k = 2, scale = "none", ...))
  expect_equal(cls(), c(0.02367021493, 0.04669133652, 0.1200857947), tolerance = 1e-9)
  expect_equal(cls(denominator = "cl"), c(0.0371404056, 0.07132343228, 0.2498945577), tolerance = 1e-8)
})

test_that("class sums equal sums over listed pairs, and explicit pairs the labels that imply them", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(3, 9, 20, 55, 60, 101, 130, 131)] <- NA
  p <- naive_pairs(y)
  ml <- apply(x, 2, pair_sum, p$must_link)
  cl <- apply(x, 2, pair_sum, p$cannot_link)
  expect_equal(by_column(rank_constraint(x, y)), unname(ml / cl))
  expect_equal(by_column(rank_constraint(x, y, score = 2, nu = 0.3, scale = "none")), unname(ml - 0.3 * cl))
  z <- scale(x)
  expect_equal(
    by_column(rank_constraint(x, y, score = 2)),
    unname(apply(z, 2, pair_sum, p$must_link) - 0.1 * apply(z, 2, pair_sum, p$cannot_link))
  )
  pairs <- pairwise_constraints(p$must_link, p$cannot_link)
  expect_equal(by_column(rank_constraint(x, constraints = pairs)), unname(ml / cl))
  # some of the pairs, not a complete set of classes
  some <- pairwise_constraints(rbind(c(1, 2), c(60, 61)), rbind(c(1, 60), c(2, 140), c(10, 11)))
  closed <- pairwise_constraints(some$must_link, some$cannot_link, close = TRUE)
  expect_equal(
    by_column(rank_constraint(x, constraints = some)),
    unname(apply(x, 2, pair_sum, closed$must_link) / apply(x, 2, pair_sum, closed$cannot_link))
  )
})

test_that("CS1 = 1 / (1 + 2 FS) with all pairs of two classes of equal size", {
  x <- as.matrix(iris[1:100, 1:4])
  y <- droplevels(iris$Species[1:100])
  # sum_ML = n SS_within, sum_CL = n SS_within + 2 n SS_between
  expect_equal(by_column(rank_constraint(x, y)), 1 / (1 + 2 * by_column(rank_fisher(x, y))))
})

test_that("constraint scores refuse or warn where a kind of pair is missing", {
  x <- worked_x()
  one <- c("a", "a", rep(NA, 6))
  expect_error(rank_constraint(x, one), "no cannot-link pair", class = "semiselect_error")
  expect_error(rank_sc4(x, one), "no cannot-link pair", class = "semiselect_error")
  expect_error(rank_constraint(x, c("a", "b", rep(NA, 6))), "no must-link pair", class = "semiselect_error")
  expect_warning(rank_constraint(x, one, score = 2), "cannot-link")
  expect_error(rank_constraint(x), class = "semiselect_error")
})

test_that("SC4 is the Laplacian score times CS1", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(3, 9, 55, 60, 101, 130)] <- NA
  expect_equal(
    by_column(rank_sc4(x, y)),
    by_column(rank_laplacian(x)) * by_column(rank_constraint(x, y))
  )
})

# Half of the double sum (3.1) with (3.3), row by row.
naive_cls <- function(x, W, cannot_link) {
  n <- nrow(x)
  CL <- matrix(FALSE, n, n)
  CL[rbind(cannot_link, cannot_link[, 2:1])] <- TRUE
  d <- rowSums(W)
  unname(apply(x, 2, function(f) {
    mu <- sum(d * f) / sum(d)
    den <- 0
    for (j in which(rowSums(CL) > 0)) den <- den + sum(d * (f - ifelse(CL[, j], f[j], mu))^2)
    sum(W * outer(f, f, "-")^2) / 2 / den
  }))
}

test_that("CLS equals the double sum over rows and cannot-links", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  y[-c(3, 9, 20, 55, 71, 84, 101, 139, 134)] <- NA
  extra <- pairwise_constraints(rbind(c(30, 31)), rbind(c(40, 90), c(31, 41)))
  closed <- pairwise_constraints(
    rbind(extra$must_link, naive_pairs(y)$must_link),
    rbind(extra$cannot_link, naive_pairs(y)$cannot_link),
    close = TRUE
  )
  g <- naive_graph(x, 10)
  W <- g$W
  ml <- closed$must_link
  W[rbind(ml, ml[, 2:1])] <- exp(-g$d2[rbind(ml, ml[, 2:1])] / g$bandwidth)
  kept <- W
  kept[rbind(closed$cannot_link, closed$cannot_link[, 2:1])] <- 0
  expect_gt(sum(W > 0), sum(kept > 0)) # some cannot-linked rows are neighbors
  cls <- function(...) by_column(rank_cls(x, y, extra, scale = "none", ...))
  expect_equal(cls(), naive_cls(x, kept, closed$cannot_link), tolerance = 1e-10)
  expect_equal(cls(drop_cl_edges = FALSE), naive_cls(x, W, closed$cannot_link), tolerance = 1e-10)
})

test_that("CLS without cannot-links is the Laplacian score", {
  x <- as.matrix(iris[1:4])
  expect_equal(by_column(rank_cls(x, k = 5)), by_column(rank_laplacian(x)))
  y <- c("a", "a", "a", rep(NA, 147))
  expect_equal(by_column(rank_cls(x, y, k = 5)), by_column(rank_laplacian(x, y)))
})

test_that("CLS gives the published iris order", {
  x <- as.matrix(iris[1:4])
  set.seed(11)
  for (k in c(1, 5, 10, 20)) {
    y <- iris$Species
    y[-sample(150, 10)] <- NA
    expect_identical(rank_cls(x, y, k = k, scale = "none")$index, c(3L, 4L, 1L, 2L))
  }
})

test_that("CLS puts the noise columns of the waveform last", {
  set.seed(12)
  w <- simulate_waveform(800, 19)
  y <- w$y
  y[-c(1:10)] <- NA
  # columns 1 and 21 carry no signal either: both base waves are 0 there
  expect_setequal(rank_cls(w$x, y)$index[1:19], 2:20)
})
