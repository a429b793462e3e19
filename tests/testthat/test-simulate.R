test_that("SENFS: ten correlated features that differ by 2 d between equal classes", {
  set.seed(1)
  data <- simulate_senfs(n = 20000, p = 14, rho = 0.6, d = 1.5)
  expect_identical(dim(data$x), c(20000L, 14L))
  expect_identical(data$relevant, 1:10)
  expect_identical(as.vector(table(data$y)), c(10000L, 10000L))
  means <- rowsum(data$x, data$y) / 10000
  expect_lt(max(abs(means["1", ] - rep(c(1.5, 0), c(10, 4)))), 0.05)
  expect_lt(max(abs(means["-1", ] - rep(c(-1.5, 0), c(10, 4)))), 0.05)
  within <- cor(data$x - 1.5 * outer(ifelse(data$y == "1", 1, -1), rep(1:0, c(10, 4))))
  expected <- diag(14)
  expected[1:10, 1:10] <- 0.6
  diag(expected) <- 1
  expect_lt(max(abs(within - expected)), 0.03)
  # Bayes error of the paper's setting (rho = 0.9, d = 1): 14.7 percent with the plain sum.
  data <- simulate_senfs(n = 20000, p = 10)
  wrong <- mean((rowSums(data$x) > 0) != (data$y == "1"))
  expect_lt(abs(wrong - 0.147), 0.01)
})

test_that("g50c: Bayes error of 5 percent, all features alike", {
  set.seed(2)
  data <- simulate_g50c(20000)
  expect_identical(ncol(data$x), 50L)
  expect_lt(abs(mean((rowSums(data$x) > 0) != (data$y == "1")) - 0.05), 0.006)
  expect_lt(max(abs(colMeans(data$x[data$y == "1", ]) - 0.2326)), 0.06)
})

test_that("g241c: centers 2.5 apart before the columns are standardized", {
  set.seed(3)
  data <- simulate_g241c(6000)
  expect_identical(dim(data$x), c(6000L, 241L))
  expect_equal(unname(apply(data$x, 2, sd)), rep(1, 241))
  difference <- colMeans(data$x[data$y == "1", ]) - colMeans(data$x[data$y == "-1", ])
  # 2.46 in the published file, after correction for sampling noise (2 / 3000 per column).
  expect_lt(abs(sqrt(sum(difference^2) - 241 * 2 / 3000) - 2.46), 0.1)
})

test_that("g241n: four clouds, the nearest of another class", {
  set.seed(4)
  data <- simulate_g241n(2000)
  expect_identical(as.vector(table(data$y)), c(1000L, 1000L))
  expect_equal(unname(apply(data$x, 2, sd)), rep(1, 241))
  # Along the axis between the clouds of the class 1 there are two groups of each class.
  axis <- prcomp(data$x, rank. = 1)$x[, 1]
  side <- axis > 0
  expect_true(all(abs(table(side, data$y) - 500) < 60))
  centers <- rowsum(data$x, paste(data$y, side)) / 500
  apart <- as.matrix(dist(centers))
  expect_lt(abs(apart["1 FALSE", "1 TRUE"] - 5.9), 0.5)
  expect_lt(abs(apart["1 TRUE", "-1 TRUE"] - 3.1), 0.4)
  expect_lt(abs(apart["1 FALSE", "-1 FALSE"] - 3.1), 0.4)
})

test_that("waveform: class means are the mixtures of two waves, noise columns are noise", {
  set.seed(5)
  data <- simulate_waveform(30000)
  expect_identical(dim(data$x), c(30000L, 40L))
  expect_identical(levels(data$y), c("0", "1", "2"))
  means <- rowsum(data$x, data$y) / as.vector(table(data$y))
  wave <- function(peak) c(pmax(6 - abs(1:21 - peak), 0), rep(0, 19))
  expected <- rbind(wave(7) + wave(15), wave(7) + wave(11), wave(11) + wave(15)) / 2
  expect_lt(max(abs(means - expected)), 0.06)
  expect_identical(data$relevant, which(colSums(expected) > 0))
  expect_identical(ncol(simulate_waveform(10, 0)$x), 21L)
})

test_that("the defaults are the papers' sizes and set.seed() repeats them", {
  sizes <- list(simulate_senfs = c(300L, 500L), simulate_g50c = c(550L, 50L),
                simulate_g241c = c(1500L, 241L), simulate_g241n = c(1500L, 241L),
                simulate_waveform = c(5000L, 40L))
  for (name in names(sizes)) {
    simulate <- get(name)
    set.seed(6)
    first <- simulate()
    expect_named(first, c("x", "y", "relevant"))
    expect_identical(dim(first$x), sizes[[name]])
    expect_length(first$y, nrow(first$x))
    set.seed(6)
    expect_identical(simulate(), first)
  }
})

test_that("impossible sizes are refused", {
  expect_error(simulate_senfs(p = 5), "`p`", class = "semiselect_error")
  expect_error(simulate_senfs(rho = 2), "`rho`", class = "semiselect_error")
  expect_error(simulate_g50c(0), "`n`", class = "semiselect_error")
  expect_error(simulate_waveform(noise = -1), "`noise`", class = "semiselect_error")
})
