# The R packages that a target of the Makefile needs, read from DESCRIPTION.
#   Rscript .ci/packages.R missing demo|check|document|bench    prints those that are not installed
#   Rscript .ci/packages.R install demo|check|document|bench    installs these from CRAN, then looks

fields <- list(
  demo = c("Imports", "LinkingTo", "Config/Needs/demo"),
  check = c("Imports", "LinkingTo", "Suggests", "Config/Needs/demo", "Config/Needs/document"),
  document = c("Imports", "LinkingTo", "Config/Needs/document"),
  bench = c("Imports", "LinkingTo", "Suggests", "Config/Needs/benchmark")
)

# "Matrix, testthat (>= 3.1.0)" as a data frame with columns `package` and `version`.
parse_dependencies <- function(text) {
  entries <- trimws(unlist(strsplit(text[!is.na(text)], ",")))
  entries <- entries[nzchar(entries)]
  version <- ifelse(grepl(">=", entries), gsub(".*>= *|[ )]+$", "", entries), "0")
  package <- trimws(sub("\\(.*", "", entries))
  keep <- package != "R"
  data.frame(package = package[keep], version = version[keep])
}

# Asks for the files, because loading a namespace takes seconds.
is_installed <- function(package, version) {
  where <- system.file(package = package)
  nzchar(where) && package_version(installed_version(where)) >= version
}
installed_version <- function(where) {
  read.dcf(file.path(where, "DESCRIPTION"), "Version")[[1]]
}

missing_packages <- function(needed) {
  absent <- !mapply(is_installed, needed$package, needed$version)
  unique(needed$package[absent])
}

# install.packages() adds what is missing, but leaves alone what is installed and too old.
with_outdated <- function(packages, available) {
  done <- character()
  while (length(open <- setdiff(packages, done)) > 0) {
    done <- c(done, open)
    known <- intersect(open, rownames(available))
    needed <- parse_dependencies(available[known, c("Depends", "Imports", "LinkingTo")])
    base <- rownames(installed.packages(priority = "base"))
    packages <- c(packages, setdiff(missing_packages(needed), base))
  }
  unique(packages)
}

writable_library <- function() {
  writable <- .libPaths()[file.access(.libPaths(), 2) == 0]
  if (length(writable) > 0) {
    return(writable[[1]])
  }
  user <- path.expand(strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1]][[1]])
  dir.create(user, recursive = TRUE, showWarnings = FALSE)
  .libPaths(c(user, .libPaths()))
  user
}

install_from_cran <- function(packages) {
  repos <- getOption("repos")
  repos[repos == "@CRAN@"] <- "https://cloud.r-project.org"
  options(repos = repos, timeout = max(300, getOption("timeout")))
  available <- tryCatch(available.packages(), error = function(e) NULL)
  if (is.null(available) || nrow(available) == 0) {
    message("No package repository answers (options(repos): ", paste(repos, collapse = ", "), ").")
    return(invisible())
  }
  library <- writable_library()
  message("Installing from CRAN into ", library, ": ", paste(packages, collapse = ", "))
  install.packages(
    intersect(with_outdated(packages, available), rownames(available)),
    lib = library, quiet = TRUE, Ncpus = 2L,
    INSTALL_opts = c("--no-docs", "--no-byte-compile", "--no-test-load")
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
action <- arguments[[1]]
purpose <- match.arg(arguments[[2]], names(fields))
description <- read.dcf("DESCRIPTION", fields[[purpose]])
needed <- parse_dependencies(description[1, ])
packages <- missing_packages(needed)

if (action == "missing") {
  cat(packages, sep = "\n")
} else if (length(packages) > 0) {
  install_from_cran(packages)
  packages <- missing_packages(needed) # install.packages() does not say whether it failed
  optional <- if (purpose == "bench") parse_dependencies(description[1, "Config/Needs/benchmark"])
  left_out <- intersect(packages, optional$package)
  if (length(left_out) > 0) {
    message("Left out of the benchmark: ", paste(left_out, collapse = ", "))
  }
  packages <- setdiff(packages, optional$package)
  if (length(packages) > 0) {
    message(
      "`make ", purpose, "` needs R packages that neither Debian nor CRAN supplied for ",
      R.version.string, ": ", paste(packages, collapse = ", "), ".\n",
      "Install them, in the versions that DESCRIPTION names, and run it again."
    )
    quit(status = 1)
  }
}
