groups <- function(n = 60, p = 12, shift = 2, classes = 2) {
  y <- factor(rep(letters[seq_len(classes)], length.out = n))
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  x[, 1:2] <- x[, 1:2] + shift * as.integer(y)
  list(x = x, y = y)
}
compare <- function(...) compare_selectors(..., verbose = FALSE)
timeless <- function(x) {
  x$seconds <- NULL
  as.data.frame(x)
}

test_that("one row per method, repeat and size", {
  set.seed(1)
  d <- groups()
  r <- compare(d$x, d$y, c("laplacian", "cls"), labelled = 4, repeats = 3, sizes = c(5, 2))
  expect_s3_class(r, c("selector_comparison", "data.frame"), exact = TRUE)
  expect_named(r, c("method", "repeat", "size", "accuracy", "rand", "redundancy", "seconds",
                    "error"))
  expect_identical(nrow(r), 12L)
  expect_identical(r$method, rep(c("laplacian", "cls"), each = 6))
  expect_identical(r[["repeat"]], rep(rep(1:3, each = 2), 2))
  expect_identical(r$size, rep(c(2L, 5L), 6))
  expect_true(all(is.na(r$error)))
  expect_false(anyNA(r[c("accuracy", "rand", "redundancy", "seconds")]))
})

test_that("a cell is what a user would compute by hand", {
  set.seed(2)
  d <- groups(classes = 3)
  r <- compare(d$x, d$y, list("sselect", mine = list("cls", k = 4)), labelled = 3, repeats = 2,
               sizes = c(2, 6))
  for (s in 1:2) {
    split <- attr(r, "splits")[[s]]
    expect_identical(as.vector(table(d$y[split$labelled])), c(3L, 3L, 3L))
    expect_setequal(c(split$labelled, split$judged), 1:60)
    y <- d$y
    y[split$judged] <- NA
    for (method in c("sselect", "mine")) {
      ranking <- if (method == "mine") rank_cls(d$x, y, k = 4) else rank_sselect(d$x, y)
      cell <- r[r$method == method & r[["repeat"]] == s, ]
      expected <- evaluate_ranking(ranking, d$x, y, d$x[split$judged, ], d$y[split$judged],
                                   c(2, 6))
      expect_identical(cell$accuracy, expected$accuracy)
      expect_equal(cell$redundancy[2], redundancy_rate(d$x, selected(ranking, 6)))
      expect_identical(attr(r, "selections")[[method]][[s]], ranking$index[1:6])
    }
  }
})

test_that("rows set aside are seen by nothing", {
  set.seed(3)
  d <- groups(80)
  seen <- list()
  spy <- function(x, y, ...) {
    seen[[length(seen) + 1]] <<- list(x = x, y = y)
    rank_laplacian(x, y)
  }
  r <- compare(d$x, d$y, list(spy = spy, cls = "cls"), labelled = 0.1, repeats = 2, sizes = 3,
               test = 0.25)
  for (s in 1:2) {
    split <- attr(r, "splits")[[s]]
    expect_length(split$judged, 20)
    expect_length(intersect(split$judged, split$seen), 0)
    expect_identical(seen[[s]]$x, d$x[split$seen, ])
    expect_identical(which(!is.na(seen[[s]]$y)), match(split$labelled, split$seen))
    expect_identical(as.vector(table(d$y[split$labelled])), c(3L, 3L))  # a tenth of 30
  }
  # Test rows that are beyond measure must not move a ranking.
  wild <- d$x
  fixed <- 61:80
  wild[fixed, ] <- 1000
  set.seed(4)
  a <- compare(d$x, d$y, c("cls", "laplacian"), labelled = 3, repeats = 2, sizes = 3, test = fixed)
  set.seed(4)
  b <- compare(wild, d$y, c("cls", "laplacian"), labelled = 3, repeats = 2, sizes = 3,
               test = fixed)
  expect_identical(attr(a, "selections"), attr(b, "selections"))
  expect_identical(attr(a, "splits")[[1]]$judged, fixed)
})

