# wCKM, L2GFS and the constrained k-means they are compared with.

example <- list(
  x = rbind(c(0, 0), c(1, 0), c(0, 2), c(4, 1), c(5, 3), c(4, 0)),
  y = c("a", NA, "a", "b", NA, NA)
)
start <- example$x[c(2, 5), ]

in_columns <- function(r) r[order(r$index), ]
info_of <- function(r) attr(r, "info")

# ---- plain transcriptions, as witnesses -------------------------------------------------------

# min sum a^2 D + P a on the simplex by trying every support.
plain_membership <- function(D, P) {
  K <- length(D)
  best <- NULL
  for (code in seq_len(2^K - 1)) {
    S <- which(bitwAnd(code, 2^(seq_len(K) - 1)) > 0)
    kappa <- (1 + sum(P[S] / (2 * D[S]))) / sum(1 / (2 * D[S]))
    a <- replace(numeric(K), S, (kappa - P[S]) / (2 * D[S]))
    if (any(a < -1e-12)) next
    value <- sum(a^2 * D + P * a)
    if (is.null(best) || value < best$value) best <- list(a = a, value = value)
  }
  best$a
}

# wCKM of the specification (3.3), one run, all pairs listed.
plain_wckm <- function(x, ml, cl, C, w, beta, lambda, iterations) {
  n <- nrow(x)
  K <- nrow(C)
  constrained <- sort(unique(c(ml, cl)))
  A <- NULL
  trace <- numeric()
  for (t in seq_len(iterations)) {
    D <- sapply(seq_len(K), function(q) colSums(w^beta * (t(x) - C[q, ])^2))
    D <- pmax(D, 1e-12 * mean(D))
    free <- (1 / D) / rowSums(1 / D)
    A <- if (t == 1) free else { A[-constrained, ] <- free[-constrained, ]; A }
    if (!length(constrained)) A <- free
    for (i in constrained) {
      mates <- c(ml[ml[, 1] == i, 2], ml[ml[, 2] == i, 1])
      foes <- c(cl[cl[, 1] == i, 2], cl[cl[, 2] == i, 1])
      P <- lambda * (colSums(1 - A[mates, , drop = FALSE]) + colSums(A[foes, , drop = FALSE]))
      A[i, ] <- plain_membership(D[i, ], P)
    }
    C <- crossprod(A^2, x) / colSums(A^2)
    S <- rowSums(sapply(seq_len(K), function(q) colSums(A[, q]^2 * t(t(x) - C[q, ])^2)))
    w <- S^(1 / (1 - beta)) / sum(S^(1 / (1 - beta)))
    broken <- c(sum(1 - rowSums(A[ml[, 1], , drop = FALSE] * A[ml[, 2], , drop = FALSE])),
                sum(A[cl[, 1], ] * A[cl[, 2], ]))
    trace <- c(trace, sum(w^beta * S) + lambda * sum(broken))
  }
  list(A = A, C = C, w = w, F = trace, broken = broken)
}

mixture <- function(n = 60, p = 5, seed = 3) {
  set.seed(seed)
  y <- rep(c("a", "b", "c"), length.out = n)
  x <- matrix(rnorm(n * p), n, p) %*% diag(seq(1, 2, length.out = p))
  x[, 1:2] <- x[, 1:2] + 3 * cbind(y == "b", y == "c")
  few <- y
  few[-(1:12)] <- NA
  list(x = x, y = few, full = y)
}

# ---- wCKM -------------------------------------------------------------------------------------

test_that("wckm equals its worked example", {
  r <- rank_wckm(example$x, example$y, init = start, max_iter = 2, tol = -1)
  expect_equal(in_columns(r)$statistic, c(0.3244729944, 0.6755270056), tolerance = 1e-9)
  expect_equal(info_of(r)$objective, c(11.7921156096, 9.1020708321), tolerance = 1e-10)
  expect_equal(unlist(info_of(r)$violations[1, ], use.names = FALSE),
               c(0.1525001522, 0.6304718994), tolerance = 1e-8)
  one <- rank_wckm(example$x, example$y, init = start, max_iter = 1, tol = -1)
  expect_equal(info_of(one)$memberships[, 1],
               c(0.9849009372, 1, 0.8583204539, 0.2808831082, 0, 0.5263157895), tolerance = 1e-9)
  expect_identical(attr(one, "params")$restarts, 1L)
  expect_identical(info_of(one)$cluster_names, c("a", "b"))
})

