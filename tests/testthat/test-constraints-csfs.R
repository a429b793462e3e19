# CSFS, CSFSR, BCS, and the SOM in front of CLS and CSFS.

public <- list(
  x = rbind(c(0, 0, 5), c(1, 0, 7), c(0, 2, 4), c(4, 4, 5), c(6, 4, 3), c(4, 5, 6), c(2, 3, 8),
            c(9, 1, 1)),
  y = c("a", "a", NA, "b", "b", NA, NA, NA)
)
in_columns <- function(r) r[order(r$index), ]

few_labels <- function(l = 12) {
  y <- as.character(iris$Species)
  set.seed(4)
  y[-sample(150, l)] <- NA
  y
}

# phi of the specification, every matrix written out. near: logical n x n.
plain_csfs <- function(x, near, w, ml, cl, conflict) {
  n <- nrow(x)
  S <- w * near
  N <- matrix(0, n, n)
  put <- function(pairs, value) {
    for (s in seq_len(nrow(pairs))) {
      i <- pairs[s, 1]
      j <- pairs[s, 2]
      N[i, j] <<- N[j, i] <<- value(i, j)
    }
  }
  corrected <- conflict == "corrected"
  put(ml, function(i, j) if (near[i, j] && !corrected) -w[i, j] else w[i, j]^2)
  put(cl, function(i, j) if (!near[i, j]) 0 else if (corrected) -w[i, j] else w[i, j]^2)
  SN <- S + N
  stopifnot(isSymmetric(SN), all(SN >= -1e-12))
  d <- rowSums(S)
  partners <- tabulate(cl, n)
  c_all <- sum(partners > 0)
  apply(x, 2, function(f) {
    mu <- sum(d * f) / sum(d)
    num <- sum(SN * outer(f, f, "-")^2) / 2
    far <- sum((d[cl[, 1]] + d[cl[, 2]]) * (f[cl[, 1]] - f[cl[, 2]])^2)
    weight <- if (nrow(cl)) c_all - partners else 1
    num / (far + sum(weight * d * (f - mu)^2))
  })
}

heat <- function(x, near) {
  d2 <- as.matrix(dist(x))^2
  edges <- d2[near & upper.tri(d2) & d2 > 0]
  exp(-d2 / median(edges))
}

ward_near <- function(x) {
  cluster <- semiselect:::ward_cpp(semiselect:::as_problem(x), semiselect:::run_control(), 2,
                                   5)$chosen
  outer(cluster, cluster, "==") & !diag(nrow(x))
}

test_that("csfs equals the public example, by both rules", {
  r <- rank_csfs(public$x, public$y, neighborhood = "knn", coherence = "none", k = 2,
                 scale = "none")
  expect_equal(in_columns(r)$statistic, c(0.02809340713, 0.04669133652, 0.1430157444),
               tolerance = 1e-9)
  r <- rank_csfs(public$x, public$y, neighborhood = "knn", coherence = "none", k = 2,
                 scale = "none", conflict = "printed")
  expect_equal(in_columns(r)$statistic, c(0.01540520498, 0.04669133652, 0.08073577375),
               tolerance = 1e-9)
})

test_that("csfs equals the formula written plainly, for clusters and selected constraints", {
  x <- as.matrix(iris[1:4]) + 0
  z <- scale(x)
  y <- few_labels()
  near <- ward_near(z)
  w <- heat(z, near)
  for (rule in c("directional", "mutual")) for (conflict in c("corrected", "printed")) {
    pairs <- coherent_constraints(constraints_from_labels(y), z, rule)
    r <- rank_csfs(x, y, coherence = rule, conflict = conflict)
    expect_equal(in_columns(r)$statistic,
                 unname(plain_csfs(x, near, w, pairs$must_link, pairs$cannot_link, conflict)))
    expect_identical(attr(r, "info")$constraints, pairs)
    sparse <- rank_csfs(Matrix::Matrix(x, sparse = TRUE), y, coherence = rule, conflict = conflict)
    expect_equal(sparse$statistic, r$statistic)
    binary <- rank_csfs(x, y, coherence = rule, conflict = conflict, weights = "binary")
    expect_equal(in_columns(binary)$statistic,
                 unname(plain_csfs(x, near, 1 + 0 * w, pairs$must_link, pairs$cannot_link,
                                   conflict)))
  }
  all <- constraints_from_labels(y)
  none <- rank_csfs(x, y, coherence = "none")
  expect_equal(in_columns(none)$statistic,
               unname(plain_csfs(x, near, w, all$must_link, all$cannot_link, "corrected")))
  cosine <- rank_csfs(x, y, metric = "cosine", scale = "none", coherence = "none")
  near <- ward_near(x)
  cos <- tcrossprod(x / sqrt(rowSums(x^2)))
  d2 <- 2 * (1 - cos)
  edges <- d2[near & upper.tri(d2)]
  expect_equal(in_columns(cosine)$statistic,
               unname(plain_csfs(x, near, exp(-d2 / median(edges[edges > 1e-11])), all$must_link,
                                 all$cannot_link, "corrected")), tolerance = 1e-6)
})

