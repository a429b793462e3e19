pairs <- function(...) matrix(c(...), ncol = 2, byrow = TRUE)

test_that("pairs are oriented, sorted and without duplicates, as integers", {
  p <- pairwise_constraints(pairs(5, 2, 1, 3, 2, 5, 1, 2, 4, 4), pairs(9, 1))
  expect_s3_class(p, "pairwise_constraints")
  expect_named(p, c("must_link", "cannot_link"))
  expect_identical(p$must_link, pairs(1L, 2L, 1L, 3L, 2L, 5L))
  expect_identical(p$cannot_link, pairs(1L, 9L))
  expect_identical(pairwise_constraints()$must_link, matrix(integer(), 0, 2))
  expect_identical(pairwise_constraints(c(3, 1))$must_link, pairs(1L, 3L))
  expect_identical(pairwise_constraints(data.frame(i = 3, j = 1))$must_link, pairs(1L, 3L))
  expect_identical(pairwise_constraints(matrix(0, 0, 2))$must_link, matrix(integer(), 0, 2))
})

test_that("they stay as given unless closed", {
  must <- pairs(1, 2, 2, 3)
  cannot <- pairs(3, 4, 4, 5)
  expect_identical(pairwise_constraints(must, cannot)$must_link, pairs(1L, 2L, 2L, 3L))
  closed <- pairwise_constraints(must, cannot, close = TRUE)
  expect_identical(closed$must_link, pairs(1L, 2L, 1L, 3L, 2L, 3L))
  expect_identical(closed$cannot_link, pairs(1L, 4L, 2L, 4L, 3L, 4L, 4L, 5L))
  expect_identical(pairwise_constraints(close = TRUE)$cannot_link, matrix(integer(), 0, 2))
})

test_that("closing agrees with the closure written plainly", {
  set.seed(8)
  for (repetition in 1:20) {
    class <- sample(3, 12, replace = TRUE)
    all <- t(combn(12, 2))
    same <- class[all[, 1]] == class[all[, 2]]
    must <- all[same, , drop = FALSE][sample(sum(same), min(6, sum(same))), , drop = FALSE]
    cannot <- all[!same, , drop = FALSE][sample(sum(!same), 4), , drop = FALSE]
    joined <- diag(12) > 0
    joined[rbind(must, must[, 2:1])] <- TRUE
    for (step in 1:12) joined <- (joined %*% joined) > 0
    apart <- matrix(FALSE, 12, 12)
    apart[rbind(cannot, cannot[, 2:1])] <- TRUE
    apart <- (joined %*% apart %*% joined) > 0
    closed <- pairwise_constraints(must, cannot, close = TRUE)
    expect_identical(closed$must_link, all[joined[all], , drop = FALSE])
    expect_identical(closed$cannot_link, all[apart[all], , drop = FALSE])
  }
})

test_that("bad pairs are refused with their place", {
  refuse <- function(..., pattern) {
    expect_error(pairwise_constraints(...), pattern, class = "semiselect_error")
  }
  refuse(cannot_link = pairs(1, 2, 3, 3), pattern = "\\(3, 3\\).*apart from itself")
  refuse(pairs(1, 2, 0, 3), pattern = "`must_link` must hold row numbers.*pair 2 is \\(0, 3\\)")
  refuse(pairs(1, 2.5), pattern = "pair 1 is \\(1, 2.5\\)")
  refuse(pairs(1, NA), pattern = "pair 1 is \\(1, NA\\)")
  refuse(1:3, pattern = "two-column matrix")
  refuse(matrix(1, 2, 3), pattern = "two-column matrix")
  refuse(pairs("a", "b"), pattern = "two-column matrix")
  refuse(1:2, close = "yes", pattern = "`close`")
})

test_that("contradictions are found through chains of must-links and named", {
  expect_s3_class(pairwise_constraints(pairs(1, 2, 2, 3), pairs(1, 3)), "pairwise_constraints")
  expect_error(pairwise_constraints(pairs(1, 2, 2, 3), pairs(1, 3), close = TRUE),
               "rows 1 and 3", class = "semiselect_error_contradiction")
})

test_that("constraints_from_labels() lists every pair of labelled rows", {
  p <- constraints_from_labels(c("a", NA, "b", "a"))
  expect_s3_class(p, "pairwise_constraints")
  expect_identical(p$must_link, pairs(1L, 4L))
  expect_identical(p$cannot_link, pairs(1L, 3L, 3L, 4L))
  for (y in list(c(NA, NA), c("a", NA), character())) {
    expect_identical(constraints_from_labels(y)$must_link, matrix(integer(), 0, 2))
    expect_identical(constraints_from_labels(y)$cannot_link, matrix(integer(), 0, 2))
  }
  set.seed(2)
  y <- sample(c("u", "v", "w", NA), 30, replace = TRUE)
  p <- constraints_from_labels(y)
  all <- t(combn(which(!is.na(y)), 2))
  same <- y[all[, 1]] == y[all[, 2]]
  expect_identical(p$must_link, all[same, ])
  expect_identical(p$cannot_link, all[!same, ])
  expect_error(constraints_from_labels(list("a")), class = "semiselect_error")
})

test_that("a selector checks pairs against the rows and the labels", {
  x <- iris[1:6, 1:4]
  check <- function(constraints, y = NULL, ...) {
    semiselect:::as_problem(x, y, constraints, ...)[c("must_link", "cannot_link")]
  }
  expect_identical(check(list(must_link = c(2, 1)))$must_link, pairs(1L, 2L))
  expect_identical(check(pairwise_constraints(c(1, 6)))$must_link, pairs(1L, 6L))
  refuse <- function(..., pattern) expect_error(check(...), pattern, class = "semiselect_error")
  refuse(pairwise_constraints(c(1, 7)), pattern = "between 1 and 6.*\\(1, 7\\)")
  refuse(list(cannot_link = c(2, 2)), pattern = "\\(2, 2\\)")
  refuse(list(must = c(1, 2)), pattern = "pairwise_constraints")
  refuse(pairs(1, 2), pattern = "pairwise_constraints\\(\\)`, not a matrix")
  refuse(data.frame(must_link = 1:2), pattern = "pairwise_constraints")
  # Against the labels: equal ones are must-links, different ones cannot-links.
  y <- c("a", "a", "b", NA, NA, NA)
  refuse(pairwise_constraints(cannot_link = c(1, 2)), y, pattern = "rows 1 and 2")
  refuse(pairwise_constraints(pairs(1, 4, 4, 3)), y, pattern = "contradict")
  expect_identical(check(pairwise_constraints(cannot_link = c(1, 2)), y, soft = TRUE)$cannot_link,
                   pairs(1L, 2L))
})

test_that("printing is short", {
  p <- constraints_from_labels(rep(1:2, 10))
  expect_output(print(p), "90 must-link\\(s\\), 100 cannot-link\\(s\\)")
  expect_output(print(p), "\\(1, 2\\).* and 95 more")
  expect_length(capture.output(print(p)), 3)
})
