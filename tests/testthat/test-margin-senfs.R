# SENFS and DrSVM against independent solvers, their optimality conditions and equivariances.

margin_data <- function(n, p, labelled, seed, shift = 1) {
  set.seed(seed)
  y <- rep(c("n", "p"), length.out = n)
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  relevant <- seq_len(min(3, p))
  x[, relevant] <- x[, relevant] + shift * (2 * (y == "p") - 1)
  full <- y
  y[-seq_len(labelled)] <- NA
  list(x = x, y = y, full = full)
}

info_of <- function(r) attr(r, "info")
model_of <- function(r) attr(r, "model")

hinge_objective <- function(x, s, beta, b, cost, l1, l2) {
  sum(cost * pmax(0, 1 - s * (x %*% beta + b))) + l1 * sum(abs(beta)) + l2 / 2 * sum(beta^2)
}

# F as the help page has it, on columns as they are.
senfs_objective <- function(x, y, beta, b, cost, cost_unlabelled, l1, l2, s) {
  g <- drop(x %*% beta) + b
  sign <- ifelse(y == "p", 1, -1)
  sum(cost * pmax(0, 1 - sign * g), na.rm = TRUE) +
    sum(cost_unlabelled * pmin(1 - s, pmax(0, 1 - abs(g[is.na(y)])))) +
    l1 * sum(abs(beta)) + l2 / 2 * sum(beta^2)
}

# The same problem as a quadratic program with beta = u - w, u, w >= 0, and slacks; quadprog wants
# a definite matrix, so the variables without a quadratic term get a ridge.
elastic_net_qp <- function(x, s, cost, l1, l2, ridge = 1e-7) {
  n <- nrow(x)
  p <- ncol(x)
  D <- diag(ridge, 2 * p + 1 + n)
  quadratic <- rbind(cbind(diag(l2, p), -diag(l2, p)), cbind(-diag(l2, p), diag(l2, p)))
  D[1:(2 * p), 1:(2 * p)] <- D[1:(2 * p), 1:(2 * p)] + quadratic
  d <- -c(rep(l1, 2 * p), 0, rep(cost, n))
  A <- rbind(
    cbind(s * x, -s * x, s, diag(n)),
    cbind(diag(2 * p), 0, matrix(0, 2 * p, n)),
    cbind(matrix(0, n, 2 * p + 1), diag(n))
  )
  fit <- quadprog::solve.QP(D, d, t(A), c(rep(1, n), rep(0, 2 * p + n)))
  z <- fit$solution
  list(beta = z[1:p] - z[p + 1:p], b = z[2 * p + 1])
}

test_that("drsvm reaches the optimum of a quadratic program, p > n included", {
  skip_if_not_installed("quadprog")
  for (p in c(5, 40)) {
    data <- margin_data(24, p, 24, seed = p, shift = 0.6)
    s <- ifelse(data$y == "p", 1, -1)
    for (l2 in c(10, 1, 0.1, 0.01, 0)) {
      r <- rank_drsvm(data$x, data$y, lambda1 = 1.5, lambda2 = l2, scale = "none")
      beta <- model_of(r)$coefficients
      reached <- hinge_objective(data$x, s, beta, model_of(r)$intercept, 1, 1.5, l2)
      qp <- elastic_net_qp(data$x, s, 1, 1.5, l2)
      other <- hinge_objective(data$x, s, qp$beta, qp$b, 1, 1.5, l2)
      expect_equal(unname(model_of(r)$objective), reached, tolerance = 1e-10)
      expect_lt(reached, other * (1 + 1e-6))
      expect_gt(reached, other * (1 - 1e-4))
      # The certificate bounds the true excess.
      expect_lte(reached - other, max(info_of(r)$gap, 1e-12) * reached + 1e-12)
      expect_lt(info_of(r)$gap, 1e-6)
      if (l2 >= 0.1) expect_equal(unname(beta), qp$beta, tolerance = 1e-4)
    }
  }
})

