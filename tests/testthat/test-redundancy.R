# The spanning-tree step, and the redundancy rate.

public_x <- rbind(c(0, 0, 5), c(1, 0, 7), c(0, 2, 4), c(4, 4, 5), c(6, 4, 3), c(4, 5, 6),
                  c(2, 3, 8), c(9, 1, 1))

factors <- function(n = 100, p = 30, seed = 1) {
  set.seed(seed)
  base <- matrix(rnorm(n * 6), n)
  x <- base[, rep(1:6, length.out = p)] + 0.5 * matrix(rnorm(n * p), n)
  colnames(x) <- paste0("f", seq_len(p))
  x
}

test_that("mutual information and redundancy rate of the public example", {
  r <- remove_redundant(rank_variance(public_x), public_x)
  tree <- attr(r, "info")$tree
  expect_named(tree, c("from", "to", "mi"))
  expect_identical(tree$from, c("V1", "V1"))
  expect_identical(tree$to, c("V3", "V2"))
  expect_equal(tree$mi, c(0.2921558119, 0.0513632421), tolerance = 1e-9)
  expect_identical(selected(r), "V1")
  expect_equal(redundancy_rate(public_x, 1:3), 0.3522427855, tolerance = 1e-9)
  expect_equal(redundancy_rate(public_x, 1:3, signed = TRUE), -0.0912336364, tolerance = 1e-8)
})

test_that("the tree is the maximum spanning tree of igraph", {
  skip_if_not_installed("igraph")
  for (seed in 1:5) {
    x <- factors(seed = seed)
    r <- remove_redundant(rank_variance(x), x)
    mi <- -log(1 - cor(x)^2) / 2
    diag(mi) <- 0
    complete <- igraph::graph_from_adjacency_matrix(mi, "undirected", weighted = TRUE)
    theirs <- igraph::mst(complete, weights = -igraph::E(complete)$weight)
    ends <- igraph::as_edgelist(theirs)
    undirected <- function(a, b) sort(paste(pmin(a, b), pmax(a, b)))
    tree <- attr(r, "info")$tree
    expect_identical(undirected(tree$from, tree$to), undirected(ends[, 1], ends[, 2]))
    expect_equal(sum(tree$mi), sum(igraph::E(theirs)$weight))
  }
})

test_that("the kept features are independent in the tree, and dominate the dropped ones", {
  for (seed in 1:5) {
    x <- factors(seed = seed)
    before <- rank_variance(x)
    r <- remove_redundant(before, x, h = 20)
    kept <- selected(r)
    tree <- attr(r, "info")$tree
    top <- before$feature[1:20]
    expect_setequal(c(tree$from, tree$to), top)
    expect_true(top[1] %in% kept)
    expect_false(any(tree$from %in% kept & tree$to %in% kept))
    for (feature in setdiff(top, kept)) {
      near <- c(tree$to[tree$from == feature], tree$from[tree$to == feature])
      better <- intersect(near, kept)
      expect_true(any(match(better, top) < match(feature, top)))
    }
    # Kept by relevance, then the others by relevance.
    expect_identical(r$feature, c(intersect(before$feature, kept), setdiff(before$feature, kept)))
    expect_identical(r$score, as.double(30:1))
    expect_equal(r$statistic, before$statistic[match(r$feature, before$feature)])
    expect_identical(attr(r, "method"), "variance")
  }
})

test_that("copies are dropped, constants never enter, sparse is dense", {
  x <- factors()[, 1:6]
  x <- cbind(x, copy = 3 * x[, "f1"] + 1, still = 4)
  before <- suppressWarnings(rank_variance(x))
  r <- remove_redundant(before, x)
  expect_identical(sum(c("f1", "copy") %in% selected(r)), 1L)
  expect_true(any(is.infinite(attr(r, "info")$tree$mi)))
  expect_identical(r$feature[8], "still")
  expect_true(is.na(r$score[8]))
  expect_false("still" %in% unlist(attr(r, "info")$tree[1:2]))
  sparse <- remove_redundant(before, Matrix::Matrix(x, sparse = TRUE))
  expect_equal(as.data.frame(sparse), as.data.frame(r))
  expect_warning(rate <- redundancy_rate(x, c("f1", "f2", "still")), "constant",
                 class = "semiselect_warning")
  expect_equal(rate, abs(cor(x[, 1], x[, 2])) / 3)
})

test_that("of independent columns about half are kept, all with a least mutual information", {
  kept <- vapply(1:20, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(200 * 20), 200)
    r <- rank_variance(x)
    expect_length(selected(remove_redundant(r, x, min_mi = 0.05)), 20)
    length(selected(remove_redundant(r, x)))
  }, 0L)
  expect_gt(mean(kept), 9.5)
  expect_lt(mean(kept), 12)
})

test_that("more features than fit one product give the same tree and the same rate", {
  set.seed(5)
  x <- matrix(rnorm(12 * 2100), 12)
  rho <- cor(x)
  expect_equal(redundancy_rate(x, seq_len(2100)), mean(abs(rho[upper.tri(rho)])))
  r <- remove_redundant(rank_variance(x), x, h = 2100)
  tree <- attr(r, "info")$tree
  number <- function(name) as.integer(sub("V", "", name))
  expect_equal(tree$mi, -log(1 - rho[cbind(number(tree$from), number(tree$to))]^2) / 2)
  # Prim once more, plainly.
  place <- rank_variance(x)$index
  mi <- -log(1 - rho[place, place]^2) / 2
  best <- mi[1, ]
  inside <- rep(c(TRUE, FALSE), c(1, 2099))
  total <- 0
  for (step in 2:2100) {
    new <- which.max(ifelse(inside, -1, best))
    total <- total + best[new]
    inside[new] <- TRUE
    best <- pmax(best, mi[new, ])
  }
  expect_equal(sum(tree$mi), total)
})

test_that("redundancy names what is wrong", {
  expect_error(remove_redundant(data.frame(), public_x), "rank_\\*", class = "semiselect_error")
  expect_error(redundancy_rate(public_x, "nobody"), "no column `nobody`", class = "semiselect_error")
  expect_error(redundancy_rate(public_x, 9), "`features`", class = "semiselect_error")
  expect_identical(redundancy_rate(public_x, 1), NA_real_)
})
