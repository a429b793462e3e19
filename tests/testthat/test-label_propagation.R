# Twelve rows, four features, worked by hand on the page of the method.
jsfs_x <- function() {
  matrix(
    c(-0.9, -0.8, -0.6, 0.5, 0.4, -0.4, 0.3, 0.7, 0.6, -1.3, 0.7, 1.6, -3.2, 0.1, 1.1, 0.3,
      1.5, -2, 0.5, 1.3, -0.3, -0.3, 0.5, -0.1, 2.4, 0.6, 1.5, -1.2, 0.4, -0.3, 0.6, -0.5,
      3.3, -0.4, 0.2, 1.8, 2, 2.4, 1.2, 1.3, 2, 0.4, 2, -0.7, 1.6, 0.2, 0.6, 0.3),
    12, byrow = TRUE, dimnames = list(NULL, paste0("x", 1:4))
  )
}
jsfs_y <- function() c("a", "a", NA, NA, NA, NA, "b", "b", NA, NA, NA, NA)

# Rule (3), listed: W of the neighbors, then the labels over it.
rule_3 <- function(W, y, eta) {
  labelled <- !is.na(y)
  W[labelled, labelled] <- eta * outer(y[labelled], y[labelled], "==")
  diag(W) <- 0
  W
}

example_w <- function() {
  rule_3(naive_graph(jsfs_x(), 2, weights = "binary")$W, jsfs_y(), 10)
}

# Random weights on 30 rows in three classes; rows 29 and 30 are joined to each other alone.
random_graph <- function(seed) {
  set.seed(seed)
  W <- matrix(stats::runif(900) * (stats::runif(900) < 0.15), 30)
  W <- W + t(W)
  for (i in 1:27) W[i, i + 1] <- W[i + 1, i] <- 1
  W[29:30, ] <- 0
  W[, 29:30] <- 0
  W[29, 30] <- W[30, 29] <- 2
  diag(W) <- 0
  y <- rep(NA, 30)
  y[seq(1, 25, 3)] <- rep(c("u", "v", "w"), 3)
  list(W = W, y = y, Y = 1 * outer(y, c("u", "v", "w"), function(a, b) !is.na(a) & a == b))
}

test_that("lgc and harmonic reproduce the worked example", {
  W <- example_w()
  expect_equal(rowSums(W), c(12, 14, 2, 2, 3, 4, 12, 12, 2, 2, 3, 6))
  lgc <- label_propagation(jsfs_x(), jsfs_y(), k = 2, eta = 10)
  expect_equal(lgc$F[, "a"], c(0.3742379554, 0.4005888366, 0.1454421787, 0.1460554537, 0.1744211036,
                               0.2012136227, 0.3033826620, 0.3052576846, 0.1347077598, 0.1262591255,
                               0.1535172218, 0.2246862272), tolerance = 1e-8)
  expect_equal(lgc$F[, "b"], c(0.2919324499, 0.3167078967, 0.1189266640, 0.1214338789, 0.1476448970,
                               0.1783889608, 0.3672194372, 0.3658009369, 0.1266767408, 0.1357841919,
                               0.1701788445, 0.2344522232), tolerance = 1e-8)
  expect_identical(as.character(lgc$class), strsplit("aaaaaabbabbb", "")[[1]])
  expect_equal(lgc$probability, lgc$F / rowSums(lgc$F))

  harmonic <- label_propagation(jsfs_x(), jsfs_y(), "harmonic", k = 2, eta = 10)
  expect_equal(harmonic$F[, "b"],
               c(0, 0, 0.0817610063, 0.1428571429, 0.1635220126, 0.2857142857, 1, 1, 0.4088050314,
                 0.7232704403, 0.7924528302, 0.6540880503), tolerance = 1e-9)

  # The listed graph, without x, says the same; so does the rule once more on top.
  listed <- label_propagation(graph = W, y = jsfs_y())
  expect_equal(listed$F, lgc$F, tolerance = 1e-10)
  expect_equal(label_propagation(graph = W, y = jsfs_y(), eta = 10)$F, lgc$F, tolerance = 1e-10)
})

test_that("each method solves its system, with and without class links", {
  for (seed in 1:3) for (links in c(FALSE, TRUE)) {
    data <- random_graph(seed)
    eta <- if (links) 3
    run <- function(...) {
      suppressMessages(label_propagation(graph = data$W, y = data$y, eta = eta, ...))
    }
    W <- if (links) rule_3(data$W, data$y, 3) else data$W
    d <- rowSums(W)
    labelled <- !is.na(data$y)

    lgc <- run()
    S <- W / sqrt(outer(d, d))
    expect_equal(unname((diag(30) - 0.99 * S) %*% lgc$F), 0.01 * data$Y, tolerance = 1e-10)
    expect_equal(unname(lgc$F), solve(diag(30) - 0.99 * S, 0.01 * data$Y), tolerance = 1e-9)
    expect_lt(max(lgc$info$residuals), 1e-11)

    harmonic <- run(method = "harmonic")
    expect_equal(unname(harmonic$F[labelled, ]), data$Y[labelled, ])
    free <- which(!labelled & harmonic$reachable)
    expect_equal((W %*% harmonic$F / d)[free, ], harmonic$F[free, ], tolerance = 1e-9,
                 ignore_attr = TRUE)
    expect_equal(unname(rowSums(harmonic$F)[1:28]), rep(1, 28), tolerance = 1e-9)
    expect_true(all(harmonic$F >= 0 & harmonic$F <= 1))

    walk <- run(method = "random_walk", alpha = 0.9)
    P <- W / d
    on <- ifelse(labelled, 0, 0.9)
    expect_equal(unname(walk$F), solve(diag(30) - on * P, (1 - on) * data$Y), tolerance = 1e-9)
    expect_equal(rowSums(walk$F) + walk$unknown, rep(1, 30))
    expect_equal(unname(walk$F[labelled, ]), data$Y[labelled, ])
    near_one <- run(method = "random_walk", alpha = 1 - 1e-9)
    expect_equal(near_one$F, harmonic$F, tolerance = 1e-6)

    for (fit in list(lgc, harmonic, walk)) {
      expect_identical(unname(fit$F[29:30, ]), matrix(0, 2, 3))
      expect_identical(fit$reachable, rep(c(TRUE, FALSE), c(28, 2)))
      expect_true(all(is.na(fit$class[29:30])))
      expect_true(all(is.na(fit$probability[29:30, ])))
      expect_identical(as.character(fit$class[labelled]), data$y[labelled])
    }
  }
})