test_that("wckm equals the plain transcription, from labels and from listed pairs", {
  d <- mixture()
  pairs <- constraints_from_labels(d$y)
  # Not at constrained rows: the multiplier of the witness cancels where a distance is at its floor.
  C <- d$x[c(13, 20, 40), ]
  for (beta in c(-0.1, -2, 1.5)) for (lambda in c(0, 1, 20)) {
    plain <- plain_wckm(d$x, pairs$must_link, pairs$cannot_link, C, rep(0.2, 5), beta, lambda, 6)
    r <- rank_wckm(d$x, d$y, init = C, beta = beta, lambda = lambda, max_iter = 6, tol = -1)
    expect_equal(in_columns(r)$statistic, plain$w)
    expect_equal(info_of(r)$memberships, plain$A)
    expect_equal(info_of(r)$centroids, plain$C, ignore_attr = TRUE)
    expect_equal(info_of(r)$objective, plain$F)
    listed <- rank_wckm(d$x, constraints = pairs, n_clusters = 3, init = C, beta = beta,
                        lambda = lambda, max_iter = 6, tol = -1)
    expect_equal(listed$statistic, r$statistic)
  }
})

test_that("wckm accepts contradictory pairs, and counts a pair once", {
  d <- mixture()
  odd <- pairwise_constraints(must_link = rbind(c(1, 2), c(20, 21)), cannot_link = c(1, 2))
  C <- d$x[c(13, 30, 40), ]
  labels <- constraints_from_labels(d$y)
  plain <- plain_wckm(d$x, rbind(labels$must_link, c(1, 2), c(20, 21)), labels$cannot_link, C,
                      rep(0.2, 5), -0.1, 1, 4)
  r <- rank_wckm(d$x, d$y, odd, init = C, max_iter = 4, tol = -1)
  expect_equal(in_columns(r)$statistic, plain$w)
})

test_that("wckm without constraints starts as fuzzy c-means", {
  d <- mixture()
  C <- d$x[c(1, 20, 40), ]
  r <- rank_wckm(d$x, n_clusters = 3, init = C, max_iter = 1, tol = -1)
  D <- sapply(1:3, function(q) rowSums(sweep(d$x, 2, C[q, ])^2))
  expect_equal(info_of(r)$memberships[-c(1, 20, 40), ],
               ((1 / D) / rowSums(1 / D))[-c(1, 20, 40), ])
  expect_identical(as.data.frame(rank_wckm(d$x, d$y, init = C, lambda = 0)),
                   as.data.frame(rank_wckm(d$x, n_clusters = 3, init = C)))
})

test_that("a large lambda keeps the classes of wckm together and apart", {
  d <- mixture()
  r <- rank_wckm(d$x, d$y, init = "labels", lambda = 1e4)
  cluster <- info_of(r)$cluster
  by_class <- tapply(cluster[1:12], d$y[1:12], function(q) length(unique(q)))
  expect_true(all(by_class == 1))
  expect_identical(info_of(r)$cluster_names[cluster[1:12]], d$y[1:12])
  expect_identical(generics::augment(r)$cluster[1:12], d$y[1:12])
})

test_that("the scale of the penalty follows the variances", {
  d <- mixture()
  x <- 100 * d$x
  v <- colMeans(sweep(x, 2, colMeans(x))^2)
  a <- rank_wckm(x, d$y, init = "labels", penalty_scale = "variance", beta = -0.5)
  b <- rank_wckm(x, d$y, init = "labels", lambda = 5^0.5 * sum(v), beta = -0.5)
  expect_equal(a$statistic, b$statistic)
  expect_equal(info_of(a)$objective, info_of(b)$objective)
})

