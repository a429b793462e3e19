# Data with known relevant features, as the papers describe them.

#' Simulated data
#'
#' Data sets of the papers, for which it is known what matters. R's generator draws them, so
#' `set.seed()` makes them repeatable.
#'
#' - `simulate_senfs()`: two classes of equal size. The first 10 features have mean `d` in one
#'   class and `-d` in the other, unit variance within the class and mutual correlation `rho`; the
#'   others are standard normal noise (Dai et al., section 4.1).
#' - `simulate_g50c()`: two classes with equal probability, normal with unit variance around
#'   \eqn{\pm m}{+-m}, the same in all 50 features, such that the Bayes error is 5 percent.
#' - `simulate_g241c()`: two normal clouds in 241 dimensions with centers 2.5 apart in a random
#'   direction; columns are standardized.
#' - `simulate_g241n()`: four clouds, two per class. Those of a class are 6 apart, and each has
#'   one of the other class near it (at 3.1), so that the cluster structure misleads; columns are
#'   standardized.
#' - `simulate_waveform()`: Breiman's waveform, three classes, 21 features, each row a random
#'   mixture of two of three triangular waves plus noise, followed by `noise` columns of noise
#'   alone. Features 1 and 21 carry no signal.
#'
#' @param n Number of rows.
#' @param p Number of features, at least 10.
#' @param rho Correlation of the relevant features, from 0 to 1.
#' @param d Half the distance of the class means in a relevant feature.
#' @param noise Number of added noise features.
#' @return A list with `x` (matrix), `y` (factor, complete: hide labels by setting them to `NA`)
#'   and `relevant` (numbers of the columns that carry signal).
#' @examples
#' set.seed(1)
#' data <- simulate_senfs(n = 100, p = 50)
#' y <- data$y
#' y[-c(1:10)] <- NA
#' r <- rank_fisher(data$x, y)
#' head(r$index, 10) %in% data$relevant
#' @name simulate_senfs
NULL

two_class_factor <- function(sign) factor(sign, levels = c(-1, 1))

# -1 and 1, as equal in number as possible, in random order.
balanced_signs <- function(n) sample(rep_len(c(-1, 1), n))

normal_matrix <- function(n, p) matrix(stats::rnorm(n * p), n, p)

unit_vector <- function(p) {
  direction <- stats::rnorm(p)
  direction / sqrt(sum(direction^2))
}

standardize_columns <- function(x) {
  x <- scale(x)
  attributes(x) <- list(dim = dim(x))
  x
}

#' @rdname simulate_senfs
#' @export
simulate_senfs <- function(n = 300, p = 500, rho = 0.9, d = 1) {
  n <- check_count(n, "n", min = 2)
  p <- check_count(p, "p", min = 10)
  rho <- check_number(rho, "rho", min = 0, max = 1)
  d <- check_number(d, "d")
  relevant <- 1:10
  sign <- balanced_signs(n)
  x <- normal_matrix(n, p)
  common <- stats::rnorm(n)
  x[, relevant] <- d * sign + sqrt(rho) * common + sqrt(1 - rho) * x[, relevant]
  list(x = x, y = two_class_factor(sign), relevant = relevant)
}

#' @rdname simulate_senfs
#' @export
simulate_g50c <- function(n = 550) {
  n <- check_count(n, "n", min = 2)
  sign <- sample(c(-1, 1), n, replace = TRUE)
  # Bayes error 5 percent: the centers are 2 qnorm(0.95) apart.
  x <- normal_matrix(n, 50) + sign * stats::qnorm(0.95) / sqrt(50)
  list(x = x, y = two_class_factor(sign), relevant = 1:50)
}

#' @rdname simulate_senfs
#' @export
simulate_g241c <- function(n = 1500) {
  n <- check_count(n, "n", min = 2)
  sign <- balanced_signs(n)
  x <- normal_matrix(n, 241) + outer(sign, 1.25 * unit_vector(241))
  list(x = standardize_columns(x), y = two_class_factor(sign), relevant = 1:241)
}

#' @rdname simulate_senfs
#' @export
simulate_g241n <- function(n = 1500) {
  n <- check_count(n, "n", min = 2)
  component <- sample(rep_len(1:4, n))
  apart <- 6 * unit_vector(241)
  # The shift to the other class is 2.5 in the description and 3.1 in the published file.
  centers <- rbind(0, 3.1 * unit_vector(241), apart, apart + 3.1 * unit_vector(241))
  x <- normal_matrix(n, 241) + centers[component, , drop = FALSE]
  sign <- c(1, -1, 1, -1)[component]
  list(x = standardize_columns(x), y = two_class_factor(sign), relevant = 1:241)
}

#' @rdname simulate_senfs
#' @export
simulate_waveform <- function(n = 5000, noise = 19) {
  n <- check_count(n, "n", min = 2)
  noise <- check_count(noise, "noise", min = 0)
  wave <- function(peak) pmax(6 - abs(1:21 - peak), 0)
  waves <- rbind(wave(7), wave(11), wave(15))
  class <- sample(0:2, n, replace = TRUE)
  # Class 0 mixes the waves with peaks 7 and 15, class 1 those with 7 and 11, class 2 11 and 15.
  first <- c(1, 1, 2)[class + 1]
  second <- c(3, 2, 3)[class + 1]
  u <- stats::runif(n)
  x <- normal_matrix(n, 21 + noise)
  x[, 1:21] <- x[, 1:21] + u * waves[first, ] + (1 - u) * waves[second, ]
  list(x = x, y = factor(class, levels = 0:2), relevant = 2:20)
}
