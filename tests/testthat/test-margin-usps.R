# Xu, Jin, Lyu and King (2009), Figures 1 and 2, are pictures without numbers. A reference
# implementation of the corrected definitions, 30 draws per task, gave these means over the three
# tasks with 20 labels and 10 features: FS-Manifold 88.4, L1-SVM 87.3, L0-SVM 87.6, Fisher 87.1.
test_that("USPS digits come out as the reference implementation has them", {
  skip_on_cran()
  file <- file.path(Sys.getenv("SEMISELECT_DATA"), "usps.rds")
  skip_if_not(file.exists(file), "SEMISELECT_DATA does not name a folder with usps.rds")
  usps <- readRDS(file)
  digits <- as.character(usps$y)
  set.seed(2009)
  accuracy <- function(r, x, y, hidden) {
    fit <- linear_svm(x[!hidden, r$index[1:10]], y[!hidden], cost = 1)
    mean(predict_linear_svm(fit, x[hidden, r$index[1:10]]) == y[hidden])
  }
  draws <- lapply(rep(list(c("4", "7"), c("2", "3"), c("3", "8")), each = 10), function(pair) {
    rows <- unlist(lapply(pair, function(digit) sample(which(digits == digit), 200)))
    x <- usps$x[rows, ]
    y <- factor(digits[rows], pair)
    seen <- y
    seen[-unlist(lapply(split(seq_along(y), y), sample, 10))] <- NA
    hidden <- is.na(seen)
    quietly <- function(expr) suppressWarnings(expr) # border pixels are constant
    fsm <- quietly(rank_fs_manifold(x, seen, n_features = 10, tau = "cv", scale = "none"))
    c(
      fs_manifold = mean(predict(fsm, x[hidden, ]) == y[hidden]),
      l1svm = accuracy(quietly(rank_l1svm(x, seen, scale = "none")), x, y, hidden),
      l0svm = accuracy(quietly(rank_l0svm(x, seen, scale = "none")), x, y, hidden),
      fisher = accuracy(quietly(rank_fisher(x, seen)), x, y, hidden)
    )
  })
  draws <- 100 * do.call(rbind, draws)
  means <- colMeans(draws)
  # Two standard errors of ours, and the reference's own (30 draws a task).
  tolerance <- 2 * apply(draws, 2, sd) / sqrt(nrow(draws)) * sqrt(1 + 1 / 3)
  expected <- c(fs_manifold = 88.4, l1svm = 87.3, l0svm = 87.6, fisher = 87.1)
  expect_true(all(abs(means - expected) < tolerance), label = paste(
    names(means), format(means, digits = 4), "+-", format(tolerance, digits = 2), collapse = "; "
  ))
})