test_that("drsvm without lambda1 is the linear SVM of e1071", {
  skip_if_not_installed("e1071")
  data <- margin_data(30, 6, 30, seed = 3, shift = 0.5)
  r <- rank_drsvm(data$x, data$y, lambda1 = 0, lambda2 = 1, scale = "none", tol = 1e-10)
  peer <- e1071::svm(data$x, factor(data$y), kernel = "linear", cost = 1, scale = FALSE,
                     tolerance = 1e-8)
  w <- drop(t(peer$coefs) %*% peer$SV)
  sign <- if (sum(w * coef(r)[-1]) < 0) -1 else 1
  expect_equal(unname(sign * w), unname(coef(r)[-1]), tolerance = 1e-5)
  expect_equal(-sign * peer$rho, unname(coef(r)[1]), tolerance = 1e-4)
  expect_true(all(r$selected))
  # Nothing is ordered by nearness to entering where everything has entered.
  expect_identical(r$score, r$statistic)
})

test_that("senfs is drsvm without unlabelled rows, or where they weigh nothing", {
  data <- margin_data(40, 8, 20, seed = 4)
  labelled <- !is.na(data$y)
  dr <- rank_drsvm(data$x, data$y)
  free <- rank_senfs(data$x, data$y, cost_unlabelled = 0)
  expect_equal(coef(free), coef(dr), tolerance = 1e-10)
  expect_false(attr(free, "params")$balance)
  expect_message(
    none <- rank_senfs(data$x[labelled, ], data$y[labelled]), "rank_drsvm",
    class = "semiselect_message"
  )
  expect_equal(coef(none), coef(rank_drsvm(data$x[labelled, ], data$y[labelled])),
               tolerance = 1e-10)
  # The constraint may stay in force: then the mean decision value is r.
  tied <- rank_senfs(data$x, data$y, cost_unlabelled = 0, balance = TRUE)
  expect_equal(mean(augment(tied)$decision[!labelled]), info_of(tied)$r, tolerance = 1e-10)
})

test_that("senfs reports F, keeps the balance and satisfies the optimality conditions", {
  data <- margin_data(50, 30, 6, seed = 5)
  z <- scale(data$x)
  for (balance in c(TRUE, FALSE)) {
    r <- rank_senfs(data$x, data$y, balance = balance)
    info <- info_of(r)
    params <- attr(r, "params")
    t <- model_of(r)$standardized
    g <- augment(r)$decision
    b <- g[1] - sum(z[1, ] * t)
    expect_equal(g, unname(drop(z %*% t) + b), tolerance = 1e-10)
    expect_equal(
      model_of(r)$objective,
      senfs_objective(z, data$y, t, b, 1, 0.1, params$lambda1, params$lambda2, 0.3),
      tolerance = 1e-9
    )
    if (balance) expect_equal(mean(g[is.na(data$y)]), 0, tolerance = 1e-10)
    expect_true(all(diff(info$objective) <= 1e-6 * abs(info$objective[-1])))
    expect_identical(info$objective[length(info$objective)], model_of(r)$objective)
    expect_named(info$objective_by_start, c("labelled", "anneal", "centroid", "pca+", "pca-"))
    expect_equal(min(info$objective_by_start), model_of(r)$objective, tolerance = 1e-6)
    expect_true(info$converged)

    v <- info$v
    zero <- t == 0
    expect_true(all(abs(v[zero]) <= params$lambda1 * (1 + 1e-6)))
    expect_equal(params$lambda2 * t[!zero], v[!zero] - params$lambda1 * sign(t[!zero]),
                 tolerance = 1e-6)

    # The grouping bound, for all pairs of columns.
    m <- if (balance) colMeans(z[is.na(data$y), ]) else rep(0, ncol(z))
    zc <- sweep(z, 2, m)
    weight <- ifelse(is.na(data$y), 0.1, 1)
    for (j in 1:29) {
      bound <- colSums(weight * abs(zc[, j] - zc[, (j + 1):30, drop = FALSE])) / params$lambda2
      expect_true(all(abs(t[j] - t[(j + 1):30]) <= bound + 1e-9))
    }
    expect_identical(unname(abs(t)[r$feature]), r$statistic)
    rest <- r$feature[!r$selected]
    expect_equal(r$score[!r$selected], pmin(0, unname(abs(v[rest])) / params$lambda1 - 1))

    fixed <- rank_senfs(data$x, data$y, balance = balance,
                        starts = list(beta = coef(r)[-1], intercept = coef(r)[1]))
    expect_equal(coef(fixed), coef(r), tolerance = 1e-8)
  }
})

test_that("duplicated and reversed columns get equal and opposite coefficients", {
  data <- margin_data(40, 10, 6, seed = 6)
  x <- cbind(data$x, twin = data$x[, 1], reverse = -data$x[, 1])
  b <- coef(rank_senfs(x, data$y))
  expect_equal(b[["twin"]], b[["f1"]], tolerance = 1e-10)
  expect_equal(b[["reverse"]], -b[["f1"]], tolerance = 1e-10)
})