test_that("wckm keeps its symmetries", {
  d <- mixture()
  C <- d$x[c(1, 20, 40), ]
  r <- rank_wckm(d$x, d$y, init = C)
  turned <- rank_wckm(d$x[, 5:1], d$y, init = C[, 5:1])
  expect_equal(in_columns(turned)$statistic[5:1], in_columns(r)$statistic)
  rows <- c(1:12, 60:13)
  expect_equal(rank_wckm(d$x[rows, ], d$y[rows], init = C)$statistic, r$statistic)
  free <- rank_wckm(d$x, n_clusters = 3, init = C)
  scaled <- rank_wckm(7 * d$x, n_clusters = 3, init = 7 * C)
  expect_equal(scaled$statistic, free$statistic)
  expect_equal(info_of(scaled)$objective, 49 * info_of(free)$objective)
  a <- rank_wckm(d$x, d$y, init = C, scale = "standardize")
  b <- rank_wckm(7 * d$x + 3, d$y, init = 7 * C + 3, scale = "standardize")
  expect_equal(a$statistic, b$statistic)
  expect_equal(7 * info_of(a)$centroids + 3, info_of(b)$centroids)
})

test_that("relevance falls with the dispersion, weight rises with it if beta < 1", {
  d <- mixture()
  C <- d$x[c(1, 20, 40), ]
  for (beta in c(-2, -0.1, 1.5, 4)) {
    w <- in_columns(rank_wckm(d$x, d$y, init = C, beta = beta))$statistic
    relevance <- in_columns(rank_wckm(d$x, d$y, init = C, beta = beta,
                                      statistic = "relevance"))$statistic
    expect_equal(relevance, if (beta > 1) w else w^beta / sum(w^beta))
    r <- rank_wckm(d$x, d$y, init = C, beta = beta)
    A <- info_of(r)$memberships
    C_end <- info_of(r)$centroids
    S <- sapply(1:5, function(j) sum(A^2 * outer(d$x[, j], C_end[, j], "-")^2))
    expect_identical(order(S), if (beta < 1) order(w) else order(-w))
    expect_identical(order(S), order(-relevance))
  }
})

test_that("runs are averaged, or the best is taken; what is random follows the seed", {
  d <- mixture()
  set.seed(5)
  mean_of_ten <- rank_wckm(d$x, d$y, restarts = 4, init_weights = "random", threads = 1)
  set.seed(5)
  expect_identical(as.data.frame(rank_wckm(d$x, d$y, restarts = 4, init_weights = "random",
                                           threads = 2)), as.data.frame(mean_of_ten))
  set.seed(5)
  single <- lapply(1:4, function(run) {
    in_columns(rank_wckm(d$x, d$y, restarts = 1, init_weights = "random"))
  })
  expect_equal(in_columns(mean_of_ten)$statistic, rowMeans(sapply(single, `[[`, "statistic")))
  set.seed(5)
  best <- rank_wckm(d$x, d$y, restarts = 4, init_weights = "random", combine = "best")
  winner <- which.min(info_of(best)$objective_by_start)
  expect_equal(in_columns(best)$statistic, single[[winner]]$statistic)
})

test_that("the noise of the waveform falls where the errata say", {
  set.seed(11)
  d <- simulate_waveform(600, noise = 19)
  noise <- c(1, 21:40)
  y <- rep(NA, 600)
  few <- unlist(lapply(split(seq_along(d$y), d$y), head, 3))
  y[few] <- as.character(d$y[few])
  set.seed(1)
  raw <- rank_wckm(d$x, y, restarts = 3)
  expect_gte(sum(tail(raw$index, 19) %in% noise), 17)
  set.seed(1)
  scaled <- rank_wckm(d$x, y, restarts = 3, scale = "standardize", statistic = "relevance")
  expect_gte(sum(tail(scaled$index, 19) %in% noise), 17)
  # The printed order on standardized data: noise first (erratum E1).
  set.seed(1)
  printed <- rank_wckm(d$x, y, restarts = 3, scale = "standardize")
  expect_gte(sum(head(printed$index, 19) %in% noise), 17)
  set.seed(1)
  local <- rank_l2gfs(d$x, y, restarts = 3)
  expect_gte(sum(tail(local$index, 19) %in% noise), 17)
})