test_that("csfs on nearest neighbors, and on a given graph", {
  x <- as.matrix(iris[1:4]) + 0
  z <- scale(x)
  y <- few_labels()
  graph <- neighbor_graph(z, k = 10)
  near <- as.matrix(graph) > 0
  w <- heat(z, near)
  pairs <- coherent_constraints(constraints_from_labels(y), z)
  plain <- unname(plain_csfs(x, near, w, pairs$must_link, pairs$cannot_link, "corrected"))
  expect_equal(in_columns(rank_csfs(x, y, neighborhood = "knn"))$statistic, plain)
  expect_equal(in_columns(rank_csfs(x, y, graph = graph))$statistic, plain)
  near_k <- apply(as.matrix(dist(z)), 1, function(d) sort(d)[11])
  local <- exp(-as.matrix(dist(z))^2 / outer(near_k, near_k))
  expect_equal(in_columns(rank_csfs(x, y, neighborhood = "knn", bandwidth = "local"))$statistic,
               unname(plain_csfs(x, near, local, pairs$must_link, pairs$cannot_link,
                                 "corrected")))
  clusters <- ward_near(z)
  expect_equal(in_columns(rank_csfs(x, y, bandwidth = "local"))$statistic,
               unname(plain_csfs(x, clusters, local, pairs$must_link, pairs$cannot_link,
                                 "corrected")))
})

test_that("csfs without constraints is the Laplacian score on its graph", {
  x <- as.matrix(iris[1:4]) + 0
  graph <- neighbor_graph(scale(x), k = 7)
  expect_equal(rank_csfs(x, graph = graph)$statistic, rank_laplacian(x, graph = graph)$statistic)
  none <- matrix(0L, 0, 2)
  z <- scale(x)
  near <- ward_near(z)
  expect_equal(in_columns(rank_csfs(x))$statistic,
               unname(plain_csfs(x, near, heat(z, near), none, none, "corrected")))
  # One class: must-links only, all of them kept.
  one <- replace(rep(NA, 150), 1:4, "a")
  expect_identical(attr(rank_csfs(x, one), "info")$n_selected, c(must_link = 6L, cannot_link = 0L))
})

test_that("as printed, csfs is 0 everywhere where the clusters are the classes", {
  set.seed(1)
  y <- rep(c("a", "b"), 10)
  x <- matrix(rnorm(60), 20) + 50 * (y == "b")
  for (weights in c("heat", "binary")) {
    r <- rank_csfs(x, y, conflict = "printed", coherence = "none", weights = weights)
    expect_identical(r$statistic, c(0, 0, 0))
  }
})

test_that("too many rows for clusters are refused with advice", {
  set.seed(1)
  x <- matrix(rnorm(10002), 5001)
  y <- c("a", "b", "a", "b", rep(NA, 4997))
  expect_error(rank_csfs(x, y), "som = TRUE", class = "semiselect_error")
  expect_s3_class(rank_csfs(x, y, neighborhood = "knn"), "feature_ranking")
  r <- rank_csfs(x, y, som = TRUE)
  expect_lt(attr(r, "info")$rows_compressed, 400)
  expect_error(rank_csfs(x, y, som = TRUE, graph = Matrix::Diagonal(5001)), "prototypes",
               class = "semiselect_error")
})

test_that("with a map the score is that of the labelled rows and the prototypes", {
  x <- as.matrix(iris[1:4]) + 0
  y <- few_labels()
  z <- scale(x)
  labelled <- !is.na(y)
  rows <- rbind(z[labelled, ], compress_som(z[!labelled, ])$prototypes)
  label <- c(y[labelled], rep(NA, nrow(rows) - sum(labelled)))
  expect_equal(in_columns(rank_cls(x, y, som = TRUE))$statistic,
               in_columns(rank_cls(rows, label, scale = "none"))$statistic)
  expect_equal(in_columns(rank_csfs(x, y, som = TRUE))$statistic,
               in_columns(rank_csfs(rows, label, scale = "none"))$statistic)
  expect_identical(attr(rank_cls(x, y, som = TRUE), "info")$rows_compressed, nrow(rows))
  # Every row labelled: nothing to compress.
  expect_equal(rank_cls(x, iris$Species, som = TRUE)$statistic,
               rank_cls(x, iris$Species)$statistic)
})

test_that("the noise of the waveform comes last, by cls and csfs with a map", {
  set.seed(5)
  d <- simulate_waveform(1500, noise = 19)
  few <- unlist(lapply(split(seq_along(d$y), d$y), head, 3))
  y <- replace(rep(NA_character_, 1500), few, as.character(d$y[few]))
  for (r in list(rank_cls(d$x, y, som = TRUE), rank_csfs(d$x, y, som = TRUE),
                 rank_csfs(d$x, y, som = TRUE, conflict = "printed"))) {
    expect_setequal(tail(r$index, 21), c(1, 21:40))
  }
})

