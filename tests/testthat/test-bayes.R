# Twelve rows, four features, worked by hand on the page of the method.
example <- function() {
  x <- matrix(
    c(-0.9, -0.8, -0.6, 0.5, 0.4, -0.4, 0.3, 0.7, 0.6, -1.3, 0.7, 1.6, -3.2, 0.1, 1.1, 0.3,
      1.5, -2, 0.5, 1.3, -0.3, -0.3, 0.5, -0.1, 2.4, 0.6, 1.5, -1.2, 0.4, -0.3, 0.6, -0.5,
      3.3, -0.4, 0.2, 1.8, 2, 2.4, 1.2, 1.3, 2, 0.4, 2, -0.7, 1.6, 0.2, 0.6, 0.3),
    12, byrow = TRUE, dimnames = list(NULL, paste0("x", 1:4))
  )
  list(x = x, y = c("a", "a", NA, NA, NA, NA, "b", "b", NA, NA, NA, NA))
}

jsfs_info <- function(..., quiet = TRUE) {
  r <- if (quiet) suppressWarnings(suppressMessages(rank_jsfs(...))) else rank_jsfs(...)
  attr(r, "info")
}

# Labels on some rows of a two-class problem with one shifted column.
planted <- function(n, p, seed = 1, labelled = n %/% 4, shift = 1.5) {
  set.seed(seed)
  y <- rep(c("u", "v"), length.out = n)
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  x[, 1] <- x[, 1] + shift * (y == "v")
  list(x = x, full = y, y = replace(y, -seq_len(labelled), NA))
}

# The graph of rule (3) and the pseudo-labels by dense algebra.
naive_labels <- function(x, y, k, eta = 10, alpha = 0.99) {
  W <- naive_graph(x, k, weights = "binary")$W
  labelled <- !is.na(y)
  W[labelled, labelled] <- eta * outer(y[labelled], y[labelled], "==")
  diag(W) <- 0
  levels <- sort(unique(y[labelled]))
  Y <- 1 * outer(y, levels, function(a, b) !is.na(a) & a == b)
  d <- rowSums(W)
  F <- (1 - alpha) * solve(diag(nrow(W)) - alpha * W / sqrt(outer(d, d)), Y)
  list(W = W, pseudo = ifelse(labelled, y, levels[max.col(F)]))
}