test_that("a fit whose memberships collapse says so when printed", {
  set.seed(1)
  x <- matrix(rnorm(40 * 3000), 40)
  y <- c("a", "b", rep(NA, 38))
  r <- rank_wckm(x, y, restarts = 1)
  expect_lt(info_of(r)$fuzziness, 0.01)
  expect_match(paste(capture.output(print(r)), collapse = " "), "collapsed.*variance")
  expect_gt(stats::cor(in_columns(r)$statistic, apply(x, 2, var), method = "spearman"), 0.99)
})

test_that("relevance on standardized data finds the planted features", {
  data <- toy()
  for (rank in list(rank_wckm, rank_l2gfs)) {
    set.seed(7)
    r <- rank(data$x, data$y, scale = "standardize", statistic = "relevance")
    expect_setequal(r$feature[1:2], data$planted)
  }
})

# ---- L2GFS ------------------------------------------------------------------------------------

# Lloyd steps with the local weights, for rows without constraints.
plain_l2gfs <- function(x, C, beta, tau, iterations) {
  n <- nrow(x)
  K <- nrow(C)
  v <- colMeans(sweep(x, 2, colMeans(x))^2)
  w <- matrix(1 / ncol(x), K, ncol(x))
  trace <- numeric()
  for (t in seq_len(iterations)) {
    D <- sapply(seq_len(K), function(q) colSums(w[q, ]^beta * ((t(x) - C[q, ])^2 + tau * v)))
    lab <- max.col(-D, ties.method = "first")
    for (q in seq_len(K)) C[q, ] <- colMeans(x[lab == q, , drop = FALSE])
    S <- t(sapply(seq_len(K), function(q) rowSums((t(x[lab == q, , drop = FALSE]) - C[q, ])^2)))
    size <- tabulate(lab, K)
    St <- S + size %o% (tau * v)
    w <- St^(1 / (1 - beta)) / rowSums(St^(1 / (1 - beta)))
    trace <- c(trace, sum(w^beta * St))
  }
  list(lab = lab, C = C, w = w, Q = trace)
}

test_that("l2gfs equals its worked example", {
  r <- rank_l2gfs(example$x, example$y, init = start)
  info <- info_of(r)
  expect_identical(info$cluster, c(1L, 1L, 1L, 2L, 2L, 2L))
  expect_identical(info$iterations, 3L)
  expect_equal(info$objective, c(17.5015331019, 9.4392259331, 9.4392259331), tolerance = 1e-10)
  expect_equal(info$local_weights, rbind(c(0.2468165765, 0.7531834235),
                                         c(0.1653940542, 0.8346059458)),
               tolerance = 1e-9, ignore_attr = TRUE)
  expect_equal(in_columns(r)$statistic, c(0.2061053153, 0.7938946847), tolerance = 1e-9)
  relevance <- rank_l2gfs(example$x, example$y, init = start, statistic = "relevance")
  expect_equal(in_columns(relevance)$statistic, c(0.5341201461, 0.4658798539), tolerance = 1e-9)
  two <- rank_l2gfs(example$x, example$y, init = start, beta = 2)
  expect_equal(info_of(two)$local_weights, rbind(c(0.7733333333, 0.2266666667),
                                                 c(0.8557575758, 0.1442424242)),
               tolerance = 1e-9, ignore_attr = TRUE)
})

test_that("l2gfs without constraints equals the plain transcription", {
  d <- mixture()
  C <- d$x[c(1, 20, 40), ]
  for (beta in c(-0.1, -2, 1.5)) {
    r <- rank_l2gfs(d$x, n_clusters = 3, init = C, beta = beta)
    plain <- plain_l2gfs(d$x, C, beta, 0.01, info_of(r)$iterations)
    expect_identical(info_of(r)$cluster, plain$lab)
    expect_equal(info_of(r)$local_weights, plain$w, ignore_attr = TRUE)
    expect_equal(info_of(r)$objective, plain$Q)
    expect_equal(info_of(r)$centroids, plain$C, ignore_attr = TRUE)
  }
})

