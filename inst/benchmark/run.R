# All benchmarks of this folder, each in a process of its own, so that none sees the memory or the
# warm caches of another: Rscript inst/benchmark/run.R [quick]. Run on an idle machine.

arguments <- commandArgs(trailingOnly = FALSE)
folder <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)[1]))
scripts <- setdiff(list.files(folder, "\\.R$"), "run.R")
rscript <- file.path(R.home("bin"), "Rscript")
failed <- character()
for (script in scripts) {
  cat("\n==", script, "\n")
  status <- system2(rscript, c(shQuote(file.path(folder, script)), commandArgs(trailingOnly = TRUE)))
  if (status != 0) failed <- c(failed, script)
}
if (length(failed)) {
  cat("\nFailed:", paste(failed, collapse = ", "), "\n")
  quit(status = 1)
}