test_that("senfs follows what is done to rows, columns, labels and units", {
  data <- margin_data(40, 12, 8, seed = 7)
  x <- data$x
  fit <- function(x, y = data$y, ...) rank_senfs(x, y, scale = "none", tol = 1e-9, ...)
  base <- fit(x, lambda1 = 2, lambda2 = 5)
  b <- coef(base)
  same <- function(r, expected, F = 1) {
    expect_equal(coef(r), expected, tolerance = 1e-8)
    expect_equal(model_of(r)$objective, F * model_of(base)$objective, tolerance = 1e-8)
  }
  rows <- c(seq(2, 40, 2), seq(1, 39, 2))
  same(fit(x[rows, ], data$y[rows], lambda1 = 2, lambda2 = 5), b)
  expect_equal(coef(fit(x[, 12:1], lambda1 = 2, lambda2 = 5))[names(b)], b, tolerance = 1e-8)
  swapped <- factor(data$y, levels = c("p", "n"))
  same(fit(x, swapped, lambda1 = 2, lambda2 = 5), -b)
  turned <- x
  turned[, 2] <- -turned[, 2]
  flipped <- b
  flipped["f2"] <- -flipped["f2"]
  same(fit(turned, lambda1 = 2, lambda2 = 5), flipped)
  moved <- fit(sweep(x, 2, 1:12, `+`), lambda1 = 2, lambda2 = 5)
  expect_equal(coef(moved)[-1], b[-1], tolerance = 1e-8)
  expect_equal(coef(moved)[[1]], b[[1]] - sum(b[-1] * 1:12), tolerance = 1e-8)
  stretched <- fit(4 * x, lambda1 = 8, lambda2 = 80)
  same(stretched, c(b[1], b[-1] / 4))
  same(fit(x, cost = 3, cost_unlabelled = 0.3, lambda1 = 6, lambda2 = 15), b, F = 3)
  same(fit(rbind(x, x), rep(data$y, 2), cost = 0.5, cost_unlabelled = 0.05, lambda1 = 2,
           lambda2 = 5), b)
})

test_that("scaling by hand and by `scale` agree, in coefficients and predictions", {
  data <- margin_data(40, 12, 8, seed = 8)
  z <- scale(data$x)
  by_hand <- rank_senfs(z, data$y, scale = "none")
  within <- rank_senfs(data$x, data$y)
  expect_equal(model_of(within)$standardized, model_of(by_hand)$coefficients, tolerance = 1e-8)
  expect_equal(predict(within, data$x, "link"), predict(by_hand, z, "link"), tolerance = 1e-8)
  expect_equal(predict(within, data$x, "link"), augment(within)$decision, tolerance = 1e-8)
  unit <- rank_senfs(data$x, data$y, scale = "unit")
  expect_equal(predict(unit, data$x, "link"), augment(unit)$decision, tolerance = 1e-8)
  expect_identical(predict(within, data$x), augment(within)$class)
})

test_that("lambda1_max is where the labelled problem empties", {
  data <- margin_data(40, 12, 8, seed = 9)
  z <- scale(data$x)
  s <- ifelse(data$y == "p", 1, -1)
  labelled <- !is.na(s)
  m <- colMeans(z[!labelled, ])
  largest <- max(abs(colSums(s[labelled] * sweep(z[labelled, ], 2, m))))
  solve_at <- function(share) {
    rank_senfs(data$x, data$y, cost_unlabelled = 0, balance = TRUE, lambda1 = share * largest)
  }
  expect_warning(empty <- solve_at(1.0001), "No feature is selected", class = "semiselect_warning")
  expect_false(any(empty$selected))
  expect_identical(unname(model_of(empty)$standardized), rep(0, 12))
  expect_equal(augment(empty)$decision, rep(info_of(empty)$r, 40))
  expect_true(any(solve_at(0.97)$selected))

  free <- 4 * max(abs(colMeans(z[which(s == 1), ]) - colMeans(z[which(s == -1), ])))
  expect_equal(info_of(rank_drsvm(data$x, data$y))$lambda1, 0.1 * free, tolerance = 1e-10)
  expect_warning(empty <- rank_drsvm(data$x, data$y, lambda1 = 1.0001 * free), "No feature")
  expect_false(any(empty$selected))
  expect_true(any(rank_drsvm(data$x, data$y, lambda1 = 0.97 * free)$selected))
})

