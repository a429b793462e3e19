random_rankings <- function(M, p, noise = 1) {
  base <- seq_len(p)
  lapply(seq_len(M), function(m) {
    x <- matrix(rnorm(20 * p), 20, p) * rep(base + noise * rnorm(p)^2, each = 20)
    rank_variance(x)
  })
}
value_of <- function(s, measure) s$value[s$measure == measure]

test_that("the four measures agree with naive transcriptions over all pairs", {
  set.seed(1)
  for (noise in c(1, 20)) {
    M <- 6
    p <- 15
    k <- 4
    rankings <- random_rankings(M, p, noise)
    got <- ranking_stability(rankings, n_features = k)
    expect_s3_class(got, "data.frame")
    expect_setequal(got$measure, c("kuncheva", "jaccard", "spearman", "nogueira"))
    sets <- lapply(rankings, function(r) r$index[1:k])
    pairs <- combn(M, 2)
    over <- function(f) mean(apply(pairs, 2, function(ij) f(sets[[ij[1]]], sets[[ij[2]]])))
    # Kuncheva (2007), definition 2
    expect_equal(value_of(got, "kuncheva"), over(function(a, b) {
      (length(intersect(a, b)) * p - k^2) / (k * (p - k))
    }))
    expect_equal(value_of(got, "jaccard"), over(function(a, b) {
      length(intersect(a, b)) / length(union(a, b))
    }))
    expect_equal(value_of(got, "spearman"), mean(apply(pairs, 2, function(ij) {
      a <- rankings[[ij[1]]]
      b <- rankings[[ij[2]]]
      d <- a$rank[order(a$index)] - b$rank[order(b$index)]
      1 - 6 * sum(d^2) / (p * (p^2 - 1))
    })))
    # Nogueira, Sechidis and Brown (2018), (4) and theorem 7, with sums written out
    Z <- t(sapply(sets, function(set) as.integer(seq_len(p) %in% set)))
    kbar <- mean(rowSums(Z))
    pf <- colSums(Z) / M
    denominator <- kbar / p * (1 - kbar / p)
    phi <- 1 - (1 / p * sum(M / (M - 1) * pf * (1 - pf))) / denominator
    phi_i <- sapply(1:M, function(i) {
      1 / denominator * (1 / p * sum(Z[i, ] * pf) - sum(Z[i, ]) * kbar / p^2 +
        phi / 2 * (2 * kbar * sum(Z[i, ]) / p^2 - sum(Z[i, ]) / p - kbar / p + 1))
    })
    v <- 4 / M^2 * sum((phi_i - mean(phi_i))^2)
    row <- got[got$measure == "nogueira", ]
    expect_equal(row$value, phi)
    expect_equal(c(row$lower, row$upper), phi + c(-1, 1) * qnorm(0.975) * sqrt(v))
    # equal sizes: the two corrected measures are one
    expect_equal(row$value, value_of(got, "kuncheva"))
  }
})

test_that("identical rankings agree fully, random ones not at all, on average", {
  set.seed(2)
  one <- random_rankings(1, 30)[[1]]
  same <- ranking_stability(list(one, one, one), n_features = 5)
  expect_equal(same$value, c(1, 1, 1, 1))
  expect_equal(same$lower[same$measure == "nogueira"], 1)
  chance <- replicate(200, {
    r <- lapply(1:5, function(i) {
      one$index <- sample(30)
      one$feature <- paste0("V", one$index)
      one
    })
    s <- ranking_stability(r, n_features = 5)
    c(value_of(s, "nogueira"), value_of(s, "kuncheva"), value_of(s, "spearman"))
  })
  # 10 pairs each: standard deviation of Spearman's mean 0.06, of the sets' 0.05, by root of 200
  expect_true(all(abs(rowMeans(chance)) < 0.02))
})