test_that("a leak would be seen: noise gives chance, a method that peeks does not", {
  set.seed(5)
  n <- 100
  p <- 400
  x <- matrix(rnorm(n * p), n, p)
  y <- factor(sample(rep(c("a", "b"), n / 2)))  # unrelated to x
  leak <- function(x, y, ...) rank_fisher(x, truth)
  truth <- y
  r <- compare(x, y, list("fisher", "laplacian", "cls", "sselect", "lsdf", peeks = leak),
               labelled = 10, repeats = 12, sizes = c(5, 20), null = NULL)
  means <- tapply(r$accuracy, r$method, mean)
  # 12 splits of 80 judged rows overlap: a standard deviation of 0.056 for each, at worst.
  honest <- setdiff(names(means), "peeks")
  expect_true(all(abs(means[honest] - 0.5) < 0.1))
  expect_gt(means[["peeks"]], 0.65)

  # The same for tuning: only the labels of a fold are hidden, and a best of many settings is tried.
  few <- y
  few[-c(which(y == "a")[1:15], which(y == "b")[1:15])] <- NA
  fit <- tune_selector(x, few, "fisher", folds = 5, repeats = 4, sizes = c(5, 20), verbose = FALSE)
  expect_lt(abs(mean(fit$grid$accuracy) - 0.5), 0.2)
})

test_that("labels of judged rows do not leak through pairs", {
  set.seed(6)
  d <- groups(40)
  pairs <- constraints_from_labels(d$y)
  both <- list(with = list("constraint", constraints = pairs), without = "constraint")
  a <- compare(d$x, d$y, both, labelled = 3, repeats = 2, sizes = 4)
  expect_identical(attr(a, "selections")$with, attr(a, "selections")$without)
  # With rows set aside, pairs of the rest keep their rows.
  test <- 1:10
  b <- compare(d$x, d$y, list(with = list("constraint", constraints = pairs)), labelled = 3,
               repeats = 1, sizes = 4, test = test)
  split <- attr(b, "splits")[[1]]
  y <- d$y[-test]
  full <- rank_constraint(d$x[-test, ], y)  # all pairs of the rest: as if all were labelled
  expect_identical(attr(b, "selections")$with[[1]], full$index[1:4])
})

test_that("results depend neither on other methods nor on their order", {
  set.seed(7)
  d <- groups()
  random <- function(x, y, ...) {
    x[, ] <- rnorm(length(x))
    rank_variance(x)
  }
  run <- function(methods) {
    set.seed(8)
    compare(d$x, d$y, methods, labelled = 3, repeats = 2, sizes = 3)
  }
  one <- run(list(random = random))
  two <- run(list("laplacian", random = random, "wckm"))
  expect_identical(timeless(one), `rownames<-`(timeless(two[two$method == "random", ]), NULL))
  # and the generator goes on as it would have.
  set.seed(8)
  compare(d$x, d$y, "variance", labelled = 3, repeats = 2, sizes = 3)
  after <- runif(1)
  run(list("wckm", random = random))
  expect_identical(runif(1), after)
})

