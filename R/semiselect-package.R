#' semiselect: semi-supervised feature selection
#'
#' Ranks and selects features of data with many columns and few labels. Each selector is a function
#' `rank_<method>()` that takes a matrix (dense or sparse) or a data frame, labels in which `NA`
#' marks the unlabelled rows, or must-link and cannot-link pairs, and returns a ranked data frame
#' of features.
#'
#' `selectors()` lists the methods and what each of them uses, `rank_features()` calls any of them
#' by name.
#'
#' @section Options:
#' `semiselect.threads`: the number of threads a selector may use, 2 unless set. The results do not
#' depend on it.
#'
#' @useDynLib semiselect, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom Matrix sparseMatrix
#' @keywords internal
"_PACKAGE"
