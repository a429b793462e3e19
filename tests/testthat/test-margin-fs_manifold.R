# Rows 51 to 150 of iris, raw columns; the first five of each species are labelled, versicolor +1.
iris_pair <- function(positive = 2) {
  x <- as.matrix(iris[51:150, 1:4])
  y <- rep(NA_character_, 100)
  y[1:5] <- if (positive == 2) "b" else "a"
  y[51:55] <- if (positive == 2) "a" else "b"
  list(x = x, y = y, sign = rep(c(1, -1), each = 5), rows = c(1:5, 51:55))
}

fsm <- function(data, ..., scale = "none", tol = 1e-9) {
  rank_fs_manifold(data$x, data$y, ..., scale = scale, tol = tol, verbose = FALSE)
}
info_of <- function(r) attr(r, "info")
model_of <- function(r) attr(r, "model")

test_that("rank_fs_manifold has the values worked out for iris, bound objective", {
  data <- iris_pair()
  # From the specification: a slow reference that agrees with a cone programme to 4e-9.
  worked <- list(
    list(m = 2, cost = 1, tau = 0, value = 2.75425505, p = c(.763, 0, 1, .237), b = -0.1747),
    list(m = 2, cost = 1, tau = 0.5, value = 5.73380863, p = c(0, 0, 1, 1), b = -0.2945),
    list(m = 2, cost = 10, tau = 0.9, value = 76.2951557, p = c(0, 0, 1, 1), b = -0.1570),
    list(m = 1, cost = 1, tau = 0, value = 3.54666667, p = c(.074, 0, .926, 0), b = -0.458),
    list(m = 4, cost = 1, tau = 0.5, value = 5.52130863, p = c(1, 1, 1, 1), b = -0.3174)
  )
  for (w in worked) {
    r <- fsm(data, n_features = w$m, cost = w$cost, tau = w$tau, rho = 10, ridge = 0.1)
    expect_equal(info_of(r)$upper, w$value, tolerance = 1e-8)
    expect_equal(info_of(r)$lower, w$value, tolerance = 1e-8)
    expect_lt(max(abs(info_of(r)$p - w$p)), 1.1e-3)
    expect_lt(abs(model_of(r)$b - w$b), 6e-4)
  }
  expect_warning(r <- fsm(data, n_features = 2, cost = 1, tau = 1, rho = 10, ridge = 0.1),
                 "do not depend on `x`", class = "semiselect_warning")
  expect_equal(info_of(r)$upper, 9.97512538, tolerance = 1e-8)
  expect_equal(info_of(r)$iterations, 1)
  expect_equal(unname(info_of(r)$p), rep(0.5, 4))
  expect_lt(abs(model_of(r)$b - -0.0013), 1e-4)
})

test_that("rank_fs_manifold has the values worked out for iris, exact and joint", {
  data <- iris_pair()
  r <- fsm(data, n_features = 2, cost = 1, rho = 2.3103892e-4, objective = "exact")
  expect_equal(info_of(r)$upper, 2.82890304, tolerance = 1e-7)
  expect_lt(max(abs(info_of(r)$p - c(.750, 0, 1, .250))), 1.1e-3)
  r <- fsm(data, n_features = 2, cost = 1, rho = 2.3103892e-3, objective = "exact")
  expect_equal(info_of(r)$upper, 3.34572237, tolerance = 1e-7)
  expect_lt(max(abs(info_of(r)$p - c(.911, 0, 1, .089))), 1.1e-3)
  # The default: 0.3 d / trace(Z), Z of the four diagonal entries on the page.
  r <- fsm(data, n_features = 2, objective = "exact")
  expect_equal(info_of(r)$rho, 0.3 * 4 / (824.41 + 195.65 + 602.34 + 108.91), tolerance = 1e-5)

  y <- as.character(iris$Species)
  y[-c(1:5, 51:55, 101:105)] <- NA
  r <- fsm(list(x = as.matrix(iris[1:4]), y = y), n_features = 2, cost = 1, tau = 0.5, rho = 10,
           ridge = 0.1)
  expect_equal(info_of(r)$upper, 16.7785966, tolerance = 1e-8)
  expect_lt(max(abs(info_of(r)$p - c(.018, 0, 1, .982))), 1.1e-3)
  expect_equal(info_of(r)$components, 2)
})

# ---- witnesses: the definitions, written plainly ------------------------------------------------

# Cosine neighbors, binary, union; ties to the lower row, cosines rounded as the graph does it.
naive_graph <- function(x, k) {
  norm <- sqrt(rowSums(x^2))
  cosine <- round(tcrossprod(x) / tcrossprod(norm), 12)
  diag(cosine) <- -Inf
  near <- t(apply(-cosine, 1, function(d) rank(d, ties.method = "first") <= k))
  (near | t(near)) * 1
}

# H, and Z + eps I, for centered columns.
naive_manifold <- function(x, w, rows, eps) {
  x <- scale(x, scale = FALSE)
  laplacian <- diag(rowSums(w)) - w
  z <- crossprod(x, laplacian %*% x)
  inverse <- if (eps > 0) {
    solve(z + diag(eps, ncol(x)))
  } else {
    e <- eigen(z, symmetric = TRUE)
    keep <- e$values > 1e-10 * max(e$values)
    e$vectors[, keep, drop = FALSE] %*% (t(e$vectors[, keep, drop = FALSE]) / e$values[keep])
  }
  list(h = x[rows, ] %*% inverse %*% t(x[rows, ]), inverse = inverse, z = z)
}

