cases <- function(n = 50, p = 12) {
  y <- factor(rep(c("a", "b"), length.out = n))
  x <- matrix(rnorm(n * p), n, p, dimnames = list(NULL, paste0("f", seq_len(p))))
  x[, 1:2] <- x[, 1:2] + 2 * (y == "b")
  list(x = x, y = y)
}
untimed <- function(x) {
  x$seconds <- NULL
  as.data.frame(x)
}
internal <- function(name) getFromNamespace(name, "semiselect")

# Everything that runs on a plan, with chance in it, a method that fails and a function that needs
# a variable from outside.
all_on_plan <- function(d) {
  shift <- 3
  outside <- function(x) rank_variance(x + shift)
  set.seed(11)
  few <- d$y
  few[-(1:16)] <- NA
  list(
    compare = suppressWarnings(compare_selectors(
      d$x, d$y, list("cls", "wckm", mine = function(x, y, ...) outside(x),
                     bad = function(x, y, ...) stop("no")),
      labelled = 4, repeats = 3, sizes = c(2, 5), verbose = FALSE
    )),
    tune = tune_selector(d$x, few, "wckm", list(lambda = c(1, 2)), 3, 2, verbose = FALSE),
    stable = stability_selection(d$x, few, "wckm", 5, 3, verbose = FALSE),
    after = runif(1)
  )
}
numbers <- function(all) {
  all$compare <- untimed(all$compare)
  all$tune$grid$seconds <- NULL
  all
}

test_that("sequential, multisession and a cluster on sockets give the same numbers", {
  skip_on_cran()
  skip_if_not_installed("future")
  set.seed(1)
  d <- cases()
  here <- all_on_plan(d)
  expect_true(all(here$compare$error[here$compare$method == "bad"] == "no"))
  old <- future::plan("sequential")
  on.exit(future::plan(old))
  expect_equal(numbers(all_on_plan(d)), numbers(here))
  future::plan("multisession", workers = 2)
  expect_true(internal("has_workers")())
  expect_identical(numbers(all_on_plan(d)), numbers(here))
  workers <- parallel::makePSOCKcluster(2)
  on.exit(parallel::stopCluster(workers), add = TRUE, after = FALSE)
  future::plan("cluster", workers = workers)
  expect_identical(numbers(all_on_plan(d)), numbers(here))
  future::plan("sequential")
})

test_that("inside workers there is one thread, and the data came once", {
  skip_on_cran()
  skip_if_not_installed("future")
  set.seed(2)
  d <- cases()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  launched <- 0
  told <- function(x, y, ...) {
    warning(Sys.getpid(), " ", getOption("semiselect.threads"), " ",
            attr(rank_variance(x), "params")$threads)
    rank_variance(x)
  }
  suppressMessages(trace("future", where = asNamespace("future"), print = FALSE,
                         tracer = function() launched <<- launched + 1))
  r <- tryCatch(
    compare_selectors(d$x, d$y, list(told = told), labelled = 3, repeats = 8, sizes = 2,
                      verbose = FALSE),
    finally = suppressMessages(untrace("future", where = asNamespace("future")))
  )
  expect_identical(launched, 2)  # eight splits, two workers, two shipments
  said <- do.call(rbind, strsplit(attr(r, "warnings")$message, " "))
  expect_length(unique(said[, 1]), 2)
  expect_false(as.character(Sys.getpid()) %in% said[, 1])
  expect_true(all(said[, 2:3] == "1"))
})

test_that("tasks are dealt in whole groups where there are enough", {
  split_tasks <- internal("split_tasks")
  tasks <- lapply(1:12, function(i) list(key = as.character(i), group = (i - 1) %/% 3 + 1))
  shape <- function(workers) lengths(split_tasks(tasks, workers))
  expect_identical(shape(1), 12L)
  expect_identical(shape(2), c(6L, 6L))
  expect_identical(sort(shape(3)), c(3L, 3L, 6L))
  expect_identical(shape(4), rep(3L, 4))
  expect_identical(shape(6), rep(2L, 6))  # groups broken up: workers would stand idle
  expect_identical(shape(Inf), rep(1L, 12))
  expect_identical(unlist(lapply(split_tasks(tasks, 5), function(chunk) {
    vapply(chunk, `[[`, "", "key")
  })), as.character(1:12))
})