test_that("l2gfs keeps every link and never raises its objective", {
  for (seed in 1:20) {
    d <- mixture(seed = seed)
    pairs <- pairwise_constraints(must_link = rbind(c(20, 21), c(21, 22)),
                                  cannot_link = rbind(c(20, 30), c(30, 31), c(31, 32)))
    set.seed(seed)
    r <- rank_l2gfs(d$x, d$y, pairs, restarts = 2)
    cluster <- info_of(r)$cluster
    closed <- pairwise_constraints(rbind(pairs$must_link, constraints_from_labels(d$y)$must_link),
                                   rbind(pairs$cannot_link,
                                         constraints_from_labels(d$y)$cannot_link), close = TRUE)
    expect_true(all(cluster[closed$must_link[, 1]] == cluster[closed$must_link[, 2]]))
    expect_true(all(cluster[closed$cannot_link[, 1]] != cluster[closed$cannot_link[, 2]]))
    Q <- info_of(r)$objective
    expect_true(all(diff(Q) <= 1e-12 * Q[1]))
  }
})

test_that("a feature that is constant within the classes is first by relevance, and by weight", {
  d <- mixture()
  x <- cbind(d$x + 8 * (d$full == "b") + 16 * (d$full == "c"), 0.3 * (d$full == "b") +
               0.7 * (d$full == "c"))
  r <- rank_l2gfs(x, d$full, init = "labels", scale = "standardize", statistic = "relevance")
  expect_identical(r$index[1], 6L)
  w <- rank_l2gfs(x, d$full, init = "labels")
  expect_identical(w$index[1], 6L)
  expect_identical(w$score, as.double(6:1))
  printed <- rank_l2gfs(x, d$full, init = "labels", tau = 0)
  expect_identical(unname(info_of(printed)$local_weights[, 6]), rep(0, 3))
  expect_identical(printed$index[1], 6L)
})

test_that("constraints that cannot hold are errors that name the rows", {
  x <- mixture()$x
  four <- t(combn(4, 2))
  expect_error(rank_l2gfs(x, constraints = pairwise_constraints(cannot_link = four),
                          n_clusters = 3),
               "infeasible with 3 clusters.*\\(3, 4\\).*n_clusters", class = "semiselect_error")
  expect_error(cop_kmeans(x, constraints = pairwise_constraints(cannot_link = four),
                          n_clusters = 3),
               "no cluster for row 4.*rows?\\(?s?\\)? [123], [123], [123]",
               class = "semiselect_error_infeasible")
  wrong <- pairwise_constraints(must_link = rbind(c(1, 2), c(2, 3)), cannot_link = c(1, 3))
  for (fun in list(rank_l2gfs, cop_kmeans, mpc_kmeans)) {
    expect_error(fun(x, constraints = wrong, n_clusters = 3), "rows 1 and 3",
                 class = "semiselect_error")
  }
  expect_s3_class(rank_wckm(x, constraints = wrong, n_clusters = 3, restarts = 1),
                  "feature_ranking")
  expect_error(rank_wckm(x, constraints = wrong), "`n_clusters` is needed",
               class = "semiselect_error")
  expect_error(rank_wckm(x, rep(c("a", "b", "c"), 20), n_clusters = 2), "at least the number",
               class = "semiselect_error")
  expect_error(rank_wckm(x, n_clusters = 61), "`n_clusters`", class = "semiselect_error")
  for (beta in c(0, 0.5, 1)) {
    expect_error(rank_wckm(x, n_clusters = 2, beta = beta), "`beta`", class = "semiselect_error")
  }
})

