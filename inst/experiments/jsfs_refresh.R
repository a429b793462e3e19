# Does revising the pseudo-labels of JSFS pay? `rank_jsfs(refresh = 3)` against the paper's
# `refresh = 0` and against TRCFS, on fresh draws of g50c with 0 to 200 noise columns and, where
# SEMISELECT_DATA names the folder of the benchmark sets, on the sets of Table 2 of Jiang et al.
# (2019). Usage:
#
#   Rscript jsfs_refresh.R [draws of g50c] [partitions of each set] [sets, separated by commas]
#
# g50c: 350 training and 200 test rows, 20 labels per class. TRCFS ranks, then a linear SVM is
# trained on the labelled rows with the best of 25, 50 and 100 columns, chosen on the TEST rows: its
# figures are optimistic. The rule was settled on other draws (seeds below 7000).

suppressMessages(library(semiselect))
arguments <- commandArgs(TRUE)
draws <- if (length(arguments) >= 1) as.integer(arguments[1]) else 20
partitions <- if (length(arguments) >= 2) as.integer(arguments[2]) else 20
chosen <- if (length(arguments) >= 3) strsplit(arguments[3], ",")[[1]]
quietly <- function(expr) suppressWarnings(suppressMessages(expr))

split_rows <- function(x, y, n_train, per_class, max_test = 3000) {
  train <- sample(nrow(x), n_train)
  labelled <- unlist(lapply(levels(y), function(level) sample(train[y[train] == level], per_class)))
  test <- setdiff(seq_len(nrow(x)), train)
  if (length(test) > max_test) test <- sample(test, max_test)
  list(x = x[train, ], truth = y[train], y = replace(y[train], !(train %in% labelled), NA),
       x_test = x[test, ], y_test = y[test])
}

g50c <- function(noise) {
  g <- simulate_g50c(550)
  split_rows(cbind(g$x, matrix(rnorm(550 * noise), 550)), factor(g$y), 350, 20)
}

fit_jsfs <- function(data, refresh, scale) {
  r <- quietly(rank_jsfs(data$x, data$y, refresh = refresh, scale = scale, threads = 1))
  hidden <- is.na(data$y)
  info <- attr(r, "info")
  c(accuracy = mean(predict(r, data$x_test) == data$y_test),
    pseudo = mean(info$pseudo[hidden] == data$truth[hidden], na.rm = TRUE),
    features = sum(r$selected), revised = isTRUE(info$refresh$revised))
}

svm_accuracy <- function(data, columns) {
  labelled <- !is.na(data$y)
  model <- e1071::svm(as.matrix(data$x[labelled, columns]), data$y[labelled], kernel = "linear")
  mean(predict(model, as.matrix(data$x_test[, columns])) == data$y_test)
}

fit_trcfs <- function(data) {
  r <- quietly(rank_trcfs(data$x, data$y, threads = 1))
  sizes <- intersect(c(25, 50, 100), seq_len(ncol(data$x)))
  max(vapply(sizes, function(m) svm_accuracy(data, r$index[seq_len(m)]), 0))
}

report <- function(name, results) {
  results <- do.call(rbind, results)
  gain <- results[, "revised.accuracy"] - results[, "paper.accuracy"]
  mean_of <- colMeans(results)
  error_of <- apply(results, 2, sd) / sqrt(nrow(results))
  cat(sprintf(
    paste("%-14s n = %d | refresh 0: %.3f (%.3f), pseudo %.3f, %5.1f features | refresh 3: %.3f",
          "(%.3f), pseudo %.3f, %5.1f features, revised %3.0f %% | gain %+.3f (%.3f)%s\n"),
    name, nrow(results), mean_of["paper.accuracy"], error_of["paper.accuracy"],
    mean_of["paper.pseudo"], mean_of["paper.features"], mean_of["revised.accuracy"],
    error_of["revised.accuracy"], mean_of["revised.pseudo"], mean_of["revised.features"],
    100 * mean_of["revised.revised"], mean(gain), sd(gain) / sqrt(length(gain)),
    if ("trcfs" %in% colnames(results)) {
      sprintf(" | TRCFS + SVM: %.3f (%.3f)", mean_of["trcfs"], error_of["trcfs"])
    } else {
      ""
    }
  ))
}

both <- function(data, scale) {
  c(paper = fit_jsfs(data, 0, scale), revised = fit_jsfs(data, 3, scale))
}

with_trcfs <- requireNamespace("e1071", quietly = TRUE) && "trcfs" %in% selectors()$method
for (noise in if (draws > 0) c(0, 50, 100, 200)) {
  report(paste("g50c +", noise), lapply(seq_len(draws), function(draw) {
    set.seed(7000 + draw)
    data <- g50c(noise)
    c(both(data, "standardize"), if (with_trcfs) c(trcfs = fit_trcfs(data)))
  }))
}

# file, training rows, labels per class, scale
sets <- list(
  colon = list("colon", 42, 5, "standardize"), prostate = list("prostate_ge", 82, 5, "standardize"),
  coil20 = list("coil20", 100, 5, "standardize"), yaleb = list("yaleb", 100, 5, "standardize"),
  pcmac = list("pcmac", 1000, 20, "unit"), basehock = list("basehock", 1000, 20, "unit"),
  mnist49 = list("mnist49", 3782, 10, "standardize")
)
folder <- Sys.getenv("SEMISELECT_DATA")
if (!is.null(chosen)) sets <- sets[chosen]
for (name in if (nzchar(folder)) names(sets)) {
  set <- sets[[name]]
  data <- readRDS(file.path(folder, paste0(set[[1]], ".rds")))
  x <- data$x
  y <- factor(data$y)
  two <- y %in% levels(y)[1:2]
  x <- x[two, ]
  y <- droplevels(y[two])
  if (is.matrix(x)) storage.mode(x) <- "double"
  report(name, lapply(seq_len(partitions), function(partition) {
    set.seed(8000 + partition)
    both(split_rows(x, y, set[[2]], set[[3]]), set[[4]])
  }))
}
