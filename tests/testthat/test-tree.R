# The tree as it is meant to be: whoever knows the name of a method finds its files. These tests
# read the sources, so they run in a checkout and not where only the tarball is.

root <- function(...) test_path("..", "..", ...)
skip_without_sources <- function() {
  skip_if_not(dir.exists(root("src", "core")) && dir.exists(root("tests", "cpp")), "no sources")
}
source_text <- function(...) {
  file <- root(...)
  if (file.exists(file)) paste(readLines(file, warn = FALSE), collapse = "\n") else ""
}
core_files <- function() {
  list.files(root("src", "core"), "\\.[ch]pp$", recursive = TRUE)
}

test_that("Makevars lists every source file, in order", {
  skip_without_sources()
  makevars <- source_text("src", "Makevars")
  listed <- strsplit(trimws(gsub("\\\\|\n", " ", sub(".*OBJECTS =", "", makevars))), " +")[[1]]
  outer <- list.files(root("src"), "\\.cpp$")
  core <- file.path("core", grep("\\.cpp$", core_files(), value = TRUE))
  files <- c(sort(outer, method = "radix"), sort(core, method = "radix"))
  expect_identical(listed, sub("\\.cpp$", ".o", files))
})

test_that("the core has never heard of R", {
  skip_without_sources()
  r_names <- paste0(
    "Rcpp|SEXP|Rinternals|R_ext|<R\\.h>|<Rmath|Rprintf|\\bRf_|\\bR_[A-Z]|\\bunif_rand|",
    "\\bnorm_rand|convert\\.h"
  )
  for (file in core_files()) {
    expect_false(grepl(r_names, source_text("src", "core", file)), label = file)
  }
})

test_that("the parts of the core include in one direction only", {
  skip_without_sources()
  may_include <- list(
    run = "run",
    data = c("run", "data", "optim"),
    optim = c("run", "data", "optim"),
    graph = c("run", "data", "optim", "graph"),
    cluster = c("run", "data", "optim", "graph", "cluster"),
    project = c("run", "data", "optim", "graph", "cluster", "project"),
    select = c("run", "data", "optim", "graph", "cluster", "project", "select")
  )
  for (file in core_files()) {
    text <- source_text("src", "core", file)
    include <- gregexpr('(?<=#include "core/)[a-z_]+(?=/)', text, perl = TRUE)
    included <- regmatches(text, include)[[1]]
    part <- sub("/.*", "", file)
    expect_true(part %in% names(may_include), label = paste(file, "is in a known part of the core"))
    expect_identical(setdiff(included, may_include[[part]]), character(), label = file)
    if (part == "optim") {
      # General numerics know a matrix, and nothing of labels or pairs.
      expect_false(grepl('core/data/(?!matrix|no_value)', text, perl = TRUE), label = file)
    }
  }
})

test_that("every selector has its files, by its name", {
  skip_without_sources()
  all <- selectors()
  # Made of two others that have files of their own: rank_csfs(), then remove_redundant().
  all <- all[all$method != "csfsr", ]
  for (i in seq_len(nrow(all))) {
    method <- all$method[[i]]
    family <- all$family[[i]]
    core <- file.path("src", "core", "select", family, method)
    for (file in c(paste0(core, ".hpp"), paste0(core, ".cpp"),
                   file.path("tests", "cpp", paste0("test_", method, ".cpp")),
                   file.path("man", paste0("rank_", method, ".Rd")))) {
      expect_true(file.exists(root(file)), label = file)
    }

    # A large family may have one file per method: rank_margin.R, rank_margin_<method>.R.
    mentions <- function(name, folder, file) {
      word <- paste0("\\b", name, "\\b")
      files <- list.files(root(folder), sub("([.][a-zA-Z]+)$", "([-_].*)?\\1$", paste0("^", file)))
      found <- vapply(file.path(folder, files), function(f) grepl(word, source_text(f)), NA)
      expect_true(any(found), label = paste(name, "in", file.path(folder, file)))
    }
    mentions(paste0(method, "_cpp"), "src", paste0("bind_", family, ".cpp"))
    mentions(paste0("rank_", method), "R", paste0("rank_", family, ".R"))
    mentions(paste0("(rank_)?", method), "tests/testthat", paste0("test-", family, ".R"))
  }
})

test_that("every function rank_<method>() is a registered selector", {
  exported <- getNamespaceExports("semiselect")
  ranks <- setdiff(grep("^rank_", exported, value = TRUE), "rank_features")
  expect_setequal(ranks, selectors()$fun)
})

test_that("no file is named or spelled beyond ASCII in R and C++", {
  skip_without_sources()
  files <- c(
    file.path("src", "core", core_files()),
    file.path("src", list.files(root("src"), "\\.(cpp|h)$")),
    file.path("R", list.files(root("R"), "\\.R$")),
    file.path("tests", "cpp", list.files(root("tests", "cpp"), "\\.(cpp|hpp)$")),
    file.path("tests", "testthat", list.files(root("tests", "testthat"), "\\.R$"))
  )
  for (file in files) {
    bytes <- readBin(root(file), "raw", file.size(root(file)))
    expect_true(all(bytes < as.raw(128)), label = file)
  }
})

test_that("DESCRIPTION names every package that a test skips without", {
  skip_without_sources()
  described <- read.dcf(root("DESCRIPTION"), c("Imports", "Suggests"))
  named <- trimws(sub("\\(.*", "", unlist(strsplit(described, ","))))
  for (file in list.files(root("tests", "testthat"), "^(test|helper).*\\.R$")) {
    text <- source_text("tests", "testthat", file)
    call <- gregexpr('(?<=skip_if_not_installed\\(")[A-Za-z0-9.]+', text, perl = TRUE)
    expect_identical(setdiff(regmatches(text, call)[[1]], named), character(), label = file)
  }
})
