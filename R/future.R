# Many independent tasks: one after the other in this process or, under a plan of the package
# future, on its workers. A task carries its own seed, so the numbers do not depend on where it ran;
# its result reaches this process as a condition as soon as it is there, so it can be saved at once.

# ---- random numbers ---------------------------------------------------------------------------

draw_seeds <- function(count) sample.int(.Machine$integer.max, count)

# The generator is named too: a worker may not have the one that the user chose.
with_seed <- function(seed, expr) {
  kind <- RNGkind()
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit({
    if (is.null(old)) {
      RNGkind(kind[1], kind[2], kind[3])
      rm(list = ".Random.seed", envir = globalenv())
    } else {
      assign(".Random.seed", old, envir = globalenv())
    }
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expr
}

# ---- one task, one chunk of tasks -------------------------------------------------------------

# A failure stays with its task. Warnings are kept, not raised: the same one would come from every
# split.
run_task <- function(task, work, shared, state) {
  warnings <- character()
  error <- NA_character_
  value <- tryCatch(
    withCallingHandlers(
      with_seed(task$seed, work(shared, task, state)),
      warning = function(warning) {
        warnings <<- c(warnings, conditionMessage(warning))
        invokeRestart("muffleWarning")
      },
      message = function(message) invokeRestart("muffleMessage")
    ),
    error = function(condition) {
      if (is_time_limit(condition)) stop(condition)
      error <<- conditionMessage(condition)
      NULL
    }
  )
  list(key = task$key, value = value, error = error, warnings = unique(warnings))
}

# setTimeLimit() is for the whole run. R gives its errors no class, and future wraps them into its
# own, so only the message tells.
is_time_limit <- function(condition) {
  limits <- c("reached elapsed time limit", "reached CPU time limit",
              "reached session elapsed time limit", "reached session CPU time limit")
  limits <- unique(c(limits, gettext(limits, domain = "R")))
  any(vapply(limits, grepl, NA, conditionMessage(condition), fixed = TRUE))
}

# `state` lives as long as the chunk: work() may keep there what several tasks share.
run_chunk <- function(chunk, run, work, shared, threads, stop_file) {
  old <- options(semiselect.threads = threads, semiselect.nested = TRUE)
  on.exit(options(old))
  state <- new.env()
  results <- list()
  for (task in chunk) {
    if (file.exists(stop_file)) break  # the user has interrupted the run
    result <- run_task(task, work, shared, state)
    # An "immediateCondition" is relayed by workers while their future still runs.
    withRestarts(
      signalCondition(structure(
        class = c("semiselect_result", "immediateCondition", "condition"),
        list(message = "a result", call = NULL, run = run, result = result)
      )),
      semiselect_received = function() NULL
    )
    results[[length(results) + 1]] <- result
  }
  results
}

# ---- all tasks --------------------------------------------------------------------------------

# tasks: list of lists with `key` (a string of its own), `seed`, `group` (tasks of one group share
# state and stay together where there are more groups than workers) and what work(shared, task,
# state) needs. functions: the user's functions, whose global variables workers must have.
# store: see open_store(). Returns the results in the order of the tasks.
run_tasks <- function(tasks, work, shared, label, functions = list(), store = NULL,
                      verbose = FALSE) {
  keys <- vapply(tasks, `[[`, "", "key")
  results <- store$results
  results <- results[names(results) %in% keys]
  todo <- tasks[!keys %in% names(results)]
  progress <- task_progress(length(todo), label, verbose)
  on.exit(progress$done())

  has <- function(key) key %in% names(results)
  receive <- function(result) {
    if (!has(result$key)) {
      results[[result$key]] <<- result
      store$append(result)
      progress$step()
    }
  }
  run <- basename(tempfile("run"))  # tells our results from those of a run inside a task
  if (length(todo)) {
    start <- if (has_workers()) run_on_workers else run_here
    withCallingHandlers(
      start(todo, run, work, shared, functions, receive, has),
      semiselect_result = function(condition) {
        if (!identical(condition$run, run)) return()
        receive(condition$result)
        if (!is.null(findRestart("semiselect_received"))) invokeRestart("semiselect_received")
      }
    )
  }
  unname(results[keys])
}

run_here <- function(todo, run, work, shared, functions, receive, has) {
  threads <- getOption("semiselect.threads", 2L)
  for (result in run_chunk(todo, run, work, shared, threads, stop_file = "")) receive(result)
}

# Whether the user has set a plan with workers of their own. No plan was set where future is not
# even loaded, unless by the environment.
has_workers <- function() {
  wanted <- isNamespaceLoaded("future") || nzchar(Sys.getenv("R_FUTURE_PLAN")) ||
    !is.null(getOption("future.plan"))
  wanted && requireNamespace("future", quietly = TRUE) &&
    !inherits(future::plan("next"), "uniprocess")
}

# One future per worker: `shared`, which holds the data, travels to each of them once.
run_on_workers <- function(todo, run, work, shared, functions, receive, has) {
  stop_file <- tempfile("semiselect-stop-")
  finished <- FALSE
  old <- options(future.globals.maxSize = Inf)
  on.exit({
    options(old)
    if (!finished) file.create(stop_file)
  })
  extra <- task_globals(functions)
  fail <- function(tasks, message) {
    for (task in tasks) {
      receive(list(key = task$key, value = NULL, error = message, warnings = character()))
    }
  }

  launch <- function(chunk) {
    globals <- c(list(run_chunk = run_chunk, chunk = chunk, run = run, work = work,
                      shared = shared, stop_file = stop_file), extra$globals)
    call <- quote(run_chunk(chunk, run, work, shared, threads = 1L, stop_file))
    started <- tryCatch(
      future::future(call, substitute = FALSE, globals = globals, seed = NULL,
                     packages = c("semiselect", extra$packages)),
      error = function(error) if (is_time_limit(error)) stop(error) else error
    )
    if (inherits(started, "error")) {
      fail(chunk, paste("The worker could not be used:", conditionMessage(started)))
      return(NULL)
    }
    list(future = started, chunk = chunk)
  }

  collect <- function(job) {
    results <- tryCatch(future::value(job$future), error = function(error) {
      if (is_time_limit(error)) stop(error)
      error
    })
    if (!inherits(results, "error")) {
      for (result in results) receive(result)
      return(NULL)
    }
    left <- Filter(function(task) !has(task$key), job$chunk)
    message <- paste("The worker ended before this task was done:", conditionMessage(results))
    if (!inherits(results, "FutureError")) {
      fail(left, message)
      return(NULL)
    }
    # A worker died: of the task it was at, most likely. The others get another one.
    fail(left[1], message)
    if (length(left) > 1) launch(left[-1])
  }

  jobs <- Filter(Negate(is.null), lapply(split_tasks(todo, future::nbrOfWorkers()), launch))
  pause <- 0.01
  while (length(jobs)) {
    # Asking a dead worker is an error; collect() reports it.
    ready <- vapply(jobs, function(job) {
      tryCatch(future::resolved(job$future), FutureError = function(error) {
        if (is_time_limit(error)) stop(error)
        TRUE
      })
    }, NA)
    jobs <- Filter(Negate(is.null), c(jobs[!ready], lapply(jobs[ready], collect)))
    if (any(ready)) pause <- 0.01
    if (length(jobs)) Sys.sleep(pause)
    pause <- min(0.25, 1.2 * pause)
  }
  finished <- TRUE
}

# At most one chunk per worker, alike in size; a group stays whole where there are enough of them.
split_tasks <- function(tasks, workers) {
  group <- vapply(tasks, function(task) as.integer(task$group), 1L)
  unit <- if (length(unique(group)) >= workers) match(group, unique(group)) else seq_along(tasks)
  count <- max(unit)
  chunks <- as.integer(min(workers, count))
  unname(split(tasks, ceiling(unit * chunks / count)))
}

# What the user's functions refer to outside of themselves, as the package future finds it.
task_globals <- function(functions) {
  functions <- Filter(is.function, functions)
  if (length(functions) == 0) return(list(globals = list(), packages = character()))
  names(functions) <- paste0("semiselect_function_", seq_along(functions))
  home <- list2env(functions, parent = globalenv())
  call <- as.call(c(as.name("list"), lapply(names(functions), as.name)))
  found <- future::getGlobalsAndPackages(call, envir = home)
  globals <- found$globals
  list(globals = as.list(globals)[setdiff(names(globals), names(functions))],
       packages = found$packages)
}

# ---- progress ---------------------------------------------------------------------------------

# Steps go to progressr, for whoever listens; without a listener `verbose` draws a bar of our own.
task_progress <- function(total, label, verbose) {
  silent <- list(step = function() NULL, done = function() NULL)
  if (total == 0 || isTRUE(getOption("semiselect.nested"))) return(silent)
  if (requireNamespace("progressr", quietly = TRUE) && (progress_is_heard() || !verbose)) {
    tick <- progressr::progressor(steps = total, label = label, auto_finish = FALSE,
                                  on_exit = FALSE)
    return(list(step = function() tick(), done = function() tick(type = "finish")))
  }
  if (!verbose) return(silent)
  state <- new.env()
  bar <- cli::cli_progress_bar(
    label, total = total, .envir = state, .auto_close = FALSE,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_current}/{cli::pb_total} {cli::pb_eta_str}"
  )
  list(step = function() cli::cli_progress_update(id = bar, .envir = state),
       done = function() cli::cli_progress_done(id = bar, .envir = state))
}

progress_is_heard <- function() {
  inside <- any(vapply(seq_len(sys.nframe()), function(frame) {
    identical(sys.function(frame), progressr::with_progress)
  }, NA))
  inside || isTRUE(tryCatch(progressr::handlers(global = NA), error = function(error) FALSE))
}

# ---- results on disk --------------------------------------------------------------------------

# A file of records: a line that names the format, then for each record its length, a sum of its
# bytes and the serialized object. Records are only ever appended, so a run that was cut off leaves
# whole records and at most one half of another, which its length or sum gives away.
store_format <- charToRaw("semiselect results 1\n")

record_sum <- function(bytes) {
  # Position counts, so that two bytes that changed places are noticed; exact in double precision.
  as.integer(sum(as.integer(bytes) * ((seq_along(bytes) - 1) %% 8191 + 1)) %% 2147483647)
}

write_record <- function(connection, object) {
  bytes <- serialize(object, NULL, version = 3)
  writeBin(c(length(bytes), record_sum(bytes)), connection, endian = "big")
  writeBin(bytes, connection)
  flush(connection)
}

# The whole records of a file, and where they end.
read_records <- function(file) {
  bytes <- readBin(file, "raw", file.size(file))
  start <- length(store_format)
  known <- min(length(bytes), start)
  if (!identical(bytes[seq_len(known)], store_format[seq_len(known)])) {
    abort_input(sprintf("`resume` names the file %s, which holds no results of this package.\n%s",
                        dQuote(file, FALSE), "Name another file; this one is left as it is."),
                class = "semiselect_error_resume")
  }
  records <- list()
  while (start + 8 <= length(bytes)) {
    head <- readBin(bytes[start + 1:8], "integer", 2, endian = "big")
    end <- start + 8 + head[1]
    if (is.na(head[1]) || head[1] < 1 || end > length(bytes)) break
    body <- bytes[(start + 9):end]
    if (!identical(record_sum(body), head[2])) break
    records[[length(records) + 1]] <- unserialize(body)
    start <- end
  }
  list(records = records, end = start, cut = start < length(bytes))
}

# The results of earlier runs, if `file` exists, and a way to add to them. `settings`: named list of
# everything that two runs must have in common; `keep`: what the first run drew (splits, seeds) and
# later ones take over. NULL: no file.
open_store <- function(file, settings, keep = list()) {
  if (is.null(file)) {
    return(list(results = list(), keep = keep, append = function(result) NULL,
                close = function() NULL))
  }
  if (!is.character(file) || length(file) != 1 || is.na(file) || !nzchar(file)) {
    abort_input(sprintf("`resume` must be the name of a file, or NULL, not %s.", describe(file)))
  }
  if (!dir.exists(dirname(file))) {
    abort_input(sprintf("`resume` names a file in the folder %s, which does not exist.",
                        dQuote(dirname(file), FALSE)), class = "semiselect_error_resume")
  }
  head <- list(settings = settings, keep = keep)
  found <- if (file.exists(file)) read_records(file)
  results <- list()
  if (length(found$records)) {
    compare_settings(file, found$records[[1]]$settings, settings)
    keep <- found$records[[1]]$keep
    results <- found$records[-1]
    names(results) <- vapply(results, `[[`, "", "key")
    results <- results[!duplicated(names(results), fromLast = TRUE)]
    # What failed is tried again.
    results <- results[is.na(vapply(results, `[[`, "", "error"))]
  }
  if (isTRUE(found$cut)) {
    inform_user(sprintf(
      "The last record of %s is only half written (the run was cut off) and is computed again.",
      dQuote(file, FALSE)
    ))
  }
  if (length(found$records) == 0) {
    connection <- file(file, "wb")
    writeBin(store_format, connection)
    write_record(connection, head)
  } else {
    if (found$cut) {
      # To a file beside it first: an end of power now must not cost the good records.
      whole <- paste0(file, ".tmp")
      writeBin(readBin(file, "raw", found$end), whole)
      file.rename(whole, file)
    }
    connection <- file(file, "ab")
  }
  list(results = results, keep = keep,
       append = function(result) write_record(connection, result),
       close = function() close(connection))
}

compare_settings <- function(file, before, now) {
  differs <- names(now)[!vapply(names(now), function(name) {
    identical(before[[name]], now[[name]])
  }, NA)]
  differs <- union(differs, setdiff(names(before), names(now)))
  if (length(differs)) {
    abort_input(sprintf(
      "%s holds results of a run with other settings: %s differ%s.\n%s", dQuote(file, FALSE),
      enumerate(differs), if (length(differs) == 1) "s" else "",
      "Name another file for this run, or repeat the call that made this one."
    ), class = "semiselect_error_resume")
  }
}

# What a function does, as a hash; where it was defined does not matter.
function_hash <- function(fun) rlang::hash(lapply(as.list(fun), deparse))

settings_hash <- function(settings) {
  rlang::hash(lapply(settings, function(value) {
    if (is.function(value)) function_hash(value) else value
  }))
}