test_that("one graph serves all methods that would build the same", {
  d <- groups(60)
  y <- d$y
  y[11:60] <- NA
  wanted <- getFromNamespace("graph_wanted", "semiselect")
  checked <- 0
  for (method in selectors()$method) {
    graph <- wanted(method, list())
    if (is.null(graph)) next
    W <- do.call(neighbor_graph, c(list(d$x), graph))
    more <- if ("universum" %in% names(formals(paste0("rank_", method)))) {
      list(universum = universum_of(d$x))
    }
    rank <- function(...) {
      set.seed(1)
      suppressWarnings(do.call(rank_features, c(list(d$x, y, method), more, list(...))))
    }
    expect_identical(rank(graph = W)$index, rank()$index, label = method)
    checked <- checked + 1
  }
  expect_gte(checked, 5)
  expect_null(wanted("cls", list(graph = W)))
  expect_identical(wanted("cls", list(k = 3))$k, 3)
  expect_null(wanted("fisher", list()))

  built <- 0
  home <- asNamespace("semiselect")
  suppressMessages(trace("neighbor_graphs", where = home, print = FALSE,
                         tracer = function() built <<- built + 1))
  on.exit(suppressMessages(untrace("neighbor_graphs", where = home)))
  compare(d$x, d$y, list("laplacian", "sc4", "sselect", a = list("sselect", eta = 0.5)),
          labelled = 3, repeats = 4, sizes = 3)
  expect_identical(built, 1)  # all rows are in every split
  built <- 0
  compare(d$x, d$y, list("laplacian", "sc4"), labelled = 3, repeats = 4, sizes = 3, test = 0.3)
  expect_identical(built, 4)
  # Other numbers of neighbors and other weights, still one search
  built <- 0
  compare(d$x, d$y, list("laplacian", "cls", "lsdf"), labelled = 3, repeats = 2, sizes = 3)
  expect_identical(built, 1)
})

test_that("graphs from one search are those of their own searches", {
  set.seed(17)
  x <- rbind(matrix(sample(0:3, 40 * 3, TRUE), 40), matrix(1, 8, 3))  # ties and copies
  graphs <- getFromNamespace("neighbor_graphs", "semiselect")
  want <- function(k, weights, bandwidth = "median", symmetrize = "union", metric) {
    list(k = k, metric = metric, weights = weights, bandwidth = bandwidth,
         symmetrize = symmetrize, search = "exact", scale = "standardize")
  }
  for (metric in c("euclidean", "cosine")) {
    wanted <- list(
      want(3, "heat", metric = metric), want(9, "binary", metric = metric),
      want(5, "heat", "local", metric = metric), want(5, "heat", 2, "mutual", metric = metric),
      want(4, "cosine", metric = metric)
    )
    together <- graphs(x, wanted)
    for (g in seq_along(wanted)) {
      alone <- do.call(neighbor_graph, c(list(x), wanted[[g]]))
      expect_identical(together[[g]]$graph@x, alone@x)
      expect_identical(together[[g]]$graph@i, alone@i)
    }
  }
})

test_that("a method that fails is reported, and the others go on", {
  set.seed(9)
  d <- groups()
  calls <- 0
  expect_warning(
    r <- compare(d$x, d$y, list(
      good = "variance", bad = function(x, y, ...) stop("no luck today"),
      odd = function(x, y, ...) 1:3,
      some = function(x, y, ...) {
        calls <<- calls + 1
        if (calls == 2) stop("second time")
        rank_variance(x)
      }
    ), labelled = 3, repeats = 3, sizes = c(2, 4)),
    "no luck today", class = "semiselect_warning_failed"
  )
  expect_identical(nrow(r), 24L)
  expect_true(all(r$error[r$method == "bad"] == "no luck today"))
  expect_true(all(is.na(r$accuracy[r$method == "bad"])))
  expect_match(r$error[r$method == "odd"], "must give a ranking of the 12 features")
  expect_identical(is.na(r$error[r$method == "some"]), c(TRUE, TRUE, FALSE, FALSE, TRUE, TRUE))
  expect_false(anyNA(r$accuracy[r$method == "good"]))
  table <- summary(r)$table
  expect_identical(table$failed[match(c("good", "bad", "some"), table$method)], c(0L, 3L, 1L))
  expect_output(print(r), "failed.*The first failure: no luck")
})

test_that("warnings of methods are kept and counted, not raised", {
  set.seed(10)
  d <- groups()
  d$x[, 5] <- 1
  expect_silent(r <- compare(d$x, d$y, "variance", labelled = 3, repeats = 3, sizes = 2,
                             null = NULL))
  w <- attr(r, "warnings")
  expect_identical(w$count, 3L)
  expect_match(w$message, "constant")
  expect_output(print(r), "3 warning")
})