# The steps of the page in plain R, with every inverse formed, for two classes coded 0 and 1.
naive_jsfs <- function(x, labels, labelled, W, gamma, mu, update, iterations, beta = 5,
                       prune = 1e-3) {
  L <- diag(rowSums(W)) - W
  n <- nrow(x)
  B <- gamma * t(x) %*% L %*% x
  live <- seq_len(ncol(x))
  w <- rep(0, ncol(x))
  alpha <- rep(1, ncol(x))
  lambda <- cc <- rep(1, n)
  t <- ifelse(labelled, 1, mu)
  act <- labelled | mu > 0
  objective <- NULL
  for (it in seq_len(iterations)) {
    X <- x[, live, drop = FALSE]
    Bl <- B[live, live, drop = FALSE]
    Q <- function(w) {
      m <- lambda * X %*% w * (2 * labels - 1)
      sum((t * plogis(m, log.p = TRUE))[act]) - sum(alpha * w^2) / 2 - drop(w %*% Bl %*% w) / 2
    }
    for (step in 1:100) {
      s <- drop(plogis(lambda * X %*% w))
      g <- drop(crossprod(X[act, , drop = FALSE], (t * lambda * (labels - s))[act])) - alpha * w -
        drop(Bl %*% w)
      e <- (t * lambda^2 * s * (1 - s)) * act
      v <- solve(Bl + diag(alpha, length(alpha)) + crossprod(X, e * X), g)
      size <- 1
      while (size > 1e-9 && Q(w + size * v) < Q(w) - 1e-12) size <- size / 2
      w <- w + size * v
      if (max(abs(v)) < 1e-13) break
    }
    keep <- abs(w) >= prune * min(1, max(abs(w)))
    live <- live[keep]
    w <- w[keep]
    alpha <- alpha[keep]
    X <- x[, live, drop = FALSE]
    Bl <- B[live, live, drop = FALSE]
    P <- drop(X %*% w)
    for (j in which(act & !labelled)) {
      lambda[j] <- optimize(function(a) {
        mu * plogis((2 * labels[j] - 1) * a * P[j], log.p = TRUE) - cc[j] * a^2 / 2 +
          plogis(beta * a, log.p = TRUE)
      }, c(-1, 3), maximum = TRUE, tol = 1e-4)$maximum
      for (step in 1:6) {  # Newton's last digits
        s <- plogis(lambda[j] * P[j])
        b <- plogis(beta * lambda[j])
        h <- mu * P[j]^2 * s * (1 - s) + beta^2 * b * (1 - b)
        lambda[j] <- lambda[j] +
          (mu * P[j] * (labels[j] - s) - cc[j] * lambda[j] + beta * (1 - b)) / (cc[j] + h)
      }
    }
    act <- labelled | (act & lambda >= 1e-3)
    free <- act & !labelled
    s <- plogis(lambda * P)
    e <- (t * lambda^2 * s * (1 - s)) * act
    AB <- Bl + diag(alpha, length(alpha))
    H <- AB + crossprod(X, e * X)
    delta <- diag(solve(AB)) - diag(solve(H))
    loglik <- sum((t * plogis((2 * labels - 1) * lambda * P, log.p = TRUE))[act])
    log_ml_w <- loglik - drop(w %*% AB %*% w) / 2 +
      (determinant(AB)$modulus - determinant(H)$modulus) / 2
    b <- plogis(beta * lambda)
    h <- mu * P^2 * s * (1 - s) + beta^2 * b * (1 - b)
    objective <- c(objective, log_ml_w + sum((log(2) + log(cc) / 2 - cc * lambda^2 / 2 + log(b) -
                                                log(cc + h) / 2)[free]))
    if (update == "em") {
      alpha <- 1 / (w^2 + 1 / alpha - delta)
      cc[free] <- (1 / (lambda^2 + 1 / (cc + h)))[free]
    } else {
      alpha <- alpha * sqrt(delta) / abs(w)
      cc[free] <- (1 / (lambda^2 / 2 + sqrt(lambda^4 / 4 + lambda^2 / h)))[free]
    }
    alpha <- pmin(pmax(alpha, 1e-6), 1e12)
  }
  weights <- rep(0, ncol(x))
  weights[live] <- w
  list(weights = weights, lambda = ifelse(act, lambda, 0), objective = as.vector(objective))
}

test_that("jsfs reproduces the worked example", {
  data <- example()
  run <- function(...) {
    suppressWarnings(rank_jsfs(data$x, data$y, k = 2, gamma = 0.05, scale = "none", ...))
  }
  r <- run(tol = 0, max_iter = 5)
  info <- attr(r, "info")
  expect_identical(r$feature, c("x4", "x2", "x1", "x3"))
  expect_equal(r$score, c(0.9059305011, 0.4094544177, 0.0057839083, -2.9999372000),
               tolerance = 1e-8)
  expect_equal(r$statistic, c(0.9059305011, 0.4094544177, 0.0057839083, 0), tolerance = 1e-7)
  expect_equal(unname(info$alpha), c(155.8578922, 0.1970558208, Inf, 0.07594033546),
               tolerance = 1e-6)
  expect_equal(info$lambda, c(1, 1, 0.2980881507, 0.2134654135, 0.2983042248, 0.1867656753, 1, 1,
                              0.2805761492, 0.1915573336, 0.2483843740, 0.1776963350),
               tolerance = 1e-7)
  expect_equal(info$row_precision[3:4], c(5.088834706, 8.119497969), tolerance = 1e-6)
  expect_equal(c(info$log_ml_w[5], info$log_ml_lambda[5], info$objective[5]),
               c(-4.8145413065, -4.1480950965, -5.0774460642), tolerance = 1e-7)
  expect_identical(unname(info$pruned_at), c(0L, 0L, 3L, 0L))

  em <- attr(run(tol = 0, max_iter = 5, update = "em"), "info")
  expect_equal(unname(em$weights), c(0.0738665997, 0.3221482016, 0.0315144235, -0.7232453362),
               tolerance = 1e-7)
  expect_equal(em$objective[c(1, 2, 5)], c(-5.3079510127, -5.3400496816, -5.3038133909),
               tolerance = 1e-7)

  end <- run()
  expect_identical(attr(end, "info")$iterations, 28L)
  expect_equal(unname(attr(end, "info")$weights), c(0, 0.3056574403, 0, -0.9719955515),
               tolerance = 1e-6)
  expect_true(attr(end, "info")$converged)
})