hinge_value <- function(f, sign, cost, u) {
  loss <- function(b) sum(pmax(0, 1 - sign * (f - b)))
  0.5 * sum(u * f) + cost * min(vapply(f - sign, loss, 0))  # the minimum is at a breakpoint
}

upper_bound <- function(kernel, sign, alpha, cost) {
  u <- alpha * sign
  hinge_value(drop(kernel %*% u), sign, cost, u)
}

largest <- function(s, m) sum(sort(s, decreasing = TRUE)[seq_len(m)])

lower_bound <- function(v, h, sign, alpha, m, tau, rho) {
  u <- alpha * sign
  sum(alpha) - tau^2 / (2 * rho) * drop(u %*% h %*% u) -
    0.5 * (1 - tau)^2 * largest(drop(crossprod(v, u))^2, m)
}

two_groups <- function(n = 40, p = 12, l = 16, seed = 1, shift = 1.2, informative = 3) {
  set.seed(seed)
  side <- rep(c(-1, 1), length.out = n)
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, sprintf("f%02d", seq_len(p))))
  x[, seq_len(informative)] <- x[, seq_len(informative)] + shift * side
  y <- ifelse(side > 0, "pos", "neg")
  y <- factor(y, levels = c("neg", "pos"))
  y[-seq_len(l)] <- NA
  list(x = x, y = y, sign = side[seq_len(l)], rows = seq_len(l), side = side)
}

test_that("H of iris has the values worked out for it", {
  data <- iris_pair()
  w <- naive_graph(data$x, 20)
  expect_equal(sum(w) / 2, 1240)
  # What the package makes of it can be seen at tau = 1: alpha and b of the SVM with kernel H / rho.
  for (eps in c(0, 0.1)) {
    plain <- naive_manifold(data$x, w, data$rows, eps)
    expect_equal(unname(plain$h[1, c(1, 2, 6)]),
                 if (eps == 0) c(0.0101747108, 0.0063977265, -0.0126892381)
                 else c(0.0101570037, 0.0063866818, -0.0126658837), tolerance = 1e-7)
    suppressWarnings(r <- fsm(data, n_features = 2, cost = 1, tau = 1, rho = 10, ridge = eps))
    upper <- upper_bound(plain$h / 10, data$sign, info_of(r)$alpha, 1)
    expect_equal(info_of(r)$upper, upper, tolerance = 1e-9)
  }
})

test_that("bounds are monotone, close to the gap asked for, and can be recomputed", {
  for (objective in c("bound", "exact")) for (tol in c(1e-2, 1e-6)) {
    data <- two_groups()
    r <- fsm(data, n_features = 3, tau = 0.6, k = 6, objective = objective, tol = tol)
    info <- info_of(r)
    trace <- info$objective
    expect_named(trace, c("iteration", "dual", "upper", "lower"))
    expect_true(all(diff(trace$upper) <= 0))
    expect_true(all(diff(trace$lower) >= 0))
    expect_true(all(trace$lower <= trace$upper))
    expect_identical(info$upper, tail(trace$upper, 1))
    expect_identical(info$lower, tail(trace$lower, 1))
    expect_true(info$converged)
    expect_lte(info$upper - info$lower, tol * info$upper)
    expect_equal(info$iterations, nrow(trace))

    expect_lt(abs(sum(info$p) - 3), 1e-9)
    expect_true(all(info$p >= 0 & info$p <= 1))
    for (alpha in list(info$alpha, model_of(r)$alpha_bar)) {
      expect_true(all(alpha >= 0 & alpha <= info$cost * (1 + 1e-12)))
      expect_lte(abs(sum(alpha * data$sign)), 1e-9 * info$cost)
    }
    expect_identical(info$alpha, model_of(r)$alpha)
    expect_identical(model_of(r)$objective, info$upper)

    w <- naive_graph(data$x, 6)
    v <- scale(data$x, scale = FALSE)[data$rows, ]
    if (objective == "bound") {
      plain <- naive_manifold(data$x, w, data$rows, 1 / 10)
      kernel <- 0.4^2 * v %*% (info$p * t(v)) + 0.6^2 / 10 * plain$h
      lower <- lower_bound(v, plain$h, data$sign, model_of(r)$alpha_bar, 3, 0.6, 10)
      expect_gte(lower, info$lower * (1 - 1e-10))
      expect_lte(lower, info$upper)
      weights <- (0.4^2 * diag(info$p) + 0.6^2 / 10 * plain$inverse) %*%
        crossprod(v, info$alpha * data$sign)
    } else {
      plain <- naive_manifold(data$x, w, data$rows, 1)
      root <- diag(sqrt(info$p))
      inner <- root %*% solve(diag(12) + info$rho * root %*% plain$z %*% root) %*% root
      kernel <- v %*% inner %*% t(v)
      weights <- inner %*% crossprod(v, info$alpha * data$sign)
      expect_equal(info$rho, 0.3 * 12 / sum(diag(plain$z)))
    }
    expect_equal(upper_bound(kernel, data$sign, info$alpha, info$cost), info$upper,
                 tolerance = 1e-9)
    expect_equal(unname(model_of(r)$w), unname(drop(weights)), tolerance = 1e-8)
  }
})