test_that("a worker that dies costs its task, not the run", {
  skip_on_cran()
  skip_if_not_installed("future")
  set.seed(3)
  d <- cases()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  parent <- Sys.getpid()
  kill <- function(x, y, ...) {
    if (Sys.getpid() != parent) quit("no", status = 1)
    rank_variance(x)
  }
  r <- suppressWarnings(compare_selectors(d$x, d$y, list("variance", kill = kill), labelled = 3,
                                          repeats = 2, sizes = 2, verbose = FALSE))
  expect_true(all(grepl("worker", r$error[r$method == "kill"])))
  expect_identical(nrow(r), 4L)
  # What had been reported before the end is there.
  expect_true(all(is.na(r$error[r$method == "variance"])))
})

test_that("a run inside a run, and inside future_lapply, gives its own numbers", {
  set.seed(4)
  d <- cases()
  few <- d$y
  few[-(1:16)] <- NA
  tuned <- function(x, y, ...) {
    fit <- tune_selector(x, y, "sselect", list(eta = c(0.1, 0.9)), 3, 2, verbose = FALSE)
    do.call(rank_features, c(list(x, y), fit$best))
  }
  r <- compare_selectors(d$x, d$y, list(tuned = tuned, "fisher"), labelled = 5, repeats = 2,
                         sizes = 2, verbose = FALSE)
  expect_identical(nrow(r), 4L)
  expect_true(all(is.na(r$error)))
  skip_on_cran()
  skip_if_not_installed("future.apply")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  both <- future.apply::future_lapply(1:2, function(i) {
    set.seed(5)
    compare_selectors(d$x, d$y, "wckm", labelled = 4, repeats = 2, sizes = 2, verbose = FALSE)
  }, future.seed = NULL)
  future::plan("sequential")
  set.seed(5)
  alone <- compare_selectors(d$x, d$y, "wckm", labelled = 4, repeats = 2, sizes = 2,
                             verbose = FALSE)
  expect_identical(untimed(both[[2]]), untimed(alone))
})

test_that("progressr hears every cell", {
  skip_if_not_installed("progressr")
  old <- options(progressr.enable = TRUE)  # off where nobody looks on
  on.exit(options(old))
  set.seed(6)
  d <- cases()
  steps <- 0
  withCallingHandlers(
    compare_selectors(d$x, d$y, c("variance", "cls"), labelled = 4, repeats = 3, sizes = 2,
                      null = NULL, verbose = FALSE),
    progression = function(p) if (identical(p$type, "update")) steps <<- steps + p$amount
  )
  expect_equal(steps, 6)
})

test_that("the generator of the session is left as it was, whatever its kind", {
  with_seed <- internal("with_seed")
  old <- RNGkind()
  on.exit(suppressWarnings(RNGkind(old[1], old[2], old[3])))
  set.seed(7)
  first <- runif(1)
  set.seed(7)
  inside <- with_seed(3, runif(2))
  expect_identical(runif(1), first)
  suppressWarnings(RNGkind("Wichmann-Hill"))
  expect_identical(with_seed(3, runif(2)), inside)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
})

# ---- resume -------------------------------------------------------------------------------------

