# Reads CTest's LastTest.log and prints "PASSED FAILED SKIPPED": the sum over all single test cases.
#
# A program whose test is named test_* reports its cases in cmocka's format: each is announced ("Running N") and
# then OK, SKIPPED or FAILED; what was announced and neither passed nor was skipped has failed, so that a crash or
# a time limit counts. Every other test (a script, an example, a snippet) is one case. A test that CTest calls
# failed fails at least one case, also when its own cases all passed (a leak found at exit, say).

/^[0-9]+\/[0-9]+ Test: / {
    name = $3
    announced = ok = skipped = 0
    started = 1
}
/^Command: ""$/ { started = 0 }
/^\[==========\] .*Running [0-9]+ test/ {
    line = $0
    sub(/^.*Running /, "", line)
    announced += line + 0
}
/^\[       OK \]/ { ok++ }
/^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
/^Test (Passed|Failed)\.$/ {
    good = $2 == "Passed." && started
    if (name !~ /^test_/) {
        announced = 1
        ok = good
    }
    bad = announced - ok - skipped
    if ((!good || announced == 0) && bad < 1) bad = 1
    passed += ok
    failed += bad
    all_skipped += skipped
    name = ""
}
END { print passed + 0, failed + 0, all_skipped + 0 }