test_that("defaults are those of the help page", {
  data <- margin_data(40, 12, 8, seed = 10)
  z <- scale(data$x)
  labelled <- !is.na(data$y)
  away <- abs(sweep(z, 2, colMeans(z[!labelled, ])))
  cap <- max(colSums(away[labelled, ]) + 0.1 * colSums(away[!labelled, ]))
  r <- rank_senfs(data$x, data$y)
  expect_equal(attr(r, "params")$lambda1, 0.05 * cap, tolerance = 1e-10)
  expect_equal(attr(r, "params")$lambda2, 8 + 0.1 * 32)
  expect_true(attr(r, "params")$balance)
  expect_equal(attr(r, "params")$r, 0)
  expect_equal(attr(rank_drsvm(data$x, data$y, cost = 2), "params")$lambda2, 16)
})

test_that("a path has two sweeps, ranks by entry and meets single fits", {
  data <- margin_data(60, 40, 6, seed = 11)
  r <- rank_senfs(data$x, data$y, path = TRUE, n_lambda = 8)
  path <- info_of(r)$path
  expect_named(path, c("lambda1", "objective", "n_selected"))
  expect_equal(path$lambda1[8], 0.01 * path$lambda1[1])
  expect_equal(path$lambda1[1], 20 * attr(r, "params")$lambda1)
  expect_identical(path$n_selected[1], 0L)
  expect_identical(r$score, as.double(40:1))
  entry <- rep(0, 40)
  weight <- rep(0, 40)
  for (k in 8:1) {
    single <- suppressWarnings(rank_senfs(data$x, data$y, lambda1 = path$lambda1[k]))
    # All starts at one value may miss what the sweeps find, or find more, but not by much.
    expect_equal(path$objective[k], model_of(single)$objective, tolerance = 0.02)
    t <- abs(model_of(single)$standardized)
    entry[t > 0] <- path$lambda1[k]
    weight[t > 0] <- t[t > 0]
  }
  expect_identical(head(r$index, 3), head(order(-entry, -weight), 3))
  expect_identical(coef(r), coef(rank_senfs(data$x, data$y)))

  chosen <- rank_senfs(data$x, data$y, path = TRUE, n_lambda = 8, n_features = 5)
  expect_identical(chosen$selected, rep(c(TRUE, FALSE), c(5, 35)))
  at <- which(path$n_selected >= 5)[1]
  expect_equal(info_of(chosen)$lambda1, path$lambda1[at])
  expect_equal(model_of(chosen)$objective, path$objective[at], tolerance = 1e-6)
})

test_that("a drsvm path with warm starts equals cold starts", {
  data <- margin_data(30, 50, 30, seed = 12, shift = 0.4)
  path <- info_of(rank_drsvm(data$x, data$y, path = TRUE, n_lambda = 10, lambda2 = 1))$path
  for (k in seq_len(nrow(path))) {
    cold <- suppressWarnings(rank_drsvm(data$x, data$y, lambda1 = path$lambda1[k], lambda2 = 1))
    expect_equal(model_of(cold)$objective, path$objective[k], tolerance = 1e-8)
    expect_identical(sum(cold$selected), path$n_selected[k])
  }
})

test_that("a grid over lambda2 gives a path for each value", {
  data <- margin_data(30, 20, 30, seed = 19, shift = 0.4)
  grid <- rank_drsvm(data$x, data$y, path = TRUE, n_lambda = 4, lambda2 = c(5, 0.5))
  path <- info_of(grid)$path
  expect_named(path, c("lambda2", "lambda1", "objective", "n_selected"))
  second <- rank_drsvm(data$x, data$y, path = TRUE, n_lambda = 4, lambda2 = 0.5)
  expect_identical(path$objective[5:8], info_of(second)$path$objective)
  first <- rank_drsvm(data$x, data$y, path = TRUE, n_lambda = 4, lambda2 = 5)
  expect_identical(coef(grid), coef(first))
  expect_error(rank_drsvm(data$x, data$y, lambda2 = c(5, 0.5)), "`lambda2`",
               class = "semiselect_error")
})