# ---- CSFSR ------------------------------------------------------------------------------------

test_that("csfsr is csfs with the redundant features removed", {
  set.seed(6)
  y <- rep(c("a", "b", NA, NA), 15)
  x <- matrix(rnorm(60 * 12), 60)
  x[, 1:3] <- x[, 1:3] + 2 * (rep(1:4, 15) %% 2)
  x[, 4] <- x[, 1] + 0.1 * x[, 4]
  csfs <- rank_csfs(x, y)
  r <- rank_csfsr(x, y, h = 8, min_mi = 0.02)
  plain <- remove_redundant(csfs, x, h = 8, min_mi = 0.02)
  expect_identical(r$feature, plain$feature)
  expect_identical(r$selected, plain$selected)
  expect_equal(r$statistic, plain$statistic)
  expect_identical(r$score, as.double(12:1))
  expect_equal(attr(r, "info")$tree, attr(plain, "info")$tree)
  expect_identical(r$feature[1], csfs$feature[1])
  expect_lt(sum(c("V1", "V4") %in% selected(r)), 2)
})

test_that("csfsr of the waveform has less redundancy than as many of the best features", {
  set.seed(7)
  d <- simulate_waveform(500, noise = 19)
  few <- unlist(lapply(split(seq_along(d$y), d$y), head, 3))
  y <- replace(rep(NA_character_, 500), few, as.character(d$y[few]))
  r <- rank_csfsr(d$x, y, h = 20)
  kept <- selected(r)
  top <- rank_csfs(d$x, y)$feature[seq_along(kept)]
  expect_lt(redundancy_rate(d$x, kept), redundancy_rate(d$x, top))
  expect_true(length(kept) %in% 7:12)
})

# ---- BCS --------------------------------------------------------------------------------------

# Mean rank over bags, pairs drawn in the same order.
plain_bcs <- function(x, pairs, bags, score, nu = 0.1) {
  draw <- function(count) replicate(bags, sample.int(count, count, TRUE), simplify = FALSE)
  ml_drawn <- draw(nrow(pairs$must_link))
  cl_drawn <- draw(nrow(pairs$cannot_link))
  squares <- function(p, s) colSums((x[p[s, 1], , drop = FALSE] - x[p[s, 2], , drop = FALSE])^2)
  rowMeans(sapply(seq_len(bags), function(b) {
    near <- squares(pairs$must_link, ml_drawn[[b]])
    far <- squares(pairs$cannot_link, cl_drawn[[b]])
    rank(if (score == 1) near / far else near - nu * far, ties.method = "first")
  }))
}

test_that("bcs is the mean rank over bags", {
  x <- as.matrix(iris[1:4]) + 0
  y <- few_labels()
  pairs <- constraints_from_labels(y)
  for (score in 1:2) {
    set.seed(8)
    plain <- plain_bcs(if (score == 1) x else scale(x), pairs, 20, score)
    set.seed(8)
    r <- rank_bcs(x, y, bags = 20, score = score)
    expect_equal(in_columns(r)$statistic, unname(plain))
  }
  set.seed(8)
  listed <- rank_bcs(x, constraints = pairs, bags = 20)
  set.seed(8)
  expect_equal(listed$statistic, rank_bcs(x, y, bags = 20)$statistic)
})

test_that("one bag with every pair once has the ranks of the constraint score", {
  x <- as.matrix(iris[1:4]) + 0
  problem <- semiselect:::as_problem(x, few_labels())
  pairs <- semiselect:::count_pairs_cpp(problem)
  fit <- semiselect:::bcs_cpp(problem, semiselect:::run_control(), matrix(1, pairs[1], 1),
                              matrix(1, pairs[2], 1), 1, 0.1, 2L, FALSE)
  cs <- rank_constraint(x, few_labels())
  expect_equal(fit$statistic[cs$index], 1:4)
  expect_equal(fit$share[cs$index], c(1, 1, 0, 0))
})

test_that("the bags of bcs vote on the unlabelled rows", {
  set.seed(1)
  r <- rank_bcs(iris[1:4], few_labels(), n_features = 2, vote = TRUE, bags = 9)
  label <- generics::augment(r)$label
  expect_s3_class(label, "factor")
  expect_gt(mean(label == iris$Species), 0.85)
  labelled <- !is.na(few_labels())
  expect_identical(as.character(label)[labelled], few_labels()[labelled])
  expect_equal(sum(attr(r, "info")$share), 2)
  expect_error(rank_bcs(iris[1:4], constraints = pairwise_constraints(c(1, 2), c(1, 99)),
                        vote = TRUE), "two classes", class = "semiselect_error")
  only <- pairwise_constraints(must_link = c(1, 2))
  expect_error(rank_bcs(iris[1:4], constraints = only), "cannot-links", class = "semiselect_error")
  expect_warning(rank_bcs(iris[1:4], constraints = only, score = 2), "cannot-links",
                 class = "semiselect_warning")
})