test_that("jsfs equals the page's steps in plain R, more rows or more columns", {
  for (shape in list(c(40, 5), c(24, 40))) for (gamma in c(0, 0.05)) for (mu in c(0, 0.5)) {
    for (update in c("mm", "em")) {
      data <- planted(shape[1], shape[2], seed = 3)
      z <- scale(data$x)
      labels <- naive_labels(z, data$y, 3)
      info <- jsfs_info(data$x, data$y, gamma = gamma, mu = mu, update = update, k = 3, tol = 0,
                        max_iter = 8, newton_tol = 1e-11)
      naive <- naive_jsfs(z, 1 * (labels$pseudo == "v"), !is.na(data$y), labels$W, gamma, mu,
                          update, 8)
      label <- paste(shape[1], shape[2], gamma, mu, update)
      expect_equal(unname(info$weights), naive$weights, tolerance = 1e-8, label = label)
      expect_equal(info$objective, naive$objective, tolerance = 1e-8, label = label)
      if (mu > 0) {
        expect_identical(as.character(info$pseudo), labels$pseudo)
        expect_equal(info$lambda, naive$lambda, tolerance = 1e-6, label = label)
      }
    }
  }
})

test_that("a listed graph equals implicit class links, and the rule may come twice", {
  data <- planted(30, 6)
  z <- scale(data$x)
  W <- naive_labels(z, data$y, 5)$W
  implicit <- rank_jsfs(data$x, data$y)
  expect_equal(rank_jsfs(data$x, data$y, graph = W, eta = NULL)$score, implicit$score,
               tolerance = 1e-7)
  expect_equal(rank_jsfs(data$x, data$y, graph = W)$score, implicit$score, tolerance = 1e-7)
  listed <- neighbor_graph(z, weights = "binary", y = data$y, eta = 10)
  expect_equal(rank_jsfs(data$x, data$y, graph = listed, eta = NULL)$score, implicit$score,
               tolerance = 1e-7)
})

test_that("codes, signs and offsets do what they should", {
  for (p in c(5, 60)) {
    data <- planted(40, p, seed = 5)
    info <- jsfs_info(data$x, data$y, max_iter = 15)
    swapped <- jsfs_info(data$x, factor(data$y, levels = c("v", "u")), max_iter = 15)
    expect_equal(swapped$weights, -info$weights, tolerance = 1e-8)
    expect_equal(swapped$lambda, info$lambda, tolerance = 1e-8)
    x <- data$x
    x[, 2] <- -x[, 2]
    flipped <- jsfs_info(x, data$y, max_iter = 15)
    expect_equal(flipped$weights, info$weights * ifelse(seq_len(p) == 2, -1, 1), tolerance = 1e-8)
    moved <- jsfs_info(sweep(data$x, 2, seq_len(p), "+"), data$y, max_iter = 15)
    expect_equal(moved$weights, info$weights, tolerance = 1e-6)
  }
})