test_that("the default cost is 10 over the mean centered diagonal of the kernel at p = m / d", {
  data <- two_groups(seed = 2)
  trace_c <- function(a) sum(diag(a)) - sum(a) / nrow(a)
  w <- naive_graph(data$x, 6)
  v <- scale(data$x, scale = FALSE)[data$rows, ]
  plain <- naive_manifold(data$x, w, data$rows, 1 / 10)
  kernel <- 0.5^2 * 3 / 12 * tcrossprod(v) + 0.5^2 / 10 * plain$h
  r <- fsm(data, n_features = 3, k = 6)
  expect_equal(info_of(r)$cost, 10 / (trace_c(kernel) / 16))

  r <- fsm(data, n_features = 3, k = 6, objective = "exact")
  kernel <- 3 / 12 * v %*% solve(diag(12) + info_of(r)$rho * 3 / 12 * plain$z) %*% t(v)
  expect_equal(info_of(r)$cost, 10 / (trace_c(kernel) / 16))
})

test_that("the saddle value agrees with an independent quadratic programme", {
  skip_if_not_installed("quadprog")
  # For fixed p: the SVM by quadprog, which needs a slightly raised diagonal (with 1e-9 it errs in
  # the fifth digit), and the primal value of what it finds. For the minimum over p: no p among many
  # does better, and small steps from the p found do not either.
  svm_value <- function(kernel, sign, cost) {
    l <- length(sign)
    q <- outer(sign, sign) * kernel + diag(1e-6 * mean(diag(kernel)), l)
    fit <- quadprog::solve.QP(q, rep(1, l), cbind(sign, diag(l), -diag(l)),
                              c(0, rep(0, l), rep(-cost, l)), meq = 1)
    upper_bound(kernel, sign, fit$solution, cost)
  }
  for (objective in c("bound", "exact")) {
    data <- two_groups(n = 30, p = 6, l = 12, seed = 3)
    r <- fsm(data, n_features = 2, tau = 0.7, rho = 2, cost = 0.8, k = 5, objective = objective)
    plain <- naive_manifold(data$x, naive_graph(data$x, 5), data$rows, 1 / 2)
    v <- scale(data$x, scale = FALSE)[data$rows, ]
    value <- function(p) {
      kernel <- if (objective == "bound") {
        0.3^2 * v %*% (p * t(v)) + 0.7^2 / 2 * plain$h
      } else {
        root <- diag(sqrt(p))
        v %*% root %*% solve(diag(6) + 2 * root %*% plain$z %*% root) %*% root %*% t(v)
      }
      svm_value(kernel, data$sign, 0.8)
    }
    expect_equal(info_of(r)$upper, value(info_of(r)$p), tolerance = 1e-6)
    set.seed(5)
    for (trial in 1:30) {
      p <- runif(6)
      p <- pmin(1, 2 * p / sum(p))
      p <- p + (2 - sum(p)) * (1 - p) / sum(1 - p)
      expect_gte(value(p), info_of(r)$lower * (1 - 1e-6))
      near <- info_of(r)$p + 1e-3 * (p - info_of(r)$p)
      expect_gte(value(near), info_of(r)$lower * (1 - 1e-6))
    }
  }
})

test_that("m = p is an ordinary linear SVM, tau = 1 the manifold SVM", {
  skip_if_not_installed("kernlab")
  data <- two_groups(seed = 4)
  v <- scale(data$x, scale = FALSE)[data$rows, ]
  r <- fsm(data, n_features = 12, tau = 0, cost = 0.7)
  expect_true(all(info_of(r)$p == 1))
  expect_equal(info_of(r)$iterations, 1)
  expect_match(info_of(r)$note, "weight 1")
  kernel <- tcrossprod(v)
  peer <- kernlab::ksvm(kernlab::as.kernelMatrix(kernel), factor(data$sign), type = "C-svc",
                        C = 0.7, tol = 1e-9)
  alpha <- numeric(16)
  alpha[kernlab::alphaindex(peer)[[1]]] <- kernlab::alpha(peer)[[1]]
  peer_value <- sum(alpha) - 0.5 * drop((alpha * data$sign) %*% kernel %*% (alpha * data$sign))
  expect_equal(info_of(r)$upper, peer_value, tolerance = 1e-6)

  # Default ridge: H / rho = X_l (I + rho Z)^-1 X_l'.
  suppressWarnings(r <- fsm(data, n_features = 3, tau = 1, cost = 0.7, rho = 4, k = 6))
  plain <- naive_manifold(data$x, naive_graph(data$x, 6), data$rows, 1)
  kernel <- v %*% solve(diag(12) + 4 * plain$z) %*% t(v)
  expect_equal(upper_bound(kernel, data$sign, info_of(r)$alpha, 0.7), info_of(r)$upper)
  u <- info_of(r)$alpha * data$sign
  expect_equal(sum(info_of(r)$alpha) - 0.5 * drop(u %*% kernel %*% u), info_of(r)$lower,
               tolerance = 1e-9)
  # The ranking rests on the gradient.
  expect_identical(r$index, order(-abs(crossprod(v, u))))
})

