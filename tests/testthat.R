library(testthat)
library(semiselect)

test_check("semiselect")
