# Runs all tests against the installed package and writes how many passed and failed to the file
# named on the command line. A test that leaves an unexpected warning has failed.
out <- commandArgs(trailingOnly = TRUE)[[1]]

library(testthat)
library(semiselect)
results <- test_dir(
  "tests/testthat",
  package = "semiselect", load_package = "installed", reporter = "summary", stop_on_failure = FALSE
)

tests <- as.data.frame(results)
bad <- tests$failed > 0 | tests$error | tests$warning > 0
left_out <- tests$skipped & !bad
if (any(left_out)) cat(sum(left_out), "test(s) skipped\n")
slow <- head(tests[order(-tests$real), ], 5)
cat(paste0("Longest: ", slow$test, " (", round(slow$real, 1), " s)\n"), sep = "")
writeLines(paste(sum(!bad & !left_out), sum(bad)), out)