test_that("m = 1, tau = 0 solves the L1-SVM of cost C / |w|_1", {
  # min |w|_1 + c sum xi has the dual max sum a, |v_j'(a y)| <= 1, 0 <= a <= c, a'y = 0. Here
  # a = alpha / max |v'u| is feasible: equal values prove both optimal, without an LP code.
  data <- two_groups(n = 14, p = 5, l = 14, seed = 6, shift = 0.7)
  for (cost in c(0.2, 1, 5)) {
    r <- fsm(data, n_features = 1, tau = 0, cost = cost, k = 5, tol = 1e-10,
             max_iter = 1000)
    w <- model_of(r)$w
    c1 <- cost / sum(abs(w))
    v <- scale(data$x, scale = FALSE)
    primal <- sum(abs(w)) + hinge_value(drop(v %*% w), data$sign, c1, 0)
    a <- info_of(r)$alpha / max(abs(crossprod(v, info_of(r)$alpha * data$sign)))
    expect_lte(max(a), c1 * (1 + 1e-4))
    expect_equal(primal, sum(a), tolerance = 1e-4)
  }
})

test_that("the value falls with m, rises with C, and the bound stays below the exact value", {
  data <- two_groups(seed = 7)
  value <- function(...) {
    info_of(suppressWarnings(fsm(data, ..., k = 6, tol = 1e-7, max_iter = 500)))$upper
  }
  by_m <- vapply(1:12, function(m) value(n_features = m, cost = 0.5), 0)
  expect_true(all(diff(by_m) <= 1e-6 * by_m[-1]))
  by_cost <- vapply(c(0.01, 0.1, 1, 10), function(cost) value(n_features = 3, cost = cost), 0)
  expect_true(all(diff(by_cost) > 0))

  exact <- value(n_features = 3, cost = 0.5, rho = 0.02, objective = "exact")
  for (tau in c(0, 0.3, 0.6, 0.9, 1)) {
    bound <- value(n_features = 3, cost = 0.5, rho = 0.02, ridge = 0, tau = tau)
    expect_lte(bound, exact * (1 + 1e-6))
  }
})

# ---- equivariance -----------------------------------------------------------------------------

test_that("tau = 0 is the supervised case", {
  data <- two_groups(seed = 8)
  r <- fsm(data, n_features = 3, tau = 0, cost = 1)
  alone <- fsm(list(x = data$x[data$rows, ], y = data$y[data$rows]), n_features = 3, tau = 0,
               cost = 1, k = 5)
  other <- fsm(data, n_features = 3, tau = 0, cost = 1, rho = 77, k = 2, metric = "euclidean")
  # The value is known to 1e-9, its minimizer to the root of that.
  expect_equal(info_of(alone)$p, info_of(r)$p, tolerance = 1e-4)
  expect_equal(info_of(alone)$upper, info_of(r)$upper, tolerance = 1e-9)
  expect_identical(info_of(other)$p, info_of(r)$p)
  expect_true(is.na(info_of(r)$components))

  # x -> c x with C -> C / c^2: the same p, the value divided by c^2; no tolerance is absolute.
  for (factor in c(1e-4, 1e4)) {
    scaled <- fsm(list(x = factor * data$x, y = data$y), n_features = 3, tau = 0,
                  cost = 1 / factor^2)
    expect_equal(info_of(scaled)$p, info_of(r)$p, tolerance = 1e-4)
    expect_equal(info_of(scaled)$upper * factor^2, info_of(r)$upper, tolerance = 1e-8)
    expect_identical(scaled$index, r$index)
  }
})

test_that("offsets, order of rows and columns, and names of classes do not matter", {
  data <- two_groups(seed = 9)
  graph <- Matrix::Matrix(naive_graph(data$x, 6), sparse = TRUE)
  for (objective in c("bound", "exact")) {
    run <- function(x = data$x, y = data$y, graph. = graph) {
      fsm(list(x = x, y = y), n_features = 3, tau = 0.8, rho = 0.1, cost = 1, graph = graph.,
          objective = objective)
    }
    r <- run()
    moved <- run(sweep(data$x, 2, 100 * seq_len(12), `+`))
    expect_equal(info_of(moved)$p, info_of(r)$p, tolerance = 1e-3)
    expect_equal(info_of(moved)$upper, info_of(r)$upper, tolerance = 1e-8)

    turned <- run(data$x[, 12:1])
    expect_equal(rev(info_of(turned)$p), info_of(r)$p, tolerance = 1e-3)
    expect_identical(turned$feature, r$feature)
    rows <- c(40:20, 1:19)
    shuffled <- run(data$x[rows, ], data$y[rows], graph[rows, rows])
    expect_equal(info_of(shuffled)$p, info_of(r)$p, tolerance = 1e-3)
    expect_equal(info_of(shuffled)$upper, info_of(r)$upper, tolerance = 1e-8)

    swapped <- run(y = factor(data$y, levels = c("pos", "neg")))
    expect_equal(info_of(swapped)$p, info_of(r)$p, tolerance = 1e-3)
    expect_equal(model_of(swapped)$w, -model_of(r)$w, tolerance = 1e-3)
    expect_identical(as.character(predict(swapped, data$x)), as.character(predict(r, data$x)))
  }
})

