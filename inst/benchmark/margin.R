# Speed of the margin family beside its peers, in one run: CPU seconds of one thread, the peer's
# time divided by ours, and how far each is from the optimum, since who stops early is quick.
#
#   Rscript inst/benchmark/margin.R [quick]
#
# Peers are used where they are installed: LiblineaR, sparseSVM, e1071 and glmnet.

library(semiselect)

quick <- "quick" %in% commandArgs(trailingOnly = TRUE)
has <- function(package) requireNamespace(package, quietly = TRUE)
seconds <- function(expr) {
  gc(FALSE)
  time <- system.time(expr)
  time[["user.self"]] + time[["sys.self"]]
}

make_data <- function(n, p, shift = 0.7) {
  set.seed(1)
  y <- factor(rep(c("a", "b"), length.out = n))
  x <- matrix(rnorm(n * p), n, p)
  x[y == "b", 1:10] <- x[y == "b", 1:10] + shift
  list(x = x, y = y, s = ifelse(y == "b", 1, -1))
}

hinge <- function(data, w, b, cost) {
  sum(w^2) / 2 + cost * sum(pmax(0, 1 - data$s * (drop(data$x %*% w) + b)))
}

report <- function(job, n, p, ours, peer, peer_seconds, note = "") {
  cat(sprintf("%-32s %6d x %-6d ours %8.3f s   %-12s %8.3f s   ratio %6.2f   %s\n", job, n, p, ours,
              peer, peer_seconds, peer_seconds / ours, note))
}

sizes <- list(c(500, 1000), c(2000, 2000), c(2000, 10000))
if (quick) sizes <- sizes[1]
linear_svm <- getFromNamespace("linear_svm", "semiselect")

for (size in sizes) {
  n <- size[1]
  p <- size[2]
  data <- make_data(n, p)
  cost <- 1 / p  # rows of norm about sqrt(p): the scale at which a margin of 1 is soft

  # One linear SVM. The peers' objective over ours, less 1, is their excess.
  fit <- NULL
  ours <- seconds(fit <- linear_svm(data$x, data$y, cost))
  best <- hinge(data, fit$coefficients, fit$intercept, cost)
  if (has("LiblineaR")) {
    time <- seconds(peer <- LiblineaR::LiblineaR(data$x, data$y, type = 3, cost = cost))
    w <- drop(peer$W)
    if (peer$ClassNames[1] != "b") w <- -w
    excess <- hinge(data, w[1:p], w[p + 1], cost) / best - 1
    report("linear SVM", n, p, ours, "LiblineaR", time,
           sprintf("gap %.1e; its excess %.1e", max(fit$gap), excess))
  }
  if (has("e1071") && n * p <= 4e6) {
    time <- seconds({
      peer <- e1071::svm(data$x, data$y, kernel = "linear", cost = cost, scale = FALSE)
    })
    w <- drop(t(peer$coefs) %*% peer$SV)
    turn <- if (sum(w * fit$coefficients) < 0) -1 else 1
    excess <- hinge(data, turn * w, -turn * peer$rho, cost) / best - 1
    report("linear SVM", n, p, ours, "e1071", time,
           sprintf("gap %.1e; its excess %.1e", max(fit$gap), excess))
  }

  # A path of 100 values, from the empty model to a hundredth of its lambda1.
  fit <- NULL
  ours <- seconds(fit <- rank_drsvm(data$x, data$y, path = TRUE, n_lambda = 100, tol = 1e-4,
                                    threads = 1, verbose = FALSE))
  note <- sprintf("%d features at the end", utils::tail(attr(fit, "info")$path$n_selected, 1))
  if (has("sparseSVM")) {
    time <- seconds(sparseSVM::sparseSVM(data$x, data$y, alpha = 0.5, nlambda = 100,
                                         lambda.min = 0.01))
    report("elastic-net SVM path of 100", n, p, ours, "sparseSVM", time, note)
  }
  if (has("glmnet")) {
    time <- seconds(glmnet::glmnet(data$x, data$y, family = "binomial",
                                   alpha = 0.5, nlambda = 100, lambda.min.ratio = 0.01))
    report("elastic-net SVM path of 100", n, p, ours, "glmnet", time,
           paste(note, "(other loss, a yardstick)"))
  }
}

# SENFS: no peer; the guides of an unoptimized prototype, five starts.
guides <- list(c(300, 500, 0.35), c(1500, 241, 0.45), c(72, 7129, 2.1), c(1000, 2000, 12.5),
               c(5000, 50, 0.14))
for (guide in guides) {
  data <- make_data(guide[1], guide[2], shift = 2)
  y <- data$y
  y[-(1:10)] <- NA
  fit <- NULL
  ours <- seconds(fit <- rank_senfs(data$x, y, threads = 1, verbose = FALSE))
  report("SENFS, five starts", guide[1], guide[2], ours, "prototype", guide[3],
         sprintf("gap %.1e", attr(fit, "info")$gap))
}

# The extremes.
extremes <- list(c(500, 50000), c(50000, 500), c(100, 200000))
if (quick) extremes <- list()
for (size in extremes) {
  data <- make_data(size[1], size[2], shift = 2)
  y <- data$y
  y[-(1:20)] <- NA
  one <- seconds(fit <- rank_senfs(data$x, y, threads = 1, verbose = FALSE))
  dr <- seconds(rank_drsvm(data$x, data$y, threads = 1, verbose = FALSE))
  cat(sprintf("SENFS and DrSVM %6d x %-6d       %8.3f s and %.3f s, gap %.1e\n", size[1], size[2],
              one, dr, attr(fit, "info")$gap))
}