test_that("finished cells are not computed again", {
  set.seed(8)
  d <- cases()
  file <- tempfile()
  calls <- 0
  limit <- Inf
  count <- function(x, y, ...) {
    calls <<- calls + 1
    if (calls > limit) rlang::interrupt()
    rank_variance(x + rnorm(length(x)))
  }
  run <- function(..., repeats = 4) {
    compare_selectors(d$x, d$y, list(count = count, ...), labelled = 3, repeats = repeats,
                      sizes = c(2, 4), resume = file, verbose = FALSE)
  }
  set.seed(9)
  limit <- 2
  expect_identical(tryCatch(run(), interrupt = function(i) "stopped"), "stopped")
  expect_true(file.exists(file))
  limit <- Inf
  calls <- 0
  resumed <- run()  # another state of the generator: the splits are those of the first run
  expect_identical(calls, 2)
  set.seed(9)
  whole <- compare_selectors(d$x, d$y, list(count = count), labelled = 3, repeats = 4,
                             sizes = c(2, 4), verbose = FALSE)
  expect_identical(untimed(resumed), untimed(whole))
  expect_identical(attr(resumed, "selections"), attr(whole, "selections"))

  calls <- 0
  again <- run()
  expect_identical(calls, 0)
  expect_identical(as.data.frame(again), as.data.frame(resumed))
  more <- run("cls")  # a method more: only that one
  expect_identical(calls, 0)
  expect_identical(unique(more$method), c("count", "cls"))
})

test_that("a half-written file is recognized at every length", {
  set.seed(10)
  d <- cases()
  file <- tempfile()
  calls <- 0
  count <- function(x, y, ...) {
    calls <<- calls + 1
    rank_variance(x)
  }
  run <- function() {
    compare_selectors(d$x, d$y, list(count = count), labelled = 3, repeats = 3, sizes = 2,
                      null = NULL, resume = file, verbose = FALSE)
  }
  whole <- run()
  bytes <- readBin(file, "raw", file.size(file))
  read_records <- internal("read_records")
  for (length in unique(round(seq(0, length(bytes), length.out = 60)))) {
    cut <- tempfile()
    writeBin(bytes[seq_len(length)], cut)
    found <- read_records(cut)
    expect_lte(length(found$records), 4)
    if (length == length(bytes)) expect_false(found$cut)
  }
  writeBin(bytes[seq_len(length(bytes) - 5)], file)
  calls <- 0
  expect_message(resumed <- run(), "half written")
  expect_identical(calls, 1)
  expect_identical(untimed(resumed), untimed(whole))
  calls <- 0
  expect_silent(run())
  expect_identical(calls, 0)
  # A byte that fell over in the last record
  spoiled <- bytes
  spoiled[length(bytes) - 20] <- xor(spoiled[length(bytes) - 20], as.raw(255))
  writeBin(spoiled, file)
  expect_message(run(), "half written")
  # Only the beginning of the first record: a new start
  writeBin(bytes[1:30], file)
  calls <- 0
  suppressMessages(run())
  expect_identical(calls, 3)
})

test_that("a file of other settings, or of no results, is refused and left alone", {
  set.seed(11)
  d <- cases()
  file <- tempfile()
  run <- function(x = d$x, y = d$y, labelled = 3, repeats = 2, sizes = 2, ...) {
    compare_selectors(x, y, "variance", labelled = labelled, repeats = repeats, sizes = sizes, ...,
                      resume = file, verbose = FALSE)
  }
  run()
  before <- tools::md5sum(file)
  refused <- function(expr, message) {
    expect_error(expr, message, class = "semiselect_error_resume")
  }
  refused(run(x = d$x + 1), "`x` differs")
  refused(run(y = rev(d$y)), "`y` differs")
  refused(run(labelled = 4), "`labelled` differs")
  refused(run(repeats = 3, sizes = 3), "`repeats`, `sizes` differ\\.")
  refused(run(classifier = "1nn"), "`classifier`")
  refused(run(test = 0.2), "`test`")
  few <- replace(d$y, 17:50, NA)
  refused(tune_selector(d$x, few, "cls", sizes = 2, resume = file, verbose = FALSE), "`task`")
  expect_identical(tools::md5sum(file), before)
  writeLines("my diary", file)
  refused(run(), "holds no results")
  expect_identical(readLines(file), "my diary")
  expect_error(compare_selectors(d$x, d$y, "variance", labelled = 3, sizes = 2, resume = 3),
               "`resume` must be", class = "semiselect_error_input")
})