test_that("a duplicated column counts as one with twice the room", {
  # d = 3 columns, the first twice: p_1 + p_1' in [0, 2]. With m = 2 and one strong feature the
  # two copies together take what a single copy with bound 2 would.
  data <- two_groups(p = 3, seed = 10, informative = 1, shift = 2)
  twice <- fsm(list(x = cbind(data$x, again = data$x[, 1]), y = data$y), n_features = 2, tau = 0,
               cost = 1)
  v <- scale(data$x, scale = FALSE)[data$rows, ]
  # The same problem on a fine grid: q_1 in [0, 2], q_2, q_3 in [0, 1], sum 2; an SVM for each.
  value <- function(q) {
    rescaled <- sweep(data$x, 2, sqrt(q), `*`)
    info_of(suppressWarnings(fsm(list(x = rescaled[, q > 0, drop = FALSE], y = data$y),
                                 n_features = sum(q > 0), tau = 0, cost = 1)))$upper
  }
  grid <- expand.grid(b = seq(0, 1, 0.1), c = seq(0, 1, 0.1))
  best <- min(apply(grid, 1, function(q) value(c(2 - sum(q), q))))
  expect_lte(info_of(twice)$lower, best * (1 + 1e-9))
  expect_lt(best - info_of(twice)$upper, 0.02 * best)
})

test_that("columns that are constant on the labelled rows have p = 0, without effect at tau = 0", {
  data <- two_groups(seed = 11)
  still <- matrix(0, 40, 3, dimnames = list(NULL, c("s1", "s2", "s3")))
  still[25:40, ] <- rnorm(48)
  more <- list(x = cbind(data$x, still), y = data$y)
  graph <- Matrix::Matrix(naive_graph(data$x, 6), sparse = TRUE)
  r <- fsm(data, n_features = 3, tau = 0, cost = 1, graph = graph)
  wide <- fsm(more, n_features = 3, tau = 0, cost = 1, graph = graph)
  expect_identical(unname(info_of(wide)$p[13:15]), c(0, 0, 0))
  expect_equal(info_of(wide)$p[1:12], info_of(r)$p, tolerance = 1e-9)
  expect_equal(info_of(wide)$upper, info_of(r)$upper, tolerance = 1e-12)
  expect_identical(wide$feature[13:15], colnames(still))
  expect_false(anyNA(wide$score))
  # At tau > 0 they enter Z, and for the exact objective they may have weight.
  bound <- fsm(more, n_features = 3, tau = 0.95, cost = 1, graph = graph)
  before <- fsm(data, n_features = 3, tau = 0.95, cost = 1, graph = graph)
  expect_gt(abs(info_of(bound)$upper - info_of(before)$upper), 1e-7)
  expect_identical(unname(info_of(bound)$p[13:15]), c(0, 0, 0))

  # Fewer than m columns vary: all have weight 1.
  few <- list(x = cbind(data$x[, 1:2], still), y = data$y)
  r <- fsm(few, n_features = 4, cost = 1, k = 6)
  expect_identical(unname(info_of(r)$p), c(1, 1, 0, 0, 0))
  expect_match(info_of(r)$note, "Fewer features than `n_features`")
  expect_lt(info_of(r)$gap, 1e-9)
  expect_identical(r$selected, c(TRUE, TRUE, TRUE, TRUE, FALSE))
})

test_that("at a small gap p is 1 above the m-th largest gradient and 0 below", {
  data <- two_groups(n = 60, p = 40, l = 24, seed = 12)
  r <- fsm(data, n_features = 5, tau = 0.3, k = 6, tol = 1e-8, max_iter = 500)
  v <- scale(data$x, scale = FALSE)[data$rows, ]
  s <- drop(crossprod(v, info_of(r)$alpha * data$sign))^2
  nu <- sort(s, decreasing = TRUE)[5]
  p <- info_of(r)$p
  expect_true(all(s[p > 1e-4] >= nu * (1 - 0.01)))
  expect_true(all(s[p < 1 - 1e-4] <= nu * (1 + 0.01)))
  expect_equal(info_of(r)$n_fractional, sum(p > 1e-6 & p < 1 - 1e-6))
  expect_identical(r$index, order(-ifelse(p < 1e-6, 0, ifelse(p > 1 - 1e-6, 1, p)), -sqrt(s)))
  expect_identical(r$statistic, unname(p[r$index]))
  expect_identical(r$score, as.double(40:1))
  expect_identical(which(r$selected), 1:5)
})

# ---- more than two classes ----------------------------------------------------------------------

three_groups <- function(seed = 13) {
  set.seed(seed)
  class <- rep(c("a", "b", "c"), length.out = 60)
  x <- matrix(rnorm(60 * 10), 60, 10, dimnames = list(NULL, letters[1:10]))
  for (c in 1:3) x[, c] <- x[, c] + 2 * (class == c("a", "b", "c")[c])
  y <- class
  y[31:60] <- NA
  list(x = x, y = y, class = class)
}