test_that("dense equals sparse and one thread equals two, for every scale", {
  set.seed(9)
  for (p in c(12, 90)) {
    x <- matrix(rbinom(50 * p, 3, 0.2), 50, p)
    storage.mode(x) <- "double"
    full <- rep(c("u", "v"), 25)
    x[, 1] <- x[, 1] + 2 * (full == "v")
    y <- replace(full, 17:50, NA)
    for (scale in c("none", "standardize", "range", "unit")) for (center in c(FALSE, TRUE)) {
      run <- function(x, threads) {
        suppressWarnings(suppressMessages(
          rank_jsfs(x, y, scale = scale, center = center, max_iter = 12, threads = threads)
        ))
      }
      one <- run(x, 1)
      expect_identical(run(x, 2)$score, one$score)
      sparse <- run(Matrix::Matrix(x, sparse = TRUE), 2)
      label <- paste(p, scale, center)
      expect_equal(attr(sparse, "info")$weights, attr(one, "info")$weights, tolerance = 1e-6,
                   label = label)
      # The classifier on the scale of x gives the fit's own decision values.
      link <- augment(one)$.link
      expect_equal(unname(predict(one, x, "link")), link, tolerance = 1e-8, label = label)
      expect_equal(unname(predict(sparse, x, "link")), link, tolerance = 1e-5, label = label)
    }
  }
})

test_that("unlabelled rows count for nothing if mu = gamma = 0", {
  data <- planted(40, 8)
  keep <- !is.na(data$y)
  all <- jsfs_info(data$x, data$y, mu = 0, gamma = 0, scale = "none")
  few <- jsfs_info(data$x[keep, ], data$y[keep], mu = 0, gamma = 0, scale = "none")
  expect_equal(all$weights, few$weights, tolerance = 1e-8)
  expect_identical(is.na(all$lambda), !keep)
  expect_identical(all$lambda[keep], rep(1, sum(keep)))
})

test_that("a row without edges changes no weight, is undecided and has weight 0", {
  data <- planted(30, 6)
  W <- naive_graph(data$x, 4, weights = "binary")$W
  before <- rank_jsfs(data$x, data$y, graph = W, scale = "none")
  expect_message(
    after <- rank_jsfs(rbind(data$x, 100), c(data$y, NA), graph = rbind(cbind(W, 0), 0),
                       scale = "none"),
    "1 of 24 unlabelled"
  )
  expect_equal(attr(after, "info")$weights, attr(before, "info")$weights, tolerance = 1e-8)
  expect_identical(attr(after, "info")$lambda[31], 0)
  expect_true(is.na(attr(after, "info")$pseudo[31]))
  expect_identical(attr(after, "info")$n_undecided, 1L)
})

test_that("gamma = 0 leaves the graph to the pseudo-labels", {
  data <- planted(30, 6)
  z <- scale(data$x)
  labels <- naive_labels(z, data$y, 5)
  as_given <- jsfs_info(data$x, data$y, gamma = 0)
  # A graph that joins each row to one labelled row of its pseudo-class gives the same labels.
  hub <- match(labels$pseudo, data$y)
  W <- matrix(0, 30, 30)
  W[cbind(1:30, hub)] <- 1
  W <- pmax(W, t(W))
  diag(W) <- 0
  other <- jsfs_info(data$x, data$y, gamma = 0, graph = W)
  expect_identical(other$pseudo, as_given$pseudo)
  expect_equal(other$weights, as_given$weights, tolerance = 1e-8)
})