test_that("wrong input is an error before any work", {
  d <- groups()
  started <- FALSE
  f <- function(x, y, ...) {
    started <<- TRUE
    rank_variance(x)
  }
  refused <- function(message, ..., x = d$x, y = d$y, methods = list(f = f),
                      class = "semiselect_error_input") {
    expect_error(compare(x, y, methods, ...), message, class = class)
  }
  refused("only 12 feature", sizes = c(2, 13))
  refused("\"b\" has 30 row", labelled = 31, y = factor(rep(c("b", "c"), 30)),
          class = "semiselect_error_labelled")
  refused("30 row.*22 beside", labelled = 25, test = 0.25)
  refused("none is left", labelled = 30)
  refused("no method \"clss\".*\"cls\"", methods = list(f = f, "clss"))
  refused("no argument `kk`", methods = list(f = f, a = list("cls", kk = 3)))
  refused("twice", methods = c("cls", "cls"))
  refused("need a name", methods = list(f))
  refused("single function", methods = f)
  refused("Universum", methods = list(f = f, "uvs"))
  refused("single class", y = rep("a", 60))
  refused("complete.*element 4", y = replace(d$y, 4, NA))
  refused("length 59", y = d$y[-1])
  refused("`labelled`", labelled = 0)
  refused("`labelled`", labelled = 1.5)
  refused("`repeats`", repeats = 0)
  refused("`test`", test = "half")
  refused("from 1 to 60", test = c(1, 61))
  refused("both", labelled = list(1:4), repeats = 1, test = 4:9)
  refused("one class", labelled = list(c(1, 3)), repeats = 1)
  refused("one vector of row numbers per repeat", labelled = list(1:4), repeats = 2)
  refused("train", classifier = list(predict = mean))
  refused("folder", resume = file.path(tempdir(), "nowhere", "a"))
  refused("no method", null = "nothing")
  bad <- d$x
  bad[3, 2] <- Inf
  refused("column `f2`, row 3", x = bad)
  expect_false(started)
})

test_that("given rows and numbers per class are kept", {
  d <- groups()
  rows <- list(c(1:6), c(11:16), 21:26)
  r <- compare(d$x, d$y, "variance", labelled = rows, sizes = 2, test = 31:60)
  expect_identical(lapply(attr(r, "splits"), `[[`, "labelled"), rows)
  expect_identical(max(r[["repeat"]]), 3L)
  q <- compare(d$x, d$y, "variance", labelled = c(b = 2, a = 5), repeats = 2, sizes = 2)
  expect_identical(as.vector(table(d$y[attr(q, "splits")[[2]]$labelled])), c(5L, 2L))
})

test_that("the table has means, standard errors, gains over the null and stability", {
  set.seed(11)
  d <- groups(shift = 1)
  r <- compare(d$x, d$y, c("laplacian", "variance"), labelled = 4, repeats = 5, sizes = c(2, 4))
  s <- summary(r)
  expect_identical(s$null, "fisher")
  expect_setequal(s$table$method, c("laplacian", "variance", "fisher"))
  expect_identical(s$table$method[s$table$null], "fisher")
  expect_false(is.unsorted(-s$table$mean))
  mine <- matrix(r$accuracy[r$method == "laplacian"], 2)
  null <- matrix(attr(r, "null")$accuracy, 2)
  row <- s$table[s$table$method == "laplacian", ]
  expect_equal(row$mean, mean(mine))
  expect_equal(row$se, sd(colMeans(mine)) / sqrt(5))
  expect_equal(row$gain, mean(mine - null))
  expect_equal(row$gain_se, sd(colMeans(mine - null)) / sqrt(5))
  expect_equal(row$best, max(rowMeans(mine)))
  # stability by the formula over the sets of each size
  phi <- vapply(c(2, 4), function(k) {
    sets <- t(sapply(attr(r, "selections")$laplacian, function(top) 1:12 %in% top[1:k]))
    1 - mean(apply(sets, 2, var)) / (k / 12 * (1 - k / 12))
  }, 1)
  expect_equal(row$stability, mean(phi))
  at <- summary(r, size = 4)$table
  expect_equal(at$mean[at$method == "laplacian"], mean(mine[2, ]))
  expect_error(summary(r, size = 3), "2, 4", class = "semiselect_error_input")
  # One feature has no redundancy, all features no stability: the other sizes count.
  ends <- compare(d$x, d$y, "variance", labelled = 4, repeats = 3, sizes = c(1, 2, 12))
  row <- summary(ends)$table[summary(ends)$table$method == "variance", ]
  expect_equal(row$redundancy, mean(ends$redundancy[ends$size > 1]))
  expect_equal(row$stability, 1)
  expect_output(print(s), "the null: fisher sees the labelled rows alone")

  # The null among the methods is not run twice, nor shown twice.
  both <- compare(d$x, d$y, c("fisher", "variance"), labelled = 4, repeats = 3, sizes = 2)
  t2 <- summary(both)$table
  expect_identical(sum(t2$method == "fisher"), 1L)
  expect_true(t2$null[t2$method == "fisher"])
  expect_equal(tidy(both)$accuracy[1], mean(both$accuracy[both$method == "fisher"]))
  none <- compare(d$x, d$y, "variance", labelled = 4, repeats = 3, sizes = 2, null = NULL)
  expect_true(is.na(summary(none)$table$gain))
})