test_that("more than two classes are each set against the rest", {
  set.seed(13)
  y <- factor(rep(c("a", "b", "c"), length.out = 60))
  x <- matrix(rnorm(60 * 10), 60, 10, dimnames = list(NULL, letters[1:10]))
  for (c in 1:3) x[y == c("a", "b", "c")[c], c] <- x[y == c("a", "b", "c")[c], c] + 3
  full <- y
  y[-(1:15)] <- NA
  r <- rank_senfs(x, y)
  t <- model_of(r)$standardized
  expect_identical(dim(t), c(10L, 3L))
  expect_equal(r$statistic, unname(sqrt(rowSums(t^2))[r$feature]))
  expect_identical(r$selected, unname(rowSums(t != 0) > 0)[r$index])
  expect_named(info_of(r)$by_class, c("a", "b", "c"))
  expect_named(model_of(r)$objective, c("a", "b", "c"))
  expect_named(attr(r, "params")$lambda1, c("a", "b", "c"))
  expect_gt(mean(predict(r, x) == full), 0.85)
  prob <- predict(r, x, "prob")
  expect_equal(unname(rowSums(prob)), rep(1, 60))

  one <- factor(ifelse(y == "b", "yes", "no"), c("no", "yes"))
  binary <- rank_senfs(x, one)
  expect_equal(model_of(r)$coefficients[, "b"], model_of(binary)$coefficients, tolerance = 1e-8)
  expect_equal(info_of(r)$by_class$b$r, -1 / 3)
  expect_equal(model_of(r)$objective[["b"]], model_of(binary)$objective, tolerance = 1e-8)
  expect_error(rank_senfs(x, y, r = 0.1), "two classes", class = "semiselect_error")

  biggest <- rank_senfs(x, y, aggregate = "max")
  expect_equal(biggest$statistic, unname(apply(abs(t), 1, max)[biggest$feature]))
  path <- rank_senfs(x, y, path = TRUE, n_lambda = 5)
  expect_named(info_of(path)$path, c("class", "lambda1", "objective", "n_selected"))
  expect_identical(nrow(info_of(path)$path), 15L)
  dr <- rank_drsvm(x, y)
  expect_equal(coef(dr)[, "c"], coef(rank_drsvm(x, factor(y == "c"))), tolerance = 1e-8)
})

test_that("degenerate input has the answer of the help page", {
  data <- margin_data(20, 5, 4, seed = 14)
  x <- data$x
  y <- data$y
  both <- "labels of both classes are needed"
  expect_error(rank_senfs(x, rep(NA, 20)), both, class = "semiselect_error")
  expect_error(rank_senfs(x, ifelse(y == "p", "p", NA)), both, class = "semiselect_error")
  expect_error(rank_drsvm(x, NULL), both, class = "semiselect_error")
  expect_error(rank_senfs(x, y, lambda1 = 0, lambda2 = 0), "both be 0", class = "semiselect_error")
  expect_error(rank_drsvm(x, y, lambda1 = 0, lambda2 = 0), "both be 0", class = "semiselect_error")
  expect_error(rank_senfs(x, y, cost = -1), "`cost`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, cost_unlabelled = Inf), "`cost_unlabelled`")
  expect_error(rank_senfs(x, y, lambda1 = NaN), "`lambda1`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, lambda2 = -2), "`lambda2`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, s = 1), "`s`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, r = -1), "`r`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, starts = "middle"), "`starts`", class = "semiselect_error")
  expect_error(rank_senfs(x, y, cost = 0), "`cost = 0`", class = "semiselect_error")
  expect_error(rank_drsvm(x, y, cost = 0), "`cost`", class = "semiselect_error")

  # No labels at all: a clustering by a large margin.
  split <- rank_senfs(x, rep(NA, 20), cost = 0, cost_unlabelled = 0.1, r = 0, lambda1 = 0.05)
  expect_named(info_of(split)$objective_by_start, c("pca+", "pca-"))
  expect_equal(mean(augment(split)$decision), 0, tolerance = 1e-10)
  expect_error(predict(split, x, "prob"), "probabilities", class = "semiselect_error")

  expect_warning(single <- rank_senfs(x[1:5, ], y[1:5]), "one unlabelled row")
  expect_equal(augment(single)$decision[5], 0, tolerance = 1e-10)
  expect_named(info_of(single)$objective_by_start, "labelled")

  numbers <- c(0, 1, 0, 1, rep(NA, 16))
  expect_identical(levels(predict(rank_senfs(x, numbers), x)), c("0", "1"))
  narrow <- rank_senfs(x[, 1, drop = FALSE], y)
  expect_identical(nrow(narrow), 1L)
  dense <- rank_senfs(x, y, lambda1 = 0)
  expect_true(all(dense$selected))
  lp <- rank_senfs(x, y, lambda2 = 0)
  expect_true(info_of(lp)$converged)
})