test_that("what failed is tried again", {
  set.seed(12)
  d <- cases()
  file <- tempfile()
  broken <- TRUE
  f <- function(x, y, ...) if (broken) stop("out of memory") else rank_variance(x)
  run <- function() {
    compare_selectors(d$x, d$y, list(f = f), labelled = 3, repeats = 2, sizes = 2, resume = file,
                      verbose = FALSE)
  }
  expect_warning(first <- run(), "out of memory")
  expect_true(all(!is.na(first$error)))
  broken <- FALSE
  expect_true(all(is.na(run()$error)))
})

test_that("tuning and stability selection resume too", {
  set.seed(13)
  d <- cases()
  few <- replace(d$y, 17:50, NA)
  file <- tempfile()
  a <- tune_selector(d$x, few, "wckm", list(lambda = 1:2), 3, 2, resume = file, verbose = FALSE)
  b <- tune_selector(d$x, few, "wckm", list(lambda = 1:2), 3, 2, resume = file, verbose = FALSE)
  expect_identical(a, b)  # seconds as well: nothing ran
  c <- tune_selector(d$x, few, "wckm", list(lambda = 1:3), 3, 2, resume = file, verbose = FALSE)
  expect_identical(c$grid[1:2, ], a$grid)
  calls <- 0
  f <- function(x, y, ...) {
    calls <<- calls + 1
    rank_variance(x)
  }
  file <- tempfile()
  one <- stability_selection(d$x, few, f, 6, 3, resume = file, verbose = FALSE)
  two <- stability_selection(d$x, few, f, 6, 3, resume = file, verbose = FALSE)
  expect_identical(calls, 6)
  expect_identical(one, two)
})

test_that("results arrive while the workers still run", {
  skip_on_cran()
  skip_if_not_installed("future")
  set.seed(14)
  d <- cases()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  slow <- function(x, y, ...) {
    Sys.sleep(0.3)
    rank_variance(x)
  }
  file <- tempfile()
  sizes <- numeric()
  withCallingHandlers(
    compare_selectors(d$x, d$y, list(slow = slow), labelled = 3, repeats = 6, sizes = 2,
                      null = NULL, resume = file, verbose = FALSE),
    semiselect_result = function(condition) sizes <<- c(sizes, file.size(file))
  )
  expect_gte(length(unique(sizes)), 4)  # the file has grown from result to result
})

test_that("a time limit ends the run instead of counting as failures", {
  set.seed(15)
  d <- cases()
  slow <- function(x, y, ...) {
    Sys.sleep(0.2)
    rank_variance(x)
  }
  limited <- function() {
    begun <- proc.time()[["elapsed"]]
    setTimeLimit(elapsed = 0.7, transient = TRUE)
    on.exit(setTimeLimit())
    outcome <- tryCatch({
      compare_selectors(d$x, d$y, list(slow = slow), labelled = 3, repeats = 60, sizes = 2,
                        null = NULL, verbose = FALSE)
      "finished"
    }, error = conditionMessage, interrupt = function(i) "time limit")
    expect_match(outcome, "time limit")
    expect_lt(proc.time()[["elapsed"]] - begun, 4)
  }
  limited()
  skip_on_cran()
  skip_if_not_installed("future")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  future::value(list(future::future(1), future::future(2)))  # started, or that would be timed too
  limited()
  # The workers notice, and are free for other work long before their splits would have ended.
  begun <- proc.time()[["elapsed"]]
  expect_identical(future::value(future::future(3)), 3)
  expect_lt(proc.time()[["elapsed"]] - begun, 3)
})