test_that("the result keeps what its page promises", {
  data <- planted(60, 20)
  r <- rank_jsfs(data$x, data$y)
  info <- attr(r, "info")
  expect_false(is.unsorted(-r$score))
  expect_identical(r$selected, unname(info$pruned_at[r$index] == 0))
  traces <- c("objective", "log_ml_w", "log_ml_lambda", "n_features", "n_unlabelled", "newton")
  for (name in traces) {
    expect_length(info[[name]], info$iterations)
  }
  expect_false(is.unsorted(-info$n_features))
  expect_false(is.unsorted(-info$n_unlabelled))
  expect_identical(sum(r$selected), info$n_features[info$iterations])
  expect_identical(r$statistic, unname(abs(info$weights[r$index])))
  gone <- r$index[!r$selected]
  expect_true(all(r$score[!r$selected] < 0 & r$score[!r$selected] >= -info$iterations))
  expect_false(is.unsorted(-info$pruned_at[gone]))
  expect_true(all(is.infinite(info$alpha[gone])))

  three <- rank_jsfs(data$x, data$y, n_features = 3)
  expect_identical(three$selected, rep(c(TRUE, FALSE), c(3, 17)))
  expect_identical(three$score, r$score)
  prob <- predict(r, data$x, "prob")
  expect_identical(colnames(prob), c("u", "v"))
  expect_equal(prob[, "v"], plogis(predict(r, data$x, "link")), ignore_attr = TRUE)
  expect_equal(unname(rowSums(prob)), rep(1, 60))
  expect_identical(predict(r, data$x), factor(ifelse(predict(r, data$x, "link") >= 0, "v", "u")))
  rows <- augment(r)
  expect_named(rows, c(".row", ".label", ".pseudo", ".weight", ".link", ".class"))
  expect_identical(rows$.label, data$y)
  expect_identical(rows$.weight, info$lambda)
  expect_error(augment(rank_variance(data$x)), class = "semiselect_error")
  expect_warning(rank_jsfs(data$x, data$y, max_iter = 2), "max_iter")
  expect_identical(attr(rank_jsfs(data$x, data$y), "params")$center, TRUE)
})

test_that("more than two classes are fitted one against the rest on one graph", {
  x <- as.matrix(iris[1:4])
  y <- replace(iris$Species, -c(1:6, 51:56, 101:106), NA)
  r <- rank_jsfs(x, y, max_iter = 300)
  info <- attr(r, "info")
  labels <- naive_labels(scale(x), as.character(y), 5)
  expect_identical(as.character(info$pseudo), labels$pseudo)
  for (class in levels(iris$Species)) {
    one <- info$by_class[[class]]
    expect_identical(info$weights[, class], one$weights)
    naive <- naive_jsfs(scale(x), 1 * (labels$pseudo == class), !is.na(y), labels$W, 0.001, 0.5,
                        "mm", 6)
    short <- jsfs_info(x, y, tol = 0, max_iter = 6, newton_tol = 1e-11)
    expect_equal(unname(short$weights[, class]), naive$weights, tolerance = 1e-7)
  }
  statistic <- sqrt(rowSums(info$weights^2))
  expect_equal(by_column(r), unname(statistic))
  kept <- rowSums(info$pruned_at == 0) > 0
  expect_identical(by_column(r, "selected"), unname(kept))
  expect_identical(info$iterations, max(vapply(info$by_class, function(one) one$iterations, 0L)))
  link <- predict(r, x, "link")
  expect_identical(colnames(link), levels(iris$Species))
  expect_equal(unname(link), unname(augment(r)$.link), tolerance = 1e-8)
  prob <- predict(r, x, "prob")
  expect_equal(unname(rowSums(prob)), rep(1, 150))
  expect_equal(unname(prob), unname(plogis(link) / rowSums(plogis(link))))
  expect_gt(mean(predict(r, x) == iris$Species), 0.8)
  expect_identical(dim(coef(r)), c(5L, 3L))
  expect_equal(augment(r)$.weight, info$lambda[cbind(1:150, as.integer(info$pseudo))])

  # Pruned everywhere: the largest of the two-class expressions.
  set.seed(2)
  noisy <- cbind(x, matrix(rnorm(150 * 20), 150))
  r <- suppressWarnings(rank_jsfs(noisy, y))
  info <- attr(r, "info")
  gone <- which(rowSums(info$pruned_at == 0) == 0)
  expect_gt(length(gone), 0)
  scores <- by_column(r, "score")[gone]
  by_problem <- sapply(names(info$by_class), function(class) {
    info$pruned_at[gone, class] - info$by_class[[class]]$iterations - 1
  })
  largest <- apply(matrix(by_problem, length(gone)), 1, max)
  expect_true(all(scores >= largest & scores < largest + 1))
})

