# The rules that need no compiler, as tests lint_*. scripts/lint.sh says what each one holds the tree to.
foreach(lint format layers sources fields spelling)
  add_test(NAME lint_${lint} COMMAND ${CMAKE_SOURCE_DIR}/scripts/lint.sh ${lint})
  set_tests_properties(lint_${lint} PROPERTIES LABELS lint)
endforeach()
