test_that("linear_svm is the linear SVM of e1071, and meets its gap", {
  skip_if_not_installed("e1071")
  linear_svm <- getFromNamespace("linear_svm", "semiselect")
  predict_linear_svm <- getFromNamespace("predict_linear_svm", "semiselect")
  objective <- function(x, s, w, b, cost) {
    sum(w^2) / 2 + cost * sum(pmax(0, 1 - s * (drop(x %*% w) + b)))
  }
  set.seed(1)
  for (p in c(3, 60)) for (cost in c(0.01, 1, 100)) {
    x <- matrix(rnorm(40 * p), 40)
    y <- factor(rep(c("a", "b"), 20))
    x[y == "b", 1] <- x[y == "b", 1] + 1
    s <- ifelse(y == "b", 1, -1)
    fit <- linear_svm(x, y, cost)
    peer <- e1071::svm(x, y, kernel = "linear", cost = cost, scale = FALSE, tolerance = 1e-7)
    w <- drop(t(peer$coefs) %*% peer$SV)
    direction <- if (sum(w * fit$coefficients) < 0) -1 else 1
    ours <- objective(x, s, fit$coefficients, fit$intercept, cost)
    theirs <- objective(x, s, direction * w, -direction * peer$rho, cost)
    expect_lt(ours, theirs * (1 + 1e-6))
    expect_gt(ours, theirs * (1 - 1e-3))  # theirs stops early at a large cost
    expect_lte(fit$gap, 1e-6)
    expect_equal(mean(predict_linear_svm(fit, x) == predict(peer, x)), 1, tolerance = 0.03)
  }

  several <- linear_svm(as.matrix(iris[1:4]), iris$Species)
  expect_identical(dimnames(several$coefficients), list(names(iris)[1:4], levels(iris$Species)))
  single <- linear_svm(as.matrix(iris[1:4]), iris$Species == "virginica")
  expect_equal(several$coefficients[, "virginica"], single$coefficients, tolerance = 1e-8)
  expect_gt(mean(predict_linear_svm(several, as.matrix(iris[1:4])) == iris$Species), 0.8)
  sparse <- linear_svm(Matrix::Matrix(as.matrix(iris[1:4]), sparse = TRUE), iris$Species)
  expect_equal(sparse$coefficients, several$coefficients, tolerance = 1e-3)
})
