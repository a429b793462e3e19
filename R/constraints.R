# Must-link and cannot-link pairs of rows.

#' Pairs of rows that belong together or apart
#'
#' Knowledge about rows that is weaker than labels: a must-link says that two rows are of the same
#' class, a cannot-link that they are not. Every method of the family "constraints" takes labels
#' `y`, such pairs, or both.
#'
#' @param must_link,cannot_link Two-column matrices (or data frames) of row numbers, one pair per
#'   row; a vector of two numbers is one pair. A must-link of a row with itself is dropped, a
#'   cannot-link is an error.
#' @param close `TRUE` adds all pairs that follow from the given ones (must-links are transitive,
#'   and a cannot-link between two rows holds between all rows linked to them) and refuses
#'   contradictions. Methods that need closed constraints close them by themselves.
#' @param y Labels, `NA` for rows without one. Every pair of labelled rows becomes a must-link if
#'   their labels are equal and a cannot-link otherwise, that is l (l - 1) / 2 pairs: methods
#'   given `y` itself do not list them.
#' @param x A `pairwise_constraints` object.
#' @param n Number of pairs of each kind to show.
#' @param ... Ignored.
#' @return A list of class `pairwise_constraints` with `must_link` and `cannot_link`: two-column
#'   integer matrices with the lower row number first, sorted, without duplicates.
#' @examples
#' pairs <- pairwise_constraints(must_link = rbind(c(1, 2), c(2, 3)), cannot_link = c(3, 9))
#' pairs
#' pairwise_constraints(pairs$must_link, pairs$cannot_link, close = TRUE)
#' constraints_from_labels(c("a", NA, "b", "a"))
#' @export
pairwise_constraints <- function(must_link = NULL, cannot_link = NULL, close = FALSE) {
  close <- check_flag(close, "close")
  must_link <- as_pair_matrix(must_link, "must_link")
  cannot_link <- as_pair_matrix(cannot_link, "cannot_link")
  if (close) {
    n <- max(must_link, cannot_link, 1L)
    closed <- close_constraints_cpp(n, rep(NA_integer_, n), 0L, must_link, cannot_link)
    refuse_contradiction(closed$contradiction)
    must_link <- closed$must_link
    cannot_link <- closed$cannot_link
  }
  structure(list(must_link = must_link, cannot_link = cannot_link), class = "pairwise_constraints")
}

#' @rdname pairwise_constraints
#' @export
constraints_from_labels <- function(y) {
  code <- as_labels(y)$code
  rows <- which(!is.na(code))
  l <- length(rows)
  i <- rep.int(rows[-l], rev(seq_len(max(l - 1, 0))))
  j <- rows[sequence(rev(seq_len(max(l - 1, 0))), from = seq_len(max(l - 1, 0)) + 1L)]
  same <- code[i] == code[j]
  pairs <- matrix(c(i, j), ncol = 2)
  structure(
    list(must_link = pairs[same, , drop = FALSE], cannot_link = pairs[!same, , drop = FALSE]),
    class = "pairwise_constraints"
  )
}

#' @rdname pairwise_constraints
#' @export
print.pairwise_constraints <- function(x, n = 5, ...) {
  cat(sprintf("Pairwise constraints: %d must-link(s), %d cannot-link(s)\n", nrow(x$must_link),
              nrow(x$cannot_link)))
  for (kind in c("must_link", "cannot_link")) {
    pairs <- x[[kind]]
    if (nrow(pairs) == 0) next
    shown <- seq_len(min(n, nrow(pairs)))
    text <- sprintf("(%d, %d)", pairs[shown, 1], pairs[shown, 2])
    if (nrow(pairs) > n) text <- c(text, sprintf("and %d more", nrow(pairs) - n))
    cat(sprintf("  %s %s\n", kind, paste(text, collapse = " ")))
  }
  invisible(x)
}

# Two-column integer matrix: i < j, sorted, no duplicates. `largest` is the number of rows of the
# data, where there are data.
as_pair_matrix <- function(pairs, name, largest = NULL) {
  none <- matrix(integer(), 0, 2)
  if (is.null(pairs)) return(none)
  given <- pairs
  if (is.data.frame(pairs)) pairs <- as.matrix(pairs)
  if (is.null(dim(pairs)) && length(pairs) == 2) pairs <- matrix(pairs, 1, 2)
  if (is.null(dim(pairs)) && length(pairs) == 0) return(none)
  if (!is.matrix(pairs) || ncol(pairs) != 2 || !(is.numeric(pairs) || nrow(pairs) == 0)) {
    abort_input(sprintf("`%s` must be a two-column matrix of row numbers, not %s.", name,
                        describe(given)))
  }
  if (nrow(pairs) == 0) return(none)
  dimnames(pairs) <- NULL

  limit <- largest %||% .Machine$integer.max
  bad <- which(rowSums(!is.finite(pairs) | pairs != round(pairs) | pairs < 1 | pairs > limit) > 0 |
                 rowSums(is.na(pairs)) > 0)
  if (length(bad)) {
    abort_input(sprintf(
      "`%s` must hold row numbers%s, but pair %d is (%s, %s).", name,
      if (is.null(largest)) " from 1 on" else sprintf(" between 1 and %d", largest), bad[1],
      format(pairs[bad[1], 1]), format(pairs[bad[1], 2])
    ))
  }
  storage.mode(pairs) <- "integer"
  alone <- pairs[, 1] == pairs[, 2]
  if (name == "cannot_link" && any(alone)) {
    row <- pairs[alone, 1][1]
    abort_input(sprintf(
      "`cannot_link` has the pair (%d, %d): a row cannot be apart from itself.\nRemove it.",
      row, row
    ))
  }
  pairs <- pairs[!alone, , drop = FALSE]
  first <- pmin(pairs[, 1], pairs[, 2])
  second <- pmax(pairs[, 1], pairs[, 2])
  order <- order(first, second)
  pairs <- matrix(c(first, second), ncol = 2)[order, , drop = FALSE]
  last <- nrow(pairs)
  if (last > 1) {
    again <- pairs[-1, 1] == pairs[-last, 1] & pairs[-1, 2] == pairs[-last, 2]
    pairs <- pairs[c(TRUE, !again), , drop = FALSE]
  }
  pairs
}

# The `constraints` argument of a selector.
as_pairs <- function(constraints, n) {
  known <- c("must_link", "cannot_link")
  if (!is.null(constraints) &&
        !(is.list(constraints) && !is.data.frame(constraints) &&
            (length(constraints) == 0 ||
               (!is.null(names(constraints)) && all(names(constraints) %in% known))))) {
    abort_input(sprintf(
      "`constraints` must be a result of `pairwise_constraints()`, not %s.", describe(constraints)
    ))
  }
  list(
    must_link = as_pair_matrix(constraints$must_link, "must_link", n),
    cannot_link = as_pair_matrix(constraints$cannot_link, "cannot_link", n)
  )
}
