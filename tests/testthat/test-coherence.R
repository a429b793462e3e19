# Coherence of constraints against the definition written plainly.

public <- list(
  x = rbind(c(0, 0, 5), c(1, 0, 7), c(0, 2, 4), c(4, 4, 5), c(6, 4, 3), c(4, 5, 6), c(2, 3, 8),
            c(9, 1, 1)),
  y = c("a", "a", NA, "b", "b", NA, NA, NA)
)

# Part of segment b = (b1, b2) that the projection of segment a covers.
overlap <- function(a1, a2, b1, b2) {
  u <- b2 - b1
  if (sum(u^2) == 0) return(0)
  t <- c(sum((a1 - b1) * u), sum((a2 - b1) * u)) / sum(u^2)
  max(0, min(1, max(t)) - max(0, min(t)))
}

plain_coherence <- function(pairs, x, rule) {
  ml <- pairs$must_link
  cl <- pairs$cannot_link
  on <- function(a, b) overlap(x[a[1], ], x[a[2], ], x[b[1], ], x[b[2], ]) <= 1e-12
  p_on_q <- outer(seq_len(nrow(ml)), seq_len(nrow(cl)),
                  Vectorize(function(p, q) on(ml[p, ], cl[q, ])))
  q_on_p <- outer(seq_len(nrow(ml)), seq_len(nrow(cl)),
                  Vectorize(function(p, q) on(cl[q, ], ml[p, ])))
  both <- p_on_q & q_on_p
  if (rule == "mutual") p_on_q <- q_on_p <- both
  list(coherence = c(rowMeans(p_on_q), colMeans(q_on_p)), overall = mean(both))
}

test_that("coherence of the public example", {
  found <- coherence(constraints_from_labels(public$y), public$x)
  expect_s3_class(found, "data.frame")
  expect_named(found, c("type", "i", "j", "coherence"))
  expect_identical(found$type, rep(c("must_link", "cannot_link"), c(2, 4)))
  expect_equal(found$coherence, c(0, 0.5, 0.5, 0, 0.5, 0))
  expect_equal(attr(found, "overall"), 0.25)
})

test_that("coherence equals the definition, by both rules and under any scale", {
  set.seed(1)
  for (trial in 1:8) {
    x <- matrix(rnorm(30 * (1 + trial)), 30)
    if (trial > 4) x <- round(x)
    y <- replace(rep(NA, 30), 1:9, sample(3, 9, TRUE))
    pairs <- constraints_from_labels(y)
    if (nrow(pairs$must_link) == 0 || nrow(pairs$cannot_link) == 0) next
    for (rule in c("directional", "mutual")) {
      found <- coherence(pairs, x, rule)
      plain <- plain_coherence(pairs, x, rule)
      expect_equal(found$coherence, plain$coherence)
      expect_equal(attr(found, "overall"), plain$overall)
      scaled <- coherence(pairs, x, rule, scale = "standardize")
      expect_equal(scaled$coherence, plain_coherence(pairs, scale(x), rule)$coherence)
      sparse <- coherence(pairs, Matrix::Matrix(x, sparse = TRUE), rule)
      expect_equal(sparse$coherence, found$coherence)
    }
    mutual <- coherence(pairs, x, "mutual")
    expect_equal(mean(mutual$coherence[mutual$type == "must_link"]), attr(mutual, "overall"))
    expect_true(all(coherence(pairs, x)$coherence >= mutual$coherence))
  }
})

test_that("coherence does not change when the data are moved, turned or stretched", {
  set.seed(2)
  x <- matrix(rnorm(60), 20)
  pairs <- constraints_from_labels(replace(rep(NA, 20), 1:8, rep(1:2, 4)))
  turn <- qr.Q(qr(matrix(rnorm(9), 3)))
  expect_equal(coherence(pairs, 40 * x %*% turn + 1e5), coherence(pairs, x))
})

test_that("pairs are closed first, and those at least as coherent as the set are kept", {
  set.seed(3)
  x <- matrix(rnorm(80), 20)
  open <- pairwise_constraints(must_link = rbind(c(1, 2), c(2, 3)), cannot_link = rbind(c(1, 4),
                                                                                      c(5, 6)))
  found <- coherence(open, x)
  closed <- pairwise_constraints(open$must_link, open$cannot_link, close = TRUE)
  expect_identical(unname(as.matrix(found[c("i", "j")])),
                   rbind(closed$must_link, closed$cannot_link))
  kept <- coherent_constraints(open, x)
  expect_s3_class(kept, "pairwise_constraints")
  above <- found$coherence >= attr(found, "overall") - 1e-12
  expect_identical(kept$must_link,
                   unname(as.matrix(found[above & found$type == "must_link", c("i", "j")])))
  expect_identical(kept$cannot_link,
                   unname(as.matrix(found[above & found$type == "cannot_link", c("i", "j")])))
  only <- pairwise_constraints(must_link = c(1, 2))
  expect_identical(coherence(only, x)$coherence, NA_real_)
  expect_identical(attr(coherence(only, x), "overall"), NA_real_)
  expect_identical(coherent_constraints(only, x), only)
})

test_that("coherence names what is wrong", {
  expect_error(coherence(pairwise_constraints(must_link = c(1, 99)), public$x), "row numbers",
               class = "semiselect_error")
  expect_error(coherence(list(1), public$x), "`constraints`", class = "semiselect_error")
  expect_error(coherence(constraints_from_labels(public$y), public$x, rule = "none"), "`rule`",
               class = "semiselect_error")
})
