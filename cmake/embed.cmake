# tidegate_embed(target name file...)
#
# Puts the text of each file into a library, as `tidegate::embedded::<name>_<stem>`, a std::string_view that users declare
# themselves. The stem is the file's name up to its first dot; what is no letter or digit there becomes "_".
function(tidegate_embed target name)
  set(code "#include <string_view>\n\nnamespace tidegate::embedded {\n")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
    file(READ ${CMAKE_SOURCE_DIR}/${file} text)
    get_filename_component(stem ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${stem} stem)
    string(APPEND code "\nextern const std::string_view ${name}_${stem};\n"
                       "const std::string_view ${name}_${stem} = R\"embedded(${text})embedded\";\n")
  endforeach()
  string(APPEND code "\n}  // namespace tidegate::embedded\n")
  set(out ${CMAKE_BINARY_DIR}/embedded/${name}.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT "${code}" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()
