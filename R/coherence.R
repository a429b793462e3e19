# How far must-links and cannot-links agree with the geometry of the data.

#' Coherence of pairwise constraints
#'
#' A must-link says that its two rows belong together, a cannot-link that they do not: seen as
#' segments between rows, the two disagree where one runs along the other. The overlap of segment a
#' on segment b is the part of b that the orthogonal projection of a covers. The coherence of a
#' must-link is the share of cannot-links on which its projection covers nothing, and that of a
#' cannot-link the share of must-links on which its projection covers nothing; a share of 1 is a
#' constraint that no other contradicts. `coherent_constraints()` keeps the pairs whose coherence
#' is not below the overall coherence of the set, the share of (must-link, cannot-link) pairs
#' without overlap in either direction (Algorithm 9 of the thesis).
#'
#' The pairs are closed transitively first. Where there are no must-links or no cannot-links,
#' coherence is `NA` and all pairs are kept. With `rule = "mutual"` the overlap in both directions
#' counts for each pair; the mean over the must-links is then the overall coherence.
#'
#' @section Notes:
#' In (3.15) of the thesis delta is the indicator of no overlap, not the printed number of overlaps.
#' Directional coherence is never below the mutual one, so that the printed rule keeps about half of
#' the pairs. In high dimension nearly all segments overlap. The cost is that of the squared number
#' of rows involved times the columns, plus |ML| |CL|, not linear as stated; above 2e9 pairs of
#' pairs it is an error.
#'
#' @inheritParams selector_arguments
#' @param constraints Pairs of rows of `x`, from [pairwise_constraints()] or
#'   [constraints_from_labels()].
#' @param rule `"directional"` or `"mutual"`.
#' @param scale What is done to `x` first, see [rank_features()].
#' @return `coherence()`: a data frame with one row per pair, must-links first, and the columns
#'   `type` (`"must_link"` or `"cannot_link"`), `i`, `j` and `coherence`; its attribute `overall` is
#'   the overall coherence. `coherent_constraints()`: the pairs kept, as [pairwise_constraints()].
#' @references Davidson, Wagstaff and Basu (2006), Measuring constraint-set utility for partitional
#'   clustering algorithms, PKDD. Hindawi (2013), section 3.4.
#' @examples
#' pairs <- constraints_from_labels(replace(rep(NA, 150), c(1, 2, 51, 52), c("a", "a", "b", "b")))
#' coherence(pairs, iris[1:4])
#' coherent_constraints(pairs, iris[1:4])
#' @export
coherence <- function(constraints, x, rule = c("directional", "mutual"), scale = "none") {
  found <- coherence_fit(constraints, x, rule, scale)
  pairs <- rbind(found$must_link, found$cannot_link)
  counts <- c(nrow(found$must_link), nrow(found$cannot_link))
  structure(
    data.frame(
      type = rep(c("must_link", "cannot_link"), counts), i = pairs[, 1], j = pairs[, 2],
      coherence = not_nan(c(found$of_must_link, found$of_cannot_link))
    ),
    overall = not_nan(found$overall)
  )
}

#' @rdname coherence
#' @export
coherent_constraints <- function(constraints, x, rule = c("directional", "mutual"),
                                 scale = "none") {
  found <- coherence_fit(constraints, x, rule, scale)
  keep <- function(pairs, coherence) {
    kept <- is.na(coherence) | coherence >= found$overall - 1e-12
    pairs[kept, , drop = FALSE]
  }
  pairwise_constraints(keep(found$must_link, found$of_must_link),
                       keep(found$cannot_link, found$of_cannot_link))
}

not_nan <- function(value) replace(value, is.nan(value), NA_real_)

coherence_fit <- function(constraints, x, rule, scale) {
  problem <- as_problem(x, NULL, constraints, scale = scale)
  rule <- check_choice(rule, c("directional", "mutual"), "rule")
  control <- run_control()
  run_core(control, coherence_cpp(problem, control, rule == "mutual"))
}