test_that("joint: bounds add up over the classes; separate: runs add up", {
  data <- three_groups()
  joint <- fsm(data, n_features = 3, cost = 1, tau = 0, tol = 1e-8, max_iter = 500)
  info <- info_of(joint)
  v <- scale(data$x, scale = FALSE)[1:30, ]
  expect_identical(dim(info$alpha), c(30L, 3L))
  expect_identical(colnames(info$alpha), c("a", "b", "c"))
  total <- 0
  squares <- 0
  kernel <- v %*% (info$p * t(v))
  for (c in 1:3) {
    sign <- ifelse(data$y[1:30] == c("a", "b", "c")[c], 1, -1)
    total <- total + upper_bound(kernel, sign, info$alpha[, c], 1)
    squares <- squares + drop(crossprod(v, model_of(joint)$alpha_bar[, c] * sign))^2
  }
  expect_equal(total, info$upper, tolerance = 1e-9)
  lower <- sum(model_of(joint)$alpha_bar) - 0.5 * largest(squares, 3)
  expect_gte(lower, info$lower * (1 - 1e-9))
  expect_identical(sort(joint$feature[1:3]), c("a", "b", "c"))

  separate <- fsm(data, n_features = 3, cost = 1, tau = 0.4, multiclass = "separate")
  runs <- lapply(c("a", "b", "c"), function(class) {
    y <- factor(ifelse(data$y == class, "one", "rest"), levels = c("rest", "one"))
    fsm(list(x = data$x, y = y), n_features = 3, cost = 1, tau = 0.4)
  })
  add <- function(name) Reduce(`+`, lapply(runs, function(r) info_of(r)[[name]]))
  expect_equal(info_of(separate)$p, add("p"), tolerance = 1e-9)
  expect_equal(info_of(separate)$upper, add("upper"), tolerance = 1e-12)
  expect_equal(info_of(separate)$lower, add("lower"), tolerance = 1e-12)
  expect_equal(unname(info_of(separate)$alpha[, 2]), info_of(runs[[2]])$alpha, tolerance = 1e-9)
  expect_named(info_of(separate)$objective, c("class", "iteration", "dual", "upper", "lower"))
  expect_equal(unname(separate$statistic), unname(info_of(separate)$p[separate$feature]))
  expect_false(is.unsorted(-round(separate$statistic, 5)))

  # The classifiers: one column per class, and they work.
  for (r in list(joint, separate)) {
    expect_identical(dim(model_of(r)$coefficients), c(10L, 3L))
    expect_identical(dim(model_of(r)$w), c(10L, 3L))
    expect_length(model_of(r)$b, 3)
    expect_gt(mean(predict(r, data$x) == data$class), 0.7)
    prob <- predict(r, data$x, "prob")
    expect_equal(unname(rowSums(prob)), rep(1, 60))
    expect_identical(colnames(prob), c("a", "b", "c"))
  }
})

test_that("two classes coded as three, one of them empty, are two classes", {
  data <- two_groups(seed = 14)
  plain <- fsm(data, n_features = 3, k = 6)
  padded <- list(x = data$x, y = factor(data$y, levels = c("neg", "none", "pos")))
  for (multiclass in c("joint", "separate")) {
    r <- suppressMessages(fsm(padded, n_features = 3, k = 6, multiclass = multiclass))
    expect_identical(as.data.frame(r), as.data.frame(plain))
    expect_identical(info_of(r)$upper, info_of(plain)$upper)
  }
})

# ---- classifier ---------------------------------------------------------------------------------

test_that("the classifier is an SVM on the selected columns with the same relative cost", {
  data <- two_groups(seed = 15)
  for (scale in c("none", "standardize", "range", "unit")) {
    r <- fsm(data, n_features = 3, k = 6, scale = scale)
    z <- switch(scale, none = data$x, standardize = base::scale(data$x),
                range = apply(data$x, 2, function(f) (f - min(f)) / diff(range(f))),
                unit = data$x / sqrt(rowSums(data$x^2)))
    chosen <- r$index[1:3]
    v <- scale(z, scale = FALSE)[data$rows, chosen]
    kernel <- tcrossprod(v)
    s_m <- (sum(diag(kernel)) - sum(kernel) / 16) / 16
    link <- predict(r, data$x, "link")
    beta <- coef(r)
    weights <- model_of(r)$coefficients
    expect_true(all(weights[-chosen] == 0))
    expect_equal(unname(beta[-1]), unname(weights))
    # w on the scaled columns, then the SVM's own objective against kernlab's or its dual bound.
    unit <- switch(scale, standardize = apply(data$x, 2, sd), none = 1, unit = 1,
                   range = apply(data$x, 2, function(f) diff(range(f))))
    w <- (weights * unit)[chosen]
    f <- drop(v %*% w)
    cost <- 10 / s_m
    primal <- 0.5 * sum(w^2) + cost * sum(pmax(0, 1 - data$sign * link[data$rows]))
    # No b does better, and no small change of w either: the objective is convex.
    expect_equal(primal, hinge_value(f, data$sign, cost, 0) + 0.5 * sum(w^2), tolerance = 1e-9)
    objective <- function(w) hinge_value(drop(v %*% w), data$sign, cost, 0) + 0.5 * sum(w^2)
    for (j in 1:3) for (step in c(-1e-3, 1e-3)) {
      expect_gte(objective(w + step * w[j] * (seq_along(w) == j)), primal * (1 - 1e-10))
    }
    expect_identical(as.character(predict(r, data$x)), ifelse(unname(link) >= 0, "pos", "neg"))
    prob <- predict(r, data$x, "prob")
    expect_equal(unname(rowSums(prob)), rep(1, 40))
    expect_true(all(diff(prob[order(link), "pos"]) >= 0))
  }
})

# ---- tau ----------------------------------------------------------------------------------------