test_that("every degenerate input has its answer", {
  data <- planted(30, 6)
  x <- data$x
  y <- data$y
  expect_error(rank_jsfs(x, rep(NA, 30)), "two classes", class = "semiselect_error")
  expect_error(rank_jsfs(x, ifelse(y == "u", "u", NA)), "two classes", class = "semiselect_error")
  expect_message(rank_jsfs(x, factor(y, levels = c("u", "v", "w"))), "\"w\"")
  expect_s3_class(rank_jsfs(x, replace(y, 3:30, NA)), "feature_ranking")

  full <- suppressWarnings(rank_jsfs(x, data$full))
  expect_identical(attr(full, "info")$lambda, rep(1, 30))
  expect_identical(unique(attr(full, "info")$n_unlabelled), 0L)

  # A complete graph with balanced labels ties every row.
  W <- matrix(1, 30, 30)
  expect_warning(r <- rank_jsfs(x, replace(y, -(1:6), NA), graph = W, eta = NULL), "24 of 24")
  mu0 <- jsfs_info(x, replace(y, -(1:6), NA), graph = W, eta = NULL, mu = 0)
  expect_equal(attr(r, "info")$weights, mu0$weights, tolerance = 1e-9)
  expect_identical(attr(r, "info")$lambda[7:30], rep(0, 24))
  expect_true(all(is.na(mu0$lambda[7:30])))

  expect_s3_class(rank_jsfs(x, y, mu = 0, gamma = 0), "feature_ranking")
  expect_warning(r <- rank_jsfs(cbind(x, still = 1), y), "still")
  expect_identical(r$feature[7], "still")
  expect_identical(unname(coef(r)["still"]), 0)
  expect_true(is.na(attr(r, "info")$weights[["still"]]) && is.na(attr(r, "info")$alpha[["still"]]))
  expect_error(rank_jsfs(x * 0, y), "constant", class = "semiselect_error")

  twice <- rank_jsfs(cbind(x, copy = x[, 1]), y)
  weights <- attr(twice, "info")$weights
  expect_equal(weights[["copy"]], weights[["f1"]], tolerance = 1e-9)
  expect_lt(match("f1", twice$feature), match("copy", twice$feature))

  one <- rank_jsfs(x[, 1, drop = FALSE], y)
  expect_true(one$selected)
  absolute <- rank_jsfs(x * 1e4, y, scale = "none", prune_scale = "absolute")
  expect_identical(sum(absolute$selected), 1L)

  rows <- rbind(x[1:6, ], x[1:6, ])
  both <- rep(c("u", "v"), each = 6)
  expect_warning(r <- rank_jsfs(rows, both), "separates")
  expect_identical(r$feature, colnames(x))
  expect_false(any(r$selected))
  expect_identical(r$statistic, rep(0, 6))
  expect_true(attr(r, "info")$converged)

  expect_warning(rank_jsfs(x, y, k = 30), "`k`")
  apart <- x
  apart[, 1] <- ifelse(data$full == "v", 6, -6) + 0.01 * x[, 1]
  for (gamma in c(0, 0.01)) {
    info <- jsfs_info(apart, y, gamma = gamma)
    expect_true(all(is.finite(info$weights)) && all(is.finite(info$objective)))
    expect_gte(min(info$alpha), 1e-6)
  }
  tiny <- suppressWarnings(rank_jsfs(x * 1e-5, y, scale = "none", update = "em"))
  expect_false(anyNA(tiny$score))
  expect_identical(attr(tiny, "params")$center, FALSE)

  bad <- list(gamma = -1, mu = 1.1, mu = -0.1, eta = 0, beta = 0, lp_alpha = 1, lp_alpha = 0,
              prune_weight = 1, prune_row = -1, tol = -1, max_iter = 0, newton_tol = 0,
              max_newton = 0, update = "newton", prune_scale = "none", center = NA, gamma = NULL)
  for (i in seq_along(bad)) {
    expect_error(do.call(rank_jsfs, c(list(x, y), bad[i])), names(bad)[i],
                 class = "semiselect_error")
  }
})