test_that("Friedman test and critical difference over data sets are Demsar's", {
  # Demsar (2006), table 6: AUC of C4.5 with four ways of tuning on 14 data sets. Two values print
  # alike in the 13th, but have the ranks 2 and 3 there: hence the fourth decimal.
  auc <- matrix(c(
    0.763, 0.768, 0.771, 0.798, 0.599, 0.591, 0.590, 0.569, 0.954, 0.971, 0.968, 0.967,
    0.628, 0.661, 0.654, 0.657, 0.882, 0.888, 0.886, 0.898, 0.936, 0.931, 0.916, 0.931,
    0.661, 0.668, 0.609, 0.685, 0.583, 0.583, 0.563, 0.625, 0.775, 0.838, 0.866, 0.875,
    1.000, 1.000, 1.000, 1.000, 0.940, 0.962, 0.965, 0.962, 0.619, 0.666, 0.614, 0.669,
    0.972, 0.981, 0.9751, 0.975, 0.957, 0.978, 0.946, 0.970
  ), ncol = 4, byrow = TRUE, dimnames = list(NULL, c("c45", "m", "cf", "mcf")))
  fake <- function(values) {
    frame <- data.frame(method = names(values), `repeat` = 1L, size = 5L,
                        accuracy = unname(values), rand = 0.5, redundancy = 0.1, seconds = 1,
                        error = NA_character_, check.names = FALSE)
    structure(frame, class = c("selector_comparison", "data.frame"),
              settings = list(sizes = 5L, p = 10))
  }
  all <- do.call(rbind, lapply(1:14, function(i) fake(auc[i, ])))
  expect_identical(unique(all$data), paste("data", 1:14))
  s <- summary(all)
  # Printed there: 3.143, 2.000, 2.893, 1.964; chi-squared 9.28, F 3.69, CD 1.25.
  printed <- c(c45 = 3.143, m = 2.000, cf = 2.893, mcf = 1.964)
  expect_equal(colMeans(s$ranks), printed, tolerance = 1e-3)
  expect_equal(s$critical_difference, 1.25, tolerance = 0.005)
  witness <- friedman.test(auc)
  expect_equal(s$friedman$chi_squared, unname(witness$statistic))
  expect_equal(s$friedman$p_value, witness$p.value)
  # The paper's statistic has no correction for ties; without it, from the same ranks:
  plain <- 12 * 14 / (4 * 5) * (sum(colMeans(s$ranks)^2) - 4 * 5^2 / 4)
  expect_equal(plain, 9.28, tolerance = 0.005)
  chi <- s$friedman$chi_squared
  expect_equal(s$friedman$f, 13 * chi / (14 * 3 - chi))
  expect_identical(s$table$method[1], "mcf")
  expect_output(print(s), "Friedman test.*Critical difference.*\\(Nemenyi, 0.05\\): 1.25")
  # Studentized range over sqrt 2, as printed in table 5 of the paper for 2 to 10 methods.
  q <- c(1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
  expect_equal(qtukey(0.95, 2:10, Inf) / sqrt(2), q, tolerance = 5e-4)
  groups <- getFromNamespace("rank_groups", "semiselect")
  expect_identical(groups(c(1, 2, 2.5, 4), 1.2), data.frame(from = c(1L, 2L), to = c(2L, 3L)))
  expect_identical(nrow(groups(c(1, 3, 5), 1)), 0L)
})

test_that("comparisons are bound together with their names and their null", {
  set.seed(12)
  one <- groups()
  two <- groups(shift = 0.5)
  a <- compare(one$x, one$y, c("laplacian", "variance"), labelled = 4, repeats = 2, sizes = 2)
  b <- compare(two$x, two$y, c("laplacian", "variance", "fisher"), labelled = 4, repeats = 2,
               sizes = 2)
  all <- rbind(a, second = b)
  expect_s3_class(all, "selector_comparison")
  expect_identical(unique(all$data), c("a", "second"))
  s <- summary(all)
  expect_setequal(colnames(s$ranks), c("laplacian", "variance", "fisher"))
  expect_identical(rownames(s$ranks), c("a", "second"))
  expect_identical(s$table$method[s$table$null], "fisher")
  third <- rbind(all, third = a)
  expect_identical(unique(third$data), c("a", "second", "third"))
  expect_error(rbind(x = a, x = b), "two comparisons|Two comparisons",
               class = "semiselect_error_input")
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(all))
  expect_invisible(plot(all, type = "curves"))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(all), "ggplot")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(all, type = "curves")), "ggplot_built")
})