test_that("tau by cross-validation: grid, ties, repeatable, and what it chose can be repeated", {
  data <- two_groups(seed = 16, l = 20)
  set.seed(3)
  r <- fsm(data, n_features = 3, k = 6, tau = "cv", tol = 1e-3)
  cv <- info_of(r)$cv
  expect_identical(nrow(cv), 18L)
  expect_identical(sort(unique(cv$tau)), c(0, .1, .3, .5, .7, .9))
  expect_identical(sort(unique(cv$relative_cost)), c(1, 10, 100))
  expect_true(all(cv$error >= 0 & cv$error <= 1))
  best <- cv[order(cv$error, cv$relative_cost, cv$tau), ][1, ]
  expect_identical(info_of(r)$tau, best$tau)
  expect_identical(attr(r, "params")$tau, best$tau)
  fixed <- fsm(data, n_features = 3, k = 6, tau = best$tau, tol = 1e-3,
               cost = info_of(r)$cost)
  expect_identical(fixed$index, r$index)
  set.seed(3)
  expect_identical(info_of(fsm(data, n_features = 3, k = 6, tau = "cv", tol = 1e-3))$cv, cv)

  # A cost that is given is not searched; the exact objective has costs only.
  expect_identical(nrow(info_of(fsm(data, n_features = 3, k = 6, tau = "cv", cost = 1,
                                    tol = 1e-3))$cv), 6L)
  expect_identical(nrow(info_of(fsm(data, n_features = 3, k = 6, tau = "cv", tol = 1e-3,
                                    objective = "exact"))$cv), 3L)
  expect_error(fsm(data, tau = "max", objective = "exact"), "has no `tau`",
               class = "semiselect_error")
})

test_that("the error of one candidate is what refitting by hand gives", {
  data <- two_groups(seed = 17, l = 8, shift = 0.6)
  set.seed(9)
  r <- fsm(data, n_features = 3, k = 6, tau = "cv", cost = 2, tol = 1e-3)
  folds <- {
    set.seed(9)
    semiselect:::stratified_folds(list(y = as.integer(data$y), classes = 2L))
  }
  expect_identical(sort(unlist(folds)), 1:8)
  wrong <- 0
  for (fold in folds) {
    y <- data$y
    y[fold] <- NA
    fit <- fsm(list(x = data$x, y = y), n_features = 3, k = 6, tau = 0.3, cost = 2, tol = 1e-3)
    wrong <- wrong + sum(predict(fit, data$x)[fold] != data$y[fold])
  }
  cv <- info_of(r)$cv
  expect_equal(cv$error[cv$tau == 0.3], wrong / 8)
})

test_that("tau = \"max\" maximizes the saddle value", {
  data <- two_groups(seed = 18)
  value <- function(tau) {
    r <- suppressWarnings(fsm(data, n_features = 3, k = 6, rho = 0.02, cost = 1, tau = tau))
    info_of(r)$upper
  }
  r <- suppressWarnings(fsm(data, n_features = 3, k = 6, rho = 0.02, cost = 1, tau = "max"))
  expect_gte(info_of(r)$upper, max(vapply(seq(0, 1, 0.1), value, 0)) * (1 - 1e-6))
  expect_identical(attr(r, "params")$tau, info_of(r)$tau)
})

# ---- degenerate input, line by line -------------------------------------------------------------

test_that("degenerate input has the answer of the specification", {
  data <- two_groups(seed = 19)
  run <- function(..., x = data$x, y = data$y) fsm(list(x = x, y = y), ..., k = 6, tol = 1e-3)
  # No label, one class only.
  expect_error(run(y = rep(NA, 40)), "two classes", class = "semiselect_error")
  expect_error(run(y = rep(c("a", NA), 20)), "only \"a\"", class = "semiselect_error")
  # One row in some class: allowed; cross-validation falls back on the fixed tau.
  one <- data$y
  one[data$rows[data$sign > 0][-1]] <- NA
  expect_s3_class(run(n_features = 3, y = one), "feature_ranking")
  expect_warning(r <- run(n_features = 3, y = one, tau = "cv"), "two labelled rows in every class",
                 class = "semiselect_warning")
  expect_identical(info_of(r)$tau, 0.5)
  # No unlabelled row.
  expect_s3_class(run(n_features = 3, y = data$side > 0), "feature_ranking")
  # m > d.
  expect_warning(r <- run(n_features = 50), "`n_features` is 50", class = "semiselect_warning")
  expect_identical(attr(r, "params")$n_features, 12L)
  expect_true(all(info_of(r)$p == 1))
  # m by default: 20, at most all.
  expect_identical(sum(run()$selected), 12L)
  wide <- two_groups(p = 30)
  expect_identical(sum(fsm(wide, k = 6, tol = 1e-3)$selected), 20L)
  # Arguments out of range.
  bad <- list(cost = 0, cost = -1, tau = -0.1, tau = 1.1, tau = "best", rho = 0, level = 0,
              level = 1, tol = 0, ridge = -1, max_iter = 0, objective = "both",
              multiclass = "all")
  for (i in seq_along(bad)) {
    expect_error(do.call(rank_fs_manifold, c(list(data$x, data$y), bad[i])),
                 paste0("`", names(bad)[i], "`"), class = "semiselect_error")
  }
  # All-zero rows.
  zero <- data$x
  zero[c(3, 20, 33), ] <- 0
  expect_s3_class(run(n_features = 3, x = zero), "feature_ranking")
  # All features constant on the labelled rows.
  still <- data$x
  still[data$rows, ] <- rep(still[1, ], each = 16)
  for (objective in c("bound", "exact")) {
    expect_error(run(n_features = 3, x = still, objective = objective), "cannot be told apart",
                 class = "semiselect_error")
  }
  # Equal rows with opposite labels.
  same <- data$x
  same[1:2, ] <- rep(same[1, ], each = 2)
  expect_s3_class(run(n_features = 3, x = same), "feature_ranking")
  # k >= n.
  expect_warning(fsm(data, n_features = 3, k = 40, tol = 1e-3), "`k` is 40",
                 class = "semiselect_warning")
})