test_that("jsfs refuses what cannot fit into memory, before it is tried", {
  n <- 20001
  x <- Matrix::sparseMatrix(i = c(1:n, 1), j = c(1:n, 2), x = 1, dims = c(n, n))
  y <- rep(c("a", "b", NA), c(1, 1, n - 2))
  expect_error(rank_jsfs(x, y), "9.6 GB", class = "semiselect_error_size")
})

# The revision in plain R, for two classes: neighbors on the difference of the class means.
naive_revision <- function(z, y, k, rounds) {
  now <- y
  for (round in seq_len(rounds)) {
    means <- sapply(c("u", "v"), function(class) colMeans(z[which(now == class), , drop = FALSE]))
    line <- z %*% (means[, "v"] - means[, "u"])
    labels <- naive_labels(line, y, k)
    now <- labels$pseudo
  }
  list(W = labels$W, pseudo = now, line = line)
}

test_that("refresh takes the graph that says more of held-out labels", {
  used <- logical()
  for (seed in 1:6) {
    data <- planted(60, if (seed %% 2) 40 else 3, seed = seed, labelled = 20)
    z <- scale(data$x)
    hits <- c(before = 0, after = 0)
    differ <- 0
    place <- ave(seq_along(data$y), data$y, FUN = seq_along)
    for (fold in 1:10) {
      out <- which(!is.na(data$y) & (place - 1) %% 10 == fold - 1)
      rest <- replace(data$y, out, NA)
      before <- naive_labels(z, rest, 5)$pseudo[out] == data$y[out]
      after <- naive_revision(z, rest, 5, 2)$pseudo[out] == data$y[out]
      hits <- hits + c(sum(before), sum(after))
      differ <- differ + sum(before != after)
    }
    r <- rank_jsfs(data$x, data$y, refresh = 2)
    info <- attr(r, "info")
    expect_identical(info$refresh$held_out, 20L)
    expect_equal(c(info$refresh$right_before, info$refresh$right_after), unname(hits))
    better <- diff(unname(hits)) > sqrt(differ)
    expect_identical(info$refresh$revised, better)
    used <- c(used, info$refresh$revised)
    same <- if (better) {
      rank_jsfs(data$x, data$y, graph = naive_revision(z, data$y, 5, 2)$W, eta = NULL)
    } else {
      rank_jsfs(data$x, data$y)
    }
    expect_equal(r$score, same$score, tolerance = 1e-6)
    expect_identical(rank_jsfs(data$x, data$y, refresh = 2, threads = 1)$score, r$score)
    sparse <- rank_jsfs(Matrix::Matrix(data$x, sparse = TRUE), data$y, refresh = 2)
    expect_equal(sparse$score, r$score, tolerance = 1e-6)
  }
  expect_true(any(used) && !all(used))
  expect_null(attr(rank_jsfs(data$x, data$y), "info")$refresh)
  expect_error(rank_jsfs(data$x, data$y, refresh = -1), "refresh", class = "semiselect_error")

  # Three classes, one label each (nothing can be held out), and no unlabelled row.
  y <- replace(iris$Species, -c(1:8, 51:58, 101:108), NA)
  several <- attr(rank_jsfs(iris[1:4], y, refresh = 1), "info")$refresh
  expect_identical(several$held_out, 24L)
  one <- replace(iris$Species, -c(1, 51, 101), NA)
  single <- suppressWarnings(rank_jsfs(iris[1:4], one, refresh = 1))
  expect_false(attr(single, "info")$refresh$revised)
  full <- suppressWarnings(rank_jsfs(iris[1:4], iris$Species, refresh = 1))
  expect_identical(attr(full, "info")$refresh$held_out, 0L)
})