test_that("a comparison is drawn, and part of it still is one", {
  set.seed(13)
  d <- groups()
  r <- compare(d$x, d$y, c("laplacian", "variance"), labelled = 4, repeats = 2, sizes = c(1, 2, 12))
  pdf(NULL)
  on.exit(dev.off())
  expect_invisible(plot(r))
  expect_invisible(plot(r, value = "rand"))
  expect_invisible(plot(r[r$method == "variance", ]))
  expect_error(plot(r, type = "ranks"), "two data sets", class = "semiselect_error_input")
  expect_identical(class(r[, 1:3]), "data.frame")
  expect_s3_class(subset(r, size == 2), "selector_comparison")
  expect_named(tidy(r), c("method", "size", "accuracy", "se", "splits", "null"))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(r)), "ggplot_built")
})

test_that("sparse data give what dense data give", {
  set.seed(14)
  d <- groups()
  x <- d$x * (abs(d$x) > 1)
  run <- function(x) {
    set.seed(15)
    compare(x, d$y, c("laplacian", "fisher"), labelled = 4, repeats = 2, sizes = c(2, 6),
            test = 0.3)
  }
  expect_equal(timeless(run(Matrix::Matrix(x, sparse = TRUE))), timeless(run(x)))
})

test_that("rand is that of k-means on the judged rows", {
  set.seed(16)
  d <- groups(shift = 30)  # no start can miss these clusters
  r <- compare(d$x, d$y, "fisher", labelled = 4, repeats = 2, sizes = 2)
  expect_equal(r$rand, c(1, 1))
  none <- compare(d$x, d$y, "fisher", labelled = 4, repeats = 2, sizes = 2, rand = FALSE)
  expect_true(all(is.na(none$rand)))
  expect_false(anyNA(none$accuracy))
  # by hand, where starts matter less than rows
  split <- attr(r, "splits")[[1]]
  top <- attr(r, "selections")$fisher[[1]]
  z <- scale(d$x[split$judged, top])
  set.seed(1)
  expect_equal(rand_index(kmeans(z, 2, nstart = 5)$cluster, d$y[split$judged]), r$rand[1])
})
