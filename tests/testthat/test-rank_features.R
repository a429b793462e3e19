test_that("the registry has a function, a help topic's worth of facts and one row per method", {
  s <- selectors()
  expect_named(s, c("method", "fun", "family", "supervision", "uses", "multiclass", "sparse",
                    "selects", "predicts", "direction", "reference"))
  expect_identical(anyDuplicated(s$method), 0L)
  expect_identical(s$fun, paste0("rank_", s$method))
  expect_true(all(s$fun %in% getNamespaceExports("semiselect")))
  expect_false(is.unsorted(match(s$family, semiselect:::registry_families)))
  expect_true(all(nzchar(s$reference)))
})

test_that("what a method takes is read off its function", {
  s <- selectors()
  for (extra in c("constraints", "universum")) {
    takes <- vapply(s$fun, function(fun) extra %in% names(formals(fun)), NA)
    expect_identical(grepl(extra, s$uses), unname(takes))
  }
})

test_that("every exported rank function is registered, and has its arguments in the fixed order", {
  exported <- grep("^rank_", getNamespaceExports("semiselect"), value = TRUE)
  expect_setequal(setdiff(exported, "rank_features"), selectors()$fun)
  first <- c("x", "y", "constraints", "universum")
  last <- c("graph", "k", "metric", "weights", "bandwidth", "symmetrize", "search", "scale",
            "n_features", "threads", "verbose")
  for (fun in selectors()$fun) {
    arguments <- names(formals(fun))
    expect_identical(arguments[1:2], c("x", "y"), label = fun)
    expect_false(is.unsorted(match(arguments, first), na.rm = TRUE), label = fun)
    expect_true(all(c("scale", "n_features", "threads", "verbose") %in% arguments), label = fun)
    expect_identical(utils::tail(arguments, 2), c("threads", "verbose"), label = fun)
    expect_identical(formals(fun)$threads, quote(getOption("semiselect.threads", 2L)), label = fun)
    expect_identical(formals(fun)$verbose, quote(interactive()), label = fun)
    # A method's own argument may share a name with the graph's (k of ReliefF).
    if ("graph" %in% arguments) {
      expect_identical(intersect(arguments, last), intersect(last, arguments), label = fun)
    }
  }
})

test_that("rank_features() is the function of that name", {
  by_name <- rank_features(iris[1:4], iris$Species, "fisher", n_features = 2)
  direct <- rank_fisher(iris[1:4], iris$Species, n_features = 2)
  expect_identical(as.data.frame(by_name), as.data.frame(direct))
  expect_identical(attr(by_name, "params"), attr(direct, "params"))
  expect_identical(attr(rank_features(iris[1:4], iris$Species), "method"), "cls")
})

test_that("unknown methods and arguments are refused with the nearest name", {
  refuse <- function(..., pattern) {
    expect_error(rank_features(iris[1:4], iris$Species, ...), pattern, class = "semiselect_error")
  }
  refuse("fischer", pattern = "no method \"fischer\". Did you mean \"fisher\"\\?")
  refuse("zzzzzzzz", pattern = "no method \"zzzzzzzz\"[.]\nSee `selectors\\(\\)`")
  refuse(c("fisher", "cls"), pattern = "`method` must be the name")
  refuse(NULL, pattern = "`method` must be the name")
  refuse("fisher", varaint = "pairwise",
         pattern = "no argument `varaint`. Did you mean \"variant\".*`n_features`")
  refuse("fisher", "pairwise", pattern = "must be named")
  expect_error(rank_features(iris[1:4], data = iris), "`data` is for a formula",
               class = "semiselect_error")
})

test_that("a formula takes its columns from the data frame and keeps rows without a label", {
  d <- iris
  d$Species[-c(1:5, 51:55)] <- NA
  r <- rank_features(Species ~ ., data = d, method = "cls")
  plain <- rank_cls(d[1:4], d$Species)
  expect_identical(as.data.frame(r), as.data.frame(plain))
  expect_identical(attr(r, "info")$n, 150L)
  expect_identical(attr(r, "info")$n_labelled, 10L)
  expect_identical(as.data.frame(rank_features(Species ~ ., d, "cls")), as.data.frame(plain))
  expect_identical(as.data.frame(rank_features(~ . - Species, data = d, method = "variance")),
                   as.data.frame(rank_variance(d[1:4])))
})

test_that("formulas add and remove columns, in order", {
  features <- function(formula, data = iris) {
    r <- rank_features(formula, data = data, method = "variance")
    r$feature[order(r$index)]
  }
  expect_identical(features(Species ~ Petal.Width + Sepal.Length), c("Petal.Width", "Sepal.Length"))
  expect_identical(features(Species ~ . - Sepal.Width), names(iris)[c(1, 3, 4)])
  expect_identical(features(Species ~ . - (Sepal.Width + Petal.Width)), names(iris)[c(1, 3)])
  expect_identical(features(Species ~ . - Sepal.Width + Sepal.Width), names(iris)[c(1, 3, 4, 2)])
  expect_identical(features(Species ~ -Sepal.Width), names(iris)[c(1, 3, 4)])
  expect_identical(features(Species ~ . - 1), names(iris)[1:4])
  odd <- setNames(iris, c("a b", "c", "d", "e", "kind"))
  expect_identical(features(kind ~ `a b` + c, odd), c("a b", "c"))
  expect_identical(features(factor(kind == "setosa") ~ . - e, odd), c("a b", "c", "d"))
  outside <- rep(1:2, 75)
  expect_identical(features(outside ~ . - Species), names(iris)[1:4])
})

test_that("formulas that cannot be read are refused", {
  refuse <- function(formula, pattern, data = iris) {
    expect_error(rank_features(formula, data = data), pattern, class = "semiselect_error")
  }
  refuse(Species ~ log(Sepal.Width), "only list columns.*`log\\(Sepal.Width\\)`.*Compute")
  refuse(Species ~ Sepal.Width:Petal.Width, "only list columns")
  refuse(Species ~ Sepal.Widht, "no column `Sepal.Widht`. Did you mean \"Sepal.Width\"")
  refuse(Kind ~ ., "left-hand side.*Kind")
  refuse(Species ~ Sepal.Width - Sepal.Width, "no feature")
  refuse(Species ~ ., "`data` must be a data frame", as.matrix(iris[1:4]))
  refuse(Species ~ ., "`data` must be a data frame, not NULL", NULL)
  refuse(Sepal.Width ~ ., "class labels|column `Species` is a factor")
  expect_error(rank_features(Species ~ ., iris$Species, data = iris), "left-hand side",
               class = "semiselect_error")
})

test_that("a formula over thousands of columns is quick", {
  wide <- as.data.frame(matrix(rnorm(4 * 20000), 4))
  wide$y <- c("a", "a", "b", NA)
  seconds <- system.time(r <- rank_features(y ~ . - V7, data = wide, method = "variance"))[[3]]
  expect_identical(nrow(r), 19999L)
  expect_lt(seconds, 2)
  long <- as.formula(paste("y ~", paste0("V", 1:3000, collapse = " + ")))
  expect_identical(nrow(rank_features(long, data = wide, method = "variance")), 3000L)
})