test_that("the interval of Nogueira et al. covers the truth about as often as it says", {
  set.seed(3)
  p <- 20
  inclusion <- rep(c(0.9, 0.1), c(4, 16))
  measure <- getFromNamespace("nogueira_measure", "semiselect")
  truth <- 1 - mean(inclusion * (1 - inclusion)) / (mean(inclusion) * (1 - mean(inclusion)))
  covered <- mean(replicate(400, {
    sets <- matrix(runif(60 * p) < rep(inclusion, each = 60), 60)
    m <- measure(sets)
    m[["lower"]] <= truth && truth <= m[["upper"]]
  }))
  expect_gt(covered, 0.90)
  expect_lt(covered, 0.99)
})

test_that("own selections of different sizes have no Kuncheva index", {
  d <- data.frame(a = rnorm(10), b = rnorm(10) * 5, c = rnorm(10) * 9)
  one <- rank_variance(d, n_features = 1)
  two <- rank_variance(d, n_features = 2)
  s <- ranking_stability(list(one, two))
  expect_true(is.na(value_of(s, "kuncheva")))
  expect_equal(value_of(s, "jaccard"), 0.5)
  expect_false(is.na(value_of(s, "nogueira")))
  # in column order whatever the order of columns was
  turned <- rank_variance(d[3:1])
  expect_equal(value_of(ranking_stability(list(rank_variance(d), turned), 1), "spearman"), 1)
})

test_that("what is no list of rankings is refused", {
  r <- rank_variance(iris[1:4])
  expect_error(ranking_stability(r), "list of rankings", class = "semiselect_error_input")
  expect_error(ranking_stability(list(r)), "at least two", class = "semiselect_error_input")
  expect_error(ranking_stability(list(r, 1)), "rankings\\[\\[2\\]\\]",
               class = "semiselect_error_input")
  expect_error(ranking_stability(list(r, rank_variance(iris[1:3]))), "same features",
               class = "semiselect_error_input")
  expect_error(ranking_stability(list(r, r), level = 1), class = "semiselect_error_input")
  expect_output(print(ranking_stability(list(r, r))), "2 rankings of 4 features.*nogueira")
})

planted <- function(n = 60, p = 30) {
  y <- rep(c("a", "b"), length.out = n)
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("g", seq_len(p))))
  x[, 1:3] <- x[, 1:3] + 2 * (y == "b")
  y[31:n] <- NA
  list(x = x, y = y)
}

test_that("frequencies are counted over halves of labelled and unlabelled rows", {
  set.seed(4)
  d <- planted()
  drawn <- list()
  spy <- function(x, y, ...) {
    drawn[[length(drawn) + 1]] <<- list(n = nrow(x), y = y)
    rank_fisher(x, y)
  }
  s <- stability_selection(d$x, d$y, spy, resamples = 20, n_features = 3, verbose = FALSE)
  expect_named(s, c("feature", "frequency"))
  expect_identical(nrow(s), 30L)
  expect_setequal(s$feature[1:3], c("g1", "g2", "g3"))
  expect_false(is.unsorted(-s$frequency))
  expect_equal(sum(s$frequency), 3)
  expect_length(drawn, 20)
  for (draw in drawn) {
    expect_identical(as.vector(table(draw$y)), c(7L, 7L))  # of 15 and 15
    expect_identical(sum(is.na(draw$y)), 15L)
  }
  counts <- table(factor(unlist(attr(s, "selections")), 1:30)) / 20
  expect_equal(s$frequency, as.vector(counts)[attr(s, "index")])
})