test_that("sparse rows give the fit of dense ones", {
  set.seed(2)
  x <- matrix(rpois(80 * 9, 0.4), 80)
  y <- c(rep(c("a", "b"), 6), rep(NA, 68))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  C <- x[c(3, 40), ] + 0.1
  for (scale in c("none", "standardize", "range", "unit")) {
    a <- rank_wckm(x, y, init = C, scale = scale)
    b <- rank_wckm(sparse, y, init = C, scale = scale)
    expect_equal(b$statistic, a$statistic, tolerance = 1e-10)
    expect_equal(info_of(b)$centroids, info_of(a)$centroids, tolerance = 1e-10)
    a <- rank_l2gfs(x, y, init = C, scale = scale)
    b <- rank_l2gfs(sparse, y, init = C, scale = scale)
    expect_equal(b$statistic, a$statistic, tolerance = 1e-10)
    expect_identical(info_of(b)$cluster, info_of(a)$cluster)
  }
  expect_identical(cop_kmeans(sparse, y, init = C)$cluster, cop_kmeans(x, y, init = C)$cluster)
  expect_equal(mpc_kmeans(sparse, y, init = C), mpc_kmeans(x, y, init = C))
})

# ---- COP-KMeans, MPC-KMeans, Rand index -------------------------------------------------------

test_that("cop_kmeans equals the plain transcription", {
  plain <- function(x, ml, cl, C) {
    lab <- rep(0, nrow(x))
    for (t in 1:100) {
      new <- rep(0, nrow(x))
      for (i in seq_len(nrow(x))) {
        mates <- c(ml[ml[, 1] == i, 2], ml[ml[, 2] == i, 1])
        foes <- c(cl[cl[, 1] == i, 2], cl[cl[, 2] == i, 1])
        placed <- setdiff(new[mates], 0)
        if (length(placed)) {
          new[i] <- placed
          next
        }
        near <- order(colSums((t(C) - x[i, ])^2))
        new[i] <- setdiff(near, new[foes])[1]
      }
      for (q in seq_len(nrow(C))) if (any(new == q)) C[q, ] <- colMeans(x[new == q, , drop = FALSE])
      if (all(new == lab)) break
      lab <- new
    }
    list(lab = lab, C = C, iterations = t)
  }
  settled <- 0
  for (seed in 1:10) {
    d <- mixture(seed = seed)
    pairs <- constraints_from_labels(d$y)
    C <- d$x[c(13, 14, 15), ]
    theirs <- plain(d$x, pairs$must_link, pairs$cannot_link, C)
    ours <- suppressWarnings(cop_kmeans(d$x, d$y, init = C))
    if (!ours$converged) next
    settled <- settled + 1
    expect_equal(ours$cluster, theirs$lab)
    expect_equal(ours$iterations, theirs$iterations)
    expect_equal(ours$centroids, theirs$C, ignore_attr = TRUE)
  }
  expect_gte(settled, 5)
})

