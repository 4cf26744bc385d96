/* Builds the graph of paged attention, compiles it for a few targets, prints what must not depend
 * on the C compiler's order of evaluation (keys and canonical text) and saves the artifact.
 * Compiled by test_compilers.sh. */
#include "api/paged_graph.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static const char *const targets[] = {"host:x86-64-v3", "amdgcn:gfx942", "amdgcn:gfx1100"};
  tl_graph *g = paged_attention_graph();
  tl_context *context = NULL;
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  const void *bytes = NULL;
  size_t i, size = 0;
  FILE *file;
  if (argc != 2 || !g || tl_context_create(NULL, &context, NULL) != TL_OK)
    return 1;
  if (tl_kernel_compile(context, g, targets, 3, NULL, &kernel, &error) != TL_OK) {
    fprintf(stderr, "%s\n", tl_error_message(error));
    return 1;
  }
  for (i = 0; i < 3; ++i) {
    tl_kernel_info info = TL_KERNEL_INFO_INIT;
    if (tl_kernel_get_info(kernel, i, &info) != TL_OK)
      return 1;
    printf("%s key %s, %llu bytes of code\n", info.target, info.key,
           (unsigned long long)info.code_bytes);
  }
  if (tl_kernel_get_part(kernel, 0, TL_PART_TEXT, &bytes, &size) != TL_OK)
    return 1;
  fwrite(bytes, 1, size, stdout);
  file = fopen(argv[1], "wb");
  if (!file || tl_kernel_save(kernel, &bytes, &size) != TL_OK ||
      fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
    return 1;
  tl_kernel_destroy(kernel);
  tl_graph_destroy(g);
  tl_context_destroy(context);
  return 0;
}