test_that("isolated rows are allowed, with a warning where the ridge is 0", {
  data <- two_groups(seed = 20)
  w <- naive_graph(data$x, 6)
  w[c(5, 30), ] <- 0
  w[, c(5, 30)] <- 0
  graph <- Matrix::Matrix(w, sparse = TRUE)
  r <- fsm(data, n_features = 3, graph = graph, tol = 1e-3)
  expect_equal(info_of(r)$components, 3)
  expect_equal(info_of(r)$eps, 0.1)
  expect_warning(r <- fsm(data, n_features = 3, graph = graph, ridge = 0, cost = 1),
                 "3 connected components", class = "semiselect_warning")
  plain <- naive_manifold(data$x, w, data$rows, 0)
  v <- scale(data$x, scale = FALSE)[data$rows, ]
  kernel <- 0.25 * v %*% (info_of(r)$p * t(v)) + 0.025 * plain$h
  expect_equal(upper_bound(kernel, data$sign, info_of(r)$alpha, 1), info_of(r)$upper)
  expect_silent(fsm(data, n_features = 3, ridge = 0, k = 20, tol = 1e-3))
})

test_that("constant columns are last and cut m", {
  data <- two_groups(p = 5, seed = 21)
  x <- cbind(data$x, still = 3, more = -1)
  expect_warning(
    expect_warning(r <- fsm(list(x = x, y = data$y), n_features = 6, k = 6),
                   "only 5 feature\\(s\\) are not constant", class = "semiselect_warning"),
    class = "semiselect_warning_constant"
  )
  expect_identical(attr(r, "params")$n_features, 5L)
  expect_identical(r$selected, rep(c(TRUE, FALSE), c(5, 2)))
  expect_identical(is.na(r$score), rep(c(FALSE, TRUE), c(5, 2)))
})

test_that("a run that does not converge says so, with its gap", {
  data <- two_groups(n = 60, p = 40, l = 24, seed = 22)
  expect_warning(r <- fsm(data, n_features = 5, k = 6, max_iter = 3, tol = 1e-8),
                 "relative gap.*`max_iter`", class = "semiselect_warning_convergence")
  expect_false(info_of(r)$converged)
  expect_gt(info_of(r)$upper - info_of(r)$lower, 1e-8 * info_of(r)$upper)
  expect_equal(info_of(r)$iterations, 3)
})

test_that("sparse and dense columns give the same, on every route to H", {
  set.seed(23)
  x <- matrix(rpois(60 * 90, 0.3), 60, 90)
  y <- rep(c("a", "b"), 30)
  x[y == "a", 1:5] <- x[y == "a", 1:5] + rpois(150, 1)
  y[31:60] <- NA
  sparse <- Matrix::Matrix(x, sparse = TRUE) * 1.0
  for (scale in c("none", "standardize", "unit")) for (objective in c("bound", "exact")) {
    for (columns in list(1:90, 1:40)) {
      run <- function(x) {
        fsm(list(x = x[, columns], y = y), n_features = 5, k = 8, tau = 0.7, rho = 1,
            scale = scale, objective = objective, tol = 1e-7, max_iter = 500)
      }
      a <- suppressWarnings(run(x))
      b <- suppressWarnings(run(sparse))
      expect_equal(info_of(b)$upper, info_of(a)$upper, tolerance = 2e-7)
      expect_identical(b$selected, a$selected)
      expect_equal(model_of(b)$coefficients, model_of(a)$coefficients, tolerance = 1e-3)
    }
  }
})

test_that("more columns than the exact objective stores: it starts from the supervised weights", {
  set.seed(24)
  x <- matrix(rnorm(50 * 2100), 50)
  side <- rep(c(-1, 1), 25)
  x[, 1:3] <- x[, 1:3] + 1.5 * side
  y <- ifelse(side > 0, "b", "a")
  y[21:50] <- NA
  r <- fsm(list(x = x, y = y), n_features = 5, k = 6, objective = "exact", tol = 1e-4)
  info <- info_of(r)
  expect_true(info$converged)
  active <- which(info$p > 0)
  v <- scale(x, scale = FALSE)
  w <- naive_graph(x, 6)
  z <- crossprod(v[, active], (diag(rowSums(w)) - w) %*% v[, active])
  root <- diag(sqrt(info$p[active]))
  kernel <- v[1:20, active] %*% root %*%
    solve(diag(length(active)) + info$rho * root %*% z %*% root) %*% root %*% t(v[1:20, active])
  expect_equal(upper_bound(kernel, side[1:20], info$alpha, info$cost), info$upper,
               tolerance = 1e-8)
})

test_that("long work can be interrupted", {
  skip_on_cran()
  set.seed(25)
  n <- 3000
  x <- matrix(rnorm(n * 600), n)
  y <- rep(c("a", "b"), n / 2)
  x[y == "a", 1:20] <- x[y == "a", 1:20] + 0.3
  y[1501:n] <- NA
  expect_interruptible(fsm(list(x = x, y = y), tau = 0, n_features = 30), after = 1)
})