test_that("the paper's solver is a start like the others", {
  data <- margin_data(60, 30, 6, seed = 15)
  admm <- rank_senfs(data$x, data$y, solver = "admm")
  expect_named(info_of(admm)$objective_by_start, "admm")
  expect_true(info_of(admm)$converged)
  # Neither is sure to find the lowest F.
  best <- rank_senfs(data$x, data$y)
  expect_equal(model_of(best)$objective, model_of(admm)$objective, tolerance = 0.05)
})

test_that("wide and tall, dense and sparse data give the same", {
  for (p in c(15, 90)) {
    data <- margin_data(50, p, 8, seed = 16)
    data$x[abs(data$x) < 0.6] <- 0
    sparse <- Matrix::Matrix(data$x, sparse = TRUE)
    for (scale in c("standardize", "none", "range", "unit")) {
      a <- rank_senfs(data$x, data$y, scale = scale)
      b <- rank_senfs(sparse, data$y, scale = scale)
      expect_equal(coef(b), coef(a), tolerance = 1e-8)
    }
  }
})

test_that("senfs can be interrupted, by one thread and by two", {
  set.seed(17)
  x <- matrix(rnorm(400 * 8000), 400)
  y <- rep(c("a", "b", rep(NA, 18)), 20)
  expect_interruptible(rank_senfs(x, y, path = TRUE, threads = 1, verbose = FALSE))
  expect_interruptible(rank_senfs(x, y, path = TRUE, threads = 2, verbose = FALSE))
})

test_that("the simulation of Dai et al. comes out as the corrected definition has it", {
  skip_on_cran()
  # Relevant and noise features selected, and error of the classifier, for lambda1 = 0.05, 0.2 and
  # 0.3 of its largest value, 2 labelled rows: reference values of an independent implementation
  # over 10 repetitions. The Bayes error is 8.9 % at rho = 0.5, 14.7 % at rho = 0.9.
  settings <- list(
    list(rho = 0.5, d = 1, noise = c(98.4, 0.1, 0), error = c(10.2, 9.3, 9.3)),
    list(rho = 0.9, d = 1, noise = c(102.8, 0.7, 0), error = c(15.9, 15.2, 15.1)),
    list(rho = 0.9, d = 2, noise = c(70.9, 0.2, 0), error = c(2.1, 2.0, 2.0))
  )
  set.seed(18)
  for (setting in settings) {
    result <- replicate(5, {
      train <- simulate_senfs(300, 500, setting$rho, setting$d)
      test <- simulate_senfs(2000, 500, setting$rho, setting$d)
      y <- train$y
      y[-match(levels(y), y)] <- NA
      cap <- NULL
      vapply(c(0.05, 0.2, 0.3), function(share) {
        lambda1 <- if (share == 0.05) NULL else share * cap
        r <- rank_senfs(train$x, y, lambda1 = lambda1)
        if (share == 0.05) cap <<- 20 * attr(r, "params")$lambda1
        chosen <- r$index[r$selected]
        c(sum(chosen <= 10), sum(chosen > 10), 100 * mean(predict(r, test$x) != test$y))
      }, numeric(3))
    })
    mean_result <- apply(result, 1:2, mean)
    expect_true(all(mean_result[1, ] >= 9))
    expect_lt(max(abs(mean_result[2, 2:3] - setting$noise[2:3])), 2)
    expect_lt(abs(mean_result[2, 1] - setting$noise[1]), 25)
    expect_lt(max(abs(mean_result[3, ] - setting$error)), 2)
  }
})

test_that("one feature and three classes have a matrix of one row (they once stopped on its names)", {
  y <- iris$Species
  y[c(11:50, 61:100, 111:150)] <- NA
  for (rank in list(rank_senfs, rank_drsvm)) {
    r <- rank(iris["Petal.Length"], y)
    weights <- attr(r, "model")$coefficients
    expect_identical(dimnames(weights), list("Petal.Length", levels(y)))
    expect_gt(mean(predict(r, iris["Petal.Length"]) == iris$Species), 0.6)
  }
})
