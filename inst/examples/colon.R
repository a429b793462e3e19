# Which genes tell tumor from healthy tissue, when only a few samples are labelled?
#
#   Rscript colon.R [folder]      needs the package HiDimDA, which supplies the data
#
# Ranks the 2000 genes of 62 colon samples (Alon et al. 1999) by the constrained Laplacian score,
# and leaves ranking.csv and ranking.png in the folder ("demo" unless given).

library(semiselect)

folder <- c(commandArgs(trailingOnly = TRUE), "demo")[[1]]
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

data("AlonDS", package = "HiDimDA")
x <- log2(as.matrix(AlonDS[-1]))
x <- t(scale(t(x)))  # arrays differ in overall brightness, which says nothing of the tissue
tissue <- AlonDS$grouping

set.seed(1)
labelled <- unlist(lapply(split(seq_along(tissue), tissue), sample, size = 4))
y <- tissue
y[-labelled] <- NA

ranking <- rank_cls(x, y)
print(ranking)

table_file <- file.path(folder, "ranking.csv")
utils::write.csv(as.data.frame(ranking), table_file, row.names = FALSE)

picture_file <- file.path(folder, "ranking.png")
grDevices::png(picture_file, width = 1500, height = 700, res = 150, type = "cairo")
graphics::par(mfrow = c(1, 2), mar = c(4.8, 5, 2.5, 1), mgp = c(3.6, 0.8, 0))
plot(ranking)

plane <- stats::prcomp(x[, selected(ranking, 20)], scale. = TRUE)$x[, 1:2]
color <- c(colonc = "#D55E00", healthy = "#0072B2")[as.character(tissue)]
plot(
  plane,
  col = color, pch = ifelse(is.na(y), 1, 19), cex = 1.2, lwd = 1.5, las = 1,
  xlab = "First principal component", ylab = "Second principal component",
  main = "Samples by the 20 best genes"
)
graphics::legend(
  "topleft",
  legend = c("tumor", "healthy", "label known", "label hidden"),
  col = c("#D55E00", "#0072B2", "gray30", "gray30"), pch = c(15, 15, 19, 1), bty = "n", cex = 0.8
)
invisible(grDevices::dev.off())

cat(
  "\n", ncol(x), " genes of ", nrow(x), " samples, ", length(labelled), " of them labelled.\n",
  "Table:   ", normalizePath(table_file), "\n",
  "Picture: ", normalizePath(picture_file), "\n",
  sep = ""
)
