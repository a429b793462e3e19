# Compression of rows by a self-organizing map.

#' Compress rows by a self-organizing map
#'
#' Replaces many rows by few prototypes, as CLS, CSFS and CSFSR do to the unlabelled rows with
#' `som = TRUE`. The map is trained in batches and has nothing random.
#'
#' The map has \eqn{K_0 = \lceil 5 \sqrt{n} \rceil} units, up to rounding, on a rectangle whose sides
#' are in the ratio of the two largest standard deviations of the data; prototypes start on the plane
#' of the two principal axes. In each epoch every row is won by its nearest prototype, and
#' \deqn{c_z = \frac{\sum_v h_{vz} S_v}{\sum_v h_{vz} n_v}, \qquad h_{vz} = \exp(-dist_{vz}^2 / 2
#' T^2),}
#' with \eqn{S_v} and \eqn{n_v} sum and number of the rows won by v, dist the steps between two units
#' on the grid and T a radius that falls to 1. (3.14) of the thesis prints dist without the square
#' and sums over the wrong range. Its lemma 2 speaks of \eqn{\sqrt{n}} units, but the software it
#' used gives five times as many. Fewer than four rows are their own prototypes.
#'
#' @inheritParams selector_arguments
#' @param keep_empty `FALSE` drops prototypes that win no row.
#' @param scale What is done to `x` first, see [rank_features()]; prototypes are in scaled units.
#' @return A list with `prototypes` (a matrix, one per row, row after row of the grid), `size` (the
#'   sides of the grid), `unit` (which prototype wins each row of `x`) and `quantization_error` (mean
#'   distance of a row to its prototype). Without empty units fewer prototypes than the product of
#'   the sides are left, and `unit` counts those.
#' @references Kohonen (2001), Self-organizing maps, Springer. Hindawi (2013), section 3.3.3.
#' @examples
#' map <- compress_som(iris[1:4], scale = "standardize")
#' map$size
#' dim(map$prototypes)
#' @export
compress_som <- function(x, keep_empty = TRUE, scale = "none") {
  keep_empty <- check_flag(keep_empty, "keep_empty")
  problem <- as_problem(x, scale = scale)
  control <- run_control()
  fit <- run_core(control, som_cpp(problem, control))
  colnames(fit$prototypes) <- colnames(problem$x)
  if (!keep_empty) {
    used <- sort(unique(fit$unit))
    fit$prototypes <- fit$prototypes[used, , drop = FALSE]
    fit$unit <- match(fit$unit, used)
  }
  fit[c("prototypes", "size", "unit", "quantization_error")]
}