test_that("mpc_kmeans equals the plain transcription", {
  plain <- function(x, ml, cl, C) {
    n <- nrow(x)
    p <- ncol(x)
    K <- nrow(C)
    M <- matrix(1, K, p)
    v <- colMeans(sweep(x, 2, colMeans(x))^2)
    d2 <- function(i, r, q) sum(M[q, ] * (x[i, ] - x[r, ])^2)
    rows <- sort(unique(c(ml, cl)))
    all_pairs <- t(combn(rows, 2))
    lab <- rep(NA, n)
    for (t in 1:100) {
      before <- lab
      far_of <- t(sapply(seq_len(K), function(q) {
        d <- apply(all_pairs, 1, function(a) d2(a[1], a[2], q))
        c(max(d), all_pairs[which.max(d), ])
      }))
      for (i in seq_len(n)) {
        mates <- c(ml[ml[, 1] == i, 2], ml[ml[, 2] == i, 1])
        foes <- c(cl[cl[, 1] == i, 2], cl[cl[, 2] == i, 1])
        cost <- sapply(seq_len(K), function(q) {
          value <- sum(M[q, ] * (x[i, ] - C[q, ])^2) - sum(log(M[q, ]))
          for (r in mates) {
            h <- lab[r]
            if (!is.na(h) && h != q) value <- value + (d2(i, r, q) + d2(i, r, h)) / 2
          }
          for (r in foes) {
            if (identical(lab[r], q)) value <- value + far_of[q, 1] - d2(i, r, q)
          }
          value
        })
        lab[i] <- which.min(cost)
      }
      for (q in unique(lab)) {
        inside <- which(lab == q)
        C[q, ] <- colMeans(x[inside, , drop = FALSE])
        den <- colSums(sweep(x[inside, , drop = FALSE], 2, C[q, ])^2)
        for (s in seq_len(nrow(ml))) {
          a <- ml[s, 1]
          b <- ml[s, 2]
          if (lab[a] != lab[b] && q %in% lab[c(a, b)]) den <- den + (x[a, ] - x[b, ])^2 / 2
        }
        for (s in seq_len(nrow(cl))) {
          a <- cl[s, 1]
          b <- cl[s, 2]
          if (lab[a] == q && lab[b] == q) {
            den <- den + (x[far_of[q, 2], ] - x[far_of[q, 3], ])^2 - (x[a, ] - x[b, ])^2
          }
        }
        M[q, ] <- length(inside) / pmax(den, length(inside) * 1e-9 * v)
      }
      if (identical(lab, before)) break
    }
    list(lab = lab, C = C, M = M, iterations = t)
  }
  for (seed in 1:4) {
    d <- mixture(n = 36, p = 3, seed = seed)
    pairs <- constraints_from_labels(d$y)
    C <- d$x[c(13, 14, 15), ]
    theirs <- plain(d$x, pairs$must_link, pairs$cannot_link, C)
    ours <- mpc_kmeans(d$x, d$y, init = C)
    expect_identical(ours$cluster, theirs$lab)
    expect_equal(ours$iterations, theirs$iterations)
    expect_equal(ours$metric, theirs$M, ignore_attr = TRUE)
    expect_equal(ours$centroids, theirs$C, ignore_attr = TRUE)
  }
})

test_that("mpc_kmeans starts from neighborhoods and finds separated classes", {
  d <- mixture()
  x <- d$x + 10 * (d$full == "b") + 20 * (d$full == "c")
  expect_equal(rand_index(mpc_kmeans(x, d$y)$cluster, d$full), 1)
  set.seed(1)
  expect_equal(rand_index(mpc_kmeans(x, d$y, order = "random")$cluster, d$full), 1)
  set.seed(1)
  fit <- cop_kmeans(x, d$y, order = "random")
  expect_identical(names(fit), c("cluster", "centroids", "iterations", "converged"))
  expect_length(unique(fit$cluster[1:12]), 3)
})

test_that("the Rand index is the share of pairs that agree", {
  expect_equal(rand_index(c(1, 1, 2, 2, 3, 3), c(2, 2, 1, 3, 3, 3)), 0.8)
  set.seed(4)
  for (trial in 1:10) {
    a <- sample(3, 25, TRUE)
    b <- sample(letters[1:4], 25, TRUE)
    pairs <- combn(25, 2)
    agree <- (a[pairs[1, ]] == a[pairs[2, ]]) == (b[pairs[1, ]] == b[pairs[2, ]])
    expect_equal(rand_index(a, b), mean(agree))
  }
  expect_identical(rand_index(1, 1), NA_real_)
  large <- rep(1:2, 60000)
  expect_equal(rand_index(large, large), 1)
  expect_error(rand_index(1:3, 1:2), "same length", class = "semiselect_error")
  expect_error(rand_index(c(1, NA), 1:2), "missing", class = "semiselect_error")
})

test_that("long clusterings can be interrupted, also while runs are side by side", {
  set.seed(1)
  x <- matrix(rnorm(1500 * 2000), 1500)
  y <- c("a", "b", rep(NA, 1498))
  for (threads in 1:2) {
    expect_interruptible(rank_wckm(x, y, tol = -1, max_iter = 1e5, threads = threads,
                                   verbose = FALSE))
    expect_interruptible(rank_l2gfs(x, n_clusters = 300, restarts = 50, threads = threads,
                                    verbose = FALSE))
  }
})
