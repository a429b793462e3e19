# rank_relieff and rank_mrmr against their definitions written plainly.

naive_relieff <- function(x, y, k) {
  x <- x[!is.na(y), , drop = FALSE]
  y <- y[!is.na(y)]
  z <- apply(x, 2, function(f) if (diff(range(f)) > 0) (f - min(f)) / diff(range(f)) else 0 * f)
  share <- table(y) / length(y)
  w <- numeric(ncol(x))
  for (i in seq_along(y)) {
    gap <- abs(sweep(z, 2, z[i, ]))
    for (class in names(share)) {
      rows <- setdiff(which(y == class), i)
      rows <- head(rows[order(rowSums(gap)[rows])], k)
      if (length(rows) == 0) next
      factor <- if (class == y[i]) -1 else share[[class]] / (1 - share[[y[i]]])
      w <- w + factor * colMeans(gap[rows, , drop = FALSE])
    }
  }
  unname(w / length(y))
}

test_that("ReliefF equals the worked example", {
  y <- c("a", "a", "a", "b", "b", "b", "a", "b")
  expect_equal(by_column(rank_relieff(worked_x(), y, k = 2)), c(0.3125, 0.1875, -0.008928571), tolerance = 1e-7)
})

test_that("ReliefF agrees with its definition written plainly", {
  set.seed(22)
  x <- matrix(rnorm(70 * 9), 70)
  y <- sample(c("a", "b", "c", NA), 70, replace = TRUE, prob = c(4, 2, 1, 1))
  for (k in c(1, 4, 10, 60)) expect_equal(by_column(rank_relieff(x, y, k = k)), naive_relieff(x, y, k))
  y[which(y == "c")[-1]] <- NA  # a class of one row has no hits
  expect_equal(by_column(rank_relieff(x, y)), naive_relieff(x, y, 10))
  r <- rank_relieff(x, y)
  expect_true(all(abs(r$statistic) <= 1))
  expect_error(rank_relieff(x, ifelse(y == "a", y, NA)), "two classes", class = "semiselect_error")
})

test_that("ReliefF breaks exact ties by row, whatever the storage or the order of the columns", {
  set.seed(23)
  x <- matrix(sample(0:3, 60 * 30, replace = TRUE), 60) / 10
  y <- rep(c("a", "b"), 30)
  dense <- by_column(rank_relieff(x, y, k = 3))
  expect_equal(by_column(rank_relieff(Matrix::Matrix(x, sparse = TRUE), y, k = 3)), dense, tolerance = 1e-12)
  expect_equal(rev(by_column(rank_relieff(x[, 30:1], y, k = 3))), dense, tolerance = 1e-12)
})

information <- function(a, b) {
  joint <- table(a, b) / length(a)
  expected <- outer(rowSums(joint), colSums(joint))
  sum(ifelse(joint > 0, joint * log(joint / expected), 0))
}

naive_mrmr <- function(x, y, h, criterion = "MID", width = 1) {
  x <- x[!is.na(y), , drop = FALSE]
  y <- y[!is.na(y)]
  level <- apply(x, 2, function(f) {
    sd <- sqrt(mean((f - mean(f))^2))
    (f > mean(f) + width * sd) - (f < mean(f) - width * sd)
  })
  relevance <- apply(level, 2, information, y)
  statistic <- relevance
  picked <- integer()
  while (length(picked) < h) {
    mean_red <- vapply(seq_len(ncol(x)), function(f) {
      if (length(picked)) mean(apply(level[, picked, drop = FALSE], 2, information, level[, f])) else 0
    }, 0)
    value <- if (!length(picked)) relevance else if (criterion == "MID") relevance - mean_red else relevance / (mean_red + 0.01)
    value[picked] <- -Inf
    best <- which(value >= max(value) - 1e-12)[1]
    statistic[best] <- value[best]
    picked <- c(picked, best)
  }
  rest <- setdiff(order(-relevance), picked)
  list(order = unname(c(picked, rest)), statistic = unname(statistic))
}

test_that("mRMR agrees with its definition written plainly", {
  x <- as.matrix(cbind(iris[1:4], iris[1:4]^2, iris$Sepal.Length * iris$Petal.Width))
  colnames(x) <- letters[1:9]
  y <- as.character(iris$Species)
  y[c(3, 50, 77, 130)] <- NA
  for (criterion in c("MID", "MIQ")) for (width in c(1, 0.5)) for (h in c(1, 4, 9)) {
    r <- rank_mrmr(x, y, criterion, width = width, n_features = h)
    naive <- naive_mrmr(x, y, h, criterion, width)
    expect_equal(r$index[seq_len(h)], naive$order[seq_len(h)])
    expect_equal(by_column(r), naive$statistic)
    expect_identical(r$selected, seq_len(9) <= h)
    expect_equal(r$score, 9:1)
    expect_false(is.unsorted(-r$statistic[-seq_len(h)]))
  }
})

test_that("mRMR picks at most 50 by itself, and a copy of a picked feature last among equals", {
  set.seed(24)
  y <- rep(0:1, 40)
  x <- matrix(rnorm(80 * 60), 80)
  expect_identical(sum(rank_mrmr(x, y)$selected), 50L)
  expect_identical(attr(rank_mrmr(x, y), "params")$n_features, 50L)

  equal <- cbind(a = c(0, 0, 0, 1, 1, 1, 0, 1), copy = c(0, 0, 0, 1, 1, 1, 0, 1), b = c(0, 0, 1, 0, 1, 1, 0, 1))
  r <- rank_mrmr(equal, rep(0:1, each = 4), width = 0.5)
  expect_identical(r$feature, c("a", "b", "copy"))
})
