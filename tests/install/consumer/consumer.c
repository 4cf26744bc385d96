/* What a program that uses an installed libtilelang looks like: parses a kernel, builds it and runs
 * it on the CPU. Usage: consumer [path of the compiler library] */
#define _POSIX_C_SOURCE 200809L
#include <tilelang.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N 1000

static const char text[] = "tile 0.1\n"
                           "kernel @twice(%a: view<f32, [%n]>, %n: i64)\n"
                           "    grid [ceildiv(%n, 256)] {\n"
                           "  %pid = program_id 0\n"
                           "  %c = const 256 : i64\n"
                           "  %off = mul %pid, %c\n"
                           "  %x = load %a[%off] : tile<256 x f32>\n"
                           "  %y = add %x, %x\n"
                           "  store %y, %a[%off]\n"
                           "}\n";

static int fail(const char *what, tl_error *error) {
  fprintf(stderr, "%s: %s\n", what, error ? tl_error_message(error) : "failed");
  tl_error_destroy(error);
  return 1;
}

int main(int argc, char **argv) {
  tl_context_options options = TL_CONTEXT_OPTIONS_INIT;
  tl_context *context = NULL;
  tl_device *device = NULL;
  tl_graph *graph = NULL;
  tl_kernel *kernel = NULL;
  tl_error *error = NULL;
  float data[N];
  int i;
  if (chdir("/") != 0) /* the library finds its partners all the same */
    return fail("chdir", NULL);
  if (tl_version() / 1000 != TL_VERSION_MAJOR * 1000 + TL_VERSION_MINOR)
    return fail("the library and its headers are of different versions", NULL);
  if (argc > 1)
    options.compiler_path = argv[1];
  if (tl_context_create(&options, &context, &error))
    return fail("tl_context_create", error);
  if (tl_device_open(context, "host", &device, &error))
    return fail("tl_device_open", error);
  if (tl_graph_parse(text, strlen(text), "twice.tile", &graph, &error))
    return fail("tl_graph_parse", error);
  if (tl_kernel_build(device, graph, NULL, &kernel, &error))
    return fail("tl_kernel_build", error);
  for (i = 0; i < N; ++i)
    data[i] = (float)i;
  tl_arg args[] = {tl_arg_pointer(data), tl_arg_int(N)};
  if (tl_launch(kernel, NULL, args, 2, NULL) || tl_stream_synchronize(device, NULL))
    return fail("tl_launch", NULL);
  for (i = 0; i < N; ++i)
    if (data[i] != 2.0f * (float)i)
      return fail("a wrong result", NULL);
  tl_kernel_destroy(kernel);
  tl_graph_destroy(graph);
  tl_device_destroy(device);
  tl_context_destroy(context);
  printf("consumer: ok\n");
  return 0;
}
