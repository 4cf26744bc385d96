/* A context and its host device for all tests of a program: what cmocka_run_group_tests takes. */
#ifndef HOST_FIXTURE_H
#define HOST_FIXTURE_H

#include "api/api_test.h"

static tl_context *context;
static tl_device *host;

static int setup(void **state) {
  tl_error *error = NULL;
  (void)state;
  if (tl_context_create(NULL, &context, &error) != TL_OK ||
      tl_device_open(context, "host", &host, &error) != TL_OK)
    return -1;
  return 0;
}
static int teardown(void **state) {
  (void)state;
  tl_device_destroy(host);
  tl_context_destroy(context);
  return 0;
}

#endif
