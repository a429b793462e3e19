# make demo     rank the genes of a real data set, into demo/
# make check    every test there is, and R CMD check; ends with `N passed, M failed`
# make install  into R's own library          make document  all generated files
# make bench    time the core and the package make fuzz      random input to every selector
# make figures  the picture of the README     make clean     remove what these leave behind
# demo, check, document, bench, fuzz and figures first install what the machine lacks.

work := .ci/work
jobs := $(shell nproc 2>/dev/null || echo 2)

# The private library that demo, bench and fuzz run from; the user's own is left alone.
library := $(work)/library
installed := $(library)/semiselect/DESCRIPTION
sources := DESCRIPTION NAMESPACE $(shell find R src inst -type f -not -name '*.o' -not -name '*.so')

# --preclean: R does not track headers, and an object older than a header may crash.
install_package = MAKEFLAGS=-j$(jobs) R_MAKEVARS_USER=$(CURDIR)/.ci/Makevars CCACHE_NOHASHDIR=1 \
  R CMD INSTALL --preclean --clean
with_library = R_LIBS=$(CURDIR)/$(library):$$R_LIBS TZ=UTC

.PHONY: demo check install document bench fuzz figures clean

demo:
	@.ci/setup.sh demo
	@$(MAKE) --no-print-directory $(installed)
	@$(with_library) Rscript inst/examples/colon.R demo

check:
	@.ci/check.sh

install:
	@.ci/setup.sh demo
	$(install_package) .

document:
	@.ci/setup.sh document
	Rscript .ci/document.R

bench:
	@.ci/setup.sh bench
	@$(MAKE) --no-print-directory $(installed)
	@$(with_library) .ci/bench.sh

fuzz:
	@.ci/setup.sh demo
	@$(MAKE) --no-print-directory $(installed)
	@$(with_library) Rscript .ci/fuzz.R $(SECONDS)

figures: demo
	mkdir -p man/figures
	cp demo/ranking.png man/figures/ranking.png

$(installed): $(sources)
	@mkdir -p $(library)
	@echo "Installing semiselect into $(library) ..."
	@$(install_package) --no-docs --no-test-load --library=$(library) . >$(work)/install.log 2>&1 || \
	  { tail -n 40 $(work)/install.log; exit 1; }
	@touch $@

clean:
	rm -rf $(work) demo bench tests/cpp/build tests/cpp/build-*
	find src -name '*.o' -delete
	rm -f src/semiselect.so src/symbols.rds semiselect_*.tar.gz
	rm -rf semiselect.Rcheck