test_that("the bound is q^2 / ((2 pi - 1) p), where it holds", {
  set.seed(5)
  d <- planted()
  s <- stability_selection(d$x, d$y, "fisher", resamples = 10, n_features = 3, verbose = FALSE)
  at <- summary(s, threshold = 0.8)
  expect_equal(at$bound, 9 / (0.6 * 30))
  expect_equal(at$features$frequency, s$frequency[s$frequency >= 0.8])
  # by default the least threshold that bounds the false ones by one
  chosen <- summary(s, max_false = 1)
  expect_equal(chosen$threshold, (1 + 9 / 30) / 2)
  expect_equal(chosen$bound, 1)
  expect_true(is.na(summary(s, threshold = 0.5)$bound))
  expect_output(print(summary(s, threshold = 0.5)), "No bound.*not above 0.5")
  less <- stability_selection(d$x, d$y, "fisher", resamples = 4, n_features = 3, fraction = 0.7,
                              verbose = FALSE)
  expect_true(is.na(summary(less, threshold = 0.8)$bound))
  single <- replace(d$y, which(d$y == "b")[-1], NA)
  rare <- suppressWarnings(stability_selection(d$x, single, "laplacian", resamples = 4,
                                               n_features = 3, verbose = FALSE))
  expect_true(is.na(summary(rare, threshold = 0.8)$bound))
  expect_output(print(summary(rare, threshold = 0.8)), "single label")
})

test_that("on noise the number of false selections stays below its bound", {
  set.seed(6)
  counts <- replicate(15, {
    x <- matrix(rnorm(40 * 60), 40)
    y <- rep(c("a", "b"), 20)
    s <- stability_selection(x, y, "fisher", resamples = 30, n_features = 6, verbose = FALSE)
    sum(s$frequency >= 0.7)
  })
  expect_lt(mean(counts), 36 / (0.4 * 60))
})

test_that("settings, failures and bad input", {
  set.seed(7)
  d <- planted()
  s <- stability_selection(d$x, d$y, "cls", resamples = 5, n_features = 3, k = 4,
                           denominator = "cl", verbose = FALSE)
  expect_identical(attr(s, "settings")$method, "cls")
  expect_identical(attr(stability_selection(d$x, NULL, "variance", 3, verbose = FALSE),
                        "settings")$n_features, 3L)  # floor of the root of 30 / 2
  calls <- 0
  odd <- function(x, y, ...) {
    calls <<- calls + 1
    if (calls == 2) stop("not this one")
    rank_fisher(x, y)
  }
  expect_warning(f <- stability_selection(d$x, d$y, odd, 5, 3, verbose = FALSE),
                 "1 of 5 subsamples failed.*not this one", class = "semiselect_warning_failed")
  expect_equal(sum(f$frequency), 3)
  refused <- function(message, ...) {
    expect_error(stability_selection(d$x, d$y, ..., verbose = FALSE), message,
                 class = "semiselect_error_input")
  }
  refused("all 4 subsamples. The first: never", function(x, y) stop("never"), 4, 3)
  refused("no method", "clss")
  refused("no argument `kk`", "cls", 5, 3, kk = 2)
  refused("`resamples`", "cls", 1)
  refused("`fraction`", "cls", 5, 3, fraction = 1)
  expect_error(stability_selection(d$x, rep(NA, 60), "fisher", 5, 3, verbose = FALSE),
               "two classes", class = "semiselect_error_input")
  expect_error(stability_selection(d$x[1:3, ], d$y[1:3], "variance", 5, 3, verbose = FALSE),
               "too few", class = "semiselect_error_input")
  expect_warning(stability_selection(d$x, d$y, "variance", 3, 31, verbose = FALSE), "only 30")
})

test_that("stability is printed and drawn", {
  set.seed(8)
  d <- planted()
  s <- stability_selection(d$x, d$y, "fisher", 6, 3, verbose = FALSE)
  expect_output(print(s), "6 subsamples of 0.5 of 60 rows, 3 of 30 features.*and 20 more")
  expect_identical(class(tidy(s)), "data.frame")
  expect_identical(class(s[1:2, ]), "data.frame")
  r <- ranking_stability(random_rankings(3, 10), 3)
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(s))
  expect_invisible(plot(r))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(s)), "ggplot_built")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(r)), "ggplot_built")
})
