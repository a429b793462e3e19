# The one list of selectors. Each entry stands at the foot of its selector, so that adding a method
# touches one R file; the file name puts this one first in the collation order.

registry <- new.env(parent = emptyenv())
registry$entries <- list()

registry_families <- c(
  "statistics", "graph", "constraints", "universum", "margin", "bayes", "regression", "clustering",
  "wrapper"
)

# What cannot be read off the function `rank_<method>()` itself.
register_selector <- function(method, family, supervision, uses = character(), multiclass = TRUE,
                              sparse = TRUE, selects = FALSE, predicts = FALSE, direction,
                              reference) {
  # A mistake here is ours, not the user's: it stops the build of the package.
  stopifnot(
    family %in% registry_families,
    supervision %in% c("unsupervised", "semi-supervised", "supervised"),
    uses %in% c("labels", "constraints", "universum", "unlabelled"),
    direction %in% c("min", "max")
  )
  registry$entries[[method]] <- list(
    method = method, family = family, supervision = supervision, uses = uses,
    multiclass = multiclass, sparse = sparse, selects = selects, predicts = predicts,
    direction = direction, reference = reference
  )
  invisible(method)
}

selector_function <- function(method) {
  get(paste0("rank_", method), envir = environment(register_selector), mode = "function")
}

registry_entry <- function(method) registry$entries[[method]]

#' All selectors
#'
#' The registry of the package: one row for each `rank_*()` function, in the order of their
#' families.
#'
#' @return A data frame with the columns
#'   \describe{
#'     \item{`method`}{the name for `rank_features(method = )`}
#'     \item{`fun`}{the function of that method}
#'     \item{`family`}{`"statistics"`, `"graph"`, `"constraints"`, `"universum"`, `"margin"`,
#'       `"bayes"`, `"regression"`, `"clustering"` or `"wrapper"`}
#'     \item{`supervision`}{`"unsupervised"`, `"semi-supervised"` or `"supervised"`}
#'     \item{`uses`}{what the method looks at beside the columns of `x`: `labels`, `constraints`,
#'       `universum`, `unlabelled` (rows without a label), separated by commas}
#'     \item{`multiclass`}{whether it takes more than two classes}
#'     \item{`sparse`}{whether a sparse `x` stays sparse}
#'     \item{`selects`}{whether it chooses a subset by itself}
#'     \item{`predicts`}{whether `predict()` and `coef()` work on its result}
#'     \item{`direction`}{of its `statistic`: `"max"`, high values are better; or `"min"`}
#'     \item{`reference`}{author and year}
#'   }
#' @seealso [rank_features()], which calls any of them by name.
#' @examples
#' subset(selectors(), supervision == "semi-supervised", c(method, family, uses, reference))
#' @export
selectors <- function() {
  entries <- registry$entries
  family <- vapply(entries, `[[`, "", "family")
  entries <- entries[order(match(family, registry_families))]  # stable: registration order within

  used <- vapply(entries, function(entry) {
    arguments <- names(formals(selector_function(entry$method)))
    all <- c("labels", "constraints", "universum", "unlabelled")
    paste(all[all %in% c(entry$uses, intersect(arguments, c("constraints", "universum")))],
          collapse = ", ")
  }, "")
  field <- function(name, type) unname(vapply(entries, `[[`, type, name))
  data.frame(
    method = field("method", ""),
    fun = paste0(rep("rank_", length(entries)), field("method", "")),
    family = field("family", ""),
    supervision = field("supervision", ""),
    uses = unname(used),
    multiclass = field("multiclass", NA),
    sparse = field("sparse", NA),
    selects = field("selects", NA),
    predicts = field("predicts", NA),
    direction = field("direction", ""),
    reference = field("reference", "")
  )
}
