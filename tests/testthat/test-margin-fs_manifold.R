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