test_that("the unit of the weights and the names of the classes do not matter", {
  data <- random_graph(4)
  for (method in c("lgc", "harmonic", "random_walk")) {
    run <- function(W = data$W, y = data$y) {
      suppressMessages(label_propagation(graph = W, y = y, method = method))
    }
    expect_equal(run(W = 7 * data$W)$F, run()$F, tolerance = 1e-9)
    turned <- factor(data$y, levels = c("w", "u", "v"))
    expect_equal(run(y = turned)$F[, c("u", "v", "w")], run()$F, tolerance = 1e-12)
  }
})

test_that("a walk from the middle of a - ? - b ends at 0.495, 0.495 and 0.01", {
  W <- matrix(0, 3, 3)
  W[cbind(c(1, 2, 2, 3), c(2, 1, 3, 2))] <- 4
  expect_warning(walk <- label_propagation(graph = W, y = c("a", NA, "b"), method = "random_walk"),
                 "1 of 1 unlabelled")
  expect_equal(unname(walk$F[2, ]), c(0.495, 0.495))
  expect_equal(walk$unknown, c(0, 0.01, 0))
  expect_true(is.na(walk$class[2]))
  expect_identical(walk$info$n_undecided, 1L)
})

test_that("class mass is shared out like the labels", {
  data <- random_graph(5)
  plain <- suppressMessages(label_propagation(graph = data$W, y = data$y))
  massed <- suppressMessages(label_propagation(graph = data$W, y = data$y, class_mass = TRUE))
  expect_identical(massed$F, plain$F)
  free <- is.na(data$y) & plain$reachable
  G <- sweep(plain$F, 2, colSums(data$Y) / sum(data$Y) / colSums(plain$F[free, ]), "*")
  expect_equal(massed$probability[free, ], (G / rowSums(G))[free, ])
  expect_identical(as.character(massed$class)[free], colnames(G)[max.col(G)][free])
})

test_that("edges of the input have an answer", {
  x <- jsfs_x()
  y <- jsfs_y()
  expect_error(label_propagation(x, rep(NA, 12)), class = "semiselect_error")
  expect_error(label_propagation(x), class = "semiselect_error")
  expect_error(label_propagation(y = y), "`graph` is given", class = "semiselect_error")
  for (alpha in list(0, 1, -0.1, 1.2, NA, "a")) {
    expect_error(label_propagation(x, y, alpha = alpha), "`alpha`", class = "semiselect_error")
  }
  expect_error(label_propagation(x, y, eta = 0), "`eta`", class = "semiselect_error")

  one <- label_propagation(x, replace(y, 7:8, NA))
  expect_identical(as.character(one$class), rep("a", 12))
  full <- rep(c("a", "b"), 6)
  expect_identical(as.character(label_propagation(x, full)$class), full)
  expect_identical(dim(label_propagation(x, full, "harmonic")$F), c(12L, 2L))
  # All neighbors of all: clipped, and with balanced labels tied.
  expect_warning(expect_warning(label_propagation(x, y, k = 12), "`k`"), "8 of 8 unlabelled")
  expect_message(label_propagation(x, factor(y, levels = c("a", "b", "c"))), "\"c\"")
  expect_warning(label_propagation(x, y, max_iter = 2), "max_iter")
  expect_message(label_propagation(graph = random_graph(1)$W, y = random_graph(1)$y),
                 "2 of 21 unlabelled")

  # A labelled row without edges keeps (1 - alpha) under lgc.
  W <- matrix(0, 3, 3)
  W[1, 2] <- W[2, 1] <- 1
  lone <- label_propagation(graph = W, y = c("a", NA, "b"))
  expect_equal(unname(lone$F[3, ]), c(0, 0.01))
  expect_identical(as.character(lone$class), c("a", "a", "b"))
})

test_that("threads and storage change nothing, and the result can be read", {
  x <- jsfs_x()
  y <- jsfs_y()
  one <- label_propagation(x, y, threads = 1)
  expect_identical(label_propagation(x, y, threads = 2)$F, one$F)
  expect_equal(label_propagation(Matrix::Matrix(x, sparse = TRUE), y)$F, one$F)
  expect_named(one, c("class", "F", "probability", "reachable", "info", "params"))
  expect_named(as.data.frame(one), c("row", "class", "reachable", "a", "b"))
  expect_output(print(one), "Label propagation.*12 rows.*a \\(")
  expect_identical(one$params$alpha, 0.99)
})