# ---- published and measured figures -----------------------------------------------------------

g50c_split <- function(noise, seed) {
  set.seed(seed)
  g <- simulate_g50c(550)
  x <- cbind(g$x, matrix(rnorm(550 * noise), 550))
  y <- factor(g$y)
  train <- sample(550, 350)
  labelled <- unlist(lapply(levels(y), function(level) sample(train[y[train] == level], 20)))
  list(x = x[train, ], y = replace(y[train], !(train %in% labelled), NA), x_test = x[-train, ],
       y_test = y[-train])
}

test_that("fresh draws of g50c give the page's accuracies, and refresh saves those with noise", {
  skip_on_cran()
  # .884 and .668 at 0 and 200 noise columns, 8 partitions of one draw, standard errors to .023.
  accuracy <- function(noise, refresh) {
    mean(vapply(1:8, function(seed) {
      d <- g50c_split(noise, 40 + seed)
      r <- suppressWarnings(suppressMessages(rank_jsfs(d$x, d$y, refresh = refresh)))
      mean(predict(r, d$x_test) == d$y_test)
    }, 0))
  }
  expect_lt(abs(accuracy(0, 0) - 0.884), 0.046)
  noisy <- accuracy(200, 0)
  expect_lt(abs(noisy - 0.668), 0.065)  # two errors of a difference of two such means
  expect_gt(accuracy(200, 3), noisy + 0.1)
})

test_that("the default column of the page's table is met on partitions of our own", {
  skip_on_cran()
  folder <- Sys.getenv("SEMISELECT_DATA")
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "yaleb.rds")), "SEMISELECT_DATA")
  # Accuracy and standard error over ten partitions, as measured for the page; five labels a class.
  table <- list(
    coil20 = c(train = 100, accuracy = 0.968, error = 0.015, features = 31),
    yaleb = c(train = 100, accuracy = 0.814, error = 0.04, features = 13),
    prostate_ge = c(train = 82, accuracy = 0.575, error = 0.05, features = 15),
    colon = c(train = 42, accuracy = 0.625, error = 0.05, features = 7.5)
  )
  for (name in names(table)) {
    data <- readRDS(file.path(folder, paste0(name, ".rds")))
    y <- factor(data$y)
    two <- y %in% levels(y)[1:2]
    x <- data$x[two, ]
    storage.mode(x) <- "double"
    y <- droplevels(y[two])
    figures <- vapply(1:10, function(seed) {
      set.seed(70 + seed)
      train <- sample(length(y), table[[name]][["train"]])
      labelled <- unlist(lapply(levels(y), function(level) sample(train[y[train] == level], 5)))
      few <- replace(y[train], !(train %in% labelled), NA)
      r <- suppressWarnings(suppressMessages(rank_jsfs(x[train, ], few)))
      c(mean(predict(r, x[-train, ]) == y[-train]), sum(r$selected))
    }, c(0, 0))
    own_error <- sd(figures[1, ]) / sqrt(10)
    apart <- abs(mean(figures[1, ]) - table[[name]][["accuracy"]])
    expect_lt(apart, 2 * sqrt(own_error^2 + table[[name]][["error"]]^2), label = name)
    ratio <- mean(figures[2, ]) / table[[name]][["features"]]
    expect_true(ratio > 0.5 && ratio < 2, label = paste(name, "features"))
  }
})
